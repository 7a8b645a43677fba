//! The distiller, the answerer, the reranker and the check of a selection, with their models.

use crate::error::LoadingError;
use crate::loader::Loader;
use crate::note::{Note, SentTalk};
use crate::selection::{CheckBy, DistilBy, Selection, Writer};
use crate::shared::{Locked, LockedSummariser, Shared, SharedSummariser};
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_core::answer::{
    Answerer, CheckClaim, EntailmentCheck, LexicalCheck, PromptedCheck, Quote, Written,
};
use weir_core::distil::{
    Distil, Extractive, Instructed, Limit, Neural, Observer, ObservingDistiller,
};
use weir_models::weights::Kind;
use weir_models::{
    CrossEncoder, EntailmentModel, Generate, Generator, GeneratorOptions, Rerank, T5Summariser,
    TimeLimit,
};

/// The models of a selection.
pub struct ModelSet {
    /// Distils blocks to memories.
    pub distiller: Box<dyn Distil>,
    /// Answers questions from memories.
    pub answerer: Box<dyn Answerer>,
    /// Reranks the statements found.
    pub reranker: Option<Arc<dyn Rerank>>,
    /// Checks the claims of answers.
    pub check: Option<Box<dyn CheckClaim>>,
}

impl Loader {
    /// The models of a selection. Servers are asked whether they are there.
    ///
    /// # Errors
    /// [`LoadingError`] of the first model that cannot be had.
    pub fn models(
        &self,
        selection: &Selection,
        tell: &mut dyn FnMut(Note),
    ) -> Result<ModelSet, LoadingError> {
        let mut loading = Loading {
            loader: self,
            selection,
            tell,
        };
        let check = loading.check()?;
        Ok(ModelSet {
            distiller: loading.distiller()?,
            answerer: loading.answerer()?,
            reranker: loading.reranker()?,
            check,
        })
    }
}

impl Loader {
    /// The generator of a selection that is on this machine; each reply may take so long.
    ///
    /// # Errors
    /// [`LoadingError`] if it cannot be had.
    pub fn generator(
        &self,
        selection: &Selection,
        limit: Duration,
        tell: &mut dyn FnMut(Note),
    ) -> Result<Box<dyn Generate>, LoadingError> {
        let mut loading = Loading {
            loader: self,
            selection,
            tell,
        };
        Ok(Box::new(TimeLimit::new(loading.local()?, limit)))
    }
}

/// A selection that is being loaded.
struct Loading<'a> {
    loader: &'a Loader,
    selection: &'a Selection,
    tell: &'a mut dyn FnMut(Note),
}

