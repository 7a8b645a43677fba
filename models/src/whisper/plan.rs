//! The tensors of a Whisper in the order of the published ggml files, with their names in each
//! layout.
//!
//! CTranslate2 concatenates projections by rows: query, key and value of self-attention, key and
//! value of cross-attention. The key has no bias; its rows of a concatenated bias are zero and are
//! skipped.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::dims::Dims;
use super::error::ConvertError;

/// Layout of the names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    CTranslate2,
    HuggingFace,
    Ggml,
}

/// How values are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    F32,
    F16,
    Bf16,
    /// An unsupported type, by name.
    Other(&'static str),
}

impl Element {
    /// Bytes per value; 0 for unsupported types.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::Other(_) => 0,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::F32 => "float32",
            Self::F16 => "float16",
            Self::Bf16 => "bfloat16",
            Self::Other(name) => name,
        }
    }
}

/// A tensor in a file; its values are within the file.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    /// The file's index.
    pub(super) file: usize,
    /// Outermost dimension first.
    pub(super) shape: Vec<u64>,
    pub(super) element: Element,
    /// Position of the first value.
    pub(super) at: u64,
}

/// The tensors of some files by name.
#[derive(Debug, Default)]
pub(super) struct Index {
    pub(super) files: Vec<PathBuf>,
    pub(super) tensors: HashMap<String, Stored>,
}

impl Index {
    /// The file named in errors about missing tensors.
    pub(super) fn first_file(&self) -> &Path {
        self.files.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// A dimension of a required tensor of the given rank.
    pub(super) fn size(&self, name: &str, rank: usize, at: usize) -> Result<u32, ConvertError> {
        let stored = self.get(name)?;
        let size = stored.shape.get(at).filter(|_| stored.shape.len() == rank);
        let size = size.and_then(|&size| u32::try_from(size).ok());
        size.ok_or_else(|| {
            let expected = format!("one of {rank} dimensions");
            self.refused(name, format!("of shape {:?}", stored.shape), expected)
        })
    }

    fn get(&self, name: &str) -> Result<&Stored, ConvertError> {
        let missing = || self.refused(name, "missing".to_owned(), "there".to_owned());
        self.tensors.get(name).ok_or_else(missing)
    }

    fn refused(&self, name: &str, found: String, expected: String) -> ConvertError {
        let file = self
            .tensors
            .get(name)
            .and_then(|at| self.files.get(at.file));
        ConvertError::Tensor {
            file: file.map_or_else(|| self.first_file().to_owned(), PathBuf::clone),
            name: name.to_owned(),
            found,
            expected,
        }
    }
}

/// A tensor of the ggml file, and the source of its values.
#[derive(Debug, Clone)]
pub(super) struct Tensor {
    pub(super) name: String,
    /// Outermost dimension first; the file stores them in reverse.
    pub(super) shape: Vec<u32>,
    pub(super) file: usize,
    pub(super) element: Element,
    pub(super) at: u64,
}

impl Tensor {
    pub(super) fn values(&self) -> u64 {
        self.shape.iter().map(|&size| u64::from(size)).product()
    }
}

/// All tensors of a model of these sizes.
///
/// # Errors
/// [`ConvertError::Tensor`] for the first tensor that is missing or has another shape.
pub(super) fn tensors(
    layout: Layout,
    index: &Index,
    dims: &Dims,
) -> Result<Vec<Tensor>, ConvertError> {
    let mut plan = Plan {
        layout,
        index,
        width: dims.n_audio_state,
        tensors: Vec::new(),
    };
    plan.whole(dims)?;
    Ok(plan.tensors)
}

/// Part `number` of `of` equal parts of a tensor's rows.
#[derive(Clone, Copy)]
struct Part {
    number: u32,
    of: u32,
}

const WHOLE: Part = Part { number: 0, of: 1 };

/// A module's names in the layouts.
#[derive(Clone, Copy)]
struct Names<'a> {
    ggml: &'a str,
    ctranslate2: &'a str,
    hugging_face: &'a str,
}

struct Plan<'a> {
    layout: Layout,
    index: &'a Index,
    width: u32,
    tensors: Vec<Tensor>,
}

