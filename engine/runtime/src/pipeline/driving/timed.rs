//! A distiller that measures the time of each block.

use crate::pipeline::service::ask::micros;
use crate::results::Histogram;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;
use weir_core::distil::{Distil, DistilCounts, DistilError};
use weir_core::talk::{Block, Distillate};
use weir_models::Encode;

pub(crate) struct Timed {
    distiller: Box<dyn Distil>,
    distil_us: Arc<Mutex<Histogram>>,
}

impl Timed {
    /// Wraps the distiller; also returns its measurements.
    pub(crate) fn new(distiller: Box<dyn Distil>) -> (Self, Arc<Mutex<Histogram>>) {
        let distil_us = Arc::new(Mutex::new(Histogram::new()));
        let timed = Self {
            distiller,
            distil_us: Arc::clone(&distil_us),
        };
        (timed, distil_us)
    }
}

impl Distil for Timed {
    fn name(&self) -> &str {
        self.distiller.name()
    }

    fn distil(&mut self, block: &Block, encode: &dyn Encode) -> Result<Distillate, DistilError> {
        let started = Instant::now();
        let made = self.distiller.distil(block, encode);
        self.distil_us.lock().record(micros(started.elapsed()));
        made
    }

    fn uses_model(&self) -> bool {
        self.distiller.uses_model()
    }

    fn counts(&self) -> DistilCounts {
        self.distiller.counts()
    }

    fn last_failure(&mut self) -> Option<String> {
        self.distiller.last_failure()
    }
}
