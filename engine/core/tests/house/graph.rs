//! Checks dependencies: no cycles between files, no import from a higher layer, and no forbidden
//! names.

use crate::modules::Modules;
use std::path::Path;

const CORE: &str = "engine/core/src/lib.rs";
const ENGINE: &str = "engine/runtime/src/lib.rs";

const ASR: &str = "asr/src/lib.rs";
const LOADING: &str = "engine/loading/src/lib.rs";

/// Root files of the crates.
const ROOTS: [&str; 8] = [
    CORE, ENGINE, ASR, LOADING, "engine/app/src/main.rs", "models/src/lib.rs",
    "fixtures/src/lib.rs", "benches/src/lib.rs",
];

/// The modules of a crate in layers, lowest first: each may import from those before it.
/// ARCHITECTURE.md describes them.
const FLOORS: [(&str, &[&str]); 4] = [
    (
        CORE,
        &[
            "limits", "stream", "vectors", "text", "config", "retention", "character", "talk",
            "transcript", "circuit_breaker", "distil", "sense", "beliefs", "profile", "sources",
            "memory", "session", "answer", "recall", "ask", "conversation", "driver", "lib",
        ],
    ),
    (
        ENGINE,
        &[
            "private", "streamfile", "sourcefile", "results", "index", "store", "pipeline",
            "control", "embed", "chat", "lib",
        ],
    ),
    (
        LOADING,
        &[
            "selection", "note", "pool", "shared", "built_in", "error", "loader", "endpoint",
            "encoder", "voices", "speech", "thinking", "lib",
        ],
    ),
    (
        ASR,
        &[
            "span", "source", "setting", "words", "speakers", "voice", "tone", "pcm", "front_end",
            "segmenter", "sentences", "window", "guards", "transcribe", "listener", "guarded",
            "agreement", "preview", "recogniser", "decode", "mic", "whisper", "lib",
        ],
    ),
];

/// Names that a part of a crate must not use: the memory reads no clock and touches no file, and
/// only the pipeline starts threads.
const ABSENT: [(&str, &str, &[&str]); 2] = [
    (
        CORE,
        "",
        &[
            "std::env", "std::fs", "std::net", "std::process", "std::thread", "std::time::Instant",
            "std::time::SystemTime", "Instant", "SystemTime",
        ],
    ),
    (ENGINE, "store", &["std::thread::spawn", "thread::spawn"]),
];

fn read(root: &str) -> Modules {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Modules::read(&workspace.join(root))
}

fn report(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn no_files_import_from_each_other() {
    let mut complaints = Vec::new();
    for root in ROOTS {
        let modules = read(root);
        assert!(!modules.arrows.is_empty(), "{root}: nothing was read");
        for circle in modules.circles() {
            complaints.push(format!("{root}: a circle"));
            complaints.extend(modules.within(&circle));
        }
    }
    report(&complaints);
}

#[test]
fn no_arrow_runs_up_the_floors() {
    let mut complaints = Vec::new();
    for (root, floors) in FLOORS {
        let modules = read(root);
        let floor = |file: usize| {
            let name = modules.floor(file);
            let place = floors.iter().position(|floor| *floor == name);
            place.unwrap_or_else(|| panic!("{root}: `{name}` stands on no floor"))
        };
        for (from, tos) in &modules.arrows {
            for to in tos.iter().filter(|to| floor(**to) > floor(*from)) {
                let [from, to] = [*from, *to].map(|at| modules.files[at].display());
                complaints.push(format!("{root}: {from} must not know {to}"));
            }
        }
    }
    report(&complaints);
}

#[test]
fn the_world_outside_is_named_only_where_it_may_be() {
    let mut complaints = Vec::new();
    for (root, part, absent) in ABSENT {
        let modules = read(root);
        let of_part = |file: usize| part.is_empty() || modules.floor(file) == part;
        for (file, paths) in modules.paths.iter().filter(|(file, _)| of_part(**file)) {
            let named = |path: &&String| {
                let below = |it: &str| path.strip_prefix(it).is_some_and(|l| l.starts_with("::"));
                absent.iter().any(|it| path.as_str() == *it || below(it))
            };
            for path in paths.iter().filter(named) {
                complaints.push(format!(
                    "{root}: {} names {path}",
                    modules.files[*file].display()
                ));
            }
        }
    }
    report(&complaints);
}

/// `build.rs` hashes the sources that make the rules of a journal. It may leave out only modules
/// that the session cannot import.
#[test]
fn the_version_of_the_rules_covers_everything_up_to_the_session() {
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    let text = std::fs::read_to_string(build).unwrap();
    let list = text.split("const ABOVE_SESSION").nth(1).unwrap();
    let list = list.split(';').nth(1).unwrap();
    let left_out: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    assert!(!left_out.is_empty(), "the list was not read: {list}");
    let (_, floors) = FLOORS[0];
    let session = floors.iter().position(|floor| *floor == "session").unwrap();
    for name in left_out {
        let name = name.trim_end_matches(".rs");
        assert!(floors[session + 1..].contains(&name), "{name}");
    }
}
