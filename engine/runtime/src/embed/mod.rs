//! A memory embedded in a program: utterances in, answers with evidence out.
//!
//! Everything runs on the caller's thread. A memory in a directory is as durable as `weir`'s own:
//! what [`Memory::hear`] acknowledged survives a crash of the process or the machine.

mod asking;
mod builder;
mod error;
mod memory;
mod options;

pub use asking::AskedMemory;
pub use builder::MemoryBuilder;
pub use error::MemoryError;
pub use memory::Memory;
