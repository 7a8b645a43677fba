//! Reader accuracy: a fixed instruction model answers each question from a context alone.
//!
//! The same model reads the contexts of every run with the same prompt and greedy decoding, and
//! answers in a short phrase. Scores are token F1 and the share of the gold answer's content words
//! in the answer; BERTScore and a judge's score stand beside them where an encoder and a judge are
//! given. The ceiling is the gold utterances as the context, the floor an empty context. A
//! run's difference to a chosen baseline is over the same questions, with a bootstrap interval.

mod args;
mod bootstrap;
mod contexts;
mod measures;
mod prompt;
pub(crate) mod sample;
mod score;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use args::{ReadArgs, main};
use contexts::{Run, runs};
pub(crate) use measures::{MeasureArgs, Measures};
use sample::Task;
use table::Asked;
pub(crate) use table::Read;

use crate::files::write_whole;
use crate::method::context::Stamp;
use crate::process::build;
use crate::progress::Progress;
use crate::replies::{Replies, Reply, fingerprint};
use crate::run::read_streams;
use crate::stream::{Item, Stream, Turn};
use crate::wall;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_models::{Encode, Generate};

/// Name of the run whose context is the gold utterances.
const CEILING: &str = "ceiling";
/// Name of the run whose context is empty.
const FLOOR: &str = "floor";

/// Input of a reading.
pub(crate) struct Plan {
    pub(crate) streams: Vec<Stream>,
    pub(crate) runs: Vec<Run>,
    /// Name of the run to compare the others with.
    pub(crate) against: Option<String>,
    /// Maximum number of answerable questions.
    pub(crate) questions: usize,
    /// Maximum number of adversarial questions, in addition.
    pub(crate) adversarial: usize,
    pub(crate) measures: Arc<Measures>,
    /// Folder of answers, table and summary. Answers are of use to every build.
    pub(crate) out: PathBuf,
}

impl Plan {
    /// All questions of streams, and the runs in folders of results, with ceiling and floor.
    pub(crate) fn of(streams: &[PathBuf], results: &[String], out: PathBuf) -> Result<Self> {
        Ok(Self {
            streams: read_streams(streams)?.into_iter().map(|it| it.0).collect(),
            runs: runs(results)?,
            against: None,
            questions: usize::MAX,
            adversarial: usize::MAX,
            measures: Arc::default(),
            out,
        })
    }

    /// Checks the input before a model is loaded.
    fn check(&self) -> Result<()> {
        if let Some(name) = &self.against {
            let names: Vec<&str> = self.runs.iter().map(|run| &*run.name).collect();
            ensure!(
                names.contains(&name.as_str()),
                "--against {name}: no run is called so; there are {}",
                names.join(", ")
            );
        }
        let is_bound = |run: &Run| [CEILING, FLOOR].contains(&&*run.name);
        ensure!(
            !self.runs.iter().any(is_bound),
            "{CEILING} and {FLOOR} are names of their own; name the run, as in --results NAME=DIR"
        );
        ensure!(
            !tasks(self).0.is_empty(),
            "no question has a context in every run: were the results made from these streams?"
        );
        Ok(())
    }
}

/// What a reader answered.
#[derive(Debug)]
pub(crate) struct Reading {
    /// The rows as Markdown.
    table: String,
    /// One for each run, the ceiling and the floor.
    pub(crate) rows: Vec<Read>,
    /// Answers by the cross-entropy of their contexts, as Markdown; empty where none was measured.
    pub(crate) by_entropy: String,
}

/// Runs and streams.
type Missing<'a> = BTreeSet<(&'a str, &'a str)>;

