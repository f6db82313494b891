//! Who asks, and how much of the server each has: one client's appetite is not another's wait.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A client: an address, or the network of one where a client has as many as it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Client(IpAddr);

impl Client {
    /// The client behind an address. The lower half of one of version 6 is the client's own choice.
    pub fn of(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = u128::from(address) >> 64 << 64;
                // ::1 is a machine, not a network.
                match address.is_loopback() {
                    true => Client(address.into()),
                    false => Client(IpAddr::V6(network.into())),
                }
            }
            address => Client(address),
        }
    }

    /// Is it on this machine?
    pub fn is_local(self) -> bool {
        self.0.is_loopback()
    }
}

/// What there is only so much of.
#[derive(Clone, Copy, Debug)]
pub enum Resource {
    /// Open connections.
    Connections,
    /// Requests that are translated or wait for it.
    Requests,
    /// Bytes of answers that have not been read yet.
    AnswerBytes,
}

const RESOURCES: usize = 3;

/// How much each client has of everything.
pub struct Clients {
    /// Of each resource, the most that one client gets.
    most: [usize; RESOURCES],
    taken: Mutex<HashMap<Client, [usize; RESOURCES]>>,
}

/// Some of a resource, given back when dropped.
pub struct Share {
    clients: Arc<Clients>,
    client: Client,
    resource: Resource,
    amount: usize,
}

impl Clients {
    /// Nobody gets more than this.
    pub fn new(connections: usize, requests: usize, answer_bytes: usize) -> Arc<Self> {
        Arc::new(Clients {
            most: [connections.max(1), requests.max(1), answer_bytes],
            taken: Mutex::default(),
        })
    }

    fn taken(&self) -> MutexGuard<'_, HashMap<Client, [usize; RESOURCES]>> {
        // Nothing that can panic runs while the lock is held.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes some of a resource; none if the client has its share already.
    pub fn take(
        self: &Arc<Self>,
        client: Client,
        resource: Resource,
        amount: usize,
    ) -> Option<Share> {
        let mut all = self.taken();
        let taken = &mut all.entry(client).or_default()[resource as usize];
        if *taken + amount > self.most[resource as usize] {
            return None;
        }
        *taken += amount;
        drop(all);
        let clients = self.clone();
        Some(Share {
            clients,
            client,
            resource,
            amount,
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut all = self.clients.taken();
        if let Some(taken) = all.get_mut(&self.client) {
            taken[self.resource as usize] -= self.amount;
            if taken.iter().all(|&amount| amount == 0) {
                all.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_gets_its_share_and_gives_it_back() {
        let clients = Clients::new(2, 1, 100);
        let [one, other] = ["10.0.0.1", "10.0.0.2"].map(|ip| Client::of(ip.parse().unwrap()));
        let take = |client, amount| clients.take(client, Resource::AnswerBytes, amount);
        let first = take(one, 60).unwrap();
        assert!(take(one, 60).is_none());
        let second = take(one, 40).unwrap();
        assert!(take(other, 100).is_some());
        drop((first, second));
        assert!(take(one, 100).is_some());
        assert!(
            clients
                .taken()
                .values()
                .all(|taken| taken.iter().all(|&n| n == 0))
        );
        assert!(take(one, 101).is_none());
    }

    #[test]
    fn a_network_of_version_6_is_one_client() {
        let client = |ip: &str| Client::of(ip.parse().unwrap());
        assert_eq!(client("2001:db8::1"), client("2001:db8::ffff:2"));
        assert_ne!(client("2001:db8::1"), client("2001:db8:0:1::1"));
        assert_eq!(client("::ffff:10.0.0.1"), client("10.0.0.1"));
        assert!(client("::1").is_local() && client("127.0.0.9").is_local());
        assert!(!client("10.0.0.1").is_local());
    }
}
