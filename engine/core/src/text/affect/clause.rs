//! Reads a clause: its words and symbols, and which of them are negated, raised or lowered.
//!
//! The weights were trained with these rules (`scripts/affect/README.md`).

use super::lists::{
    BOOSTER_PAIRS, BOOSTERS, CONTRASTS, DOWNTONER_PAIRS, DOWNTONERS, EMOTICONS, NEGATORS,
};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Marks that end the scope of negations and modifiers.
const BREAKS: &str = ".,;:!?()…—–\"“”";
/// Marks that may stand behind an emoticon.
const TRAILING: [char; 4] = ['.', ',', '!', '?'];
/// Words that a negation reaches.
const NEGATED_WORDS: usize = 4;
/// Words that a modifier reaches forward, and backward where nothing follows.
const AHEAD_WORDS: usize = 2;
const BACK_WORDS: usize = 4;

/// What a listed word or face does.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Role {
    Negates,
    Raises,
    Lowers,
    Contrasts,
    IsFace,
}

static ROLES: LazyLock<HashMap<&'static str, Role>> = LazyLock::new(|| {
    let lists = [
        (NEGATORS, Role::Negates),
        (BOOSTERS, Role::Raises),
        (DOWNTONERS, Role::Lowers),
        (CONTRASTS, Role::Contrasts),
        (EMOTICONS, Role::IsFace),
    ];
    let words = lists
        .iter()
        .flat_map(|(list, role)| list.iter().map(|word| (*word, *role)));
    words.collect()
});

/// A word or symbol that may carry feeling, and what stands around it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Hit {
    /// In lower case, letters repeated at most once.
    pub(super) word: String,
    /// The same without repeated letters, where it was drawn out ("looove").
    pub(super) short: Option<String>,
    /// The word before that is no modifier, in the same segment; of a negated word only its
    /// negator.
    pub(super) previous: String,
    pub(super) negated: bool,
    pub(super) boosted: bool,
    pub(super) lowered: bool,
    /// Number of contrasts ("but") before it.
    pub(super) part: usize,
    /// Number of words up to here, and of breaks before.
    at: usize,
    segment: usize,
}

/// What a clause consists of.
#[derive(Debug, Default)]
pub(super) struct Clause {
    pub(super) hits: Vec<Hit>,
    pub(super) words: usize,
    pub(super) negators: usize,
    pub(super) exclamations: usize,
    pub(super) question: bool,
    /// Number of contrasts.
    pub(super) parts: usize,
}

enum Token {
    Word(String),
    Symbol(String),
    Break(char),
}

impl Clause {
    /// Reads a text. Cost: linear.
    pub(super) fn of(text: &str) -> Self {
        let tokens = tokens(text);
        let words = || {
            tokens.iter().filter_map(|token| match token {
                Token::Word(word) => Some(word),
                Token::Symbol(_) | Token::Break(_) => None,
            })
        };
        let count = words().count();
        // where most words are capitals, capitals stress none
        let calm = 2 * words().filter(|word| is_loud(word)).count() <= count;
        let mut reader = Reader::default();
        reader.clause.words = count;
        reader.clause.question = tokens
            .iter()
            .any(|token| matches!(token, Token::Break('?')));
        for token in &tokens {
            match token {
                Token::Break(mark) => {
                    reader.clause.exclamations += usize::from(*mark == '!');
                    reader.close();
                }
                Token::Symbol(symbol) => {
                    // a face ends a phrase as a full stop does
                    reader.close();
                    reader.hit(symbol, false);
                }
                Token::Word(word) => reader.word(word, calm && is_loud(word)),
            }
        }
        reader.close();
        reader.clause
    }
}

/// Words as written with straight apostrophes, symbols and breaks, in order.
fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    for chunk in text.split_whitespace() {
        let bare = chunk.trim_end_matches(TRAILING);
        let is_face = |piece: &&str| ROLES.get(piece) == Some(&Role::IsFace);
        if let Some(face) = [chunk, bare].into_iter().find(is_face) {
            tokens.push(Token::Symbol(face.to_owned()));
            continue;
        }
        let mut word = String::new();
        for c in chunk.chars().map(straight) {
            if c.is_alphanumeric() || (c == '\'' && !word.is_empty()) {
                word.push(c);
                continue;
            }
            finish(&mut word, &mut tokens);
            if BREAKS.contains(c) {
                tokens.push(Token::Break(c));
            } else if !c.is_ascii() {
                tokens.push(Token::Symbol(c.to_string()));
            }
        }
        finish(&mut word, &mut tokens);
    }
    tokens
}

