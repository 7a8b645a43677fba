//! Speakers in the feeds: labels follow the sound alone, names show at once, and models that fail
//! lose no word.

use crate::plain_memory::{parts, session};
use serde_json::json;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use weir_api::SpokenTurn;
use weir_asr::{
    Activities, AudioError, AudioSource, Channels, EmbedSpeaker, FrameGrid, KnownVoice, PcmFormat,
    PcmReader, ScriptedTranscriber, SegmentSpeakers, SpeakerError, Voiceprint, open_file,
};
use weir_core::session::{Session, SpeakerChange};
use weir_core::stream::{StreamStart, Utterance};
use weir_engine::pipeline::{
    CaptureLimits, Change, Event, Feed as _, FeedItem, InputKind, LiveFeed, Lockstep, Notice,
    OverflowQueue, Pacer, Pipeline, PipelineParts, Recognition, ReplayFeed, ReplayInput, Resume,
    SampleError, SessionWriter, Stop, VoiceModels, Words, voice_sample,
};
use weir_engine::store::InputProgress;
use weir_engine::streamfile::{AudioPolicy, survey};

const SECOND: usize = 16_000;
/// How long each voice speaks before the other one goes on.
const TURN: usize = 5 * SECOND;
/// A constant in the samples of the second voice: no ear hears it, and the test models see it.
const OFFSET: f32 = 0.05;

/// Speech of the fixture in which two voices take turns of five seconds.
fn sound() -> Vec<f32> {
    let file = weir_fixtures::spoken_dir().join("kitchen-table-1.wav");
    let mut source = open_file(&file).expect("the fixture");
    let (mut sound, mut chunk) = (Vec::new(), Vec::new());
    while sound.len() < 6 * TURN && source.read(&mut chunk).expect("it reads") > 0 {
        sound.extend_from_slice(&chunk);
    }
    sound.truncate(6 * TURN);
    for (at, sample) in sound.iter_mut().enumerate() {
        *sample = *sample * 0.8 + if at / TURN % 2 == 1 { OFFSET } else { 0.0 };
    }
    sound
}

fn mean(samples: &[f32]) -> f32 {
    samples.iter().sum::<f32>() / samples.len().max(1) as f32
}

/// Sees the constant; fails on one call.
struct Seeing {
    calls: u64,
    fails_on: u64,
}

impl SegmentSpeakers for Seeing {
    fn grid(&self) -> FrameGrid {
        FrameGrid {
            window_samples: 10 * SECOND,
            frames: 100,
            step_samples: SECOND / 10,
            offset_samples: 0,
        }
    }

    fn activities(&mut self, samples: &[f32]) -> Result<Activities, SpeakerError> {
        self.calls += 1;
        if self.calls == self.fails_on {
            return Err(SpeakerError::Run {
                model: "seeing".to_owned(),
                reason: "it was told to".to_owned(),
            });
        }
        let frame = |frame: &[f32]| match frame.iter().all(|it| *it == 0.0) {
            true => [0.0, 0.0],
            false if mean(frame) > OFFSET / 2.0 => [0.0, 1.0],
            false => [1.0, 0.0],
        };
        let values = samples.chunks(SECOND / 10).flat_map(frame).collect();
        Ok(Activities::new(2, values))
    }

    fn name(&self) -> &str {
        "seeing"
    }
}

impl EmbedSpeaker for Seeing {
    fn dimensions(&self) -> usize {
        2
    }

    fn embed(&mut self, samples: &[f32]) -> Result<Vec<f32>, SpeakerError> {
        let second = mean(samples) > OFFSET / 2.0;
        Ok(vec![f32::from(!second), f32::from(second)])
    }

    fn name(&self) -> &str {
        "seeing"
    }
}

fn voices(fails_on: u64) -> VoiceModels {
    VoiceModels {
        segmenter: Box::new(Seeing { calls: 0, fails_on }),
        embedder: Box::new(Seeing {
            calls: 0,
            fails_on: 0,
        }),
        known: Vec::new(),
    }
}

