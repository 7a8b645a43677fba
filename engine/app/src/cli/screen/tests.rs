//! Pictures of states at several sizes, kept as text; and that nothing breaks them.
//!
//! `WEIR_WRITE=1` writes the pictures anew.

mod property;

use super::state::{Effect, Input, Link, State};
use super::theme::Theme;
use super::view::view;
use crate::cli::terminal::{Tone, is_unsafe};
use proptest::prelude::*;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::style::Color;
use weir_api::{
    Answered, CitationResult, Event, MemoryResult, NodeKind, Outline, OutlineNode, ProbeResult,
    Pulse, Reply, TimingsUs, TreeChanges, Wording,
};

const CHANGES: TreeChanges = TreeChanges {
    blocks: 4,
    inserted: 12,
    reinforced: 1,
    merged: 3,
    reduced: 5,
    forgotten: 2,
    by_hand: 0,
};
const SIZES: [(u16, u16); 4] = [(80, 24), (200, 50), (20, 24), (20, 6)];

fn drawn(state: &State, has_colours: bool, (columns, rows): (u16, u16)) -> Buffer {
    let backend = TestBackend::new(columns, rows);
    let mut terminal = Terminal::new(backend).expect("a backend");
    let theme = Theme { has_colours };
    let drawn = terminal.draw(|frame| view(state, theme, frame));
    drawn.expect("it draws");
    terminal.backend().buffer().clone()
}

/// The characters of a picture; a wide one stands once.
fn text(buffer: &Buffer) -> String {
    let mut lines = Vec::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += unicode_width::UnicodeWidthStr::width(symbol).max(1) as u16;
        }
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n") + "\n"
}

/// Compares the pictures of a state with those that are kept.
#[track_caller]
fn kept(name: &str, state: &State) {
    let mut all = String::new();
    for size in SIZES {
        all.push_str(&format!("== {} x {}\n", size.0, size.1));
        all.push_str(&text(&drawn(state, true, size)));
    }
    let file = format!("{name}.txt");
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/cli/screen/pictures")
        .join(&file);
    if std::env::var_os("WEIR_WRITE").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, &all).expect("a file");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let path = path.display();
    assert!(
        known == all,
        "{path} is not what is drawn (WEIR_WRITE=1 writes it):\n{all}"
    );
}

fn event(event: Event) -> Input {
    Input::Reply(Box::new(Reply::Event(Box::new(event))))
}

fn said(nth: u64, speaker: &str, text: &str) -> Input {
    event(Event::Utterance {
        id: format!("u{nth}"),
        stream: "live".into(),
        speaker: Some(speaker.into()),
        start_ms: nth * 7_000,
        end_ms: nth * 7_000 + 4_000,
        confidence: Some(0.9),
        text: text.into(),
    })
}

fn partial(start_ms: u64, committed: &str, tentative: &str) -> Input {
    event(Event::Partial {
        channel: None,
        stream: "live".into(),
        speaker: Some("Bob".into()),
        start_ms,
        end_ms: start_ms + 900,
        committed: committed.into(),
        tentative: tentative.into(),
    })
}

fn outline(texts: &[(NodeKind, &str, Option<&str>)]) -> Input {
    let rows = texts.iter().enumerate();
    let nodes = rows.map(|(nth, (kind, text, speaker))| OutlineNode {
        speaker: speaker.map(str::to_owned),
        pinned: nth == 2,
        key: (nth == 3).then(|| (*text).to_owned()),
        ..node(format!("n{nth}.0"), *kind, text)
    });
    Input::Reply(Box::new(Reply::Outline(Outline {
        nodes: nodes.collect(),
        left_out: 17,
        unsorted: 0,
    })))
}

fn node(id: String, kind: NodeKind, text: &str) -> OutlineNode {
    OutlineNode {
        id,
        kind,
        text: text.to_owned(),
        key: None,
        speaker: None,
        said_ms: 0,
        date: None,
        tokens: 4,
        wording: Wording::Verbatim,
        frequency: 0,
        pinned: false,
        edited: false,
        small_talk: false,
    }
}

fn pulse() -> Input {
    Input::Reply(Box::new(Reply::Pulse(Pulse {
        turns: 41,
        memory: MemoryResult {
            tokens: 20_012,
            budget_tokens: 32_768,
            ..MemoryResult::default()
        },
        streams: vec!["live".into()],
        audio_ms: 751_000,
        decoding_ms: 232_000,
        behind_ms: 0,
        heard_after_ms: Some(1_432),
    })))
}

