//! A generator that reads opinions and facts from statements, with the prompts of the papers.
//!
//! DAM-LLM's extraction agent (appendix A.1.3) replies with an object, its aspect and confidences;
//! User memory's extraction (listing 1) with one sentence or `NO_FACT`. Both prompts are theirs
//! word for word. What the statement does not bear out is refused, so that nothing enters a belief
//! or a profile that nobody said: an object with a word that was not said, a fact of which most
//! words were not, a feeling without a side, anything of a question.

use crate::limits;
use crate::text::{
    Doubt, Fact, FactSlot, ObjectKind, Opinion, STRENGTH_MAX, Sentiment, SourceTerms, is_question,
    stems,
};
use serde::Deserialize;
use std::collections::BTreeSet;
use weir_models::{Flow, Generate, GenerateError, JsonShape, Message, Request, Role, Shape};

/// Maximum tokens of a reply about an opinion, of some 90 tokens, and about a fact.
const OPINION_TOKENS_MAX: usize = 240;
const FACT_TOKENS_MAX: usize = 48;
/// Maximum characters of a name, and of a summary or a reason.
const NAME_CHARS_MAX: usize = 40;
const TEXT_CHARS_MAX: usize = 120;
/// Steps between no confidence and full confidence.
const STEPS: u8 = 10;
/// Least difference between the confidences of the two sides of a feeling.
const LEANING_MIN: f32 = 0.3;

/// A generator, local or behind an endpoint, that reads statements.
pub struct Observer {
    generator: Box<dyn Generate>,
    tokens: u64,
}

impl Observer {
    /// A reader that asks `generator`, which enforces the time limit: see
    /// [`weir_models::TimeLimit`].
    #[must_use]
    pub fn new(generator: Box<dyn Generate>) -> Self {
        let tokens = 0;
        Self { generator, tokens }
    }

    /// The name of the generator.
    #[must_use]
    pub fn name(&self) -> &str {
        self.generator.name()
    }

    /// Tokens read and written so far, where the generator counts them.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// The opinion in a statement; `None` if it does not bear out the reply, or the reply has not
    /// the form that was asked for. `earlier` is what was said before, oldest first.
    ///
    /// # Errors
    /// The generator failed.
    pub fn opinion(
        &mut self,
        statement: &str,
        earlier: &[&str],
    ) -> Result<Option<Opinion>, GenerateError> {
        let mut request = request(opinion_prompt(statement, earlier), OPINION_TOKENS_MAX);
        request.shape = Shape::Json(opinion_shape());
        let text = self.reply(&request)?;
        let reply: Option<OpinionReply> = serde_json::from_str(&text).ok();
        Ok(reply.and_then(|reply| reply.borne_out(statement, earlier)))
    }

    /// The fact that a statement tells of its speaker, in the words of the statement: none if the
    /// generator found none, `None` if the statement does not bear out what it found.
    ///
    /// # Errors
    /// The generator failed.
    pub fn facts(
        &mut self,
        statement: &str,
        speaker: Option<&str>,
    ) -> Result<Option<Vec<Fact>>, GenerateError> {
        let text = self.reply(&request(fact_prompt(statement), FACT_TOKENS_MAX))?;
        let first = text.lines().next().unwrap_or_default().trim();
        if first.is_empty() || text.contains("NO_FACT") {
            return Ok(Some(Vec::new()));
        }
        let mut source = SourceTerms::default();
        source.add(statement);
        source.add_words(speaker.unwrap_or_default());
        let sentence = first.trim_matches('"');
        let (own, known) = (stems(sentence), stems(statement));
        // "I like jazz" of "Jazz is what I listen to": the verb may be the generator's
        let half = 2 * own.intersection(&known).count() >= own.len().max(1);
        let said = half && !is_question(statement) && source.agrees(sentence, &BTreeSet::new());
        Ok(said.then(|| {
            vec![Fact {
                slot: FactSlot::Statement,
                value: line(statement),
                wanted: false,
            }]
        }))
    }

