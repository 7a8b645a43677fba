//! The prompts of the User memory paper: of the responder (3.3), and of the judge (4.3) word for
//! word.

use super::system::Handed;
use serde::Deserialize;
use weir_models::{JsonShape, Message, Request, Role, Shape};

/// The lowest and the highest score.
pub(super) const SCORES: (i64, i64) = (1, 10);
const SYSTEM: &str = "You are a helpful assistant.";
/// Maximum tokens of a judgement.
const JUDGEMENT_TOKENS_MAX: usize = 200;
/// Maximum characters of a justification.
const JUSTIFICATION_CHARS_MAX: usize = 240;

/// What the judge decided.
#[derive(Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Verdict {
    pub(super) score: i64,
    pub(super) justification: String,
}

/// The user's message to the responder: the query alone, or with persona and history before it.
fn augmented(handed: &Handed, query: &str) -> String {
    let facts = handed
        .memory
        .lines()
        .filter(|line| !line.starts_with("## "));
    let facts: Vec<String> = facts.map(|line| format!("- {line}")).collect();
    let history = handed.history.trim_end();
    let mut text = String::new();
    if !facts.is_empty() {
        let facts = facts.join("\n");
        text = format!("You are a personalized AI. Use these user Persona:\n{facts}\n\n");
    }
    match (facts.is_empty(), history.is_empty()) {
        (true, true) => return query.to_owned(),
        (_, true) => {}
        (false, false) => text.push_str(&format!("And this history:\n{history}\n\n")),
        (true, false) => text.push_str(&format!("Use this history:\n{history}\n\n")),
    }
    text + "User Query: " + query
}

/// The request for a reply.
pub(super) fn reply(handed: &Handed, query: &str, tokens_max: usize) -> Request {
    let messages = vec![
        Message::new(Role::System, SYSTEM),
        Message::new(Role::User, augmented(handed, query)),
    ];
    Request::new(messages, tokens_max)
}

/// The request for the letter of one of the answers.
pub(super) fn choice(handed: &Handed, query: &str, options: &[&str]) -> Request {
    let listed = options.iter().enumerate();
    let listed = listed.map(|(at, option)| format!("{}. {option}", letter(at)));
    let listed: Vec<String> = listed.collect();
    let asked = format!(
        "{}\n\nWhich of these answers suits this user best? Reply with JSON that has the letter \
         as \"choice\".\n{}",
        augmented(handed, query),
        listed.join("\n")
    );
    let messages = vec![
        Message::new(Role::System, SYSTEM),
        Message::new(Role::User, asked),
    ];
    let letters = JsonShape::OneOf((0..options.len()).map(letter).collect());
    Request {
        shape: Shape::Json(JsonShape::Object(vec![("choice".to_owned(), letters)])),
        ..Request::new(messages, 24)
    }
}

fn letter(at: usize) -> String {
    char::from(b'A' + at as u8).to_string()
}

/// The place of the chosen letter.
pub(super) fn chosen(reply: &str) -> Result<usize, String> {
    #[derive(Deserialize)]
    struct Reply {
        choice: String,
    }
    let reply: Reply = serde_json::from_str(reply).map_err(|error| error.to_string())?;
    match reply.choice.as_bytes() {
        [letter @ b'A'..=b'Z'] => Ok(usize::from(letter - b'A')),
        _ => Err(format!("`{}` is no letter", reply.choice)),
    }
}

/// The request for a judgement.
pub(super) fn judgement(
    (persona, history): (&[String], &str),
    query: &str,
    response: &str,
) -> Request {
    let text = rubric(&persona.join(" "), history.trim_end(), query, response);
    let shape = JsonShape::Object(vec![
        ("score".to_owned(), JsonShape::Integer),
        (
            "justification".to_owned(),
            JsonShape::String {
                chars_max: JUSTIFICATION_CHARS_MAX,
            },
        ),
    ]);
    Request {
        shape: Shape::Json(shape),
        ..Request::new(vec![Message::new(Role::User, text)], JUDGEMENT_TOKENS_MAX)
    }
}

