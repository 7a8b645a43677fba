//! Which sessions are open. Invariant: a folder is opened by one request at a time, and nothing
//! is closed that a request uses.

use super::name::SessionName;
use super::open::{OpenSession, SessionMaker};
use crate::blocking::blocking;
use crate::config::Limits;
use crate::problem::Problem;
use axum::http::StatusCode;
use futures_util::future::join_all;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use weir_api::{Budgets, ErrorClass};
use weir_core::session::{MemoryStats, Session};
use weir_engine::private;
use weir_engine::store::{StoreError, delete_session, is_taken, read_session};
use weir_models::WordPieceCounter;

/// Name of the folder of sessions in the data folder.
const FOLDER: &str = "sessions";
/// How often a closing session is looked at while a request uses it.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// Interval at which a waiting request checks whether the server is stopping.
const LOOK_CLOSING_EVERY: Duration = Duration::from_millis(100);

/// A session that is or may be open.
struct Entry {
    open: tokio::sync::Mutex<Option<Arc<OpenSession>>>,
    used: Mutex<Instant>,
}

/// What was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Deleted {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}

/// What open sessions hold together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Held {
    pub(crate) sessions: usize,
    pub(crate) bytes: usize,
    pub(crate) tree_tokens: usize,
    pub(crate) source_tokens: usize,
    pub(crate) scenes: usize,
    pub(crate) events: usize,
    pub(crate) units: usize,
    pub(crate) beliefs: usize,
    pub(crate) facts: usize,
}

impl Held {
    /// With one more session.
    fn and(self, of: &MemoryStats) -> Self {
        Self {
            sessions: self.sessions + 1,
            bytes: self.bytes + of.bytes,
            tree_tokens: self.tree_tokens + of.tokens,
            source_tokens: self.source_tokens + of.source_tokens,
            scenes: self.scenes + of.scenes,
            events: self.events + of.events,
            units: self.units + of.amus,
            beliefs: self.beliefs + of.beliefs,
            facts: self.facts + of.facts,
        }
    }
}

/// A session that is deleted when nobody uses it any more.
pub(crate) struct Temporary {
    session: Arc<OpenSession>,
    _folder: TempDir,
}

impl Temporary {
    /// Closes the session as soon as nobody uses it.
    pub(crate) async fn close(self) -> Result<(), Problem> {
        close(self.session, None).await
    }
}

/// What becomes of a session that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Absent {
    Create,
    /// It is created, and deleted again where nothing is heard.
    Try,
    Refuse,
}

/// The sessions of a data folder.
pub(crate) struct Sessions {
    folder: PathBuf,
    maker: Arc<SessionMaker>,
    limits: Limits,
    entries: Mutex<BTreeMap<SessionName, Arc<Entry>>>,
    closing: AtomicBool,
}

impl Sessions {
    /// The sessions of a data folder, which is created.
    pub(crate) fn new(data: &Path, maker: SessionMaker, limits: Limits) -> io::Result<Self> {
        let folder = data.join(FOLDER);
        private::make_folder(&folder)?;
        Ok(Self {
            folder,
            maker: Arc::new(maker),
            limits,
            entries: Mutex::default(),
            closing: AtomicBool::new(false),
        })
    }

    pub(crate) fn maker(&self) -> &SessionMaker {
        &self.maker
    }

    /// The same, shared.
    pub(crate) fn maker_shared(&self) -> Arc<SessionMaker> {
        Arc::clone(&self.maker)
    }

    /// The session that is given, else a new one in a temporary folder, which is not among the
    /// others and must be closed. Blocks.
    pub(crate) fn or_temporary(
        &self,
        given: Option<Arc<OpenSession>>,
    ) -> Result<(Arc<OpenSession>, Option<Temporary>), Problem> {
        if let Some(session) = given {
            return Ok((session, None));
        }
        let folder = tempfile::tempdir().map_err(Problem::internal)?;
        let dir = folder.path().join("session");
        let session = Arc::new(self.maker.open(&dir, &Budgets::default())?);
        let temporary = Temporary {
            session: Arc::clone(&session),
            _folder: folder,
        };
        Ok((session, Some(temporary)))
    }

