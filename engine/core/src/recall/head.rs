//! The head of a context: the character who answers, beliefs, and facts of a profile.

use super::facts::Facts;
use crate::answer::Believed;
use crate::character::Character;
use crate::limits;
use weir_models::CountTokens;

const CHARACTER: &str = "## Character:";
const BELIEFS: &str = "## Beliefs:";
const PROFILE: &str = "## Profile:";

/// The head of a context: the character who answers, beliefs and facts of a profile, at most one
/// part in [`limits::CONTEXT_OBSERVED_PART`] of its tokens, of which the profile has
/// `profile_tokens` at most if that is not 0. With its length in tokens.
pub(super) fn fill(
    counter: &dyn CountTokens,
    (character, believed, facts): (Option<&Character>, &[Believed], &Facts<'_>),
    (context_tokens, profile_tokens): (usize, usize),
) -> (String, usize) {
    let mut head = Head {
        counter,
        left: context_tokens / limits::CONTEXT_OBSERVED_PART,
        text: String::new(),
        tokens: 0,
    };
    head.section(CHARACTER, character.iter().map(ToString::to_string));
    head.section(BELIEFS, believed.iter().map(ToString::to_string));
    if profile_tokens > 0 {
        head.left = head.left.min(profile_tokens);
    }
    head.section(PROFILE, facts.lines().into_iter());
    (head.text, head.tokens)
}

struct Head<'a> {
    counter: &'a dyn CountTokens,
    left: usize,
    text: String,
    tokens: usize,
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
            self.tokens += tokens;
            self.text.push_str(&text);
        }
    }
}
