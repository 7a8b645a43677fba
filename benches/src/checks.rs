//! `weir-bench checks`: verdicts of checks on claims of answers, against labels by hand.
//!
//! The pairs are in `benches/questions/checks.tsv`: a claim, and a statement with its speaker. Each
//! check says of every pair whether the statement supports the claim, contradicts it, or neither.
//! Caveat: the claims are of the length and form of answers, but no program wrote them.

use crate::files;
use crate::options::LocalModelArgs;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use weir_core::answer::{CheckClaim, EntailmentCheck, LexicalCheck, PromptedCheck};
use weir_core::text::{SpeakerText, Verdict};
use weir_models::EntailmentModel;

const HALVES: [&str; 2] = ["development", "held-out"];
const COLUMNS: [&str; 6] = ["half", "label", "kind", "claim", "speaker", "statement"];

#[derive(clap::Args)]
pub(crate) struct ChecksArgs {
    /// Table of labelled pairs
    #[arg(long, default_value = "benches/questions/checks.tsv")]
    pairs: PathBuf,
    #[command(flatten)]
    local: LocalModelArgs,
    /// Model of natural-language inference: a folder
    #[arg(long, value_name = "DIR")]
    nli: Option<PathBuf>,
}

/// A pair with its label.
struct Pair {
    half: usize,
    label: Verdict,
    /// Claim, speaker and statement.
    texts: [String; 3],
}

/// Measures and prints.
pub(crate) fn run(args: &ChecksArgs) -> Result<()> {
    let mut checks: Vec<Box<dyn CheckClaim>> = vec![Box::new(LexicalCheck)];
    if let Some(generator) = args.local.load()? {
        checks.push(Box::new(PromptedCheck::new(Box::new(generator))));
    }
    if let Some(folder) = &args.nli {
        let model = EntailmentModel::load(folder)?;
        checks.push(Box::new(EntailmentCheck::new(Box::new(model))));
    }
    let pairs = read(&args.pairs)?;
    let mut out = std::io::stdout().lock();
    for check in checks {
        for row in rows(check, &pairs)? {
            writeln!(out, "{row}")?;
        }
    }
    Ok(())
}

/// The pairs of a table.
fn read(table: &Path) -> Result<Vec<Pair>> {
    let name = table.display();
    let pair = |[half, label, _, claim, speaker, statement]: [String; 6]| {
        let at = HALVES.iter().position(|it| *it == half);
        let wrong = || format!("{name}: `{label}` is no label");
        Ok(Pair {
            half: at.with_context(|| format!("{name}: `{half}` is no half"))?,
            label: serde_json::from_value(label.as_str().into()).with_context(wrong)?,
            texts: [claim, speaker, statement],
        })
    };
    let rows = files::table(table, COLUMNS)?;
    rows.into_iter().map(pair).collect()
}

/// Verdicts of a check on each half: F1 of the verdict "supported", with the two shares behind it;
/// the number of pairs by label (row) and verdict (column): supported, contradicted, neither; the
/// mean time of a verdict.
fn rows(mut check: Box<dyn CheckClaim>, pairs: &[Pair]) -> Result<[Value; 2]> {
    let mut of_halves = [[[0_usize; 3]; 3]; 2];
    let began = Instant::now();
    for Pair { half, label, texts } in pairs {
        let [claim, speaker, statement] = texts.each_ref().map(String::as_str);
        let of = |speaker, text| SpeakerText { speaker, text };
        let verdict = check.check(of(None, claim), of(Some(speaker), statement))?;
        of_halves[*half][*label as usize][verdict as usize] += 1;
    }
    let verdict_ms = began.elapsed().as_secs_f64() * 1e3 / pairs.len().max(1) as f64;
    let share = |of: usize, all: usize| of as f64 / all.max(1) as f64;
    Ok([0, 1].map(|half| {
        let confusion = of_halves[half];
        let all: usize = confusion.iter().flatten().sum();
        let right = confusion[0][0];
        let labelled: usize = confusion[0].iter().sum();
        let found: usize = confusion.iter().map(|row| row[0]).sum();
        json!({
            "check": check.name(),
            "half": HALVES[half],
            "pairs": all,
            "accuracy": share((0..3).map(|at| confusion[at][at]).sum(), all),
            "supported_f1": share(2 * right, labelled + found),
            "supported_precision": share(right, found),
            "supported_recall": share(right, labelled),
            "confusion": confusion,
            "verdict_ms": verdict_ms,
        })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, BTreeSet};

    fn table() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("questions/checks.tsv")
    }

    #[test]
    fn there_are_200_different_pairs_half_of_each_kind_held_out() {
        let rows = files::table(&table(), COLUMNS).expect("the pairs");
        assert_eq!(rows.len(), 200);
        let mut kinds: BTreeMap<_, i32> = BTreeMap::new();
        for [half, label, kind, ..] in &rows {
            let apart = if half == "held-out" { 1 } else { -1 };
            *kinds.entry((label, kind)).or_default() += apart;
        }
        assert!(kinds.values().all(|apart| *apart == 0), "{kinds:?}");
        let texts: BTreeSet<_> = rows.iter().map(|row| (&row[3], &row[5])).collect();
        assert_eq!(texts.len(), 200);
    }

    #[test]
    fn the_check_by_words_is_right_on_most_pairs() {
        let pairs = read(&table()).expect("the pairs");
        let words = rows(Box::new(LexicalCheck), &pairs).expect("no model");
        for half in &words {
            let number = |name: &str| half[name].as_f64().expect("a number");
            assert_eq!(half["pairs"], 100);
            assert!(number("accuracy") > 0.7, "{half}");
            assert!(number("supported_precision") > 0.85, "{half}");
        }
    }
}