/// A recognition that hears a word each quarter of a second in a recording of this sound, read in
/// chunks of this many samples.
fn hearing(sound: &[f32], chunk: usize, voices: VoiceModels) -> Recognition {
    let bytes: Vec<u8> = sound.iter().flat_map(|it| it.to_le_bytes()).collect();
    let open = Arc::new(
        move |path: &Path| -> Result<Box<dyn AudioSource>, AudioError> {
            let read = Cursor::new(bytes.clone());
            let name = path.display().to_string();
            let pcm = PcmReader::new(read, &name, PcmFormat::F32, 16_000, 1)?;
            Ok(Box::new(Pieces {
                pcm,
                rest: Vec::new(),
                chunk,
            }))
        },
    );
    let model = Box::new(ScriptedTranscriber::new(4_000));
    let hearing = Recognition::new(model, Channels::Mix, open).expect("legal");
    hearing.with_voices(voices)
}

/// A source in chunks of a given size.
struct Pieces<S> {
    pcm: S,
    rest: Vec<f32>,
    chunk: usize,
}

impl<S: AudioSource> AudioSource for Pieces<S> {
    fn spec(&self) -> &weir_asr::SourceSpec {
        self.pcm.spec()
    }

    fn read(&mut self, out: &mut Vec<f32>) -> Result<usize, AudioError> {
        let mut more = Vec::new();
        while self.rest.len() < self.chunk && self.pcm.read(&mut more)? > 0 {
            self.rest.append(&mut more);
        }
        let take = self.chunk.min(self.rest.len());
        out.clear();
        out.extend(self.rest.drain(..take));
        Ok(take)
    }

    fn take_warnings(&mut self, out: &mut Vec<weir_asr::SourceWarning>) {
        self.pcm.take_warnings(out);
    }
}

#[derive(Default)]
struct Told {
    heard: Vec<Utterance>,
    turns: Vec<SpokenTurn>,
    notes: Vec<String>,
    warnings: Vec<String>,
}

impl Told {
    fn take(&mut self, event: Event) {
        match event {
            Event::Heard(heard) => self.heard.push(*heard),
            Event::Notice(Notice::Turn(turn)) => self.turns.push(turn),
            Event::Notice(Notice::Note(text)) => self.notes.push(text),
            Event::Notice(Notice::Warning(text)) => self.warnings.push(text),
            _ => {}
        }
    }

    /// Speaker, start and end of each utterance.
    fn spoken(&self) -> Vec<(Option<String>, u64, u64)> {
        let spoken = self.heard.iter();
        spoken
            .map(|it| (it.speaker.clone(), it.span.start_ms, it.span.end_ms))
            .collect()
    }
}

fn input(resume: Option<Resume>) -> ReplayInput {
    ReplayInput {
        path: "talk.wav".into(),
        stream: "talk".to_owned(),
        kind: InputKind::Audio {
            named: "talk.wav".to_owned(),
        },
        len_ms: None,
        resume,
    }
}

/// Replays the recording into a session.
fn replayed(hearing: Recognition, session: Session, resume: Option<Resume>) -> (Told, Session) {
    let names = session.speaker_names();
    let before = session.stream().map_or(0, |stream| stream.labels);
    let labels = names.labels();
    let words = Words::Recognised;
    let feed = ReplayFeed::new(vec![input(resume)], words, Pacer::free(), Some(hearing));
    let mut feed = feed.after_labels(labels, before);
    let driver = Lockstep::new(PipelineParts {
        session_writer: SessionWriter::in_memory(session),
        ..parts()
    });
    let mut told = Told::default();
    let ended = driver.run(&mut feed, &Stop::default(), &mut |event| told.take(event));
    (told, ended.expect("it runs").session)
}

/// Whose turn it is in the whole span; `None` where the voices change.
fn truth(start_ms: u64, end_ms: u64) -> Option<&'static str> {
    let turn = |ms: u64| ms * 16 / TURN as u64 % 2;
    let within = end_ms - start_ms < 5_000 && turn(start_ms) == turn(end_ms.saturating_sub(1));
    within.then(|| ["Speaker 1", "Speaker 2"][turn(start_ms) as usize])
}

