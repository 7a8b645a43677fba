//! Evidence similarity (ProStream appendix B.3): cosine of context and gold evidence.
//!
//! The encoder reads about 200 words, and a context has many more. So both are split into
//! statements: each is encoded alone, the unit-length vectors are averaged, and the cosine is that
//! of the two means. Headings are no statements.

use anyhow::Result;
use weir_core::text::clauses;
use weir_models::Encode;

/// Texts encoded at once.
const BATCH: usize = 64;

/// Cosine of context and evidence; 0 for a context without a statement, `None` without evidence.
pub(crate) fn evidence_similarity(
    encoder: &dyn Encode,
    context: &str,
    evidence: &[&str],
) -> Result<Option<f64>> {
    if evidence.is_empty() {
        return Ok(None);
    }
    let shown: Vec<&str> = context.lines().flat_map(statements).collect();
    let gold: Vec<&str> = evidence.iter().flat_map(|text| statements(text)).collect();
    let (shown, gold) = (sum(encoder, &shown)?, sum(encoder, &gold)?);
    Ok(Some(cosine(&shown, &gold)))
}

/// The statements of a line; a heading and a line with a day alone have none.
fn statements(line: &str) -> Vec<&str> {
    let line = line.trim();
    if line.starts_with(['#', '*']) || line.starts_with('[') && line.ends_with(']') {
        return Vec::new();
    }
    let said = clauses(line).into_iter();
    said.filter(|words| words.contains(char::is_alphanumeric))
        .collect()
}

/// The sum of the texts' vectors, which has the direction of their mean.
fn sum(encoder: &dyn Encode, texts: &[&str]) -> Result<Vec<f64>> {
    let mut sum = vec![0.0; encoder.dimension()];
    for batch in texts.chunks(BATCH) {
        for vector in encoder.encode(batch)? {
            sum.iter_mut()
                .zip(vector)
                .for_each(|(sum, x)| *sum += f64::from(x));
        }
    }
    Ok(sum)
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths == 0.0 {
        return 0.0;
    }
    dot(a, b) / lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::WordHashEncoder;

    fn of(context: &str, evidence: &[&str]) -> Option<f64> {
        evidence_similarity(&WordHashEncoder::new(), context, evidence).expect("encoded")
    }

    #[test]
    fn it_is_the_cosine_of_mean_vectors() {
        let encoder = WordHashEncoder::new();
        let texts = ["the boat sank", "a green door", "a boat in the harbour"];
        let vectors = encoder.encode(&texts).expect("encoded");
        let both = vectors[0].iter().zip(&vectors[1]);
        let mean: Vec<f64> = both.map(|(a, b)| f64::from(*a + *b) / 2.0).collect();
        let gold: Vec<f64> = vectors[2].iter().map(|x| f64::from(*x)).collect();
        let found = of("the boat sank\na green door", &texts[2..]).expect("evidence");
        assert!((found - cosine(&mean, &gold)).abs() < 1e-6);
        assert!(found > 0.05);
    }

    #[test]
    fn headings_change_nothing_and_the_evidence_itself_is_nearest() {
        let said = ["Anna: the boat sank", "Bob: we sold the green door"];
        let context = "## Long-term Memory:\n[8 May 2023]\nAnna: the boat sank\n\
            Bob: we sold the green door\n";
        let whole = of(context, &said).expect("evidence");
        assert!((whole - 1.0).abs() < 1e-6, "{whole}");
        assert!(of("Anna: the boat sank", &said).expect("evidence") < 0.95);
    }

    #[test]
    fn nothing_shown_is_far_and_nothing_asked_is_none() {
        assert_eq!(of("## Short-term Memory:\n", &["the boat"]), Some(0.0));
        assert_eq!(of("the boat", &[]), None);
    }
}
