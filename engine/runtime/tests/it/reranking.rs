//! A reranker in the pipeline: its order affects the answer, its failure and its slowness do not.

use crate::plain_memory::{self, parts};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use weir_core::answer::{Answerer, Quote, Written};
use weir_engine::pipeline::{
    Answered, AskSettings, Event, FeedItem, Finished, ListFeed, Lockstep, PipelineParts, Stop,
};
use weir_models::testing::Says;
use weir_models::{EncodeError, Rerank};

/// Ranks texts with its words first; fails or is slow on request.
#[derive(Default)]
struct Likes {
    words: &'static str,
    fails: bool,
    pause: Duration,
    calls: Arc<AtomicUsize>,
}

impl Rerank for Likes {
    fn name(&self) -> &str {
        "likes"
    }

    fn scores(&self, _: &str, texts: &[&str]) -> Result<Vec<f32>, EncodeError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        std::thread::sleep(self.pause);
        if self.fails {
            return Err(EncodeError::Inference {
                encoder: "likes".into(),
                texts: texts.len(),
                reason: "out of memory".into(),
            });
        }
        let score = |text: &&str| f32::from(u8::from(text.contains(self.words)));
        Ok(texts.iter().map(score).collect())
    }
}

/// Forty statements that answer the question equally well, and the question.
fn talk() -> Vec<FeedItem> {
    let kettle = |n| format!("The kettle number {n} was painted green in the summer.");
    let mut items = plain_memory::talk((0..40).map(|n| (2 * n, kettle(n))));
    let question = plain_memory::asked("q1", "Which kettle was painted green?");
    items.insert(41, FeedItem::Ask(question));
    items
}

fn asked(
    reranker: Option<Likes>,
    answerer: Box<dyn Answerer>,
    limit: Duration,
) -> (Answered, Finished) {
    let driver = Lockstep::new(PipelineParts {
        answerer,
        reranker: reranker.map(|reranker| Arc::new(reranker) as Arc<dyn Rerank>),
        settings: AskSettings {
            rerank_limit: limit,
            ..AskSettings::default()
        },
        ..parts()
    });
    let mut answers = Vec::new();
    let mut feed = ListFeed::new(talk());
    let finished = driver.run(&mut feed, &Stop::default(), &mut |event| {
        if let Event::Answered(answered) = event {
            answers.push(*answered);
        }
    });
    (answers.remove(0), finished.unwrap())
}

const LONG: Duration = Duration::from_secs(600);

#[test]
fn what_a_reranker_puts_first_is_quoted_and_cited() {
    let (plain, _) = asked(None, Box::new(Quote), LONG);
    assert!(
        !plain.answer.text.contains("number 17 "),
        "{}",
        plain.answer.text
    );
    let likes = Likes {
        words: "number 17 ",
        ..Likes::default()
    };
    let (answered, finished) = asked(Some(likes), Box::new(Quote), LONG);
    let answer = &answered.answer;
    assert!(answer.text.contains("number 17 "), "{}", answer.text);
    assert_eq!(answer.citations[0].evidence.utterance, "u34");
    assert_eq!(answered.recall.heard.citations[0].evidence.utterance, "u34");
    assert_eq!(answered.not_reranked, None);
    assert_eq!(finished.meters.not_reranked, 0);
    // the reranker does not decide whether there is an answer
    assert!((answered.recall.heard.support - plain.recall.heard.support).abs() < 1e-6);
}

#[test]
fn what_a_reranker_found_may_be_written() {
    // writes about the kettle that the reranker prefers
    let writes = || {
        Says::with(|request| {
            let shown = request.messages[1].content.lines();
            let mut numbers = shown.filter(|line| line.contains("number 17 "));
            let number = numbers.next().and_then(|line| line.split('.').next());
            let answer = "The kettle number 17 was painted green in the summer.";
            let number = number.unwrap_or("1");
            Ok(format!(r#"{{"cite": ["{number}"], "text": "{answer}"}}"#))
        })
    };
    let writer = || Box::new(Written::new(Box::new(writes())));
    let (plain, finished) = asked(None, writer(), LONG);
    assert!(!plain.answer.unsupported.is_empty(), "{:?}", plain.answer);
    let meters = &finished.meters;
    assert_eq!((meters.fell_back, meters.left_out), (1, 1));
    let likes = Likes {
        words: "number 17 ",
        ..Likes::default()
    };
    let (answered, finished) = asked(Some(likes), writer(), LONG);
    assert_eq!(answered.answer.unsupported, [""; 0]);
    assert_eq!(answered.answer.citations[0].evidence.utterance, "u34");
    let meters = &finished.meters;
    assert_eq!((meters.fell_back, meters.left_out), (0, 0));
}

#[test]
fn a_reranker_that_fails_or_dawdles_leaves_the_order_as_it_was() {
    let (plain, _) = asked(None, Box::new(Quote), LONG);
    let failing = Likes {
        words: "number 17 ",
        fails: true,
        ..Likes::default()
    };
    let slow = Likes {
        words: "number 17 ",
        pause: Duration::from_millis(30),
        ..Likes::default()
    };
    let calls = Arc::clone(&slow.calls);
    for (reranker, limit, why) in [
        (failing, LONG, "out of memory"),
        (slow, Duration::from_millis(10), "longer than 10 ms"),
    ] {
        let (answered, finished) = asked(Some(reranker), Box::new(Quote), limit);
        assert_eq!(answered.answer, plain.answer);
        let told = answered.not_reranked.unwrap();
        assert!(told.contains(why), "{told}");
        assert_eq!(finished.meters.not_reranked, 1);
    }
    // not called again after its time limit
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}
