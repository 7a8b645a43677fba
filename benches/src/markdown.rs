//! Tables as Markdown.

/// A table: the first column stands left, the others are numbers.
pub(crate) fn table<H: AsRef<str>>(heads: &[H], rows: &[Vec<String>]) -> String {
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells = cells.map(|cell| format!(" {} |", cell.replace('|', "\\|")));
        format!("|{}\n", cells.collect::<String>())
    };
    let mut out = line(&mut heads.iter().map(AsRef::as_ref));
    let numbers = heads.len().saturating_sub(1);
    out.push_str(&format!("|---|{}\n", "--:|".repeat(numbers)));
    for row in rows {
        out.push_str(&line(&mut row.iter().map(String::as_str)));
    }
    out
}

/// The head of a column, and its cell for a row.
pub(crate) type Column<'a, R> = (&'a str, fn(&R) -> String);

/// A table of these columns.
pub(crate) fn table_of<'a, R: 'a>(
    rows: impl IntoIterator<Item = &'a R>,
    columns: &[Column<'_, R>],
) -> String {
    let heads: Vec<&str> = columns.iter().map(|(head, _)| *head).collect();
    let cells = |row| columns.iter().map(|(_, cell)| cell(row)).collect();
    table(&heads, &rows.into_iter().map(cells).collect::<Vec<_>>())
}

/// A whole number; a dash for none.
pub(crate) fn count(value: Option<usize>) -> String {
    value.map_or("–".to_owned(), |value| value.to_string())
}

/// A number with so many decimals; a dash for none.
pub(crate) fn number(value: impl Into<Option<f64>>, decimals: usize) -> String {
    let value = value.into();
    value.map_or("–".to_owned(), |value| format!("{value:.decimals$}"))
}

/// Milliseconds of microseconds, with three figures.
pub(crate) fn ms(us: f64) -> String {
    match us / 1_000.0 {
        ms if ms >= 100.0 => format!("{ms:.0}"),
        ms if ms >= 10.0 => format!("{ms:.1}"),
        ms => format!("{ms:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_line_for_each_row() {
        let rows = [vec!["a|b".to_owned(), number(None::<f64>, 1), ms(1_234.0)]];
        let text = table(&["name", "x", "ms"], &rows);
        let expected = "| name | x | ms |\n|---|--:|--:|\n| a\\|b | – | 1.23 |\n";
        assert_eq!(text, expected);
        assert_eq!([15_000.0, 150_000.0].map(ms), ["15.0", "150"]);
        assert_eq!(number(0.25, 3), "0.250");
    }
}
