//! Facts of profiles that bear on a question: the one that it asks for, and those of the asker.

use super::inquiry::Inquiry;
use super::query::Query;
use crate::answer::{KnownFact, Question, Statement};
use crate::limits;
use crate::profile::{EndedBy, NearestFacts, ProfileFact};
use crate::session::Session;
use crate::talk::Evidence;
use crate::text::{Claim, ClaimFeatures, FactAsked, FactSlot, fact_sentence, sentences};
use crate::transcript::Transcript;

/// Score of the evidence of a fact that was asked for: it says exactly that.
const KNOWN_SCORE: f32 = 1.0;

/// Facts that bear on a question.
#[derive(Default)]
pub(super) struct Facts<'a> {
    /// Those that the question asks for.
    pub(super) known: Vec<KnownFact>,
    /// Those of the asker, nearest to the question first.
    pub(super) profile: Vec<&'a ProfileFact>,
}

impl Facts<'_> {
    /// Their sentences in the first person with their speakers, each once, those asked for first.
    pub(super) fn lines(&self) -> Vec<String> {
        let line = |speaker: &Option<String>, sentence: String| match speaker {
            Some(speaker) => format!("{speaker}: {sentence}"),
            None => sentence,
        };
        // as it was said, where its words are held
        let sentence = |it: &KnownFact| match it.said.as_ref().filter(|it| !it.text.is_empty()) {
            Some(said) => said.text.clone(),
            None => fact_sentence(it.slot, &it.about, &it.value),
        };
        let known = self.known.iter().map(|it| line(&it.speaker, sentence(it)));
        let mut lines: Vec<String> = known.collect();
        for fact in &self.profile {
            let more = line(&fact.speaker, fact.sentence());
            if !lines.contains(&more) {
                lines.push(more);
            }
        }
        lines
    }
}

/// The fact that a question asks for; `None` for other questions. What was said since the last
/// block was distilled counts too. Cost: linear in the number of facts.
pub(super) fn known(inquiry: &Inquiry<'_, '_>) -> Option<KnownFact> {
    let (session, question, query) = (inquiry.session, inquiry.question, inquiry.query);
    let asked =
        FactAsked::read(&query.text).filter(|_| query.language.is_english() && !query.past)?;
    let holder = holder(&asked, question, query)?;
    let is_holder = |speaker: Option<&str>| match (&holder, speaker) {
        (Some(holder), Some(speaker)) => speaker.to_lowercase() == *holder,
        (holder, speaker) => holder.is_none() && speaker.is_none(),
    };
    let answers = |it: &&ProfileFact| {
        it.slot == asked.slot
            && it.about.is_empty()
            && is_holder(it.speaker.as_deref())
            && inquiry.remembers(it.from_ms)
    };
    let told: Vec<&ProfileFact> = session.profiles().facts().iter().filter(answers).collect();
    let of = |it: &ProfileFact| KnownFact {
        speaker: it.speaker.clone(),
        slot: it.slot,
        about: it.about.clone(),
        value: it.value.clone(),
        said: fact_said(session, it, inquiry.transcript, KNOWN_SCORE),
        otherwise: Vec::new(),
    };
    let mut known = one(&told, fresh(session, asked.slot, &is_holder), &of)?;
    // a plan is not what holds now
    let ahead = |said: &Statement| query.is_ahead(question, session, said);
    if known.said.as_ref().is_some_and(ahead)
        && let Some(at) = known.otherwise.iter().position(|it| !ahead(it))
    {
        let now = known.otherwise.remove(at);
        known.otherwise.extend(known.said.replace(now));
    }
    Some(known)
}

/// The fact that holds, a pinned one before others, with the facts that contradict it. A later
/// statement that is not distilled yet takes its place, unless the fact is pinned.
fn one(
    told: &[&ProfileFact],
    fresh: Vec<Fresh>,
    of: &dyn Fn(&ProfileFact) -> KnownFact,
) -> Option<KnownFact> {
    let holding = told.iter().filter(|it| it.holds());
    let best = holding.max_by_key(|it| (it.pinned, it.from_ms));
    let mut known = best.map(|best| {
        let against = |it: &&&ProfileFact| match it.until {
            None => it.id != best.id,
            Some((_, by)) => by == EndedBy::Contradiction(best.id),
        };
        let against = told.iter().filter(against);
        KnownFact {
            otherwise: against.filter_map(|it| of(it).said).collect(),
            ..of(best)
        }
    });
    for fresh in fresh {
        match &mut known {
            Some(pinned) if best.is_some_and(|it| it.pinned) => {
                let against = !pinned.value.eq_ignore_ascii_case(&fresh.fact.value);
                pinned.otherwise.extend(fresh.fact.said.filter(|_| against));
            }
            known => *known = fresh.instead_of(known.take()),
        }
    }
    known
}

