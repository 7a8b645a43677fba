//! A conversation with a memory: what each turn of its user asks for, and what earlier turns leave
//! open.
//!
//! It routes a turn (DAM-LLM 3.3.1: store, retrieve, both, neither), completes a question from the
//! turns before (User memory, "Query Creator"), and waits where memory asked back: for the person
//! who is meant, or for a yes before something is erased. It holds no memory and erases nothing by
//! itself. These rules are English; of a turn in another language its marks tell what it asks.

mod forgetting;
#[cfg(test)]
mod tests;

pub use forgetting::ForgetTarget;

use crate::answer::{Answer, AnswerKind, Premise, Recall};
use crate::session::Target;
use crate::text::{
    Demand, Route, TURNS_MAX, Turn, complete_question, corrected, display_words, is_question,
    is_same_word, languages, other_parts, question_in, sentences, without_possessive,
};
use std::collections::VecDeque;

/// Words of thanks and farewells.
const FAREWELLS: [&str; 10] = [
    "thanks", "thank", "you", "bye", "goodbye", "ok", "okay", "good", "night", "ciao",
];
/// Maximum number of names of which the conversation remembers who was meant.
const MEANT_MAX: usize = 16;
/// Turns that agree to an erasure, in lower case without punctuation.
const YES: [&str; 12] = [
    "yes", "y", "yes please", "yeah", "yep", "sure", "ok", "okay", "do it", "please do",
    "erase it", "erase them",
];
/// Turns that do not.
const NO: [&str; 10] = [
    "no", "n", "nope", "no thanks", "no thank you", "don't", "keep it", "keep them", "stop",
    "cancel",
];

/// What a turn asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// A question for memory.
    Ask {
        /// The question, with what it leaves to the turns before.
        question: String,
    },
    /// It asks to remember something: it is to be stored and pinned.
    Remember,
    /// It asks to forget this. Find it with [`Session::saying`](crate::session::Session::saying),
    /// ask the user, and say so with [`Conversation::confirm`].
    Forget(String),
    /// It asks to forget what the last turns were about: the targets, none if they were about
    /// nothing held. Ask the user first, as above.
    ForgetLast(Vec<Target>),
    /// It corrects what the user told last: store these words, and erase that.
    Correct {
        /// The words to store, as the turn has them.
        words: String,
        /// What the user told last; nothing where that was erased or nothing was told.
        last: Vec<Target>,
    },
    /// The user agreed: erase these.
    Erase(Vec<Target>),
    /// The user did not agree.
    Keep,
    /// Neither yes nor no: ask again.
    Unclear,
    /// It asks nothing: it is stored, and nothing is searched.
    Tell,
    /// Thanks or a farewell: there is nothing to store or to search.
    SmallTalk,
}

/// What the conversation waits for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Open {
    #[default]
    Nothing,
    /// Which of these people the name in the question means.
    Who {
        question: String,
        asked: String,
        people: Vec<String>,
    },
    /// A yes before these are erased.
    Erasure(Vec<Target>),
}

/// Who a name means in this conversation.
#[derive(Debug, Clone)]
struct Meant {
    asked: String,
    people: Vec<String>,
    person: String,
}

/// Whether a turn is thanks or a farewell alone.
fn is_farewell(text: &str) -> bool {
    let all = |lower: String| FAREWELLS.contains(&lower.as_str());
    display_words(text).next().is_some() && display_words(text).all(|it| all(it.to_lowercase()))
}

/// A conversation of one user with a memory.
#[derive(Debug, Clone)]
pub struct Conversation {
    user: String,
    /// Speakers and words of the last turns, at most [`TURNS_MAX`].
    turns: VecDeque<(Option<String>, String)>,
    /// At most [`MEANT_MAX`], the latest last.
    meant: VecDeque<Meant>,
    open: Open,
    /// What "that" is in "forget that".
    last: Vec<Target>,
    /// What the user told last.
    told: Vec<Target>,
}

