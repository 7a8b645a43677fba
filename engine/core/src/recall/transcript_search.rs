//! A search of the transcript for a question that memory cannot answer.
//!
//! Memory is bounded, the transcript is not: what was forgotten may still stand there, word for
//! word. Utterances are compared by their words, each weighed by how rarely it was heard.

use super::when::{Days, days_asked};
use crate::answer::{Answer, AnswerKind, QuestionTime, Statement, cited, spoken};
use crate::limits;
use crate::memory::Kind;
use crate::session::Session;
use crate::stream::Span;
use crate::talk::{Evidence, Part};
use crate::text::{
    Code, Language, codes, date_of, display_words, in_words, is_content_word, is_question,
    question_in, statements, stems, terms, unaccented,
};
use crate::transcript::{ScanStep, Transcript, TranscriptUtterance};
use crate::window::Window;
use aho_corasick::AhoCorasick;
use std::collections::{BTreeMap, BTreeSet};

/// An utterance answers if the words it shares with the question have this part of the rarity of
/// all words asked. Set by hand.
const SHARE_MIN: f32 = 0.7;
/// Maximum number of utterances in an answer.
const FOUND_MAX: usize = 3;
/// Words are looked for by this many of their first letters: the rest may be an ending.
const NEEDLE_CHARS: usize = 5;

/// How far a search of the transcript came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct SearchExtent {
    /// Utterances looked at, newest first.
    pub utterances: u64,
    /// Whether those are all.
    pub complete: bool,
}

/// An utterance that has the words asked for.
struct Match {
    share: f32,
    said: TranscriptUtterance,
}

/// The words of a question, to be searched for in a transcript.
pub struct TranscriptSearch {
    /// The terms asked for, with their rarity in nats.
    asked: BTreeMap<u32, f32>,
    /// What the bytes of an utterance must hold, at least one of them; `None` if any may match.
    needles: Option<AhoCorasick>,
    /// Whether letters with and without accents are the same.
    folds: bool,
    /// Utterances that memory holds: it has weighed them already.
    held: BTreeSet<u64>,
    window: Window,
    /// The terms with a digit and the days that the question names; an utterance must be of them.
    codes: Vec<Code>,
    days: Option<Days>,
}

impl TranscriptSearch {
    /// A search for all of these words, in memory or not, with or without accents; `None` for no
    /// words.
    #[must_use]
    pub fn words(words: &str) -> Option<Self> {
        let words = unaccented(words);
        let asked: BTreeMap<u32, f32> = terms(&words).into_iter().map(|term| (term, 1.0)).collect();
        (!asked.is_empty()).then(|| Self {
            asked,
            folds: true,
            needles: needles(&words),
            held: BTreeSet::new(),
            window: Window::default(),
            codes: Vec::new(),
            days: None,
        })
    }

    /// Whether an utterance has all words asked for.
    #[must_use]
    pub fn has_all(&self, said: &TranscriptUtterance) -> bool {
        self.matches(&said.text, said.speaker.as_deref())
    }

    /// The same of any text; its speaker counts as said.
    #[must_use]
    pub fn matches(&self, text: &str, speaker: Option<&str>) -> bool {
        self.share(text, speaker) >= 1.0
    }

