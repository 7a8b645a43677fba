//! `weir-bench checks`: verdicts of checks on claims of answers, against labels by hand.
//!
//! The pairs are in `benches/questions/checks.tsv`: a claim, and a statement with its speaker. Each
//! check says of every pair whether the statement supports the claim, contradicts it, or neither.
//! Caveat: the claims are of the length and form of answers, but no program wrote them.

use crate::files;
use crate::options::LocalModelArgs;
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use weir_core::answer::{CheckClaim, CheckError, EntailmentCheck, LexicalCheck, PromptedCheck};
use weir_core::text::{SpeakerText, Verdict, stems};
use weir_models::EntailmentModel;

/// Least share of a claim's words that the simple rule takes for support.
const OVERLAP_MIN: f32 = 0.8;

/// Options of `checks`.
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
    /// Print each pair with a wrong verdict, too
    #[arg(long)]
    wrong: bool,
}

/// A pair with its label.
struct Pair {
    half: String,
    label: Verdict,
    kind: String,
    claim: String,
    speaker: String,
    statement: String,
}

/// What one check said of all pairs.
struct Said {
    name: String,
    verdicts: Vec<Verdict>,
    verdict_ms: f64,
}

/// Supported where most of the claim's words are in the statement; it contradicts nothing.
struct Overlap;

impl CheckClaim for Overlap {
    fn name(&self) -> &'static str {
        "overlap of words"
    }

    fn check(
        &mut self,
        claim: SpeakerText<'_>,
        statement: SpeakerText<'_>,
    ) -> Result<Verdict, CheckError> {
        let (own, said) = (stems(claim.text), stems(&statement.to_string()));
        let shared = own.intersection(&said).count() as f32;
        Ok(match shared >= OVERLAP_MIN * own.len() as f32 {
            true => Verdict::Supported,
            false => Verdict::Neither,
        })
    }
}

/// Measures and prints.
pub(crate) fn run(args: &ChecksArgs) -> Result<()> {
    let mut checks: Vec<Box<dyn CheckClaim>> = vec![Box::new(Overlap), Box::new(LexicalCheck)];
    if let Some(generator) = args.local.load()? {
        checks.push(Box::new(PromptedCheck::new(Box::new(generator))));
    }
    if let Some(folder) = &args.nli {
        let model = EntailmentModel::load(folder)?;
        checks.push(Box::new(EntailmentCheck::new(Box::new(model))));
    }
    let pairs = read(&args.pairs)?;
    let said = checks.into_iter().map(|check| asked(check, &pairs));
    print(&pairs, &said.collect::<Result<Vec<_>>>()?, args.wrong)
}

/// Prints rows as JSON Lines.
fn print(pairs: &[Pair], said: &[Said], wrong: bool) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for said in said {
        for half in ["development", "held-out"] {
            writeln!(out, "{}", row(said, half, pairs))?;
        }
    }
    for said in said.iter().filter(|_| wrong) {
        for (pair, verdict) in pairs.iter().zip(&said.verdicts) {
            if *verdict != pair.label {
                let wrong = json!({
                    "check": said.name,
                    "half": pair.half,
                    "kind": pair.kind,
                    "label": pair.label,
                    "verdict": verdict,
                    "claim": pair.claim,
                    "statement": pair.statement().to_string(),
                });
                writeln!(out, "{wrong}")?;
            }
        }
    }
    Ok(())
}

impl Pair {
    fn statement(&self) -> SpeakerText<'_> {
        SpeakerText {
            speaker: Some(&self.speaker),
            text: &self.statement,
        }
    }
}

