//! `weir listen`: feeds a microphone or a pipe into a memory until Ctrl-C; typed lines are
//! questions.

use super::args::{Global, ListenArgs, SampleArg};
use super::checking::{self, Checking};
use super::events::RunEvent;
use super::failure::Exit;
use super::live_line::LiveLine;
use super::meter::{Meter, state};
use super::replay::{interrupted_by_ctrl_c, some_refused};
use super::speech::{self, LiveText, Sound};
use super::stdin::StoppableStdin;
use super::summary::Run;
use super::terminal::{Terminal, plain};
use super::typing::{read_lines, typed_change};
use super::unheard::UnheardLog;
use super::view;
use super::wiring::{self, Memory, ModelSet};
use anyhow::Context;
use crossbeam_channel::{Receiver, select};
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_asr::{AudioSource, PcmFormat, PcmReader};
use weir_core::conversation::{Conversation, Intent};
use weir_core::limits;
use weir_core::session::Session;
use weir_engine::pipeline::{
    Answered, AskRequest, CaptureLimits, CaptureParts, Event, Feed as _, Finished, KeptUntil,
    Level, ListHeld, LiveFeed, Notice, OverflowQueue, Pipeline, PipelineParts, Progress,
    Recognition, Recording, Stop, Unsettled, Worker, capture,
};
use weir_engine::results::ChecksResult;
use weir_engine::store::{AudioSpool, HeardMarks};

/// Maximum number of queued typed lines.
const LINES_MAX: usize = 8;
/// Interval at which the level is shown.
const TICK: Duration = Duration::from_millis(100);
/// Maximum number of queued capture notices.
const NOTICES_MAX: usize = 64;

/// Runs the command.
pub(super) fn run(
    args: &ListenArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    if args.list_mics {
        for name in wiring::microphones()? {
            terminal.data(&plain(&name))?;
        }
        return Ok(Exit::Done);
    }
    let stop = interrupted_by_ctrl_c()?;
    let sound = Sound {
        live_text: LiveText::of(args.json, terminal),
        unlabelled: true,
    };
    let (hearing, asr_model) = speech::hearing(&args.hearing, global, sound, terminal)?;
    let source = source(args, &stop)?;
    let mut models = ModelSet::chosen(&args.distil, &args.answer, &args.writer, global, terminal)?;
    let names = models.names();
    let memory = Memory::open(&args.memory, global, terminal)?;
    let heard_from = source.spec().name.clone();
    let kept = kept_until(&memory.session);
    let labels = memory.session.speaker_names().labels();
    let mut live = live(args, source, hearing, (kept.as_ref(), labels), &stop)?.telling(terminal);
    let checking = models.checking.take();
    let settings = args.memory.settings(&args.answer, ListHeld::No);
    let parts = PipelineParts {
        live: live.feed.live_stages(),
        ..memory.with(Vec::new()).parts(models, settings)
    };
    let ended = listen(args, live, parts, (&heard_from, &stop, checking), terminal)?;
    if let Some(dir) = &args.memory.session {
        HeardMarks::settle(dir)?;
    }
    let run = Run {
        finished: &ended.finished,
        took: ended.took,
        asr_model: Some(&asr_model),
        unheard: &ended.unheard,
        models: &names,
        device: global.device,
        pace: "real",
        context_tokens: args.memory.context_tokens,
        checks: ended.checks,
    };
    run.tell(terminal);
    let failed_segments = ended.finished.figures.failed_segments > 0;
    Ok(some_refused(ended.failed || failed_segments))
}

/// Result of a listening session.
struct Ended {
    finished: Finished,
    took: Duration,
    unheard: UnheardLog,
    checks: Option<ChecksResult>,
    failed: bool,
}

