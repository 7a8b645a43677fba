//! Draws how a belief moved, as SVG: one point for each remark, lines for the profiles.

use crate::cli::terminal::clock;
use std::fmt::Write;
use weir_core::beliefs::{Belief, Tally};
use weir_core::talk::opinion_label;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
/// Space around the lines: for the labels.
const LEFT: f64 = 48.0;
const RIGHT: f64 = 96.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 36.0;

/// A polarity with its colour, the same for points and lines.
struct Series {
    name: &'static str,
    colour: &'static str,
    current: fn(&Tally) -> f32,
}

const SERIES: [Series; 3] = [
    Series {
        name: "positive",
        colour: "#2a8a4a",
        current: |tally| tally.current.positive,
    },
    Series {
        name: "neutral",
        colour: "#777777",
        current: |tally| tally.current.neutral,
    },
    Series {
        name: "negative",
        colour: "#c0392b",
        current: |tally| tally.current.negative,
    },
];

/// The picture. Remarks stand at equal distances: a belief moves with remarks, not with time.
pub(crate) fn svg(belief: &Belief) -> String {
    let history: Vec<(u64, Tally)> = belief
        .history()
        .map(|(it, tally)| (it.said_ms, tally))
        .collect();
    let label = opinion_label(&belief.object, &belief.aspect);
    let holder = belief.holder.as_deref().unwrap_or("somebody");
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"20\" font-size=\"14\">{}</text>\n",
        escape(&format!("What {holder} feels about {label}"))
    );
    axes(&mut out, &history);
    // names at the ends of the lines must not cover each other
    let mut names: Vec<(f64, &Series)> = SERIES
        .iter()
        .map(|series| {
            (
                history
                    .last()
                    .map_or(0.0, |(_, it)| (series.current)(it).into()),
                series,
            )
        })
        .collect();
    names.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut lowest = f64::NEG_INFINITY;
    for (value, series) in names {
        line(&mut out, &history, series);
        lowest = y(value).max(lowest + 14.0);
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{}\">{} {value:.2}</text>",
            WIDTH - RIGHT + 8.0,
            lowest + 4.0,
            series.colour,
            series.name
        );
    }
    out.push_str("</svg>\n");
    out
}

fn axes(out: &mut String, history: &[(u64, Tally)]) {
    for tick in [0.0, 0.5, 1.0] {
        let _ = writeln!(
            out,
            "<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{tick}</text>",
            WIDTH - RIGHT,
            LEFT - 8.0,
            y(tick) + 4.0,
            y = y(tick),
        );
    }
    let ends = [(0, "start"), (history.len().saturating_sub(1), "end")];
    for (at, anchor) in ends.into_iter().take(history.len().min(2)) {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">remark {} at {}</text>",
            x(at, history.len()),
            HEIGHT - 12.0,
            at + 1,
            clock(history[at].0)
        );
    }
}

fn line(out: &mut String, history: &[(u64, Tally)], series: &Series) {
    let place = |(at, (_, tally)): (usize, &(u64, Tally))| {
        (x(at, history.len()), y((series.current)(tally).into()))
    };
    let points: Vec<(f64, f64)> = history.iter().enumerate().map(place).collect();
    let path: Vec<String> = points
        .iter()
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let _ = writeln!(
        out,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>",
        path.join(" "),
        series.colour
    );
    for (x, y) in points {
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{}\"/>",
            series.colour
        );
    }
}

fn x(at: usize, of: usize) -> f64 {
    let width = WIDTH - LEFT - RIGHT;
    match of {
        0 | 1 => LEFT + width / 2.0,
        many => LEFT + width * at as f64 / (many - 1) as f64,
    }
}

fn y(value: f64) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - value)
}

/// What was said may hold characters that end a text of XML.
fn escape(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.chars().filter(|c| !c.is_control()).collect()
}
