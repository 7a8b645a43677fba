//! Personal answers: whether the facts that an answer needs are handed over, on the 50 turns of the
//! User memory paper (4.2), and in the same way on PrefEval and MemoryBank.
//!
//! No model replies or judges. A fact counts where one line of what is handed over shows enough of
//! its words: it says that the fact is there, not that an answer is right.

mod alex;
mod dialogue;
mod labels;
mod memorybank;
mod prefeval;
mod system;

use crate::encoder::EncoderArgs;
use crate::markdown::{number, table};
use crate::progress::Progress;
use crate::timing::mean;
use anyhow::{Result, ensure};
use dialogue::{Asked, Dialogue, Turn};
use prefeval::Between;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;
use system::{KINDS, Settings, System};
use weir_core::limits;
use weir_models::{CountTokens, WordPieceCounter};

/// Shortest interval between progress reports.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// Options of `personal`.
#[derive(clap::Args)]
pub(crate) struct PersonalArgs {
    /// Folder with `alex50`, `prefeval` and `memorybank`
    data: PathBuf,
    /// Data sets to measure [default: those that are there]
    #[arg(long, value_delimiter = ',')]
    sets: Vec<String>,
    /// Questions of `prefeval` and of `memorybank`, each, evenly spread [default: all]
    #[arg(long)]
    limit: Option<usize>,
    /// Turns of other talk between a preference of `prefeval` and its question
    #[arg(long, default_value_t = 10)]
    between: usize,
    /// Seed of that talk
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where answers to questions of `memorybank` are
    #[arg(long, default_value = "benches/questions/memorybank.tsv")]
    labels: PathBuf,
    /// Tokens the memory may hold
    #[arg(long, default_value_t = limits::BUDGET_TOKENS_DEFAULT)]
    budget_tokens: usize,
    /// Tokens of a context of memory
    #[arg(long, default_value_t = limits::CONTEXT_TOKENS_DEFAULT)]
    context_tokens: usize,
    /// Tokens of the user's profile within it; 0 hands it only to questions about the user
    #[arg(long, default_value_t = 300)]
    profile_tokens: usize,
    #[command(flatten)]
    encoder: EncoderArgs,
}

/// A question put to one system.
#[derive(Debug, Clone, Default, Serialize)]
struct Row {
    data: &'static str,
    dialogue: String,
    turn: String,
    system: &'static str,
    /// Facts that an answer needs.
    needed: usize,
    /// Those among what memory gives.
    in_memory: usize,
    /// Those among the last turns.
    in_history: usize,
    /// Those in either.
    handed: usize,
    /// Those in neither.
    missed: Vec<String>,
    /// Tokens handed over.
    tokens: usize,
}

/// Facts of a dialogue that the profile holds at its end.
#[derive(Debug, Serialize)]
struct Held {
    data: &'static str,
    facts_told: usize,
    held_in_profile: usize,
    not_held: Vec<&'static str>,
}

/// Measures, prints a row for each question and system, and a table to stderr.
pub(crate) fn run(args: &PersonalArgs) -> Result<()> {
    let settings = Settings {
        encoder: args.encoder.open()?,
        budget_tokens: args.budget_tokens,
        context_tokens: args.context_tokens,
        profile_tokens: args.profile_tokens,
    };
    let mut out = std::io::stdout().lock();
    let rows = measured(&dialogues(args)?, &settings, &mut out)?;
    writeln!(std::io::stderr(), "\n{}", markdown(&rows))?;
    Ok(())
}