impl Conversation {
    /// A conversation with a user, whom "I" and "my" refer to.
    #[must_use]
    pub fn new(user: impl Into<String>) -> Self {
        Self {
            user: user.into(),
            turns: VecDeque::new(),
            meant: VecDeque::new(),
            open: Open::Nothing,
            last: Vec::new(),
            told: Vec::new(),
        }
    }

    /// The name of the user.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// What a turn of the user asks for. Tell the conversation what became of it, with
    /// [`Self::answered`], [`Self::stored`] or [`Self::confirm`]. Cost: linear in the text, some
    /// tens of microseconds a sentence.
    pub fn turn(&mut self, text: &str) -> Intent {
        match std::mem::take(&mut self.open) {
            Open::Erasure(targets) => return self.confirmed(text, targets),
            Open::Who {
                question,
                asked,
                people,
            } => {
                if let Some(person) = chosen(text, &asked, &people) {
                    let question = replaced(&question, &asked, &person);
                    self.remember_who(asked, people, person);
                    return self.asks(question);
                }
            }
            Open::Nothing => {}
        }
        if !self.is_english(text) {
            return in_another_language(text);
        }
        if let Some(words) = corrected(text) {
            return Intent::Correct {
                words: words.to_owned(),
                last: std::mem::take(&mut self.told),
            };
        }
        let route = Route::of(text);
        match route.demand {
            Some(Demand::Remember(_)) => Intent::Remember,
            Some(Demand::Forget(about)) if is_that(about) => {
                Intent::ForgetLast(std::mem::take(&mut self.last))
            }
            Some(Demand::Forget(about)) if is_last(about) => {
                Intent::ForgetLast(std::mem::take(&mut self.told))
            }
            Some(Demand::Forget(about)) => Intent::Forget(about.to_owned()),
            None if route.retrieve => self.asks(question_in(text).into_owned()),
            // "And Bob?" alone asks nothing
            None if text.trim_end().ends_with('?') && self.completed(text).is_some() => {
                self.asks(text.to_owned())
            }
            None if is_farewell(text) => Intent::SmallTalk,
            None => Intent::Tell,
        }
    }

    /// Whether a turn is English, or too short to tell after turns that are.
    fn is_english(&self, text: &str) -> bool {
        let before = self.turns.iter();
        let before = before.map(|(speaker, said)| (speaker.as_deref(), said.as_str()));
        let all = languages(before.chain([(Some(self.user.as_str()), text)]));
        all.last().is_none_or(|language| language.is_english())
    }

    fn confirmed(&mut self, text: &str, targets: Vec<Target>) -> Intent {
        let said = text.replace('’', "'").to_lowercase();
        let said: Vec<&str> = display_words(&said).collect();
        let said = said.join(" ");
        if YES.contains(&&*said) {
            return Intent::Erase(targets);
        }
        if NO.contains(&&*said) {
            return Intent::Keep;
        }
        self.open = Open::Erasure(targets);
        Intent::Unclear
    }

    /// The question with what it leaves to the turns before; `None` if it leaves nothing.
    fn completed(&self, question: &str) -> Option<String> {
        let turns = self.turns.iter().map(|(speaker, text)| Turn {
            speaker: speaker.as_deref(),
            text,
        });
        complete_question(question, &turns.collect::<Vec<_>>())
    }

    /// A question to memory, completed, and with the people meant.
    fn asks(&mut self, question: String) -> Intent {
        let mut whole = self.completed(&question).unwrap_or(question);
        for who in &self.meant {
            let clear = who
                .people
                .iter()
                .any(|name| is_named(&whole, name, &who.asked));
            if !clear {
                whole = replaced(&whole, &who.asked, &who.person);
            }
        }
        Intent::Ask { question: whole }
    }

