//! `weir memory export|import`: sessions as JSON Lines.
//!
//! Between the session and its transcript stands a line that says where its recordings lie and
//! which inputs it knows, so that the copy plays them too, and hears none of them twice.

use super::output;
use super::sources::Sources;
use super::terminal::Terminal;
use super::wiring;
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use weir_core::limits;
use weir_core::session::{Imported, Session};
use weir_core::stream::AudioSpan;
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::{
    KnownInput, StoreError, TranscriptReader, TranscriptWriter, Writer, is_recorded, known_inputs,
};

/// Recordings that are not at hand and are named.
const ABSENT_NAMED: usize = 3;

/// The line about inputs.
#[derive(Serialize, Deserialize)]
struct InputsLine {
    inputs: Inputs,
}

#[derive(Default, Serialize, Deserialize)]
struct Inputs {
    /// The session that was exported, where its own recordings lie.
    session: PathBuf,
    sources: Sources,
    known: Vec<KnownInput>,
}

impl Inputs {
    /// Those of a session. Which of them came to their end is not to be had while it is written
    /// to.
    fn of(dir: &Path, terminal: &mut Terminal) -> anyhow::Result<Self> {
        let known = match known_inputs(dir) {
            Err(StoreError::InUse { .. }) => {
                terminal.warn(&format!(
                    "{}: is being written, so the export does not say which inputs it has heard; \
                     a copy would hear them again",
                    dir.display()
                ));
                Vec::new()
            }
            known => known?,
        };
        Ok(Self {
            session: dir.canonicalize().unwrap_or_else(|_| dir.to_path_buf()),
            sources: Sources::read(dir)?,
            known,
        })
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, &InputsLine { inputs: self })?;
        out.write_all(b"\n")
    }

    /// Reads the line, or gives back the one that stands in its place: older exports have none.
    fn read(input: &mut dyn BufRead) -> io::Result<Result<Self, Vec<u8>>> {
        let mut line = Vec::new();
        let most = limits::IMPORT_LINE_BYTES_MAX as u64;
        Read::take(input, most).read_until(b'\n', &mut line)?;
        if !line.starts_with(b"{\"inputs\":") {
            return Ok(Err(line));
        }
        let line: InputsLine = serde_json::from_slice(&line)?;
        Ok(Ok(line.inputs))
    }

    /// What can be told of recordings behind the statements of a session that are not at hand.
    fn absent(&self, session: &Session, dir: &Path) -> Option<String> {
        let nodes = session.tree().nodes().flat_map(|node| &node.evidence);
        let raw = session.buffer().raw().map(|heard| &heard.utterance);
        let raw = raw.map(|said| (&said.stream, said.audio.as_ref()));
        let spans = nodes.map(|it| (&it.stream, it.audio.as_ref())).chain(raw);
        let of = |(stream, audio): (&String, Option<&AudioSpan>)| {
            let audio = audio?;
            match self.sources.file(stream, audio) {
                _ if is_recorded(audio) => Some(self.session.join("audio").display().to_string()),
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
        let what_to_do = match self.session.as_os_str().is_empty() {
            true => "it does not say where they lie; export the session again with this weir",
            false => {
                "copy an `audio` folder into the session, and `weir replay` other recordings from \
                 where they lie, which tells the place and hears nothing twice"
            }
        };
        (!list.is_empty()).then(|| {
            format!(
                "{}: an export holds no sound, and clips of {list} cannot be played: {what_to_do}",
                dir.display()
            )
        })
    }
}

pub(super) fn export(to: Option<&Path>, dir: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
    let session = wiring::read(dir, terminal)?;
    let transcript = TranscriptReader::open(&transcript_folder(dir));
    let inputs = Inputs::of(dir, terminal)?;
    let Some(to) = to else {
        let mut out = BufWriter::new(io::stdout().lock());
        let written = session
            .export(&mut out)
            .and_then(|()| inputs.write(&mut out))
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
        inputs.write(out)?;
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
    let (inputs, first) = match Inputs::read(input.as_mut())
        .with_context(|| format!("the inputs in {} cannot be taken in", from.display()))?
    {
        Ok(inputs) => (inputs, Vec::new()),
        Err(first) => (Inputs::default(), first),
    };
    let mut writer = Writer::open(dir, || Ok(session.to_image()))?;
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
    let lines = TranscriptWriter::import(&folder, limit_bytes, &mut first.chain(input))
        .with_context(|| format!("the transcript in {} cannot be taken in", from.display()))?;
    writer.remember_all(&inputs.known)?;
    inputs.sources.write(dir)?;
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
    if let Some(absent) = inputs.absent(&session, dir) {
        terminal.warn(&absent);
    }
    Ok(())
}
