//! What can go wrong with weights; every message ends with what to do.

use std::path::PathBuf;

/// Why a manifest was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// Not JSON, or not of this shape.
    #[error("the manifest is not valid: {reason}")]
    Json {
        /// What the parser said, with line and column.
        reason: String,
    },
    /// Of another version.
    #[error("the manifest has version {found}, this program reads {expected}; update one of them")]
    Version {
        /// Its version.
        found: u32,
        /// The version that is read.
        expected: u32,
    },
    /// One entry makes no sense.
    #[error("manifest entry {name:?}: {reason}")]
    Model {
        /// The entry's name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Why there is no model under a name or path.
#[derive(Debug, thiserror::Error)]
pub enum LocateError {
    /// Neither a known name nor a path that exists.
    #[error(
        "{name:?} is neither a known model nor a file{}; `weir models list` shows the names",
        did_you_mean(similar)
    )]
    Unknown {
        /// What was asked for.
        name: String,
        /// Names that look like it.
        similar: Vec<String>,
    },
    /// A known model that is not on this machine.
    #[error(
        "model {name} is not on this machine (looked in {}); `weir models pull {name}` fetches \
         it{}", paths(looked_in), megabytes(*bytes)
    )]
    NotFetched {
        /// The model's name.
        name: String,
        /// The folders that were looked in.
        looked_in: Vec<PathBuf>,
        /// The size of the download; for a listed model only the hub knows it.
        bytes: Option<u64>,
    },
    /// A known model of which a file has the wrong size.
    #[error(
        "{} has {found} bytes and should have {expected}: the file of model {name} is cut short \
         or changed; `weir models pull {name}` fetches it again", file.display()
    )]
    WrongSize {
        /// The model's name.
        name: String,
        /// The file.
        file: PathBuf,
        /// Its size in bytes.
        found: u64,
        /// The size it should have.
        expected: u64,
    },
    /// A path to something that is not weights.
    #[error(
        "{} is not a model: {reason}; give a ggml file of whisper.cpp, a GGUF file, the folder of \
         another model, or a name from `weir models list`", path.display()
    )]
    NotAModel {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The file system refused.
    #[error("{} cannot be read: {source}; check its permissions", path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Why a model could not be fetched. Whatever came in stays as a `.part` file and is resumed by
/// the next pull, except after a wrong checksum.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// The model's name or place is the problem.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// Fetching is switched off.
    #[error(
        "model {name} is not on this machine and fetching is switched off; run \
         `weir models pull {name}` without --offline and WEIR_OFFLINE, or copy its files to {}",
        folder.display()
    )]
    Offline {
        /// The model's name.
        name: String,
        /// Where its files would be found.
        folder: PathBuf,
    },
    /// There is no folder to put it in.
    #[error(
        "there is no folder to keep models in: HOME and XDG_CACHE_HOME are not set; give one \
         with --models DIR or WEIR_MODELS"
    )]
    NoFolder,
    /// The bytes are not the ones that were promised.
    #[error(
        "{file} from {source_name} has the wrong checksum: expected {expected}, found {found}; \
         the download was deleted. Run the command again; if it fails again, the file was \
         changed on the way or at its source: do not use it"
    )]
    Checksum {
        /// The file, relative to the model's folder.
        file: String,
        /// Where it came from.
        source_name: String,
        /// The SHA-256 it should have.
        expected: String,
        /// The SHA-256 it has.
        found: String,
    },
    /// The other side offers a file of another size.
    #[error(
        "{file} at {source_name} has {found} bytes and should have {expected}: something else \
         answers there (a login page, a proxy, a moved file); open the address in a browser, or \
         set HF_ENDPOINT to a mirror"
    )]
    Size {
        /// The file, relative to the model's folder.
        file: String,
        /// Where it was asked for.
        source_name: String,
        /// The size that is offered, in bytes.
        found: u64,
        /// The size it should have.
        expected: u64,
    },
    /// The line breaks again and again.
    #[error(
        "the download of {file} from {source_name} broke off at {done} of {total} bytes \
         ({reason}); what came in is kept: run the command again and it goes on from there"
    )]
    CutOff {
        /// The file, relative to the model's folder.
        file: String,
        /// Where it comes from.
        source_name: String,
        /// Bytes on disk.
        done: u64,
        /// Bytes in all.
        total: u64,
        /// What the last attempt said.
        reason: String,
    },
    /// The line is open and silent.
    #[error(
        "{source_name} sends nothing more: no byte of {file} for {after_s} s, at {done} of \
         {total} bytes; what came in is kept: run the command again later and it goes on from \
         there"
    )]
    Stalled {
        /// The file, relative to the model's folder.
        file: String,
        /// Where it comes from.
        source_name: String,
        /// Seconds of silence.
        after_s: u64,
        /// Bytes on disk.
        done: u64,
        /// Bytes in all.
        total: u64,
    },
    /// The other side cannot be reached at all.
    #[error(
        "{source_name} cannot be reached ({reason}); check the network connection, or set \
         HF_ENDPOINT to a mirror, or copy the files by hand to {}", folder.display()
    )]
    Unreachable {
        /// What was to be reached.
        source_name: String,
        /// What the system said.
        reason: String,
        /// Where the files would be found.
        folder: PathBuf,
    },
    /// The file is not there (404, 410).
    #[error(
        "{file} does not exist at {source_name} (answer {status}); update weir, or check \
         HF_ENDPOINT if it is set"
    )]
    NotFound {
        /// The file, relative to the model's folder.
        file: String,
        /// Where it was asked for.
        source_name: String,
        /// The HTTP status.
        status: u16,
    },
    /// The file is there and not for everyone (401, 403).
    #[error(
        "{source_name} refuses {file} (answer {status}); set HF_TOKEN to a token that may read \
         it, or unset HF_TOKEN if it has expired"
    )]
    Refused {
        /// The file, relative to the model's folder.
        file: String,
        /// Where it was asked for.
        source_name: String,
        /// The HTTP status.
        status: u16,
    },
    /// The other side has a problem of its own.
    #[error("{source_name} answers {status} for {file}; try again later")]
    Server {
        /// The file, relative to the model's folder.
        file: String,
        /// Where it was asked for.
        source_name: String,
        /// The HTTP status.
        status: u16,
    },
    /// The answer makes no sense (a redirect in a circle, to nowhere, or out of TLS).
    #[error("{source_name} gives an answer that is not understood: {reason}; check HF_ENDPOINT")]
    Protocol {
        /// Who answered.
        source_name: String,
        /// What is wrong with the answer.
        reason: String,
    },
    /// What was given is no address of a repository.
    #[error(
        "{given:?} is no repository of the hub: {reason}; it is written owner/name, \
         owner/name@revision or owner/name:file.gguf"
    )]
    Address {
        /// What was given.
        given: String,
        /// Which part cannot be right.
        reason: String,
    },
    /// The hub knows no such repository or revision, or does not show it (401, 403, 404, 410).
    #[error(
        "there is no {source_name} at revision {revision}, or it is not public (answer \
         {status}); check how it is written, or set HF_TOKEN to a token that may read it"
    )]
    NoRepository {
        /// Where it was looked for.
        source_name: String,
        /// The branch, tag or commit.
        revision: String,
        /// The HTTP status.
        status: u16,
    },
    /// The hub does not answer when it is asked what a repository holds.
    #[error("{source_name} does not tell what it holds ({reason}); run the command again later")]
    Silent {
        /// What was asked for.
        source_name: String,
        /// What the last attempt said.
        reason: String,
    },
    /// The repository lacks a file that the model needs.
    #[error(
        "{repository} has no {pattern}, which a model of this kind needs; it has: {}; look for a \
         repository of the same model that has it",
        shortened(has)
    )]
    Lacks {
        /// `owner/name`.
        repository: String,
        /// What was looked for.
        pattern: String,
        /// The files that it has.
        has: Vec<String>,
    },
    /// The repository holds nothing that weir could load.
    #[error(
        "{repository} holds no model that weir can use, which are sentence encoders, \
         cross-encoders, T5, GLiNER, and text generators; it has: {}",
        shortened(has)
    )]
    UnknownKind {
        /// `owner/name`.
        repository: String,
        /// The files that it has.
        has: Vec<String>,
    },
    /// The repository holds a model that no loader here can use.
    #[error("{file} of {repository}: {reason}; nothing was fetched")]
    Unsupported {
        /// `owner/name`.
        repository: String,
        /// The file that tells.
        file: String,
        /// What it tells, and what to choose instead.
        reason: String,
    },
    /// The repository holds several generators.
    #[error(
        "{repository} has several .gguf files; name one, as in `weir models pull \
         {repository}:{}`; it has: {}", files.first().map_or("file.gguf", |file| file.as_str()),
        shortened(files)
    )]
    WhichFile {
        /// `owner/name`.
        repository: String,
        /// Its `.gguf` files.
        files: Vec<String>,
    },
    /// Another model has the name.
    #[error("{name} is the name of {by} here; {advice}")]
    Taken {
        /// The name on this machine.
        name: String,
        /// What has it.
        by: String,
        /// What to do.
        advice: String,
    },
    /// The model was imported, and nobody knows from where it could be fetched.
    #[error(
        "model {name} was imported and its file is missing or damaged; import it again with \
         `weir models import PATH --name {name} --replace`"
    )]
    Imported {
        /// The model's name.
        name: String,
    },
    /// The Python package could not be fetched or does not hold what it should.
    #[error("the Python package {package} could not be used: {reason}")]
    Package {
        /// The package, with its version.
        package: String,
        /// What went wrong and what to do.
        reason: String,
    },
    /// The disk is full.
    #[error(
        "the disk is full: {} needs {needed} bytes more; free some space or give another folder \
         with --models DIR, then run the command again and it goes on from there", path.display()
    )]
    DiskFull {
        /// The file being written.
        path: PathBuf,
        /// Bytes that are missing.
        needed: u64,
    },
    /// The file system refused.
    #[error("{} cannot be written: {source}; check its permissions", path.display())]
    Write {
        /// The path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Every source failed.
    #[error(
        "model {name} could not be fetched from any of its sources: {}",
        join(attempts)
    )]
    AllSources {
        /// The model's name.
        name: String,
        /// What each source said, in order.
        attempts: Vec<PullError>,
    },
}

fn did_you_mean(similar: &[String]) -> String {
    if similar.is_empty() {
        return String::new();
    }
    format!(" (did you mean {}?)", similar.join(", "))
}

fn paths(paths: &[PathBuf]) -> String {
    if paths.is_empty() {
        return "no folder: HOME is not set".to_owned();
    }
    paths
        .iter()
        .map(|path| path.display().to_string())
        .collect::<Vec<_>>()
        .join(", ")
}

/// Names of files, so many that a person still reads them.
fn shortened(names: &[String]) -> String {
    const SHOWN_MAX: usize = 20;
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let shown = names[..names.len().min(SHOWN_MAX)].join(", ");
    match names.len().saturating_sub(SHOWN_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn megabytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(String::new, |bytes| {
        format!(" ({} MB)", bytes.div_ceil(1_000_000))
    })
}

fn join(errors: &[PullError]) -> String {
    let numbered = errors
        .iter()
        .enumerate()
        .map(|(at, error)| format!("({}) {error}", at + 1));
    numbered.collect::<Vec<_>>().join("; ")
}
