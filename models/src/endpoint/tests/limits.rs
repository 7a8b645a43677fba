//! Limits of time and size. In each case one limit is small; the others are so long that a slow
//! machine does not reach them.

use super::*;

const SHORT: Duration = Duration::from_millis(300);

#[test]
fn a_server_that_keeps_its_words_back_ends_at_the_limit() {
    const ALIVE: &[Step] = &[Step::Endless(b": keep-alive\n\n")];
    const THINKS: &[u8] = b"data: {\"choices\":[{\"delta\":{\"reasoning\":\"x\"}}]}\n\n";
    const NO_REASON: &str = r#"{"choices":[{"delta":{"content":"Anna"},"finish_reason":"null"}]}"#;
    let first = |options: &mut EndpointOptions| options.first_piece_timeout = SHORT;
    let piece = |options: &mut EndpointOptions| options.piece_timeout = SHORT;
    let total = |options: &mut EndpointOptions| options.total_timeout = SHORT;
    let whole = |options: &mut EndpointOptions| {
        (options.streams, options.total_timeout) = (false, SHORT);
    };
    let stream = |steps: &[Step]| Act::Stream(steps.to_vec().leak());
    let an = Step::Words("An");
    for (act, limit, missing) in [
        (Act::Silence, first as fn(&mut EndpointOptions), "the first"),
        (Act::Silence, total, "the whole reply"),
        (Act::Silence, whole, "the whole reply"),
        (stream(&[Step::Hold]), first, "the first words"),
        (stream(ALIVE), first, "the first words"),
        (stream(&[an, Step::Hold]), piece, "the next words"),
        (
            stream(&[an, Step::Endless(b":\n\n")]),
            piece,
            "the next words",
        ),
        (
            stream(&[Step::Data(NO_REASON), Step::Hold]),
            piece,
            "the next",
        ),
        (stream(&[Step::Endless(THINKS)]), total, "the whole reply"),
    ] {
        let limits = |options: &mut EndpointOptions| {
            options.attempts_max = 1;
            limit(options);
        };
        let (heard, took) = timed(|| asked_with(&[act], &request(), limits));
        assert!(took < Duration::from_secs(15), "{act:?} took {took:?}");
        heard.assert_error(Kind::Timeout, &format!("{missing}|300ms"));
    }
}

#[test]
fn limits_without_bound_overflow_nothing() {
    let heard = asked_with(&[FINE], &request(), |options| {
        options.connect_timeout = Duration::MAX;
        options.first_piece_timeout = Duration::MAX;
        options.piece_timeout = Duration::MAX;
        options.total_timeout = Duration::MAX;
        options.pause = Duration::MAX;
    });
    assert_eq!(heard.text(), "yes");
}

#[test]
fn what_follows_the_last_words_is_not_waited_for_long() {
    let script = [Act::Stream(&[
        Step::Words("Bob"),
        Step::Finish("stop"),
        Step::Hold,
    ])];
    let (heard, took) = timed(|| asked(&script));
    assert_eq!(heard.text(), "Bob");
    assert!(took < Duration::from_secs(15), "{took:?}");
}

#[test]
fn a_line_and_a_reply_without_end_are_cut_off() {
    const BYTES: &[u8] = &[b'x'; 64 << 10];
    let event: [&[u8]; 3] = [
        b"data: {\"choices\":[{\"delta\":{\"content\":\"",
        BYTES,
        b"\"}}]}\n\n",
    ];
    let pieces = vec![Step::Endless(event.concat().leak())].leak();
    for steps in [
        &[Step::Endless(BYTES)][..],
        &[Step::Bytes(b"data: "), Step::Endless(BYTES)],
        pieces,
    ] {
        let heard = asked(&[Act::Stream(steps)]);
        heard.assert_error(Kind::TooLarge, "the limit of a reply");
        assert!(heard.pieces.concat().len() <= 4 << 20);
    }
}
