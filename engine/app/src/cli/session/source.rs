//! `weir source`: text files that questions are answered from beside what was heard.

use crate::cli::args::Global;
use crate::cli::failure::Exit;
use crate::cli::loading::wiring;
use crate::cli::session::changing::{apply, close, open};
use crate::cli::session::erasing::rewritten;
use crate::cli::session::source_args::{AddArgs, SourceCommand};
use crate::cli::terminal::{Terminal, many, plain};
use serde_json::{Value, json};
use std::path::Path;
use weir_core::limits;
use weir_core::session::{Erasure, Input, Session};
use weir_core::sources::Source;
use weir_engine::sourcefile::read_texts;

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
    // every file is read before the session is opened
    let texts = read_texts(&args.files)?;
    let opened = open(&args.place.session)?;
    let (dir, session) = (&args.place.session, &opened.session);
    let encoder = wiring::session_encoder(dir, session, None, global, terminal)?;
    let name = args.name.trim();
    let source = Source::of(name, args.weight, texts, encoder.as_ref())?;
    let (opened, _) = apply(opened, &Input::AddSource(Box::new(source)))?;
    if let Some(added) = opened.session.sources().named(name) {
        terminal.note(&format!("added {}", summary(added)));
    }
    terminal.note(&share(&opened.session));
    close(opened)
}

/// "`house`: 2 files, 31 passages, 2400 tokens".
fn summary(source: &Source) -> String {
    format!(
        "`{}`: {}, {}, {}",
        plain(&source.name),
        many(source.files.len() as u64, "file"),
        many(source.passages.len() as u64, "passage"),
        many(source.tokens() as u64, "token")
    )
}

fn share(session: &Session) -> String {
    let budget = session.config().budget_tokens;
    format!(
        "sources use {} of {} tokens, their share of a memory of {budget}",
        session.sources().tokens(),
        budget / limits::SOURCES_PART
    )
}

fn list(session: &Session, json: bool, terminal: &mut Terminal) -> anyhow::Result<()> {
    let sources = session.sources().held();
    if json {
        let sources: Vec<Value> = sources.map(value).collect();
        return Ok(terminal.data(&serde_json::to_string(&sources)?)?);
    }
    if sources.len() == 0 {
        terminal.note("no source; weir source add FILE --as NAME adds one");
        return Ok(());
    }
    for source in sources {
        let weight = source.weight;
        terminal.data(&format!("{}, weight {weight}", summary(source)))?;
        for (file, passages, lines) in files(source) {
            let passages = many(passages as u64, "passage");
            let (file, lines) = (plain(file), many(u64::from(lines), "line"));
            terminal.data(&format!("  {file}  {passages} of {lines}"))?;
        }
    }
    terminal.note(&share(session));
    Ok(())
}

/// Each file with its number of passages and the last line of them.
fn files(source: &Source) -> impl Iterator<Item = (&str, usize, u32)> {
    (0..).zip(&source.files).map(|(at, file)| {
        let own = || source.passages.iter().filter(move |it| it.file == at);
        let last = own().map(|it| it.last_line).max();
        (file.as_str(), own().count(), last.unwrap_or(0))
    })
}

fn value(source: &Source) -> Value {
    let file =
        |(file, passages, lines)| json!({"file": file, "passages": passages, "lines": lines});
    json!({
        "name": source.name,
        // as it was typed: 0.8, not the nearest float of 64 bits
        "weight": source.weight.to_string().parse::<f64>().ok(),
        "files": files(source).map(file).collect::<Vec<Value>>(),
        "passages": source.passages.len(),
        "tokens": source.tokens(),
    })
}

fn remove(name: &str, dir: &Path, json: bool, terminal: &mut Terminal) -> anyhow::Result<()> {
    let opened = open(dir)?;
    let before = opened.session.sources().named(name.trim()).map(summary);
    let (opened, outcome) = apply(opened, &Input::RemoveSource(name.trim().to_owned()))?;
    let erased = outcome.erased.unwrap_or_default();
    let (writer, receipt) = opened
        .writer
        .erase(&opened.session, &Erasure::default(), erased)?;
    writer.release()?;
    if json {
        return Ok(terminal.data(&serde_json::to_string(&receipt)?)?);
    }
    terminal.data(&format!("erased    {}", before.unwrap_or_default()))?;
    for line in rewritten(&receipt) {
        terminal.data(&line)?;
    }
    terminal.data("left      your own files, which were only read")?;
    Ok(())
}
