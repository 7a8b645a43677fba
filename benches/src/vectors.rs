//! Vectors of texts met before, so that many methods can read the same talk.
//!
//! They are kept in a file where a folder is given, so that a measurement can be repeated in
//! seconds. The file belongs to one encoder: its name holds the encoder's digest. It may be deleted
//! at any time. At most [`TEXTS_MAX`] texts are remembered; what comes after is encoded each time.

use anyhow::{Context, Result};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use weir_models::{Encode, EncodeError, EncoderIdentity};

/// Texts that are remembered: with 384 dimensions about a gigabyte.
const TEXTS_MAX: usize = 500_000;

/// An encoder that reads each text once.
pub(crate) struct Remembering {
    inner: Arc<dyn Encode>,
    state: Mutex<State>,
}

struct State {
    known: HashMap<String, Vec<f32>>,
    file: Option<BufWriter<File>>,
}

impl Remembering {
    /// Remembers for as long as it lives.
    pub(crate) fn in_memory(inner: Arc<dyn Encode>) -> Self {
        let state = Mutex::new(State {
            known: HashMap::new(),
            file: None,
        });
        Self { inner, state }
    }

    /// Reads what is known from `folder`, which is made where it is not there.
    pub(crate) fn new(inner: Arc<dyn Encode>, folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        let digest: String = inner.identity().digest.chars().take(16).collect();
        let path = folder.join(format!("{}-{digest}.vectors", inner.identity().name));
        let known = match File::open(&path) {
            Ok(file) => read(BufReader::new(file), inner.dimension()),
            Err(_) => HashMap::new(),
        };
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.with_context(|| format!("{} cannot be written", path.display()))?;
        let state = Mutex::new(State {
            known,
            file: Some(BufWriter::new(file)),
        });
        Ok(Self { inner, state })
    }
}

/// Whole records up to the first that is not.
fn read(mut file: impl Read, dimension: usize) -> HashMap<String, Vec<f32>> {
    let mut known = HashMap::new();
    let mut length = [0; 4];
    while known.len() < TEXTS_MAX && file.read_exact(&mut length).is_ok() {
        let mut text = vec![0; u32::from_le_bytes(length) as usize];
        let mut bytes = vec![0; dimension * 4];
        if file.read_exact(&mut text).is_err() || file.read_exact(&mut bytes).is_err() {
            break;
        }
        let Ok(text) = String::from_utf8(text) else {
            break;
        };
        let floats = bytes.as_chunks::<4>().0.iter();
        known.insert(text, floats.map(|b| f32::from_le_bytes(*b)).collect());
    }
    known
}

fn write(file: &mut impl Write, text: &str, vector: &[f32]) -> std::io::Result<()> {
    file.write_all(&(text.len() as u32).to_le_bytes())?;
    file.write_all(text.as_bytes())?;
    vector
        .iter()
        .try_for_each(|x| file.write_all(&x.to_le_bytes()))
}

impl Encode for Remembering {
    fn dimension(&self) -> usize {
        self.inner.dimension()
    }

    fn identity(&self) -> &EncoderIdentity {
        self.inner.identity()
    }

    fn encode(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        let missing: Vec<&str> = {
            let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let new = texts
                .iter()
                .filter(|text| !state.known.contains_key(**text));
            new.copied().collect()
        };
        let fresh = self.inner.encode(&missing)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State { known, file } = &mut *state;
        let mut new: HashMap<&str, Vec<f32>> = HashMap::new();
        for (text, vector) in missing.into_iter().zip(fresh) {
            if known.len() < TEXTS_MAX {
                // a file that cannot be written costs time at the next run, nothing else
                let _ = file.as_mut().map(|file| write(file, text, &vector));
                known.insert(text.to_owned(), vector);
            } else {
                new.insert(text, vector);
            }
        }
        let vectors = texts.iter();
        let vectors = vectors.map(|text| known.get(*text).or_else(|| new.get(text)).cloned());
        Ok(vectors.map(Option::unwrap_or_default).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_models::WordHashEncoder;

    #[test]
    fn what_is_remembered_is_what_the_encoder_gave() {
        let folder = tempfile::tempdir().expect("a folder");
        let texts = ["the boat", "a parrot", "the boat"];
        let plain = WordHashEncoder::new().encode(&texts).expect("words");
        for _ in 0..2 {
            let kept =
                Remembering::new(Arc::new(WordHashEncoder::new()), folder.path()).expect("a file");
            assert_eq!(kept.encode(&texts[1..]).expect("words"), plain[1..]);
            assert_eq!(kept.encode(&texts).expect("words"), plain);
        }
        let memory = Remembering::in_memory(Arc::new(WordHashEncoder::new()));
        assert_eq!(memory.encode(&texts).expect("words"), plain);
        assert_eq!(memory.encode(&texts).expect("words"), plain);
    }
}