fn answered(question: &str, answer: &str, quotes: &[&str]) -> Answered {
    let quotes = quotes.iter().zip(1_u64..);
    let citations = quotes.map(|(quote, nth)| CitationResult {
        utterances: vec!["u".into()],
        stream: "s".into(),
        turn: 1,
        speaker: Some("Ana".into()),
        start_ms: nth * 12_300,
        end_ms: nth * 12_300 + 2_000,
        said_at: None,
        audio: None,
        confidence: None,
        quote: (*quote).to_owned(),
        score: 0.8,
    });
    let no_answer = r#"{"probe": "", "answer": "", "abstained": false, "grounded": 1.0,
        "citations": [], "context": "", "context_utterances": [], "context_tokens": 0, "memory":
        {"tokens": 0, "text_tokens": 0, "bytes": 0, "budget_tokens": 0, "scenes": 0, "events": 0,
        "amus": 0, "pending_tokens": 0, "buffer_tokens": 0}, "turns": 0, "stream_ms": 0,
        "timings_us": {"encode": 0, "search": 0, "assemble": 0, "answer": 0, "total": 0}}"#;
    let empty: ProbeResult = serde_json::from_str(no_answer).expect("an answer");
    Answered {
        question: question.into(),
        result: ProbeResult {
            answer: answer.into(),
            citations: citations.collect(),
            timings_us: TimingsUs {
                total: 12_400,
                ..TimingsUs::default()
            },
            ..empty
        },
        check: None,
    }
}

fn full() -> State {
    let mut state = State::new("notes", Link::Here);
    let talk = [
        (
            "Ana",
            "We leave for Lisbon on Friday morning, with the early train.",
        ),
        ("Bob", "Who feeds the cat while we are away?"),
        ("Ana", "My sister Carla feeds the cat, she has a key."),
        ("Bob", "I bought a red umbrella for the rain in Portugal."),
        (
            "Carla",
            "The hotel is called Aurora and it stands near the harbour.",
        ),
    ];
    for (nth, (speaker, text)) in (0..).zip(talk.iter().cycle().take(25)) {
        state.update(said(nth, speaker, text));
    }
    state.update(event(Event::Unheard {
        stream: "live".into(),
        start_ms: 176_000,
        end_ms: 179_400,
        why: "noise".into(),
    }));
    state.update(event(Event::Gap {
        stream: "live".into(),
        at_ms: 180_000,
        lost_ms: 420,
    }));
    state.update(partial(190_000, "and then we take", "the tram to"));
    let mut rows = vec![
        (NodeKind::Scene, "A journey to Lisbon", None),
        (NodeKind::Event, "We leave on Friday morning", None),
        (
            NodeKind::Unit,
            "We leave for Lisbon on Friday morning.",
            Some("Ana"),
        ),
        (NodeKind::Unit, "hotel Aurora harbour", Some("Carla")),
        (NodeKind::Unit, "My brother feeds the cat.", Some("Ana")),
    ];
    state.update(outline(&rows));
    rows.push((
        NodeKind::Unit,
        "My sister Carla feeds the cat, she has a key.",
        Some("Ana"),
    ));
    state.update(outline(&rows));
    state.update(event(Event::Memory(CHANGES)));
    state.update(pulse());
    state.update(Input::Meter("▮▮▮▯▯▯".into(), false));
    state
}

fn press(state: &mut State, code: KeyCode) -> Option<Effect> {
    state.update(Input::Key(KeyEvent::new(code, KeyModifiers::NONE)))
}

fn control(state: &mut State, key: char) -> Option<Effect> {
    let key = KeyEvent::new(KeyCode::Char(key), KeyModifiers::CONTROL);
    state.update(Input::Key(key))
}

#[test]
fn an_empty_session_says_what_to_do() {
    kept("empty", &State::new("notes", Link::Here));
}

#[test]
fn talk_memory_and_figures_are_shown() {
    kept("full", &full());
}

#[test]
fn an_answer_has_its_evidence_below_it() {
    let mut state = full();
    state.update(Input::Paste("Who feeds".into()));
    let quotes = [
        "My sister Carla feeds the cat, she has a key.",
        "Carla has the key.",
    ];
    let answered = answered("Who feeds the cat?", "Carla feeds the cat.", &quotes);
    let answer = Event::Answer(Box::new(answered));
    state.update(Input::Asked("Who feeds the cat?".into()));
    state.update(event(answer));
    kept("answer", &state);
}

#[test]
fn messages_stand_in_the_picture_and_go() {
    let mut state = full();
    state.update(Input::Told(
        Tone::Warning,
        "the microphone was unplugged".into(),
    ));
    kept("warning", &state);
    state.update(Input::Time(60_000));
    assert_eq!(state.new_messages().count(), 0);
    control(&mut state, 'l');
    kept("messages", &state);
}

#[test]
fn a_session_that_nobody_has_open_is_shown_as_stored() {
    let mut state = full();
    state.update(Input::Link(Link::Stored));
    press(&mut state, KeyCode::PageUp);
    press(&mut state, KeyCode::Tab);
    kept("stored", &state);
}

