//! `weir memory export|import`: sessions as JSON Lines.

use crate::cli::loading::wiring;
use crate::cli::output;
use crate::cli::terminal::Terminal;
use anyhow::{Context, bail};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use weir_core::session::Session;
use weir_core::stream::AudioSpan;
use weir_engine::store::{
    ExportedInputs, ImportedSession, NamedFiles, Recordings, StoreError, TransferError,
    export_session, import_session, is_recorded, known_inputs,
};

/// Maximum number of missing recordings named in a warning.
const ABSENT_NAMED: usize = 3;

/// What a session has heard. While it is being written, its completed inputs are not known.
fn inputs_of(dir: &Path, terminal: &mut Terminal) -> anyhow::Result<ExportedInputs> {
    let known = match known_inputs(dir) {
        Err(StoreError::InUse { .. }) => {
            terminal.warn(&format!(
                "{}: is being written, so the export does not list its completed inputs; \
                     a copy would process them again",
                dir.display()
            ));
            Vec::new()
        }
        known => known?,
    };
    let whole = dir.canonicalize();
    Ok(ExportedInputs {
        session: whole
            .unwrap_or_else(|_| dir.to_path_buf())
            .display()
            .to_string(),
        recordings: Recordings::read(dir)?,
        known,
    })
}

/// A warning about recordings that statements cite but that are missing.
fn absent(inputs: &ExportedInputs, session: &Session, dir: &Path) -> Option<String> {
    let nodes = session.tree().nodes().flat_map(|node| &node.evidence);
    let raw = session.buffer().raw().map(|heard| &heard.utterance);
    let raw = raw.map(|said| (&said.stream, said.audio.as_ref()));
    let spans = nodes.map(|it| (&it.stream, it.audio.as_ref())).chain(raw);
    let of = |(stream, audio): (&String, Option<&AudioSpan>)| {
        let audio = audio?;
        match inputs.recordings.file(stream, audio) {
            _ if is_recorded(audio) => Some(
                Path::new(&inputs.session)
                    .join("audio")
                    .display()
                    .to_string(),
            ),
            Some(file) if file.exists() => None,
            Some(file) => Some(file.display().to_string()),
            None => Some(audio.file.clone()),
        }
    };
    let absent: BTreeSet<String> = spans.filter_map(of).collect();
    let mut list = absent
        .iter()
        .take(ABSENT_NAMED)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if absent.len() > ABSENT_NAMED {
        list.push_str(&format!(" and {} more", absent.len() - ABSENT_NAMED));
    }
    let what_to_do = match inputs.session.is_empty() {
        true => "it does not list their folders; export the session again with this version",
        false => {
            "copy an `audio` folder into the session, and run `weir replay` on other \
                 recordings in place: that records their paths and processes nothing twice"
        }
    };
    (!list.is_empty()).then(|| {
        format!(
            "{}: an export has no audio, so clips of {list} cannot be played: {what_to_do}",
            dir.display()
        )
    })
}

pub(crate) fn export(to: Option<&Path>, dir: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
    let session = wiring::read(dir, terminal)?;
    let transcript = wiring::transcript(dir);
    let inputs = inputs_of(dir, terminal)?;
    let Some(to) = to else {
        let mut out = BufWriter::new(io::stdout().lock());
        let written = export_session(&session, Some(&inputs), &transcript, &mut out)
            .and_then(|()| out.flush());
        // a reader that closes the pipe early is not an error
        return match written {
            Err(closed) if closed.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written?),
        };
    };
    output::write(to, |out| {
        export_session(&session, Some(&inputs), &transcript, out)
    })?;
    let nodes = session.tree().len();
    terminal.note(&format!("{}: {nodes} nodes exported", to.display()));
    Ok(())
}

pub(crate) fn import(from: &Path, dir: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
    let stdin = io::stdin();
    let mut input: Box<dyn BufRead> = if from == Path::new("-") {
        Box::new(stdin.lock())
    } else {
        let file = File::open(from).with_context(|| format!("cannot open {}", from.display()))?;
        Box::new(BufReader::new(file))
    };
    let taken = import_session(input.as_mut(), dir, wiring::counter(), NamedFiles::Play);
    let ImportedSession {
        session,
        unchanged,
        lines,
        inputs,
    } = match taken {
        Err(TransferError::Exists) => bail!(
            "{} already has a session; import creates a new one, so give another directory",
            dir.display()
        ),
        taken => taken.with_context(|| format!("cannot import {}", from.display()))?,
    };
    let how = if unchanged {
        "as it was exported"
    } else {
        "changed since its export: tokens, facts and budgets were recomputed"
    };
    let nodes = session.tree().len();
    terminal.note(&format!(
        "{}: {nodes} nodes, {lines} lines of transcript, {how}",
        dir.display()
    ));
    if let Some(absent) = absent(&inputs, &session, dir) {
        terminal.warn(&absent);
    }
    Ok(())
}
