//! `weir profile`: what the speakers of a session said of themselves.

use crate::cli::args::Global;
use crate::cli::failure::Exit;
use crate::cli::loading::wiring;
use crate::cli::session::change::{tell_edited, tell_pinned};
use crate::cli::session::changing::{change, change_with};
use crate::cli::session::erasing::erase;
use crate::cli::session::profile_args::{ListArgs, ProfileArgs, ProfileCommand};
use crate::cli::terminal::{Terminal, Tint, clock, many, plain};
use anyhow::{anyhow, bail};
use std::path::Path;
use weir_api::Change;
use weir_core::profile::{EndedBy, FactId, ProfileFact, Profiles};
use weir_core::session::{Session, Target};
use weir_core::talk::Evidence;
use weir_core::text::{FactSlot, date_of, in_words, is_speaker, stems};
use weir_engine::time::zone_here;
use weir_engine::views::{fact, select_facts};

/// Runs the command.
pub(crate) fn run(
    args: ProfileArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let Some(command) = args.command else {
        let Some(list) = args.list else {
            bail!("name a session: weir profile --session DIR");
        };
        show(&list, terminal)?;
        return Ok(Exit::Done);
    };
    match command {
        ProfileCommand::Edit { fact, value, place } => {
            edit(&fact, &value, &place.session, global, terminal)?;
        }
        ProfileCommand::Pin { facts, off, place } => {
            pin(&facts, !off, &place.session, terminal)?;
        }
        ProfileCommand::Delete { facts, args } => {
            let facts: Result<Vec<Target>, _> = facts
                .iter()
                .map(|it| parse_fact(it).map(Target::Fact))
                .collect();
            erase(&facts?, &args, global, terminal)?;
        }
        ProfileCommand::Export {
            speaker,
            tokens,
            place,
        } => {
            let session = wiring::read(&place.session, terminal)?;
            export(&session, speaker.as_deref(), tokens, terminal)?;
        }
    }
    Ok(Exit::Done)
}

fn parse_fact(id: &str) -> anyhow::Result<FactId> {
    id.parse().map_err(|why: String| anyhow!(why))
}

fn show(args: &ListArgs, terminal: &mut Terminal) -> anyhow::Result<()> {
    let session = wiring::read(&args.session, terminal)?;
    let transcript = wiring::transcript(&args.session);
    let profiles = session.profiles();
    let facts = select_facts(profiles, args.speaker.as_deref(), args.past);
    if args.json {
        let facts = facts.iter().map(|it| fact(it, &session, &transcript));
        return Ok(terminal.json(&facts.collect::<Vec<_>>())?);
    }
    if facts.is_empty() {
        let who = args.speaker.as_deref().unwrap_or("anybody");
        terminal.note(&format!("no fact about {} is known yet", plain(who)));
    }
    let mut last = (None, None);
    for fact in facts {
        if last.0 != Some(&fact.speaker) {
            let name = fact.speaker.as_deref().unwrap_or("somebody");
            terminal.data(&terminal.tint(Tint::Strong, &plain(name)))?;
            last = (Some(&fact.speaker), None);
        }
        if last.1 != Some(fact.slot) {
            terminal.data(&format!("  {}", heading(fact.slot)))?;
            last.1 = Some(fact.slot);
        }
        terminal.data(&line(fact, profiles, terminal))?;
    }
    if profiles.forgotten() > 0 {
        let gone = many(profiles.forgotten(), "fact");
        terminal.note(&format!(
            "{gone} too long, or forgotten over the budget: weir memory budget --tokens N"
        ));
    }
    Ok(())
}

fn heading(slot: FactSlot) -> String {
    match slot {
        FactSlot::Statement => "other statements".to_owned(),
        slot => slot.to_string(),
    }
}

/// One fact: what was said, when, how often, its name.
fn line(fact: &ProfileFact, profiles: &Profiles, terminal: &Terminal) -> String {
    let value = plain(&fact.value);
    // a value of an earlier build may not name the thing that it is of
    let value = match stems(&fact.about).is_subset(&stems(&fact.value)) {
        true => value,
        false => format!("{}: {value}", plain(&fact.about)),
    };
    let mut rest = said_on(fact);
    if let Some((until, by)) = fact.until {
        let by = match by {
            EndedBy::Said => None,
            EndedBy::Change(id) | EndedBy::Contradiction(id) => profiles.fact(id),
        };
        let ended = by.filter(|it| it.from_ms == until).map(said_on);
        let ended = ended.unwrap_or_else(|| clock(until));
        rest.push_str(&format!(" until {ended}"));
        if let Some(by) = by {
            rest.push_str(&format!(" (then {})", plain(&by.value)));
        }
    }
    if fact.times > 1 {
        rest.push_str(&format!(", said {} times", fact.times));
    }
    for (mark, word) in [
        (fact.pinned, "pinned"),
        (fact.edited, "edited"),
        (fact.wanted, "to remember"),
    ] {
        if mark {
            rest.push_str(&format!(", {word}"));
        }
    }
    let rest = terminal.tint(Tint::Faint, &format!("{rest}  {}", fact.id));
    format!("    {value}  {rest}")
}

/// The day on which a fact was first said, or its session time where no day is known.
fn said_on(fact: &ProfileFact) -> String {
    let day = fact.evidence.first().and_then(day_of);
    day.unwrap_or_else(|| clock(fact.from_ms))
}

/// The day on which something was said, in words; `None` of a recording without a date.
pub(crate) fn day_of(item: &Evidence) -> Option<String> {
    day_of_said(item.said_at_unix_ms)
}

/// The day of this moment.
pub(crate) fn day_of_said(said_at_unix_ms: Option<i64>) -> Option<String> {
    date_of(said_at_unix_ms?, &zone_here()).map(in_words)
}

fn pin(facts: &[String], pinned: bool, dir: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
    let facts = facts.to_vec();
    let done = change(dir, Change::PinFacts { facts, pinned })?;
    tell_pinned(&done, pinned, terminal);
    Ok(())
}

fn edit(
    id: &str,
    value: &str,
    dir: &Path,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let (fact, value) = (id.to_owned(), value.to_owned());
    let done = change_with(dir, Change::EditFact { fact, value }, global, terminal)?;
    tell_edited(&done, terminal);
    Ok(())
}

/// The facts that hold, word for word, those said most often first, as far as the tokens go.
fn export(
    session: &Session,
    speaker: Option<&str>,
    tokens: usize,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let facts = session.profiles().facts().iter();
    let facts = facts.filter(|it| it.holds() && is_speaker(speaker, it.speaker.as_deref()));
    let mut facts: Vec<&ProfileFact> = facts.collect();
    facts.sort_by_key(|it| std::cmp::Reverse((it.pinned, it.wanted, it.times, it.id)));
    let (mut used, mut left_out) = (0, 0);
    for fact in facts {
        let line = match (&fact.speaker, speaker) {
            (Some(who), None) => format!("{who}: {}", fact.value),
            _ => fact.value.clone(),
        };
        let more = session.counter().count(&line);
        if used + more > tokens {
            left_out += 1;
            continue;
        }
        used += more;
        terminal.data(&plain(&line))?;
    }
    if left_out > 0 {
        terminal.note(&format!(
            "{left_out} more facts do not fit into {tokens} tokens; --tokens takes more"
        ));
    }
    Ok(())
}
