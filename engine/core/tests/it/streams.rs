//! Several streams at once in one session: where each utterance is placed, what is refused, and
//! that any interleaving is restored.

use crate::support::{BagOfWords, STARTED, config, counter};
use proptest::prelude::*;
use weir_core::answer::{Question, quote};
use weir_core::distil::{Distil, Extractive};
use weir_core::limits::{STREAM_MS_MAX, STREAMS_OPEN_MAX};
use weir_core::memory::Kind;
use weir_core::session::{EncoderStamp, Input, InputError, Recovery, Session};
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_core::talk::Evidence;

const MINUTE: u64 = 60_000;

fn session() -> Session {
    let stamp = EncoderStamp::of(BagOfWords::shared().as_ref());
    Session::new(config(100_000), stamp, counter()).unwrap()
}

/// A stream that begins so many milliseconds after [`STARTED`], beside those that are open.
fn beside(name: &str, after_ms: Option<i64>) -> Input {
    Input::Begin(StreamStart {
        beside: true,
        ..StreamStart::new(name, after_ms.map(|ms| STARTED + ms))
    })
}

fn heard(stream: &str, n: u64, start_ms: u64) -> Input {
    let things = ["garden", "train", "soup", "lamp", "river"];
    let thing = things[n as usize % things.len()];
    // nothing is said twice
    let cost = 2 * n + u64::from(stream == "b");
    let utterance = Utterance {
        id: format!("u{n}"),
        stream: stream.into(),
        ..Utterance::new(
            ["Ana", "Bob"][n as usize % 2],
            format!("The {thing} cost {cost} dollars."),
        )
    };
    let utterance = utterance.at(Span::new(start_ms, start_ms + 3_000));
    let found = BagOfWords::shared().encode_for_search(&[&utterance.rendered()]);
    Input::heard(utterance, found.unwrap().remove(0))
}

fn ended(stream: &str) -> Input {
    Input::End(stream.into())
}

fn paused(stream: Option<&str>, after_ms: Option<i64>) -> Input {
    Input::Break {
        resumes_at_unix_ms: after_ms.map(|ms| STARTED + ms),
        stream: stream.map(str::to_owned),
    }
}

/// Applies an input, then distils what is complete; returns all inputs.
fn told(session: &mut Session, input: Input) -> Result<Vec<Input>, InputError> {
    session.apply(&input)?;
    let mut all = vec![input];
    while let Some(block) = session.next_block() {
        let made = Extractive.distil(&block, BagOfWords::shared().as_ref());
        let mount = Input::Mount(Box::new(made.unwrap()));
        session.apply(&mount)?;
        all.push(mount);
    }
    assert_eq!(session.check(), Ok(()));
    Ok(all)
}

fn told_all(inputs: impl IntoIterator<Item = Input>) -> Session {
    let mut session = session();
    for input in inputs {
        told(&mut session, input).unwrap();
    }
    session
}

