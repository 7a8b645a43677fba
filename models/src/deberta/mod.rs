//! DeBERTa of versions 2 and 3 (He et al. 2021), candle-transformers' network: the encoder of
//! extractors and of natural-language inference.

mod config;

use candle_core::{Device, Result, Tensor};
use candle_transformers::models::debertav2::DebertaV2Model;

use crate::checkpoint::{LoadError, SharedTensors, TensorFile};
pub(crate) use config::{Encoder, SIZE_MAX, refuse};

/// The weights of a DeBERTa, in f32, on one device.
///
/// The library projects the whole table of positions in every layer for every text: for a text of
/// 64 tokens that is eight times the rows of the text. Short texts have networks with a table as
/// short as they are; all networks share the weights.
pub(crate) struct Deberta {
    /// Each with the most tokens that it reads, in ascending order.
    networks: Vec<(usize, DebertaV2Model)>,
    device: Device,
    bytes: usize,
}

impl Deberta {
    /// Loads a network that reads texts of up to `tokens_max` tokens. The names of its tensors
    /// begin with `root`; it knows `words` different tokens.
    pub(crate) fn new(
        config: &Encoder,
        file: &TensorFile,
        root: &str,
        words: usize,
        tokens_max: usize,
    ) -> std::result::Result<Self, LoadError> {
        let tensors = SharedTensors::new(file);
        let (span, size) = (config.span(), config.hidden_size);
        let name = format!("{root}.encoder.rel_embeddings.weight");
        let table = tensors.take(&name, &[2 * span, size])?;
        let mut networks = Vec::new();
        for part in [4, 2, 1] {
            let short = config.exact_distances().div_ceil(part);
            let near = table.narrow(0, span - short, 2 * short);
            tensors.replace(&name, file.made(near)?);
            let config = config.for_candle(words, short, None);
            let network = tensors.build(root, |tensors| DebertaV2Model::load(tensors, &config));
            networks.push((short, network?));
        }
        tensors.replace(&name, table);
        let config = config.for_candle(words, tokens_max, Some(config.positions()));
        let network = tensors.build(root, |tensors| DebertaV2Model::load(tensors, &config));
        networks.push((tokens_max, network?));
        Ok(Self {
            networks,
            device: file.device().clone(),
            bytes: tensors.bytes(),
        })
    }

    /// The last layer for a text of at least one token, `[tokens, hidden]`. O(tokens^2).
    pub(crate) fn forward(&self, ids: &[u32]) -> Result<Tensor> {
        let fits = |(tokens, _): &&(usize, DebertaV2Model)| ids.len() <= *tokens;
        let Some((_, network)) = self.networks.iter().find(fits) else {
            candle_core::bail!("{} tokens are more than it reads", ids.len());
        };
        let ids = Tensor::new(ids, &self.device)?.unsqueeze(0)?;
        network.forward(&ids, None, None)?.squeeze(0)
    }

    /// Bytes of all weights.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl std::fmt::Debug for Deberta {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let tokens = self.networks.iter().map(|(tokens, _)| *tokens).max();
        out.debug_struct("Deberta")
            .field("tokens", &tokens)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_short_table_of_positions_gives_what_the_whole_one_does() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/golden/tiny-nli");
        let settings = std::fs::read(folder.join("config.json")).expect("settings");
        let config: Encoder = serde_json::from_slice(&settings).expect("settings");
        let file = TensorFile::find(&folder, &Device::Cpu).expect("weights");
        let words = file.shape("deberta.embeddings.word_embeddings.weight");
        let words = words.expect("an embedding")[0];
        let model = Deberta::new(&config, &file, "deberta", words, 64).expect("a DeBERTa");
        let ((_, whole), short) = model.networks.split_last().expect("networks");
        for (tokens, short) in short {
            let ids = Tensor::arange(0, *tokens as u32, &Device::Cpu).and_then(|x| x.unsqueeze(0));
            let ids = ids.expect("ids");
            let read = |network: &DebertaV2Model| network.forward(&ids, None, None);
            let (a, b) = (read(short).expect("rows"), read(whole).expect("rows"));
            let off = (a - b).and_then(|x| x.abs()?.max_all()?.to_scalar::<f32>());
            let off = off.expect("a difference");
            assert!(off < 1e-6, "{tokens} tokens are off by {off:e}");
        }
        let lengths: Vec<usize> = short.iter().map(|(tokens, _)| *tokens).collect();
        assert_eq!(lengths, [2, 3, 5]);
    }
}
