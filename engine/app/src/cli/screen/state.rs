//! The state of the picture, and how it changes. Pure: no clock, no terminal, no session.

use super::entry::Entry;
use super::memory::Memory;
use super::talk::Talk;
use super::text::clean;
use crate::cli::terminal::Tone;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::collections::VecDeque;
use weir_api::{Answered, Event, Pulse, Reply};

/// Messages that are kept.
const MESSAGES_MAX: usize = 200;
/// How long a message stands in the picture, in milliseconds.
const MESSAGE_MS: u64 = 12_000;
/// Lines that a page has for the keys that scroll.
const PAGE: i64 = 10;

/// What happens to the picture.
#[derive(Debug, Clone)]
pub(crate) enum Input {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// So many milliseconds have passed since the picture began.
    Time(u64),
    /// Something of the session.
    Reply(Box<Reply>),
    /// A message to people.
    Told(Tone, String),
    /// A question is being answered.
    Asked(String),
    /// The text of the answer while it is written: what it will keep, and the rest.
    Draft(String, String),
    /// How loud the microphone is, and whether the rest of what was said is being recognised.
    Meter(String, bool),
    /// Whether a process hears for this session.
    Link(Link),
}

/// What the picture asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Effect {
    /// To take a typed line.
    Typed(String),
    /// To end.
    Stop,
}

/// Whether a process hears for the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Link {
    /// This one listens.
    Here,
    /// Another one has it open.
    Attached,
    /// Nobody: what is shown was read from disk.
    Stored,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) tone: Tone,
    pub(crate) text: String,
    until_ms: u64,
}

/// A question and what became of it. Its texts are clean.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Exchange {
    /// It waits, or its answer is being written.
    Waiting { question: String, draft: String },
    /// It was answered.
    Answered(Box<Answered>),
    /// It was not.
    Failed { question: String, why: String },
}

/// The parts of the picture that scroll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pane {
    Talk,
    Memory,
    Answer,
    Messages,
}

/// The whole picture.
#[derive(Debug)]
pub(crate) struct State {
    /// What is shown: the session's folder or name.
    pub(crate) title: String,
    pub(crate) link: Link,
    pub(crate) is_stopping: bool,
    pub(crate) now_ms: u64,
    pub(crate) meter: String,
    pub(crate) talk: Talk,
    pub(crate) memory: Memory,
    pub(crate) pulse: Pulse,
    pub(crate) exchange: Option<Exchange>,
    /// Whether it was asked in this picture.
    asked_here: bool,
    /// Microseconds of the last answer.
    pub(crate) asked_us: Option<u64>,
    /// Lines of the answer that are scrolled away.
    pub(crate) answer_down: usize,
    pub(crate) messages: VecDeque<Message>,
    /// Messages at the end that are scrolled away.
    pub(crate) messages_up: usize,
    pub(crate) entry: Entry,
    pub(crate) pane: Pane,
}

impl State {
    pub(crate) fn new(title: &str, link: Link) -> Self {
        Self {
            title: clean(title),
            link,
            is_stopping: false,
            now_ms: 0,
            meter: String::new(),
            talk: Talk::default(),
            memory: Memory::default(),
            pulse: Pulse::default(),
            exchange: None,
            asked_here: false,
            asked_us: None,
            answer_down: 0,
            messages: VecDeque::new(),
            messages_up: 0,
            entry: Entry::default(),
            pane: Pane::Talk,
        }
    }

    /// Takes what happened; returns what to do about it.
    pub(crate) fn update(&mut self, input: Input) -> Option<Effect> {
        match input {
            Input::Key(key) if key.kind != KeyEventKind::Release => return self.key(key),
            Input::Key(_) => {}
            Input::Paste(text) => self.entry.insert(&text),
            Input::Time(ms) => {
                self.now_ms = ms;
                self.memory.time(ms);
            }
            Input::Reply(reply) => self.reply(*reply),
            Input::Told(tone, text) => self.tell(tone, &text),
            Input::Asked(question) => {
                self.asked_here = true;
                self.answer_down = 0;
                self.exchange = Some(Exchange::Waiting {
                    question: clean(&question),
                    draft: String::new(),
                });
            }
            Input::Draft(checked, tentative) => {
                if let Some(Exchange::Waiting { draft, .. }) = &mut self.exchange {
                    *draft = clean(format!("{checked} {tentative}").trim());
                }
            }
            Input::Meter(meter, is_stopping) => {
                (self.meter, self.is_stopping) = (clean(&meter), is_stopping);
            }
            Input::Link(link) => {
                if link == Link::Stored {
                    self.talk.partials.clear();
                }
                self.link = link;
            }
        }
        None
    }

