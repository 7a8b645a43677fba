//! Sessions of older formats, written anew in today's when a writer opens them.
//!
//! The snapshot is read in its format, the journal after it input by input; what format 3 kept in
//! memory and belongs into the transcript goes there, and a snapshot of today's format takes the
//! place of both. Should the machine die in between, the old ones are still there and it begins
//! again.

use super::error::StoreError;
use super::opened::{Migrated, Opened};
use super::transcript::{Line, TranscriptWriter, transcript_folder};
use super::writer::Writer;
use weir_core::session::{Input, InputV3, InputV4, MigratedLine, Session, TakenUp};

/// Migrates a session that a writer has just opened.
pub(super) fn migrated(mut writer: Writer, taken: TakenUp) -> Result<Opened, StoreError> {
    if taken.format > 3 {
        return migrated_in_place(writer, taken);
    }
    let TakenUp {
        mut session,
        format,
        mut lines,
    } = taken;
    let mut skipped = 0;
    let replayed = writer.replay_as(|old: InputV3| {
        let Some(input) = old.migrated(&session) else {
            return Ok(());
        };
        match session.apply(&input) {
            Ok(_) => {
                if matches!(input, Input::Heard { .. }) {
                    lines.extend(last_heard(&session));
                }
                Ok(())
            }
            // what was said must not be lost; a change of what is no more has nothing to change
            Err(wrong) if matches!(input, Input::Heard { .. } | Input::Mount(_)) => {
                Err(wrong.to_string())
            }
            Err(_) => {
                skipped += 1;
                Ok(())
            }
        }
    })?;
    let written = write_lines(&writer, &session, &lines)?;
    writer.checkpoint(&session)?;
    writer.publish(&session)?;
    Ok(Opened {
        created: writer.created(),
        migrated: Some(Migrated {
            from: format,
            lines: written,
            skipped,
            budget_tokens: session.config().budget_tokens,
        }),
        session,
        writer,
        replayed,
    })
}

/// The same from format 4, which says the same in other records.
fn migrated_in_place(mut writer: Writer, taken: TakenUp) -> Result<Opened, StoreError> {
    let mut session = taken.session;
    let replayed = writer.replay_as(|old: InputV4| {
        let applied = session.apply(&old.into());
        applied.map(drop).map_err(|wrong| wrong.to_string())
    })?;
    writer.checkpoint(&session)?;
    writer.publish(&session)?;
    Ok(Opened {
        created: writer.created(),
        migrated: Some(Migrated {
            from: taken.format,
            lines: 0,
            skipped: 0,
            budget_tokens: session.config().budget_tokens,
        }),
        session,
        writer,
        replayed,
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

/// Writes the lines; how many can be looked up.
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
