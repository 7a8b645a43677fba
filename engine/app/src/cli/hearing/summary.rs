//! The final figures of a replay, as text and for the results file.

use crate::cli::asking::checking;
use crate::cli::hearing::unheard::UnheardLog;
use crate::cli::loading::wiring::ModelNames;
use crate::cli::terminal::{Terminal, clock, many, size};
use serde_json::json;
use std::time::Duration;
use weir_core::answer::{Answerer, Quote};
use weir_core::distil::{Distil, Extractive};
use weir_core::session::Session;
use weir_engine::pipeline::{Finished, micros};
use weir_engine::results::{
    AnswersResult, ChecksResult, DistilledResult, Histogram, IngestMs, Machine, QueryUs, Summary,
};
use weir_models::DeviceChoice;

/// Inputs of the summary.
pub(crate) struct Run<'a> {
    /// Result of the run.
    pub(crate) finished: &'a Finished,
    /// Duration of the run.
    pub(crate) took: Duration,
    /// Name of the speech model, if one was used.
    pub(crate) asr_model: Option<&'a str>,
    /// Sound without words.
    pub(crate) unheard: &'a UnheardLog,
    /// Names of the distiller, the answerer and the reranker.
    pub(crate) models: &'a ModelNames,
    /// Device of the models.
    pub(crate) device: DeviceChoice,
    /// Name of the pace.
    pub(crate) pace: &'a str,
    /// Context tokens given to the answerer.
    pub(crate) context_tokens: usize,
    /// Figures of checked answers, if they were checked.
    pub(crate) checks: Option<ChecksResult>,
}

