//! `weir memory`: shows a session, and moves one to another encoder.

use crate::cli::args::Global;
use crate::cli::asking::view;
use crate::cli::failure::Exit;
use crate::cli::loading::wiring;
use crate::cli::session::change;
use crate::cli::session::entities;
use crate::cli::session::memory_args::{MemoryCommand, ViewArgs};
use crate::cli::session::minutes::Minutes;
use crate::cli::session::transfer;
use crate::cli::terminal::{Terminal, Tint, clock, many, plain, size};
use anyhow::{anyhow, bail};
use std::path::Path;
use weir_core::memory::{Kind, Node, NodeId};
use weir_core::session::{MemoryStats, Session};
use weir_core::talk::{BufferedUtterance, Evidence};
use weir_engine::control;
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::unrecognised;
use weir_engine::views::{self, display_text};

/// Runs the command.
pub(crate) fn run(
    command: MemoryCommand,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    match command {
        MemoryCommand::Tree {
            statements,
            all,
            view,
        } => {
            let session = read(&view, terminal)?;
            tree(&session, (statements, all), &view, terminal)?;
        }
        MemoryCommand::Show { id, view } => show(&read(&view, terminal)?, &id, &view, terminal)?,
        MemoryCommand::Entities(args) => entities::run(&args, terminal)?,
        MemoryCommand::Stats(view) => stats(&read(&view, terminal)?, &view, terminal)?,
        MemoryCommand::Pin { ids, place } => change::pin(&ids, true, &place.session, terminal)?,
        MemoryCommand::Unpin { ids, place } => change::pin(&ids, false, &place.session, terminal)?,
        MemoryCommand::Edit { id, text, place } => {
            change::edit(&id, &text, &place.session, global, terminal)?;
        }
        MemoryCommand::Delete(args) => change::delete(&args, global, terminal)?,
        MemoryCommand::Budget {
            tokens,
            bytes,
            nodes,
            transcript_bytes,
            place,
        } => {
            let budgets = weir_api::Budgets {
                tokens,
                bytes,
                nodes,
                transcript_bytes,
            };
            change::budget(budgets, &place.session, terminal)?;
        }
        MemoryCommand::Export { to, place } => {
            transfer::export(to.as_deref(), &place.session, terminal)?;
        }
        MemoryCommand::Import { from, place } => {
            transfer::import(&from, &place.session, terminal)?;
        }
        MemoryCommand::Reencode { place, encoder } => {
            reencode(&place.session, encoder.as_deref(), global, terminal)?;
        }
    }
    Ok(Exit::Done)
}

fn read(view: &ViewArgs, terminal: &mut Terminal) -> anyhow::Result<Session> {
    Ok(wiring::read(&view.session, terminal)?)
}

fn tree(
    session: &Session,
    (statements, all): (bool, bool),
    view: &ViewArgs,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let tree = session.tree();
    let transcript = wiring::transcript(&view.session);
    if view.json {
        let waiting = unrecognised(&view.session);
        return Ok(terminal.json(&views::tree(session, &transcript, waiting))?);
    }
    let minutes = Minutes {
        tree,
        transcript: &transcript,
        statements,
        all,
    };
    minutes.print(terminal)?;
    minutes.print_unsorted(&unsorted(session), terminal)?;
    tell_unrecognised(&view.session, terminal)
}

/// What was heard and is in no block of the tree yet.
fn unsorted(session: &Session) -> Vec<&BufferedUtterance> {
    let unmounted = session.buffer().unmounted();
    unmounted.map(|(heard, _)| heard).collect()
}

fn show(
    session: &Session,
    id: &str,
    view: &ViewArgs,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let name: NodeId = id.parse().map_err(|why: String| anyhow!(why))?;
    let Some(node) = session.tree().node(name) else {
        bail!(
            "session {} holds no node {name}; it was forgotten or never was (see weir memory tree)",
            view.session.display()
        );
    };
    let transcript = wiring::transcript(&view.session);
    if view.json {
        return Ok(terminal.json(&views::shown_node(session.tree(), node, &transcript))?);
    }
    let kind = match node.kind {
        Kind::Scene => "scene",
        Kind::Event => "event",
        Kind::Unit => "unit",
    };
    let text = plain(&display_text(session.tree(), node, &transcript));
    let text = terminal.tint(Tint::Strong, &text);
    terminal.data(&format!("{kind} {name}: {text}"))?;
    terminal.data(&format!(
        "said at {} of session time; {}; recalled or heard again {}, last at {}",
        clock(node.said_ms),
        many(node.tokens.into(), "token"),
        many(node.frequency.into(), "time"),
        clock(node.last_access_ms)
    ))?;
    if let Some(parent) = node.parent {
        terminal.data(&format!("part of {parent}"))?;
    }
    for child in &node.children {
        terminal.data(&format!("holds {child}"))?;
    }
    for remark in remarks(node) {
        terminal.data(&remark)?;
    }
    for item in &node.evidence {
        terminal.data(&evidence_line(item))?;
    }
    if node.evidence_more > 0 {
        terminal.data(&format!(
            "and {} as evidence",
            many(node.evidence_more.into(), "more utterance")
        ))?;
    }
    Ok(())
}

