//! What passages of sources are shown and quoted for a question, and whether one answers it.

use super::counts::Counts;
use super::head::ContextPart;
use super::passages::FoundPassage;
use super::query::Query;
use super::support;
use crate::analysis::StatementFlags;
use crate::answer::{PassageCitation, Statement};
use crate::text::{flags, sentences, terms};
use weir_models::CountTokens;

const SOURCES: &str = "## Sources:";
/// The best of all statements and passages among which a passage must be to be recalled.
const BEST: usize = 32;
/// Maximum number of passages offered to an answerer.
const OFFERED_MAX: usize = 4;
/// Maximum words quoted of a passage.
const QUOTE_WORDS_MAX: usize = 40;
/// Least support of a passage that answers.
const SUPPORT_MIN: f32 = 0.5;
/// A passage answers in place of statements that answer too if it supports as much and its score is
/// ahead by this much, in standard deviations of a signal.
const AHEAD: f32 = 1.0;

impl FoundPassage<'_> {
    /// How strongly it supports an answer, as [`support`] has it for statements.
    fn strength(&self, query: &Query) -> f32 {
        let concerns = query.people.is_empty() || self.names_people(query);
        let flags = StatementFlags {
            question: false,
            ..flags(&self.passage.text)
        };
        support::strength_of(self.signals[0], &self.counts, flags, concerns, query)
    }

    fn statement(&self, query: &Query) -> Statement {
        let strength = self.strength(query) * query.known_share;
        let passage = self.passage;
        let file = self.source.files.get(passage.file as usize);
        Statement {
            text: one_line(&passage.text),
            speaker: None,
            node: None,
            citations: Vec::new(),
            passage: Some(Box::new(PassageCitation {
                source: self.source.name.clone(),
                file: file.cloned().unwrap_or_default(),
                first_line: passage.first_line,
                last_line: passage.last_line,
                span: passage.span,
                quote: quote(&passage.text, query),
                score: strength,
            })),
            strength,
            chance: strength,
            day: None,
            said_on: None,
            earlier: false,
        }
    }

    /// Its words in one line.
    pub(super) fn words_shown(&self) -> String {
        one_line(&self.passage.text)
    }

    fn line(&self) -> String {
        let place = self.source.place(self.passage);
        format!("[{place}] {}", one_line(&self.passage.text))
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The passages that rank among the best candidates of both kinds, best first; `scores` are the
/// scores of the statements, best first.
pub(super) fn best<'f, 'a>(
    found: &'f [FoundPassage<'a>],
    scores: impl Iterator<Item = f32>,
) -> &'f [FoundPassage<'a>] {
    let scores: Vec<f32> = scores.take(BEST).collect();
    let among = |(at, it): (usize, &FoundPassage<'_>)| {
        let higher = || scores.iter().filter(|score| **score >= it.score).count();
        let before = it.before.unwrap_or_else(|| higher() + at);
        it.score > 0.0 && before < BEST
    };
    let count = found.iter().enumerate().take_while(|it| among(*it)).count();
    &found[..count]
}

/// The section of a context: the passages that fit, in their order.
pub(super) fn section(
    best: &[FoundPassage<'_>],
    counter: &dyn CountTokens,
    tokens_max: usize,
) -> ContextPart {
    let (mut text, mut tokens) = (format!("{SOURCES}\n"), counter.count(SOURCES));
    let before = tokens;
    for line in best.iter().map(FoundPassage::line) {
        let more = counter.count(&line);
        if tokens + more <= tokens_max {
            tokens += more;
            text.push_str(&line);
            text.push('\n');
        }
    }
    match tokens > before {
        true => ContextPart { text, tokens },
        false => ContextPart::default(),
    }
}

/// The passages offered to an answerer, strongest first.
pub(super) fn statements(best: &[FoundPassage<'_>], query: &Query) -> Vec<Statement> {
    let offered = best.iter().take(OFFERED_MAX);
    offered.map(|it| it.statement(query)).collect()
}

/// How good the evidence in what was heard is.
pub(super) struct HeardEvidence {
    /// The best score of a statement.
    pub(super) score: f32,
    /// The greatest strength of one.
    pub(super) strength: f32,
    /// Whether statements support an answer.
    pub(super) answers: bool,
}

/// Whether the best passage is clearly better evidence than what was heard. With a reranker, it is
/// if the reranker put it first; else scores decide.
pub(super) fn lead(
    best: &[FoundPassage<'_>],
    offered: &[Statement],
    heard: &HeardEvidence,
) -> bool {
    let (Some(first), Some(statement)) = (best.first(), offered.first()) else {
        return false;
    };
    let weighted = statement.strength * first.source.weight;
    let ahead = match first.before {
        Some(before) => before == 0,
        None => first.score >= heard.score + AHEAD && weighted >= heard.strength,
    };
    statement.strength >= SUPPORT_MIN && (ahead || !heard.answers)
}

/// The sentence of a passage with most of the words asked for, and later ones that have further
/// words of these.
fn quote(text: &str, query: &Query) -> String {
    let sentences = quotable(text);
    let counts: Vec<Counts> = sentences
        .iter()
        .map(|it| query.counts(&terms(it)))
        .collect();
    let covered = |counts: &Counts| query.focus_where(|at| counts.has(at));
    let best = |a: &usize, b: &usize| {
        covered(&counts[*a])
            .total_cmp(&covered(&counts[*b]))
            .then(b.cmp(a))
    };
    let Some(first) = (0..sentences.len()).max_by(best) else {
        return one_line(text);
    };
    let words = |text: &str| text.split_whitespace().count();
    let (mut quoted, mut said) = (sentences[first].clone(), counts[first]);
    let mut skipped = String::new();
    for (sentence, more) in sentences.iter().zip(&counts).skip(first + 1) {
        let long = words(&quoted) + words(&skipped) + words(sentence);
        if long > QUOTE_WORDS_MAX {
            break;
        }
        skipped.push(' ');
        skipped.push_str(sentence);
        let with = said.plus(more);
        let flags = flags(&quoted);
        if covered(&with) > covered(&said) || !query.wants.met_by(flags) {
            quoted.push_str(&std::mem::take(&mut skipped));
            said = with;
        }
    }
    quoted
}

/// The sentences of a passage without headings and marks of lists; lines that go on are joined.
fn quotable(text: &str) -> Vec<String> {
    let mut blocks: Vec<String> = vec![String::new()];
    for line in text.lines().map(str::trim) {
        let item = ["- ", "* ", "+ ", "> "]
            .iter()
            .find_map(|mark| line.strip_prefix(mark));
        let heading = line.starts_with('#') && line.trim_start_matches('#').starts_with(' ');
        let fence = ["```", "~~~", "---"]
            .iter()
            .any(|mark| line.starts_with(mark));
        if item.is_some() || heading || fence || line.is_empty() {
            blocks.push(String::new());
        }
        if let Some(block) = blocks.last_mut().filter(|_| !heading && !fence) {
            block.push(' ');
            block.push_str(item.unwrap_or(line));
        }
        if heading {
            blocks.push(String::new());
        }
    }
    let cut =
        |block: &String| -> Vec<String> { sentences(block).into_iter().map(one_line).collect() };
    blocks.iter().flat_map(cut).collect()
}
