//! Where a clause begins, what its subject is, and where it may end.

use super::verbs::{is_adverb, is_base, is_finite, is_past};
use super::words::Word;
use crate::text::claim_features::{is_number, is_time};

/// Maximum number of words in a heading, without the speaker's name.
pub(super) const WORDS_MAX: usize = 10;
/// Minimum number of words in a shortened heading.
const WORDS_MIN: usize = 4;
/// Maximum number of words in a time before the subject.
const TIME_WORDS_MAX: usize = 4;
/// Maximum number of words between the first word of a subject and its verb.
const SUBJECT_WORDS_MAX: usize = 5;

const CONJUNCTIONS: &[&str] = &[
    "and", "but", "so", "because", "cause", "'cause", "although", "though", "while", "which",
    "since", "cuz", "plus",
];
/// Words before which a clause may end; they introduce an addition.
const ADDS: &[&str] = &[
    "with", "for", "at", "in", "on", "from", "about", "during", "after", "before", "since",
    "while", "when", "where", "because", "which", "and", "by", "through", "around", "near", "so",
    "as", "but", "who", "that's", "along", "over", "to", "that", "once", "every",
];
/// Words that cannot end a clause.
const OPEN: &[&str] = &[
    "a", "an", "the", "to", "of", "and", "or", "but", "with", "for", "at", "in", "on", "from",
    "my", "our", "your", "his", "her", "their", "its", "some", "any", "this", "that", "these",
    "those", "is", "are", "was", "were", "be", "been", "have", "has", "had", "very", "so", "too",
    "as", "by", "about", "which", "who", "when", "where", "than", "into", "really", "such",
    "every", "each", "more", "i", "i'm", "i've", "we", "it's", "not", "no", "also", "just", "like",
    "if", "because", "while", "how", "what", "two", "three", "other", "another", "new", "own",
    "between", "kind", "lot", "lots", "sort", "will", "would", "can", "could", "should", "there's",
    "going", "up", "pretty", "most", "great", "good", "different", "local", "few", "many", "still",
];
const ARTICLES: &[&str] = &[
    "a", "an", "the", "my", "his", "her", "our", "their", "this", "some",
];
/// Words removed from the end of a clause: the speaker broke off.
const BROKEN_OFF: &[&str] = &[
    "a", "an", "the", "of", "and", "or", "but", "my", "our", "your", "because", "if", "even",
];
/// Words whose clause must not be cut off: the rest would mean something else.
const TURNS: &[&str] = &[
    "if", "unless", "until", "till", "except", "than", "or", "not", "without",
];

/// Words that show that "'s" after a noun is "is" or "has".
const AFTER_IS: &[&str] = &[
    "been", "a", "an", "so", "not", "always", "going", "really", "gotta",
];

/// The subject of a clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// The speaker.
    I,
    /// The speaker and others.
    We,
    You,
    /// He, she, they.
    Other,
    /// It, this, that, there.
    It,
    /// A name or a noun.
    Named,
    /// No subject: "Just got back".
    Left,
}

/// A clause of a statement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clause<'a> {
    /// A time before its subject: "last weekend".
    pub(super) time: &'a [Word],
    pub(super) words: &'a [Word],
    pub(super) subject: Subject,
    /// Index of its verb.
    pub(super) verb: usize,
    /// It was cut inside a phrase.
    pub(super) broken: bool,
}

/// Every clause of a statement that can become a heading.
pub(super) fn clauses_of(words: &[Word]) -> Vec<Clause<'_>> {
    let starts = (0..words.len()).filter(|&at| at == 0 || begins(words, at));
    // a clause after a condition holds only under it
    let starts = starts.filter(|&at| !words[..at].iter().any(|word| word.is(&["if", "unless"])));
    starts.filter_map(|at| clause(words, at)).collect()
}

/// Whether a clause that can stand alone begins at this word.
fn begins(words: &[Word], at: usize) -> bool {
    let before = &words[at - 1];
    // "my mom and I" is one subject; its verb follows
    let joins = before.lower == "and" && !before.border;
    let whole = || subject(words).is_some_and(|(_, verb)| verb + 1 < at);
    let conjoined = before.is(CONJUNCTIONS) && (!joins || whole());
    (before.border || conjoined) && !words[at].is(TURNS)
}

