//! Opinions by rules against labels of people: the polarity of given terms, and what is extracted.
//!
//! MAMS (reviews of restaurants, each sentence with terms of different polarity) and `DiaASQ`
//! (talk about phones: target, aspect, polarity). The word weights of `affect_of_term` are trained
//! on MAMS's training part; nothing is tuned on the parts measured here by default.

mod diaasq;
mod lexicon;
mod mams;
mod ours;
mod score;

use anyhow::Result;
use lexicon::Lexicon;
use std::path::{Path, PathBuf};
use weir_core::distil::Observer;

/// Options of `opinions`.
#[derive(clap::Args)]
pub(crate) struct OpinionsArgs {
    /// Folder with `mams`, `diaasq` and `vader`
    data: PathBuf,
    /// Part of MAMS: train, val
    #[arg(long, default_value = "val")]
    part: String,
    /// Also print each opinion that the rules find
    #[arg(long)]
    show: bool,
}

/// Measures the rules with a generator beside them on the first sentences of MAMS.
///
/// # Errors
/// A file cannot be read, or the generator fails.
pub(crate) fn run_observed(
    data: &Path,
    sample: usize,
    show: bool,
    observer: &mut Observer,
) -> Result<()> {
    let mut sentences = mams::read(&data.join("mams/ATSA/val.xml"))?;
    sentences.truncate(sample);
    mams::measure_observed(&sentences, observer, show, &mut std::io::stdout().lock())
}

/// Measures and prints one JSON object a line.
///
/// # Errors
/// The file that cannot be read.
pub(crate) fn run(args: &OpinionsArgs) -> Result<()> {
    let lexicon = Lexicon::read(&args.data.join("vader/vader_lexicon.txt"))?;
    let mut out = std::io::stdout().lock();
    let file = args.data.join(format!("mams/ATSA/{}.xml", args.part));
    mams::measure(&mams::read(&file)?, &lexicon, args.show, &mut out)?;
    let talks = diaasq::read(&args.data.join("diaasq/valid.json"))?;
    diaasq::measure(&talks, &lexicon, args.show, &mut out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The polarity of given terms stays above the baseline's on data that trained nothing.
    #[test]
    fn given_terms_are_judged_better_than_by_valences() {
        let (Some(mams), Some(vader)) = (
            weir_fixtures::weir_data("mams/ATSA/val.xml"),
            weir_fixtures::weir_data("vader/vader_lexicon.txt"),
        ) else {
            return;
        };
        let sentences = mams::read(&mams).expect("MAMS");
        let lexicon = Lexicon::read(&vader).expect("the lexicon");
        let (weir, valences) = mams::accuracies(&sentences, &lexicon);
        assert!(weir > 0.64 && weir > valences + 0.1, "{weir} {valences}");
    }
}
