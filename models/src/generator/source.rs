//! Sources of a decoder's tensors, by their GGUF names.

use candle_core::Device;
use candle_core::quantized::QMatMul;

use super::config::{Config, Family};
use super::decoder::Tensors;
use super::layer::{Layer, Projection};
use super::linear::Linear;
use crate::LoadError;

/// A file, or several, of tensors.
pub(super) trait Source {
    /// Whether there is a tensor of this name.
    fn has(&self, name: &str) -> bool;

    /// The matrix `name`, which must be `rows x columns`.
    fn linear(&self, name: &str, rows: usize, columns: usize) -> Result<Linear, LoadError>;

    /// The same for the tensor library, on `device`.
    fn product(
        &self,
        name: &str,
        rows: usize,
        columns: usize,
        device: &Device,
    ) -> Result<QMatMul, LoadError>;

    /// The vector `name`, which must have `len` floats.
    fn vector(&self, name: &str, len: usize) -> Result<Vec<f32>, LoadError>;

    /// The same; empty if it does not exist.
    fn vector_if_there(&self, name: &str, len: usize) -> Result<Vec<f32>, LoadError> {
        if self.has(name) {
            self.vector(name, len)
        } else {
            Ok(Vec::new())
        }
    }
}

/// Reads all tensors of a decoder; `matrix` loads a matrix by name, rows and columns.
pub(super) fn tensors<M>(
    source: &dyn Source,
    config: &Config,
    matrix: &dyn Fn(&str, usize, usize) -> Result<M, LoadError>,
) -> Result<Tensors<M>, LoadError> {
    let has_head = source.has("output.weight");
    let head = has_head.then(|| matrix("output.weight", config.vocabulary, config.width));
    Ok(Tensors {
        embedding: matrix("token_embd.weight", config.vocabulary, config.width)?,
        layers: (0..config.layers)
            .map(|at| layer(source, config, at, matrix))
            .collect::<Result<_, _>>()?,
        norm: source.vector("output_norm.weight", config.width)?,
        head: head.transpose()?,
    })
}

fn layer<M>(
    source: &dyn Source,
    config: &Config,
    at: usize,
    matrix: &dyn Fn(&str, usize, usize) -> Result<M, LoadError>,
) -> Result<Layer<M>, LoadError> {
    let (width, inner) = (config.width, config.inner_width);
    let name = |rest: &str| format!("blk.{at}.{rest}");
    let matrix = |rest: &str, rows, columns| matrix(&name(rest), rows, columns);
    let projection = |rest: &str, rows| {
        let bias = name(&format!("{rest}.bias"));
        Ok::<_, LoadError>(Projection {
            weights: matrix(&format!("{rest}.weight"), rows, width)?,
            bias: match config.family {
                Family::Qwen2 => source.vector(&bias, rows)?,
                _ => source.vector_if_there(&bias, rows)?,
            },
        })
    };
    let head_norm = |rest: &str| match config.family {
        Family::Qwen3 => source.vector(&name(rest), config.head_width),
        _ => Ok(Vec::new()),
    };
    Ok(Layer {
        attention_norm: source.vector(&name("attn_norm.weight"), width)?,
        query: projection("attn_q", config.query_width())?,
        key: projection("attn_k", config.kv_width())?,
        value: projection("attn_v", config.kv_width())?,
        query_norm: head_norm("attn_q_norm.weight")?,
        key_norm: head_norm("attn_k_norm.weight")?,
        output: matrix("attn_output.weight", width, config.query_width())?,
        inner_norm: source.vector(&name("ffn_norm.weight"), width)?,
        gate: matrix("ffn_gate.weight", inner, width)?,
        up: matrix("ffn_up.weight", inner, width)?,
        down: matrix("ffn_down.weight", width, inner)?,
    })
}
