//! The distiller, the answerer and the reranker that flags choose, with their models loaded.
//!
//! What was chosen by name and is not here is refused before anything is heard, with the way to it.

use super::args::Global;
use super::model_args::{AnswerArg, AnswerArgs, DistilArgs, DistillerArg, WriterArgs};
use super::parts;
use super::screen::Screen;
use crate::answer::{Answerer, Quote, Written};
use crate::distil::{Distil, Extractive, Instructed, Neural};
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use weir_models::endpoint::{EndpointGenerator, EndpointOptions};
use weir_models::weights::{Kind, Located};
use weir_models::{
    CrossEncoder, Generate, Generator, GeneratorOptions, Gliner, Rerank, T5Summariser, TimeLimit,
};

/// The models that flags name by themselves, and the reranker that is spoken of first.
pub(super) const GENERATOR: &str = "SmolLM2-135M-Instruct";
pub(super) const SUMMARISER: &str = "LaMini-T5-738M";
pub(super) const EXTRACTOR: &str = "gliner_medium-v2.1";
pub(super) const RERANKER: &str = "ms-marco-MiniLM-L6-v2";

/// The distiller asked for.
pub(super) fn distiller(
    args: &DistilArgs,
    writer: &WriterArgs,
    global: &Global,
    screen: &mut Screen,
) -> anyhow::Result<Box<dyn Distil>> {
    let limit = Duration::from_millis(args.distil_ms);
    match args.distiller {
        DistillerArg::Extractive => Ok(Box::new(Extractive)),
        DistillerArg::Neural => {
            let why = "`--distiller neural` needs a summariser and an extractor";
            let summariser = found(&args.summariser, Kind::Summariser, global).context(why)?;
            let extractor = found(&args.extractor, Kind::Extractor, global).context(why)?;
            screen.note("loading the models that distil");
            let summariser = T5Summariser::load_on(summariser, global.device)?;
            let extractor = Gliner::load_on(extractor, global.device)?;
            Ok(Box::new(Neural::new(
                Box::new(summariser),
                Box::new(extractor),
            )))
        }
        DistillerArg::Llm => {
            let generator = match &writer.endpoint {
                Some(_) => endpoint(writer, limit)?,
                None => local(writer, global, screen)?,
            };
            let limited = TimeLimit::new(generator, limit);
            Ok(Box::new(Instructed::new(Box::new(limited))))
        }
    }
}

/// The answerer asked for.
pub(super) fn answerer(
    args: &AnswerArgs,
    writer: &WriterArgs,
    global: &Global,
    screen: &mut Screen,
) -> anyhow::Result<Box<dyn Answerer>> {
    let limit = Duration::from_millis(args.answer_ms);
    let generator = match args.answer {
        AnswerArg::Quote => return Ok(Box::new(Quote)),
        AnswerArg::Local => local(writer, global, screen)?,
        AnswerArg::Endpoint => endpoint(writer, limit)?,
    };
    Ok(Box::new(Written::new(Box::new(TimeLimit::new(
        generator, limit,
    )))))
}

/// The reranker asked for, if any.
pub(super) fn reranker(
    args: &AnswerArgs,
    global: &Global,
) -> anyhow::Result<Option<Arc<dyn Rerank>>> {
    let Some(name) = &args.reranker else {
        return Ok(None);
    };
    let folder = found(name, Kind::Reranker, global).context("the reranker is not to be had")?;
    Ok(Some(Arc::new(CrossEncoder::load_on(
        folder,
        global.device,
    )?)))
}

/// The local generator.
fn local(
    writer: &WriterArgs,
    global: &Global,
    screen: &mut Screen,
) -> anyhow::Result<Box<dyn Generate>> {
    let path = found(&writer.generator, Kind::Generator, global)
        .context("the local generator is not to be had")?;
    screen.note(&format!("loading {}", path.display()));
    let options = GeneratorOptions {
        threads: writer.generator_threads.map_or(0, usize::from),
        device: global.device,
        ..GeneratorOptions::default()
    };
    Ok(Box::new(Generator::load(&path, options)?))
}

/// The endpoint, asked whether it is there. One attempt within `limit`: what waits longer for it
/// goes another way.
pub(super) fn endpoint(writer: &WriterArgs, limit: Duration) -> anyhow::Result<Box<dyn Generate>> {
    let Some(url) = &writer.endpoint else {
        bail!(
            "an endpoint needs an address: --endpoint http://localhost:11434/v1 (Ollama), \
             http://localhost:8000/v1 (vLLM, llama.cpp)"
        );
    };
    let Some(model) = &writer.endpoint_model else {
        bail!("an endpoint needs a model: --endpoint-model NAME, as the server names it");
    };
    let mut options = EndpointOptions::new(url, model);
    options.key_variable.clone_from(&writer.endpoint_key);
    options.first_piece_timeout = limit;
    options.total_timeout = limit;
    Ok(Box::new(EndpointGenerator::open(options)?))
}

/// Where a model lies that is given by path or by name.
fn found(name: &str, kind: Kind, global: &Global) -> anyhow::Result<PathBuf> {
    if Path::new(name).exists() {
        return Ok(PathBuf::from(name));
    }
    match parts::models(global).path(name)? {
        Located::OnDisk {
            kind: found, path, ..
        } if found == kind => Ok(path),
        Located::OnDisk { name, .. } | Located::Embedded { name } => {
            bail!("{name} is another kind of model; `weir models list` shows the kinds")
        }
    }
}
