//! `weir replay`: feeds inputs into a memory, prints answers and figures.

use super::args::{Global, PaceArg, ReplayArgs};
use super::checking::{self, Checking};
use super::events::RunEvent;
use super::failure::Exit;
use super::inputs::{Digests, Inputs, Look, Surveyed, look};
use super::live_line::LiveLine;
use super::output;
use super::recordings::Recordings;
use super::speech::{self, LiveText, Sound};
use super::summary::Run;
use super::terminal::{Terminal, Tint, clock, many, plain};
use super::unheard::UnheardLog;
use super::view;
use super::wiring::{self, Memory, ModelSet, Ready};
use anyhow::{Context, bail};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};
use weir_engine::pipeline::{
    Answered, Event, Feed, Finished, InputKind, ListHeld, Lockstep, Notice, Pacer, Pipeline,
    PipelineParts, Progress, Recognition, ReplayFeed, Resume, Stop, Words,
};
use weir_engine::results::{HeldWriter, ResultsWriter};

/// Runs the command.
pub(super) fn run(
    args: &ReplayArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    apart(args)?;
    let words = match args.trust_text {
        true => Words::Written,
        false => Words::Recognised,
    };
    let Inputs { good, refused, odd } = looked_at(args, words);
    refused.iter().for_each(|why| terminal.fail(why));
    odd.iter().for_each(|what| terminal.warn(what));
    if good.is_empty() {
        return Ok(Exit::NotDone);
    }
    let heard = heard(&good, args, global, terminal);
    let (hearing, asr_model) = heard.transpose()?.unzip();
    let mut models = ModelSet::chosen(&args.distil, &args.answer, &args.writer, global, terminal)?;
    let names = models.names();
    let memory = Memory::open(&args.memory, global, terminal)?;
    let several = good.len() > 1;
    let (mut good, mut known) = sorted(good, &memory, args, terminal)?;
    if let Some(dir) = &args.memory.session {
        // known inputs may have moved to another folder
        Recordings::read(dir)?.add(dir, known.iter_mut().chain(&mut good))?;
    }
    if good.is_empty() {
        return Ok(some_refused(!refused.is_empty()));
    }
    let resumes = good.iter().any(|input| input.input.resume.is_some());
    let digests = good.iter().map(|input| input.digest).collect();
    let inputs = good.into_iter().map(|input| input.input).collect();
    let speakers = memory.session.speaker_names();
    let feed = ReplayFeed::new(inputs, words, pacer(args.pace), hearing)
        .after_labels(speakers.labels(), speakers.stream_labels());
    let stop = interrupted_by_ctrl_c()?;
    let mut teller = Teller::new(args, (several, resumes), stop.clone(), terminal)?;
    teller.checking = models.checking.take();
    let memory = memory.with(digests);
    let finished = drive(args, (memory, models), feed, &stop, &mut teller)?;
    let run = Run {
        finished: &finished,
        took: teller.started.elapsed(),
        asr_model: asr_model.as_deref(),
        unheard: &std::mem::take(&mut teller.unheard),
        models: &names,
        device: global.device,
        pace: args.pace.name(),
        context_tokens: args.memory.context_tokens,
        checks: teller.checking.as_ref().map(Checking::result),
    };
    teller.end(&run, !refused.is_empty())
}

