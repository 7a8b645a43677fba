//! Repositories of a hub: their listings and their files.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::{Act, Page};
use crate::whisper_folders::sha256;

/// A repository at one commit.
#[derive(Clone)]
pub(crate) struct Shelf {
    pub(crate) repository: String,
    /// The branch or tag of the commit.
    pub(crate) revision: String,
    pub(crate) commit: String,
    pub(crate) files: Vec<(String, Vec<u8>)>,
    /// Files of at least this size are in the large-file storage, with a SHA-256.
    pub(crate) large_from: usize,
    /// Files per page of the list.
    pub(crate) page_len: usize,
}

/// A commit hash of one repeated letter.
pub(crate) fn commit(letter: char) -> String {
    letter.to_string().repeat(40)
}

impl Shelf {
    pub(crate) fn new(repository: &str, files: &[(&str, &[u8])]) -> Self {
        let file = |(path, bytes): &(&str, &[u8])| ((*path).to_owned(), bytes.to_vec());
        Self {
            repository: repository.to_owned(),
            revision: "main".to_owned(),
            commit: commit('a'),
            files: files.iter().map(file).collect(),
            large_from: 1000,
            page_len: 1000,
        }
    }

    pub(crate) fn revision_url(&self) -> String {
        let revision = self.revision.replace('/', "%2F");
        format!("/api/models/{}/revision/{revision}", self.repository)
    }

    pub(crate) fn tree_url(&self) -> String {
        format!(
            "/api/models/{}/tree/{}?recursive=true",
            self.repository, self.commit
        )
    }

    pub(crate) fn file_url(&self, path: &str) -> String {
        let path = path.replace(' ', "%20");
        format!("/{}/resolve/{}/{path}", self.repository, self.commit)
    }

    /// The git hash of a file's content; here any value that depends on it.
    fn oid(bytes: &[u8]) -> String {
        sha256(bytes)[..40].to_owned()
    }

    fn item(&self, path: &str, bytes: &[u8]) -> Value {
        let mut item = json!({
            "type": "file", "path": path, "size": bytes.len(), "oid": Self::oid(bytes),
        });
        if bytes.len() >= self.large_from {
            // In older responses the size beside `lfs` is that of the pointer.
            item["lfs"] = json!({
                "oid": sha256(bytes), "size": bytes.len(), "pointerSize": 130,
            });
        }
        item
    }

    /// All pages of the hub for this repository, by URL.
    pub(crate) fn pages(&self) -> HashMap<String, Page> {
        let mut pages = HashMap::new();
        let about = json!({"sha": self.commit, "tags": ["pytorch", "license:apache-2.0"]});
        pages.insert(
            self.revision_url(),
            Page::new(about.to_string().as_bytes(), &[Act::Serve]),
        );
        let mut items = vec![json!({"type": "directory", "path": "sub", "oid": "d"})];
        let files = self.files.iter();
        items.extend(files.map(|(path, bytes)| self.item(path, bytes)));
        let last = items.len().div_ceil(self.page_len) - 1;
        for (at, items) in items.chunks(self.page_len).enumerate() {
            let cursor = |at: usize| format!("&cursor=page%3D{at}");
            let url = self.tree_url() + &if at > 0 { cursor(at) } else { String::new() };
            let mut page = Page::new(json!(items).to_string().as_bytes(), &[Act::Serve]);
            if at < last {
                // Mirrors send the URL of the hub that they mirror.
                page.head = format!(
                    "link: <https://hub.invalid/api?recursive=true&limit=9{}>; rel=\"next\"\r\n",
                    cursor(at + 1)
                );
            }
            pages.insert(url, page);
        }
        for (path, bytes) in &self.files {
            pages.insert(self.file_url(path), Page::new(bytes, &[Act::Serve]));
        }
        pages
    }

    /// The same with one scripted file.
    pub(crate) fn with(&self, path: &str, script: &[Act]) -> HashMap<String, Page> {
        let mut pages = self.pages();
        let page = pages.get_mut(&self.file_url(path)).unwrap();
        page.script = script.to_vec();
        pages
    }
}
