//! The built-in language model: opinions, what lasts about a speaker, and names, in statements of
//! talk.
//!
//! Three stacks of BERT layers share the word table of the built-in sparse encoder, or the first
//! layers of all-MiniLM-L6-v2 where that is the encoder; heads read their last layers.
//! `scripts/language` trains them and says on which data. English: in another language nothing is
//! found with confidence.
//!
//! Invariant: a file of another version, task or trunk, or with a damaged tensor, is refused by
//! name.

mod names;
mod spans;

use std::ops::Range;

use self::names::Names;
use self::spans::{bytes, likeliest, spans};
use crate::annotate::{Annotate, Annotation, Least, Slot, SlotValue, Stated, Thing};
use crate::checkpoint::{LoadError, Weights};
use crate::encode::EncodeError;
use crate::sentence::{Head, SentenceEncoder, Trunk, Words};
use crate::shipped::shipped;

const VERSION: &str = "2";
/// Layers of all-MiniLM-L6-v2 below those of the second pair.
const LENT: usize = 2;
const OVER_MINILM: [(&str, &str); 1] = [("over", "all-MiniLM-L6-v2")];
/// Of labelled talk held apart, 0.88 of what is above `lasting` lasts and 0.75 of what lasts is
/// above it; of opinions worth keeping 0.93 and 0.43; of values 44 of 51 are right, and 44 of 63
/// are found; of names 0.88 and 0.68, of relations 0.70 and 0.39, word for word. The temperature
/// was chosen on MAMS' validation set: there chances of feelings were off by 0.11 in the mean, and
/// are off by 0.01.
const LEAST_MINILM: Least = Least {
    lasting: 0.96,
    lasting_with_value: 0.8,
    keep: 0.95,
    value: 0.95,
    name: 0.8,
    relating: 0.9,
    polarity_temperature: 2.25,
};
/// Labels of a head that marks spans of one kind: outside, begins, goes on.
const SPAN: usize = 3;

/// Words of a name at most, hyphens counted: more are a clause.
const NAME_WORDS_MAX: usize = 8;

/// Words between two things.
const JOINING: [&str; 3] = ["and", "or", "but"];

/// Bytes read of a statement, more than its 256 tokens usually have.
const BYTES_MAX: usize = 4_096;

/// Reads statements with the built-in weights: 1.3 MB beside those of the sparse encoder, 22 MB
/// beside all-MiniLM-L6-v2. Some milliseconds a statement on one thread, over MiniLM some twenty;
/// only the first 256 tokens of it are read.
pub struct LanguageModel {
    name: &'static str,
    least: Least,
    trunk: Trunk,
    opinions: Opinions,
    facts: Facts,
    names: Names,
}

/// What is felt about what.
struct Opinions {
    tag: Head,
    role: Head,
    polarity: Head,
}

/// What is worth remembering of the speaker.
struct Facts {
    size: usize,
    slot: Head,
    lasting: Head,
    keep: Head,
    felt: Head,
}

/// What [`Facts`] reads in a statement.
struct Remembered {
    lasting: f32,
    values: Vec<SlotValue>,
    /// The chance that a feeling in the statement is worth remembering.
    keep: f32,
    /// The bytes of each word, and the chance that such a feeling is about it.
    felt: Vec<(Range<usize>, f32)>,
}

impl LanguageModel {
    /// The built-in model, with the built-in encoder's word table.
    ///
    /// # Errors
    /// [`LoadError`] if the program itself is damaged.
    pub fn built_in() -> Result<Self, LoadError> {
        let files = [
            shipped!("language-opinions.safetensors"),
            shipped!("language-facts.safetensors"),
            shipped!("language-names.safetensors"),
        ];
        let trunk = Trunk::load(stacks("", files, &[])?)?;
        Self::of("built-in language model", Least::default(), trunk)
    }

