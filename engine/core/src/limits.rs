//! All bounds of the engine: their units, reasons and relations.
//!
//! A bound is a promise to the user; every module takes its bounds from here. Settings that can
//! change at run time are in [`crate::config`] and are checked against the ranges given here.

/// Default token budget of all text in memory without a transcript (ProStream leaves `T_max` open):
/// more than a full day of talk. The largest power of two at which 95 of 100 questions take less
/// than 5 ms beside the encoder, on two cores (`weir-bench simulate --budgets`).
pub const BUDGET_TOKENS_DEFAULT: usize = 131_072;
/// The same with a transcript, by the same rule. With key words in place of statements, the same
/// text holds several times as many of them: three quarters of a day of talk.
pub const BUDGET_TOKENS_TRANSCRIPT_DEFAULT: usize = 32_768;
/// Smallest budget: it fits a long utterance and a statement of maximum length.
pub const BUDGET_TOKENS_MIN: usize = 256;
/// Largest budget. A question scans every unit: 4.7 ms at 131,072 tokens, 16 ms at 262,144,
/// 9 ms by index (`weir-bench simulate --budgets`).
pub const BUDGET_TOKENS_MAX: usize = 4_194_304;

/// Default tokens of context given to an answerer.
pub const CONTEXT_TOKENS_DEFAULT: usize = 1_300;
/// Fewer tokens cannot hold one quoted sentence with its heading.
pub const CONTEXT_TOKENS_MIN: usize = 64;
/// No local model reads more.
pub const CONTEXT_TOKENS_MAX: usize = 131_072;

/// Raw text outside the tree, in tokens: sensing buffer and pending blocks together.
pub const RAW_TOKENS_MAX: usize = 1_024;
/// Longest utterance in tokens; a longer one is split at word boundaries, never truncated.
pub const UTTERANCE_TOKENS_MAX: usize = 512;
/// Tokens that close a block, however few utterances it has.
pub const BLOCK_TOKENS_MAX: usize = 384;
/// Bytes of one line of text fed to the memory; a longer one is refused with its length.
pub const UTTERANCE_BYTES_MAX: usize = 1 << 20;
/// New utterances that close a block (ProStream 5.1, `N_max`).
pub const BLOCK_UTTERANCES_MAX: usize = 5;
/// The same under the adaptive rule: most turns of a meeting are a few words, so more of them fit.
pub const ADAPTIVE_BLOCK_UTTERANCES_MAX: usize = 16;
/// Tokens that close a block under the adaptive rule: its shortest block plus a window of talk.
pub const ADAPTIVE_BLOCK_TOKENS_MAX: usize = 300;
/// Utterances kept as leading context, read and recalled but not distilled again (ProStream 5.1,
/// `W`).
pub const LEADING_UTTERANCES: usize = 10;

/// Raw talk may use one part in this many of the token budget.
pub const RAW_PART: usize = 2;
/// Leading context may use one part in this many of the token budget.
pub const LEADING_PART: usize = 32;

/// Tokens of one memory unit's own words; a longer clause is split or trimmed by the distiller.
pub const UNIT_TOKENS_MAX: usize = 64;
/// Words of one memory unit; English needs about 1.3 tokens a word, names and numbers more.
pub const UNIT_WORDS_MAX: usize = UNIT_TOKENS_MAX * 10 / 16;
/// Hashed terms kept of a statement that was reduced to key words: enough for a statement of
/// maximum length and the question it answers.
pub const UNIT_TERMS_MAX: usize = 2 * UNIT_WORDS_MAX;
/// Characters of a speaker's name: it stands before every line of a context.
pub const SPEAKER_NAME_CHARS_MAX: usize = 40;
/// Speakers that may have names in a session.
pub const SPEAKERS_NAMED_MAX: usize = 256;
/// Earlier names that are kept of a speaker.
pub const FORMER_NAMES_MAX: usize = 8;

