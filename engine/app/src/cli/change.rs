//! `weir memory pin|unpin|edit|delete|budget`: changes a session on request.

use super::args::Global;
use super::memory_args::DeleteArgs;
use super::node_words::shown;
use super::terminal::{Terminal, many, plain, size};
use super::view;
use super::{voices, wiring};
use anyhow::{anyhow, bail};
use std::path::Path;
use std::sync::Arc;
use weir_core::memory::NodeId;
use weir_core::session::{
    Budgets, EncoderStamp, EraseError, Erasure, Input, Outcome, Session, Target,
};
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::{EnrolledVoices, Opened, Receipt, TranscriptReader, open_session_any};
use weir_models::Encode;

fn named(id: &str) -> anyhow::Result<NodeId> {
    id.parse().map_err(|why: String| anyhow!(why))
}

fn open(dir: &Path) -> anyhow::Result<Opened> {
    Ok(open_session_any(dir, wiring::counter())?)
}

/// Applies an input. A refused input changes nothing, and the session is closed in order.
fn apply(mut opened: Opened, input: &Input) -> anyhow::Result<(Opened, Outcome)> {
    match opened.session.apply(input) {
        Ok(outcome) => Ok((opened, outcome)),
        Err(refused) => {
            opened.writer.release()?;
            Err(refused.into())
        }
    }
}

fn close(opened: Opened) -> anyhow::Result<()> {
    Ok(opened.writer.close(&opened.session)?)
}

/// Pins all of the units or none.
pub(super) fn pin(
    ids: &[String],
    pinned: bool,
    dir: &Path,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let ids: Vec<NodeId> = ids.iter().map(|id| named(id)).collect::<Result<_, _>>()?;
    let mut opened = open(dir)?;
    for &node in &ids {
        opened = apply(opened, &Input::Pin { node, pinned })?.0;
    }
    for id in ids {
        let word = if pinned { "pinned" } else { "unpinned" };
        let said = opened.session.tree().node(id).map(|node| node.rendered());
        terminal.note(&format!("{word} {id}: {}", said.unwrap_or_default()));
    }
    close(opened)
}

pub(super) fn edit(
    id: &str,
    text: &str,
    dir: &Path,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let node = named(id)?;
    let opened = open(dir)?;
    let encoder = wiring::encoder(None, Some(opened.session.encoder()), global, terminal)?;
    wiring::same_encoder(dir, opened.session.encoder(), encoder.as_ref())?;
    let input = opened.session.editing(node, text, encoder.as_ref())?;
    let (opened, _) = apply(opened, &input)?;
    let said = opened.session.tree().node(node).map(|node| node.rendered());
    terminal.note(&format!("{node} says now: {}", said.unwrap_or_default()));
    close(opened)
}

pub(super) fn budget(budgets: Budgets, dir: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
    if budgets == Budgets::default() {
        bail!("name a budget: --tokens N, --bytes N, --nodes N or --transcript-bytes N");
    }
    let opened = open(dir)?;
    let before = opened.session.tree().len();
    let (opened, _) = apply(opened, &Input::Budget(budgets))?;
    let (config, tree) = (opened.session.config(), opened.session.tree());
    let keys = tree.nodes().filter(|node| node.is_key()).count();
    if keys > 0 && !config.keeps_transcript() {
        terminal.warn(&format!(
            "{keys} statements are held only as key words, and cannot be shown \
             without a transcript"
        ));
    }
    terminal.note(&format!(
        "budget: {} tokens, {}, {} nodes; held: {} tokens, {}, {} nodes ({} forgotten)",
        config.budget_tokens,
        size(config.budget_bytes as u64),
        config.budget_nodes,
        opened.session.text_tokens(),
        size(tree.held_bytes() as u64),
        tree.len(),
        before - tree.len()
    ));
    close(opened)
}

pub(super) fn delete(
    args: &DeleteArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let dir = args.place.session.as_path();
    let mut targets: Vec<Target> = Vec::new();
    for id in &args.ids {
        targets.push(Target::Node(named(id)?));
    }
    for pair in args.utterances.chunks_exact(2) {
        targets.push(Target::Utterance {
            stream: pair[0].clone(),
            id: pair[1].clone(),
        });
    }
    targets.extend(args.speakers.iter().cloned().map(Target::Speaker));
    let opened = open(dir)?;
    let transcript = TranscriptReader::open(&transcript_folder(dir));
    let erasure = match erasure(&opened.session, &targets, &transcript, global, terminal) {
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
        return Ok(());
    }
    let input = Input::Erase(Box::new(erasure.clone()));
    let (mut opened, outcome) = apply(opened, &input)?;
    let erased = outcome.erased.unwrap_or_default();
    for name in opened.session.forgetting(&targets) {
        opened = apply(opened, &name)?.0;
    }
    let (writer, receipt) = opened.writer.erase(&opened.session, &erasure, erased)?;
    writer.release()?;
    if args.json {
        terminal.data(&serde_json::to_string(&receipt)?)?;
    } else {
        print(&receipt, terminal)?;
    }
    tell_enrolled(&args.speakers, global, terminal);
    Ok(())
}

/// Says whose voices are stored beside the session: erasing talk leaves those.
fn tell_enrolled(speakers: &[String], global: &Global, terminal: &mut Terminal) {
    let enrolled = voices::file(global).map(|file| EnrolledVoices::open(&file));
    let Ok(Ok(enrolled)) = enrolled else {
        return;
    };
    let erased = |name: &str| {
        let name = name.to_lowercase();
        speakers.iter().any(|it| it.to_lowercase() == name)
    };
    for voice in enrolled.voices().iter().filter(|it| erased(&it.name)) {
        let name = plain(&voice.name);
        terminal.note(&format!(
            "the voice of {name} stays enrolled; to erase it: weir speakers forget \"{name}\""
        ));
    }
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
        let said = tree.node(id).map(|node| shown(tree, node, transcript));
        terminal.data(&format!("unit {id}: {}", plain(&said.unwrap_or_default())))?;
    }
    for audio in &erasure.audio {
        let span = view::span(audio.span);
        terminal.data(&format!("audio {} {span}", plain(&audio.file)))?;
    }
    Ok(())
}

fn print(receipt: &Receipt, terminal: &mut Terminal) -> anyhow::Result<()> {
    let done = &receipt.session;
    terminal.data(&format!(
        "erased    {}, {} of them still held verbatim",
        many(done.utterances as u64, "utterance"),
        done.raw
    ))?;
    terminal.data(&format!(
        "memory    {} nodes erased, {} units kept by other evidence, {} summaries rebuilt",
        done.nodes, done.rewritten, done.summaries
    ))?;
    let seconds = receipt.audio_ms as f64 / 1_000.0;
    terminal.data(&format!("audio     {seconds:.1} s silenced"))?;
    for file in &receipt.files {
        terminal.data(&format!("rewritten {}", file.display()))?;
    }
    for audio in &receipt.left {
        terminal.data(&format!(
            "left      {} {}: your own file; erase it there yourself",
            plain(&audio.file),
            view::span(audio.span)
        ))?;
    }
    if receipt.untraced > 0 {
        terminal.data(&format!(
            "untraced  {} more utterances had the same text; their ids were not kept, so their \
             recorded audio may remain",
            receipt.untraced
        ))?;
    }
    Ok(())
}
