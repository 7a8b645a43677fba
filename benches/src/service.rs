//! How long a client waits for `hear` and `ask` of a session on disk.
//!
//! A session is filled to its budget; then a client hears a turn and asks a question, again and
//! again: of that turn, and of one of the first, for which the transcript is searched. Vectors
//! are hashed words, so the times are those of the session, its threads and the disk.

use crate::simulate::made_dialogue;
use crate::timing::Times;
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write as _;
use weir_core::limits;
use weir_engine::{Memory, Utterance, WordHashEncoder};

/// Turns heard with one commit while the session is filled.
const FILLED_AT_ONCE: usize = 256;

/// The default budget with a transcript, and a large one.
const BUDGETS: [usize; 2] = [limits::BUDGET_TOKENS_TRANSCRIPT_DEFAULT, 131_072];

/// Options of `service`.
#[derive(clap::Args)]
pub(crate) struct ServiceArgs {
    /// Token budgets; a row each
    #[arg(long, num_args = 1.., default_values_t = BUDGETS)]
    budgets: Vec<usize>,
    /// Bytes of the transcript on disk; 0 for none
    #[arg(long, default_value_t = limits::TRANSCRIPT_BYTES_DEFAULT)]
    transcript_bytes: u64,
    /// Turns heard and questions asked of the full session
    #[arg(long, default_value_t = 1_000)]
    turns: usize,
}

/// Prints a row for each budget.
pub(crate) fn run(args: &ServiceArgs) -> Result<()> {
    for &budget in &args.budgets {
        writeln!(std::io::stdout(), "{}", measured(args, budget)?)?;
    }
    Ok(())
}

fn measured(args: &ServiceArgs, budget_tokens: usize) -> Result<Value> {
    let folder = tempfile::tempdir_in(".")?;
    let memory = Memory::builder(WordHashEncoder::new())
        .budget_tokens(budget_tokens)
        .transcript_bytes(args.transcript_bytes)
        .open(folder.path().join("session"))?;
    let dialogue = made_dialogue();
    let endless = dialogue.iter().cycle().enumerate();
    let mut said = endless.map(|(n, (speaker, text))| {
        let text = format!("{text} That was number {n}.");
        Utterance::new(speaker.as_str(), &text)
    });
    // full: the last turns heard made it no fuller
    let mut held = 0;
    loop {
        memory.hear_all(said.by_ref().take(FILLED_AT_ONCE))?;
        let now = memory.session().text_tokens();
        if now <= held && now * 10 > budget_tokens * 9 {
            break;
        }
        held = held.max(now);
    }
    let turns_before = memory.session().turns();
    let mut times: [Times; 3] = Default::default();
    let [hear, ask, ask_forgotten] = &mut times;
    for (n, said) in said.take(args.turns).enumerate() {
        let question = format!("Who said: {}", said.text);
        hear.time(|| memory.hear(said))?;
        ask.time(|| memory.ask(&question))?;
        // the first turns have left memory, and stand last in a search from the newest on
        ask_forgotten.time(|| memory.ask(&format!("Who said number {n}?")))?;
    }
    memory.close()?;
    let mut row = json!({
        "budget_tokens": budget_tokens,
        "transcript_bytes": args.transcript_bytes,
        "turns_before": turns_before,
    });
    for (name, times) in ["hear", "ask", "ask_forgotten"].iter().zip(&mut times) {
        for percent in [50, 99] {
            row[format!("{name}_ms_p{percent}")] = json!(times.percentile(percent) / 1e3);
        }
    }
    Ok(row)
}
