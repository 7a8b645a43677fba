//! The logits of token ids, for comparisons: `generator_logits MODEL`.
//!
//! Each line of standard input holds token ids separated by spaces. The logits after each token go
//! to standard output as little-endian f32. `scripts/generator/agreement.py` uses it.

use std::io::{BufRead, Write};

use weir_models::{Generator, GeneratorOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args()
        .nth(1)
        .ok_or("usage: generator_logits MODEL")?;
    let mut model = Generator::load(path, GeneratorOptions::default())?;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let ids = line?
            .split_whitespace()
            .map(str::parse)
            .collect::<Result<Vec<u32>, _>>()?;
        for logit in model.logits(&ids)?.concat() {
            out.write_all(&logit.to_le_bytes())?;
        }
    }
    out.flush()?;
    Ok(())
}
