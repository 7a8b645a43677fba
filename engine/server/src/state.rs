//! What all requests share.

use crate::config::ServerConfig;
use crate::ears::Ears;
use crate::problem::Problem;
use crate::sessions::Sessions;
use crate::tokens::Tokens;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Seconds' worth of requests that may come at once.
const BURST_SECONDS: u32 = 10;

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) config: ServerConfig,
    pub(crate) tokens: Tokens,
    pub(crate) sessions: Sessions,
    pub(crate) ears: Arc<Ears>,
    /// Sources of sound that are heard.
    listening: Arc<Semaphore>,
    /// Requests that are worked on.
    working: Arc<Semaphore>,
    /// How fast the clients of each address ask.
    paces: DefaultKeyedRateLimiter<IpAddr>,
}

impl Shared {
    pub(crate) fn new(config: ServerConfig, tokens: Tokens, sessions: Sessions) -> Self {
        let a_second = NonZeroU32::new(config.limits.requests_per_second);
        let a_second = a_second.unwrap_or(NonZeroU32::MIN);
        let burst = a_second.saturating_mul(NonZeroU32::MIN.saturating_add(BURST_SECONDS - 1));
        Self {
            listening: Arc::new(Semaphore::new(config.limits.sounds)),
            working: Arc::new(Semaphore::new(config.limits.working)),
            paces: RateLimiter::keyed(Quota::per_second(a_second).allow_burst(burst)),
            ears: Arc::new(Ears::new(sessions.maker_shared())),
            config,
            tokens,
            sessions,
        }
    }

    /// A permit to work on a request.
    pub(crate) fn begin(&self) -> Result<OwnedSemaphorePermit, Problem> {
        Arc::clone(&self.working).try_acquire_owned().map_err(|_| {
            let at_once = self.config.limits.working;
            Problem::busy(format!(
                "{at_once} requests are worked on already; try again in a moment"
            ))
        })
    }

    /// A permit to hear one more source of sound.
    pub(crate) fn listen(&self) -> Result<OwnedSemaphorePermit, Problem> {
        Arc::clone(&self.listening)
            .try_acquire_owned()
            .map_err(|_| {
                let sounds = self.config.limits.sounds;
                Problem::busy(format!(
                    "{sounds} sounds are heard already; try again later"
                ))
            })
    }

    /// How many requests are worked on.
    pub(crate) fn working_now(&self) -> usize {
        self.config.limits.working - self.working.available_permits()
    }

    /// Counts a request of an address.
    pub(crate) fn paced(&self, client: IpAddr) -> Result<(), Problem> {
        self.paces.check_key(&client).map_err(|_| {
            let a_second = self.config.limits.requests_per_second;
            Problem::busy(format!(
                "more than {a_second} requests a second; try again in a moment"
            ))
        })
    }

    /// Forgets the pace of addresses that ask no more.
    pub(crate) fn forget_paces(&self) {
        self.paces.retain_recent();
    }
}
