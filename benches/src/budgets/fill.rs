//! One budget: fills a memory, then measures it.

use super::args::BudgetsArgs;
use super::row::Row;
use crate::drive::{self, Done, TimedDriver};
use crate::method::MethodContext;
use crate::method::prior::Prior;
use crate::process::resident_bytes;
use crate::simulate::{Fact, Transcript, World, assembled, recalled, recombined};
use crate::timing::{Times, us};
use anyhow::{Context, Result, ensure};
use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_core::answer::{Question, Recall};
use weir_core::config::SessionConfig;
use weir_core::limits;
use weir_core::session::Input;
use weir_engine::index::VectorIndex;

const STREAM: &str = "budgets";
const SEED: u64 = 1;
/// 1 March 2025, noon.
const STARTED_AT_UNIX_MS: i64 = 1_740_830_400_000;
/// Turns with fewer content words are skipped: they would be repeated often.
const CONTENT_WORDS_MIN: usize = 4;
/// Turns at the end whose times are reported.
const TIMED_TURNS: usize = 2_000;
/// Facts kept for questions; when there are too many, every second one is dropped.
const FACTS_MAX: usize = 4_096;
/// Number of facts asked for, repetitions, and time limit.
const ASKED: usize = 100;
const ROUNDS: usize = 5;
const ASKING: Duration = Duration::from_secs(60);
/// Number of copies and images made, and time limit.
const COPIES: usize = 40;
const IMAGES: usize = 5;
const COPYING: Duration = Duration::from_secs(20);
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// Microseconds of hearing, distilling and mounting.
type Spent = [f64; 3];

struct Filling<'a> {
    args: &'a BudgetsArgs,
    kit: MethodContext,
    world: World,
    driver: TimedDriver,
    transcript: Option<Transcript>,
    facts: Vec<Fact>,
    /// Whether something was forgotten to make room.
    is_full: bool,
    last: VecDeque<Spent>,
    row: Row,
}

/// Fills one budget, measures it, and prints the row.
pub(crate) fn run(args: &BudgetsArgs) -> Result<()> {
    let budget_tokens = *args
        .budgets
        .first()
        .context("a child measures one budget")?;
    let dialogues = args.talk.dialogues()?;
    let real = args.talk.encoder.open()?;
    let name = real.identity().name.clone();
    let encoder = match args.talk.encoder.is_words() {
        true => Arc::clone(&real),
        false => recombined(&dialogues, real.as_ref())?,
    };
    let config = SessionConfig {
        transcript_bytes: args.transcript_bytes,
        ..drive::config(budget_tokens, real.as_ref())
    };
    let kit = MethodContext::plain(encoder, None);
    let mut filling = Filling {
        args,
        driver: TimedDriver::new(config, &kit, Prior::Whole, 0)?,
        transcript: Transcript::new(args.transcript_bytes, STARTED_AT_UNIX_MS)?,
        kit,
        world: World::new(&dialogues, SEED).never_again(CONTENT_WORDS_MIN),
        facts: Vec::new(),
        is_full: false,
        last: VecDeque::with_capacity(TIMED_TURNS),
        row: Row {
            budget_tokens,
            transcript_bytes: args.transcript_bytes,
            encoder: name,
            ..Row::default()
        },
    };
    filling.fill()?;
    let row = filling.measured()?;
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&row)?)?;
    Ok(())
}