    /// A text in pieces, each with whether it is a word asked for.
    #[must_use]
    pub fn marked<'t>(&self, text: &'t str) -> Vec<(&'t str, bool)> {
        let (mut pieces, mut from, mut at) = (Vec::new(), 0, 0);
        let words = display_words(text).flat_map(|word| word.split('-'));
        for word in words.filter(|it| !it.is_empty()) {
            // between words there are no letters, so the next place of one is its own
            let Some(start) = text[at..].find(word).map(|it| at + it) else {
                continue;
            };
            at = start + word.len();
            if self
                .terms(word)
                .iter()
                .any(|it| self.asked.contains_key(it))
            {
                pieces.push((&text[from..start], false));
                pieces.push((&text[start..at], true));
                from = at;
            }
        }
        pieces.push((&text[from..], false));
        pieces.retain(|(piece, _)| !piece.is_empty());
        pieces
    }

    /// The search for a question; `None` if it has no words to search for.
    #[must_use]
    pub fn of(session: &Session, question: &str, at: &QuestionTime) -> Option<Self> {
        let question = &*question_in(question);
        let asked: BTreeMap<u32, f32> = terms(question)
            .into_iter()
            .map(|term| (term, session.rarity_of(term)))
            .collect();
        if asked.values().sum::<f32>() <= 0.0 {
            return None;
        }
        let units = session.tree().of_kind(Kind::Unit);
        let turns = units.flat_map(|unit| unit.evidence.iter().map(|item| item.turn));
        let raw = session.buffer().raw().map(|heard| heard.turn);
        Some(Self {
            asked,
            folds: false,
            needles: needles(question),
            held: turns.chain(raw).collect(),
            window: Window::default(),
            codes: codes(
                question,
                Language::of(question).unwrap_or(Language::English),
            ),
            days: days_asked(session, question, at),
        })
    }

    /// Only what is in a part of the talk.
    #[must_use]
    pub fn within(self, window: Window) -> Self {
        Self { window, ..self }
    }

    /// Whether an utterance has what the question names exactly, and is of its days.
    fn is_exact(&self, said: &TranscriptUtterance, at: &QuestionTime) -> bool {
        let has = self.codes.is_empty() || self.codes.iter().any(|it| it.is_in(&said.text));
        let said_on = || date_of(said.said_at_unix_ms?, &at.time_zone());
        let of_days = |days: &Days| said_on().is_some_and(|day| days.contains(&day));
        has && self.days.as_ref().is_none_or(of_days)
    }

    /// Searches until `go_on` says no; it is asked before each utterance.
    ///
    /// Returns the answer in the words of the best utterances, `None` if no utterance has the words
    /// asked for; and how far the search came. Days are shown in the zone of `at`. Cost: O(bytes).
    pub fn run(
        &self,
        transcript: &dyn Transcript,
        at: &QuestionTime,
        go_on: &mut dyn FnMut() -> bool,
    ) -> (Option<Answer>, SearchExtent) {
        let mut best: Vec<Match> = Vec::new();
        let mut searched = SearchExtent {
            utterances: 0,
            complete: true,
        };
        let mut glance = |bytes: &[u8]| {
            if !go_on() {
                searched.complete = false;
                return ScanStep::Stop;
            }
            searched.utterances += 1;
            match self.may_match(bytes) {
                true => ScanStep::Read,
                false => ScanStep::Skip,
            }
        };
        transcript.newest_first(&mut glance, &mut |said| {
            if self.is_exact(&said, at) {
                self.weigh(said, &mut best);
            }
        });
        (self.answer(&best, at), searched)
    }

    /// Whether the stored bytes of an utterance hold the beginning of a word asked for.
    #[must_use]
    pub fn may_match(&self, bytes: &[u8]) -> bool {
        let needles = self.needles.as_ref();
        // letters with accents may stand for those without
        let may_fold = || self.folds && !bytes.is_ascii();
        needles.is_none_or(|needles| needles.is_match(bytes) || may_fold())
    }

    /// Keeps an utterance if it is one of the best so far; of equals the newer one.
    fn weigh(&self, said: TranscriptUtterance, best: &mut Vec<Match>) {
        let inside = self.window.holds(said.speaker.as_deref(), said.session_ms);
        if !inside || self.held.contains(&said.found.turn) || is_question(&said.text) {
            return;
        }
        let share = self.share(&said.text, said.speaker.as_deref());
        if share < SHARE_MIN {
            return;
        }
        let place = best.partition_point(|other| other.share >= share);
        best.insert(place, Match { share, said });
        best.truncate(FOUND_MAX);
    }

    fn terms(&self, text: &str) -> Vec<u32> {
        match self.folds {
            true => terms(&unaccented(text)),
            false => terms(text),
        }
    }

    /// Part of the rarity of all words asked for that an utterance has; its speaker counts as said.
    fn share(&self, text: &str, speaker: Option<&str>) -> f32 {
        let speaker = self.terms(speaker.unwrap_or_default());
        let said: BTreeSet<u32> = self.terms(text).into_iter().chain(speaker).collect();
        let found = self.asked.iter().filter(|(term, _)| said.contains(term));
        found.map(|(_, rarity)| rarity).sum::<f32>() / self.asked.values().sum::<f32>()
    }

    fn answer(&self, best: &[Match], at: &QuestionTime) -> Option<Answer> {
        let quoted: Vec<Statement> = best
            .iter()
            .map(|found| self.statement(&found.said, at))
            .collect();
        if quoted.is_empty() {
            return None;
        }
        let quoted: Vec<&Statement> = quoted.iter().collect();
        let text = format!(
            "No longer in memory, but in the transcript. {}",
            spoken(&quoted)
        );
        Some(Answer::computed(AnswerKind::Answer, text, cited(&quoted)))
    }

    /// The part of an utterance that has most of the words asked for, as a statement with its day.
    fn statement(&self, said: &TranscriptUtterance, at: &QuestionTime) -> Statement {
        let parts = statements(&said.text, limits::UNIT_WORDS_MAX);
        let best = parts.iter().copied().reduce(|best, next| {
            match self.share(next, None) > self.share(best, None) {
                true => next,
                false => best,
            }
        });
        let quote = best.unwrap_or(&said.text);
        let place = said.place.as_ref();
        let evidence = Evidence {
            stream: said.found.stream.clone(),
            utterance: said.found.utterance.clone(),
            turn: said.found.turn,
            speaker: said.speaker.clone(),
            // transcripts of earlier builds know the session time alone
            span: place.map_or(Span::new(said.session_ms, said.session_ms), |it| it.span),
            said_at_unix_ms: said.said_at_unix_ms,
            audio: place.and_then(|it| it.audio.clone()),
            confidence: None,
            part: Part::of(quote, &said.text),
            verbatim: true,
            content_words: 0,
            share: 0.0,
        };
        let zone = at.time_zone();
        let day = said.said_at_unix_ms.and_then(|ms| date_of(ms, &zone));
        Statement {
            day: day.map(in_words),
            said_on: day,
            earlier: false,
            ..Statement::of(evidence, Some(quote.to_owned()), 0.0)
        }
    }
}

