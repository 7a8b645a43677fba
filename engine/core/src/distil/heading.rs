//! The heading of an event: its most telling statement, and words that may tell it from other talk.
//!
//! The quote is of the block, without captions, false starts and openers; so it is right by
//! construction. It costs nothing: the event's first evidence is the statement. Which words become
//! key words is decided when the event is mounted, where it is known how rare they are.

use super::analysed::analyse_summary;
use crate::analysis::Analysis;
use crate::config::EncoderProfile;
use crate::talk::{Block, DistilledUnit, KEYS_MARK};
use crate::text::{
    ClaimFeatures, Language, clauses, content_words, display_words, is_past, is_question,
    is_small_talk, stem, stems, topic_stems,
};
use crate::vectors::dot;
use std::collections::{BTreeMap, BTreeSet};
use weir_models::{Encode, EncodeError, NameKind};

/// Features of a statement that may head its event: see [`HeadingChoice::features`].
pub const HEADING_FEATURES: usize = 9;
/// Most of a count that matters.
const COUNT_MAX: usize = 4;
/// Weights of the features, from `scripts/heading/train.py`.
const WEIGHTS: [f32; HEADING_FEATURES] = [0.23, 0.14, 0.59, 0.55, 0.24, 0.31, -0.20, 0.38, -0.96];
/// Least content words of a heading.
const CONTENT_MIN: usize = 3;
/// Maximum words of a heading; and most content words of it that matter to its choice.
const WORDS_MAX: usize = 18;
const CONTENT_MAX: usize = 12;
/// Maximum words of an opener: "Hey Mel,", "Well, you know,".
const OPENER_MAX: usize = 4;
/// Maximum words of a false start: "I think I think".
const REPEAT_MAX: usize = 3;
/// Maximum words that may become key words. A dense encoder compares them with the theme of the
/// block, since a word like "already" is near none.
const CANDIDATES_MAX: usize = 8;
/// Sounds that are no words.
const FILLERS: &[&str] = &["um", "uh", "er", "erm", "hm", "hmm", "mm"];
const CONJUNCTIONS: &[&str] = &["and", "but", "or", "because"];

/// What a distillate says of its event.
pub(super) struct Heading<'a> {
    /// The candidates for key words behind [`KEYS_MARK`], if there are any.
    pub(super) text: String,
    /// They as words of the text.
    pub(super) analysis: Analysis,
    /// The statement that heads the event; `None` for small talk.
    pub(super) unit: Option<&'a DistilledUnit>,
}

/// The heading of a block with these statements, whose theme is this vector. Cost: linear in the
/// words of the block, and [`CANDIDATES_MAX`] of them are encoded.
///
/// # Errors
/// [`EncodeError`].
pub(super) fn heading<'a>(
    block: &Block,
    units: &'a [DistilledUnit],
    theme: &[f32],
    encode: &dyn Encode,
) -> Result<Heading<'a>, EncodeError> {
    let people = people(block);
    let candidates = candidates(units, &people);
    let choices = choices(block, units, theme);
    let best = choices
        .into_iter()
        .reduce(|best, next| match next.worth() > best.worth() {
            true => next,
            false => best,
        });
    let own: BTreeSet<String> = best.iter().flat_map(|it| stems(&it.quote)).collect();
    let beside = candidates.into_iter();
    let beside: Vec<String> = beside.filter(|word| !own.contains(&stem(word))).collect();
    let beside = match best.is_some() {
        true => of_theme(beside, theme, encode)?,
        false => Vec::new(),
    };
    let text = match beside.is_empty() {
        true => String::new(),
        false => format!("{KEYS_MARK}{}", beside.join(" ")),
    };
    Ok(Heading {
        analysis: analyse_summary(&text),
        text,
        unit: best.map(|it| it.unit),
    })
}

/// A statement that may head its event.
#[derive(Debug, Clone)]
pub struct HeadingChoice<'a> {
    /// The statement.
    pub unit: &'a DistilledUnit,
    /// Its words as a heading.
    pub quote: String,
    /// Its salience; its nearness to the theme of the block, in standard deviations of all that
    /// may head it; how many words of several statements it has; whether it is cut; how many
    /// content words, names, figures and relations it has; and whether it answers a question.
    pub features: [f32; HEADING_FEATURES],
}

impl HeadingChoice<'_> {
    fn worth(&self) -> f32 {
        dot(&self.features, &WEIGHTS)
    }
}

