//! Rule-based extraction of names, numbers and noun phrases of a short text.

use std::collections::BTreeMap;
use std::collections::HashSet;
use std::sync::LazyLock;
use weir_core::text::is_content_word;

/// Most words of a phrase: longer runs keep their end, where English has the noun.
const PHRASE_WORDS_MAX: usize = 3;

/// Common verbs, adverbs, adjectives of praise and words of small talk that name nothing.
const COMMON: &str = "\
    able absolutely actually again ago agree ah all almost already alright also always amazing \
    another any anything anyway ask asked asking aw away awesome awful aww back bad be \
    beautiful became because become been before began begin being believe best better big bit \
    both bring brought bye call called came can't change come comes coming cool couldn't \
    couple cute day days definitely did didn't different doesn't doing don't done during each \
    else end enjoy enjoyed enough especially even ever every everyone everything exactly \
    excited exciting fantastic far feel feeling feels felt few find fine first for found full \
    fun gave get gets getting give giving glad go goes going gone gonna good goodbye got gotta \
    gotten great guess guy guys ha had hadn't haha happen happened happy hard has hasn't \
    haven't having hear heard hello help helped helpful helps hey hi hmm hope hoping huh i'd \
    i'll i'm i've important incredible inspiring instead interested interesting isn't it's \
    keep kept kind kinda knew know known last late lately later least less let let's lets like \
    liked little live long look looked looking looks lot lots love loved lovely made make \
    makes making many may maybe mean means mention mentioned met might mind mine more most \
    much must near neat need needed needs never new next nice nope nothing now off often oh ok \
    okay old once one ones only other others own paid past people perfect perhaps person \
    please plus pretty probably proud put quite rather ready real reason recently remember \
    right said same saw say saying says second see seeing seem seems seen sense set several \
    share shared shares sharing she's show showed since sold some someone something sometimes \
    soon sorry sort sound sounded sounds special start started still stuff such super supposed \
    sure sweet take taken takes taking talk talked talking tell telling thank thanks that'd \
    that'll that's there's they're they've thing things think thinking thought through time \
    times today today's together told tomorrow tonight too took totally tried true truly try \
    trying two understand until us use used using usually want wanted wants was wasn't way \
    ways we'd we'll we're we've week well went were what's whatever while who's whole without \
    won won't wonder wonderful wondering word work worked works worth would wouldn't wow yeah \
    year years yep yes yesterday yet you'd you'll you're you've yup";

static COMMON_SET: LazyLock<HashSet<&'static str>> =
    LazyLock::new(|| COMMON.split_whitespace().collect());

/// A word as it stands in a text.
struct Word<'a> {
    written: &'a str,
    lower: String,
    /// Only spaces separate it from the previous word.
    joined: bool,
    /// It begins a sentence, so its capital means nothing.
    opens: bool,
}

fn words(text: &str) -> Vec<Word<'_>> {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-');
    let mut found = Vec::new();
    let (mut joined, mut opens) = (false, true);
    let mut rest = text;
    while let Some(from) = rest.find(inner) {
        let between = &rest[..from];
        joined &= between.chars().all(|c| c == ' ');
        opens |= between.contains(['.', '!', '?', ':', '\n', '"', '[', '“']);
        let word = &rest[from..];
        let end = word.find(|c| !inner(c)).unwrap_or(word.len());
        rest = &word[end..];
        let quoted = |c| c == '\'' || c == '’' || c == '-';
        let written = word[..end].trim_matches(quoted);
        let bare = written.strip_suffix("'s").or(written.strip_suffix("’s"));
        let owner = bare.is_some();
        let written = bare.unwrap_or(written);
        if !written.is_empty() {
            let lower = written.to_lowercase().replace('’', "'");
            found.push(Word {
                written,
                lower,
                joined,
                opens,
            });
            opens = false;
        }
        joined = !owner;
    }
    found
}

fn names_nothing(word: &Word<'_>) -> bool {
    !is_content_word(&word.lower) || COMMON_SET.contains(word.lower.as_str())
}

fn is_capital(word: &Word<'_>) -> bool {
    word.written.chars().next().is_some_and(char::is_uppercase)
}

fn is_number(word: &Word<'_>) -> bool {
    word.lower.contains(|c: char| c.is_ascii_digit())
}

