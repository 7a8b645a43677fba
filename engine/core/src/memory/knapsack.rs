//! The guarantee for pruning: greedy by density, or the single best item, whichever is worth more.
//!
//! Keeping the greatest value within a budget is the 0/1 knapsack problem. Greedy by density alone
//! can be arbitrarily bad: a small, slightly denser unit can displace a large one of great value.
//! The better of greedy and the best single unit is worth at least half of the optimum (Dantzig
//! 1957; Kellerer, Pferschy and Pisinger 2004, section 2.1). The paper's claim of `1 - 1/e` for
//! greedy alone (ProStream A.3) does not hold.

/// Value and cost of an item.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Item {
    pub(super) worth: f32,
    pub(super) cost: usize,
}

/// The item that is worth more than everything that greedy pruning to `capacity` would keep, if
/// there is one and it fits: keep it and prune the others. Cost: O(n log n).
pub(super) fn outweighing(items: &[Item], capacity: usize) -> Option<usize> {
    let greedy = kept_by_density(items, capacity);
    let kept: f32 = greedy.iter().map(|&at| items[at].worth).sum();
    let fits = (0..items.len()).filter(|&at| items[at].cost <= capacity);
    let best = fits.max_by(|&a, &b| items[a].worth.total_cmp(&items[b].worth))?;
    (items[best].worth > kept).then_some(best)
}

/// The densest items before the first that does not fit: the result of pruning first the items that
/// never fit, then the least dense one by one.
fn kept_by_density(items: &[Item], capacity: usize) -> Vec<usize> {
    let density = |at: usize| items[at].worth / items[at].cost.max(1) as f32;
    let fits = (0..items.len()).filter(|&at| items[at].cost <= capacity);
    let mut order: Vec<usize> = fits.collect();
    order.sort_by(|&a, &b| density(b).total_cmp(&density(a)).then(a.cmp(&b)));
    let mut left = capacity;
    order
        .into_iter()
        .map_while(|at| {
            left = left.checked_sub(items[at].cost)?;
            Some(at)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The optimum by dynamic programming over the capacity.
    fn optimum(items: &[Item], capacity: usize) -> f32 {
        let mut best = vec![0.0_f32; capacity + 1];
        for item in items {
            for room in (item.cost..=capacity).rev() {
                best[room] = best[room].max(best[room - item.cost] + item.worth);
            }
        }
        best[capacity]
    }

    /// The value kept under the guarantee.
    fn guaranteed(items: &[Item], capacity: usize) -> f32 {
        match outweighing(items, capacity) {
            Some(at) => items[at].worth,
            None => greedy(items, capacity),
        }
    }

    fn greedy(items: &[Item], capacity: usize) -> f32 {
        let kept = kept_by_density(items, capacity);
        kept.iter().map(|&at| items[at].worth).sum()
    }

    fn item() -> impl Strategy<Value = Item> {
        (0.0_f32..3.0, 1_usize..80).prop_map(|(worth, cost)| Item { worth, cost })
    }

    proptest! {
        #[test]
        fn at_least_half_of_the_optimum(
            items in proptest::collection::vec(item(), 0..24),
            capacity in 0_usize..400,
        ) {
            let best = optimum(&items, capacity);
            prop_assert!(guaranteed(&items, capacity) >= 0.5 * best - 1e-4);
        }
    }

    /// The textbook case: greedy keeps an eightieth of the value, the guarantee keeps all.
    #[test]
    fn greedy_alone_has_no_guarantee() {
        let items = [
            Item {
                worth: 0.02,
                cost: 1,
            },
            Item {
                worth: 0.8,
                cost: 50,
            },
        ];
        assert!(greedy(&items, 50) < 0.03);
        assert_eq!(outweighing(&items, 50), Some(1));
        assert!((guaranteed(&items, 50) - optimum(&items, 50)).abs() < 1e-6);
    }

    /// An item too large for the capacity must not displace those that fit.
    #[test]
    fn what_never_fits_goes_first() {
        let item = |worth, cost| Item { worth, cost };
        let items = [item(0.73, 1), item(0.1, 2), item(0.7, 10), item(1.73, 23)];
        assert!((guaranteed(&items, 13) - optimum(&items, 13)).abs() < 1e-6);
    }

    /// Units of realistic sizes: small against the budget, so greedy is near the optimum. Run with
    /// `--nocapture` to see the ratios.
    #[test]
    fn ratios_on_units_of_usual_size() {
        let mut state = 7_u64;
        let mut random = move |bound: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 33) % bound
        };
        let (mut worst, mut sum) = (1.0_f32, 0.0);
        const TREES: usize = 400;
        for _ in 0..TREES {
            let items: Vec<Item> = (0..60)
                .map(|_| Item {
                    worth: 0.4 + random(2_000) as f32 / 1_000.0,
                    cost: 4 + random(40) as usize,
                })
                .collect();
            let ratio = guaranteed(&items, 256) / optimum(&items, 256);
            worst = worst.min(ratio);
            sum += ratio;
        }
        let mean = sum / TREES as f32;
        println!("greedy over optimum, budget 256: worst {worst:.3}, mean {mean:.3}");
        assert!(worst > 0.85 && mean > 0.95, "worst {worst}, mean {mean}");
    }
}
