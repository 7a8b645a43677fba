//! Plots the simulation: time of a question, time of a turn and memory, by turns.

use super::row::Row;
use anyhow::{Result, anyhow};
use plotters::prelude::*;
use std::path::Path;

/// Draws three panels into an SVG file.
pub(super) fn draw(rows: &[Row], path: &Path) -> Result<()> {
    let root = SVGBackend::new(path, (900, 300)).into_drawing_area();
    let failed = |error: &dyn std::fmt::Display| anyhow!("{}: {error}", path.display());
    root.fill(&WHITE).map_err(|e| failed(&e))?;
    let panels = root.split_evenly((1, 3));
    let mega = |bytes: u64| bytes as f64 / 1e6;
    let lines: [(&str, Vec<f64>); 3] = [
        (
            "a question, 95 % within (ms)",
            rows.iter().map(|row| row.recall_us_p95 / 1_000.0).collect(),
        ),
        (
            "a turn taken in (ms, mean)",
            rows.iter()
                .map(|row| row.ingest_us_per_turn / 1_000.0)
                .collect(),
        ),
        (
            "resident memory (MB)",
            rows.iter().map(|row| mega(row.resident_bytes)).collect(),
        ),
    ];
    for (panel, (title, values)) in panels.iter().zip(lines) {
        let top = values.iter().copied().fold(0.0, f64::max) * 1.5;
        let from = rows.first().map_or(1.0, |row| row.turns as f64);
        let to = rows.last().map_or(10.0, |row| row.turns as f64);
        let mut chart = ChartBuilder::on(panel)
            .caption(title, ("sans-serif", 15))
            .margin(12)
            .x_label_area_size(36)
            .y_label_area_size(44)
            .build_cartesian_2d((from..to * 1.01).log_scale(), 0.0..top.max(1e-6))
            .map_err(|e| failed(&e))?;
        chart
            .configure_mesh()
            .x_desc("turns heard")
            .x_labels(4)
            .x_label_formatter(&|turns| short(*turns))
            .y_labels(5)
            .light_line_style(TRANSPARENT)
            .draw()
            .map_err(|e| failed(&e))?;
        let points: Vec<(f64, f64)> = rows.iter().map(|r| r.turns as f64).zip(values).collect();
        chart
            .draw_series(LineSeries::new(points.clone(), BLUE.stroke_width(2)))
            .map_err(|e| failed(&e))?;
        chart
            .draw_series(
                points
                    .into_iter()
                    .map(|at| Circle::new(at, 4, BLUE.filled())),
            )
            .map_err(|e| failed(&e))?;
    }
    root.present().map_err(|e| failed(&e))
}

fn short(turns: f64) -> String {
    if turns >= 1e6 {
        format!("{} M", turns / 1e6)
    } else {
        format!("{} k", turns / 1e3)
    }
}
