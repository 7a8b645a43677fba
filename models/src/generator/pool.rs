//! The threads of a generator.

use std::ops::Range;
use std::sync::Arc;

use candle_core::Result;
use rayon::prelude::*;

use super::linear::{Activations, Linear};
use super::packed::{Packed, ROWS};

/// Pieces of a product per thread, so that a delayed thread leaves pieces to the others.
const PIECES: usize = 2;
/// Groups of rows that justify waking another thread.
const GROUPS_MIN: usize = 8;

/// Threads that share products.
#[derive(Clone)]
pub(super) struct Pool {
    threads: usize,
    rayon: Arc<rayon::ThreadPool>,
}

impl Pool {
    /// A pool of `threads`, at least one.
    pub(super) fn new(threads: usize) -> std::result::Result<Self, rayon::ThreadPoolBuildError> {
        let threads = threads.max(1);
        let rayon = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|at| format!("weir-generate-{at}"))
            .build()?;
        Ok(Self {
            threads,
            rayon: Arc::new(rayon),
        })
    }

    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Runs `work` on the pool.
    pub(super) fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        self.rayon.install(work)
    }

    /// The products of `input` with several matrices. With `is_split`, for one token, rows are
    /// distributed over the threads.
    pub(super) fn multiply(
        &self,
        input: &Activations,
        products: Vec<(&Linear, &mut [f32])>,
        is_split: bool,
    ) -> Result<()> {
        if !is_split || self.threads == 1 {
            return products
                .into_iter()
                .try_for_each(|(linear, out)| linear.multiply(input, out));
        }
        let mut pieces = Vec::with_capacity(3 * PIECES * self.threads);
        for (linear, out) in products {
            match linear {
                Linear::Packed(packed) => self.cut(packed, out, &mut pieces),
                Linear::Library { .. } => linear.multiply(input, out)?,
            }
        }
        pieces
            .into_par_iter()
            .with_max_len(1)
            .for_each(|(packed, groups, out)| {
                packed.multiply(groups, &input.quantised, 0..1, out, 0);
            });
        Ok(())
    }

    fn cut<'a>(&self, packed: &'a Packed, out: &'a mut [f32], pieces: &mut Vec<Piece<'a>>) {
        let size = packed.groups().div_ceil(PIECES * self.threads);
        let size = size.max(GROUPS_MIN);
        for (at, out) in out.chunks_mut(size * ROWS).enumerate() {
            let end = packed.groups().min((at + 1) * size);
            pieces.push((packed, at * size..end, out));
        }
    }
}

/// Some groups of rows of a matrix, and the destination of their products.
type Piece<'a> = (&'a Packed, Range<usize>, &'a mut [f32]);

impl std::fmt::Debug for Pool {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Pool")
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}