    /// Whether the server stops: what uses a session ends soon.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// The folder of all sessions.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder of a session.
    pub(crate) fn dir(&self, name: &SessionName) -> PathBuf {
        self.folder.join(name)
    }

    /// The names of all sessions, in order.
    pub(crate) fn names(&self) -> io::Result<Vec<SessionName>> {
        let mut names = Vec::new();
        for item in std::fs::read_dir(&self.folder)? {
            let item = item?;
            let name = item.file_name().to_str().and_then(|it| it.parse().ok());
            names.extend(name.filter(|_| item.path().is_dir() && is_taken(&item.path())));
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Whether a session is open.
    pub(crate) fn is_open(&self, name: &SessionName) -> bool {
        let entry = self.entries.lock().get(name).cloned();
        entry.is_some_and(|it| it.open.try_lock().map_or(true, |open| open.is_some()))
    }

    /// Looks at a session, which is not opened for that: nobody makes, opens or deletes it
    /// meanwhile.
    pub(crate) async fn glance<T: Send + 'static>(
        &self,
        name: &SessionName,
        look: impl FnOnce(&Session, &Path) -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let entry = self.entry(name);
        let open = entry.open.lock().await;
        let dir = self.dir(name);
        if let Some(session) = open.clone() {
            drop(open);
            return blocking(move || Ok::<_, Problem>(look(&session.memory().session(), &dir)))
                .await;
        }
        if !is_taken(&dir) {
            return Err(Problem::not_found(format!("there is no session `{name}`")));
        }
        let counter = Arc::new(WordPieceCounter::shared());
        blocking(move || {
            let session = read_session(&dir, counter);
            let session = session.map_err(|it| Problem::of_class(ErrorClass::Storage, it))?;
            Ok::<_, Problem>(look(&session, &dir))
        })
        .await
    }

    /// What the open sessions hold together.
    pub(crate) fn held(&self) -> Held {
        let entries: Vec<Arc<Entry>> = self.entries.lock().values().cloned().collect();
        let open = entries
            .iter()
            .filter_map(|it| it.open.try_lock().ok()?.clone());
        open.fold(Held::default(), |all, it| {
            all.and(&it.memory().session().stats().memory)
        })
    }

    /// A session for what will be heard, opened if it is not, and created if it does not exist: to
    /// be called when the rest of the request is known to be right. A new one is deleted when
    /// nobody uses it any more and nothing was heard.
    pub(crate) async fn get_or_create(
        &self,
        name: &SessionName,
    ) -> Result<Arc<OpenSession>, Problem> {
        self.get(name, Absent::Try, Budgets::default()).await
    }

    /// A session, opened if it is not.
    pub(crate) async fn get(
        &self,
        name: &SessionName,
        absent: Absent,
        budgets: Budgets,
    ) -> Result<Arc<OpenSession>, Problem> {
        if self.is_closing() {
            return Err(Problem::of_class(
                ErrorClass::Gone,
                "the server is stopping",
            ));
        }
        let entry = self.entry(name);
        let mut open = entry.open.lock().await;
        *entry.used.lock() = Instant::now();
        if let Some(session) = open.as_ref().filter(|it| !it.is_over()) {
            return Ok(Arc::clone(session));
        }
        // one that failed is closed before its folder is opened again
        if let Some(failed) = open.take() {
            close_logged(name, failed).await;
        }
        let dir = self.dir(name);
        let is_new = !is_taken(&dir);
        if is_new {
            self.may_create(name, absent)?;
        }
        self.make_room(name).await?;
        let maker = Arc::clone(&self.maker);
        let mut session = blocking(move || maker.open(&dir, &budgets)).await?;
        session.set_tried(is_new && absent == Absent::Try);
        let session = Arc::new(session);
        *open = Some(Arc::clone(&session));
        Ok(session)
    }

    fn entry(&self, name: &SessionName) -> Arc<Entry> {
        let mut entries = self.entries.lock();
        let entry = entries.entry(name.clone()).or_insert_with(|| {
            Arc::new(Entry {
                open: tokio::sync::Mutex::default(),
                used: Mutex::new(Instant::now()),
            })
        });
        Arc::clone(entry)
    }

    fn may_create(&self, name: &SessionName, absent: Absent) -> Result<(), Problem> {
        if absent == Absent::Refuse {
            self.entries.lock().retain(|it, _| it != name);
            return Err(Problem::not_found(format!(
                "there is no session `{name}`; what is heard or created first makes it"
            )));
        }
        let known = self.names().map_err(Problem::internal)?.len();
        match known < self.limits.sessions {
            true => Ok(()),
            false => Err(Problem::new(
                StatusCode::INSUFFICIENT_STORAGE,
                ErrorClass::Conflict,
                format!("there are {known} sessions, and there may be no more; delete some first"),
            )),
        }
    }

    /// Closes the sessions not used for longest, until another may be opened.
    async fn make_room(&self, name: &SessionName) -> Result<(), Problem> {
        loop {
            let Held {
                sessions: open,
                bytes,
                ..
            } = self.held();
            if open < self.limits.open_sessions && bytes < self.limits.open_bytes {
                return Ok(());
            }
            if !self.close_oldest(Duration::ZERO, Some(name)).await {
                return Err(Problem::busy(format!(
                    "{open} sessions are open, hold {bytes} bytes and are in use; try again later"
                )));
            }
        }
    }

    /// Closes the session not used for longest, if it was not used for so long and no request uses
    /// it.
    async fn close_oldest(&self, idle: Duration, but: Option<&SessionName>) -> bool {
        let mut all: Vec<(Instant, SessionName, Arc<Entry>)> = {
            let entries = self.entries.lock();
            let others = entries.iter().filter(|(name, _)| Some(*name) != but);
            let aged = others.map(|(name, it)| (*it.used.lock(), name.clone(), Arc::clone(it)));
            aged.collect()
        };
        all.sort_by_key(|(used, ..)| *used);
        for (used, name, entry) in all {
            if used.elapsed() < idle {
                return false;
            }
            let Ok(mut open) = entry.open.try_lock() else {
                continue;
            };
            if let Some(session) = open.take_if(|it| is_unused(it)) {
                log::info!("closing the idle session {name}");
                close_logged(&name, session).await;
                return true;
            }
        }
        false
    }

    /// Closes sessions that are idle, deletes those in which nothing was heard, and forgets those
    /// that are closed.
    pub(crate) async fn tidy(&self) {
        while self.close_oldest(self.limits.idle, None).await {}
        let entries = self.entries.lock().clone();
        for (name, entry) in entries {
            if let Ok(mut open) = entry.open.try_lock()
                && let Some(unused) = open.take_if(|it| is_unused(it) && it.is_nothing())
            {
                close_logged(&name, unused).await;
            }
        }
        self.entries.lock().retain(|_, entry| {
            let unused = Arc::strong_count(entry) == 1;
            !unused || entry.open.try_lock().map_or(true, |open| open.is_some())
        });
    }

    /// Makes the folder of a new session by other means; it is opened when it is used.
    pub(crate) async fn make<T: Send + 'static>(
        &self,
        name: &SessionName,
        make: impl FnOnce(&Path) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let entry = self.entry(name);
        let _none_opens_it = entry.open.lock().await;
        let dir = self.dir(name);
        if dir.exists() {
            let why = format!("there is a session `{name}` already; give the new one another name");
            return Err(Problem::of_class(ErrorClass::Conflict, why));
        }
        self.may_create(name, Absent::Create)?;
        blocking(move || make(&dir)).await
    }

