//! Latency on bundled data: a table and a picture, made by one command.
//!
//! How a question and a turn change with the length of talk comes from `simulate`, what they are
//! made of from `stages`, the time from the end of speech from `live`; recordings of people are
//! heard here as fast as they can be.

use crate::corpus::questions;
use crate::hear::{listen, recordings};
use crate::live::{Ears, Totals};
use crate::markdown::{ms, number, table, table_of};
use crate::method::MethodContext;
use crate::options::{EncoderArgs, SpeechArgs, VoiceArgs};
use crate::plot::{self, Panel, Style};
use crate::process::{Started, built_from, cpu_name};
use crate::stream::{Gold, Item, Probe, Stream};
use crate::{simulate, stages};
use anyhow::{Context, Result};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_asr::WhisperModel;
use weir_core::limits;
use weir_models::{DeviceChoice, Encode, WordHashEncoder};

/// Recordings that are played at real pace: a speech and two readings, a minute and a half.
const PLAYED: [&str; 3] = [
    "kennedy-1961.flac",
    "austen-sense-and-sensibility.flac",
    "shakespeare-sonnet-2.flac",
];
/// Turns of made-up talk.
const TURNS: u64 = 100_000;
/// The defaults of the product.
const BUDGET_TOKENS: usize = limits::BUDGET_TOKENS_TRANSCRIPT_DEFAULT;
const TRANSCRIPT_BYTES: u64 = limits::TRANSCRIPT_BYTES_DEFAULT;
/// Questions put to the stages.
const QUESTIONS: usize = 100;

/// Options of `latency`.
#[derive(clap::Args)]
pub(crate) struct LatencyArgs {
    /// Where encoder and recogniser compute: cpu, cuda, cuda:N, metal. The built-in models always
    /// run on the processor: for another device give --encoder and --asr-model
    #[arg(long, default_value_t)]
    device: DeviceChoice,
    /// Turns to hear; a row for each decade from 1,000. A million takes half an hour
    #[arg(long, default_value_t = TURNS, value_parser = clap::value_parser!(u64).range(1_000..))]
    turns: u64,
    /// Folder of a sentence encoder, `splade-tiny` (built in), or `words`
    #[arg(long, default_value = "splade-tiny")]
    encoder: PathBuf,
    #[command(flatten)]
    model: SpeechArgs,
    /// Folder of latency.md and latency.svg
    #[arg(long, default_value = "latency")]
    out: PathBuf,
}

/// Measures, and writes the table and the picture.
pub(crate) fn run(args: &LatencyArgs) -> Result<()> {
    args.device.open()?;
    let folder = args.out.display();
    std::fs::create_dir_all(&args.out).with_context(|| format!("{folder} cannot be made"))?;
    tell("a question and a turn, by turns heard")?;
    let grown = grown(args.turns)?;
    tell("what a turn and a question are made of")?;
    let encoder = EncoderArgs {
        encoder: args.encoder.clone(),
    };
    let encoder = encoder.open_on(args.device)?;
    let parts = parts(&encoder)?;
    tell("hearing recordings of people")?;
    let model = args.model.load_on(args.device)?;
    let heard = heard(args, &model)?;
    tell("recordings at real pace, a minute and a half")?;
    let mut spoken = spoken(args, &model)?;
    let text = [
        head(args.device, &encoder.identity().name, model.name()),
        of_grown(&grown),
        of_parts(&parts),
        of_heard(&heard),
        of_spoken(&spoken, &parts),
    ];
    let text = text.concat();
    let mut panels = simulate::by_turns(&grown);
    panels.extend([share_panel(&heard), waiting_panel(&mut spoken)]);
    plot::draw(&panels, &args.out.join("latency.svg"))?;
    let path = args.out.join("latency.md");
    std::fs::write(&path, &text).with_context(|| path.display().to_string())?;
    writeln!(std::io::stdout(), "{text}")?;
    tell(&format!("written to {folder}: latency.md, latency.svg"))
}

fn tell(what: &str) -> Result<()> {
    writeln!(std::io::stderr(), "weir-bench: {what}")?;
    Ok(())
}

