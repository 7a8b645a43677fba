//! Plots question time and stored bytes against turns, all methods in one picture.

use super::row::Row;
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::fmt::Display;
use std::path::Path;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const SIZE: (u32, u32) = (1_220, 520);
const LEGEND_PX: u32 = 260;
const LINE_PX: i32 = 19;

/// One method's points.
struct Series<'a> {
    name: &'a str,
    colour: RGBColor,
    width: u32,
    rows: Vec<&'a Row>,
}

/// Draws two panels and a legend into an SVG file.
pub(super) fn draw(rows: &[Row], path: &Path) -> Result<()> {
    let failed = |error: &dyn Display| anyhow!("{}: {error}", path.display());
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE).map_err(|e| failed(&e))?;
    let (panels, legend) = root.split_horizontally(SIZE.0 - LEGEND_PX);
    let panels = panels.split_evenly((1, 2));
    let series = series(rows);
    panel(
        &panels[0],
        "a question, median (ms, without the encoder)",
        &series,
        |row| row.query_us_p50 / 1_000.0,
    )
    .map_err(|e| failed(&e))?;
    panel(&panels[1], "bytes stored (MB)", &series, |row| {
        row.stored_bytes as f64 / 1e6
    })
    .map_err(|e| failed(&e))?;
    legend_of(&legend, &series).map_err(|e| failed(&e))?;
    root.present().map_err(|e| failed(&e))
}

/// Methods by their last time, slowest first; Weir is highlighted.
fn series(rows: &[Row]) -> Vec<Series<'_>> {
    let mut all: Vec<Series<'_>> = Vec::new();
    for row in rows.iter().filter(|row| row.failed.is_none()) {
        match all.iter_mut().find(|one| one.name == row.method) {
            Some(one) => one.rows.push(row),
            None => all.push(Series {
                name: &row.method,
                colour: BLACK,
                width: 1,
                rows: vec![row],
            }),
        }
    }
    let last = |one: &Series<'_>| one.rows.last().map_or(0.0, |row| row.query_us_p50);
    all.sort_by(|a, b| last(b).total_cmp(&last(a)));
    let count = all.len().max(1) as f64;
    for (at, one) in all.iter_mut().enumerate() {
        let (hue, shade) = (at as f64 / count, 0.35 + 0.15 * (at % 2) as f64);
        let (r, g, b) = HSLColor(hue, 0.6, shade).rgb();
        one.colour = RGBColor(r, g, b);
        if one.name == "weir" {
            (one.colour, one.width) = (BLACK, 4);
        }
    }
    all
}

fn panel(
    area: &Area<'_>,
    title: &str,
    series: &[Series<'_>],
    value: impl Fn(&Row) -> f64,
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let all = || series.iter().flat_map(|one| one.rows.iter().copied());
    // values too small for a logarithmic scale are drawn at its lower edge
    let lowest = all().map(&value).filter(|v| *v > 0.0);
    let lowest = lowest.fold(f64::MAX, f64::min).max(1e-4);
    let highest = all().map(&value).fold(lowest * 10.0, f64::max);
    let turns = |row: &Row| row.turns as f64;
    let from = all().map(turns).fold(f64::MAX, f64::min);
    let to = all().map(turns).fold(10.0, f64::max);
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 15))
        .margin(10)
        .x_label_area_size(38)
        .y_label_area_size(58)
        .build_cartesian_2d(
            (from.min(to / 10.0)..to * 1.05).log_scale(),
            (lowest..highest * 1.3).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("turns heard")
        .x_label_formatter(&|turns| format!("{turns:.0}"))
        .y_label_formatter(&|v| short(*v))
        .light_line_style(TRANSPARENT)
        .draw()?;
    for one in series {
        let at = |row: &&Row| (row.turns as f64, value(row).max(lowest));
        let points: Vec<(f64, f64)> = one.rows.iter().map(at).collect();
        let style = one.colour.stroke_width(one.width);
        chart.draw_series(LineSeries::new(points.clone(), style))?;
        let dots = points.into_iter();
        let size = one.width as i32 + 1;
        chart.draw_series(dots.map(|at| Circle::new(at, size, one.colour.filled())))?;
    }
    Ok(())
}

fn legend_of(
    area: &Area<'_>,
    series: &[Series<'_>],
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    for (at, one) in series.iter().enumerate() {
        let y = 40 + at as i32 * LINE_PX;
        let line = vec![(4, y), (26, y)];
        area.draw(&PathElement::new(
            line,
            one.colour.stroke_width(one.width + 1),
        ))?;
        let last = one
            .rows
            .last()
            .map_or(0.0, |row| row.query_us_p50 / 1_000.0);
        let text = format!("{} ({} ms)", one.name, short(last));
        area.draw(&Text::new(text, (32, y - 6), ("sans-serif", 13)))?;
    }
    Ok(())
}

/// Two significant figures at most.
fn short(value: f64) -> String {
    match value {
        v if v >= 10.0 => format!("{v:.0}"),
        v if v >= 1.0 => format!("{v:.1}"),
        v if v >= 0.1 => format!("{v:.2}"),
        v if v >= 0.01 => format!("{v:.3}"),
        v => format!("{v:.4}"),
    }
}
