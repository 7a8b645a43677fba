//! Methods by name: baselines and Weir's variants.

use super::rag::{Rag, Search};
use super::recent::{Recent, Window};
use super::weir::{VARIANTS, Weir};
use super::{Method, MethodContext};
use anyhow::{Result, bail};
use std::sync::Arc;

/// Names of all baselines.
pub(crate) const BASELINES: &[&str] = &[
    "stateless", "buffer-4", "last-turns", "full-context", "rag-dense", "rag-bm25", "rag-rrf",
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
    Ok(match name {
        "stateless" => Box::new(Recent::new(kit, Window::Stateless)),
        "buffer-4" => Box::new(Recent::new(kit, Window::Buffer(4))),
        "last-turns" => Box::new(Recent::new(kit, Window::Last)),
        "full-context" => Box::new(Recent::new(kit, Window::Full)),
        "rag-dense" => Box::new(Rag::new(kit, Search::Dense)),
        "rag-bm25" => Box::new(Rag::new(kit, Search::Words)),
        "rag-rrf" => Box::new(Rag::new(kit, Search::Fused)),
        variant => Box::new(Weir::named(variant, kit)?),
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
