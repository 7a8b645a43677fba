//! The baselines that Weir is compared with, by name.
//!
//! If a method needs a language model, the part after `+` names the writer: `raptor+extractive`.

use super::a_mem::AMem;
use super::graphrag::GraphRag;
use super::hipporag2::HippoRag;
use super::memgas::MemGas;
use super::memorag::MemoRag;
use super::rag::{Rag, Search};
use super::raptor::Raptor;
use super::recent::{Recent, Window};
use super::rq_rag::RqRag;
use super::summary::RollingSummary;
use super::{Method, MethodContext};
use anyhow::{Result, bail};
use std::sync::Arc;

/// Names of all baselines, without writers.
pub const BASELINES: &[&str] = &[
    "stateless", "buffer-4", "last-turns", "full-context", "rag-dense", "rag-bm25", "rag-rrf",
    "rolling-summary", "raptor", "rq-rag", "graphrag", "hipporag2", "a-mem", "memgas", "memorag",
];

/// The baselines that use a writer.
const WRITTEN: &[&str] = &[
    "rolling-summary", "raptor", "rq-rag", "graphrag", "hipporag2", "a-mem", "memgas", "memorag",
];

/// An empty memory of the baseline with this name; a writer's name after `+` is allowed.
///
/// # Errors
/// No baseline has the name.
pub fn baseline(name: &str, kit: Arc<MethodContext>) -> Result<Box<dyn Method>> {
    let window = |window, kit| -> Box<dyn Method> { Box::new(Recent::new(kit, window)) };
    let rag = |search, kit| -> Box<dyn Method> { Box::new(Rag::new(kit, search)) };
    Ok(match plain(name) {
        "stateless" => window(Window::Stateless, kit),
        "buffer-4" => window(Window::Buffer(4), kit),
        "last-turns" => window(Window::Last, kit),
        "full-context" => window(Window::Full, kit),
        "rag-dense" => rag(Search::Dense, kit),
        "rag-bm25" => rag(Search::Words, kit),
        "rag-rrf" => rag(Search::Fused, kit),
        "rolling-summary" => Box::new(RollingSummary::new(kit)),
        "raptor" => Box::new(Raptor::new(kit)),
        "rq-rag" => Box::new(RqRag::new(kit)),
        "graphrag" => Box::new(GraphRag::new(kit)),
        "hipporag2" => Box::new(HippoRag::new(kit)),
        "a-mem" => Box::new(AMem::new(kit)),
        "memgas" => Box::new(MemGas::new(kit)),
        "memorag" => Box::new(MemoRag::new(kit)),
        other => bail!(
            "no baseline is called `{other}`; known are {}",
            BASELINES.join(", ")
        ),
    })
}

/// The name in results: with the writer's if the method uses one.
#[must_use]
pub fn full_name(name: &str, writer: &str) -> String {
    let name = plain(name);
    match WRITTEN.contains(&name) {
        true => format!("{name}+{writer}"),
        false => name.to_owned(),
    }
}

/// Whether a baseline has this name, ignoring the writer.
#[must_use]
pub fn is_known(name: &str) -> bool {
    BASELINES.contains(&plain(name))
}

fn plain(name: &str) -> &str {
    name.split_once('+').map_or(name, |(name, _)| name)
}
