//! MemoryBank: a user's days are heard with the recorded replies, then the probing questions are
//! asked, one independent of the other.
//!
//! The data has no answers. Where an answer is was labelled by hand: `questions/memorybank.tsv`
//! names the sentences, by day, exchange, side and number. What a label names must be handed over
//! to be found; that says nothing about the words of an answer. Questions without a label are left
//! out, and counted by the caller's note.

use super::dialogue::{Asked, Dialogue, Needed, Turn};
use anyhow::{Context, Result, bail, ensure};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// Share of the labelled sentence's content words that one line must show, as in fact recall.
const SHOWN: f64 = 0.8;

#[derive(Deserialize)]
struct User {
    name: String,
    history: BTreeMap<String, Vec<Exchange>>,
}

#[derive(Deserialize)]
struct Exchange {
    query: String,
    response: String,
}

/// The labelled sentences of one question.
#[derive(Debug)]
struct Label {
    user: String,
    question: usize,
    /// `MM-DD/exchange/u|a/sentence`, numbers from 0.
    places: Vec<String>,
}

/// The dialogues of a folder, with the questions that the table labels.
pub(super) fn read(folder: &Path, table: &Path) -> Result<Vec<Dialogue>> {
    let users: BTreeMap<String, User> = from_json(&folder.join("memory_bank_en.json"))?;
    let asked = questions(&folder.join("probing_questions_en.jsonl"))?;
    let labels = labels(table)?;
    let mut dialogues = Vec::new();
    for user in users.values() {
        let name = user.name.trim();
        let questions = asked.get(name).map(Vec::as_slice).unwrap_or_default();
        let mut turns = heard(user)?;
        for label in labels.iter().filter(|it| it.user == name) {
            let at = label.question;
            let text = questions
                .get(at)
                .with_context(|| format!("{}: {name} has no question {at}", table.display()))?;
            turns.push(question(user, label, text)?);
        }
        if turns.iter().any(|turn| turn.asked.is_some()) {
            dialogues.push(Dialogue {
                data: "memorybank",
                name: name.to_owned(),
                user: name.to_owned(),
                told: Vec::new(),
                turns,
            });
        }
    }
    Ok(dialogues)
}

fn from_json<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is damaged", file.display()))
}

/// The questions of each user: one JSON object per line.
fn questions(file: &Path) -> Result<BTreeMap<String, Vec<String>>> {
    let text = std::fs::read_to_string(file)
        .with_context(|| format!("{} cannot be read", file.display()))?;
    let mut all = BTreeMap::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let of: BTreeMap<String, Vec<String>> = serde_json::from_str(line)
            .with_context(|| format!("{}: no questions", file.display()))?;
        all.extend(
            of.into_iter()
                .map(|(name, it)| (name.trim().to_owned(), it)),
        );
    }
    Ok(all)
}

/// The rows of a table: user, number of the question, places.
fn labels(table: &Path) -> Result<Vec<Label>> {
    let name = table.display();
    let text = std::fs::read_to_string(table).with_context(|| format!("cannot read {name}"))?;
    let label = |(at, line): (usize, &str)| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [user, question, places] = columns[..] else {
            bail!("{name}: line {} has not 3 columns", at + 1);
        };
        let question = question.parse();
        Ok(Label {
            user: user.to_owned(),
            question: question.with_context(|| format!("{name}: line {}", at + 1))?,
            places: places.split(' ').map(str::to_owned).collect(),
        })
    };
    text.lines().enumerate().skip(1).map(label).collect()
}

fn heard(user: &User) -> Result<Vec<Turn>> {
    let mut turns = Vec::new();
    for (day, exchanges) in &user.history {
        let date: Date = day.parse().with_context(|| format!("{day} is no day"))?;
        let at = date.at(12, 0, 0, 0).to_zoned(TimeZone::UTC)?;
        for (number, exchange) in exchanges.iter().enumerate() {
            let begins = (day.clone(), Some(at.timestamp().as_millisecond()));
            turns.push(Turn {
                id: format!("{day}/{number}"),
                text: exchange.query.trim().to_owned(),
                reply: Some(exchange.response.trim().to_owned()),
                begins: (number == 0).then_some(begins),
                is_heard: true,
                asked: None,
            });
        }
    }
    Ok(turns)
}

