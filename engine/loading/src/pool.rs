//! Models that the sessions of a process share.
//!
//! Each is loaded once, also when several threads ask for it at the same moment. The sizes of their
//! files are taken for their memory; together they stay below a bound. To make room, the model that
//! was asked for longest ago goes, of those that nobody holds. While all are held, a further one is
//! refused. A model stays as it was loaded, also when its files change.

use parking_lot::{Condvar, Mutex};
use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_models::DeviceChoice;

type Model = Arc<dyn Any + Send + Sync>;

/// What makes two models the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    model: TypeId,
    path: PathBuf,
    /// The same files may be loaded in several ways.
    way: &'static str,
    device: DeviceChoice,
}

impl Key {
    pub(crate) fn of<T: 'static>(path: &Path, way: &'static str, device: DeviceChoice) -> Self {
        Self {
            model: TypeId::of::<T>(),
            // one file has many names
            path: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
            way,
            device,
        }
    }
}

/// A model does not fit beside those that are held.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} needs {bytes} bytes of memory, and models in use fill {held} of {bytes_max}; close a \
     session that uses others, or allow models more memory",
    .path.display()
)]
pub struct PoolFull {
    /// The model.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The size of the models in use.
    pub held: u64,
    /// The bound.
    pub bytes_max: u64,
}

/// Counts of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PoolStats {
    /// Models loaded now, or being loaded.
    pub models: usize,
    /// Their size.
    pub bytes: u64,
    /// Models loaded so far.
    pub loaded: u64,
    /// Requests for a model that was there.
    pub shared: u64,
    /// Models that went to make room.
    pub evicted: u64,
    /// Requests refused for lack of room.
    pub refused: u64,
}

/// A place in the pool.
struct Place {
    /// `None` while it is loaded.
    model: Option<Model>,
    bytes: u64,
    /// When it was asked for last, in requests.
    asked: u64,
}

impl Place {
    /// Whether nobody holds its model.
    fn is_free(&self) -> bool {
        let model = self.model.as_ref();
        model.is_some_and(|model| Arc::strong_count(model) == 1)
    }
}

#[derive(Default)]
struct State {
    places: HashMap<Key, Place>,
    requests: u64,
    stats: PoolStats,
}

/// Models that the sessions of a process share.
pub struct ModelPool {
    bytes_max: u64,
    state: Mutex<State>,
    /// A model was loaded, or could not be.
    changed: Condvar,
}

impl ModelPool {
    /// A pool of models whose files have at most so many bytes together.
    #[must_use]
    pub fn new(bytes_max: u64) -> Self {
        Self {
            bytes_max,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Its counts.
    #[must_use]
    pub fn stats(&self) -> PoolStats {
        let state = self.state.lock();
        PoolStats {
            models: state.places.len(),
            bytes: state.bytes(),
            ..state.stats
        }
    }

    /// The model of a key; loads it if it is not there, while others who ask for it wait.
    pub(crate) fn get<T: Send + Sync + 'static, E: From<PoolFull>>(
        &self,
        key: Key,
        bytes: u64,
        load: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        if let Some(model) = self.wait_or_reserve(&key, bytes)? {
            return Ok(model);
        }
        let mut reserved = Reserved {
            pool: self,
            key,
            model: None,
        };
        let model = Arc::new(load()?);
        let shared: Model = Arc::<T>::clone(&model);
        reserved.model = Some(shared);
        Ok(model)
    }

    /// The model if it is there, after waiting for whoever loads it; else its place is reserved.
    fn wait_or_reserve<T: Send + Sync + 'static>(
        &self,
        key: &Key,
        bytes: u64,
    ) -> Result<Option<Arc<T>>, PoolFull> {
        let mut state = self.state.lock();
        while state.places.get(key).is_some_and(|it| it.model.is_none()) {
            self.changed.wait(&mut state);
        }
        state.requests += 1;
        let asked = state.requests;
        let place = state.places.get_mut(key);
        let found = place.and_then(|place| {
            place.asked = asked;
            // the key holds the type, so this is the model
            Arc::clone(place.model.as_ref()?).downcast::<T>().ok()
        });
        if found.is_some() {
            state.stats.shared += 1;
            return Ok(found);
        }
        let bytes_max = self.bytes_max;
        let made = state.make_room(bytes, bytes_max);
        let evicted = made.map_err(|held| {
            state.stats.refused += 1;
            PoolFull {
                path: key.path.clone(),
                bytes,
                held,
                bytes_max,
            }
        })?;
        let place = Place {
            model: None,
            bytes,
            asked,
        };
        state.places.insert(key.clone(), place);
        drop(state);
        // to free much memory takes a while
        drop(evicted);
        Ok(None)
    }
}

impl State {
    fn bytes(&self) -> u64 {
        self.places.values().map(|place| place.bytes).sum()
    }

