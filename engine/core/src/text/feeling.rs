//! Questions about feelings and preferences: "What does Ana think of the new office?"
//!
//! A few English patterns; everything else is a question about what was said.

use super::words::display_words;

/// A question about what somebody feels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeelingAsked {
    /// Who feels, in the words of the question: "ana", "ana and bob", "people"; empty after "who".
    pub holder: String,
    /// What the feeling is about, in the words of the question, without articles at its beginning;
    /// empty for anything: "What does Ana hate?"
    pub about: String,
    /// Which feelings count: `Some(true)` for what is liked, `Some(false)` for what is disliked.
    pub liked: Option<bool>,
}

const AUXILIARIES: &[&str] = &["do", "does", "did"];
const LIKING: &[&str] = &[
    "like", "likes", "love", "loves", "enjoy", "enjoys", "prefer", "prefers",
];
const DISLIKING: &[&str] = &[
    "dislike", "dislikes", "hate", "hates", "detest", "detests", "fear", "fears",
];
const OPINIONS: &[&str] = &[
    "opinion", "opinions", "view", "views", "take", "feelings", "feeling", "impression",
    "attitude", "thoughts",
];
const STATES: &[&str] = &[
    "happy", "unhappy", "satisfied", "dissatisfied", "excited", "worried", "afraid", "scared",
    "proud", "disappointed", "annoyed", "angry", "upset", "nervous", "anxious", "pleased",
    "enthusiastic", "tired", "fond",
];
/// Words between the holder and the feeling.
const ADVERBS: &[&str] = &["really", "still", "also", "actually", "now", "currently"];
const JOINTS: &[&str] = &[
    "of", "about", "on", "with", "to", "towards", "for", "at", "in",
];
/// Words at the end or the beginning of the thing that are no part of it.
const LOOSE: &[&str] = &[
    "a", "an", "the", "her", "his", "their", "my", "your", "our", "its", "most", "best", "least",
    "now", "today", "these", "days", "currently", "more", "better", "really", "about", "of", "in",
    "it", "that", "this", "all", "to", "do", "doing", "eat", "drink",
];

impl FeelingAsked {
    /// What a question asks about feelings; `None` for any other question. Cost: linear in the
    /// question.
    #[must_use]
    pub fn read(question: &str) -> Option<Self> {
        let words: Vec<String> = display_words(question)
            .map(|word| word.to_lowercase().replace('’', "'"))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (first, rest) = words.split_first()?;
        match *first {
            "what" | "how" | "which" => wondered(first, rest),
            "do" | "does" | "did" => {
                let at = rest
                    .iter()
                    .position(|it| liking(it).is_some() || *it == "mind")?;
                Self::of(&rest[..at], &rest[at + 1..], None)
            }
            "is" | "are" | "was" | "were" => {
                let at = rest.iter().position(|it| STATES.contains(it))?;
                let joint = rest.get(at + 1).filter(|it| JOINTS.contains(it));
                joint.and_then(|_| Self::of(&rest[..at], &rest[at + 2..], None))
            }
            "who" => {
                let liked = liking(rest.first()?)?;
                Some(Self {
                    holder: String::new(),
                    about: thing(&rest[1..]),
                    liked: Some(liked),
                })
            }
            _ => None,
        }
    }

    /// `None` without a holder: "What do like ...".
    fn of(holder: &[&str], about: &[&str], liked: Option<bool>) -> Option<Self> {
        let holder = holder.iter().filter(|it| !ADVERBS.contains(it));
        let holder: Vec<&str> = holder.copied().collect();
        (!holder.is_empty()).then(|| Self {
            holder: holder.join(" "),
            about: thing(about),
            liked,
        })
    }
}

/// The words of a thing, without words at either end that are not part of it.
fn thing(words: &[&str]) -> String {
    let loose = |it: &&&str| LOOSE.contains(*it);
    let from = words.iter().take_while(loose).count();
    let behind = words[from..].iter().rev().take_while(loose).count();
    words[from..words.len() - behind].join(" ")
}

