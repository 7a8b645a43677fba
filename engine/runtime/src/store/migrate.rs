//! Migrates sessions of older programs to the current format.
//!
//! The snapshot is read in its format, then the journal input by input ([`Recovery`]). Words that
//! formats 2 and 3 kept in memory move to the transcript. A snapshot in the current format replaces
//! both. After a crash in between, the old files are still there and migration starts again.

use super::error::StoreError;
use super::opened::{Migrated, Opened};
use super::transcript::{Line, TranscriptWriter, transcript_folder};
use super::writer::Writer;
use serde::de::DeserializeOwned;
use weir_core::session::{
    FORMAT, Input, InputV3, InputV4, InputV7, MigratedLine, Recorded, Recovery, Session, TakenUp,
};

/// Migrates a session that a writer has just opened, if it has an older format or the journal of a
/// program with other rules.
pub(super) fn migrated(mut writer: Writer, taken: TakenUp) -> Result<Opened, StoreError> {
    let TakenUp {
        session,
        format,
        mut lines,
    } = taken;
    let mut recovery = Recovery::of(session);
    let replayed = match format {
        ..4 => replay::<InputV3>(&writer, &mut recovery, |said| lines.extend(said)),
        4 => replay::<InputV4>(&writer, &mut recovery, drop),
        5..=7 => replay::<InputV7>(&writer, &mut recovery, drop),
        _ => replay::<Input>(&writer, &mut recovery, drop),
    }?;
    let (session, skipped) = recovery.finish();
    let lines = match format {
        ..4 => write_lines(&writer, &session, &lines)?,
        _ => 0,
    };
    writer.checkpoint(&session)?;
    writer.publish(&session)?;
    let told = format < FORMAT || skipped > 0;
    Ok(Opened {
        created: writer.created(),
        migrated: told.then(|| Migrated {
            from: format,
            lines,
            skipped,
            budget_tokens: session.config().budget_tokens,
        }),
        session,
        writer,
        replayed,
    })
}

/// Applies the journal; calls `said` for each utterance in it.
fn replay<I: Recorded + DeserializeOwned>(
    writer: &Writer,
    recovery: &mut Recovery,
    mut said: impl FnMut(Option<MigratedLine>),
) -> Result<u64, StoreError> {
    writer.replay_as(|old: I| {
        let turns = recovery.session().turns();
        let applied = old.apply_to(recovery);
        applied.map_err(|wrong| wrong.to_string())?;
        if recovery.session().turns() > turns {
            said(last_heard(recovery.session()));
        }
        Ok(())
    })
}

fn last_heard(session: &Session) -> Option<MigratedLine> {
    let heard = session.buffer().raw().last()?;
    Some(MigratedLine {
        turn: heard.turn,
        session_ms: heard.session_ms,
        said_at_unix_ms: heard.said_at_unix_ms,
        utterance: heard.utterance.clone(),
    })
}

/// Writes the lines; returns how many can be looked up.
fn write_lines(
    writer: &Writer,
    session: &Session,
    lines: &[MigratedLine],
) -> Result<u64, StoreError> {
    let folder = transcript_folder(writer.dir());
    let mut transcript = TranscriptWriter::open(&folder, session.config().transcript_bytes, 0)?;
    for line in lines {
        let kept = Line::of(&line.utterance, line.session_ms, line.said_at_unix_ms);
        transcript.append(line.turn, &kept);
    }
    transcript.sync();
    Ok(transcript.stats().utterances)
}
