//! The three systems of the User memory paper (4.2), and what each hands to the responder.
//!
//! Weir is used as a program embeds it: a `Memory` hears user and assistant, distils before each
//! question as `chat` does, and `ask` hands over a context that begins with the asker's profile. As
//! in the paper (3.3), the last turns stand beside it in the prompt.

use super::dialogue::Turn;
use anyhow::{Result, bail};
use std::sync::Arc;
use weir_core::answer::Quote;
use weir_core::ask::{AskContext, AskedText, ContextFrom, ask};
use weir_engine::Memory;
use weir_engine::Utterance;
use weir_models::Encode;

/// Turns in the buffer of the paper's baseline.
pub(super) const BUFFER: usize = 4;
/// The speaker of replies.
const ASSISTANT: &str = "Assistant";

/// A way to remember.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Nothing.
    Stateless,
    /// The last four turns.
    Buffer,
    /// Weir's memory, and the last four turns.
    Weir,
}

/// All of them.
pub(crate) const KINDS: [Kind; 3] = [Kind::Stateless, Kind::Buffer, Kind::Weir];

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stateless => "stateless",
            Self::Buffer => "buffer-4",
            Self::Weir => "weir",
        }
    }

    /// The system of a name.
    pub(crate) fn named(name: &str) -> Result<Self> {
        match KINDS.into_iter().find(|kind| kind.name() == name) {
            Some(kind) => Ok(kind),
            None => bail!("no system is called `{name}`: stateless, buffer-4, weir"),
        }
    }
}

/// Settings of Weir.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) encoder: Arc<dyn Encode>,
    pub(crate) budget_tokens: usize,
    pub(crate) context_tokens: usize,
    /// Tokens of the asker's profile handed to every question.
    pub(crate) profile_tokens: usize,
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
            Kind::Buffer | Kind::Weir => self.history(BUFFER, BUFFER),
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
    pub(super) fn hear(&mut self, turn: &Turn, reply: Option<String>) -> Result<()> {
        if let Some((memory, _)) = &mut self.memory {
            if let Some((name, at)) = &turn.begins {
                memory.begin(name.clone(), *at)?;
            }
            let user = Utterance::new(self.user.as_str(), turn.text.as_str());
            let reply = reply.as_deref().map(|it| Utterance::new(ASSISTANT, it));
            let spoken = |it: &Utterance| it.text.contains(char::is_alphanumeric);
            memory.hear_all(std::iter::once(user).chain(reply).filter(spoken))?;
        }
        self.said.push((turn.text.clone(), reply));
        Ok(())
    }

    /// The last turns as lines, the last `replied` of them with their replies.
    pub(super) fn history(&self, turns: usize, replied: usize) -> String {
        let mut lines = String::new();
        let count = self.said.len();
        let said = self.said.iter().enumerate();
        for (at, (text, reply)) in said.skip(count.saturating_sub(turns)) {
            lines.push_str(&format!("User: {}\n", one_line(text)));
            if let Some(reply) = reply.as_ref().filter(|_| at + replied >= count) {
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
                ..Turn::default()
            };
            system
                .hear(&turn, Some("I see.".to_owned()))
                .expect("heard");
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

    #[test]
    fn older_turns_of_a_history_lose_their_replies() {
        let history = system(Kind::Buffer).history(usize::MAX, 1);
        assert_eq!(history.lines().count(), 6);
        assert!(history.ends_with("User: Sun.\nAssistant: I see.\n"));
    }

    #[test]
    fn systems_go_by_name() {
        for kind in KINDS {
            assert_eq!(Kind::named(kind.name()).expect("known"), kind);
        }
        let error = Kind::named("rag").expect_err("unknown").to_string();
        assert!(error.contains("`rag`") && error.contains("buffer-4"));
    }
}
