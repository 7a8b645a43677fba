//! `weir listen`: feeds a microphone or a pipe into a memory until Ctrl-C; typed lines are
//! questions.

use crate::cli::args::{Global, ListenArgs, SampleArg};
use crate::cli::asking::chat::asking;
use crate::cli::asking::checking::Checking;
use crate::cli::asking::view;
use crate::cli::failure::Exit;
use crate::cli::hearing::interrupt::stopped_by_ctrl_c;
use crate::cli::hearing::keyboard::Keyboard;
use crate::cli::hearing::meter::{Meter, state};
use crate::cli::hearing::printer::Printer;
use crate::cli::hearing::replay::some_refused;
use crate::cli::hearing::speech::{self, LiveText, Sound};
use crate::cli::hearing::stdin::StoppableStdin;
use crate::cli::hearing::summary::Run;
use crate::cli::hearing::typing::{COMMANDS, Typed, typed_command};
use crate::cli::loading::selecting::select;
use crate::cli::loading::wiring::{self, Memory, ModelNames};
use crate::cli::session::erasing;
use crate::cli::terminal::{Terminal, plain};
use crossbeam_channel::{Receiver, select};
use std::time::{Duration, Instant};
use weir_api::Changed;
use weir_asr::{AudioSource, Microphone, PcmFormat, PcmReader};
use weir_core::answer::AnswerText;
use weir_core::conversation::{Conversation, ForgetTarget, Intent};
use weir_core::limits;
use weir_core::session::Session;
use weir_engine::QuestionTime;
use weir_engine::control::Control;
use weir_engine::pipeline::{
    AskRequest, Change, Event, Feed as _, Finished, Live, LiveParts, Notice, PendingChange,
    Pipeline, PipelineParts, Progress, Recognition, SessionAudio, SourceKind, Stop, Unsettled,
};
use weir_engine::store::HeardMarks;
use weir_loading::Speech;

/// Interval at which the level is shown.
const TICK: Duration = Duration::from_millis(100);

/// Runs the command.
pub(crate) fn run(
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
    let stop = stopped_by_ctrl_c()?;
    let Speech {
        hearing,
        model: asr_model,
    } = hearing(args, global, terminal)?;
    let source = source(args, &stop)?;
    let selection = select(&args.distil, &args.answer, global.typed)?;
    let models = wiring::models(&selection, global, terminal)?;
    let names = ModelNames::of(&models);
    let memory = Memory::open(&args.memory, global, terminal)?;
    let heard_from = source.spec().name.clone();
    let mut live = live(args, source, hearing, &memory.session, &stop)?;
    for notice in &live.notices {
        if let Notice::Note(text) | Notice::Warning(text) = notice {
            terminal.note(text);
        }
    }
    let checking = Checking::of(&models);
    let settings = wiring::asking(&args.memory, &args.answer);
    let parts = PipelineParts {
        live: live.feed.live_stages(),
        ..memory.parts(Vec::new(), models, settings)
    };
    let printer = Printer::new(args.json, checking, terminal);
    let mut listening = Listening::new(args, &live, stop, printer);
    let finished = listening.listen(args, &heard_from, live, parts)?;
    if let Some(dir) = &args.memory.session {
        HeardMarks::settle(dir)?;
    }
    let (printer, took) = (listening.printer, listening.started.elapsed());
    let run = Run {
        finished: &finished,
        took,
        asr_model: Some(&asr_model),
        unheard: &printer.unheard,
        models: &names,
        device: global.device,
        pace: "real",
        context_tokens: args.answer.context_tokens,
        checks: printer.checks(),
    };
    run.tell(printer.terminal);
    let failed = printer.failed || listening.unwritten;
    Ok(some_refused(failed || finished.figures.failed_segments > 0))
}

/// The speech model, and voices where their models are there.
fn hearing(args: &ListenArgs, global: &Global, terminal: &mut Terminal) -> anyhow::Result<Speech> {
    let sound = Sound {
        live_text: LiveText::of(args.json, terminal),
        unlabelled: true,
        track: None,
    };
    let session = args.memory.session.as_deref();
    speech::hearing(&args.hearing, global, sound, session, terminal)
}

/// Starts to capture; audio that the session's last process left unrecognised comes first.
fn live(
    args: &ListenArgs,
    source: Box<dyn AudioSource>,
    hearing: Recognition,
    session: &Session,
    stop: &Stop,
) -> anyhow::Result<Live> {
    let audio = match &args.memory.session {
        Some(dir) => {
            let bytes = (!args.no_record).then_some(limits::AUDIO_BYTES_DEFAULT);
            Some(SessionAudio::open(dir, bytes)?)
        }
        None => None,
    };
    Ok(Live::start(LiveParts {
        source,
        kind: SourceKind::Live,
        hearing,
        start: wiring::stream_from_now("live"),
        session,
        audio: audio.as_ref(),
        stop: stop.clone(),
    })?)
}

