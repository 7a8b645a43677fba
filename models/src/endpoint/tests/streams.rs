//! Streams as servers send them: truncated, split and broken.

use super::*;
use crate::Shape;

#[test]
fn a_connection_that_drops_in_the_middle_is_told_and_not_asked_again() {
    let heard = asked(&[Act::Stream(&[Step::Words("An"), Step::Words("na")])]);
    assert!(
        matches!(heard.error(), EndpointError::Broken { .. }),
        "{:?}",
        heard.error()
    );
    assert_eq!(
        (heard.pieces.concat().as_str(), heard.requests.len()),
        ("Anna", 1)
    );
    assert!(heard.message().contains("broke off"), "{}", heard.message());
}

#[test]
fn a_connection_that_drops_after_the_last_words_has_said_all() {
    let heard = asked(&[Act::Stream(&[Step::Words("Anna"), Step::Finish("stop")])]);
    assert_eq!((heard.text(), heard.reply().ended), ("Anna", Ended::Done));
}

#[test]
fn without_done_the_reason_to_finish_is_enough() {
    let heard = asked(&[Act::Stream(&[
        Step::Words("Anna"),
        Step::Finish("length"),
        Step::End,
    ])]);
    assert_eq!(
        (heard.text(), heard.reply().ended),
        ("Anna", Ended::TokensMax)
    );
}

#[test]
fn without_done_and_reason_a_reply_has_no_end() {
    let heard = asked(&[Act::Stream(&[Step::Words("Anna"), Step::End])]);
    assert!(
        matches!(heard.error(), EndpointError::Broken { .. }),
        "{:?}",
        heard.error()
    );
    assert!(
        heard.message().contains("pieces that came: 1"),
        "{}",
        heard.message()
    );
}

#[test]
fn done_without_a_reason_is_an_end() {
    let heard = asked(&[Act::Stream(&[Step::Words("Anna"), Step::Done])]);
    assert_eq!((heard.text(), heard.reply().ended), ("Anna", Ended::Done));
}

#[test]
fn a_stream_that_ends_before_it_says_anything_is_asked_for_whole() {
    // llama.cpp's Python server does this if the context is too long
    let why = "This model's maximum context length is 256 tokens. However, you requested 437";
    let heard = asked(&[Act::Stream(&[Step::End]), Act::Status(400, why)]);
    let is_told = matches!(
        heard.error(),
        EndpointError::ContextTooLong {
            found: Some(437),
            limit: Some(256),
            ..
        }
    );
    assert!(is_told, "{:?}", heard.error());
    assert_eq!(heard.requests.len(), 2);
    assert!(heard.requests[1].get("stream").is_none());
    let heard = asked(&[Act::Stream(&[]), Act::Say("yes")]);
    assert_eq!(heard.text(), "yes");
}

#[test]
fn a_byte_at_a_time_makes_the_same_reply() {
    let heard = asked(&[Act::Stream(&[
        Step::Dribble("grüße aus 日本"),
        Step::Finish("stop"),
        Step::Done,
    ])]);
    assert_eq!(heard.pieces, ["grüße aus 日本"]);
}

#[test]
fn a_chunk_may_end_inside_a_character() {
    let event = "data: {\"choices\":[{\"delta\":{\"content\":\"é日\"}}]}\r\n\r\n".as_bytes();
    let at = event
        .iter()
        .position(|byte| *byte > 0x7f)
        .expect("it is there")
        + 1;
    let (one, two) = event.split_at(at);
    let steps = [
        Step::Bytes(one.to_vec().leak()),
        Step::Bytes(two.to_vec().leak()),
        Step::Finish("stop"),
        Step::Done,
    ];
    let heard = asked(&[Act::Stream(steps.to_vec().leak())]);
    assert_eq!(heard.text(), "é日");
}

