//! Agents whose connections stay open from one exchange to the next, so that a server is not
//! greeted anew, by a TLS handshake, for every block.
//!
//! An agent serves one exchange at a time: to end that exchange is to shut its agent down, and no
//! other must be ended with it. One that is done takes its agent back here.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ureq::Agent;

use super::options::EndpointOptions;
use crate::net::config_for;

/// Agents that wait: as many threads as ask at once, within reason.
const IDLE_MAX: usize = 4;
/// How long a connection may wait for the next request. Networks forget silent ones after some
/// minutes and say so to nobody.
const IDLE_AGE_MAX: Duration = Duration::from_secs(60);
/// No request takes longer, whatever the options say: clocks overflow somewhere.
pub(super) const LIMIT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

/// The agents of one endpoint.
#[derive(Debug, Clone)]
pub(super) struct Agents {
    url: String,
    connect_timeout: Duration,
    idle: Arc<Mutex<Vec<Agent>>>,
}

impl Agents {
    /// None yet; those to come will ask the host of `url`.
    pub(super) fn new(url: String, options: &EndpointOptions) -> Self {
        Self {
            url,
            connect_timeout: options.connect_timeout.min(LIMIT_MAX),
            idle: Arc::default(),
        }
    }

    /// One that waits, or a new one.
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

    /// Keeps one whose exchange has ended as it should.
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
