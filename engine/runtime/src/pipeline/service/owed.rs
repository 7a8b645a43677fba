//! Replies that wait for the commit of what they acknowledge.

use crate::pipeline::error::PipelineError;
use crate::pipeline::service::change::Changed;
use crate::pipeline::service::error::ServiceError;
use crate::pipeline::service::messages::{Heard, Reply};

/// A reply that waits for the commit.
pub(super) enum Owed {
    Heard(Reply<Heard>, Result<Heard, ServiceError>),
    Changed(Reply<Changed>, Result<Changed, ServiceError>),
}

impl Owed {
    pub(super) fn pay(self, failed: Option<&PipelineError>) {
        let failed = failed.map(ServiceError::from);
        // ignore a client that no longer waits
        match self {
            Self::Heard(reply, done) => drop(reply.send(failed.map_or(done, Err))),
            Self::Changed(reply, done) => drop(reply.send(failed.map_or(done, Err))),
        }
    }
}
