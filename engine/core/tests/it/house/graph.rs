//! Checks dependencies: no cycles between files, no import from a higher layer, and no forbidden
//! names.

use super::modules::Modules;
use std::path::Path;

const CORE: &str = "engine/core/src/lib.rs";
const ENGINE: &str = "engine/runtime/src/lib.rs";

const ASR: &str = "asr/src/lib.rs";
const LOADING: &str = "engine/loading/src/lib.rs";
const SERVER: &str = "engine/server/src/lib.rs";

/// Root files of the crates.
const ROOTS: [&str; 10] = [
    CORE, ENGINE, ASR, LOADING, SERVER, "engine/api/src/lib.rs", "engine/app/src/main.rs",
    "models/src/lib.rs", "fixtures/src/lib.rs", "benches/src/lib.rs",
];

/// The modules of a crate in layers, lowest first: each may import from those before it.
/// ARCHITECTURE.md describes them.
const FLOORS: [(&str, &[&str]); 5] = [
    (
        CORE,
        &[
            "limits", "stream", "vectors", "mentions", "analysis", "text", "window", "config",
            "retention", "character", "talk", "transcript", "circuit_breaker", "distil", "sense",
            "beliefs", "profile", "sources", "memory", "session", "standing", "entities", "answer",
            "recall", "ask", "conversation", "driver", "lib",
        ],
    ),
    (
        ENGINE,
        &[
            "private", "time", "views", "streamfile", "sourcefile", "import", "results", "index",
            "store", "pipeline", "control", "embed", "chat", "lib",
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
        SERVER,
        &[
            "problem", "upstream", "config", "tokens", "shares", "body", "blocking", "upload",
            "sessions", "ears", "state", "guard", "measures", "page", "rest", "openai", "mcp",
            "wyoming", "http", "serve", "lib",
        ],
    ),
    (
        ASR,
        &[
            "span", "source", "setting", "words", "speakers", "voice", "tone", "pcm", "signal",
            "front_end", "segmenter", "sentences", "window", "guards", "echo", "transcribe",
            "language", "listener", "uncovered", "guarded", "agreement", "preview", "recogniser",
            "decode", "mic", "whisper", "lib",
        ],
    ),
];

/// Names that start a thread.
const THREADS: &[&str] = &[
    "std::thread::spawn", "std::thread::Builder", "thread::spawn",
];

/// Names that a part of a crate must not use: the memory reads no clock and touches no file, and
/// only the pipeline starts threads.
const ABSENT: [(&str, &str, &[&str]); 6] = [
    (
        CORE,
        "",
        &[
            "std::env", "std::fs", "std::net", "std::process", "std::thread", "std::time::Instant",
            "std::time::SystemTime", "Instant", "SystemTime", "jiff::Zoned", "Timestamp::now",
            "TimeZone::get", "TimeZone::system", "TimeZone::try_system",
        ],
    ),
    (ENGINE, "index", THREADS),
    (ENGINE, "store", THREADS),
    (ENGINE, "control", THREADS),
    (ENGINE, "embed", THREADS),
    (ENGINE, "chat", THREADS),
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

/// What files of the rules name of what `build.rs` leaves out: functions for making an input, for
/// an index that is not stored, and for what is shown. [`Session::apply`] calls none of them.
const BESIDE_THE_RULES: [(&str, &[&str]); 6] = [
    ("session/export.rs", &["session/derive.rs"]),
    ("session/naming.rs", &["text/analyse.rs"]),
    ("session/observed.rs", &["distil/observe.rs"]),
    ("sources/excerpts.rs", &["text/clauses.rs"]),
    ("sources/passage.rs", &["text/words.rs"]),
    ("sources/subtitles.rs", &["text/clauses.rs"]),
];

/// `build.rs` hashes the sources that make the rules of a journal. What it leaves out is named by
/// none of these, but for the list above.
#[test]
fn the_version_of_the_rules_covers_everything_that_they_name() {
    let build = Path::new(env!("CARGO_MANIFEST_DIR")).join("build.rs");
    let text = std::fs::read_to_string(build).unwrap();
    let list = |name: &str| -> Vec<String> {
        let list = text.split(&format!("const {name}")).nth(1).unwrap();
        let list = list.split(';').nth(1).unwrap();
        let names = list.split('"').skip(1).step_by(2);
        names.map(str::to_owned).collect()
    };
    let (left_out, reached) = (list("LEFT_OUT"), list("REACHED"));
    assert!(!left_out.is_empty() && !reached.is_empty(), "{text}");
    let within = |list: &[String], file: &Path| list.iter().any(|it| file.starts_with(it));
    let modules = read(CORE);
    let is_rule = |at: usize| {
        let file = &modules.files[at];
        !within(&left_out, file) || within(&reached, file)
    };
    let mut used = 0;
    let mut complaints = Vec::new();
    for (from, tos) in &modules.arrows {
        let file = modules.files[*from].to_string_lossy();
        // the rules that stand among what is left out are compared with nothing
        if !is_rule(*from) || file == "lib.rs" || within(&reached, &modules.files[*from]) {
            continue;
        }
        for to in tos.iter().filter(|to| !is_rule(**to)) {
            let to = modules.files[*to].to_string_lossy();
            let mut beside = BESIDE_THE_RULES.iter();
            match beside.any(|(of, may)| *of == file && may.contains(&&*to)) {
                true => used += 1,
                false => complaints.push(format!("{file} is a rule and names {to}")),
            }
        }
    }
    report(&complaints);
    let listed = BESIDE_THE_RULES.iter().map(|(_, may)| may.len());
    assert_eq!(used, listed.sum::<usize>(), "an exception is not needed");
}
