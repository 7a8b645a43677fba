//! `weir source`: text files that questions are answered from beside what was heard.

use crate::cli::args::Global;
use crate::cli::failure::Exit;
use crate::cli::loading::wiring;
use crate::cli::session::changing::{change, change_with};
use crate::cli::session::erasing::rewritten;
use crate::cli::session::source_args::{AddArgs, SourceCommand};
use crate::cli::terminal::{Terminal, many, plain};
use std::path::Path;
use weir_api::{Change, Named};
use weir_core::limits;
use weir_core::session::Session;
use weir_core::sources::Source;
use weir_engine::sourcefile::read_files;
use weir_engine::views::source;

/// Runs the command.
pub(crate) fn run(
    command: SourceCommand,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    match command {
        SourceCommand::Add(args) => add(&args, global, terminal)?,
        SourceCommand::List(view) => {
            list(&wiring::read(&view.session, terminal)?, view.json, terminal)?;
        }
        SourceCommand::Remove { name, place, json } => {
            remove(&name, &place.session, json, terminal)?;
        }
    }
    Ok(Exit::Done)
}

fn add(args: &AddArgs, global: &Global, terminal: &mut Terminal) -> anyhow::Result<()> {
    let change = Change::AddSource {
        name: args.name.trim().to_owned(),
        weight: args.weight,
        texts: read_files(&args.files)?,
    };
    let done = change_with(&args.place.session, change, global, terminal)?;
    for Named { text, .. } in &done.now {
        terminal.note(&format!("added {}", plain(text)));
    }
    terminal.note(&share(done.held.source_tokens, done.held.budget_tokens));
    Ok(())
}

fn share(tokens: usize, budget: usize) -> String {
    format!(
        "sources use {tokens} of {} tokens, their share of a memory of {budget}",
        budget / limits::SOURCES_PART
    )
}

fn list(session: &Session, json: bool, terminal: &mut Terminal) -> anyhow::Result<()> {
    let sources = session.sources().held();
    if json {
        let sources: Vec<weir_api::Source> = sources.map(source).collect();
        return Ok(terminal.json(&sources)?);
    }
    if sources.len() == 0 {
        terminal.note("no source; weir source add FILE --as NAME adds one");
        return Ok(());
    }
    for held in sources {
        let weight = held.weight;
        terminal.data(&format!("{}, weight {weight}", plain(&held.to_string())))?;
        for it in source(held).files {
            let passages = many(it.passages as u64, "passage");
            let (file, lines) = (plain(&it.file), many(u64::from(it.lines), "line"));
            terminal.data(&format!("  {file}  {passages} of {lines}"))?;
        }
    }
    let budget = session.config().budget_tokens;
    terminal.note(&share(session.sources().tokens(), budget));
    Ok(())
}

fn remove(name: &str, dir: &Path, json: bool, terminal: &mut Terminal) -> anyhow::Result<()> {
    let session = wiring::read(dir, terminal)?;
    let before = session.sources().named(name.trim()).map(Source::to_string);
    let name = name.to_owned();
    let receipt = change(dir, Change::RemoveSource { name })?.receipt;
    let receipt = receipt.unwrap_or_default();
    if json {
        return Ok(terminal.json(&receipt)?);
    }
    terminal.data(&format!("erased    {}", plain(&before.unwrap_or_default())))?;
    for line in rewritten(&receipt) {
        terminal.data(&line)?;
    }
    terminal.data("left      your own files, which were only read")?;
    Ok(())
}
