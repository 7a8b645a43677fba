//! The network of an encoder or a reranker on its device, and the division of a batch.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::candle::DeviceBert;
use super::config::Family;
use super::cpu::CpuBert;
use super::layout::Body;
use super::reader::Text;
use super::shelf::Shelf;
use crate::checkpoint::{LoadError, Weights};
use crate::device::DeviceChoice;

/// Tokens processed at once on a GPU.
const DEVICE_TOKENS_MAX: usize = 2_048;
/// The same on the CPU: more would exceed its caches, fewer would read the weights too often.
const CPU_TOKENS_MAX: usize = 288;
/// A smaller batch finishes before a second thread would help.
const THREADS_TOKENS_MIN: usize = 256;
/// Default threads for a large batch.
pub(super) const THREADS_MAX: usize = 2;

/// Texts in, last layers out.
pub(super) enum Network {
    Cpu(Box<CpuBert>),
    Device(Box<DeviceBert>),
}

impl Network {
    /// Loads the weights of `body` to `device`.
    pub(super) fn load(
        body: &Body,
        weights: &Arc<Weights>,
        device: DeviceChoice,
    ) -> Result<Self, LoadError> {
        let shelf = Shelf {
            weights,
            config: &body.config,
        };
        if device == DeviceChoice::Cpu {
            return Ok(Self::Cpu(Box::new(CpuBert::new(&shelf)?)));
        }
        let device = device.open()?;
        Ok(Self::Device(Box::new(DeviceBert::new(&shelf, &device)?)))
    }

    /// The result of `each` on the last layer of each text, `[tokens, size]`, in order. On the CPU
    /// a large batch is divided among `threads`, including this one.
    pub(super) fn run<T: Send>(
        &self,
        texts: &[Text],
        threads: NonZeroUsize,
        each: impl Fn(&[f32]) -> T + Sync,
    ) -> candle_core::Result<Vec<T>> {
        match self {
            Self::Cpu(network) => Ok(shared(texts, threads, |texts| network.run(texts, &each))),
            Self::Device(network) => {
                let mut all = Vec::with_capacity(texts.len());
                for group in groups(texts, DEVICE_TOKENS_MAX) {
                    all.extend(network.run(&texts[group], &each)?);
                }
                Ok(all)
            }
        }
    }

    pub(super) fn resident_bytes(&self) -> usize {
        match self {
            Self::Cpu(network) => network.resident_bytes(),
            Self::Device(network) => network.bytes(),
        }
    }

    pub(super) fn mapped_bytes(&self) -> usize {
        match self {
            Self::Cpu(network) => network.mapped_bytes(),
            Self::Device(_) => 0,
        }
    }
}

/// A tensor that every network has.
pub(super) const PROBE: &str = "embeddings.word_embeddings.weight";

/// Opens the weights of `body`, whose names may have the prefix of its family.
pub(super) fn open_weights(body: &Body) -> Result<Arc<Weights>, LoadError> {
    let prefix = match body.config.family() {
        Family::Bert => "bert.",
        Family::Roberta => "roberta.",
    };
    let weights = Weights::find(&body.folder)?;
    Ok(Arc::new(weights.under(prefix, PROBE)))
}

/// Distributes groups of texts over threads; an idle thread takes the next group.
pub(super) fn shared<T: Send>(
    texts: &[Text],
    threads: NonZeroUsize,
    run: impl Fn(&[Text]) -> Vec<T> + Sync,
) -> Vec<T> {
    let tokens: usize = texts.iter().map(|text| text.ids.len()).sum();
    let threads = threads.get().min(tokens / THREADS_TOKENS_MIN).max(1);
    // Several groups per thread, so that no thread waits long at the end.
    let tokens_max = match threads {
        1 => CPU_TOKENS_MAX,
        _ => (tokens / (threads * 3)).clamp(CPU_TOKENS_MAX / 4, CPU_TOKENS_MAX),
    };
    let groups: Vec<Range<usize>> = groups(texts, tokens_max).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
            done.push((group.start, run(&texts[group.clone()])));
        }
        done
    };
    let mut all = std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        for other in others {
            match other.join() {
                Ok(done) => all.extend(done),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        all
    });
    all.sort_by_key(|(start, _)| *start);
    all.into_iter().flat_map(|(_, done)| done).collect()
}

/// Cuts a batch into runs of at most `tokens_max` tokens (a longer text is a run of its own).
fn groups(texts: &[Text], tokens_max: usize) -> impl Iterator<Item = Range<usize>> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let mut sum = 0;
        let fits = |text: &&Text| {
            sum += text.ids.len();
            sum <= tokens_max
        };
        let rest = &texts[start..];
        let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
        let group = start..start + count;
        start += count;
        (!group.is_empty()).then_some(group)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lengths: &[usize]) -> Vec<Text> {
        let text = |&length: &usize| Text {
            ids: vec![length as u32; length],
            segments: vec![0; length],
        };
        lengths.iter().map(text).collect()
    }

    #[test]
    fn a_device_and_the_processor_give_the_same() {
        let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/golden");
        for name in ["tiny-bert", "tiny-bge", "tiny-e5", "tiny-roberta"] {
            let folder = golden.join(name);
            let body = Body::read(&folder, &folder).expect("settings");
            let weights = open_weights(&body).expect("weights");
            let shelf = Shelf {
                weights: &weights,
                config: &body.config,
            };
            let candle = candle_core::Device::Cpu;
            let device = DeviceBert::new(&shelf, &candle).expect("a network");
            let device = Network::Device(Box::new(device));
            let own = Network::load(&body, &weights, DeviceChoice::Cpu).expect("a network");
            let texts = texts(&[3, 24, 1, 17]);
            let run = |network: &Network| {
                let layers = network.run(&texts, NonZeroUsize::MIN, <[f32]>::to_vec);
                layers.expect("last layers")
            };
            for (found, expected) in run(&own).iter().zip(run(&device)) {
                assert_eq!(found.len(), expected.len());
                let apart = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
                assert!(apart.fold(0.0, f32::max) < 1e-4, "{name}");
            }
        }
    }

    #[test]
    fn groups_keep_order_and_bound_the_tokens() {
        let texts = texts(&[1500, 600, 5000, 10, 2038, 1]);
        let found: Vec<_> = groups(&texts, 2_048).collect();
        assert_eq!(found, [0..1, 1..2, 2..3, 3..5, 5..6]);
        assert_eq!(groups(&[], 2_048).count(), 0);
    }

    #[test]
    fn many_threads_give_the_order_of_one() {
        let lengths: Vec<usize> = (0..300).map(|i| 1 + i * 7 % 60).collect();
        let texts = texts(&lengths);
        let run = |group: &[Text]| group.iter().map(|text| text.ids.len()).collect();
        for threads in [1, 2, 3, 16] {
            let threads = NonZeroUsize::new(threads).expect("a thread");
            assert_eq!(shared(&texts, threads, run), lengths);
        }
        let none: Vec<usize> = shared(&[], NonZeroUsize::MIN, run);
        assert_eq!(none, Vec::<usize>::new());
    }
}