/// What was done to a node.
fn remarks(node: &Node) -> Vec<String> {
    let mut remarks = Vec::new();
    if node.pinned {
        remarks.push("pinned: kept until it is unpinned".to_owned());
    }
    if node.edited {
        remarks.push("edited by hand; its evidence has the words as heard".to_owned());
    }
    if node.is_key() {
        remarks.push("key words only; the full words are in the transcript".to_owned());
    }
    remarks
}

fn evidence_line(item: &Evidence) -> String {
    let speaker = item.speaker.as_deref().unwrap_or("somebody");
    format!(
        "  {} {}  {}  {}  share {:.2}",
        plain(&item.stream),
        plain(&item.utterance),
        view::span(item.span),
        plain(speaker),
        item.share
    )
}

fn stats(session: &Session, view: &ViewArgs, terminal: &mut Terminal) -> anyhow::Result<()> {
    let kept = weir_loading::bytes_of(&transcript_folder(&view.session));
    if view.json {
        let waiting = unrecognised(&view.session);
        return Ok(terminal.json(&views::stats(session, kept, waiting))?);
    }
    let (stats, config) = (session.stats(), session.config());
    let (memory, tree, encoder) = (&stats.memory, session.tree(), session.encoder());
    let keys = tree.nodes().filter(|node| node.is_key()).count();
    for line in [
        format!(
            "heard     {}, {} of session time",
            many(stats.turns, "turn"),
            clock(stats.stream_ms)
        ),
        format!(
            "memory    {} of {} tokens of text, {} of them in the tree",
            memory.text_tokens, memory.budget_tokens, memory.tokens
        ),
        format!(
            "tree      {}, {}, {}, {keys} of them as key words",
            many(memory.scenes as u64, "scene"),
            many(memory.events as u64, "event"),
            many(memory.amus as u64, "unit")
        ),
        format!(
            "          {} of {} nodes, {} of {}",
            tree.len(),
            config.budget_nodes,
            size(tree.held_bytes() as u64),
            size(config.budget_bytes as u64)
        ),
        format!("known     {}", known_text(memory)),
        format!(
            "raw talk  {} not yet sorted; {} tokens waiting, {} tokens of context, at most {} \
             together",
            many(unsorted(session).len() as u64, "utterance"),
            memory.pending_tokens,
            memory.buffer_tokens,
            config.raw_limits().held
        ),
        format!("held      {} in all", size(memory.bytes as u64)),
        match config.transcript_bytes {
            0 => "transcript none: answers quote what memory itself holds".to_owned(),
            limit => format!("transcript {} of {} on disk", size(kept), size(limit)),
        },
        format!(
            "encoder   {}, {} floats",
            plain(&encoder.name),
            encoder.dimension
        ),
        format!("digest    {}", session.digest()),
    ] {
        terminal.data(&line)?;
    }
    tell_unrecognised(&view.session, terminal)
}

/// "3 beliefs, 12 facts, 900 tokens of sources".
fn known_text(memory: &MemoryStats) -> String {
    let (beliefs, facts) = (memory.beliefs as u64, memory.facts as u64);
    let sources = match memory.source_tokens {
        0 => String::new(),
        tokens => format!(", {} of sources", many(tokens as u64, "token")),
    };
    format!(
        "{}, {}{sources}",
        many(beliefs, "belief"),
        many(facts, "fact")
    )
}

/// Prints the session's unrecognised audio, one line per stream.
fn tell_unrecognised(dir: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
    for stream in unrecognised(dir) {
        if stream.live {
            let seconds = stream.waiting_ms / 1_000;
            terminal.data(&format!("the last {seconds} s are not recognised yet"))?;
        } else {
            terminal.warn(&view::left_unheard(&stream));
        }
    }
    Ok(())
}

fn reencode(
    dir: &Path,
    asked: Option<&str>,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let encoder = wiring::encoder(asked, None, global, terminal)?;
    let done = control::reencode(dir, encoder.as_ref())?;
    let (place, name) = (dir.display(), &encoder.identity().name);
    if let Some(warning) = done.warning {
        terminal.warn(&format!("{place}: {warning}"));
    }
    terminal.note(&match done.units {
        None => format!("{place}: its vectors are from {name} already"),
        Some(units) => format!("{place}: {units} units encoded again with {name}"),
    });
    Ok(())
}