fn dialogues(args: &PersonalArgs) -> Result<Vec<Dialogue>> {
    let known = ["alex50", "prefeval", "memorybank"];
    let there = known.into_iter().filter(|set| args.data.join(set).is_dir());
    let sets = match args.sets.is_empty() {
        true => there.map(str::to_owned).collect(),
        false => args.sets.clone(),
    };
    let limit = args.limit.unwrap_or(usize::MAX);
    let bank = args.data.join("memorybank/en");
    let mut all = Vec::new();
    for set in &sets {
        let folder = args.data.join(set);
        all.extend(match set.as_str() {
            "alex50" => alex::read(&folder.join("alex50.json"))?,
            "memorybank" => limited(memorybank::read(&bank, &args.labels)?, limit),
            "prefeval" => {
                let exchanges = match args.between {
                    0 => Vec::new(),
                    _ => memorybank::exchanges(&bank)?,
                };
                let (turns, seed) = (args.between, args.seed);
                let between = Between {
                    exchanges,
                    turns,
                    seed,
                };
                prefeval::read(&folder, &between, limit)?
            }
            other => anyhow::bail!("no data is called `{other}`: {}", known.join(", ")),
        });
    }
    ensure!(
        !all.is_empty(),
        "{} has none of {}",
        args.data.display(),
        known.join(", ")
    );
    Ok(all)
}

/// The dialogues with this many questions in all, spread over them.
fn limited(mut dialogues: Vec<Dialogue>, limit: usize) -> Vec<Dialogue> {
    let asked = |it: &Dialogue| it.turns.iter().filter(|turn| turn.asked.is_some()).count();
    let step = dialogues.iter().map(asked).sum::<usize>();
    let step = step.div_ceil(limit.max(1)).max(1);
    let mut number = 0;
    for dialogue in &mut dialogues {
        dialogue.turns.retain(|turn| {
            number += usize::from(turn.asked.is_some());
            turn.asked.is_none() || (number - 1) % step == 0
        });
    }
    dialogues.retain(|it| asked(it) > 0);
    dialogues
}

/// The rows of all dialogues, each written as it comes.
fn measured(dialogues: &[Dialogue], settings: &Settings, out: &mut dyn Write) -> Result<Vec<Row>> {
    let mut progress = Progress::new(dialogues.len(), TOLD_EVERY);
    let mut rows = Vec::new();
    for dialogue in dialogues {
        for kind in KINDS {
            let mut system = System::new(kind, &dialogue.user, settings)?;
            for turn in &dialogue.turns {
                if let Some(asked) = &turn.asked {
                    let row = asked_of(dialogue, (turn, asked), &mut system)?;
                    writeln!(out, "{}", serde_json::to_string(&row)?)?;
                    rows.push(row);
                }
                if turn.is_heard {
                    system.hear(turn)?;
                }
            }
            if let Some(held) = held(dialogue, &mut system)? {
                writeln!(out, "{}", serde_json::to_string(&held)?)?;
            }
        }
        if let Some(pace) = progress.step() {
            let (done, total, left) = (pace.done, pace.total, pace.minutes_left);
            let told = format!("{done} of {total} dialogues, about {left:.0} min left");
            writeln!(std::io::stderr(), "{told}")?;
        }
    }
    Ok(rows)
}

/// One question to one system: the facts needed, by where they are handed over.
fn asked_of(
    dialogue: &Dialogue,
    (turn, asked): (&Turn, &Asked),
    system: &mut System,
) -> Result<Row> {
    let handed = system.hand(&turn.text)?;
    let counter = WordPieceCounter::shared();
    let mut row = Row {
        data: dialogue.data,
        dialogue: dialogue.name.clone(),
        turn: turn.id.clone(),
        system: system.kind.name(),
        needed: asked.needed.len(),
        tokens: counter.count(&handed.memory) + counter.count(&handed.history),
        ..Row::default()
    };
    for fact in &asked.needed {
        let (memory, history) = (fact.is_in(&handed.memory), fact.is_in(&handed.history));
        row.in_memory += usize::from(memory);
        row.in_history += usize::from(history);
        row.handed += usize::from(memory || history);
        if !memory && !history {
            row.missed.push(fact.name.clone());
        }
    }
    Ok(row)
}