#[test]
fn text_from_outside_neither_steers_the_terminal_nor_moves_columns() {
    let mut state = State::new("a\u{1b}]0;x\u{7}b\u{202e}", Link::Here);
    let hostile = [
        "\u{1b}[2J\u{1b}[31mred\u{1b}]0;title\u{7}",
        "a\tb\rc\nd\u{2028}e",
        "\u{202e}right to left\u{2066} \u{200f}",
        "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} 👍🏽 🇵🇹",
        "会議は八時です、会議は八時です、会議は八時です",
        "z\u{335}\u{336}\u{337}\u{338}\u{339}\u{33a}algo \u{301}",
        "\u{feff}\u{200b}\u{ad}",
        "مرحبا بالعالم שלום עולם",
    ];
    for (nth, text) in (0..).zip(hostile) {
        state.update(said(nth, text, text));
        state.update(partial(90_000, text, text));
        state.update(Input::Told(Tone::Failure, text.into()));
    }
    state.update(outline(
        &hostile.map(|text| (NodeKind::Unit, text, Some(text))),
    ));
    let answer = answered(hostile[0], hostile[3], &hostile);
    state.update(event(Event::Answer(Box::new(answer))));
    state.update(Input::Paste(hostile.concat()));
    kept("hostile", &state);
    for size in SIZES {
        is_sound(&drawn(&state, true, size));
    }
}

/// No cell steers the terminal, and no wide character reaches over the edge.
#[track_caller]
fn is_sound(buffer: &Buffer) {
    for y in 0..buffer.area.height {
        for x in 0..buffer.area.width {
            let symbol = buffer[(x, y)].symbol();
            assert!(!symbol.chars().any(is_unsafe), "{symbol:?} at {x}, {y}");
            let wide = unicode_width::UnicodeWidthStr::width(symbol) as u16;
            assert!(x + wide <= buffer.area.width, "{symbol:?} at {x}, {y}");
        }
    }
}

#[test]
fn without_colours_there_are_none() {
    let state = full();
    let has_colour = |buffer: &Buffer| {
        let cells = buffer.content.iter();
        cells
            .into_iter()
            .any(|cell| cell.fg != Color::Reset || cell.bg != Color::Reset)
    };
    assert!(has_colour(&drawn(&state, true, (80, 24))));
    assert!(!has_colour(&drawn(&state, false, (80, 24))));
}

#[test]
fn keys_type_scroll_and_stop() {
    let mut state = full();
    "Who?"
        .chars()
        .for_each(|c| drop(press(&mut state, KeyCode::Char(c))));
    let typed = Effect::Typed("Who?".into());
    assert_eq!(press(&mut state, KeyCode::Enter), Some(typed));
    assert_eq!(press(&mut state, KeyCode::Enter), None, "nothing is typed");
    press(&mut state, KeyCode::Up);
    assert_eq!(state.talk.shown().1, 1);
    press(&mut state, KeyCode::Esc);
    assert_eq!(state.talk.shown().1, 0);
    assert_eq!(control(&mut state, 'c'), Some(Effect::Stop));
}

#[test]
fn a_question_waits_is_written_and_may_fail() {
    let mut state = full();
    state.update(Input::Asked("Why?".into()));
    state.update(Input::Draft("Because of".into(), "the rain".into()));
    let shown = text(&drawn(&state, true, (80, 24)));
    assert!(shown.contains("Because of the rain"), "{shown}");
    state.update(Input::Reply(Box::new(Reply::Unanswered(
        "the model failed".into(),
    ))));
    let shown = text(&drawn(&state, true, (80, 24)));
    assert!(
        shown.contains("the model failed") && shown.contains("Why?"),
        "{shown}"
    );
}

#[test]
fn who_asked_here_reads_on_while_others_ask_elsewhere() {
    let mut state = full();
    state.update(Input::Link(Link::Attached));
    state.update(Input::Asked("Why?".into()));
    let elsewhere = answered("When?", "At eight.", &[]);
    state.update(event(Event::Answer(Box::new(elsewhere.clone()))));
    let shown = text(&drawn(&state, true, (80, 24)));
    assert!(
        shown.contains("? Why?") && !shown.contains("At eight."),
        "{shown}"
    );
    press(&mut state, KeyCode::Esc);
    state.update(event(Event::Answer(Box::new(elsewhere))));
    let shown = text(&drawn(&state, true, (80, 24)));
    assert!(shown.contains("At eight."), "{shown}");
}

fn keys() -> impl Strategy<Value = Input> {
    let code = prop_oneof![
        any::<char>().prop_map(KeyCode::Char),
        prop::sample::select(vec![
            KeyCode::Enter,
            KeyCode::Esc,
            KeyCode::Tab,
            KeyCode::Up,
            KeyCode::Down,
            KeyCode::PageUp,
            KeyCode::PageDown,
            KeyCode::Home,
            KeyCode::End,
            KeyCode::Left,
            KeyCode::Right,
            KeyCode::Backspace,
            KeyCode::Delete,
            KeyCode::F(1),
        ]),
        prop::sample::select(vec!['a', 'e', 'u', 'w', 'p', 'n', 'l']).prop_map(KeyCode::Char),
    ];
    (code, any::<bool>()).prop_map(|(code, control)| {
        let modifiers = if control {
            KeyModifiers::CONTROL
        } else {
            KeyModifiers::NONE
        };
        Input::Key(KeyEvent::new(code, modifiers))
    })
}
