//! Why texts were not encoded or read.

/// Why a batch of texts was not encoded.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The tokenizer failed on a text.
    #[error("text {index} of the batch was not split into tokens: {reason}")]
    Tokenize {
        /// Position in the batch, from 0.
        index: usize,
        /// The tokenizer's error.
        reason: String,
    },
    /// The tokenizer failed on the query.
    #[error("the query was not split into tokens: {reason}")]
    Query {
        /// The tokenizer's error.
        reason: String,
    },
    /// The computation failed, or memory ran out.
    #[error("{encoder} failed on a batch of {texts} texts: {reason}; try fewer texts at once")]
    Inference {
        /// The encoder's name.
        encoder: String,
        /// Number of texts in the batch.
        texts: usize,
        /// The error of the tensor library.
        reason: String,
    },
    /// A vector has a NaN or infinite component: the weights are damaged.
    #[error(
        "{encoder} gave a vector that is not finite for text {index} of the batch: its weights \
         are damaged; fetch them again"
    )]
    NotFinite {
        /// The encoder's name.
        encoder: String,
        /// Position in the batch, from 0.
        index: usize,
    },
}
