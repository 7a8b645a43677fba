//! Errors about weights; every message ends with advice.

use std::path::PathBuf;

/// Why a manifest is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    /// Not JSON, or not of the expected shape.
    #[error("the manifest is not valid: {reason}")]
    Json {
        /// The parser's error, with line and column.
        reason: String,
    },
    /// The version is not supported.
    #[error("the manifest has version {found}, this program reads {expected}; update one of them")]
    Version {
        /// Its version.
        found: u32,
        /// The supported version.
        expected: u32,
    },
    /// An entry is invalid.
    #[error("manifest entry {name:?}: {reason}")]
    Model {
        /// The entry's name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Why a name or path gives no model.
#[derive(Debug, thiserror::Error)]
pub enum LocateError {
    /// Neither a known name nor an existing path.
    #[error(
        "{name:?} is neither a known model nor a file{}; `weir models list` shows the names",
        did_you_mean(similar)
    )]
    Unknown {
        /// The given name.
        name: String,
        /// Similar names.
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
        /// The folders that were searched.
        looked_in: Vec<PathBuf>,
        /// The size of the download; for a listed model only the hub knows it.
        bytes: Option<u64>,
    },
    /// A file of a known model has the wrong size.
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
        /// The expected size.
        expected: u64,
    },
    /// The path does not lead to weights.
    #[error(
        "{} is not a model: {reason}; give a ggml file of whisper.cpp, a GGUF file, the folder of \
         another model, or a name from `weir models list`", path.display()
    )]
    NotAModel {
        /// The path.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The file system returned an error.
    #[error("{} cannot be read: {source}; check its permissions", path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
}

