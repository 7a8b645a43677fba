//! Whisper's languages: their codes and names, and which of them is spoken.

use whisper_rs::{WhisperContext, WhisperError};

use super::quiet::log_quietly;
use crate::{LanguageGuess, Segment, TranscribeError};

/// The language that Whisper finds itself.
pub(super) const AUTO: &str = "auto";

/// Whether a language is left open.
pub(super) fn is_auto(language: &str) -> bool {
    language.eq_ignore_ascii_case(AUTO)
}

/// The language code to pass to whisper for a model of this name.
///
/// # Errors
/// whisper does not know the language, or the model does not.
pub(super) fn chosen(
    wanted: Option<&str>,
    is_multilingual: bool,
    model: &str,
) -> Result<&'static str, TranscribeError> {
    let fallback = if is_multilingual { AUTO } else { "en" };
    let wanted = wanted.unwrap_or(fallback);
    match check_language(wanted)? {
        AUTO => Ok(fallback),
        code if code == "en" || is_multilingual => Ok(code),
        _ => Err(TranscribeError::EnglishOnly {
            model: model.to_owned(),
            language: wanted.to_owned(),
        }),
    }
}

/// The likeliest language of consecutive segments.
pub(super) fn find(
    context: &WhisperContext,
    segments: &[Segment],
    threads: usize,
) -> Result<LanguageGuess, WhisperError> {
    let samples: Vec<&[f32]> = segments.iter().map(|it| &it.samples[..]).collect();
    // a new state has no random numbers drawn, and computes the whole window
    let mut state = context.create_state()?;
    state.pcm_to_mel(&samples.concat(), threads)?;
    let (id, chances) = state.lang_detect(0, threads)?;
    let at = usize::try_from(id).ok();
    Ok(LanguageGuess {
        code: whisper_rs::get_lang_str(id).unwrap_or(AUTO),
        chance: at.and_then(|at| chances.get(at)).copied().unwrap_or(0.0),
    })
}

/// whisper's code for a language, given by code or English name; `auto` stays `auto`.
///
/// # Errors
/// whisper does not know the language.
pub fn check_language(language: &str) -> Result<&'static str, TranscribeError> {
    if is_auto(language) {
        return Ok(AUTO);
    }
    let wanted = language.to_lowercase();
    log_quietly();
    let id = match wanted.contains('\0') {
        true => None,
        false => whisper_rs::get_lang_id(&wanted),
    };
    id.and_then(whisper_rs::get_lang_str)
        .ok_or(TranscribeError::UnknownLanguage { language: wanted })
}

/// The codes of all languages that whisper knows, English first.
pub fn languages() -> impl Iterator<Item = &'static str> {
    log_quietly();
    (0..=whisper_rs::get_lang_max_id()).filter_map(whisper_rs::get_lang_str)
}

/// English name of a language, by its code: "German".
#[must_use]
pub fn language_name(code: &str) -> String {
    log_quietly();
    let id = whisper_rs::get_lang_id(code);
    let name = id.and_then(whisper_rs::get_lang_str_full).unwrap_or(code);
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
