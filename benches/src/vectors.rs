//! Vectors of texts met before, kept in a file, so that a measurement can be repeated in seconds.
//!
//! The file belongs to one encoder: its name holds the encoder's digest. It grows with the corpora
//! measured and may be deleted at any time.

use anyhow::{Context, Result};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use weir_models::{Encode, EncodeError, EncoderIdentity};

/// An encoder that reads each text once.
pub(crate) struct Remembering<E> {
    inner: E,
    state: Mutex<State>,
}

struct State {
    known: HashMap<String, Vec<f32>>,
    file: BufWriter<File>,
}

impl<E: Encode> Remembering<E> {
    /// Reads what is known from `folder`, which is made where it is not there.
    pub(crate) fn new(inner: E, folder: &Path) -> Result<Self> {
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
            file: BufWriter::new(file),
        });
        Ok(Self { inner, state })
    }
}

/// Whole records up to the first that is not.
fn read(mut file: impl Read, dimension: usize) -> HashMap<String, Vec<f32>> {
    let mut known = HashMap::new();
    let mut length = [0; 4];
    while file.read_exact(&mut length).is_ok() {
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

impl<E: Encode> Encode for Remembering<E> {
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
        for (text, vector) in missing.into_iter().zip(fresh) {
            // a file that cannot be written costs time at the next run, nothing else
            let _ = write(&mut state.file, text, &vector);
            state.known.insert(text.to_owned(), vector);
        }
        Ok(texts
            .iter()
            .map(|text| state.known[*text].clone())
            .collect())
    }
}
