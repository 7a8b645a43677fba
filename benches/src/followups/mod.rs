//! `weir-bench followups`: what is found for follow-up questions, with and without completion.
//!
//! Each question of the streams that has evidence is turned into follow-ups ([`make`]). Memory
//! hears the whole stream and is asked the original question, the follow-up as it stands, the
//! follow-up after the last question of the user, and the follow-up completed from the turns
//! before it. Adversarial questions are left out.

mod make;

use crate::encoder::EncoderArgs;
use crate::method::weir::Weir;
use crate::method::{HeardTurn, Method, MethodContext, Query};
use crate::metric::{evidence_recall, fact_recall};
use crate::run::read_streams;
use crate::stream::{Item, Probe, Stream};
use crate::wall;
use anyhow::Result;
use make::Followup;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use weir_core::text::{Turn, completed, stems};

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct FollowupsArgs {
    /// Stream files with probes, or folders of them
    #[arg(long, required = true, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// Names of the streams on which the rules were tuned
    #[arg(long, value_delimiter = ',')]
    tuned: Vec<String>,
    /// Tokens the memory may hold [default: no limit]
    #[arg(long)]
    budget_tokens: Option<usize>,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    context_tokens: usize,
    /// Print each follow-up with its completion, and search nothing
    #[arg(long)]
    show: bool,
    #[command(flatten)]
    encoder: EncoderArgs,
}

/// Sums of one kind of follow-up.
#[derive(Serialize, Default, Clone)]
struct Row {
    half: String,
    stream: String,
    kind: String,
    questions: usize,
    /// Follow-ups that were completed.
    completed: usize,
    /// Completed ones with the content words of the original, and with a word that it does not
    /// have.
    same_words: usize,
    wrong_words: usize,
    /// Original questions that were changed, though they stand alone.
    originals_changed: usize,
    /// Mean fact recall and evidence recall of the original question, the follow-up as it stands,
    /// with the last question before it, and completed.
    fact_recall: [f64; 4],
    evidence_recall: [f64; 4],
}

#[derive(Serialize)]
struct Shown<'a> {
    kind: &'a str,
    original: &'a str,
    before: &'a [(&'static str, String)],
    followup: &'a str,
    completed: Option<&'a str>,
}

/// Runs the command: rows as JSON Lines.
pub(crate) fn main(args: &FollowupsArgs) -> Result<()> {
    let mut rows: BTreeMap<(String, String, &'static str), Row> = BTreeMap::new();
    let kit = MethodContext::plain(args.encoder.open()?, args.budget_tokens);
    let kit = Arc::new(kit);
    let mut out = std::io::stdout().lock();
    for (stream, _) in read_streams(&args.streams)? {
        let memory = match args.show {
            true => None,
            false => Some(heard(&stream, &kit)?),
        };
        let half = match args.tuned.contains(&stream.name) {
            true => "tuned",
            false => "held out",
        };
        each(&stream, |probe, one, whole| {
            if args.show {
                writeln!(out, "{}", serde_json::to_string(&shown(probe, one, whole))?)?;
            }
            let recalls = match &memory {
                Some(memory) => memory.recalls(probe, one, whole, args.context_tokens)?,
                None => [[0.0; 4]; 2],
            };
            for name in [stream.name.as_str(), "all"] {
                let key = (half.to_owned(), name.to_owned(), one.kind);
                rows.entry(key).or_default().add(probe, one, whole, recalls);
            }
            Ok(())
        })?;
    }
    for ((half, stream, kind), row) in rows {
        let row = Row {
            half,
            stream,
            kind: kind.to_owned(),
            ..row.averaged()
        };
        writeln!(out, "{}", serde_json::to_string(&row)?)?;
    }
    Ok(())
}

/// Calls a closure for each follow-up of a stream with its completion.
fn each(
    stream: &Stream,
    mut done: impl FnMut(&Probe, &Followup, Option<&str>) -> Result<()>,
) -> Result<()> {
    let speakers: BTreeSet<&String> = stream
        .turns()
        .filter_map(|it| it.speaker.as_ref())
        .collect();
    let speakers: Vec<String> = speakers.into_iter().cloned().collect();
    let asked = |probe: &&Probe| !probe.gold.is_adversarial() && !probe.gold.evidence.is_empty();
    let probes: Vec<&Probe> = stream.probes().filter(asked).collect();
    for at in 0..probes.len() {
        for one in make::of(at, &probes, &speakers) {
            let whole = completed(&one.question, &turns(&one));
            done(probes[at], &one, whole.as_deref())?;
        }
    }
    Ok(())
}

fn turns(one: &Followup) -> Vec<Turn<'_>> {
    one.before
        .iter()
        .map(|(speaker, text)| Turn {
            speaker: Some(speaker),
            text,
        })
        .collect()
}