/// Reads and judges what is missing and writes `answers.jsonl`, `judged.jsonl`, `entropy.jsonl`,
/// `summary.jsonl` and `table.md`.
pub(crate) fn read(plan: &Plan, generator: &mut dyn Generate) -> Result<Reading> {
    plan.check()?;
    std::fs::create_dir_all(&plan.out)
        .with_context(|| format!("{} cannot be made", plan.out.display()))?;
    let (tasks, missing) = tasks(plan);
    for (run, stream) in missing {
        writeln!(
            std::io::stderr(),
            "{run}: no context for some questions of {stream}; they are left out of every run"
        )?;
    }
    let bounds = [ceiling(&plan.streams), Run::empty(FLOOR)];
    let runs: Vec<&Run> = plan.runs.iter().chain(&bounds).collect();
    let mut answers = Replies::open(&plan.out.join("answers.jsonl"))?;
    let mut progress = Progress::new(tasks.len() * runs.len(), "answers");
    let mut asked: Vec<Vec<Asked<'_>>> = runs.iter().map(|_| Vec::new()).collect();
    for task in &tasks {
        // all runs for one question first, so that an interrupted reading has complete pairs
        for (run, asked) in runs.iter().zip(&mut asked) {
            let answer = answered(generator, run, task, &mut answers, &mut progress)?;
            let shown = run.shown(&task.stream.name, &task.probe.id);
            asked.push(Asked::of(task, shown, answer, plan.measures.bert.as_ref())?);
        }
    }
    let all = asked.iter_mut().flatten().collect();
    plan.measures.judge(all, &plan.out)?;
    let of_runs = asked.iter_mut().take(plan.runs.len()).flatten();
    plan.measures.entropy(of_runs.collect(), &plan.out)?;
    let by_entropy = table::by_entropy(&asked);
    let is_baseline = |run: &Run| plan.against.as_ref() == Some(&run.name);
    let baseline = runs.iter().position(|run| is_baseline(run));
    let row = |(run, own): (&&Run, &Vec<_>)| {
        let baseline = baseline.filter(|_| !is_baseline(run));
        let baseline = baseline.map(|at| &*asked[at]);
        Read::of(&run.name, generator.name(), own, baseline)
    };
    let rows: Vec<Read> = runs.iter().zip(&asked).map(row).collect();
    let stamp = json!({"stamp": {
        "version": env!("CARGO_PKG_VERSION"),
        "commit": build(),
        "model": generator.name(),
        "prompt": fingerprint(&prompt::request("", "", None)),
        "questions": tasks.iter().filter(|task| !task.is_adversarial()).count(),
        "adversarial": tasks.iter().filter(|task| task.is_adversarial()).count(),
        "against": plan.against,
        "bert": plan.measures.bert.as_ref().map(|it| &it.identity().name),
        "judge": measures::name_of(plan.measures.judge.as_ref()),
        "entropy_under": measures::name_of(plan.measures.entropy.as_ref()),
        "bootstrap": {"resamples": bootstrap::RESAMPLES, "seed": bootstrap::SEED},
    }});
    let text = table::markdown(&rows, generator.name(), plan.against.as_deref()) + &by_entropy;
    write(&plan.out, &stamp, &rows, &text)?;
    Ok(Reading {
        table: text,
        rows,
        by_entropy,
    })
}

/// Writes the summary and the table.
fn write(folder: &Path, stamp: &Value, rows: &[Read], table: &str) -> Result<()> {
    write_whole(&folder.join("summary.jsonl"), |out| {
        writeln!(out, "{stamp}")?;
        for row in rows {
            writeln!(out, "{}", json!({"run": row}))?;
        }
        Ok(())
    })?;
    let path = folder.join("table.md");
    write_whole(&path, |out| Ok(out.write_all(table.as_bytes())?))
}

/// The questions with a context in every run, in a fixed order.
///
/// Also returns the runs and streams that lack some.
fn tasks(plan: &Plan) -> (Vec<Task<'_>>, Missing<'_>) {
    let (mut all, mut missing) = (Vec::new(), BTreeSet::new());
    for stream in &plan.streams {
        for probe in stream.probes() {
            let task = Task { stream, probe };
            let gold = &probe.gold;
            let asked = gold.answer.is_some() && !gold.evidence.is_empty();
            if !asked && !task.is_adversarial() {
                continue;
            }
            let lacks = |run: &&Run| !run.has(&stream.name, &probe.id);
            match plan.runs.iter().find(lacks) {
                Some(run) => _ = missing.insert((run.name.as_str(), stream.name.as_str())),
                None => all.push(task),
            }
        }
    }
    let (adversarial, answerable): (Vec<_>, Vec<_>) =
        all.into_iter().partition(Task::is_adversarial);
    let mut chosen = sample::spread(answerable, plan.questions);
    chosen.extend(sample::spread(adversarial, plan.adversarial));
    (chosen, missing)
}

/// The run whose contexts are the gold utterances, formatted like a flat method's.
fn ceiling(streams: &[Stream]) -> Run {
    let mut run = Run::empty(CEILING);
    for stream in streams {
        let (mut first, mut last) = (None, None);
        let mut said: HashMap<&str, (Option<i64>, &Turn)> = HashMap::new();
        for (at, item) in wall::along(stream) {
            match item {
                Item::Turn(turn) => {
                    last = at;
                    first = first.or(last);
                    said.insert(&turn.id, (last, turn));
                }
                Item::Break { .. } => {}
                Item::Probe(probe) => {
                    let stamp = Stamp::between(first, last);
                    let gold = probe.gold.evidence.iter();
                    let lines: Vec<String> = gold
                        .filter_map(|id| said.get(id.as_str()))
                        .map(|(at, turn)| stamp.line(*at, turn.span.start_ms, &turn.said()))
                        .collect();
                    run.put(&stream.name, probe, lines.join("\n"));
                }
            }
        }
    }
    run
}

/// The answer of one run to one question, stored or new.
fn answered(
    generator: &mut dyn Generate,
    run: &Run,
    task: &Task<'_>,
    answers: &mut Replies,
    progress: &mut Progress,
) -> Result<Reply> {
    let probe = task.probe;
    let shown = run.shown(&task.stream.name, &probe.id);
    let context = shown.map_or("", |it| &it.context);
    let (stream, run) = (&task.stream.name, &run.name);
    let about = format!("run {run}, stream {stream}, question {}", probe.id);
    let request = prompt::request(context, &probe.question, probe.asked_by.as_deref());
    let mut reply = answers.ask_told(generator, &request, &about, progress)?;
    reply.text = prompt::phrase(&reply.text);
    Ok(reply)
}
