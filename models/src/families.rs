//! The supported architectures, by their names in checkpoints (`model_type`, or
//! `general.architecture` in GGUF). The loaders use them, and a pull checks them before it
//! downloads.

/// Sentence encoders and cross-encoders.
pub(crate) const ENCODERS: &[&str] = &["bert", "roberta", "xlm-roberta"];
/// The same, for messages.
pub(crate) const ENCODER_NAMES: &str = "bert, roberta or xlm-roberta";
/// Text generators; Mistral is a Llama.
#[cfg(any(feature = "weights", test))]
pub(crate) const GENERATORS: &[&str] = &["llama", "mistral", "qwen2", "qwen3"];
/// The same, for messages.
pub(crate) const GENERATOR_NAMES: &str = "llama, qwen2 or qwen3";
/// Summarisers, by their only name.
pub(crate) const SUMMARISER: &str = "t5";