    /// The larger one, over layers of all-MiniLM-L6-v2, which it shares with the encoder: `None` if
    /// `encoder` is another one, or is not on the CPU.
    ///
    /// # Errors
    /// [`LoadError`] if the program itself is damaged.
    pub fn over(encoder: &SentenceEncoder) -> Result<Option<Self>, LoadError> {
        let stacks = || {
            let files = [
                shipped!("language-opinions-minilm.safetensors"),
                shipped!("language-facts-minilm.safetensors"),
                shipped!("language-names-minilm.safetensors"),
            ];
            stacks("-minilm", files, &OVER_MINILM)
        };
        let trunk = Trunk::over(encoder, LENT, stacks)?;
        let name = "language model over all-MiniLM-L6-v2";
        trunk.map(|it| Self::of(name, LEAST_MINILM, it)).transpose()
    }

    fn of(name: &'static str, least: Least, trunk: Trunk) -> Result<Self, LoadError> {
        Ok(Self {
            name,
            least,
            opinions: Opinions::of(&trunk)?,
            facts: Facts::of(&trunk)?,
            names: Names::of(&trunk, 2)?,
            trunk,
        })
    }
}

impl std::fmt::Debug for LanguageModel {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("LanguageModel").finish_non_exhaustive()
    }
}

impl Annotate for LanguageModel {
    fn name(&self) -> &'static str {
        self.name
    }

    fn annotate(&self, statements: &[Stated<'_>]) -> Result<Vec<Annotation>, EncodeError> {
        let start = |text| start_of(text, BYTES_MAX);
        let alone = statements.iter().map(|it| (start(it.text), None));
        let answers = statements.iter().filter(|it| it.question.is_some());
        let answers = answers.map(|it| (start(it.text), it.question.map(start)));
        let pairs: Vec<_> = alone.chain(answers).collect();
        let mut made = self.trunk.run(&pairs, |text, words, last| {
            (
                self.opinions.things(words, &last[0]),
                self.facts.read(words, &last[1]),
                self.names.read(text, words, &last[2]),
            )
        })?;
        // a question adds to what an answer says, and takes nothing from it
        let mut answers = made.split_off(statements.len()).into_iter();
        let each = statements.iter().zip(made).map(
            |(stated, (mut things, mut facts, (names, relating)))| {
                if stated.question.is_some()
                    && let Some((_, asked, _)) = answers.next()
                    && asked.lasting > facts.lasting
                {
                    facts = asked;
                }
                for thing in &mut things {
                    facts.weigh(stated.text, thing);
                }
                Annotation {
                    things,
                    lasting: facts.lasting,
                    values: facts.values,
                    names,
                    relating,
                    least: self.least,
                }
            },
        );
        let read: Vec<Annotation> = each.collect();
        let finite = |it: &Annotation| {
            let mut things = it.things.iter();
            it.lasting.is_finite() && things.all(|it| it.keep.is_finite())
        };
        match read.iter().position(|it| !finite(it)) {
            Some(index) => Err(EncodeError::NotFinite {
                encoder: self.name().to_owned(),
                index,
            }),
            None => Ok(read),
        }
    }
}

impl Opinions {
    fn of(trunk: &Trunk) -> Result<Self, LoadError> {
        Ok(Self {
            tag: trunk.head(0, "tokens.tag", 1, SPAN)?,
            role: trunk.head(0, "tokens.role", 1, 2)?,
            polarity: trunk.head(0, "tokens.polarity", 1, 3)?,
        })
    }

    fn things(&self, words: &Words, last: &[f32]) -> Vec<Thing> {
        let [tag, role, polarity] =
            [&self.tag, &self.role, &self.polarity].map(|it| it.chances(last));
        let places = spans(words, |token| likeliest(&tag, token, SPAN) > 0);
        let things = places.into_iter().map(|place| {
            let mean = |of: &[f32], labels: usize, label: usize| {
                let own = words[place.clone()]
                    .iter()
                    .map(|(at, _)| of[at * labels + label]);
                own.sum::<f32>() / place.len() as f32
            };
            Thing {
                bytes: bytes(words, &place),
                side: mean(&role, 2, 1),
                polarity: [0, 1, 2].map(|label| mean(&polarity, 3, label)),
                keep: 0.0,
            }
        });
        things.collect()
    }
}

