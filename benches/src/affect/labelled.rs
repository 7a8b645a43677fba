//! Texts that people labelled: the development parts of GoEmotions (Demszky et al. 2020) and MELD
//! (Poria et al. 2019).

use super::polarity::Polarity;
use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use std::path::Path;

/// The groups of GoEmotions' emotions. The four that its authors call ambiguous (confusion,
/// curiosity, realization, surprise) take no side and count as neutral.
const POSITIVE: [&str; 12] = [
    "admiration", "amusement", "approval", "caring", "desire", "excitement", "gratitude", "joy",
    "love", "optimism", "pride", "relief",
];
const NEGATIVE: [&str; 11] = [
    "anger", "annoyance", "disappointment", "disapproval", "disgust", "embarrassment", "fear",
    "grief", "nervousness", "remorse", "sadness",
];

/// A corpus.
pub(super) struct Labelled {
    pub(super) name: &'static str,
    pub(super) texts: Vec<Text>,
}

/// A text with its labels.
pub(super) struct Text {
    pub(super) text: String,
    /// `None` if its labels name both sides: such a text is not scored.
    pub(super) polarity: Option<Polarity>,
    /// The only emotion it is labelled with, if the corpus names emotions.
    pub(super) emotion: Option<String>,
}

/// Both corpora below a folder.
///
/// # Errors
/// A file is missing or has another form.
pub(super) fn all(data: &Path) -> Result<Vec<Labelled>> {
    Ok(vec![
        goemotions(&data.join("goemotions"))?,
        meld(&data.join("meld"))?,
    ])
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| format!("{} not read", path.display()))
}

fn goemotions(folder: &Path) -> Result<Labelled> {
    let labels = read(&folder.join("labels.txt"))?;
    let names: Vec<&str> = labels.split_whitespace().collect();
    let path = folder.join("dev.tsv");
    let text = read(&path)?;
    let texts = text.lines().map(|line| {
        let mut columns = line.split('\t');
        let text = columns.next()?.to_owned();
        let numbers = columns.next()?.split(',');
        let emotions: Option<Vec<&str>> = numbers
            .map(|number| names.get(number.parse::<usize>().ok()?).copied())
            .collect();
        let emotions = emotions?;
        Some(Text {
            text,
            polarity: of_emotions(&emotions),
            emotion: (emotions.len() == 1).then(|| emotions[0].to_owned()),
        })
    });
    let texts: Option<Vec<Text>> = texts.collect();
    let expected = || format!("{}: expected text, label numbers and id", path.display());
    let texts = texts.with_context(expected)?;
    ensure!(!texts.is_empty(), expected());
    Ok(Labelled {
        name: "GoEmotions dev",
        texts,
    })
}

fn of_emotions(emotions: &[&str]) -> Option<Polarity> {
    let any = |group: &[&str]| emotions.iter().any(|emotion| group.contains(emotion));
    match (any(&POSITIVE), any(&NEGATIVE)) {
        (true, true) => None,
        (true, false) => Some(Polarity::Positive),
        (false, true) => Some(Polarity::Negative),
        (false, false) => Some(Polarity::Neutral),
    }
}

#[derive(Deserialize)]
struct Row {
    #[serde(rename = "Utterance")]
    text: String,
    #[serde(rename = "Sentiment")]
    sentiment: String,
}

fn meld(folder: &Path) -> Result<Labelled> {
    let path = folder.join("dev_sent_emo.csv");
    let expected = || format!("{}: expected Utterance and Sentiment", path.display());
    let text = read(&path)?;
    let rows = csv::Reader::from_reader(text.as_bytes()).into_deserialize::<Row>();
    let texts = rows.map(|row| {
        let row = row.with_context(expected)?;
        let polarity = match row.sentiment.as_str() {
            "positive" => Polarity::Positive,
            "negative" => Polarity::Negative,
            "neutral" => Polarity::Neutral,
            other => anyhow::bail!("{}: sentiment `{other}`", path.display()),
        };
        Ok(Text {
            text: row.text,
            polarity: Some(polarity),
            emotion: None,
        })
    });
    Ok(Labelled {
        name: "MELD dev",
        texts: texts.collect::<Result<_>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_of_one_side_decide() {
        assert_eq!(of_emotions(&["joy", "neutral"]), Some(Polarity::Positive));
        assert_eq!(of_emotions(&["surprise", "fear"]), Some(Polarity::Negative));
        assert_eq!(of_emotions(&["curiosity"]), Some(Polarity::Neutral));
        assert_eq!(of_emotions(&["joy", "sadness"]), None);
    }

    #[test]
    fn every_development_text_has_its_labels() {
        let Some(data) = weir_fixtures::weir_data("goemotions") else {
            return;
        };
        let corpora = all(data.parent().expect("the data folder")).expect("both corpora");
        let counts: Vec<usize> = corpora.iter().map(|corpus| corpus.texts.len()).collect();
        assert_eq!(counts, [5426, 1109]);
        let scored = corpora[0].texts.iter().filter(|t| t.polarity.is_some());
        assert_eq!(scored.count(), 5303);
    }
}
