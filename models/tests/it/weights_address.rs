//! Pulls of hub repositories by address: the kind is detected from their files.
#![cfg(feature = "weights")]

use std::fs;

use crate::hub_server::place::{Place, assert_told, content, content_but};
use crate::hub_server::shelf::{Shelf, commit};
use crate::hub_server::{Act, HubServer};
use weir_models::weights::{Kind, Located, State, Store, Verdict, WeightsError, WeightsErrorKind};

const TOKENIZER: (&str, &[u8]) = ("tokenizer.json", b"{}");

fn config(architecture: &str, family: &str) -> Vec<u8> {
    let config = serde_json::json!({"architectures": [architecture], "model_type": family});
    config.to_string().into_bytes()
}

fn pull(store: &Store, address: &str) -> Result<Located, WeightsError> {
    store.pull(address, &mut |_| {})
}

/// A repository with these files and a tokenizer is of this kind, and gives those that are wanted.
#[track_caller]
fn assert_kind(kind: Kind, files: &[(&str, &[u8])], wanted: &[&str]) {
    let files = [files, &[TOKENIZER]].concat();
    let hub = HubServer::of(Shelf::new("someone/thing", &files).pages());
    let place = Place::new(&hub.url);
    let located = pull(&place.store(), "someone/thing").unwrap();
    let is_kind = matches!(located, Located::OnDisk { kind: found, .. } if found == kind);
    assert!(is_kind, "{kind:?}: {located:?}");
    let root = place.root().join("thing");
    let findings = place.store().verify("thing").unwrap();
    let is_intact = findings.iter().all(|at| at.verdict == Verdict::Intact);
    assert!(is_intact, "{findings:?}");
    let mut found: Vec<_> = findings.into_iter().map(|at| at.file).collect();
    found.sort();
    let expected = wanted.iter().map(|path| root.join(path));
    assert_eq!(found, expected.collect::<Vec<_>>(), "{kind:?}");
}

#[test]
fn a_repository_is_what_its_files_say() {
    let weights = content();
    let tensors = ("model.safetensors", &weights[..]);
    let torch = ("pytorch_model.bin", &weights[..]);
    let folder = ["config.json", "model.safetensors", "tokenizer.json"];
    let bert = config("BertModel", "bert");
    let pooling = ("1_Pooling/config.json", &b"{}"[..]);
    let modules = ("modules.json", &b"[]"[..]);
    let onnx = ("onnx/model.onnx", &b"no"[..]);
    let files = [pooling, ("config.json", &bert), modules, onnx, torch];
    let wanted = [pooling.0, "config.json", modules.0, torch.0, TOKENIZER.0];
    assert_kind(Kind::Encoder, &files, &wanted);
    let reranker = config("BertForSequenceClassification", "bert");
    let files = [("config.json", &reranker[..]), tensors, modules];
    assert_kind(Kind::Reranker, &files, &folder);
    let t5 = config("T5ForConditionalGeneration", "t5");
    let files = [("config.json", &t5[..]), tensors, ("spiece.model", b"x")];
    assert_kind(Kind::Summariser, &files, &folder);

    // a generator comes as a folder or as one file
    let llama = config("LlamaForCausalLM", "llama");
    let settings = ("config.json", &llama[..]);
    let files = [settings, tensors, ("x.gguf", b"GGUF")];
    assert_kind(Kind::Generator, &files, &folder);
    let files = [("README.md", &b"x"[..]), settings, ("one.gguf", &weights)];
    assert_kind(Kind::Generator, &files, &["one.gguf"]);
    let gguf = gguf("qwen2", 12);
    assert_kind(Kind::Generator, &[("one.gguf", &gguf)], &["one.gguf"]);
}