impl Loading<'_> {
    fn distiller(&mut self) -> Result<Box<dyn Distil>, LoadingError> {
        let limit = self.selection.distil_limit;
        let instructed = match self.selection.distil {
            DistilBy::Instructed(by) => Some(by),
            _ => None,
        };
        // one model does both
        let generator = match instructed.or(self.selection.observer) {
            Some(by) => Some(self.writer_of(by, SentTalk::Blocks, limit)?),
            None => None,
        };
        let limited = |generator: &Shared| Box::new(TimeLimit::new(generator.clone(), limit));
        let distiller: Box<dyn Distil> = match (&self.selection.distil, &generator) {
            (DistilBy::Instructed(_), Some(generator)) => {
                Box::new(Instructed::new(limited(generator)))
            }
            (DistilBy::Neural(summariser), _) => self.neural(summariser)?,
            _ => Box::new(Extractive),
        };
        Ok(
            match generator.filter(|_| self.selection.observer.is_some()) {
                Some(generator) => Box::new(ObservingDistiller::new(
                    distiller,
                    Observer::new(limited(&generator)),
                )),
                None => distiller,
            },
        )
    }

    /// The distiller with a summariser.
    fn neural(&mut self, summariser: &str) -> Result<Box<dyn Distil>, LoadingError> {
        let loader = self.loader;
        let summariser = loader.find(summariser, Kind::Summariser, "the summariser")?;
        (self.tell)(Note::LoadingDistiller);
        let summariser = loader.pooled(&summariser, |path, device| {
            T5Summariser::load_on(path, device).map(LockedSummariser::new)
        })?;
        Ok(Box::new(Neural::new(
            Box::new(SharedSummariser(summariser)),
            Some(clocked(self.selection.distil_limit)),
        )))
    }

    fn answerer(&mut self) -> Result<Box<dyn Answerer>, LoadingError> {
        let limit = self.selection.answer_limit;
        let generator = match self.selection.answer {
            None => return Ok(Box::new(Quote)),
            Some(Writer::Local) => self.local()?,
            Some(Writer::Endpoint) => self.server(limit)?,
        };
        let limited = TimeLimit::new(generator, limit);
        Ok(Box::new(Written::new(Box::new(limited))))
    }

    fn reranker(&self) -> Result<Option<Arc<dyn Rerank>>, LoadingError> {
        let Some(name) = &self.selection.reranker else {
            return Ok(None);
        };
        let folder = self.loader.find(name, Kind::Reranker, "the reranker")?;
        let model: Arc<CrossEncoder> = self
            .loader
            .pooled(&folder, |path, device| CrossEncoder::load_on(path, device))?;
        Ok(Some(model))
    }

    fn check(&mut self) -> Result<Option<Box<dyn CheckClaim>>, LoadingError> {
        let limit = self.selection.answer_limit;
        Ok(match &self.selection.check {
            None => None,
            Some(CheckBy::Lexical) => Some(Box::new(LexicalCheck)),
            Some(CheckBy::Entailment(name)) => {
                let what = "the model that checks";
                let folder = self.loader.find(name, Kind::Entailment, what)?;
                let model: Arc<EntailmentModel> = self.loader.pooled(&folder, |path, device| {
                    EntailmentModel::load_on(path, device)
                })?;
                Some(Box::new(EntailmentCheck::new(Box::new(model))))
            }
            Some(CheckBy::Prompted(by)) => {
                let generator = self.writer_of(*by, SentTalk::Claims, limit)?;
                let limited = TimeLimit::new(generator, limit);
                Some(Box::new(PromptedCheck::new(Box::new(limited))))
            }
        })
    }

    /// The generator that is shown what was said.
    fn writer_of(
        &mut self,
        by: Writer,
        what: SentTalk,
        limit: Duration,
    ) -> Result<Shared, LoadingError> {
        if by == Writer::Local {
            return self.local();
        }
        let server = self.server(limit)?;
        let endpoint = self.selection.endpoint.iter();
        endpoint.for_each(|it| {
            let url = it.url.clone();
            (self.tell)(Note::TalkIsSent { what, url });
        });
        Ok(server)
    }

    /// The generator on this machine.
    fn local(&mut self) -> Result<Shared, LoadingError> {
        let what = "the local generator";
        let name = &self.selection.generator;
        let path = self.loader.find(name, Kind::Generator, what)?;
        let tell = &mut self.tell;
        let model = self.loader.pooled(&path, |path, device| {
            tell(Note::LoadingGenerator(path.to_owned()));
            let options = GeneratorOptions {
                device,
                ..GeneratorOptions::default()
            };
            Generator::load(path, options).map(Locked::new)
        })?;
        Ok(Shared(model))
    }

    fn server(&mut self, limit: Duration) -> Result<Shared, LoadingError> {
        let endpoint = self.selection.endpoint.as_ref();
        let endpoint = endpoint.ok_or(LoadingError::NoEndpoint)?;
        let server = endpoint.open(limit, self.tell)?;
        Ok(Shared(Arc::new(Locked::new(server))))
    }
}

/// A time limit on this machine's clock.
fn clocked(within: Duration) -> Limit {
    let start = Instant::now();
    Limit {
        within,
        clock: Box::new(move || start.elapsed()),
    }
}
