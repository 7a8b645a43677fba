//! The table of budgets, as Markdown.

use super::row::Row;
use std::fmt::Write;

type Measure = (&'static str, fn(&Row) -> Option<String>);

const MEASURES: [Measure; 11] = [
    ("units", |row| Some(row.units.to_string())),
    ("text held, most", |row| {
        Some(row.text_tokens_max.to_string())
    }),
    ("question ms p50 / p95, scan", |row| {
        Some(pair(row.recall_us_p50, row.recall_us_p95))
    }),
    ("by index", |row| {
        Some(pair(row.index_recall_us_p50?, row.index_recall_us_p95?))
    }),
    ("index built s", |row| {
        Some(format!("{:.1}", row.index_build_s?))
    }),
    ("turn ms p50 / p95", |row| {
        Some(pair(row.ingest_us_p50, row.ingest_us_p95))
    }),
    ("turn ms mean", |row| Some(ms(row.ingest_us_mean))),
    ("copy ms p50 / p95", |row| {
        Some(pair(row.clone_us_p50, row.clone_us_p95))
    }),
    ("image ms", |row| Some(ms(row.image_us))),
    ("image MB", |row| Some(mb(row.image_bytes as f64))),
    ("resident MB", |row| {
        Some(mb(
            row.resident_bytes.saturating_sub(row.resident_before_bytes) as f64,
        ))
    }),
];

/// One line per budget.
pub(super) fn markdown(rows: &[Row]) -> String {
    let mut out = String::from("| budget | heard |");
    for (head, _) in MEASURES {
        let _ = write!(out, " {head} |");
    }
    out.push_str("\n|--:|--:|");
    out.push_str(&"--:|".repeat(MEASURES.len()));
    out.push('\n');
    for row in rows {
        let _ = write!(out, "| {} | {} |", row.budget_tokens, row.heard_tokens);
        for (_, value) in MEASURES {
            let value = match &row.failed {
                Some(_) => None,
                None => value(row),
            };
            let _ = write!(out, " {} |", value.as_deref().unwrap_or("–"));
        }
        out.push('\n');
    }
    for row in rows {
        if let Some(why) = &row.failed {
            let _ = write!(out, "\n{} tokens: {why}\n", row.budget_tokens);
        }
    }
    out
}

fn pair(p50_us: f64, p95_us: f64) -> String {
    format!("{} / {}", ms(p50_us), ms(p95_us))
}

fn ms(us: f64) -> String {
    match us / 1_000.0 {
        ms if ms >= 100.0 => format!("{ms:.0}"),
        ms if ms >= 10.0 => format!("{ms:.1}"),
        ms => format!("{ms:.2}"),
    }
}

fn mb(bytes: f64) -> String {
    format!("{:.1}", bytes / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_has_a_line_and_its_reason() {
        let whole = Row {
            budget_tokens: 8_192,
            recall_us_p50: 1_234.0,
            recall_us_p95: 150_000.0,
            resident_before_bytes: 1_000_000,
            resident_bytes: 3_500_000,
            ..Row::default()
        };
        let failed = Row {
            budget_tokens: 16_384,
            failed: Some("took more than 1 s".to_owned()),
            ..Row::default()
        };
        let text = markdown(&[whole, failed]);
        assert!(text.contains("| 1.23 / 150 | – |"), "{text}");
        assert!(text.contains("| 2.5 |"), "{text}");
        assert!(
            text.contains("\n16384 tokens: took more than 1 s\n"),
            "{text}"
        );
    }
}
