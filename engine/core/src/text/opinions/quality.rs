//! Words that judge a thing: a list of qualities, beside the learned table of feelings.
//!
//! The learned table ([`Affect`]) knows how people feel in a clause. A quality of a thing may carry
//! no feeling of its own: "slow", "attentive", "overpriced".

use super::feeling::{is_clear, stated};
use super::tokens::Token;
use crate::text::affect::Affect;
use std::collections::HashMap;
use std::sync::LazyLock;

const QUALITIES: &[(f32, &str)] = &[
    (
        0.9,
        "amazing awesome excellent fantastic wonderful perfect incredible outstanding superb \
         brilliant phenomenal stunning gorgeous breathtaking best delicious magnificent terrific \
         flawless spectacular heavenly divine exquisite magical unbeatable adorable",
    ),
    (
        0.75,
        "great beautiful lovely delightful favorite favourite comforting charming inspiring \
         rewarding attentive impressive peaceful cozy cosy tasty yummy fun exciting satisfying \
         relaxing soothing therapeutic fascinating fabulous marvelous marvellous joy delight \
         pleasure blessing treat hilarious refreshing invaluable priceless superior loved stellar \
         enjoyable uplifting fulfilling thrilling remarkable masterpiece gem must-have enchanting",
    ),
    (
        0.6,
        "good nice better cool sweet pleasant friendly helpful comfortable convenient reliable \
         fresh smooth clean fast quick affordable cheap generous kind welcoming interesting useful \
         easy solid sturdy durable crisp sharp bright elegant stylish cute pretty calm calming \
         quiet safe efficient responsive polite professional knowledgeable funny clever smart \
         creative crunchy juicy creamy flavorful tender rich fair reasonable decent \
         worthwhile caring thoughtful gentle strong powerful graceful intuitive handy lively \
         genuine authentic romantic spacious fluent excellently improved special",
    ),
    (
        -0.9,
        "terrible awful horrible worst disgusting dreadful atrocious abysmal appalling horrendous \
         pathetic unbearable inedible nightmare disaster garbage trash rubbish crap hell unusable \
         horrid nasty vile hideous repulsive intolerable unacceptable despicable",
    ),
    (
        -0.75,
        "bad worse poor disappointing frustrating annoying rude ugly boring useless broken \
         depressing exhausting stressful painful miserable unpleasant uncomfortable overpriced \
         tasteless soggy stale rotten dirty filthy gross defective faulty lousy crappy shoddy \
         unfriendly mean cruel stupid dumb ridiculous scary terrifying creepy irritating dull \
         inferior mediocre lame sucks suck infuriating headache unreliable incompetent arrogant \
         hostile toxic misery waste disappointed",
    ),
    (
        -0.6,
        "slow noisy loud expensive pricey bland cold lukewarm dry greasy salty burnt overcooked \
         undercooked raw tough hard difficult tiring tedious confusing crowded cramped messy \
         inconvenient inattentive careless cheaply heavy bulky laggy buggy glitchy weak \
         flimsy small tiny short dark gloomy humid smelly bitter sour watery late unfair tricky \
         inefficient unhelpful impolite unprofessional outdated lacking tense \
         stuffy rough sad overrated unhealthy dangerous fragile clumsy hectic \
         nerve-wracking delay hopeless problematic choppy",
    ),
];

/// How a lower-cased word judges a thing, -1 to 1.
pub(super) fn quality(word: &str) -> Option<f32> {
    static WORDS: LazyLock<HashMap<&str, f32>> = LazyLock::new(|| {
        let rows = QUALITIES.iter();
        let words = rows.flat_map(|(value, list)| list.split_whitespace().map(|w| (w, *value)));
        words.collect()
    });
    WORDS.get(word).copied()
}

/// Whether a word judges a thing.
pub(super) fn judges(word: &Token<'_>) -> bool {
    quality(&word.lower).is_some() || is_adjective(word) && is_clear(&Affect::of_words(word.text))
}

/// Whether a word that the learned table knows has an ending of adjectives.
fn is_adjective(word: &Token<'_>) -> bool {
    let ends = [
        "ful", "ous", "ive", "able", "ible", "ing", "less", "ant", "ent", "ic", "ed", "y",
    ];
    word.lower.len() > 4 && ends.iter().any(|end| word.lower.ends_with(end))
}

/// The feeling of some words, which are this text: by their qualities, else by the learned table.
pub(super) fn affect_of_words(words: &[Token<'_>], text: &str) -> Affect {
    let mut sum = 0.0;
    let mut denied = false;
    for (at, word) in words.iter().enumerate() {
        denied |= word.is_negation() && !word.is("no");
        // "pretty good", "kind of good"
        let degree = word.is("pretty kind") && at + 1 < words.len();
        let value = quality(&word.lower).filter(|_| !degree).unwrap_or(0.0);
        // "too cheap" is no praise
        let too = at > 0 && words[at - 1].lower == "too" && !word.is("good nice");
        let value = if too { -value.abs() } else { value };
        sum += if denied { -0.75 * value } else { value };
    }
    let learned = Affect::of_words(text);
    let agrees = learned.sentiment.leaning() * sum > 0.0 && is_clear(&learned);
    match sum == 0.0 || agrees {
        true => learned,
        false => stated(sum.clamp(-0.9, 0.9), words),
    }
}
