//! No events and no sizes break the picture.

use super::{answered, drawn, event, is_sound, keys, node, partial, said};
use crate::cli::screen::state::{Input, Link, State};
use crate::cli::terminal::Tone;
use proptest::prelude::*;
use weir_api::{Event, MemoryResult, NodeKind, Outline, OutlineNode, Pulse, Reply};

const WORDS: &str = "\\PC{0,60}|.{0,60}|[ a-z]{0,300}";

fn outlines() -> impl Strategy<Value = Input> {
    prop::collection::vec((WORDS, any::<u8>()), 0..12).prop_map(|rows| {
        let kinds = [NodeKind::Scene, NodeKind::Event, NodeKind::Unit];
        let nodes = rows.into_iter().map(|(text, id)| OutlineNode {
            speaker: (id > 100).then(|| text.clone()),
            pinned: id > 200,
            key: (id % 2 == 0).then(|| text.clone()),
            ..node(format!("n{id}"), kinds[usize::from(id) % 3], &text)
        });
        Input::Reply(Box::new(Reply::Outline(Outline {
            nodes: nodes.collect(),
            left_out: 3,
            unsorted: 0,
        })))
    })
}

fn inputs() -> impl Strategy<Value = Input> {
    let words = WORDS;
    prop_oneof![
        4 => keys(),
        1 => words.prop_map(Input::Paste),
        1 => any::<u64>().prop_map(Input::Time),
        3 => (0..40_u64, words, words).prop_map(|(nth, by, text)| said(nth, &by, &text)),
        2 => (0..400_000_u64, words, words).prop_map(|(at, a, b)| partial(at, &a, &b)),
        2 => outlines(),
        1 => words.prop_map(|text| Input::Told(Tone::Warning, text)),
        1 => words.prop_map(Input::Asked),
        1 => (words, words).prop_map(|(a, b)| Input::Draft(a, b)),
        1 => (words, any::<bool>()).prop_map(|(level, ends)| Input::Meter(level, ends)),
        1 => words.prop_map(|text| {
            let answer = answered(&text, &text, &[&text]);
            event(Event::Answer(Box::new(answer)))
        }),
        1 => any::<u64>().prop_map(|ms| event(Event::Gap {
            stream: "live".into(),
            at_ms: ms,
            lost_ms: ms,
        })),
        1 => any::<(usize, usize, u64, u64)>().prop_map(|(tokens, budget_tokens, ms, other)| {
            let memory = MemoryResult { tokens, budget_tokens, ..MemoryResult::default() };
            Input::Reply(Box::new(Reply::Pulse(Pulse {
                turns: ms,
                memory,
                streams: Vec::new(),
                audio_ms: ms,
                decoding_ms: other,
                behind_ms: other,
                heard_after_ms: Some(ms),
            })))
        }),
        1 => prop::sample::select(vec![Link::Here, Link::Attached, Link::Stored])
            .prop_map(Input::Link),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_events_and_no_sizes_break_the_picture(
        steps in prop::collection::vec((inputs(), 0_u16..120, 0_u16..50), 1..60),
    ) {
        let mut state = State::new("notes", Link::Here);
        for (input, columns, rows) in steps {
            state.update(input);
            is_sound(&drawn(&state, true, (columns, rows)));
        }
    }
}
