//! A listener that stops ends the reply and closes its connection.

use super::*;

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
fn a_listener_is_heard_through_what_is_no_words() {
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
        let reply = endpoint(options(&server)).ask(&request(), &mut on_piece);
        assert_eq!(reply.expect("a reply").ended, Ended::Stopped);
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
        let reply = endpoint(options(&server)).ask(&request(), &mut on_piece);
        assert_eq!(reply.expect("a reply").ended, Ended::Stopped);
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