    /// Takes out models that nobody holds until `bytes` fit. If they would not fit then, nothing is
    /// taken out; returns the bytes that are held.
    fn make_room(&mut self, bytes: u64, bytes_max: u64) -> Result<Vec<Place>, u64> {
        let mut free: Vec<(u64, Key, u64)> = self
            .places
            .iter()
            .filter(|(_, place)| place.is_free())
            .map(|(key, place)| (place.asked, key.clone(), place.bytes))
            .collect();
        free.sort_by_key(|(asked, ..)| *asked);
        let mut used = self.bytes();
        let held = used - free.iter().map(|(.., bytes)| bytes).sum::<u64>();
        if held.saturating_add(bytes) > bytes_max {
            return Err(held);
        }
        let mut evicted = Vec::new();
        for (_, key, freed) in free {
            if used.saturating_add(bytes) <= bytes_max {
                break;
            }
            used -= freed;
            evicted.extend(self.places.remove(&key));
        }
        self.stats.evicted += evicted.len() as u64;
        Ok(evicted)
    }
}

/// A place that is reserved while its model is loaded: filled with the model, or given back where
/// loading failed or panicked.
struct Reserved<'a> {
    pool: &'a ModelPool,
    key: Key,
    model: Option<Model>,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.state.lock();
        match (self.model.take(), state.places.get_mut(&self.key)) {
            (Some(model), Some(place)) => {
                place.model = Some(model);
                state.stats.loaded += 1;
            }
            _ => drop(state.places.remove(&self.key)),
        }
        drop(state);
        self.pool.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    fn key(name: &str) -> Key {
        Key::of::<String>(Path::new(name), "", DeviceChoice::Cpu)
    }

    /// A model of so many bytes, named after its file.
    fn get(pool: &ModelPool, name: &str, bytes: u64) -> Result<Arc<String>, PoolFull> {
        pool.get(key(name), bytes, || Ok(name.to_owned()))
    }

    #[test]
    fn a_model_is_loaded_once_also_by_threads_that_ask_together() {
        let (pool, loads) = (ModelPool::new(100), AtomicUsize::new(0));
        let (threads, all) = (8, Barrier::new(8));
        let load = || {
            loads.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(50));
            Ok::<_, PoolFull>("a".to_owned())
        };
        let ask = || {
            all.wait();
            pool.get(key("a"), 60, load).expect("it fits")
        };
        let models: Vec<Arc<String>> = std::thread::scope(|scope| {
            let asking: Vec<_> = (0..threads).map(|_| scope.spawn(ask)).collect();
            let done = asking.into_iter().map(|it| it.join().expect("no panic"));
            done.collect()
        });
        assert_eq!(loads.load(Ordering::Relaxed), 1);
        assert!(models.iter().all(|it| Arc::ptr_eq(it, &models[0])));
        let stats = pool.stats();
        assert_eq!((stats.models, stats.bytes), (1, 60));
        assert_eq!((stats.loaded, stats.shared), (1, 7));
    }

    #[test]
    fn the_one_asked_for_longest_ago_goes_and_none_that_is_held() {
        let pool = ModelPool::new(100);
        let held = get(&pool, "held", 40).expect("it fits");
        for name in ["old", "new", "old"] {
            get(&pool, name, 30).expect("it fits");
        }
        get(&pool, "next", 30).expect("there is room without `new`");
        let loaded = pool.stats().loaded;
        get(&pool, "old", 30).expect("it is there");
        get(&pool, "held", 40).expect("it is there");
        assert_eq!(pool.stats().loaded, loaded);
        assert_eq!((pool.stats().evicted, pool.stats().bytes), (1, 100));
        // what cannot fit is refused, and evicts nothing
        let refused = get(&pool, "large", 61).expect_err("40 are held");
        assert_eq!((refused.held, refused.bytes_max), (40, 100));
        assert_eq!((pool.stats().refused, pool.stats().models), (1, 3));
        drop(held);
        get(&pool, "large", 61).expect("nobody holds a model now");
        assert_eq!((pool.stats().models, pool.stats().bytes), (1, 61));
    }

    #[test]
    fn whoever_waits_for_a_load_that_fails_loads_it() {
        let (pool, both) = (ModelPool::new(100), Barrier::new(2));
        let failing = || {
            pool.get::<String, PoolFull>(key("a"), 60, || {
                both.wait();
                std::thread::sleep(Duration::from_millis(50));
                panic!("a damaged file");
            })
        };
        std::thread::scope(|scope| {
            let first = scope.spawn(failing);
            both.wait();
            assert_eq!(*get(&pool, "a", 60).expect("it is free"), "a");
            assert!(first.join().is_err());
        });
        assert_eq!((pool.stats().loaded, pool.stats().models), (1, 1));
    }
}
