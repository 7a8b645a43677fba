//! How well encoders find a sentence in another language: twelve sentences in ten languages.
#![cfg(feature = "candle")]

use std::fs;

use weir_models::{Encode, Prompts, SentenceEncoder, SparseEncoder};

/// Sentences by language, in the same order.
fn languages() -> Vec<Vec<String>> {
    let text = fs::read_to_string(weir_fixtures::parallel()).unwrap();
    let mut languages = Vec::new();
    for line in text.lines().skip(1) {
        for (at, sentence) in line.split('\t').enumerate() {
            if at == languages.len() {
                languages.push(Vec::new());
            }
            languages[at].push(sentence.to_owned());
        }
    }
    assert!(languages.len() == 10 && languages.iter().all(|of| of.len() == 12));
    languages
}

/// Of all pairs of a sentence and another language: the share in which the nearest sentence of that
/// language is the translation. With it the mean cosine of sentences that are no translations.
fn found(encoder: &dyn Encode) -> (f32, f32) {
    let encode = |of: &Vec<String>| {
        let of: Vec<&str> = of.iter().map(String::as_str).collect();
        encoder.encode(&of).unwrap()
    };
    let vectors: Vec<Vec<Vec<f32>>> = languages().iter().map(encode).collect();
    let cosine = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let (mut right, mut asked, mut apart) = (0, 0, 0.0);
    for (from, own) in vectors.iter().enumerate() {
        let others = vectors.iter().enumerate().filter(|(to, _)| *to != from);
        for (_, other) in others {
            for (at, vector) in own.iter().enumerate() {
                let cosines: Vec<f32> = other.iter().map(|it| cosine(vector, it)).collect();
                let rivals = (0..cosines.len()).filter(|it| *it != at);
                right += u16::from(rivals.clone().all(|it| cosines[it] < cosines[at]));
                asked += 1_u16;
                apart += rivals.map(|it| cosines[it]).sum::<f32>() / (cosines.len() - 1) as f32;
            }
        }
    }
    let (share, apart) = (
        f32::from(right) / f32::from(asked),
        apart / f32::from(asked),
    );
    let name = &encoder.identity().name;
    println!("{name}: {share:.3} of translations found, others at {apart:.2}");
    (share, apart)
}

/// English encoders cannot: that is why a multilingual one is listed.
#[test]
fn english_encoders_find_few_translations() {
    assert!(found(&SparseEncoder::built_in().unwrap()).0 < 0.4);
    if let Some(file) = weir_fixtures::model_file("all-MiniLM-L6-v2", "config.json") {
        let encoder = SentenceEncoder::load(file.parent().unwrap()).unwrap();
        assert!(found(&encoder).0 < 0.4);
    }
}

#[test]
fn multilingual_e5_finds_nearly_all_and_tells_others_apart() {
    const NAME: &str = "multilingual-e5-small";
    let Some(file) = weir_fixtures::optional_model_file(NAME, "config.json") else {
        return;
    };
    let load = || {
        let encoder = SentenceEncoder::load(file.parent().unwrap()).unwrap();
        encoder.with_prompts(Prompts {
            query: "query: ".to_owned(),
            passage: "passage: ".to_owned(),
        })
    };
    let (plain, centred) = (load(), load().listed_as(NAME));
    let (share, apart) = found(&plain);
    assert!(share > 0.98 && apart > 0.7, "{share} {apart}");
    let (share, apart) = found(&centred);
    assert!(share > 0.98 && apart.abs() < 0.15, "{share} {apart}");
    // their vectors must not be compared
    assert_eq!(centred.identity().name, NAME);
    assert_ne!(plain.identity().digest, centred.identity().digest);
    let length = |vector: &[f32]| vector.iter().map(|x| x * x).sum::<f32>();
    for vectors in [
        centred.encode(&["", "a"]),
        centred.encode_queries(&["", "a"]),
    ] {
        let vectors = vectors.unwrap();
        assert!(vectors.iter().all(|it| (length(it) - 1.0).abs() < 1e-4));
    }
}
