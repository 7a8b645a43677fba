//! Input features of the ranker: how likely a statement answers a question.

use super::asked::Asked;
use super::candidate::{Candidate, Source};
use super::expected::Kind;
use super::hybrid::Utterance;
use super::query::Query;
use crate::text::{ClaimFeatures, content_words, display_words};
use std::collections::BTreeSet;

/// Names of the features that describe how a statement was found, and of whom it concerns.
const FOUND_NAMES: [&str; 19] = [
    "dense", "sparse", "lexical", "utterance", "around", "score", "behind_first", "rank", "cosine",
    "terms", "covered", "utterance_covered", "before_covered", "before_asks", "people", "own",
    "concerns", "others", "pair",
];
const FOUND: usize = FOUND_NAMES.len();
/// Names of the features of a statement's content and form.
const SAID_NAMES: [&str; 20] = [
    "question", "little", "first_person", "numbers", "times", "negated", "new_names", "words",
    "new_words", "salience", "answers", "greets", "second_person", "fits", "unsure", "pronoun",
    "asks_several", "asks_listener", "known_share", "proofs",
];
const PLAIN: usize = FOUND + SAID_NAMES.len();
/// Features that do not depend on the other statements: plain ones, and the kinds of answers, asked
/// for and offered.
const ALONE: usize = PLAIN + 2 * Kind::COUNT;
/// Features that also enter as their distance from the best value of all statements. The first few
/// of them enter as ranks too.
const COMPARED: [usize; 9] = [
    found("dense"),
    found("sparse"),
    found("lexical"),
    found("utterance"),
    found("cosine"),
    found("terms"),
    found("score"),
    found("covered"),
    found("pair"),
];
const RANKED: usize = 6;
/// Number of features of one statement.
pub(super) const COUNT: usize = ALONE + COMPARED.len() + RANKED;

/// Indices of features that are read by name.
pub(super) mod place {
    use super::{Kind, PLAIN, found, said};

    pub(crate) const DENSE: usize = found("dense");
    pub(crate) const SPARSE: usize = found("sparse");
    pub(crate) const COVERED: usize = found("covered");
    pub(crate) const OWN: usize = found("own");
    pub(crate) const CONCERNS: usize = found("concerns");
    pub(crate) const OTHERS: usize = found("others");
    pub(crate) const PEOPLE: usize = found("people");
    pub(crate) const KNOWN: usize = said("known_share");
    pub(crate) const FITS: usize = said("fits");
    /// Of statements of the people in question and of others, each best value counts.
    pub(crate) const OWN_AND_OTHERS: [usize; 10] = [
        found("dense"),
        found("sparse"),
        found("lexical"),
        found("score"),
        found("cosine"),
        found("terms"),
        found("covered"),
        found("utterance_covered"),
        found("utterance"),
        found("pair"),
    ];
    pub(crate) const KINDS: std::ops::Range<usize> = PLAIN..PLAIN + Kind::COUNT;
}

const fn found(name: &str) -> usize {
    index(&FOUND_NAMES, name)
}

const fn said(name: &str) -> usize {
    FOUND + index(&SAID_NAMES, name)
}