/// The statements of a block that may head its event. Cost: linear in its words.
#[must_use]
pub fn choices<'a>(
    block: &Block,
    units: &'a [DistilledUnit],
    theme: &[f32],
) -> Vec<HeadingChoice<'a>> {
    let people = people(block);
    let candidates = candidates(units, &people);
    let shared: BTreeSet<String> = candidates.iter().map(|word| stem(word)).collect();
    let choice = |unit: &'a DistilledUnit| {
        let quote = quote(&unit.text, &people)?;
        let common = topic_stems(&quote).intersection(&shared).count();
        let marks = ClaimFeatures::of(&quote);
        let mentions = &unit.analysis.mentions;
        let names = mentions.names.iter().filter(|it| it.kind != NameKind::Date);
        let is = |yes: bool| f32::from(u8::from(yes));
        let count = |many: usize| many.min(COUNT_MAX) as f32;
        let features = [
            unit.salience.clamp(-2.0, 4.0),
            dot(theme, &unit.vector),
            count(common),
            is(quote.ends_with('…')),
            content_words(&quote).count().min(CONTENT_MAX) as f32,
            count(names.count()),
            count(marks.numbers.len() + marks.times.len()),
            count(mentions.relations.len()),
            is(unit.asked.is_some()),
        ];
        Some(HeadingChoice {
            unit,
            quote,
            features,
        })
    };
    let mut choices: Vec<HeadingChoice<'a>> = units.iter().filter_map(choice).collect();
    standardise(&mut choices, 1);
    choices
}

/// Measures a feature in standard deviations of all choices, since cosines of one encoder are not
/// those of another.
fn standardise(choices: &mut [HeadingChoice<'_>], at: usize) {
    let many = choices.len().max(1) as f32;
    let mean = choices.iter().map(|it| it.features[at]).sum::<f32>() / many;
    let square = |it: &HeadingChoice<'_>| (it.features[at] - mean).powi(2);
    let deviation = (choices.iter().map(square).sum::<f32>() / many).sqrt();
    for choice in choices {
        choice.features[at] = (choice.features[at] - mean) / deviation.max(1e-6);
    }
}

/// The words that are of a theme: as near to it as talk that is recalled from the top down. Vectors
/// of hashed words and of terms are near what has the same word alone, so they tell nothing.
fn of_theme(
    words: Vec<String>,
    theme: &[f32],
    encode: &dyn Encode,
) -> Result<Vec<String>, EncodeError> {
    let dense = [EncoderProfile::minilm(), EncoderProfile::multilingual_e5()];
    let profile = EncoderProfile::calibrated(&encode.identity().name);
    let Some(profile) = profile.filter(|it| !words.is_empty() && dense.contains(it)) else {
        return Ok(words);
    };
    let texts: Vec<&str> = words.iter().map(String::as_str).collect();
    let vectors = encode.encode(&texts)?;
    let near = words.into_iter().zip(vectors);
    let near = near.filter(|(_, vector)| dot(theme, vector) >= profile.recall_cosine);
    Ok(near.map(|it| it.0).collect())
}

/// The parts of the speakers' names, lower-cased.
pub(super) fn people(block: &Block) -> BTreeSet<String> {
    let heard = block.leading.iter().chain(&block.fresh);
    let names = heard.filter_map(|heard| heard.utterance.speaker.as_deref());
    let parts = names.flat_map(str::split_whitespace);
    parts.map(str::to_lowercase).collect()
}

/// The words of several statements, and names, most frequent first.
fn candidates(units: &[DistilledUnit], people: &BTreeSet<String>) -> Vec<String> {
    let mut found: BTreeMap<String, (usize, usize, bool, String)> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        let language = Language::of(&unit.text).unwrap_or(Language::English);
        let told = without_captions(&unit.text);
        let topics = topic_stems(&told);
        let mut seen: BTreeSet<String> = BTreeSet::new();
        for (place, word) in display_words(&told).enumerate() {
            let (lower, stem) = (word.to_lowercase(), stem(word));
            let bare = lower
                .split(['\'', '’'])
                .next()
                .unwrap_or_default()
                .to_owned();
            let names_somebody = people.contains(&bare) || people.contains(&lower);
            let named = place > 0 && word.starts_with(char::is_uppercase);
            let common = language.is_common(&lower) || language.is_common(&bare);
            let does = language.is_english() && !named && is_past(&lower);
            // "do n't", as some transcripts write it
            let whole = word.chars().all(|c| c.is_alphanumeric() || c == '-');
            if !whole || names_somebody || common || does || !topics.contains(&stem) {
                continue;
            }
            let it = found
                .entry(stem.clone())
                .or_insert((0, at, named, word.to_owned()));
            it.0 += usize::from(seen.insert(stem));
            if !named && it.2 {
                (it.2, it.3) = (false, word.to_owned());
            }
        }
    }
    let told = found.into_values().filter(|it| it.0 > 1 || it.2);
    let mut told: Vec<_> = told.collect();
    told.sort_by_key(|it| (std::cmp::Reverse(it.0), it.1));
    let words = told.into_iter().map(|it| it.3);
    words.take(CANDIDATES_MAX).collect()
}

