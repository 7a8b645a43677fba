//! Erases what was asked for from a session and its files, and prints the receipt.

use crate::cli::args::Global;
use crate::cli::asking::view;
use crate::cli::loading::wiring;
use crate::cli::session::changing::carry_out;
use crate::cli::session::memory_args::EraseArgs;
use crate::cli::terminal::{Terminal, many, plain};
use std::sync::Arc;
use weir_api::{Change, Receipt};
use weir_core::session::{EncoderStamp, Session, Target};
use weir_core::stream::Span;
use weir_engine::control::api_target;
use weir_engine::pipeline::{WouldErase, would_erase};
use weir_engine::store::TranscriptReader;
use weir_engine::views::display_text;
use weir_models::Encode;

/// Erases the targets, or lists them. Returns whether they were erased.
pub(crate) fn erase(
    targets: &[Target],
    args: &EraseArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<bool> {
    let dir = &args.session;
    let session = wiring::read(dir, terminal)?;
    let encoder = encoder_of(&session, global, terminal);
    if !args.yes {
        let transcript = wiring::transcript(dir);
        let would = would_erase(&session, dir, targets, encoder.as_deref(), &transcript)?;
        preview(&session, &would, &transcript, terminal)?;
        terminal.note("nothing was erased; add --yes to do it");
        return Ok(false);
    }
    let targets = targets.iter().map(api_target).collect();
    let done = carry_out(dir, Change::Erase { targets }, encoder)?;
    let done = done.receipt.unwrap_or_default();
    if args.json {
        terminal.json(&done)?;
    } else {
        for line in receipt(&done) {
            terminal.data(&line)?;
        }
    }
    Ok(true)
}

/// The session's encoder. Erasing works without it too.
fn encoder_of(
    session: &Session,
    global: &Global,
    terminal: &mut Terminal,
) -> Option<Arc<dyn Encode>> {
    let encoder = wiring::encoder(None, Some(session.encoder()), global, terminal).ok();
    let own = session.encoder();
    let encoder = encoder.filter(|it| EncoderStamp::of(it.as_ref()).makes_vectors_of(own));
    if encoder.is_none() {
        terminal.warn(
            "the session's encoder is not installed, so text that was also said elsewhere is \
             erased there too",
        );
    }
    encoder
}

fn preview(
    session: &Session,
    would: &WouldErase,
    transcript: &TranscriptReader,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let (tree, erasure) = (session.tree(), &would.erasure);
    terminal.data(&format!(
        "would erase {}, {}, {:.1} s of recorded sound",
        many(would.erased.utterances as u64, "utterance"),
        many(would.erased.nodes as u64, "node"),
        would.audio_ms as f64 / 1_000.0
    ))?;
    for (stream, id) in &erasure.utterances {
        terminal.data(&format!("utterance {} {}", plain(stream), plain(id)))?;
    }
    for &id in &erasure.units {
        let said = tree
            .node(id)
            .map(|node| display_text(tree, node, transcript));
        terminal.data(&format!("unit {id}: {}", plain(&said.unwrap_or_default())))?;
    }
    for audio in &erasure.audio {
        let span = view::span(audio.span);
        terminal.data(&format!("audio {} {span}", plain(&audio.file)))?;
    }
    Ok(())
}

/// Which files of the session no longer have it, and what that does not prove.
pub(crate) fn rewritten(receipt: &Receipt) -> Vec<String> {
    let files = receipt.files.iter();
    let mut lines: Vec<String> = files
        .map(|file| format!("rewritten {}", plain(file)))
        .collect();
    lines.extend(receipt.not_overwritten.iter().map(|old| {
        let (file, why) = (plain(&old.file), plain(&old.why));
        format!("remains   old bytes of {file} were not overwritten: {why}")
    }));
    lines.push(format!("limits    {}", receipt.limits));
    lines
}

/// What was erased, as lines.
pub(crate) fn receipt(receipt: &Receipt) -> Vec<String> {
    let done = &receipt.erased;
    let mut lines = vec![
        format!("erased    {}", many(done.utterances as u64, "utterance")),
        format!(
            "memory    {} nodes erased, {} units kept by other evidence, {} summaries rebuilt",
            done.nodes, done.rewritten, done.summaries
        ),
        format!(
            "audio     {:.1} s silenced",
            receipt.audio_ms as f64 / 1_000.0
        ),
    ];
    let (beliefs, facts) = (done.beliefs as u64, done.facts as u64);
    if beliefs + facts > 0 {
        let (beliefs, facts) = (many(beliefs, "belief"), many(facts, "fact"));
        lines.push(format!("known     {beliefs} and {facts} erased"));
    }
    lines.extend(rewritten(receipt));
    lines.extend(receipt.left.iter().map(|audio| {
        format!(
            "left      {} {}: your own file; erase it there yourself",
            plain(&audio.file),
            view::span(Span::new(audio.start_ms, audio.end_ms))
        )
    }));
    if receipt.untraced > 0 {
        lines.push(format!(
            "untraced  {} more utterances had the same text; their ids were not kept, so their \
             recorded audio may remain",
            receipt.untraced
        ));
    }
    lines
}
