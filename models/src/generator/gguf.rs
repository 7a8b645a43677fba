//! GGUF files: entries, tensors, and the decoder they describe.

use std::cell::RefCell;
use std::fmt::Display;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use candle_core::quantized::QTensor;
use candle_core::quantized::gguf_file::{Content, Value};
use candle_core::{Device, Tensor};

use super::config::{Config, Family, Rotation};
use super::source::{Matrix, Source};
use crate::LoadError;
use crate::checkpoint::{first_line, open_gguf};

/// Prefix of the names of entries and tensors.
pub(super) struct Gguf {
    path: PathBuf,
    content: Content,
    file: RefCell<BufReader<File>>,
}

impl Gguf {
    /// Reads the entries of `path`; tensors are read later.
    pub(super) fn open(path: &Path) -> Result<Self, LoadError> {
        let (content, file) = open_gguf(path)?;
        Ok(Self {
            path: path.to_owned(),
            content,
            file: RefCell::new(file),
        })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The entry `key`, if it exists.
    pub(super) fn entry(&self, key: &str) -> Option<&Value> {
        self.content.metadata.get(key)
    }

    /// The text of an entry, if it exists.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.entry(key)?.to_string().ok().map(String::as_str)
    }

    /// A whole number, if the entry exists and is one.
    pub(super) fn number(&self, key: &str) -> Option<u64> {
        match self.entry(key)? {
            Value::I32(x) => u64::try_from(*x).ok(),
            Value::I64(x) => u64::try_from(*x).ok(),
            value => value.to_u64().ok(),
        }
    }

    /// A required whole number, from 1 to `most`.
    fn size(&self, key: &str, most: u64) -> Result<usize, LoadError> {
        match self.number(key) {
            Some(number) if (1..=most).contains(&number) => Ok(number as usize),
            Some(number) => Err(self.wrong_entry(key, number, &format!("1 to {most}"))),
            None => Err(self.wrong_entry(key, "missing", "a whole number")),
        }
    }

    fn float(&self, key: &str) -> Option<f64> {
        match self.entry(key)? {
            Value::F32(x) => Some(f64::from(*x)),
            value => value.to_f64().ok(),
        }
    }

    /// An error about an entry.
    pub(super) fn wrong_entry(&self, key: &str, found: impl Display, expected: &str) -> LoadError {
        LoadError::GgufEntry {
            file: self.path.clone(),
            key: key.to_owned(),
            found: found.to_string(),
            expected: expected.to_owned(),
        }
    }

    fn wrong_tensor(&self, name: &str, found: impl Display, expected: impl Display) -> LoadError {
        LoadError::GgufTensor {
            file: self.path.clone(),
            name: name.to_owned(),
            found: found.to_string(),
            expected: expected.to_string(),
        }
    }

    /// The settings of the decoder.
    pub(super) fn config(&self) -> Result<Config, LoadError> {
        const KEY: &str = "general.architecture";
        let name = self.text(KEY).unwrap_or("missing");
        let family =
            Family::from_name(name).ok_or_else(|| self.wrong_entry(KEY, name, Family::NAMES))?;
        let key = |rest: &str| format!("{name}.{rest}");
        let size = |rest: &str, most| self.size(&key(rest), most);
        let (width, heads) = (
            size("embedding_length", 1 << 16)?,
            size("attention.head_count", 1 << 10)?,
        );
        let kv_heads = match self.entry(&key("attention.head_count_kv")) {
            Some(_) => size("attention.head_count_kv", heads as u64)?,
            None => heads,
        };
        let head_width = match self.entry(&key("attention.key_length")) {
            Some(_) => size("attention.key_length", 1 << 10)?,
            None => width / heads,
        };
        if !heads.is_multiple_of(kv_heads) || !head_width.is_multiple_of(2) {
            let expected = "a divisor of the number of heads, each of an even width";
            let found = format!("{kv_heads} ({heads} heads of {head_width})");
            return Err(self.wrong_entry(&key("attention.head_count_kv"), found, expected));
        }
        let shape = self.shape("token_embd.weight");
        let vocabulary = match shape.as_deref() {
            Some([rows, columns]) if *columns == width && (1..=1 << 24).contains(rows) => *rows,
            found => {
                let found = found.map_or("missing".to_owned(), |shape| format!("{shape:?}"));
                let expected = format!("[1 to 16777216, {width}]");
                return Err(self.wrong_tensor("token_embd.weight", found, expected));
            }
        };
        let epsilon = key("attention.layer_norm_rms_epsilon");
        let norm_epsilon = self
            .float(&epsilon)
            .ok_or_else(|| self.wrong_entry(&epsilon, "missing", "a number"))?;
        Ok(Config {
            family,
            layers: size("block_count", 1 << 10)?,
            width,
            heads,
            kv_heads,
            head_width,
            inner_width: size("feed_forward_length", 1 << 20)?,
            vocabulary,
            context_tokens: size("context_length", 1 << 24)?,
            norm_epsilon: norm_epsilon as f32,
            rotation: self.rotation(name, family, head_width)?,
        })
    }

