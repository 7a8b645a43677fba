//! Pulls of hub repositories by address: the kind is detected from their files.
#![cfg(feature = "weights")]

use std::fs;

use crate::hub_server::place::{Place, content};
use crate::hub_server::shelf::{Shelf, commit};
use crate::hub_server::{Act, HubServer};
use weir_models::weights::{
    Kind, LocateError, Located, Manifest, PullError, State, Store, Verdict,
};

const TOKENIZER: (&str, &[u8]) = ("tokenizer.json", b"{}");

fn config(architecture: &str) -> Vec<u8> {
    format!(r#"{{"architectures": ["{architecture}"]}}"#).into_bytes()
}

fn pull(store: &Store, address: &str) -> Result<Located, PullError> {
    store.pull(address, &mut |_| {})
}

fn kind_and_files(place: &Place, address: &str) -> (Kind, Vec<String>) {
    let located = pull(&place.store(), address).unwrap();
    let Located::OnDisk { kind, name, .. } = located else {
        panic!("{located:?}")
    };
    let root = place.cache.path().join("weir/models").join(&name);
    let findings = place.store().verify(&name).unwrap();
    assert!(
        findings.iter().all(|at| at.verdict == Verdict::Intact),
        "{findings:?}"
    );
    let path = |file: &std::path::Path| file.strip_prefix(&root).unwrap().display().to_string();
    (kind, findings.iter().map(|at| path(&at.file)).collect())
}

/// A repository with `files` is of `kind` and gives its files `expected`.
fn assert_kind(kind: Kind, files: &[(&str, &[u8])], expected: &[&str]) {
    let hub = HubServer::of(Shelf::new("someone/thing", files).pages());
    let place = Place::new(&hub.url);
    let (found, files) = kind_and_files(&place, "someone/thing");
    assert_eq!(
        (found, files),
        (kind, expected.iter().map(|&file| file.to_owned()).collect())
    );
}

#[test]
fn encoders_and_rerankers_are_told_apart() {
    let weights = content();
    assert_kind(
        Kind::Encoder,
        &[
            ("1_Pooling/config.json", b"{}"),
            ("config.json", &config("BertModel")),
            ("modules.json", b"[]"),
            ("onnx/model.onnx", b"no"),
            ("pytorch_model.bin", &weights),
            TOKENIZER,
        ],
        &[
            "1_Pooling/config.json", "config.json", "modules.json", "pytorch_model.bin",
            "tokenizer.json",
        ],
    );
    assert_kind(
        Kind::Reranker,
        &[
            ("config.json", &config("BertForSequenceClassification")),
            ("model.safetensors", &weights),
            ("modules.json", b"[]"),
            TOKENIZER,
        ],
        &["config.json", "model.safetensors", "tokenizer.json"],
    );
}

#[test]
fn summarisers_and_extractors_are_told_apart() {
    let weights = content();
    assert_kind(
        Kind::Summariser,
        &[
            ("config.json", &config("T5ForConditionalGeneration")),
            ("model.safetensors", &weights),
            ("spiece.model", b"x"),
            TOKENIZER,
        ],
        &["config.json", "model.safetensors", "tokenizer.json"],
    );
    assert_kind(
        Kind::Extractor,
        &[
            ("gliner_config.json", b"{}"),
            ("pytorch_model.bin", &weights),
            TOKENIZER,
        ],
        &["gliner_config.json", "pytorch_model.bin", "tokenizer.json"],
    );
}

#[test]
fn generators_come_as_a_folder_or_as_one_file() {
    let weights = content();
    let llama = config("LlamaForCausalLM");
    assert_kind(
        Kind::Generator,
        &[
            ("config.json", &llama),
            ("model.safetensors", &weights),
            ("x.gguf", b"GGUF"),
            TOKENIZER,
        ],
        &["config.json", "model.safetensors", "tokenizer.json"],
    );
    assert_kind(
        Kind::Generator,
        &[
            ("README.md", b"x"),
            ("config.json", &llama),
            ("one.gguf", &weights),
        ],
        &["one.gguf"],
    );
}

#[test]
fn afterwards_it_is_known_by_its_name() {
    let weights = content();
    let files: [(&str, &[u8]); 2] = [("q4.gguf", &weights), ("q8.gguf", b"GGUF more")];
    let hub = HubServer::of(Shelf::new("someone/Some.Model-GGUF", &files).pages());
    let mut place = Place::new(&hub.url);
    let error = pull(&place.store(), "someone/Some.Model-GGUF").unwrap_err();
    let PullError::WhichFile { files, .. } = &error else {
        panic!("{error}")
    };
    assert_eq!(files, &["q4.gguf", "q8.gguf"]);
    assert!(
        error
            .to_string()
            .contains("someone/Some.Model-GGUF:q4.gguf"),
        "{error}"
    );
    let root = place.cache.path().join("weir/models");
    assert!(!root.exists(), "a folder was made for what was not fetched");

    let located = pull(&place.store(), "someone/Some.Model-GGUF:q4.gguf").unwrap();
    let path = root.join("Some.Model-GGUF/q4.gguf");
    let Located::OnDisk {
        path: found, kind, ..
    } = &located
    else {
        panic!("{located:?}")
    };
    assert_eq!((found, *kind), (&path, Kind::Generator));
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

    let error = pull(&store, "someone/Some.Model-GGUF:q8.gguf").unwrap_err();
    assert!(matches!(error, PullError::Taken { .. }), "{error}");
    assert!(error.to_string().contains("q4.gguf"), "{error}");
    let error = pull(&store, "another/Some.Model-GGUF").unwrap_err();
    assert!(matches!(error, PullError::Taken { .. }), "{error}");
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
    let state = place.store().list().pop().unwrap();
    assert_eq!(state.state, State::Partial { bytes: 9_000 });
    pull(&place.store(), "b").unwrap();
    let ranges: Vec<_> = hub.ranges().into_iter().flatten().collect();
    assert_eq!(ranges, ["bytes=9000-"]);
}

#[test]
fn a_revision_is_kept_to_and_another_replaces_it() {
    let old_bytes = content();
    let mut new_bytes = content();
    new_bytes[0] ^= 1;
    let old = Shelf::new("a/b", &[("one.gguf", &old_bytes)]);
    let mut new = Shelf::new("a/b", &[("one.gguf", &new_bytes)]);
    (new.commit, new.revision) = (commit('c'), "refs/pr/1".to_owned());
    let hub = HubServer::of(old.pages());
    hub.put(new.pages());
    let place = Place::new(&hub.url);
    let read = || fs::read(place.cache.path().join("weir/models/b/one.gguf")).unwrap();
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

#[test]
fn what_weir_cannot_use_is_refused_with_what_there_is() {
    let hub = HubServer::of(Shelf::new("a/pictures", &[("unet.onnx", b"x")]).pages());
    let place = Place::new(&hub.url);
    let error = pull(&place.store(), "a/pictures").unwrap_err();
    assert!(matches!(error, PullError::UnknownKind { .. }), "{error}");
    assert!(error.to_string().contains("unet.onnx"), "{error}");
    let error = pull(&place.store(), "a/nothing").unwrap_err();
    assert!(
        matches!(error, PullError::NoRepository { status: 404, .. }),
        "{error}"
    );

    let config = config("BertModel");
    let shelf = Shelf::new(
        "a/half",
        &[("config.json", &config), ("modules.json", b"[]")],
    );
    hub.put(shelf.pages());
    let error = pull(&place.store(), "a/half").unwrap_err().to_string();
    assert!(error.contains("has no tokenizer.json"), "{error}");
    assert!(!place.cache.path().join("weir").exists());
}

#[test]
fn an_address_that_would_lead_outside_is_refused_and_nobody_is_asked() {
    let hub = HubServer::start(b"", &[Act::Status(500)]);
    let place = Place::new(&hub.url);
    for bad in [
        "a/..", "a/b/../../c", "..", "../a", "/a/b", "a/.b", "a\\..\\b/c", "a/b:../c.gguf",
    ] {
        let error = pull(&place.store(), bad).unwrap_err();
        let is_refused = matches!(
            error,
            PullError::Address { .. }
                | PullError::Locate(LocateError::NotAModel { .. } | LocateError::Unknown { .. })
        );
        assert!(is_refused, "{bad}: {error}");
    }
    assert!(hub.requests().is_empty());
    assert!(!place.cache.path().join("weir").exists());
}

#[test]
fn offline_asks_nobody_for_an_address() {
    let hub = HubServer::start(b"", &[Act::Status(500)]);
    let mut place = Place::new(&hub.url);
    place.options.offline = true;
    let error = pull(&place.store(), "a/b").unwrap_err();
    assert!(matches!(error, PullError::Offline { .. }), "{error}");
    assert!(
        error.to_string().contains("`weir models pull a/b`"),
        "{error}"
    );
    assert!(hub.requests().is_empty());
    let error = place.store().path("a/b").unwrap_err().to_string();
    assert!(error.contains("weir models pull"), "{error}");
}

#[test]
fn the_address_of_a_known_model_means_that_model() {
    let hub = HubServer::of(Shelf::new("owner/known", &[("a.json", b"{}")]).pages());
    let mut place = Place::new(&hub.url);
    place.manifest = Manifest::parse(
        r#"{"version": 1, "models": [{"name": "known", "kind": "encoder", "languages": [],
        "licence": "MIT", "note": "", "listed": true, "wanted": ["a.json"],
        "sources": [{"hub": "owner/known", "revision": "main"}]}]}"#,
    )
    .unwrap();
    let error = pull(&place.store(), "another/known").unwrap_err();
    assert!(matches!(error, PullError::Taken { .. }), "{error}");
    assert!(hub.requests().is_empty());
    let located = pull(&place.store(), "Owner/known").unwrap();
    assert_eq!(place.store().path("known").unwrap(), located);
    assert_eq!(place.store().list().len(), 1);
}

