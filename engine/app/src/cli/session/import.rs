//! `weir import`: conversations from files of other programs.

use crate::cli::args::Global;
use crate::cli::failure::{Exit, one_line};
use crate::cli::hearing::interrupt::interrupted_by_ctrl_c;
use crate::cli::loading::wiring;
use crate::cli::session::import_args::ImportArgs;
use crate::cli::terminal::{Terminal, many, plain};
use std::collections::HashSet;
use std::path::Path;
use weir_api::{Import, LeftOutReason};
use weir_core::config::SessionConfig;
use weir_core::limits::TRANSCRIPT_BYTES_DEFAULT;
use weir_core::stream::spoken_line;
use weir_engine::control::{Client, ImportInto, carry_in};
use weir_engine::import::{Found, Plan, Reading, known_ids, read};
use weir_engine::store::is_taken;
use weir_engine::time::zone_here;
use weir_engine::{Memory, SessionHandle};

/// People that a preview names on one line.
const PEOPLE: usize = 8;
/// Letters of a message that a preview shows.
const SHOWN_CHARS: usize = 76;

/// Runs the command.
pub(crate) fn run(
    args: &ImportArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let reading = Reading {
        format: args.format,
        dates: args.dates,
        zone: args.zone.clone().unwrap_or_else(zone_here),
    };
    let (mut found, mut refused) = (Vec::new(), false);
    for file in &args.files {
        match read(file, &file.display().to_string(), &reading) {
            Ok(one) => found.push(one),
            Err(error) => {
                refused = true;
                terminal.fail(&one_line(&error.into()));
            }
        }
    }
    if found.is_empty() {
        return Ok(Exit::NotDone);
    }
    match &args.session {
        Some(dir) if !args.dry_run => import(&found, dir, args, global, terminal)?,
        session => {
            let mut known = known(session.as_deref(), terminal)?;
            for plan in plans(&found, args, &mut known) {
                show(&plan.preview, args, terminal)?;
            }
        }
    }
    Ok(match refused {
        true => Exit::SomeRefused,
        false => Exit::Done,
    })
}

/// The ids that a session has from earlier imports.
fn known(session: Option<&Path>, terminal: &mut Terminal) -> anyhow::Result<HashSet<String>> {
    let Some(dir) = session else {
        return Ok(HashSet::new());
    };
    let held = wiring::read_if_exists(dir, terminal)?;
    Ok(held.map_or_else(HashSet::new, |held| {
        known_ids(&held, &wiring::transcript(dir))
    }))
}

/// What is taken of each file; what one has is left out of those after it.
fn plans(found: &[Found], args: &ImportArgs, known: &mut HashSet<String>) -> Vec<Plan> {
    let names = args.names.iter().cloned().collect();
    let planned = found.iter().map(|one| {
        let plan = one.plan(&names, known);
        let said = plan.streams.iter().flat_map(|it| &it.said);
        known.extend(said.filter_map(|it| it.id.clone()));
        plan
    });
    planned.collect()
}

fn import(
    found: &[Found],
    dir: &Path,
    args: &ImportArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    // where nobody has the session, nobody serves its socket
    let is_elsewhere = Client::connect(dir).is_ok();
    if is_elsewhere || !is_taken(dir) {
        let plans = plans(found, args, &mut known(Some(dir), terminal)?);
        // files without words make no session
        if is_elsewhere || plans.iter().all(|it| it.preview.new == 0) {
            return take(plans, ImportInto::Elsewhere(dir), args, terminal);
        }
    }
    let memory = open(dir, args, global, terminal)?;
    let handle: &SessionHandle = memory.handle();
    let mut known = known_ids(&handle.session(), &wiring::transcript(dir));
    let plans = plans(found, args, &mut known);
    let taken = take(plans, ImportInto::Here(handle), args, terminal);
    memory.close()?;
    taken
}

