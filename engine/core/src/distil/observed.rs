//! A distiller whose opinions and facts are read by a generator where the words bear them out.
//!
//! The inner distiller makes the statements. The built-in language model reads every statement. The
//! generator also reads those that are not questions; where the words bear out its reading, that
//! replaces the model's. If the generator fails, the block keeps the model's reading.

use super::counts::DistilCounts;
use super::observe::{add_vectors, fact_of, opinion_of};
use super::observer::Observer;
use super::{Distil, DistilError};
use crate::circuit_breaker::{CircuitBreaker, is_transient};
use crate::talk::{Block, Distillate, DistilledFact, DistilledOpinion, DistilledUnit, Evidence};
use crate::text::is_question;
use weir_models::{Encode, GenerateError};

/// Statements before one that the generator is shown.
const EARLIER_MAX: usize = 4;
/// Maximum number of statements of a block that the generator is asked about; of the rest the rules
/// decide.
const STATEMENTS_MAX: usize = 12;

/// A distiller and the generator that reads its statements.
pub struct ObservingDistiller {
    inner: Box<dyn Distil>,
    observer: Observer,
    name: String,
    counts: DistilCounts,
    failure: Option<String>,
    breaker: CircuitBreaker,
}

/// What is read of one block.
#[derive(Default)]
struct Read {
    opinions: Vec<DistilledOpinion>,
    /// Those that the generator reads; they have no vectors yet.
    told: Vec<DistilledOpinion>,
    facts: Vec<DistilledFact>,
}

impl ObservingDistiller {
    /// The distiller `inner` with opinions and facts by `observer`.
    #[must_use]
    pub fn new(inner: Box<dyn Distil>, observer: Observer) -> Self {
        let name = format!("{}, observed by {}", inner.name(), observer.name());
        Self {
            inner,
            observer,
            name,
            counts: DistilCounts::default(),
            failure: None,
            breaker: CircuitBreaker::default(),
        }
    }

    /// What is read of the statements of a block.
    fn read(&mut self, made: &Distillate) -> Result<Read, GenerateError> {
        let mut read = Read::default();
        let mut asked = 0;
        for (at, unit) in made.units.iter().enumerate() {
            let of = |evidence: &Evidence| is_of(unit, evidence);
            let opinions = made.opinions.iter().filter(|it| of(&it.evidence));
            let facts = made.facts.iter().filter(|it| of(&it.evidence));
            let ask = !is_question(&unit.text) && asked < STATEMENTS_MAX;
            asked += usize::from(ask);
            self.counts.statements_observed += u64::from(ask);
            let mut opinion = None;
            let mut told_facts: Vec<DistilledFact> = Vec::new();
            if ask {
                let earlier = &made.units[at.saturating_sub(EARLIER_MAX)..at];
                let earlier: Vec<&str> = earlier.iter().map(|it| it.text.as_str()).collect();
                let found = self.observer.opinion(&unit.text, &earlier)?;
                self.counts.observations_refused += u64::from(found.is_none());
                opinion = found.and_then(|found| opinion_of(unit, found));
                let found = self.observer.facts(&unit.text, unit.speaker.as_deref())?;
                self.counts.observations_refused += u64::from(found.is_none());
                let found = found.unwrap_or_default().into_iter();
                told_facts = found.filter_map(|it| fact_of(unit, it)).collect();
            }
            match opinion {
                Some(opinion) => read.told.push(opinion),
                None => read.opinions.extend(opinions.cloned()),
            }
            match told_facts.is_empty() {
                true => read.facts.extend(facts.cloned()),
                false => read.facts.extend(told_facts),
            }
        }
        Ok(read)
    }
}

/// Whether evidence is a part of a statement.
fn is_of(unit: &DistilledUnit, evidence: &Evidence) -> bool {
    unit.evidence.first().is_some_and(|whole| {
        let inside = whole.part.zip(evidence.part);
        whole.same_utterance(evidence)
            && inside.is_none_or(|(whole, part)| whole.start <= part.start && part.end <= whole.end)
    })
}

impl Distil for ObservingDistiller {
    fn name(&self) -> &str {
        &self.name
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let mut made = self.inner.distil(block, encode)?;
        if self.breaker.is_open() {
            self.counts.blocks_unobserved += 1;
            return Ok(made);
        }
        let read = self.read(&made);
        let transient = read.as_ref().err().is_some_and(is_transient);
        self.breaker.note(transient);
        match read {
            Ok(mut read) => {
                add_vectors(&mut read.told, &mut read.facts, encode)?;
                (made.opinions, made.facts) = (read.opinions, read.facts);
                made.opinions.extend(read.told);
                made.opinions.sort_by_key(|it| it.said_ms);
            }
            Err(error) => {
                self.counts.blocks_unobserved += 1;
                self.failure = Some(error.to_string());
            }
        }
        Ok(made)
    }

    fn counts(&self) -> DistilCounts {
        let inner = self.inner.counts();
        DistilCounts {
            statements_observed: self.counts.statements_observed,
            observations_refused: self.counts.observations_refused,
            blocks_unobserved: self.counts.blocks_unobserved,
            tokens: inner.tokens + self.observer.tokens(),
            ..inner
        }
    }

