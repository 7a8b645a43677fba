//! Plots as SVG inside the page, in the page's own colours: bars and a scatter.

use super::html::escape;
use super::tally::Tally;
use std::fmt::Write;

const WIDTH: f64 = 860.0;
/// Width of the labels, and of the bars beside them.
const LABEL: f64 = 230.0;
const BAR_MAX: f64 = WIDTH - LABEL - 70.0;
const ROW: f64 = 20.0;
const HEIGHT: f64 = 440.0;
const MARGIN: f64 = 48.0;
/// Room to the right of points for their names.
const NAMES: f64 = 190.0;
/// Where points end.
const RIGHT: f64 = WIDTH - NAMES;
/// Height of a name beside a point.
const NAME_HEIGHT: f64 = 11.0;

/// Fact recall of each setup as a bar.
pub(super) fn bars(tallies: &[Tally]) -> String {
    let there: Vec<(String, f64)> = tallies
        .iter()
        .filter_map(|tally| Some((tally.setup.label(), tally.scores.fact_recall?)))
        .collect();
    let height = ROW * there.len() as f64 + 10.0;
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" \
         aria-label=\"fact recall by method\">\n"
    );
    for (at, (label, recall)) in there.iter().enumerate() {
        let top = ROW * at as f64 + 4.0;
        let middle = top + ROW / 2.0 + 1.0;
        let long = BAR_MAX * recall.clamp(0.0, 1.0);
        let label = escape(label);
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{middle:.1}\" class=\"end\">{label}</text>\
             <rect x=\"{LABEL:.0}\" y=\"{top:.1}\" width=\"{long:.1}\" height=\"{:.0}\">\
             <title>{label}: {recall:.3}</title></rect>\
             <text x=\"{:.1}\" y=\"{middle:.1}\">{recall:.3}</text>",
            LABEL - 8.0,
            ROW - 5.0,
            LABEL + long + 6.0,
        );
    }
    out.push_str("</svg>\n");
    out
}

/// A point of the scatter.
struct Point {
    label: String,
    tokens: f64,
    recall: f64,
}

/// Fact recall against text held, which grow by tens.
pub(super) fn scatter(tallies: &[Tally]) -> String {
    let points: Vec<Point> = tallies
        .iter()
        .filter_map(|tally| {
            Some(Point {
                label: tally.setup.label(),
                tokens: tally.stored_tokens?.max(1.0),
                recall: tally.scores.fact_recall?,
            })
        })
        .collect();
    let all = || points.iter().map(|point| point.tokens.log10());
    let (low, high) = (all().fold(f64::MAX, f64::min), all().fold(0.0, f64::max));
    if points.is_empty() {
        return String::new();
    }
    let (low, high) = (low - 0.1, high + 0.1);
    let x = |tokens: f64| MARGIN + (tokens.log10() - low) / (high - low) * (RIGHT - MARGIN);
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"fact recall against text held\">\n"
    );
    for tokens in ticks(low, high) {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.0}\" class=\"mid\">{}</text>",
            x(tokens),
            HEIGHT - MARGIN + 18.0,
            short(tokens)
        );
    }
    frame(&mut out);
    let placed: Vec<(f64, f64)> = points
        .iter()
        .map(|p| (x(p.tokens), height_of(p.recall)))
        .collect();
    for (point, (at, name)) in points.iter().zip(placed.iter().zip(names(&placed))) {
        let label = escape(&point.label);
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>{label}: {:.3}, {:.0} tokens\
             </title></circle><text x=\"{:.1}\" y=\"{name:.1}\" class=\"name\">{label}</text>",
            at.0,
            at.1,
            point.recall,
            point.tokens,
            at.0 + 7.0,
        );
    }
    out.push_str("</svg>\n");
    out
}

fn height_of(recall: f64) -> f64 {
    HEIGHT - MARGIN - recall * (HEIGHT - MARGIN - 16.0)
}

/// Lines of equal recall, and what the other axis is.
fn frame(out: &mut String) {
    for recall in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] {
        let at = height_of(recall);
        let _ = writeln!(
            out,
            "<line x1=\"{MARGIN}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.0}\" y=\"{at:.1}\" class=\"end\">{recall:.1}</text>",
            MARGIN - 6.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.0}\" y=\"{:.0}\" class=\"mid\">tokens of text held</text>",
        f64::midpoint(MARGIN, RIGHT),
        HEIGHT - 8.0
    );
}

/// 1, 2 and 5 of each decade between two logarithms.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let decades = low.floor() as i32..=high.ceil() as i32;
    let ticks = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|n| n * 10_f64.powi(decade)));
    ticks
        .filter(|tick| (low..=high).contains(&tick.log10()))
        .collect()
}

fn short(tokens: f64) -> String {
    match tokens {
        1e6.. => format!("{} M", tokens / 1e6),
        1e3.. => format!("{} k", tokens / 1e3),
        _ => tokens.to_string(),
    }
}

/// Heights of the points' names, moved down where they would lie on another.
fn names(points: &[(f64, f64)]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|a, b| points[*a].1.total_cmp(&points[*b].1));
    let mut heights = vec![0.0; points.len()];
    let mut placed: Vec<(f64, f64)> = Vec::new();
    for at in order {
        let (x, mut y) = points[at];
        let hits = |y: f64, other: &(f64, f64)| {
            (other.0 - x).abs() < NAMES && (other.1 - y).abs() < NAME_HEIGHT - 0.5
        };
        while let Some(other) = placed.iter().find(|other| hits(y, other)) {
            y = other.1 + NAME_HEIGHT;
        }
        placed.push((x, y));
        heights[at] = y;
    }
    heights
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        assert_eq!(ticks(2.9, 4.0), [1_000.0, 2_000.0, 5_000.0, 10_000.0]);
    }

    #[test]
    fn tokens_are_written_short() {
        assert_eq!([500.0, 2e3, 5e6].map(short), ["500", "2 k", "5 M"]);
    }

    #[test]
    fn names_keep_apart() {
        let points = [(10.0, 50.0), (12.0, 50.0), (14.0, 52.0), (700.0, 50.0)];
        let mut heights = names(&points);
        assert!((heights[3] - 50.0).abs() < 1e-9, "far away: {heights:?}");
        heights.truncate(3);
        heights.sort_by(f64::total_cmp);
        assert!(
            heights
                .windows(2)
                .all(|pair| pair[1] - pair[0] >= NAME_HEIGHT - 1e-9)
        );
    }
}
