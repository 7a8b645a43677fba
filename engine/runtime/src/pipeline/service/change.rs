//! Changes of a session that a client can ask for, beside hearing.

use crate::pipeline::driving::session_writer::SessionWriter;
use crate::pipeline::error::PipelineError;
use crate::pipeline::service::error::ServiceError;
use crate::time::{TimeError, zone_named};
use std::sync::Arc;
use weir_api::{Changed, Held, Named};
use weir_core::driver::{Driver, InputSink as _};
use weir_core::memory::NodeId;
use weir_core::profile::{FactId, ProfileChange};
use weir_core::session::{Budgets, Erasure, Input, InputError, Session, SpeakerChange, Target};
use weir_core::sources::Source;
use weir_core::stream::StreamStart;
use weir_core::transcript::Transcript;
use weir_models::Encode;

/// A change of a session. Each is carried out as a whole or not at all.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A stream begins: alone, so that all others end, or beside those that are open.
    Begin(StreamStart),
    /// The open stream of this name ends.
    End(String),
    /// A stream pauses.
    Pause {
        /// Its name; `None` for the only open stream.
        stream: Option<String>,
        /// Wall time when it resumes, in Unix milliseconds.
        resumes_at_unix_ms: Option<i64>,
    },
    /// Distils what waits. Send it at the end of a conversation.
    Flush,
    /// Units are pinned or unpinned.
    Pin {
        /// The units.
        nodes: Vec<NodeId>,
        /// Whether they are pinned from now on.
        pinned: bool,
    },
    /// The words of a unit are edited.
    Edit {
        /// The unit.
        node: NodeId,
        /// The new words.
        text: String,
        /// The words that it must have until now; `None` for any.
        was: Option<String>,
    },
    /// Facts of profiles are pinned or unpinned.
    PinFacts {
        /// The facts.
        facts: Vec<FactId>,
        /// Whether they are pinned from now on.
        pinned: bool,
    },
    /// The value of a fact is edited.
    EditFact {
        /// The fact.
        fact: FactId,
        /// The new value.
        value: String,
    },
    /// New budgets.
    Budget(Budgets),
    /// The name of a speaker changes, also in what was said before.
    Speaker(SpeakerChange),
    /// A source is added; made by [`Source::of`] with the session's encoder.
    AddSource(Box<Source>),
    /// A source is removed and erased from every file.
    RemoveSource(String),
    /// Everything that traces back to these is erased, also from every file.
    Erase(Vec<Target>),
}

/// What a change names.
enum Subject {
    Node(NodeId),
    Fact(FactId),
    Source(String),
}

impl Subject {
    /// Its name and the words it has.
    fn now(&self, session: &Session) -> Named {
        let (id, said) = match self {
            Self::Node(id) => {
                let said = session.tree().node(*id).map(|node| node.rendered());
                (id.to_string(), said)
            }
            Self::Fact(id) => {
                let said = session.profiles().fact(*id).map(|it| it.value.clone());
                (id.to_string(), said)
            }
            Self::Source(name) => {
                let source = session.sources().named(name).map(Source::to_string);
                (name.clone(), source)
            }
        };
        let text = said.unwrap_or_default();
        Named { id, text }
    }
}

/// What a session holds.
fn held(session: &Session) -> Held {
    let (tree, config) = (session.tree(), session.config());
    Held {
        tokens: session.text_tokens(),
        budget_tokens: config.budget_tokens,
        bytes: tree.held_bytes(),
        budget_bytes: config.budget_bytes,
        nodes: tree.len(),
        budget_nodes: config.budget_nodes,
        key_nodes: tree.nodes().filter(|node| node.is_key()).count(),
        transcript_bytes: config.transcript_bytes,
        source_tokens: session.sources().tokens(),
    }
}

/// A change as inputs of the session.
pub(super) struct Prepared {
    inputs: Vec<Input>,
    subjects: Vec<Subject>,
    /// Set if words leave the files.
    erasure: Option<Erasure>,
}

/// A stream begins, if its time zone exists.
fn begun(start: StreamStart) -> Result<Input, TimeError> {
    start.zone.as_deref().map(zone_named).transpose()?;
    Ok(Input::Begin(start))
}

fn paused(stream: Option<String>, resumes_at_unix_ms: Option<i64>) -> Input {
    Input::Break {
        resumes_at_unix_ms,
        stream,
    }
}

/// The session's encoder if it is here: without it some changes can still be made.
fn usable(driver: &Driver<SessionWriter>) -> Option<&dyn Encode> {
    Some(driver.encoder()).filter(|it| it.dimension() > 0)
}

