//! Plots costs by budget: a question, a turn, a copy, and memory.

use super::row::Row;
use anyhow::{Result, anyhow};
use plotters::prelude::*;
use std::fmt::Display;
use std::path::Path;

const SIZE: (u32, u32) = (1_100, 560);
const COLOURS: [RGBColor; 3] = [BLUE, RED, BLACK];

/// A line of a panel: its name and its value in a row.
type Line = (&'static str, fn(&Row) -> Option<f64>);
/// A panel: its title and its lines.
type Panel = (&'static str, &'static [Line]);

const PANELS: [Panel; 4] = [
    (
        "a question (ms)",
        &[
            ("scan, median", |row| Some(row.recall_us_p50 / 1e3)),
            ("scan, 95 % within", |row| Some(row.recall_us_p95 / 1e3)),
            ("index, 95 % within", |row| {
                Some(row.index_recall_us_p95? / 1e3)
            }),
        ],
    ),
    (
        "a turn taken in (ms)",
        &[
            ("mean", |row| Some(row.ingest_us_mean / 1e3)),
            ("95 % within", |row| Some(row.ingest_us_p95 / 1e3)),
        ],
    ),
    (
        "a copy, an image (ms)",
        &[
            ("copy, 95 % within", |row| Some(row.clone_us_p95 / 1e3)),
            ("image", |row| Some(row.image_us / 1e3)),
        ],
    ),
    (
        "held (MB)",
        &[
            ("image", |row| Some(row.image_bytes as f64 / 1e6)),
            ("resident memory", |row| {
                let more = row.resident_bytes.checked_sub(row.resident_before_bytes)?;
                Some(more as f64 / 1e6)
            }),
        ],
    ),
];

/// Draws four panels into an SVG file; failed budgets are left out.
pub(super) fn draw(rows: &[Row], path: &Path) -> Result<()> {
    let failed = |error: &dyn Display| anyhow!("{}: {error}", path.display());
    let rows: Vec<&Row> = rows.iter().filter(|row| row.failed.is_none()).collect();
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE).map_err(|e| failed(&e))?;
    for (area, panel) in root.split_evenly((2, 2)).iter().zip(PANELS) {
        drawn(area, panel, &rows).map_err(|e| failed(&e))?;
    }
    root.present().map_err(|e| failed(&e))
}

fn drawn(
    area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
    (title, lines): Panel,
    rows: &[&Row],
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let of = |value: fn(&Row) -> Option<f64>| -> Vec<(f64, f64)> {
        let points = rows
            .iter()
            .map(|row| (row.budget_tokens as f64, value(row)));
        let there = points.filter_map(|(at, value)| Some((at, value?)));
        there.filter(|(_, value)| *value > 0.0).collect()
    };
    let all: Vec<(f64, f64)> = lines.iter().flat_map(|(_, value)| of(*value)).collect();
    let lowest = all.iter().map(|at| at.1).fold(f64::MAX, f64::min).min(1e9);
    let highest = all.iter().map(|at| at.1).fold(lowest * 10.0, f64::max);
    let from = rows.iter().map(|row| row.budget_tokens as f64);
    let (from, to) = (
        from.clone().fold(f64::MAX, f64::min).min(1e9),
        from.fold(0.0, f64::max),
    );
    let mut chart = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 15))
        .margin(10)
        .x_label_area_size(36)
        .y_label_area_size(52)
        .build_cartesian_2d(
            (from..to.max(from * 2.0) * 1.05).log_scale(),
            (lowest / 1.3..highest * 1.3).log_scale(),
        )?;
    chart
        .configure_mesh()
        .x_desc("budget in tokens")
        .x_labels(5)
        .x_label_formatter(&|tokens| format!("{:.0} k", tokens / 1e3))
        .y_label_formatter(&|value| format!("{value}"))
        .light_line_style(TRANSPARENT)
        .draw()?;
    for ((name, value), colour) in lines.iter().zip(COLOURS) {
        let points = of(*value);
        let line = LineSeries::new(points.clone(), colour.stroke_width(2));
        chart.draw_series(line)?.label(*name).legend(move |(x, y)| {
            PathElement::new(vec![(x, y), (x + 16, y)], colour.stroke_width(2))
        });
        let dots = points.into_iter();
        chart.draw_series(dots.map(|at| Circle::new(at, 3, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .draw()
}
