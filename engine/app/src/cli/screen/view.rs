//! Draws the state: which part stands where. Pure: the same state gives the same picture.

use super::figures;
use super::paint::{put, put_all};
use super::panes;
use super::state::{Pane, State};
use super::text::{fit, width};
use super::theme::Theme;
use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::text::{Line, Span};

/// Columns from which talk and memory stand side by side.
const SIDE_BY_SIDE: u16 = 64;
/// Rows from which the title, the figures and the keys are shown.
const ROWS_TITLE: u16 = 4;
const ROWS_FIGURES: u16 = 7;
const ROWS_KEYS: u16 = 9;
/// What stands before a question.
const PROMPT: &str = "ask> ";

/// Draws the picture.
pub(crate) fn view(state: &State, theme: Theme, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.is_empty() {
        return;
    }
    let (rows, columns) = (area.height, area.width);
    let shown_from = |least: u16| Constraint::Length(u16::from(rows >= least));
    let [title, figures, middle, question, keys] = Layout::vertical([
        shown_from(ROWS_TITLE),
        shown_from(ROWS_FIGURES),
        Constraint::Fill(1),
        Constraint::Length(1),
        shown_from(ROWS_KEYS),
    ])
    .areas(area);
    let buffer = frame.buffer_mut();
    put(&figures::title(state, theme, columns), title, buffer);
    put(&figures::figures(state, theme, columns), figures, buffer);
    put(&figures::keys(state, theme, columns), keys, buffer);
    parts(state, theme, middle, buffer);
    let cursor = entry(state, theme, question, buffer);
    frame.set_cursor_position(cursor);
}

/// The parts between the lines of figures and the line for questions.
fn parts(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) {
    if state.pane == Pane::Messages {
        return panes::messages(state, theme, area, buffer);
    }
    let news = panes::news(state, theme, area);
    let [area, place] = split(area, news.len());
    put_all(&news, place, buffer);
    // the answer has half of the place, most of it where it is read
    let share = match state.pane {
        Pane::Answer => area.height.saturating_sub(4),
        _ => area.height / 2,
    };
    let answer = panes::answer(state, theme, usize::from(area.width));
    let rows = match (answer.len() + 1).min(usize::from(share)) {
        rows @ 2.. if !answer.is_empty() => rows,
        _ => 0,
    };
    let [area, place] = split(area, rows);
    panes::put_answer(state, theme, &answer, place, buffer);
    if area.width < SIDE_BY_SIDE {
        return match state.pane {
            Pane::Memory => panes::memory(state, theme, area, buffer),
            _ => panes::talk(state, theme, area, buffer),
        };
    }
    let [left, rule, right] = Layout::horizontal([
        Constraint::Percentage(55),
        Constraint::Length(1),
        Constraint::Fill(1),
    ])
    .areas(area);
    panes::talk(state, theme, left, buffer);
    for (nth, place) in rule.rows().enumerate() {
        let line = if nth == 0 { "─" } else { "│" };
        put(&Line::styled(line, theme.faint()), place, buffer);
    }
    panes::memory(state, theme, right, buffer);
}

/// An area without its last rows, and these.
fn split(area: Rect, rows: usize) -> [Rect; 2] {
    let rows = u16::try_from(rows).unwrap_or(u16::MAX);
    Layout::vertical([Constraint::Fill(1), Constraint::Length(rows)]).areas(area)
}

/// The line in which a question is typed; returns where the cursor stands.
fn entry(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) -> Position {
    let columns = usize::from(area.width);
    // few columns are left to what is typed
    let prompt = if columns < 12 { "> " } else { PROMPT };
    let room = columns.saturating_sub(width(prompt));
    let (text, at) = state.entry.seen(room);
    let shown = match state.entry.is_empty() {
        true => Span::styled(fit("a question about what was said", room), theme.faint()),
        false => Span::raw(fit(text, room)),
    };
    put(
        &Line::from(vec![Span::styled(prompt, theme.strong()), shown]),
        area,
        buffer,
    );
    let x = area.x + (width(prompt) + at).min(columns.saturating_sub(1)) as u16;
    Position::new(x, area.y)
}
