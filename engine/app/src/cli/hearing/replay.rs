//! `weir replay`: feeds inputs into a memory, prints answers and figures.

use crate::cli::args::{Global, ReplayArgs};
use crate::cli::asking::checking::Checking;
use crate::cli::failure::Exit;
use crate::cli::hearing::inputs::{Digests, Inputs, Look, Surveyed, look};
use crate::cli::hearing::interrupt::interrupted_by_ctrl_c;
use crate::cli::hearing::pace::PaceArg;
use crate::cli::hearing::printer::Printer;
use crate::cli::hearing::speech::{self, LiveText, Sound};
use crate::cli::hearing::summary::Run;
use crate::cli::loading::selecting::select;
use crate::cli::loading::wiring::{self, Memory, ModelNames};
use crate::cli::output;
use crate::cli::terminal::{Terminal, Tint, clock, many, plain};
use anyhow::bail;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};
use weir_core::session::Session;
use weir_engine::control::Control;
use weir_engine::pipeline::{
    Answered, Event, Feed, Finished, InputKind, Lockstep, Notice, Pacer, Pipeline, PipelineParts,
    Progress, Recognition, ReplayFeed, Resume, Stop, Words,
};
use weir_engine::results::{ProbeLine, ResultsWriter};
use weir_engine::store::{Recordings, StoreError};
use weir_engine::streamfile::{Labelled, StreamFileError, golds};
use weir_loading::Speech;

/// Runs the command.
pub(crate) fn run(
    args: &ReplayArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    check_outputs(args)?;
    let words = match args.trust_text {
        true => Words::Written,
        false => Words::Recognised,
    };
    let Inputs { good, refused, odd } = survey_inputs(args, words);
    refused.iter().for_each(|why| terminal.fail(why));
    odd.iter().for_each(|what| terminal.warn(what));
    if good.is_empty() {
        return Ok(Exit::NotDone);
    }
    let (hearing, asr_model) = recognition(&good, args, global, terminal)?;
    let selection = select(&args.distil, &args.answer, global.typed)?;
    let models = wiring::models(&selection, global, terminal)?;
    let names = ModelNames::of(&models);
    let memory = Memory::open(&args.memory, global, terminal)?;
    let several = good.len() > 1;
    let (mut good, mut known) = split_known(good, &memory, args, terminal)?;
    if let Some(dir) = &args.memory.session {
        // known inputs may have moved to another folder
        remember_folders(dir, known.iter_mut().chain(&mut good))?;
    }
    if good.is_empty() {
        return Ok(some_refused(!refused.is_empty()));
    }
    let labels_before = labels_before(&good, &memory.session);
    let resumes = good.iter().any(|input| input.input.resume.is_some());
    let golds = golds_of(&good, args)?;
    let digests = good.iter().map(|input| input.digest).collect();
    let inputs = good.into_iter().map(|input| input.input).collect();
    let speakers = memory.session.speaker_names();
    let feed = ReplayFeed::new(inputs, words, pacer(args.pace), hearing)
        .after_labels(speakers.labels(), labels_before);
    let stop = interrupted_by_ctrl_c()?;
    let printer = Printer::new(args.json, Checking::of(&models), terminal);
    let mut teller = Teller::new(args, (several, golds), resumes, stop, printer)?;
    let settings = wiring::asking(&args.memory, &args.answer);
    let parts = memory.parts(digests, models, settings);
    let finished = teller.drive(args, parts, feed)?;
    let run = Run {
        finished: &finished,
        took: teller.started.elapsed(),
        asr_model: asr_model.as_deref(),
        unheard: &std::mem::take(&mut teller.printer.unheard),
        models: &names,
        device: global.device,
        pace: args.pace.name(),
        context_tokens: args.answer.context_tokens,
        checks: teller.printer.checks(),
    };
    teller.end(&run, !refused.is_empty())
}