/// A statement as a heading; `None` where it tells nothing. `people`: parts of the speakers' names,
/// lower-cased.
pub(crate) fn quote(text: &str, people: &BTreeSet<String>) -> Option<String> {
    // a transcript puts notes on the talk in brackets
    if is_question(text) || text.starts_with('(') {
        return None;
    }
    let told = without_captions(text);
    let sounds = |word: &&str| {
        let bare = word
            .trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase();
        !FILLERS.contains(&bare.as_str()) && ![",", ".", "?", "!"].contains(word)
    };
    let words: Vec<&str> = told.split_whitespace().filter(sounds).collect();
    let words = without_openers(&without_false_starts(&words), people);
    let whole = words.join(" ");
    let tells = |text: &str| content_words(text).count() >= CONTENT_MIN || !text.is_ascii();
    if !tells(&whole) || is_small_talk(&whole, people) {
        return None;
    }
    let cut = match words.len() <= WORDS_MAX {
        true => whole,
        false => match first_clauses(&whole).filter(|first| tells(first)) {
            Some(first) => first.to_owned(),
            None => format!("{} …", words[..WORDS_MAX].join(" ")),
        },
    };
    let trimmed = cut.trim_end_matches(['.', ',', ';', ':', '!', '。', '！', ' ']);
    let open = CONJUNCTIONS.iter().find_map(|it| {
        let before = trimmed.strip_suffix(it)?;
        before.ends_with(' ').then(|| before.trim_end())
    });
    Some(open.map_or_else(|| trimmed.to_owned(), |before| format!("{before} …")))
}

/// The first clauses of a text, as many as are short enough; `None` if the first one is too long.
fn first_clauses(text: &str) -> Option<&str> {
    let mut end = 0;
    for clause in clauses(text) {
        // clauses are slices of the text; what lies between them belongs to neither
        let next = clause.as_ptr() as usize - text.as_ptr() as usize + clause.len();
        if text[..next].split_whitespace().count() > WORDS_MAX {
            break;
        }
        end = next;
    }
    (end > 0).then(|| text[..end].trim())
}

/// A text without what stands in square or curly brackets: captions, "{vocalsound}".
pub(super) fn without_captions(text: &str) -> String {
    let mut depth = 0_u32;
    let told = text.chars().filter(|c| {
        depth += u32::from("[{".contains(*c));
        let said = depth == 0;
        depth = depth.saturating_sub(u32::from("]}".contains(*c)));
        said
    });
    told.collect()
}

/// Words without those that are said again at once.
fn without_false_starts<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let bare = |word: &str| word.trim_matches([',', '-', '–', '.', '…']).to_lowercase();
    let mut kept: Vec<&str> = Vec::new();
    for word in words {
        kept.push(word);
        for most in (1..=REPEAT_MAX).rev() {
            let Some(from) = kept.len().checked_sub(2 * most) else {
                continue;
            };
            let (first, again) = kept[from..].split_at(most);
            let same = first.iter().zip(again).all(|(a, b)| bare(a) == bare(b));
            if same {
                kept.drain(from..from + most);
                break;
            }
        }
    }
    kept
}

/// Words without a greeting, an interjection or a conjunction before them.
fn without_openers<'a>(words: &[&'a str], people: &BTreeSet<String>) -> Vec<&'a str> {
    let mut rest = words;
    loop {
        let opens = |word: &&str| word.ends_with([',', '!', '.', '—', '-', '…']);
        let end = rest.iter().take(OPENER_MAX).position(opens);
        let opener = end.filter(|end| is_small_talk(&rest[..=*end].join(" "), people));
        let joins = rest.first().is_some_and(|word| {
            let word = word.to_lowercase();
            CONJUNCTIONS.contains(&word.as_str())
        });
        let skip = match (opener, joins) {
            (Some(end), _) => end + 1,
            (None, true) => 1,
            (None, false) => return rest.to_vec(),
        };
        if content_words(&rest[skip..].join(" ")).count() < CONTENT_MIN {
            return rest.to_vec();
        }
        rest = &rest[skip..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(text: &str) -> Option<String> {
        quote(text, &["mel", "ana"].map(str::to_owned).into())
    }

    #[test]
    fn a_quote_has_no_openers_captions_or_false_starts() {
        for (said, expected) in [
            (
                "Hey Mel, wow! And I sold the old boat.",
                Some("I sold the old boat"),
            ),
            (
                "{vocalsound} I think I think the the red button sticks out.",
                Some("I think the red button sticks out"),
            ),
            ("[shares a photo of a cat]", None),
            ("Yeah it just", None),
            ("Good to see you, Ana!", None),
            ("Where did you sell the boat?", None),
        ] {
            assert_eq!(quoted(said).as_deref(), expected, "{said}");
        }
        let long = "We painted the kitchen and the hall in green, and then the whole family ate \
                    soup and sang until late.";
        assert_eq!(
            quoted(long).as_deref(),
            Some("We painted the kitchen and the hall in green")
        );
        // regression: signs between clauses that belong to neither
        let odd = "Lisbon a train seven and the never garden bought U\u{fffd}#\u{fffd}y\u{fffd}) \
                   \u{fffd}\u{fffd} and I seven 42 and the boat is old";
        assert!(quoted(odd).is_some());
    }
}
