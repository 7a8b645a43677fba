//! What holds now: of statements of one person that answer the same question, which comes first.

use super::candidate::Candidate;
use super::expected::Kind;
use super::found::Found;
use super::network::logistic;
use super::same_question::Judge;
use std::sync::OnceLock;

/// Two logistic models of the chance that a later statement took the place of an earlier one,
/// fitted by `scripts/ranker/change.py` out of fold: the first where no network reads the vectors.
const WEIGHTS: &str = include_str!("change.txt");
/// From this chance on the later statement comes first. Of short talks held apart, where half of
/// the facts change, that is right in 7 of 10 cases (`scripts/ranker`).
const REPLACED_MIN: f32 = 0.25;
/// From this chance on the statement before is said to be earlier: right in 8 of 10. Below it both
/// are quoted, and nothing is said of them.
const CHANGED_MIN: f32 = 0.5;
/// A statement that is no plan takes the place of one that is if its chance is at least this share
/// of the plan's. Set by hand.
const NO_PLAN_SHARE: f32 = 0.5;

struct Weights {
    unread: [f32; 4],
    read: [f32; 5],
}

fn weights() -> &'static Weights {
    static SHIPPED: OnceLock<Weights> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        let mut numbers = WEIGHTS.split_whitespace().map(str::parse::<f32>);
        let mut next = || numbers.next().and_then(Result::ok).unwrap_or(f32::NAN);
        Weights {
            unread: std::array::from_fn(|_| next()),
            read: std::array::from_fn(|_| next()),
        }
    })
}

fn odds(chance: f32) -> f32 {
    let chance = chance.clamp(1e-4, 1.0 - 1e-4);
    (chance / (1.0 - chance)).ln()
}

/// The chance that each of the `later` statements took the place of the `first` one, by the chances
/// of all to answer, and by what the network says of the later ones. Where many would, the talk
/// keeps to one theme, and nothing changed; one more may, since things change again.
fn replaced(first: f32, later: &[f32], network: Option<&[f32]>) -> Vec<f32> {
    let of_network = network.map(|of| of.iter().copied().map(logistic).collect::<Vec<_>>());
    let rivals = of_network.as_deref().unwrap_or(later);
    let crowd = |at: usize| {
        let others = || (0..rivals.len()).filter(|other| *other != at);
        let sum: f32 = others().map(|other| rivals[other]).sum();
        let most = others().map(|other| rivals[other]).fold(0.0, f32::max);
        (sum - most).max(0.0).ln_1p()
    };
    let of = |at: usize| {
        let (first, own, crowd) = (odds(first), odds(later[at]), crowd(at));
        let score = match network {
            None => weighted(weights().unread, [1.0, own, first, crowd]),
            Some(of) => weighted(weights().read, [1.0, own, first, crowd, of[at]]),
        };
        logistic(score)
    };
    (0..later.len()).map(of).collect()
}

fn weighted<const N: usize>(weights: [f32; N], values: [f32; N]) -> f32 {
    weights.into_iter().zip(values).map(|(w, v)| w * v).sum()
}

/// Makes a statement a little likelier than another one.
fn put_before(chances: &mut [f32], at: usize, other: usize) {
    chances[at] = (1.01 * chances[other]).min(1.0);
}

impl<'a> Found<'a> {
    /// The likeliest statement that is no plan and takes the place of a first one that is: it is of
    /// the same person and about as likely. `None` where the question itself looks ahead.
    fn instead_of_a_plan(
        &self,
        best: &[&Candidate<'a>],
        chances: &[f32],
        first: usize,
    ) -> Option<usize> {
        let asked = &self.query.asked;
        let ahead = asked.future || asked.kind == Kind::When || self.query.days.is_some();
        if ahead || !self.is_ahead(best[first]) {
            return None;
        }
        let now = (0..best.len()).filter(|&at| {
            best[at].speaker() == best[first].speaker()
                && chances[at] >= NO_PLAN_SHARE * chances[first]
                && !self.is_ahead(best[at])
        });
        now.max_by(|a, b| chances[*a].total_cmp(&chances[*b]).then(b.cmp(a)))
    }

    /// A fact may have changed since. Where the present is asked, the latest statement by the same
    /// person that took the place of the likeliest one comes first. Returns the place of that one,
    /// if it is fairly certain that it was so before.
    pub(super) fn holds_now(&self, best: &[&Candidate<'a>], chances: &mut [f32]) -> Option<usize> {
        let by_chance = |a: &usize, b: &usize| chances[*a].total_cmp(&chances[*b]).then(b.cmp(a));
        let present = !self.query.past && !self.query.asked.past_tense;
        let mut first = (0..best.len()).max_by(by_chance).filter(|_| present)?;
        if let Some(now) = self.instead_of_a_plan(best, chances, first) {
            put_before(chances, now, first);
            first = now;
        }
        let turn = |at: usize| best[at].source.last_turn();
        let since = (0..best.len())
            .filter(|&at| turn(at) > turn(first) && best[at].speaker() == best[first].speaker());
        let since: Vec<usize> = since.collect();
        let told: Vec<f32> = since.iter().map(|&at| chances[at]).collect();
        let judge = Judge::of(self.session, self.question, &self.query, best[first]);
        let read = judge.map(|judge| -> Vec<f32> {
            let odds = since.iter().map(|&at| judge.odds(best[at]));
            odds.collect()
        });
        let chance = replaced(chances[first], &told, read.as_deref());
        let replacing = since.into_iter().zip(chance).filter(|&(at, chance)| {
            // a plan is not what holds now
            chance >= REPLACED_MIN && !self.is_ahead(best[at])
        });
        let (latest, chance) = replacing.max_by_key(|&(at, _)| turn(at))?;
        put_before(chances, latest, first);
        (chance >= CHANGED_MIN).then_some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{question, told};
    use super::{replaced, weights};

    #[test]
    fn what_the_network_and_the_ranker_say_counts_and_a_crowd_speaks_against_it() {
        let weights = weights();
        let all = weights.unread.iter().chain(&weights.read);
        assert!(all.copied().all(f32::is_finite), "change.txt has nine");
        let alone = replaced(0.8, &[0.5], Some(&[2.0]))[0];
        assert!(alone > replaced(0.8, &[0.1], Some(&[2.0]))[0]);
        assert!(alone > replaced(0.8, &[0.5], Some(&[-2.0]))[0]);
        let crowd = replaced(0.8, &[0.5; 5], Some(&[2.0; 5]));
        assert!(crowd.iter().all(|chance| *chance < alone), "{crowd:?}");
        let again = replaced(0.8, &[0.5; 2], Some(&[2.0; 2]));
        assert_eq!(again, [alone; 2]);
        assert!(replaced(0.8, &[0.7], None)[0] > replaced(0.8, &[0.7; 5], None)[0]);
    }

    /// Both were said on one day, and the later one is no less likely.
    #[test]
    fn the_latest_of_one_day_comes_first_where_the_present_is_asked() {
        let memory = told(&[
            ("Ana", "The gym in the mall closes at nine."),
            ("Bob", "We had soup and bread."),
            ("Ana", "The gym in the mall closes at eleven."),
        ]);
        let first = |text: &str| {
            let recall = memory.session().search(&question(text)).assemble(400);
            recall.heard.answers.first().map(|it| it.text.clone())
        };
        let latest = first("When does the gym close?");
        assert_eq!(
            latest.as_deref(),
            Some("The gym in the mall closes at eleven.")
        );
        let earlier = first("When did the gym close?");
        assert_eq!(
            earlier.as_deref(),
            Some("The gym in the mall closes at nine.")
        );
    }
}
