//! BERT's encoder on a GPU through candle; the same arithmetic as on the CPU.
//!
//! Tokens of all texts are in one matrix `[tokens, size]`, text after text, so the linear layers
//! see one large product and no padding; attention handles one text at a time.

use candle_core::{D, Device, Result, Tensor};
use candle_nn::ops::{layer_norm, softmax_last_dim};

use super::config::Config;
use super::reader::Text;
use super::shelf::Shelf;
use crate::checkpoint::LoadError;
use crate::kernel::Activation;

type Loaded<T> = std::result::Result<T, LoadError>;

/// The weights of a BERT, in f32, on a device.
pub(super) struct DeviceBert {
    /// Embeddings of words, positions and token types.
    tables: [Tensor; 3],
    first_position: usize,
    norm: Norm,
    layers: Vec<Layer>,
    heads: usize,
    activation: Activation,
    bytes: usize,
    device: Device,
}

struct Layer {
    /// Query, key and value projections concatenated: one product instead of three.
    qkv: Linear,
    attended: Linear,
    attended_norm: Norm,
    up: Linear,
    down: Linear,
    down_norm: Norm,
}

/// A linear layer with its weight already transposed: `[in, out]`.
struct Linear {
    weight: Tensor,
    bias: Tensor,
}

impl Linear {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        x.matmul(&self.weight)?.broadcast_add(&self.bias)
    }
}

struct Norm {
    scale: Tensor,
    shift: Tensor,
    eps: f32,
}

impl Norm {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        layer_norm(x, &self.scale, &self.shift, self.eps)
    }
}

impl DeviceBert {
    /// Loads the weights of a network of this size to `device`.
    pub(super) fn new(shelf: &Shelf<'_>, device: &Device) -> Loaded<Self> {
        let config = shelf.config;
        let onto = Onto { shelf, device };
        let table = |name: &str, rows| {
            let name = format!("embeddings.{name}_embeddings.weight");
            onto.tensor(&name, &[rows, config.hidden_size])
        };
        let tables = [
            table("word", config.vocab_size)?,
            table("position", config.max_position_embeddings)?,
            table("token_type", config.type_vocab_size)?,
        ];
        let layers = (0..config.num_hidden_layers).map(|index| Layer::new(&onto, index));
        let layers = layers.collect::<Loaded<Vec<_>>>()?;
        let floats = tables.iter().map(Tensor::elem_count).sum::<usize>()
            + layers.iter().map(Layer::floats).sum::<usize>();
        Ok(Self {
            tables,
            first_position: config.first_position(),
            norm: onto.norm("embeddings.LayerNorm")?,
            layers,
            heads: config.num_attention_heads,
            activation: config.activation(),
            bytes: floats * size_of::<f32>(),
            device: device.clone(),
        })
    }

    /// Device memory of the weights.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// The result of `each` on the last layer of each text, `[tokens, size]`.
    pub(super) fn run<T>(&self, texts: &[Text], each: impl Fn(&[f32]) -> T) -> Result<Vec<T>> {
        let lengths: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
        let mut x = self.norm.forward(&self.embed(texts)?)?;
        for layer in &self.layers {
            x = layer.forward(&x, &lengths, self.heads, self.activation)?;
        }
        let size = x.dims()[1];
        let values = x.flatten_all()?.to_vec1::<f32>()?;
        let own = |(start, length)| each(&values[start * size..(start + length) * size]);
        Ok(spans(&lengths).map(own).collect())
    }

    fn embed(&self, texts: &[Text]) -> Result<Tensor> {
        let first = self.first_position as u32;
        let ids: Vec<u32> = texts.iter().flat_map(|text| text.ids.clone()).collect();
        let kinds: Vec<u32> = texts
            .iter()
            .flat_map(|text| text.segments.clone())
            .collect();
        let places = |text: &Text| (first..).take(text.ids.len());
        let places: Vec<u32> = texts.iter().flat_map(places).collect();
        let [words, positions, segments] = &self.tables;
        let rows = |table: &Tensor, numbers: Vec<u32>| {
            table.index_select(&Tensor::new(numbers, &self.device)?, 0)
        };
        rows(words, ids)? + rows(segments, kinds)? + rows(positions, places)?
    }
}

