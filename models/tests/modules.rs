//! House rule of this crate: no module imports one that imports it, at whatever distance.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// By module, as in `weights::store`: the modules it imports. The root is the empty name.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// The text of every file of `folder`, by module; tests left out.
fn modules(folder: &Path, below: &str, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let name = joined(below, &stem);
        if stem.contains("tests") {
            continue;
        }
        if path.is_dir() {
            modules(&path, &name, found);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
        let code: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect();
        let is_root = matches!(stem.as_str(), "mod" | "lib");
        let name = if is_root { below.to_owned() } else { name };
        found.insert(name, code.join("\n"));
    }
}

fn joined(above: &str, name: &str) -> String {
    match above {
        "" => name.to_owned(),
        above => format!("{above}::{name}"),
    }
}

fn above(module: &str) -> &str {
    module.rsplit_once("::").map_or("", |(above, _)| above)
}

/// The paths that follow `start` in a text, those in braces one by one.
fn paths<'a>(text: &'a str, start: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices(start) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
            continue;
        }
        let rest = &text[at + start.len()..];
        match rest.strip_prefix('{') {
            Some(group) => {
                let group = group.split(';').next().unwrap();
                found.extend(group.split([',', '{', '}']).map(str::trim));
            }
            None => found.push(rest),
        }
    }
    found
}

/// The module that a path from `base` leads into, as far as it names modules.
fn led_to(base: &str, path: &str, known: &BTreeMap<String, String>) -> Option<String> {
    let mut reached = None;
    let mut at = base.to_owned();
    for part in path.split("::") {
        let end = part.find(|c: char| !c.is_alphanumeric() && c != '_');
        at = joined(&at, &part[..end.unwrap_or(part.len())]);
        if !known.contains_key(&at) {
            break;
        }
        reached = Some(at.clone());
        if end.is_some() {
            break;
        }
    }
    reached
}

fn imports(known: &BTreeMap<String, String>) -> Imports {
    let of = |module: &String, text: &String| {
        let parent = above(module);
        let mut led: BTreeSet<String> = BTreeSet::new();
        let starts = [
            ("crate::", ""),
            ("super::super::", above(parent)),
            ("super::", parent),
        ];
        for (start, base) in starts {
            let to = paths(text, start).into_iter();
            led.extend(to.filter_map(|path| led_to(base, path, known)));
        }
        led.remove(module);
        led
    };
    let all = known.iter();
    all.map(|(module, text)| (module.clone(), of(module, text)))
        .collect()
}

/// The way from `from` back to it, if there is one.
fn circle(imports: &Imports, from: &str) -> Option<Vec<String>> {
    let mut open = vec![vec![from.to_owned()]];
    let mut seen = BTreeSet::new();
    while let Some(way) = open.pop() {
        for next in &imports[way.last()?] {
            let mut way = way.clone();
            way.push(next.clone());
            if next == from {
                return Some(way);
            }
            if seen.insert(next.clone()) {
                open.push(way);
            }
        }
    }
    None
}

#[test]
fn no_module_imports_in_a_circle() {
    let mut known = BTreeMap::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    modules(&folder, "", &mut known);
    assert!(known.len() > 100, "only {} modules found", known.len());
    let imports = imports(&known);
    assert!(imports["weights::address"].contains("weights::store"));
    let circles = known.keys().filter_map(|module| circle(&imports, module));
    let told: Vec<String> = circles.map(|way| way.join(" -> ")).collect();
    assert!(told.is_empty(), "\n{}", told.join("\n"));
}
