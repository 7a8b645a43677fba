//! The same models on the processor and on another device: what they take, and how far they differ.

use crate::hear::{listen, recordings};
use crate::markdown::{Column, number, table_of};
use crate::options::{EncoderArgs, SpeechArgs};
use crate::process::{Started, built_from, cpu_name};
use crate::stream::Stream;
use crate::timing::Times;
use anyhow::{Context, Result, ensure};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use weir_models::{
    DeviceChoice, Flow, Generate, Generator, GeneratorOptions, Message, Request, Role,
};

/// Texts in one call of the encoder.
const BATCHES: [usize; 3] = [1, 32, 256];
/// Calls of each size; the median counts, after one that does not.
const CALLS: usize = 5;
/// Prompts given to the generator; no two begin alike.
const PROMPTS: usize = 3;
/// Tokens of a reply.
const REPLY_TOKENS: usize = 64;
/// Repeats of a sentence in the prompt, some 200 tokens.
const REPEATS: usize = 14;

/// Options of `device`.
#[derive(clap::Args)]
pub(crate) struct DeviceArgs {
    /// The device to compare with the processor: cuda, cuda:N, metal
    #[arg(long)]
    device: DeviceChoice,
    /// Folder of a sentence encoder
    #[arg(long)]
    encoder: Option<PathBuf>,
    /// GGUF file or folder of a generator
    #[arg(long)]
    generator: Option<PathBuf>,
    #[command(flatten)]
    speech: SpeechArgs,
}

/// What was timed, with its unit, and the time.
type Timed = (String, f64);

/// Times and results of the models on one device.
#[derive(Default)]
struct Measured {
    rows: Vec<Timed>,
    vectors: Vec<Vec<f32>>,
    logits: Vec<Vec<f32>>,
    heard: Vec<String>,
}

impl Measured {
    /// Adds the median of a time.
    fn add(&mut self, what: String, times: &mut Times) {
        self.rows.push((what, times.percentile(50) / 1e3));
    }
}

/// Measures, and prints a table.
pub(crate) fn run(args: &DeviceArgs) -> Result<()> {
    let of_speech = args.speech.asr_model.as_ref();
    let models = [args.encoder.as_ref(), args.generator.as_ref(), of_speech];
    ensure!(
        models.iter().any(Option::is_some),
        "no model to compare: give --encoder, --generator or --asr-model"
    );
    args.device.open()?;
    let there = measured(args, args.device)?;
    let here = measured(args, DeviceChoice::Cpu)?;
    let rows: Vec<_> = here.rows.iter().zip(&there.rows).collect();
    let device = args.device.to_string();
    let columns: [Column<'_, (&Timed, &Timed)>; 4] = [
        ("what", |(here, _)| here.0.clone()),
        ("cpu", |(here, _)| number(here.1, 3)),
        (&device, |(_, there)| number(there.1, 3)),
        ("cpu / device", |(here, there)| number(here.1 / there.1, 3)),
    ];
    let same = here.heard.iter().zip(&there.heard);
    let same = same.filter(|(ours, theirs)| ours == theirs).count();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    writeln!(
        std::io::stdout(),
        "{}, {cores} cores, commit {}\n\n{}\nLargest difference of a vector's number {:.1e}, of a \
         logit {:.1e}; {same} of {} recordings with the same words.",
        cpu_name(),
        built_from(),
        table_of(&rows, &columns),
        difference(&here.vectors, &there.vectors),
        difference(&here.logits, &there.logits),
        here.heard.len(),
    )?;
    Ok(())
}

fn measured(args: &DeviceArgs, device: DeviceChoice) -> Result<Measured> {
    let mut found = Measured::default();
    if let Some(folder) = &args.encoder {
        encode(folder, device, &mut found)?;
    }
    if let Some(path) = &args.generator {
        generate(path, device, &mut found)?;
    }
    if args.speech.asr_model.is_some() {
        hear(&args.speech, device, &mut found)?;
    }
    Ok(found)
}

/// Lines of people, again and again.
fn encode(folder: &Path, device: DeviceChoice, found: &mut Measured) -> Result<()> {
    let stream = Stream::read(&weir_fixtures::voices_stream())?;
    let lines: Vec<&str> = stream.turns().map(|turn| turn.text.as_str()).collect();
    let texts: Vec<&str> = lines.into_iter().cycle().take(256).collect();
    let encoder = folder.to_path_buf();
    let encoder = EncoderArgs { encoder }.open_on(device)?;
    for count in BATCHES {
        let texts = texts.get(..count).context("too few texts")?;
        found.vectors = encoder.encode(texts)?;
        let mut times = Times::default();
        for _ in 0..CALLS {
            times.time(|| encoder.encode(texts))?;
        }
        found.add(format!("{count} texts to vectors (ms)"), &mut times);
    }
    Ok(())
}

fn generate(path: &Path, device: DeviceChoice, found: &mut Measured) -> Result<()> {
    let options = GeneratorOptions {
        context_tokens: 2048,
        device,
        ..GeneratorOptions::default()
    };
    let mut model = Generator::load(path, options)?;
    let story =
        "The boat went out before dawn and came back late with empty nets. ".repeat(REPEATS);
    let tokens = model.tokens(&story)?;
    found.logits = model.logits(&tokens)?;
    let (mut prompt, mut reply) = (Times::default(), Times::default());
    let (mut prompt_tokens, mut reply_tokens) = (0, 0);
    for round in 0..PROMPTS {
        // Another start each time, so that nothing is reused.
        let text = format!("{round}. Go on with this story at length. {story}");
        let mut first = Request::new(vec![Message::new(Role::User, text)], 1);
        let read = prompt.time(|| model.generate(&first, &mut |_| Flow::On))?;
        prompt_tokens = read.prompt_tokens - read.reused_tokens;
        first.tokens_max = REPLY_TOKENS;
        let written = reply.time(|| model.generate(&first, &mut |_| Flow::On))?;
        reply_tokens = written.reply_tokens;
    }
    found.add(
        format!("{prompt_tokens} tokens of a prompt (ms)"),
        &mut prompt,
    );
    let what = format!("{reply_tokens} tokens of a reply, prompt known (ms)");
    found.add(what, &mut reply);
    Ok(())
}

/// Every recording of people in the fixtures.
fn hear(speech: &SpeechArgs, device: DeviceChoice, found: &mut Measured) -> Result<()> {
    let model = speech.load_on(device)?;
    let (mut audio_ms, mut took_ms) = (0, 0.0);
    for file in recordings()? {
        let mut hearing = speech.hearing(&model)?;
        let mut words = String::new();
        let began = Started::now();
        audio_ms += listen(&mut hearing, &file, &mut |heard| {
            words += &(heard.text() + "\n");
        })?;
        took_ms += began.wall_ms();
        found.heard.push(words);
    }
    let name = format!("{} s of recordings heard (s)", audio_ms / 1_000);
    found.rows.push((name, took_ms / 1e3));
    Ok(())
}

/// The largest difference between two lists of rows, number by number.
fn difference(ours: &[Vec<f32>], theirs: &[Vec<f32>]) -> f32 {
    let pairs = ours.iter().flatten().zip(theirs.iter().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}