    /// Lets go of a session that was asked for with [`Self::get_or_create`], and deletes it at once
    /// if it was made for what was not heard then.
    pub(crate) async fn undo(&self, name: &SessionName, session: Arc<OpenSession>) {
        drop(session);
        let entry = self.entry(name);
        let mut open = entry.open.lock().await;
        if let Some(unused) = open.take_if(|it| is_unused(it) && it.is_nothing()) {
            close_logged(name, unused).await;
        }
    }

    /// Closes a session and deletes its folder.
    pub(crate) async fn delete(&self, name: &SessionName) -> Result<Deleted, Problem> {
        let entry = self.entry(name);
        let mut open = entry.open.lock().await;
        let dir = self.dir(name);
        if !dir.exists() {
            return Err(Problem::not_found(format!("there is no session `{name}`")));
        }
        if let Some(session) = open.take() {
            close(session, None).await?;
        }
        blocking(move || {
            let deleted = size_of(&dir);
            match delete_session(&dir) {
                Ok(()) => Ok(deleted),
                Err(error) if dir.is_symlink() || matches!(error, StoreError::InUse { .. }) => {
                    Err(Problem::of_class(ErrorClass::Conflict, error))
                }
                Err(error) => Err(Problem::of_class(ErrorClass::Storage, error)),
            }
        })
        .await
    }

