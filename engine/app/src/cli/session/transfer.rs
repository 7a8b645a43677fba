//! `weir memory export|import`: sessions as JSON Lines.
//!
//! A line between the session and its transcript says where its recordings are and which inputs it
//! has processed, so that the copy can play them and processes none twice.

use crate::cli::loading::wiring;
use crate::cli::output;
use crate::cli::terminal::Terminal;
use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use weir_core::limits;
use weir_core::session::{Imported, Session};
use weir_core::stream::AudioSpan;
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::{
    Draft, KnownInput, Recordings, StoreError, TranscriptWriter, Writer, is_recorded, known_inputs,
};

/// Maximum number of missing recordings named in a warning.
const ABSENT_NAMED: usize = 3;

/// The line about inputs.
#[derive(Serialize, Deserialize)]
struct InputsLine {
    inputs: Inputs,
}

#[derive(Default, Serialize, Deserialize)]
struct Inputs {
    /// The exported session's directory, which holds its own recordings.
    session: String,
    #[serde(rename = "sources")]
    recordings: Recordings,
    known: Vec<KnownInput>,
}

impl Inputs {
    /// Reads the line's data from a session. While the session is being written, its completed
    /// inputs are not known.
    fn of(dir: &Path, terminal: &mut Terminal) -> anyhow::Result<Self> {
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
        Ok(Self {
            session: whole
                .unwrap_or_else(|_| dir.to_path_buf())
                .display()
                .to_string(),
            recordings: Recordings::read(dir)?,
            known,
        })
    }

    fn write(self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer(&mut *out, &InputsLine { inputs: self })?;
        out.write_all(b"\n")
    }

    /// Reads the line, or returns the line in its place: older exports have none.
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

    /// A warning about recordings that statements cite but that are missing.
    fn absent(&self, session: &Session, dir: &Path) -> Option<String> {
        let nodes = session.tree().nodes().flat_map(|node| &node.evidence);
        let raw = session.buffer().raw().map(|heard| &heard.utterance);
        let raw = raw.map(|said| (&said.stream, said.audio.as_ref()));
        let spans = nodes.map(|it| (&it.stream, it.audio.as_ref())).chain(raw);
        let of = |(stream, audio): (&String, Option<&AudioSpan>)| {
            let audio = audio?;
            match self.recordings.file(stream, audio) {
                _ if is_recorded(audio) => {
                    Some(Path::new(&self.session).join("audio").display().to_string())
                }
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
        let what_to_do = match self.session.is_empty() {
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
}

pub(crate) fn export(to: Option<&Path>, dir: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
    let session = wiring::read(dir, terminal)?;
    let transcript = wiring::transcript(dir);
    let inputs = Inputs::of(dir, terminal)?;
    let Some(to) = to else {
        let mut out = BufWriter::new(io::stdout().lock());
        let written = session
            .export(&mut out)
            .and_then(|()| inputs.write(&mut out))
            .and_then(|()| transcript.export(&mut out))
            .and_then(|()| out.flush());
        // a reader that closes the pipe early is not an error
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

pub(crate) fn import(from: &Path, dir: &Path, terminal: &mut Terminal) -> anyhow::Result<()> {
    let stdin = io::stdin();
    let mut input: Box<dyn BufRead> = if from == Path::new("-") {
        Box::new(stdin.lock())
    } else {
        let file = File::open(from).with_context(|| format!("cannot open {}", from.display()))?;
        Box::new(BufReader::new(file))
    };
    let taken = Session::import(input.as_mut(), wiring::counter());
    let Imported { session, unchanged } =
        taken.with_context(|| format!("{} is not an exported session", from.display()))?;
    let (mut inputs, first) = match Inputs::read(input.as_mut())
        .with_context(|| format!("cannot import the inputs in {}", from.display()))?
    {
        Ok(inputs) => (inputs, Vec::new()),
        Err(first) => (Inputs::default(), first),
    };
    let Some(draft) = Draft::of(dir)? else {
        bail!(
            "{} already has a session; import creates a new one, so give another directory",
            dir.display()
        );
    };
    let mut writer = Writer::open(draft.dir(), || Ok(session.to_image()))?;
    let folder = transcript_folder(draft.dir());
    let limit_bytes = session.config().transcript_bytes;
    let lines = TranscriptWriter::import(&folder, limit_bytes, &mut first.chain(input))
        .with_context(|| format!("cannot import the transcript in {}", from.display()))?;
    writer.remember_all(&inputs.known)?;
    inputs.recordings.write(draft.dir())?;
    writer.close(&session)?;
    draft.put_in_place()?;
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
    if let Some(absent) = inputs.absent(&session, dir) {
        terminal.warn(&absent);
    }
    Ok(())
}
