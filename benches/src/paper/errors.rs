//! Where answers go wrong, from memory to words, and one case as it was answered.

use crate::markdown::{count, table};
use crate::run::{Job, JobKey, ProbeRow};
use crate::stream::{Category, Gold, Stream};
use std::collections::BTreeMap;

/// The engine that answers, and what stands beside it in a case.
pub(super) const METHODS: [&str; 2] = ["weir-quote", "rag-rrf"];

/// Its name, and whether a question that is none of those before is one.
type Outcome = (&'static str, fn(&ProbeRow) -> bool);

/// What became of a question, by the first place where it went wrong.
const OUTCOMES: [Outcome; 7] = [
    ("declined", |row| is_adversarial(row) && declined(row)),
    ("answered all the same", is_adversarial),
    ("right", |row| row.scores.right == Some(1.0)),
    ("forgotten", |row| row.scores.regret == Some(1.0)),
    ("held, not in the context", |row| {
        row.scores.any_fact_recall() == Some(0.0)
    }),
    ("shown, declined", declined),
    ("shown, answered otherwise", |_| true),
];

fn is_adversarial(row: &ProbeRow) -> bool {
    row.category == Some(Category::Adversarial)
}

fn declined(row: &ProbeRow) -> bool {
    row.abstained == Some(true)
}

/// Questions of jobs by kind and outcome: those that nothing answers, and those whose gold answer
/// is short enough to be right or not.
pub(super) fn outcomes(jobs: &[Job]) -> String {
    let mut counts: BTreeMap<(&str, Option<usize>, &str), [usize; OUTCOMES.len()]> =
        BTreeMap::new();
    for job in jobs {
        let is_told = |row: &&ProbeRow| is_adversarial(row) || row.scores.right.is_some();
        let answered = job.probes.iter().filter(|row| row.abstained.is_some());
        for row in answered.filter(is_told) {
            let of = OUTCOMES.iter().position(|(_, is_it)| is_it(row));
            let kind = row.category.map_or("other", Category::name);
            for kind in [kind, "~ all"] {
                let key = (&*job.row.key.method, job.row.key.budget_tokens, kind);
                counts.entry(key).or_default()[of.unwrap_or_default()] += 1;
            }
        }
    }
    let cells = counts.iter().map(|((method, budget, kind), counts)| {
        let kind = kind.trim_start_matches("~ ");
        let setup = [(*method).to_owned(), count(*budget), kind.to_owned()];
        let asked: usize = counts.iter().sum();
        let counts = [asked].into_iter().chain(*counts).map(|it| it.to_string());
        setup.into_iter().chain(counts).collect()
    });
    let heads = ["method", "budget", "kind", "questions"].into_iter();
    let heads: Vec<&str> = heads.chain(OUTCOMES.map(|it| it.0)).collect();
    format!("\n{}", table(&heads, &cells.collect::<Vec<_>>()))
}

/// A case: the first question with several turns of evidence that all stand in the context of
/// `ours` and not all in that of `other`. Shows the question, and which turn each context has.
pub(super) fn case(streams: &[Stream], jobs: &[Job], [ours, other]: [&str; 2]) -> String {
    let found = jobs.iter().filter(|job| job.row.key.method == ours);
    let pairs = found.filter_map(|job| {
        let key = JobKey {
            method: other.to_owned(),
            ..job.row.key.clone()
        };
        let is_same = |it: &&Job| it.row.key == key;
        Some((job, jobs.iter().find(is_same)?))
    });
    for (job, beside) in pairs {
        let stream = streams.iter().find(|it| it.name == job.row.key.stream);
        let rows = job.probes.iter().zip(&beside.probes);
        let is_told = |(own, theirs): &(&ProbeRow, &ProbeRow)| {
            let recall = |row: &ProbeRow| row.scores.fact_recall;
            own.probe == theirs.probe && recall(own) == Some(1.0) && recall(theirs) < Some(1.0)
        };
        let probes = stream.iter().flat_map(|stream| stream.probes());
        let told = rows.filter(is_told).find_map(|(own, theirs)| {
            let probe = probes.clone().find(|probe| probe.id == own.probe)?;
            (probe.gold.evidence.len() > 1).then_some((probe, own, theirs))
        });
        if let (Some(stream), Some((probe, own, theirs))) = (stream, told) {
            let (own, theirs) = ((ours, own), (other, theirs));
            return told_case(stream, &probe.question, &probe.gold, [own, theirs]);
        }
    }
    format!(
        "\nNo question has all evidence in the context of {ours} and less in that of {other}.\n"
    )
}

fn told_case(
    stream: &Stream,
    question: &str,
    gold: &Gold,
    sides: [(&str, &ProbeRow); 2],
) -> String {
    let answer = gold.answer.as_deref().unwrap_or("nothing");
    let mut text = format!("\n**{question}** ({answer}; {})\n\n", stream.name);
    let turns = stream.turns().enumerate();
    let cells = turns.filter(|(_, turn)| gold.evidence.contains(&turn.id));
    let cells = cells.map(|(place, turn)| {
        let is_shown = |(_, row): (&str, &ProbeRow)| match row.context_utterances.contains(&turn.id)
        {
            true => "shown".to_owned(),
            false => "–".to_owned(),
        };
        let evidence = [format!("{} (turn {})", turn.said(), place + 1)];
        evidence.into_iter().chain(sides.map(is_shown)).collect()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    text.push_str(&table(&["evidence", sides[0].0, sides[1].0], &cells));
    text
}
