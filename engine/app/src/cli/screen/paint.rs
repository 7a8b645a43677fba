//! Lines and titles of the picture.

use super::text::{fit, width};
use super::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Writes a line into the first row of an area.
pub(super) fn put(line: &Line<'_>, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    if !area.is_empty() {
        buffer.set_line(area.x, area.y, line, area.width);
    }
}

/// Writes lines into the rows of an area, from the first.
pub(super) fn put_all(lines: &[Line<'_>], area: Rect, buffer: &mut Buffer) {
    for (place, line) in area.rows().zip(lines) {
        put(line, place, buffer);
    }
}

/// The title of a part, with a rule.
pub(super) fn heading(
    title: &str,
    note: &str,
    style: Style,
    theme: Theme,
    columns: u16,
) -> Line<'static> {
    let columns = usize::from(columns);
    let title = fit(title, columns.saturating_sub(3));
    let left = columns.saturating_sub(width(&title) + 3);
    let note = match note.is_empty() || width(note) + 2 > left {
        true => String::new(),
        false => format!("{note} "),
    };
    let rule = left.saturating_sub(width(&note));
    Line::from(vec![
        Span::styled("─ ", theme.faint()),
        Span::styled(title, style),
        Span::raw(" "),
        Span::styled(note, theme.faint()),
        Span::styled("─".repeat(rule), theme.faint()),
    ])
}