impl Run<'_> {
    /// Seconds of work per second of audio; `None` without audio.
    fn real_time_factor(&self) -> Option<f64> {
        let audio_ms = self.finished.figures.audio_ms;
        (audio_ms > 0).then(|| self.took.as_secs_f64() * 1_000.0 / audio_ms as f64)
    }

    /// The summary object of a results file.
    pub(crate) fn summary(&self) -> Summary {
        let meters = &self.finished.meters;
        Summary {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: weir_engine::COMMIT.unwrap_or("unknown").to_owned(),
            config: self.config(&self.finished.session),
            machine: machine(self.device),
            turns: self.finished.turns,
            probes: meters.query_us.count(),
            ingest_ms: IngestMs {
                total: micros(self.took) / 1_000,
                per_turn_p50: ms(&meters.ingest_us, 50.0),
                per_turn_p95: ms(&meters.ingest_us, 95.0),
            },
            query_us: query(&meters.query_us),
            rss_bytes_max: rss_bytes_max(),
            audio_ms: self.finished.figures.audio_ms,
            real_time_factor: self.real_time_factor(),
            wer: self.finished.figures.words.rate(),
            answers: self.answers(),
            distilled: self.distilled(),
            checks: self.checks.clone(),
        }
    }

    /// Figures of answers that models wrote; `None` if no model was involved.
    fn answers(&self) -> Option<AnswersResult> {
        let meters = &self.finished.meters;
        let by_model = self.models.answerer != Quote.name() || self.models.reranker.is_some();
        by_model.then_some(AnswersResult {
            fell_back: meters.fell_back,
            left_out: meters.left_out,
            not_reranked: meters.not_reranked,
        })
    }

    /// Figures of a distiller with models.
    fn distilled(&self) -> Option<DistilledResult> {
        let meters = &self.finished.meters;
        let by_model = self.models.distiller != Extractive.name();
        by_model.then_some(DistilledResult {
            counts: meters.distilled,
            blocks_overtaken: meters.blocks_overtaken,
            blocks_discarded: meters.blocks_discarded,
        })
    }

    fn config(&self, session: &Session) -> serde_json::Value {
        json!({
            "session": session.config(),
            "encoder": session.encoder(),
            "tokens": session.counter().name(),
            "context_tokens": self.context_tokens,
            "distiller": self.models.distiller,
            "answerer": self.models.answerer,
            "reranker": self.models.reranker,
            "asr_model": self.asr_model,
            "pace": self.pace,
        })
    }

    /// Prints the summary as text on standard error.
    pub(crate) fn tell(&self, terminal: &mut Terminal) {
        let figures = &self.finished.figures;
        let stats = self.finished.session.stats();
        let took = clock(u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX));
        let mut line = format!("{} in {took}", many(self.finished.turns, "turn"));
        if let Some(factor) = self.real_time_factor() {
            line.push_str(&format!(
                "; heard {} of audio, {} of it speech, real-time factor {factor:.2}",
                clock(figures.audio_ms),
                clock(figures.speech_ms),
            ));
        }
        terminal.note(&line);
        let memory = &stats.memory;
        terminal.note(&format!(
            "memory: {} of {} tokens in {}, {}, {}; {} held, process {}",
            memory.tokens,
            memory.budget_tokens,
            many(memory.scenes as u64, "scene"),
            many(memory.events as u64, "event"),
            many(memory.amus as u64, "unit"),
            size(stats.memory.bytes as u64),
            rss_bytes_max().map_or_else(|| "unknown".to_owned(), size),
        ));
        let queries = &self.finished.meters.query_us;
        if let (Some(p50), Some(p95)) = (ms(queries, 50.0), ms(queries, 95.0)) {
            terminal.note(&format!(
                "questions: {}, median answer time {p50:.1} ms, 95th percentile {p95:.1} ms",
                queries.count(),
            ));
        }
        self.tell_kinds(terminal);
        let rerank = &self.finished.meters.rerank_us;
        if let Some(p50) = ms(rerank, 50.0).filter(|ms| *ms > 0.0) {
            terminal.note(&format!("of that reranking: median {p50:.1} ms"));
        }
        self.tell_answered(terminal);
        self.tell_distilled(terminal);
        if let Some(checks) = &self.checks {
            terminal.note(&checking::summary_line(checks));
        }
        self.unheard.tell(terminal);
        if let Some(rate) = figures.words.rate() {
            terminal.note(&format!(
                "word error rate against the given text: {:.1} % of {} words",
                100.0 * rate,
                figures.words.words,
            ));
        }
    }

    /// Prints how many questions were answered, not answered, and asked back.
    fn tell_kinds(&self, terminal: &mut Terminal) {
        let kinds = self.finished.meters.answers;
        let kinds = [
            (kinds.answered, "answered"),
            (kinds.not_known, "not known"),
            (kinds.false_premise, "of a false premise"),
            (kinds.asked_back, "asked back"),
        ];
        let kinds = kinds.iter().filter(|(number, _)| *number > 0);
        let kinds: Vec<String> = kinds
            .map(|(number, what)| format!("{number} {what}"))
            .collect();
        if !kinds.is_empty() {
            terminal.note(&format!("of these {}", kinds.join(", ")));
        }
    }

    /// Prints what became of answers for which a model was asked.
    fn tell_answered(&self, terminal: &mut Terminal) {
        let Some(did) = self.answers() else {
            return;
        };
        let AnswersResult {
            fell_back,
            left_out,
            not_reranked,
        } = did;
        terminal.note(&format!(
            "answered by {}: {fell_back} answers fell back to quotes, {left_out} sentences \
             removed as not supported",
            self.models.answerer,
        ));
        if not_reranked > 0 {
            terminal.note(&format!("not reranked: {not_reranked} questions"));
        }
    }

    /// Prints the figures of the distiller's models, if it has any.
    fn tell_distilled(&self, terminal: &mut Terminal) {
        let meters = &self.finished.meters;
        let (did, blocks) = (&meters.distilled, meters.distil_us.count());
        if did.statements_observed + did.blocks_unobserved > 0 {
            terminal.note(&format!(
                "opinions and facts by {}: asked about {}; {} replies refused, since the words do \
                 not bear them out; {} left to the built-in model after failures",
                self.models.distiller,
                many(did.statements_observed, "statement"),
                did.observations_refused,
                many(did.blocks_unobserved, "block"),
            ));
        }
        if did.blocks == 0 {
            return;
        }
        let ms = |percent| ms(&meters.distil_us, percent).unwrap_or_default();
        terminal.note(&format!(
            "distilled by {}: {blocks} blocks, median {:.0} ms, 95th percentile {:.0} ms; {} of \
             {} titles and {} of {} triplets shown, since the talk bears them out",
            self.models.distiller,
            ms(50.0),
            ms(95.0),
            did.titles_kept,
            did.titles_kept + did.titles_refused,
            did.relations_kept,
            did.relations_kept + did.relations_refused,
        ));
        if did.blocks_failed + did.blocks_unasked + meters.blocks_overtaken > 0 {
            terminal.note(&format!(
                "without it: {} blocks failed, {} skipped after failures, {} not \
                 waited for ({} of these were distilled too late)",
                did.blocks_failed,
                did.blocks_unasked,
                meters.blocks_overtaken,
                meters.blocks_discarded,
            ));
        }
    }
}

/// A percentile of times in microseconds, in milliseconds.
fn ms(times_us: &Histogram, percent: f64) -> Option<f64> {
    times_us.percentile(percent).map(|us| us as f64 / 1_000.0)
}

fn query(micros: &Histogram) -> QueryUs {
    QueryUs {
        p50: micros.percentile(50.0),
        p95: micros.percentile(95.0),
        p99: micros.percentile(99.0),
    }
}

fn machine(device: DeviceChoice) -> Machine {
    let cpu = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            text.lines()
                .find(|line| line.starts_with("model name"))
                .and_then(|line| line.split_once(':'))
                .map(|(_, name)| name.trim().to_owned())
        })
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    Machine {
        cpu,
        cores: std::thread::available_parallelism().map_or(1, |n| n.get() as u64),
        device: device.to_string(),
    }
}

/// The process's peak resident memory; `None` if the system does not report it.
pub(crate) fn rss_bytes_max() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib * 1_024)
}
