//! Files of other programs, made here: what is taken of each form, what is left out, and why.

use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use tempfile::tempdir;
use weir_api::LeftOutReason::{self, *};
use weir_api::Said;
use weir_engine::import::{Format, Order, Plan, Reading, read};

pub(crate) fn usual() -> Reading {
    Reading {
        format: None,
        dates: None,
        zone: TimeZone::UTC,
    }
}

fn plan_of(path: &Path, reading: &Reading) -> Result<Plan, String> {
    let shown = path.file_name().unwrap().to_string_lossy();
    let found = read(path, &shown, reading).map_err(|error| error.to_string())?;
    Ok(found.plan(&BTreeMap::new(), &HashSet::new()))
}

pub(crate) fn try_text(
    name: &str,
    text: impl AsRef<[u8]>,
    reading: &Reading,
) -> Result<Plan, String> {
    let place = tempdir().unwrap();
    let path = place.path().join(name);
    fs::write(&path, text).unwrap();
    plan_of(&path, reading)
}

#[track_caller]
pub(crate) fn plan(name: &str, text: impl AsRef<[u8]>) -> Plan {
    try_text(name, text, &usual()).unwrap()
}

/// All that is said, as lines.
pub(crate) fn lines(plan: &Plan) -> Vec<String> {
    let said = plan.streams.iter().flat_map(|it| &it.said);
    let line = |it: &Said| format!("{}: {}", it.speaker.as_deref().unwrap_or("?"), it.text);
    said.map(line).collect()
}

pub(crate) fn left_out(plan: &Plan) -> Vec<(LeftOutReason, u64)> {
    let all = plan.preview.left_out.iter();
    all.map(|it| (it.reason, it.count)).collect()
}

fn names(plan: &Plan) -> Vec<&str> {
    plan.streams.iter().map(|it| it.name.as_str()).collect()
}

fn starts(plan: &Plan) -> Vec<u64> {
    let said = plan.streams.iter().flat_map(|it| &it.said);
    said.map(|it| it.span.unwrap().start_ms).collect()
}

/// When the first message was written.
fn began(plan: &Plan) -> &str {
    plan.preview.first_at.as_deref().unwrap()
}

#[test]
fn srt_in_its_odd_forms() {
    let text = "\u{feff}1\r\n00:00:05,500 --> 00:00:07,000\r\n<i>Second.</i>\r\n\r\n2\r\n\
        0:00:01.000 --> 0:00:02.000 X1:10\r\n{\\an8}First &amp; last,\r\non two lines\r\n \r\n\
        3\r\n00:00:08,000 --> 00:00:09,000\r\n\r\n4\r\nnine --> ten\r\nLost.\r\n\r\n\
        5\r\n00:00:10,000 --> 00:00:11,000\r\nI <3 it: really.\r\n\r\nBelow a blank.\r\n";
    let plan = plan("film.srt", text);
    assert_eq!(plan.preview.format, "srt");
    let all = [
        "?: First & last, on two lines",
        "?: Second.",
        "?: I <3 it: really. Below a blank.",
    ];
    assert_eq!(lines(&plan), all);
    assert_eq!(starts(&plan), [1_000, 5_500, 10_000]);
    assert_eq!(left_out(&plan), [(Empty, 1), (Unreadable, 1)]);
    assert_eq!((plan.preview.messages, plan.preview.new), (5, 3));
    assert_eq!(plan.streams[0].name, "film.srt");
    let bad = try_text("a.srt", "1\n00:00:01 -> x\n\n2\n1 --> 2\nWords\n", &usual());
    let bad = bad.unwrap_err();
    assert!(
        bad.starts_with("a.srt, line 1: cannot read it as srt"),
        "{bad}"
    );
}

