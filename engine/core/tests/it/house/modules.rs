//! The modules of a crate and the imports between its files, read from its source.
//!
//! An arrow runs from a file to the file that defines what it names in a `use` or a path, through
//! re-exports. Re-exports themselves are not arrows: a `mod.rs` may re-export what its children
//! define. Tests are skipped, and so are methods, whose receiver a path does not name.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use syn::visit::Visit;
use syn::{Item, UseTree, Visibility};

/// The meaning of a name.
#[derive(Clone)]
enum Name {
    /// An item defined here.
    Item,
    /// A path imported under this name.
    Import(Vec<String>),
}

struct Module {
    /// The file that defines its items.
    file: usize,
    parent: Option<usize>,
    names: BTreeMap<String, Name>,
    /// By name; a function may have the same name.
    children: BTreeMap<String, usize>,
    globs: Vec<Vec<String>>,
    items: Vec<Item>,
}

/// The files of a crate with the arrows between them.
pub(crate) struct Modules {
    /// Relative to the crate's `src`.
    pub(crate) files: Vec<PathBuf>,
    /// From a file to those it imports from.
    pub(crate) arrows: BTreeMap<usize, BTreeSet<usize>>,
    /// The paths named in each file, as written.
    pub(crate) paths: BTreeMap<usize, BTreeSet<String>>,
    modules: Vec<Module>,
    src: PathBuf,
}

impl Modules {
    /// Reads a crate by its root file.
    pub(crate) fn read(root: &Path) -> Self {
        let src = root.parent().expect("a folder").to_owned();
        let mut read = Self {
            files: Vec::new(),
            arrows: BTreeMap::new(),
            paths: BTreeMap::new(),
            modules: Vec::new(),
            src: src.clone(),
        };
        read.read_file(root, &src, None);
        for module in 0..read.modules.len() {
            let mut paths = Paths::default();
            for item in &read.modules[module].items {
                paths.visit_item(item);
            }
            let file = read.modules[module].file;
            for path in paths.found {
                let to = read.resolved(module, &path, 0);
                let named = read.paths.entry(file).or_default();
                named.insert(path.join("::"));
                if let Some(to) = to.filter(|to| *to != file) {
                    read.arrows.entry(file).or_default().insert(to);
                }
            }
        }
        read
    }

    /// The layer of a file: its first folder or its name below `src`.
    pub(crate) fn floor(&self, file: usize) -> String {
        let first = self.files[file].iter().next().expect("a name");
        let first = first.to_string_lossy();
        first.trim_end_matches(".rs").to_owned()
    }

    fn read_file(&mut self, file: &Path, folder: &Path, parent: Option<usize>) -> usize {
        let text = fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let inside = file.strip_prefix(&self.src).expect("below src");
        self.files.push(inside.to_owned());
        self.read_items(parsed.items, self.files.len() - 1, folder, parent)
    }

    fn read_items(
        &mut self,
        items: Vec<Item>,
        file: usize,
        folder: &Path,
        parent: Option<usize>,
    ) -> usize {
        let at = self.modules.len();
        self.modules.push(Module {
            file,
            parent,
            names: BTreeMap::new(),
            children: BTreeMap::new(),
            globs: Vec::new(),
            items: Vec::new(),
        });
        for item in items {
            if is_test(&item) {
                continue;
            }
            match item {
                Item::Mod(inner) => {
                    let name = inner.ident.to_string();
                    let child = match inner.content {
                        Some((_, items)) => self.read_items(items, file, folder, Some(at)),
                        None => {
                            let flat = folder.join(format!("{name}.rs"));
                            let below = folder.join(&name);
                            let path = match flat.exists() {
                                true => flat,
                                false => below.join("mod.rs"),
                            };
                            self.read_file(&path, &below, Some(at))
                        }
                    };
                    self.modules[at].children.insert(name, child);
                }
                Item::Use(import) => {
                    let shown = !matches!(import.vis, Visibility::Inherited);
                    self.import(at, &import.tree, &mut Vec::new());
                    if !shown {
                        self.modules[at].items.push(Item::Use(import));
                    }
                }
                item => {
                    if let Some(name) = name_of(&item) {
                        self.modules[at].names.insert(name, Name::Item);
                    }
                    self.modules[at].items.push(item);
                }
            }
        }
        at
    }

    fn import(&mut self, at: usize, tree: &UseTree, before: &mut Vec<String>) {
        for path in flat(tree, before) {
            let (path, name) = path;
            match name {
                Some(name) => {
                    let names = &mut self.modules[at].names;
                    names.entry(name).or_insert(Name::Import(path));
                }
                None => self.modules[at].globs.push(path),
            }
        }
    }

    /// The file that defines what a path names, if it is in this crate.
    fn resolved(&self, from: usize, path: &[String], depth: usize) -> Option<usize> {
        const DEPTH_MAX: usize = 32;
        if depth > DEPTH_MAX {
            return None;
        }
        let (first, mut rest) = path.split_first()?;
        let mut module = match first.as_str() {
            "crate" => 0,
            "self" => from,
            "super" => self.modules[from].parent?,
            name => return self.named(from, name, rest, depth),
        };
        while rest.first().is_some_and(|it| it == "super") {
            module = self.modules[module].parent?;
            rest = &rest[1..];
        }
        match rest.split_first() {
            // a module alone is not an arrow: a longer path shows what it is needed for
            None => None,
            Some((name, rest)) => self.named(module, name, rest, depth),
        }
    }