/// The session, which is made if there is none.
fn open(
    dir: &Path,
    args: &ImportArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Memory> {
    let named = args.encoder.as_deref();
    let encoder = match wiring::read_if_exists(dir, terminal)? {
        Some(session) => wiring::session_encoder(dir, &session, named, global, terminal)?,
        None => wiring::encoder(named, None, global, terminal)?,
    };
    let config = SessionConfig::with_transcript(TRANSCRIPT_BYTES_DEFAULT);
    let memory = Memory::builder_with(encoder).config(config).open(dir)?;
    memory.warnings().iter().for_each(|it| terminal.warn(it));
    Ok(memory)
}

/// Takes in the conversations of all files.
fn take(
    plans: Vec<Plan>,
    session: ImportInto<'_>,
    args: &ImportArgs,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let stop = interrupted_by_ctrl_c()?;
    for mut plan in plans {
        if !args.json {
            show(&plan.preview, args, terminal)?;
        }
        let all = plan.preview.new;
        terminal.progress(Some(all));
        let imported = carry_in(&plan.streams, session, &mut |done| {
            terminal.advance(done, || format!("{done} of {all} messages"));
            !stop.is_set()
        });
        terminal.progress_done();
        let imported = imported?;
        plan.preview.imported = Some(imported);
        if args.json {
            show(&plan.preview, args, terminal)?;
        }
        let (file, into) = (plain(&plan.preview.file), many(imported, "message"));
        terminal.note(&format!("{file}: {into} imported"));
    }
    Ok(())
}

/// Shows what is in a file.
fn show(found: &Import, args: &ImportArgs, terminal: &mut Terminal) -> anyhow::Result<()> {
    if args.json {
        return Ok(terminal.json(found)?);
    }
    let Import {
        format,
        new,
        messages,
        conversations,
        ..
    } = found;
    let file = plain(&found.file);
    let conversations = many(*conversations, "conversation");
    terminal.data(&format!(
        "{file}: {format}, {conversations}, {new} of {messages} messages"
    ))?;
    let day = |at: &Option<String>| {
        at.as_ref()
            .map(|it| it.chars().take(10).collect::<String>())
    };
    if let Some((first, last)) = day(&found.first_at).zip(day(&found.last_at)) {
        terminal.data(&format!("  days      {first} to {last}"))?;
    }
    let named = found.people.iter().take(PEOPLE).map(|it| {
        let name = it.name.as_deref().map_or("unknown".to_owned(), plain);
        format!("{name} {}", it.messages)
    });
    let mut people: Vec<String> = named.collect();
    if found.people.len() > PEOPLE {
        people.push("and others".to_owned());
    }
    if !people.is_empty() {
        terminal.data(&format!("  people    {}", people.join(", ")))?;
    }
    for (line, head) in found.lines.iter().zip(["says", "", ""]) {
        let said = plain(&spoken_line(line.speaker.as_deref(), &line.text));
        let shown: String = said.chars().take(SHOWN_CHARS).collect();
        let more = if shown.len() < said.len() { "…" } else { "" };
        terminal.data(&format!("  {head:<8}  {shown}{more}"))?;
    }
    let left_out = found.left_out.iter();
    let left_out = left_out.map(|it| format!("{} {}", it.count, reason(it.reason)));
    let left_out: Vec<String> = left_out.collect();
    if !left_out.is_empty() {
        terminal.data(&format!("  left out  {}", left_out.join(", ")))?;
    }
    Ok(())
}

/// Why messages are left out, after their number.
fn reason(reason: LeftOutReason) -> &'static str {
    match reason {
        LeftOutReason::Known => "already in the session",
        LeftOutReason::System => "of the program",
        LeftOutReason::Media => "without words (pictures, sound, files)",
        LeftOutReason::Empty => "empty",
        LeftOutReason::Deleted => "deleted",
        LeftOutReason::Tool => "of tools",
        LeftOutReason::Hidden => "hidden",
        LeftOutReason::Branch => "on other branches",
        LeftOutReason::Repeat => "repeated by rolling captions",
        LeftOutReason::Unreadable => "unreadable",
        LeftOutReason::TooLong => "too long",
    }
}
