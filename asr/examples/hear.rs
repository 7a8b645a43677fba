//! Prints the utterances of an audio file with their times, as they are recognised.
//!
//! `cargo run --release -p weir-asr --features opus,whisper --example hear -- FILE [MODEL]`
//! Without a model file it uses tiny.en.
//! Set `RUST_LOG=weir_asr=trace` to see what the guards refuse.

use std::error::Error;
use std::io::Write;

use weir_asr::{
    AudioSource, Recogniser, RecogniserConfig, Refusal, Rest, WhisperConfig, WhisperDevice,
    WhisperModel, open_file,
};

fn main() -> Result<(), Box<dyn Error>> {
    env_logger::init();
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("give an audio file")?;
    let model = match arguments.next() {
        Some(path) => WhisperModel::load(path)?,
        None => WhisperModel::from_bytes(
            weir_tiny_en::NAME,
            weir_tiny_en::WEIGHTS,
            WhisperDevice::Cpu,
        )?,
    };
    let mut source = open_file(&file)?;
    let transcriber = model.transcriber(&WhisperConfig::default())?;
    let config = RecogniserConfig::for_model(&transcriber);
    let (mut recogniser, mut transcriber) =
        Recogniser::for_source(source.spec(), config, transcriber)?;
    let mut out = std::io::stdout().lock();
    let (mut chunk, mut warnings) = (Vec::new(), Vec::new());
    loop {
        let count = source.read(&mut chunk)?;
        if count == 0 {
            recogniser.finish();
        } else {
            recogniser.step(&chunk);
        }
        while let Some(heard) = recogniser.recognise(&mut transcriber, Rest::Keep) {
            for utterance in heard?.utterances {
                writeln!(
                    out,
                    "{:>8} - {:>8} ms  {:.2}  {}",
                    utterance.span.start_ms(),
                    utterance.span.end_ms(),
                    utterance.confidence,
                    utterance.text()
                )?;
            }
        }
        if count == 0 {
            break;
        }
    }
    source.take_warnings(&mut warnings);
    for warning in warnings {
        writeln!(out, "warning: {warning}")?;
    }
    let (listened, counts) = (recogniser.listener().counts(), transcriber.counts());
    writeln!(
        out,
        "{} ms heard, {} ms speech in {} segments, {} recognised",
        listened.samples / 16,
        listened.speech_samples / 16,
        listened.segments,
        counts.recognised
    )?;
    for why in Refusal::ALL
        .into_iter()
        .filter(|why| counts.refused(*why) > 0)
    {
        writeln!(out, "refused {}: {}", counts.refused(why), why.reason())?;
    }
    Ok(())
}
