//! `weir memory entities`: whom and what a session names.

use crate::cli::loading::wiring;
use crate::cli::session::memory_args::EntitiesArgs;
use crate::cli::session::profile::day_of_said;
use crate::cli::terminal::{Terminal, Tint, clock, many, plain};
use anyhow::bail;
use weir_api::{Entities, Entity, EntityAbout, EntityKind, Quoted};
use weir_engine::views;

/// Runs the command.
pub(crate) fn run(args: &EntitiesArgs, terminal: &mut Terminal) -> anyhow::Result<()> {
    let session = wiring::read(&args.view.session, terminal)?;
    let transcript = wiring::transcript(&args.view.session);
    let kind = args.kind.map(EntityKind::from);
    let name = args.name.as_deref();
    let found = views::entities(&session, &transcript, name, kind);
    if let Some(name) = name.filter(|_| found.about.is_none()) {
        bail!(
            "no statement that memory holds names {}, or several things have that name; `weir \
             memory entities` lists what is named, `weir search` looks for any words",
            plain(name)
        );
    }
    if args.view.json {
        return Ok(terminal.json(&found)?);
    }
    match &found.about {
        Some(about) => print_one(&found.entities[0], about, terminal),
        None => print_all(&found, kind, terminal),
    }
}

fn print_all(
    found: &Entities,
    kind: Option<EntityKind>,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    if found.entities.is_empty() {
        let what = match kind {
            Some(kind) => format!("no {} is named", word(kind)),
            None => "nothing is named".to_owned(),
        };
        terminal.note(&format!(
            "{what} in words that memory still has; names are read in English, when talk is sorted \
             into memory, and not in sessions of an earlier weir"
        ));
    }
    for it in &found.entities {
        let name = terminal.tint(Tint::Strong, &plain(&it.name));
        let count = many(it.statements as u64, "statement");
        let also = match it.also.is_empty() {
            true => String::new(),
            false => format!("; also {}", plain(&it.also.join(", "))),
        };
        terminal.data(&format!("{:<12} {name}  {count}{also}", word(it.kind)))?;
    }
    Ok(())
}

fn print_one(entity: &Entity, about: &EntityAbout, terminal: &mut Terminal) -> anyhow::Result<()> {
    let name = terminal.tint(Tint::Strong, &plain(&entity.name));
    let mut line = format!("{name}: {}", word(entity.kind));
    if !entity.also.is_empty() {
        line.push_str(&format!("; also {}", plain(&entity.also.join(", "))));
    }
    terminal.data(&line)?;
    for it in &about.relations {
        let subject = it.subject.as_deref().unwrap_or("somebody");
        let when = terminal.tint(Tint::Faint, &format!("({})", when(&it.source)));
        let line = format!("  {subject} {} {}", it.relation, it.object);
        terminal.data(&format!("{}  {when}", plain(&line)))?;
    }
    if !about.beside.is_empty() {
        let names = about.beside.iter().map(|it| match it.statements {
            1 => it.name.clone(),
            times => format!("{} ({times})", it.name),
        });
        let names: Vec<String> = names.collect();
        terminal.data(&format!("named with: {}", plain(&names.join(", "))))?;
    }
    for it in &about.said {
        let who = it.evidence.speaker.as_deref().unwrap_or("somebody");
        let quote = it
            .quote
            .as_deref()
            .unwrap_or("(its words are no longer kept)");
        let when = terminal.tint(Tint::Faint, &when(it));
        terminal.data(&format!("{when}  {}: {}", plain(who), plain(quote)))?;
    }
    Ok(())
}

/// "8 May 2023", or "05:12.0" of a recording without a date.
fn when(of: &Quoted) -> String {
    day_of_said(of.evidence.said_at_unix_ms).unwrap_or_else(|| clock(of.evidence.span.start_ms))
}

fn word(kind: EntityKind) -> &'static str {
    match kind {
        EntityKind::Person => "person",
        EntityKind::Place => "place",
        EntityKind::Organisation => "organisation",
        EntityKind::Thing => "thing",
    }
}
