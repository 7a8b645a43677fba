//! Each converter on a small sample, and on a file of another format.

use super::*;
use crate::files;
use crate::stream::{Category, Gold, Item, Turn};
use proptest::prelude::*;

/// The streams made from one file, by name.
fn converted(format: Format, name: &str, text: &str, place: Place) -> Result<Vec<Stream>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(name);
    std::fs::write(&path, text)?;
    let out = folder.path().join("out");
    run(&ConvertArgs {
        format,
        input: path,
        out: out.clone(),
        place,
        limit: None,
    })?;
    streams(&out)
}

fn streams(folder: &Path) -> Result<Vec<Stream>> {
    let paths = files::entries(folder)?;
    paths.iter().map(|path| Stream::read(path)).collect()
}

fn said(stream: &Stream) -> Vec<String> {
    stream.turns().map(Turn::said).collect()
}

const LOCOMO: &str = r#"[{"sample_id": "s", "qa": [
  {"question": "Who?", "answer": 7, "evidence": ["D1:1", "D9:9"], "category": 1},
  {"question": "What?", "evidence": ["D2:1"], "category": 5, "adversarial_answer": "x"},
  {"question": "Dots?", "answer": "y", "evidence": ["D1:3"], "category": 4}],
  "conversation": {"speaker_a": "A", "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [{"speaker": "A", "dia_id": "D1:1", "text": "Hi there"},
      {"speaker": "B", "dia_id": "D1:2", "text": "Look", "blip_caption": "a cat"},
      {"speaker": "A", "dia_id": "D1:3", "text": "..."}],
    "session_2_date_time": "9:00 am on 9 May, 2023",
    "session_2": [{"speaker": "B", "dia_id": "D2:1", "text": "Back"}]}}]"#;

#[test]
fn locomo_keeps_captions_sittings_and_categories() {
    let streams = converted(Format::Locomo, "l.json", LOCOMO, Place::End).expect("it is whole");
    let stream = &streams[0];
    assert_eq!(stream.started_at_unix_ms, Some(1_683_554_160_000));
    let expected = ["A: Hi there", "B: Look [shares a cat]", "B: Back"];
    assert_eq!(said(stream), expected);
    let spans = stream.turns().map(|t| (t.span.start_ms, t.span.end_ms));
    let expected = [(0, 800), (1_300, 2_900), (3_400, 3_800)];
    assert_eq!(spans.collect::<Vec<_>>(), expected);
    let started_at_unix_ms = Some(1_683_622_800_000);
    assert_eq!(stream.items[2], Item::Break { started_at_unix_ms });
    let probes: Vec<_> = stream.probes().collect();
    assert_eq!(probes[0].gold.category, Some(Category::MultiHop));
    assert_eq!(probes[0].gold.answer.as_deref(), Some("7"));
    assert_eq!(probes[0].gold.evidence, ["D1:1"]);
    assert_eq!(probes[1].gold.category, Some(Category::Adversarial));
    assert_eq!(probes[1].gold.answer, None);
    let evidence = &probes[2].gold.evidence;
    assert!(evidence.is_empty(), "a turn without a word is not there");
    let mut end = stream.items[4..].iter();
    assert!(end.all(|item| matches!(item, Item::Probe(_))));
}

#[test]
fn a_question_stands_soon_after_its_evidence() {
    let streams = converted(Format::Locomo, "l.json", LOCOMO, Place::Soon).expect("it is whole");
    let order: Vec<&str> = streams[0]
        .items
        .iter()
        .map(|item| match item {
            Item::Turn(turn) => turn.id.as_str(),
            Item::Break { .. } => "break",
            Item::Probe(probe) => probe.id.as_str(),
        })
        .collect();
    assert_eq!(order, ["D1:1", "q1", "D1:2", "break", "D2:1", "q2", "q3"]);
}

