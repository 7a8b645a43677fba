//! The parts that scroll: talk, memory, the answer, messages.

use super::paint::{heading, put, put_all};
use super::state::{Exchange, Link, Message, Pane, State};
use super::talk::{Kind, Partial};
use super::text::{Pieces, clean, fit, width, wrap};
use super::theme::Theme;
use crate::cli::terminal::clock;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use weir_api::{Answered, NodeKind, OutlineNode, how_sure};

/// Evidence of an answer that is listed.
const EVIDENCE_MAX: usize = 8;
/// Lines of a node of the outline; more of it is not shown.
const ROW_LINES_MAX: usize = 2;
/// Columns from which a line of talk has its time.
const TIMED: usize = 32;

/// Lines of styled text.
fn lines(texts: &[(&str, Style)], indent: usize, columns: usize) -> Vec<Line<'static>> {
    let line = |(nth, pieces): (usize, Pieces<Style>)| {
        let before = (nth > 0 && indent > 0).then(|| Span::raw(" ".repeat(indent)));
        let spans = pieces
            .into_iter()
            .map(|(text, style)| Span::styled(text, style));
        Line::from(before.into_iter().chain(spans).collect::<Vec<_>>())
    };
    let wrapped = wrap(texts, indent, columns);
    wrapped.into_iter().enumerate().map(line).collect()
}

fn title_style(state: &State, pane: Pane, theme: Theme) -> Style {
    match state.pane == pane {
        true => theme.focused(),
        false => theme.plain(),
    }
}

/// Puts the last lines that fit into an area.
fn put_at_the_end(lines: &[Line<'_>], area: Rect, buffer: &mut Buffer) {
    let from = lines.len().saturating_sub(usize::from(area.height));
    put_all(&lines[from..], area, buffer);
}

/// Takes the first row for a title.
fn below(area: Rect) -> Rect {
    let height = area.height.saturating_sub(1);
    Rect {
        y: area.bottom() - height,
        height,
        ..area
    }
}

/// The transcript, and what is being said.
pub(super) fn talk(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let (shown, hidden) = state.talk.shown();
    let style = title_style(state, Pane::Talk, theme);
    let note = match state.talk.len() {
        0 => String::new(),
        _ => format!("{} heard", state.pulse.turns),
    };
    put(
        &heading("Talk", &note, style, theme, area.width),
        area,
        buffer,
    );
    let area = below(area);
    let (columns, rows) = (usize::from(area.width), usize::from(area.height));
    let mut end: Vec<Line<'_>> = Vec::new();
    if hidden > 0 {
        end.push(Line::styled(
            fit(&format!("↓ {hidden} newer, End shows them"), columns),
            theme.warning(),
        ));
    } else {
        let said = state.talk.partials.iter();
        end.extend(said.flat_map(|it| partial(it, state, theme, columns)));
        // what was said before stays in sight
        let most = (rows / 2).max(1);
        end.drain(..end.len().saturating_sub(most));
    }
    let mut before: Vec<Vec<Line<'_>>> = Vec::new();
    let mut used = end.len();
    for line in shown {
        if used >= rows {
            break;
        }
        let made = said(line, state, theme, columns);
        used += made.len();
        before.push(made);
    }
    if used == 0 {
        let hint = match state.link {
            Link::Here if state.meter.contains('▮') => "Sound arrives; its words follow.",
            Link::Here => "Nothing is heard yet. Speak, or see whether the level moves.",
            Link::Attached => "Nothing is heard yet.",
            Link::Stored => "Nothing was said in this session.",
        };
        return put_at_the_end(&lines(&[(hint, theme.faint())], 0, columns), area, buffer);
    }
    let all: Vec<Line<'_>> = before.into_iter().rev().flatten().chain(end).collect();
    put_at_the_end(&all, area, buffer);
}

fn said(
    line: &super::talk::Line,
    state: &State,
    theme: Theme,
    columns: usize,
) -> Vec<Line<'static>> {
    let time = format!("{:<5}", line.time);
    let speaker = line.speaker.as_deref().map(|it| label(it, columns));
    let mut texts: Vec<(&str, Style)> = Vec::new();
    let is_timed = columns >= TIMED;
    if is_timed {
        texts.push((&time, theme.faint()));
    }
    if let Some(label) = &speaker {
        let number = line
            .speaker
            .as_deref()
            .and_then(|it| state.talk.colour_of(it));
        texts.push((label, theme.speaker(number)));
    }
    let style = match line.kind {
        Kind::Said => theme.plain(),
        Kind::Ignored => theme.faint(),
        Kind::Lost => theme.failure(),
    };
    texts.push((&line.text, style));
    lines(&texts, if is_timed { 6 } else { 1 }, columns)
}