impl Facts {
    fn of(trunk: &Trunk) -> Result<Self, LoadError> {
        Ok(Self {
            size: trunk.size(),
            slot: trunk.head(1, "tokens.slot", 1, 1 + 2 * Slot::ALL.len())?,
            lasting: trunk.head(1, "texts.lasting", 2, 2)?,
            keep: trunk.head(1, "texts.keep", 2, 2)?,
            felt: trunk.head(1, "tokens.felt", 1, 2)?,
        })
    }

    fn read(&self, words: &Words, last: &[f32]) -> Remembered {
        let whole = whole(last, self.size);
        let felt = self.felt.chances(last);
        let of_word = |(token, bytes): &(usize, Range<usize>)| (bytes.clone(), felt[2 * token + 1]);
        Remembered {
            lasting: self.lasting.chances(&whole)[1],
            values: self.values(words, last),
            keep: self.keep.chances(&whole)[1],
            felt: words.iter().map(of_word).collect(),
        }
    }

    fn values(&self, words: &Words, last: &[f32]) -> Vec<SlotValue> {
        let labels = 1 + 2 * Slot::ALL.len();
        let chances = self.slot.chances(last);
        // each slot has two labels: a value begins, or goes on
        let of_slot = |token: usize, kind: usize| {
            let both = [1, 2].map(|part| chances[token * labels + 2 * kind + part]);
            both[0] + both[1]
        };
        let places = spans(words, |token| likeliest(&chances, token, labels) > 0);
        let made = places.into_iter().map(|place| {
            let own = &words[place.clone()];
            // two values do not touch, so words that do are of the slot likeliest for all of them
            let sum = |kind: &usize| own.iter().map(|it| of_slot(it.0, *kind)).sum::<f32>();
            let kinds = 0..Slot::ALL.len();
            let kind = kinds.max_by(|a, b| sum(a).total_cmp(&sum(b)));
            let kind = kind.unwrap_or_default();
            SlotValue {
                slot: Slot::ALL[kind],
                bytes: bytes(words, &place),
                chance: own.iter().map(|it| of_slot(it.0, kind)).fold(1.0, f32::min),
            }
        });
        made.collect()
    }
}

impl Remembered {
    /// Widens a thing by the words beside it that the feeling is about too ("listening" to
    /// "listening to music"), up to the length of a name and not to a second thing. Gives it the
    /// chance to be worth remembering: that of the statement, if the feeling is about its words.
    fn weigh(&self, text: &str, thing: &mut Thing) {
        let words = &self.felt;
        let own =
            |it: &(Range<usize>, f32)| it.0.start < thing.bytes.end && it.0.end > thing.bytes.start;
        let (Some(first), Some(last)) = (words.iter().position(own), words.iter().rposition(own))
        else {
            return;
        };
        let about = |it: &&(Range<usize>, f32)| {
            let word = text.get(it.0.clone()).unwrap_or_default();
            let joins = JOINING.iter().any(|it| word.eq_ignore_ascii_case(it));
            let inside = word == "-" || word.starts_with(char::is_alphanumeric);
            it.1 > 0.5 && !joins && inside
        };
        let before = words[..first].iter().rev().take_while(about).count();
        let behind = words[last + 1..].iter().take_while(about).count();
        let mut named = first - before..=last + behind;
        if named.clone().count() > NAME_WORDS_MAX {
            named = first..=last;
        }
        thing.bytes = words[*named.start()].0.start..words[*named.end()].0.end;
        thing.keep = self.keep * words[named].iter().map(|it| it.1).fold(0.0, f32::max);
    }
}

