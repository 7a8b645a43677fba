//! Every bound of the engine in one place: its unit, its reason, and how the bounds relate.
//!
//! A bound is a promise to the user; a module that needs one takes it from here. What can be set at
//! run time is in [`crate::config`] and is checked against the ranges given here.

/// Tokens of the long-term tree when nothing else is asked for (ProStream leaves `T_max` open).
pub const BUDGET_TOKENS_DEFAULT: usize = 8_192;
/// The smallest budget that holds one scene, one event and one unit of the longest kind.
pub const BUDGET_TOKENS_MIN: usize = 256;
/// Above this the exact scan no longer answers in a few milliseconds on one core.
pub const BUDGET_TOKENS_MAX: usize = 4_194_304;

/// Tokens of context handed to an answerer by default.
pub const CONTEXT_TOKENS_DEFAULT: usize = 1_300;
/// Fewer cannot hold one quoted sentence with its heading.
pub const CONTEXT_TOKENS_MIN: usize = 64;
/// No local model reads more at once.
pub const CONTEXT_TOKENS_MAX: usize = 131_072;

/// Raw text held outside the tree: sensing buffer and pending blocks together, in tokens.
pub const RAW_TOKENS_MAX: usize = 1_024;
/// One utterance as the memory takes it; a longer one is split at word boundaries, never cut off.
pub const UTTERANCE_TOKENS_MAX: usize = 128;
/// Bytes of one line of text fed to the memory; a longer one is refused with its length.
pub const UTTERANCE_BYTES_MAX: usize = 1 << 20;
/// New utterances that close a block (ProStream 5.1, `N_max`).
pub const BLOCK_UTTERANCES_MAX: usize = 5;
/// Utterances kept as leading context, read and recalled but not distilled again (ProStream 5.1, `W`).
pub const LEADING_UTTERANCES: usize = 10;

/// Tokens of one memory unit's own words; a longer clause is split or trimmed by the distiller.
pub const UNIT_TOKENS_MAX: usize = 64;
/// Tokens of an event's summary.
pub const EVENT_TOKENS_MAX: usize = 24;
/// Tokens of a scene's label.
pub const SCENE_TOKENS_MAX: usize = 12;
/// Evidence items a unit holds; more are counted, not kept.
pub const EVIDENCE_ITEMS_MAX: usize = 8;
/// Nodes of the tree whatever their tokens, so that the arrays stay bounded too.
pub const NODES_MAX: usize = 262_144;
/// Bytes of a question; a longer one is refused with its length.
pub const QUESTION_BYTES_MAX: usize = 16_384;
/// Evidence lines an answer cites at most.
pub const CITATIONS_MAX: usize = 8;

const _: () = assert!(
    UTTERANCE_TOKENS_MAX * 2 <= RAW_TOKENS_MAX,
    "two utterances must fit raw"
);
const _: () = assert!(
    UNIT_TOKENS_MAX + EVENT_TOKENS_MAX + SCENE_TOKENS_MAX <= BUDGET_TOKENS_MIN,
    "one path from scene to unit must fit the smallest budget"
);
