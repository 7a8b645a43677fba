//! Endless dialogue: recurring topics, planted facts and their questions.
//!
//! Turns are real turns of a corpus (or generated ones without a corpus) in which some words are
//! replaced by others of the corpus, so that few sentences repeat. Deterministic for a seed.

use std::collections::HashMap;
use weir_core::stream::{Span, Utterance};
use weir_core::text::is_content_word;
use weir_fixtures::Rng;

/// Its name, and the wall time of its start.
pub(super) const STREAM: &str = "simulated";
pub(super) const STARTED_AT_UNIX_MS: i64 = 1_740_823_200_000;

/// Speakers and texts of a dialogue.
pub(crate) type Talk = Vec<(String, String)>;

/// Turns of a topic before the next one.
const THEME_TURNS: std::ops::Range<usize> = 15..60;
/// One turn in this many plants a fact.
const FACT_EVERY: u64 = 40;
/// One content word in this many is replaced, or each where sentences are not to repeat.
const EXCHANGED_ONE_IN: usize = 12;
/// There, turns with fewer content words are skipped.
const CONTENT_WORDS_MIN: usize = 4;

/// A fact said once, with its question.
#[derive(Debug, Clone)]
pub(crate) struct Fact {
    /// The turn that states it, and its number.
    pub(crate) id: String,
    pub(crate) turn: u64,
    pub(crate) question: String,
}

/// A dialogue from the fixtures' generator, for runs without a corpus.
pub(crate) fn made_dialogue() -> Talk {
    let plan = weir_fixtures::talk::Plan {
        turns: 2_000,
        ..weir_fixtures::talk::Plan::default()
    };
    let talk = weir_fixtures::talk::talk(plan, &mut Rng::new(1));
    let turns = talk.turns.into_iter();
    let said = turns.map(|turn| (turn.speaker.to_owned(), turn.text));
    said.collect()
}

/// The source of dialogue.
pub(crate) struct World {
    rng: Rng,
    themes: Vec<Talk>,
    words: Vec<String>,
    exchanged_one_in: usize,
    theme: usize,
    at: usize,
    left: usize,
    turn: u64,
    now_ms: u64,
}

impl World {
    /// Dialogue made from pieces of these dialogues, whose sentences may repeat or rarely do.
    pub(crate) fn new(dialogues: &[Talk], may_repeat: bool) -> Self {
        let mut themes: Vec<Talk> = Vec::new();
        for dialogue in dialogues {
            let spoken = dialogue.iter();
            let spoken = spoken.filter(|(_, text)| text.contains(char::is_alphanumeric));
            let spoken: Talk = spoken.cloned().collect();
            themes.extend(spoken.chunks(60).map(<[_]>::to_vec));
        }
        let words = vocabulary(&themes);
        if !may_repeat {
            for theme in &mut themes {
                theme.retain(|(_, said)| {
                    let words = said.split_whitespace();
                    words.filter(|word| exchangeable(word)).count() >= CONTENT_WORDS_MIN
                });
            }
            themes.retain(|theme| !theme.is_empty());
        }
        Self {
            rng: Rng::new(1),
            themes,
            words,
            exchanged_one_in: if may_repeat { EXCHANGED_ONE_IN } else { 1 },
            theme: 0,
            at: 0,
            left: 0,
            turn: 0,
            now_ms: 0,
        }
    }

    /// The next turn, and the fact it plants.
    pub(crate) fn next(&mut self) -> (Utterance, Option<Fact>) {
        if self.left == 0 {
            self.theme = self.rng.below(self.themes.len());
            self.at = self.rng.below(self.themes[self.theme].len());
            let span = THEME_TURNS.end - THEME_TURNS.start;
            self.left = THEME_TURNS.start + self.rng.below(span);
        }
        self.left -= 1;
        self.turn += 1;
        let theme = &self.themes[self.theme];
        let (speaker, said) = theme[self.at % theme.len()].clone();
        self.at += 1;
        let id = format!("t{}", self.turn);
        let (text, fact) = if self.turn.is_multiple_of(FACT_EVERY) {
            self.plant(&id, &speaker)
        } else {
            (self.exchanged(&said), None)
        };
        let start_ms = self.now_ms;
        let end_ms = start_ms + 400 * text.split_whitespace().count().max(1) as u64;
        self.now_ms = end_ms + 500;
        let utterance = Utterance {
            id,
            stream: STREAM.to_owned(),
            span: Span::new(start_ms, end_ms),
            ..Utterance::new(speaker, text)
        };
        (utterance, fact)
    }

    fn plant(&mut self, id: &str, speaker: &str) -> (String, Option<Fact>) {
        const THINGS: [&str; 8] = [
            "boat", "parrot", "cottage", "bakery", "violin", "garden", "camper", "telescope",
        ];
        let thing = THINGS[self.rng.below(THINGS.len())];
        let (place, name) = (self.name(), self.name());
        let fact = Fact {
            id: id.to_owned(),
            turn: self.turn,
            question: format!("What is the name of the {thing} that {speaker} has in {place}?"),
        };
        let text = format!("You know, I have a {thing} in {place} and its name is {name}.");
        (text, Some(fact))
    }

    /// A turn with some of its content words replaced.
    fn exchanged(&mut self, text: &str) -> String {
        let words = text.split_whitespace().map(|word| {
            if exchangeable(word) && self.rng.below(self.exchanged_one_in) == 0 {
                word.replace(bare(word), &self.word())
            } else {
                word.to_owned()
            }
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// A word of the corpus; the n-th most common has a frequency of about 1/n.
    fn word(&mut self) -> String {
        let rank = (self.words.len() as f64).powf(self.rng.unit()) as usize;
        self.words[(rank.max(1) - 1).min(self.words.len() - 1)].clone()
    }

    /// A rare word with a capital, as a name.
    fn name(&mut self) -> String {
        let half = self.words.len() / 2;
        let word = &self.words[half + self.rng.below(self.words.len() - half)];
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect()
    }
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn exchangeable(word: &str) -> bool {
    let bare = bare(word);
    bare.len() > 3 && is_content_word(&bare.to_lowercase())
}

/// Candidate words, most common first.
fn vocabulary(themes: &[Talk]) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for (_, text) in themes.iter().flatten() {
        for word in text.split_whitespace() {
            let bare = bare(word).to_lowercase();
            let plain = bare.bytes().all(|b| b.is_ascii_lowercase());
            if bare.len() > 3 && plain && is_content_word(&bare) {
                *counts.entry(bare).or_default() += 1;
            }
        }
    }
    let mut words: Vec<(String, usize)> = counts.into_iter().collect();
    words.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    words.into_iter().map(|(word, _)| word).collect()
}