/// The first letters of each word and of its stem, which all forms of most words share. None if a
/// word has other letters than ASCII: bytes do not tell which of those differ in case alone.
fn needles(words: &str) -> Option<AhoCorasick> {
    let lower = words.to_lowercase();
    let written = display_words(&lower).filter(|word| is_content_word(word));
    let each = stems(words).into_iter().chain(written.map(str::to_owned));
    let first = |word: String| word.chars().take(NEEDLE_CHARS).collect::<String>();
    let each: Vec<String> = each.map(first).filter(|it| !it.is_empty()).collect();
    let found = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .build(&each);
    let ascii = !each.is_empty() && each.iter().all(|it| it.is_ascii());
    // one that is too large to build only costs time: every utterance is read then
    found.ok().filter(|_| ascii)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::AudioSpan;
    use crate::transcript::Place;

    fn search(question: &str) -> TranscriptSearch {
        TranscriptSearch {
            held: BTreeSet::from([7]),
            ..TranscriptSearch::words(question).expect("it has words")
        }
    }

    fn said(turn: u64, text: &str) -> TranscriptUtterance {
        TranscriptUtterance {
            found: crate::transcript::UtteranceRef {
                turn,
                stream: "kitchen".into(),
                utterance: format!("u{turn}"),
            },
            speaker: Some("Ana".into()),
            session_ms: turn,
            said_at_unix_ms: None,
            place: None,
            text: text.into(),
        }
    }

    #[test]
    fn the_newest_of_the_fullest_matches_comes_first() {
        let search = search("What is Ana's wifi password?");
        let mut best = Vec::new();
        for (turn, text) in [
            (9, "What is the wifi password?"),
            (8, "The wifi is slow."),
            (7, "The wifi password is held in memory."),
            (6, "My WiFi passwords are on the fridge."),
            (5, "The wifi password is swordfish."),
        ] {
            assert!(search.may_match(text.as_bytes()), "{text}");
            search.weigh(said(turn, text), &mut best);
        }
        let turns: Vec<u64> = best.iter().map(|found| found.said.found.turn).collect();
        assert_eq!(turns, [6, 5]);
        assert!(!search.may_match(b"Nothing of that kind."));
        assert!(search.has_all(&said(6, "My WiFi passwords are on the fridge.")));
        assert!(TranscriptSearch::words("what is it").is_none());
    }

    #[test]
    fn words_asked_for_are_marked_in_whatever_form_they_stand() {
        let search = TranscriptSearch::words("went password").expect("it has words");
        let marked = search.marked("We go -- the Wi-Fi's passwords went!");
        let hits: Vec<&str> = marked.iter().filter(|it| it.1).map(|it| it.0).collect();
        assert_eq!(hits, ["go", "passwords", "went"]);
        let whole: String = marked.iter().map(|it| it.0).collect();
        assert_eq!(whole, "We go -- the Wi-Fi's passwords went!");
        assert_eq!(search.marked("").len(), 0);
    }

    #[test]
    fn evidence_names_its_second_of_audio_where_the_transcript_knows_it() {
        let search = search("What is Ana's wifi password?");
        let text = "The wifi password is swordfish.";
        let place = Place {
            span: Span::new(61_000, 63_000),
            audio: Some(AudioSpan {
                file: "kitchen.wav".into(),
                span: Span::new(1_000, 3_000),
            }),
        };
        for place in [Some(place), None] {
            let (mut best, said) = (Vec::new(), said(5, text));
            let known = TranscriptUtterance {
                place: place.clone(),
                ..said
            };
            search.weigh(known, &mut best);
            let answer = search
                .answer(&best, &QuestionTime::default())
                .expect("found");
            let evidence = &answer.citations[0].evidence;
            assert_eq!(
                evidence.audio,
                place.as_ref().and_then(|it| it.audio.clone())
            );
            let span = place.map_or(Span::new(5, 5), |it| it.span);
            assert_eq!(evidence.span, span);
        }
    }

    #[test]
    fn irregular_forms_and_capitals_of_any_alphabet_are_found() {
        for (words, text) in [
            ("went", "I went home."),
            ("москва", "Москва далеко."),
            ("noel", "Wir feiern Noël."),
            ("STRASSE", "Die Straße ist lang."),
            ("οδος", "Η ΟΔΌΣ είναι κλειστή."),
            ("ﬁnance", "The finance office called."),
        ] {
            let search = TranscriptSearch::words(words).expect("it has words");
            assert!(search.may_match(text.as_bytes()), "{words}");
            assert!(search.has_all(&said(6, text)), "{words}");
        }
    }
}
