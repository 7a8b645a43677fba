//! The encoder of a measurement, opened from options; and a cache, so that many methods can process
//! the same stream.

use crate::files;
use anyhow::Result;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use weir_models::{
    DeviceChoice, Encode, EncodeError, Encoded, EncoderIdentity, LanguageModel, SentenceEncoder,
    SparseEncoder, Terms, WithLanguage, WithTerms, WordHashEncoder,
};

/// The names of the encoder without a model and of the built-in one.
const WORDS: &str = "words";
const SPLADE: &str = "splade-tiny";

/// Most cached texts: with 384 dimensions and terms about 1.5 gigabytes. Further ones are encoded
/// each time.
const TEXTS_MAX: usize = 500_000;

/// Options for an encoder.
#[derive(clap::Args)]
pub(crate) struct EncoderArgs {
    /// Folder of a sentence encoder, `splade-tiny` (built in), or `words`
    #[arg(long, default_value = WORDS)]
    pub(crate) encoder: PathBuf,
}

impl EncoderArgs {
    /// What was asked for, without its place on this machine.
    pub(crate) fn name(&self) -> String {
        files::name(&self.encoder)
    }

    /// The encoder with its model loaded.
    pub(crate) fn open(&self) -> Result<Arc<dyn Encode>> {
        self.open_on(DeviceChoice::Cpu)
    }

    /// The encoder without the language model that reads opinions and facts.
    pub(crate) fn open_alone(&self) -> Result<Arc<dyn Encode>> {
        Ok(self.parts(DeviceChoice::Cpu)?.0)
    }

    /// The same on a device.
    pub(crate) fn open_on(&self, device: DeviceChoice) -> Result<Arc<dyn Encode>> {
        self.opened(device, |encoder| encoder)
    }

    /// The same on the processor; each text is encoded once.
    pub(crate) fn remembered(&self) -> Result<Arc<dyn Encode>> {
        self.opened(DeviceChoice::Cpu, Remembering::over)
    }

    /// As the program opens it: with the language model over it, or the built-in one.
    fn opened(&self, device: DeviceChoice, with: Over) -> Result<Arc<dyn Encode>> {
        let (encoder, over) = self.parts(device)?;
        let language = Arc::new(over.map_or_else(LanguageModel::built_in, Ok)?);
        Ok(Arc::new(WithLanguage::new(with(encoder), language)))
    }

    /// The encoder, and the language model over its layers, if it carries one.
    fn parts(&self, device: DeviceChoice) -> Result<(Arc<dyn Encode>, Option<LanguageModel>)> {
        if self.encoder.as_os_str() == WORDS {
            return Ok((Arc::new(WordHashEncoder::new()), None));
        }
        let terms = Arc::new(SparseEncoder::built_in()?);
        if self.encoder.as_os_str() == SPLADE {
            return Ok((terms, None));
        }
        // some need the mean of their vectors taken away, and thresholds of their own
        let encoder = SentenceEncoder::load_on(&self.encoder, device)?.listed_as(&self.name());
        let over = LanguageModel::over(&encoder)?;
        let both = WithTerms::new(Arc::new(encoder), terms);
        Ok((Arc::new(both), over))
    }
}

/// Makes an encoder of another.
type Over = fn(Arc<dyn Encode>) -> Arc<dyn Encode>;

/// An encoder that remembers what it gave for each text, as a passage and as a question.
struct Remembering {
    inner: Arc<dyn Encode>,
    /// By text and whether it is a question.
    known: Mutex<HashMap<(String, bool), Encoded>>,
}

impl Remembering {
    fn over(inner: Arc<dyn Encode>) -> Arc<dyn Encode> {
        let known = Mutex::default();
        Arc::new(Self { inner, known })
    }

    fn found(&self, texts: &[&str], are_questions: bool) -> Result<Vec<Encoded>, EncodeError> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = |text: &&str| ((*text).to_owned(), are_questions);
        let mut found: Vec<Option<Encoded>> = {
            let known = known();
            let of = |text| known.get(&key(text)).cloned();
            texts.iter().map(of).collect()
        };
        let missing = texts.iter().zip(&found);
        let missing = missing.filter(|(_, found)| found.is_none());
        let missing: Vec<&str> = missing.map(|(text, _)| *text).collect();
        let mut fresh = match are_questions {
            true => self.inner.encode_queries_for_search(&missing)?,
            false => self.inner.encode_for_search(&missing)?,
        }
        .into_iter();
        let mut known = known();
        for (text, found) in texts.iter().zip(&mut found) {
            if found.is_none() {
                *found = fresh.next();
                if let (true, Some(encoded)) = (known.len() < TEXTS_MAX, &found) {
                    known.insert(key(text), encoded.clone());
                }
            }
        }
        Ok(found.into_iter().map(Option::unwrap_or_default).collect())
    }
}

impl Encode for Remembering {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn identity(&self) -> &EncoderIdentity {
        self.inner.identity()
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let found = self.found(texts, false)?.into_iter();
        Ok(found.map(|it| it.vector).collect())
    }

    fn encode_queries(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let found = self.found(texts, true)?.into_iter();
        Ok(found.map(|it| it.vector).collect())
    }

    fn terms(&self, texts: &[&str]) -> Result<Vec<Terms>, EncodeError> {
        let found = self.found(texts, false)?.into_iter();
        Ok(found.map(|it| it.terms).collect())
    }

    fn encode_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        self.found(texts, false)
    }

    fn encode_queries_for_search(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncodeError> {
        self.found(texts, true)
    }

    fn terms_identity(&self) -> Option<&EncoderIdentity> {
        self.inner.terms_identity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_what_the_encoder_gave() {
        let texts = ["the boat", "a parrot", "the boat"];
        let plain = WordHashEncoder::new().encode(&texts).expect("words");
        let (inner, known) = (Arc::new(WordHashEncoder::new()), Mutex::default());
        let kept = Remembering { inner, known };
        assert_eq!(kept.encode(&texts[1..]).expect("words"), plain[1..]);
        assert_eq!(kept.encode(&texts).expect("words"), plain);
        assert_eq!(kept.known.lock().expect("no panic").len(), 2);
    }
}
