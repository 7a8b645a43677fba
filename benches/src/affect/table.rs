//! The results in Markdown.

use super::row::Row;
use std::fmt::Write;

const POLARITIES: [&str; 3] = ["positive", "negative", "neutral"];

/// Three tables: figures, confusions, and whether strength follows intensity.
pub(super) fn markdown(rows: &[Row]) -> String {
    let mut out = String::from(
        "| texts | method | accuracy | macro F1 | weighted F1 | microseconds a text |\n\
         |---|---|---|---|---|---|\n",
    );
    for row in rows {
        let micros = row.micros.map(|micros| format!("{micros:.1}"));
        let _ = writeln!(
            out,
            "| {} ({}) | {} | {:.3} | {:.3} | {:.3} | {} |",
            row.corpus,
            row.texts,
            row.method,
            row.accuracy,
            row.macro_f1,
            row.weighted_f1,
            micros.unwrap_or_default()
        );
    }
    out.push_str(
        "\n| texts | method | labelled | found positive | negative | neutral |\n\
         |---|---|---|---|---|---|\n",
    );
    for row in rows {
        for (label, counts) in POLARITIES.iter().zip(row.confusion.rows()) {
            let [positive, negative, neutral] = counts;
            let (corpus, method) = (row.corpus, &row.method);
            let _ = writeln!(
                out,
                "| {corpus} | {method} | {label} | {positive} | {negative} | {neutral} |"
            );
        }
    }
    out.push_str(
        "\n| weaker | stronger | texts | method | AUC of strength |\n|---|---|---|---|---|\n",
    );
    for row in rows {
        for ranking in &row.ranked {
            let [low, high] = ranking.texts;
            let (weaker, stronger, auc) = (ranking.weaker, ranking.stronger, ranking.auc);
            let method = &row.method;
            let _ = writeln!(
                out,
                "| {weaker} | {stronger} | {low}, {high} | {method} | {auc:.3} |"
            );
        }
    }
    out
}
