//! One session as a state machine: inputs in, outcomes and answers out.

mod input;

pub use input::{Input, InputError, Mounted, Outcome};
