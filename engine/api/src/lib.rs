//! The wire types of a session: what a client sends and gets, as JSON, and what the program prints
//! with `--json`.
//!
//! Data without behaviour, but for a sum. Names of nodes (`n7.0`), beliefs and facts are text,
//! times are Unix or stream milliseconds, and keys that are absent keep what is. The schema of
//! every type is in `schema/`; a test writes it anew and fails if it changed.

#![forbid(unsafe_code)]

mod answer;
mod change;
mod entity;
mod error;
mod event;
mod hear;
mod import;
mod known;
mod look;
mod memory;
mod watch;

pub use answer::{
    AnswerCheck, AnswerKind, Answered, AudioSpan, CheckShares, CheckedClaim, CitationResult,
    Finding, MemoryResult, PassageResult, ProbeResult, Share, TimingsUs, TranscriptResult, Verdict,
    how_sure,
};
pub use change::{
    Budgets, Change, Changed, Erased, Held, Leftover, Named, Receipt, SourceText, Target,
};
pub use entity::{Beside, Entities, Entity, EntityAbout, EntityKind, Related};
pub use error::{ErrorClass, Failure};
pub use event::{ChatReply, ChatTurn, Event, SpokenTurn, ToForget, TreeChanges, Word};
pub use hear::{Heard, Said, Span};
pub use import::{Import, ImportLine, ImportPerson, ImportStream, LeftOut, LeftOutReason};
pub use known::{
    Belief, BeliefCounts, Beliefs, Doubt, Doubted, Fact, ForgottenName, Model, Models, Observation,
    Sentiment, SoundOf, Source, SourceFile, Speaker, Speakers, Voice,
};
pub use look::{
    About, Forgetting, Found, Going, Gone, Hit, HitKind, Outline, OutlineNode, Pause, Piece,
    SinceOpened, Timeline, TimelinePart, TimelineStream, UnheardSum,
};
pub use memory::{
    Branch, Encoder, Evidence, Node, NodeKind, Quoted, ShownNode, Standing, Stats, TranscriptLine,
    TranscriptSize, Tree, TreeSize, Unrecognised, Unsorted, Wording,
};
pub use watch::{Asked, Pulse};

use serde::{Deserialize, Serialize};

/// A request to the process that has a session open: a change, talk to hear, a question, or to
/// watch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// What to change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub change: Option<Change>,
    /// What to hear, in order, up to the first utterance that is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hear: Option<Vec<Said>>,
    /// What to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ask: Option<Asked>,
    /// Whether to send what happens from now on, one reply a line, until the session is closed.
    #[serde(default, skip_serializing_if = "is_false")]
    pub watch: bool,
    /// It is not carried out unless it begins within this time, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within_ms: Option<u64>,
    /// Sent again with the same key, the request is carried out once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// The reply to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// It was carried out, and is durable.
    Changed(Box<Changed>),
    /// The talk was taken in, and is durable.
    Heard(Heard),
    /// The answer to the question.
    Answered(Box<Answered>),
    /// Something happened; for a client that watches, as what follows.
    Event(Box<Event>),
    /// What memory holds now.
    Outline(Outline),
    /// How the session is doing; about once a second.
    Pulse(Pulse),
    /// A question could not be answered, and why.
    Unanswered(String),
    /// So many events were dropped, since the client read too slowly.
    Missed(u64),
    /// It was not carried out.
    Failed(Failure),
}

fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;
    use schemars::{JsonSchema, schema_for};

    /// Compares the schema of a type with the one that is kept; `WEIR_WRITE=1` writes it.
    fn kept<T: JsonSchema>(name: &str) {
        let path = format!("{}/schema/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let schema = serde_json::to_string_pretty(&schema_for!(T)).expect("it is JSON") + "\n";
        if std::env::var_os("WEIR_WRITE").is_some() {
            std::fs::write(&path, &schema).expect("the folder exists");
        }
        let known = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(
            known, schema,
            "{path}: run again with WEIR_WRITE=1 and read the difference"
        );
    }

    /// What each command prints with `--json`.
    #[derive(JsonSchema)]
    #[schemars(rename_all = "kebab-case")]
    #[expect(dead_code, reason = "its schema alone counts")]
    struct Printed {
        ask: Answered,
        beliefs: Beliefs,
        /// One object a turn.
        chat: ChatTurn,
        /// One object a file.
        import: Import,
        /// One object an event.
        listen: Event,
        memory_delete: Receipt,
        memory_entities: Entities,
        memory_show: ShownNode,
        memory_stats: Stats,
        memory_tree: Tree,
        models_list: Models,
        profile: Vec<Fact>,
        profile_delete: Receipt,
        /// One object an event.
        replay: Event,
        /// One object an utterance.
        search: TranscriptLine,
        source_list: Vec<Source>,
        source_remove: Receipt,
        speakers_forget: ForgottenName,
        speakers_list: Speakers,
    }

    #[test]
    fn the_schemas_that_clients_know_have_not_changed() {
        kept::<Request>("request");
        kept::<Reply>("reply");
        kept::<Printed>("printed");
    }

    #[test]
    fn a_request_is_as_a_client_writes_it() {
        let typed = r#"{"change": {"pin": {"nodes": ["n7.0"], "pinned": true}}}"#;
        let request: Request = serde_json::from_str(typed).expect("it is a request");
        let nodes = vec!["n7.0".to_owned()];
        let pinned = true;
        assert_eq!(request.change, Some(Change::Pin { nodes, pinned }));
        let unknown = r#"{"change": "flush", "urgent": true}"#;
        assert!(serde_json::from_str::<Request>(unknown).is_err());
    }
}