#[test]
fn a_folder_or_a_gguf_given_by_its_path_is_what_it_is() {
    let place = Place::new("http://127.0.0.1:9");
    let root = place.cache.path();
    let kind = |name: &str| {
        let path = root.join(name).display().to_string();
        match place.store().path(&path) {
            Ok(Located::OnDisk { kind, .. }) => kind,
            other => panic!("{other:?}"),
        }
    };
    fs::create_dir(root.join("ner")).unwrap();
    fs::write(root.join("ner/gliner_config.json"), b"{}").unwrap();
    fs::create_dir(root.join("cross")).unwrap();
    fs::write(
        root.join("cross/config.json"),
        config("XForSequenceClassification"),
    )
    .unwrap();
    fs::write(root.join("x.gguf"), b"GGUF rest").unwrap();
    assert_eq!(kind("ner"), Kind::Extractor);
    assert_eq!(kind("cross"), Kind::Reranker);
    assert_eq!(kind("x.gguf"), Kind::Generator);
    fs::write(root.join("y.gguf"), b"lmgg rest").unwrap();
    let path = root.join("y.gguf").display().to_string();
    let error = place.store().path(&path).unwrap_err().to_string();
    assert!(error.contains("a GGUF file with \"GGUF\""), "{error}");
}

/// Asserts that a repository of `files` is refused with `told`, without requests for `weights`.
fn assert_refused(files: &[(&str, &[u8])], weights: &str, told: &[&str]) {
    let hub = HubServer::of(Shelf::new("someone/thing", files).pages());
    let place = Place::new(&hub.url);
    let error = pull(&place.store(), "someone/thing").unwrap_err();
    assert!(matches!(error, PullError::Unsupported { .. }), "{error}");
    let message = error.to_string();
    assert!(told.iter().all(|told| message.contains(told)), "{message}");
    let asked = hub.paths();
    let of_weights = asked.iter().filter(|path| path.ends_with(weights));
    assert_eq!(of_weights.count(), 0, "{asked:?}");
    assert!(!place.cache.path().join("weir").exists());
}

