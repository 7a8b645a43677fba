//! Parses server-sent events from bytes in chunks of any size (WHATWG HTML, section 9.2).

use super::EndpointError;

/// Bytes of one line.
pub(super) const LINE_BYTES_MAX: usize = 1 << 20;

/// A line with content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// `data:` and its value.
    Data(String),
    /// `error:` and its value; older llama.cpp servers report errors so.
    Error(String),
}

/// Splits bytes into lines and keeps the incomplete one.
#[derive(Debug, Default)]
pub(super) struct Lines {
    unfinished: Vec<u8>,
}

/// Why a line cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadLine {
    TooLong,
    NotUtf8,
}

impl BadLine {
    pub(super) fn error(self, url: &str) -> EndpointError {
        let url = url.to_owned();
        match self {
            Self::TooLong => EndpointError::TooLarge {
                url,
                bytes_max: LINE_BYTES_MAX,
            },
            Self::NotUtf8 => EndpointError::Malformed {
                url,
                reason: "a stream that is not UTF-8".to_owned(),
            },
        }
    }
}

impl Lines {
    /// The lines that `bytes` complete. Every server of this API puts a whole event into one line,
    /// so lines are not joined.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Vec<Result<Line, BadLine>> {
        let mut found = Vec::new();
        // a line ends with \n, \r\n or \r; the empty lines from \r\n are ignored
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            let (text, is_whole) = match piece.split_last() {
                Some((b'\n' | b'\r', text)) => (text, true),
                _ => (piece, false),
            };
            if self.unfinished.len() + text.len() > LINE_BYTES_MAX {
                self.unfinished.clear();
                found.push(Err(BadLine::TooLong));
                return found;
            }
            self.unfinished.extend_from_slice(text);
            if is_whole {
                found.extend(self.end());
            }
        }
        found
    }

    /// The line completed by the end of the stream.
    pub(super) fn end(&mut self) -> Option<Result<Line, BadLine>> {
        let bytes = std::mem::take(&mut self.unfinished);
        match std::str::from_utf8(&bytes) {
            Ok(text) => line(text.trim_start_matches('\u{feff}')).map(Ok),
            Err(_) => Some(Err(BadLine::NotUtf8)),
        }
    }
}

/// Parses a line; `None` for comments, blank lines and unused fields.
fn line(text: &str) -> Option<Line> {
    let (name, value) = text.split_once(':')?;
    let value = value.trim().to_owned();
    match name {
        "data" => Some(Line::Data(value)),
        "error" => Some(Line::Error(value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(portions: &[&[u8]]) -> Result<Vec<Line>, BadLine> {
        let mut lines = Lines::default();
        let mut seen = Vec::new();
        for portion in portions {
            seen.extend(lines.push(portion));
        }
        seen.extend(lines.end());
        seen.into_iter().collect()
    }

    fn data(text: &str) -> Line {
        Line::Data(text.to_owned())
    }

    #[test]
    fn wherever_it_is_split_the_lines_are_the_same() {
        let stream = "\u{feff}data: grüße\r\n\r\n: keep-alive\nevent: x\rdata:b c\n\nid\n\
                      error: {}\ndata: 日本"
            .as_bytes();
        let expected = vec![
            data("grüße"),
            data("b c"),
            Line::Error("{}".to_owned()),
            data("日本"),
        ];
        assert_eq!(read(&[stream]).expect("read"), expected);
        for at in 0..stream.len() {
            let (one, two) = stream.split_at(at);
            assert_eq!(read(&[one, two]).expect("read"), expected, "split at {at}");
        }
        let bytes: Vec<&[u8]> = stream.chunks(1).collect();
        assert_eq!(read(&bytes).expect("read"), expected);
    }

    #[test]
    fn endless_lines_and_other_encodings_are_refused() {
        let long = vec![b'x'; LINE_BYTES_MAX / 2 + 1];
        assert_eq!(read(&[&long, &long]), Err(BadLine::TooLong));
        assert_eq!(read(&[b"data: \xff\n"]), Err(BadLine::NotUtf8));
    }
}
