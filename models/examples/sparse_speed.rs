//! Times the built-in sparse encoder on one thread.
//!
//! Argument: a file with one text per line. Prints the milliseconds of a single text (median and
//! 95th percentile), of a text in batches of 32, and the terms of a text.

#![allow(clippy::print_stdout, reason = "a program for people")]

use std::error::Error;
use std::num::NonZeroUsize;
use std::time::Instant;
use weir_models::{Encode, SparseEncoder};

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let file = std::env::args().nth(1).ok_or("give a file of texts")?;
    let texts = std::fs::read_to_string(file)?;
    let texts: Vec<&str> = texts.lines().collect();
    let start = Instant::now();
    let encoder = SparseEncoder::built_in()?.with_threads(NonZeroUsize::MIN);
    let loading = start.elapsed();
    let (mut times, mut terms, mut bytes) = (Vec::new(), 0, 0);
    for text in &texts {
        let start = Instant::now();
        let made = encoder.terms(&[text])?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
        terms += made[0].len();
        bytes += made[0].bytes();
    }
    times.sort_by(f64::total_cmp);
    let start = Instant::now();
    for batch in texts.chunks(32) {
        encoder.terms(batch)?;
    }
    let (batch, count) = (start.elapsed().as_secs_f64() * 1e3, texts.len() as f64);
    println!(
        "{} texts, loaded in {:.0} ms: one {:.2} ms (median), {:.2} ms (95 %); in batches \
         {:.2} ms; {:.0} terms, {:.0} bytes",
        texts.len(),
        loading.as_secs_f64() * 1e3,
        times[times.len() / 2],
        times[times.len() * 95 / 100],
        batch / count,
        terms as f64 / count,
        bytes as f64 / count,
    );
    Ok(())
}