#[test]
fn an_architecture_that_is_not_loaded_is_refused_by_its_settings() {
    let weights = content();
    for (architecture, family, known) in [
        ("GemmaForCausalLM", "gemma", "llama, qwen2 or qwen3"),
        ("MPNetForSequenceClassification", "mpnet", "bert, roberta"),
        ("MT5ForConditionalGeneration", "mt5", "only t5"),
    ] {
        let config =
            format!(r#"{{"architectures": ["{architecture}"], "model_type": "{family}"}}"#);
        let files: [(&str, &[u8]); 3] = [
            ("config.json", config.as_bytes()),
            ("model.safetensors", &weights),
            TOKENIZER,
        ];
        let told = ["config.json of someone/thing", family, known];
        assert_refused(&files, "model.safetensors", &told);
    }
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

#[test]
fn a_gguf_that_is_not_loaded_is_refused_by_its_first_bytes() {
    let kind = "tensor type 23 is unsupported; choose Q4_K_M or Q8_0";
    for (file, told) in [
        (gguf("gemma3", 2), "its architecture is gemma3"),
        (gguf("llama", 23), kind),
        (gguf("qwen3", 39), "MXFP4"),
    ] {
        let shelf = Shelf::new("someone/thing", &[("one.gguf", &file)]);
        // the rest is never sent: a client that waits for it hangs
        let hub = HubServer::of(shelf.with("one.gguf", &[Act::StallAfter(200)]));
        let place = Place::new(&hub.url);
        let error = pull(&place.store(), "someone/thing").unwrap_err();
        assert!(matches!(error, PullError::Unsupported { .. }), "{error}");
        let message = error.to_string();
        assert!(message.contains("one.gguf of someone/thing"), "{message}");
        assert!(
            message.contains(told) && message.contains("nothing was fetched"),
            "{message}"
        );
        let asked = hub.paths();
        assert_eq!(
            asked
                .iter()
                .filter(|path| path.ends_with("one.gguf"))
                .count(),
            1
        );
        assert!(!place.cache.path().join("weir").exists());
    }
    let file = gguf("qwen2", 12);
    assert_kind(Kind::Generator, &[("one.gguf", &file)], &["one.gguf"]);
}