/// A speaker before their words. Where `Speaker 1` has no room its number still tells who it is.
fn label(speaker: &str, columns: usize) -> String {
    let room = (columns / 3).clamp(4, 24);
    let number = speaker.strip_prefix("Speaker ");
    let short = number.filter(|_| width(speaker) > room).unwrap_or(speaker);
    format!("{}:", fit(short, room))
}

fn partial(said: &Partial, state: &State, theme: Theme, columns: usize) -> Vec<Line<'static>> {
    let speaker = said.speaker.as_deref().map(|it| label(it, columns));
    let mark = if columns >= TIMED { "  …  " } else { "…" };
    let number = said
        .speaker
        .as_deref()
        .and_then(|it| state.talk.colour_of(it));
    let mut texts = vec![(mark, theme.faint())];
    if let Some(label) = &speaker {
        texts.push((label, theme.speaker(number)));
    }
    texts.push((&said.committed, theme.plain()));
    texts.push((&said.tentative, theme.faint()));
    lines(&texts, if columns >= TIMED { 6 } else { 1 }, columns)
}

/// The outline of memory.
pub(super) fn memory(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let changes = state.memory.changes;
    let counts = [
        (changes.inserted, "new"),
        (changes.merged, "merged"),
        (changes.reduced, "reduced"),
        (changes.forgotten, "forgotten"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let mut note: Vec<String> = counts
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    // what was pruned says more than what is new
    while note.join(", ").len() + 12 > usize::from(area.width) && note.len() > 1 {
        note.remove(0);
    }
    let style = title_style(state, Pane::Memory, theme);
    put(
        &heading("Memory", &note.join(", "), style, theme, area.width),
        area,
        buffer,
    );
    let area = below(area);
    let (rows, hidden) = state.memory.shown();
    let columns = usize::from(area.width);
    if rows.is_empty() {
        let hint = "Memory is empty. Statements come here when a theme ends or somebody pauses.";
        return put_at_the_end(&lines(&[(hint, theme.faint())], 0, columns), area, buffer);
    }
    let most = usize::from(area.height);
    let mut shown: Vec<Line<'_>> = Vec::new();
    if hidden > 0 {
        let more = fit(&format!("↓ {hidden} newer, End shows them"), columns);
        shown.push(Line::styled(more, theme.warning()));
    }
    // from the end, as far as there is room
    for it in rows.iter().rev() {
        if shown.len() >= most {
            break;
        }
        shown.extend(row(it, state, theme, columns).into_iter().rev());
    }
    let left_out = state.memory.left_out;
    if left_out > 0 && shown.len() < most {
        let more = fit(&format!("{left_out} earlier ones are held too"), columns);
        shown.push(Line::styled(more, theme.faint()));
    }
    shown.reverse();
    put_at_the_end(&shown, area, buffer);
}

/// A node, on at most two lines.
fn row(row: &OutlineNode, state: &State, theme: Theme, columns: usize) -> Vec<Line<'static>> {
    let is_new = state.memory.is_new(row);
    let (before, style) = match row.kind {
        NodeKind::Scene => ("▪", theme.strong()),
        NodeKind::Event => (" ▫", theme.plain()),
        NodeKind::Unit => ("  ", theme.faint()),
    };
    let style = if is_new { theme.good() } else { style };
    let mark = match (is_new, row.pinned, row.key.is_some()) {
        (true, ..) => "+",
        (_, true, _) => "*",
        (_, _, true) => "~",
        _ => "-",
    };
    let mark = if row.kind == NodeKind::Unit { mark } else { "" };
    let head = format!("{before}{mark}");
    let text = match row.text.is_empty() {
        true => "(no words)",
        false => &row.text,
    };
    let speaker = row.speaker.as_deref();
    let speaker = speaker.filter(|_| row.kind == NodeKind::Unit);
    let number = speaker.and_then(|it| state.talk.colour_of(it));
    let label = speaker.map(|it| label(it, columns)).unwrap_or_default();
    let texts = [(&*label, theme.speaker(number)), (text, style)];
    // the mark stands before the words, which hang below each other
    let indent = width(&head) + 1;
    let wrapped = lines(&texts, 0, columns.saturating_sub(indent)).into_iter();
    let mut made: Vec<Line<'_>> = wrapped.take(ROW_LINES_MAX).collect();
    for (nth, line) in made.iter_mut().enumerate() {
        let head = match nth {
            0 => format!("{head} "),
            _ => " ".repeat(indent),
        };
        line.spans.insert(0, Span::styled(head, style));
    }
    made
}

/// The question, its answer and its evidence; nothing where nothing was asked.
pub(super) fn answer(state: &State, theme: Theme, columns: usize) -> Vec<Line<'static>> {
    let asked = |question: &str| {
        lines(
            &[("?", theme.focused()), (question, theme.strong())],
            2,
            columns,
        )
    };
    match &state.exchange {
        None => Vec::new(),
        Some(Exchange::Waiting { question, draft }) => {
            let text = if draft.is_empty() {
                "searching …"
            } else {
                draft
            };
            let mut all = asked(question);
            all.extend(lines(&[(text, theme.faint())], 0, columns));
            all
        }
        Some(Exchange::Failed { question, why }) => {
            let mut all = asked(question);
            all.extend(lines(&[(why, theme.failure())], 0, columns));
            all
        }
        Some(Exchange::Answered(answered)) => {
            let mut all = asked(&clean(&answered.question));
            all.extend(lines(
                &[(&clean(&answered.result.answer), theme.plain())],
                0,
                columns,
            ));
            let sure = how_sure(answered.result.chance);
            if !sure.is_empty() {
                all.extend(lines(&[(sure, theme.faint())], 2, columns));
            }
            all.extend(evidence(answered, state, theme, columns));
            all
        }
    }
}