fn finish(word: &mut String, tokens: &mut Vec<Token>) {
    if !word.is_empty() {
        let written = std::mem::take(word);
        tokens.push(Token::Word(written.trim_end_matches('\'').to_owned()));
    }
}

/// Apostrophes of typesetters, and of text in an old code page, are straight ones.
fn straight(c: char) -> char {
    match c {
        '’' | '‘' | '\u{92}' => '\'',
        other => other,
    }
}

/// Two or more letters, none of them small.
fn is_loud(word: &str) -> bool {
    !word.contains(|c: char| c.is_ascii_lowercase())
        && word.chars().filter(|c| c.is_alphabetic()).count() > 1
        && word.to_uppercase() == *word
}

/// The word with every run of three or more of one letter cut to `kept`.
fn squeezed(word: &str, kept: usize) -> Cow<'_, str> {
    let is_run = |window: &[u8]| window[0] == window[1] && window[1] == window[2];
    if !word.as_bytes().windows(3).any(is_run) {
        return Cow::Borrowed(word);
    }
    let mut short = String::with_capacity(word.len());
    let chars: Vec<char> = word.chars().collect();
    for run in chars.chunk_by(|a, b| a == b) {
        let drawn = run.len() > 2 && run[0].is_ascii_lowercase();
        short.extend(&run[..if drawn { kept } else { run.len() }]);
    }
    Cow::Owned(short)
}

/// What a lower-cased word does; nothing for most.
fn role(word: &str) -> Option<Role> {
    let negates = word.ends_with("n't").then_some(Role::Negates);
    negates.or_else(|| ROLES.get(word).copied())
}

/// Whether two words are a pair of the list.
fn is_pair(list: &[&str], first: &str, second: &str) -> bool {
    list.iter().any(|pair| {
        let rest = pair.strip_prefix(first);
        rest.and_then(|rest| rest.strip_prefix(' ')) == Some(second)
    })
}

/// Reads a clause from left to right.
#[derive(Default)]
struct Reader {
    clause: Clause,
    at: usize,
    segment: usize,
    /// Words before this segment.
    segment_from: usize,
    /// The last word that a negation reaches.
    negated_until: usize,
    previous: String,
    /// The word before that is no modifier.
    neighbour: String,
    /// Place of the last modifier of this segment, and whether it raises.
    modifier: Option<(usize, bool)>,
}

impl Reader {
    /// Ends the segment, and with it the scope of negations and modifiers.
    fn close(&mut self) {
        let modifier = self.modifier.take();
        let last = self.clause.hits.last().map(|hit| hit.at);
        // "I love it so much": nothing follows, so the modifier belongs to what stands before
        if let (Some((at, raises)), Some(last)) = (modifier, last)
            && last < at
            && self.previous != "too"
        {
            for hit in self.clause.hits.iter_mut().rev() {
                if hit.segment != self.segment || hit.at + BACK_WORDS < at {
                    break;
                }
                hit.modify(raises);
            }
        }
        self.segment += 1;
        self.segment_from = self.at;
        self.negated_until = 0;
        self.previous.clear();
        self.neighbour.clear();
    }

