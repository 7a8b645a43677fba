//! The memory inside another program: no audio, no model, no file.
//!
//! `cargo run -p weir-core --example embed`

use std::{error::Error, io::Write, sync::Arc};
use weir_core::{config, driver::Driver, stream};
use weir_models::{WordHashEncoder, WordPieceCounter};

fn main() -> Result<(), Box<dyn Error>> {
    let profile = config::EncoderProfile::word_hash();
    let settings = config::SessionConfig {
        budget_tokens: 2_048,
        profile,
        ..Default::default()
    };
    let counter = Arc::new(WordPieceCounter::shared());
    let mut memory = Driver::new(settings, Arc::new(WordHashEncoder::new()), counter)?;
    memory.begin(stream::StreamStart {
        name: "chat".into(),
        started_at_unix_ms: None,
    })?;
    let talk = [
        ("Ana", "The keys of the cabin hang behind the stove."),
        ("Ben", "Good, then I only bring the firewood."),
        ("Ana", "We leave on Friday at seven."),
    ];
    for (n, (speaker, text)) in talk.into_iter().enumerate() {
        memory.hear(stream::Utterance {
            id: format!("u{n}"),
            stream: "chat".into(),
            speaker: Some(speaker.into()),
            span: stream::Span::new(n as u64 * 3_000, n as u64 * 3_000 + 2_500),
            audio: None,
            confidence: None,
            text: text.into(),
        })?;
    }
    let (answer, _) = memory.ask("Where are the keys of the cabin?", Some("Ben"), 300)?;
    let said = answer.citations.first().map(|c| c.evidence.span.start_ms);
    writeln!(
        std::io::stdout(),
        "{}\n  said at {:?} ms",
        answer.text,
        said
    )?;
    Ok(())
}