fn clause(words: &[Word], at: usize) -> Option<Clause<'_>> {
    let (time, rest) = words[at..].split_at(time_before(&words[at..]));
    // "if I move" says nothing without its consequence
    if rest[0].is(TURNS) || at > 0 && words[at - 1].is(TURNS) {
        return None;
    }
    let (subject, verb) = subject(rest)?;
    let end = end_of_clause(rest, verb);
    let most = WORDS_MAX - time.len();
    let (end, broken) = match end <= most {
        true => (end, false),
        false => shorter(&rest[..end], verb, most).map_or((most, true), |end| (end, false)),
    };
    let kept = rest[..end].iter().rposition(|word| !word.is(BROKEN_OFF))? + 1;
    let end = kept.max(verb + 1).min(end);
    // do not drop an addition with "if" or "unless"
    let turns = rest.get(end).is_some_and(|next| next.is(TURNS));
    let words = &rest[..end];
    (end >= 3 || subject == Subject::Named && end == 2).then_some(Clause {
        time,
        words,
        subject,
        verb,
        broken: broken || turns,
    })
}

/// Number of words before "I" that name a time: "last weekend", "two days ago"; 0 if there are
/// other words.
fn time_before(words: &[Word]) -> usize {
    const SMALL: &[&str] = &[
        "last", "this", "next", "a", "the", "few", "couple", "of", "ago", "other", "day", "days",
        "night", "back", "on", "in", "since", "one", "weeks", "tues", "fri", "wed", "mon", "thurs",
        "sat", "sun", "earlier", "past",
    ];
    let told = |word: &Word| word.lower.starts_with("i'") || word.is(&["i", "my"]);
    let times = words.iter().take(TIME_WORDS_MAX + 1).position(told);
    let Some(count) = times.filter(|&count| count > 0) else {
        return 0;
    };
    let says_time = |word: &Word| is_time(&word.lower, word.capital) || is_number(&word.lower);
    let lead = &words[..count];
    let only = lead.iter().all(|word| says_time(word) || word.is(SMALL));
    let some = lead
        .iter()
        .any(|word| says_time(word) || word.is(&["day", "night", "ago", "days"]));
    if only && some && !lead.iter().any(|word| word.stop) {
        count
    } else {
        0
    }
}

/// The subject at the start of the words, and the index of its verb.
fn subject(words: &[Word]) -> Option<(Subject, usize)> {
    let first = words.first()?;
    let (base, drawn) = first
        .lower
        .split_once('\'')
        .map_or((first.lower.as_str(), ""), |(base, drawn)| (base, drawn));
    let person = match base {
        "i" => Some(Subject::I),
        "we" => Some(Subject::We),
        "you" | "let" => Some(Subject::You),
        "he" | "she" | "they" => Some(Subject::Other),
        "it" | "this" | "that" | "there" | "these" | "those" | "what" | "here" => Some(Subject::It),
        _ => None,
    };
    if let Some(person) = person {
        let verb = match drawn {
            "" => next_verb(words, 1)?,
            _ => 0,
        };
        return Some((person, verb));
    }
    if is_adverb(&first.lower) && words.len() > 2 {
        let (inner, verb) = subject(&words[1..])?;
        return match inner {
            Subject::Left => Some((Subject::Left, verb + 1)),
            _ => None,
        };
    }
    let finite = words.get(1).is_some_and(|next| is_finite(&next.lower));
    if is_base(&first.lower) && !finite {
        // "stay here" is an imperative
        return Some((Subject::You, 0));
    }
    let doing = |word: &Word| word.lower.len() >= 5 && word.lower.ends_with("ing");
    if let Some(verb) = noun_verb(words).filter(|_| !doing(first)) {
        return Some((Subject::Named, verb));
    }
    let left = is_past(&first.lower) || doing(first) || first.is(&["gonna", "been", "gotta"]);
    left.then_some((Subject::Left, 0))
}

/// Index of a pronoun's verb: the next word, adverbs aside.
fn next_verb(words: &[Word], from: usize) -> Option<usize> {
    let at = (from..words.len()).find(|&at| !is_adverb(&words[at].lower))?;
    (!words[at - 1].stop).then_some(at)
}

