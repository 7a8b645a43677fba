//! `weir-bench weigh`: the ranker's features, for training.
//!
//! The first line names the features. Then each probe has a line with its best statements, found in
//! a memory that holds the whole stream.

use crate::drive;
use crate::method::MethodContext;
use crate::options::{EncoderArgs, StreamArgs, TrainedArgs};
use crate::stream::Category;
use anyhow::Result;
use serde::Serialize;
use serde_json::json;
use std::io::{BufWriter, Write};
use weir_core::answer::Question;
use weir_core::limits;
use weir_core::recall::{Ranker, RankerRow};
use weir_core::session::EncoderStamp;

/// Options of `weigh`.
#[derive(clap::Args)]
pub(crate) struct WeighArgs {
    #[command(flatten)]
    streams: StreamArgs,
    #[command(flatten)]
    encoder: EncoderArgs,
    #[command(flatten)]
    trained: TrainedArgs,
}

#[derive(Serialize)]
struct Weighed<'a> {
    stream: &'a str,
    id: &'a str,
    question: &'a str,
    answer: Option<&'a str>,
    category: Option<Category>,
    evidence: &'a [String],
    statements: Vec<RankerRow>,
    /// The statements without those of the evidence.
    without_evidence: Vec<RankerRow>,
}

/// Writes the features.
pub(crate) fn run(args: &WeighArgs) -> Result<()> {
    args.trained.install()?;
    let kit = MethodContext::plain(args.encoder.open()?, None);
    let mut out = BufWriter::new(std::io::stdout().lock());
    let stamp = EncoderStamp::of(kit.encoder().as_ref());
    // `projected`: whether the vectors only project the terms
    let head = json!({
        "projected": stamp.is_projected(),
        "encoder": stamp.name,
        "features": Ranker::features(),
    });
    writeln!(out, "{head}")?;
    for stream in args.streams.read()? {
        let mut memory = drive::memory(limits::BUDGET_TOKENS_MAX, &kit)?;
        drive::hear_stream(&mut memory, &stream, &kit)?;
        for probe in stream.probes() {
            let found_by = kit.asked_by(&probe.question)?;
            let question = Question::new(&*probe.question, found_by, probe.asked_by.clone());
            let found = memory.session().search(&question);
            let line = Weighed {
                stream: &stream.name,
                id: &probe.id,
                question: &probe.question,
                answer: probe.gold.answer.as_deref(),
                category: probe.gold.category,
                evidence: &probe.gold.evidence,
                statements: found.weighed(&[]),
                without_evidence: found.weighed(&probe.gold.evidence),
            };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        }
    }
    Ok(out.flush()?)
}
