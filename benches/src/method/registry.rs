//! Methods by name: baselines and Weir's variants.

use super::baselines::{self, BASELINES};
use super::weir::{VARIANTS, Weir};
use super::{Method, MethodContext};
use anyhow::{Result, bail};
use std::sync::Arc;

/// The full names of the requested methods: names, or the groups `all`, `baselines` and `variants`;
/// without duplicates, in the given order. `writer` is the writer's name, which is added to the
/// names of methods that use one.
///
/// # Errors
/// The name is not a method.
pub fn named(asked: &[String], writer: &str) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        let full = baselines::full_name(name, writer);
        if !names.contains(&full) {
            names.push(full);
        }
    };
    let variants = || VARIANTS.iter().map(|(name, ..)| *name);
    for name in asked {
        match name.as_str() {
            "all" => BASELINES
                .iter()
                .copied()
                .chain(variants())
                .for_each(&mut add),
            "baselines" => BASELINES.iter().copied().for_each(&mut add),
            "variants" => variants().for_each(&mut add),
            known if baselines::is_known(known) || variants().any(|name| name == known) => {
                add(known);
            }
            other => bail!(
                "no method is called `{other}`; known are the groups all, baselines and variants, \
                 and {}, {}",
                BASELINES.join(", "),
                variants().collect::<Vec<_>>().join(", ")
            ),
        }
    }
    Ok(names)
}

/// An empty memory of the method with that name.
///
/// # Errors
/// No method has the name, or its settings are out of range.
pub fn build(name: &str, kit: Arc<MethodContext>) -> Result<Box<dyn Method>> {
    match baselines::is_known(name) {
        true => baselines::baseline(name, kit),
        false => Ok(Box::new(Weir::named(name, kit)?)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(asked: &[&str]) -> Result<Vec<String>> {
        let asked: Vec<String> = asked.iter().map(|name| (*name).to_owned()).collect();
        super::named(&asked, "extractive")
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