#[test]
fn a_name_before_a_colon_speaks_only_where_that_is_the_habit() {
    let cues = |texts: &[&str]| {
        let mut all = String::new();
        for (at, text) in texts.iter().enumerate() {
            writeln!(
                all,
                "{at}\n00:00:{at:02},000 --> 00:00:{at:02},900\n{text}\n"
            )
            .unwrap();
        }
        lines(&plan("a.srt", all))
    };
    let habit = cues(&[
        "Ana: Hello.", "Bo B.: Yes.", "Ana: Note: one.", "So.", "Bo B.: No.",
    ]);
    assert_eq!(
        habit,
        [
            "Ana: Hello.", "Bo B.: Yes.", "Ana: Note: one.", "?: So.", "Bo B.: No."
        ]
    );
    let once = cues(&[
        "Remember: go.", "Yes.", "No.", "Remember: stay.", "So.", "Ah.", "Oh.",
    ]);
    assert!(once.iter().all(|it| it.starts_with("?: ")), "{once:?}");
    // a label is not the voice that the session calls so
    let label = cues(&["Speaker 1: Hello.", "Speaker 1: Yes."]);
    assert_eq!(label[0], "Speaker 1 (a.srt): Hello.");
}

#[test]
fn pieces_of_a_sentence_are_one_and_broken_cues_are_counted() {
    let text = "1\n00:00:01,000 --> 00:00:02,000\nWhen the tide is out\n\n\
        2\n00:00:02,100 --> 00:00:03,000\nwe walk to the wreck. It is\n\n\
        3\n00:00:03,000 --> 00:00:04,000\nrusty.\n\n\
        4\n00:00:05,000 -> 00:00:06,000\nLost words.\n\n\
        00:00:06,000 > 00:00:07,000\nMore lost words.\n\n\
        5\n00:00:07,000 --> 00:00:08,000\nNobody answers\n\n\
        6\n00:00:09,500 --> 00:00:10,000\nme\n\n\
        7\n00:00:10,000 --> 00:00:11,000\n- I do\n";
    let plan = plan("walk.srt", text);
    let all = [
        "?: When the tide is out we walk to the wreck. It is rusty.",
        "?: Nobody answers",
        "?: me",
        "?: - I do",
    ];
    assert_eq!(lines(&plan), all);
    assert_eq!(left_out(&plan), [(Unreadable, 2)]);
    let first = plan.streams[0].said[0].span.unwrap();
    assert_eq!((first.start_ms, first.end_ms), (1_000, 4_000));
}

#[test]
fn vtt_with_voices_settings_notes_and_rolling_captions() {
    let text = "WEBVTT - a talk\nKind: captions\n\n\
        NOTE\nnot said\n\nSTYLE\n::cue { color: red }\n\n\
        intro\n00:01.000 --> 00:02.500 align:start position:0%\n\
        <v.loud Ana Maria>Hello <b>there</b>.</v> <v Bo>Hi.\n\n\
        01:00:00.000 --> 01:00:01.000\nNo voice&nbsp;here.\n";
    let voices = plan("talk.vtt", text);
    assert_eq!(
        lines(&voices),
        ["Ana Maria: Hello there.", "Bo: Hi.", "?: No voice here."]
    );
    assert_eq!(starts(&voices), [1_000, 1_000, 3_600_000]);
    let mut rolling = String::from("WEBVTT\n\n");
    let words = ["one is", "two is", "three is", "four is"];
    for (at, two) in words.windows(2).enumerate() {
        let (above, new) = (two[0], two[1]);
        let at = at * 2;
        let above = if at == 0 { " " } else { above };
        let cue = format!(
            "00:0{at}.000 --> 00:0{at}.990\n{above}\n{new}<00:00:01.5><c> it</c>\n\n\
             00:0{at}.990 --> 00:0{}.000\n{new} it\n \n\n",
            at + 1
        );
        rolling.push_str(&cue.replace(&format!("\n{above}\n"), &format!("\n{above} it\n")));
    }
    let rolling = plan("roll.vtt", rolling.replace("\n  it\n", "\n \n"));
    assert_eq!(
        lines(&rolling),
        ["?: two is it", "?: three is it", "?: four is it"]
    );
    assert_eq!(left_out(&rolling), [(Repeat, 3)]);
}