/// Listens until the audio ends or Ctrl-C, and processes all that was said.
fn listen(
    args: &ListenArgs,
    live: Live,
    parts: PipelineParts,
    (heard_from, stop, checking): (&str, &Stop, Option<Checking>),
    terminal: &mut Terminal,
) -> anyhow::Result<Ended> {
    let started = Instant::now();
    let pipeline = Pipeline::start(parts, Box::new(live.feed), stop.clone())?;
    let (lines, typing) = typed(args, stop)?;
    let typed = match args.stdin {
        true => "",
        false => ", a typed line is a question, `/name 1 Ana` names a speaker",
    };
    terminal.note(&format!("listening to {heard_from}; Ctrl-C ends{typed}"));
    terminal.live_progress(None);
    let mut listening = Listening {
        terminal,
        json: args.json,
        meter: Meter::new(live.level),
        live: LiveLine::default(),
        lag: live.feed_lag,
        started,
        stop: stop.clone(),
        stopping: false,
        progress: Progress::default(),
        unheard: UnheardLog::default(),
        checking,
        failed: false,
        asked: 0,
        talk: Conversation::new("User"),
    };
    listening.until_the_end(&pipeline, &lines, &live.news);
    stop.set();
    drop(lines);
    let finished = pipeline.finish(&mut |event| listening.event(event));
    live.capturing.join()?;
    typing.map(Worker::join).transpose()?;
    live.news
        .try_iter()
        .for_each(|notice| listening.notice(notice));
    listening.terminal.progress_done();
    Ok(Ended {
        finished: finished?,
        took: started.elapsed(),
        failed: listening.failed,
        checks: listening.checking.as_ref().map(Checking::result),
        unheard: listening.unheard,
    })
}

/// A running capture.
struct Live {
    feed: LiveFeed,
    /// Sound that is captured and not recognised.
    feed_lag: Option<Unsettled>,
    level: Level,
    capturing: Worker<()>,
    news: Receiver<Notice>,
    /// Audio left by an earlier process.
    left: Vec<Notice>,
}

impl Live {
    fn telling(self, terminal: &mut Terminal) -> Self {
        for notice in &self.left {
            if let Notice::Note(text) | Notice::Warning(text) = notice {
                terminal.note(text);
            }
        }
        self
    }
}

/// How far the session has processed its running stream.
fn kept_until(session: &Session) -> Option<KeptUntil> {
    Some(KeptUntil {
        stream: session.stream()?.name.clone(),
        ms: session.stream_ms(),
    })
}

fn live(
    args: &ListenArgs,
    source: Box<dyn AudioSource>,
    hearing: Recognition,
    (kept, labels): (Option<&KeptUntil>, u32),
    stop: &Stop,
) -> anyhow::Result<Live> {
    let start = wiring::stream_from_now("live");
    let recording = recording(args, &start.name)?;
    let folder = match &args.memory.session {
        Some(dir) => dir.clone(),
        None => std::env::temp_dir(),
    };
    let edge = OverflowQueue::new(&folder, CaptureLimits::default());
    let level = Level::default();
    let (notices, news) = crossbeam_channel::bounded(NOTICES_MAX);
    let (capturing, planes) = capture(CaptureParts {
        source,
        channels: hearing.channels(),
        stream: start.name.clone(),
        recording: recording.clone(),
        capture: edge.clone(),
        level: level.clone(),
        stop: stop.clone(),
        notices,
    })?;
    let feed = LiveFeed::new(hearing, edge, planes, start, recording);
    let resumed = feed.map_err(anyhow::Error::from).and_then(|feed| {
        let feed = feed.after_labels(labels);
        Ok(match &args.memory.session {
            Some(dir) => feed.resuming(dir, kept)?,
            None => (feed, Vec::new()),
        })
    });
    // dropping the capture waits for it, and a microphone does not end by itself
    let (feed, left) = resumed.inspect_err(|_| stop.set())?;
    Ok(Live {
        feed_lag: feed.unsettled(),
        feed,
        level,
        capturing,
        news,
        left,
    })
}

