//! Finds and checks the inputs of a replay before any is processed.
//!
//! Errors that can be found beforehand are found here, so that no input stops halfway. Holds names
//! and counts, no content.

use crate::cli::failure::one_line;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use weir_asr::{AudioError, AudioSource, Recovery};
use weir_engine::pipeline::{InputKind, OpenAudio, ReplayInput, Words};
use weir_engine::streamfile::{AudioPolicy, InputDigest, is_stream_file, survey};

/// Seconds of each recording that are decoded as a check.
const TRIED_S: u64 = 60;
/// Maximum number of files from one folder and its subfolders.
const FILES_MAX: usize = 100_000;
/// Maximum depth of subfolders.
const DEPTH_MAX: usize = 32;
/// File extensions treated as audio in a folder; a file named by the user is always tried.
const AUDIO_NAMES: [&str; 20] = [
    "wav", "wave", "mp3", "mp2", "flac", "ogg", "oga", "opus", "m4a", "m4b", "aac", "mp4", "aif",
    "aiff", "aifc", "caf", "webm", "mka", "mkv", "w64",
];

/// An input that passed the checks.
#[derive(Debug, Clone)]
pub(crate) struct Surveyed {
    /// The input for the feed.
    pub(crate) input: ReplayInput,
    /// Its fingerprint, if requested.
    pub(crate) digest: Option<InputDigest>,
    /// Whether its words come from audio.
    pub(crate) speaks: bool,
    /// Whether some of that audio does not say who speaks.
    pub(crate) unlabelled: bool,
}

/// Result of checking the inputs.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    /// Accepted inputs, in order.
    pub(crate) good: Vec<Surveyed>,
    /// Why the others were refused, each with its file and advice.
    pub(crate) refused: Vec<String>,
    /// Warnings about accepted inputs.
    pub(crate) odd: Vec<String>,
}

/// How inputs are checked.
pub(crate) struct Look<'a> {
    /// Whether to use the text or the audio of stream files.
    pub(crate) words: Words,
    /// Opens audio files.
    pub(crate) open: &'a OpenAudio,
    /// Whether to compute fingerprints, which reads each file once.
    pub(crate) digests: Digests,
}

/// Whether fingerprints are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Digests {
    /// A session needs them.
    Take,
    /// Nothing needs them.
    Skip,
}

/// Checks every path given, in order; folders are walked in order of file names.
pub(crate) fn look(paths: &[PathBuf], look: &Look<'_>) -> Inputs {
    let mut inputs = Inputs::default();
    for path in paths {
        if path.is_dir() {
            let mut files = Vec::new();
            match walk(path, DEPTH_MAX, &mut files) {
                Ok(()) if files.is_empty() => inputs.refused.push(format!(
                    "{}: no audio or stream files in this folder; give a folder that has some \
                     (known: {}), or name the file",
                    path.display(),
                    AUDIO_NAMES.join(", ")
                )),
                Ok(()) => files.iter().for_each(|file| inputs.add(file, look)),
                Err(why) => inputs.refused.push(why),
            }
        } else {
            inputs.add(path, look);
        }
    }
    name_apart(&mut inputs.good);
    inputs
}

impl Inputs {
    fn add(&mut self, path: &Path, look: &Look<'_>) {
        // opening a pipe blocks until a process writes to it
        if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            self.refused.push(format!(
                "{}: a pipe or device, not a file; pipe the audio into `weir listen --stdin`",
                path.display()
            ));
            return;
        }
        let surveyed = if is_stream_file(path) {
            stream(path, look, &mut self.odd)
        } else {
            recording(path, look)
        };
        match surveyed {
            Ok(surveyed) => self.good.push(surveyed),
            Err(why) => self.refused.push(why),
        }
    }
}

/// Collects the files of a folder: its stream files if it has any, else its audio files.
fn walk(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let unreadable = |error: std::io::Error| {
        format!(
            "{}: cannot read the folder: {error}; check its permissions",
            folder.display()
        )
    };
    let mut entries = std::fs::read_dir(folder)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(unreadable)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let (mut streams, mut sounds) = (Vec::new(), Vec::new());
    for entry in entries {
        let path = entry.path();
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        // skip links to folders, which could form a loop; a link to a file counts as a file
        if entry.file_type().map_err(unreadable)?.is_dir() {
            if depth == 0 {
                return Err(format!(
                    "{}: more than {DEPTH_MAX} folders deep; name the subfolders to process",
                    folder.display()
                ));
            }
            walk(&path, depth - 1, files)?;
        } else if is_stream_file(&path) {
            streams.push(path);
        } else if named_like_audio(&path) {
            sounds.push(path);
        }
    }
    files.append(if streams.is_empty() {
        &mut sounds
    } else {
        &mut streams
    });
    if files.len() > FILES_MAX {
        return Err(format!(
            "{}: more than {FILES_MAX} files; name the subfolders to process",
            folder.display()
        ));
    }
    Ok(())
}

fn named_like_audio(path: &Path) -> bool {
    path.extension()
        .map(|extension| extension.to_string_lossy().to_lowercase())
        .is_some_and(|extension| AUDIO_NAMES.contains(&extension.as_str()))
}

