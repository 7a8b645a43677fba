//! Pictures of results: panels of lines side by side, with one legend, as SVG.

use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;
use std::fmt::Display;
use std::path::Path;

const PANEL_PX: u32 = 420;
const HEIGHT_PX: u32 = 400;
const LEGEND_PX: u32 = 230;
const LEGEND_LINE_PX: i32 = 19;

/// A line and its name.
pub(crate) struct Line {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// Lines over the same quantities.
pub(crate) struct Panel {
    pub(crate) title: &'static str,
    pub(crate) x: &'static str,
    /// Whether both axes are logarithmic; points of 0 or less are then left out.
    pub(crate) is_log: bool,
    pub(crate) lines: Vec<Line>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;
type Coordinate<X, Y> = Cartesian2d<X, Y>;

/// Draws panels into an SVG file. Lines of the same name have the same colour.
pub(crate) fn draw(panels: &[Panel], path: &Path) -> Result<()> {
    let failed = |error: &dyn Display| anyhow!("{}: {error}", path.display());
    let mut names: Vec<&str> = Vec::new();
    for line in panels.iter().flat_map(|panel| &panel.lines) {
        if !names.contains(&line.name.as_str()) {
            names.push(&line.name);
        }
    }
    let width = PANEL_PX * panels.len() as u32;
    let root = SVGBackend::new(path, (width + LEGEND_PX, HEIGHT_PX)).into_drawing_area();
    root.fill(&WHITE).map_err(|e| failed(&e))?;
    let (left, legend) = root.split_horizontally(width);
    for (area, panel) in left.split_evenly((1, panels.len())).iter().zip(panels) {
        drawn(area, panel, &names).map_err(|e| failed(&e))?;
    }
    for (at, name) in names.iter().enumerate() {
        let y = 40 + at as i32 * LEGEND_LINE_PX;
        let line = PathElement::new([(4, y), (26, y)], colour(at, names.len()).stroke_width(3));
        legend.draw(&line).map_err(|e| failed(&e))?;
        let text = Text::new((*name).to_owned(), (32, y - 6), ("sans-serif", 13));
        legend.draw(&text).map_err(|e| failed(&e))?;
    }
    root.present().map_err(|e| failed(&e))
}

fn colour(at: usize, of: usize) -> RGBColor {
    let (hue, shade) = (at as f64 / of.max(1) as f64, 0.35 + 0.15 * (at % 2) as f64);
    let (r, g, b) = HSLColor(hue, 0.6, shade).rgb();
    RGBColor(r, g, b)
}

/// The least and the largest of values that a panel shows.
fn range(values: impl Iterator<Item = f64> + Clone, is_log: bool) -> (f64, f64) {
    let values = values.filter(|value| !is_log || *value > 0.0);
    let high = values.clone().fold(f64::MIN, f64::max).max(1e-6);
    match is_log {
        true => (values.fold(high / 10.0, f64::min), high * 1.3),
        false => (0.0, high * 1.1),
    }
}

fn drawn(area: &Area<'_>, panel: &Panel, names: &[&str]) -> Drawn {
    let points = || panel.lines.iter().flat_map(|line| &line.points);
    let (left, right) = range(points().map(|at| at.0), panel.is_log);
    let (low, high) = range(points().map(|at| at.1), panel.is_log);
    let mut builder = ChartBuilder::on(area);
    builder
        .caption(panel.title, ("sans-serif", 15))
        .margin(10)
        .x_label_area_size(38)
        .y_label_area_size(54);
    match panel.is_log {
        true => {
            let (x, y) = ((left..right).log_scale(), (low..high).log_scale());
            lines(builder.build_cartesian_2d(x, y)?, panel, names)
        }
        false => lines(
            builder.build_cartesian_2d(left..right, low..high)?,
            panel,
            names,
        ),
    }
}

fn lines<X, Y>(
    mut chart: ChartContext<'_, SVGBackend<'_>, Coordinate<X, Y>>,
    panel: &Panel,
    names: &[&str],
) -> Drawn
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .x_desc(panel.x)
        .x_labels(6)
        .x_label_formatter(&|x| short(*x))
        .y_label_formatter(&|y| short(*y))
        .light_line_style(TRANSPARENT)
        .draw()?;
    for line in &panel.lines {
        let at = names.iter().position(|name| *name == line.name);
        let colour = colour(at.unwrap_or(0), names.len());
        let points = line.points.iter().copied();
        let shown = points.filter(|(x, y)| !panel.is_log || (*x > 0.0 && *y > 0.0));
        chart.draw_series(LineSeries::new(shown.clone(), colour.stroke_width(2)))?;
        if line.points.len() < 30 {
            chart.draw_series(shown.map(|at| Circle::new(at, 3, colour.filled())))?;
        }
    }
    Ok(())
}

/// A number of an axis in few characters.
fn short(value: f64) -> String {
    match value {
        v if v >= 1e6 => format!("{} M", v / 1e6),
        v if v >= 1e4 => format!("{} k", v / 1e3),
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
        let panel = |is_log| Panel {
            title: if is_log { "grows" } else { "stays" },
            x: "turns heard",
            is_log,
            lines: vec![Line {
                name: "weir & others".to_owned(),
                points: vec![(0.0, 0.0), (1e3, 2.0), (1e6, 3.0)],
            }],
        };
        draw(&[panel(true), panel(false)], &path).expect("drawn");
        let svg = std::fs::read_to_string(&path).expect("written");
        for text in ["grows", "stays", "turns heard", "weir &amp; others", "1 M"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        draw(&[], &path).expect("an empty picture");
    }

    #[test]
    fn numbers_of_axes_are_short() {
        let shown = [0.30000000000000004, 8_192.0, 100_000.0, 2e6].map(short);
        assert_eq!(shown, ["0.3", "8192", "100 k", "2 M"]);
    }
}
