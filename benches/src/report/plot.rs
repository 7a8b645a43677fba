//! SVG plots in the page's own colours: bars and scatter plots.

use super::escape::escape;
use super::tally::Tally;
use std::fmt::Write;

const WIDTH: f64 = 860.0;
/// Width of the labels, and of the bars beside them.
const LABEL: f64 = 230.0;
const BAR_MAX: f64 = WIDTH - LABEL - 70.0;
const ROW: f64 = 20.0;
const HEIGHT: f64 = 440.0;
const MARGIN: f64 = 48.0;
/// Space to the right of points for their names.
const NAMES: f64 = 190.0;
/// Right end of the points.
const RIGHT: f64 = WIDTH - NAMES;
/// Height of the name of a point.
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

/// The cost axis of a scatter plot against fact recall, by powers of ten.
pub(super) struct Axis {
    pub(super) name: &'static str,
    value: fn(&Tally) -> Option<f64>,
}

/// The cost of a setup.
pub(super) const AXES: [Axis; 3] = [
    Axis {
        name: "tokens of text held",
        value: |tally| tally.stored_tokens,
    },
    Axis {
        name: "microseconds of a question, median",
        value: |tally| tally.query_us_p50,
    },
    Axis {
        name: "bytes held, vectors and indexes included",
        value: |tally| tally.stored_bytes,
    },
];

/// A point of a scatter plot.
struct Point {
    label: String,
    cost: f64,
    recall: f64,
}

/// Fact recall against one cost.
pub(super) fn scatter(tallies: &[Tally], axis: &Axis) -> String {
    let point = |tally: &Tally| {
        Some(Point {
            label: tally.setup.label(),
            cost: (axis.value)(tally)?.max(1.0),
            recall: tally.scores.fact_recall?,
        })
    };
    let points: Vec<Point> = tallies.iter().filter_map(point).collect();
    if points.is_empty() {
        return String::new();
    }
    let (low, high) = ends(points.iter().map(|point| point.cost.log10()));
    let (low, high) = (low - 0.1, high + 0.1);
    let x = |cost: f64| MARGIN + (cost.log10() - low) / (high - low) * (RIGHT - MARGIN);
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"fact recall against {}\">\n",
        axis.name
    );
    for cost in ticks(low, high) {
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.0}\" class=\"mid\">{}</text>",
            x(cost),
            HEIGHT - MARGIN + 18.0,
            short(cost)
        );
    }
    let heights = Heights::of(&points);
    heights.frame(axis.name, &mut out);
    let placed: Vec<(f64, f64)> = points
        .iter()
        .map(|p| (x(p.cost), heights.at(p.recall)))
        .collect();
    for (point, (at, name)) in points.iter().zip(placed.iter().zip(names(&placed))) {
        let label = escape(&point.label);
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>{label}: {:.3}, {:.0} {}\
             </title></circle><text x=\"{:.1}\" y=\"{name:.1}\" class=\"name\">{label}</text>",
            at.0,
            at.1,
            point.recall,
            point.cost,
            axis.name,
            at.0 + 7.0,
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Minimum and maximum.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(low, high), value| {
        (low.min(value), high.max(value))
    })
}

/// The vertical scale of recall: the range of tenths around all values.
struct Heights {
    /// In tenths.
    low: u8,
    high: u8,
}

impl Heights {
    fn of(points: &[Point]) -> Self {
        let (low, high) = ends(points.iter().map(|point| point.recall));
        let low = (10.0 * low).floor().clamp(0.0, 9.0) as u8;
        let high = (10.0 * high).ceil().clamp(f64::from(low) + 1.0, 10.0) as u8;
        Self { low, high }
    }

    fn at(&self, recall: f64) -> f64 {
        let (low, high) = (f64::from(self.low), f64::from(self.high));
        let share = (10.0 * recall - low) / (high - low);
        HEIGHT - MARGIN - share * (HEIGHT - MARGIN - 16.0)
    }

    /// Grid lines of equal recall, and the other axis.
    fn frame(&self, name: &str, out: &mut String) {
        for tenth in self.low..=self.high {
            let recall = f64::from(tenth) / 10.0;
            let at = self.at(recall);
            let _ = writeln!(
                out,
                "<line x1=\"{MARGIN}\" x2=\"{RIGHT}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                 <text x=\"{:.0}\" y=\"{at:.1}\" class=\"end\">{recall:.1}</text>",
                MARGIN - 6.0
            );
        }
        let _ = writeln!(
            out,
            "<text x=\"{:.0}\" y=\"{:.0}\" class=\"mid\">{name}</text>",
            f64::midpoint(MARGIN, RIGHT),
            HEIGHT - 8.0
        );
    }
}

/// 1, 2 and 5 of each decade between two logarithms.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let decades = low.floor() as i32..=high.ceil() as i32;
    let ticks = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|n| n * 10_f64.powi(decade)));
    ticks
        .filter(|tick| (low..=high).contains(&tick.log10()))
        .collect()
}

fn short(count: f64) -> String {
    match count {
        1e6.. => format!("{} M", count / 1e6),
        1e3.. => format!("{} k", count / 1e3),
        _ => count.to_string(),
    }
}

/// Vertical positions of the points' names, moved down to avoid overlaps.
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
    fn counts_are_written_short() {
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
