//! Parses scores in a model's reply.

use serde_json::Value;

/// The score of a reply: the `score` of its JSON, else the first number in range.
///
/// If JSON has a score out of range, its other numbers are not used: they mean other things.
pub(super) fn score(reply: &str, range: (f64, f64)) -> Option<f64> {
    let legal = |score: f64| (range.0..=range.1).contains(&score).then_some(score);
    match json(reply).and_then(|whole| number(&whole["score"])) {
        Some(score) => legal(score),
        None => numbers(reply).find_map(legal),
    }
}

/// The JSON object in a reply with any text around it.
pub(super) fn json(reply: &str) -> Option<Value> {
    let (start, end) = (reply.find('{')?, reply.rfind('}')?);
    serde_json::from_str(reply.get(start..=end)?).ok()
}

/// A number, also one in quotes.
pub(super) fn number(value: &Value) -> Option<f64> {
    value
        .as_f64()
        .or_else(|| value.as_str()?.trim().parse().ok())
}

/// The numbers of a text in order: digits with at most one point, with an optional minus before
/// them.
///
/// `8/10` gives 8; `1-3` gives both.
fn numbers(text: &str) -> impl Iterator<Item = f64> {
    let cut = text.split(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'));
    cut.flat_map(|run| {
        let negative = run.starts_with('-');
        run.split('-')
            .filter(|part| !part.is_empty())
            .enumerate()
            .map(move |(at, part)| {
                let sign = if negative && at == 0 { "-" } else { "" };
                format!("{sign}{}", part.trim_end_matches('.'))
            })
    })
    .filter_map(|number| number.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_in_range_counts() {
        let of = |reply| score(reply, (1.0, 10.0));
        assert_eq!(of("{\"score\": 8, \"reason\": \"2 of 3\"}"), Some(8.0));
        assert_eq!(of("Here: {\"score\": \"8\"} as asked"), Some(8.0));
        assert_eq!(of("8/10"), Some(8.0));
        assert_eq!(of("Score: 7.5."), Some(7.5));
        assert_eq!(of("I saw 25 faults, so 3"), Some(3.0));
        assert_eq!(of("-4"), None);
        assert_eq!(of("0 or 11 or 1.2.3"), None);
        assert_eq!(of("{\"score\": 12, \"of\": 9}"), None);
        assert_eq!(of("{\"score\": null"), None);
        assert_eq!(of("none}{"), None);
        assert_eq!(of(""), None);
    }
}