impl Plan<'_> {
    fn whole(&mut self, dims: &Dims) -> Result<(), ConvertError> {
        let width = self.width;
        let positions = |side: &str| {
            [
                format!("{side}.positional_embedding"),
                format!("{side}/position_encodings/encodings"),
                format!("{side}.embed_positions.weight"),
            ]
        };
        self.add(positions("decoder"), WHOLE, &[dims.n_text_ctx, width])?;
        self.add(positions("encoder"), WHOLE, &[dims.n_audio_ctx, width])?;
        let tokens = [
            "decoder.token_embedding.weight",
            "decoder/embeddings/weight",
            "decoder.embed_tokens.weight",
        ];
        self.add(tokens.map(str::to_owned), WHOLE, &[dims.n_vocab, width])?;
        for at in 0..dims.n_text_layer {
            self.block("decoder", at)?;
        }
        self.norm("decoder.ln", "decoder/layer_norm", "decoder.layer_norm")?;
        self.convolution("conv1", dims.n_mels)?;
        self.convolution("conv2", width)?;
        for at in 0..dims.n_audio_layer {
            self.block("encoder", at)?;
        }
        self.norm(
            "encoder.ln_post", "encoder/layer_norm", "encoder.layer_norm",
        )
    }

    fn convolution(&mut self, name: &str, inputs: u32) -> Result<(), ConvertError> {
        let names = |what: &str| {
            let dotted = format!("encoder.{name}.{what}");
            [dotted.clone(), format!("encoder/{name}/{what}"), dotted]
        };
        self.add(names("weight"), WHOLE, &[self.width, inputs, 3])?;
        self.add(names("bias"), WHOLE, &[self.width, 1])
    }

    fn block(&mut self, side: &str, at: u32) -> Result<(), ConvertError> {
        let to = format!("{side}.blocks.{at}.");
        let (ct, hf) = (
            format!("{side}/layer_{at}/"),
            format!("{side}.layers.{at}."),
        );
        let (width, wide) = (self.width, self.width.saturating_mul(4));
        self.norm(
            &format!("{to}mlp_ln"),
            &format!("{ct}ffn/layer_norm"),
            &format!("{hf}final_layer_norm"),
        )?;
        for (ggml, ctranslate2, hugging_face, shape) in [
            ("mlp.0", "ffn/linear_0", "fc1", [wide, width]),
            ("mlp.2", "ffn/linear_1", "fc2", [width, wide]),
        ] {
            let names = Names {
                ggml: &format!("{to}{ggml}"),
                ctranslate2: &format!("{ct}{ctranslate2}"),
                hugging_face: &format!("{hf}{hugging_face}"),
            };
            self.linear(names, WHOLE, shape, true)?;
        }
        let (attention, cross) = (["attn", "self_attention", "self_attn"], side == "decoder");
        self.attention(
            [&to, &ct, &hf],
            attention,
            [(0, 0, 3), (0, 1, 3), (0, 2, 3)],
            1,
        )?;
        if cross {
            let names = ["cross_attn", "attention", "encoder_attn"];
            self.attention([&to, &ct, &hf], names, [(0, 0, 1), (1, 0, 2), (1, 1, 2)], 2)?;
        }
        Ok(())
    }

    /// An attention block. CTranslate2 has query, key and value in linear `.0` as part `.1` of
    /// `.2`, and the output in linear `out`.
    fn attention(
        &mut self,
        [to, ct, hf]: [&str; 3],
        names: [&str; 3],
        joined: [(u32, u32, u32); 3],
        out: u32,
    ) -> Result<(), ConvertError> {
        let [to_name, ct_name, hf_name] = names;
        self.norm(
            &format!("{to}{to_name}_ln"),
            &format!("{ct}{ct_name}/layer_norm"),
            &format!("{hf}{hf_name}_layer_norm"),
        )?;
        let [query, key, value] = joined;
        for (ggml, hugging_face, (linear, number, of), has_bias) in [
            ("query", "q_proj", query, true),
            ("key", "k_proj", key, false),
            ("value", "v_proj", value, true),
            ("out", "out_proj", (out, 0, 1), true),
        ] {
            let names = Names {
                ggml: &format!("{to}{to_name}.{ggml}"),
                ctranslate2: &format!("{ct}{ct_name}/linear_{linear}"),
                hugging_face: &format!("{hf}{hf_name}.{hugging_face}"),
            };
            let shape = [self.width, self.width];
            self.linear(names, Part { number, of }, shape, has_bias)?;
        }
        Ok(())
    }

    fn linear(
        &mut self,
        names: Names<'_>,
        part: Part,
        shape: [u32; 2],
        has_bias: bool,
    ) -> Result<(), ConvertError> {
        let called = |what: &str| {
            [
                format!("{}.{what}", names.ggml),
                format!("{}/{what}", names.ctranslate2),
                format!("{}.{what}", names.hugging_face),
            ]
        };
        self.add(called("weight"), part, &shape)?;
        if has_bias {
            self.add(called("bias"), part, &shape[..1])?;
        }
        Ok(())
    }

    fn norm(
        &mut self,
        ggml: &str,
        ctranslate2: &str,
        hugging_face: &str,
    ) -> Result<(), ConvertError> {
        for (what, theirs) in [("weight", "gamma"), ("bias", "beta")] {
            let names = [
                format!("{ggml}.{what}"),
                format!("{ctranslate2}/{theirs}"),
                format!("{hugging_face}.{what}"),
            ];
            self.add(names, WHOLE, &[self.width])?;
        }
        Ok(())
    }

    /// Plans one tensor: its names in ggml, CTranslate2 and Hugging Face, and its shape in ggml.
    fn add(&mut self, names: [String; 3], part: Part, shape: &[u32]) -> Result<(), ConvertError> {
        let [ggml, ctranslate2, hugging_face] = names;
        let (from, part) = match self.layout {
            Layout::CTranslate2 => (&ctranslate2, part),
            Layout::HuggingFace => (&hugging_face, WHOLE),
            Layout::Ggml => (&ggml, WHOLE),
        };
        let stored = self.index.get(from)?;
        let mut expected: Vec<u64> = shape.iter().map(|&size| u64::from(size)).collect();
        if let Some(rows) = expected.first_mut() {
            *rows *= u64::from(part.of);
        }
        if squeezed(&stored.shape) != squeezed(&expected) {
            let found = format!("of shape {:?}", stored.shape);
            return Err(self.index.refused(from, found, format!("{expected:?}")));
        }
        if let (Element::Other(name), false) = (stored.element, self.layout == Layout::Ggml) {
            let expected = "float32, float16 or bfloat16 (convert the checkpoint again without \
                            quantising; weir quantises itself)";
            let found = format!("of type {name}");
            return Err(self.index.refused(from, found, expected.to_owned()));
        }
        let mut tensor = Tensor {
            name: ggml,
            shape: shape.to_vec(),
            file: stored.file,
            element: stored.element,
            at: stored.at,
        };
        tensor.at += u64::from(part.number) * tensor.values() * stored.element.bytes();
        self.tensors.push(tensor);
        Ok(())
    }
}

/// A shape without a last dimension of 1, which biases have only in ggml.
fn squeezed(shape: &[u64]) -> &[u64] {
    match shape {
        [first, 1] => std::slice::from_ref(first),
        other => other,
    }
}
