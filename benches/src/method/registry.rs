//! Methods by name: baselines and Weir's variants.

use super::a_mem::AMem;
use super::bounded::{Bounded, Make};
use super::eviction::{self, Eviction};
use super::graphrag::GraphRag;
use super::hipporag2::HippoRag;
use super::memgas::MemGas;
use super::memorag::MemoRag;
use super::rag::{Rag, Search};
use super::raptor::Raptor;
use super::recent::Recent;
use super::summary::RollingSummary;
use super::weir::{WRITTEN, Weir, variants};
use super::{Method, MethodContext};
use anyhow::{Result, bail};
use std::sync::Arc;

/// Names of all baselines.
pub(crate) const BASELINES: &[&str] = &[
    "stateless", "buffer-4", "last-turns", "full-context", "rag-dense", "rag-bm25", "rag-rrf",
    "rolling-summary", "raptor", "rq-rag", "graphrag", "hipporag2", "a-mem", "memgas", "memorag",
];

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
            one if one == WRITTEN || forgets_otherwise(one) => vec![one],
            other => bail!(
                "no method is called `{other}`; known are the groups all, baselines and variants, \
                 and {}, {}; a baseline that keeps everything forgets otherwise with {} behind it",
                BASELINES.join(", "),
                variants().collect::<Vec<_>>().join(", "),
                eviction::SUFFIXES.map(|(suffix, _)| suffix).join(", ")
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
    let (base, by) = eviction::of(name);
    if let Some(make) = keeper(base) {
        return Ok(match kit.budget_tokens {
            Some(_) => Box::new(Bounded::new(make, kit, by)),
            None => make(kit),
        });
    }
    Ok(match name {
        "stateless" => Box::new(Recent::new(kit, 0, false)),
        "buffer-4" => Box::new(Recent::new(kit, 4, false)),
        "last-turns" => Box::new(Recent::new(kit, usize::MAX, false)),
        "full-context" => Box::new(Recent::new(kit, usize::MAX, true)),
        "rolling-summary" => Box::new(RollingSummary::new(kit)),
        variant => Box::new(Weir::named(variant, kit)?),
    })
}

/// Makes a baseline that keeps everything, unless a budget makes it forget.
fn keeper(name: &str) -> Option<Make> {
    Some(match name {
        "rag-dense" => |kit| Box::new(Rag::new(kit, Search::Dense, 0)),
        "rag-bm25" => |kit| Box::new(Rag::new(kit, Search::Words, 0)),
        "rag-rrf" => |kit| Box::new(Rag::new(kit, Search::Fused, 0)),
        "raptor" => |kit| Box::new(Raptor::new(kit)),
        // three refined queries beside the question
        "rq-rag" => |kit| Box::new(Rag::new(kit, Search::Fused, 3)),
        "graphrag" => |kit| Box::new(GraphRag::new(kit)),
        "hipporag2" => |kit| Box::new(HippoRag::new(kit)),
        "a-mem" => |kit| Box::new(AMem::new(kit)),
        "memgas" => |kit| Box::new(MemGas::new(kit)),
        "memorag" => |kit| Box::new(MemoRag::new(kit)),
        _ => return None,
    })
}

/// Whether a name is that of a baseline that forgets by another rule than age: `rag-rrf-random`.
fn forgets_otherwise(name: &str) -> bool {
    let (base, by) = eviction::of(name);
    by != Eviction::Oldest && keeper(base).is_some()
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
        assert_eq!(names.len(), variants().count() + 1);
        let all = named(&["all"]).expect("a group");
        assert_eq!(all.len(), BASELINES.len() + variants().count());
    }

    #[test]
    fn what_keeps_everything_can_forget_by_other_rules() {
        let names = named(&["raptor-reservoir"]).expect("known");
        assert_eq!(names, ["raptor-reservoir"]);
        named(&["last-turns-random"]).expect_err("it holds the last turns");
    }

    #[test]
    fn an_unknown_name_is_told_with_those_that_are_known() {
        let error = named(&["rag-denes"]).expect_err("nothing is called so");
        let told = ["rag-denes", "rag-dense"].map(|name| error.to_string().contains(name));
        assert_eq!(told, [true, true], "{error}");
    }
}