/// Index of a noun's verb.
fn noun_verb(words: &[Word]) -> Option<usize> {
    const LEADS: &[&str] = &[
        "my", "our", "his", "her", "their", "your", "the", "a", "an", "some", "one", "both", "all",
        "two", "three", "every", "each", "many", "most", "another",
    ];
    let first = &words[0];
    let drawn = first.lower.ends_with("'s") && words.len() > 2;
    if !(first.is(LEADS) || first.capital || drawn) || is_finite(&first.lower) && !first.capital {
        return None;
    }
    let from = usize::from(first.is(LEADS)) + 1;
    for at in from..words.len().min(from + SUBJECT_WORDS_MAX) {
        if words[at - 1].border {
            return None;
        }
        let word = &words[at].lower;
        // in "my fam's been" the verb is contracted with the noun
        let drawn = words[at - 1].lower.ends_with("'s") && words[at].is(AFTER_IS);
        if drawn && at > 1 {
            return Some(at - 1);
        }
        if words[at].is(&["be", "been", "being", "gonna", "to"]) {
            return None;
        }
        let plural = || words[at - 1].lower.ends_with('s') || words[at - 1].is(&["people"]);
        let noun_after_lead = at == from && first.is(LEADS) && is_base(word);
        if (is_finite(word) && !words[at].capital)
            || (is_base(word) && plural() && !noun_after_lead)
        {
            return Some(at);
        }
    }
    None
}

/// The natural end of the clause: a full stop, or the start of another clause.
fn end_of_clause(words: &[Word], verb: usize) -> usize {
    let ends = |at: &usize| {
        let (before, word) = (&words[*at - 1], &words[*at]);
        let other = |from: usize| words.get(from..).is_some_and(begins_with_subject);
        before.stop
            || (before.border && (other(*at) || word.is(CONJUNCTIONS) && !word.is(&["and"])))
            || (word.is(CONJUNCTIONS) && other(at + 1))
    };
    let from = (verb + 1).min(words.len());
    (from.max(1)..words.len()).find(ends).unwrap_or(words.len())
}

fn begins_with_subject(words: &[Word]) -> bool {
    match subject(words) {
        Some((Subject::Named, verb)) => words[0].capital || verb <= 3,
        Some((Subject::Left, _)) | None => false,
        Some(_) => true,
    }
}

/// Whether an inner clause that begins with "how" or "that" still lacks its verb.
fn leaves_open(words: &[Word]) -> bool {
    let inner = words
        .iter()
        .rposition(|word| word.is(&["how", "what", "why", "that", "whether"]));
    inner.is_some_and(|at| {
        let verb = |word: &Word| is_finite(&word.lower) || is_base(&word.lower);
        !words[at + 1..].iter().any(verb)
    })
}

/// An earlier end for a long clause, keeping as many words as fit; `None` if there is none.
fn shorter(words: &[Word], verb: usize, most: usize) -> Option<usize> {
    let least = WORDS_MIN.max(verb + 2);
    let last = most.min(words.len() - 1);
    let at_border = |at: usize| words[at - 1].border;
    let may_end = |at: usize| {
        let (before, word) = (&words[at - 1], &words[at]);
        let of_verb = is_past(&before.lower)
            || is_finite(&before.lower)
            || is_base(&before.lower)
            || before.lower.ends_with("ing") && !at_border(at);
        let noun = words[at.saturating_sub(4)..at - 1]
            .iter()
            .any(|word| word.is(ARTICLES));
        let hanging = before.is(OPEN)
            || is_adverb(&before.lower)
            || of_verb && !noun
            || leaves_open(&words[verb + 1..at]);
        (at_border(at) || word.is(ADDS)) && !word.is(TURNS) && !hanging
    };
    let pick = |least: usize, may: &dyn Fn(usize) -> bool| (least..=last).rev().find(|&at| may(at));
    pick(least.max(5), &|at| at_border(at) && may_end(at)).or_else(|| pick(least, &may_end))
}

/// The start of a picture caption, cut at the end of a phrase.
pub(super) fn cut_picture(words: &[Word]) -> &[Word] {
    if words.len() <= WORDS_MAX {
        return words;
    }
    let places = (5..=WORDS_MAX).rev();
    let may_end = |at: &usize| {
        let joins = words[*at].is(ADDS) || words[*at].lower.ends_with("ing");
        joins && !words[*at - 1].is(OPEN) && !words[*at - 1].lower.ends_with("ing")
    };
    let end = places.clone().find(may_end);
    &words[..end.unwrap_or(WORDS_MAX)]
}