impl Layer {
    fn new(onto: &Onto<'_>, index: usize) -> Loaded<Self> {
        let Config {
            hidden_size: size,
            intermediate_size: wide,
            ..
        } = *onto.shelf.config;
        let at = |part: &str| format!("encoder.layer.{index}.{part}");
        let projection = |part: &str| onto.linear(&at(part), size, size);
        let parts = [
            projection("attention.self.query")?,
            projection("attention.self.key")?,
            projection("attention.self.value")?,
        ];
        let weight = Tensor::cat(&parts.each_ref().map(|part| &part.weight), 1);
        let bias = Tensor::cat(&parts.each_ref().map(|part| &part.bias), 0);
        Ok(Self {
            qkv: Linear {
                weight: onto.made(weight)?,
                bias: onto.made(bias)?,
            },
            attended: onto.linear(&at("attention.output.dense"), size, size)?,
            attended_norm: onto.norm(&at("attention.output.LayerNorm"))?,
            up: onto.linear(&at("intermediate.dense"), size, wide)?,
            down: onto.linear(&at("output.dense"), wide, size)?,
            down_norm: onto.norm(&at("output.LayerNorm"))?,
        })
    }

    fn floats(&self) -> usize {
        let linear = [&self.qkv, &self.attended, &self.up, &self.down];
        linear.iter().map(|linear| linear.weight.elem_count()).sum()
    }

    fn forward(
        &self,
        x: &Tensor,
        lengths: &[usize],
        heads: usize,
        activation: Activation,
    ) -> Result<Tensor> {
        let qkv = self.qkv.forward(x)?;
        let attended: Vec<Tensor> = spans(lengths)
            .map(|(start, length)| attend(&qkv.narrow(0, start, length)?, heads))
            .collect::<Result<_>>()?;
        let attended = self.attended.forward(&Tensor::cat(&attended, 0)?)?;
        let x = self.attended_norm.forward(&(attended + x)?)?;
        let wide = self.up.forward(&x)?;
        let wide = match activation {
            Activation::None => wide,
            Activation::Gelu => wide.gelu_erf()?,
            Activation::GeluTanh => wide.gelu()?,
            Activation::Relu => wide.relu()?,
            Activation::Tanh => wide.tanh()?,
        };
        self.down_norm.forward(&(self.down.forward(&wide)? + x)?)
    }
}

/// Scaled dot-product attention within one text: `[tokens, 3 * size]` to `[tokens, size]`.
fn attend(qkv: &Tensor, heads: usize) -> Result<Tensor> {
    let (tokens, width) = qkv.dims2()?;
    let head = width / 3 / heads;
    // [3, heads, tokens, head]
    let parts = qkv
        .reshape((tokens, 3, heads, head))?
        .permute((1, 2, 0, 3))?
        .contiguous()?;
    let query = (parts.get(0)? * (1.0 / (head as f64).sqrt()))?;
    let keys = parts
        .get(1)?
        .transpose(D::Minus1, D::Minus2)?
        .contiguous()?;
    let scores = query.matmul(&keys)?;
    let mixed = softmax_last_dim(&scores)?.matmul(&parts.get(2)?)?;
    mixed.transpose(0, 1)?.reshape((tokens, width / 3))
}

/// Start of each text in the common matrix, and its length.
fn spans(lengths: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    let ends = lengths.iter().scan(0, |end, length| {
        *end += length;
        Some(*end)
    });
    ends.zip(lengths)
        .map(|(end, length)| (end - length, *length))
}

/// Loads the parts of the network to a device.
struct Onto<'a> {
    shelf: &'a Shelf<'a>,
    device: &'a Device,
}

impl Onto<'_> {
    fn made<T>(&self, result: Result<T>) -> Loaded<T> {
        self.shelf.weights.made(result)
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Loaded<Tensor> {
        let tensor = self.shelf.weights.take(name, shape)?;
        self.made(tensor.to_device(self.device))
    }

    fn linear(&self, name: &str, size_in: usize, size_out: usize) -> Loaded<Linear> {
        let weight = self.tensor(&format!("{name}.weight"), &[size_out, size_in])?;
        let weight = weight.t().and_then(|weight| weight.contiguous());
        Ok(Linear {
            weight: self.made(weight)?,
            bias: self.tensor(&format!("{name}.bias"), &[size_out])?,
        })
    }

    fn norm(&self, name: &str) -> Loaded<Norm> {
        let size = self.shelf.config.hidden_size;
        Ok(Norm {
            scale: self.tensor(&format!("{name}.weight"), &[size])?,
            shift: self.tensor(&format!("{name}.bias"), &[size])?,
            eps: self.shelf.config.layer_norm_eps as f32,
        })
    }
}
