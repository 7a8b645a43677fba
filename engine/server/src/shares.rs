//! Places that clients share: one address takes at most half of them, so that it keeps nobody out.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// How many places each client has taken. Bounded by the places: a client with none is forgotten.
pub(crate) struct Shares {
    most: usize,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

/// A place that a client has until this is dropped.
pub(crate) struct Share {
    shares: Arc<Shares>,
    client: IpAddr,
}

impl Shares {
    /// The shares of so many places.
    pub(crate) fn of(places: usize) -> Arc<Self> {
        Arc::new(Self {
            most: (places / 2).max(1),
            taken: Mutex::default(),
        })
    }

    /// Most places of one client.
    pub(crate) fn most(&self) -> usize {
        self.most
    }

    /// A place for a client; `None` if it has its share already.
    pub(crate) fn take(self: &Arc<Self>, client: IpAddr) -> Option<Share> {
        let client = client_of(client);
        let mut taken = self.taken.lock();
        let count = taken.entry(client).or_default();
        if *count == self.most {
            return None;
        }
        *count += 1;
        Some(Share {
            shares: Arc::clone(self),
            client,
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.shares.taken.lock();
        match taken.get_mut(&self.client) {
            Some(count) if *count > 1 => *count -= 1,
            _ => drop(taken.remove(&self.client)),
        }
    }
}

/// Who an address belongs to: with IPv6 a client has a whole network of 64 bits.
pub(crate) fn client_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = u128::from(address) >> 64 << 64;
            IpAddr::V6(Ipv6Addr::from(network))
        }
        canonical => canonical,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_client_takes_half_of_the_places_however_many_addresses_it_has() {
        let shares = Shares::of(4);
        let at = |text: &str| text.parse::<IpAddr>().expect("it is an address");
        let first = shares.take(at("2001:db8::1"));
        let second = shares.take(at("2001:db8::2"));
        assert!(first.is_some() && second.is_some());
        assert!(shares.take(at("2001:db8::3")).is_none());
        assert!(shares.take(at("2001:db8:0:1::3")).is_some());
        drop(first);
        assert!(shares.take(at("2001:db8::3")).is_some());
        // the same client by both kinds of address
        let _one = shares.take(at("192.0.2.1"));
        let _two = shares.take(at("::ffff:192.0.2.1"));
        assert!(shares.take(at("192.0.2.1")).is_none());
        drop((_one, _two, second));
        assert!(shares.taken.lock().is_empty());
        assert_eq!(Shares::of(1).most(), 1);
    }
}