impl Filling<'_> {
    fn fill(&mut self) -> Result<()> {
        let begin = drive::begin(STREAM, Some(STARTED_AT_UNIX_MS));
        self.driver.session.apply(&Input::Begin(begin))?;
        self.row.resident_before_bytes = resident_bytes();
        let budget_tokens = self.row.budget_tokens;
        let wanted = (budget_tokens as f64 * self.args.times) as usize;
        let limit = Duration::from_secs(self.args.fill_limit_s);
        let (began, mut told) = (Instant::now(), Instant::now());
        while self.row.heard_tokens < wanted && began.elapsed() < limit {
            self.turn()?;
            let held = self.driver.session.text_tokens();
            ensure!(
                held <= budget_tokens,
                "{held} tokens held of {budget_tokens} after {} turns",
                self.row.turns
            );
            self.row.text_tokens_max = self.row.text_tokens_max.max(held);
            if told.elapsed() > TOLD_EVERY {
                told = Instant::now();
                let part = 100.0 * self.row.heard_tokens as f64 / wanted as f64;
                let seconds = began.elapsed().as_secs();
                writeln!(
                    std::io::stderr(),
                    "{part:.0} % of the talk after {seconds} s, {} turns",
                    self.row.turns
                )?;
            }
        }
        self.row.fill_s = began.elapsed().as_secs_f64();
        self.row.resident_bytes = resident_bytes();
        Ok(())
    }

    /// One turn of the dialogue, and everything it completes.
    fn turn(&mut self) -> Result<()> {
        let (whole, fact) = self.world.next(STREAM);
        self.facts.extend(fact);
        if self.facts.len() >= FACTS_MAX {
            let mut other = false;
            self.facts.retain(|_| {
                other = !other;
                other
            });
        }
        let _reader = self.driver.session.clone();
        let was_full = self.is_full;
        let mut spent = Spent::default();
        let (row, kit) = (&mut self.row, &self.kit);
        self.driver.hear(kit, whole, &mut |done| match done {
            Done::Next(turn, said) => {
                row.heard_tokens += kit.counter.count(&said.rendered());
                if let Some(transcript) = &mut self.transcript {
                    transcript.add(turn, said);
                }
            }
            Done::Encoded(_) => {}
            Done::Heard(us) => spent[0] += us,
            Done::Distilled(us, encoder_us) => spent[1] += (us - encoder_us).max(0.0),
            Done::Mounted(us, mounted) => {
                spent[2] += us;
                row.inserted += mounted.inserted;
                row.reinforced += mounted.reinforced;
                row.merged += mounted.merged;
                self.is_full |= mounted.merged + mounted.keyed + mounted.pruned > 0;
            }
        })?;
        self.row.turns += 1;
        if !was_full {
            return Ok(());
        }
        if self.last.len() == TIMED_TURNS {
            self.last.pop_front();
        }
        self.last.push_back(spent);
        Ok(())
    }

    fn measured(mut self) -> Result<Row> {
        writeln!(std::io::stderr(), "full; measuring")?;
        let stats = self.driver.session.stats();
        self.row.text_tokens = stats.memory.text_tokens;
        self.row.units = stats.memory.amus;
        self.row.memory_bytes = stats.memory.bytes;
        self.ingest();
        self.copies();
        let questions = self.questions()?;
        let tokens = self.args.talk.context_tokens;
        let session = &self.driver.session;
        let reader = self.transcript.as_mut().map(Transcript::reader);
        let scan = |question: &Question| recalled(session, question, reader.as_ref(), tokens);
        let (mut times, found) = asked(&questions, scan);
        self.row.recall_us_p50 = times.percentile(50);
        self.row.recall_us_p95 = times.percentile(95);
        self.row.facts_found = found;
        if stats.memory.amus >= limits::INDEX_UNITS_MIN {
            let began = Instant::now();
            let index =
                VectorIndex::build(session.tree(), &|| false).context("nothing stops it")?;
            self.row.index_build_s = Some(began.elapsed().as_secs_f64());
            let by = |question: &Question| {
                let found = session.search_by(question, &index);
                assembled(found, reader.as_ref(), tokens)
            };
            let (mut times, _) = asked(&questions, by);
            self.row.index_recall_us_p50 = Some(times.percentile(50));
            self.row.index_recall_us_p95 = Some(times.percentile(95));
        }
        Ok(self.row)
    }

    fn ingest(&mut self) {
        let mut times = Times::default();
        let mut sums = Spent::default();
        for spent in &self.last {
            times.add(spent.iter().sum());
            sums.iter_mut().zip(spent).for_each(|(sum, us)| *sum += us);
        }
        let of = self.last.len().max(1) as f64;
        self.row.timed_turns = self.last.len();
        self.row.ingest_us_p50 = times.percentile(50);
        self.row.ingest_us_p95 = times.percentile(95);
        self.row.ingest_us_mean = times.total() / of;
        self.row.hear_us_mean = sums[0] / of;
        self.row.distil_us_mean = sums[1] / of;
        self.row.mount_us_mean = sums[2] / of;
    }

    fn copies(&mut self) {
        let mut times = repeated(COPIES, || {
            let began = Instant::now();
            let copy = self.driver.session.clone();
            let spent = us(began);
            drop(std::hint::black_box(copy));
            spent
        });
        self.row.clone_us_p50 = times.percentile(50);
        self.row.clone_us_p95 = times.percentile(95);
        let mut bytes = 0;
        let mut times = repeated(IMAGES, || {
            let began = Instant::now();
            let image = self.driver.session.to_image();
            let spent = us(began);
            bytes = image.len();
            spent
        });
        self.row.image_us = times.percentile(50);
        self.row.image_bytes = bytes;
    }

    /// Facts from the first to the last, with their questions.
    fn questions(&self) -> Result<Vec<(String, Question)>> {
        let step = self.facts.len().div_ceil(ASKED).max(1);
        let facts = self.facts.iter().step_by(step);
        facts
            .map(|fact| {
                let found_by = self.kit.found_by(&fact.question)?;
                let question = Question::new(fact.question.clone(), found_by, None);
                Ok((fact.id.clone(), question))
            })
            .collect()
    }
}

/// All questions repeatedly; their times, and the share whose fact is in the context.
fn asked(questions: &[(String, Question)], by: impl Fn(&Question) -> Recall) -> (Times, f64) {
    let (mut times, mut found, began) = (Times::default(), 0, Instant::now());
    for round in 0..ROUNDS {
        for (id, question) in questions {
            if round > 0 && began.elapsed() > ASKING {
                break;
            }
            let before = Instant::now();
            let recall = by(question);
            times.add(us(before));
            let shown = || {
                recall
                    .context
                    .utterances
                    .iter()
                    .any(|(_, shown)| shown == id)
            };
            found += usize::from(round == 0 && shown());
        }
    }
    (times, found as f64 / questions.len().max(1) as f64)
}

/// Times of a repeated operation, run at least once.
fn repeated(times_max: usize, mut once: impl FnMut() -> f64) -> Times {
    let (mut times, began) = (Times::default(), Instant::now());
    for _ in 0..times_max {
        times.add(once());
        if began.elapsed() > COPYING {
            break;
        }
    }
    times
}
