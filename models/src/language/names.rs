//! Who and what a statement names, and the words that relate one to another.

use super::spans::{bytes, likeliest, spans};
use crate::annotate::{Name, NameKind, Relating};
use crate::checkpoint::LoadError;
use crate::sentence::{Head, Trunk, Words};
use std::ops::Range;

/// How a word is written, which the encoder does not see.
const WRITTEN: usize = 6;
/// Words that end a sentence.
const ENDS: [&str; 3] = [".", "!", "?"];

/// A head of tokens that sees how their words are written too.
struct CasedHead {
    tokens: Head,
    written: Head,
    labels: usize,
}

/// Finds names and relating words.
pub(super) struct Names {
    name: CasedHead,
    relation: CasedHead,
}

impl CasedHead {
    fn of(trunk: &Trunk, stack: usize, name: &str, labels: usize) -> Result<Self, LoadError> {
        Ok(Self {
            tokens: trunk.head(stack, &format!("tokens.{name}"), 1, labels)?,
            written: trunk.head_of(stack, &format!("case.{name}"), WRITTEN, labels)?,
            labels,
        })
    }

    /// The chances of the labels of each token, for the tokens that begin a word.
    fn chances(&self, words: &Words, written: &[f32], last: &[f32]) -> Vec<f32> {
        let mut chances = self.tokens.chances(last);
        let more = self.written.chances(written);
        for ((token, _), more) in words.iter().zip(more.chunks_exact(self.labels)) {
            // the sum of two heads is the product of their chances
            let own = &mut chances[token * self.labels..][..self.labels];
            own.iter_mut().zip(more).for_each(|(x, by)| *x *= by);
            let all: f32 = own.iter().sum();
            own.iter_mut().for_each(|x| *x /= all);
        }
        chances
    }
}

impl Names {
    /// The heads of the stack at a place of the trunk.
    pub(super) fn of(trunk: &Trunk, stack: usize) -> Result<Self, LoadError> {
        let kinds = 1 + 2 * NameKind::ALL.len();
        Ok(Self {
            name: CasedHead::of(trunk, stack, "name", kinds)?,
            relation: CasedHead::of(trunk, stack, "relation", 3)?,
        })
    }

    /// The names and relating words of a text, each in order.
    pub(super) fn read(
        &self,
        text: &str,
        words: &Words,
        last: &[f32],
    ) -> (Vec<Name>, Vec<Relating>) {
        let written = written(text, words);
        let chances = |head: &CasedHead| head.chances(words, &written, last);
        let (names, relating) = (chances(&self.name), chances(&self.relation));
        let names = marked(words, &names, NameKind::ALL.len());
        let relating = marked(words, &relating, 1);
        let name = |(place, kind, chance): (Range<usize>, usize, f32)| Name {
            kind: NameKind::ALL[kind],
            bytes: bytes(words, &place),
            chance,
        };
        let related = |(place, _, chance): (Range<usize>, usize, f32)| Relating {
            bytes: bytes(words, &place),
            chance,
        };
        (
            names.into_iter().map(name).collect(),
            relating.into_iter().map(related).collect(),
        )
    }
}

/// Marked words that follow each other, the kind likeliest for all of them, and the smallest of its
/// chances. A kind has two labels: a name begins, or goes on.
fn marked(words: &Words, chances: &[f32], kinds: usize) -> Vec<(Range<usize>, usize, f32)> {
    let labels = 1 + 2 * kinds;
    let of_kind = |token: usize, kind: usize| {
        let both = &chances[token * labels + 1 + 2 * kind..][..2];
        both[0] + both[1]
    };
    let places = spans(words, |token| likeliest(chances, token, labels) > 0);
    let each = places.into_iter().map(|place| {
        let own = || words[place.clone()].iter().map(|it| it.0);
        let sum = |kind: &usize| own().map(|token| of_kind(token, *kind)).sum::<f32>();
        let kind = (0..kinds).max_by(|a, b| sum(a).total_cmp(&sum(b)));
        let kind = kind.unwrap_or_default();
        let chance = own().map(|token| of_kind(token, kind)).fold(1.0, f32::min);
        (place, kind, chance)
    });
    each.collect()
}

/// For each word whether it has a capital where a sentence begins, has one elsewhere, is all
/// capitals, has a digit, and whether the words beside it have a capital.
fn written(text: &str, words: &Words) -> Vec<f32> {
    let texts: Vec<&str> = words
        .iter()
        .map(|(_, bytes)| text.get(bytes.clone()).unwrap_or_default())
        .collect();
    let capital = |at: usize| {
        let word = texts.get(at).and_then(|it| it.chars().next());
        word.is_some_and(char::is_uppercase)
    };
    let mut made = Vec::with_capacity(texts.len() * WRITTEN);
    for (at, word) in texts.iter().enumerate() {
        let begins = at.checked_sub(1).is_none_or(|it| ENDS.contains(&texts[it]));
        let letters = word.chars().filter(|it| it.is_alphabetic());
        let all = letters.clone().next().is_some() && letters.clone().all(char::is_uppercase);
        let marks = [
            capital(at) && begins,
            capital(at) && !begins,
            all && word.chars().count() > 1,
            word.chars().any(char::is_numeric),
            at.checked_sub(1).is_some_and(capital),
            capital(at + 1),
        ];
        made.extend(marks.map(|it| f32::from(u8::from(it))));
    }
    made
}