#[test]
fn whisper_of_all_programs() {
    let of = |value: Value| plan("a.json", value.to_string());
    let openai = of(json!({"text": "x", "language": "en", "segments": [
        {"id": 0, "start": 0.0, "end": 1.25, "text": " Hello.", "tokens": [1]},
        {"id": 1, "start": 1.25, "end": 2.0, "text": " "},
        {"id": 2, "start": -4.0, "end": 2.0, "text": "Lost."}]}));
    assert_eq!(lines(&openai), ["?: Hello."]);
    assert_eq!(left_out(&openai), [(Empty, 1), (Unreadable, 1)]);
    let span = openai.streams[0].said[0].span.unwrap();
    assert_eq!((span.start_ms, span.end_ms), (0, 1_250));
    let cpp = of(json!({"model": {}, "transcription": [
        {"timestamps": {"from": "00:00:00,000"}, "offsets": {"from": 30, "to": 900}, "text": " Yes"}
    ]}));
    assert_eq!(
        (lines(&cpp), starts(&cpp)),
        (vec!["?: Yes".to_owned()], vec![30])
    );
    let x = of(json!({"segments": [
        {"start": 1, "end": 2, "text": "Hi", "speaker": "SPEAKER_00", "words": []}]}));
    assert_eq!(lines(&x), ["SPEAKER_00: Hi"]);
    let cut = try_text("a.json", "{\"segments\": [\n{\"start\": 0,\n", &usual()).unwrap_err();
    assert!(cut.starts_with("a.json, line 3: not whole JSON"), "{cut}");
}

fn node(parent: Option<&str>, role: &str, parts: &Value) -> Value {
    json!({"parent": parent, "children": [], "message": {"author": {"role": role, "name": null},
        "create_time": 1_700_000_000.5, "content": {"content_type": "text", "parts": parts}}})
}

fn chatgpt() -> Value {
    let mut call = node(Some("b"), "assistant", &json!(["search(x)"]));
    call["message"]["recipient"] = json!("browser");
    let mut hidden = node(Some("root"), "user", &json!(["about me"]));
    hidden["message"]["metadata"] = json!({"is_visually_hidden_from_conversation": true});
    let pictures = json!([{"content_type": "image_asset_pointer"}]);
    let mixed = json!([{"content_type": "audio_transcription", "text": "And\nnow?"}]);
    json!([{"title": "Trip", "conversation_id": "c1", "id": "c1", "current_node": "g", "mapping": {
        "root": {"id": "root", "message": null, "parent": null},
        "h": hidden, "s": node(Some("h"), "system", &json!([""])),
        "a": node(Some("s"), "user", &json!(["Where to?"])),
        "b": node(Some("a"), "assistant", &json!(["Lisbon."])),
        "b2": node(Some("a"), "assistant", &json!(["Porto."])),
        "c": call, "d": node(Some("c"), "tool", &json!(["result"])),
        "e": node(Some("d"), "user", &pictures), "f": node(Some("e"), "user", &mixed),
        "g": node(Some("f"), "assistant", &json!(["Go."]))}},
        {"title": null, "mapping": {"x": node(None, "user", &json!(["Alone."]))}}])
}

#[test]
fn chatgpt_takes_the_path_that_is_shown() {
    let plan = plan("conversations.json", chatgpt().to_string());
    let all = [
        "User: Where to?", "Assistant: Lisbon.", "User: And now?", "Assistant: Go.",
    ];
    assert_eq!(lines(&plan)[..4], all);
    assert_eq!(lines(&plan)[4..], ["User: Alone."]);
    let counts = [(System, 1), (Media, 1), (Tool, 2), (Hidden, 1), (Branch, 1)];
    assert_eq!(left_out(&plan), counts);
    assert_eq!(names(&plan), ["Trip", "ChatGPT"]);
    assert_eq!(began(&plan), "2023-11-14T22:13:20.5Z");
    assert_eq!(plan.preview.messages, 11);
}

