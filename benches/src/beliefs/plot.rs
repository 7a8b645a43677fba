//! Draws how the coffee's taste is judged remark by remark, and how many beliefs there are.

use super::row::CoffeeRow;
use anyhow::{Result, anyhow};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::fmt::Display;
use std::path::Path;

const SIZE: (u32, u32) = (1_100, 420);
const TASTE: &str = "coffee taste";

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Failed = DrawingAreaErrorKind<std::io::Error>;

/// Both panels in one SVG file.
pub(super) fn draw(
    coffee: &[CoffeeRow],
    curves: &[(usize, Vec<usize>)],
    path: &Path,
) -> Result<()> {
    let failed = |error: &dyn Display| anyhow!("{}: {error}", path.display());
    let root = SVGBackend::new(path, SIZE).into_drawing_area();
    root.fill(&WHITE).map_err(|e| failed(&e))?;
    let (left, right) = root.split_horizontally(550);
    taste(&left, coffee).map_err(|e| failed(&e))?;
    growth(&right, curves).map_err(|e| failed(&e))?;
    root.present().map_err(|e| failed(&e))
}

fn taste(area: &Area<'_>, coffee: &[CoffeeRow]) -> Result<(), Failed> {
    let rows: Vec<&CoffeeRow> = coffee.iter().filter(|row| row.aspect == TASTE).collect();
    let mut chart = ChartBuilder::on(area)
        .caption("taste of coffee, by remark", ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(28)
        .y_label_area_size(40)
        .build_cartesian_2d(1_usize..30, 0.0_f64..1.0)?;
    chart.configure_mesh().light_line_style(WHITE).draw()?;
    let green = RGBColor(42, 138, 74);
    for (name, colour, of) in [
        (
            "positive",
            green,
            (|row| row.settled.positive) as fn(&CoffeeRow) -> f32,
        ),
        ("negative", RED, |row| row.settled.negative),
        ("neutral", RGBColor(119, 119, 119), |row| {
            row.settled.neutral
        }),
        ("positive, recent", BLUE, |row| row.current.positive),
    ] {
        let points = rows.iter().map(|row| (row.remark, f64::from(of(row))));
        chart
            .draw_series(LineSeries::new(points, colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
    }
    chart
        .configure_series_labels()
        .background_style(WHITE)
        .border_style(BLACK)
        .position(SeriesLabelPosition::MiddleRight)
        .draw()
}

fn growth(area: &Area<'_>, curves: &[(usize, Vec<usize>)]) -> Result<(), Failed> {
    let most = curves
        .iter()
        .map(|(_, curve)| curve.len())
        .max()
        .unwrap_or(1);
    let mut chart = ChartBuilder::on(area)
        .caption(
            "beliefs held, by remark and number of things",
            ("sans-serif", 18),
        )
        .margin(12)
        .x_label_area_size(28)
        .y_label_area_size(40)
        .build_cartesian_2d(0_usize..most, 0_usize..most)?;
    chart.configure_mesh().light_line_style(WHITE).draw()?;
    let straight = (0..=most).step_by(most.max(1)).map(|at| (at, at));
    chart.draw_series(LineSeries::new(straight, BLACK.mix(0.4)))?;
    for (at, (things, curve)) in curves.iter().enumerate() {
        let colour = Palette99::pick(*things).to_rgba();
        let points = curve.iter().enumerate().map(|(n, held)| (n + 1, *held));
        let series = chart.draw_series(LineSeries::new(points, colour.stroke_width(1)))?;
        if curves[..at].iter().all(|(known, _)| known != things) {
            series
                .label(format!("{things} things"))
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
        }
    }
    chart
        .configure_series_labels()
        .background_style(WHITE)
        .border_style(BLACK)
        .position(SeriesLabelPosition::UpperLeft)
        .draw()
}
