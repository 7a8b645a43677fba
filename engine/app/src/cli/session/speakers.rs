//! `weir speakers`: who was heard, what they are called, and whose voices are enrolled.

use crate::cli::args::Global;
use crate::cli::asking::clip;
use crate::cli::failure::Exit;
use crate::cli::loading::loader::how_to_tell_speakers_apart;
use crate::cli::loading::wiring;
use crate::cli::session::changing;
use crate::cli::session::speakers_args::SpeakersCommand;
use crate::cli::terminal::{Terminal, Tint, clock, many, plain};
use anyhow::{anyhow, bail};
use std::path::Path;
use weir_api::{Change, Changed, ForgottenName, Speakers};
use weir_asr::SampleSpan;
use weir_core::session::{NamedSpeaker, Session, SpeakerChange, check_speaker_name};
use weir_core::stream::{AudioSpan, label_number};
use weir_core::talk::Evidence;
use weir_engine::pipeline::{SAMPLE_SECONDS_MAX, SpanReader, clip_samples, voice_sample};
use weir_engine::store::{EnrolledVoices, HeardVoices};
use weir_engine::views::{resolve_speaker, speaker_sample, speakers};
use weir_loading::{Voices, voices_file};

/// Runs the command.
pub(crate) fn run(
    command: SpeakersCommand,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    match command {
        SpeakersCommand::List { session, json } => {
            list(session.as_deref(), json, global, terminal)?;
        }
        SpeakersCommand::Clip { speaker, to, place } => {
            write_clip(&speaker, &to, &place.session, terminal)?;
        }
        SpeakersCommand::Name {
            speaker,
            name,
            place,
        } => {
            let named = |session: &Session| SpeakerChange::Name {
                speaker: resolve_speaker(session, &speaker),
                name,
            };
            rename(&place.session, named, global, terminal)?;
        }
        SpeakersCommand::Merge {
            speaker,
            into,
            place,
        } => {
            let change = |session: &Session| SpeakerChange::Merge {
                speaker: resolve_speaker(session, &speaker),
                into: resolve_speaker(session, &into),
            };
            rename(&place.session, change, global, terminal)?;
        }
        SpeakersCommand::Forget {
            name,
            session,
            json,
        } => forget(&name, session.as_deref(), json, global, terminal)?,
        SpeakersCommand::Enrol {
            name,
            sample,
            session,
        } => enrol(
            &name,
            sample.as_deref(),
            session.as_deref(),
            global,
            terminal,
        )?,
    }
    Ok(Exit::Done)
}

/// The command that writes the voice of a speaker to a file.
fn clip_command(name: &str, dir: &Path) -> String {
    let who = label_number(name).map_or_else(|| format!("\"{name}\""), |it| it.to_string());
    format!(
        "weir speakers clip {who} voice.wav --session {}",
        dir.display()
    )
}

fn list(
    session: Option<&Path>,
    json: bool,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let enrolled = EnrolledVoices::open(&voices_file(global.voices.as_deref())?)?.wire();
    let speakers = match session {
        Some(dir) => {
            let of = wiring::read(dir, terminal)?;
            let clip = |name: &str| clip_command(name, dir);
            speakers(&of, &wiring::transcript(dir), &enrolled, &clip)
        }
        None => Vec::new(),
    };
    let all = Speakers { speakers, enrolled };
    if json {
        return Ok(terminal.json(&all)?);
    }
    let Speakers {
        speakers: heard,
        enrolled,
    } = all;
    for it in &heard {
        let last = it
            .last_ms
            .map_or_else(String::new, |ms| format!(", last at {}", clock(ms)));
        let labels = match it.heard_as.is_empty() || it.heard_as == [it.name.clone()] {
            true => String::new(),
            false => format!(", heard as {}", it.heard_as.join(" and ")),
        };
        let voice = if it.enrolled { ", voice enrolled" } else { "" };
        let said = many(it.statements as u64, "statement");
        let (name, labels) = (plain(&it.name), plain(&labels));
        terminal.data(&format!("{name}  {said}{last}{labels}{voice}"))?;
        let quote = it.quote.as_ref().map(|it| format!("  \"{}\"", plain(it)));
        let clip = it.clip.as_ref();
        let clip = clip.map(|it| format!("  to hear it: {}", plain(it)));
        for line in quote.into_iter().chain(clip) {
            terminal.data(&terminal.tint(Tint::Faint, &line))?;
        }
    }
    if session.is_some() && heard.is_empty() {
        terminal.note("nobody was told apart in this session");
    }
    let others = enrolled.iter();
    for voice in others.filter(|voice| heard.iter().all(|it| it.name != voice.name)) {
        let samples = many(voice.samples.into(), "sample");
        let (name, seconds) = (plain(&voice.name), voice.seconds);
        terminal.data(&format!(
            "{name}  voice enrolled from {samples}, {seconds:.0} s of speech"
        ))?;
    }
    if session.is_none() && enrolled.is_empty() {
        terminal.note("no voice is enrolled; name a session with --session to see who was heard");
    }
    Ok(())
}

