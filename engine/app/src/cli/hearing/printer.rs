//! Prints what a run says while it goes on: utterances, live text, notices, answers.

use crate::cli::asking::checking::{self, Checking};
use crate::cli::asking::view;
use crate::cli::hearing::unheard::UnheardLog;
use crate::cli::terminal::{Terminal, plain};
use weir_asr::{LanguageNews, language_name};
use weir_core::stream::Span;
use weir_engine::pipeline::{Answered, Event, LiveText, Notice};
use weir_engine::results::ChecksResult;

/// What a model that knows English alone can do with other talk.
const NOT_ENGLISH: &str = "this does not sound like English, the only language that the speech \
                           model knows, so its words are probably wrong; `weir models pull base` \
                           installs a model for other languages";

/// Prints the events of a run, as text or as JSON.
pub(crate) struct Printer<'a> {
    pub(crate) terminal: &'a mut Terminal,
    json: bool,
    live: LiveLine,
    checking: Option<Checking>,
    /// Sound without words.
    pub(crate) unheard: UnheardLog,
    /// Whether an input failed.
    pub(crate) failed: bool,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(json: bool, checking: Option<Checking>, terminal: &'a mut Terminal) -> Self {
        Self {
            terminal,
            json,
            live: LiveLine::default(),
            checking,
            unheard: UnheardLog::default(),
            failed: false,
        }
    }

    /// What the checks of answers found, if answers are checked.
    pub(crate) fn checks(&self) -> Option<ChecksResult> {
        self.checking.as_ref().map(Checking::result)
    }

    /// Shows one event; fails if standard output cannot be written. Questions and progress are
    /// shown by their commands.
    pub(crate) fn show(&mut self, event: Event) -> anyhow::Result<()> {
        match event {
            // a picture follows the session itself
            Event::Live(_) | Event::Heard(_) if self.terminal.picture().is_some() => Ok(()),
            Event::Live(live) => {
                self.live.show(&live, self.terminal);
                self.events(live.wire())
            }
            Event::Heard(ref said) => {
                self.live.settle(&said.stream, said.span, self.terminal);
                // text input is not echoed: the user has it already
                if !self.json && said.confidence.is_some() && !self.terminal.quiet() {
                    let line = view::utterance(said, self.terminal);
                    self.terminal.data(&line)?;
                }
                self.events(event.wire())
            }
            Event::Notice(notice) => self.notice(notice),
            Event::Answered(_)
            | Event::Memory(_)
            | Event::Belief(_)
            | Event::Speaker { .. }
            | Event::Changed(_)
            | Event::Unanswered { .. }
            | Event::Progress(_)
            | Event::StageEnded(_) => Ok(()),
        }
    }

    /// Shows a notice.
    pub(crate) fn notice(&mut self, notice: Notice) -> anyhow::Result<()> {
        let wire = notice.wire();
        match notice {
            Notice::Note(text) => self.terminal.note(&text),
            Notice::Warning(text) => self.terminal.warn(&text),
            Notice::Failed(text) => {
                self.failed = true;
                self.terminal.fail(&text);
            }
            Notice::Turn(_) | Notice::Voice { .. } => {}
            Notice::Language { stream, news } => {
                let name = plain(&stream);
                match news {
                    LanguageNews::Hears(code) => {
                        let language = language_name(code);
                        self.terminal.note(&format!("{name}: hears {language}"));
                    }
                    LanguageNews::Doubted => self.terminal.warn(&format!("{name}: {NOT_ENGLISH}")),
                }
            }
            Notice::Unheard(unheard) => {
                let (stream, span) = (&unheard.stream, unheard.span);
                if self.terminal.picture().is_none() {
                    self.live.settle(stream, span, self.terminal);
                }
                self.unheard.add(unheard);
            }
            Notice::Gap { at_ms, lost_ms, .. } => {
                self.terminal.warn(&view::gap(at_ms, lost_ms));
            }
        }
        self.events(wire)
    }

    /// Checks an answer, if that is asked for, and prints it: `heading` above it, or with the name
    /// of its stream in JSON.
    pub(crate) fn answer(
        &mut self,
        answered: &Answered,
        heading: Option<String>,
        stream: Option<&str>,
    ) -> anyhow::Result<()> {
        let check = checking::of(answered, self.checking.as_mut(), self.terminal);
        if self.terminal.picture().is_some() {
            return Ok(());
        }
        if self.json {
            let answer = Box::new(answered.wire(stream));
            return self.events([weir_api::Event::Answer(answer)]);
        }
        let mut lines: Vec<String> = heading.into_iter().collect();
        lines.extend(view::answer(answered, self.terminal));
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
    fn events(&mut self, of: impl IntoIterator<Item = weir_api::Event>) -> anyhow::Result<()> {
        for event in of.into_iter().filter(|_| self.json) {
            self.terminal.json(&event)?;
        }
        Ok(())
    }
}

/// The line that shows what is being said while it is said: text of speech that was recognised is
/// never shown again.
#[derive(Default)]
struct LiveLine {
    /// Start of the speech that is shown.
    shown_ms: Option<u64>,
    /// The stream recognised last, and how far.
    recognised: Option<(String, u64)>,
}

impl LiveLine {
    /// Shows live text, unless its speech was recognised meanwhile.
    fn show(&mut self, live: &LiveText, terminal: &mut Terminal) {
        let start_ms = live.span.start_ms;
        let known = self.recognised.as_ref();
        if known.is_some_and(|(stream, ms)| *stream == live.stream && start_ms < *ms) {
            return;
        }
        self.shown_ms = Some(start_ms);
        let speaker = live.speaker.as_ref();
        let speaker = speaker.map_or_else(String::new, |speaker| format!("{speaker}: "));
        let committed = format!("{speaker}{}", live.committed_text());
        let tentative = plain(&live.tentative_text());
        terminal.live(plain(&committed).trim_end(), &tentative);
    }

    /// Removes the text of speech that was recognised or refused.
    fn settle(&mut self, stream: &str, span: Span, terminal: &mut Terminal) {
        let known = self.recognised.take().filter(|(known, _)| known == stream);
        let until = known.map_or(0, |(_, ms)| ms).max(span.end_ms);
        self.recognised = Some((stream.to_owned(), until));
        if self.shown_ms.is_some_and(|start| start < until) {
            self.shown_ms = None;
            terminal.live("", "");
        }
    }
}
