//! Agents that keep connections open between exchanges, so that a block needs no new connection and
//! TLS handshake.
//!
//! An agent serves one exchange at a time, because an exchange is ended by shutting its agent down
//! and no other exchange may end with it. A finished exchange returns its agent here.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ureq::Agent;

use super::options::EndpointOptions;
use crate::net::config_for;

/// Most idle agents: the usual number of threads that ask at once.
const IDLE_MAX: usize = 4;
/// How long a connection may stay idle. Networks silently drop idle connections after some minutes.
const IDLE_AGE_MAX: Duration = Duration::from_secs(60);
/// Upper bound of a request's time for any options; it prevents overflow of clocks.
pub(super) const LIMIT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The agents of one endpoint.
#[derive(Debug, Clone)]
pub(super) struct Agents {
    url: String,
    connect_timeout: Duration,
    idle: Arc<Mutex<Vec<Agent>>>,
}

impl Agents {
    /// Starts empty; agents will connect to the host of `url`.
    pub(super) fn new(url: String, options: &EndpointOptions) -> Self {
        Self {
            url,
            connect_timeout: options.connect_timeout.min(LIMIT_MAX),
            idle: Arc::default(),
        }
    }

    /// An idle agent, or a new one.
    pub(super) fn take(&self) -> Agent {
        if let Some(agent) = self.idle().pop() {
            return agent;
        }
        let config = config_for(&self.url)
            .timeout_resolve(Some(self.connect_timeout))
            .timeout_connect(Some(self.connect_timeout))
            .max_idle_connections(1)
            .max_idle_age(IDLE_AGE_MAX);
        config.build().into()
    }

    /// Keeps an agent whose exchange ended normally.
    pub(super) fn put(&self, agent: Agent) {
        let mut idle = self.idle();
        if idle.len() < IDLE_MAX {
            idle.push(agent);
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Agent>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