fn evidence(
    answered: &Answered,
    state: &State,
    theme: Theme,
    columns: usize,
) -> Vec<Line<'static>> {
    let result = &answered.result;
    let mut all = Vec::new();
    for it in result.passages.iter().take(EVIDENCE_MAX) {
        let place = clean(&format!("[{}:{}]", it.file, it.first_line));
        let quote = clean(&format!("\"{}\"", it.quote));
        let texts = [(&*place, theme.faint()), (&*quote, theme.plain())];
        all.extend(lines(&texts, 2, columns));
    }
    for it in result.citations.iter().take(EVIDENCE_MAX) {
        let time = clock(it.start_ms);
        let speaker = clean(it.speaker.as_deref().unwrap_or("somebody"));
        let quote = match it.quote.is_empty() {
            true => "said so too".to_owned(),
            false => clean(&format!("\"{}\"", it.quote)),
        };
        let number = state.talk.colour_of(&speaker);
        let name = label(&speaker, columns);
        let texts = [
            (&*time, theme.faint()),
            (&*name, theme.speaker(number)),
            (&*quote, theme.plain()),
        ];
        all.extend(lines(&texts, 2, columns));
    }
    if let Some(check) = &answered.check {
        let found = check.shares.found;
        let text = format!("checked: {} of {} claims supported", found.count, found.of);
        all.extend(lines(&[(&text, theme.faint())], 0, columns));
    }
    all
}

/// Puts the answer into its place, scrolled.
pub(super) fn put_answer(
    state: &State,
    theme: Theme,
    all: &[Line<'_>],
    area: Rect,
    buffer: &mut Buffer,
) {
    let rows = usize::from(area.height.saturating_sub(1));
    let down = state.answer_down.min(all.len().saturating_sub(rows));
    let hidden = all.len() - down - rows.min(all.len() - down);
    let note = match hidden {
        0 => String::new(),
        more => format!("{more} more lines, Tab and ↓"),
    };
    let style = title_style(state, Pane::Answer, theme);
    put(
        &heading("Answer", &note, style, theme, area.width),
        area,
        buffer,
    );
    put_all(&all[down..], below(area), buffer);
}

fn told(message: &Message, theme: Theme, columns: usize) -> Vec<Line<'static>> {
    lines(&[(&message.text, theme.tone(message.tone))], 2, columns)
}

/// The messages that are new, in at most a third of an area.
pub(super) fn news(state: &State, theme: Theme, area: Rect) -> Vec<Line<'static>> {
    let most = usize::from(area.height / 3);
    let columns = usize::from(area.width);
    let new = state.new_messages();
    let mut all: Vec<Line<'_>> = new.flat_map(|it| told(it, theme, columns)).collect();
    all.drain(..all.len().saturating_sub(most));
    all
}

/// All messages that are kept.
pub(super) fn messages(state: &State, theme: Theme, area: Rect, buffer: &mut Buffer) {
    let style = title_style(state, Pane::Messages, theme);
    let note = format!("{} kept", state.messages.len());
    put(
        &heading("Messages", &note, style, theme, area.width),
        area,
        buffer,
    );
    let area = below(area);
    let (columns, rows) = (usize::from(area.width), usize::from(area.height));
    let mut all: Vec<Vec<Line<'_>>> = Vec::new();
    let mut used = 0;
    for message in state.messages.iter().rev().skip(state.messages_up) {
        if used >= rows {
            break;
        }
        let made = told(message, theme, columns);
        used += made.len();
        all.push(made);
    }
    if used == 0 {
        let hint = lines(&[("No messages.", theme.faint())], 0, columns);
        return put_at_the_end(&hint, area, buffer);
    }
    let all: Vec<Line<'_>> = all.into_iter().rev().flatten().collect();
    put_at_the_end(&all, area, buffer);
}
