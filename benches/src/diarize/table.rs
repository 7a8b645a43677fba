//! The scores as a Markdown table: one line per recording and collar, errors in percent of speech.

use super::row::Row;
use crate::markdown::{number, table};

pub(super) fn markdown(rows: &[Row]) -> String {
    let heads = [
        "recording", "collar s", "speech s", "DER %", "missed %", "false alarm %", "confusion %",
        "speakers", "found",
    ];
    let line = |row: &Row| {
        let percent = |share: Option<f64>| number(share.map(|it| it * 100.0), 1);
        let share = |seconds: f64| percent((row.speech_s > 0.0).then(|| seconds / row.speech_s));
        let count = |count: Option<usize>| count.map_or("–".to_owned(), |it| it.to_string());
        vec![
            row.recording.clone(),
            row.collar_s.to_string(),
            number(Some(row.speech_s), 1),
            percent(row.der),
            share(row.missed_s),
            share(row.false_alarm_s),
            share(row.confusion_s),
            count(row.speakers),
            count(row.speakers_found),
        ]
    };
    table(&heads, &rows.iter().map(line).collect::<Vec<_>>())
}
