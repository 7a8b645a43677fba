//! Opinions against labels of people: the polarity of given terms, and what is extracted.
//!
//! MAMS (reviews of restaurants, each sentence with terms of different polarity) and `DiaASQ`
//! (talk about phones: target, aspect, polarity). The word weights of `affect_of_term` are trained
//! on MAMS's training part; nothing is tuned on the parts measured here by default.

mod diaasq;
mod mams;
mod ours;
mod score;

use anyhow::Result;
use std::path::PathBuf;

/// Options of `opinions`.
#[derive(clap::Args)]
pub(crate) struct OpinionsArgs {
    /// Folder with `mams` and `diaasq`
    data: PathBuf,
    /// Part of MAMS: train, val
    #[arg(long, default_value = "val")]
    part: String,
    /// Also print each opinion that is found
    #[arg(long)]
    show: bool,
}

/// Measures and prints one JSON object a line.
pub(crate) fn run(args: &OpinionsArgs) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let file = args.data.join(format!("mams/ATSA/{}.xml", args.part));
    mams::measure(&mams::read(&file)?, args.show, &mut out)?;
    let talks = diaasq::read(&args.data.join("diaasq/valid.json"))?;
    diaasq::measure(&talks, args.show, &mut out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The polarity of given terms stays far above the most frequent class (0.453).
    #[test]
    fn given_terms_are_judged_better_than_by_the_most_frequent_class() {
        let Some(mams) = weir_fixtures::weir_data("mams/ATSA/val.xml") else {
            return;
        };
        let weir = mams::by_weir(&mams::read(&mams).expect("MAMS"));
        assert!(weir.accuracy > 0.64, "{weir:?}");
    }
}