#[test]
fn whatsapp_of_an_iphone() {
    let text = "[31.01.24, 09:59:00] Trip: \u{200e}Messages are encrypted.\n\
        [31.01.24, 10:03:05] ~\u{202f}Ana: Hello\nyou two\n\
        \u{200e}[31.01.24, 10:03:06] Bo: \u{200e}image omitted\n\
        [01.02.24, 10:03:07] Bo: Look \u{200e}<attached: 0001-PHOTO.jpg>\n\
        [01.02.24, 10:03:08] Bo: This message was deleted.\n\
        [01.02.24, 10:03:09] Bo: Yes \u{200e}<This message was edited>\n";
    let plan = plan("WhatsApp Chat - Trip (2).txt", text);
    assert_eq!(lines(&plan), ["Ana: Hello you two", "Bo: Look", "Bo: Yes"]);
    assert_eq!(left_out(&plan), [(System, 1), (Media, 1), (Deleted, 1)]);
    assert_eq!(plan.streams[0].name, "WhatsApp Chat - Trip");
    assert_eq!(began(&plan), "2024-01-31T10:03:05Z");
}

#[test]
fn whatsapp_of_android_in_twelve_hours() {
    let text = "1/30/24, 11:59\u{202f}PM - Messages are end-to-end encrypted.\n\
        1/30/24, 11:59\u{202f}PM - Ana changed the name from \"a: b\" to \"c\"\n\
        1/31/24, 12:05\u{202f}AM - Ana: Note: it is late\n\
        1/31/24, 12:06 a.m. - Bo: <Medien ausgeschlossen>\n\
        1/31/24, 12:07 p. m. - Bo: IMG-20240131-WA0001.jpg (file attached)\nThe cat\n\
        1/31/24, 12:08 PM - Bo: IMG-20240131-WA0002.jpg (file attached)\n";
    let plan = plan("chat.txt", text);
    assert_eq!(lines(&plan), ["Ana: Note: it is late", "Bo: The cat"]);
    assert_eq!(left_out(&plan), [(System, 2), (Media, 2)]);
    assert_eq!(starts(&plan), [0, 43_320_000]);
    assert_eq!(began(&plan), "2024-01-31T00:05:00Z");
}

#[test]
fn days_and_months_are_told_apart_or_asked_for() {
    let of = |dates: &[&str], reading: &Reading| {
        let line = |date: &&str| format!("{date}, 10:00 - Ana: hello\n");
        let text: String = dates.iter().map(line).collect();
        try_text("c.txt", text, reading).map(|it| began(&it)[..10].to_owned())
    };
    let usual = usual();
    assert_eq!(
        of(&["01/02/2024", "13/02/2024"], &usual).unwrap(),
        "2024-02-01"
    );
    assert_eq!(
        of(&["01/02/2024", "02/13/2024"], &usual).unwrap(),
        "2024-01-02"
    );
    assert_eq!(of(&["2024-02-01"], &usual).unwrap(), "2024-02-01");
    assert_eq!(of(&["01.02.24"], &usual).unwrap(), "2024-02-01");
    // only in one reading time goes on
    assert_eq!(
        of(&["01/02/2024", "05/02/2024", "01/03/2024"], &usual).unwrap(),
        "2024-02-01"
    );
    let doubtful = of(&["03/03/2024", "04/05/2024"], &usual).unwrap_err();
    assert!(
        doubtful.starts_with("c.txt, line 2: day and month"),
        "{doubtful}"
    );
    let told = Reading {
        dates: Some(Order::MonthFirst),
        ..usual
    };
    assert_eq!(of(&["04/05/2024"], &told).unwrap(), "2024-04-05");
}

#[test]
fn telegram_of_one_chat_and_of_all() {
    let chat = json!({"name": "Fam", "type": "private_group", "id": 7, "messages": [
        {"id": 1, "type": "service", "actor": "Ana", "action": "create_group", "text": ""},
        {"id": 2, "type": "message", "date": "2024-01-31T10:00:00", "date_unixtime": "1706691600",
         "from": "Ana", "text": ["See ", {"type": "link", "text": "x.org"}, " now"]},
        {"id": 3, "type": "message", "date": "2024-01-31T10:00:09", "from": "Bo", "text": "Yes"},
        {"id": 4, "type": "message", "from": "Bo", "photo": "p.jpg", "text": ""}]});
    let one = plan("result.json", chat.to_string());
    assert_eq!(lines(&one), ["Ana: See x.org now", "Bo: Yes"]);
    assert_eq!(left_out(&one), [(System, 1), (Media, 1)]);
    assert_eq!(
        (began(&one), one.preview.messages),
        ("2024-01-31T09:00:00Z", 4)
    );
    let whole = json!({"about": "x", "personal_information": {}, "chats": {"list": [chat,
        {"type": "saved_messages", "id": 8, "messages": [
            {"type": "message", "date_unixtime": "1", "from": "Me", "text": "Milk"}]}]}});
    let whole = plan("result.json", whole.to_string());
    assert_eq!(names(&whole), ["Saved Messages", "Fam"]);
}