#[test]
fn qmsum_takes_spans_as_evidence_and_marks_out() {
    let text = r#"{"topic_list": [], "meeting_transcripts": [
        {"speaker": "A", "content": "The {disfmarker} cover is {pause} red"},
        {"speaker": "B", "content": "{vocalsound} ."},
        {"speaker": "C", "content": "It costs {12 euros"}],
      "specific_query_list": [
        {"query": "Cover?", "answer": "Red.", "relevant_text_span": [["0", "1"]]},
        {"query": "Both?", "answer": "Yes.", "relevant_text_span": [["0", "2"], ["7", "9"]]}],
      "general_query_list": [{"query": "Sum up.", "answer": "Covers."}]}"#;
    let stream = &converted(Format::Qmsum, "IS1.json", text, Place::End).expect("whole")[0];
    let expected = ["A: The cover is red", "C: It costs {12 euros"];
    assert_eq!(said(stream), expected);
    let gold: Vec<_> = stream.probes().map(|probe| &probe.gold).collect();
    assert_eq!(gold.len(), 2, "the meeting as a whole is not asked about");
    assert_eq!(gold[0].evidence, ["t0"]);
    assert_eq!(gold[0].category, Some(Category::SingleHop));
    assert_eq!(gold[1].evidence, ["t0", "t2"]);
    assert_eq!(gold[1].category, Some(Category::MultiHop));
}

#[test]
fn beam_finds_evidence_however_it_is_nested() {
    let folder = tempfile::tempdir().expect("a folder");
    let chat = folder.path().join("7");
    std::fs::create_dir_all(chat.join("probing_questions")).expect("made");
    let line = |id: u32, role: &str, text: &str, anchor: &str| {
        format!(r#"{{"id": {id}, "role": "{role}", "content": "{text}", "time_anchor": {anchor}}}"#)
    };
    let text = format!(
        r#"[{{"batch_number": 1, "turns": [[{},{}]]}}, {{"batch_number": 2, "turns": [[{}]]}}]"#,
        line(0, "user", "I moved to Graz. ->-> 1,1", r#""March-15-2024""#),
        line(1, "assistant", "Good\\nluck", "null"),
        line(2, "user", "I moved back", r#""April-10-2024""#),
    );
    std::fs::write(chat.join("chat.json"), text).expect("written");
    let questions = r#"{"abstention": [{"question": "Dog?", "ideal_response": "Unknown."}],
      "knowledge_update": [{"question": "Where?", "answer": "Back",
        "source_chat_ids": {"original_info": [0], "updated_info": [[2, 0], 9]}}],
      "preference_following": [{"question": "A flat?", "expected_compliance": "In Graz",
        "preference_being_tested": "I like Graz", "source_chat_ids": [0]}]}"#;
    let path = chat.join("probing_questions/probing_questions.json");
    std::fs::write(path, questions).expect("written");
    let out = folder.path().join("out");
    corpus(Format::Beam, folder.path(), &out, None).expect("it is whole");
    let stream = &streams(&out).expect("written")[0];
    assert_eq!(stream.name, "beam-7");
    assert_eq!(stream.started_at_unix_ms, Some(1_710_460_800_000));
    let expected = [
        "user: I moved to Graz.", "assistant: Good luck", "user: I moved back",
    ];
    assert_eq!(said(stream), expected);
    let gold: Vec<_> = stream.probes().map(|probe| &probe.gold).collect();
    assert_eq!(
        (gold[0].category, &gold[0].answer),
        (Some(Category::Adversarial), &None)
    );
    assert_eq!(gold[1].evidence, ["t0", "t2"]);
    assert_eq!(gold[2].answer.as_deref(), Some("I like Graz"));
}

#[test]
fn friendsqa_joins_the_scenes_of_an_episode() {
    let scene = |title: &str, uid: u32| {
        format!(
            r##"{{"title": "{title}", "paragraphs": [{{"utterances:": [
              {{"uid": 0, "speakers": ["#NOTE#"], "utterance": "( A door . )"}},
              {{"uid": 1, "speakers": ["Ann", "Bo"], "utterance": "Hello {title}"}}],
              "qas": [{{"id": "{title}_When", "question": "When ?", "answers": [
                {{"answer_text": "now", "utterance_id": {uid}}},
                {{"answer_text": "then", "utterance_id": 0}}]}}]}}]}}"##
        )
    };
    let text = format!(
        r#"{{"version": "1", "data": [{},{},{}]}}"#,
        scene("s01_e02_c03", 1),
        scene("s01_e02_c01", 1),
        scene("s01_e03_c01", 5)
    );
    let streams = converted(Format::Friendsqa, "f.json", &text, Place::End).expect("it is whole");
    assert_eq!(streams.len(), 2);
    let expected = [
        "( A door . )",
        "Ann and Bo: Hello s01_e02_c01",
        "( A door . )",
        "Ann and Bo: Hello s01_e02_c03",
    ];
    assert_eq!(said(&streams[0]), expected);
    assert!(matches!(streams[0].items[2], Item::Break { .. }));
    let probe = streams[0].probes().next().expect("asked");
    assert_eq!(probe.gold.evidence, ["s01_e02_c01:1"]);
    assert_eq!(probe.gold.answer.as_deref(), Some("now"));
    assert_eq!(probe.gold.category, Some(Category::Temporal));
    let stray = streams[1].probes().next().expect("asked");
    assert!(stray.gold.evidence.is_empty());
}