    fn rotation(
        &self,
        name: &str,
        family: Family,
        head_width: usize,
    ) -> Result<Rotation, LoadError> {
        let turned = format!("{name}.rope.dimension_count");
        if let Some(found) = self.number(&turned)
            && found != head_width as u64
        {
            return Err(self.wrong_entry(&turned, found, &head_width.to_string()));
        }
        let scaling = format!("{name}.rope.scaling.type");
        let factor = match self.text(&scaling) {
            None | Some("none") => 1.0,
            Some("linear") => {
                let key = format!("{name}.rope.scaling.factor");
                let factor = self.float(&key).filter(|factor| *factor >= 1.0);
                factor.ok_or_else(|| self.wrong_entry(&key, "missing", "a number from 1"))?
            }
            Some(other) => return Err(self.wrong_entry(&scaling, other, "none or linear")),
        };
        let base = self.float(&format!("{name}.rope.freq_base"));
        let base = base.unwrap_or(10_000.0);
        let mut rotation = Rotation::new(base, head_width, family == Family::Llama);
        const FACTORS: &str = "rope_freqs.weight";
        let factors = match self.has(FACTORS) {
            true => self.floats(FACTORS, head_width / 2)?,
            false => Vec::new(),
        };
        for (at, share) in rotation.shares.iter_mut().enumerate() {
            *share /= factors.get(at).copied().unwrap_or(1.0) * factor as f32;
        }
        Ok(rotation)
    }

    /// Rows first, as everywhere in this crate.
    fn shape(&self, name: &str) -> Option<Vec<usize>> {
        let info = self.content.tensor_infos.get(name)?;
        Some(info.shape.dims().to_vec())
    }

    /// Refuses a tensor of another shape.
    fn check(&self, name: &str, shape: &[usize]) -> Result<(), LoadError> {
        let expected = || format!("{shape:?}");
        let Some(info) = self.content.tensor_infos.get(name) else {
            return Err(self.wrong_tensor(name, "missing", expected()));
        };
        if info.shape.dims() != shape {
            let found = format!("{:?}", info.shape.dims());
            return Err(self.wrong_tensor(name, found, expected()));
        }
        let columns = shape.last().copied().unwrap_or(0);
        let block = info.ggml_dtype.block_size();
        if !columns.is_multiple_of(block) {
            let found = format!("{:?} of {columns} columns", info.ggml_dtype);
            return Err(self.wrong_tensor(name, found, format!("a multiple of {block}")));
        }
        Ok(())
    }

    fn tensor(&self, name: &str, device: &Device) -> Result<QTensor, LoadError> {
        let mut file = self.file.borrow_mut();
        let tensor = self.content.tensor(&mut *file, name, device);
        tensor.map_err(|error| self.unusable(&error))
    }

    /// The values of a vector. Products of blocks take a value that is no number for zero, so that
    /// it has to be found here.
    fn floats(&self, name: &str, len: usize) -> Result<Vec<f32>, LoadError> {
        self.check(name, &[len])?;
        let tensor = self.tensor(name, &Device::Cpu)?;
        let floats = tensor.dequantize(&Device::Cpu).and_then(|t| t.to_vec1());
        let floats: Vec<f32> = floats.map_err(|error| self.unusable(&error))?;
        match floats.iter().find(|value| !value.is_finite()) {
            Some(value) => Err(self.wrong_tensor(name, value, "finite numbers")),
            None => Ok(floats),
        }
    }

    fn unusable(&self, error: &candle_core::Error) -> LoadError {
        LoadError::NotGguf {
            file: self.path.clone(),
            reason: first_line(error),
        }
    }
}

impl Source for Gguf {
    fn has(&self, name: &str) -> bool {
        self.content.tensor_infos.contains_key(name)
    }

    fn matrix(
        &self,
        name: &str,
        rows: usize,
        columns: usize,
        device: &Device,
    ) -> Result<Matrix, LoadError> {
        self.check(name, &[rows, columns])?;
        let matrix = Matrix::blocks(self.tensor(name, device)?);
        matrix.map_err(|error| self.unusable(&error))
    }

    fn vector(&self, name: &str, len: usize, device: &Device) -> Result<Tensor, LoadError> {
        let tensor = Tensor::new(self.floats(name, len)?, device);
        tensor.map_err(|error| self.unusable(&error))
    }
}
