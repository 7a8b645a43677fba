//! `weir-bench route`: where turns of a user go, against labels by hand.
//!
//! The labels are in `benches/questions/routes.tsv`, the texts in the corpora. Sentences that ask
//! to remember or to forget are hardly found there: `benches/questions/demands.tsv` has some of
//! our own.

mod labels;

use anyhow::Result;
use labels::Labelled;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;
use weir_core::text::{Demand, Route, StatementFlags, clauses, is_question};

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct RouteArgs {
    /// Folder of the development data
    data: PathBuf,
    /// Table of labelled turns
    #[arg(long, default_value = "benches/questions/routes.tsv")]
    labels: PathBuf,
    /// Table of sentences with demands
    #[arg(long, default_value = "benches/questions/demands.tsv")]
    demands: PathBuf,
    /// Print each turn with a wrong route, too
    #[arg(long)]
    wrong: bool,
}

/// Where a turn goes: into memory, to a search.
type Goes = (bool, bool);

/// The counts of one half of one corpus.
#[derive(Serialize, Default)]
struct Row {
    half: String,
    corpus: String,
    turns: usize,
    /// Turns by label (row) and route (column): neither, store, retrieve, both.
    confusion: [[usize; 4]; 4],
    right: usize,
    store_f1: f64,
    retrieve_f1: f64,
    /// The same of a simple rule: a clause that is a question is searched for, another one with two
    /// content words is stored.
    simple_right: usize,
    simple_store_f1: f64,
    simple_retrieve_f1: f64,
    /// Turns whose demand is right, and what it is about where that is labelled.
    demands_right: usize,
    /// Time of a route, mean of all turns, in microseconds.
    route_us: f64,
}

#[derive(Serialize)]
struct Wrong<'a> {
    half: &'a str,
    corpus: &'a str,
    turn: &'a str,
    label: &'a str,
    route: &'a str,
    demand: Option<String>,
    text: &'a str,
}

const NAMES: [&str; 4] = ["neither", "store", "retrieve", "both"];

/// Runs the command: rows as JSON Lines.
pub(crate) fn main(args: &RouteArgs) -> Result<()> {
    let mut turns = labels::of_corpora(&args.labels, &args.data)?;
    turns.extend(labels::of_our_own(&args.demands)?);
    let mut out = std::io::stdout().lock();
    let mut groups: BTreeMap<(&str, &str), Vec<&Labelled>> = BTreeMap::new();
    for turn in &turns {
        groups
            .entry((&turn.half, &turn.corpus))
            .or_default()
            .push(turn);
        if turn.about.is_none() {
            groups
                .entry((&turn.half, "all corpora"))
                .or_default()
                .push(turn);
        }
    }
    for ((half, corpus), turns) in groups {
        writeln!(
            out,
            "{}",
            serde_json::to_string(&row(half, corpus, &turns))?
        )?;
    }
    for turn in turns.iter().filter(|_| args.wrong) {
        if let Some(wrong) = wrong(turn) {
            writeln!(out, "{}", serde_json::to_string(&wrong)?)?;
        }
    }
    Ok(())
}

fn row(half: &str, corpus: &str, turns: &[&Labelled]) -> Row {
    let gold: Vec<Goes> = turns
        .iter()
        .map(|turn| (turn.store, turn.retrieve))
        .collect();
    let began = Instant::now();
    let routes: Vec<Route<'_>> = turns.iter().map(|turn| Route::of(&turn.text)).collect();
    let took_us = began.elapsed().as_secs_f64() * 1e6;
    let made: Vec<Goes> = routes
        .iter()
        .map(|route| (route.store, route.retrieve))
        .collect();
    let simple: Vec<Goes> = turns.iter().map(|turn| simple(&turn.text)).collect();
    let mut row = Row {
        half: half.to_owned(),
        corpus: corpus.to_owned(),
        turns: turns.len(),
        right: equal(&gold, &made),
        store_f1: f1(&gold, &made, |goes| goes.0),
        retrieve_f1: f1(&gold, &made, |goes| goes.1),
        simple_right: equal(&gold, &simple),
        simple_store_f1: f1(&gold, &simple, |goes| goes.0),
        simple_retrieve_f1: f1(&gold, &simple, |goes| goes.1),
        demands_right: turns.iter().filter(|turn| demand_is_right(turn)).count(),
        route_us: took_us / turns.len().max(1) as f64,
        ..Row::default()
    };
    for (gold, made) in gold.iter().zip(&made) {
        row.confusion[class(*gold)][class(*made)] += 1;
    }
    row
}

