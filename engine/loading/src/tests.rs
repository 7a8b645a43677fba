//! Sessions of one process share the models of their selections.

use crate::{
    CheckBy, DistilBy, EndpointChoice, Loader, LoadingError, ModelPool, ModelSet, Note, PoolStats,
    Selection, Writer, bytes_of,
};
use std::path::PathBuf;
use std::sync::Arc;
use weir_models::DeviceChoice;
use weir_models::weights::{Kind, StoreOptions};

fn golden(name: &str) -> PathBuf {
    weir_fixtures::golden_dir().join(name)
}

fn named(name: &str) -> String {
    golden(name).display().to_string()
}

/// A loader that finds nothing by name, over a pool of so many bytes.
fn loader(bytes_max: u64) -> (Loader, Arc<ModelPool>) {
    let pool = Arc::new(ModelPool::new(bytes_max));
    let loader = Loader::new(
        StoreOptions::default(),
        DeviceChoice::Cpu,
        Arc::clone(&pool),
    );
    (loader, pool)
}

/// All kinds of models, small and random.
fn selection() -> Selection {
    Selection {
        distil: DistilBy::Neural(named("tiny-t5")),
        observer: Some(Writer::Local),
        answer: Some(Writer::Local),
        check: Some(CheckBy::Entailment(named("tiny-nli"))),
        reranker: Some(named("tiny-cross")),
        generator: named("tiny-decoders/qwen3"),
        ..Selection::default()
    }
}

fn models(loader: &Loader, notes: &mut Vec<Note>) -> ModelSet {
    let models = loader.models(&selection(), &mut |note| notes.push(note));
    models.expect("they are there")
}

fn loaded(stats: PoolStats) -> (u64, u64) {
    (stats.loaded, stats.shared)
}

#[test]
fn sessions_that_open_at_once_share_each_model() {
    let (loader, pool) = loader(u64::MAX);
    let encoder = named("tiny-bert");
    let (mut notes, mut none) = (Vec::new(), |_| ());
    let open = || loader.encoder(Some(&encoder), None, &mut |_| ());
    let encoders: Vec<_> = std::thread::scope(|scope| {
        let opening: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
        opening
            .into_iter()
            .map(|it| it.join().expect("no panic"))
            .collect()
    });
    // the sentence encoder and the built-in one
    assert_eq!(loaded(pool.stats()), (2, 6));
    let vector = |at: usize| {
        encoders[at]
            .as_ref()
            .expect("it is there")
            .encode(&["a cat"])
    };
    assert_eq!(vector(0).expect("encoded"), vector(3).expect("encoded"));

    let first = models(&loader, &mut notes);
    // the summariser, the check, the reranker, and one generator for two uses
    assert_eq!(loaded(pool.stats()), (6, 7));
    let loading = Note::LoadingGenerator(golden("tiny-decoders/qwen3"));
    assert_eq!(notes, [loading, Note::LoadingDistiller]);
    let second = models(&loader, &mut notes);
    assert_eq!(loaded(pool.stats()), (6, 12));
    let (first, second) = (first.reranker.expect("one"), second.reranker.expect("one"));
    assert!(Arc::ptr_eq(&first, &second));
    assert_eq!(first.scores("a", &["b"]).expect("scored").len(), 1);
    drop(loader.encoder(Some("words"), None, &mut none));
    assert_eq!(pool.stats().models, 6);
}

#[test]
fn a_model_goes_when_nobody_holds_it_and_another_needs_its_room() {
    let sizes = ["tiny-cross", "tiny-nli"].map(|name| bytes_of(&golden(name)));
    let (loader, pool) = loader(sizes[0].max(sizes[1]));
    let rerank = |name: &str| Selection {
        reranker: Some(named(name)),
        ..Selection::default()
    };
    let check = Selection {
        check: Some(CheckBy::Entailment(named("tiny-nli"))),
        ..Selection::default()
    };
    let load = |selection: &Selection| loader.models(selection, &mut |_| ());
    let held = load(&rerank("tiny-cross")).expect("it fits");
    let full = load(&check).err().expect("the reranker is held");
    assert!(matches!(full, LoadingError::PoolFull(_)), "{full}");
    assert!(full.to_string().contains("tiny-nli"), "{full}");
    drop(held);
    let held = load(&check).expect("the reranker goes");
    assert_eq!((pool.stats().evicted, pool.stats().models), (1, 1));
    assert_eq!(pool.stats().bytes, sizes[1]);
    assert!(load(&rerank("tiny-cross")).is_err(), "the check is held");
    drop(held);
}

