//! Methods by name: baselines and Weir's variants.

use super::a_mem::AMem;
use super::bounded::{Bounded, Make};
use super::graphrag::GraphRag;
use super::hipporag2::HippoRag;
use super::memgas::MemGas;
use super::memorag::MemoRag;
use super::rag::{Rag, Search};
use super::raptor::Raptor;
use super::recent::{Recent, Window};
use super::rq_rag::RqRag;
use super::summary::RollingSummary;
use super::weir::{VARIANTS, Weir};
use super::{Method, MethodContext};
use anyhow::{Result, bail};
use std::sync::Arc;

/// Names of all baselines.
pub(crate) const BASELINES: &[&str] = &[
    "stateless", "buffer-4", "last-turns", "full-context", "rag-dense", "rag-bm25", "rag-rrf",
    "rolling-summary", "raptor", "rq-rag", "graphrag", "hipporag2", "a-mem", "memgas", "memorag",
];

fn variants() -> impl Iterator<Item = &'static str> {
    VARIANTS.iter().map(|(name, ..)| *name)
}

/// The methods that are asked for by name, or by the groups `all`, `baselines` and `variants`;
/// without duplicates, in the given order.
pub(crate) fn named(asked: &[String]) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for name in asked {
        let known: Vec<&str> = match name.as_str() {
            "all" => BASELINES.iter().copied().chain(variants()).collect(),
            "baselines" => BASELINES.to_vec(),
            "variants" => variants().collect(),
            one if BASELINES.contains(&one) || variants().any(|name| name == one) => vec![one],
            other => bail!(
                "no method is called `{other}`; known are the groups all, baselines and variants, \
                 and {}, {}",
                BASELINES.join(", "),
                variants().collect::<Vec<_>>().join(", ")
            ),
        };
        for name in known {
            if !names.iter().any(|earlier| earlier == name) {
                names.push(name.to_owned());
            }
        }
    }
    Ok(names)
}

/// An empty memory of the method with that name.
pub(crate) fn build(name: &str, kit: Arc<MethodContext>) -> Result<Box<dyn Method>> {
    let window =
        |window, kit| -> Result<Box<dyn Method>> { Ok(Box::new(Recent::new(kit, window))) };
    let make: Make = match name {
        "stateless" => return window(Window::Stateless, kit),
        "buffer-4" => return window(Window::Buffer(4), kit),
        "last-turns" => return window(Window::Last, kit),
        "full-context" => return window(Window::Full, kit),
        "rolling-summary" => return Ok(Box::new(RollingSummary::new(kit))),
        "rag-dense" => |kit| Box::new(Rag::new(kit, Search::Dense)),
        "rag-bm25" => |kit| Box::new(Rag::new(kit, Search::Words)),
        "rag-rrf" => |kit| Box::new(Rag::new(kit, Search::Fused)),
        "raptor" => |kit| Box::new(Raptor::new(kit)),
        "rq-rag" => |kit| Box::new(RqRag::new(kit)),
        "graphrag" => |kit| Box::new(GraphRag::new(kit)),
        "hipporag2" => |kit| Box::new(HippoRag::new(kit)),
        "a-mem" => |kit| Box::new(AMem::new(kit)),
        "memgas" => |kit| Box::new(MemGas::new(kit)),
        "memorag" => |kit| Box::new(MemoRag::new(kit)),
        variant => return Ok(Box::new(Weir::named(variant, kit)?)),
    };
    Ok(match kit.budget_tokens {
        Some(budget_tokens) => Box::new(Bounded::new(make, kit, budget_tokens)),
        None => make(kit),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(asked: &[&str]) -> Result<Vec<String>> {
        let asked: Vec<String> = asked.iter().map(|name| (*name).to_owned()).collect();
        super::named(&asked)
    }

    #[test]
    fn groups_and_names_come_once_in_order() {
        let names = named(&["weir", "rag-bm25", "variants"]).expect("all are known");
        assert_eq!(names[..3], ["weir", "rag-bm25", "weir-transcript"]);
        assert_eq!(names.len(), VARIANTS.len() + 1);
        let all = named(&["all"]).expect("a group");
        assert_eq!(all.len(), BASELINES.len() + VARIANTS.len());
    }

    #[test]
    fn an_unknown_name_is_told_with_those_that_are_known() {
        let error = named(&["rag-denes"]).expect_err("nothing is called so");
        let text = error.to_string();
        assert!(
            text.contains("rag-denes") && text.contains("rag-dense"),
            "{text}"
        );
    }
}
