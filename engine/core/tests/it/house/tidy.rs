//! Checks the length of files, functions and lines, and the headers of files.

use std::fs;
use std::path::{Path, PathBuf};

const FILE_LINES_MAX: usize = 500;
const FUNCTION_LINES_MAX: usize = 60;
const LINE_CHARS_MAX: usize = 100;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every Rust file of the project.
fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = ["engine", "asr", "models", "fixtures", "benches"]
        .map(|m| workspace().join(m))
        .to_vec();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                // skip build output in cargo-fuzz's workspace
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
