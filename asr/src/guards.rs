//! Decides whether a transcript contains spoken words or text hallucinated from noise.
//!
//! Whisper never reports silence: for music, hum or a slammed door it writes fluent text. The
//! guards check the model's own scores (no-speech, token probabilities), the text (loops, sounds in
//! brackets, stock phrases) and the sound (words per second, the voice detector's score). They
//! change no word. Invariant: the verdict depends only on the segment and its transcript.

use crate::tone::is_tone;
use crate::{Segment, SettingError, Transcript, Word};
use std::collections::HashMap;
use std::ops::Range;

/// Limits beyond which a transcript is refused.
#[derive(Debug, Clone, PartialEq)]
pub struct GuardsConfig {
    /// Least geometric mean of token probabilities, 0 to 1.
    pub min_confidence: f32,
    /// No-speech probability from which a transcript is refused, unless the model is sure of its
    /// words (`sure_confidence`). A value of 1 or more turns this guard off.
    pub max_no_speech: f32,
    /// Confidence that overrules a high no-speech probability.
    pub sure_confidence: f32,
    /// Most words a second.
    pub max_words_per_s: f32,
    /// Least words a second, in segments of at least `slow_from_ms`.
    pub min_words_per_s: f32,
    /// Segment length from which too few words are suspicious, in ms.
    pub slow_from_ms: u32,
    /// Most repetitions in a row of a group of one to four words; more are cut off, and a
    /// transcript of little else is refused.
    pub max_repeats: u32,
    /// Least mean score of the voice detector, 0 to 1.
    pub min_voice: f32,
    /// Whether a tone is refused before the model runs.
    pub refuse_tones: bool,
}

/// Strictness of the guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// Accept all words, except names of sounds in brackets.
    Off,
    /// The default limits.
    #[default]
    Normal,
    /// Stricter: fewer hallucinated words, but some spoken words are lost.
    Strict,
}

impl GuardsConfig {
    /// Returns these limits, made stricter or turned off.
    #[must_use]
    pub fn with(self, strictness: Strictness) -> Self {
        match strictness {
            Strictness::Normal => self,
            Strictness::Off => Self {
                min_confidence: 0.0,
                max_no_speech: f32::INFINITY,
                sure_confidence: 0.0,
                max_words_per_s: f32::INFINITY,
                min_words_per_s: 0.0,
                slow_from_ms: u32::MAX,
                max_repeats: u32::MAX,
                min_voice: 0.0,
                refuse_tones: false,
            },
            Strictness::Strict => Self {
                min_confidence: self.min_confidence.max(0.5),
                max_no_speech: self.max_no_speech.min(0.4),
                sure_confidence: self.sure_confidence.max(0.7),
                max_words_per_s: self.max_words_per_s.min(6.0),
                max_repeats: self.max_repeats.min(3),
                min_voice: self.min_voice.max(0.35),
                ..self
            },
        }
    }
}

impl Default for GuardsConfig {
    fn default() -> Self {
        Self {
            min_confidence: 0.3,
            max_no_speech: 0.6,
            sure_confidence: 0.6,
            max_words_per_s: 8.0,
            min_words_per_s: 0.25,
            slow_from_ms: 6_000,
            max_repeats: 4,
            min_voice: 0.25,
            refuse_tones: true,
        }
    }
}

/// Why a transcript was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Refusal {
    /// The model wrote nothing, or only names of sounds in brackets.
    Empty,
    /// The model wrote only that another language is spoken.
    OtherLanguage,
    /// The voice detector found hardly any voice.
    Unvoiced,
    /// One sine at a time: a beep, a whistle, a ringing.
    Tone,
    /// The model reports that nobody speaks.
    NoSpeech,
    /// The model does not trust its own words.
    LowConfidence,
    /// The same words are repeated too often.
    Repetition,
    /// More words than anybody can say in the time.
    TooFast,
    /// Too few words in a long segment.
    TooSlow,
    /// A stock phrase that models write over noise ("Thank you."), with low confidence.
    StockPhrase,
    /// Voice that no word of a segment covers, and in which a second recognition found no words.
    Uncovered,
}

impl Refusal {
    /// All reasons, in the order of the counters.
    pub const ALL: [Self; 11] = [
        Self::Empty,
        Self::OtherLanguage,
        Self::Unvoiced,
        Self::Tone,
        Self::NoSpeech,
        Self::LowConfidence,
        Self::Repetition,
        Self::TooFast,
        Self::TooSlow,
        Self::StockPhrase,
        Self::Uncovered,
    ];