/// Runs of words that satisfy `wanted`, as ranges.
fn runs(words: &[Word<'_>], wanted: impl Fn(&Word<'_>) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut runs: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if !wanted(word) {
            continue;
        }
        match runs.last_mut() {
            Some(run) if run.end == at && word.joined => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

fn text_of(words: &[Word<'_>]) -> String {
    let words: Vec<&str> = words.iter().map(|word| word.lower.as_str()).collect();
    words.join(" ")
}

/// Speakers, and capitalised runs not at the start of a sentence, in lower case, in order.
pub(super) fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let words = words(text);
    if let Some((speaker, _)) = text.split_once(": ")
        && is_speaker(speaker)
    {
        names.push(speaker.to_lowercase());
    }
    // inside a sentence a capital makes common words part of a name: New York
    let named = |word: &Word<'_>| {
        let common = names_nothing(word);
        let pronoun = !is_content_word(&word.lower) || word.lower.starts_with("i'");
        is_capital(word) && !pronoun && !(word.opens && common)
    };
    for run in runs(&words, named) {
        if words[run.clone()].iter().all(names_nothing) {
            continue;
        }
        let alone = run.len() == 1 && words[run.start].opens;
        // the first word is a name if it is capitalised elsewhere too, or all in capitals
        let word = &words[run.start];
        let again = || {
            let other =
                |other: &Word<'_>| !other.opens && is_capital(other) && other.lower == word.lower;
            words.iter().any(other)
        };
        let capitals = word.written.chars().filter(|c| c.is_uppercase()).count() > 1;
        if !alone || capitals || again() {
            names.push(text_of(&words[run]));
        }
    }
    deduplicated(names)
}

fn is_speaker(name: &str) -> bool {
    let capital = name.chars().next().is_some_and(char::is_uppercase);
    capital && name.len() <= 40 && name.split(' ').count() <= 3
}

fn deduplicated(mut phrases: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    phrases.retain(|phrase| seen.insert(phrase.clone()));
    phrases
}

/// Removes phrases that are a word of an earlier one: `york` after `new york`.
fn without_parts(phrases: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for phrase in phrases {
        let part = |whole: &String| whole.split(' ').any(|word| word == phrase);
        if !kept.iter().any(part) {
            kept.push(phrase);
        }
    }
    kept
}

/// Names, then numbers, then noun phrases by their score.
pub(super) fn key_phrases(text: &str, phrases_max: usize) -> Vec<String> {
    let mut found = names(text);
    let words = words(text);
    let numbers = runs(&words, is_number);
    found.extend(numbers.into_iter().map(|run| text_of(&words[run])));
    let mut others = runs(&words, |word| !names_nothing(word) && !is_number(word));
    for run in &mut others {
        run.start = run.start.max(run.end.saturating_sub(PHRASE_WORDS_MAX));
    }
    // RAKE: a word's score is its degree over its frequency, a phrase's the sum
    let mut scores: BTreeMap<&str, (f32, f32)> = BTreeMap::new();
    for run in &others {
        for word in &words[run.clone()] {
            let (degree, frequency) = scores.entry(&word.lower).or_default();
            *degree += run.len() as f32;
            *frequency += 1.0;
        }
    }
    let score = |run: &std::ops::Range<usize>| -> f32 {
        let of = |word: &Word<'_>| scores.get(word.lower.as_str()).map_or(0.0, |(d, f)| d / f);
        words[run.clone()].iter().map(of).sum()
    };
    others.sort_by(|a, b| score(b).total_cmp(&score(a)).then(a.start.cmp(&b.start)));
    let telling = others
        .iter()
        .filter(|run| run.len() > 1 || words[run.start].lower.len() > 2);
    found.extend(telling.map(|run| text_of(&words[run.clone()])));
    let mut found = without_parts(deduplicated(found));
    found.truncate(phrases_max);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_numbers_and_nouns_are_found() {
        for (text, expected) in [
            (
                "Caroline: I went to a LGBTQ support group yesterday.",
                &["caroline", "lgbtq", "lgbtq support group"][..],
            ),
            (
                "Good to see you, Mel! Swamped with the kids.",
                &["mel", "swamped", "kids"][..],
            ),
            (
                "We paid 40 euros to New York's zoo.",
                &["new york", "40", "euros", "zoo"],
            ),
            ("Lisbon is far. I love Lisbon.", &["lisbon"]),
            ("Yeah, thanks, that was great!", &[]),
            ("", &[]),
            ("…?!", &[]),
        ] {
            let found = key_phrases(text, 8);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn no_more_phrases_than_wanted() {
        let text = "Ana sold a kite, a drum, a lamp, a piano and a bicycle to Bob.";
        for most in 0..9 {
            assert!(key_phrases(text, most).len() <= most);
        }
        assert_eq!(key_phrases(text, 2), ["bob", "ana"]);
    }
}