/// A fact that was said and is in no unit yet.
struct Fresh {
    fact: KnownFact,
    holds: bool,
    /// Whether it says that something changed, so that it contradicts nothing before.
    changed: bool,
}

impl Fresh {
    /// What holds now of what held before.
    fn instead_of(self, before: Option<KnownFact>) -> Option<KnownFact> {
        let mut fact = Some(self.fact).filter(|_| self.holds)?;
        fact.otherwise = match before {
            Some(before) if before.value.eq_ignore_ascii_case(&fact.value) => before.otherwise,
            Some(before) if !self.changed => before.said.into_iter().collect(),
            _ => Vec::new(),
        };
        Some(fact)
    }
}

/// Values of the slot in question from utterances that are not distilled yet, in the order said.
/// Only claims reveal them: the model reads an utterance when it is distilled.
fn fresh(
    session: &Session,
    slot: FactSlot,
    is_holder: &dyn Fn(Option<&str>) -> bool,
) -> Vec<Fresh> {
    let unmounted = session.buffer().unmounted().map(|(heard, _)| heard);
    let own = unmounted.filter(|it| is_holder(it.utterance.speaker.as_deref()));
    let told = own.flat_map(|heard| {
        let speaker = &heard.utterance.speaker;
        let said = sentences(&heard.utterance.text).into_iter();
        said.filter_map(move |said| {
            let claim = Claim::read(said, speaker.as_deref())?;
            let own = speaker.as_ref().map(|it| it.to_lowercase());
            let fits = FactSlot::of_claim(&claim.slot) == Some(slot)
                && own.is_none_or(|own| own == claim.subject);
            let fact = KnownFact {
                speaker: speaker.clone(),
                slot,
                about: String::new(),
                value: as_written(said, &claim.value)?,
                said: Some(Statement::of(
                    Evidence::of(heard, said),
                    Some(said.to_owned()),
                    KNOWN_SCORE,
                )),
                otherwise: Vec::new(),
            };
            fits.then_some(Fresh {
                fact,
                holds: !claim.over,
                changed: claim.firm,
            })
        })
    });
    told.collect()
}

/// Words of a sentence in the case in which it has them.
fn as_written(sentence: &str, lower: &str) -> Option<String> {
    let at = sentence.to_ascii_lowercase().find(lower)?;
    sentence.get(at..at + lower.len()).map(str::to_owned)
}

/// Whose fact is asked for, in lower case; `Some(None)` for an asker without a name. `None` if the
/// question asks for somebody whom memory did not hear.
fn holder(asked: &FactAsked, question: &Question, query: &Query) -> Option<Option<String>> {
    if asked.holder == "i" {
        return Some(question.asked_by.as_ref().map(|it| it.to_lowercase()));
    }
    let is = |name: &&String| {
        let mut words = asked.holder.split(' ');
        words.all(|word| name.split_whitespace().any(|part| part == word))
    };
    let mut people = query.people.iter().filter(is);
    let one = people.next().cloned();
    one.filter(|_| people.next().is_none()).map(Some)
}

/// How the asker's profile is handed to questions.
#[derive(Clone, Copy, Default)]
pub(super) struct ProfileOptions<'a> {
    /// Tokens of it in every context; 0 for one only where it is asked for.
    pub(super) tokens: usize,
    /// Finds facts in large profiles.
    pub(super) index: Option<&'a dyn NearestFacts>,
}

/// The facts of the asker's profile that are nearest to the question, and not forgotten: where it
/// concerns the asker, or in every context. An asker without a name has the facts of the speaker
/// without one.
pub(super) fn profile<'a>(
    inquiry: &Inquiry<'a, '_>,
    options: ProfileOptions<'_>,
) -> Vec<&'a ProfileFact> {
    let (session, question, query) = (inquiry.session, inquiry.question, inquiry.query);
    let asker = question.asked_by.as_deref();
    let concerned = match asker {
        Some(asker) => query.people.contains(&asker.to_lowercase()),
        None => ClaimFeatures::of(&question.text).first_person,
    };
    if !concerned && options.tokens == 0 {
        return Vec::new();
    }
    let (facts, most) = (session.profiles(), limits::FACTS_FOUND_MAX);
    let found = match options.index {
        Some(index) => index.nearest(facts, asker, &question.vector, most),
        None => facts.find(asker, &question.vector, most),
    };
    let found = found.into_iter().map(|(fact, _)| fact);
    found.filter(|it| inquiry.remembers(it.from_ms)).collect()
}