/// Evidence items a unit holds; more are counted, not kept.
pub const EVIDENCE_ITEMS_MAX: usize = 8;
/// Maximum number of nodes, however few tokens they have, so that the arrays are bounded too.
pub const NODES_MAX: usize = 262_144;
/// Units from which an index is worth building: below, the exact scan is as fast.
pub const INDEX_UNITS_MIN: usize = 5_000;
/// Facts of one speaker from which an index is worth building: below, the exact scan is as fast.
pub const INDEX_FACTS_MIN: usize = 10_000;
/// Fewer nodes cannot hold two paths from scene to unit.
pub const NODES_MIN: usize = 8;
/// Default byte budget of the tree's nodes, evidence, vectors and words. A default token budget
/// needs about forty megabytes, so this takes effect only if it is set lower.
pub const TREE_BYTES_DEFAULT: usize = 2 << 30;
/// The smallest byte budget: one path of the longest nodes with all their evidence.
pub const TREE_BYTES_MIN: usize = 64 << 10;
/// The largest byte budget.
pub const TREE_BYTES_MAX: usize = 64 << 30;
/// Pinned units and the nodes above them may use one part in this many of each budget; the rest is
/// for new talk.
pub const PINNED_PART: usize = 2;
/// Bytes of a question; a longer one is refused with its length.
pub const QUESTION_BYTES_MAX: usize = 16_384;
/// Default time limit in milliseconds of a model for one answer, and of a reranker for one
/// question.
pub const ANSWER_MS_DEFAULT: u64 = 20_000;
/// Maximum number of citations in an answer.
pub const CITATIONS_MAX: usize = 8;
/// Claims of an answer that are checked: more than the longest answer has.
pub const ANSWER_CLAIMS_MAX: usize = 64;
/// Statements of each kind that a claim is compared with. They are those that share most words with
/// it, and a model may need a second for each.
pub const CLAIM_STATEMENTS_MAX: usize = 8;

/// Beliefs of a session.
pub const BELIEFS_MAX: usize = 1_024;
/// The text of beliefs may use one part in this many of the token budget. A sixteenth took room
/// from statements that answer questions; this part of the default budget holds the beliefs of
/// eight months of talk between two people.
pub const BELIEFS_PART: usize = 64;
/// Observations that a belief holds one by one; older ones are added up.
pub const BELIEF_OBSERVATIONS_MAX: usize = 32;
/// Remarks kept that sound like a feeling and do not count as one.
pub const BELIEF_DOUBTED_MAX: usize = 32;
/// Entropy in bits above which an opinion or a belief is uncertain (DAM-LLM table 3).
pub const BELIEF_ENTROPY_HIGH: f32 = 1.4;
/// Entropy in bits below which a belief is certain (DAM-LLM table 3).
pub const BELIEF_ENTROPY_LOW: f32 = 0.8;
/// The largest weight of a history against a new observation. Four remarks of strength 2 leave a
/// third of what was believed before.
pub const BELIEF_RECENT_WEIGHT: f32 = 6.0;
/// A remark of less strength is no evidence of a feeling; the largest is 3.
pub const BELIEF_STRENGTH_MIN: f32 = 0.3;
/// A remark of less strength begins no belief: it is evidence only where one is held.
pub const BELIEF_BEGINS_MIN: f32 = 1.0;
/// Beliefs of less weight are listed only where all are asked for: less than one strong remark.
pub const BELIEF_LISTED_WEIGHT: f32 = 2.0;
/// Strength of an observation that is never thrown away as noise; the largest is 3.
pub const BELIEF_STRONG: f32 = 2.0;
/// An uncertain belief with less weight than this is a fragment: three remarks of half the largest
/// strength.
pub const BELIEF_FRAGMENT_WEIGHT: f32 = 4.5;
/// Observations after which a fragment is noise.
pub const BELIEF_NOISE_OBSERVATIONS: u32 = 3;
/// The aspect of an opinion about a thing as a whole.
pub const BELIEF_ASPECT_GENERAL: &str = "general";
/// Beliefs found for a question (DAM-LLM table 3).
pub const BELIEFS_FOUND_MAX: usize = 5;

/// Beliefs and facts may use one part in this many of a context.
pub const CONTEXT_OBSERVED_PART: usize = 4;
/// Facts of a profile that a context may have.
pub const FACTS_FOUND_MAX: usize = 16;

/// Facts of all profiles of a session.
pub const FACTS_MAX: usize = 100_000;
/// The text of profiles may use one part in this many of the token budget.
pub const PROFILE_PART: usize = 16;
/// Tokens of the value of one fact; a statement that is a fact as a whole may have as many.
pub const FACT_TOKENS_MAX: usize = 64;
/// Evidence items that a fact holds; the first one stays, of the others the latest.
pub const FACT_EVIDENCE_MAX: usize = 4;

