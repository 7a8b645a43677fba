//! The page: one self-contained file.

use super::escape::escape;
use super::read::Results;
use super::tally::Tally;
use super::{plot, table};
use crate::run::record::Stamp;
use std::fmt::Write;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The whole page; `data` is for the probe browser, if there is room.
pub(super) fn page(results: &Results, tallies: &[Tally], data: Option<&str>) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>Weir: what memories recall</title>\n<style>{STYLE}</style></head><body>\n\
         <h1>What memories recall</h1>\n"
    );
    measured(&mut out, results, tallies);
    section(
        &mut out,
        "Methods",
        &table::html(tallies, &table::measures(tallies)),
    );
    section(&mut out, "Fact recall by method", &plot::bars(tallies));
    for axis in &plot::AXES {
        let title = format!("Fact recall against {}", axis.name);
        section(&mut out, &title, &plot::scatter(tallies, axis));
    }
    let by_category = table::recall_in(tallies, |tally| &tally.by_category);
    section(
        &mut out,
        "Fact recall by category",
        &table::html(tallies, &by_category),
    );
    let by_corpus = table::recall_in(tallies, |tally| &tally.by_corpus);
    if by_corpus.len() > 1 {
        section(
            &mut out,
            "Fact recall by corpus",
            &table::html(tallies, &by_corpus),
        );
    }
    let by_stream = table::recall_in(tallies, |tally| &tally.by_stream);
    if by_stream.len() > 1 {
        section(
            &mut out,
            "Fact recall by stream",
            &table::html(tallies, &by_stream),
        );
    }
    failures(&mut out, results);
    match data {
        Some(data) => {
            out.push_str(
                "<h2>Probes</h2>\n<div id=\"browser\"><p>The probe browser needs JavaScript.</p>\
                 </div>\n<script type=\"application/json\" id=\"data\">",
            );
            out.push_str(data);
            let _ = write!(out, "</script>\n<script>{SCRIPT}</script>\n");
        }
        None => out.push_str("<p>The probes are left out: they would make this page too long.</p>"),
    }
    out.push_str("</body></html>\n");
    out
}

fn section(out: &mut String, title: &str, body: &str) {
    if !body.is_empty() {
        let _ = write!(out, "<h2>{}</h2>\n{body}", escape(title));
    }
}

fn measured(out: &mut String, results: &Results, tallies: &[Tally]) {
    let turns: usize = results
        .streams
        .values()
        .map(|placed| placed.stream.turns().count())
        .sum();
    let probes = tallies.iter().map(|tally| tally.probes).max().unwrap_or(0);
    let _ = writeln!(
        out,
        "<p>{} methods and budgets on {} streams of {turns} turns with {probes} questions. Means \
         are over questions. Times leave the encoder out.</p>",
        tallies.len(),
        results.streams.len()
    );
    let mut digests: Vec<&str> = results
        .stamps
        .iter()
        .map(|s| s.config_digest.as_str())
        .collect();
    digests.sort_unstable();
    digests.dedup();
    if digests.len() > 1 {
        out.push_str(
            "<p class=\"warning\">These results come of runs with different options; what differs \
             below may come of those.</p>\n",
        );
    }
    for stamp in &results.stamps {
        out.push_str("<dl>");
        for (name, value) in stamp_lines(stamp) {
            let _ = write!(out, "<dt>{name}</dt><dd>{}</dd>", escape(&value));
        }
        out.push_str("</dl>\n");
    }
}

fn stamp_lines(stamp: &Stamp) -> Vec<(&'static str, String)> {
    let commit = stamp
        .commit
        .as_deref()
        .map(|commit| format!(" at {commit}"))
        .unwrap_or_default();
    let mut lines = vec![
        ("program", format!("{}{commit}", stamp.version)),
        ("options", stamp.config_digest.clone()),
        ("encoder", stamp.encoder.clone()),
        ("writer", stamp.writer.clone()),
        ("answerer", stamp.answerer.clone()),
        ("context", format!("{} tokens", stamp.context_tokens)),
        (
            "machine",
            format!(
                "{}, {} cores, {} jobs at once, {}",
                stamp.cpu, stamp.cores, stamp.threads, stamp.device
            ),
        ),
        ("begun", stamp.started_at.clone()),
    ];
    if let Some(judge) = &stamp.judge {
        lines.insert(5, ("judge", judge.clone()));
    }
    lines
}

fn failures(out: &mut String, results: &Results) {
    let mut failed = results
        .jobs
        .iter()
        .filter(|row| row.failed.is_some())
        .peekable();
    if failed.peek().is_none() {
        return;
    }
    out.push_str("<h2>Failed</h2>\n<ul>");
    for row in failed {
        let setup = super::tally::Setup::of(&row.job).label();
        let reason = row.failed.as_deref().unwrap_or_default();
        let _ = writeln!(
            out,
            "<li><b>{}</b> on {} after {} turns and {} questions: {}</li>",
            escape(&setup),
            escape(&row.job.stream),
            row.turns,
            row.probes,
            escape(reason)
        );
    }
    out.push_str("</ul>\n");
}