/// The pairs of a table: half, label, kind, claim, speaker, statement.
fn read(table: &Path) -> Result<Vec<Pair>> {
    let name = table.display();
    let text = files::text(table)?;
    let pair = |(at, line): (usize, &str)| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [half, label, kind, claim, speaker, statement] = columns[..] else {
            bail!(
                "{name}: line {} has {} columns, not 6",
                at + 1,
                columns.len()
            );
        };
        let known = ["development", "held-out"].contains(&half);
        ensure!(known, "{name}: line {}: `{half}` is no half", at + 1);
        let label = serde_json::from_value(label.into());
        Ok(Pair {
            half: half.to_owned(),
            label: label.with_context(|| format!("{name}: line {}: the label", at + 1))?,
            kind: kind.to_owned(),
            claim: claim.to_owned(),
            speaker: speaker.to_owned(),
            statement: statement.to_owned(),
        })
    };
    text.lines().enumerate().skip(1).map(pair).collect()
}

fn asked(mut check: Box<dyn CheckClaim>, pairs: &[Pair]) -> Result<Said> {
    let began = Instant::now();
    let verdict = |pair: &Pair| {
        let claim = SpeakerText {
            speaker: None,
            text: &pair.claim,
        };
        check.check(claim, pair.statement())
    };
    let verdicts: Vec<Verdict> = pairs.iter().map(verdict).collect::<Result<_, _>>()?;
    let took_ms = began.elapsed().as_secs_f64() * 1e3;
    Ok(Said {
        name: check.name().to_owned(),
        verdicts,
        verdict_ms: took_ms / pairs.len().max(1) as f64,
    })
}

/// Verdicts of one check on one half: F1 of the verdict "supported", with the two shares behind it;
/// the number of pairs by label (row) and verdict (column): supported, contradicted, neither; the
/// mean time of a verdict.
fn row(said: &Said, half: &str, pairs: &[Pair]) -> Value {
    let mut confusion = [[0_usize; 3]; 3];
    for (pair, verdict) in pairs.iter().zip(&said.verdicts) {
        if pair.half == half {
            confusion[pair.label as usize][*verdict as usize] += 1;
        }
    }
    let all: usize = confusion.iter().flatten().sum();
    let right = confusion[0][0];
    let labelled: usize = confusion[0].iter().sum();
    let found: usize = confusion.iter().map(|row| row[0]).sum();
    json!({
        "check": said.name,
        "half": half,
        "pairs": all,
        "accuracy": share((0..3).map(|at| confusion[at][at]).sum(), all),
        "supported_f1": share(2 * right, labelled + found),
        "supported_precision": share(right, found),
        "supported_recall": share(right, labelled),
        "confusion": confusion,
        "verdict_ms": said.verdict_ms,
    })
}

fn share(of: usize, all: usize) -> f64 {
    of as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn pairs() -> Vec<Pair> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("questions");
        read(&folder.join("checks.tsv")).expect("the pairs")
    }

    #[test]
    fn there_are_200_different_pairs_half_of_each_kind_held_out() {
        let pairs = pairs();
        assert_eq!(pairs.len(), 200);
        let mut kinds: BTreeMap<_, i32> = BTreeMap::new();
        for pair in &pairs {
            let held_out = pair.half == "held-out";
            *kinds.entry((pair.label, &pair.kind)).or_default() += if held_out { 1 } else { -1 };
        }
        assert!(kinds.values().all(|apart| *apart == 0), "{kinds:?}");
        let texts: BTreeMap<_, _> = pairs.iter().map(|it| (&it.claim, &it.statement)).collect();
        assert_eq!(texts.len(), 200);
    }

    #[test]
    fn the_check_by_words_is_better_than_their_overlap() {
        let pairs = pairs();
        let words = asked(Box::new(LexicalCheck), &pairs).expect("no model");
        let simple = asked(Box::new(Overlap), &pairs).expect("no model");
        for half in ["development", "held-out"] {
            let (words, simple) = (row(&words, half, &pairs), row(&simple, half, &pairs));
            let number = |row: &Value, name: &str| row[name].as_f64().expect("a number");
            assert_eq!(words["pairs"], 100);
            assert!(
                number(&words, "accuracy") > number(&simple, "accuracy") + 0.1,
                "{half}"
            );
            assert!(number(&words, "supported_precision") > 0.85, "{half}");
        }
    }
}
