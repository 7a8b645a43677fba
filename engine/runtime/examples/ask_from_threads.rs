//! Four threads ask one memory at once. `cargo run -p weir-engine --example ask_from_threads`

use weir_engine::{Memory, MemoryError, Utterance, WordHashEncoder};

const QUESTIONS: [&str; 4] = [
    "Where are the keys?",
    "Who brings the firewood?",
    "When do we leave?",
    "What is the dog called?",
];

#[expect(clippy::print_stdout, reason = "an example")]
fn main() -> Result<(), MemoryError> {
    let memory = Memory::builder(WordHashEncoder::new()).in_memory()?;
    memory.hear(Utterance::new("Ana", "The keys hang behind the stove."))?;
    memory.hear(Utterance::new("Ben", "I bring the firewood."))?;
    memory.hear(Utterance::new("Ana", "We leave on Friday at seven."))?;

    let memory = &memory;
    std::thread::scope(|threads| {
        for question in QUESTIONS {
            threads.spawn(move || match memory.ask(question) {
                Ok(answer) => println!("{question} {}", answer.text),
                Err(error) => println!("{question} {error}"),
            });
        }
    });
    Ok(())
}
