//! Recognises the spoken dialogue of the fixtures, and recordings without speech.

use super::*;
use clap::Parser;

#[derive(Parser)]
struct Line {
    #[command(flatten)]
    args: HearArgs,
}

fn heard(stream: &Path, out: &Path) -> Result<Stream> {
    let (stream, out) = (stream.display().to_string(), out.display().to_string());
    let line = ["hear", &stream, "--out", &out, "--beam", "1"];
    run(&Line::try_parse_from(line)?.args)?;
    Stream::read(Path::new(&out))
}

fn timed(word: &str, start_ms: u64, end_ms: u64) -> TimedWord {
    TimedWord {
        word: word.to_owned(),
        start_ms,
        end_ms,
    }
}

fn word(text: &str, start_ms: u64, end_ms: u64) -> Word {
    Word {
        text: text.to_owned(),
        span: SampleSpan::from_ms(start_ms, end_ms),
        confidence: 1.0,
    }
}

/// The first lines of the spoken dialogue, and one without speech, with a question about each.
fn small(folder: &Path) -> PathBuf {
    let spoken = weir_fixtures::spoken_stream();
    let mut stream = Stream::read(&spoken).expect("the fixture");
    stream.items.retain(|item| matches!(item, Item::Turn(_)));
    stream.items.truncate(3);
    let silent = "silence.wav";
    let shape = weir_fixtures::wav::Shape::default();
    let nothing = weir_fixtures::sound::silence(32_000);
    weir_fixtures::wav::write_wav(&folder.join(silent), shape, &nothing).expect("written");
    for item in &mut stream.items {
        let Item::Turn(turn) = item else { continue };
        let audio = turn.audio.as_mut().expect("it is spoken");
        let from = weir_fixtures::spoken_dir().join(&audio.named);
        std::fs::copy(from, folder.join(&audio.named)).expect("copied");
        if turn.id == "u2" {
            audio.named = silent.to_owned();
            audio.start_ms = 0;
        }
    }
    let probe = crate::stream::Probe {
        id: "q1".to_owned(),
        question: "What?".to_owned(),
        asked_by: None,
        gold: crate::stream::Gold {
            answer: None,
            evidence: vec!["u1".to_owned(), "u2".to_owned()],
            category: None,
        },
    };
    stream.items.push(Item::Probe(probe));
    let path = folder.join("small.stream.jsonl");
    stream.save(&path).expect("written");
    path
}

#[test]
fn words_are_heard_and_what_is_not_heard_stays_evidence() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = small(folder.path());
    let heard = heard(&said, &folder.path().join("heard.stream.jsonl")).expect("heard");
    let said = Stream::read(&said).expect("it is there");
    let (said_turns, heard_turns): (Vec<_>, Vec<_>) =
        (said.turns().collect(), heard.turns().collect());
    assert_eq!(heard_turns.len(), 3);
    for (said, heard) in said_turns.iter().zip(&heard_turns) {
        assert_eq!(
            (&said.id, &said.speaker, said.span),
            (&heard.id, &heard.speaker, heard.span)
        );
    }
    let mut errors = WordErrors::default();
    errors.add(&said_turns[0].text, &heard_turns[0].text);
    assert!(
        errors.rate().expect("words") < 0.4,
        "{}",
        heard_turns[0].text
    );
    assert_eq!(heard_turns[0].audio, None);
    assert_eq!(heard_turns[1].text, "", "nobody speaks there");
    assert!(heard_turns[1].audio.is_some());
    let probe = heard.probes().next().expect("it is kept");
    assert_eq!(probe.gold.evidence, ["u1", "u2"]);
}

#[test]
fn a_stream_without_audio_is_told_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("text.stream.jsonl");
    let lines = r#"{"weir_stream": 1, "name": "t", "started_at": null}
{"utterance": {"id": "u1", "speaker": null, "start_ms": 0, "end_ms": 1, "text": "hi"}}"#;
    std::fs::write(&path, lines).expect("written");
    let told = heard(&path, &folder.path().join("o"))
        .expect_err("no audio")
        .to_string();
    assert!(told.contains("`weir-bench speak` makes some"), "{told}");
}

#[test]
fn a_stream_is_not_written_over_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = small(folder.path());
    let before = std::fs::read(&path).expect("it is there");
    let told = heard(&path, &path).expect_err("the same file").to_string();
    assert!(told.contains("would be written over itself"), "{told}");
    let told = heard(&path, folder.path())
        .expect_err("a folder")
        .to_string();
    assert!(told.contains("--out names the file"), "{told}");
    assert_eq!(std::fs::read(&path).expect("it is there"), before);
}

#[test]
fn times_are_compared_for_words_heard_right() {
    let known = [
        timed("it", 100, 200),
        timed("'s", 200, 250),
        timed("nine", 300, 500),
        timed("o'clock", 500, 900),
    ];
    let heard = [
        word("It's", 110, 240),
        word("fine,", 300, 500),
        word("O'clock.", 530, 1_000),
    ];
    let mut errors = TimeErrors::default();
    errors.add(&known, &heard);
    let figures = errors.figures().expect("words");
    assert_eq!(figures.words, 2);
    assert_eq!(
        (figures.start_error_ms_p50, figures.start_error_ms_p95),
        (10, 30)
    );
    assert_eq!(
        (figures.end_error_ms_p50, figures.end_error_ms_p95),
        (10, 100)
    );
    assert!(TimeErrors::default().figures().is_none());
}

#[test]
fn a_limit_that_nothing_passes_refuses_every_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = small(folder.path());
    let args = ModelArgs {
        min_confidence: Some(1.0),
        ..ModelArgs::shipped(1)
    };
    let (mut hearing, _) = hearing(&args).expect("a model");
    let stream = Stream::read(&said).expect("it is there");
    let first = stream.turns().next().expect("a line");
    let heard = recognise(&mut hearing, first, folder.path()).expect("heard");
    assert_eq!(heard, None);
    let counts = refused(&hearing);
    assert!(
        counts["the model does not trust its words"] > 0,
        "{counts:?}"
    );
}

#[test]
fn nothing_is_heard_in_silence() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("silence.wav");
    let shape = weir_fixtures::wav::Shape::default();
    let nothing = weir_fixtures::sound::silence(16_000 * 3);
    weir_fixtures::wav::write_wav(&path, shape, &nothing).expect("written");
    let (mut hearing, _) = hearing(&ModelArgs::shipped(1)).expect("a model");
    let mut words = 0;
    let ms = listen(&mut hearing, &path, &mut |heard| words += heard.words.len());
    assert_eq!((ms.expect("heard"), words), (3_000, 0));
}

#[test]
fn a_table_has_a_row_for_each_choice() {
    let folder = tempfile::tempdir().expect("a folder");
    small(folder.path());
    let clips = [list::Clip {
        path: folder.path().join("kitchen-table-1.wav"),
        said: "Please have some pancakes, we have twenty pancakes.".to_owned(),
    }];
    let silent = [folder.path().join("silence.wav")];
    let rows: Vec<String> = settings::choices(&ModelArgs::shipped(5))
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        rows,
        [
            "as given",
            "greedy",
            "beam 2",
            "audio context scaled",
            "previous text as prompt",
            "no second temperature",
            "guards off",
            "guards strict",
        ]
    );
    let row = settings::measure(&ModelArgs::shipped(1), &clips, &silent).expect("heard");
    assert_eq!(row.made_up, 0, "nobody speaks in silence");
    assert!(
        row.errors.insertions > 20,
        "the rest of the talk is not in the reference"
    );
    assert_eq!(row.hallucinated(), row.errors.insertions);
}
