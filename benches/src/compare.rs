//! Two methods' answers compared by a judge in six dimensions (DAM-LLM).
//!
//! Takes the probes that a run asked both methods, shows the judge the gold evidence as the
//! history, and prints a line for each probe and one with means. Each pair is judged in both
//! orders.

use crate::judge::{DIMENSIONS, Pairwise};
use crate::run::record::{Line, ProbeRow};
use crate::run::{read_streams, results};
use anyhow::{Result, ensure};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::path::PathBuf;

/// Input of a comparison.
pub(crate) struct Plan {
    /// Results of `weir-bench run`.
    pub(crate) results: PathBuf,
    /// The streams of the run.
    pub(crate) streams: Vec<PathBuf>,
    /// Full names of two methods.
    pub(crate) methods: [String; 2],
    /// Their token budget; `None` is unlimited.
    pub(crate) budgets_tokens: [Option<usize>; 2],
    /// Maximum number of probes, evenly spread.
    pub(crate) limit: usize,
    /// The judge.
    pub(crate) judge: Pairwise,
}

type Of<'a> = (&'a str, &'a str);

/// Runs the judge and prints its scores.
pub(crate) fn run(plan: &Plan, out: &mut dyn Write) -> Result<()> {
    let lines = results::read(&plan.results)?;
    let [first, second] = [0, 1].map(|side| answers(&lines, plan, side));
    let shared = |row: &&&ProbeRow| second.contains_key(&of(row));
    let mut both: Vec<&&ProbeRow> = first.values().filter(shared).collect();
    both.sort_by_key(|row| of(row));
    ensure!(
        !both.is_empty(),
        "{}: no probe was put to both {} and {} with these budgets",
        plan.results.display(),
        plan.methods[0],
        plan.methods[1]
    );
    let evidence = evidence(plan)?;
    let many = plan.limit.min(both.len());
    let (mut sums, mut judged) = ([[0.0; 6]; 2], 0);
    for at in 0..many {
        let row = both[at * both.len() / many];
        let Some((question, history)) = evidence.get(&(row.job.stream.clone(), row.probe.clone()))
        else {
            continue;
        };
        let other = &second[&of(row)].answer;
        let sides = plan.judge.compare(question, history, &row.answer, other)?;
        let scores = sides.map(|sides| [sides.first, sides.second]);
        if let Some(scores) = scores {
            judged += 1;
            for (sum, side) in sums.iter_mut().zip(scores) {
                sum.iter_mut()
                    .zip(side)
                    .for_each(|(sum, score)| *sum += score);
            }
        }
        let shown = scores.map(|scores| scores.map(named));
        let (stream, probe) = of(row);
        let line = json!({"stream": stream, "probe": probe, "scores": shown});
        writeln!(out, "{line}")?;
    }
    let means = sums.map(|side| named(side.map(|sum| sum / f64::from(judged.max(1)))));
    let methods = &plan.methods;
    let line = json!({"methods": methods, "compared": many, "judged": judged, "means": means});
    writeln!(out, "{line}")?;
    Ok(())
}

fn of(row: &ProbeRow) -> Of<'_> {
    (&row.job.stream, &row.probe)
}

/// One side's rows by stream and probe.
fn answers<'a>(lines: &'a [Line], plan: &Plan, side: usize) -> HashMap<Of<'a>, &'a ProbeRow> {
    let rows = lines.iter().filter_map(|line| match line {
        Line::Probe(row) => Some(&**row),
        _ => None,
    });
    let wanted = rows.filter(|row| {
        row.job.method == plan.methods[side] && row.job.budget_tokens == plan.budgets_tokens[side]
    });
    wanted.map(|row| (of(row), row)).collect()
}

/// The question of each probe, and the text of its gold evidence.
fn evidence(plan: &Plan) -> Result<HashMap<(String, String), (String, String)>> {
    let mut all = HashMap::new();
    for (stream, _) in read_streams(&plan.streams)? {
        let said: HashMap<&str, String> = stream
            .turns()
            .map(|turn| (turn.id.as_str(), turn.said()))
            .collect();
        for probe in stream.probes() {
            let lines = probe.gold.evidence.iter();
            let lines: Vec<&str> = lines.map(|id| said[id.as_str()].as_str()).collect();
            let key = (stream.name.clone(), probe.id.clone());
            all.insert(key, (probe.question.clone(), lines.join("\n")));
        }
    }
    Ok(all)
}

fn named(scores: [f64; 6]) -> Map<String, Value> {
    let named = DIMENSIONS.iter().zip(scores);
    named
        .map(|((short, _), score)| ((*short).to_owned(), json!(score)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::server::{Act, Server};
    use crate::endpoint::{Endpoint, EndpointOptions};
    use crate::run::tests::Place;
    use std::sync::Arc;

    const SCORES: &str = r#"{"evaluation":
        {"response_a": {"AC": 5, "LC": 5, "RMR": 5, "ER": 5, "Pers": 5, "LF": 5},
        "response_b": {"AC": 3, "LC": 3, "RMR": 3, "ER": 3, "Pers": 3, "LF": 3}}}"#;

    #[test]
    fn what_both_answered_is_judged_in_both_orders() {
        let place = Place::new();
        crate::run::run(&place.plan(&["stateless", "rag-rrf"])).expect("it runs");
        // three probes, two orders each; the judge's reply to the last pair is invalid once
        let mut script = vec![Act::Say(SCORES); 5];
        script.push(Act::Say("B is better"));
        let server = Server::start(&script);
        let options = EndpointOptions::new(&server.url, "tiny");
        let plan = Plan {
            results: place.results(),
            streams: vec![place.streams()],
            methods: ["rag-rrf".to_owned(), "stateless".to_owned()],
            budgets_tokens: [None, None],
            limit: 10,
            judge: Pairwise::new(Arc::new(Endpoint::new(options).expect("an address"))),
        };
        let mut out = Vec::new();
        run(&plan, &mut out).expect("judged");
        let rows: Vec<Value> = String::from_utf8(out)
            .expect("text")
            .lines()
            .map(|line| serde_json::from_str(line).expect("a row"))
            .collect();
        assert_eq!(rows.len(), 4);
        assert!(rows[2]["scores"].is_null(), "{}", rows[2]);
        assert_eq!(
            (&rows[3]["compared"], &rows[3]["judged"]),
            (&json!(3), &json!(2))
        );
        assert_eq!(
            rows[3]["means"][0]["AC"], 4.0,
            "first in one order, second in the other"
        );
        let prompt = server.requests()[0]["messages"][0]["content"].to_string();
        assert!(
            prompt.contains("beside the old well"),
            "the evidence is shown: {prompt}"
        );
    }
}
