//! Times the models of voices, one call per line of standard input.
//!
//! Arguments: `encoder` or `segmentation`, a model's folder, and a file of 32-bit floats, little
//! endian, at 16 kHz. Each input line is a first sample and a number of samples. Each output line
//! is the time in milliseconds and the result: the vector, or for each frame the number of its set
//! of speakers (1, 2 and 4 added).

use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

use weir_models::{EncodeSpeaker, SegmentSpeech, SpeakerEncoder, SpeechSegmentation};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, folder, file] = arguments.as_slice() else {
        return Err("give encoder or segmentation, a model's folder, and a file of floats".into());
    };
    let bytes = std::fs::read(file)?;
    let floats = bytes.as_chunks::<4>().0.iter();
    let sound: Vec<f32> = floats.map(|four| f32::from_le_bytes(*four)).collect();
    match kind.as_str() {
        "encoder" => {
            let model = SpeakerEncoder::load(folder)?;
            each_line(&sound, |samples| {
                let vector = model.encode_speaker(samples)?;
                Ok(vector.iter().map(|x| format!(" {x:.6}")).collect())
            })
        }
        "segmentation" => {
            let model = SpeechSegmentation::load(folder)?;
            each_line(&sound, |samples| {
                let frames = model.segment(samples)?.active();
                let set = |[a, b, c]: [bool; 3]| u8::from(a) + 2 * u8::from(b) + 4 * u8::from(c);
                Ok(frames.into_iter().map(|x| format!(" {}", set(x))).collect())
            })
        }
        other => Err(format!("{other} is neither encoder nor segmentation").into()),
    }
}

/// Answers each line with the time of `call` on its samples, and with its result.
fn each_line(sound: &[f32], call: impl Fn(&[f32]) -> Result<String>) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (first, count) = line.split_once(' ').ok_or("first sample and how many?")?;
        let (first, count) = (first.parse::<usize>()?, count.parse::<usize>()?);
        let samples = sound.get(first..first + count);
        let samples = samples.ok_or("the file has fewer samples")?;
        let began = Instant::now();
        let result = call(samples)?;
        let milliseconds = began.elapsed().as_secs_f64() * 1e3;
        writeln!(out, "{milliseconds:.2}{result}")?;
    }
    Ok(())
}
