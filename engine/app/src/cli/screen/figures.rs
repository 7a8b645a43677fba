//! The lines around the parts: what is shown, the figures, the keys.

use super::state::{Exchange, Link, Pane, State};
use super::talk::seconds;
use super::text::{fit, width};
use super::theme::Theme;
use crate::cli::terminal::clock;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Lag that is shown, in milliseconds.
const BEHIND_MS: u64 = 1_000;

/// A piece of a line, and how early it is left out where there is no room: the highest first.
type Piece = (u8, Vec<Span<'static>>);

/// The session, whether somebody hears, and for how long.
pub(super) fn title(state: &State, theme: Theme, columns: u16) -> Line<'static> {
    let (mark, link) = match (state.is_stopping, &state.link) {
        (true, Link::Here) => ("●", "recognising the rest; ^C ends at once"),
        (_, Link::Here) => ("●", "listening"),
        (_, Link::Attached) => ("●", "attached"),
        (_, Link::Stored) => ("○", "nobody listens; read from disk"),
    };
    let style = match (&state.link, state.is_stopping) {
        (Link::Stored, _) => theme.faint(),
        (_, true) => theme.warning(),
        _ => theme.good(),
    };
    let room = usize::from(columns) * 2 / 5;
    let up = clock(state.now_ms);
    let up = up.split('.').next().unwrap_or_default().to_owned();
    let mut pieces = vec![
        (
            0,
            vec![Span::styled(fit(&state.title, room), theme.strong())],
        ),
        (1, vec![Span::styled(mark, style)]),
        (2, vec![Span::styled(link, style)]),
    ];
    if !state.meter.is_empty() {
        pieces.push((3, vec![Span::raw(state.meter.clone())]));
    }
    if state.link == Link::Here {
        pieces.push((4, vec![Span::styled(up, theme.faint())]));
    }
    joined(pieces, " ", columns)
}

/// The budget, latencies, and what was lost.
pub(super) fn figures(state: &State, theme: Theme, columns: u16) -> Line<'static> {
    let (memory, pulse) = (state.pulse.memory, &state.pulse);
    let share = match memory.budget_tokens {
        0 => 0,
        budget => memory.tokens.saturating_mul(100) / budget,
    };
    let steps = match columns {
        0..40 => 5,
        40..120 => 10,
        _ => 30,
    };
    let full = (share.min(100) * steps).div_ceil(100);
    let of = format!("{} of {} tokens", memory.tokens, memory.budget_tokens);
    let mut pieces: Vec<Piece> = vec![(
        0,
        vec![
            Span::styled("█".repeat(full), theme.focused()),
            Span::styled("░".repeat(steps - full), theme.faint()),
            Span::raw(format!(" {share} %")),
        ],
    )];
    pieces.push((7, vec![Span::raw(of)]));
    let mut figure = |order: u8, name: &'static str, value: String, style: Style| {
        let name = Span::styled(format!("{name} "), theme.faint());
        pieces.push((order, vec![name, Span::styled(value, style)]));
    };
    if pulse.behind_ms >= BEHIND_MS {
        figure(2, "behind", seconds(pulse.behind_ms), theme.warning());
    }
    let lost = state.talk.lost;
    if lost.lost_ms > 0 {
        figure(1, "lost", seconds(lost.lost_ms), theme.failure());
    }
    if lost.missed > 0 {
        figure(3, "not shown", lost.missed.to_string(), theme.warning());
    }
    if let Some(ms) = pulse.heard_after_ms {
        figure(4, "heard after", seconds(ms), theme.plain());
    }
    if let Some(us) = state.asked_us {
        figure(5, "answered in", answered_in(us), theme.plain());
    }
    if pulse.audio_ms > 0 {
        let factor = pulse.decoding_ms as f64 / pulse.audio_ms as f64;
        figure(6, "real-time factor", format!("{factor:.2}"), theme.plain());
    }
    if lost.ignored_ms > 0 {
        figure(8, "ignored", seconds(lost.ignored_ms), theme.plain());
    }
    joined(pieces, "  ", columns)
}

fn answered_in(us: u64) -> String {
    match us {
        0..10_000 => format!("{}.{} ms", us / 1_000, us / 100 % 10),
        10_000..1_000_000 => format!("{} ms", us / 1_000),
        _ => seconds(us / 1_000),
    }
}

/// The keys that do something now, the most important first.
pub(super) fn keys(state: &State, theme: Theme, columns: u16) -> Line<'static> {
    let stop = match (&state.link, state.is_stopping) {
        (Link::Here, true) => "end at once",
        (Link::Here, false) => "stop",
        _ => "quit",
    };
    let next = match state.pane {
        Pane::Talk => "memory",
        Pane::Memory if state.exchange.is_some() => "answer",
        _ => "talk",
    };
    let back = match (&state.exchange, state.pane) {
        (_, Pane::Messages) => "back",
        (Some(Exchange::Answered(_) | Exchange::Failed { .. }), _) => "close",
        _ => "clear",
    };
    let keys = [
        (0, "^C", stop),
        (2, "Enter", "ask"),
        (1, "Tab", next),
        (3, "↑↓ PgUp PgDn", "scroll"),
        (4, "End", "newest"),
        (5, "Esc", back),
        (6, "^L", "messages"),
        (7, "^P", "last question"),
    ];
    let pieces = keys.map(|(order, key, what)| {
        let key = Span::styled(key, theme.strong());
        (
            order,
            vec![key, Span::styled(format!(" {what}"), theme.faint())],
        )
    });
    joined(pieces.into(), "  ", columns)
}

/// Pieces in one line; where there is no room, the least important are left out.
fn joined(mut pieces: Vec<Piece>, gap: &'static str, columns: u16) -> Line<'static> {
    let wide = |piece: &Piece| piece.1.iter().map(|it| width(&it.content)).sum::<usize>();
    let all = |pieces: &[Piece]| {
        let gaps = gap.len() * pieces.len().saturating_sub(1);
        pieces.iter().map(wide).sum::<usize>() + gaps
    };
    while pieces.len() > 1 && all(&pieces) > usize::from(columns) {
        let last = (0..pieces.len()).max_by_key(|nth| pieces[*nth].0);
        pieces.remove(last.unwrap_or_default());
    }
    let mut spans = Vec::new();
    for (nth, (_, piece)) in pieces.into_iter().enumerate() {
        if nth > 0 {
            spans.push(Span::raw(gap));
        }
        spans.extend(piece);
    }
    Line::from(spans)
}
