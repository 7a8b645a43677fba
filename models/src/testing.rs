//! A scripted generator for tests, and a reader of a few plain sentences.

use crate::annotate::{
    Annotate, Annotation, Name, NameKind, Relating, Slot, SlotValue, Stated, Thing,
};
use crate::encode::{Encode, EncodeError, WithLanguage};
use crate::generate::{Ended, Flow, Generate, GenerateError, Generated, Request};
use crate::word_hash::WordHashEncoder;
use std::sync::{Arc, Mutex, PoisonError};

type Say = dyn FnMut(&Request) -> Result<String, String> + Send;

/// Returns what a closure makes of each request, word by word, and records the requests. Clones
/// share their state.
#[derive(Clone)]
pub struct Says {
    say: Arc<Mutex<Say>>,
    asked: Arc<Mutex<Vec<Request>>>,
}

impl Says {
    /// Replies with the closure's text, or fails with its error.
    pub fn with(say: impl FnMut(&Request) -> Result<String, String> + Send + 'static) -> Self {
        Self {
            say: Arc::new(Mutex::new(say)),
            asked: Arc::default(),
        }
    }

    /// Gives the same reply to every request.
    #[must_use]
    pub fn new(reply: &str) -> Self {
        let reply = reply.to_owned();
        Self::with(move |_| Ok(reply.clone()))
    }

    /// Fails on every request.
    #[must_use]
    pub fn failing(reason: &str) -> Self {
        let reason = reason.to_owned();
        Self::with(move |_| Err(reason.clone()))
    }

    /// The requests so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Request> {
        let asked = self.asked.lock();
        asked.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Generate for Says {
    fn name(&self) -> &'static str {
        "script"
    }

    fn context_tokens(&self) -> usize {
        4_096
    }

    fn generate(
        &mut self,
        request: &Request,
        on_piece: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        let asked = self.asked.lock();
        asked
            .unwrap_or_else(PoisonError::into_inner)
            .push(request.clone());
        let mut say = self.say.lock().unwrap_or_else(PoisonError::into_inner);
        let text = say(request).map_err(|reason| GenerateError::Failed {
            model: self.name().into(),
            reason,
        })?;
        let mut said = String::new();
        for piece in text.split_inclusive(' ') {
            if on_piece(piece) == Flow::Stop {
                break;
            }
            said.push_str(piece);
        }
        Ok(Generated {
            ended: match said.len() == text.len() {
                true => Ended::Done,
                false => Ended::Stopped,
            },
            prompt_tokens: 100,
            reused_tokens: 0,
            reply_tokens: text.split(' ').count(),
            text: said,
        })
    }
}

/// Reads sentences of a few fixed forms with certainty, and finds nothing in others: "I love tea.",
/// "I hate tea.", "The tea is wonderful.", "The tea is awful.", "I live in Rome.", "I moved to
/// Rome.", "I work as a nurse.", "I work at Siemens.", "I have two dogs."
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainReader;

impl PlainReader {
    /// An encoder of hashed words, with this reader.
    #[must_use]
    pub fn with_words() -> Arc<dyn Encode> {
        let words = Arc::new(WordHashEncoder::new());
        Arc::new(WithLanguage::new(words, Arc::new(Self)))
    }
}

/// Feelings for what follows.
const LIKING: [(&str, f32); 4] = [
    ("I love ", 1.0),
    ("I like ", 1.0),
    ("I hate ", 0.0),
    ("I don't like ", 0.0),
];
/// Feelings for what stands before.
const JUDGING: [(&str, f32); 4] = [
    (" is wonderful", 1.0),
    (" is great", 1.0),
    (" is awful", 0.0),
    (" is terrible", 0.0),
];
/// Values of slots that follow.
const TELLING: [(&str, Slot); 9] = [
    ("I live in ", Slot::Home),
    ("I no longer live in ", Slot::Home),
    ("I moved to ", Slot::Home),
    ("I work as a ", Slot::Work),
    ("I work at ", Slot::Employer),
    ("I work for ", Slot::Employer),
    ("I no longer work at ", Slot::Employer),
    ("My phone number is ", Slot::Phone),
    ("My partner is ", Slot::Partner),
];

impl Annotate for PlainReader {
    fn name(&self) -> &'static str {
        "plain reader"
    }

    fn annotate(&self, statements: &[Stated<'_>]) -> Result<Vec<Annotation>, EncodeError> {
        Ok(statements.iter().map(|it| plain(it.text)).collect())
    }
}

/// Names are words with a capital that do not begin the text, of places after "in" and "to" and of
/// people elsewhere, and "My" with its noun; the verb before "in" and "to" relates.
fn named(text: &str, read: &mut Annotation) {
    let start_of = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let words: Vec<&str> = text.split([' ', '.', ',', '!', '?']).collect();
    let place = |from: &str, to: &str| start_of(from)..start_of(to) + to.len();
    let name = |kind, bytes| Name {
        kind,
        bytes,
        chance: 0.9,
    };
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).map_or("", |before| words[before]);
        let capital = word.starts_with(|it: char| it.is_uppercase()) && *word != "I";
        if *word == "My" && at + 1 < words.len() {
            let bytes = place(word, words[at + 1]);
            read.names.push(name(NameKind::Person, bytes));
        } else if capital && at > 1 && ["in", "to"].contains(&before) {
            read.names.push(name(NameKind::Place, place(word, word)));
            read.relating.push(Relating {
                bytes: place(words[at - 2], before),
                chance: 0.9,
            });
        } else if capital && at > 0 {
            let bytes = place(word, word);
            match read.names.last_mut() {
                // "Carla Reis", but not "My sister Carla"
                Some(last) if last.bytes.end + 1 == bytes.start && words[at - 2] != "My" => {
                    last.bytes.end = bytes.end;
                }
                _ => read.names.push(name(NameKind::Person, bytes)),
            }
        }
    }
}

fn plain(text: &str) -> Annotation {
    let mut read = Annotation::default();
    // "remember that I live in Rome"
    let from = text.find("I ").or_else(|| text.find("My ")).unwrap_or(0);
    let end = text.trim_end_matches(['.', '!', '?']).len();
    let felt = |bytes, positive: f32| Thing {
        bytes,
        side: 0.0,
        polarity: [0.9 * positive, 0.9 * (1.0 - positive), 0.1],
        keep: 0.99,
    };
    let after = |words: &str| {
        let start = from + words.len();
        (text[from..].starts_with(words) && start < end).then_some(start..end)
    };
    for (words, positive) in LIKING {
        read.things
            .extend(after(words).map(|it| felt(it, positive)));
    }
    for (words, positive) in JUDGING {
        read.things
            .extend(text.find(words).map(|to| felt(0..to, positive)));
    }
    for (words, slot) in TELLING {
        read.values.extend(after(words).map(|bytes| SlotValue {
            slot,
            bytes,
            chance: 0.9,
        }));
    }
    named(text, &mut read);
    let lasts = !read.values.is_empty() || after("I have ").is_some();
    read.lasting = if lasts { 0.99 } else { 0.0 };
    read
}
