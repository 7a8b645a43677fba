//! The scores as a Markdown table: one line per recording and collar, errors in percent of speech.

use super::row::Row;
use std::fmt::Write;

pub(super) fn markdown(rows: &[Row]) -> String {
    let mut out = String::from(
        "| recording | collar s | speech s | DER % | missed % | false alarm % | confusion % \
         | speakers | found |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    for row in rows {
        let share = |seconds: f64| percent((row.speech_s > 0.0).then(|| seconds / row.speech_s));
        let count = |count: Option<usize>| count.map_or("–".to_owned(), |it| it.to_string());
        let _ = writeln!(
            out,
            "| {} | {} | {:.1} | {} | {} | {} | {} | {} | {} |",
            row.recording.replace('|', "\\|"),
            row.collar_s,
            row.speech_s,
            percent(row.der),
            share(row.missed_s),
            share(row.false_alarm_s),
            share(row.confusion_s),
            count(row.speakers),
            count(row.speakers_found),
        );
    }
    out
}

fn percent(share: Option<f64>) -> String {
    share.map_or("–".to_owned(), |it| format!("{:.1}", it * 100.0))
}
