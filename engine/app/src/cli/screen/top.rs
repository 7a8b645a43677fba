//! `weir top`: watches a session, and asks it. It changes nothing.

use super::drive::{Screen, Sight};
use super::state::{Effect, Input, Link, State};
use crate::cli::args::{Global, TopArgs};
use crate::cli::asking::ask::{Reader, here};
use crate::cli::asking::view;
use crate::cli::failure::{Exit, one_line};
use crate::cli::hearing::interrupt::interrupted_by_ctrl_c;
use crate::cli::loading::wiring;
use crate::cli::terminal::{Terminal, Tone, clock};
use crossbeam_channel::Receiver;
use std::cell::RefCell;
use std::path::Path;
use std::time::{Duration, Instant};
use weir_api::{Asked, ErrorClass, Event, Failure, Reply};
use weir_core::session::Session;
use weir_core::transcript::{ScanStep, Transcript, TranscriptUtterance};
use weir_engine::control::{Client, ControlError};
use weir_engine::pipeline::{AskRequest, Stop, Worker, watched};
use weir_engine::store::read_session;

/// Questions that wait for an answer.
const QUESTIONS_MAX: usize = 8;
/// Utterances from before that are shown.
const BEFORE_MAX: usize = 200;
/// How often it looks whether a process opened the session.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How often it looks whether the picture has ended.
const TICK: Duration = Duration::from_millis(100);

/// Runs the command.
pub(crate) fn run(
    args: &TopArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let session = wiring::read(&args.session, terminal)?;
    let stop = interrupted_by_ctrl_c()?;
    if args.plain || !terminal.can_show() {
        return in_lines(args, &session, &stop, terminal);
    }
    let (asked, questions) = crossbeam_channel::bounded(QUESTIONS_MAX);
    let ends = stop.clone();
    let state = State::new(&args.session.display().to_string(), Link::Stored);
    let screen = Screen::start(state, terminal, move |effect| match effect {
        Effect::Typed(line) if line.starts_with('/') => {
            Err("weir top only asks; weir speakers and weir memory change a session".to_owned())
        }
        Effect::Typed(line) => asked
            .try_send(line)
            .map_err(|_| format!("{QUESTIONS_MAX} questions wait already")),
        Effect::Stop => {
            ends.set();
            Ok(())
        }
    })?;
    let (dir, sight, ends) = (args.session.clone(), screen.sight(), stop.clone());
    let following = Worker::spawn("follow", move || {
        follow(&dir, &session, &sight, &ends);
        Ok(())
    });
    let (args, global, sight) = (args.clone(), global.clone(), screen.sight());
    let asking = Worker::spawn("asking", move || {
        answer_all(&args, &global, &questions, &sight);
        Ok(())
    });
    while !screen.has_ended() && stop.wait_until(Instant::now() + TICK) {}
    stop.set();
    screen.end(terminal);
    // a process that hangs may hold them; they write nothing and end with this one
    std::mem::forget((following?, asking?));
    Ok(Exit::Done)
}

/// Shows the session: of the process that has it open, else from disk.
fn follow(dir: &Path, first: &Session, sight: &Sight, stop: &Stop) {
    let show = |reply| sight.show(Input::Reply(Box::new(reply)));
    let show_stored = |session: &Session| {
        watched(session).into_iter().for_each(|it| {
            show(it);
        });
        for said in before(dir, session) {
            show(Reply::Event(Box::new(said)));
        }
    };
    show_stored(first);
    let mut refused = String::new();
    while !stop.is_set() {
        if let Ok(client) = Client::connect(dir) {
            sight.show(Input::Link(Link::Attached));
            let mut is_first = true;
            let ended = client.watch(&mut |reply| {
                // what was said before it began to watch; what comes twice is shown once
                if std::mem::take(&mut is_first) {
                    before(dir, first).into_iter().for_each(|it| {
                        show(Reply::Event(Box::new(it)));
                    });
                }
                show(reply) && !stop.is_set()
            });
            sight.show(Input::Link(Link::Stored));
            if let Err(error) = ended
                && std::mem::replace(&mut refused, error.to_string()) != error.to_string()
            {
                sight.show(Input::Told(Tone::Warning, error.to_string()));
            }
            if let Ok(session) = read_session(dir, wiring::counter()) {
                show_stored(&session);
            }
        }
        stop.wait_until(Instant::now() + LOOK_EVERY);
    }
}