/// Writes the sound of a statement of a speaker.
fn write_clip(
    speaker: &str,
    out: &Path,
    dir: &Path,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let session = wiring::read(dir, terminal)?;
    let name = resolve_speaker(&session, speaker);
    // a label keeps its number under the name given later
    let name = session.speaker_names().current(&name).to_owned();
    let sample = speaker_sample(&session, &wiring::transcript(dir), &name);
    let Some((words, said)) = sample else {
        bail!("nothing that `{name}` said is held; `weir speakers list` shows everybody heard");
    };
    let Some(audio) = &said.audio else {
        bail!("what `{name}` said was typed or read as text; only speech has audio");
    };
    clip::save(&said, audio, dir, out)?;
    let out = out.display();
    terminal.note(&format!("{out}: {}: \"{}\"", plain(&name), plain(&words)));
    Ok(())
}

/// Changes a name in a session.
fn rename(
    dir: &Path,
    change: impl FnOnce(&Session) -> SpeakerChange,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let session = wiring::read(dir, terminal)?;
    let change = change(&session);
    let said = change.to_string();
    named(dir, change, global, terminal)?;
    terminal.note(&said);
    Ok(())
}

/// Carries out a change of names, with the session's encoder if it is here.
fn named(
    dir: &Path,
    change: SpeakerChange,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Changed> {
    let encoder = changing::encoder(dir, global, terminal).map_err(|why| {
        terminal.warn(&format!(
            "{why:#}; the name is given, and questions find it less well"
        ));
    });
    let change = match change {
        SpeakerChange::Name { speaker, name } => Change::NameSpeaker { speaker, name },
        SpeakerChange::Merge { speaker, into } => Change::MergeSpeaker { speaker, into },
        SpeakerChange::Forget { speaker } => Change::ForgetSpeaker { speaker },
    };
    changing::carry_out(dir, change, encoder.ok())
}

/// Forgets a name in a session, and an enrolled voice; rewrites every file that had them.
fn forget(
    name: &str,
    session: Option<&Path>,
    json: bool,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let mut enrolled = EnrolledVoices::open(&voices_file(global.voices.as_deref())?)?;
    let mut gone = Forgotten {
        name: name.trim().to_owned(),
        ..Forgotten::default()
    };
    if let Some(dir) = session {
        gone.of_session(dir, global, terminal)?;
    }
    let Forgotten {
        mut name,
        label,
        now,
        mut files,
    } = gone;
    let lower = name.to_lowercase();
    let mut stored = enrolled.voices().iter();
    if let Some(same) = stored.find(|it| it.name.to_lowercase() == lower) {
        name.clone_from(&same.name);
    }
    let voice = enrolled.forget(&name)?;
    if voice {
        files.push(enrolled.path().display().to_string());
    }
    if files.is_empty() {
        bail!("{}", nothing_to_forget(&name, now.as_deref(), session));
    }
    if json {
        return Ok(terminal.json(&ForgottenName {
            name,
            label,
            voice,
            files,
        })?);
    }
    if let Some(label) = label {
        let (name, label) = (plain(&name), plain(&label));
        terminal.data(&format!(
            "the name {name} is forgotten; it is {label} again"
        ))?;
    }
    if voice {
        terminal.data(&format!("the voice of {} is erased", plain(&name)))?;
    }
    for file in files {
        terminal.data(&format!("rewritten  {}", plain(&file)))?;
    }
    Ok(())
}

/// What was forgotten of a name in a session.
#[derive(Default)]
struct Forgotten {
    name: String,
    /// The label that the speaker has again.
    label: Option<String>,
    /// What the speaker is called, if `name` is a label or a former name.
    now: Option<String>,
    /// Files that were rewritten.
    files: Vec<String>,
}

impl Forgotten {
    fn of_session(
        &mut self,
        dir: &Path,
        global: &Global,
        terminal: &mut Terminal,
    ) -> anyhow::Result<()> {
        let session = wiring::read(dir, terminal)?;
        let speaker = resolve_speaker(&session, &self.name);
        self.name.clone_from(&speaker);
        let names = session.speaker_names();
        let given = |it: &NamedSpeaker| it.name == speaker && !it.heard_as.contains(&speaker);
        if !names.named().iter().any(given) {
            let now = names.current(&speaker);
            self.now = (now != speaker).then(|| now.to_owned());
            return Ok(());
        }
        self.label = Some(names.label(&speaker).to_owned());
        let done = named(dir, SpeakerChange::Forget { speaker }, global, terminal)?;
        self.files = done.receipt.map(|it| it.files).unwrap_or_default();
        let number = self.label.as_deref().and_then(label_number);
        let rewritten = HeardVoices::retain(dir, |it| Some(it) != number)?;
        self.files
            .extend(rewritten.map(|it| it.display().to_string()));
        Ok(())
    }
}

/// Why there was nothing to forget.
fn nothing_to_forget(name: &str, now: Option<&str>, session: Option<&Path>) -> String {
    let here = match (now, session) {
        (Some(now), _) => {
            return format!(
                "`{name}` is called {now}; to forget that name and those before it: \
                 weir speakers forget \"{now}\""
            );
        }
        (None, Some(_)) => ", and nobody was named so in this session",
        (None, None) => ", and no session was given with --session",
    };
    format!(
        "nothing is known of `{name}`: no voice is enrolled under that name{here}; \
         `weir speakers list` shows whose are"
    )
}

/// Stores a voice.
fn enrol(
    name: &str,
    sample: Option<&Path>,
    session: Option<&Path>,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    if sample.is_some() {
        check_speaker_name(name)?;
    }
    let Some(voices) = global.loader().voices(global.voices.as_deref())? else {
        bail!(
            "voices need two models; install them: {}",
            how_to_tell_speakers_apart()
        );
    };
    let Voices {
        mut models,
        mut enrolled,
        encoder: (model, digest),
    } = voices;
    let (name, sound) = match (sample, session) {
        (Some(file), _) => (name.to_owned(), from_file(file)?),
        (None, Some(dir)) => {
            let session = wiring::read(dir, terminal)?;
            let name = resolve_speaker(&session, name);
            if label_number(&name).is_some() {
                bail!("{name} has no name yet; first: weir speakers name \"{name}\" NAME");
            }
            let sound = from_session(&session, dir, &name)?;
            (name, sound)
        }
        (None, None) => bail!("name a file or a session with recordings of {name}"),
    };
    let sample = voice_sample(&sound, &mut models)
        .map_err(|why| anyhow!("{name} was not enrolled: {why}"))?;
    let voice = enrolled.enrol(&name, &sample.voice, sample.seconds, (&model, &digest))?;
    let (name, samples) = (plain(&voice.name), many(voice.samples.into(), "sample"));
    let seconds = sample.seconds;
    let file = enrolled.path().display().to_string();
    terminal.note(&format!(
        "{name} is enrolled from {seconds:.0} s of speech ({samples}); the voice is in {}, and \
         `weir speakers forget` erases it",
        plain(&file)
    ));
    Ok(())
}

/// The sound of a file, five minutes at most.
fn from_file(file: &Path) -> anyhow::Result<Vec<f32>> {
    let mut reader = SpanReader::open(file, &wiring::opener())?;
    let mut sound = Vec::new();
    let span = SampleSpan::from_ms(0, (SAMPLE_SECONDS_MAX * 1_000.0) as u64);
    reader.read(span, &mut |piece| sound.extend_from_slice(piece))?;
    Ok(sound)
}

/// What a speaker said in a session, as far as its recordings are there: the longest first.
fn from_session(session: &Session, dir: &Path, name: &str) -> anyhow::Result<Vec<f32>> {
    let is = |speaker: &Option<String>| speaker.as_deref() == Some(name);
    let proofs = session.tree().nodes().flat_map(|node| &node.evidence);
    let mut spans: Vec<(&Evidence, &AudioSpan)> = proofs
        .filter(|item| is(&item.speaker))
        .filter_map(|item| Some((item, item.audio.as_ref()?)))
        .collect();
    let len = |audio: &AudioSpan| audio.span.end_ms - audio.span.start_ms;
    spans.sort_by_key(|(item, audio)| (std::cmp::Reverse(len(audio)), item.turn));
    spans.dedup_by_key(|(item, _)| item.turn);
    if spans.is_empty() {
        bail!(
            "the session holds no recording of `{name}`; give a file: weir speakers enrol \
             \"{name}\" FILE"
        );
    }
    let (mut sound, mut missing, open) = (Vec::new(), None, wiring::opener());
    for (item, audio) in spans {
        if sound.len() as f32 > SAMPLE_SECONDS_MAX * 16_000.0 {
            break;
        }
        match clip_samples(dir, &item.stream, audio, &open) {
            Ok(samples) => sound.extend(samples.iter().map(|it| f32::from(*it) / 32_768.0)),
            Err(why) => missing = missing.or(Some(why)),
        }
    }
    match missing {
        Some(why) if sound.is_empty() => Err(why.into()),
        _ => Ok(sound),
    }
}
