//! The built-in encoder's embeddings below layers of another file: what heads of tokens read.

use std::sync::Arc;

use super::built_in;
use super::cpu::CpuBert;
use super::layout::Body;
use super::network::{self, shared};
use super::reader::{Reader, Text, Words};
use super::shelf::{Linear, Shelf};
use super::usual_threads;
use crate::checkpoint::{LoadError, Weights};
use crate::encode::EncodeError;
use crate::kernel::{Activation, View};

/// Layers over the word table of the built-in sparse encoder.
pub(crate) struct Trunk {
    body: Body,
    reader: Reader,
    network: CpuBert,
    layers: Arc<Weights>,
}

/// A linear layer whose output is a chance for each label.
pub(crate) struct Head {
    linear: Linear,
    size: usize,
    labels: usize,
}

impl Trunk {
    /// Reads the layers of `layers`, whose shapes are those of the built-in encoder.
    pub(crate) fn load(layers: Weights) -> Result<Self, LoadError> {
        let body = built_in::body()?;
        let reader = Reader::of(built_in::tokenizer()?, &body)?;
        let base = Arc::new(built_in::weights()?.under("bert.", network::PROBE));
        let layers = Arc::new(layers);
        let [base, own] = [&base, &layers].map(|weights| Shelf {
            weights,
            config: &body.config,
        });
        let network = CpuBert::with_layers(&base, &own)?;
        Ok(Self {
            body,
            reader,
            network,
            layers,
        })
    }

    /// The head `name`, which reads `inputs` vectors of the size of a token's.
    pub(crate) fn head(&self, name: &str, inputs: usize, labels: usize) -> Result<Head, LoadError> {
        let shelf = Shelf {
            weights: &self.layers,
            config: &self.body.config,
        };
        let size = inputs * self.body.config.hidden_size;
        let linear = shelf.linear(name, (size, labels))?;
        Ok(Head {
            linear,
            size,
            labels,
        })
    }

    /// The result of `each` on the words and the last layer of each pair of texts. The words are
    /// those of the first text.
    pub(crate) fn run<T: Send>(
        &self,
        pairs: &[(&str, Option<&str>)],
        each: impl Fn(&Words, &[f32]) -> T + Sync,
    ) -> Result<Vec<T>, EncodeError> {
        let read = self.reader.read_words(pairs)?;
        let (texts, words): (Vec<Text>, Vec<Words>) = read.into_iter().unzip();
        let last = shared(&texts, usual_threads(), |texts| {
            self.network.run(texts, <[f32]>::to_vec)
        });
        Ok(words
            .iter()
            .zip(&last)
            .map(|(words, last)| each(words, last))
            .collect())
    }

    /// The numbers of a token.
    pub(crate) fn size(&self) -> usize {
        self.body.config.hidden_size
    }
}

impl Head {
    /// The chances of the labels for each row of `x`.
    pub(crate) fn chances(&self, x: &[f32]) -> Vec<f32> {
        let mut made = vec![0.0; x.len() / self.size * self.labels];
        let x = View::dense(x, self.size);
        self.linear
            .run(x, Activation::None, &mut made, &mut Vec::new());
        for row in made.chunks_exact_mut(self.labels) {
            let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            row.iter_mut().for_each(|x| *x = (*x - most).exp());
            let all: f32 = row.iter().sum();
            row.iter_mut().for_each(|x| *x /= all);
        }
        made
    }
}
