//! The reader of stream files: one checked item after the other.
//!
//! Holds one line and the set of ids ([`super::ids`]); gives out nothing after the first error.

use super::audio::{AudioPolicy, Folder};
use super::error::{Problem, StreamFileError};
use super::fields::{Fields, Place};
use super::ids::{Added, IdSet};
use super::item::{Category, Gold, Header, Item, Line, LineAudio, Probe};
use super::lines::Lines;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use weir_core::limits;
use weir_core::stream::Span;

const KINDS: [&str; 3] = ["utterance", "break", "probe"];
const IN_HEADER: [&str; 4] = ["weir_stream", "name", "started_at", "zone"];
const IN_UTTERANCE: [&str; 7] = [
    "id", "speaker", "start_ms", "end_ms", "audio", "audio_start_ms", "text",
];
const IN_PROBE: [&str; 6] = [
    "id", "question", "answer", "evidence", "category", "asked_by",
];

/// Reads one stream file. Its items come by iterating; after an error it has ended.
#[derive(Debug)]
pub struct StreamReader<R> {
    lines: Lines<R>,
    header: Header,
    so_far: SoFar,
    ended: bool,
}

impl StreamReader<BufReader<File>> {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// When the file cannot be opened or its header breaks the format.
    pub fn open(path: &Path, policy: AudioPolicy) -> Result<Self, StreamFileError> {
        let file = File::open(path).map_err(|source| StreamFileError::Open {
            file: path.to_path_buf(),
            source,
        })?;
        Self::new(BufReader::new(file), path, policy)
    }
}

impl<R: BufRead> StreamReader<R> {
    /// Reads the header from `source`, which stands at `file`: messages say so and audio lies
    /// there.
    ///
    /// # Errors
    /// When the header breaks the format or cannot be read.
    pub fn new(source: R, file: &Path, policy: AudioPolicy) -> Result<Self, StreamFileError> {
        let mut lines = Lines::new(source, file.to_path_buf());
        let Some(json) = lines.next_line()?.map(str::to_owned) else {
            return Err(Problem::Empty.at(file, 1, ""));
        };
        let header = header_of(
            Place {
                file,
                line: lines.line(),
                object: "",
            },
            &json,
        )?;
        Ok(Self {
            lines,
            header,
            so_far: SoFar::new(Folder::of(file, policy)),
            ended: false,
        })
    }

    /// What the first line says.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The line last read, the first being 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.lines.line()
    }

    fn read(&mut self) -> Result<Option<Item>, StreamFileError> {
        let Some(json) = self.lines.next_line()?.map(str::to_owned) else {
            return Ok(None);
        };
        let place = Place {
            file: self.lines.file(),
            line: self.lines.line(),
            object: "",
        };
        self.so_far.item_of(place, &json).map(Some)
    }
}

impl<R: BufRead> Iterator for StreamReader<R> {
    type Item = Result<Item, StreamFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let item = self.read().transpose();
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}

fn header_of(place: Place<'_>, json: &str) -> Result<Header, StreamFileError> {
    let fields = Fields::parse(place, json)?;
    match fields.raw("weir_stream") {
        None => return Err(place.fault("", Problem::NoHeader)),
        Some("1") => {}
        // Said before any unknown field: another version has other fields.
        Some(found) => {
            let found = found.to_owned();
            return Err(place.fault("weir_stream", Problem::Version { found }));
        }
    }
    let fields = fields.only(&IN_HEADER)?;
    Ok(Header {
        name: fields.label("name", limits::STREAM_LABEL_BYTES_MAX)?,
        started_at_unix_ms: fields.maybe_wall("started_at")?,
        zone: fields.maybe_zone("zone")?,
    })
}

/// What the lines above decide about the next one.
#[derive(Debug)]
struct SoFar {
    folder: Folder,
    utterances: IdSet,
    probes: IdSet,
    said: u64,
    end_ms: u64,
    break_ms: u64,
}

impl SoFar {
    fn new(folder: Folder) -> Self {
        Self {
            folder,
            utterances: IdSet::default(),
            probes: IdSet::default(),
            said: 0,
            end_ms: 0,
            break_ms: 0,
        }
    }

    fn item_of(&mut self, place: Place<'_>, json: &str) -> Result<Item, StreamFileError> {
        let line = Fields::parse(place, json)?;
        if line.raw("weir_stream").is_some() {
            return Err(place.fault("weir_stream", Problem::SecondHeader));
        }
        let line = line.only(&KINDS)?;
        let names = line.names();
        let [kind] = names[..] else {
            let found = match names.len() {
                0 => "none".to_owned(),
                _ => names.join(" and "),
            };
            return Err(place.fault("", Problem::NotOne { found }));
        };
        let place = Place {
            object: kind,
            ..place
        };
        let json = line.raw(kind).unwrap_or_default();
        match kind {
            "utterance" => self.utterance(&Fields::parse(place, json)?.only(&IN_UTTERANCE)?),
            "break" => {
                let fields = Fields::parse(place, json)?.only(&["started_at"])?;
                self.break_ms = self.end_ms;
                let started_at_unix_ms = fields.maybe_wall("started_at")?;
                Ok(Item::Break { started_at_unix_ms })
            }
            _ => self.probe(&Fields::parse(place, json)?.only(&IN_PROBE)?),
        }
    }

