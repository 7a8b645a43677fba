//! Changing and watching a session that another process has open, through a socket in its folder.
//!
//! The process that has the session open serves `control.sock` ([`Control`]). Another process of
//! the same user connects to it ([`Client`]), sends one [`weir_api::Request`] as a line of JSON, a
//! change, talk to hear or a question, and gets one [`weir_api::Reply`]; who watches gets one after
//! another. [`carry_out()`] does that for a change, or opens the session itself if nobody has it.
//! Only on Unix: elsewhere nothing is served and nobody connects.

mod carry_out;
mod client;
mod importing;
mod reencode;
mod server;
mod wire;

pub use carry_out::{ChangeError, carry_out};
pub use client::{Client, ControlError};
pub use importing::{ImportInto, ImportStopped, carry_in};
pub use reencode::{ReencodeError, Reencoded, reencode};
pub use server::Control;
pub use wire::{api_failure, api_target, change_of, utterance};

/// Name of the socket in a session's folder.
const SOCKET: &str = "control.sock";
/// Maximum length of a request or a reply in bytes: a source of texts is the longest.
const LINE_BYTES_MAX: u64 = 16 << 20;
