//! Reads the tables of trained numbers.

/// The lines of a table: a name, and numbers behind it, all separated by tabs.
///
/// # Panics
/// A line has other columns. The tables are part of the program, and every test reads them.
pub(super) fn rows<const N: usize>(
    table: &'static str,
) -> impl Iterator<Item = (&'static str, [f32; N])> {
    table.lines().map(|line| {
        let mut columns = line.split('\t');
        let name = columns.next().unwrap_or_default();
        let mut row = [0.0; N];
        for value in &mut row {
            let number = columns.next().and_then(|column| column.parse().ok());
            *value = number.expect("every line of a trained table has all its numbers");
        }
        (name, row)
    })
}
