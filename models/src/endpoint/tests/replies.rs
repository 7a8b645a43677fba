//! Replies as servers send them: streamed, whole, split, and with reasoning in them.

use super::*;

#[test]
fn a_streamed_reply_comes_piece_by_piece() {
    let heard = asked(&[Act::Stream(&[
        Step::Data(r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#),
        Step::Words("\nAnna"),
        Step::Bytes(b": keep-alive\r\n\r\n"),
        Step::Words(" and Bob"),
        Step::Finish("stop"),
        Step::Data(concat!(
            r#"{"choices":[],"usage":{"prompt_tokens":12,"completion_tokens":7,"#,
            r#""prompt_tokens_details":{"cached_tokens":5}}}"#
        )),
        Step::Done,
    ])]);
    assert_eq!(heard.pieces, ["Anna", " and Bob"]);
    let expected = Generated {
        text: "Anna and Bob".to_owned(),
        prompt_tokens: 12,
        reused_tokens: 5,
        reply_tokens: 7,
        ended: Ended::Done,
    };
    assert_eq!(heard.reply(), &expected);
    assert_eq!(heard.requests.len(), 1);
    let sent = &heard.requests[0];
    assert_eq!(
        (&sent["model"], &sent["stream"]),
        (&"tiny".into(), &true.into())
    );
    assert_eq!(sent["messages"][0]["content"], "Who?");
}

const PARTS: &str = concat!(
    r#"{"choices":[{"message":{"content":[{"type":"text","text":"Bo"},"#,
    r#"{"type":"text","text":"b."}]},"finish_reason":"length"}]}"#
);
// lines end with \n, \r\n or \r
const LINES: &[u8] = b"\xef\xbb\xbfdata: {\"choices\":[{\"delta\":{\"content\":\"Bo\"}}]}\r\n\
    \r\n: alive\nevent: x\rdata:{\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\nid\n\
    data: [DONE]";
const UNNAMED: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Bob\"}}]}\n\ndata: [DONE]\n\n";
const REASONING: &str = r#"{"choices":[{"delta":{"reasoning_content":"let me see"}}]}"#;
const EMPTY: &str = r#"{"choices":[{"delta":{"content":"Anna"},"finish_reason":""}]}"#;
const NULL: &str = r#"{"choices":[{"delta":{"content":" and"},"finish_reason":"null"}]}"#;

#[test]
fn a_reply_is_read_however_it_comes() {
    let (bob, stop, length) = (
        Step::Words("Bob"),
        Step::Finish("stop"),
        Step::Finish("length"),
    );
    let thoughts = ["<thi", "nk>Anna or Bob?</th", "ink>\n\nBob", "."].map(Step::Words);
    let [one, two, three, four] = thoughts;
    let thinks = [
        Step::Data(REASONING),
        one,
        two,
        three,
        four,
        stop,
        Step::Done,
    ];
    let dribble = [Step::Dribble("grüße aus 日本"), stop, Step::Done];
    let stream = |steps: &[Step]| Act::Stream(steps.to_vec().leak());
    for (act, pieces, ended) in [
        (Act::Say("<think>Anna?</think>\nBob."), "Bob.", Ended::Done),
        (Act::Say("hm, Anna?</think>Bob."), "Bob.", Ended::Done),
        (Act::Raw(PARTS), "Bob.", Ended::TokensMax),
        // a stream without the content type of a stream
        (Act::Raw(UNNAMED), "Bob", Ended::Done),
        (
            stream(&[Step::Bytes(LINES), Step::End]),
            "Bo|b",
            Ended::Done,
        ),
        // the connection drops after the last words
        (stream(&[bob, stop]), "Bob", Ended::Done),
        (stream(&[bob, length, Step::End]), "Bob", Ended::TokensMax),
        (stream(&[bob, Step::Done]), "Bob", Ended::Done),
        (stream(&dribble), "grüße aus 日本", Ended::Done),
        (stream(&thinks), "Bob|.", Ended::Done),
        // a reason that says nothing is no end
        (
            stream(&[Step::Data(EMPTY), Step::Data(NULL), length, Step::Done]),
            "Anna| and",
            Ended::TokensMax,
        ),
    ] {
        let heard = asked(&[act]);
        assert_eq!(heard.pieces.join("|"), pieces, "{act:?}");
        assert_eq!(heard.reply().ended, ended, "{act:?}");
    }
    let heard = asked_with(&[Act::Say("Bob.")], &request(), |options| {
        options.streams = false;
    });
    assert_eq!(heard.text(), "Bob.");
    assert!(heard.requests[0].get("stream").is_none());
}

#[test]
fn stop_words_hold_where_the_server_ignores_them() {
    const SAID: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop","stop_reason":"User:"}]}"#;
    let request = Request {
        stop: vec!["User:".to_owned()],
        ..request()
    };
    for (act, text) in [
        (
            Act::Stream(&[
                Step::Words("one\nUs"),
                Step::Words("er: two"),
                Step::Endless(b": more\n\n"),
            ]),
            "one\n",
        ),
        (Act::Say("one User: two"), "one "),
        (
            Act::Stream(&[Step::Words("one"), Step::Data(SAID), Step::Done]),
            "one",
        ),
    ] {
        let heard = asked_with(&[act], &request, |_| {});
        assert_eq!(
            (heard.text(), heard.reply().ended),
            (text, Ended::StopWord),
            "{act:?}"
        );
        assert_eq!(heard.requests[0]["stop"][0], "User:");
    }
}

#[test]
fn a_stream_that_ends_before_it_says_anything_is_asked_for_whole() {
    // llama.cpp's Python server does this if the context is too long
    let why = "This model's maximum context length is 256 tokens. However, you requested 437";
    let heard = asked(&[Act::Stream(&[Step::End]), Act::Status(400, why)]);
    let (found, limit) = (Some(437), Some(256));
    heard.assert_error(Kind::ContextTooLong { found, limit }, "");
    assert_eq!(heard.requests.len(), 2);
    assert!(heard.requests[1].get("stream").is_none());
    assert_eq!(asked(&[Act::Stream(&[]), Act::Say("yes")]).text(), "yes");
}
