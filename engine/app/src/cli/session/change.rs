//! `weir memory pin|unpin|edit|delete|budget`: changes a session on request.

use crate::cli::args::Global;
use crate::cli::hearing::voices;
use crate::cli::loading::wiring;
use crate::cli::session::changing::{apply, close, open};
use crate::cli::session::erasing::erase;
use crate::cli::session::memory_args::DeleteArgs;
use crate::cli::terminal::{Terminal, plain, size};
use anyhow::{anyhow, bail};
use std::path::Path;
use weir_core::memory::NodeId;
use weir_core::session::{Budgets, Input, Target};
use weir_engine::store::EnrolledVoices;

fn parse_node(id: &str) -> anyhow::Result<NodeId> {
    id.parse().map_err(|why: String| anyhow!(why))
}

/// Pins all of the units or none.
pub(crate) fn pin(
    ids: &[String],
    pinned: bool,
    dir: &Path,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let ids: Vec<NodeId> = ids
        .iter()
        .map(|id| parse_node(id))
        .collect::<Result<_, _>>()?;
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

pub(crate) fn edit(
    id: &str,
    text: &str,
    dir: &Path,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let node = parse_node(id)?;
    let opened = open(dir)?;
    let encoder = wiring::session_encoder(dir, &opened.session, None, global, terminal)?;
    let input = opened.session.editing(node, text, encoder.as_ref())?;
    let (opened, _) = apply(opened, &input)?;
    let said = opened.session.tree().node(node).map(|node| node.rendered());
    terminal.note(&format!("{node} says now: {}", said.unwrap_or_default()));
    close(opened)
}

pub(crate) fn budget(budgets: Budgets, dir: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
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

pub(crate) fn delete(
    args: &DeleteArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let ids = args.ids.iter().map(|id| target(id));
    let mut targets = ids.collect::<anyhow::Result<Vec<Target>>>()?;
    let pairs = args.utterances.chunks_exact(2);
    targets.extend(pairs.map(|pair| Target::Utterance {
        stream: pair[0].clone(),
        id: pair[1].clone(),
    }));
    targets.extend(args.speakers.iter().cloned().map(Target::Speaker));
    if erase(&targets, &args.erase, global, terminal)? {
        tell_enrolled(&args.speakers, global, terminal);
    }
    Ok(())
}

/// A node, a belief or a fact by its name.
fn target(id: &str) -> anyhow::Result<Target> {
    if let Ok(belief) = id.parse() {
        return Ok(Target::Belief(belief));
    }
    match id.parse() {
        Ok(fact) => Ok(Target::Fact(fact)),
        Err(_) => Ok(Target::Node(parse_node(id)?)),
    }
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
