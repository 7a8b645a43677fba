//! Finds what a user asks to forget.

use crate::analysis::Term;
use crate::memory::Node;
use crate::session::{Session, Target};
use crate::stream::Utterance;
use crate::text::{ClaimFeatures, content_words, is_question, terms};
use std::collections::HashSet;

/// Words of a request to forget that are not what was said: "everything Bob told you about Rome".
const OF_THE_REQUEST: [&str; 22] = [
    "everything", "anything", "all", "something", "things", "thing", "stuff", "said", "say",
    "says", "told", "tell", "tells", "mentioned", "mention", "talked", "talk", "spoke", "know",
    "knew", "heard", "fact",
];

/// Something held that says what is to be forgotten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgetTarget {
    /// What to erase.
    pub target: Target,
    /// Who said it.
    pub speaker: Option<String>,
    /// The words held; key words where memory holds no more.
    pub text: String,
    /// Session time when it was said, in milliseconds.
    pub said_ms: u64,
    /// The wall time, if it is known.
    pub said_at_unix_ms: Option<i64>,
}

impl Session {
    /// Everything held that says this, in the order said: statements, raw talk, and facts of
    /// profiles, that have each of its content words in some form. "I" and "my" mean that `user`
    /// said it; the name of a speaker, that this speaker did or that it is named. A question with
    /// these words alone says nothing of what is asked, so it is not among them. Empty where
    /// `about` has no content word. Cost: O(N).
    #[must_use]
    pub fn saying(&self, about: &str, user: &str) -> Vec<ForgetTarget> {
        let wanted = Wanted::read(about, user);
        if wanted.terms.is_empty() {
            return Vec::new();
        }
        let mut found = self.held_where(
            |slot, unit| {
                let words = self.tree().index().words().document(slot);
                let speaker = unit.speaker.as_deref();
                wanted.is_in(speaker, words)
                    && !(wanted.has_all_of(speaker, words) && unit.traits().question)
            },
            |said| {
                let (speaker, words) = (said.speaker.as_deref(), terms(&said.text));
                wanted.is_in(speaker, &words)
                    && !(wanted.has_all_of(speaker, &words) && is_question(&said.text))
            },
        );
        self.add_facts(&wanted, &mut found);
        found
    }

    /// What is held of these utterances, in the order said.
    #[must_use]
    pub fn said_in(&self, utterances: &[Target]) -> Vec<ForgetTarget> {
        let wanted = |stream: &str, utterance: &str| {
            utterances.iter().any(|it| {
                matches!(it, Target::Utterance { stream: s, id } if s == stream && id == utterance)
            })
        };
        self.held_where(
            |_, unit| {
                let mut evidence = unit.evidence.iter();
                evidence.any(|it| wanted(&it.stream, &it.utterance))
            },
            |said| wanted(&said.stream, &said.id),
        )
    }

    /// The units, and the raw talk that is in none of them, in the order said.
    fn held_where(
        &self,
        is_unit: impl Fn(u32, &Node) -> bool,
        is_raw: impl Fn(&Utterance) -> bool,
    ) -> Vec<ForgetTarget> {
        let tree = self.tree();
        let units = (0..tree.slots() as u32).filter_map(|slot| {
            let unit = tree.unit_at(slot)?;
            is_unit(slot, unit).then_some(unit)
        });
        let units: Vec<&Node> = units.collect();
        let proofs = units.iter().flat_map(|unit| &unit.evidence);
        let stated: HashSet<(&str, &str)> =
            proofs.map(|it| (&*it.stream, &*it.utterance)).collect();
        let units = units.iter().map(|unit| ForgetTarget {
            target: Target::Node(unit.id),
            speaker: unit.speaker.clone(),
            text: unit.text.clone(),
            said_ms: unit.said_ms,
            said_at_unix_ms: unit.evidence.first().and_then(|it| it.said_at_unix_ms),
        });
        // leading context is in the tree already
        let raw = self.buffer().raw().filter(|it| {
            let said = &it.utterance;
            is_raw(said) && !stated.contains(&(&*said.stream, &*said.id))
        });
        let raw = raw.map(|heard| ForgetTarget {
            target: Target::Utterance {
                stream: heard.utterance.stream.clone(),
                id: heard.utterance.id.clone(),
            },
            speaker: heard.utterance.speaker.clone(),
            text: heard.utterance.text.clone(),
            said_ms: heard.session_ms,
            said_at_unix_ms: heard.said_at_unix_ms,
        });
        let mut found: Vec<ForgetTarget> = units.chain(raw).collect();
        found.sort_by_key(|it| it.said_ms);
        found
    }

    /// Stream and id of the utterances that state what a target says.
    fn stated_in(&self, target: &Target) -> Vec<(&str, &str)> {
        match target {
            Target::Node(id) => {
                let evidence = self
                    .tree()
                    .node(*id)
                    .into_iter()
                    .flat_map(|it| &it.evidence);
                evidence.map(|it| (&*it.stream, &*it.utterance)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Adds facts whose statements were not found.
    fn add_facts(&self, wanted: &Wanted, found: &mut Vec<ForgetTarget>) {
        for fact in self.profiles().facts() {
            let sentence = fact.value.clone();
            let known = || {
                let stated = found.iter().flat_map(|it| self.stated_in(&it.target));
                let stated: Vec<(&str, &str)> = stated.collect();
                let mut evidence = fact.evidence.iter();
                evidence.all(|it| stated.contains(&(&*it.stream, &*it.utterance)))
            };
            if wanted.is_in(fact.speaker.as_deref(), &terms(&sentence)) && !known() {
                found.push(ForgetTarget {
                    target: Target::Fact(fact.id),
                    speaker: fact.speaker.clone(),
                    text: sentence,
                    said_ms: fact.from_ms,
                    said_at_unix_ms: fact.evidence.first().and_then(|it| it.said_at_unix_ms),
                });
            }
        }
    }
}

/// What is to be forgotten, as the words of a statement that says it.
struct Wanted {
    terms: Vec<Term>,
    /// Who must have said it.
    by: Option<String>,
}

impl Wanted {
    fn read(about: &str, user: &str) -> Self {
        let words = content_words(about).filter(|word| !OF_THE_REQUEST.contains(&&**word));
        let words: Vec<String> = words.collect();
        let own = ClaimFeatures::of(about).first_person;
        Self {
            terms: terms(&words.join(" ")),
            by: own.then(|| user.to_owned()),
        }
    }

    /// Whether a statement has no other words than these and its speaker's name.
    fn has_all_of(&self, speaker: Option<&str>, said: &[Term]) -> bool {
        let named = terms(speaker.unwrap_or_default());
        let known = |term| self.terms.contains(term) || named.contains(term);
        said.iter().all(known)
    }

    /// Whether a statement has all words; its speaker's name counts as said.
    fn is_in(&self, speaker: Option<&str>, said: &[Term]) -> bool {
        let speaker = speaker.unwrap_or_default();
        let by = self.by.as_deref().is_none_or(|by| by == speaker);
        let named = terms(speaker);
        by && self
            .terms
            .iter()
            .all(|term| said.contains(term) || named.contains(term))
    }
}
