//! The head of a context: the character who answers, beliefs, and facts of a profile.

use crate::answer::BeliefAnswer;
use crate::character::Character;
use crate::limits;
use crate::profile::ProfileFact;
use crate::stream::spoken_line;
use weir_models::CountTokens;

const CHARACTER: &str = "## Character:";
const BELIEFS: &str = "## Beliefs:";
const PROFILE: &str = "## Profile:";

/// A part of a context, with its length in tokens.
#[derive(Debug, Default)]
pub(super) struct ContextPart {
    pub(super) text: String,
    pub(super) tokens: usize,
}

/// Content of the head: the part of a context before the statements.
pub(super) struct HeadContent<'a> {
    pub(super) character: Option<&'a Character>,
    pub(super) beliefs: &'a [BeliefAnswer],
    pub(super) facts: &'a [&'a ProfileFact],
}

/// The head of a context of `context_tokens`, of which it takes at most one part in
/// [`limits::CONTEXT_OBSERVED_PART`], and the profile at most `profile_tokens` if that is not 0.
pub(super) fn fill(
    content: &HeadContent<'_>,
    context_tokens: usize,
    profile_tokens: usize,
    counter: &dyn CountTokens,
) -> ContextPart {
    let mut head = Head {
        counter,
        left: context_tokens / limits::CONTEXT_OBSERVED_PART,
        filled: ContextPart::default(),
    };
    let character = content.character.iter();
    head.section(CHARACTER, character.map(ToString::to_string));
    let beliefs = content.beliefs.iter();
    head.section(BELIEFS, beliefs.map(ToString::to_string));
    if profile_tokens > 0 {
        head.left = head.left.min(profile_tokens);
    }
    let facts = content.facts.iter();
    let line = |it: &&ProfileFact| spoken_line(it.speaker.as_deref(), &it.value);
    head.section(PROFILE, facts.map(line));
    head.filled
}

struct Head<'a> {
    counter: &'a dyn CountTokens,
    left: usize,
    filled: ContextPart,
}

impl Head<'_> {
    /// Adds a section with the lines that fit; none without a line.
    fn section(&mut self, heading: &str, lines: impl Iterator<Item = String>) {
        let mut text = format!("{heading}\n");
        let mut tokens = self.counter.count(heading);
        let before = tokens;
        for line in lines {
            let more = self.counter.count(&line);
            if tokens + more > self.left {
                break;
            }
            tokens += more;
            text.push_str(&line);
            text.push('\n');
        }
        if tokens > before {
            self.left -= tokens;
            self.filled.tokens += tokens;
            self.filled.text.push_str(&text);
        }
    }
}
