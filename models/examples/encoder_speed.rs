//! Times an encoder against stock candle, one call per line of standard input. It is the Rust half
//! of `scripts/encoder_speed`.
//!
//! Arguments: a model's folder, a file with one text per line, and the number of threads. Each
//! input line is `ours` or `stock` and a number of texts from the start of the file; each output
//! line is their time in milliseconds. `check` instead prints the largest difference between the
//! two. `beside` prints the median time of the first text in milliseconds while another thread
//! encodes that many texts in a loop: a question during ingestion.

use std::error::Error;
use std::io::{BufRead, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config};
use tokenizers::{PaddingParams, Tokenizer, TruncationParams};
use weir_models::{Encode, EncodeError, SentenceEncoder};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Number of times a text is encoded beside the others.
const QUESTIONS: usize = 101;

/// The encoder as in candle's own example: padding, a mask, the mean, unit length.
struct Stock {
    tokenizer: Tokenizer,
    model: BertModel,
}

impl Stock {
    fn load(folder: &Path, tokens_max: usize) -> Result<Self> {
        let config: Config = serde_json::from_slice(&std::fs::read(folder.join("config.json"))?)?;
        let mut tokenizer = Tokenizer::from_file(folder.join("tokenizer.json"))?;
        tokenizer.with_padding(Some(PaddingParams::default()));
        tokenizer.with_truncation(Some(TruncationParams {
            max_length: tokens_max,
            ..TruncationParams::default()
        }))?;
        let weights = std::fs::read(folder.join("model.safetensors"))?;
        let weights = VarBuilder::from_buffered_safetensors(weights, DType::F32, &Device::Cpu)?;
        let model = BertModel::load(weights, &config)?;
        Ok(Self { tokenizer, model })
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>> {
        let encodings = self.tokenizer.encode_batch(texts.to_vec(), true)?;
        let rows = |of: fn(&tokenizers::Encoding) -> &[u32]| -> candle_core::Result<Tensor> {
            let rows: Vec<Vec<u32>> = encodings.iter().map(|one| of(one).to_vec()).collect();
            Tensor::new(rows, &Device::Cpu)
        };
        let (ids, mask) = (
            rows(|one| one.get_ids())?,
            rows(|one| one.get_attention_mask())?,
        );
        let layer = self.model.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        let mask = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
        let sum = layer.broadcast_mul(&mask)?.sum(1)?;
        let mean = sum.broadcast_div(&mask.sum(1)?)?;
        let length = mean.sqr()?.sum_keepdim(1)?.sqrt()?;
        Ok(mean.broadcast_div(&length)?.to_vec2()?)
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, texts, threads] = arguments.as_slice() else {
        return Err("give a model's folder, a file of texts and a number of threads".into());
    };
    let ours = SentenceEncoder::load(folder)?.with_threads(threads.parse()?);
    let stock = Stock::load(Path::new(folder), ours.tokens_max())?;
    let texts = std::fs::read_to_string(texts)?;
    let texts: Vec<&str> = texts.lines().collect();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (who, count) = line.split_once(' ').ok_or("who, and how many texts?")?;
        let texts = texts
            .get(..count.parse()?)
            .ok_or("there are not so many texts")?;
        let start = Instant::now();
        let said = match who {
            "ours" => ours.encode(texts).map(|_| start.elapsed())?.as_secs_f64() * 1e3,
            "stock" => stock.encode(texts).map(|_| start.elapsed())?.as_secs_f64() * 1e3,
            "check" => f64::from(difference(&ours.encode(texts)?, &stock.encode(texts)?)),
            "beside" => beside(&ours, texts)?,
            _ => return Err("ours, stock, check or beside".into()),
        };
        writeln!(out, "{said}")?;
    }
    Ok(())
}

/// The median time of the first text, in milliseconds, while another thread encodes all texts.
fn beside(encoder: &SentenceEncoder, texts: &[&str]) -> Result<f64> {
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let ingestion = scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                encoder.encode(texts)?;
            }
            Ok::<_, EncodeError>(())
        });
        let one = || {
            let start = Instant::now();
            encoder.encode(&texts[..1])?;
            Ok::<_, EncodeError>(start.elapsed().as_secs_f64() * 1e3)
        };
        let times: std::result::Result<Vec<f64>, _> = (0..QUESTIONS).map(|_| one()).collect();
        is_done.store(true, Ordering::Relaxed);
        ingestion
            .join()
            .map_err(|_| "the other thread panicked")??;
        let mut times = times?;
        times.sort_by(f64::total_cmp);
        Ok(times[times.len() / 2])
    })
}

fn difference(ours: &[Vec<f32>], theirs: &[Vec<f32>]) -> f32 {
    let pairs = ours.iter().flatten().zip(theirs.iter().flatten());
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}