impl Change {
    /// The inputs that carry it out. Encodes new words; all that a renamed speaker said.
    pub(super) fn prepared(self, driver: &Driver<SessionWriter>) -> Result<Prepared, ServiceError> {
        let session = driver.session();
        let shared = driver.inner().transcript();
        let transcript = shared.as_deref().map(|it| it as &dyn Transcript);
        let (mut erasure, subjects) = (None, self.subjects());
        let inputs = match self {
            Self::Begin(start) => vec![begun(start)?],
            Self::End(stream) => vec![Input::End(stream)],
            Self::Pause {
                stream,
                resumes_at_unix_ms,
            } => vec![paused(stream, resumes_at_unix_ms)],
            Self::Flush => vec![Input::Flush],
            Self::Pin { nodes, pinned } => {
                let pin = |node| Input::Pin { node, pinned };
                nodes.into_iter().map(pin).collect()
            }
            Self::Edit { node, text, was } => edited(driver, node, &text, was)?,
            Self::PinFacts { facts, pinned } => {
                let pin = |fact| Input::Profile(Box::new(ProfileChange::Pin { fact, pinned }));
                facts.into_iter().map(pin).collect()
            }
            Self::EditFact { fact, value } => {
                vec![session.editing_fact(fact, &value, driver.encoder())?]
            }
            Self::Budget(budgets) => vec![Input::Budget(budgets)],
            Self::Speaker(change) => {
                // the journal and the snapshot have a name that is forgotten
                if let SpeakerChange::Forget { .. } = change {
                    erasure = Some(Erasure::default());
                }
                let naming = session.naming(change, usable(driver), transcript)?;
                vec![Input::Speaker(Box::new(naming))]
            }
            Self::AddSource(source) => vec![Input::AddSource(source)],
            Self::RemoveSource(name) => {
                erasure = Some(Erasure::default());
                vec![Input::RemoveSource(name)]
            }
            Self::Erase(targets) => {
                let made = session
                    .erasure(&targets, usable(driver), transcript)
                    .map_err(|error| ServiceError::Erase(Arc::new(error)))?;
                let erase = Input::Erase(Box::new(made.clone()));
                erasure = Some(made);
                let names = session.forgetting(&targets);
                std::iter::once(erase).chain(names).collect()
            }
        };
        whole(session, &inputs)?;
        Ok(Prepared {
            inputs,
            subjects,
            erasure,
        })
    }

    /// What it pins or edits.
    fn subjects(&self) -> Vec<Subject> {
        match self {
            Self::Pin { nodes, .. } => nodes.iter().copied().map(Subject::Node).collect(),
            Self::Edit { node, .. } => vec![Subject::Node(*node)],
            Self::PinFacts { facts, .. } => facts.iter().copied().map(Subject::Fact).collect(),
            Self::EditFact { fact, .. } => vec![Subject::Fact(*fact)],
            Self::AddSource(source) => vec![Subject::Source(source.name.clone())],
            _ => Vec::new(),
        }
    }
}

/// A unit gets new words, if it has those that the edit says it replaces.
fn edited(
    driver: &Driver<SessionWriter>,
    id: NodeId,
    text: &str,
    was: Option<String>,
) -> Result<Vec<Input>, ServiceError> {
    let (session, encoder) = (driver.session(), driver.encoder());
    match (was, session.tree().node(id)) {
        (Some(was), Some(node)) if node.text != was => Err(ServiceError::Reworded {
            node: id.to_string(),
            now: node.text.clone(),
        }),
        _ => Ok(vec![
            session.editing(id, text, encoder)?,
            session.rereading(id, text, encoder)?,
        ]),
    }
}

/// Checks that all inputs are taken: several are tried on a copy first.
fn whole(session: &Session, inputs: &[Input]) -> Result<(), InputError> {
    if inputs.len() < 2 {
        return Ok(());
    }
    let mut copy = session.clone();
    inputs
        .iter()
        .try_for_each(|input| copy.apply(input).map(drop))
}

impl Prepared {
    /// Carries it out.
    ///
    /// # Errors
    /// The outer error ends the session: an erasure could not be written. The inner one leaves it
    /// unchanged.
    pub(super) fn carry_out(
        self,
        driver: &mut Driver<SessionWriter>,
    ) -> Result<Result<Changed, ServiceError>, PipelineError> {
        let before = driver.session().tree().len();
        let mut erased = None;
        for input in self.inputs {
            match driver.inner_mut().apply(input) {
                Ok(outcome) => erased = erased.or(outcome.erased),
                Err(refused) => return Ok(Err(refused.into())),
            }
        }
        let session = driver.session();
        let mut changed = Changed {
            now: self.subjects.iter().map(|it| it.now(session)).collect(),
            forgotten: before.saturating_sub(session.tree().len()),
            held: held(session),
            receipt: None,
        };
        if let Some(erasure) = self.erasure {
            let receipt = driver
                .inner_mut()
                .erase(&erasure, erased.unwrap_or_default())?;
            changed.receipt = Some(receipt);
        }
        Ok(Ok(changed))
    }
}