fn stream(path: &Path, look: &Look<'_>, odd: &mut Vec<String>) -> Result<Surveyed, String> {
    let policy = match look.words {
        Words::Recognised => AudioPolicy::MustExist,
        Words::Written => AudioPolicy::MayBeMissing,
    };
    let survey = survey(path, policy).map_err(told)?;
    if let Some(late) = survey.first_late {
        odd.push(format!(
            "{}, line {}: start_ms {} lies before the {} ms of a line above it, and so do {} of \
             its lines in all; they are heard in the file's order, the later line as the newer \
             one; put lines in the order of start_ms",
            path.display(),
            late.line,
            late.start_ms,
            late.above_ms,
            survey.late
        ));
    }
    let speaks = survey.with_audio > 0 && look.words == Words::Recognised;
    Ok(Surveyed {
        input: ReplayInput {
            path: path.to_path_buf(),
            stream: survey.header.name,
            kind: InputKind::Stream {
                started_at_unix_ms: survey.header.started_at_unix_ms,
                zone: survey.header.zone,
                labels: survey.labels,
            },
            len_ms: Some(survey.end_ms),
            resume: None,
        },
        digest: (look.digests == Digests::Take).then_some(survey.digest),
        speaks,
        unlabelled: speaks && survey.unlabelled > 0,
    })
}

/// An error with what to do about it.
fn told(error: impl Into<anyhow::Error>) -> String {
    one_line(&error.into())
}

fn recording(path: &Path, look: &Look<'_>) -> Result<Surveyed, String> {
    let mut source = (look.open)(path).map_err(told)?;
    let len_ms = source.spec().len_ms();
    try_out(source.as_mut()).map_err(told)?;
    let named = path.file_name().map_or_else(
        || path.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    );
    let digest = match look.digests {
        Digests::Skip => None,
        Digests::Take => Some(InputDigest::of_file(path).map_err(|error| {
            format!("{}: cannot read: {error}; check the disk", path.display())
        })?),
    };
    Ok(Surveyed {
        input: ReplayInput {
            path: path.to_path_buf(),
            stream: named.clone(),
            kind: InputKind::Audio { named },
            len_ms,
            resume: None,
        },
        digest,
        speaks: true,
        unlabelled: true,
    })
}

/// Numbers streams of the same name, so that citations stay unambiguous.
fn name_apart(inputs: &mut [Surveyed]) {
    let mut known = BTreeSet::new();
    for surveyed in inputs {
        let plain = surveyed.input.stream.clone();
        let mut number = 2;
        while !known.insert(surveyed.input.stream.clone()) {
            surveyed.input.stream = format!("{plain} ({number})");
            number += 1;
        }
    }
}

/// Decodes the beginning, so that a file damaged there is refused before processing. Later damage
/// is found during processing, and ends that input there.
fn try_out(source: &mut dyn AudioSource) -> Result<(), AudioError> {
    let spec = source.spec();
    let samples = u64::from(spec.rate_hz) * u64::from(spec.channels) * TRIED_S;
    let (mut chunk, mut read) = (Vec::new(), 0);
    while read < samples {
        match source.read(&mut chunk) {
            Ok(0) => break,
            Ok(more) => read += more as u64,
            Err(error) if error.recovery() == Recovery::SkipChunk => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn nothing_opens() -> OpenAudio {
        Arc::new(|path| {
            Err(AudioError::Missing {
                path: path.to_path_buf(),
            })
        })
    }

    fn looked(paths: &[PathBuf]) -> Inputs {
        look(
            paths,
            &Look {
                words: Words::Written,
                open: &nothing_opens(),
                digests: Digests::Skip,
            },
        )
    }

    #[test]
    fn a_folder_gives_its_stream_files_in_order_and_not_their_audio() {
        let folder = tempfile::tempdir().expect("a folder");
        let header = "{\"weir_stream\": 1, \"name\": \"x\", \"started_at\": null}\n";
        for name in ["b.stream.jsonl", "a.stream.jsonl", ".hidden.stream.jsonl"] {
            std::fs::write(folder.path().join(name), header).expect("written");
        }
        std::fs::write(folder.path().join("a.wav"), "sound").expect("written");
        let inputs = looked(&[folder.path().to_path_buf()]);
        assert!(inputs.refused.is_empty(), "{:?}", inputs.refused);
        let names: Vec<_> = inputs
            .good
            .iter()
            .map(|one| one.input.path.file_name().expect("named").to_owned())
            .collect();
        assert_eq!(names, ["a.stream.jsonl", "b.stream.jsonl"]);
        assert_eq!(inputs.good[1].input.stream, "x (2)");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_are_refused_and_nobody_waits_for_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("talk.wav");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo runs").success());
        for path in [pipe, folder.path().to_path_buf()] {
            let inputs = looked(&[path]);
            assert!(inputs.good.is_empty());
            let [refused] = &inputs.refused[..] else {
                panic!("{:?}", inputs.refused);
            };
            assert!(refused.contains("talk.wav: a pipe or device"), "{refused}");
        }
    }
}
