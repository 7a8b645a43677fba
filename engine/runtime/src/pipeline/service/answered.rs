//! An answer as clients read it, and as a line of results.

use crate::pipeline::service::ask::{Answered, micros};
use crate::views;
use std::time::Instant;
use weir_api::{ProbeResult, TimingsUs, TranscriptResult};

impl Answered {
    /// The answer in the format of results; `stream` is named where there are several.
    #[must_use]
    pub fn result(&self, stream: Option<&str>) -> ProbeResult {
        let assembling = Instant::now();
        let (answer, recall, took) = (&self.answer, &self.recall, self.took);
        let citations = answer.citations.iter();
        let carried = recall.context.utterances.iter();
        let mut result = ProbeResult {
            probe: self.asking.id.clone(),
            stream: stream.map(str::to_owned),
            answer: answer.text.clone(),
            kind: views::kind(answer.kind),
            abstained: !answer.kind.is_answered(),
            chance: answer.chance.map(|it| (10.0 * it).floor() / 10.0),
            grounded: answer.grounded,
            unsupported: answer.unsupported.clone(),
            fallback: answer.fallback.clone(),
            not_reranked: self.not_reranked.clone(),
            citations: citations.map(views::citation).collect(),
            passages: answer.passages.iter().map(views::passage).collect(),
            context: recall.context.text.clone(),
            context_utterances: carried.map(|(_, utterance)| utterance.clone()).collect(),
            context_tokens: recall.context.tokens,
            memory: views::memory(&self.memory),
            transcript: self.transcript.map(|kept| TranscriptResult {
                bytes: kept.bytes,
                utterances: kept.utterances,
                evicted: kept.evicted,
                gaps: kept.gaps,
            }),
            turns: self.turns,
            stream_ms: self.stream_ms,
            unrecognised_ms: self.unrecognised_ms,
            timings_us: TimingsUs {
                encode: micros(took.encode),
                search: micros(took.search),
                rerank: micros(took.rerank),
                assemble: 0,
                answer: micros(took.answer),
                transcript: micros(took.transcript),
                waited: micros(self.waited),
                total: 0,
            },
        };
        // the asker waits for the writing of the result too
        let written = assembling.elapsed();
        result.timings_us.assemble = micros(took.assemble + written);
        result.timings_us.total = micros(took.total() + written);
        result
    }

    /// The answer with its question and its check, as clients read it; likewise.
    #[must_use]
    pub fn wire(&self, stream: Option<&str>) -> weir_api::Answered {
        let check = self.check.as_ref().and_then(|it| it.as_ref().ok());
        weir_api::Answered {
            question: self.asking.text.clone(),
            result: self.result(stream),
            check: check.map(views::check),
        }
    }
}