/// The audio source.
fn source(args: &ListenArgs, stop: &Stop) -> anyhow::Result<Box<dyn AudioSource>> {
    if !args.stdin {
        return Ok(Box::new(Microphone::open(args.mic.as_deref())?));
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

/// Shows utterances and answers.
struct Listening<'a> {
    printer: Printer<'a>,
    meter: Meter,
    /// Sound that is captured and not recognised.
    lag: Option<Unsettled>,
    started: Instant,
    stop: Stop,
    /// Whether the stop request was acknowledged.
    stopping: bool,
    /// Whether the sound is kept, so that a later process can hear what this one does not.
    recorded: bool,
    progress: Progress,
    /// Whether standard output could not be written.
    unwritten: bool,
    asked: u64,
    /// The text of the answer to the last question, while a model writes it.
    writing: Receiver<AnswerText>,
    /// The questions typed and their answers.
    talk: Conversation,
    /// Changes that are being made, and what to tell then.
    changing: Vec<(String, PendingChange)>,
}

impl<'a> Listening<'a> {
    fn new(args: &ListenArgs, live: &Live, stop: Stop, printer: Printer<'a>) -> Self {
        Self {
            printer,
            meter: Meter::new(live.level.clone(), args.stdin),
            lag: live.feed.unsettled(),
            started: Instant::now(),
            stop,
            stopping: false,
            recorded: args.memory.session.is_some() && !args.no_record,
            progress: Progress::default(),
            unwritten: false,
            asked: 0,
            writing: crossbeam_channel::never(),
            talk: Conversation::new("User"),
            changing: Vec::new(),
        }
    }

    /// Listens until the audio ends or Ctrl-C, and processes all that was said.
    fn listen(
        &mut self,
        args: &ListenArgs,
        heard_from: &str,
        live: Live,
        parts: PipelineParts,
    ) -> anyhow::Result<Finished> {
        self.started = Instant::now();
        let pipeline = Pipeline::start(parts, Box::new(live.feed), self.stop.clone())?;
        let dir = args.memory.session.as_deref();
        let control = wiring::control(dir, &pipeline, self.printer.terminal)?;
        let terminal = &mut self.printer.terminal;
        let keyboard = Keyboard::of(args, &self.stop, pipeline.handle(), terminal)?;
        let is_shown = terminal.picture().is_some();
        let typed = match args.stdin && !is_shown {
            true => "",
            false => ", a typed line is a question, `/name 1 Ana` names a speaker, `/` lists more",
        };
        terminal.note(&format!("listening to {heard_from}; Ctrl-C ends{typed}"));
        if !is_shown {
            terminal.live_progress(None);
        }
        self.until_the_end(&pipeline, &keyboard.lines);
        self.stop.set();
        if is_shown {
            self.tick();
        }
        // a client may wait for the owner, and the owner for the reader of its events
        control.iter().for_each(Control::end);
        let finished = pipeline.finish(&mut |event| self.event(event));
        self.replies();
        keyboard.end(self.printer.terminal)?;
        self.printer.terminal.progress_done();
        Ok(finished?)
    }

    /// Runs until a stage ends: by Ctrl-C, by the end of the audio, or by failing.
    fn until_the_end(&mut self, pipeline: &Pipeline, lines: &Receiver<String>) {
        let (events, mut lines) = (pipeline.events(), lines.clone());
        let ticks = crossbeam_channel::tick(TICK);
        loop {
            let writing = self.writing.clone();
            select! {
                recv(writing) -> text => {
                    if text.is_err() {
                        self.writing = crossbeam_channel::never();
                    }
                    // the answer itself is printed
                    let text = text.unwrap_or_default();
                    view::in_writing(Some(&text), self.printer.terminal);
                }
                recv(ticks) -> _ => {
                    self.tick();
                    self.replies();
                }
                recv(events) -> event => match event {
                    Ok(Event::StageEnded(_)) | Err(_) => return,
                    Ok(event) => self.event(event),
                },
                recv(lines) -> line => match line {
                    Ok(line) => self.typed(pipeline, line),
                    Err(_) => lines = crossbeam_channel::never(),
                },
            }
        }
    }

    /// Takes a typed line: a question, or a command that begins with a slash.
    fn typed(&mut self, pipeline: &Pipeline, line: String) {
        let Some(command) = line.strip_prefix('/') else {
            return self.said(pipeline, line);
        };
        match typed_command(command) {
            Some(Typed::Change(change)) => self.change(pipeline, change),
            Some(Typed::Forget(target)) => {
                let found = pipeline.handle().session().said_in(&[target]);
                self.confirm(found);
            }
            Some(Typed::ForgetAbout(words)) => {
                let found = pipeline.handle().session().saying(&words, self.talk.user());
                self.confirm(found);
            }
            None => {
                let help = format!("a line that begins with a slash is one of {COMMANDS}");
                self.printer.terminal.warn(&help);
            }
        }
    }

    /// Takes a typed line in plain words.
    fn said(&mut self, pipeline: &Pipeline, text: String) {
        let terminal = &mut self.printer.terminal;
        match self.talk.turn(&text) {
            Intent::Ask { question } => self.ask(pipeline, question),
            Intent::Forget(about) => {
                let found = pipeline.handle().session().saying(&about, self.talk.user());
                self.confirm(found);
            }
            Intent::ForgetLast(targets) => {
                let found = pipeline.handle().session().said_in(&targets);
                self.confirm(found);
            }
            Intent::Erase(targets) => self.change(pipeline, Change::Erase(targets)),
            Intent::Keep => terminal.note("nothing was erased"),
            Intent::Unclear => terminal.note("yes or no? Nothing was erased yet"),
            Intent::Remember | Intent::Correct { .. } => {
                terminal.warn("what is typed here is not stored; use weir chat for that");
            }
            Intent::Tell | Intent::SmallTalk => self.ask(pipeline, text),
        }
    }

    /// Shows what would be erased; the next line decides.
    fn confirm(&mut self, found: Vec<ForgetTarget>) {
        let terminal = &mut self.printer.terminal;
        if found.is_empty() {
            return terminal.note("nothing that is held says that");
        }
        // a note has no colours: it takes codes for something that was quoted
        for line in asking(&found, str::to_owned) {
            terminal.note(&line);
        }
        let targets = found.into_iter().map(|it| it.target);
        self.talk.confirm(targets.collect());
    }

    fn ask(&mut self, pipeline: &Pipeline, text: String) {
        self.asked += 1;
        let asking = AskRequest {
            id: format!("{}", self.asked),
            stream: None,
            text,
            asked_by: None,
            at: QuestionTime::default(),
        };
        let question = asking.text.clone();
        match pipeline.ask(asking) {
            Ok(texts) => {
                self.writing = texts;
                if let Some(picture) = self.printer.terminal.picture() {
                    picture.asked(&question);
                }
            }
            Err(busy) => self.printer.terminal.warn(&busy.to_string()),
        }
    }

    fn change(&mut self, pipeline: &Pipeline, change: Change) {
        let told = done_text(&change);
        match pipeline.handle().start_to_change(change, None) {
            Ok(pending) => self.changing.push((told, pending)),
            Err(closed) => self.printer.terminal.warn(&closed.to_string()),
        }
    }

    /// Shows what became of changes.
    fn replies(&mut self) {
        let mut done = Vec::new();
        self.changing
            .retain(|(told, pending)| match pending.done() {
                Some(result) => {
                    done.push((told.clone(), result));
                    false
                }
                None => true,
            });
        for (told, result) in done {
            let terminal = &mut self.printer.terminal;
            match result {
                Ok(Changed {
                    receipt: Some(done),
                    ..
                }) => erasing::receipt(&done)
                    .iter()
                    .for_each(|line| terminal.note(line)),
                Ok(_) => terminal.note(&told),
                Err(refused) => terminal.warn(&refused.to_string()),
            }
        }
    }

    /// Shows the level, and acknowledges Ctrl-C.
    fn tick(&mut self) {
        let lag_ms = self.lag.as_ref().map_or(0, Unsettled::lag_ms);
        if self.stop.is_set() && !self.stopping {
            self.stopping = true;
            let left = lag_ms.div_ceil(1_000);
            let then = match self.recorded {
                true => ", and the session's next `weir listen` hears the rest",
                false => "",
            };
            self.printer.terminal.note(&format!(
                "stopping: recognising the last {left} s; Ctrl-C again ends at once{then}"
            ));
        }
        if let Some(picture) = self.printer.terminal.picture() {
            return picture.meter(&self.meter.text(), self.stopping);
        }
        let (meter, progress, up) = (&mut self.meter, &self.progress, self.started.elapsed());
        let done = progress.figures.done;
        self.printer.terminal.advance(done, || {
            format!("{} {}", meter.text(), state(progress, up, lag_ms))
        });
    }

    fn event(&mut self, event: Event) {
        let shown = match event {
            Event::Answered(answered) => {
                // the next question may be about this answer
                let question = &answered.asking.text;
                self.talk
                    .answered(question, &answered.answer, &answered.recall);
                self.printer.answer(&answered, None, None)
            }
            // a picture shows it below its question
            Event::Unanswered { .. } if self.printer.terminal.picture().is_some() => Ok(()),
            Event::Unanswered { why, .. } => {
                self.printer.terminal.fail(&why);
                Ok(())
            }
            Event::Progress(progress) => {
                self.progress = progress;
                Ok(())
            }
            other => self.printer.show(other),
        };
        // a failed write is reported once: memory matters more than output
        if let Err(error) = shown
            && !std::mem::replace(&mut self.unwritten, true)
        {
            let terminal = &mut self.printer.terminal;
            terminal.fail(&format!("cannot write to standard output: {error}"));
        }
    }
}

/// What to tell when a change was made.
fn done_text(change: &Change) -> String {
    match change {
        Change::Speaker(change) => change.to_string(),
        Change::Pin { pinned: true, .. } => "pinned".to_owned(),
        Change::Pin { .. } => "unpinned".to_owned(),
        Change::Edit { node, text, .. } => format!("{node} says now: {}", plain(text)),
        _ => "done".to_owned(),
    }
}
