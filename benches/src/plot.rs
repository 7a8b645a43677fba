//! Pictures of results: panels of lines or points, each with its legend, as SVG.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::path::Path;

const PANEL_PX: (u32, u32) = (440, 330);
/// Most panels side by side.
const COLUMNS_MAX: usize = 3;
const TITLE_PX: i32 = 15;
const LEGEND_PX: i32 = 13;
/// Height of title and legend.
const HEAD_PX: u32 = 52;
/// Left edge of title, legend and plot.
const LEFT_PX: i32 = 54;
/// Width of a letter of the legend, about.
const LETTER_PX: i32 = 7;
/// Lines with more points have no dots.
const DOTS_MAX: usize = 30;
/// Colours that differ for colour-blind readers, too (Okabe and Ito).
const COLOURS: [RGBColor; 4] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
];

/// A name, and points.
type Line = (String, Vec<(f64, f64)>);

/// How a panel shows its lines. The vertical axis is linear and begins at 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Lines over a logarithmic axis, which leaves out points at 0 or less.
    LogLines,
    /// Lines over an axis from 0.
    Lines,
    /// Points over an axis from 0.
    Points,
}

/// Lines over the same quantities.
pub(crate) struct Panel {
    pub(crate) title: &'static str,
    pub(crate) x: &'static str,
    pub(crate) style: Style,
    pub(crate) lines: Vec<Line>,
}

/// The name of a line, and its value for a row.
type Named<'a, R> = (&'a str, fn(&R) -> Option<f64>);

/// Makes panels of rows: over `x`, a line for each name and value, with the rows that have it.
pub(crate) fn by<R>(
    style: Style,
    rows: &[R],
    x: &'static str,
    at: fn(&R) -> f64,
) -> impl Fn(&'static str, &[Named<'_, R>]) -> Panel {
    move |title, values| {
        let line = |&(name, value): &Named<'_, R>| {
            let points = rows.iter().filter_map(|row| Some((at(row), value(row)?)));
            (name.to_owned(), points.collect())
        };
        let lines = values.iter().map(line).collect();
        Panel {
            title,
            x,
            style,
            lines,
        }
    }
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Draws panels into an SVG file.
pub(crate) fn draw(panels: &[Panel], path: &Path) -> Result<()> {
    let columns = match panels.len() {
        0 => 1,
        many => many.div_ceil(many.div_ceil(COLUMNS_MAX)),
    };
    let rows = panels.len().div_ceil(columns);
    let size = (PANEL_PX.0 * columns as u32, PANEL_PX.1 * rows as u32);
    let root = SVGBackend::new(path, size).into_drawing_area();
    let all = || -> Drawn {
        root.fill(&WHITE)?;
        let areas = root.split_evenly((rows, columns));
        let drawn = areas
            .iter()
            .zip(panels)
            .try_for_each(|(area, it)| drawn(area, it));
        drawn.and_then(|()| root.present())
    };
    all().map_err(|error| anyhow!("{}: {error}", path.display()))
}

fn drawn(area: &Area<'_>, panel: &Panel) -> Drawn {
    let (head, plot) = area.split_vertically(HEAD_PX);
    let text = |text: &str, at: (i32, i32), px: i32| {
        head.draw(&Text::new(text.to_owned(), at, ("sans-serif", px)))
    };
    text(panel.title, (LEFT_PX, 12), TITLE_PX)?;
    let mut left = LEFT_PX;
    for ((name, _), colour) in panel.lines.iter().zip(COLOURS) {
        head.draw(&Rectangle::new(
            [(left, 41), (left + 14, 44)],
            colour.filled(),
        ))?;
        text(name, (left + 19, 35), LEGEND_PX)?;
        left += 34 + LETTER_PX * name.chars().count() as i32;
    }
    let most = |value: fn(&(f64, f64)) -> f64| {
        let points = panel.lines.iter().flat_map(|line| &line.1);
        points.map(value).fold(0.0, f64::max).max(1e-6)
    };
    let (right, high) = (most(|at| at.0), most(|at| at.1) * 1.1);
    let mut builder = ChartBuilder::on(&plot);
    builder
        .margin_right(24)
        .x_label_area_size(42)
        .y_label_area_size(LEFT_PX);
    if panel.style != Style::LogLines {
        let chart = builder.build_cartesian_2d(0.0..right * 1.05, 0.0..high)?;
        return lines(chart, panel);
    }
    let points = panel.lines.iter().flat_map(|line| &line.1);
    let shown = points.map(|at| at.0).filter(|x| *x > 0.0);
    let x = (shown.fold(right / 10.0, f64::min)..right).log_scale();
    lines(builder.build_cartesian_2d(x, 0.0..high)?, panel)
}

fn lines<X>(
    mut chart: ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, RangedCoordf64>>,
    panel: &Panel,
) -> Drawn
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .x_desc(panel.x)
        .x_labels(6)
        .y_labels(6)
        .x_label_formatter(&|x| short(*x))
        .y_label_formatter(&|y| short(*y))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.15))
        .draw()?;
    for ((_, points), colour) in panel.lines.iter().zip(COLOURS) {
        let shown = points.iter().copied();
        let shown = shown.filter(|(x, _)| panel.style != Style::LogLines || *x > 0.0);
        if panel.style != Style::Points {
            chart.draw_series(LineSeries::new(shown.clone(), colour.stroke_width(2)))?;
        }
        if panel.style == Style::Points || points.len() < DOTS_MAX {
            chart.draw_series(shown.map(|at| Circle::new(at, 3, colour.filled())))?;
        }
    }
    Ok(())
}

/// A number of an axis in few characters.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{} M", v / 1e6),
        v if v >= 1e4 || v == 1e3 => format!("{} k", v / 1e3),
        v => format!("{}", (v * 1e4).round() / 1e4),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panels_have_their_titles_and_lines_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("plot.svg");
        let points = [(0.0, 0.0), (1e3, 2.0), (1e6, 3.0)];
        let panel = |title, style| Panel {
            title,
            x: "turns heard",
            style,
            lines: vec![("weir & others".to_owned(), points.to_vec())],
        };
        let panels = [
            panel("grows", Style::LogLines),
            panel("stays", Style::Lines),
            panel("varies", Style::Points),
        ];
        draw(&panels, &path).expect("drawn");
        let svg = std::fs::read_to_string(&path).expect("written");
        for text in [
            "grows", "stays", "varies", "turns heard", "weir &amp; others", "1 M",
        ] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        // a point at 0 has no place on the logarithmic axis
        let dots = svg.matches("<circle").count();
        assert_eq!(dots, 2 + 3 + 3);
        draw(&[], &path).expect("an empty picture");
    }

    #[test]
    fn numbers_of_axes_are_short() {
        let shown = [0.30000000000000004, 1_000.0, 8_192.0, 100_000.0, 2e6].map(short);
        assert_eq!(shown, ["0.3", "1 k", "8192", "100 k", "2 M"]);
    }
}
