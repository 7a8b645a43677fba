//! The terminal behind the picture, and the thread that draws it.
//!
//! The terminal is as it was when the picture ends, in whatever way that is: by its end, an error,
//! a panic of any thread, a signal that ends the program.

use super::keyboard::Keyboard;
use super::log;
use super::state::{Effect, Input, State};
use super::theme::Theme;
use super::view::view;
use crate::cli::terminal::{Picture, Terminal, Tone};
use crossbeam_channel::{Receiver, Sender, TryRecvError};
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, DisableBracketedPaste, EnableBracketedPaste, Event};
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{cursor, execute, queue};
use std::io::{self, BufWriter, Stdout, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, TryLockError};
use std::time::{Duration, Instant};
use weir_api::Reply;
use weir_engine::pipeline::{Stop, Worker};

/// Inputs that wait for the picture; more are counted and left out.
const INPUTS_MAX: usize = 1_024;
/// Inputs taken before the picture is drawn.
const INPUTS_AT_ONCE: usize = 256;
/// Keys taken before the picture is drawn.
const KEYS_AT_ONCE: usize = 64;
/// How long it waits for a key before it looks for inputs.
const FRAME: Duration = Duration::from_millis(50);
/// How long [`restore`] waits while another thread draws.
const DRAWN_WITHIN: Duration = Duration::from_millis(300);
/// Warnings that are told again when the picture is gone, the latest.
const AGAIN_MAX: usize = 10;

type Out = ratatui::Terminal<CrosstermBackend<BufWriter<Stdout>>>;

/// Whether the terminal shows the picture. It is drawn while this is locked.
static SHOWN: Mutex<bool> = Mutex::new(false);

/// Gives the terminal back. May be called at any time, by any thread.
pub(crate) fn restore() {
    let until = Instant::now() + DRAWN_WITHIN;
    let mut shown = loop {
        match SHOWN.try_lock() {
            Ok(shown) => break Some(shown),
            Err(TryLockError::Poisoned(shown)) => break Some(shown.into_inner()),
            // this thread may be the one that draws
            Err(TryLockError::WouldBlock) if Instant::now() > until => break None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let was_shown = shown.as_deref_mut().is_none_or(std::mem::take);
    if was_shown {
        log::show_in(None);
        let _ = execute!(
            io::stdout(),
            EndSynchronizedUpdate,
            DisableBracketedPaste,
            LeaveAlternateScreen,
            cursor::Show
        );
        let _ = disable_raw_mode();
    }
}

/// Takes the terminal for the picture.
fn take() -> io::Result<()> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            before(panic);
        }));
    });
    enable_raw_mode()?;
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = true;
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste).inspect_err(|_| restore())
}

/// Sends inputs to the picture; clones send to the same.
#[derive(Clone)]
pub(crate) struct Sight {
    inputs: Sender<Input>,
    left_out: Arc<AtomicU64>,
}

impl Sight {
    /// Shows something; false if the picture has ended. Never waits.
    pub(crate) fn show(&self, input: Input) -> bool {
        match self.inputs.try_send(input) {
            Ok(()) => true,
            Err(refused) if refused.is_disconnected() => false,
            Err(_) => {
                self.left_out.fetch_add(1, Ordering::Relaxed);
                true
            }
        }
    }
}

impl Picture for Sight {
    fn tell(&self, tone: Tone, text: &str) -> bool {
        self.show(Input::Told(tone, text.to_owned()))
    }

    fn asked(&self, question: &str) {
        self.show(Input::Asked(question.to_owned()));
    }

    fn draft(&self, checked: &str, tentative: &str) {
        self.show(Input::Draft(checked.to_owned(), tentative.to_owned()));
    }

    fn meter(&self, level: &str, is_stopping: bool) {
        self.show(Input::Meter(level.to_owned(), is_stopping));
    }
}

/// A picture that is shown.
pub(crate) struct Screen {
    sight: Sight,
    drawing: Worker<State>,
    ends: Stop,
}

impl Screen {
    /// Shows a picture. `act` does what it asks for, or says why not; it does not wait.
    ///
    /// # Errors
    /// The terminal cannot be taken; it is as before.
    pub(crate) fn start(
        state: State,
        terminal: &mut Terminal,
        act: impl FnMut(Effect) -> Result<(), String> + Send + 'static,
    ) -> anyhow::Result<Self> {
        let (inputs, waiting) = crossbeam_channel::bounded(INPUTS_MAX);
        let theme = Theme {
            has_colours: terminal.has_colours(),
        };
        let left_out = Arc::<AtomicU64>::default();
        let ends = Stop::default();
        let drawer = Drawer {
            keyboard: Keyboard::open()?,
            state,
            theme,
            waiting,
            left_out: Arc::clone(&left_out),
            ends: ends.clone(),
            act,
        };
        take()?;
        log::show_in(Some(inputs.clone()));
        let drawing =
            Worker::spawn("screen", move || Ok(drawer.run())).inspect_err(|_| restore())?;
        let sight = Sight { inputs, left_out };
        terminal.set_picture(Some(Box::new(sight.clone())));
        Ok(Self {
            sight,
            drawing,
            ends,
        })
    }