    /// The reason in a few words, for a log or table.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Empty => "no words",
            Self::OtherLanguage => "another language than the model knows",
            Self::Unvoiced => "hardly a voice",
            Self::Tone => "a tone, no voice",
            Self::NoSpeech => "the model hears nobody speak",
            Self::LowConfidence => "the model does not trust its words",
            Self::Repetition => "the same words again and again",
            Self::TooFast => "more words than anybody says in the time",
            Self::TooSlow => "hardly a word in a long stretch",
            Self::StockPhrase => "a stock phrase of noise",
            Self::Uncovered => "a voice beside the words, too weak to make out",
        }
    }
}

/// Judges transcripts by fixed limits.
#[derive(Debug, Clone)]
pub struct Guards {
    config: GuardsConfig,
}

/// Phrases that models trained on films and videos write over silence and music. They are refused
/// only at low confidence, because people say them too.
const STOCK_PHRASES: [&str; 9] = [
    "thank you",
    "thanks for watching",
    "thank you for watching",
    "thank you very much",
    "please subscribe",
    "bye",
    "you",
    "the end",
    "subtitles by the amara org community",
];

/// Words in a phrase, and how often it must occur for a segment to be refused.
const PHRASE_WORDS: usize = 6;
const PHRASE_TIMES: u32 = 3;

impl Guards {
    /// Makes guards with these limits.
    ///
    /// # Errors
    /// A limit is outside its range.
    pub fn new(config: GuardsConfig) -> Result<Self, SettingError> {
        for (setting, value) in [
            ("min_confidence", config.min_confidence),
            ("sure_confidence", config.sure_confidence),
            ("min_voice", config.min_voice),
        ] {
            SettingError::unless((0.0..=1.0).contains(&value), setting, &value, "0 to 1")?;
        }
        let (slow, fast) = (config.min_words_per_s, config.max_words_per_s);
        SettingError::unless(fast > 0.0, "max_words_per_s", &fast, "above 0")?;
        SettingError::unless(
            (0.0..fast).contains(&slow),
            "min_words_per_s",
            &slow,
            "0 to max_words_per_s",
        )?;
        let repeats = config.max_repeats;
        SettingError::unless(repeats >= 1, "max_repeats", &repeats, "1 or more")?;
        Ok(Self { config })
    }

    /// Checks the sound of a segment before the model runs.
    ///
    /// # Errors
    /// The reason to skip the segment.
    pub fn admit(&self, segment: &Segment) -> Result<(), Refusal> {
        if segment.voice < self.config.min_voice {
            Err(Refusal::Unvoiced)
        } else if self.config.refuse_tones && is_tone(&segment.samples) {
            Err(Refusal::Tone)
        } else {
            Ok(())
        }
    }

    /// Returns the words of a transcript without the sounds in brackets, if they pass the checks.
    ///
    /// # Errors
    /// The first reason to refuse the words.
    pub fn judge(&self, segment: &Segment, transcript: Transcript) -> Result<Transcript, Refusal> {
        let mut transcript = transcript;
        let is_foreign = names_language(&transcript);
        strip_sounds(&mut transcript.words);
        let config = &self.config;
        let is_loop = self.cut_loops(&mut transcript.words);
        let words = &transcript.words;
        if !words
            .iter()
            .any(|w| w.text.chars().any(char::is_alphanumeric))
        {
            return Err(match is_foreign {
                true => Refusal::OtherLanguage,
                false => Refusal::Empty,
            });
        }
        let seconds = segment.span.len_ms().max(1) as f32 / 1_000.0;
        let words_per_s = words.len() as f32 / seconds;
        let long = segment.span.len_ms() >= u64::from(config.slow_from_ms);
        let confidence = transcript.confidence;
        let repeats = is_loop || (confidence < config.sure_confidence && repeats_phrase(words));
        let refusal = if repeats {
            Some(Refusal::Repetition)
        } else if words_per_s > config.max_words_per_s && words.len() > 2 {
            Some(Refusal::TooFast)
        } else if long && words_per_s < config.min_words_per_s {
            Some(Refusal::TooSlow)
        } else if confidence < config.min_confidence {
            Some(Refusal::LowConfidence)
        } else if transcript.no_speech >= config.max_no_speech
            && confidence < config.sure_confidence
        {
            Some(Refusal::NoSpeech)
        } else if is_stock(words) && confidence < config.sure_confidence {
            Some(Refusal::StockPhrase)
        } else {
            None
        };
        refusal.map_or(Ok(transcript), Err)
    }

