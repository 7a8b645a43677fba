//! How a client of OpenAI's audio interface wants its speech to be recognised. What is not followed
//! is refused by name.

use crate::problem::Problem;
use crate::sessions::SpeechWish;
use serde_json::Value;
use weir_engine::pipeline::Pauses;

/// Longest text of expected words, in bytes; the model reads the last 223 tokens.
const EXPECTED_BYTES_MAX: usize = 4_096;
/// Silence that can end an utterance, in ms.
const SILENCE_MS: std::ops::RangeInclusive<u64> = 100..=5_000;
/// Sound that can be kept before the first voice, in ms.
const PADDING_MS: std::ops::RangeInclusive<u64> = 0..=5_000;

/// Takes the language of a request, one of those understood: a code such as `en`, with or without a
/// region.
pub(super) fn language(
    wish: &mut SpeechWish,
    given: &str,
    understood: &[&str],
) -> Result<(), Problem> {
    let code = given.trim().split(['-', '_']).next().unwrap_or_default();
    let code = code.to_lowercase();
    if !code.is_empty() && !understood.contains(&&*code) {
        let all = understood.join(", ");
        let why = format!("the language is {code:?}; this server understands {all}");
        return Err(Problem::bad(why));
    }
    wish.language = (!code.is_empty()).then_some(code);
    Ok(())
}

/// A text of a message, if it is given.
pub(super) fn text_of<'a>(given: &'a Value, key: &str) -> Result<Option<&'a str>, Problem> {
    match &given[key] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        other => Err(Problem::bad(format!("`{key}`: a text, not {other}"))),
    }
}

/// Takes the words that may be said.
pub(super) fn expected(wish: &mut SpeechWish, given: &str) -> Result<(), Problem> {
    if given.len() > EXPECTED_BYTES_MAX {
        let bytes = given.len();
        let why = format!("the `prompt` has {bytes} bytes; at most {EXPECTED_BYTES_MAX} are read");
        return Err(Problem::bad(why));
    }
    given.trim().clone_into(&mut wish.expected);
    Ok(())
}

/// Refuses what is not followed.
pub(super) fn unfollowed(name: &str, why: &str) -> Problem {
    Problem::bad(format!("`{name}` cannot be followed: {why}; leave it out"))
}

/// The pauses that a client's turn detection asks for; `turns` is not null.
pub(super) fn pauses(turns: &Value) -> Result<Pauses, Problem> {
    let usual = Pauses::default();
    if !turns["idle_timeout_ms"].is_null() {
        return Err(unfollowed(
            "idle_timeout_ms",
            "nobody is told that nobody speaks",
        ));
    }
    let silence_ms = match (turns["type"].as_str(), turns["eagerness"].as_str()) {
        // nothing here hears whether a sentence is over: who is eager waits for less silence
        (Some("semantic_vad"), Some("low")) => 2 * usual.silence_ms,
        (Some("semantic_vad"), Some("high")) => usual.silence_ms * 5 / 8,
        (Some("semantic_vad"), None | Some("auto" | "medium")) => usual.silence_ms,
        (Some("semantic_vad"), Some(other)) => {
            let why =
                format!("the eagerness is `{other}`; low, medium, high and auto are possible");
            return Err(Problem::bad(why));
        }
        (None | Some("server_vad"), _) => {
            milliseconds(turns, "silence_duration_ms", &SILENCE_MS)?.unwrap_or(usual.silence_ms)
        }
        (Some(other), _) => {
            let why = "server_vad and semantic_vad are possible, or null";
            return Err(Problem::bad(format!(
                "the turn detection is `{other}`; {why}"
            )));
        }
    };
    let threshold = match &turns["threshold"] {
        Value::Null => usual.threshold,
        given => match given.as_f64().filter(|it| (0.0..=1.0).contains(it)) {
            Some(threshold) => threshold as f32,
            None => {
                let why = format!("`threshold`: a number from 0 to 1, not {given}");
                return Err(Problem::bad(why));
            }
        },
    };
    let padding = milliseconds(turns, "prefix_padding_ms", &PADDING_MS)?;
    Ok(Pauses {
        silence_ms,
        threshold,
        padding_ms: padding.map_or(usual.padding_ms, |it| it.max(usual.padding_ms)),
    })
}

fn milliseconds(
    turns: &Value,
    key: &str,
    legal: &std::ops::RangeInclusive<u64>,
) -> Result<Option<u32>, Problem> {
    if turns[key].is_null() {
        return Ok(None);
    }
    let ms = turns[key].as_u64().filter(|it| legal.contains(it));
    match ms.and_then(|it| u32::try_from(it).ok()) {
        Some(ms) => Ok(Some(ms)),
        None => Err(Problem::bad(format!(
            "`{key}`: a whole number from {} to {}, not {}",
            legal.start(),
            legal.end(),
            turns[key]
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pauses_are_as_asked_or_refused_by_name() {
        let usual = Pauses::default();
        assert_eq!(pauses(&json!({"type": "server_vad"})), Ok(usual));
        let asked = json!({"type": "server_vad", "threshold": 0.7, "silence_duration_ms": 350,
            "prefix_padding_ms": 600});
        let expected = Pauses {
            silence_ms: 350,
            threshold: 0.7,
            padding_ms: 600,
        };
        assert_eq!(pauses(&asked), Ok(expected));
        let of = |eagerness: &str| {
            let turns = json!({"type": "semantic_vad", "eagerness": eagerness});
            pauses(&turns).map(|it| it.silence_ms)
        };
        assert_eq!(
            (of("high"), of("auto"), of("low")),
            (Ok(400), Ok(640), Ok(1_280))
        );
        for (key, value) in [
            ("silence_duration_ms", json!(50)),
            ("silence_duration_ms", json!(6_000)),
            ("silence_duration_ms", json!("x")),
            ("prefix_padding_ms", json!(-1)),
            ("threshold", json!(1.1)),
        ] {
            let mut turns = json!({"type": "server_vad"});
            turns[key] = value;
            let why = pauses(&turns).expect_err("it is refused");
            assert!(why.detail().contains(key), "{}", why.detail());
        }
        assert!(pauses(&json!({"type": "none"})).is_err() && of("most").is_err());
    }

    #[test]
    fn a_language_may_have_a_region() {
        let of = |given: &str| {
            let mut wish = SpeechWish::default();
            let done = language(&mut wish, given, &["en", "de"]);
            done.map(|()| wish.language)
                .map_err(|it| it.detail().to_owned())
        };
        assert_eq!(of("en-US"), Ok(Some("en".to_owned())));
        assert_eq!(of(" De "), Ok(Some("de".to_owned())));
        assert_eq!(of(""), Ok(None));
        assert!(of("xx").is_err_and(|it| it.contains("\"xx\"") && it.contains("en, de")));
        let mut wish = SpeechWish::default();
        assert!(expected(&mut wish, &"x".repeat(4_097)).is_err());
        assert!(expected(&mut wish, " Ghent, Tartu ").is_ok());
        assert_eq!(wish.expected, "Ghent, Tartu");
        let given = json!({"language": 5, "prompt": "Ghent"});
        assert!(text_of(&given, "language").is_err());
        assert_eq!(text_of(&given, "prompt"), Ok(Some("Ghent")));
        assert_eq!(text_of(&given, "model"), Ok(None));
    }
}
