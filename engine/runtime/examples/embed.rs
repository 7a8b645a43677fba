//! A memory embedded in a program, without audio or model. `cargo run -p weir-engine --example
//! embed`

use std::io::Write as _;
use weir_engine::{Memory, MemoryError, Utterance, WordHashEncoder};

fn main() -> Result<(), MemoryError> {
    let encoder = WordHashEncoder::new();
    let mut memory = Memory::builder(encoder).budget_tokens(2_048).in_memory()?;
    memory.hear(Utterance::new(
        "Ana",
        "The keys of the cabin hang behind the stove.",
    ))?;
    memory.hear(Utterance::new(
        "Ben",
        "Good, then I only bring the firewood.",
    ))?;
    memory.hear(Utterance::new("Ana", "We leave on Friday at seven."))?;

    let answer = memory.ask("Where are the keys of the cabin?")?;
    let mut out = std::io::stdout();
    let _ = writeln!(out, "{}", answer.text);
    for said in &answer.citations {
        let _ = writeln!(out, "{:?}: {:?}", said.evidence.speaker, said.quote);
    }
    Ok(())
}
