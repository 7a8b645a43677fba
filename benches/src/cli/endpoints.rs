//! Options for who writes, answers and judges: no model, or a model on a server.

use super::models::ServerModelArgs;
use crate::answerer::{Answerer, EndpointAnswerer, Extract};
use crate::endpoint::{Endpoint, EndpointWriter};
use crate::judge::{EndpointJudge, Judge, Rubric};
use crate::method::extractive::ExtractiveWriter;
use crate::method::writer::Writer;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::sync::Arc;
use weir_models::{CountTokens, Encode};

/// A model on a server, and the folder of its replies.
#[derive(clap::Args)]
pub(crate) struct ServerArgs {
    #[command(flatten)]
    model: ServerModelArgs,
    /// Folder for replies, so that a resumed run gives the same result
    #[arg(long, value_name = "DIR")]
    replies: Option<PathBuf>,
}

/// Roles that a server's model can take.
#[derive(clap::Args)]
pub(crate) struct EndpointArgs {
    #[command(flatten)]
    server: ServerArgs,
    /// The model writes summaries and queries for methods that need one; else they are extractive
    #[arg(long, requires = "endpoint")]
    endpoint_writes: bool,
    /// The model answers; else the best statements are quoted
    #[arg(long, requires = "endpoint")]
    endpoint_answers: bool,
    /// The model judges answers by this rubric: `accuracy` or `persona`
    #[arg(long, value_name = "RUBRIC", requires = "endpoint")]
    judge: Option<String>,
}

/// Writer, answerer and judge.
pub(crate) type Hands = (Arc<dyn Writer>, Arc<dyn Answerer>, Option<Arc<dyn Judge>>);

impl EndpointArgs {
    /// Builds them from the options.
    pub(crate) fn hands(
        &self,
        encoder: &Arc<dyn Encode>,
        counter: &Arc<dyn CountTokens>,
    ) -> Result<Hands> {
        let asked = || self.server.open()?.context("give --endpoint and --model");
        let writer: Arc<dyn Writer> = match self.endpoint_writes {
            true => Arc::new(EndpointWriter::new(asked()?)),
            false => Arc::new(ExtractiveWriter::new(Arc::clone(counter))),
        };
        let answerer: Arc<dyn Answerer> = match self.endpoint_answers {
            true => Arc::new(EndpointAnswerer::new(asked()?)),
            false => Arc::new(Extract::new(Arc::clone(encoder))),
        };
        let judge: Option<Arc<dyn Judge>> = match &self.judge {
            Some(rubric) => {
                let rubric = Rubric::named(rubric)?;
                Some(Arc::new(EndpointJudge::new(asked()?, rubric)))
            }
            None => None,
        };
        Ok((writer, answerer, judge))
    }
}

impl ServerArgs {
    /// The server, if one is given.
    pub(crate) fn open(&self) -> Result<Option<Arc<Endpoint>>> {
        let Some(options) = self.model.options() else {
            return Ok(None);
        };
        let endpoint = Endpoint::new(options)?;
        Ok(Some(Arc::new(match &self.replies {
            Some(folder) => endpoint.remembering(folder)?,
            None => endpoint,
        })))
    }
}
