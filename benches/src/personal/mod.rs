//! Personal answers: the experiment of the User memory paper (4.2, 4.3) on its 50 turns, and the
//! same on PrefEval and MemoryBank.
//!
//! Each system hands its responder what it remembers; the responder is the same for all. Without
//! models, what is counted is whether the facts that an answer needs are handed over, each on one
//! line. With a responder its choices among given answers are counted; with a judge, its scores by
//! the paper's rubric. What fails is counted, never left out. Models are named in every result.

mod alex;
mod dialogue;
mod memorybank;
mod prefeval;
mod prompt;
mod row;
mod system;
#[cfg(test)]
mod tests;

pub(crate) use system::{KINDS, Kind, Settings};

use crate::progress::{Pace, Progress};
use anyhow::{Context, Result, ensure};
use dialogue::{Asked, Dialogue, Turn};
use prefeval::{Between, draw};
use row::Row;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;
use system::{Handed, System};
use weir_models::{CountTokens, Flow, Generate, Request, WordPieceCounter};

/// Shortest interval between progress reports without a responder.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// Input of the measurement.
pub(crate) struct Plan {
    /// Folder with `alex50`, `prefeval` and `memorybank`.
    pub(crate) data: PathBuf,
    /// Those to measure.
    pub(crate) sets: Vec<String>,
    /// Labels of MemoryBank's questions.
    pub(crate) labels: PathBuf,
    pub(crate) systems: Vec<Kind>,
    pub(crate) settings: Settings,
    /// Dialogues of PrefEval, and labelled questions of MemoryBank, at most.
    pub(crate) limit: usize,
    /// Turns between a preference and its question.
    pub(crate) between: usize,
    pub(crate) seed: u64,
    pub(crate) responder: Option<Box<dyn Generate>>,
    pub(crate) judge: Option<Box<dyn Generate>>,
    pub(crate) reply_tokens: usize,
    /// Whether turns with given answers are chosen from alone, without a free reply.
    pub(crate) is_choice_only: bool,
    /// Turns whose replies the judge reads; of earlier ones it reads the user's words alone.
    pub(crate) judge_replies: usize,
    /// Rows of all answered turns.
    pub(crate) out: Option<PathBuf>,
}

/// Measures, prints a sum for each system and data set as JSON Lines, and a table to stderr.
pub(crate) fn run(plan: &mut Plan) -> Result<()> {
    let dialogues = dialogues(plan)?;
    let mut out: Box<dyn Write> = match &plan.out {
        Some(path) => Box::new(
            std::fs::File::create(path)
                .with_context(|| format!("{} cannot be written", path.display()))?,
        ),
        None => Box::new(std::io::sink()),
    };
    let rows = measured(plan, &dialogues, &mut *out)?;
    let sums = row::sums(&rows, &plan.systems);
    let mut stdout = std::io::stdout().lock();
    for sum in &sums {
        writeln!(stdout, "{}", serde_json::to_string(sum)?)?;
    }
    writeln!(std::io::stderr(), "\n{}", row::markdown(&sums))?;
    Ok(())
}

