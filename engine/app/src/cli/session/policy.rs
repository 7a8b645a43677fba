//! The rules that a new session is made under.

use clap::ValueEnum;

/// The rules of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyArg {
    /// What keeps and finds most
    Weir,
    /// ProStream as written: blocks by drift, utility by use and age, recall from scenes down, no
    /// transcript. For comparisons
    Paper,
}