/// The recogniser for inputs that speak, with the name of its model; `None` without such.
fn heard(
    inputs: &[Surveyed],
    args: &ReplayArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> Option<anyhow::Result<(Recognition, String)>> {
    let live_text = match args.pace {
        PaceArg::Max => LiveText::Unseen,
        PaceArg::Real | PaceArg::Four => LiveText::of(args.json, terminal),
    };
    let is_recording = |it: &Surveyed| matches!(it.input.kind, InputKind::Audio { .. });
    let sound = Sound {
        live_text,
        unlabelled: inputs.iter().any(is_recording),
    };
    let speaks = inputs.iter().any(|input| input.speaks);
    speaks.then(|| speech::hearing(&args.hearing, global, sound, terminal))
}

fn looked_at(args: &ReplayArgs, words: Words) -> Inputs {
    let digests = match args.memory.session {
        Some(_) => Digests::Take,
        None => Digests::Skip,
    };
    let open = &wiring::opener();
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
fn apart(args: &ReplayArgs) -> anyhow::Result<()> {
    let same = |a: &Path, b: &Path| match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    for out in args.results.iter().chain(&args.held) {
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

/// A stop request that Ctrl-C sets; a second Ctrl-C ends the process at once.
pub(super) fn interrupted_by_ctrl_c() -> anyhow::Result<Stop> {
    let stop = Stop::default();
    let asked = stop.clone();
    ctrlc::set_handler(move || {
        if asked.is_interrupted() {
            std::process::exit(130);
        }
        asked.interrupt();
    })
    .context("cannot handle Ctrl-C")?;
    Ok(stop)
}

pub(super) fn some_refused(any: bool) -> Exit {
    if any { Exit::SomeRefused } else { Exit::Done }
}

fn pacer(pace: PaceArg) -> Pacer {
    match pace {
        PaceArg::Max => Pacer::free(),
        PaceArg::Real => Pacer::times(1),
        PaceArg::Four => Pacer::times(4),
    }
}

/// Separates inputs to process, some of them from the middle on, from inputs the session has
/// already processed.
fn sorted(
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
            let stream = memory.session.stream();
            let running = stream.is_some_and(|stream| stream.name == progress.stream);
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

fn drive(
    args: &ReplayArgs,
    (ready, models): (Ready, ModelSet),
    mut feed: ReplayFeed,
    stop: &Stop,
    teller: &mut Teller<'_>,
) -> anyhow::Result<Finished> {
    let settings = args.memory.settings(
        &args.answer,
        match args.held {
            Some(_) => ListHeld::Yes,
            None => ListHeld::No,
        },
    );
    match args.pace {
        PaceArg::Max => teller.terminal.progress(feed.total()),
        PaceArg::Real | PaceArg::Four => teller.terminal.live_progress(feed.total()),
    }
    let finished = if args.pace == PaceArg::Max {
        let driver = Lockstep::new(
            ready.session_writer, ready.encoder, models.distiller, settings,
        )
        .with_answerer(models.answerer)
        .with_reranker(models.reranker);
        driver.run(&mut feed, stop, &mut |event| teller.event(event))
    } else {
        let parts = PipelineParts {
            live: feed.live_stages(),
            ..ready.parts(models, settings)
        };
        let pipeline = Pipeline::start(parts, Box::new(feed), stop.clone())?;
        for event in &pipeline.events() {
            if matches!(event, Event::StageEnded(_)) {
                break;
            }
            teller.event(event);
        }
        pipeline.finish(&mut |event| teller.event(event))
    };
    teller.terminal.progress_done();
    match teller.error.take() {
        Some(error) => Err(error),
        None => Ok(finished?),
    }
}

/// Prints and writes the events of a replay.
struct Teller<'a> {
    terminal: &'a mut Terminal,
    /// Whether to print events as JSON.
    json: bool,
    live: LiveLine,
    results: Option<ResultsWriter>,
    held: Option<HeldWriter>,
    several: bool,
    stop: Stop,
    started: Instant,
    unheard: UnheardLog,
    checking: Option<Checking>,
    /// Whether an input failed during the replay.
    failed: bool,
    /// The error that prevented writing a result.
    error: Option<anyhow::Error>,
}

impl<'a> Teller<'a> {
    fn new(
        args: &ReplayArgs,
        (several, resumes): (bool, bool),
        stop: Stop,
        terminal: &'a mut Terminal,
    ) -> anyhow::Result<Self> {
        // answers of a resumed replay follow the earlier ones
        let (results, held) = match resumes {
            true => (
                ResultsWriter::go_on as fn(&Path) -> _,
                HeldWriter::go_on as fn(&Path) -> _,
            ),
            false => (
                ResultsWriter::create as fn(&Path) -> _,
                HeldWriter::create as fn(&Path) -> _,
            ),
        };
        Ok(Self {
            terminal,
            json: args.json,
            live: LiveLine::default(),
            results: args.results.as_deref().map(results).transpose()?,
            held: args.held.as_deref().map(held).transpose()?,
            several,
            stop,
            started: Instant::now(),
            unheard: UnheardLog::default(),
            checking: None,
            failed: false,
            error: None,
        })
    }

    /// Shows one event; a failed write ends the run.
    fn event(&mut self, event: Event) {
        if let Err(error) = self.show(event) {
            self.stop.set();
            self.error.get_or_insert(error);
        }
    }

    fn show(&mut self, event: Event) -> anyhow::Result<()> {
        match event {
            Event::Live(live) => {
                self.live.show(&live, self.terminal);
                self.json(&RunEvent::live(&live))?;
            }
            Event::Heard(said) => {
                self.live.settle(&said.stream, said.span, self.terminal);
                // text input is not echoed: the user has it already
                if !self.json && said.confidence.is_some() && !self.terminal.quiet() {
                    let line = view::utterance(&said, self.terminal);
                    self.terminal.data(&line)?;
                }
                self.json(&[RunEvent::utterance(&said)])?;
            }
            Event::StageEnded(_) => {}
            Event::Answered(answered) => self.answered(&answered)?,
            Event::Unanswered { id, why } => {
                self.failed = true;
                self.terminal.fail(&format!("question {id}: {why}"));
            }
            Event::Notice(Notice::Note(text)) => self.terminal.note(&text),
            Event::Notice(Notice::Warning(text)) => self.terminal.warn(&text),
            Event::Notice(Notice::Unheard(unheard)) => {
                self.live
                    .settle(&unheard.stream, unheard.span, self.terminal);
                self.json(&[RunEvent::unheard(&unheard)])?;
                self.unheard.add(unheard);
            }
            Event::Notice(Notice::Turn(turn)) => self.json(&[RunEvent::turn(&turn)])?,
            Event::Notice(Notice::Gap { at_ms, lost_ms, .. }) => {
                self.terminal.warn(&view::gap(at_ms, lost_ms));
            }
            Event::Notice(Notice::Failed(text)) => {
                self.failed = true;
                self.terminal.fail(&text);
            }
            Event::Progress(progress) => {
                let took = self.started.elapsed();
                let done = progress.figures.done;
                self.terminal.advance(done, || told(&progress, took));
            }
        }
        Ok(())
    }

    fn answered(&mut self, answered: &Answered) -> anyhow::Result<()> {
        let stream = answered.asking.stream.as_deref();
        let named = stream.filter(|_| self.several);
        if let Some(results) = &mut self.results {
            results.probe(&view::result(answered, named))?;
        }
        if let (Some(held), Some(ids)) = (&mut self.held, &answered.held) {
            let ids = ids
                .iter()
                .filter(|(of, _)| Some(of.as_str()) == stream)
                .map(|(_, id)| id.as_str());
            held.probe(&answered.asking.id, named, ids)?;
        }
        let checking = self.checking.as_mut();
        let check = checking.and_then(|it| it.check(answered, self.terminal));
        if self.json {
            return self.json(&[RunEvent::answer(answered, check.as_ref(), named)]);
        }
        let question = format!(
            "{} {}",
            self.terminal
                .tint(Tint::Faint, &format!("{}?", plain(&answered.asking.id))),
            plain(&answered.asking.text)
        );
        self.terminal.data(&question)?;
        let mut lines = view::answer(answered, self.terminal);
        lines.extend(
            check
                .iter()
                .flat_map(|it| checking::lines(it, self.terminal)),
        );
        for line in lines {
            self.terminal.data(&line)?;
        }
        Ok(())
    }

    /// Prints events, if they are asked for.
    fn json(&mut self, events: &[RunEvent<'_>]) -> anyhow::Result<()> {
        for event in events.iter().filter(|_| self.json) {
            self.terminal.data(&event.line()?)?;
        }
        Ok(())
    }

    fn end(mut self, run: &Run<'_>, refused: bool) -> anyhow::Result<Exit> {
        if let Some(results) = &mut self.results {
            results.summary(&run.summary())?;
        }
        run.tell(self.terminal);
        if self.stop.is_set() {
            self.terminal
                .fail("interrupted; everything heard before was processed");
            return Ok(Exit::NotDone);
        }
        let (finished, figures) = (run.finished, &run.finished.figures);
        if self.failed && figures.whole == 0 && finished.turns == 0 {
            return Ok(Exit::NotDone);
        }
        let failed_segments = figures.failed_segments > 0;
        Ok(some_refused(refused || self.failed || failed_segments))
    }
}

/// Progress of a replay, in one line.
fn told(progress: &Progress, took: Duration) -> String {
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
