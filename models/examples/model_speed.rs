//! Times the summariser or the extractor, one call per line of standard input. It is the Rust half
//! of `scripts/model_speed`.
//!
//! Arguments: `t5` or `gliner`, a model's folder, a file with the text, and for `gliner` its
//! labels. Each input line is a number of tokens, or empty for `gliner`. Each output line is the
//! time in milliseconds and the result: the tokens of the reply, or first byte, last byte and
//! label of each span.

use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

use weir_models::{Extract, Gliner, T5Summariser};

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Lowest score of a printed span.
const THRESHOLD: f32 = 0.5;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, folder, text, labels @ ..] = arguments.as_slice() else {
        return Err("give t5 or gliner, a model's folder, a file with a text, and labels".into());
    };
    let text = std::fs::read_to_string(text)?;
    match kind.as_str() {
        "t5" => {
            let mut model = T5Summariser::load(folder)?;
            each_line(|line| {
                let began = Instant::now();
                let reply = model.reply(&text, line.parse()?)?;
                Ok((began, said(reply)))
            })
        }
        "gliner" => {
            let model = Gliner::load(folder)?;
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            each_line(|_| {
                let began = Instant::now();
                let spans = model.extract(&text, &labels, THRESHOLD)?;
                let span = spans
                    .into_iter()
                    .map(|span| format!("{}-{}-{}", span.bytes.start, span.bytes.end, span.label));
                Ok((began, said(span)))
            })
        }
        other => Err(format!("{other} is neither t5 nor gliner").into()),
    }
}

/// Answers each line with the time since the start that `call` returns, and with its result.
fn each_line(mut call: impl FnMut(&str) -> Result<(Instant, String)>) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let (began, said) = call(&line?)?;
        writeln!(out, "{} {said}", began.elapsed().as_secs_f64() * 1e3)?;
        out.flush()?;
    }
    Ok(())
}

fn said(parts: impl IntoIterator<Item = impl ToString>) -> String {
    let parts: Vec<String> = parts.into_iter().map(|part| part.to_string()).collect();
    parts.join(" ")
}
