//! Limits of time and size. In each test one limit is small; the others are so long that a slow
//! machine does not reach them.

use super::*;

const SHORT: Duration = Duration::from_millis(300);

/// The error of one attempt, which must come before the long limits.
fn timeout(script: &[Act], change: impl FnOnce(&mut EndpointOptions)) -> &'static str {
    let limits = |options: &mut EndpointOptions| {
        options.attempts_max = 1;
        change(options);
    };
    let (heard, took) = timed(|| asked_with(script, &request(), limits));
    assert!(took < Duration::from_secs(15), "{took:?}");
    match heard.error() {
        EndpointError::Timeout { missing, limit, .. } => {
            assert_eq!(*limit, SHORT);
            assert!(heard.message().contains("300ms"), "{}", heard.message());
            missing
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn silence_ends() {
    let first = |options: &mut EndpointOptions| options.first_piece_timeout = SHORT;
    assert_eq!(timeout(&[Act::Silence], first), "the first words");
    let total = |options: &mut EndpointOptions| options.total_timeout = SHORT;
    assert_eq!(timeout(&[Act::Silence], total), "the whole reply");
    let whole = |options: &mut EndpointOptions| {
        options.streams = false;
        options.total_timeout = SHORT;
    };
    assert_eq!(timeout(&[Act::Silence], whole), "the whole reply");
}

#[test]
fn a_server_that_only_keeps_the_connection_alive_ends() {
    let first = |options: &mut EndpointOptions| options.first_piece_timeout = SHORT;
    assert_eq!(
        timeout(&[Act::Stream(&[Step::Hold])], first),
        "the first words"
    );
    let alive = [Act::Stream(&[Step::Endless(b": keep-alive\n\n")])];
    assert_eq!(timeout(&alive, first), "the first words");
}

#[test]
fn a_server_that_falls_silent_in_the_middle_ends() {
    let piece = |options: &mut EndpointOptions| options.piece_timeout = SHORT;
    let script = [Act::Stream(&[Step::Words("An"), Step::Hold])];
    assert_eq!(timeout(&script, piece), "the next words");
    let script = [Act::Stream(&[Step::Words("An"), Step::Endless(b":\n\n")])];
    assert_eq!(timeout(&script, piece), "the next words");
}

#[test]
fn a_reply_without_end_ends_at_the_total_limit() {
    const PIECE: &[u8] = b"data: {\"choices\":[{\"delta\":{\"reasoning\":\"x\"}}]}\n\n";
    let total = |options: &mut EndpointOptions| options.total_timeout = SHORT;
    assert_eq!(
        timeout(&[Act::Stream(&[Step::Endless(PIECE)])], total),
        "the whole reply"
    );
}

#[test]
fn limits_without_bound_overflow_nothing() {
    let script = [Act::Stream(&[
        Step::Words("Bob"),
        Step::Finish("stop"),
        Step::Done,
    ])];
    let heard = asked_with(&script, &request(), |options| {
        options.connect_timeout = Duration::MAX;
        options.first_piece_timeout = Duration::MAX;
        options.piece_timeout = Duration::MAX;
        options.total_timeout = Duration::MAX;
        options.pause = Duration::MAX;
    });
    assert_eq!(heard.text(), "Bob");
}

#[test]
fn what_follows_the_last_words_is_not_waited_for_long() {
    let (heard, took) = timed(|| {
        asked(&[Act::Stream(&[
            Step::Words("Bob"),
            Step::Finish("stop"),
            Step::Hold,
        ])])
    });
    assert_eq!(heard.text(), "Bob");
    assert!(took < Duration::from_secs(15), "{took:?}");
}

#[test]
fn a_refusal_that_never_ends_is_told() {
    let head = b"HTTP/1.1 400 No\r\ncontent-length: 1000\r\n\r\nbad temperature";
    let heard = asked_with(&[Act::Bytes(head)], &request(), |o| o.streams = false);
    assert!(
        heard.message().contains("bad temperature"),
        "{}",
        heard.message()
    );
}

#[test]
fn a_gigabyte_is_not_read() {
    let huge = Act::With(200, "content-length: 1000000000\r\n", "{\"choices\":");
    let heard = asked(&[huge]);
    assert!(
        matches!(heard.error(), EndpointError::TooLarge { .. }),
        "{:?}",
        heard.error()
    );
    assert_eq!(heard.requests.len(), 1);
}

#[test]
fn a_line_and_a_reply_without_end_are_cut_off() {
    const BYTES: &[u8] = &[b'x'; 64 << 10];
    let heard = asked(&[Act::Stream(&[Step::Endless(BYTES)])]);
    assert!(
        matches!(heard.error(), EndpointError::TooLarge { .. }),
        "{:?}",
        heard.error()
    );
    let heard = asked(&[Act::Stream(&[Step::Bytes(b"data: "), Step::Endless(BYTES)])]);
    assert!(
        matches!(heard.error(), EndpointError::TooLarge { .. }),
        "{:?}",
        heard.error()
    );
    let mut piece = b"data: {\"choices\":[{\"delta\":{\"content\":\"".to_vec();
    piece.extend_from_slice(BYTES);
    piece.extend_from_slice(b"\"}}]}\n\n");
    let endless = Step::Endless(piece.leak());
    let heard = asked(&[Act::Stream(vec![endless].leak())]);
    assert!(
        matches!(heard.error(), EndpointError::TooLarge { .. }),
        "{:?}",
        heard.error()
    );
    assert!(heard.pieces.concat().len() <= 4 << 20);
}