/// The place of a name; not compiled if it is not there.
const fn index(names: &[&str], name: &str) -> usize {
    let mut at = 0;
    while !is_same(names[at].as_bytes(), name.as_bytes()) {
        at += 1;
    }
    at
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// The names of all features, in order.
pub(super) fn names() -> Vec<String> {
    let plain: Vec<&str> = FOUND_NAMES.into_iter().chain(SAID_NAMES).collect();
    let kinds = ["asks", "offers"]
        .into_iter()
        .flat_map(|does| Kind::NAMES.map(|kind| format!("{does}_{kind}")));
    let below = COMPARED.iter().map(|&at| format!("{}_below", plain[at]));
    let ranks = COMPARED[..RANKED].iter();
    let ranks = ranks.map(|&at| format!("{}_rank", plain[at]));
    let all = plain.iter().map(|name| (*name).to_owned());
    all.chain(kinds).chain(below).chain(ranks).collect()
}

/// Features of the best statements, in their order; `pairs`: what [`super::pair`] says of each, 0
/// where it says nothing.
pub(super) fn of_all(
    best: &[&Candidate<'_>],
    pairs: &[f32],
    query: &Query,
    utterances: &[Utterance],
) -> Vec<[f32; COUNT]> {
    let most = best.first().map_or(0.0, |found| found.score);
    let each = best.iter().enumerate();
    let mut all: Vec<[f32; COUNT]> = each
        .map(|(rank, found)| {
            let place = (rank, most, pairs[rank]);
            query.asked.features(found, query, utterances, place)
        })
        .collect();
    for (at, from) in COMPARED.into_iter().enumerate() {
        let most = all.iter().map(|row| row[from]).fold(f32::MIN, f32::max);
        for row in &mut all {
            row[ALONE + at] = row[from] - most;
        }
        if at < RANKED {
            let mut order: Vec<usize> = (0..all.len()).collect();
            order.sort_by(|a, b| all[*b][from].total_cmp(&all[*a][from]));
            for (rank, row) in order.into_iter().enumerate() {
                all[row][ALONE + COMPARED.len() + at] = rank as f32;
            }
        }
    }
    all
}

impl Asked {
    /// Features of one statement; so many statements rank before it, the first has this score, and
    /// this is what the network of pairs says.
    fn features(
        &self,
        found: &Candidate<'_>,
        query: &Query,
        utterances: &[Utterance],
        place: (usize, f32, f32),
    ) -> [f32; COUNT] {
        let text = found.said().unwrap_or_default();
        let marks = ClaimFeatures::of(text);
        let lower = text.to_lowercase();
        let words: Vec<&str> = display_words(&lower).collect();
        let offered = Kind::offered(text, &lower, &words, &marks);
        let mut all = [0.0; COUNT];
        all[..FOUND].copy_from_slice(&self.found(found, query, utterances, place));
        all[FOUND..PLAIN].copy_from_slice(&self.said(found, query, &words, (&marks, &offered)));
        all[PLAIN + self.kind as usize] = 1.0;
        for (to, offers) in all[PLAIN + Kind::COUNT..].iter_mut().zip(offered) {
            *to = is(offers);
        }
        all
    }

    /// Features of how a statement was found, and of whom it concerns.
    fn found(
        &self,
        found: &Candidate<'_>,
        query: &Query,
        utterances: &[Utterance],
        (rank, most, pair): (usize, f32, f32),
    ) -> [f32; FOUND] {
        let asked = query.asked_rarity().max(1e-3);
        let own = utterances.get(found.at as usize);
        let before = (found.at as usize).checked_sub(1);
        let before = before.and_then(|at| utterances.get(at));
        let held = |utterance: Option<&Utterance>| {
            utterance.map_or(0.0, |it| query.focus_where(|at| it.counts.has(at)) / asked)
        };
        let people = !query.people.is_empty();
        let own_speaker = people && query.is_about(found.speaker());
        let [dense, sparse, lexical] = found.signals;
        // without terms both are 0
        let of_terms = found.sparse / self.whole.max(f32::MIN_POSITIVE);
        [
            dense,
            sparse,
            lexical,
            own.map_or(0.0, |it| it.own),
            own.map_or(0.0, |it| it.around),
            found.score,
            found.score - most,
            (1.0 + rank as f32).ln(),
            found.cosine,
            of_terms,
            query.focus_where(|at| found.counts.has(at)) / asked,
            held(own),
            held(before),
            is(before.is_some_and(|it| it.asks)),
            is(people),
            is(own_speaker),
            is(found.concerns),
            is(people && !own_speaker && found.speaker().is_some()),
            pair,
        ]
    }

    /// Features of a statement's content and form.
    fn said(
        &self,
        found: &Candidate<'_>,
        query: &Query,
        words: &[&str],
        (marks, offered): (&ClaimFeatures, &[bool; Kind::COUNT]),
    ) -> [f32; PLAIN - FOUND] {
        let text = found.said().unwrap_or_default();
        let content: BTreeSet<String> = content_words(text).collect();
        let new = content.difference(&self.words).count();
        let names = marks
            .names
            .iter()
            .filter(|name| !self.words.contains(*name));
        let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
        let starts = |list: &[&str]| words.first().is_some_and(|word| list.contains(word));
        let (salience, answers, proofs) = match found.source {
            Source::Unit(unit) => (
                unit.salience,
                unit.asked.is_some(),
                unit.evidence.len() as f32,
            ),
            Source::Raw(..) => (-2.0, false, 1.0),
        };
        [
            is(found.traits.question),
            is(found.traits.little),
            is(marks.first_person),
            is(!marks.numbers.is_empty()),
            is(!marks.times.is_empty()),
            is(marks.negated),
            names.count().min(3) as f32,
            (1.0 + words.len() as f32).ln(),
            (1.0 + new as f32).ln(),
            salience,
            is(answers),
            is(starts(GREETINGS)),
            is(has(SECOND)),
            is(offered[self.kind as usize]),
            is(has(UNSURE)),
            is(has(PRONOUNS)),
            is(self.several),
            is(self.second_person),
            query.known_share,
            proofs,
        ]
    }
}

fn is(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}

const GREETINGS: &[&str] = &[
    "hey", "hi", "hello", "thanks", "thank", "wow", "bye", "cool", "nice", "great", "awesome",
    "congrats", "yeah", "sure", "ok", "okay",
];
const SECOND: &[&str] = &["you", "your", "you're", "you've"];
const UNSURE: &[&str] = &[
    "maybe", "might", "perhaps", "if", "hope", "hopefully", "wish", "could",
];
const PRONOUNS: &[&str] = &[
    "he", "she", "they", "it", "that", "this", "them", "him", "her", "those",
];

#[cfg(test)]
mod tests {
    use super::super::testing::{question, told};
    use super::{COUNT, found, names};

    /// The answer, which Ana gave, then what Bob said of Denver, then Bob's question.
    #[test]
    fn a_worked_example() {
        let memory = told(&[
            ("Bob", "Where does your sister Nora live?"),
            ("Ana", "She moved to Denver in May."),
            ("Bob", "Thanks, I am not fond of Denver."),
        ]);
        let asked = question("When did Ana's sister move to Denver?");
        let weighed = memory.session().search(&asked).weighed(&[]);
        let ids: Vec<_> = weighed.iter().map(|one| one.utterance.as_deref()).collect();
        assert_eq!(ids, [Some("u1"), Some("u2"), Some("u0")]);
        assert!(weighed.iter().all(|one| one.features.len() == COUNT));
        assert_eq!(names().len(), COUNT);

        let names = names();
        for (name, expected) in [
            ("rank", [0.0, 2_f32.ln(), 3_f32.ln()]),
            ("before_asks", [1.0, 0.0, 0.0]),
            ("people", [1.0, 1.0, 1.0]),
            ("own", [1.0, 0.0, 0.0]),
            ("concerns", [1.0, 0.0, 0.0]),
            ("others", [0.0, 1.0, 1.0]),
            ("question", [0.0, 0.0, 1.0]),
            ("first_person", [0.0, 1.0, 0.0]),
            ("times", [1.0, 0.0, 0.0]),
            ("negated", [0.0, 1.0, 0.0]),
            // Nora, who is not in the question
            ("new_names", [0.0, 0.0, 1.0]),
            ("words", [7_f32.ln(), 8_f32.ln(), 7_f32.ln()]),
            ("answers", [1.0, 0.0, 0.0]),
            ("greets", [0.0, 1.0, 0.0]),
            ("pronoun", [1.0, 0.0, 0.0]),
            ("fits", [1.0, 0.0, 0.0]),
            ("offers_when", [1.0, 0.0, 0.0]),
            ("offers_reason", [0.0, 0.0, 0.0]),
            ("offers_thing", [1.0, 1.0, 1.0]),
            ("proofs", [2.0, 1.0, 1.0]),
            ("asks_when", [1.0, 1.0, 1.0]),
            ("asks_place", [0.0, 0.0, 0.0]),
        ] {
            let at = names.iter().position(|it| it == name).expect("a feature");
            let found: Vec<f32> = weighed.iter().map(|one| one.features[at]).collect();
            assert_eq!(found, expected, "{name}");
        }
        // the answer and its question name the sister, Denver and the move
        let covered = |at: usize| weighed[at].features[found("covered")];
        assert_eq!(covered(0).to_bits(), 1_f32.to_bits());
        assert!(
            covered(1) < 1.0 && covered(2) < 1.0,
            "{}, {}",
            covered(1),
            covered(2)
        );
    }
}
