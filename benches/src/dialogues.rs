//! Texts shown from real dialogues were said in them, if `WEIR_DATA` names the folder of
//! development data: every quote is a contiguous part of its utterance or has an ellipsis for a
//! gap, every line of a context consists of such parts, and their order never changes. Beliefs and
//! facts of a profile are worded anew: their values and their evidence were said.

use crate::convert::{self, Format};
use crate::drive;
use crate::stream::{self, Item, Stream};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use weir_core::answer::{Citation, Question, Recall, quote};
use weir_core::config::SessionConfig;
use weir_core::driver::Driver;
use weir_core::memory::Kind;
use weir_core::transcript::{HeldTranscript, Transcript};
use weir_fixtures::rounds;
use weir_models::{CountTokens, Encode, WordHashEncoder, WordPieceCounter};

/// Each corpus with its file below the data folder.
const CORPORA: [(Format, &str); 4] = [
    (Format::Locomo, "locomo/locomo_dev.json"),
    (Format::Friendsqa, "friendsqa/friendsqa_dev.json"),
    (Format::Qmsum, "qmsum/train"),
    (Format::Beam, "beam/100K"),
];
/// Most questions of a stream.
const QUESTIONS_MAX: usize = 20;
/// Most characters of a date in brackets.
const DATE_BYTES_MAX: usize = 40;

#[test]
fn all_that_is_shown_was_said() {
    let Some(data) = weir_fixtures::weir_data("") else {
        return;
    };
    let streams = rounds("streams of each corpus", "WEIR_STREAMS", 1, 5);
    let turns_max = rounds("turns of a stream", "WEIR_TURNS", 400, 800);
    let (mut lines, mut quotes) = (0, 0);
    for (format, corpus) in CORPORA {
        let folder = tempfile::tempdir().expect("a folder");
        convert::corpus(format, &data.join(corpus), folder.path(), None).expect("converted");
        let files = stream::files(&[folder.path().to_owned()]).expect("streams");
        for file in files.iter().take(streams) {
            let stream = &Stream::read(file).expect("a stream");
            std::thread::scope(|threads| {
                let both = [false, true].map(|with_transcript| {
                    threads.spawn(move || checked(stream, turns_max, with_transcript))
                });
                for checked in both {
                    let (more_lines, more_quotes) = checked.join().expect("all was said");
                    lines += more_lines;
                    quotes += more_quotes;
                }
            });
        }
    }
    let many = lines > 2_000 * streams && quotes > 200 * streams;
    assert!(many, "{lines} lines, {quotes} quotes");
}

/// Processes a stream and checks what is shown of it; returns how many lines and quotes that was.
fn checked(stream: &Stream, turns_max: usize, with_transcript: bool) -> (usize, usize) {
    let told = Told::of(stream, turns_max, with_transcript);
    let (mut lines, mut quotes) = (0, 0);
    for probe in stream.probes().take(QUESTIONS_MAX) {
        let recall = told.recall(&probe.question);
        lines += told.check_context(&recall);
        quotes += told.check_quotes(&probe.question, &recall);
    }
    told.check_units();
    (lines, quotes)
}

/// A processed stream.
struct Told {
    memory: Driver,
    transcript: Option<HeldTranscript>,
    /// The text of each turn by its id.
    texts: HashMap<String, String>,
    /// Its speaker, likewise.
    labels: HashMap<String, String>,
    /// Whether any text in brackets was said, if checked.
    said: RefCell<HashMap<String, bool>>,
}

impl Told {
    /// Processes a stream with a budget that keeps a part of it.
    fn of(stream: &Stream, turns_max: usize, with_transcript: bool) -> Self {
        let counter: Arc<dyn CountTokens> = Arc::new(WordPieceCounter::shared());
        let tokens: usize = stream.turns().map(|turn| counter.count(&turn.text)).sum();
        let encoder = Arc::new(WordHashEncoder::new());
        let config = SessionConfig {
            transcript_bytes: if with_transcript { 1 << 30 } else { 0 },
            ..drive::config((tokens / 3).clamp(2_048, 8_192), encoder.as_ref())
        };
        let mut memory = Driver::new(config, encoder, Arc::clone(&counter)).expect("a memory");
        let start = drive::begin(&stream.name, stream.started_at_unix_ms);
        memory.begin(start).expect("begun");
        let mut transcript = with_transcript.then(HeldTranscript::default);
        let (mut texts, mut labels) = (HashMap::new(), HashMap::new());
        for item in &stream.items {
            match item {
                Item::Turn(_) if texts.len() == turns_max => break,
                Item::Turn(turn) => {
                    texts.insert(turn.id.clone(), spaced(&turn.text));
                    labels.insert(turn.id.clone(), label(turn.speaker.as_deref()));
                    let whole = turn.utterance(&stream.name);
                    drive::hear(&mut memory, whole, counter.as_ref(), |number, part| {
                        let kept = transcript.iter_mut();
                        kept.for_each(|it| it.insert(number, part.clone()));
                    })
                    .expect("heard");
                }
                Item::Break { started_at_unix_ms } => {
                    memory.pause(*started_at_unix_ms).expect("a pause");
                }
                Item::Probe(_) => {}
            }
        }
        Self {
            memory,
            transcript,
            texts,
            labels,
            said: RefCell::default(),
        }
    }

    fn recall(&self, question: &str) -> Recall {
        let question = asked(question);
        let found = self.memory.session().search(&question);
        match &self.transcript {
            Some(transcript) => found.with_transcript(transcript).assemble(1_300),
            None => found.assemble(1_300),
        }
    }

