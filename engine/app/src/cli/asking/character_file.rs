//! Files of characters, for `--as`.

use crate::cli::loading::model_args::CharacterArgs;
use crate::cli::small_file;
use anyhow::{Context, anyhow, bail};
use serde::Deserialize;
use std::path::Path;
use weir_core::character::Character;
use weir_core::limits;
use weir_core::session::Session;

/// The keys of a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CharacterFile {
    name: String,
    #[serde(default)]
    description: String,
    sources: Option<Vec<String>>,
    #[serde(default = "stability_hours")]
    stability_hours: f64,
    #[serde(default = "boost")]
    boost: f64,
}

fn stability_hours() -> f64 {
    limits::STABILITY_HOURS_DEFAULT
}

fn boost() -> f64 {
    limits::STABILITY_BOOST_DEFAULT
}

/// The character that the flags name, if any; see [`read`].
pub(crate) fn load(
    args: &CharacterArgs,
    session: &Session,
    context_tokens: usize,
) -> anyhow::Result<Option<Character>> {
    let file = args.file.as_deref();
    file.map(|file| read(file, session, context_tokens))
        .transpose()
}

/// Reads a character and checks that the session has its sources, and a context room for its name
/// and description.
fn read(file: &Path, session: &Session, context_tokens: usize) -> anyhow::Result<Character> {
    let named = || format!("character file {}", file.display());
    let max = limits::CHARACTER_FILE_BYTES_MAX;
    let text = small_file::text(file, max).with_context(named)?;
    let character = parse(&text).with_context(named)?;
    let mut sources = character.sources.iter().flatten();
    if let Some(unknown) = sources.find(|it| session.sources().named(it).is_none()) {
        return Err(session.sources().unknown(unknown)).with_context(named);
    }
    let tokens = session.counter().count(&character.to_string());
    let max = context_tokens / limits::CONTEXT_OBSERVED_PART;
    if tokens >= max {
        let (file, least) = (file.display(), limits::CONTEXT_OBSERVED_PART * (tokens + 1));
        bail!(
            "character file {file}: name and description have {tokens} tokens, and a context of \
             {context_tokens} has less than {max} for them: shorten them, or give at least \
             --context-tokens {least}"
        );
    }
    Ok(character)
}

fn parse(text: &str) -> anyhow::Result<Character> {
    let parsed: CharacterFile = toml::from_str(text).map_err(|wrong| {
        let at = wrong.span().map_or(0, |span| span.start);
        let line = text[..at].matches('\n').count() + 1;
        anyhow!("line {line}: {}", wrong.message())
    })?;
    let character = Character {
        name: parsed.name.trim().to_owned(),
        description: parsed.description,
        sources: parsed.sources,
        stability_hours: parsed.stability_hours,
        boost: parsed.boost,
    };
    character.check()?;
    Ok(character)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_file_of_all_keys_and_of_the_least() {
        let full = "name = \"Ben\"\ndescription = \"A fisherman.\"\nsources = [\"charts\"]\n\
                    stability_hours = 12\nboost = 1.5\n";
        let it = parse(full).expect("legal");
        assert_eq!(
            (it.name.as_str(), it.stability_hours, it.boost),
            ("Ben", 12.0, 1.5)
        );
        assert!(it.knows("charts") && !it.knows("novels"));
        let it = parse("name = \"Ben\"").expect("legal");
        assert!(it.knows("novels") && it.description.is_empty());
    }

    #[test]
    fn a_wrong_key_or_value_is_named() {
        let told = |text: &str| format!("{:#}", parse(text).expect_err(text));
        let wrong = told("name = \"Ben\"\nmood = 3\n");
        assert!(
            wrong.starts_with("line 2:") && wrong.contains("`mood`"),
            "{wrong}"
        );
        assert!(
            wrong.contains("`stability_hours`"),
            "the legal keys: {wrong}"
        );
        assert!(told("boost = 2").contains("name"));
        assert!(told("name = \"Ben\"\nboost = 0").contains("boost: from 1 to 100, not 0"));
        assert!(told("name = \"Ben\"\nstability_hours = -3").contains("above 0"));
        assert!(told("name = ").starts_with("line 1:"));
    }
}