    fn word(&mut self, written: &str, loud: bool) {
        let mut lower = written.to_lowercase();
        if let Cow::Owned(bare) = squeezed(&lower, 1)
            && role(&bare) == Some(Role::Raises)
        {
            lower = bare;
        }
        self.at += 1;
        let first = self.at == self.segment_from + 1;
        // "So I left" raises nothing, "sooo good" and "SO good" do
        let leads_on = first && ["So", "so"].contains(&written);
        let role = role(&lower);
        if role == Some(Role::Contrasts) {
            self.close();
            self.clause.parts += 1;
            // "but so slow": no first word
            self.segment_from -= 1;
        } else if role == Some(Role::Negates) {
            // "Isn't it great?" denies nothing
            if !(first && self.clause.question) {
                self.clause.negators += 1;
                self.negated_until = self.at + NEGATED_WORDS;
            }
        } else if lower == "only" && self.negated_until == self.at - 1 + NEGATED_WORDS {
            self.negated_until = 0;
        } else if is_pair(BOOSTER_PAIRS, &self.previous, &lower)
            || (role == Some(Role::Raises) && !leads_on)
        {
            self.modifier = Some((self.at, true));
        } else if is_pair(DOWNTONER_PAIRS, &self.previous, &lower) || role == Some(Role::Lowers) {
            self.drop_kind_of(&lower);
            self.modifier = Some((self.at, false));
        } else {
            self.hit(&lower, loud);
        }
        if self.modifier.is_none_or(|(at, _)| at != self.at) {
            self.neighbour.clone_from(&lower);
        }
        self.previous = lower;
    }

    /// The "kind" of "kind of" praises nobody.
    fn drop_kind_of(&mut self, lower: &str) {
        let before = self.at - 1;
        if lower == "of"
            && let Some(last) = self.clause.hits.last()
            && last.at == before
        {
            self.clause.hits.pop();
        }
    }

    fn hit(&mut self, lower: &str, loud: bool) {
        let word = squeezed(lower, 2);
        let long = word != lower;
        let negated = self.at <= self.negated_until;
        // "not a great idea" is no "great idea"; "can't wait" is a pair of its own
        let paired = !negated || role(&self.neighbour) == Some(Role::Negates);
        let mut hit = Hit {
            short: long.then(|| squeezed(lower, 1).into_owned()),
            word: word.into_owned(),
            previous: if paired {
                self.neighbour.clone()
            } else {
                String::new()
            },
            negated,
            boosted: loud || long,
            lowered: false,
            part: self.clause.parts,
            at: self.at,
            segment: self.segment,
        };
        if let Some((at, raises)) = self.modifier
            && self.at <= at + AHEAD_WORDS
        {
            hit.modify(raises);
        }
        self.clause.hits.push(hit);
    }
}

impl Hit {
    fn modify(&mut self, raises: bool) {
        if raises {
            self.boosted = true;
        } else {
            self.lowered = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words with `!` negated, `+` boosted, `-` lowered, and the number of contrasts before them.
    fn read(text: &str) -> String {
        let clause = Clause::of(text);
        let marked = clause.hits.iter().map(|hit| {
            let mark = |holds: bool, mark: &'static str| if holds { mark } else { "" };
            let negated = mark(hit.negated, "!");
            let boosted = mark(hit.boosted, "+");
            let lowered = mark(hit.lowered, "-");
            format!("{}{negated}{boosted}{lowered}{}", hit.word, hit.part)
        });
        marked.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn no_word_has_two_roles() {
        let lists = [NEGATORS, BOOSTERS, DOWNTONERS, CONTRASTS, EMOTICONS];
        assert_eq!(
            ROLES.len(),
            lists.iter().map(|list| list.len()).sum::<usize>()
        );
    }

    #[test]
    fn negations_and_modifiers_reach_words_of_their_segment() {
        assert_eq!(
            read("I don't like it, I love it."),
            "i0 like!0 it!0 i0 love0 it0"
        );
        assert_eq!(read("I don’t like it so much!"), "i0 like!+0 it!+0");
        assert_eq!(read("kind of meh, a bit too slow"), "meh-0 a0 slow+0");
        assert_eq!(read("Nice, but SO slow :("), "nice0 slow+1 :(1");
        assert_eq!(read("sooooo good"), "good+0");
        assert_eq!(read("I loooove it"), "i0 loove+0 it0");
        assert_eq!(read("Isn't it great?"), "it0 great0");
        assert_eq!(read("not only good"), "good0");
        assert_eq!(read("ALL OF THIS IS LOUD"), "all0 of0 this0 is0 loud0");
        assert_eq!(read("I love you too"), "i0 love0 you0");
        assert_eq!(read(""), "");
    }
}