/// Sources of a session.
pub const SOURCES_MAX: usize = 64;
/// The text of all sources may use one part in this many of the token budget.
pub const SOURCES_PART: usize = 4;
/// Characters of a source's name: it stands before every passage of a context.
pub const SOURCE_NAME_CHARS_MAX: usize = 40;
/// Weight of a source's passages against statements, unless it is given.
pub const SOURCE_WEIGHT_DEFAULT: f32 = 1.0;
/// The largest weight: a passage that hardly fits then precedes nearly every statement.
pub const SOURCE_WEIGHT_MAX: f32 = 10.0;
/// Files of one source.
pub const SOURCE_FILES_MAX: usize = 256;
/// Bytes of one file of a source: more than fit the share of the largest budget.
pub const SOURCE_FILE_BYTES_MAX: u64 = 32 << 20;
/// Passages of all sources of a session. A question scans them all.
pub const PASSAGES_MAX: usize = 65_536;
/// Words of a passage: fewer are joined with the next paragraph of their section, more are cut.
/// An encoder reads 256 tokens, about 190 words.
pub const PASSAGE_WORDS_MIN: usize = 30;
/// The most words of a passage.
pub const PASSAGE_WORDS_MAX: usize = 120;
/// Bytes of a passage, and of a word in it.
pub const PASSAGE_BYTES_MAX: usize = 4_096;
/// Passages may use one part in this many of a context.
pub const CONTEXT_SOURCES_PART: usize = 2;

/// Bytes of a character's description: it stands in every context, in a quarter of which it fits.
pub const CHARACTER_BYTES_MAX: usize = 1_024;
/// Bytes of a character file.
pub const CHARACTER_FILE_BYTES_MAX: u64 = 64 << 10;
/// Stability of a character's memories in hours unless its file says otherwise: thirty days.
pub const STABILITY_HOURS_DEFAULT: f64 = 720.0;
/// Boost of a character's memories unless its file says otherwise.
pub const STABILITY_BOOST_DEFAULT: f64 = 2.0;
/// Retention below which a character has forgotten a statement: three times its stability after
/// the last access.
pub const RETENTION_MIN: f32 = 0.05;
/// The largest stability of a character's memories in hours: a hundred years.
pub const STABILITY_HOURS_MAX: f64 = 876_000.0;
/// The largest boost of a character's memories: after two accesses nothing is forgotten.
pub const STABILITY_BOOST_MAX: f64 = 100.0;

/// Bytes of one line of a stream file, including its end; a longer one is refused with its number.
pub const STREAM_LINE_BYTES_MAX: usize = 1 << 20;
/// Bytes of an id, a name of a speaker or of a stream in a stream file.
pub const STREAM_LABEL_BYTES_MAX: usize = 256;
/// Labelled stretches that a replay reads ahead, so that a model recognises several in one window:
/// a word with a pause around it takes a second, and a window is 28 s long.
pub const STRETCHES_AHEAD_MAX: usize = 32;
/// Largest time in a stream file: a hundred years. More indicates a wrong unit.
pub const STREAM_MS_MAX: u64 = 100 * 365 * 86_400_000;
/// Streams of a session that may be open at once.
pub const STREAMS_OPEN_MAX: usize = 16;
/// Ids of a stream file that do not count up (`u1`, `u2` ...) and must be stored individually.
pub const STREAM_LOOSE_IDS_MAX: usize = 4_194_304;

/// Journal entries that trigger a snapshot: recovery replays about this many at most.
pub const JOURNAL_ENTRIES_MAX: u64 = 4_096;
/// Journal bytes that trigger a snapshot, unless the snapshot itself is larger.
pub const JOURNAL_BYTES_MAX: u64 = 16 << 20;
/// Size of the pieces of a stored snapshot, so that the store needs no large free run.
pub const SNAPSHOT_PIECE_BYTES: usize = 1 << 20;
/// Page cache of the embedded store; its own default would be 1 GiB.
pub const STORE_CACHE_BYTES: usize = 8 << 20;
/// Floats of a vector in an exported session; no sentence encoder has more.
pub const DIMENSION_MAX: usize = 65_536;
/// Bytes of one line of an exported session, including its end.
pub const IMPORT_LINE_BYTES_MAX: usize = 16 << 20;
/// Lines of an exported session: nodes, beliefs, facts, passages, raw talk and a few more.
pub const IMPORT_LINES_MAX: usize =
    NODES_MAX + BELIEFS_MAX + FACTS_MAX + PASSAGES_MAX + RAW_TOKENS_MAX + 8;
/// Bytes of text read of one export of another program: its files together, unpacked.
pub const IMPORT_FILE_BYTES_MAX: u64 = 512 << 20;
/// Files of such an export, pictures among them.
pub const IMPORT_FILES_MAX: usize = 100_000;
/// Messages taken from such an export: as many as ids are remembered.
pub const IMPORT_MESSAGES_MAX: usize = 1 << 20;
/// Completed inputs recorded; the oldest is dropped and would be replayed again.
pub const REPLAYED_INPUTS_MAX: u64 = 4_096;
/// Maximum wait of accepted inputs for their commit: an utterance is acknowledged within a second
/// of its recognition, and half of that is for the disk.
pub const COMMIT_EVERY_MS: u64 = 500;
/// Number of waiting inputs that triggers a commit at once.
pub const COMMIT_ENTRIES_MAX: usize = 256;

