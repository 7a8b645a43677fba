//! Imports into a session: each message once, counts that add up, what a stop leaves.

use crate::import::{left_out, lines, plan, try_text, usual};
use jiff::tz::TimeZone;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use tempfile::tempdir;
use weir_api::LeftOutReason::Known;
use weir_engine::Memory;
use weir_engine::WordHashEncoder;
use weir_engine::control::{ImportInto, carry_in};
use weir_engine::import::{Format, Reading, known_ids, read};
use weir_engine::store::TranscriptReader;
use weir_engine::store::transcript::transcript_folder;
use weir_engine::time::unix_ms;

/// The preview is what is imported, at the times that the file names; a second import adds only
/// what is new.
#[test]
fn a_session_has_each_message_once() {
    let place = tempdir().unwrap();
    let (file, dir) = (place.path().join("chat.txt"), place.path().join("s"));
    let mut text = "13/01/2024, 10:00 - Ana: I live in Porto.\n13/01/2024, 10:00 - Bo: ok\n\
        13/01/2024, 10:00 - Bo: ok\n"
        .to_owned();
    let mut import = |more: &str| {
        text.push_str(more);
        fs::write(&file, &text).unwrap();
        let memory = Memory::builder(WordHashEncoder::new()).open(&dir).unwrap();
        let transcript = TranscriptReader::open(&transcript_folder(&dir));
        let known = known_ids(&memory.session(), &transcript);
        let found = read(&file, "chat.txt", &usual()).unwrap();
        let plan = found.plan(&BTreeMap::new(), &known);
        let mut told = Vec::new();
        let into = ImportInto::Here(memory.handle());
        let taken = carry_in(&plan.streams, into, &mut |done| {
            told.push(done);
            true
        });
        assert_eq!(taken.unwrap(), plan.preview.new);
        assert_eq!(told.last().copied().unwrap_or(0), plan.preview.new);
        let turns = memory.session().turns();
        let porto = memory.ask("Where does Ana live?").unwrap();
        assert!(porto.text.contains("Porto"), "{}", porto.text);
        let said_at = porto.citations[0].evidence.said_at_unix_ms;
        assert_eq!(
            said_at,
            unix_ms("2024-01-13T10:00:00Z", &TimeZone::UTC).ok()
        );
        memory.close().unwrap();
        (plan.preview.new, turns, left_out(&plan))
    };
    assert_eq!(import(""), (3, 3, vec![]));
    assert_eq!(import(""), (0, 3, vec![(Known, 3)]));
    assert_eq!(
        import("14/01/2024, 09:00 - Ana: I moved.\n"),
        (1, 4, vec![(Known, 3)])
    );
}

/// What an export calls people and chats, a session can call so, or nearly so.
#[test]
fn every_name_is_taken() {
    let place = tempdir().unwrap();
    let long = "x".repeat(400);
    let all = [
        "Ops: Alerts", "A: : B:: C::", "A\u{200b}na", "\u{200b}", "Bo\nEva", "x\u{202e}y",
        "Speaker 2", &long,
    ];
    let at = "2024-01-31T10:00:00";
    let message = |name: &str| json!({"type": "message", "date": at, "from": name, "text": "Yes."});
    let chat = |name: &str| {
        let messages: Vec<Value> = all.iter().map(|it| message(it)).collect();
        json!({"name": name, "id": 7, "messages": messages})
    };
    let chats: Vec<Value> = all.iter().map(|it| chat(it)).collect();
    let file = place.path().join("result.json");
    fs::write(&file, json!({"chats": {"list": chats}}).to_string()).unwrap();
    let found = read(&file, "result.json", &usual()).unwrap();
    let names = BTreeMap::from([("x y".to_owned(), "Ana:\u{feff} Bo".to_owned())]);
    let plan = found.plan(&names, &Default::default());
    let memory = Memory::builder(WordHashEncoder::new())
        .open(place.path().join("s"))
        .unwrap();
    let into = ImportInto::Here(memory.handle());
    let taken = carry_in(&plan.streams, into, &mut |_| true).unwrap();
    assert_eq!(taken, 64);
    let people = &plan.preview.people;
    let named = |name: &str| people.iter().any(|it| it.name.as_deref() == Some(name));
    for name in [
        "Ops Alerts", "Ana", "Bo Eva", "Ana Bo", "Speaker 2 (Ops Alerts)",
    ] {
        assert!(named(name), "{name}: {people:?}");
    }
}

