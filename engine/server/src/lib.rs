//! Serves the sessions of a folder to other programs over HTTP.
//!
//! [`serve()`] opens sessions by name when they are used and closes them when they are idle. Every
//! request first passes `guard`: the host and the origin, the pace of its client, and the scope of
//! its token. The routes of `rest` then call the session service of `weir_engine` on threads that
//! may block; what they send and return are types of `weir_api`. The memory knows nothing of this.
//!
//! Every bound stands in [`Limits`]; what is over one is refused with a problem (RFC 9457) that
//! says so.

#![forbid(unsafe_code)]

mod blocking;
mod body;
mod config;
mod ears;
mod guard;
mod http;
mod mcp;
mod measures;
mod openai;
mod page;
mod problem;
mod rest;
mod serve;
mod sessions;
mod shares;
mod state;
mod tokens;
mod upload;
mod upstream;
mod wyoming;

pub use config::{Assistants, Limits, PORT_DEFAULT, ServerConfig, TlsFiles};
pub use problem::Problem;
pub use rest::OPENAPI;
pub use serve::{ServeError, serve, serve_stdio};
pub use sessions::SessionMaker;
pub use tokens::{NewToken, Scope, TokenError, TokenInfo, Tokens};
pub use upstream::{ChatModel, Upstream};
