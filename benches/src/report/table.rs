//! Tables in HTML and Markdown: best values bold, empty columns left out.

use super::escape::escape;
use super::tally::Tally;
use std::fmt::Write;

/// Which value of a column is best.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Best {
    Highest,
    Lowest,
    /// None: the column is descriptive.
    None,
}

/// A column of numbers.
pub(super) struct Column<'a> {
    pub(super) head: String,
    /// Its meaning, shown as a tooltip.
    pub(super) means: &'a str,
    pub(super) best: Best,
    pub(super) decimals: usize,
    /// A value for each row.
    pub(super) values: Vec<Option<f64>>,
}

impl Column<'_> {
    fn shown(&self, row: usize) -> Option<String> {
        let value = self.values[row]?;
        Some(format!("{value:.*}", self.decimals))
    }

    /// Whether a row has the best value as displayed, ties included. A single row has none.
    fn is_best(&self, row: usize) -> bool {
        let there = || self.values.iter().flatten().copied();
        let best = match self.best {
            Best::Highest => there().reduce(f64::max),
            Best::Lowest => there().reduce(f64::min),
            Best::None => None,
        };
        let best = best.map(|best| format!("{best:.*}", self.decimals));
        best.is_some() && there().nth(1).is_some() && best == self.shown(row)
    }

    fn is_empty(&self) -> bool {
        self.values.iter().all(Option::is_none)
    }
}

type Value = fn(&Tally) -> Option<f64>;
/// Heading, meaning, best value, decimals, value.
type Measure = (&'static str, &'static str, Best, usize, Value);

const MEASURES: [Measure; 25] = [
    ("probes", "questions asked", Best::None, 0, |t| {
        Some(t.probes as f64)
    }),
    (
        "fact recall",
        "share of the gold turns whose fact sentence stands on one line of the context to at least \
         0.8 of its words; adversarial questions apart",
        Best::Highest,
        3,
        |t| t.scores.fact_recall,
    ),
    (
        "in order",
        "longest piece of a shown fact sentence in its own word order, as a share of the sentence",
        Best::Highest,
        2,
        |t| t.fact_in_order,
    ),
    (
        "fact recall, adversarial",
        "the same of adversarial questions",
        Best::None,
        3,
        |t| t.scores.fact_recall_adversarial,
    ),
    (
        "half of the words anywhere",
        "share of the gold turns of whose words at least half stand anywhere in the context",
        Best::Highest,
        3,
        |t| t.scores.evidence_recall,
    ),
    (
        "answer's words",
        "share of the gold answer's content words in the context",
        Best::Highest,
        3,
        |t| t.scores.containment,
    ),
    (
        "evidence sim.",
        "cosine of context and gold evidence",
        Best::Highest,
        3,
        |t| t.scores.evidence_similarity,
    ),
    (
        "key entities",
        "share of answers that name every key entity",
        Best::Highest,
        3,
        |t| t.scores.key_entities,
    ),
    (
        "BLEU-4",
        "sentence BLEU of the answer",
        Best::Highest,
        3,
        |t| t.scores.bleu4,
    ),
    (
        "ROUGE-L",
        "F1 of the longest common subsequence",
        Best::Highest,
        3,
        |t| t.scores.rouge_l,
    ),
    (
        "BERTScore",
        "F1 of matched token vectors",
        Best::Highest,
        3,
        |t| t.scores.bert_score,
    ),
    ("judge", "mean score of the judge", Best::Highest, 3, |t| {
        t.scores.judge
    }),
    (
        "abst. P",
        "of the abstentions, the share without an answer in the stream",
        Best::Highest,
        3,
        |t| t.abstention.map(|a| a.precision),
    ),
    (
        "abst. R",
        "of what has no answer, the share abstained from",
        Best::Highest,
        3,
        |t| t.abstention.map(|a| a.recall),
    ),
    ("abst. F1", "harmonic mean of both", Best::Highest, 3, |t| {
        t.abstention.map(|a| a.f1)
    }),
    (
        "regret",
        "share of the gold turns that are in no part of memory any more",
        Best::Lowest,
        3,
        |t| t.scores.regret,
    ),
    (
        "context tokens",
        "mean length of a context",
        Best::None,
        0,
        |t| t.context_tokens,
    ),
    (
        "text held",
        "tokens of all text held at the end, mean over streams",
        Best::Lowest,
        0,
        |t| t.stored_tokens,
    ),
    (
        "text held, most",
        "the most tokens of text held at any question, or at the end of a stream",
        Best::Lowest,
        0,
        |t| t.text_tokens_max,
    ),
    (
        "transcript bytes per 1,000 turns",
        "of texts, ids and names of streams and speakers in a transcript beside memory; the file \
         adds some 35 bytes a line",
        Best::None,
        0,
        |t| t.transcript_bytes,
    ),
    (
        "query µs p50",
        "to search and assemble, without the encoder",
        Best::Lowest,
        0,
        |t| t.query_us_p50,
    ),
    (
        "query µs p95",
        "to search and assemble, without the encoder",
        Best::Lowest,
        0,
        |t| t.query_us_p95,
    ),
    (
        "ingest µs/turn",
        "median to take in a turn, without the encoder",
        Best::Lowest,
        0,
        |t| t.ingest_us,
    ),
    (
        "settle µs/turn",
        "to build what is built from many turns, a turn",
        Best::Lowest,
        0,
        |t| t.settle_us,
    ),
    (
        "texts/question",
        "texts the encoder read for a question",
        Best::Lowest,
        1,
        |t| t.encoded_texts,
    ),
];