    fn utterance(&mut self, fields: &Fields<'_>) -> Result<Item, StreamFileError> {
        let place = fields.place();
        let id = fields.label("id", limits::STREAM_LABEL_BYTES_MAX)?;
        add(&mut self.utterances, &id, "utterance").map_err(|p| place.fault("id", p))?;
        let span = self.span(fields)?;
        let audio = self.audio(fields, span)?;
        let text = fields.maybe::<String>("text", "text or null")?;
        let text = text.filter(|text| !text.trim().is_empty());
        if text.is_none() && audio.is_none() {
            return Err(place.fault("text", Problem::Nothing));
        }
        self.said += 1;
        self.end_ms = self.end_ms.max(span.end_ms);
        Ok(Item::Utterance(Line {
            id,
            speaker: fields.maybe_label("speaker")?,
            span,
            audio,
            text,
        }))
    }

    /// Utterances may overlap, as people do; across a break they may not.
    fn span(&self, fields: &Fields<'_>) -> Result<Span, StreamFileError> {
        let (start_ms, end_ms) = (fields.ms("start_ms")?, fields.ms("end_ms")?);
        let place = fields.place();
        if end_ms < start_ms {
            return Err(place.fault("end_ms", Problem::EndFirst { start_ms, end_ms }));
        }
        if start_ms < self.break_ms {
            let break_ms = self.break_ms;
            return Err(place.fault("start_ms", Problem::BeforeBreak { start_ms, break_ms }));
        }
        Ok(Span::new(start_ms, end_ms))
    }

    /// The audio of a line; an offset that is left out is the file's beginning.
    fn audio(
        &mut self,
        fields: &Fields<'_>,
        said: Span,
    ) -> Result<Option<LineAudio>, StreamFileError> {
        let place = fields.place();
        let offset_ms = fields.maybe_ms("audio_start_ms")?;
        let Some(named) = fields.maybe::<String>("audio", "a path or null")? else {
            return match offset_ms {
                None => Ok(None),
                Some(_) => Err(place.fault("audio_start_ms", Problem::NoAudio)),
            };
        };
        let path = self.folder.resolve(&named);
        let path = path.map_err(|problem| place.fault("audio", problem))?;
        let start_ms = offset_ms.unwrap_or(0);
        let span = Span::new(start_ms, start_ms + (said.end_ms - said.start_ms));
        Ok(Some(LineAudio { named, path, span }))
    }

    fn probe(&mut self, fields: &Fields<'_>) -> Result<Item, StreamFileError> {
        let place = fields.place();
        if self.said == 0 {
            return Err(place.fault("", Problem::ProbeFirst));
        }
        let id = fields.label("id", limits::STREAM_LABEL_BYTES_MAX)?;
        add(&mut self.probes, &id, "probe").map_err(|p| place.fault("id", p))?;
        Ok(Item::Probe(Probe {
            question: fields.label("question", limits::QUESTION_BYTES_MAX)?,
            asked_by: fields.maybe_label("asked_by")?,
            gold: self.gold(fields, &id)?,
            id,
        }))
    }

    fn gold(&self, fields: &Fields<'_>, probe: &str) -> Result<Gold, StreamFileError> {
        let evidence = fields.maybe::<Vec<String>>("evidence", "a list of utterance ids")?;
        let evidence = evidence.unwrap_or_default();
        if let Some(id) = evidence.iter().find(|id| !self.utterances.contains(id)) {
            let id = id.clone();
            let probe = probe.to_owned();
            let problem = Problem::LookAhead { probe, id };
            return Err(fields.place().fault("evidence", problem));
        }
        let needed = Category::ALL.map(Category::name).join(", ") + " or null";
        let category = match fields.maybe::<String>("category", &needed)? {
            None => None,
            Some(name) => match Category::named(&name) {
                None => return Err(fields.wrong_kind("category", &needed)),
                known => known,
            },
        };
        Ok(Gold {
            answer: fields.maybe("answer", "text or null")?,
            evidence,
            category,
        })
    }
}

fn add(ids: &mut IdSet, id: &str, what: &'static str) -> Result<(), Problem> {
    match ids.add(id) {
        Added::New => Ok(()),
        Added::Known => Err(Problem::SameId {
            id: id.to_owned(),
            what,
        }),
        Added::Full => Err(Problem::TooManyIds),
    }
}
