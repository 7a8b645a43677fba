//! A memory inside another program: no audio, no model. `cargo run -p weir-engine --example embed`

use weir_engine::{Memory, MemoryError, Utterance, WordHashEncoder};

#[expect(clippy::print_stdout, reason = "an example")]
fn main() -> Result<(), MemoryError> {
    let encoder = WordHashEncoder::new();
    let memory = Memory::builder(encoder).budget_tokens(2_048).in_memory()?;
    memory.hear(Utterance::new("Ana", "The keys hang behind the stove."))?;
    memory.hear(Utterance::new("Ben", "Then I only bring the firewood."))?;
    memory.hear(Utterance::new("Ana", "We leave on Friday at seven."))?;

    let answer = memory.ask("Where are the keys?")?;
    println!("{}", answer.text);
    for said in &answer.citations {
        println!("{:?}: {:?}", said.evidence.speaker, said.quote);
    }
    Ok(())
}
