//! The reply of a model, whole or while it is written.
//!
//! Of a reply that is being written, complete sentences are shown only if they pass the check that
//! the answer gets. The sentence at its end is not checked yet, and is kept apart.

use super::check::check;
use super::prompt::CITED_MAX;
use super::types::{AnswerText, Question, Statement};

/// The reply of a model.
#[derive(serde::Deserialize)]
pub(super) struct Reply {
    pub(super) cite: Vec<String>,
    pub(super) text: String,
}

impl Reply {
    /// The statements that the reply cites, each once.
    pub(super) fn cited<'a>(&self, offered: &[&'a Statement]) -> Vec<&'a Statement> {
        let mut cited: Vec<&Statement> = Vec::new();
        for number in &self.cite {
            let place = number.parse::<usize>().ok();
            let statement = place.and_then(|n| offered.get(n.checked_sub(1)?));
            let new = statement.filter(|it| !cited.iter().any(|known| std::ptr::eq(*known, **it)));
            cited.extend(new);
        }
        cited.truncate(CITED_MAX);
        cited
    }
}

/// The statements that each support a sentence of a text alone.
pub(super) fn carrying<'a>(
    text: &str,
    question: &Question,
    offered: &[&'a Statement],
) -> Vec<&'a Statement> {
    let carries = |statement: &&&Statement| {
        let checked = check(text, question, &[**statement]);
        checked.iter().any(|sentence| !sentence.carriers.is_empty())
    };
    let carrying = offered.iter().filter(carries).copied();
    carrying.take(CITED_MAX).collect()
}

/// The text of a reply that is being written; `None` before the model begins with it.
pub(super) fn text_so_far(
    written: &str,
    question: &Question,
    offered: &[&Statement],
) -> Option<AnswerText> {
    // the text is the last field: the reply is whole with these two, once the text has begun
    let reply: Reply = serde_json::from_str(&[written, "\"}"].concat()).ok()?;
    let cited = match reply.cite.is_empty() {
        false => reply.cited(offered),
        true => carrying(&reply.text, question, offered),
    };
    let mut sentences = check(&reply.text, question, &cited);
    let tentative = sentences.pop().map(|last| last.sentence);
    let carried = sentences.iter().filter(|it| !it.carriers.is_empty());
    let checked: Vec<&str> = carried.map(|it| it.sentence.as_str()).collect();
    Some(AnswerText {
        checked: checked.join(" "),
        tentative: tentative.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{memory, reply};
    use super::super::{Draft, Written};
    use super::*;
    use crate::ask::{AnswerWithRecall, Watch};
    use crate::driver::AskOptions;
    use weir_models::Flow;
    use weir_models::testing::Says;

    /// What was shown, and how many pieces more may come.
    struct Shown(Vec<AnswerText>, usize);

    impl Watch for Shown {
        fn written(&mut self, draft: &Draft<'_>) -> Flow {
            self.0.extend(draft.text());
            self.1 = self.1.saturating_sub(1);
            match self.1 {
                0 => Flow::Stop,
                _ => Flow::On,
            }
        }
    }

    fn asked(cite: &[usize], text: &str, pieces: usize) -> (AnswerWithRecall, Vec<AnswerText>) {
        let says = Says::new(&reply(cite, text));
        let mut memory = memory().with_answerer(Box::new(Written::new(Box::new(says))));
        let mut shown = Shown(Vec::new(), pieces);
        let asking = AskOptions {
            asked_by: None,
            context_tokens: 600,
            ..AskOptions::default()
        };
        let asked = memory.ask_with("Where did Alice move to?", asking, &mut shown);
        (asked.expect("asked"), shown.0)
    }

    #[test]
    fn of_a_reply_in_writing_only_what_the_citations_support_is_shown_as_checked() {
        let text = "She moved to Paris in May. Bob is a thief. Alice moved to Paris.";
        for cite in [&[1, 2, 3][..], &[]] {
            let (asked, shown) = asked(cite, text, 100);
            assert_eq!(asked.answer.unsupported, ["Bob is a thief."], "{cite:?}");
            assert!(
                shown.iter().all(|it| !it.checked.contains("thief")),
                "{shown:?}"
            );
            assert!(shown.iter().any(|it| it.tentative == "Bob is"), "{shown:?}");
            let last = shown.last().expect("it was shown");
            assert_eq!(last.checked, "She moved to Paris in May.");
            assert!(asked.answer.text.starts_with(&last.checked));
        }
    }

    #[test]
    fn who_stops_a_reply_gets_quotes_and_no_further_piece() {
        let (asked, shown) = asked(&[1], "She moved to Paris in May. Bob is a thief.", 5);
        assert!(asked.answer.fallback.is_some());
        let pieces: Vec<&str> = shown.iter().map(|it| it.tentative.as_str()).collect();
        assert_eq!(pieces, ["She", "She moved"]);
    }
}
