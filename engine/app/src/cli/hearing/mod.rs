//! Hears recordings and live sound.

pub(crate) mod hearing_args;
pub(crate) mod inputs;
pub(crate) mod interrupt;
pub(crate) mod keyboard;
pub(crate) mod listen;
pub(crate) mod meter;
pub(crate) mod pace;
pub(crate) mod printer;
pub(crate) mod replay;
pub(crate) mod speech;
pub(crate) mod stdin;
pub(crate) mod summary;
pub(crate) mod terms;
pub(crate) mod typing;
pub(crate) mod unheard;