    /// Shortens groups of one to four words that repeat too often in a row. Returns true if there
    /// are no other words or the model is not sure of them: then the group is a loop over noise.
    fn cut_loops(&self, words: &mut Vec<Word>) -> bool {
        let loops = loops(words, self.config.max_repeats as usize);
        if loops.is_empty() {
            return false;
        }
        let in_loop = |at: usize| loops.iter().any(|it| it.whole.contains(&at));
        let beside = words.iter().enumerate().filter(|(at, _)| !in_loop(*at));
        let beside: Vec<Word> = beside.map(|(_, word)| word.clone()).collect();
        for it in loops.iter().rev() {
            words.drain(it.cut.clone());
        }
        crate::words::confidence(&beside) < self.config.sure_confidence
    }
}

/// A group of words that repeats.
struct Loop {
    whole: Range<usize>,
    /// The words of the repetitions that are cut.
    cut: Range<usize>,
}

/// The groups of one to four words that are repeated at least `most` times in a row after their
/// first occurrence.
fn loops(words: &[Word], most: usize) -> Vec<Loop> {
    let plain: Vec<String> = words.iter().map(|w| plain(&w.text)).collect();
    let mut found: Vec<Loop> = Vec::new();
    let mut from = 0;
    while from < plain.len() {
        let longest = (1..=4).map(|size| {
            let again = plain[from..].iter().zip(plain[from..].iter().skip(size));
            (again.take_while(|(a, b)| a == b).count(), size)
        });
        let is_loop = |(run, size): &(usize, usize)| *run >= size.saturating_mul(most);
        let Some((run, size)) = longest.filter(is_loop).max_by_key(|it| it.0) else {
            from += 1;
            continue;
        };
        let end = from + run + size;
        found.push(Loop {
            whole: from..end,
            cut: from + size * most..end,
        });
        from = end;
    }
    found
}

/// True for a note, as subtitles have it, that another language is spoken: `(speaking in foreign
/// language)`, `[NON-ENGLISH SPEECH]`, `(In Chinese)`. An English-only model knows it from them.
fn names_language(transcript: &Transcript) -> bool {
    let text = transcript.text().to_lowercase();
    let Some(note) = text.strip_prefix(['(', '[']) else {
        return false;
    };
    [
        "speaking in ", "speaking foreign", "foreign", "non-english", "in ",
    ]
    .iter()
    .any(|start| note.starts_with(start))
}

/// Removes words that name a sound: `[MUSIC]`, `(wind blows)`, `*sighs*`, notes.
fn strip_sounds(words: &mut Vec<Word>) {
    let mut until: Option<char> = None;
    words.retain(|word| {
        let text = word.text.trim();
        if until.is_none() {
            until = match text.chars().next() {
                Some('[') => Some(']'),
                Some('(') => Some(')'),
                Some('*') => Some('*'),
                Some('♪') => Some('♪'),
                _ => return true,
            };
            // A lone opening sign is closed by the next sign of its kind.
            if text.chars().count() == 1 && until != Some('♪') {
                return false;
            }
        }
        let body = text.trim_end_matches(['.', ',', '!', '?']);
        if until.is_some_and(|close| body.ends_with(close)) {
            until = None;
        }
        false
    });
}

/// True when a group of [`PHRASE_WORDS`] words occurs three times: typical output of an
/// English-only model for another language. Real people who repeat a phrase three times are
/// transcribed better.
fn repeats_phrase(words: &[Word]) -> bool {
    let plain: Vec<String> = words.iter().map(|w| plain(&w.text)).collect();
    let mut times: HashMap<&[String], u32> = HashMap::new();
    plain.windows(PHRASE_WORDS).any(|phrase| {
        let times = times.entry(phrase).or_default();
        *times += 1;
        *times == PHRASE_TIMES
    })
}

fn is_stock(words: &[Word]) -> bool {
    let text = words
        .iter()
        .map(|w| plain(&w.text))
        .collect::<Vec<_>>()
        .join(" ");
    STOCK_PHRASES.contains(&text.as_str())
}