/// "What does Ana think of X", "how does she feel about X", "what is her opinion of X", "what does
/// she like about X", "which tea does she prefer".
fn wondered(first: &str, rest: &[&str]) -> Option<FeelingAsked> {
    let joint = |from: usize| {
        let at = rest[from..].iter().position(|it| JOINTS.contains(it))?;
        Some(from + at + 1)
    };
    if rest
        .first()
        .is_some_and(|it| ["is", "are", "was", "were"].contains(it))
    {
        let at = rest.iter().position(|it| OPINIONS.contains(it))?;
        let holder = rest[1..at].join(" ");
        let holder = holder.strip_suffix("'s").or(holder.strip_suffix('\''))?;
        return FeelingAsked::of(&[holder], &rest[joint(at)?..], None);
    }
    let aux = rest.iter().position(|it| AUXILIARIES.contains(it))?;
    let verb = rest[aux + 1..]
        .iter()
        .position(|it| liking(it).is_some() || ["think", "feel"].contains(it))?;
    let verb = aux + 1 + verb;
    let holder = &rest[aux + 1..verb];
    match liking(rest[verb]) {
        // "how does she like it" asks what she feels; "what does she like" what she feels it about
        Some(_) if first == "how" => FeelingAsked::of(holder, &rest[verb + 1..], None),
        // "which tea does she like", and nothing behind it
        Some(liked) if aux > 0 => {
            let whole = thing(&rest[verb + 1..]).is_empty();
            let asked = FeelingAsked::of(holder, &rest[..aux], Some(liked));
            asked.filter(|_| whole)
        }
        Some(liked) => FeelingAsked::of(holder, &rest[verb + 1..], Some(liked)),
        None if joint(verb).is_some_and(|at| at <= verb + 2) => {
            FeelingAsked::of(holder, &rest[joint(verb)?..], None)
        }
        None => None,
    }
}

fn liking(word: &str) -> Option<bool> {
    match word {
        it if LIKING.contains(&it) => Some(true),
        it if DISLIKING.contains(&it) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_of_feeling_are_read() {
        for (question, holder, about, liked) in [
            (
                "What does Ana think of the new office?",
                "ana",
                "new office",
                None,
            ),
            ("What do you think about Lisbon?", "you", "lisbon", None),
            (
                "How does she really feel about her job?",
                "she",
                "job",
                None,
            ),
            ("How did Bob like the concert?", "bob", "concert", None),
            ("Does Ana still like tea?", "ana", "tea", None),
            (
                "Did they enjoy the trip to Porto?",
                "they",
                "trip to porto",
                None,
            ),
            (
                "What is Ana's opinion of the camera?",
                "ana",
                "camera",
                None,
            ),
            ("Is Ana happy with her phone?", "ana", "phone", None),
            ("What does Ana like?", "ana", "", Some(true)),
            ("What do Ana's kids like?", "ana's kids", "", Some(true)),
            ("What does Bob hate the most?", "bob", "", Some(false)),
            (
                "What did Bob dislike about the hotel?",
                "bob",
                "hotel",
                Some(false),
            ),
            (
                "Which food do Ana and Bob prefer?",
                "ana and bob",
                "food",
                Some(true),
            ),
            ("Who loves coffee?", "", "coffee", Some(true)),
        ] {
            let read = FeelingAsked::read(question);
            let expected = FeelingAsked {
                holder: holder.to_owned(),
                about: about.to_owned(),
                liked,
            };
            assert_eq!(read, Some(expected), "{question}");
        }
    }

    #[test]
    fn other_questions_are_not() {
        for question in [
            "Where does Ana live?",
            "What does Ana do?",
            "What is the name of the cat?",
            "Is Ana at home?",
            "Who went to Lisbon?",
            "When did she feel the earthquake?",
            "What would you like?",
            "Which movie does John mention they enjoy watching at Christmas?",
            "Does the train leave at nine?",
            "",
        ] {
            assert_eq!(FeelingAsked::read(question), None, "{question}");
        }
    }
}