/// Why a model could not be fetched. Downloaded data stays as a `.part` file and the next pull
/// resumes it, except after a wrong checksum.
#[derive(Debug, thiserror::Error)]
pub enum PullError {
    /// The problem is the model's name or folder.
    #[error(transparent)]
    Locate(#[from] LocateError),
    /// Downloads are turned off.
    #[error(
        "model {name} is not on this machine and fetching is switched off; run \
         `weir models pull {name}` without --offline and WEIR_OFFLINE, or copy its files to {}",
        folder.display()
    )]
    Offline {
        /// The model's name.
        name: String,
        /// The source of its files.
        folder: PathBuf,
    },
    /// There is no folder for models.
    #[error(
        "there is no folder to keep models in: HOME and XDG_CACHE_HOME are not set; give one \
         with --models DIR or WEIR_MODELS"
    )]
    NoFolder,
    /// The checksum is wrong.
    #[error(
        "{file} from {source_name} has the wrong checksum: expected {expected}, found {found}; \
         the download was deleted. Run the command again; if it fails again, the file was \
         changed on the way or at its source: do not use it"
    )]
    Checksum {
        /// The file, relative to the model's folder.
        file: String,
        /// Its source.
        source_name: String,
        /// The expected SHA-256.
        expected: String,
        /// The actual SHA-256.
        found: String,
    },
    /// The source offers a file of another size.
    #[error(
        "{file} at {source_name} has {found} bytes and should have {expected}: something else \
         answers there (a login page, a proxy, a moved file); open the address in a browser, or \
         set HF_ENDPOINT to a mirror"
    )]
    Size {
        /// The file, relative to the model's folder.
        file: String,
        /// Its source.
        source_name: String,
        /// The offered size in bytes.
        found: u64,
        /// The expected size.
        expected: u64,
    },
    /// The connection broke repeatedly.
    #[error(
        "the download of {file} from {source_name} broke off at {done} of {total} bytes \
         ({reason}); what came in is kept: run the command again and it goes on from there"
    )]
    CutOff {
        /// The file, relative to the model's folder.
        file: String,
        /// Its source.
        source_name: String,
        /// Bytes on disk.
        done: u64,
        /// Bytes in all.
        total: u64,
        /// The error of the last attempt.
        reason: String,
    },
    /// The connection is open but no data arrives.
    #[error(
        "{source_name} sends nothing more: no byte of {file} for {after_s} s, at {done} of \
         {total} bytes; what came in is kept: run the command again later and it goes on from \
         there"
    )]
    Stalled {
        /// The file, relative to the model's folder.
        file: String,
        /// Its source.
        source_name: String,
        /// Seconds without data.
        after_s: u64,
        /// Bytes on disk.
        done: u64,
        /// Bytes in all.
        total: u64,
    },
    /// The source is unreachable.
    #[error(
        "{source_name} cannot be reached ({reason}); check the network connection, or set \
         HF_ENDPOINT to a mirror, or copy the files by hand to {}", folder.display()
    )]
    Unreachable {
        /// The source.
        source_name: String,
        /// The system's error.
        reason: String,
        /// The URL of the files.
        folder: PathBuf,
    },
    /// The file does not exist (404, 410).
    #[error(
        "{file} does not exist at {source_name} (status {status}); update weir, or check \
         HF_ENDPOINT if it is set"
    )]
    NotFound {
        /// The file, relative to the model's folder.
        file: String,
        /// Its source.
        source_name: String,
        /// The HTTP status.
        status: u16,
    },
    /// The file exists but access is denied (401, 403).
    #[error(
        "{source_name} refuses {file} (status {status}); set HF_TOKEN to a token that may read \
         it, or unset HF_TOKEN if it has expired"
    )]
    Refused {
        /// The file, relative to the model's folder.
        file: String,
        /// Its source.
        source_name: String,
        /// The HTTP status.
        status: u16,
    },
    /// The source reports a server error.
    #[error("{source_name} answers {status} for {file}; try again later")]
    Server {
        /// The file, relative to the model's folder.
        file: String,
        /// Its source.
        source_name: String,
        /// The HTTP status.
        status: u16,
    },
    /// The response is invalid (a redirect loop, a redirect without target, or out of TLS).
    #[error("{source_name} sent an invalid response: {reason}; check HF_ENDPOINT")]
    Protocol {
        /// The source.
        source_name: String,
        /// The problem with the response.
        reason: String,
    },
    /// The given text is not the address of a repository.
    #[error(
        "{given:?} is not a repository of the hub: {reason}; it is written owner/name, \
         owner/name@revision or owner/name:file.gguf"
    )]
    Address {
        /// The given text.
        given: String,
        /// The invalid part.
        reason: String,
    },
    /// The hub has no such repository or revision, or denies access (401, 403, 404, 410).
    #[error(
        "there is no {source_name} at revision {revision}, or it is not public (answer \
         {status}); check how it is written, or set HF_TOKEN to a token that may read it"
    )]
    NoRepository {
        /// The requested repository.
        source_name: String,
        /// The branch, tag or commit.
        revision: String,
        /// The HTTP status.
        status: u16,
    },
    /// The hub does not list the files of a repository.
    #[error("{source_name} does not list its files ({reason}); run the command again later")]
    Silent {
        /// The repository.
        source_name: String,
        /// The error of the last attempt.
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
        /// The missing file or pattern.
        pattern: String,
        /// Its files.
        has: Vec<String>,
    },
    /// The repository has no model that weir can load.
    #[error(
        "{repository} holds no model that weir can use, which are sentence encoders, \
         cross-encoders, T5, GLiNER, and text generators; it has: {}",
        shortened(has)
    )]
    UnknownKind {
        /// `owner/name`.
        repository: String,
        /// Its files.
        has: Vec<String>,
    },
    /// No loader supports the repository's model.
    #[error("{file} of {repository}: {reason}; nothing was fetched")]
    Unsupported {
        /// `owner/name`.
        repository: String,
        /// The file with the unsupported value.
        file: String,
        /// The value, and what to choose instead.
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
        /// The model or folder with this name.
        by: String,
        /// Advice.
        advice: String,
    },
    /// The model was imported, so its source is unknown.
    #[error(
        "model {name} was imported and its file is missing or damaged; import it again with \
         `weir models import PATH --name {name} --replace`"
    )]
    Imported {
        /// The model's name.
        name: String,
    },
    /// The Python package could not be fetched or lacks the expected files.
    #[error("the Python package {package} could not be used: {reason}")]
    Package {
        /// The package, with its version.
        package: String,
        /// The problem, and advice.
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
    /// The file system returned an error.
    #[error("{} cannot be written: {source}; check its permissions", path.display())]
    Write {
        /// The path.
        path: PathBuf,
        /// The system's error.
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
        /// The error of each source, in order.
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

/// A readable list of file names, shortened if long.
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
