//! Times the built-in sparse encoder, and the built-in language model, on one thread each.
//!
//! Argument: a file with one text per line. Prints the milliseconds of a single text (median and
//! 95th percentile), of a text in batches of 32, and the terms of a text. Run it with
//! `RAYON_NUM_THREADS=1`: the language model has no number of threads of its own.

#![allow(clippy::print_stdout, reason = "a program for people")]

use std::error::Error;
use std::num::NonZeroUsize;
use std::time::Instant;
use weir_models::{Annotate, Encode, LanguageModel, SparseEncoder, Stated};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

fn main() -> Result<()> {
    let file = std::env::args().nth(1).ok_or("give a file of texts")?;
    let texts = std::fs::read_to_string(file)?;
    let texts: Vec<&str> = texts.lines().collect();
    let start = Instant::now();
    let encoder = SparseEncoder::built_in()?.with_threads(NonZeroUsize::MIN);
    let loading = start.elapsed();
    let (mut terms, mut bytes) = (0, 0);
    let times = timed(&texts, |batch| {
        for made in encoder.terms(batch)? {
            terms += made.len();
            bytes += made.bytes();
        }
        Ok(())
    })?;
    // each text was encoded alone and in a batch
    let count = 2.0 * texts.len() as f64;
    println!(
        "{} texts, loaded in {:.0} ms: {times}; {:.0} terms, {:.0} bytes",
        texts.len(),
        loading.as_secs_f64() * 1e3,
        terms as f64 / count,
        bytes as f64 / count,
    );
    let model = LanguageModel::built_in()?;
    let times = timed(&texts, |batch| {
        let question = None;
        let stated = batch.iter().map(|text| Stated { text, question });
        model.annotate(&stated.collect::<Vec<_>>())?;
        Ok(())
    })?;
    println!("language model: {times}");
    Ok(())
}

/// The milliseconds of one text, and of a text in batches, in words.
fn timed(texts: &[&str], mut read: impl FnMut(&[&str]) -> Result<()>) -> Result<String> {
    let mut times = Vec::new();
    for text in texts.chunks(1) {
        let start = Instant::now();
        read(text)?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    let start = Instant::now();
    for batch in texts.chunks(32) {
        read(batch)?;
    }
    let batch = start.elapsed().as_secs_f64() * 1e3 / texts.len() as f64;
    let [half, most] = [50, 95].map(|share| times[times.len() * share / 100]);
    Ok(format!(
        "one {half:.2} ms (median), {most:.2} ms (95 %); in batches {batch:.2} ms"
    ))
}