fn assert_true_speakers(told: &Told) {
    let mut known = [0, 0];
    for (speaker, start, end) in told.spoken() {
        let Some(expected) = truth(start, end) else {
            continue;
        };
        assert_eq!(speaker.as_deref(), Some(expected), "{start} to {end}");
        known[usize::from(expected == "Speaker 2")] += 1;
    }
    assert!(known.iter().all(|count| *count >= 2), "{known:?}");
}

#[test]
fn a_recording_has_its_speakers_however_it_is_read() {
    let sound = sound();
    let (told, memory) = replayed(hearing(&sound, 4_096, voices(0)), session(), None);
    assert_true_speakers(&told);
    assert_eq!(memory.speakers(), ["Speaker 1", "Speaker 2"]);
    assert!(told.turns.len() >= 6, "{:?}", told.turns);
    let mut end = 0;
    for turn in &told.turns {
        assert!(turn.start_ms >= end, "in order: {turn:?}");
        end = turn.start_ms;
    }
    for chunk in [160, 50_000] {
        let (other, _) = replayed(hearing(&sound, chunk, voices(0)), session(), None);
        assert_eq!(other.spoken(), told.spoken(), "chunks of {chunk}");
        let pieces = |told: &Told| told.turns.iter().map(|it| it.end_ms).max();
        assert_eq!(pieces(&other), pieces(&told));
    }
}

#[test]
fn words_of_a_window_that_failed_are_kept_and_one_message_tells() {
    let sound = sound();
    let (told, _) = replayed(hearing(&sound, 4_096, voices(3)), session(), None);
    let (whole, _) = replayed(hearing(&sound, 4_096, voices(0)), session(), None);
    assert_eq!(told.warnings.len(), 1, "{:?}", told.warnings);
    assert!(told.warnings[0].contains("it was told to"));
    let words = |told: &Told| -> usize {
        let texts = told.heard.iter().map(|it| it.text.split(' ').count());
        texts.sum()
    };
    assert_eq!(words(&told), words(&whole), "no word is lost");
}

/// The utterances of a feed, each with the progress after it.
fn fed(hearing: Recognition, input: ReplayInput) -> Vec<(Utterance, InputProgress)> {
    let goes_on = input.resume.is_some();
    let words = Words::Recognised;
    let feed = ReplayFeed::new(vec![input], words, Pacer::free(), Some(hearing));
    // the session of an earlier run knows both speakers
    let mut feed = feed.after_labels(if goes_on { 2 } else { 0 }, 0);
    let (mut notices, mut mark, mut heard) = (Vec::new(), None, Vec::new());
    while let Some(item) = feed.next(&Stop::default(), &mut notices) {
        match item {
            FeedItem::Mark(next) => mark = Some(next.progress),
            FeedItem::Heard(said) => heard.push((*said, mark.take().expect("a mark"))),
            _ => {}
        }
    }
    let failed = |notice: &&Notice| matches!(notice, Notice::Failed(_) | Notice::Warning(_));
    assert_eq!(notices.iter().find(failed), None);
    heard
}

#[test]
fn a_replay_goes_on_with_the_same_labels() {
    let sound = sound();
    let whole = fed(hearing(&sound, 4_096, voices(0)), input(None));
    assert!(whole.len() > 6, "{}", whole.len());
    for at in 1..whole.len() {
        let resume = Resume {
            progress: whole[at - 1].1.clone(),
            running: true,
        };
        let rest = fed(hearing(&sound, 4_096, voices(0)), input(Some(resume)));
        assert_eq!(rest, whole[at..], "after {at} utterances");
    }
}