    fn reply(&mut self, reply: Reply) {
        match reply {
            Reply::Event(event) => match *event {
                // who asked here reads on while others ask elsewhere
                Event::Answer(_) if self.asked_here && self.link != Link::Here => {}
                Event::Answer(answered) => self.answered(answered),
                Event::Memory(changes) => self.memory.changes += changes,
                event => {
                    self.talk.happened(&event);
                }
            },
            Reply::Outline(outline) => self.memory.outline(outline, self.now_ms),
            Reply::Pulse(pulse) => self.pulse = pulse,
            Reply::Answered(answered) => self.answered(answered),
            Reply::Unanswered(why) => self.unanswered(&why),
            Reply::Failed(failure) => self.unanswered(&failure.message),
            Reply::Missed(events) => {
                let missed = &mut self.talk.lost.missed;
                *missed = missed.saturating_add(events);
            }
            Reply::Changed(_) | Reply::Heard(_) => {}
        }
    }

    fn answered(&mut self, answered: Box<Answered>) {
        self.asked_us = Some(answered.result.timings_us.total);
        self.exchange = Some(Exchange::Answered(answered));
        self.answer_down = 0;
    }

    fn unanswered(&mut self, why: &str) {
        match self.exchange.take() {
            Some(Exchange::Waiting { question, .. }) => {
                let why = clean(why);
                self.exchange = Some(Exchange::Failed { question, why });
            }
            shown => {
                self.exchange = shown;
                self.tell(Tone::Failure, why);
            }
        }
    }

    fn tell(&mut self, tone: Tone, text: &str) {
        self.messages.push_back(Message {
            tone,
            text: clean(text),
            until_ms: self.now_ms.saturating_add(MESSAGE_MS),
        });
        if self.messages.len() > MESSAGES_MAX {
            self.messages.pop_front();
        }
        if self.messages_up > 0 {
            self.messages_up = (self.messages_up + 1).min(self.messages.len());
        }
    }

    /// The messages that are still new.
    pub(crate) fn new_messages(&self) -> impl Iterator<Item = &Message> {
        let is_new = |it: &&Message| it.until_ms > self.now_ms;
        self.messages.iter().filter(is_new)
    }

    fn key(&mut self, key: KeyEvent) -> Option<Effect> {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, control) {
            (KeyCode::Char('c'), true) => return Some(Effect::Stop),
            (KeyCode::Char('d'), true) if self.entry.is_empty() => return Some(Effect::Stop),
            (KeyCode::Char('l'), true) => {
                self.pane = match self.pane {
                    Pane::Messages => Pane::Talk,
                    _ => Pane::Messages,
                };
            }
            (KeyCode::Enter, _) => return self.entry.take().map(Effect::Typed),
            (KeyCode::Esc, _) => self.escape(),
            (KeyCode::Tab, _) => self.pane = self.next_pane(),
            (KeyCode::Up, _) => self.scroll(-1),
            (KeyCode::Down, _) => self.scroll(1),
            (KeyCode::PageUp, _) => self.scroll(-PAGE),
            (KeyCode::PageDown, _) => self.scroll(PAGE),
            (KeyCode::End, _) => self.follow(),
            _ => {
                self.entry.key(key);
            }
        }
        None
    }

    /// Goes back one step: to the newest lines, to an empty line, to no answer.
    fn escape(&mut self) {
        if self.pane == Pane::Messages {
            self.pane = Pane::Talk;
        } else if self.talk.follow() | self.memory.follow() {
            // one step at a time
        } else if self.entry.is_empty() {
            self.exchange = None;
            self.asked_here = false;
            if self.pane == Pane::Answer {
                self.pane = Pane::Talk;
            }
        } else {
            self.entry.clear();
        }
    }

    fn follow(&mut self) {
        match self.pane {
            Pane::Talk => {
                self.talk.follow();
            }
            Pane::Memory => {
                self.memory.follow();
            }
            Pane::Answer => self.answer_down = 0,
            Pane::Messages => self.messages_up = 0,
        }
    }

    fn next_pane(&self) -> Pane {
        match self.pane {
            Pane::Talk => Pane::Memory,
            Pane::Memory if self.exchange.is_some() => Pane::Answer,
            _ => Pane::Talk,
        }
    }

    fn scroll(&mut self, by: i64) {
        let step = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
        match self.pane {
            Pane::Talk => self.talk.scroll(by),
            Pane::Memory => self.memory.scroll(by),
            Pane::Answer if by < 0 => self.answer_down = self.answer_down.saturating_sub(step),
            Pane::Answer => self.answer_down = self.answer_down.saturating_add(step),
            Pane::Messages if by < 0 => {
                let most = self.messages.len().saturating_sub(1);
                self.messages_up = self.messages_up.saturating_add(step).min(most);
            }
            Pane::Messages => self.messages_up = self.messages_up.saturating_sub(step),
        }
    }
}
