//! What the reference implementations give, from `scripts/golden/make_metrics.py`.

use serde::Deserialize;
use std::path::PathBuf;

#[derive(Deserialize)]
pub(crate) struct Golden {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) corpora: Vec<Corpus>,
    pub(crate) abstention: Vec<Flags>,
}

#[derive(Deserialize)]
pub(crate) struct Pair {
    pub(crate) answer: String,
    pub(crate) gold: String,
    pub(crate) bleu4: f64,
    pub(crate) rouge_l: f64,
    /// Precision, recall and F1.
    pub(crate) tiny_bert: [f64; 3],
    pub(crate) minilm: [f64; 3],
}

#[derive(Deserialize)]
pub(crate) struct Corpus {
    pub(crate) first: usize,
    pub(crate) count: usize,
    pub(crate) bleu: f64,
}

#[derive(Deserialize)]
pub(crate) struct Flags {
    pub(crate) unanswerable: String,
    pub(crate) abstained: String,
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f1: f64,
}

pub(crate) fn read() -> Golden {
    let path = weir_fixtures::golden_dir().join("metrics.json");
    let text = std::fs::read_to_string(path).expect("the golden file");
    let golden: Golden = serde_json::from_str(&text).expect("whole");
    assert!(golden.pairs.len() > 30);
    golden
}

pub(crate) const NO_MINILM: &str = "skipped: the weights of all-MiniLM-L6-v2 are in none of \
    WEIR_MODELS, XDG_CACHE_HOME and ~/.cache; `weir models pull all-MiniLM-L6-v2` fetches them\n";

/// Looks where the store would look.
pub(crate) fn minilm_folder() -> Option<PathBuf> {
    let from = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let caches = [
        from("XDG_CACHE_HOME"),
        from("HOME").map(|home| home.join(".cache")),
    ];
    let caches = caches.into_iter().flatten();
    let stores = caches.map(|cache| cache.join("weir/models"));
    from("WEIR_MODELS")
        .into_iter()
        .chain(stores)
        .map(|folder| folder.join("all-MiniLM-L6-v2"))
        .find(|folder| folder.join("model.safetensors").is_file())
}
