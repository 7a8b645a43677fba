//! What all requests share.

use crate::config::ServerConfig;
use crate::ears::Ears;
use crate::problem::Problem;
use crate::sessions::Sessions;
use crate::shares::{Share, Shares, client_of};
use crate::tokens::Tokens;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Seconds' worth of requests that may come at once.
const BURST_SECONDS: u32 = 10;

/// Sound that waits to be committed, in all connections together.
const WAITING_SOUND_KIB: usize = 256 << 10;

/// A place to work on a request, until it is dropped.
pub(crate) struct Place {
    _permit: OwnedSemaphorePermit,
    _share: Share,
}

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
    /// How many of them each client has.
    working_shares: Arc<Shares>,
    /// Kibibytes of sound that may still wait to be committed, in all connections.
    waiting_sound: Arc<Semaphore>,
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
            working_shares: Shares::of(config.limits.working),
            waiting_sound: Arc::new(Semaphore::new(WAITING_SOUND_KIB)),
            paces: RateLimiter::keyed(Quota::per_second(a_second).allow_burst(burst)),
            ears: Arc::new(Ears::new(sessions.maker_shared())),
            config,
            tokens,
            sessions,
        }
    }

    /// A place to work on a request of this client.
    pub(crate) fn begin(&self, client: IpAddr) -> Result<Place, Problem> {
        let Some(share) = self.working_shares.take(client) else {
            let most = self.working_shares.most();
            return Err(Problem::busy(format!(
                "{most} requests from this address are worked on already; try again in a moment"
            )));
        };
        let permit = Arc::clone(&self.working).try_acquire_owned().map_err(|_| {
            let at_once = self.config.limits.working;
            Problem::busy(format!(
                "{at_once} requests are worked on already; try again in a moment"
            ))
        });
        Ok(Place {
            _permit: permit?,
            _share: share,
        })
    }

    /// Room for so many bytes of sound that wait to be committed.
    pub(crate) fn room_for_sound(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Problem> {
        let kib = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.waiting_sound).try_acquire_many_owned(kib);
        room.map_err(|_| {
            Problem::busy(format!(
                "{} MiB of sound wait to be committed, in all connections; commit first",
                WAITING_SOUND_KIB >> 10
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
        self.paces.check_key(&client_of(client)).map_err(|_| {
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