#[test]
fn the_wrong_file_is_told_with_what_was_expected() {
    for (format, text, what) in [
        (Format::Locomo, r#"{"data": []}"#, "LoCoMo's JSON"),
        (Format::Qmsum, "[]", "QMSum's JSON"),
        (Format::Beam, "[]", "cannot be read"),
        (Format::Friendsqa, LOCOMO, "FriendsQA's JSON"),
        (Format::Locomo, " \n", "is empty"),
    ] {
        let refused = converted(format, "wrong.txt", text, Place::End).expect_err(what);
        let told = format!("{refused:#}");
        assert!(told.contains(what), "{told}");
        assert!(told.contains("wrong.txt"), "{told}");
    }
}

#[test]
fn a_limit_is_spread_over_the_corpus() {
    assert_eq!(spread((0..10).collect(), Some(4)), [0, 2, 5, 7]);
    assert_eq!(spread((0..3).collect(), Some(9)), [0, 1, 2]);
    assert_eq!(spread((0..3).collect(), None), [0, 1, 2]);
}

/// Drafts whose evidence may name turns without words, or turns that do not exist.
fn drafts() -> impl Strategy<Value = Stream> {
    let text = prop_oneof![Just("..."), Just("hello you"), Just("seven")];
    let turns = prop::collection::vec((text, any::<bool>()), 1..20);
    let asked = prop::collection::vec(prop::collection::vec(0_usize..24, 0..4), 0..12);
    (turns, asked).prop_map(|(turns, asked)| {
        let mut draft = draft::empty("made".to_owned());
        for (n, (text, pause)) in turns.into_iter().enumerate() {
            let pause = pause.then_some(Item::Break {
                started_at_unix_ms: None,
            });
            draft.items.extend(pause);
            let turn = draft::turn(format!("t{n}"), None, text.to_owned());
            draft.items.push(Item::Turn(turn));
        }
        draft.items.extend(asked.into_iter().map(|turns| {
            let gold = Gold {
                evidence: turns.into_iter().map(|n| format!("t{n}")).collect(),
                ..Gold::default()
            };
            Item::Probe(draft::probe("Who?".to_owned(), gold))
        }));
        draft
    })
}

proptest! {
    #[test]
    fn no_question_looks_ahead(draft in drafts()) {
        let asked = draft.probes().count();
        for place in [Place::End, Place::Soon] {
            let (stream, left) = draft::finish(draft.clone(), place);
            prop_assert_eq!(stream.probes().count() + left.unanswerable, asked);
            let mut bytes = Vec::new();
            stream.write(&mut bytes).expect("written");
            let policy = weir_engine::streamfile::AudioPolicy::MayBeMissing;
            let path = Path::new("made.stream.jsonl");
            let reader = weir_engine::streamfile::StreamReader::new(&bytes[..], path, policy);
            for item in reader.expect("a header") {
                prop_assert!(item.is_ok(), "{item:?}");
            }
        }
    }
}