/// A stream file on this sound: a line a turn, of which the third says that "Speaker 4" speaks,
/// and a question behind the fourth.
fn write_lines(dir: &Path) -> ReplayInput {
    let mut text = "{\"weir_stream\": 1, \"name\": \"talk\", \"started_at\": null}\n".to_owned();
    for at in 0..6 {
        let (start, end) = (at * 5_000, (at + 1) * 5_000);
        let line = json!({
            "id": format!("t{at}"), "audio": "talk.wav",
            "speaker": (at == 2).then_some("Speaker 4"),
            "start_ms": start, "end_ms": end, "audio_start_ms": start,
        });
        text += &format!("{}\n", json!({ "utterance": line }));
        if at == 3 {
            text += "{\"probe\": {\"id\": \"q\", \"question\": \"Who?\"}}\n";
        }
    }
    std::fs::write(dir.join("talk.wav"), "opened as the sound of the test").expect("written");
    std::fs::write(dir.join("talk.stream.jsonl"), text).expect("written");
    let path = dir.join("talk.stream.jsonl");
    let labels = survey(&path, AudioPolicy::MustExist).expect("whole").labels;
    ReplayInput {
        path,
        kind: InputKind::Stream {
            started_at_unix_ms: None,
            zone: None,
            labels,
        },
        ..input(None)
    }
}

#[test]
fn lines_that_do_not_say_who_speaks_get_their_speakers_wherever_a_replay_goes_on() {
    let (sound, dir) = (sound(), tempfile::tempdir().expect("a folder"));
    let lines = write_lines(dir.path());
    let whole = fed(hearing(&sound, 4_096, voices(0)), lines.clone());
    let speakers: Vec<_> = whole.iter().map(|it| it.0.speaker.as_deref()).collect();
    // a label of the file's own is somebody else
    let (one, two) = (Some("Speaker 5"), Some("Speaker 6"));
    assert_eq!(speakers, [one, two, Some("Speaker 4"), two, one, two]);
    for at in 1..whole.len() {
        let resume = Some(Resume {
            progress: whole[at - 1].1.clone(),
            running: true,
        });
        let rest = ReplayInput {
            resume,
            ..lines.clone()
        };
        let rest = fed(hearing(&sound, 4_096, voices(0)), rest);
        assert_eq!(rest, whole[at..], "after {at} utterances");
    }
}

#[test]
fn a_voice_that_was_enrolled_gets_its_name() {
    let sound = sound();
    let known = KnownVoice {
        name: "Bob".to_owned(),
        voice: Voiceprint::new(vec![0.1, 0.9]).expect("a direction"),
    };
    let models = VoiceModels {
        known: vec![known],
        ..voices(0)
    };
    let (told, memory) = replayed(hearing(&sound, 4_096, models), session(), None);
    assert_eq!(memory.speakers(), ["Bob", "Speaker 1"]);
    assert!(
        told.notes[0].starts_with("Speaker 2 is Bob now"),
        "{:?}",
        told.notes
    );
}

/// A recognition of this sound that keeps voices in a folder.
fn keeping(sound: &[f32], dir: &Path) -> Recognition {
    let mut hearing = hearing(sound, 4_096, voices(0));
    hearing.keep_voices_in(dir).expect("readable");
    hearing
}

/// The second recording is replayed by another process.
#[test]
fn a_voice_keeps_its_number_in_the_next_recording() {
    let (sound, dir) = (sound(), tempfile::tempdir().expect("a folder"));
    let (_, memory) = replayed(keeping(&sound, dir.path()), session(), None);
    let (_, memory) = replayed(keeping(&sound, dir.path()), memory, None);
    assert_eq!(memory.speakers(), ["Speaker 1", "Speaker 2"]);
    // one of which nothing is known has a new number
    let (other, _) = replayed(hearing(&sound, 4_096, voices(0)), memory, None);
    let new = other.heard.iter().find_map(|it| it.speaker.clone());
    assert_eq!(new.as_deref(), Some("Speaker 3"));
}