fn shown<'a>(probe: &'a Probe, one: &'a Followup, whole: Option<&'a str>) -> Shown<'a> {
    Shown {
        kind: one.kind,
        original: &probe.question,
        before: &one.before,
        followup: &one.question,
        completed: whole,
    }
}

impl Row {
    fn add(&mut self, probe: &Probe, one: &Followup, whole: Option<&str>, recalls: [[f64; 4]; 2]) {
        let (gold, made) = (stems(&probe.question), whole.map(stems));
        let changed = completed(&probe.question, &turns(one)).is_some();
        self.questions += 1;
        self.completed += usize::from(made.is_some());
        self.same_words += usize::from(made.as_ref() == Some(&gold));
        self.wrong_words += usize::from(made.is_some_and(|made| !made.is_subset(&gold)));
        self.originals_changed += usize::from(changed);
        let sums = [&mut self.fact_recall, &mut self.evidence_recall];
        for (sums, recalls) in sums.into_iter().zip(recalls) {
            sums.iter_mut()
                .zip(recalls)
                .for_each(|(sum, it)| *sum += it);
        }
    }

    fn averaged(self) -> Self {
        let questions = self.questions.max(1) as f64;
        Self {
            fact_recall: self.fact_recall.map(|sum| sum / questions),
            evidence_recall: self.evidence_recall.map(|sum| sum / questions),
            ..self
        }
    }
}

/// A memory that heard a stream.
struct Heard<'a> {
    memory: Weir,
    said: HashMap<&'a str, &'a str>,
}

fn heard<'a>(stream: &'a Stream, kit: &Arc<MethodContext>) -> Result<Heard<'a>> {
    let mut memory = Weir::named("weir", Arc::clone(kit))?;
    for (at_unix_ms, item) in wall::along(stream) {
        match item {
            Item::Turn(turn) if turn.text.contains(char::is_alphanumeric) => {
                let said = turn.said();
                memory.hear(HeardTurn {
                    turn,
                    said: &said,
                    at_unix_ms,
                })?;
            }
            Item::Break { started_at_unix_ms } => memory.pause(*started_at_unix_ms)?,
            Item::Turn(_) | Item::Probe(_) => {}
        }
    }
    let said = stream
        .turns()
        .map(|turn| (turn.id.as_str(), turn.text.as_str()));
    Ok(Heard {
        memory,
        said: said.collect(),
    })
}

impl Heard<'_> {
    /// Fact recall and evidence recall of the four forms of a question.
    fn recalls(
        &self,
        probe: &Probe,
        one: &Followup,
        whole: Option<&str>,
        context_tokens: usize,
    ) -> Result<[[f64; 4]; 2]> {
        let asked = one
            .before
            .iter()
            .rev()
            .find(|(speaker, _)| *speaker == "user");
        let joined = asked.map(|(_, text)| format!("{text} {}", one.question));
        let raw = one.question.as_str();
        let forms = [
            probe.question.as_str(),
            raw,
            joined.as_deref().unwrap_or(raw),
            whole.unwrap_or(raw),
        ];
        let mut recalls = [[0.0; 4]; 2];
        for (at, text) in forms.into_iter().enumerate() {
            let recalled = self.memory.recall(&Query {
                text,
                asked_by: None,
                context_tokens,
            })?;
            let (context, turns) = (&recalled.context, &recalled.turns);
            // the same sentences count for all forms: those of the original question
            let facts = fact_recall(&probe.gold, &probe.question, context, turns, &self.said)?;
            let found = evidence_recall(context, &probe.gold.evidence, turns, &self.said)?;
            recalls[0][at] = facts.recall.unwrap_or(0.0);
            recalls[1][at] = found.unwrap_or(0.0);
        }
        Ok(recalls)
    }
}