fn rubric(persona: &str, history: &str, query: &str, response: &str) -> String {
    format!(
        "You are a strict AI evaluator. Score an assistant's response based on the following \
         context and rubric.\n\n\
         CONTEXT:\n\
         - User Persona: {persona}\n\
         - History: {history}\n\n\
         TASK:\n\
         - User Query: \"{query}\"\n\
         - Assistant's Response: \"{response}\"\n\n\
         RUBRIC:\n\
         - 1-3: Contradicts persona or is irrelevant.\n\
         - 4-6: Generic, ignores persona.\n\
         - 7-8: Coherent and consistent.\n\
         - 9-10: Masterfully uses persona for a tailored response.\n\n\
         Provide your evaluation as a JSON object with \"score\" and \"justification\" fields."
    )
}

/// The verdict of a reply, or what is wrong with it.
pub(super) fn verdict(reply: &str) -> Result<Verdict, String> {
    let verdict: Verdict = serde_json::from_str(reply)
        .map_err(|error| format!("the judge's reply is not what was asked for ({error})"))?;
    match (SCORES.0..=SCORES.1).contains(&verdict.score) {
        true => Ok(verdict),
        false => Err(format!(
            "the judge's score {} is not from 1 to 10",
            verdict.score
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_judge_is_asked_in_the_words_of_the_paper() {
        let persona = ["I like tea.".to_owned(), "I am Ana.".to_owned()];
        let request = judgement((&persona, "User: Hi\n"), "What now?", "Tea.");
        let paper = "You are a strict AI evaluator. Score an assistant's response based on the \
            following context and rubric. CONTEXT: - User Persona: I like tea. I am Ana. \
            - History: User: Hi TASK: - User Query: \"What now?\" - Assistant's Response: \
            \"Tea.\" RUBRIC: - 1-3: Contradicts persona or is irrelevant. - 4-6: Generic, ignores \
            persona. - 7-8: Coherent and consistent. - 9-10: Masterfully uses persona for a \
            tailored response. Provide your evaluation as a JSON object with \"score\" and \
            \"justification\" fields.";
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&request.messages[0].content), words(paper));
        assert!(matches!(request.shape, Shape::Json(JsonShape::Object(_))));
    }

    #[test]
    fn bad_verdicts_are_refused_with_their_reason() {
        let good = verdict(r#"{"score": 7, "justification": "fits"}"#).expect("good");
        assert_eq!((good.score, good.justification.as_str()), (7, "fits"));
        for (reply, why) in [
            ("seven", "not what was asked for"),
            (r#"{"score": 7}"#, "justification"),
            (
                r#"{"score": "high", "justification": ""}"#,
                "not what was asked for",
            ),
            (
                r#"{"score": 7.5, "justification": ""}"#,
                "not what was asked for",
            ),
            (
                r#"{"score": 11, "justification": ""}"#,
                "11 is not from 1 to 10",
            ),
            (
                r#"{"score": 0, "justification": ""}"#,
                "0 is not from 1 to 10",
            ),
            ("", "not what was asked for"),
        ] {
            let error = verdict(reply).expect_err("refused");
            assert!(error.contains(why), "{reply}: {error}");
        }
    }

    #[test]
    fn the_responder_reads_what_is_handed_and_nothing_else() {
        let asked = |memory: &str, history: &str| {
            let handed = Handed {
                memory: memory.to_owned(),
                history: history.to_owned(),
            };
            reply(&handed, "Where to?", 9).messages[1].content.clone()
        };
        assert_eq!(asked("", ""), "Where to?");
        assert_eq!(
            asked("", "User: Hi\n"),
            "Use this history:\nUser: Hi\n\nUser Query: Where to?"
        );
        assert_eq!(
            asked("## Profile:\nAna: I like tea.\n", "User: Hi\n"),
            "You are a personalized AI. Use these user Persona:\n- Ana: I like tea.\n\n\
             And this history:\nUser: Hi\n\nUser Query: Where to?"
        );
    }

    #[test]
    fn a_choice_is_a_letter() {
        let request = choice(&Handed::default(), "Where to?", &["A fair", "A cabin"]);
        assert!(
            request.messages[1]
                .content
                .ends_with("\nA. A fair\nB. A cabin")
        );
        assert_eq!(chosen(r#"{"choice": "B"}"#), Ok(1));
        assert!(chosen(r#"{"choice": "both"}"#).is_err() && chosen("B").is_err());
    }
}