/// The recogniser for inputs that speak, and the name of its model; none without such.
fn recognition(
    inputs: &[Surveyed],
    args: &ReplayArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<(Option<Recognition>, Option<String>)> {
    if !inputs.iter().any(|input| input.speaks) {
        return Ok((None, None));
    }
    let live_text = match args.pace {
        PaceArg::Max => LiveText::Unseen,
        PaceArg::Real | PaceArg::Four => LiveText::of(args.json, terminal),
    };
    let sound = Sound {
        live_text,
        unlabelled: inputs.iter().any(|input| input.unlabelled),
        track: args.track,
    };
    let session = args.memory.session.as_deref();
    let speech = speech::hearing(&args.hearing, global, sound, session, terminal)?;
    let Speech { mut hearing, model } = speech;
    if let Some(dir) = &args.memory.session
        && let Err(error) = hearing.keep_voices_in(dir)
    {
        terminal.warn(&error.to_string());
    }
    Ok((Some(hearing), Some(model)))
}

fn survey_inputs(args: &ReplayArgs, words: Words) -> Inputs {
    let digests = match args.memory.session {
        Some(_) => Digests::Take,
        None => Digests::Skip,
    };
    let open = &wiring::opener_of(args.track);
    look(
        &args.inputs,
        &Look {
            words,
            open,
            digests,
        },
    )
}

/// Refuses to write results over an input or through a link.
fn check_outputs(args: &ReplayArgs) -> anyhow::Result<()> {
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    if let Some(out) = &args.results {
        output::check(out)?;
        if args.inputs.iter().any(|input| same(input, out)) {
            bail!(
                "{}: is an input and would be overwritten; give another name",
                out.display()
            );
        }
    }
    Ok(())
}

pub(crate) fn some_refused(any: bool) -> Exit {
    if any { Exit::SomeRefused } else { Exit::Done }
}

fn pacer(pace: PaceArg) -> Pacer {
    match pace {
        PaceArg::Max => Pacer::free(),
        PaceArg::Real => Pacer::times(1),
        PaceArg::Four => Pacer::times(4),
    }
}

/// Labels of speakers given before the stream began that goes on.
fn labels_before(inputs: &[Surveyed], session: &Session) -> u32 {
    let mut resumed = inputs.iter().filter_map(|it| it.input.resume.as_ref());
    let goes_on = resumed.find(|it| it.running);
    let stream = goes_on.and_then(|it| session.open_stream(&it.progress.stream));
    stream.map_or(0, |stream| stream.labels)
}

/// Notes in a session where the recordings of inputs are, and renames a stream whose name another
/// input has.
fn remember_folders<'a>(
    dir: &Path,
    inputs: impl Iterator<Item = &'a mut Surveyed>,
) -> Result<(), StoreError> {
    let mut recordings = Recordings::read(dir)?;
    for Surveyed { input, digest, .. } in inputs {
        let digest = digest.map_or_else(String::new, |it| it.to_string());
        input.stream = recordings.add(&input.stream, &digest, &input.path);
    }
    recordings.write(dir)
}

/// Separates inputs to process, some of them from the middle on, from inputs the session has
/// already processed.
fn split_known(
    good: Vec<Surveyed>,
    memory: &Memory,
    args: &ReplayArgs,
    terminal: &mut Terminal,
) -> anyhow::Result<(Vec<Surveyed>, Vec<Surveyed>)> {
    let Some(writer) = memory.writer.as_ref().filter(|_| !args.force) else {
        return Ok((good, Vec::new()));
    };
    let (mut fresh, mut known, mut once) = (Vec::new(), Vec::new(), BTreeSet::new());
    for mut input in good {
        let Some(digest) = &input.digest else {
            fresh.push(input);
            continue;
        };
        let path = input.input.path.display().to_string();
        if let Some(progress) = writer
            .progress(digest)?
            .filter(|it| once.insert(it.stream.clone()))
        {
            terminal.note(&format!(
                "{path}: this session holds the first {} of it, up to {} (as `{}`); continuing \
                 there, --force starts again",
                many(progress.turns, "utterance"),
                clock(progress.end_ms),
                progress.stream
            ));
            let running = memory.session.open_stream(&progress.stream).is_some();
            input.input.stream.clone_from(&progress.stream);
            input.input.resume = Some(Resume { progress, running });
            fresh.push(input);
        } else if let Some(name) = writer.seen(digest)? {
            terminal.note(&format!(
                "{path}: this session has heard it already (as `{name}`); skipped, --force replays \
                 it"
            ));
            input.input.stream = name;
            known.push(input);
        } else {
            fresh.push(input);
        }
    }
    Ok((fresh, known))
}

/// Gold labels by the name of the stream and the id of the probe.
type Golds = BTreeMap<String, BTreeMap<String, Labelled>>;

/// The gold labels of all stream files, under the names of their streams in the session; none where
/// no results are written.
fn golds_of(inputs: &[Surveyed], args: &ReplayArgs) -> Result<Golds, StreamFileError> {
    let inputs = inputs.iter().filter(|_| args.results.is_some());
    let inputs = inputs.map(|it| &it.input);
    let streams = inputs.filter(|it| matches!(it.kind, InputKind::Stream { .. }));
    streams
        .map(|it| Ok((it.stream.clone(), golds(&it.path)?)))
        .collect()
}

/// Prints and writes the events of a replay.
struct Teller<'a> {
    printer: Printer<'a>,
    results: Option<ResultsWriter>,
    golds: Golds,
    /// Whether there are several streams.
    several: bool,
    stop: Stop,
    started: Instant,
    /// The error that prevented writing a result.
    error: Option<anyhow::Error>,
}

