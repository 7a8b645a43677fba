//! How the owner carries out what clients ask for.

use crate::pipeline::error::PipelineError;
use crate::pipeline::service::change::{Change, Changed};
use crate::pipeline::service::error::ServiceError;
use crate::pipeline::service::keys::{Key, hash_of};
use crate::pipeline::service::messages::{Command, Heard, Request, Said};
use crate::pipeline::service::owed::Owed;
use crate::pipeline::service::owner::Owner;
use std::time::Instant;
use weir_core::driver::TakesInputs as _;
use weir_core::session::{Input, InputError};
use weir_core::stream::{StreamStart, Utterance};

/// Name of the stream that talk without one begins.
const STREAM: &str = "talk";

/// What makes talk the same as other talk.
fn said_words(said: &[Said]) -> Vec<&Utterance> {
    said.iter().flat_map(Said::words).collect()
}

impl Owner {
    /// Takes a message of a client. An error ends the session; what is wrong with the message goes
    /// back to the client.
    pub(crate) fn obey(&mut self, command: Command) -> Result<(), PipelineError> {
        match command {
            Command::Hear(Request { what, key, reply }) => {
                let key = Key::of(key, || format!("{:?}", said_words(&what)));
                let done = match self.heard_keys.first(key.as_ref()) {
                    Some(first) => first,
                    None => self.hear_all(what)?,
                };
                self.heard_keys.keep(key, &done);
                self.owed.push(Owed::Heard(reply, done));
            }
            Command::Change(Request { what, key, reply }) => {
                let key = Key::of(key, || format!("{what:?}"));
                let done = match self.change_keys.first(key.as_ref()) {
                    Some(first) => first,
                    None => self.changed(what)?,
                };
                // a change that was refused changed nothing, and may be sent again
                if done.is_ok() {
                    self.change_keys.keep(key, &done);
                }
                self.owed.push(Owed::Changed(reply, done));
            }
            Command::Access(input) => self.change(input)?,
            Command::AnswererEnded | Command::Close => {}
        }
        Ok(())
    }

    pub(super) fn changed(
        &mut self,
        change: Change,
    ) -> Result<Result<Changed, ServiceError>, PipelineError> {
        let prepared = match change.prepared(&self.driver) {
            Ok(prepared) => prepared,
            Err(refused) => return Ok(Err(refused)),
        };
        let done = prepared.carry_out(&mut self.driver)?;
        self.stale = true;
        self.distil_inline()?;
        Ok(done)
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
        if self.driver.session().stream().is_none() {
            let begin = Input::Begin(StreamStart {
                name: said.stream().unwrap_or(STREAM).to_owned(),
                started_at_unix_ms: None,
            });
            self.change(begin)?;
        }
        let session = self.driver.session();
        let stream = session.stream().map(|it| it.name.clone());
        let number = session.turns() + 1;
        let stream = stream.unwrap_or_default();
        let given = said.given_id().map(|id| {
            let words: Vec<&str> = said.words().map(|it| it.text.as_str()).collect();
            (id.to_owned(), hash_of(&(&stream, id)), hash_of(&words))
        });
        if let Some((id, name, words)) = &given {
            match self.given_ids.known(*name) {
                // sent again: it is heard once
                Some(known) if known == *words => return Ok(Ok(id.clone())),
                Some(_) => {
                    let id = id.clone();
                    return Ok(Err(InputError::SameId { id, stream }));
                }
                None => {}
            }
        }
        let (id, parts) = said.placed(&stream, session.stream_ms(), number);
        for part in parts {
            let mut done = self.driver.inner_mut().apply(part.clone());
            while let Err(InputError::PendingFull { .. }) = done {
                if !self.mount_here()? {
                    break;
                }
                done = self.driver.inner_mut().apply(part.clone());
            }
            if let Err(refused) = done {
                return Ok(Err(refused));
            }
            self.count(&part, since);
            self.distil_inline()?;
        }
        if let Some((_, name, words)) = given {
            self.given_ids.keep(name, words);
        }
        Ok(Ok(id))
    }
}