/// One file of recorded audio: ten minutes, 19.2 MB.
pub const AUDIO_SEGMENT_MS: u64 = 600_000;
/// Recorded audio kept for playback by default: about 18 hours, oldest dropped first.
pub const AUDIO_BYTES_DEFAULT: u64 = 2 << 30;
/// A limit below two segments would drop the recording in progress.
pub const AUDIO_BYTES_MIN: u64 = 64 << 20;

/// Default size of the transcript: about six million utterances, a year of talk all day; oldest
/// dropped first.
pub const TRANSCRIPT_BYTES_DEFAULT: u64 = 1 << 30;
/// The smallest transcript: sixteen of the smallest segments, so that an eviction drops little.
pub const TRANSCRIPT_BYTES_MIN: u64 = 1 << 20;
/// The largest transcript: 65,536 segments, whose names are listed when it is opened.
pub const TRANSCRIPT_BYTES_MAX: u64 = 1 << 40;
/// A segment of the transcript is this part of the limit, within the next two bounds.
pub const TRANSCRIPT_SEGMENT_PART: u64 = 16;
/// The smallest segment of the transcript: a smaller one would create a file every few minutes.
pub const TRANSCRIPT_SEGMENT_BYTES_MIN: u64 = 64 << 10;
/// The largest segment of the transcript: opening verifies one, and an erasure reads through one.
pub const TRANSCRIPT_SEGMENT_BYTES_MAX: u64 = 16 << 20;
/// One utterance in the transcript with its names; also at most a quarter of the limit. A longer
/// one is counted as a gap.
pub const TRANSCRIPT_RECORD_BYTES_MAX: u64 = 2 << 20;
/// Transcript bytes buffered in memory before they are written without a sync.
pub const TRANSCRIPT_BUFFER_BYTES: usize = 64 << 10;
/// Time for searching the transcript where memory has no answer: some hundred megabytes.
pub const TRANSCRIPT_SEARCH_MS_DEFAULT: u64 = 1_000;
/// Segments of the transcript that a reader keeps open, two files each.
pub const TRANSCRIPT_OPEN_SEGMENTS_MAX: usize = 4;

const _: () = assert!(
    UTTERANCE_TOKENS_MAX * 2 <= RAW_TOKENS_MAX,
    "two utterances must fit raw"
);
const _: () = assert!(
    BELIEF_ENTROPY_HIGH < 1.585,
    "three polarities have at most log2(3) bits"
);
const _: () = assert!(
    RAW_PART >= 2 && PINNED_PART >= 2,
    "what is pinned and the most raw talk must fit every budget together"
);
const _: () = assert!(
    2 * PASSAGE_WORDS_MIN <= PASSAGE_WORDS_MAX,
    "two short paragraphs must fit one passage"
);
const _: () = assert!(
    AUDIO_BYTES_MIN >= 2 * (44 + 32 * AUDIO_SEGMENT_MS),
    "two whole segments of 16 kHz, 16 bit must fit the smallest audio limit"
);
const _: () = assert!(
    TRANSCRIPT_SEGMENT_PART * TRANSCRIPT_SEGMENT_BYTES_MIN <= TRANSCRIPT_BYTES_MIN,
    "the smallest transcript must hold its number of segments"
);
const _: () = assert!(
    TRANSCRIPT_RECORD_BYTES_MAX > UTTERANCE_BYTES_MAX as u64 + 4 * STREAM_LABEL_BYTES_MAX as u64,
    "the longest utterance with its names must fit a transcript of any usual size"
);
const _: () = assert!(
    TRANSCRIPT_SEGMENT_BYTES_MAX + TRANSCRIPT_RECORD_BYTES_MAX <= u32::MAX as u64,
    "places in a segment of the transcript are 32 bits"
);
const _: () = assert!(
    STREAM_LINE_BYTES_MAX <= UTTERANCE_BYTES_MAX,
    "what a stream file can say must fit the memory"
);
const _: () = assert!(
    ADAPTIVE_BLOCK_TOKENS_MAX <= BLOCK_TOKENS_MAX,
    "whatever cuts, a block has at most so many tokens"
);

/// Minimum probability of an answer; below it memory abstains.
pub const SUPPORT_MIN: f32 = 0.40;
