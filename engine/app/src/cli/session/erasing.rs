//! Erases what was asked for from a session and its files, and prints the receipt.

use crate::cli::args::Global;
use crate::cli::asking::view;
use crate::cli::loading::wiring;
use crate::cli::session::changing::{apply, open};
use crate::cli::session::memory_args::EraseArgs;
use crate::cli::session::node_words::display_text;
use crate::cli::terminal::{Terminal, many, plain};
use std::path::Path;
use std::sync::Arc;
use weir_core::session::{EncoderStamp, EraseError, Erasure, Input, Session, Target};
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::{Receipt, TranscriptReader};
use weir_models::Encode;

/// Erases the targets, or lists them. Returns whether they were erased.
pub(crate) fn erase(
    targets: &[Target],
    args: &EraseArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<bool> {
    let opened = open(&args.session)?;
    let transcript = TranscriptReader::open(&transcript_folder(&args.session));
    let erasure = match erasure(&opened.session, targets, &transcript, global, terminal) {
        Ok(erasure) => erasure,
        Err(nothing) => {
            opened.writer.release()?;
            return Err(nothing.into());
        }
    };
    if !args.yes {
        preview(&opened.session, &erasure, &transcript, terminal)?;
        opened.writer.release()?;
        terminal.note("nothing was erased; add --yes to do it");
        return Ok(false);
    }
    let input = Input::Erase(Box::new(erasure.clone()));
    let (mut opened, outcome) = apply(opened, &input)?;
    let erased = outcome.erased.unwrap_or_default();
    for name in opened.session.forgetting(targets) {
        opened = apply(opened, &name)?.0;
    }
    let (writer, done) = opened.writer.erase(&opened.session, &erasure, erased)?;
    writer.release()?;
    if args.json {
        terminal.data(&serde_json::to_string(&done)?)?;
    } else {
        for line in receipt(&done) {
            terminal.data(&line)?;
        }
    }
    Ok(true)
}

/// What to erase. Erasing works without the session's encoder too.
fn erasure(
    session: &Session,
    targets: &[Target],
    transcript: &TranscriptReader,
    global: &Global,
    terminal: &mut Terminal,
) -> Result<Erasure, EraseError> {
    let encoder = wiring::encoder(None, Some(session.encoder()), global, terminal);
    let encoder: Option<Arc<dyn Encode>> = match encoder {
        Ok(encoder) if EncoderStamp::of(encoder.as_ref()).makes_vectors_of(session.encoder()) => {
            Some(encoder)
        }
        _ => {
            terminal.warn(
                "the session's encoder is not installed, so text that was also said elsewhere is \
                 erased there too",
            );
            None
        }
    };
    session.erasure(targets, encoder.as_deref(), Some(transcript))
}

fn preview(
    session: &Session,
    erasure: &Erasure,
    transcript: &TranscriptReader,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let tree = session.tree();
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
    let name = |file: &Path| plain(&file.display().to_string());
    let files = receipt.files.iter();
    let mut lines: Vec<String> = files
        .map(|file| format!("rewritten {}", name(file)))
        .collect();
    lines.extend(receipt.not_overwritten.iter().map(|old| {
        let (file, why) = (name(&old.file), plain(&old.why));
        format!("remains   old bytes of {file} were not overwritten: {why}")
    }));
    lines.push(format!("limits    {}", receipt.limits));
    lines
}

/// What was erased, as lines.
pub(crate) fn receipt(receipt: &Receipt) -> Vec<String> {
    let done = &receipt.session;
    let mut lines = vec![
        format!(
            "erased    {}, {} of them still held verbatim",
            many(done.utterances as u64, "utterance"),
            done.raw
        ),
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
            view::span(audio.span)
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