    /// Takes down the answer to a question of [`Intent::Ask`].
    pub fn answered(&mut self, question: &str, answer: &Answer, recall: &Recall) {
        if let (AnswerKind::AskBack, Some(Premise::Ambiguous { asked, people })) =
            (answer.kind, &recall.reading.premise)
        {
            self.open = Open::Who {
                question: question.to_owned(),
                asked: asked.clone(),
                people: people.clone(),
            };
            return;
        }
        self.said(Some(self.user.clone()), question.to_owned());
        let best = answer.citations.first();
        let best = best.filter(|_| answer.kind.is_answered());
        // what a later "he" or "there" may stand for
        if let Some((quote, it)) = best.and_then(|it| Some((it.quote.clone()?, it))) {
            self.said(it.evidence.speaker.clone(), quote);
        }
        let targets = best.map(|it| Target::Utterance {
            stream: it.evidence.stream.clone(),
            id: it.evidence.utterance.clone(),
        });
        self.last = targets.into_iter().collect();
    }

    /// Takes down that a turn was stored as this utterance.
    pub fn stored(&mut self, text: &str, stream: &str, id: &str) {
        self.said(Some(self.user.clone()), text.to_owned());
        self.told = vec![Target::Utterance {
            stream: stream.to_owned(),
            id: id.to_owned(),
        }];
        self.last.clone_from(&self.told);
    }

    /// The user was asked whether to erase these; the next turn decides.
    pub fn confirm(&mut self, targets: Vec<Target>) {
        self.open = Open::Erasure(targets);
    }

    fn said(&mut self, speaker: Option<String>, text: String) {
        if self.turns.len() == TURNS_MAX {
            self.turns.pop_front();
        }
        self.turns.push_back((speaker, text));
    }

    fn remember_who(&mut self, asked: String, people: Vec<String>, person: String) {
        self.meant.retain(|it| it.asked != asked);
        if self.meant.len() == MEANT_MAX {
            self.meant.pop_front();
        }
        self.meant.push_back(Meant {
            asked,
            people,
            person,
        });
    }
}

/// What a turn asks for whose words no rule reads: its questions, and the rest is told.
fn in_another_language(text: &str) -> Intent {
    let mut asked = sentences(text);
    asked.retain(|it| is_question(it));
    match asked.is_empty() {
        true => Intent::Tell,
        false => Intent::Ask {
            question: asked.join(" "),
        },
    }
}

/// "Forget that", "forget this please".
fn is_that(about: &str) -> bool {
    let words: Vec<String> = display_words(about).map(str::to_lowercase).collect();
    matches!(&words[..], [word] if ["that", "this", "it"].contains(&&**word))
}

/// "The last thing I said", "what I just told you", "my last message": not "said last week".
fn is_last(about: &str) -> bool {
    let words: Vec<String> = display_words(about).map(str::to_lowercase).collect();
    let after = |at: usize| words.get(at + 1).map_or("", String::as_str);
    let own = words.iter().any(|word| word == "i" || word == "my");
    own && words.iter().enumerate().any(|(at, word)| match &**word {
        "last" => matches!(
            after(at),
            "" | "thing" | "bit" | "message" | "sentence" | "statement" | "line" | "one"
        ),
        "just" => matches!(after(at), "said" | "told"),
        _ => false,
    })
}

/// The only one of the people whom the text names by another name than the one they share.
fn chosen(text: &str, asked: &str, people: &[String]) -> Option<String> {
    let mut named = people.iter().filter(|name| is_named(text, name, asked));
    let first = named.next()?;
    named.next().is_none().then(|| first.clone())
}

/// Whether the text has a part of this name other than `shared`.
fn is_named(text: &str, name: &str, shared: &str) -> bool {
    let in_text =
        |part| display_words(text).any(|word| is_same_word(without_possessive(word), part));
    other_parts(name, shared).any(in_text)
}

/// The text with the name in the place of the word that stands for it.
fn replaced(text: &str, word: &str, name: &str) -> String {
    let found = display_words(text).find(|it| without_possessive(it) == word);
    let Some(found) = found else {
        return text.to_owned();
    };
    // words are slices of the text, so pointer distance gives the byte offset
    let at = found.as_ptr() as usize - text.as_ptr() as usize;
    format!("{}{name}{}", &text[..at], &text[at + word.len()..])
}
