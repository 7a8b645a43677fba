//! Greedy decoding and beam search for a reply.
//!
//! Follows `generate(do_sample=False)` of transformers 5 step by step, including its stopping
//! rules, so that the same weights give the same text.

use candle_core::{Result, Tensor, bail};

use super::memory::Prompt;
use super::network::Network;

/// Most beams: each has its own keys and values.
pub(super) const BEAMS_MAX: usize = 16;
/// The reference's value for a missing score; far below any score, and finite, because infinity
/// would make NaN of differences.
const NONE: f32 = -1e9;

/// Search settings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Search {
    /// Number of beams, `1..=16`; 1 is greedy decoding.
    pub beams: usize,
    /// For beams: the length penalty, the power of a reply's length that divides its log
    /// probability. 0 turns it off, larger values favour long replies, negative ones short replies.
    pub length_penalty: f32,
    /// For beams: when the search ends.
    pub early_stopping: EarlyStopping,
    /// No sequence of this many tokens occurs twice; 0 turns the rule off.
    pub no_repeat_ngram: usize,
}

/// When a beam search ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlyStopping {
    /// When the best open reply, at its current length, is no better than the worst finished one.
    Heuristic,
    /// As soon as there are as many finished replies as beams.
    WhenFull,
    /// When no open reply can become better than the worst finished one at any length.
    Never,
}

impl Default for Search {
    /// Greedy decoding.
    fn default() -> Self {
        Self {
            beams: 1,
            length_penalty: 1.0,
            early_stopping: EarlyStopping::Heuristic,
            no_repeat_ngram: 0,
        }
    }
}

impl Search {
    /// The problem with these settings, if any.
    pub(super) fn fault(&self) -> Option<String> {
        if !(1..=BEAMS_MAX).contains(&self.beams) {
            return Some(format!(
                "{} beams; 1 to {BEAMS_MAX} are possible",
                self.beams
            ));
        }
        let penalty = self.length_penalty;
        let wrong = !penalty.is_finite() || penalty.abs() > 10.0;
        wrong.then(|| format!("a length penalty of {penalty}; -10 to 10 are possible"))
    }

    /// The tokens of the reply to `prompt`, at most `tokens_max`, including the end token.
    pub(super) fn run(
        &self,
        network: &Network,
        prompt: &Prompt,
        tokens_max: usize,
    ) -> Result<Vec<u32>> {
        let mut ids = match (tokens_max, self.beams) {
            (0, _) => return Ok(Vec::new()),
            (_, 1) => self.greedy(network, prompt, tokens_max)?,
            _ => Beams::new(self, network, tokens_max).run(network, prompt)?,
        };
        ids.remove(0);
        Ok(ids)
    }

    fn greedy(&self, network: &Network, prompt: &Prompt, tokens_max: usize) -> Result<Vec<u32>> {
        let mut ids = vec![network.config.start];
        let mut memory = network.memory(1)?;
        while ids.len() <= tokens_max {
            let last = ids[ids.len() - 1];
            let mut row = rows(&network.step(&[last], prompt, &mut memory)?)?.remove(0);
            self.ban(&ids, &mut row);
            let next = likeliest(&row)?;
            ids.push(next);
            if network.config.ends.contains(&next) {
                break;
            }
        }
        Ok(ids)
    }

    /// Excludes the tokens that would repeat a sequence of tokens.
    fn ban(&self, ids: &[u32], row: &mut [f32]) {
        let run = self.no_repeat_ngram;
        if run == 0 || ids.len() + 1 < run {
            return;
        }
        let tail = &ids[ids.len() + 1 - run..];
        for seen in ids.windows(run) {
            if seen[..run - 1] == *tail {
                row[seen[run - 1] as usize] = f32::NEG_INFINITY;
            }
        }
    }
}

/// A search with several beams.
struct Beams<'a> {
    search: &'a Search,
    ends: &'a [u32],
    /// Tokens of a whole reply, including the start token.
    length_max: usize,
    /// Best first.
    open: Vec<Reply>,
    /// Best first; until a reply is finished, an empty one takes its place.
    ended: Vec<Reply>,
    /// Whether an open reply may still become better than a finished one.
    hope: bool,
}