    /// Closes all sessions, and opens none any more. Returns those that could not be closed.
    pub(crate) async fn close_all(&self) -> Vec<String> {
        self.closing.store(true, Ordering::Release);
        self.release_all().await
    }

    /// Closes all sessions; they are opened again when they are used. Returns those that could not
    /// be closed, because requests used them for too long, for example.
    pub(crate) async fn release_all(&self) -> Vec<String> {
        let entries = std::mem::take(&mut *self.entries.lock());
        let until = Instant::now() + self.limits.ending;
        let closing = entries.into_iter().map(|(name, entry)| async move {
            let session = entry.open.lock().await.take()?;
            let closed = close(session, Some(until)).await;
            Some(format!("{name}: {}", closed.err()?.detail()))
        });
        join_all(closing).await.into_iter().flatten().collect()
    }

    /// Returns when the server stops.
    pub(crate) async fn until_closing(&self) {
        while !self.is_closing() {
            tokio::time::sleep(LOOK_CLOSING_EVERY).await;
        }
    }
}

/// Whether no request uses a session.
fn is_unused(session: &Arc<OpenSession>) -> bool {
    Arc::strong_count(session) == 1
}

async fn close_logged(name: &SessionName, session: Arc<OpenSession>) {
    if let Err(failed) = close(session, None).await {
        log::warn!("{name}: {}", failed.detail());
    }
}

/// Closes a session as soon as no request uses it, if that is in time; its events end at once. One
/// that was made for what was not heard then is deleted.
async fn close(mut session: Arc<OpenSession>, until: Option<Instant>) -> Result<(), Problem> {
    session.events().end();
    let session = loop {
        match Arc::try_unwrap(session) {
            Ok(session) => break session,
            Err(_) if until.is_some_and(|it| Instant::now() >= it) => {
                let why =
                    "a request still used it at the time limit; what was acknowledged is kept";
                return Err(Problem::busy(why));
            }
            Err(used) => session = used,
        }
        tokio::time::sleep(LOOK_EVERY).await;
    };
    blocking(move || {
        let nothing = session.is_nothing().then(|| session.dir().to_path_buf());
        session.close()?;
        let deleted = nothing.map(|dir| delete_session(&dir));
        deleted.unwrap_or(Ok(())).map_err(Problem::internal)
    })
    .await
}

/// The files below a folder.
fn size_of(dir: &Path) -> Deleted {
    let mut size = Deleted::default();
    let Ok(items) = std::fs::read_dir(dir) else {
        return size;
    };
    for item in items.flatten() {
        let Ok(about) = item.metadata() else { continue };
        if about.is_dir() {
            let below = size_of(&item.path());
            size.files += below.files;
            size.bytes += below.bytes;
        } else {
            size.files += 1;
            size.bytes += about.len();
        }
    }
    size
}