    /// Where inputs go.
    pub(crate) fn sight(&self) -> Sight {
        self.sight.clone()
    }

    /// Whether the picture has ended by itself.
    pub(crate) fn has_ended(&self) -> bool {
        self.drawing.is_finished()
    }

    /// Ends the picture, and tells again what went wrong meanwhile.
    pub(crate) fn end(self, terminal: &mut Terminal) {
        // the drawing thread gives the terminal back: if another did while that one asks for keys,
        // its read would wait for a whole line
        self.ends.set();
        let drawn = self.drawing.join();
        restore();
        terminal.set_picture(None);
        let Ok(state) = drawn else {
            return;
        };
        let told = state.messages.iter().filter(|it| it.tone != Tone::Note);
        let told: Vec<_> = told.collect();
        for message in &told[told.len().saturating_sub(AGAIN_MAX)..] {
            match message.tone {
                Tone::Failure => terminal.fail(&message.text),
                _ => terminal.warn(&message.text),
            }
        }
    }
}

/// The drawing thread.
struct Drawer<A> {
    keyboard: Keyboard,
    state: State,
    theme: Theme,
    waiting: Receiver<Input>,
    left_out: Arc<AtomicU64>,
    ends: Stop,
    act: A,
}

impl<A: FnMut(Effect) -> Result<(), String>> Drawer<A> {
    /// Draws until the picture ends; returns what was shown last.
    fn run(mut self) -> State {
        if let Err(error) = self.draws() {
            restore();
            ::log::warn!("the terminal cannot be drawn on: {error}");
        }
        restore();
        self.state
    }

    fn draws(&mut self) -> io::Result<()> {
        let out = BufWriter::with_capacity(1 << 16, io::stdout());
        let mut terminal = Out::new(CrosstermBackend::new(out))?;
        let since = Instant::now();
        let mut is_stale = true;
        loop {
            let is_shown = draw(&mut terminal, &self.state, self.theme, is_stale)?;
            if !is_shown || self.ends.is_set() {
                return Ok(());
            }
            is_stale = self.keys()?;
            match self.inputs() {
                Some(any) => is_stale |= any,
                None => return Ok(()),
            }
            let now_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
            is_stale |= now_ms / 1_000 != self.state.now_ms / 1_000;
            self.take(Input::Time(now_ms));
        }
    }

    /// Takes keys; whether there were any.
    fn keys(&mut self) -> io::Result<bool> {
        if !self.keyboard.has_event(FRAME)? {
            return Ok(false);
        }
        for _ in 0..KEYS_AT_ONCE {
            match event::read()? {
                Event::Key(key) => self.take(Input::Key(key)),
                Event::Paste(text) => self.take(Input::Paste(text)),
                // the next picture has the new size
                _ => {}
            }
            if !self.keyboard.has_event(Duration::ZERO)? {
                break;
            }
        }
        Ok(true)
    }

    /// Takes inputs; whether there were any. `None` when no more come.
    fn inputs(&mut self) -> Option<bool> {
        let left_out = self.left_out.swap(0, Ordering::Relaxed);
        if left_out > 0 {
            self.take(Input::Reply(Box::new(Reply::Missed(left_out))));
        }
        for nth in 0..INPUTS_AT_ONCE {
            match self.waiting.try_recv() {
                Ok(input) => self.take(input),
                Err(TryRecvError::Empty) => return Some(nth > 0),
                Err(TryRecvError::Disconnected) => return None,
            }
        }
        Some(true)
    }

    fn take(&mut self, input: Input) {
        let effect = self.state.update(input);
        if let Some(Err(why)) = effect.map(&mut self.act) {
            self.state.update(Input::Told(Tone::Warning, why));
        }
    }
}

/// Draws what is stale; false if the picture has ended.
fn draw(terminal: &mut Out, state: &State, theme: Theme, is_stale: bool) -> io::Result<bool> {
    let shown = SHOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if !*shown || !is_stale {
        return Ok(*shown);
    }
    queue!(terminal.backend_mut(), BeginSynchronizedUpdate)?;
    terminal.draw(|frame| view(state, theme, frame))?;
    queue!(terminal.backend_mut(), EndSynchronizedUpdate)?;
    terminal.backend_mut().flush()?;
    Ok(true)
}
