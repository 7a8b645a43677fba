//! How the owner carries out what clients ask for.

use crate::pipeline::error::PipelineError;
use crate::pipeline::service::change::Change;
use crate::pipeline::service::error::ServiceError;
use crate::pipeline::service::keys::{Key, Words, hash_of, words_hash};
use crate::pipeline::service::messages::{Command, GIVEN_ID, Reply, Said, take};
use crate::pipeline::service::owner::Owner;
use crate::time::now_and_here;
use std::time::Instant;
use weir_api::{Changed, Heard};
use weir_core::answer::QuestionTime;
use weir_core::limits::STREAMS_OPEN_MAX;
use weir_core::session::{Input, InputError, OpenStream, Session};
use weir_core::stream::{StreamStart, Utterance};
use weir_core::transcript::Transcript as _;

/// Name of the stream that talk without one begins.
const STREAM: &str = "talk";

/// A stream that begins so far from now is of another time, and talk that is so far ahead of now
/// was dated by a clock that was wrong.
const APART_MS: u64 = 3_600_000;

/// What makes talk the same as other talk.
fn said_words(said: &[Said]) -> Vec<&Utterance> {
    said.iter().flat_map(Said::words).collect()
}

/// The open stream of this name; without one, the only one.
fn open_for<'a>(session: &'a Session, named: Option<&str>) -> Option<&'a OpenStream> {
    match named {
        Some(named) => session.open_stream(named),
        None => session
            .streams()
            .next()
            .filter(|_| session.streams().nth(1).is_none()),
    }
}

impl Owner {
    /// Takes a message of a client. An error ends the session; what is wrong with the message goes
    /// back to the client.
    pub(crate) fn obey(&mut self, command: Command) -> Result<(), PipelineError> {
        match command {
            // a client that gave up has taken its request back
            Command::Hear(request) if take(&request.taken) => {
                let key = Key::of(request.key, || format!("{:?}", said_words(&request.what)));
                let done = match self.heard_keys.first(key.as_ref()) {
                    Some(first) => first,
                    None => self.hear_all(request.what)?,
                };
                self.heard_keys.keep(key, &done);
                self.owe(request.reply, done);
            }
            Command::Change(request) if take(&request.taken) => {
                let key = Key::of(request.key, || format!("{:?}", request.what));
                let done = match self.change_keys.first(key.as_ref()) {
                    Some(first) => first,
                    None => self.changed(request.what)?,
                };
                // a change that was refused changed nothing, and may be sent again
                if done.is_ok() {
                    self.change_keys.keep(key, &done);
                }
                self.owe(request.reply, done);
            }
            Command::Recognised { label, name } => self.recognised(&label, &name)?,
            Command::Attached { stream, is: true } => {
                self.attached.insert(stream);
            }
            Command::Attached { stream, is: false } => {
                self.attached.remove(&stream);
            }
            Command::Access(input) => self.change(*input)?,
            Command::Hear(_) | Command::Change(_) | Command::AnswererEnded | Command::Close => {}
        }
        Ok(())
    }