#[derive(Clone)]
struct Reply {
    ids: Vec<u32>,
    score: f32,
    ended: bool,
}

/// A reply extended by one token.
struct Next {
    score: f32,
    parent: usize,
    token: u32,
}

impl<'a> Beams<'a> {
    fn new(search: &'a Search, network: &'a Network, tokens_max: usize) -> Self {
        let reply = |score| Reply {
            ids: vec![network.config.start],
            score,
            ended: false,
        };
        // All beams start alike: only the first counts, or the same reply would be followed many
        // times.
        let mut open = vec![reply(NONE); search.beams];
        open[0].score = 0.0;
        Self {
            search,
            ends: &network.config.ends,
            length_max: tokens_max + 1,
            open,
            ended: vec![reply(NONE); search.beams],
            hope: true,
        }
    }

    fn run(mut self, network: &Network, prompt: &Prompt) -> Result<Vec<u32>> {
        let mut memory = network.memory(self.search.beams)?;
        loop {
            let last = |reply: &Reply| reply.ids[reply.ids.len() - 1];
            let tokens: Vec<u32> = self.open.iter().map(last).collect();
            let next = self.candidates(&network.step(&tokens, prompt, &mut memory)?)?;
            let length = self.open[0].ids.len() + 1;
            let full = length >= self.length_max;
            let ends: Vec<bool> = next
                .iter()
                .map(|next| full || self.ends.contains(&next.token))
                .collect();
            let parents = self.advance(&next, &ends, length);
            if !self.goes_on(length) || ends.iter().all(|ends| *ends) {
                return Ok(self.ended.swap_remove(0).ids);
            }
            memory.follow(&parents)?;
        }
    }

    /// The most probable extensions, best first: enough for all beams to continue even if some end.
    fn candidates(&self, logits: &Tensor) -> Result<Vec<Next>> {
        let mut best = Best::new((1 + self.ends.len()).max(2) * self.search.beams);
        for (parent, (reply, mut row)) in self.open.iter().zip(rows(logits)?).enumerate() {
            log_softmax(&mut row)?;
            self.search.ban(&reply.ids, &mut row);
            for (token, log) in (0u32..).zip(row) {
                best.offer(log + reply.score, parent, token);
            }
        }
        Ok(best.next)
    }

    /// Takes one step; returns the parent of each open reply.
    fn advance(&mut self, next: &[Next], ends: &[bool], length: usize) -> Vec<u32> {
        let grown = |next: &Next, score, ended| {
            let mut ids = self.open[next.parent].ids.clone();
            ids.push(next.token);
            Reply { ids, score, ended }
        };
        let mut order: Vec<(usize, f32)> = next
            .iter()
            .zip(ends)
            .map(|(next, ends)| next.score + if *ends { NONE } else { 0.0 })
            .enumerate()
            .collect();
        order.sort_by(|a, b| b.1.total_cmp(&a.1));
        order.truncate(self.search.beams);
        let open = order
            .iter()
            .map(|&(at, score)| grown(&next[at], score, false));
        let open: Vec<Reply> = open.collect();
        let parents = order.iter().map(|(at, _)| next[*at].parent as u32);
        let parents = parents.collect();

        let full = self.all_ended() && self.search.early_stopping == EarlyStopping::WhenFull;
        let closed = if full || !self.hope { NONE } else { 0.0 };
        // Candidates beyond the beams are only spare extensions, not finished replies.
        let done = next.iter().zip(ends).take(self.search.beams);
        let done: Vec<Reply> = done
            .filter(|(_, ends)| **ends)
            .map(|(next, _)| {
                let score = next.score / self.weight(length - 1) + closed;
                grown(next, score, true)
            })
            .collect();
        self.ended.extend(done);
        self.ended.sort_by(|a, b| b.score.total_cmp(&a.score));
        self.ended.truncate(self.search.beams);
        self.open = open;
        parents
    }

