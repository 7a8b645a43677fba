//! `weir memory export|import`: sessions as JSON Lines.

use super::output;
use super::terminal::Terminal;
use super::wiring;
use anyhow::{Context, bail};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use weir_core::session::{Imported, Session};
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::{TranscriptReader, TranscriptWriter, Writer, read_session};

pub(super) fn export(to: Option<&Path>, dir: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
    let session = read_session(dir, wiring::counter())?;
    let transcript = TranscriptReader::open(&transcript_folder(dir));
    let Some(to) = to else {
        let mut out = BufWriter::new(io::stdout().lock());
        let written = session
            .export(&mut out)
            .and_then(|()| transcript.export(&mut out))
            .and_then(|()| out.flush());
        // whoever reads only the first lines has what he wants
        return match written {
            Err(closed) if closed.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            written => Ok(written?),
        };
    };
    output::write(to, |out| {
        session.export(out)?;
        transcript.export(out)
    })?;
    let nodes = session.tree().len();
    terminal.note(&format!("{}: {nodes} nodes exported", to.display()));
    Ok(())
}

pub(super) fn import(from: &Path, dir: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
    let stdin = io::stdin();
    let mut input: Box<dyn BufRead> = if from == Path::new("-") {
        Box::new(stdin.lock())
    } else {
        let file = File::open(from).with_context(|| format!("cannot open {}", from.display()))?;
        Box::new(BufReader::new(file))
    };
    let taken = Session::import(input.as_mut(), wiring::counter());
    let Imported { session, unchanged } =
        taken.with_context(|| format!("{} is no exported session", from.display()))?;
    let writer = Writer::open(dir, || Ok(session.to_image()))?;
    if !writer.created() {
        // let go without a word: should a writer have died here, the next one looks after it
        drop(writer);
        bail!(
            "there is a session in {} already; import makes a new one, so name another directory",
            dir.display()
        );
    }
    let folder = transcript_folder(dir);
    let limit_bytes = session.config().transcript_bytes;
    let lines = TranscriptWriter::import(&folder, limit_bytes, input.as_mut())
        .with_context(|| format!("the transcript in {} cannot be taken in", from.display()))?;
    writer.close(&session)?;
    let how = if unchanged {
        "as it was exported"
    } else {
        "changed since it was exported: tokens counted, facts settled and budgets fitted anew"
    };
    let nodes = session.tree().len();
    terminal.note(&format!(
        "{}: {nodes} nodes, {lines} lines of transcript, {how}",
        dir.display()
    ));
    Ok(())
}
