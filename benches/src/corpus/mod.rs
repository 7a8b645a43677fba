//! Corpora that more than one command reads.

pub(crate) mod qmsum;
pub(crate) mod questions;
