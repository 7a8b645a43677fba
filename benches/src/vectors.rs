//! A cache of vectors, so that many methods can process the same stream.
//!
//! With a folder it is stored in a file, so that a measurement can be repeated in seconds. The file
//! belongs to one encoder: its name contains the encoder's digest. It may be deleted at any time.
//! At most [`TEXTS_MAX`] texts are cached; further ones are encoded each time.

use anyhow::{Context, Result};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use weir_models::{Encode, EncodeError, EncoderIdentity};

/// Dot product: the cosine of two unit-length vectors.
pub(crate) fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Most cached texts: with 384 dimensions about a gigabyte.
const TEXTS_MAX: usize = 500_000;

/// Longer texts are not stored in the file.
const TEXT_BYTES_MAX: usize = 1 << 20;

/// An encoder that encodes each text once.
pub(crate) struct Remembering {
    inner: Arc<dyn Encode>,
    state: Mutex<State>,
}

struct State {
    known: HashMap<String, Vec<f32>>,
    file: Option<BufWriter<File>>,
}

impl Remembering {
    /// A cache in memory only.
    pub(crate) fn in_memory(inner: Arc<dyn Encode>) -> Self {
        let state = Mutex::new(State {
            known: HashMap::new(),
            file: None,
        });
        Self { inner, state }
    }

    /// Loads the cache of `folder`, creating the folder if needed.
    pub(crate) fn new(inner: Arc<dyn Encode>, folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{} cannot be made", folder.display()))?;
        let digest: String = inner.identity().digest.chars().take(16).collect();
        let path = folder.join(format!("{}-{digest}.vectors", inner.identity().name));
        let (known, whole_bytes) = match File::open(&path) {
            Ok(file) => read(BufReader::new(file), inner.dimension()),
            Err(_) => (HashMap::new(), 0),
        };
        let unwritable = || format!("{} cannot be written", path.display());
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let file = file.with_context(unwritable)?;
        // an incomplete record of a killed run would shift all later ones
        file.set_len(whole_bytes).with_context(unwritable)?;
        let state = Mutex::new(State {
            known,
            file: Some(BufWriter::new(file)),
        });
        Ok(Self { inner, state })
    }
}

/// The complete records at the start of the file, and their size in bytes.
fn read(mut file: impl Read, dimension: usize) -> (HashMap<String, Vec<f32>>, u64) {
    let (mut known, mut whole_bytes) = (HashMap::new(), 0);
    let mut length = [0; 4];
    while known.len() < TEXTS_MAX && file.read_exact(&mut length).is_ok() {
        let text_bytes = u32::from_le_bytes(length) as usize;
        if text_bytes > TEXT_BYTES_MAX {
            break;
        }
        let mut text = vec![0; text_bytes];
        let mut bytes = vec![0; dimension * 4];
        if file.read_exact(&mut text).is_err() || file.read_exact(&mut bytes).is_err() {
            break;
        }
        let Ok(text) = String::from_utf8(text) else {
            break;
        };
        whole_bytes += (4 + text_bytes + bytes.len()) as u64;
        let floats = bytes.as_chunks::<4>().0.iter();
        known.insert(text, floats.map(|b| f32::from_le_bytes(*b)).collect());
    }
    (known, whole_bytes)
}

fn write(file: &mut impl Write, text: &str, vector: &[f32]) -> std::io::Result<()> {
    if text.len() > TEXT_BYTES_MAX {
        return Ok(());
    }
    let mut record = (text.len() as u32).to_le_bytes().to_vec();
    record.extend(text.as_bytes());
    record.extend(vector.iter().flat_map(|x| x.to_le_bytes()));
    file.write_all(&record)
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
                // if the file cannot be written, only the next run is slower
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
        // as after a kill: the last record is incomplete
        let file = std::fs::read_dir(folder.path()).expect("a folder").next();
        let file = file.expect("a file").expect("its entry").path();
        let bytes = std::fs::read(&file).expect("records");
        std::fs::write(&file, &bytes[..bytes.len() - 7]).expect("written");
        for _ in 0..2 {
            let kept = Remembering::new(Arc::new(WordHashEncoder::new()), folder.path());
            assert_eq!(kept.expect("a file").encode(&texts).expect("words"), plain);
        }
        let memory = Remembering::in_memory(Arc::new(WordHashEncoder::new()));
        assert_eq!(memory.encode(&texts).expect("words"), plain);
        assert_eq!(memory.encode(&texts).expect("words"), plain);
    }
}