#[test]
fn afterwards_it_is_known_by_its_name() {
    let weights = content();
    let files: [(&str, &[u8]); 2] = [("q4.gguf", &weights), ("q8.gguf", b"GGUF more")];
    let hub = HubServer::of(Shelf::new("someone/Some.Model-GGUF", &files).pages());
    let mut place = Place::new(&hub.url);
    let error = pull(&place.store(), "someone/Some.Model-GGUF").unwrap_err();
    let words = "as in someone/Some.Model-GGUF:q4.gguf|q4.gguf, q8.gguf";
    assert_told(&error, WeightsErrorKind::Address, words);
    assert!(
        !place.root().exists(),
        "a folder was made for what was not fetched"
    );

    let located = pull(&place.store(), "someone/Some.Model-GGUF:q4.gguf").unwrap();
    let path = place.root().join("Some.Model-GGUF/q4.gguf");
    let is_there = matches!(&located, Located::OnDisk { path: found, .. } if *found == path);
    assert!(is_there, "{located:?}");
    place.options.offline = true;
    let store = place.store();
    for name in [
        "Some.Model-GGUF",
        "some.model-gguf",
        "someone/Some.Model-GGUF",
    ] {
        assert_eq!(store.path(name).unwrap(), located, "{name}");
        assert_eq!(pull(&store, name).unwrap(), located, "{name}");
    }
    pull(&store, "someone/Some.Model-GGUF:q4.gguf").unwrap();
    let listed = store.list().pop().unwrap();
    assert_eq!(listed.model.name, "Some.Model-GGUF");
    assert_eq!(
        (listed.state, listed.bytes),
        (State::Here { path }, Some(300_000))
    );
    assert_eq!(listed.model.licence, "apache-2.0");
    for taken in ["someone/Some.Model-GGUF:q8.gguf", "another/Some.Model-GGUF"] {
        let error = pull(&store, taken).unwrap_err();
        assert_told(&error, WeightsErrorKind::Taken, "is the name of|q4.gguf");
    }
}

#[test]
fn a_begun_pull_goes_on_by_name() {
    let weights = content();
    let shelf = Shelf::new("a/b", &[("one.gguf", &weights)]);
    // first its header is read
    let script = [Act::Serve, Act::CutAfter(9_000), Act::Serve];
    let hub = HubServer::of(shelf.with("one.gguf", &script));
    let mut place = Place::new(&hub.url);
    place.options.retries_max = 0;
    pull(&place.store(), "a/b").unwrap_err();
    let state = place.store().list().pop().unwrap().state;
    assert_eq!(state, State::Partial { bytes: 9_000 });
    pull(&place.store(), "b").unwrap();
    let ranges: Vec<_> = hub.ranges().into_iter().flatten().collect();
    assert_eq!(ranges, ["bytes=9000-"]);
}

#[test]
fn a_revision_is_kept_to_and_another_replaces_it() {
    let old_bytes = content();
    let new_bytes = content_but(0);
    let old = Shelf::new("a/b", &[("one.gguf", &old_bytes)]);
    let mut new = Shelf::new("a/b", &[("one.gguf", &new_bytes)]);
    (new.commit, new.revision) = (commit('c'), "refs/pr/1".to_owned());
    let hub = HubServer::of(old.pages());
    hub.put(new.pages());
    let place = Place::new(&hub.url);
    let read = || fs::read(place.root().join("b/one.gguf")).unwrap();
    pull(&place.store(), "a/b@refs/pr/1").unwrap();
    assert_eq!(hub.paths()[0], "/api/models/a/b/revision/refs%2Fpr%2F1");
    let asked = hub.requests().len();
    for same in ["a/b", "a/b@refs/pr/1", &format!("a/b@{}", new.commit)] {
        pull(&place.store(), same).unwrap();
    }
    assert!(read() == new_bytes && hub.requests().len() == asked);
    pull(&place.store(), "a/b@main").unwrap();
    assert!(read() == old_bytes, "another revision was asked for");
    let verdict = place.store().verify("b").unwrap().remove(0).verdict;
    assert_eq!(verdict, Verdict::Intact);
}

/// A GGUF file with one entry and one tensor of type `kind`, followed by more data.
fn gguf(architecture: &str, kind: u32) -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes(), text.as_bytes()].concat();
    let mut bytes = b"GGUF\x03\0\0\0".to_vec();
    bytes.extend([1_u64.to_le_bytes(), 1_u64.to_le_bytes()].concat());
    bytes.extend(text("general.architecture"));
    bytes.extend(8_u32.to_le_bytes());
    bytes.extend(text(architecture));
    bytes.extend(text("blk.0.attn_q.weight"));
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(32_u64.to_le_bytes());
    bytes.extend(kind.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(content());
    bytes
}