/// Headings left out of the Markdown table.
const NOT_IN_MARKDOWN: [&str; 6] = [
    "probes",
    "fact recall, adversarial",
    "abst. P",
    "abst. R",
    "settle µs/turn",
    "texts/question",
];

/// Every measure with a value.
pub(super) fn measures(tallies: &[Tally]) -> Vec<Column<'static>> {
    let column = |(head, means, best, decimals, value): &Measure| Column {
        head: (*head).to_owned(),
        means,
        best: *best,
        decimals: *decimals,
        values: tallies.iter().map(value).collect(),
    };
    let all = MEASURES.iter().map(column);
    all.filter(|column| !column.is_empty()).collect()
}

/// Fact recall by the groups of `by`.
pub(super) fn recall_in<'a>(
    tallies: &[Tally],
    by: impl Fn(&Tally) -> &std::collections::BTreeMap<String, f64>,
) -> Vec<Column<'a>> {
    let mut names: Vec<&String> = tallies.iter().flat_map(|tally| by(tally).keys()).collect();
    names.sort_unstable();
    names.dedup();
    let column = |name: &&String| Column {
        head: (*name).clone(),
        means: "fact recall",
        best: Best::Highest,
        decimals: 3,
        values: tallies
            .iter()
            .map(|tally| by(tally).get(*name).copied())
            .collect(),
    };
    names.iter().map(column).collect()
}

/// The table as HTML; columns are sortable by `data-v`.
pub(super) fn html(tallies: &[Tally], columns: &[Column<'_>]) -> String {
    let most = tallies.iter().map(|tally| tally.probes).max().unwrap_or(0);
    let mut out = String::from("<div class=\"wide\"><table class=\"sortable\"><thead><tr>");
    out.push_str("<th>method</th><th title=\"tokens that may be stored\">budget</th>");
    for column in columns {
        let (means, head) = (escape(column.means), escape(&column.head));
        let _ = write!(out, "<th title=\"{means}\">{head}</th>");
    }
    out.push_str("</tr></thead><tbody>\n");
    for (row, tally) in tallies.iter().enumerate() {
        let method = escape(&tally.setup.method);
        let fewer = if tally.probes < most { " *" } else { "" };
        let (budget, order) = match tally.setup.budget_tokens {
            Some(tokens) => (tokens.to_string(), tokens.to_string()),
            None => ("∞".to_owned(), u64::MAX.to_string()),
        };
        let _ = write!(
            out,
            "<tr><th>{method}{fewer}</th><td data-v=\"{order}\">{budget}</td>"
        );
        for column in columns {
            let _ = match (column.values[row], column.shown(row)) {
                (Some(value), Some(shown)) if column.is_best(row) => {
                    write!(out, "<td data-v=\"{value}\"><b>{shown}</b></td>")
                }
                (Some(value), Some(shown)) => write!(out, "<td data-v=\"{value}\">{shown}</td>"),
                _ => write!(out, "<td>–</td>"),
            };
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    if tallies.iter().any(|tally| tally.probes < most) {
        out.push_str("<p>* over fewer probes than the others: some of its jobs failed.</p>\n");
    }
    out
}

/// The table for a README.
pub(super) fn markdown(tallies: &[Tally]) -> String {
    let columns = measures(tallies);
    let kept = |column: &&Column<'_>| !NOT_IN_MARKDOWN.contains(&column.head.as_str());
    let columns: Vec<&Column<'_>> = columns.iter().filter(kept).collect();
    let mut out = String::from("| method | budget |");
    for column in &columns {
        let _ = write!(out, " {} |", cell(&column.head));
    }
    out.push_str("\n|---|--:|");
    out.push_str(&"--:|".repeat(columns.len()));
    out.push('\n');
    for (row, tally) in tallies.iter().enumerate() {
        let budget = tally.setup.budget_tokens;
        let budget = budget.map_or_else(|| "∞".to_owned(), |tokens| tokens.to_string());
        let _ = write!(out, "| {} | {budget} |", cell(&tally.setup.method));
        for column in &columns {
            let shown = column.shown(row).unwrap_or_else(|| "–".to_owned());
            let mark = if column.is_best(row) { "**" } else { "" };
            let _ = write!(out, " {mark}{shown}{mark} |");
        }
        out.push('\n');
    }
    out
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