fn question(user: &User, label: &Label, text: &str) -> Result<Turn> {
    let mut asked = Asked::default();
    for place in &label.places {
        let sentence = sentence(user, place)
            .with_context(|| format!("{}, question {}: {place}", label.user, label.question))?;
        ensure!(!sentence.is_empty(), "{place} has no words");
        let needed = Needed::new(place.clone(), &sentence, SHOWN);
        asked.needed.push(needed);
    }
    Ok(Turn {
        id: format!("question {}", label.question),
        text: text.trim_matches('"').to_owned(),
        asked: Some(asked),
        ..Turn::default()
    })
}

/// The sentence at `MM-DD/exchange/u|a/number`.
fn sentence(user: &User, place: &str) -> Result<String> {
    let parts: Vec<&str> = place.split('/').collect();
    let [day, exchange, side, number] = parts[..] else {
        bail!("not of the form MM-DD/exchange/u/number");
    };
    let (exchange, number): (usize, usize) = (exchange.parse()?, number.parse()?);
    let mut days = user.history.iter();
    let (_, exchanges) = days
        .find(|(date, _)| date.ends_with(day))
        .context("there is no such day")?;
    let exchange = exchanges
        .get(exchange)
        .context("there is no such exchange")?;
    let text = match side {
        "u" => &exchange.query,
        "a" => &exchange.response,
        _ => bail!("`{side}` is neither u nor a"),
    };
    let found = sentences(text).nth(number).map(str::to_owned);
    found.context("there is no such sentence")
}

/// The pieces of a text that end in a full stop, a question or an exclamation mark before a space;
/// a closing quote belongs to its sentence.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut before = [' '; 2];
    let pieces = text.split_inclusive(move |c: char| {
        let [first, last] = before;
        let is_end = |c: char| matches!(c, '.' | '!' | '?');
        let quoted = matches!(last, '"' | '”') && is_end(first);
        before = [last, c];
        c.is_whitespace() && (is_end(last) || quoted)
    });
    pieces.map(str::trim)
}

/// All exchanges of all users in order, as talk between other turns.
pub(super) fn exchanges(folder: &Path) -> Result<Vec<(String, String)>> {
    let users: BTreeMap<String, User> = from_json(&folder.join("memory_bank_en.json"))?;
    let all = users
        .into_values()
        .flat_map(|user| user.history.into_values().flatten());
    Ok(all.map(|it| (it.query, it.response)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BANK: &str = r#"{" Ana ": {"name": " Ana ", "history": {
        "2023-04-28": [{"query": "Bye.", "response": "Bye."}],
        "2023-04-27": [{"query": "Hi. I keep bees.", "response": "Nice! How many?"}]}}}"#;

    fn folder(labels: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("written");
        };
        write("memory_bank_en.json", BANK);
        write(
            "probing_questions_en.jsonl",
            "{\"Ana\": [\"?\", \"\\\"What do I keep?\\\"\"]}\n",
        );
        write("labels.tsv", labels);
        folder
    }

    #[test]
    fn days_are_heard_in_order_and_labels_name_sentences() {
        let folder = folder("user\tquestion\tplaces\nAna\t1\t04-27/0/u/1\n");
        let table = folder.path().join("labels.tsv");
        let dialogues = read(folder.path(), &table).expect("read");
        assert_eq!(dialogues.len(), 1);
        let turns = &dialogues[0].turns;
        let ids: Vec<&str> = turns.iter().map(|turn| turn.id.as_str()).collect();
        assert_eq!(ids, ["2023-04-27/0", "2023-04-28/0", "question 1"]);
        assert!(turns[2].text == "What do I keep?" && !turns[2].is_heard);
        let asked = turns[2].asked.as_ref().expect("asked");
        assert_eq!(asked.needed[0].name, "04-27/0/u/1");
        assert!(asked.needed[0].is_in("Ana: I keep bees"));
        assert_eq!(exchanges(folder.path()).expect("read").len(), 2);
    }

    #[test]
    fn sentences_end_before_a_space() {
        let text = "I saw \"Up!\" Twice, at 7.30. Why? Fun";
        let found: Vec<&str> = sentences(text).collect();
        assert_eq!(found, ["I saw \"Up!\"", "Twice, at 7.30.", "Why?", "Fun"]);
    }

    #[test]
    fn a_label_of_nothing_is_refused() {
        for place in [
            "04-27/0/u/2", "04-29/0/u/0", "04-27/1/u/0", "04-27/0/x/0", "bees",
        ] {
            let folder = folder(&format!("user\tquestion\tplaces\nAna\t1\t{place}\n"));
            let error = read(folder.path(), &folder.path().join("labels.tsv"));
            let error = format!("{:#}", error.expect_err("refused"));
            assert!(error.contains(place), "{error}");
        }
    }
}