    /// The meaning of a name in a module, followed by the rest of its path.
    fn named(&self, module: usize, name: &str, rest: &[String], depth: usize) -> Option<usize> {
        if let (Some(child), Some((name, rest))) =
            (self.modules[module].children.get(name), rest.split_first())
        {
            return self.named(*child, name, rest, depth + 1);
        }
        match self.modules[module].names.get(name) {
            Some(Name::Item) => Some(self.modules[module].file),
            Some(Name::Import(path)) if path.len() == 1 && path[0] == name => None,
            Some(Name::Import(path)) => {
                let whole: Vec<String> = path.iter().chain(rest).cloned().collect();
                self.resolved(module, &whole, depth + 1)
            }
            None => self.modules[module].globs.iter().find_map(|glob| {
                let whole = glob.iter().cloned().chain([name.to_owned()]);
                let whole: Vec<String> = whole.chain(rest.iter().cloned()).collect();
                self.resolved(module, &whole, depth + 1)
            }),
        }
    }

    /// Files that import from each other, directly or through others: one list per cycle.
    pub(crate) fn circles(&self) -> Vec<Vec<&Path>> {
        let reach: Vec<BTreeSet<usize>> = (0..self.files.len()).map(|at| self.from(at)).collect();
        let mut seen = BTreeSet::new();
        let mut circles = Vec::new();
        for at in 0..self.files.len() {
            let circle: Vec<usize> = (0..self.files.len())
                .filter(|other| reach[at].contains(other) && reach[*other].contains(&at))
                .collect();
            if circle.len() > 1 && seen.insert(circle.clone()) {
                circles.push(circle.iter().map(|at| self.files[*at].as_path()).collect());
            }
        }
        circles
    }

    /// The arrows among these files.
    pub(crate) fn within(&self, circle: &[&Path]) -> Vec<String> {
        let mut found = Vec::new();
        for (from, tos) in &self.arrows {
            for to in tos {
                let both = [*from, *to].map(|at| self.files[at].as_path());
                if both.iter().all(|file| circle.contains(file)) {
                    let [from, to] = both.map(Path::display);
                    found.push(format!("  {from} -> {to}"));
                }
            }
        }
        found
    }

    /// All files reachable from a file.
    fn from(&self, file: usize) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open = vec![file];
        while let Some(at) = open.pop() {
            for to in self.arrows.get(&at).into_iter().flatten() {
                if reached.insert(*to) {
                    open.push(*to);
                }
            }
        }
        reached
    }
}

/// The paths of a `use`, each with its imported name; `None` for a glob.
fn flat(tree: &UseTree, before: &mut Vec<String>) -> Vec<(Vec<String>, Option<String>)> {
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            let found = flat(&path.tree, before);
            before.pop();
            found
        }
        UseTree::Name(name) if name.ident == "self" => {
            vec![(before.clone(), before.last().cloned())]
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            let path = before.iter().cloned().chain([name.clone()]).collect();
            vec![(path, Some(name))]
        }
        UseTree::Rename(rename) => {
            let path = before.iter().cloned().chain([rename.ident.to_string()]);
            vec![(path.collect(), Some(rename.rename.to_string()))]
        }
        UseTree::Glob(_) => vec![(before.clone(), None)],
        UseTree::Group(group) => {
            let each = group.items.iter();
            each.flat_map(|tree| flat(tree, before)).collect()
        }
    }
}

/// The paths named in code.
#[derive(Default)]
struct Paths {
    found: BTreeSet<Vec<String>>,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item(&mut self, item: &'ast Item) {
        if !is_test(item) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter();
        self.found
            .insert(segments.map(|it| it.ident.to_string()).collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {
        // `pub(super)` needs no module
    }

    fn visit_item_use(&mut self, import: &'ast syn::ItemUse) {
        let paths = flat(&import.tree, &mut Vec::new());
        // a glob names only a module: the paths that use it show what is needed
        let named = paths.into_iter().filter(|(_, name)| name.is_some());
        self.found.extend(named.map(|(path, _)| path));
    }
}

fn is_test(item: &Item) -> bool {
    let attributes = match item {
        Item::Const(it) => &it.attrs,
        Item::Enum(it) => &it.attrs,
        Item::Fn(it) => &it.attrs,
        Item::Impl(it) => &it.attrs,
        Item::Mod(it) => &it.attrs,
        Item::Static(it) => &it.attrs,
        Item::Struct(it) => &it.attrs,
        Item::Trait(it) => &it.attrs,
        Item::Type(it) => &it.attrs,
        Item::Use(it) => &it.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| {
        let test = |meta: &syn::MetaList| meta.tokens.to_string().contains("test");
        attribute.path().is_ident("cfg") && attribute.meta.require_list().is_ok_and(test)
    })
}

fn name_of(item: &Item) -> Option<String> {
    Some(match item {
        Item::Const(it) => it.ident.to_string(),
        Item::Enum(it) => it.ident.to_string(),
        Item::Fn(it) => it.sig.ident.to_string(),
        Item::Macro(it) => it.ident.as_ref()?.to_string(),
        Item::Static(it) => it.ident.to_string(),
        Item::Struct(it) => it.ident.to_string(),
        Item::Trait(it) => it.ident.to_string(),
        Item::Type(it) => it.ident.to_string(),
        _ => return None,
    })
}