/// Which of the facts that a dialogue tells the profile holds; `None` where they are not labelled,
/// and for a system without a profile.
fn held(dialogue: &Dialogue, system: &mut System) -> Result<Option<Held>> {
    let profile = system.profile()?.filter(|_| !dialogue.told.is_empty());
    let Some(profile) = profile else {
        return Ok(None);
    };
    let lacks = |fact: &&(&'static str, dialogue::Needed)| !fact.1.is_in(&profile);
    let lacking = dialogue.told.iter().filter(lacks);
    let not_held: Vec<&str> = lacking.map(|(name, _)| *name).collect();
    Ok(Some(Held {
        data: dialogue.data,
        facts_told: dialogue.told.len(),
        held_in_profile: dialogue.told.len() - not_held.len(),
        not_held,
    }))
}

/// A line for each data set and system.
fn markdown(rows: &[Row]) -> String {
    let mut setups: Vec<(&str, &str)> = Vec::new();
    for row in rows {
        if !setups.contains(&(row.data, row.system)) {
            setups.push((row.data, row.system));
        }
    }
    let line = |(data, system): &(&str, &str)| {
        let own = || {
            rows.iter()
                .filter(|row| (row.data, row.system) == (*data, *system))
        };
        let sum = |of: fn(&Row) -> usize| own().map(of).sum::<usize>().to_string();
        vec![
            (*data).to_owned(),
            (*system).to_owned(),
            own().count().to_string(),
            sum(|row| row.needed),
            sum(|row| row.handed),
            sum(|row| row.in_memory),
            sum(|row| row.in_history),
            number(mean(own().map(|row| Some(row.tokens as f64))), 0),
        ]
    };
    let heads = [
        "data", "system", "questions", "facts needed", "handed over", "by memory",
        "by the last turns", "tokens",
    ];
    table(&heads, &setups.iter().map(line).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dialogue::Needed;
    use std::sync::Arc;
    use weir_models::WordHashEncoder;

    /// A fact, six turns of other talk, and a question about the fact.
    fn dialogue() -> Dialogue {
        let said = |text: &str| Turn {
            text: text.to_owned(),
            is_heard: true,
            ..Turn::default()
        };
        let mut turns = vec![said("My partner is called Jamie.")];
        turns.extend((0..6).map(|at| said(&format!("It rains for {at} days."))));
        turns.push(Turn {
            text: "What is the name of my partner?".to_owned(),
            asked: Some(Asked {
                needed: vec![Needed::new("name", "partner Jamie", 1.0)],
            }),
            ..Turn::default()
        });
        Dialogue {
            data: "made",
            name: "one".to_owned(),
            user: "Ana".to_owned(),
            told: vec![
                ("name", Needed::new("name", "partner Jamie", 1.0)),
                ("dog", Needed::new("dog", "dog Rex", 1.0)),
            ],
            turns,
        }
    }

    #[test]
    fn memory_alone_hands_over_what_was_said_long_ago() {
        let settings = Settings {
            encoder: Arc::new(WordHashEncoder::new()),
            budget_tokens: 8_192,
            context_tokens: 400,
            profile_tokens: 100,
        };
        let mut out = Vec::new();
        let rows = measured(&[dialogue()], &settings, &mut out).expect("measured");
        let handed: Vec<_> = rows
            .iter()
            .map(|row| (row.system, row.in_memory, row.in_history, row.handed))
            .collect();
        let expected = [
            ("stateless", 0, 0, 0),
            ("buffer-4", 0, 0, 0),
            ("weir", 1, 0, 1),
        ];
        assert_eq!(handed, expected);
        assert_eq!(rows[0].missed, ["name"]);
        assert!(markdown(&rows).contains("| made | weir | 1 | 1 | 1 | 1 | 0 |"));
        let last = String::from_utf8(out).expect("text");
        let last: serde_json::Value =
            serde_json::from_str(last.lines().last().expect("rows")).expect("a row");
        assert_eq!(last["facts_told"], 2);
        assert_eq!(last["not_held"], serde_json::json!(["dog"]));
    }

    #[test]
    fn a_limit_spreads_over_dialogues() {
        let dialogues = || (0..6).map(|_| dialogue()).collect::<Vec<_>>();
        assert_eq!(limited(dialogues(), 3).len(), 3);
        assert_eq!(limited(dialogues(), usize::MAX).len(), 6);
    }
}
