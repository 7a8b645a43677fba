//! British and American spelling: a favourite colour is a favorite color.
//!
//! Stems would do for the words that they know, but take a plural for its singular: somebody's
//! sister and sisters are two things.

/// Words that the two spell differently, the British form first.
const SPELLINGS: &[(&str, &str)] = &[
    ("favourite", "favorite"),
    ("colour", "color"),
    ("flavour", "flavor"),
    ("neighbour", "neighbor"),
    ("theatre", "theater"),
    ("centre", "center"),
    ("programme", "program"),
    ("jewellery", "jewelry"),
    ("licence", "license"),
    ("tyre", "tire"),
    ("mum", "mom"),
];

/// Whether two phrases name the same thing, in either spelling and case.
pub(crate) fn is_same_thing(a: &str, b: &str) -> bool {
    let (mut of_a, mut of_b) = (a.split(' '), b.split(' '));
    loop {
        match (of_a.next(), of_b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if american(a).eq_ignore_ascii_case(american(b)) => {}
            _ => return false,
        }
    }
}

/// The American form of a word; others as they are.
fn american(word: &str) -> &str {
    let spelt = SPELLINGS.iter().find(|it| it.0.eq_ignore_ascii_case(word));
    spelt.map_or(word, |it| it.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelling_and_case_do_not_matter() {
        assert!(is_same_thing("favorite colour", "Favourite color"));
        assert!(is_same_thing("", ""));
        assert!(!is_same_thing("favorite colour", "favorite"));
        assert!(!is_same_thing("favorite colour", "favorite collar"));
    }
}