/// The statement that says a fact, last where it was said often, with the score of its citation;
/// without words where they are held nowhere.
pub(super) fn fact_said(
    session: &Session,
    fact: &ProfileFact,
    transcript: Option<&dyn Transcript>,
    score: f32,
) -> Option<Statement> {
    let evidence = fact.evidence.last()?;
    let quote = session.quote(evidence, transcript);
    Some(Statement::of(evidence.clone(), quote, score))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{question, told};
    use crate::answer::{answer_claims, quote};
    use crate::driver::Driver;
    use crate::stream::{Span, Utterance};

    fn answer(memory: &Driver, text: &str, asked_by: Option<&str>) -> String {
        let mut asked = question(text);
        asked.asked_by = asked_by.map(str::to_owned);
        quote(&asked, &memory.session().recall(&asked, 512)).text
    }

    /// Fifty statements that share words with the question and do not answer it.
    fn long_talk(last: &[(&'static str, &'static str)]) -> Driver {
        let beside = [
            ("Ana", "People live longer where the air is clean."),
            ("Bob", "Where do the owls live in winter?"),
        ];
        let mut said: Vec<(&str, &str)> = beside.iter().copied().cycle().take(50).collect();
        said.extend(last);
        told(&said)
    }

    #[test]
    fn the_fact_that_holds_is_told_with_its_evidence() {
        let memory = long_talk(&[
            ("Ana", "I live in Lisbon."),
            ("Ana", "Remember that I moved to Porto."),
        ]);
        let told = "Ana: Remember that I moved to Porto.";
        assert_eq!(answer(&memory, "Where do I live?", Some("Ana")), told);
        assert_eq!(answer(&memory, "Where does Ana live now?", None), told);
        let of_bob = answer(&memory, "Where does Bob live?", None);
        assert!(!of_bob.contains("Porto"), "{of_bob}");
    }

    #[test]
    fn what_contradicts_it_is_told_too() {
        let memory = long_talk(&[("Ana", "I live in Lisbon."), ("Ana", "I live in Rome.")]);
        assert_eq!(
            answer(&memory, "Where do I live?", Some("Ana")),
            "Ana: I live in Rome. Also said: Ana: I live in Lisbon."
        );
    }

    /// What was said last is not distilled yet.
    #[test]
    fn what_was_just_said_contradicts_too() {
        let mut memory = long_talk(&[("Ana", "I live in Lisbon.")]);
        let now = memory.session().now_ms();
        let mut hear = |id: &str, at_ms: u64, text: &str| {
            let heard = Utterance {
                id: id.to_owned(),
                stream: "s".to_owned(),
                span: Span::new(at_ms, at_ms + 1_000),
                ..Utterance::new("Ana", text)
            };
            memory.hear(heard).expect("heard");
            answer(&memory, "Where do I live?", Some("Ana"))
        };
        assert_eq!(
            hear("v1", now + 1_000, "I live in Rome."),
            "Ana: I live in Rome. Also said: Ana: I live in Lisbon."
        );
        assert_eq!(
            hear("v2", now + 3_000, "I moved to Porto."),
            "Ana: I moved to Porto."
        );
    }

    #[test]
    fn a_name_that_is_taken_for_another_is_told() {
        let memory = long_talk(&[("Carolina", "I live in Lisbon.")]);
        let told = answer(&memory, "Where does Carolyna live?", None);
        let expected = "I take Carolyna to be Carolina. Carolina: I live in Lisbon.";
        assert!(told.starts_with(expected), "{told}");
    }

    /// Its claims are the two quotes, each with its speaker.
    #[test]
    fn the_quotes_of_a_fact_are_its_claims() {
        let memory = long_talk(&[("Ana", "I live in Lisbon."), ("Ana", "I live in Rome.")]);
        let mut asked = question("Where do I live?");
        asked.asked_by = Some("Ana".to_owned());
        let recall = memory.session().recall(&asked, 512);
        let claims = answer_claims(&quote(&asked, &recall), &recall);
        let said = claims
            .iter()
            .map(|it| (it.speaker.as_deref(), it.text.as_str()));
        assert_eq!(
            said.collect::<Vec<_>>(),
            [
                (Some("Ana"), "I live in Rome."),
                (Some("Ana"), "I live in Lisbon.")
            ]
        );
    }

    #[test]
    fn the_past_is_no_fact_that_holds() {
        let memory = long_talk(&[("Ana", "I live in Lisbon."), ("Ana", "I moved to Porto.")]);
        let past = answer(&memory, "Where did Ana use to live?", None);
        assert!(!past.contains("Ana lives in"), "{past}");
    }
}