/// A word in lower case, without punctuation.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SampleSpan;

    fn said(words: &[&str], confidence: f32) -> (Segment, Transcript) {
        let span = SampleSpan::from_ms(0, 2_000);
        let word = |text: &&str| Word {
            text: (*text).to_owned(),
            span,
            confidence,
        };
        let segment = Segment {
            span,
            channel: 0,
            samples: vec![0.0; span.len() as usize],
            voice: 0.3,
            tail: 0,
            language: None,
        };
        let transcript = Transcript {
            words: words.iter().map(word).collect(),
            confidence,
            no_speech: 0.9,
        };
        (segment, transcript)
    }

    fn judged(strictness: Strictness, words: &[&str], confidence: f32) -> Result<(), Refusal> {
        let guards = Guards::new(GuardsConfig::default().with(strictness)).expect("in range");
        let (segment, transcript) = said(words, confidence);
        guards.admit(&segment)?;
        guards.judge(&segment, transcript).map(|_| ())
    }

    #[test]
    fn less_strict_guards_take_whatever_stricter_ones_take() {
        let kinds = [Strictness::Strict, Strictness::Normal, Strictness::Off];
        let loops = ["go"; 12];
        for words in [&["we", "leave", "now"][..], &["thank", "you"], &loops] {
            for confidence in [0.0, 0.2, 0.4, 0.61, 0.85, 1.0] {
                let taken = kinds.map(|kind| judged(kind, words, confidence).is_ok());
                assert!(taken.is_sorted(), "{words:?} at {confidence}: {taken:?}");
                assert!(taken[2], "{words:?} at {confidence}");
            }
        }
        assert_eq!(judged(Strictness::Normal, &["we", "leave"], 0.61), Ok(()));
        let strict = judged(Strictness::Strict, &["we", "leave"], 0.61);
        assert!(strict.is_err(), "{strict:?}");
    }

    #[test]
    fn phrases_that_an_unsure_model_repeats_are_refused() {
        // tiny.en over a Spanish audio book
        let text = "What's up guys, I'm your host, and welcome back to my channel. I'm your host \
                    and I'm your host and welcome back to my channel. I'm your host and I'm your \
                    host and welcome back to my channel.";
        let words: Vec<&str> = text.split(' ').collect();
        let at = |confidence| {
            let (mut segment, transcript) = said(&words, confidence);
            segment.span = SampleSpan::from_ms(0, 14_800);
            let guards = Guards::new(GuardsConfig::default()).expect("in range");
            let no_speech = 0.0;
            let transcript = Transcript {
                no_speech,
                ..transcript
            };
            guards.judge(&segment, transcript).map(|_| ())
        };
        assert_eq!(at(0.47), Err(Refusal::Repetition));
        assert_eq!(at(0.9), Ok(()), "somebody may say so");
    }

    #[test]
    fn without_guards_the_names_of_sounds_are_still_no_words() {
        let music = judged(Strictness::Off, &["[MUSIC]"], 1.0);
        assert_eq!(music, Err(Refusal::Empty));
    }

    /// The words of a transcript behind the guards.
    fn left(words: &[&str], confidence: f32) -> Result<String, Refusal> {
        let guards = Guards::new(GuardsConfig::default()).expect("in range");
        let (mut segment, transcript) = said(words, confidence);
        segment.span = SampleSpan::from_ms(0, 8_000);
        let transcript = Transcript {
            no_speech: 0.0,
            ..transcript
        };
        guards.judge(&segment, transcript).map(|it| it.text())
    }

    #[test]
    fn what_stands_beside_a_loop_is_kept_with_one_run_of_it() {
        let looped = |group: &[&'static str], times| group.repeat(times);
        let text = [&looped(&["No,"], 11)[..], &["Not", "that", "one."]].concat();
        assert_eq!(
            left(&text, 0.8),
            Ok("No, No, No, No, Not that one.".to_owned())
        );
        let text = [&["we", "go"][..], &looped(&["to", "the"], 9), &["end"]].concat();
        let kept = "we go to the to the to the to the end".to_owned();
        assert_eq!(left(&text, 0.8), Ok(kept));
        // an unsure model writes loops over noise, and nothing but a loop tells nothing
        assert_eq!(left(&text, 0.5), Err(Refusal::Repetition));
        assert_eq!(left(&looped(&["go"], 9), 0.9), Err(Refusal::Repetition));
        let number = ["five", "five", "five", "five", "two"];
        assert_eq!(left(&number, 0.5), Ok(number.join(" ")));
    }
}
