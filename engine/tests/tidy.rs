//! House rules that a compiler does not check: shape of files and functions, headers, and which
//! part of the code may know which.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::{Path, PathBuf};

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 60;
const LINE_CHARS_MAX: usize = 100;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// Every Rust file of the five members.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = ["engine", "asr", "models", "fixtures", "benches"]
        .map(|m| workspace().join(m))
        .to_vec();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // What cargo-fuzz builds lies inside its own workspace.
                if path.file_name().is_none_or(|name| name != "target") {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    assert!(found.len() > 40, "only {} source files found", found.len());
    found
}

fn report(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn files_are_short_lines_fit_and_headers_are_there() {
    let mut complaints = Vec::new();
    for (path, text) in sources() {
        let name = path.display();
        let lines = text.lines().count();
        if lines > FILE_LINES_MAX {
            complaints.push(format!("{name}: {lines} lines; split it by subject"));
        }
        if !text.starts_with("//!") {
            complaints.push(format!("{name}: no header that says what it is"));
        }
        for (at, line) in text.lines().enumerate() {
            if line.chars().count() > LINE_CHARS_MAX {
                complaints.push(format!("{name}:{}: longer than {LINE_CHARS_MAX}", at + 1));
            }
        }
    }
    report(&complaints);
}

#[test]
fn functions_are_short() {
    let mut complaints = Vec::new();
    for (path, text) in sources() {
        let lines: Vec<&str> = text.lines().collect();
        for (start, line) in lines.iter().enumerate() {
            let indent = line.len() - line.trim_start().len();
            let words: Vec<&str> = line.split_whitespace().take(5).collect();
            let is_function = words.contains(&"fn") && !line.trim_start().starts_with("//");
            if !is_function || line.trim_end().ends_with(';') {
                continue;
            }
            let close = format!("{}}}", " ".repeat(indent));
            let end = lines[start..].iter().position(|l| *l == close);
            let length = end.map_or(1, |end| end + 1);
            if length > FUNCTION_LINES_MAX {
                complaints.push(format!("{}:{}: {length} lines", path.display(), start + 1));
            }
        }
    }
    report(&complaints);
}

#[test]
fn nothing_unfinished_is_left() {
    let marks = ["todo", "unimplemented", "dbg"].map(|word| format!("{word}!("));
    let mut complaints = Vec::new();
    for (path, text) in sources() {
        for mark in marks.iter().chain([&format!("#[{}]", "ignore")]) {
            if text.contains(mark.as_str()) {
                complaints.push(format!("{}: {mark}", path.display()));
            }
        }
    }
    report(&complaints);
}

/// What each part must not know. An arrow never runs upward (see ARCHITECTURE.md).
const FORBIDDEN: &[(&str, &[&str])] = &[
    ("asr/src", &["weir_models", "weir_engine"]),
    ("models/src", &["weir_asr", "weir_engine"]),
    (
        "engine/src/memory",
        &[
            "std::thread",
            "std::fs",
            "Instant",
            "SystemTime",
            "crate::recall",
        ],
    ),
    (
        "engine/src/session",
        &[
            "std::thread",
            "std::fs",
            "Instant",
            "SystemTime",
            "weir_asr",
        ],
    ),
    (
        "engine/src/sense",
        &["std::thread", "std::fs", "Instant", "SystemTime"],
    ),
    (
        "engine/src/distil",
        &[
            "std::thread",
            "std::fs",
            "Instant",
            "SystemTime",
            "weir_asr",
        ],
    ),
    (
        "engine/src/recall",
        &[
            "std::thread",
            "std::fs",
            "Instant",
            "SystemTime",
            "weir_asr",
        ],
    ),
    (
        "engine/src/answer",
        &[
            "std::thread",
            "std::fs",
            "Instant",
            "SystemTime",
            "weir_asr",
        ],
    ),
    (
        "engine/src/text",
        &["crate::memory", "crate::session", "std::fs"],
    ),
    (
        "engine/src/store",
        &["std::thread::spawn", "crate::pipeline", "crate::cli"],
    ),
    ("engine/src/pipeline", &["crate::cli"]),
];

#[test]
fn no_arrow_runs_upward() {
    let mut complaints = Vec::new();
    let root = workspace();
    for (path, text) in sources() {
        let inside = path
            .strip_prefix(&root)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        for (part, words) in FORBIDDEN
            .iter()
            .filter(|(part, _)| inside.starts_with(part))
        {
            let code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                for word in words.iter().filter(|word| line.contains(**word)) {
                    complaints.push(format!("{inside}: {part} must not know {word}"));
                }
            }
        }
    }
    report(&complaints);
}