fn class(goes: Goes) -> usize {
    usize::from(goes.0) + 2 * usize::from(goes.1)
}

fn equal(gold: &[Goes], made: &[Goes]) -> usize {
    gold.iter().zip(made).filter(|(a, b)| a == b).count()
}

fn f1(gold: &[Goes], made: &[Goes], of: fn(&Goes) -> bool) -> f64 {
    let both = gold
        .iter()
        .zip(made)
        .filter(|(a, b)| of(a) && of(b))
        .count();
    let all = gold.iter().chain(made).filter(|goes| of(goes)).count();
    2.0 * both as f64 / all.max(1) as f64
}

fn simple(text: &str) -> Goes {
    let clauses = clauses(text);
    let tells = |clause: &&str| !is_question(clause) && !StatementFlags::of(clause).little;
    (
        clauses.iter().any(tells),
        clauses.iter().any(|it| is_question(it)),
    )
}

fn demanded(text: &str) -> (&'static str, &str) {
    match Route::of(text).demand {
        Some(Demand::Remember(about)) => ("remember", about),
        Some(Demand::Forget(about)) => ("forget", about),
        None => ("", ""),
    }
}

fn demand_is_right(turn: &Labelled) -> bool {
    let (kind, about) = demanded(&turn.text);
    kind == turn.demand && turn.about.as_ref().is_none_or(|gold| gold == about)
}

fn wrong(turn: &Labelled) -> Option<Wrong<'_>> {
    let route = Route::of(&turn.text);
    let (gold, made) = ((turn.store, turn.retrieve), (route.store, route.retrieve));
    let demand_is_right = demand_is_right(turn);
    (gold != made || !demand_is_right).then(|| Wrong {
        half: &turn.half,
        corpus: &turn.corpus,
        turn: &turn.turn,
        label: NAMES[class(gold)],
        route: NAMES[class(made)],
        demand: (!demand_is_right).then(|| format!("{:?}", route.demand)),
        text: &turn.text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_route_scores_one_and_none_scores_zero() {
        let gold = [(true, false), (false, true), (false, false)];
        assert_eq!(equal(&gold, &gold), 3);
        assert!((f1(&gold, &gold, |goes| goes.0) - 1.0).abs() < 1e-9);
        assert!(f1(&gold, &[(false, false); 3], |goes| goes.1).abs() < 1e-9);
        assert_eq!(gold.map(class), [1, 2, 0]);
    }

    #[test]
    fn the_sentences_of_our_own_can_be_read() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("questions");
        let turns = labels::of_our_own(&folder.join("demands.tsv")).expect("the sentences");
        assert_eq!(turns.len(), 78);
        for half in ["tune", "test"] {
            let of_half = turns.iter().filter(|turn| turn.half == half);
            let right = of_half.clone().filter(|turn| demand_is_right(turn)).count();
            assert!(right + 2 >= of_half.count(), "{half}");
        }
    }

    #[test]
    fn every_labelled_turn_is_in_its_corpus() {
        let Some(locomo) = weir_fixtures::weir_data("locomo") else {
            return;
        };
        let table = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("questions/routes.tsv");
        let data = locomo.parent().expect("a folder above");
        let turns = labels::of_corpora(&table, data).expect("all turns");
        assert_eq!(turns.len(), 650);
        assert!(turns.iter().all(|turn| !turn.text.is_empty()));
    }
}
