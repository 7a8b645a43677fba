//! Reads text files for a source of a session: text, Markdown, subtitles, in UTF-8.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use weir_core::limits;
use weir_core::sources::{Excerpt, SourceText, TextKind, excerpts};

/// Why a file cannot be part of a source.
#[derive(Debug, thiserror::Error)]
pub enum SourceFileError {
    /// It cannot be read.
    #[error("{}: cannot read it", file.display())]
    Io {
        /// The file.
        file: PathBuf,
        /// The cause.
        #[source]
        cause: io::Error,
    },
    /// It is no text, no file, too large, or has the name of another; the message names it.
    #[error("{0}")]
    Refused(String),
}

/// Reads the files of a source and cuts them into excerpts. Citations name a file without its
/// folder.
///
/// # Errors
/// [`SourceFileError`] of the first file that cannot be taken.
pub fn read_texts(files: &[PathBuf]) -> Result<Vec<SourceText>, SourceFileError> {
    let read = read_files(files)?;
    let parse = |(text, file): (weir_api::SourceText, &PathBuf)| {
        let excerpts = excerpts_of(file, &text.text)?;
        let file = text.file;
        Ok(SourceText { file, excerpts })
    };
    read.into_iter().zip(files).map(parse).collect()
}

/// Reads the files of a source, for the process that has the session open.
///
/// # Errors
/// As [`read_texts`], but whether a text can be a source is not checked.
pub fn read_files(files: &[PathBuf]) -> Result<Vec<weir_api::SourceText>, SourceFileError> {
    let mut texts: Vec<weir_api::SourceText> = Vec::with_capacity(files.len());
    for path in files {
        let name = path.file_name().unwrap_or(path.as_os_str());
        let file = name.to_string_lossy().into_owned();
        let text = utf8(path, read_bytes(path)?)?;
        if texts.iter().any(|known| known.file == file) {
            return Err(SourceFileError::Refused(format!(
                "two files are called `{file}`; rename one, or make each a source of its own"
            )));
        }
        texts.push(weir_api::SourceText { file, text });
    }
    Ok(texts)
}

/// Cuts a text into excerpts as if it stood in a file of this name.
///
/// # Errors
/// [`SourceFileError::Refused`] if it has no words, or is not what the name says.
pub fn parse_text(name: &str, text: &str) -> Result<SourceText, SourceFileError> {
    let excerpts = excerpts_of(Path::new(name), text)?;
    let file = name.to_owned();
    Ok(SourceText { file, excerpts })
}

fn excerpts_of(file: &Path, text: &str) -> Result<Vec<Excerpt>, SourceFileError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    excerpts(text, kind(file))
        .map_err(|reason| SourceFileError::Refused(format!("{}: {reason}", file.display())))
}

fn read_bytes(file: &Path) -> Result<Vec<u8>, SourceFileError> {
    let failed = |cause| SourceFileError::Io {
        file: file.to_owned(),
        cause,
    };
    // a pipe or a device may have no end
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(SourceFileError::Refused(format!(
            "{}: is no file; name the text files themselves",
            file.display()
        )));
    }
    let max = limits::SOURCE_FILE_BYTES_MAX;
    let mut bytes = Vec::new();
    let opened = File::open(file).map_err(failed)?;
    opened
        .take(max + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    match bytes.len() as u64 > max {
        true => Err(SourceFileError::Refused(format!(
            "{}: has more than {max} bytes, the limit of one file; split it",
            file.display()
        ))),
        false => Ok(bytes),
    }
}

fn utf8(file: &Path, bytes: Vec<u8>) -> Result<String, SourceFileError> {
    let file = file.display();
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        return Err(SourceFileError::Refused(format!(
            "{file} is not a text file (byte {at} is zero); a source is text, Markdown or \
             subtitles in UTF-8"
        )));
    }
    String::from_utf8(bytes).map_err(|wrong| {
        let valid = &wrong.as_bytes()[..wrong.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        SourceFileError::Refused(format!(
            "{file}: line {line} is not UTF-8; save the file as UTF-8"
        ))
    })
}

fn kind(file: &Path) -> TextKind {
    let suffix = file.extension().unwrap_or_default().to_string_lossy();
    match suffix.to_lowercase().as_str() {
        "md" | "markdown" => TextKind::Markdown,
        "srt" | "vtt" => TextKind::Subtitles,
        _ => TextKind::Plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The error for a file with this content, or the number of excerpts.
    fn read(name: &str, content: &[u8]) -> Result<usize, String> {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join(name);
        std::fs::write(&file, content).expect("written");
        let folder = format!("{}/", dir.path().display());
        let read = read_texts(&[file]);
        read.map(|texts| texts[0].excerpts.len())
            .map_err(|wrong| wrong.to_string().replace(&folder, ""))
    }

    #[test]
    fn the_suffix_tells_how_a_text_is_written() {
        let text = b"# One\nfirst\n\n# Two\nsecond\n";
        assert_eq!(read("a.MD", text), Ok(2));
        assert_eq!(read("a.txt", text), Ok(1));
        assert_eq!(read("a.srt", b"00:01,000 --> 00:02,000\nhello\n"), Ok(1));
        assert_eq!(read("bom.txt", b"\xef\xbb\xbfhello"), Ok(1));
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_name() {
        for (name, content, expected) in [
            (
                "a.bin",
                &b"abc\0def"[..],
                "a.bin is not a text file (byte 3 is zero)",
            ),
            ("a.txt", b"one\ntw\xff\n", "a.txt: line 2 is not UTF-8"),
            ("a.txt", b"", "a.txt: it has no words"),
            ("a.vtt", b"hello", "a.vtt: it has no cue"),
        ] {
            let told = read(name, content).expect_err(expected);
            assert!(told.starts_with(expected), "{told}");
        }
        let dir = tempfile::tempdir().expect("a folder");
        let told = read_texts(&[dir.path().to_owned()]).expect_err("a folder");
        assert!(told.to_string().contains("is no file"), "{told}");
        let told = read_texts(&[dir.path().join("none.md")]).expect_err("absent");
        assert!(matches!(told, SourceFileError::Io { .. }));
    }

    #[test]
    fn two_files_of_one_name_are_refused() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("a.txt");
        std::fs::write(&file, "hello").expect("written");
        let told = read_texts(&[file.clone(), file]).expect_err("twice");
        assert!(told.to_string().contains("`a.txt`"), "{told}");
    }
}