/// The stacks of all tasks.
fn stacks(
    of: &str,
    files: [&'static [u8]; 3],
    more: &[(&'static str, &'static str)],
) -> Result<Vec<Weights>, LoadError> {
    let tasks = ["opinions", "facts", "names"].into_iter().zip(files);
    let open = |(task, bytes)| open(&format!("language-{task}{of}"), bytes, task, more);
    tasks.map(open).collect()
}

/// The weights of a task; their file says what they are, and `more`.
fn open(
    name: &str,
    bytes: &'static [u8],
    task: &'static str,
    more: &[(&'static str, &'static str)],
) -> Result<Weights, LoadError> {
    let expected = [
        ("format", "weir-language"),
        ("version", VERSION),
        ("task", task),
    ];
    Weights::built_in_as(name, bytes, &[&expected, more].concat())
}

/// At most so many bytes of a text, whole characters.
fn start_of(text: &str, bytes_max: usize) -> &str {
    let whole = (0..=bytes_max.min(text.len())).rev();
    let mut ends = whole.filter(|end| text.is_char_boundary(*end));
    &text[..ends.next().unwrap_or_default()]
}

/// The first token's vector, and the mean of all.
fn whole(last: &[f32], size: usize) -> Vec<f32> {
    let mut whole = last[..size].to_vec();
    whole.resize(2 * size, 0.0);
    let share = size as f32 / last.len() as f32;
    for token in last.chunks_exact(size) {
        let sums = whole[size..].iter_mut().zip(token);
        sums.for_each(|(sum, x)| *sum += x * share);
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(bytes: &[u8]) -> String {
        let bytes: &'static [u8] = bytes.to_vec().leak();
        let refused = open("language-facts", bytes, "facts", &[]).err();
        refused.expect("a refusal").to_string()
    }

    #[test]
    fn weights_of_something_else_are_refused_by_name() {
        let facts = shipped!("language-facts.safetensors");
        let other = refusal(shipped!("language-opinions.safetensors"));
        assert!(
            other.starts_with("language-facts: task is opinions, and only facts"),
            "{other}"
        );
        let version = b"\"version\":\"2\"";
        let at = facts.windows(version.len()).position(|it| it == version);
        let mut later = facts.to_vec();
        later[at.expect("a version") + version.len() - 2] = b'3';
        let later = refusal(&later);
        assert!(
            later.starts_with("language-facts: version is 3, and only 2"),
            "{later}"
        );
        let mut damaged = facts.to_vec();
        damaged[facts.len() / 2] ^= 1;
        assert!(refusal(&damaged).contains("not those of its checksum"));
        assert!(refusal(&facts[..1_000]).starts_with("language-facts"));
        let other = open("language-facts-minilm", facts, "facts", &OVER_MINILM).err();
        let other = other.expect("a refusal").to_string();
        assert!(
            other.starts_with("language-facts-minilm: over is missing, and only all-MiniLM"),
            "{other}"
        );
    }

    #[test]
    fn an_answer_is_read_with_its_question_as_in_training() {
        let golden = include_str!("../../../fixtures/golden/language-facts.json");
        let golden: serde_json::Value = serde_json::from_str(golden).expect("JSON");
        let model = LanguageModel::built_in().expect("the model");
        let items = golden["items"].as_array().expect("items").iter();
        let mut answers = 0;
        for item in items.filter(|it| !it["previous"].is_null()) {
            let pair = (
                item["text"].as_str().expect("a text"),
                item["previous"].as_str(),
            );
            let lasting =
                |_: &str, words: &Words, last: &[Vec<f32>]| model.facts.read(words, &last[1]);
            let read = model.trunk.run(&[pair], lasting).expect("read");
            let recorded = item["texts"]["lasting"][1].as_f64().expect("a chance");
            let off = recorded - f64::from(read[0].lasting);
            assert!(off.abs() < 1e-4, "{pair:?}: {off:e}");
            answers += 1;
        }
        assert!(answers > 0, "no text is recorded with a question");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(start_of("aéa", 2), "a");
        assert_eq!(start_of("aéa", 3), "aé");
        assert_eq!(start_of("", 3), "");
    }
}