/// What was said last, the latest at the end.
fn before(dir: &Path, session: &Session) -> Vec<Event> {
    let found: RefCell<Vec<TranscriptUtterance>> = RefCell::default();
    let mut glance = |_: &[u8]| match found.borrow().len() {
        BEFORE_MAX.. => ScanStep::Stop,
        _ => ScanStep::Read,
    };
    let mut read = |said| found.borrow_mut().push(said);
    wiring::transcript(dir).newest_first(&mut glance, &mut read);
    let found = found.into_inner().into_iter().rev();
    let mut said: Vec<Event> = found.map(utterance).collect();
    if said.is_empty() {
        // a session without a transcript holds what is not sorted yet
        let raw = session.buffer().unmounted();
        said.extend(raw.map(|(heard, _)| Event::Utterance {
            id: heard.utterance.id.clone(),
            stream: heard.utterance.stream.clone(),
            speaker: heard.utterance.speaker.clone(),
            start_ms: heard.utterance.span.start_ms,
            end_ms: heard.utterance.span.end_ms,
            confidence: None,
            text: heard.utterance.text.clone(),
        }));
    }
    said
}

fn utterance(said: TranscriptUtterance) -> Event {
    let span = said.place.map(|place| place.span);
    Event::Utterance {
        id: said.found.utterance,
        stream: said.found.stream,
        speaker: said.speaker,
        start_ms: span.map_or(said.session_ms, |it| it.start_ms),
        end_ms: span.map_or(said.session_ms, |it| it.end_ms),
        confidence: None,
        text: said.text,
    }
}

/// Answers questions until no more come.
fn answer_all(args: &TopArgs, global: &Global, questions: &Receiver<String>, sight: &Sight) {
    let mut terminal = Terminal::new(global);
    terminal.set_picture(Some(Box::new(sight.clone())));
    let mut reader = None;
    for question in questions {
        sight.show(Input::Asked(question.clone()));
        let answered = match Client::connect(&args.session) {
            Ok(client) => answered_there(client, args, question),
            Err(_) => answered_here(args, global, question, &mut reader, &mut terminal),
        };
        let reply = answered.unwrap_or_else(|error| {
            Reply::Failed(Failure {
                class: ErrorClass::Internal,
                message: one_line(&error),
            })
        });
        sight.show(Input::Reply(Box::new(reply)));
    }
}

/// The answer of the process that has the session open.
fn answered_there(client: Client, args: &TopArgs, question: String) -> anyhow::Result<Reply> {
    let asked = Asked {
        question,
        asked_by: args.asked_by.clone(),
    };
    Ok(Reply::Answered(Box::new(client.ask(asked)?)))
}

/// An answer from what is on disk.
fn answered_here<'a>(
    args: &'a TopArgs,
    global: &Global,
    question: String,
    reader: &mut Option<Reader<'a>>,
    terminal: &mut Terminal,
) -> anyhow::Result<Reply> {
    let (dir, named) = (&args.session, args.encoder.as_deref());
    let session = wiring::read(dir, terminal)?;
    let reader = match reader {
        Some(reader) => reader,
        None => {
            let made = Reader::load(dir, &session, named, &args.answer, global, terminal)?;
            reader.insert(made)
        }
    };
    let asking = AskRequest {
        id: "ask".to_owned(),
        stream: None,
        text: question,
        asked_by: args.asked_by.clone(),
        at: here(None, &session),
    };
    let answered = reader.answer(&session, &asking, terminal)?;
    Ok(Reply::Answered(Box::new(answered.wire(None))))
}

/// The same without a picture: what was said last, then what is said until the session is closed.
fn in_lines(
    args: &TopArgs,
    session: &Session,
    stop: &Stop,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let memory = session.stats().memory;
    terminal.note(&format!(
        "memory: {} of {} tokens",
        memory.tokens, memory.budget_tokens
    ));
    for said in before(&args.session, session) {
        line(&said, terminal)?;
    }
    let Ok(client) = Client::connect(&args.session) else {
        terminal.note("nobody has the session open; this is what was said last");
        return Ok(Exit::Done);
    };
    let mut failed = None;
    let ended = client.watch(&mut |reply| {
        if let Reply::Event(event) = reply {
            failed = line(&event, terminal).err();
        }
        failed.is_none() && !stop.is_set()
    });
    match (failed, ended) {
        (Some(error), _) => Err(error),
        (None, Err(ControlError::Io(_))) if stop.is_set() => Ok(Exit::Done),
        (None, ended) => Ok(ended.map(|()| Exit::Done)?),
    }
}

/// Prints an event that is about words or their loss.
fn line(event: &Event, terminal: &mut Terminal) -> anyhow::Result<()> {
    match event {
        Event::Utterance {
            speaker,
            start_ms,
            text,
            ..
        } => {
            let line = view::spoken(&clock(*start_ms), speaker.as_deref(), text, terminal);
            terminal.data(&line)?;
        }
        Event::Gap { at_ms, lost_ms, .. } => terminal.warn(&view::gap(*at_ms, *lost_ms)),
        _ => {}
    }
    Ok(())
}