    /// Replies after the commit, with the error if that fails.
    fn owe<T: Send + 'static>(&mut self, reply: Reply<T>, done: Result<T, ServiceError>) {
        self.owed.push(Box::new(move |failed| {
            // ignore a client that no longer waits
            let _ = reply.send(failed.map_or(done, |error| Err(error.into())));
        }));
    }

    /// Refuses a change that would take the stream of a feed: its next utterance would belong to
    /// none. A place for the next stream of a run's feed stays free.
    pub(crate) fn beside_feed(&self, change: &Change, is_run: bool) -> Result<(), ServiceError> {
        let is_fed = is_run || !self.attached.is_empty();
        let of_run = |stream| is_run && !self.beside.contains(stream);
        match change {
            Change::Begin(start) if is_fed && !start.beside => Err(ServiceError::Fed),
            Change::End(stream) if self.attached.contains(stream) || of_run(stream) => {
                Err(ServiceError::Fed)
            }
            Change::Begin(start)
                if is_run && self.clients_streams().count() + 1 >= STREAMS_OPEN_MAX =>
            {
                let open: Vec<String> = self
                    .clients_streams()
                    .map(|name| format!("`{name}`"))
                    .collect();
                Err(ServiceError::Input(InputError::StreamsFull {
                    stream: start.name.clone(),
                    max: STREAMS_OPEN_MAX - 1,
                    open: open.join(", "),
                }))
            }
            _ => Ok(()),
        }
    }

    /// The open streams that clients began beside others.
    fn clients_streams(&self) -> impl Iterator<Item = &str> {
        let open = self.driver.session().streams().map(|it| it.name.as_str());
        open.filter(|name| self.beside.contains(*name))
    }

    /// A stream of the feed begins: alone, or beside those that clients began.
    pub(super) fn feed_begins(&mut self, mut start: StreamStart) -> Result<(), PipelineError> {
        let session = self.driver.session();
        let theirs = |name: &str| self.beside.contains(name) && name != start.name;
        let (theirs, before): (Vec<_>, Vec<_>) = session
            .streams()
            .map(|it| it.name.clone())
            .partition(|name| theirs(name));
        if !theirs.is_empty() {
            start.beside = true;
            before
                .into_iter()
                .try_for_each(|name| self.change(Input::End(name)))?;
        }
        self.beside = theirs.into_iter().collect();
        self.change(Input::Begin(start))
    }

    pub(super) fn changed(
        &mut self,
        change: Change,
    ) -> Result<Result<Changed, ServiceError>, PipelineError> {
        let beside = match &change {
            Change::Begin(start) if start.beside => Some(start.name.clone()),
            _ => None,
        };
        let (is_told, naming) = (change.is_told(), change.naming());
        let begun = match &change {
            Change::Begin(start) => Some((start.name.clone(), start.started_at_unix_ms)),
            _ => None,
        };
        let is_erasure = matches!(change, Change::Erase(_));
        let prepared = match change.prepared(&self.driver) {
            Ok(prepared) => prepared,
            Err(refused) => return Ok(Err(refused)),
        };
        let done = prepared.carry_out(&mut self.driver)?;
        if let (true, Ok(done)) = (is_told, &done) {
            self.news.changed(naming, done);
        }
        if let (Some((name, at)), Ok(_)) = (begun, &done) {
            self.date(name, at)?;
        } else if is_erasure {
            // the new files lack them
            self.driver
                .inner_mut()
                .mark_streams_apart(&self.of_another_time)?;
        }
        if let Some(name) = beside.filter(|_| done.is_ok()) {
            self.beside = self
                .clients_streams()
                .map(str::to_owned)
                .chain([name])
                .collect();
        }
        self.stale = true;
        self.distil_inline()?;
        Ok(done)
    }

    /// Notes whether a stream, just begun, is of another time than now.
    fn date(&mut self, name: String, at: Option<i64>) -> Result<(), PipelineError> {
        let before = self.of_another_time.clone();
        let now = now_and_here(QuestionTime::default()).unix_ms;
        let apart = at.zip(now).map(|(at, now)| at.abs_diff(now));
        match apart.is_some_and(|apart| apart > APART_MS) {
            true => self.of_another_time.insert(name),
            false => self.of_another_time.remove(&name),
        };
        let session = self.driver.session();
        self.of_another_time
            .retain(|name| session.open_stream(name).is_some());
        match self.of_another_time == before {
            true => Ok(()),
            false => {
                let names = &self.of_another_time;
                self.driver.inner_mut().mark_streams_apart(names)
            }
        }
    }

    /// Takes in the utterances of a client, up to the first that is refused.
    fn hear_all(&mut self, said: Vec<Said>) -> Result<Result<Heard, ServiceError>, PipelineError> {
        let since = Instant::now();
        let mut heard = Heard::default();
        for said in said {
            match self.hear_one(said, since)? {
                Ok(id) => heard.ids.push(id),
                Err(refused) => return Ok(Err(refused.into())),
            }
        }
        heard.turns = self.driver.session().turns();
        Ok(Ok(heard))
    }

    /// Takes in one utterance in its parts; returns its id.
    fn hear_one(
        &mut self,
        said: Said,
        since: Instant,
    ) -> Result<Result<String, InputError>, PipelineError> {
        let begin = self.driver.session().stream().is_none();
        let (named, mut said_at) = (said.stream(), said.said_at_unix_ms);
        said_at = said_at.filter(|_| !self.is_of_another_time(named));
        if said.is_untimed
            && let Some(at) = said_at
        {
            self.set_right(named, at)?;
        }
        let now_ms = self.now_in_stream(named, said_at);
        let open = open_for(self.driver.session(), named);
        let open = open.map(|it| it.name.as_str()).or(said.stream());
        // one of several must be named
        let stream = open.unwrap_or(if begin { STREAM } else { "" }).to_owned();
        let given = said.given_id().map(|id| {
            let words: Vec<&str> = said.words().map(|it| it.text.as_str()).collect();
            (hash_of(&(stream.as_str(), id)), words_hash(&words))
        });
        match self.is_known(&stream, &said, given) {
            Err(other) => return Ok(Err(other)),
            Ok(Some(id)) => return Ok(Ok(id)),
            Ok(None) => {}
        }
        let number = self.driver.session().turns() + 1;
        let (id, parts) = said.placed(&stream, now_ms, number);
        if begin && let Err(refused) = self.begin_for(StreamStart::new(stream, said_at), &parts)? {
            return Ok(Err(refused));
        }
        for part in parts {
            let mut done = self.driver.inner_mut().offer(part);
            while let Err(refused) = done {
                let (error, part) = *refused;
                if !matches!(error, InputError::PendingFull { .. }) || !self.mount_here()? {
                    return Ok(Err(error));
                }
                done = self.driver.inner_mut().offer(part);
            }
            self.count(since);
            self.distil_inline()?;
        }
        if let Some((name, words)) = given {
            self.given_ids.keep(name, words);
        }
        Ok(Ok(id))
    }

    /// Where an utterance without a time stands in its stream: now, if that is known, else after
    /// all that was heard. A stream of another time goes on from its own end, whatever else is
    /// heard.
    fn now_in_stream(&self, named: Option<&str>, said_at: Option<i64>) -> u64 {
        let session = self.driver.session();
        open_for(session, named).map_or(0, |it| {
            let now = said_at.and_then(|at| it.session_ms(at));
            let now = now.map(|now| now.saturating_sub(it.base_ms).max(it.heard_ms));
            let is_apart = self.of_another_time.contains(&it.name);
            let after = match is_apart {
                true => it.heard_ms,
                false => session.now_ms() - it.base_ms,
            };
            now.unwrap_or(after)
        })
    }

    /// Whether an utterance belongs to a stream that began at another time than now.
    fn is_of_another_time(&self, named: Option<&str>) -> bool {
        let open = open_for(self.driver.session(), named);
        open.is_some_and(|it| self.of_another_time.contains(&it.name))
    }

    /// A stream that is far ahead of now was dated by a clock that was wrong: it goes on from now.
    fn set_right(&mut self, named: Option<&str>, now: i64) -> Result<(), PipelineError> {
        let open = open_for(self.driver.session(), named);
        let ahead = open.and_then(|it| Some((it.name.clone(), it.heard_unix_ms()?)));
        let Some((name, _)) = ahead.filter(|(_, end)| end.saturating_sub(now) > APART_MS as i64)
        else {
            return Ok(());
        };
        self.change(Input::Break {
            resumes_at_unix_ms: Some(now),
            stream: Some(name),
        })
    }

    /// Begins the first stream, unless its first utterance would be refused.
    fn begin_for(
        &mut self,
        start: StreamStart,
        parts: &[Input],
    ) -> Result<Result<(), InputError>, PipelineError> {
        let begin = Input::Begin(start);
        let mut trial = self.driver.session().clone();
        for input in [&begin].into_iter().chain(parts.first()) {
            if let Err(refused) = trial.apply(input) {
                return Ok(Err(refused));
            }
        }
        self.change(begin).map(Ok)
    }

    /// The id of an utterance that was heard before, if it is sent again.
    fn is_known(
        &mut self,
        stream: &str,
        said: &Said,
        given: Option<(u64, Words)>,
    ) -> Result<Option<String>, InputError> {
        let Some((id, (name, words))) = said.given_id().zip(given) else {
            return Ok(None);
        };
        self.recall_ids();
        let is_same = match self.given_ids.known(name) {
            None => return Ok(None),
            Some(None) => self.stored_words(stream, id) == words,
            Some(known) => known == words,
        };
        let (id, stream) = (id.to_owned(), stream.to_owned());
        match is_same {
            true => Ok(Some(id)),
            false => Err(InputError::SameId { id, stream }),
        }
    }

    /// Reads once which ids were used before the session was opened.
    fn recall_ids(&mut self) {
        if std::mem::replace(&mut self.given_ids.is_whole, true) {
            return;
        }
        self.driver.inner_mut().flush_transcript();
        let mut old = Vec::new();
        if let Some(transcript) = self.driver.inner().transcript() {
            let kept = transcript.find(&|_, _, _| true);
            old.extend(kept.into_iter().map(|it| (it.stream, it.utterance)));
        }
        old.extend(self.driver.session().held());
        old.retain(|(_, id)| !id.starts_with(GIVEN_ID));
        for (stream, id) in old {
            let name = hash_of(&(stream.as_str(), id.as_str()));
            if self.given_ids.known(name).is_none() {
                self.given_ids.keep(name, None);
            }
        }
    }

    /// The words under an id as the transcript has them.
    fn stored_words(&self, stream: &str, id: &str) -> Words {
        let transcript = self.driver.inner().transcript()?;
        let found = transcript.find(&|of, named, _| of == stream && named == id);
        let words = found
            .iter()
            .map(|it| transcript.utterance(it.turn, stream, id));
        let words: Option<Vec<String>> = words.collect();
        let words = words?;
        words_hash(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }
}