    fn reply(&mut self, request: &Request) -> Result<String, GenerateError> {
        let reply = self.generator.generate(request, &mut |_| Flow::On)?;
        self.tokens += (reply.prompt_tokens + reply.reply_tokens) as u64;
        Ok(reply.text)
    }
}

fn request(prompt: String, tokens_max: usize) -> Request {
    Request::new(vec![Message::new(Role::User, prompt)], tokens_max)
}

/// Appendix A.1.3; no text can imitate another line.
fn opinion_prompt(content: &str, messages: &[&str]) -> String {
    let messages: Vec<String> = messages.iter().map(|text| line(text)).collect();
    format!(
        "You are a sharp affective master. Extract affective information from user input.\n\
         User input: {}\nHistorical messages: {}\nExtract:\n\
         1. object_id: Entity identifier emotion points to\n\
         2. object_type: From categories (Person, Brand, etc.)\n\
         3. aspect: From aspects (Quality, Price, etc.)\n\
         4. sentiment_profile: Confidence scores (0-1) for positive/negative/neutral\n\
         5. summary: Brief summary of the emotion\n\
         6. reason: Reason for emotion (leave empty if uncertain)\n\
         Output JSON with fields: object_id, object_type, aspect, sentiment_profile (containing \
         positive_confidence, negative_confidence, neutral_confidence), summary, reason. Do not \
         include H field.",
        line(content),
        messages.join(" | "),
    )
}