fn dialogues(plan: &Plan) -> Result<Vec<Dialogue>> {
    let mut all = Vec::new();
    for set in &plan.sets {
        let folder = plan.data.join(set);
        all.extend(match set.as_str() {
            "alex50" => alex::read(&folder.join("alex50.json"))?,
            "memorybank" => {
                let dialogues = memorybank::read(&folder.join("en"), &plan.labels)?;
                limited(dialogues, plan.limit)
            }
            "prefeval" => {
                let bank = plan.data.join("memorybank/en");
                let between = Between {
                    exchanges: match plan.between {
                        0 => Vec::new(),
                        _ => memorybank::exchanges(&bank)?,
                    },
                    turns: plan.between,
                    seed: plan.seed,
                };
                prefeval::read(&folder, &between, plan.limit)?
            }
            other => anyhow::bail!("no data is called `{other}`: alex50, prefeval, memorybank"),
        });
    }
    ensure!(!all.is_empty(), "nothing to ask");
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
fn measured(plan: &mut Plan, dialogues: &[Dialogue], out: &mut dyn Write) -> Result<Vec<Row>> {
    let turns = dialogues.iter().flat_map(|it| &it.turns);
    let turns = turns.filter(|turn| turn.asked.is_some()).count();
    let every = match plan.responder {
        Some(_) => Duration::ZERO,
        None => TOLD_EVERY,
    };
    let progress = Progress::new(turns * plan.systems.len(), 0, every);
    let mut rows = Vec::new();
    for dialogue in dialogues {
        let systems = plan.systems.iter();
        let systems = systems.map(|kind| System::new(*kind, &dialogue.user, &plan.settings));
        let mut systems: Vec<System> = systems.collect::<Result<_>>()?;
        for turn in &dialogue.turns {
            for system in &mut systems {
                let mut reply = turn.reply.clone();
                if let Some(asked) = &turn.asked {
                    let row = answered(plan, dialogue, (turn, asked), system)?;
                    reply = reply.or_else(|| row.reply.clone());
                    writeln!(out, "{}", serde_json::to_string(&row)?)?;
                    out.flush()?;
                    if let Some(pace) = progress.step() {
                        told(&row, &pace)?;
                    }
                    rows.push(row);
                }
                if turn.is_heard {
                    system.hear(turn, reply)?;
                }
            }
        }
    }
    Ok(rows)
}

fn told(row: &Row, pace: &Pace) -> Result<()> {
    let score = row.score.map(|score| format!(", score {score}"));
    let failure = row.not_answered.as_ref().or(row.not_judged.as_ref());
    writeln!(
        std::io::stderr(),
        "{} of {}, {:.1} s each, about {:.0} min left: {}, turn {}, {}: {} of {} facts{}{}",
        pace.done,
        pace.total,
        pace.each_s,
        pace.minutes_left,
        row.dialogue,
        row.turn,
        row.system,
        row.handed,
        row.needed,
        score.unwrap_or_default(),
        failure.map(|why| format!(", {why}")).unwrap_or_default(),
    )?;
    Ok(())
}

/// One turn answered by one system.
fn answered(
    plan: &mut Plan,
    dialogue: &Dialogue,
    (turn, asked): (&Turn, &Asked),
    system: &mut System,
) -> Result<Row> {
    let handed = system.hand(&turn.text)?;
    let mut row = facts(asked, &handed);
    row.data = dialogue.data;
    row.dialogue = dialogue.name.clone();
    row.turn = turn.id.clone();
    row.system = system.kind.name();
    let Some(responder) = &mut plan.responder else {
        return Ok(row);
    };
    row.responder = Some(responder.name().to_owned());
    if !asked.options.is_empty() {
        let place = draw(plan.seed, &dialogue.name);
        match choose(&mut **responder, (&handed, turn), &asked.options, place) {
            Ok(right) => row.chose_right = Some(right),
            Err(why) => row.not_answered = Some(why),
        }
        if plan.is_choice_only {
            return Ok(row);
        }
    }
    let request = prompt::reply(&handed, &turn.text, plan.reply_tokens);
    match generated(&mut **responder, &request) {
        Ok(reply) => {
            let said = asked.needed.iter().filter(|fact| fact.is_in(&reply));
            row.in_reply = said.count();
            row.reply = Some(reply);
        }
        Err(why) => row.not_answered = Some(why),
    }
    if let Some(judge) = &mut plan.judge {
        let history = system.history(usize::MAX, plan.judge_replies);
        judged(&mut **judge, (turn, asked), &history, &mut row);
    }
    Ok(row)
}

/// Adds the judge's verdict of the row's reply, or why there is none.
fn judged(judge: &mut dyn Generate, (turn, asked): (&Turn, &Asked), history: &str, row: &mut Row) {
    row.judge = Some(judge.name().to_owned());
    let verdict = match &row.reply {
        Some(reply) => {
            let request = prompt::judgement((&asked.persona, history), &turn.text, reply);
            generated(judge, &request).and_then(|reply| prompt::verdict(&reply))
        }
        None => Err("there is no reply".to_owned()),
    };
    match verdict {
        Ok(verdict) => {
            row.score = Some(verdict.score);
            row.justification = Some(verdict.justification);
        }
        Err(why) => row.not_judged = Some(why),
    }
}

/// The facts needed, by where they are handed over.
fn facts(asked: &Asked, handed: &Handed) -> Row {
    let mut row = Row {
        needed: asked.needed.len(),
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
    let counter = WordPieceCounter::shared();
    row.tokens = counter.count(&handed.memory) + counter.count(&handed.history);
    row
}

/// Whether the responder chooses the first of the options, which it is shown rotated.
fn choose(
    responder: &mut dyn Generate,
    (handed, turn): (&Handed, &Turn),
    options: &[String],
    place: usize,
) -> Result<bool, String> {
    let right = place % options.len();
    let mut shown: Vec<&str> = options.iter().map(String::as_str).collect();
    shown.rotate_right(right);
    let reply = generated(responder, &prompt::choice(handed, &turn.text, &shown))?;
    Ok(prompt::chosen(&reply)? == right)
}

fn generated(generator: &mut dyn Generate, request: &Request) -> Result<String, String> {
    let reply = generator.generate(request, &mut |_| Flow::On);
    let text = reply.map_err(|error| error.to_string())?.text;
    match text.trim() {
        "" => Err(format!("{} replied nothing", generator.name())),
        text => Ok(text.to_owned()),
    }
}

/// The data sets of a folder.
pub(crate) fn sets(data: &Path) -> Vec<String> {
    let known = ["alex50", "prefeval", "memorybank"];
    let there = known.into_iter().filter(|set| data.join(set).is_dir());
    there.map(str::to_owned).collect()
}