#[test]
fn an_import_that_is_stopped_says_how_much_was_taken() {
    let memory = Memory::builder(WordHashEncoder::new()).in_memory().unwrap();
    let mut text = String::new();
    for at in 0..100 {
        writeln!(
            text,
            "{at}\n00:01:{:02},{:03} --> 00:03:00,000\nWord {at}.\n",
            at / 2,
            at
        )
        .unwrap();
    }
    let plan = plan("a.srt", text);
    let into = ImportInto::Here(memory.handle());
    let stopped = carry_in(&plan.streams, into, &mut |_| false).unwrap_err();
    assert_eq!(
        (stopped.imported, stopped.all, memory.session().turns()),
        (64, 100, 64)
    );
    let said = stopped.to_string();
    assert!(
        said.starts_with("64 of 100 messages were imported"),
        "{said}"
    );
    assert_eq!(
        memory.session().streams().count(),
        0,
        "its stream has ended"
    );
}

/// Pieces of all formats in any order.
const PIECES: &str = "(\\[?[0-9]{1,2}/1/2[0-9], [0-9:]{3,8}\\]? ?-? ?|[A-Za-z:<>v ]{0,9}|\n|-->|\
                      \\{|\"segments\":|\\[)*";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every message of a file is imported or counted as left out, and nothing panics. Cues far
    /// apart are no pieces of one sentence.
    #[test]
    fn the_counts_add_up(kinds in prop::collection::vec(0_usize..6, 1..40), noise in ".{0,20}") {
        let text = |kind: &usize| ["hello", "", "...", "a\nb", "👍", &noise][*kind].to_owned();
        let telegram: Vec<Value> = kinds.iter().map(|kind| match kind {
            2 => json!({"type": "service", "text": ""}),
            kind => json!({"type": "message", "from": "A", "text": text(kind)}),
        }).collect();
        let telegram = json!({"type": "x", "messages": telegram}).to_string();
        let segments = kinds.iter().zip(0..);
        let segments: Vec<Value> = segments
            .map(|(kind, at)| json!({"start": 60 * at, "end": 60 * at, "text": text(kind)}))
            .collect();
        let whisper = json!({"segments": segments}).to_string();
        let mut srt = String::new();
        for (kind, at) in kinds.iter().zip(0..) {
            let text = text(kind).replace("-->", "");
            srt.push_str(&format!("{at}\n00:{at:02}:00,000 --> 00:{at:02}:00,900\n{text}\n\n"));
        }
        let mut whatsapp = String::new();
        for kind in &kinds {
            let text = text(kind).replace('[', "");
            whatsapp.push_str(&format!("31/12/2024, 10:00 - Ana: {text}\n"));
        }
        for (name, text) in [
            ("a.json", telegram), ("b.json", whisper), ("c.srt", srt), ("d.txt", whatsapp),
        ] {
            let plan = plan(name, text);
            let out: u64 = left_out(&plan).iter().map(|(_, count)| count).sum();
            let said = lines(&plan);
            prop_assert_eq!(said.len() as u64, plan.preview.new);
            prop_assert_eq!(plan.preview.new + out, kinds.len() as u64, "{}", name);
            prop_assert_eq!(plan.preview.messages, kinds.len() as u64);
            prop_assert!(said.iter().all(|it| !it.contains('\n')));
        }
    }

    /// No bytes make a reader panic, whatever they are taken for.
    #[test]
    fn no_file_makes_a_reader_panic(
        text in PIECES,
        format in 0_usize..8,
    ) {
        let formats = [
            Format::Srt, Format::Vtt, Format::Whisper, Format::ChatGpt, Format::WhatsApp,
            Format::Telegram, Format::Slack,
        ];
        let format = formats.get(format).copied();
        let _ = try_text("a", text, &Reading { format, ..usual() });
    }
}