#[test]
fn what_cannot_be_had_is_named_and_takes_no_room() {
    let (loader, pool) = loader(u64::MAX);
    let load = |selection: Selection| {
        let refused = loader.models(&selection, &mut |_| ());
        refused.err().expect("it is refused")
    };
    let missing = load(Selection {
        answer: Some(Writer::Local),
        ..Selection::default()
    });
    let LoadingError::NotHere { what, source } = &missing else {
        panic!("{missing}");
    };
    assert_eq!(what, "the local generator");
    assert!(
        source.to_string().contains(Selection::GENERATOR),
        "{source}"
    );
    let damaged = load(Selection {
        reranker: Some(named("tiny-pyannet")),
        ..Selection::default()
    });
    assert!(damaged.to_string().contains("config.json"), "{damaged}");
    let nowhere = load(Selection {
        answer: Some(Writer::Endpoint),
        ..Selection::default()
    });
    assert!(matches!(nowhere, LoadingError::NoEndpoint), "{nowhere}");
    let encoder = loader.encoder(Some(&named("tiny-cross")), None, &mut |_| ());
    let other = encoder.err().expect("it is a reranker");
    let wanted = Kind::Encoder;
    assert!(
        matches!(&other, LoadingError::OtherKind { wanted: kind, .. } if *kind == wanted),
        "{other}"
    );
    assert_eq!(pool.stats(), PoolStats::default());
}

#[test]
fn a_key_is_withheld_from_an_open_address_and_the_note_comes_before_the_server_is_asked() {
    let (loader, _) = loader(u64::MAX);
    let mut notes = Vec::new();
    let selection = Selection {
        answer: Some(Writer::Endpoint),
        endpoint: Some(EndpointChoice {
            // refused before anything is sent
            url: "ftp://example.com/v1".to_owned(),
            model: "m".to_owned(),
            key_variable: "PATH".to_owned(),
            always_send_key: false,
        }),
        ..Selection::default()
    };
    let refused = loader.models(&selection, &mut |note| notes.push(note));
    assert!(matches!(refused, Err(LoadingError::Endpoint(_))));
    let variable = "PATH".to_owned();
    assert_eq!(notes, [Note::KeyWithheld { variable }]);
}

/// A session that is open hears a recording of a man who speaks to a crowd.
#[cfg(feature = "built-in-speech")]
#[test]
fn a_running_session_hears_a_recording_with_the_built_in_model() {
    use weir_core::stream::StreamStart;
    use weir_engine::pipeline::{Live, LiveParts, SourceKind, Stop, attach};
    use weir_engine::{Memory, WordHashEncoder};

    let open = |path: &std::path::Path| weir_asr::open_file(path);
    let selection = crate::SpeechSelection {
        model: Some(weir_tiny_en::NAME.to_owned()),
        threads: 2,
        ..crate::SpeechSelection::default()
    };
    let (loader, _) = loader(u64::MAX);
    let speech = loader.speech(&selection, Arc::new(open), &mut |_| ());
    let memory = Memory::builder(WordHashEncoder::new()).in_memory();
    let memory = memory.expect("it opens");
    let (handle, stop) = (memory.handle(), Stop::default());
    let live = Live::start(LiveParts {
        source: open(&weir_fixtures::voices_dir().join("kennedy-1961.flac")).expect("the fixture"),
        kind: SourceKind::Recording,
        hearing: speech.expect("it is built in").hearing,
        start: StreamStart::new("inauguration", None),
        session: &handle.session(),
        audio: None,
        stop: stop.clone(),
    });
    let feed = attach(
        handle,
        Box::new(live.expect("it is captured").feed),
        None,
        stop,
    );
    let figures = feed.expect("threads").finish().expect("it is heard");
    assert!((10_000..12_000).contains(&figures.audio_ms), "{figures:?}");
    let answer = memory.ask("What can your country do for you?");
    let text = answer.expect("it answers").text;
    assert!(text.contains("your country can do for you"), "{text}");
}