#[test]
fn another_voice_has_a_new_number() {
    let (sound, dir) = (sound(), tempfile::tempdir().expect("a folder"));
    let (one, other): (Vec<f32>, Vec<f32>) = {
        let turns: Vec<&[f32]> = sound.chunks(TURN).collect();
        let of = |first: usize| turns.iter().skip(first).step_by(2).flat_map(|it| it.iter());
        (of(0).copied().collect(), of(1).copied().collect())
    };
    let (_, memory) = replayed(keeping(&one, dir.path()), session(), None);
    let (_, memory) = replayed(keeping(&other, dir.path()), memory, None);
    assert_eq!(memory.speakers(), ["Speaker 1", "Speaker 2"]);
    let (_, memory) = replayed(keeping(&one, dir.path()), memory, None);
    assert_eq!(
        memory.speakers(),
        ["Speaker 1", "Speaker 2"],
        "the first again"
    );
}

/// Plays the sound to a live feed; names the first speaker after the first utterance.
fn listened(sound: &[f32], piece: usize, name: Option<&str>) -> (Told, Session) {
    let queue = OverflowQueue::new(&std::env::temp_dir(), CaptureLimits::default());
    let start = StreamStart::new("live", None);
    let hearing = hearing(&[], 1, voices(0));
    let feed = LiveFeed::new(hearing, queue.clone(), 1, start, None).expect("legal");
    let pipeline = Pipeline::start(parts(), Box::new(feed), Stop::default()).expect("it starts");
    let mut told = Told::default();
    let (before, after) = sound.split_at(2 * TURN);
    let play = |part: &[f32]| part.chunks(piece).for_each(|it| queue.push(it));
    play(before);
    if let Some(name) = name {
        while told.heard.iter().all(|it| it.speaker.is_none()) {
            let event = pipeline.events().recv_timeout(Duration::from_secs(60));
            told.take(event.expect("somebody is heard"));
        }
        let change = SpeakerChange::Name {
            speaker: "Speaker 1".to_owned(),
            name: name.to_owned(),
        };
        let change = Change::Speaker(change);
        let named = pipeline.handle().change(change, None);
        named.expect("somebody is called that");
    }
    play(after);
    queue.close();
    let ended = pipeline.finish(&mut |event| told.take(event));
    (told, ended.expect("it runs").session)
}

#[test]
fn a_live_source_has_its_speakers_however_the_sound_arrives() {
    let sound = sound();
    let (told, memory) = listened(&sound, 320, None);
    assert_true_speakers(&told);
    assert_eq!(memory.speakers(), ["Speaker 1", "Speaker 2"]);
    let (other, _) = listened(&sound, 16_001, None);
    assert_eq!(other.spoken(), told.spoken());
}

#[test]
fn a_name_given_while_people_speak_shows_from_then_on() {
    let (told, memory) = listened(&sound(), 320, Some("Ana"));
    assert_eq!(memory.speakers(), ["Ana", "Speaker 2"]);
    let named = told
        .heard
        .iter()
        .filter(|it| it.speaker.as_deref() == Some("Ana"));
    assert!(named.count() >= 2, "{:?}", told.spoken());
}

#[test]
fn a_voice_sample_is_long_enough_and_of_one_person() {
    let sound = sound();
    let turns = sound.chunks(TURN).step_by(2);
    let one: Vec<f32> = turns.flatten().copied().cycle().take(20 * SECOND).collect();
    let sample = voice_sample(&one[..20 * SECOND], &mut voices(0)).expect("one voice");
    assert!(sample.seconds >= 19.0, "{}", sample.seconds);
    let short = voice_sample(&one[..10 * SECOND], &mut voices(0)).expect_err("ten seconds");
    assert!(
        matches!(short, SampleError::TooShort { seconds } if seconds < 11.0),
        "{short}"
    );
    let two = voice_sample(&sound, &mut voices(0)).expect_err("two voices");
    assert!(matches!(two, SampleError::SeveralVoices { .. }), "{two}");
    let silent = voice_sample(&[], &mut voices(0)).expect_err("nothing");
    assert!(matches!(silent, SampleError::TooShort { .. }), "{silent}");
}
