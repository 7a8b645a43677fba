//! A memory for programs that embed one: a session service behind blocking calls.

mod builder;
mod error;
mod memory;

pub use builder::MemoryBuilder;
pub use error::MemoryError;
pub use memory::Memory;