/// Endless made-up talk. Its vectors are hashed words: the encoder is measured apart.
fn grown(turns: u64) -> Result<Vec<simulate::Row>> {
    let plan = simulate::Plan {
        turns,
        budget_tokens: BUDGET_TOKENS,
        transcript_bytes: TRANSCRIPT_BYTES,
        ..simulate::Plan::default()
    };
    let encoder: Arc<dyn Encode> = Arc::new(WordHashEncoder::new());
    simulate::measured(&plan, &encoder)
}

/// The stages of the written lines of people, and of questions as people ask them.
fn parts(encoder: &Arc<dyn Encode>) -> Result<Vec<stages::Row>> {
    let mut stream = Stream::read(&weir_fixtures::voices_stream())?;
    stream.items.retain(|item| !matches!(item, Item::Probe(_)));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("questions/natural.jsonl");
    let asked = questions::read(&file)?.into_iter().take(QUESTIONS);
    let probe = |asked: questions::Natural| {
        Item::Probe(Probe {
            id: asked.id,
            question: asked.question,
            asked_by: None,
            gold: Gold::default(),
        })
    };
    stream.items.extend(asked.map(probe));
    let kit = MethodContext::plain(Arc::clone(encoder), None);
    let settings = stages::Settings {
        budget_tokens: BUDGET_TOKENS,
        every_turns: usize::MAX,
    };
    stages::measured(&stream, &kit, &settings)
}

/// The first two tables, for `weir-bench paper`.
pub(crate) fn tables(encoder: &Arc<dyn Encode>) -> Result<String> {
    Ok(of_grown(&grown(TURNS)?) + &of_parts(&parts(encoder)?))
}

/// How long a recording took.
struct Heard {
    name: String,
    audio_ms: u64,
    took_ms: f64,
    cpu_ms: Option<f64>,
}

impl Heard {
    fn seconds(&self) -> f64 {
        self.audio_ms as f64 / 1e3
    }

    /// Its time as a share of its sound.
    fn share(&self) -> Option<f64> {
        Some(self.took_ms / self.audio_ms as f64)
    }

    fn cpu_share(&self) -> Option<f64> {
        Some(self.cpu_ms? / self.audio_ms as f64)
    }
}

/// Every recording of people in the fixtures.
fn heard(args: &LatencyArgs, model: &WhisperModel) -> Result<Vec<Heard>> {
    let one = |file: &PathBuf| {
        let mut hearing = args.model.hearing(model)?;
        let started = Started::now();
        let audio_ms = listen(&mut hearing, file, &mut |_| {})?;
        Ok(Heard {
            name: file.file_stem().unwrap_or_default().display().to_string(),
            audio_ms,
            took_ms: started.wall_ms(),
            cpu_ms: started.cpu_ms(),
        })
    };
    recordings()?.iter().map(one).collect()
}

/// Recordings as a microphone delivers them.
fn spoken(args: &LatencyArgs, model: &WhisperModel) -> Result<Totals> {
    let ears = Ears {
        model,
        args: &args.model,
        voices: &VoiceArgs::default(),
        is_live: true,
    };
    let mut totals = Totals::default();
    for name in PLAYED {
        totals.play(&weir_fixtures::voices_dir().join(name), &ears)?;
    }
    Ok(totals)
}

fn head(device: DeviceChoice, encoder: &str, model: &str) -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!(
        "# Latency\n\nMade by `weir-bench latency` at commit {}. {}, {cores} cores; models on \
         {device}: encoder {encoder}, recogniser {model}. Memory: {BUDGET_TOKENS} tokens and a \
         transcript of at most {} MB. Other work on the machine makes times longer.\n",
        built_from(),
        cpu_name(),
        TRANSCRIPT_BYTES / 1_000_000,
    )
}

fn of_grown(rows: &[simulate::Row]) -> String {
    let table = table_of(
        rows,
        &[
            ("turns heard", |row| row.turns.to_string()),
            ("a question p50 (ms)", |row| ms(row.recall_us_p50)),
            ("p95", |row| ms(row.recall_us_p95)),
            ("p99", |row| ms(row.recall_us_p99)),
            ("a turn, mean (ms)", |row| ms(row.ingest_us_per_turn)),
            ("tokens held", |row| row.text_tokens.to_string()),
            ("process (MB)", |row| simulate::mega(row.resident_bytes, 0)),
        ],
    );
    format!(
        "\n### By turns heard\n\nMade-up talk with hashed words as vectors, so the encoder is not \
         in these times. All states answer the same questions in turn. A turn pays for what it \
         copies while a reader holds a snapshot.\n\n{table}"
    )
}

