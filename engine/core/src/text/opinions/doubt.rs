//! Why an opinion does not count as what the speaker feels now.

use crate::text::claim_features::is_question;
use crate::text::words::display_words;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Why an opinion must not count as what the speaker feels now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Doubt {
    /// "If it were good", "it would be great".
    Hypothetical,
    /// Another person's feeling: "she says she hates it".
    Reported,
    /// "Oh great, another delay".
    Sarcasm,
    /// A feeling that is over: "I used to love it".
    Past,
    /// A question that takes the feeling for granted.
    Question,
}

/// Words that suppose, hope or ask.
const SUPPOSING: &[&str] = &[
    "if", "unless", "would", "could", "might", "hope", "hopefully", "wish", "imagine", "suppose",
    "whether",
];
/// Verbs that tell what somebody says or thinks.
const REPORTING: &[&str] = &[
    "say", "says", "said", "think", "thinks", "thought", "claims", "claimed", "told", "tells",
    "believes", "heard",
];
/// Phrases of what is over.
const PAST: &[&str] = &[
    "used to", "back then", "as a kid", "as a child", "when i was", "back in",
];
/// Words of a feeling before `used to` that make it a habit of today.
const ACCUSTOMED: &[&str] = &["am used to", "get used to", "got used to", "i'm used to"];

impl Doubt {
    /// The doubt of an opinion in a sentence about what stands at a byte of it. Cost: linear in the
    /// text.
    #[must_use]
    pub fn of(text: &str, at: usize) -> Option<Self> {
        if is_question(text) {
            return Some(Self::Question);
        }
        let lower = |text: &str| {
            let words = display_words(text).map(|it| it.to_lowercase().replace('’', "'"));
            words.collect::<Vec<String>>()
        };
        let all = lower(text);
        let before = lower(text.get(..at).unwrap_or_default());
        let line = format!(" {} ", all.join(" "));
        let says = |phrases: &[&str]| phrases.iter().any(|it| line.contains(&format!(" {it} ")));
        let mocks = all.first().is_some_and(|it| it == "oh" || it == "great")
            && says(&["another", "just what i needed"])
            || says(&["yeah right"]);
        let reported = before.iter().enumerate().any(|(place, word)| {
            // "I really think"
            let subject = &before[place.saturating_sub(2)..place];
            let own = subject
                .iter()
                .any(|it| it.starts_with("i'") || it == "i" || it == "we");
            REPORTING.contains(&word.as_str()) && (word == "heard" || place > 0 && !own)
        });
        match () {
            () if mocks => Some(Self::Sarcasm),
            () if reported || says(&["according to", "apparently"]) => Some(Self::Reported),
            () if all
                .iter()
                .any(|it| SUPPOSING.contains(&it.as_str()) || it.ends_with("'d")) =>
            {
                Some(Self::Hypothetical)
            }
            () if says(PAST) && !says(ACCUSTOMED) => Some(Self::Past),
            () => None,
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hypothetical => "hypothetical",
            Self::Reported => "reported",
            Self::Sarcasm => "sarcasm",
            Self::Past => "past",
            Self::Question => "a question",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_feeling_of_today_is_doubted() {
        for (text, doubt) in [
            ("I love the lake.", None),
            ("I really think the lake is great.", None),
            ("I am used to the lake.", None),
            ("Do you love the lake?", Some(Doubt::Question)),
            ("I would love the lake.", Some(Doubt::Hypothetical)),
            ("If the lake is warm, I like it.", Some(Doubt::Hypothetical)),
            ("She says the lake is great.", Some(Doubt::Reported)),
            ("I heard the lake is great.", Some(Doubt::Reported)),
            ("I used to love the lake.", Some(Doubt::Past)),
            ("I loved the lake when I was a child.", Some(Doubt::Past)),
            ("Oh great, another trip to the lake.", Some(Doubt::Sarcasm)),
        ] {
            let at = text.find("the lake").expect("the lake");
            assert_eq!(Doubt::of(text, at), doubt, "{text}");
        }
    }
}