#[test]
fn garbage_is_told() {
    for act in [
        Act::Raw("garbage \u{1b}[31m"),
        Act::Bytes(b"\x00\x01\x02 not HTTP at all\r\n\r\n"),
        Act::Stream(&[Step::Data("garbage {")]),
        Act::Stream(&[Step::Bytes(b"data: \xff\xfe\n\n")]),
    ] {
        let heard = asked(&[act]);
        let error = heard.error();
        assert!(
            matches!(error, EndpointError::Malformed { .. }),
            "{act:?}: {error:?}"
        );
        assert!(!heard.message().contains('\u{1b}'), "{}", heard.message());
        assert_eq!(heard.requests.len(), 1, "{act:?}");
    }
}

#[test]
fn a_reply_without_choices_is_told() {
    let heard = asked(&[Act::Raw(r#"{"choices":[]}"#)]);
    assert!(
        matches!(heard.error(), EndpointError::Malformed { .. }),
        "{:?}",
        heard.error()
    );
    assert!(
        heard.message().contains("choices[0]"),
        "{}",
        heard.message()
    );
    let empty = Act::Stream(&[Step::Data(r#"{"choices":[]}"#), Step::Done]);
    let heard = asked(&[empty, Act::Raw(r#"{"choices":[]}"#)]);
    assert!(
        heard.message().contains("choices[0]"),
        "{}",
        heard.message()
    );
}

#[test]
fn a_call_of_a_tool_is_no_reply() {
    let tool = r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1"}]},
        "finish_reason":"tool_calls"}]}"#;
    let heard = asked(&[Act::Raw(tool)]);
    assert!(
        heard.message().contains("called a tool"),
        "{}",
        heard.message()
    );
    let heard = asked(&[Act::Stream(&[
        Step::Data(r#"{"choices":[{"delta":{"content":null,"tool_calls":[{"index":0}]}}]}"#),
        Step::Finish("tool_calls"),
        Step::Done,
    ])]);
    assert!(
        heard.message().contains("called a tool"),
        "{}",
        heard.message()
    );
}

#[test]
fn a_filter_is_told() {
    let heard = asked(&[Act::Stream(&[
        Step::Words("I"),
        Step::Finish("content_filter"),
        Step::Done,
    ])]);
    assert!(
        matches!(heard.error(), EndpointError::Filtered { .. }),
        "{:?}",
        heard.error()
    );
}

#[test]
fn thoughts_are_left_out_of_streams() {
    let heard = asked(&[Act::Stream(&[
        Step::Data(r#"{"choices":[{"delta":{"reasoning_content":"let me see"}}]}"#),
        Step::Words("<thi"),
        Step::Words("nk>Anna or Bob?</th"),
        Step::Words("ink>\n\nBob"),
        Step::Words("."),
        Step::Finish("stop"),
        Step::Done,
    ])]);
    assert_eq!(heard.pieces, ["Bob", "."]);
}

#[test]
fn stop_words_hold_where_the_server_ignores_them() {
    let script = [Act::Stream(&[
        Step::Words("one\nUs"),
        Step::Words("er: two"),
        Step::Endless(b": more\n\n"),
    ])];
    let mut request = request();
    request.stop = vec!["User:".to_owned()];
    let heard = asked_with(&script, &request, |_| {});
    assert_eq!(
        (heard.text(), heard.reply().ended),
        ("one\n", Ended::StopWord)
    );
    assert_eq!(heard.requests[0]["stop"][0], "User:");
    let heard = asked_with(&[Act::Say("one User: two")], &request, |_| {});
    assert_eq!(
        (heard.text(), heard.reply().ended),
        ("one ", Ended::StopWord)
    );
    request.shape = Shape::Text;
    const SAID: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop","stop_reason":"User:"}]}"#;
    let heard = asked_with(
        &[Act::Stream(&[
            Step::Words("one"),
            Step::Data(SAID),
            Step::Done,
        ])],
        &request,
        |_| {},
    );
    assert_eq!(
        (heard.text(), heard.reply().ended),
        ("one", Ended::StopWord)
    );
}

#[test]
fn a_listener_that_stops_closes_the_connection() {
    const PIECE: &[u8] = b"data: {\"choices\":[{\"delta\":{\"content\":\"more \"}}]}\n\n";
    let server = Server::start(&[Act::Stream(&[Step::Endless(PIECE)])]);
    let mut given = String::new();
    let mut on_piece = |piece: &str| {
        given.push_str(piece);
        if given.len() > 12 {
            Flow::Stop
        } else {
            Flow::On
        }
    };
    let reply = endpoint(options(&server))
        .ask(&request(), &mut on_piece)
        .expect("a reply");
    assert_eq!(
        (reply.text.as_str(), reply.ended),
        ("more more more ", Ended::Stopped)
    );
    assert_eq!(given, reply.text);
    assert!(server.is_left());
}

#[test]
fn a_listener_that_stops_is_heard_through_keep_alives() {
    for steps in [
        &[Step::Endless(b": alive\n\n")],
        &[Step::Endless(b"endless line ")],
    ] {
        let server = Server::start(&[Act::Stream(steps)]);
        let mut calls = 0;
        let mut on_piece = |_: &str| {
            calls += 1;
            if calls > 50 { Flow::Stop } else { Flow::On }
        };
        let reply = endpoint(options(&server))
            .ask(&request(), &mut on_piece)
            .expect("a reply");
        assert_eq!(reply.ended, Ended::Stopped);
        assert!(server.is_left());
    }
}

#[test]
fn a_silent_connection_is_closed_when_the_listener_stops() {
    for act in [Act::Silence, Act::Stream(&[Step::Words("An"), Step::Hold])] {
        let server = Server::start(&[act]);
        let begun = Instant::now();
        // long enough for the server to have read the request
        let mut on_piece = |_: &str| match begun.elapsed() > Duration::from_secs(1) {
            true => Flow::Stop,
            false => Flow::On,
        };
        let reply = endpoint(options(&server))
            .ask(&request(), &mut on_piece)
            .expect("a reply");
        assert_eq!(reply.ended, Ended::Stopped);
        assert!(server.is_hung_up(), "{act:?}");
    }
}

#[test]
fn a_listener_is_heard_while_the_server_is_silent() {
    for act in [
        Act::Silence,
        Act::Stream(&[Step::Hold]),
        Act::Status(503, ""),
    ] {
        let server = Server::start(&[act]);
        let endpoint = endpoint(EndpointOptions {
            pause: Duration::from_secs(30),
            ..options(&server)
        });
        let mut calls = 0;
        let mut on_piece = |piece: &str| {
            assert_eq!(piece, "");
            calls += 1;
            if calls == 3 { Flow::Stop } else { Flow::On }
        };
        let (reply, took) = timed(|| endpoint.ask(&request(), &mut on_piece));
        let reply = reply.expect("a reply");
        assert_eq!((reply.text.as_str(), reply.ended), ("", Ended::Stopped));
        assert!(took < Duration::from_secs(15), "{act:?} took {took:?}");
    }
}

#[test]
fn a_stream_that_does_not_call_itself_one_is_read() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"Bob\"}}]}\n\ndata: [DONE]\n\n";
    let heard = asked(&[Act::Raw(body)]);
    assert_eq!((heard.text(), heard.reply().ended), ("Bob", Ended::Done));
}

#[test]
fn a_reason_that_says_nothing_is_no_end() {
    for first in [
        r#"{"choices":[{"delta":{"content":"Anna"},"finish_reason":""}]}"#,
        r#"{"choices":[{"delta":{"content":"Anna"},"finish_reason":"null"}]}"#,
    ] {
        let steps = vec![Step::Data(first), Step::Words(" and"), Step::Hold];
        let change = |options: &mut EndpointOptions| {
            options.piece_timeout = Duration::from_millis(300);
        };
        let heard = asked_with(&[Act::Stream(steps.leak())], &request(), change);
        let is_late = matches!(heard.error(), EndpointError::Timeout { .. });
        assert!(is_late, "{:?}", heard.error());
        let steps = vec![Step::Data(first), Step::Finish("length"), Step::Done];
        let heard = asked(&[Act::Stream(steps.leak())]);
        assert_eq!(heard.reply().ended, Ended::TokensMax);
    }
}