impl<'a> Teller<'a> {
    /// Answers of a replay that `resumes` follow the earlier ones.
    fn new(
        args: &ReplayArgs,
        (several, golds): (bool, Golds),
        resumes: bool,
        stop: Stop,
        printer: Printer<'a>,
    ) -> anyhow::Result<Self> {
        let results = args.results.as_deref().map(|file| match resumes {
            true => ResultsWriter::go_on(file),
            false => ResultsWriter::create(file),
        });
        Ok(Self {
            printer,
            results: results.transpose()?,
            golds,
            several,
            stop,
            started: Instant::now(),
            error: None,
        })
    }

    /// Runs the replay to its end.
    fn drive(
        &mut self,
        args: &ReplayArgs,
        parts: PipelineParts,
        mut feed: ReplayFeed,
    ) -> anyhow::Result<Finished> {
        let stop = self.stop.clone();
        let finished = if args.pace == PaceArg::Max {
            self.printer.terminal.progress(feed.total());
            Lockstep::new(parts).run(&mut feed, &stop, &mut |event| self.event(event))
        } else {
            self.printer.terminal.live_progress(feed.total());
            let parts = PipelineParts {
                live: feed.live_stages(),
                ..parts
            };
            let pipeline = Pipeline::start(parts, Box::new(feed), stop)?;
            let dir = args.memory.session.as_deref();
            let control = wiring::control(dir, &pipeline, self.printer.terminal)?;
            for event in &pipeline.events() {
                if matches!(event, Event::StageEnded(_)) {
                    break;
                }
                self.event(event);
            }
            // a client may wait for the owner, and the owner for the reader of its events
            control.iter().for_each(Control::end);
            pipeline.finish(&mut |event| self.event(event))
        };
        self.printer.terminal.progress_done();
        match self.error.take() {
            Some(error) => Err(error),
            None => Ok(finished?),
        }
    }

    /// Shows one event; a failed write ends the run.
    fn event(&mut self, event: Event) {
        let shown = match event {
            Event::Answered(answered) => self.answered(&answered),
            Event::Unanswered { id, why } => {
                let failed = Notice::Failed(format!("question {id}: {why}"));
                self.printer.notice(failed)
            }
            Event::Progress(progress) => {
                let (took, done) = (self.started.elapsed(), progress.figures.done);
                let terminal = &mut self.printer.terminal;
                terminal.advance(done, || progress_text(&progress, took));
                Ok(())
            }
            other => self.printer.show(other),
        };
        if let Err(error) = shown {
            self.stop.set();
            self.error.get_or_insert(error);
        }
    }

    fn answered(&mut self, answered: &Answered) -> anyhow::Result<()> {
        let named = answered.asking.stream.as_deref().filter(|_| self.several);
        if let Some(results) = &mut self.results {
            let (stream, id) = (answered.asking.stream.as_deref(), &answered.asking.id);
            let labelled = stream.and_then(|it| Some((it, self.golds.get(it)?.get(id)?)));
            results.probe(&ProbeLine::of(answered.result(named), labelled))?;
        }
        let id = format!("{}?", plain(&answered.asking.id));
        let id = self.printer.terminal.tint(Tint::Faint, &id);
        let question = format!("{id} {}", plain(&answered.asking.text));
        self.printer.answer(answered, Some(question), named)
    }

    fn end(mut self, run: &Run<'_>, refused: bool) -> anyhow::Result<Exit> {
        if let Some(results) = &mut self.results {
            results.summary(&run.summary())?;
        }
        let Printer {
            terminal, failed, ..
        } = self.printer;
        run.tell(terminal);
        if self.stop.is_set() {
            terminal.fail("interrupted; everything heard before was processed");
            return Ok(Exit::NotDone);
        }
        let (finished, figures) = (run.finished, &run.finished.figures);
        if failed && figures.whole == 0 && finished.turns == 0 {
            return Ok(Exit::NotDone);
        }
        let failed_segments = figures.failed_segments > 0;
        Ok(some_refused(refused || failed || failed_segments))
    }
}

/// Progress of a replay, in one line.
fn progress_text(progress: &Progress, took: Duration) -> String {
    let figures = &progress.figures;
    let mut line = String::new();
    if figures.audio_ms > 0 {
        let factor = took.as_secs_f64() * 1_000.0 / figures.audio_ms as f64;
        line = format!(
            "heard {}, real-time factor {factor:.2}, ",
            clock(figures.audio_ms)
        );
    }
    line.push_str(&format!(
        "{}, memory {} of {} tokens",
        many(progress.turns, "turn"),
        progress.tokens,
        progress.budget_tokens
    ));
    line
}
