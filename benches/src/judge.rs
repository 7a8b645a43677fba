//! stub
use anyhow::Result;
#[allow(missing_docs)]
pub trait Judge: Send + Sync { fn name(&self) -> &str; fn score(&self, q: &str, g: &str, c: &str) -> Result<Option<f64>>; }