/// Session time and evidence of what was said in a stream, by the id of the utterance.
fn said(session: &Session, stream: &str) -> Vec<(String, u64, Evidence)> {
    let units = session.tree().of_kind(Kind::Unit);
    let units = units.map(|unit| (unit.said_ms, unit.evidence[0].clone()));
    let raw = session.buffer().unmounted();
    let raw = raw.map(|(heard, _)| (heard.session_ms, Evidence::of(heard, &heard.utterance.text)));
    let all = units.chain(raw).filter(|(_, item)| item.stream == stream);
    let mut all: Vec<_> = all
        .map(|(ms, item)| (item.utterance.clone(), ms, item))
        .collect();
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

/// Evidence names the stream, the time and the second of each utterance as if its stream had been
/// the only one; session time says when it was said among the others.
#[test]
fn two_streams_at_once_are_as_each_of_them_alone() {
    let (a, b) = (
        |n: u64| heard("a", n, n * 10_000),
        |n: u64| heard("b", n, n * 10_000),
    );
    let late = 2 * MINUTE;
    let begun = [beside("a", Some(0)), beside("b", Some(late as i64))];
    let talk = (0..40).flat_map(|n| [a(n + 12), b(n)]);
    let both = told_all(
        begun
            .into_iter()
            .chain((0..12).map(a))
            .chain(talk)
            .chain([Input::Flush]),
    );
    let alone = |begin, talk: &dyn Fn(u64) -> Input, len| {
        told_all(
            [begin]
                .into_iter()
                .chain((0..len).map(talk))
                .chain([Input::Flush]),
        )
    };
    for (stream, alone, base_ms) in [
        ("a", alone(beside("a", Some(0)), &a, 52), 0),
        ("b", alone(beside("b", Some(late as i64)), &b, 40), late),
    ] {
        let (here, there) = (said(&both, stream), said(&alone, stream));
        assert_eq!(here.len(), there.len());
        for ((id, ms, item), (of, alone_ms, of_alone)) in here.iter().zip(&there) {
            let turn = item.turn;
            assert_eq!(
                (id, item),
                (
                    of,
                    &Evidence {
                        turn,
                        ..of_alone.clone()
                    }
                )
            );
            // two that begin at once are a millisecond apart
            assert!(
                (0..=1).contains(&(ms - alone_ms - base_ms)),
                "{stream} {id}: {ms}"
            );
        }
    }
    assert_eq!(both.now_ms(), late + 39 * 10_000 + 3_000);
    assert!(both.tree().len() > 20, "blocks were mounted meanwhile");
}

#[test]
fn a_stream_is_placed_by_wall_time_or_after_what_was_heard_last() {
    let mut session = told_all([beside("a", Some(0)), heard("a", 0, 5_000)]);
    let base = |session: &Session, name: &str| session.open_stream(name).unwrap().base_ms;
    for (name, after_ms, base_ms) in [
        ("later", Some(MINUTE as i64), MINUTE),
        // without wall time, after all that was placed so far
        ("unknown", None, MINUTE),
        // not before the first stream that is open
        ("earlier", Some(-5_000), 0),
        // no clock can be right about that
        ("absurd", Some(STREAM_MS_MAX as i64 + 1), MINUTE),
    ] {
        told(&mut session, beside(name, after_ms)).unwrap();
        assert_eq!(base(&session, name), base_ms, "{name}");
    }
    // a stream that resumes is placed anew, but session time never runs backwards
    told(&mut session, paused(Some("a"), Some(10 * MINUTE as i64))).unwrap();
    let resumed = base(&session, "a");
    assert_eq!(resumed + 8_000, 10 * MINUTE);
    told(&mut session, paused(Some("a"), Some(-9 * MINUTE as i64))).unwrap();
    assert_eq!(
        (base(&session, "a"), session.now_ms()),
        (resumed, 10 * MINUTE)
    );
    // its wall time follows its own clock
    told(&mut session, heard("a", 1, 8_000)).unwrap();
    let last = session.buffer().raw().last().unwrap();
    assert_eq!(last.session_ms, 10 * MINUTE);
    assert_eq!(last.said_at_unix_ms, Some(STARTED - 9 * MINUTE as i64));
}

#[test]
fn a_stream_that_begins_alone_ends_the_others() {
    let alone = Input::Begin(StreamStart::new("c", Some(STARTED)));
    let begun = [beside("a", Some(0)), beside("b", None), heard("b", 0, 0)];
    let session = told_all(begun.into_iter().chain([alone]));
    let open: Vec<&str> = session.streams().map(|it| &*it.name).collect();
    assert_eq!(
        (open, session.stream().unwrap().base_ms),
        (vec!["c"], 3_000)
    );
}

#[test]
fn what_names_no_open_stream_is_refused_and_changes_nothing() {
    let mut session = session();
    let refused = |session: &mut Session, input: Input| {
        let before = session.to_image();
        let refused = told(session, input).unwrap_err();
        assert_eq!(session.to_image(), before, "{refused}");
        refused.to_string()
    };
    let none = refused(&mut session, heard("a", 0, 0));
    assert!(none.contains("`u0` came while no stream is open"), "{none}");
    told(&mut session, beside("a", None)).unwrap();
    told(&mut session, beside("b", None)).unwrap();
    let unknown = refused(&mut session, heard("c", 0, 0));
    assert!(
        unknown.contains("names stream `c`, which is not open; open: `a`, `b`"),
        "{unknown}"
    );
    for input in [heard("", 0, 0), paused(None, None)] {
        let which = refused(&mut session, input);
        assert!(which.contains("must name its stream"), "{which}");
    }
    let twice = refused(&mut session, beside("a", None));
    assert!(twice.contains("`a` is open already"), "{twice}");
    told(&mut session, ended("a")).unwrap();
    for input in [ended("a"), heard("a", 0, 0), paused(Some("a"), None)] {
        let gone = refused(&mut session, input);
        assert!(
            gone.contains("names stream `a`, which is not open"),
            "{gone}"
        );
    }
    // one that is left need not be named to pause, and an ended one may begin again
    told(&mut session, paused(None, None)).unwrap();
    for n in 1..STREAMS_OPEN_MAX {
        told(&mut session, beside(&format!("s{n}"), None)).unwrap();
    }
    let full = refused(&mut session, beside("a", None));
    assert!(
        full.contains("beside 16 others; end one of them: `b`, `s1`"),
        "{full}"
    );
    told(&mut session, ended("b")).unwrap();
    told(&mut session, beside("a", None)).unwrap();
}

/// The zone and the wall time of a stream outlive it: questions come after the talk.
#[test]
fn the_latest_stream_gives_the_zone_and_the_time() {
    let start = |name: &str, zone: &str| {
        Input::Begin(StreamStart {
            zone: Some(zone.into()),
            beside: true,
            ..StreamStart::new(name, Some(STARTED))
        })
    };
    let mut session = told_all([
        start("a", "Europe/Berlin"),
        start("b", "Asia/Tokyo"),
        heard("b", 0, 0),
    ]);
    assert_eq!(session.zone(), Some("Asia/Tokyo"));
    told(&mut session, heard("a", 1, 20_000)).unwrap();
    told(&mut session, ended("a")).unwrap();
    assert_eq!(session.zone(), Some("Europe/Berlin"));
    assert_eq!(session.now_unix_ms(), Some(STARTED + 23_000));
    assert_eq!(session.stream().map(|it| &*it.name), Some("b"));
    assert!(session.is_dated());
}

/// What a random step is.
fn step(kind: u8, at: u8, n: u64, session: &Session) -> Input {
    let name = format!("s{}", at % 20);
    let after_ms = (!at.is_multiple_of(3)).then(|| i64::from(at) * 7_000 - 300_000);
    let open: Vec<(&str, u64)> = session
        .streams()
        .map(|it| (&*it.name, it.heard_ms))
        .collect();
    let some = open.get(usize::from(at) % open.len().max(1));
    match (kind % 16, some) {
        (0, _) => beside(&name, after_ms),
        (1, _) if kind == 1 => {
            Input::Begin(StreamStart::new(name, after_ms.map(|ms| STARTED + ms)))
        }
        (2, Some((name, _))) => ended(name),
        (3, Some((name, _))) => paused(Some(name), after_ms),
        (4, _) => paused(None, after_ms),
        (5, _) => Input::Flush,
        (_, Some((name, heard_ms))) => heard(name, n, heard_ms + u64::from(at) * 100),
        (_, None) => beside(&name, after_ms),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_interleaving_is_restored_from_its_journal_its_image_and_its_export(
        steps in proptest::collection::vec((any::<u8>(), any::<u8>()), 1..120),
    ) {
        let mut session = session();
        let mut journal = Vec::new();
        let mut now_ms = 0;
        for (n, (kind, at)) in steps.into_iter().enumerate() {
            let input = step(kind, at, n as u64, &session);
            let bases: Vec<(String, u64)> =
                session.streams().map(|it| (it.name.clone(), it.base_ms)).collect();
            let alone = matches!(&input, Input::Begin(start) if !start.beside);
            match told(&mut session, input) {
                Ok(all) => journal.extend(all),
                Err(InputError::OtherStream { .. } | InputError::NoStream { .. }
                    | InputError::StreamOpen { .. } | InputError::StreamsFull { .. }) => continue,
                Err(refused) => panic!("{refused}"),
            }
            prop_assert!(session.now_ms() >= now_ms);
            now_ms = session.now_ms();
            for (name, base_ms) in bases.iter().filter(|_| !alone) {
                if let Some(stream) = session.open_stream(name) {
                    prop_assert!(stream.base_ms >= *base_ms, "{} went back", name);
                }
            }
        }
        let (mut exact, digest) = (self::session(), session.digest());
        let mut other = Recovery::of(self::session());
        for input in journal {
            let entry = input.to_entry().unwrap();
            let read = Input::from_entry(&entry, &exact).unwrap();
            prop_assert_eq!(&read, &input);
            exact.apply(&read).unwrap();
            other.apply(input).unwrap();
        }
        prop_assert_eq!(exact.digest(), digest.clone());
        let (recovered, skipped) = other.finish();
        prop_assert_eq!((recovered.held(), skipped), (session.held(), 0));
        prop_assert_eq!(recovered.now_ms(), session.now_ms());
        let read = Session::from_image(&session.to_image(), counter()).unwrap();
        prop_assert_eq!(read.digest(), digest.clone());
        let mut lines = Vec::new();
        session.export(&mut lines).unwrap();
        let imported = Session::import(&mut &lines[..], counter()).unwrap();
        prop_assert_eq!(imported.session.digest(), digest);
    }
}

/// Regression: two utterances of one speaker at one time, the first of which is in the tree,
/// counted as one, and an overview named only one of them.
#[test]
fn utterances_of_one_speaker_at_one_time_are_told_apart() {
    let mut session = session();
    let say = |n: u64, speaker: &str, text: &str, start_ms: u64| {
        let said = Utterance {
            id: format!("u{n}"),
            stream: "a".into(),
            ..Utterance::new(speaker, text)
        };
        let said = said.at(Span::new(start_ms, start_ms + 1_000));
        let found = BagOfWords::shared().encode_for_search(&[&said.rendered()]);
        Input::heard(said, found.unwrap().remove(0))
    };
    let fill = (1..40).map(|n| {
        let text = format!("The train number {n} was late because of rain.");
        say(n, "Bob", &text, n * MINUTE)
    });
    let boat = "I keep a red boat in the harbour of Porto.";
    let violin = "My violin teacher moved to Berlin last spring.";
    let inputs = [
        Input::Begin(StreamStart::new("a", None)),
        say(0, "Ana", boat, 0),
    ];
    let last = [Input::Flush, say(99, "Ana", violin, 0)];
    for input in inputs.into_iter().chain(fill).chain(last) {
        told(&mut session, input).unwrap();
    }
    let text = "What do you know about Ana?";
    let encoded = BagOfWords::shared().encode_for_search(&[text]);
    let question = Question::new(text, encoded.unwrap().remove(0), None);
    let answer = quote(&question, &session.recall(&question, 300)).text;
    assert!(
        answer.contains("boat") && answer.contains("violin"),
        "{answer}"
    );
}