/// The audio source.
fn source(args: &ListenArgs, stop: &Stop) -> anyhow::Result<Box<dyn AudioSource>> {
    if !args.stdin {
        return wiring::microphone(args.mic.as_deref());
    }
    let format = match args.format {
        SampleArg::S16le => PcmFormat::S16,
        SampleArg::F32le => PcmFormat::F32,
    };
    let pipe = StoppableStdin::new(stop.clone());
    Ok(Box::new(PcmReader::new(
        pipe, "stdin", format, args.rate, args.inputs,
    )?))
}

fn recording(args: &ListenArgs, stream: &str) -> anyhow::Result<Option<Recording>> {
    let Some(dir) = args.memory.session.as_ref().filter(|_| !args.no_record) else {
        return Ok(None);
    };
    log::info!("recording {stream} into {}", dir.display());
    let spool = AudioSpool::open(dir, limits::AUDIO_BYTES_DEFAULT)?;
    Ok(Some(Arc::new(Mutex::new(spool))))
}

/// Typed lines, if standard input is not the audio.
fn typed(args: &ListenArgs, stop: &Stop) -> anyhow::Result<(Receiver<String>, Option<Worker<()>>)> {
    let (sender, lines) = crossbeam_channel::bounded(LINES_MAX);
    if args.stdin {
        // a receiver that never receives anything
        return Ok((crossbeam_channel::never(), None));
    }
    let stop = stop.clone();
    let worker = Worker::spawn("typing", move || {
        read_lines(StoppableStdin::new(stop.clone()), &stop, &sender);
        Ok(())
    })
    .context("cannot read typed questions")?;
    Ok((lines, Some(worker)))
}

/// Shows utterances and answers.
struct Listening<'a> {
    terminal: &'a mut Terminal,
    /// Whether to print events as JSON.
    json: bool,
    meter: Meter,
    live: LiveLine,
    lag: Option<Unsettled>,
    started: Instant,
    stop: Stop,
    /// Whether the stop request was acknowledged.
    stopping: bool,
    progress: Progress,
    unheard: UnheardLog,
    checking: Option<Checking>,
    failed: bool,
    asked: u64,
    /// The questions typed and their answers.
    talk: Conversation,
}

