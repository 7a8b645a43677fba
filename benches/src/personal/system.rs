//! The three systems of the User memory paper (4.2), and what each hands to the responder.
//!
//! Weir is used as a program embeds it: a `Memory` hears user and assistant, distils before each
//! question as `chat` does, and `ask` hands over a context that begins with the asker's profile. As
//! in the paper (3.3), the last turns stand beside it in the prompt.

use super::dialogue::Turn;
use anyhow::Result;
use std::sync::Arc;
use weir_core::answer::Quote;
use weir_core::ask::{AskContext, AskedText, ContextFrom, ask};
use weir_core::profile::ProfileFact;
use weir_engine::Memory;
use weir_engine::Utterance;
use weir_models::Encode;

/// Turns in the buffer of the paper's baseline.
const BUFFER: usize = 4;
/// The speaker of replies.
const ASSISTANT: &str = "Assistant";

/// A way to remember.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Nothing.
    Stateless,
    /// The last four turns.
    Buffer,
    /// Weir's memory, and the last four turns.
    Weir,
}

/// All of them.
pub(super) const KINDS: [Kind; 3] = [Kind::Stateless, Kind::Buffer, Kind::Weir];

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Stateless => "stateless",
            Self::Buffer => "buffer-4",
            Self::Weir => "weir",
        }
    }
}

/// Settings of Weir.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) encoder: Arc<dyn Encode>,
    pub(super) budget_tokens: usize,
    pub(super) context_tokens: usize,
    /// Tokens of the asker's profile handed to every question.
    pub(super) profile_tokens: usize,
}

/// What a system hands to the responder.
#[derive(Debug, Default)]
pub(super) struct Handed {
    /// What memory gives, as lines.
    pub(super) memory: String,
    /// The last turns, as lines.
    pub(super) history: String,
}

/// One system in one dialogue.
pub(super) struct System {
    pub(super) kind: Kind,
    user: String,
    /// What the user said and the system replied, all of it; systems are handed parts.
    said: Vec<(String, Option<String>)>,
    memory: Option<(Memory, Settings)>,
}

impl System {
    pub(super) fn new(kind: Kind, user: &str, settings: &Settings) -> Result<Self> {
        let memory = || -> Result<_> {
            let memory = Memory::builder_with(Arc::clone(&settings.encoder))
                .budget_tokens(settings.budget_tokens)
                .in_memory()?;
            Ok((memory, settings.clone()))
        };
        Ok(Self {
            kind,
            user: user.to_owned(),
            said: Vec::new(),
            memory: (kind == Kind::Weir).then(memory).transpose()?,
        })
    }

    /// What the system hands over for a turn that is not heard yet.
    pub(super) fn hand(&mut self, turn: &str) -> Result<Handed> {
        let history = match self.kind {
            Kind::Stateless => String::new(),
            Kind::Buffer | Kind::Weir => self.history(),
        };
        let memory = match &mut self.memory {
            None => String::new(),
            Some((memory, settings)) => {
                // profiles are made of blocks that are distilled
                memory.flush()?;
                let mut context = AskContext {
                    encoder: settings.encoder.as_ref(),
                    index: None,
                    fact_index: None,
                    transcript: None,
                    context_from: ContextFrom::default(),
                    profile_tokens: settings.profile_tokens,
                    character: None,
                    reranker: None,
                    answerer: &mut Quote,
                };
                let asked = AskedText {
                    text: turn,
                    asked_by: Some(&self.user),
                };
                let tokens = settings.context_tokens;
                let asked = ask(memory.session(), &mut context, asked, tokens, &mut ())?;
                asked.recall.context.text
            }
        };
        Ok(Handed { memory, history })
    }

    /// Takes in a turn with its reply.
    pub(super) fn hear(&mut self, turn: &Turn) -> Result<()> {
        if let Some((memory, _)) = &mut self.memory {
            if let Some((name, at)) = &turn.begins {
                memory.begin(name.clone(), *at)?;
            }
            let user = Utterance::new(self.user.as_str(), turn.text.as_str());
            let reply = turn.reply.as_deref();
            let reply = reply.map(|it| Utterance::new(ASSISTANT, it));
            let spoken = |it: &Utterance| it.text.contains(char::is_alphanumeric);
            memory.hear_all(std::iter::once(user).chain(reply).filter(spoken))?;
        }
        self.said.push((turn.text.clone(), turn.reply.clone()));
        Ok(())
    }

    /// The facts of profiles as lines; `None` without a memory.
    pub(super) fn profile(&mut self) -> Result<Option<String>> {
        let Some((memory, _)) = &mut self.memory else {
            return Ok(None);
        };
        memory.flush()?;
        let facts = memory.session().profiles().facts().iter();
        let held = facts.filter(|fact| fact.holds());
        let lines: Vec<String> = held.map(ProfileFact::sentence).collect();
        Ok(Some(lines.join("\n")))
    }

    /// The last turns as lines, with their replies.
    fn history(&self) -> String {
        let mut lines = String::new();
        for (text, reply) in &self.said[self.said.len().saturating_sub(BUFFER)..] {
            lines.push_str(&format!("User: {}\n", one_line(text)));
            if let Some(reply) = reply {
                lines.push_str(&format!("{ASSISTANT}: {}\n", one_line(reply)));
            }
        }
        lines
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::WordHashEncoder;

    fn system(kind: Kind) -> System {
        let settings = Settings {
            encoder: Arc::new(WordHashEncoder::new()),
            budget_tokens: 8_192,
            context_tokens: 400,
            profile_tokens: 100,
        };
        let mut system = System::new(kind, "Ana", &settings).expect("made");
        let said = ["I live in Porto.", "Rain.", "Wind.", "Snow today.", "Sun."];
        for text in said {
            let turn = Turn {
                text: text.to_owned(),
                reply: Some("I see.".to_owned()),
                ..Turn::default()
            };
            system.hear(&turn).expect("heard");
        }
        system
    }

    #[test]
    fn each_system_hands_over_its_own() {
        let handed = |kind| system(kind).hand("Where do I live?").expect("handed");
        let nothing = handed(Kind::Stateless);
        assert!(nothing.memory.is_empty() && nothing.history.is_empty());
        let last = handed(Kind::Buffer);
        assert!(last.memory.is_empty() && last.history.starts_with("User: Rain.\nAssistant: "));
        assert_eq!(last.history.lines().count(), 8);
        let weir = handed(Kind::Weir);
        assert_eq!(weir.history, last.history);
        let profile = "## Profile:\nAna: I live in Porto.\n";
        assert!(weir.memory.starts_with(profile), "{}", weir.memory);
    }
}