    /// Checks every line of a context; returns the number of those of memory.
    fn check_context(&self, recall: &Recall) -> usize {
        let mut count = 0;
        let mut heading = "";
        let lines = recall.context.text.lines();
        for line in lines.filter(|it| !it.starts_with('[')) {
            match heading {
                _ if line.starts_with("## ") => heading = line,
                "## Beliefs:" => self.check_belief(recall, line),
                "## Profile:" => panic!("nobody asked about themselves: {line}"),
                _ => {
                    self.check_line(line);
                    count += 1;
                }
            }
        }
        count
    }

    /// Checks a line of memory against the utterances of the stream.
    fn check_line(&self, line: &str) {
        let of_label = |(id, text)| {
            let label: &String = &self.labels[id];
            let mut labels = line.match_indices(label.as_str());
            let (at, _) = labels.find(|(at, _)| is_time(&line[..*at]))?;
            Some((&line[at + label.len()..], text))
        };
        let of_label: Vec<(&str, &String)> = self.texts.iter().filter_map(of_label).collect();
        // most lines have nothing in brackets that was not said; to try all brackets of a line
        // takes forever where another utterance begins with the same formulas
        let any =
            |is: &dyn Fn(&str, &str) -> bool| of_label.iter().any(|(said, text)| is(said, text));
        let found = any(&in_order) || any(&|said, text| self.is_made_of(said, text));
        assert!(found, "no utterance says: {line}");
    }

    /// Checks a line of a context that tells a belief against what its holder said.
    fn check_belief(&self, recall: &Recall, line: &str) {
        let mut beliefs = recall.known.beliefs.iter();
        let belief = beliefs.find(|it| it.to_string() == line);
        let belief = belief.unwrap_or_else(|| panic!("no belief: {line}"));
        let said = belief.said.as_ref().expect("a belief has a remark");
        let citation = &said.citations[0];
        let spoken = label(belief.holder.as_deref());
        assert_eq!(self.labels[&citation.evidence.utterance], spoken);
        self.check_citation(citation);
    }

    /// Checks every quote of a recall, and of its answer; returns their number.
    fn check_quotes(&self, question: &str, recall: &Recall) -> usize {
        let answer = quote(&asked(question), recall);
        let citations = recall.heard.citations.iter().chain(&answer.citations);
        citations.filter(|it| self.check_citation(it)).count()
    }

    /// Checks the quote of a citation against its utterance; returns whether it has one.
    fn check_citation(&self, citation: &Citation) -> bool {
        let Some(quote) = &citation.quote else {
            return false;
        };
        let text = &self.texts[&citation.evidence.utterance];
        assert!(in_order(quote, text), "`{quote}` is not of `{text}`");
        true
    }

    /// Checks every unit against its first evidence utterance.
    fn check_units(&self) {
        for unit in self.memory.session().tree().of_kind(Kind::Unit) {
            let source = &unit.evidence[0];
            let text = &self.texts[&source.utterance];
            let kept = || self.transcript.as_ref()?.quote(source);
            let quote = unit.quote().map(Into::into).or_else(kept).expect("a quote");
            let is_part = text.contains(&spaced(&quote));
            assert!(is_part, "`{quote}` is not of `{text}`");
        }
    }

    fn was_said(&self, words: &str) -> bool {
        let mut said = self.said.borrow_mut();
        *said.entry(spaced(words)).or_insert_with_key(|words| {
            let mut texts = self.texts.values();
            texts.any(|text| text.contains(words.as_str()))
        })
    }

    /// Whether a line consists of parts of `text` in order, except text in brackets: a date, the
    /// question that was answered, or a note that a fact has ended.
    fn is_made_of(&self, line: &str, text: &str) -> bool {
        if in_order(line, text) {
            return true;
        }
        let open = line.match_indices('(').map(|(at, _)| at);
        let pairs = open.flat_map(|open| {
            let closed = line[open..].match_indices(')');
            closed.map(move |(length, _)| (open, open + length))
        });
        for (open, close) in pairs {
            let (before, after) = (line[..open].trim_end(), line[close + 1..].trim_start());
            let inside = &line[open + 1..close];
            let dated = inside.len() < DATE_BYTES_MAX && inside.contains(|c: char| c.is_numeric());
            let beside = dated || inside == "no longer so" || self.was_said(inside);
            if !(beside && in_order(before, text)) {
                continue;
            }
            for between in [" ", ""] {
                let rest = format!("{before}{between}{after}");
                if self.is_made_of(rest.trim(), text) {
                    return true;
                }
            }
        }
        false
    }
}

/// A speaker, in the format before the text of a line.
fn label(speaker: Option<&str>) -> String {
    speaker.map_or(" ".to_owned(), |name| format!(" {name}: "))
}

/// Whether words are a day, `8 May 2023`, or a time, `13:56`.
fn is_time(words: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    words.starts_with(digit) && words.ends_with(digit) && matches!(words.split(' ').count(), 1 | 3)
}

/// Each run of white space as one space.
fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the parts between ellipses occur in the text, each contiguous and in order.
fn in_order(quote: &str, text: &str) -> bool {
    let mut rest = text;
    spaced(quote)
        .split(" … ")
        .all(|part| match rest.find(part) {
            Some(at) => {
                rest = &rest[at + part.len()..];
                true
            }
            None => false,
        })
}

fn asked(text: &str) -> Question {
    let vectors = WordHashEncoder::new().encode(&[text]);
    Question::new(text, vectors.expect("words").remove(0).into(), None)
}
