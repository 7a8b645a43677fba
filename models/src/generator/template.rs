//! The chat template of a checkpoint: messages into the text that the model was trained on.
//!
//! Templates are programs in Jinja2, rendered as transformers' `apply_chat_template` does, with a
//! generation prompt at the end. Two of its names stay undefined: tools, and `strftime_now`, so
//! that a prompt does not change with the date (templates then write a fixed date).
//!
//! Messages are data: if a message spells a special token, a marker is inserted into it before
//! rendering, and removed after the template's special tokens were found.

use minijinja::syntax::SyntaxConfig;
use minijinja::{Environment, Error, ErrorKind, context};

use super::vocabulary::Vocabulary;
use crate::{Message, Role};

/// Steps that a template may take; the longest known templates take a few thousand per message.
///
/// Memory is not bounded, because the library has no such bound: a template that joins a text with
/// itself repeatedly runs out of memory. So a checkpoint's template must be trusted like a program.
const FUEL: u64 = 20_000_000;
/// Bytes of a template; the longest known templates have some 20,000.
const SOURCE_BYTES_MAX: usize = 1 << 18;
/// Characters without meaning in any text (Unicode noncharacters); the marker is the first one that
/// occurs in no message.
const MARKS: std::ops::RangeInclusive<char> = '\u{fdd0}'..='\u{fdef}';

/// A checked template.
#[derive(Debug)]
pub(super) struct Template {
    environment: Environment<'static>,
    bos: String,
    eos: String,
    has_thoughts: Option<bool>,
}

impl Template {
    /// Checks `source`. `bos` and `eos` are the texts of these tokens; `has_thoughts` is passed to
    /// the template as its reasoning flag, unless `None`.
    pub(super) fn new(
        source: String,
        bos: String,
        eos: String,
        has_thoughts: Option<bool>,
    ) -> Result<Self, String> {
        if source.len() > SOURCE_BYTES_MAX {
            let found = source.len();
            return Err(format!(
                "its chat template has {found} bytes, more than {SOURCE_BYTES_MAX}"
            ));
        }
        let mut environment = Environment::new();
        let syntax = SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build();
        environment.set_syntax(syntax.map_err(|error| told(&error))?);
        environment.set_fuel(Some(FUEL));
        environment
            .set_unknown_method_callback(minijinja_contrib::pycompat::unknown_method_callback);
        environment.add_function("raise_exception", |reason: String| {
            Err::<String, _>(Error::new(ErrorKind::InvalidOperation, reason))
        });
        environment
            .add_template_owned("chat", source)
            .map_err(|error| told(&error))?;
        Ok(Self {
            environment,
            bos,
            eos,
            has_thoughts,
        })
    }

    /// The text of a conversation. `mark` is inserted into every special token of `vocabulary` that
    /// a message spells; reasoning marks are kept in the model's own replies.
    pub(super) fn render(
        &self,
        messages: &[Message],
        mark: Option<(&Vocabulary, char)>,
    ) -> Result<String, String> {
        let messages: Vec<_> = messages
            .iter()
            .map(|message| {
                let content = match mark {
                    Some((vocabulary, mark)) => marked(message, vocabulary, mark),
                    None => message.content.clone(),
                };
                context! { role => message.role.as_str(), content => content }
            })
            .collect();
        let mut values = context! {
            messages => messages,
            add_generation_prompt => true,
            bos_token => &self.bos,
            eos_token => &self.eos,
        };
        if let Some(has_thoughts) = self.has_thoughts {
            values = context! { enable_thinking => has_thoughts, ..values };
        }
        let template = self.environment.get_template("chat");
        let rendered = template.and_then(|template| template.render(values));
        rendered.map_err(|error| told(&error))
    }

    /// The tokens of a conversation.
    pub(super) fn tokens(
        &self,
        messages: &[Message],
        vocabulary: &Vocabulary,
    ) -> Result<Vec<u32>, String> {
        let is_free = |mark: &char| !messages.iter().any(|m| m.content.contains(*mark));
        let mark = MARKS
            .into_iter()
            .find(is_free)
            .ok_or("its messages hold all the noncharacters there are")?;
        let text = self.render(messages, Some((vocabulary, mark)))?;
        vocabulary.rendered(&text, mark)
    }
}

/// The content with `mark` after the first character of each special token in it.
fn marked(message: &Message, vocabulary: &Vocabulary, mark: char) -> String {
    let content = message.content.as_str();
    let mut out = String::with_capacity(content.len() + 16);
    for (at, c) in content.char_indices() {
        out.push(c);
        let spelled = vocabulary.begins(&content[at..]);
        if spelled.is_some_and(|special| special.is_control || message.role != Role::Assistant) {
            out.push(mark);
        }
    }
    out
}

/// The template's error with its line.
fn told(error: &Error) -> String {
    let line = error
        .line()
        .map_or(String::new(), |line| format!(" (line {line})"));
    let detail = error
        .detail()
        .map_or(error.kind().to_string(), str::to_owned);
    format!("its chat template says: {detail}{line}")
}
