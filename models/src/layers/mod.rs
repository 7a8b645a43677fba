//! Layers that several networks have: linear ones, convolutions, and a recurrent one.
//!
//! Each runs on the CPU with this crate's products and on other devices with candle's.

mod conv;
mod linear;
mod lstm;

pub(crate) use conv::{Conv, Geometry, ScaleRelu};
pub(crate) use linear::{Linear, Ready};
pub(crate) use lstm::{Lstm, LstmSize};