impl Listening<'_> {
    /// Runs until a stage ends: by Ctrl-C, by the end of the audio, or by failing.
    fn until_the_end(
        &mut self,
        pipeline: &Pipeline,
        lines: &Receiver<String>,
        news: &Receiver<Notice>,
    ) {
        let events = pipeline.events();
        let (mut lines, mut news) = (lines.clone(), news.clone());
        let ticks = crossbeam_channel::tick(TICK);
        loop {
            select! {
                recv(ticks) -> _ => self.tick(),
                recv(events) -> event => match event {
                    Ok(Event::StageEnded(_)) | Err(_) => return,
                    Ok(event) => self.event(event),
                },
                recv(lines) -> line => match line {
                    Ok(line) => self.typed(pipeline, line),
                    Err(_) => lines = crossbeam_channel::never(),
                },
                recv(news) -> notice => match notice {
                    Ok(notice) => self.notice(notice),
                    Err(_) => news = crossbeam_channel::never(),
                },
            }
        }
    }

    /// Takes a typed line: a question, or a command that begins with a slash.
    fn typed(&mut self, pipeline: &Pipeline, line: String) {
        let Some(command) = line.strip_prefix('/') else {
            return self.ask(pipeline, line);
        };
        let taken = typed_change(command).map(|change| pipeline.change_speaker(change));
        match taken {
            Some(true) => {}
            Some(false) => self
                .terminal
                .warn("the memory is busy; try again in a moment"),
            None => self.terminal.warn(
                "a line that begins with a slash names a speaker: /name 1 Ana, or /merge 2 Ana; \
                 everything else is a question",
            ),
        }
    }

    fn ask(&mut self, pipeline: &Pipeline, text: String) {
        let text = match self.talk.turn(&text) {
            Intent::Ask { question, .. } => question,
            Intent::Remember | Intent::Forget(_) | Intent::ForgetLast(_) => {
                return self.terminal.warn(
                    "what is typed here is neither stored nor erased; use weir chat for that",
                );
            }
            _ => text,
        };
        self.asked += 1;
        let asking = AskRequest {
            id: format!("{}", self.asked),
            stream: None,
            text,
            asked_by: None,
        };
        if let Err(busy) = pipeline.ask(asking) {
            self.terminal.warn(&busy.to_string());
        }
    }

    /// Shows the level, and acknowledges Ctrl-C.
    fn tick(&mut self) {
        if self.stop.is_set() && !self.stopping {
            self.stopping = true;
            let what = "stopping: recognising what was said; Ctrl-C again ends at once";
            self.terminal.note(what);
        }
        let lag_ms = self.lag.as_ref().map_or(0, Unsettled::lag_ms);
        let (meter, progress, up) = (&mut self.meter, &self.progress, self.started.elapsed());
        let done = progress.figures.done;
        self.terminal.advance(done, || {
            format!("{} {}", meter.text(), state(progress, up, lag_ms))
        });
    }

    fn notice(&mut self, notice: Notice) {
        match notice {
            Notice::Note(text) => self.terminal.note(&text),
            Notice::Warning(text) => self.terminal.warn(&text),
            Notice::Unheard(unheard) => {
                self.live
                    .settle(&unheard.stream, unheard.span, self.terminal);
                self.json(&[RunEvent::unheard(&unheard)]);
                self.unheard.add(unheard);
            }
            Notice::Gap {
                stream,
                at_ms,
                lost_ms,
            } => {
                self.terminal.warn(&view::gap(at_ms, lost_ms));
                let stream = &stream;
                self.json(&[RunEvent::Gap {
                    stream,
                    at_ms,
                    lost_ms,
                }]);
            }
            Notice::Turn(turn) => self.json(&[RunEvent::turn(&turn)]),
            Notice::Failed(text) => {
                self.failed = true;
                self.terminal.fail(&text);
            }
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Live(live) => {
                self.live.show(&live, self.terminal);
                self.json(&RunEvent::live(&live));
            }
            Event::Heard(said) => {
                self.live.settle(&said.stream, said.span, self.terminal);
                if !self.terminal.quiet() && !self.json {
                    let line = view::utterance(&said, self.terminal);
                    self.data(&line);
                }
                self.json(&[RunEvent::utterance(&said)]);
            }
            Event::Answered(answered) => self.answered(&answered),
            Event::Unanswered { why, .. } => self.terminal.fail(&why),
            Event::Notice(notice) => self.notice(notice),
            Event::Progress(progress) => self.progress = progress,
            Event::StageEnded(_) => {}
        }
    }

    /// Takes down an answer, which the next question may be about, and shows it.
    fn answered(&mut self, answered: &Answered) {
        let question = &answered.asking.text;
        self.talk
            .answered(question, &answered.answer, &answered.recall);
        let checking = self.checking.as_mut();
        let check = checking.and_then(|it| it.check(answered, self.terminal));
        if self.json {
            return self.json(&[RunEvent::answer(answered, check.as_ref(), None)]);
        }
        let mut lines = view::answer(answered, self.terminal);
        lines.extend(
            check
                .iter()
                .flat_map(|it| checking::lines(it, self.terminal)),
        );
        lines.iter().for_each(|line| self.data(line));
    }

    /// Prints events, if they are asked for.
    fn json(&mut self, events: &[RunEvent<'_>]) {
        if !self.json {
            return;
        }
        for event in events {
            match event.line() {
                Ok(line) => self.data(&line),
                Err(error) => self.terminal.fail(&error.to_string()),
            }
        }
    }

    /// Reports a failed write once and keeps listening: memory matters more than output.
    fn data(&mut self, line: &str) {
        if let Err(error) = self.terminal.data(line) {
            if !self.failed {
                self.terminal
                    .fail(&format!("cannot write to standard output: {error}"));
            }
            self.failed = true;
        }
    }
}
