//! Why an opinion does not count as what the speaker feels now.

use super::lexicon::Class;
use super::opinion::Doubt;
use super::sentence::Sentence;

impl Sentence<'_> {
    /// The doubt of an opinion whose verb is at a word and whose clause begins at `from`.
    pub(super) fn doubt(&self, verb: usize) -> Option<Doubt> {
        let from = self.clauses.around(verb).0;
        let clause = &self.words[from..verb];
        if self.is_reported(verb) {
            return Some(Doubt::Reported);
        }
        let supposes = |list: &str| clause.iter().any(|word| word.is(list));
        let supposed = supposes("would could might should 'd will may gonna wanna unless")
            || supposes("if") && !supposes("even")
            || supposes("hope hopefully imagine suppose supposed wish whether");
        // "wouldn't" and "can't" before a feeling still state it
        let refused = verb > 0 && self.is(verb - 1, "not") && self.is(verb.max(2) - 2, "can");
        let opens = (from..verb.min(from + 2))
            .any(|at| self.is(at, "when whenever until before after") && !self.is(at + 1, "was"));
        if supposed && !refused || opens || self.under_condition(from) {
            return Some(Doubt::Hypothetical);
        }
        self.is_past(from, verb).then_some(Doubt::Past)
    }

    /// Whether the sentence begins with "if" or its clause is a consequence.
    fn under_condition(&self, from: usize) -> bool {
        let before = from.saturating_sub(1);
        self.is(0, "if unless suppose imagine whether")
            || self.words[..=before.min(self.words.len() - 1)]
                .iter()
                .enumerate()
                .any(|(at, word)| {
                    from > 0 && word.is("if unless") && (at == 0 || !self.is(at - 1, "even"))
                })
    }

    /// "used to", "back then", "as a kid", "when I was young".
    fn is_past(&self, from: usize, verb: usize) -> bool {
        let to = self.clauses.around(verb).1;
        let pairs = |a: &str, b: &str| (from..to).any(|at| self.is(at, a) && self.is(at + 1, b));
        pairs("used", "to") && !pairs("am are get got getting", "used")
            || pairs("back", "then")
            || pairs("as", "a") && (from..to).any(|at| self.is(at, "kid child teenager boy girl"))
            || self.words.iter().any(|word| word.lower == "when")
                && (0..self.words.len()).any(|at| {
                    self.is(at, "was were")
                        && (at..at + 5).any(|at| self.is(at, "young younger kid child little kids"))
                })
    }

    /// Whether somebody else says it: "she says it's great", "it's great, she said".
    fn is_reported(&self, verb: usize) -> bool {
        let other = |at: usize| {
            let before = (0..at).rev().find(|&before| {
                let word = &self.words[before];
                !(word.is_adverb() || word.of(Class::Auxiliary) || word.is_negation())
            });
            let speaker = before.is_some_and(|before| self.is(before, "i we to have"));
            !speaker || self.is(at, "heard hear")
        };
        let says = |at: usize| {
            let word = &self.words[at];
            let noun = at > 0 && self.words[at - 1].of(Class::Determiner);
            word.of(Class::Report) && !noun && at > 0 && other(at)
        };
        let felt = |at: usize| {
            self.is(at, "feel feels felt") && !self.is(at + 1, "like that i it he she they the")
        };
        (0..verb).any(|at| says(at) && !felt(at) && at + 1 < verb)
            || self.is(0, "apparently supposedly") && self.words.len() > 3
            || self.is(0, "according")
            || self.said_after(verb)
    }

    /// ", she said" at the end.
    fn said_after(&self, verb: usize) -> bool {
        let last = self.words.len() - 1;
        last >= 2
            && last - 2 >= verb
            && self.words[last - 2].ends_part()
            && self.is(last, "said says thinks claims")
            && !self.is(last - 1, "i we")
    }

    /// What is called great in sarcasm: "Oh great, another delay" is about the delay, at this word.
    pub(super) fn sarcasm(&self) -> Option<usize> {
        let start = usize::from(self.is(0, "oh well ah so"));
        let just = usize::from(self.is(start, "just"));
        let praise = start + just;
        let praised = self.is(
            praise,
            "great wonderful perfect fantastic lovely brilliant awesome joy",
        ) && self.words[praise].ends_part();
        let needed = (praise..self.words.len().min(praise + 8)).find(|&at| {
            self.is(at, "needed wanted")
                && self.is(0, "just exactly oh")
                && self.words[at].ends_part()
        });
        let after = match (praised, needed) {
            (true, _) => praise + 1,
            (_, Some(at)) => at + 1,
            _ => return None,
        };
        self.is(after, "another yet more now").then_some(after)
    }
}
