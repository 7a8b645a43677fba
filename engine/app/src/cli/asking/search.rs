//! `weir search`: searches the transcript of a session for words, newest first.

use crate::cli::args::SearchArgs;
use crate::cli::asking::view;
use crate::cli::failure::Exit;
use crate::cli::loading::wiring;
use crate::cli::terminal::{Terminal, Tint, clock, many, plain};
use anyhow::ensure;
use std::cell::RefCell;
use weir_core::recall::TranscriptSearch;
use weir_core::text::local_time;
use weir_core::transcript::{ScanStep, Transcript, TranscriptUtterance};
use weir_engine::store::TranscriptReader;
use weir_engine::store::transcript::transcript_folder;
use weir_engine::time::zone_here;
use weir_engine::views::transcript_line;

/// Runs the command.
pub(crate) fn run(args: &SearchArgs, terminal: &mut Terminal) -> anyhow::Result<Exit> {
    let (words, folder) = (&args.words, transcript_folder(&args.session));
    let search = TranscriptSearch::words(words);
    let search = search.ok_or_else(|| {
        anyhow::anyhow!("`{words}` has no word to search for; name what was spoken of")
    })?;
    ensure!(
        folder.is_dir(),
        "{}: this session keeps no transcript; `weir memory tree` shows what memory holds",
        args.session.display()
    );
    let session = wiring::read(&args.session, terminal)?;
    let names = session.speaker_names();
    let found: RefCell<Vec<TranscriptUtterance>> = RefCell::default();
    let mut looked_at: u64 = 0;
    let mut glance = |bytes: &[u8]| {
        if found.borrow().len() == args.most {
            return ScanStep::Stop;
        }
        looked_at += 1;
        match search.may_match(bytes) {
            true => ScanStep::Read,
            false => ScanStep::Skip,
        }
    };
    let mut read = |mut said: TranscriptUtterance| {
        // names that were given later
        said.speaker = said.speaker.map(|it| names.current(&it).to_owned());
        if search.has_all(&said) {
            found.borrow_mut().push(said);
        }
    };
    TranscriptReader::open(&folder).newest_first(&mut glance, &mut read);
    let found = found.into_inner();
    let (held, count) = (many(looked_at, "utterance"), found.len());
    for said in found {
        match args.json {
            true => terminal.json(&transcript_line(said))?,
            false => terminal.data(&line(&said, terminal))?,
        }
    }
    match count {
        0 => terminal.note(&format!(
            "none of the {held} in the transcript has these words"
        )),
        most if most == args.most => terminal.note("there may be more: see --most"),
        _ => {}
    }
    Ok(Exit::Done)
}

/// `[2026-03-22 10:00:05] Ana: The wifi password is swordfish.  kitchen.wav 0:12.0`
fn line(said: &TranscriptUtterance, terminal: &Terminal) -> String {
    let zone = zone_here();
    let wall = said.said_at_unix_ms.and_then(|ms| local_time(ms, &zone));
    let time = match wall {
        Some(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        None => clock(said.session_ms),
    };
    let mut line = view::spoken(&time, said.speaker.as_deref(), &said.text, terminal);
    if let Some(audio) = said.place.as_ref().and_then(|it| it.audio.as_ref()) {
        let place = format!("  {} {}", plain(&audio.file), clock(audio.span.start_ms));
        line.push_str(&terminal.tint(Tint::Faint, &place));
    }
    line
}