fn of_parts(rows: &[stages::Row]) -> String {
    let table = table_of(
        rows,
        &[
            ("stage", |row| row.stage.to_owned()),
            ("calls", |row| row.calls.to_string()),
            ("p50 (ms)", |row| ms(row.us_p50)),
            ("p95", |row| ms(row.us_p95)),
            ("p99", |row| ms(row.us_p99)),
        ],
    );
    format!(
        "\n### By stage\n\nThe lines of `fixtures/voices` as text, then {QUESTIONS} questions.\n\n\
         {table}"
    )
}

fn of_heard(heard: &[Heard]) -> String {
    let all = Heard {
        name: "all".to_owned(),
        audio_ms: heard.iter().map(|one| one.audio_ms).sum(),
        took_ms: heard.iter().map(|one| one.took_ms).sum(),
        cpu_ms: heard.iter().map(|one| one.cpu_ms).sum(),
    };
    let table = table_of(
        heard.iter().chain([&all]),
        &[
            ("recording", |one| one.name.clone()),
            ("seconds", |one| number(one.seconds(), 1)),
            ("time as a share of the sound", |one| number(one.share(), 3)),
            ("processor time, the same", |one| number(one.cpu_share(), 3)),
        ],
    );
    format!("\n### Hearing\n\n{table}")
}

fn of_spoken(spoken: &Totals, parts: &[stages::Row]) -> String {
    // of one mark: a row for each stage
    let of_question = |value: fn(&stages::Row) -> f64| -> f64 {
        parts.iter().skip(stages::OF_A_TURN).map(value).sum()
    };
    let asked = (of_question(|row| row.us_p50), of_question(|row| row.us_p95));
    let counts = &spoken.counts;
    let memory = "end of speech to its words in memory";
    let lines = [
        ("a word spoken to shown", &counts.shown, (0.0, 0.0)),
        ("a word spoken to final", &counts.committed, (0.0, 0.0)),
        (memory, &counts.answerable, (0.0, 0.0)),
        ("end of speech to an answer", &counts.answerable, asked),
    ];
    let lines = lines.map(|(name, times, (half, most))| {
        let (count, mut times) = (times.count(), times.clone());
        // where no word is recognised there is nothing to time
        let seconds = |us: f64| number((count > 0).then_some(us / 1e6), 2);
        vec![
            name.to_owned(),
            count.to_string(),
            seconds(times.percentile(50) + half),
            seconds(times.percentile(95) + most),
        ]
    });
    let heads = ["from what to what", "count", "half within (s)", "95 %"];
    format!(
        "\n## From the end of speech\n\n{} s of recordings at real pace, live text on; {} of one \
         core's time. The last line adds a question, encoded, searched and answered by a quote, to \
         the line above.\n\n{}",
        spoken.audio_ms / 1_000,
        number(spoken.cpu(), 2),
        table(&heads, &lines),
    )
}

fn share_panel(heard: &[Heard]) -> Panel {
    let x = "seconds of the recording";
    plot::by(Style::Points, heard, x, Heard::seconds)(
        "hearing a recording, as a share of its sound",
        &[("time", Heard::share), ("processor time", Heard::cpu_share)],
    )
}

/// The share of words and utterances that are there, by seconds.
fn waiting_panel(spoken: &mut Totals) -> Panel {
    let counts = &mut spoken.counts;
    let lines = [
        ("word shown", &mut counts.shown),
        ("word final", &mut counts.committed),
        ("utterance in memory", &mut counts.answerable),
    ];
    let lines = lines.map(|(name, times)| {
        let points = times.distribution().into_iter();
        let points = points.map(|(us, share)| (us / 1e6, share * 100.0));
        (name.to_owned(), points.collect())
    });
    Panel {
        title: "words shown and final, utterances in memory (%)",
        x: "seconds since spoken",
        style: Style::Lines,
        lines: lines.into(),
    }
}
