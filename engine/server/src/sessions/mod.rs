//! The sessions of a data folder: opened when they are used, closed when they are idle.

mod event_log;
mod name;
mod open;
mod pool;
mod so_far;
mod talks;

pub(crate) use event_log::{EventLog, Since};
pub(crate) use name::SessionName;
pub use open::SessionMaker;
pub(crate) use open::{OpenSession, SpeechWish};
pub(crate) use pool::{Absent, Sessions, Temporary};
