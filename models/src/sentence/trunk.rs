//! An encoder's embeddings, and its first layers, below layers of another file: what heads of
//! tokens read.

use std::sync::Arc;

use super::config::Config;
use super::cpu::CpuBert;
use super::network::{self, Network, shared};
use super::reader::{Reader, Text, Words};
use super::shelf::{Linear, Shelf};
use super::{MINILM_SHA256, SentenceEncoder, built_in, usual_threads};
use crate::checkpoint::{LoadError, Weights};
use crate::encode::EncodeError;
use crate::kernel::{Activation, View};

/// Stacks of layers over the word table of the built-in sparse encoder, or over all-MiniLM-L6-v2:
/// what is below them is computed once.
pub(crate) struct Trunk {
    reader: Reader,
    base: CpuBert,
    stacks: Vec<Stack>,
    size: usize,
}

struct Stack {
    network: CpuBert,
    config: Arc<Config>,
    weights: Arc<Weights>,
}

/// A linear layer whose output is a chance for each label.
pub(crate) struct Head {
    linear: Linear,
    size: usize,
    labels: usize,
}

impl Trunk {
    /// Reads stacks, whose shapes are those of the built-in encoder.
    pub(crate) fn load(stacks: Vec<Weights>) -> Result<Self, LoadError> {
        let weights = Arc::new(built_in::weights()?.under("bert.", network::PROBE));
        let config = built_in::body()?.config;
        let base = Shelf {
            weights: &weights,
            config: &config,
        };
        Self::on(&CpuBert::new(&base)?, 0, &config, stacks)
    }

    /// The same over the first `lent` layers of all-MiniLM-L6-v2, whose vocabulary is that of the
    /// built-in encoder. `None` over another encoder, or over one that is not on the CPU.
    pub(crate) fn over(
        encoder: &SentenceEncoder,
        lent: usize,
        stacks: impl FnOnce() -> Result<Vec<Weights>, LoadError>,
    ) -> Result<Option<Self>, LoadError> {
        match &encoder.network {
            Network::Cpu(base) if encoder.weights_sha256 == MINILM_SHA256 => {
                Self::on(base, lent, &encoder.config, stacks()?).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn on(
        base: &CpuBert,
        lent: usize,
        config: &Arc<Config>,
        stacks: Vec<Weights>,
    ) -> Result<Self, LoadError> {
        let stacks = stacks.into_iter().map(|weights| {
            let weights = Arc::new(weights);
            let own = Shelf {
                weights: &weights,
                config,
            };
            Ok(Stack {
                network: base.further(lent, &own)?,
                config: Arc::clone(config),
                weights,
            })
        });
        Ok(Self {
            reader: Reader::of(built_in::tokenizer()?, &built_in::body()?)?,
            base: base.first(lent),
            stacks: stacks.collect::<Result<_, LoadError>>()?,
            size: config.hidden_size,
        })
    }

    /// The head `name` of a stack, which reads `inputs` vectors of the size of a token's.
    pub(crate) fn head(
        &self,
        stack: usize,
        name: &str,
        inputs: usize,
        labels: usize,
    ) -> Result<Head, LoadError> {
        self.head_of(stack, name, inputs * self.size, labels)
    }

    /// The same for vectors of another size.
    pub(crate) fn head_of(
        &self,
        stack: usize,
        name: &str,
        size: usize,
        labels: usize,
    ) -> Result<Head, LoadError> {
        let stack = &self.stacks[stack];
        let shelf = Shelf {
            weights: &stack.weights,
            config: &stack.config,
        };
        let linear = shelf.linear(name, (size, labels))?;
        Ok(Head {
            linear,
            size,
            labels,
        })
    }

    /// The result of `each` on the first text of each pair, its words and the last layers, one of
    /// each stack.
    pub(crate) fn run<T: Send>(
        &self,
        pairs: &[(&str, Option<&str>)],
        each: impl Fn(&str, &Words, &[Vec<f32>]) -> T + Sync,
    ) -> Result<Vec<T>, EncodeError> {
        let read = self.reader.read_words(pairs)?;
        let (texts, words): (Vec<Text>, Vec<Words>) = read.into_iter().unzip();
        let last = shared(&texts, usual_threads(), |texts| self.last_layers(texts));
        let read = pairs.iter().zip(words.iter().zip(&last));
        let made = read.map(|((text, _), (words, last))| each(text, words, last));
        Ok(made.collect())
    }

    /// The last layer of each stack, for each text.
    fn last_layers(&self, texts: &[Text]) -> Vec<Vec<Vec<f32>>> {
        let below = self.base.run(texts, <[f32]>::to_vec).concat();
        let mut all = vec![Vec::new(); texts.len()];
        for stack in &self.stacks {
            let begin = |x: &mut [f32]| x.copy_from_slice(&below);
            let last = stack.network.run_over(texts, begin, <[f32]>::to_vec);
            all.iter_mut()
                .zip(last)
                .for_each(|(all, last)| all.push(last));
        }
        all
    }

    /// The numbers of a token.
    pub(crate) fn size(&self) -> usize {
        self.size
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