    /// Whether to continue the replies, now of `length` tokens.
    fn goes_on(&mut self, length: usize) -> bool {
        let never = self.search.early_stopping == EarlyStopping::Never;
        let reached = match never && self.search.length_penalty > 0.0 {
            true => self.length_max - 1,
            false => length - 1,
        };
        let best = self.open[0].score / self.weight(reached);
        let worst = self.ended.iter().map(|reply| reply.score);
        let worst = worst.fold(f32::INFINITY, f32::min);
        self.hope &= best > if self.all_ended() { worst } else { NONE };
        let full = self.all_ended() && self.search.early_stopping == EarlyStopping::WhenFull;
        self.hope && !full
    }

    fn all_ended(&self) -> bool {
        self.ended.iter().all(|reply| reply.ended)
    }

    /// The divisor of a log probability at this many tokens.
    fn weight(&self, tokens: usize) -> f32 {
        (tokens as f64).powf(f64::from(self.search.length_penalty)) as f32
    }
}

/// The best so far, best first; of equal ones the first.
struct Best {
    next: Vec<Next>,
    count: usize,
}

impl Best {
    fn new(count: usize) -> Self {
        Self {
            next: Vec::with_capacity(count + 1),
            count,
        }
    }

    fn offer(&mut self, score: f32, parent: usize, token: u32) {
        let full = self.next.len() == self.count;
        if full && self.next.last().is_some_and(|last| score <= last.score) {
            return;
        }
        let at = self.next.partition_point(|next| next.score >= score);
        let next = Next {
            score,
            parent,
            token,
        };
        self.next.insert(at, next);
        self.next.truncate(self.count);
    }
}

fn rows(logits: &Tensor) -> Result<Vec<Vec<f32>>> {
    logits.to_vec2::<f32>()
}

/// The token with the largest value; the first of equal ones.
fn likeliest(row: &[f32]) -> Result<u32> {
    let mut best = (0, f32::NEG_INFINITY);
    for (token, value) in (0u32..).zip(row) {
        if !value.is_finite() && *value != f32::NEG_INFINITY {
            return not_finite();
        }
        if *value > best.1 {
            best = (token, *value);
        }
    }
    Ok(best.0)
}

fn log_softmax(row: &mut [f32]) -> Result<()> {
    let top = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f32 = row.iter().map(|value| (value - top).exp()).sum();
    let down = top + sum.ln();
    if !down.is_finite() {
        return not_finite();
    }
    row.iter_mut().for_each(|value| *value -= down);
    Ok(())
}

fn not_finite<T>() -> Result<T> {
    bail!("it gave a value that is not finite; its weights are damaged, fetch them again")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_kept_in_order_and_the_first_of_equals_wins() {
        let mut best = Best::new(3);
        for (token, score) in (0u32..).zip([1.0, 3.0, 2.0, 3.0, 0.5, 3.0, 2.0]) {
            best.offer(score, 0, token);
        }
        let tokens: Vec<u32> = best.next.iter().map(|next| next.token).collect();
        assert_eq!(tokens, [1, 3, 5]);
    }

    #[test]
    fn a_run_of_tokens_does_not_come_twice() {
        let search = Search {
            no_repeat_ngram: 2,
            ..Search::default()
        };
        let mut row = vec![0.0; 6];
        search.ban(&[0, 3, 4, 3, 5, 3], &mut row);
        let banned: Vec<usize> = (0..6).filter(|&at| row[at] != 0.0).collect();
        assert_eq!(banned, [4, 5]);
        search.ban(&[], &mut row);
    }

    #[test]
    fn settings_that_cannot_be_are_named() {
        let beams = Search {
            beams: 17,
            ..Search::default()
        };
        assert!(
            beams
                .fault()
                .is_some_and(|fault| fault.contains("17 beams"))
        );
        let penalty = Search {
            length_penalty: f32::NAN,
            ..Search::default()
        };
        assert!(penalty.fault().is_some_and(|fault| fault.contains("NaN")));
        assert_eq!(Search::default().fault(), None);
    }

    #[test]
    fn values_that_are_no_numbers_end_the_search() {
        assert!(likeliest(&[0.0, f32::NAN]).is_err());
        assert!(log_softmax(&mut [f32::NAN, 1.0]).is_err());
        assert!(log_softmax(&mut [f32::INFINITY, 1.0]).is_err());
        assert!(matches!(
            likeliest(&[1.0, f32::NEG_INFINITY, 2.0, 2.0]),
            Ok(2)
        ));
    }
}
