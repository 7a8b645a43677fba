//! What a server is told when it starts.

use crate::upstream::ChatModel;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use weir_api::Budgets;

/// Port of a server that was told none.
pub const PORT_DEFAULT: u16 = 8377;

/// Where a server listens, what it serves, and its bounds.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// The folder of all sessions and of the tokens.
    pub data: PathBuf,
    /// The address; one that is not loopback needs tokens.
    pub bind: SocketAddr,
    /// Names under which clients reach it, beside `localhost` and IP addresses.
    pub hosts: Vec<String>,
    /// Web origins whose pages may use it, beside its own.
    pub origins: Vec<String>,
    /// Certificate and key; without them it speaks plain HTTP.
    pub tls: Option<TlsFiles>,
    /// What answers chats that are given a memory.
    pub chats: Option<ChatModel>,
    /// Where voice assistants are served, if they are.
    pub assistants: Option<Assistants>,
    /// Budgets of new sessions; what is absent is as in every session.
    pub budgets: Budgets,
    /// Whether new sessions are under the rules of ProStream as written, for comparisons.
    pub by_the_paper: bool,
    /// Its bounds.
    pub limits: Limits,
}

/// Voice assistants that speak Wyoming, such as Home Assistant. The protocol has no tokens.
#[derive(Debug, Clone)]
pub struct Assistants {
    /// The address.
    pub bind: SocketAddr,
    /// Name of the session that hears what is said to them.
    pub session: String,
}

/// PEM files of a certificate chain and its private key.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The chain, the server's own certificate first.
    pub chain: PathBuf,
    /// The key.
    pub key: PathBuf,
}

/// Bounds of a server. What is over a bound is refused with a reason, never dropped in silence.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at the same time; further ones wait to be accepted.
    pub connections: usize,
    /// Time in which a client must send the head of a request, and each next piece of its body. The
    /// head at most a second where more than half of the connections are taken.
    pub read: Duration,
    /// Bytes of a request's body, of sound aside.
    pub body_bytes: usize,
    /// Bytes of an uploaded recording.
    pub audio_bytes: u64,
    /// Sessions in the folder.
    pub sessions: usize,
    /// Sessions that are open at the same time; the one not used for longest is closed for another.
    pub open_sessions: usize,
    /// Bytes held by all open sessions.
    pub open_bytes: usize,
    /// A session that is not used for so long is closed.
    pub idle: Duration,
    /// Requests of one client address a second, on average; ten seconds' worth may come at once.
    pub requests_per_second: u32,
    /// Requests that are worked on at the same time; further ones are refused.
    pub working: usize,
    /// Sounds, live or recorded, that are heard at the same time.
    pub sounds: usize,
    /// Time that requests have to end when the server stops.
    pub ending: Duration,
    /// Time in which the sessions must be closed then.
    pub shutdown: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1_024,
            read: Duration::from_secs(10),
            body_bytes: 16 << 20,
            audio_bytes: 2 << 30,
            sessions: 10_000,
            open_sessions: 64,
            open_bytes: 4 << 30,
            idle: Duration::from_secs(600),
            requests_per_second: 200,
            working: 256,
            sounds: 8,
            ending: Duration::from_secs(15),
            shutdown: Duration::from_secs(25),
        }
    }
}

impl ServerConfig {
    /// A server of the sessions in this folder, for this machine alone.
    #[must_use]
    pub fn local(data: PathBuf) -> Self {
        Self {
            data,
            bind: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT_DEFAULT),
            hosts: Vec::new(),
            origins: Vec::new(),
            tls: None,
            chats: None,
            assistants: None,
            budgets: Budgets::default(),
            by_the_paper: false,
            limits: Limits::default(),
        }
    }
}