/// What no loader reads is refused by its names, its settings or the first bytes of a GGUF.
#[test]
fn what_weir_cannot_use_is_refused_before_it_is_fetched() {
    let weights = content();
    let folder = |architecture, family| {
        let config = ("config.json", config(architecture, family));
        vec![
            config,
            ("model.safetensors", weights.clone()),
            ("tokenizer.json", b"{}".to_vec()),
        ]
    };
    let gguf = |architecture, kind| vec![("x.gguf", gguf(architecture, kind))];
    let half = vec![
        ("config.json", config("BertModel", "bert")),
        ("modules.json", b"[]".to_vec()),
    ];
    let lacks = "has no tokenizer.json|it has: config.json, modules.json";
    let architecture = "x.gguf of a/thing|its architecture is gemma3";
    let kind = "tensor type 23 is unsupported; choose Q4_K_M or Q8_0";
    for (files, words) in [
        (vec![("unet.onnx", b"x".to_vec())], "it has: unet.onnx"),
        (half, lacks),
        (folder("GemmaForCausalLM", "gemma"), "gemma|only llama"),
        (folder("XForSequenceClassification", "mpnet"), "only bert"),
        (folder("MT5ForConditionalGeneration", "mt5"), "only t5"),
        (gguf("gemma3", 2), architecture),
        (gguf("llama", 23), kind),
        (gguf("qwen3", 39), "MXFP4|nothing was fetched"),
    ] {
        let files = files.iter().map(|(path, bytes)| (*path, &bytes[..]));
        let files: Vec<(&str, &[u8])> = files.collect();
        let shelf = Shelf::new("a/thing", &files);
        let last = files.last().unwrap().0;
        // the rest of a GGUF is never sent: a client that waits for it hangs
        let pages = shelf.with(last, &[Act::StallAfter(200)]);
        let hub = HubServer::of(if last == "x.gguf" {
            pages
        } else {
            shelf.pages()
        });
        let place = Place::new(&hub.url);
        let error = pull(&place.store(), "a/thing").unwrap_err();
        assert_told(&error, WeightsErrorKind::Unusable, words);
        let asked = hub.paths();
        let of_files = asked.iter().filter(|path| path.contains("/resolve/"));
        assert!(of_files.count() <= 1, "{asked:?}");
        assert!(!place.root().exists());
    }
}

#[test]
fn an_address_that_means_nothing_is_refused_and_nobody_is_asked() {
    let hub = HubServer::start(b"", &[Act::Status(404)]);
    let mut place = Place::new(&hub.url);
    for bad in ["a/..", "a/b/../../c", "..", "/a/b", "a\\..\\b/c"] {
        let error = pull(&place.store(), bad).unwrap_err();
        let kinds = [WeightsErrorKind::Address, WeightsErrorKind::NotAModel];
        assert!(kinds.contains(&error.kind()), "{bad}: {error}");
    }
    place.options.offline = true;
    let error = pull(&place.store(), "a/b").unwrap_err();
    assert_told(
        &error,
        WeightsErrorKind::Offline,
        "model a/b is not on this machine",
    );
    assert_eq!(error.model(), "a/b");
    let error = place.store().path("a/b").unwrap_err();
    assert_told(
        &error,
        WeightsErrorKind::NotAModel,
        "no repository of the hub is here",
    );
    assert!(hub.requests().is_empty());

    place.options.offline = false;
    let error = pull(&place.store(), "a/nothing").unwrap_err();
    assert_told(&error, WeightsErrorKind::Refused, "answer 404");
    assert!(!place.root().exists());
}

#[test]
fn the_address_of_a_known_model_means_that_model() {
    let hub = HubServer::of(Shelf::new("owner/known", &[("a.json", b"{}")]).pages());
    let mut place = Place::new(&hub.url);
    place.manifest = serde_json::from_str(
        r#"{"models": [{"name": "known", "kind": "encoder", "languages": [],
        "licence": "MIT", "note": "", "listed": true, "wanted": ["a.json"],
        "sources": [{"hub": "owner/known", "revision": "main"}]}]}"#,
    )
    .unwrap();
    let error = pull(&place.store(), "another/known").unwrap_err();
    assert_told(&error, WeightsErrorKind::Taken, "another known model");
    assert!(hub.requests().is_empty());
    let located = pull(&place.store(), "Owner/known").unwrap();
    assert_eq!(place.store().path("known").unwrap(), located);
    assert_eq!(place.store().list().len(), 1);
}