/// An export of Slack as files.
fn slack() -> [(&'static str, String); 5] {
    let users = json!([{"id": "U1", "name": "ana", "profile": {"display_name": "", "real_name":
        "Ana L"}}, {"id": "U2", "name": "bo"}]);
    let general = json!([
        {"type": "message", "subtype": "channel_join", "user": "U1", "text": "x", "ts": "1.0"},
        {"type": "message", "user": "U2", "text": "Last", "ts": "1706700003.000100",
         "thread_ts": "1706700001.000200"},
        {"type": "message", "user": "U1", "text": "<@U2> a &lt; b <http://x.org|there> <!here>",
         "ts": "1706700001.000200"},
        {"type": "message", "user": "U1", "text": "", "files": [{}], "ts": "1706700002.0"},
        {"type": "message", "subtype": "tombstone", "text": "gone", "ts": "1706700004.0"}]);
    let direct = json!([{"type": "message", "user": "U2", "text": "Psst", "ts": "1706700009.0"}]);
    [
        ("users.json", users.to_string()),
        (
            "channels.json",
            json!([{"id": "C1", "name": "general"}]).to_string(),
        ),
        (
            "dms.json",
            json!([{"id": "D1", "members": ["U1", "U2"]}]).to_string(),
        ),
        ("general/2024-01-31.json", general.to_string()),
        ("D1/2024-01-31.json", direct.to_string()),
    ]
}

#[test]
fn slack_as_a_folder_and_as_a_zip() {
    let place = tempdir().unwrap();
    let (folder, zip) = (place.path().join("export"), place.path().join("export.zip"));
    let mut archive = zip::ZipWriter::new(fs::File::create(&zip).unwrap());
    for (name, text) in slack() {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &text).unwrap();
        let options = zip::write::SimpleFileOptions::default();
        archive
            .start_file(format!("export/{name}"), options)
            .unwrap();
        archive.write_all(text.as_bytes()).unwrap();
    }
    archive.finish().unwrap();
    for path in [folder, zip] {
        let plan = plan_of(&path, &usual()).unwrap();
        let all = ["Ana L: @bo a < b there @here", "bo: Last", "bo: Psst"];
        assert_eq!(lines(&plan), all);
        assert_eq!(left_out(&plan), [(System, 1), (Media, 1), (Deleted, 1)]);
        assert_eq!(names(&plan), ["#general", "Ana L, bo"]);
    }
}

#[test]
fn what_is_no_export_is_refused_with_its_place() {
    let refused = |name: &str, text: &[u8]| try_text(name, text, &usual()).unwrap_err();
    let unknown = refused("a.txt", b"Dear diary,\n");
    assert!(
        unknown.starts_with("a.txt: cannot tell its format"),
        "{unknown}"
    );
    assert!(refused("a.json", b"{\"a\": 1}").contains("cannot tell"));
    assert!(refused("a.zip", b"PK\x03\x04broken").contains("cannot read the archive"));
    let bytes = refused("a.srt", b"1\n00:01 --> 00:02\nna\xefve\n");
    assert!(bytes.starts_with("a.srt, line 3: not UTF-8"), "{bytes}");
    let named = Reading {
        format: Some(Format::ChatGpt),
        ..usual()
    };
    let other = try_text("a.json", "{\"mapping\": 4}", &named).unwrap_err();
    assert!(
        other.starts_with("a.json, line 1: cannot read it as chatgpt"),
        "{other}"
    );
    let wide: Vec<u8> = "\u{feff}1\n00:01 --> 00:02\nnaïve\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(lines(&plan("a.srt", wide)), ["?: naïve"]);
}
