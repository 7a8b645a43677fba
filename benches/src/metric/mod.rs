//! Scores of answers, of contexts and of stored memory.

mod bert;
mod bleu;
mod facts;
mod rouge;
mod scores;
mod similarity;
mod words;

pub(crate) use bert::bert_score;
pub(crate) use bleu::sentence as bleu4;
pub(crate) use facts::fact_recall;
pub(crate) use rouge::rouge_l;
pub(crate) use scores::{Case, Scores, score};
pub(crate) use words::{containment, names_key_entities};

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    /// Beside the reference implementations, from `scripts/golden/make_metrics.py`.
    #[test]
    fn answers_score_as_in_sacrebleu_and_rouge_score() {
        let path = weir_fixtures::golden_dir().join("metrics.json");
        let golden: Value = crate::files::json(&path, "pairs").expect("the golden file");
        let pairs = golden["pairs"].as_array().expect("a list");
        assert!(pairs.len() > 30);
        for pair in pairs {
            let [answer, gold] = ["answer", "gold"].map(|key| pair[key].as_str().expect("a text"));
            for (name, found) in [
                ("bleu4", bleu4(answer, gold)),
                ("rouge_l", rouge_l(answer, gold)),
            ] {
                let expected = pair[name].as_f64().expect("a number");
                assert!(
                    (found - expected).abs() < 1e-6,
                    "{name} of {answer:?}: {found} {expected}"
                );
            }
        }
    }
}
