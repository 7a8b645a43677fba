//! `weir-bench titles`: what a generator writes of blocks of talk, and what of it is shown.
//!
//! One JSON object a block: its lines, the quoted heading, the statements that may head it with
//! their features (for `scripts/heading`), the model's title, topic and triplets, each with the
//! reason if it is not shown, and the time. Whether what is shown is right can only be read.
//! Without a generator nothing is written, and the rest is there.

use crate::corpus::spread;
use crate::method::MethodContext;
use crate::options::{EncoderArgs, LocalModelArgs, ServerModelArgs, StreamArgs, optional};
use crate::progress::Progress;
use crate::training::blocks;
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;
use weir_core::distil::{Distil, Extractive, Instructed, choices};
use weir_core::talk::Block;
use weir_models::Encode;

#[derive(clap::Args)]
pub(crate) struct TitlesArgs {
    #[command(flatten)]
    streams: StreamArgs,
    #[command(flatten)]
    encoder: EncoderArgs,
    /// Number of blocks, evenly spread over all streams
    #[arg(long, default_value_t = 100)]
    blocks: usize,
    #[command(flatten)]
    local: LocalModelArgs,
    #[command(flatten)]
    server: ServerModelArgs,
}

/// Measures and prints one JSON object a block.
pub(crate) fn run(args: &TitlesArgs) -> Result<()> {
    let encoder = args.encoder.open()?;
    let kit = MethodContext::plain(Arc::clone(&encoder), None);
    let mut all = Vec::new();
    for stream in args.streams.read()? {
        all.extend(blocks(&stream, &kit)?);
    }
    let chosen = spread(all, Some(args.blocks));
    if chosen.is_empty() {
        bail!("no block: the streams have no talk, or --blocks is 0");
    }
    let mut progress = Progress::new(chosen.len(), "blocks");
    let mut model = optional(&args.local, &args.server)?.map(Instructed::new);
    let mut out = std::io::stdout().lock();
    for block in chosen {
        let mut row = told(&block, encoder.as_ref())?;
        if let Some(model) = &mut model {
            write_of(&mut row, model, &block, encoder.as_ref())?;
        }
        writeln!(out, "{row}")?;
        progress.step(block.fresh.first().map_or("", |it| &it.utterance.stream))?;
    }
    let Some(model) = model else {
        return Ok(());
    };
    let counts = model.counts();
    writeln!(
        std::io::stderr(),
        "{}: {} of {} titles and {} of {} triplets shown; {} of {} blocks failed",
        model.name(),
        counts.titles_kept,
        counts.titles_kept + counts.titles_refused,
        counts.relations_kept,
        counts.relations_kept + counts.relations_refused,
        counts.blocks_failed,
        counts.blocks,
    )?;
    Ok(())
}

/// A block, and what may head it.
fn told(block: &Block, encode: &dyn Encode) -> Result<Value> {
    let plain = Extractive.distil(block, encode)?;
    let lines = block.fresh.iter().map(|heard| heard.utterance.rendered());
    let head = plain.event_evidence.first();
    let heading = plain.units.iter().find(|unit| {
        let both = unit.evidence.first().zip(head);
        both.is_some_and(|(item, head)| item.turn == head.turn && item.part == head.part)
    });
    let choices = choices(block, &plain.units, &plain.scene_vector);
    let choices = choices
        .iter()
        .map(|it| json!({"speaker": it.unit.speaker, "quote": it.quote, "features": it.features}));
    Ok(json!({
        "stream": block.fresh.first().map(|heard| &heard.utterance.stream),
        "lines": lines.collect::<Vec<_>>(),
        "heading": heading.map(|unit| &unit.text),
        "keys": plain.event_text,
        "choices": choices.collect::<Vec<Value>>(),
    }))
}

/// Adds what the model writes of a block.
fn write_of(
    row: &mut Value,
    model: &mut Instructed,
    block: &Block,
    encode: &dyn Encode,
) -> Result<()> {
    let began = Instant::now();
    model.distil(block, encode)?;
    let seconds = began.elapsed().as_secs_f64();
    row["seconds"] = json!((seconds * 100.0).round() / 100.0);
    let Some(written) = model.last_written() else {
        let why = model.last_failure();
        row["failed"] = json!(why.unwrap_or_else(|| "small talk: not asked".to_owned()));
        return Ok(());
    };
    let part = |(text, refused): &(String, Option<_>)| {
        let why = refused.as_ref().map(ToString::to_string);
        json!({"text": text, "refused": why})
    };
    let triplets = written.triplets.iter().map(
        |(it, shown)| json!({"triplet": [it.subject, it.relation, it.object], "shown": shown}),
    );
    row["title"] = part(&written.title);
    row["scene"] = part(&written.scene);
    row["triplets"] = triplets.collect();
    Ok(())
}