/// Listing 1.
fn fact_prompt(statement: &str) -> String {
    format!(
        "Analyze the user's statement. If it reveals a new personal fact (preference, detail, \
         identity), state it concisely in the first person (e.g., \"I live in Switzerland.\"). \
         Otherwise, respond with ONLY the word \"NO_FACT\".\nUser statement: \"{}\"\nNew fact: ",
        line(statement),
    )
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[derive(Deserialize)]
struct OpinionReply {
    object_id: String,
    #[serde(default)]
    object_type: ObjectKind,
    aspect: String,
    sentiment_profile: Profile,
}

#[derive(Deserialize)]
struct Profile {
    positive_confidence: String,
    negative_confidence: String,
    neutral_confidence: String,
}

impl OpinionReply {
    /// Shares of the confidences; `None` if no polarity has any.
    fn sentiment(&self) -> Option<Sentiment> {
        let read = |text: &str| text.parse::<f32>().unwrap_or_default();
        let [positive, negative, neutral] = [
            read(&self.sentiment_profile.positive_confidence),
            read(&self.sentiment_profile.negative_confidence),
            read(&self.sentiment_profile.neutral_confidence),
        ];
        let all = positive + negative + neutral;
        (all > 0.0).then(|| Sentiment {
            positive: positive / all,
            negative: negative / all,
            neutral: neutral / all,
        })
    }

    /// The opinion, if what was said bears it out.
    fn borne_out(&self, statement: &str, earlier: &[&str]) -> Option<Opinion> {
        let sentiment = self.sentiment()?;
        let clear = sentiment.leaning().abs() >= LEANING_MIN;
        let talk = [statement].into_iter().chain(earlier.iter().copied());
        let known: BTreeSet<String> = talk.clone().flat_map(stems).collect();
        let said = |words: &str| {
            let own = stems(words);
            !own.is_empty() && own.is_subset(&known)
        };
        if is_question(statement) || !clear || !said(&self.object_id) {
            return None;
        }
        // a reply may begin with a capital letter for no reason
        let object = self.object_id.trim();
        let lower = object.to_lowercase();
        let plain = talk.clone().any(|text| text.contains(&lower));
        let aspect = self.aspect.trim().to_lowercase();
        let named = !aspect.contains(' ') && aspect != lower && said(&aspect);
        let at = statement.find(object).unwrap_or(statement.len());
        Some(Opinion {
            object: if plain { lower } else { object.to_owned() },
            kind: self.object_type,
            aspect: match named {
                true => aspect,
                false => limits::BELIEF_ASPECT_GENERAL.to_owned(),
            },
            strength: STRENGTH_MAX * (1.0 - sentiment.neutral),
            sentiment,
            doubt: Doubt::of(statement, at),
            // the generator was asked for those alone
            keep: 1.0,
        })
    }
}

fn opinion_shape() -> JsonShape {
    let text = |chars_max| JsonShape::String { chars_max };
    let fields = |list: Vec<(&str, JsonShape)>| {
        let named = list
            .into_iter()
            .map(|(name, shape)| (name.to_owned(), shape));
        JsonShape::Object(named.collect())
    };
    let share = || {
        let steps = (0..=STEPS).map(|step| format!("{:.1}", f32::from(step) / f32::from(STEPS)));
        JsonShape::OneOf(steps.collect())
    };
    let kinds = ObjectKind::ALL.map(|kind| kind.to_string());
    fields(vec![
        ("object_id", text(NAME_CHARS_MAX)),
        ("object_type", JsonShape::OneOf(kinds.to_vec())),
        ("aspect", text(NAME_CHARS_MAX)),
        (
            "sentiment_profile",
            fields(vec![
                ("positive_confidence", share()),
                ("negative_confidence", share()),
                ("neutral_confidence", share()),
            ]),
        ),
        ("summary", text(TEXT_CHARS_MAX)),
        ("reason", text(TEXT_CHARS_MAX)),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_the_papers_word_for_word() {
        let prompt = opinion_prompt("I love\nthis coffee.", &["Hi!", "A coffee?"]);
        assert!(prompt.starts_with(
            "You are a sharp affective master. Extract affective information from user \
             input.\nUser input: I love this coffee.\nHistorical messages: Hi! | A coffee?\n\
             Extract:\n1. object_id: Entity identifier emotion points to\n2."
        ));
        assert_eq!(
            fact_prompt("I live\nin Rome."),
            "Analyze the user's statement. If it reveals a new personal fact (preference, detail, \
             identity), state it concisely in the first person (e.g., \"I live in \
             Switzerland.\"). Otherwise, respond with ONLY the word \"NO_FACT\".\nUser statement: \
             \"I live in Rome.\"\nNew fact: "
        );
    }

    #[test]
    fn a_reply_is_taken_where_it_was_said() {
        let profile = |[positive, negative, neutral]: [&str; 3]| Profile {
            positive_confidence: positive.into(),
            negative_confidence: negative.into(),
            neutral_confidence: neutral.into(),
        };
        let reply = |object: &str, shares| OpinionReply {
            object_id: object.into(),
            object_type: ObjectKind::Food,
            aspect: "taste".into(),
            sentiment_profile: profile(shares),
        };
        let half = reply("coffee", ["0.9", "0.9", "0.0"]).sentiment();
        assert!((half.expect("a feeling").positive - 0.5).abs() < 1e-6);
        assert_eq!(reply("coffee", ["0.0", "0.0", "0.0"]).sentiment(), None);
        let likes = ["0.9", "0.0", "0.1"];
        let text = "I love the taste of this coffee.";
        let made = reply("Coffee", likes)
            .borne_out(text, &[])
            .expect("borne out");
        assert_eq!(
            (&*made.object, made.kind, &*made.aspect),
            ("coffee", ObjectKind::Food, "taste")
        );
        for (object, text) in [
            ("tea", text),
            ("", text),
            ("coffee", "Do you love the coffee?"),
        ] {
            assert_eq!(reply(object, likes).borne_out(text, &[]), None, "{object}");
        }
        let earlier = reply("office", likes).borne_out("I am happy there.", &["A new office!"]);
        assert_eq!(earlier.map(|it| it.object).as_deref(), Some("office"));
    }
}