    fn last_failure(&mut self) -> Option<String> {
        self.inner.last_failure().or_else(|| self.failure.take())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Extractive;
    use super::super::testing::block;
    use super::*;
    use crate::text::FactSlot;
    use weir_models::{WordHashEncoder, testing::Says};

    /// What a prompt begins with, what it contains, and the reply.
    type Row = (
        &'static str,
        &'static str,
        Result<&'static str, &'static str>,
    );

    const FEELS: &str = "You are a sharp affective master.";
    const TELLS: &str = "Analyze the user's statement.";
    const WAITERS: &str = r#"{"object_id": "waiters", "object_type": "person",
        "aspect": "service", "sentiment_profile": {"positive_confidence": "0.0",
        "negative_confidence": "0.9", "neutral_confidence": "0.1"},
        "summary": "angry", "reason": "let us wait for ages"}"#;

    const INDIFFERENT: &str = r#"{"object_id": "", "object_type": "other", "aspect": "",
        "sentiment_profile": {"positive_confidence": "0.0", "negative_confidence": "0.0",
        "neutral_confidence": "1.0"}, "summary": "", "reason": ""}"#;

    fn distilled(rows: Vec<Row>) -> (Distillate, DistilCounts, Vec<String>, Option<String>) {
        let says = Says::with(move |request| {
            let prompt = &request.messages[0].content;
            let fits = |row: &&Row| prompt.starts_with(row.0) && prompt.contains(row.1);
            let none = match prompt.starts_with(FEELS) {
                true => INDIFFERENT,
                false => "NO_FACT",
            };
            let reply = rows.iter().find(fits).map_or(Ok(none), |row| row.2);
            reply.map(str::to_owned).map_err(str::to_owned)
        });
        let observer = Observer::new(Box::new(says.clone()));
        let mut distil = ObservingDistiller::new(Box::new(Extractive), observer);
        assert_eq!(distil.name(), "extractive, observed by script");
        let talk = block(&[
            ("Ana", "We went to the harbour on Friday."),
            ("Ana", "It was awful, the waiters let us wait for ages."),
            ("Bob", "Jazz is what I listen to all day."),
        ]);
        let made = distil.distil(&talk, &WordHashEncoder::new());
        let made = made.expect("distilled");
        let asked = says.asked().into_iter();
        let asked = asked.map(|it| it.messages[0].content.clone()).collect();
        (made, distil.counts(), asked, distil.last_failure())
    }

    #[test]
    fn a_generator_adds_what_the_words_bear_out() {
        let (made, counts, asked, failure) = distilled(vec![
            (FEELS, "User input: It was awful", Ok(WAITERS)),
            (TELLS, "Jazz", Ok("I like jazz.")),
        ]);
        assert_eq!(failure, None);
        let [opinion] = made.opinions.as_slice() else {
            panic!("{:?}", made.opinions);
        };
        assert_eq!((&*opinion.object, &*opinion.aspect), ("waiters", "general"));
        assert_eq!(opinion.holder.as_deref(), Some("Ana"));
        let [fact] = made.facts.as_slice() else {
            panic!("{:?}", made.facts);
        };
        let said = "Jazz is what I listen to all day.";
        assert_eq!((fact.slot, &*fact.value), (FactSlot::Statement, said));
        assert!(!opinion.vector.is_empty() && !fact.vector.is_empty());
        assert_eq!(counts.observations_refused, 2);
        assert!(asked[2].contains("Historical messages: We went to the harbour on Friday."));
    }

    #[test]
    fn what_nobody_said_is_refused_and_counted() {
        let paris = WAITERS.replace("waiters", "Paris");
        let (made, counts, ..) = distilled(vec![
            (FEELS, "User input: It was awful", Ok(paris.leak())),
            (TELLS, "Jazz", Ok("I live in Berlin.")),
        ]);
        let plain = Extractive
            .distil(
                &block(&[("Bob", "Jazz is what I listen to all day.")]),
                &WordHashEncoder::new(),
            )
            .expect("distilled");
        assert_eq!(made.facts.len(), plain.facts.len());
        assert!(made.opinions.iter().all(|it| it.object != "Paris"));
        assert_eq!(counts.observations_refused, 4);
    }

    #[test]
    fn a_generator_that_fails_leaves_what_the_model_read() {
        let (made, counts, _, failure) = distilled(vec![(FEELS, "", Err("no memory"))]);
        let mut plain = Extractive;
        let talk = block(&[
            ("Ana", "We went to the harbour on Friday."),
            ("Ana", "It was awful, the waiters let us wait for ages."),
            ("Bob", "Jazz is what I listen to all day."),
        ]);
        let plain = plain.distil(&talk, &WordHashEncoder::new());
        assert_eq!(made, plain.expect("distilled"));
        assert_eq!(counts.blocks_unobserved, 1);
        assert!(failure.is_some_and(|why| why.contains("no memory")));
    }
}
