//! Changes a session on request, wherever it is open: `weir memory pin|unpin|edit|delete|budget`.

use crate::cli::args::Global;
use crate::cli::session::changing::{change, change_with};
use crate::cli::session::erasing::erase;
use crate::cli::session::memory_args::DeleteArgs;
use crate::cli::terminal::{Terminal, plain, size};
use anyhow::{anyhow, bail};
use std::path::Path;
use weir_api::{Budgets, Change, Changed, Named};
use weir_core::session::Target;
use weir_engine::store::EnrolledVoices;
use weir_loading::voices_file;

/// Pins all of the units or none.
pub(crate) fn pin(
    nodes: &[String],
    pinned: bool,
    dir: &Path,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let nodes = nodes.to_vec();
    let done = change(dir, Change::Pin { nodes, pinned })?;
    tell_pinned(&done, pinned, terminal);
    Ok(())
}

/// Says what was pinned or unpinned.
pub(crate) fn tell_pinned(done: &Changed, pinned: bool, terminal: &mut Terminal) {
    let word = if pinned { "pinned" } else { "unpinned" };
    for Named { id, text } in &done.now {
        terminal.note(&format!("{word} {id}: {}", plain(text)));
    }
}

/// Says what the edited thing says now.
pub(crate) fn tell_edited(done: &Changed, terminal: &mut Terminal) {
    for Named { id, text } in &done.now {
        terminal.note(&format!("{id} says now: {}", plain(text)));
    }
}

pub(crate) fn edit(
    id: &str,
    text: &str,
    dir: &Path,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let (node, text) = (id.to_owned(), text.to_owned());
    let edit = Change::Edit {
        node,
        text,
        was: None,
    };
    let done = change_with(dir, edit, global, terminal)?;
    tell_edited(&done, terminal);
    Ok(())
}

pub(crate) fn budget(budgets: Budgets, dir: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
    if budgets == Budgets::default() {
        bail!("name a budget: --tokens N, --bytes N, --nodes N or --transcript-bytes N");
    }
    let done = change(dir, Change::Budget(budgets))?;
    let held = &done.held;
    if held.key_nodes > 0 && held.transcript_bytes == 0 {
        terminal.warn(&format!(
            "{} statements are held only as key words, and cannot be shown without a transcript",
            held.key_nodes
        ));
    }
    terminal.note(&format!(
        "budget: {} tokens, {}, {} nodes; held: {} tokens, {}, {} nodes ({} forgotten)",
        held.budget_tokens,
        size(held.budget_bytes as u64),
        held.budget_nodes,
        held.tokens,
        size(held.bytes as u64),
        held.nodes,
        done.forgotten
    ));
    Ok(())
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
pub(crate) fn target(id: &str) -> anyhow::Result<Target> {
    let belief = id.parse().map(Target::Belief);
    let known = belief.or_else(|_| id.parse().map(Target::Fact)).ok();
    let node = || id.parse().map(Target::Node);
    let target = known.map_or_else(node, Ok);
    target.map_err(|why: String| anyhow!(why))
}

/// Says whose voices are stored beside the session: erasing talk leaves those.
fn tell_enrolled(speakers: &[String], global: &Global, terminal: &mut Terminal) {
    let enrolled = voices_file(global.voices.as_deref()).map(|file| EnrolledVoices::open(&file));
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
