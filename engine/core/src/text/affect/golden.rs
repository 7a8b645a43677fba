//! Compares the model with the code that trained it, and checks what must hold of any weights.
//!
//! `fixtures/golden/affect.tsv` has a sentence, then positive, negative, neutral and strength by
//! its words, then the same with a vector that both sides compute.

use super::{Affect, STRENGTH_MAX};
use proptest::prelude::*;

const TOLERANCE: f32 = 1e-3;

fn vector(row: usize) -> Vec<f32> {
    let values: Vec<f64> = (0..384)
        .map(|at| (((row + 1) * (at + 1)) as f64).sin())
        .collect();
    let length = values.iter().map(|x| x * x).sum::<f64>().sqrt();
    values.iter().map(|x| (x / length) as f32).collect()
}

fn numbers(affect: Affect) -> [f32; 4] {
    let sentiment = affect.sentiment;
    [
        sentiment.positive, sentiment.negative, sentiment.neutral, affect.strength,
    ]
}

#[test]
fn numbers_are_those_of_the_training_script() {
    let table = include_str!("../../../../../fixtures/golden/affect.tsv");
    let mut wrong = Vec::new();
    for (row, line) in table.lines().enumerate() {
        let columns: Vec<&str> = line.split('\t').collect();
        let vector = vector(row);
        let words = Affect::of_words(columns[0]);
        let seen = Affect::of(columns[0], Some(("all-MiniLM-L6-v2", &vector)));
        let found = [numbers(words), numbers(seen)].concat();
        assert_eq!(found.len(), columns.len() - 1);
        for (value, expected) in found.iter().zip(&columns[1..]) {
            let expected: f32 = expected.parse().expect("a number");
            if (value - expected).abs() > TOLERANCE {
                wrong.push(format!("{value} for {expected}: {}", columns[0]));
            }
        }
    }
    assert!(table.lines().count() >= 40);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

fn strength(text: &str) -> f32 {
    Affect::of_words(text).strength
}

#[test]
fn modifiers_raise_and_lower_the_strength() {
    let words = [
        "good", "great", "bad", "terrible", "happy", "sad", "angry", "nice", "boring", "beautiful",
        "disappointing", "awful", "delicious", "annoying", "friendly", "scary",
    ];
    for word in words {
        let of = |modifier: &str| strength(&format!("The place was {modifier}{word}."));
        let plain = of("");
        assert!(plain > 0.3, "{word}: {plain}");
        for modifier in ["very ", "really ", "extremely ", "sooo "] {
            assert!(of(modifier) > plain, "{modifier}{word}");
        }
        for modifier in ["a bit ", "kind of ", "slightly ", "somewhat "] {
            assert!(of(modifier) < plain, "{modifier}{word}");
        }
        let exclaimed = strength(&format!("The place was {word}!"));
        assert!(exclaimed > plain, "{word}!");
    }
}

#[test]
fn stronger_words_are_stronger_and_surer() {
    let scales: [&[&str]; 4] = [
        &[
            "It's okay.", "I like this.", "I love this.", "I really love this!",
        ],
        &["It's okay.", "I adore this."],
        &[
            "It's fine.", "It's a bit annoying.", "It's annoying.", "It's horrible.",
        ],
        &[
            "I saw this.", "I dislike this.", "I hate this.", "I really hate this!",
        ],
    ];
    for scale in scales {
        for pair in scale.windows(2) {
            let (weak, strong) = (Affect::of_words(pair[0]), Affect::of_words(pair[1]));
            assert!(
                weak.strength < strong.strength,
                "{pair:?}: {weak:?} {strong:?}"
            );
            let sure = |affect: Affect| affect.sentiment.leaning().abs();
            assert!(sure(weak) < sure(strong), "{pair:?}: {weak:?} {strong:?}");
        }
    }
}

#[test]
fn negation_turns_or_weakens_a_feeling() {
    for word in [
        "good", "great", "happy", "nice", "funny", "fun", "interesting",
    ] {
        let plain = Affect::of_words(&format!("It is {word}.")).sentiment;
        let denied = Affect::of_words(&format!("It is not {word}.")).sentiment;
        assert!(plain.leaning() > 0.3, "{word}: {plain:?}");
        assert!(denied.leaning() < 0.0, "{word}: {denied:?}");
    }
    let bad = Affect::of_words("It is bad.").sentiment.leaning();
    assert!(Affect::of_words("It isn't bad.").sentiment.leaning() > bad + 0.3);
}

#[test]
fn statements_without_feeling_are_neutral_and_weak() {
    let statements = [
        "The train leaves at nine.",
        "I live in Lisbon.",
        "We met on Tuesday at the office.",
        "I work as a nurse in the city.",
        "The meeting is in room five.",
        "He moved to Porto in 2019.",
        "Ich mag Kaffee.",
        "",
        "...",
    ];
    for text in statements {
        let affect = Affect::of_words(text);
        assert!(affect.sentiment.neutral > 0.8, "{text}: {affect:?}");
        assert!(affect.strength < 0.2, "{text}: {affect:?}");
    }
}

proptest! {
    #[test]
    fn shares_sum_to_one_and_strength_stays_in_range(
        text in "\\PC{0,80}",
        seed in 0..50_usize,
    ) {
        let vector = vector(seed);
        for vector in [None, Some(("all-MiniLM-L6-v2", vector.as_slice()))] {
            let affect = Affect::of(&text, vector);
            let [positive, negative, neutral, strength] = numbers(affect);
            prop_assert!((positive + negative + neutral - 1.0).abs() < 1e-5);
            prop_assert!(positive >= 0.0 && negative >= 0.0 && neutral >= 0.0);
            prop_assert!((0.0..=STRENGTH_MAX).contains(&strength));
            prop_assert!((0.0..=1.585).contains(&affect.sentiment.entropy()));
        }
    }

    #[test]
    fn any_mix_of_words_and_marks_is_read(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "not", "very", "a", "bit", "kind", "of", "love", "hate", "but", "so", "much",
                "only", "!", "?", ",", ":)", "😂", "WOW", "loooove", "can't", "wait", "too",
            ]),
            0..20,
        ),
    ) {
        let affect = Affect::of_words(&pieces.join(" "));
        prop_assert!(affect.strength.is_finite());
        prop_assert!((0.0..=STRENGTH_MAX).contains(&affect.strength));
    }
}
