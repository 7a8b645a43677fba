//! The distiller, the answerer and the reranker selected by flags, with their models loaded.
//!
//! A missing model that a flag names is an error before any input is read, with the command to get
//! it.

use crate::cli::args::Global;
use crate::cli::loading::endpoints;
use crate::cli::loading::model_args::{
    AnswerArg, AnswerArgs, CheckArg, DistilArgs, DistillerArg, ObserverArg, WriterArgs,
};
use crate::cli::loading::places;
use crate::cli::loading::shared::Shared;
use crate::cli::terminal::Terminal;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use weir_core::answer::{
    Answerer, CheckClaim, EntailmentCheck, LexicalCheck, PromptedCheck, Quote, Written,
};
use weir_core::distil::{Distil, Extractive, Instructed, Limit, Neural, Observed, Observer};
use weir_models::weights::{Kind, Located};
use weir_models::{
    CrossEncoder, EntailmentModel, Generate, Generator, GeneratorOptions, Gliner, Rerank,
    T5Summariser, TimeLimit,
};

/// The selected distiller; `answer` is the selected answerer, `loaded` caches the local generator.
pub(crate) fn distiller(
    (args, answer): (&DistilArgs, AnswerArg),
    writer: &WriterArgs,
    loaded: &mut Option<Shared>,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Box<dyn Distil>> {
    let limit = Duration::from_millis(args.distil_ms);
    let by_model = args.distiller == DistillerArg::Llm || args.observer == ObserverArg::Llm;
    let generator = match by_model {
        true => Some(Shared::new(of_talk(
            answer, writer, loaded, global, terminal, limit,
        )?)),
        false => None,
    };
    let limited = |generator: &Shared| Box::new(TimeLimit::new(generator.clone(), limit));
    let distiller = match (args.distiller, &generator) {
        (DistillerArg::Llm, Some(generator)) => Box::new(Instructed::new(limited(generator))),
        (DistillerArg::Neural, _) => neural(args, limit, global, terminal)?,
        _ => Box::new(Extractive) as Box<dyn Distil>,
    };
    Ok(
        match generator.filter(|_| args.observer == ObserverArg::Llm) {
            Some(generator) => {
                Box::new(Observed::new(distiller, Observer::new(limited(&generator))))
            }
            None => distiller,
        },
    )
}

/// The distiller with a summariser and an extractor.
fn neural(
    args: &DistilArgs,
    limit: Duration,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Box<dyn Distil>> {
    let why = "`--distiller neural` needs a summariser and an extractor";
    let summariser = found(&args.summariser, Kind::Summariser, global).context(why)?;
    let extractor = found(&args.extractor, Kind::Extractor, global).context(why)?;
    terminal.note("loading the models for distilling");
    let summariser = T5Summariser::load_on(summariser, global.device)?;
    let extractor = Gliner::load_on(extractor, global.device)?;
    Ok(Box::new(Neural::new(
        Box::new(summariser),
        Box::new(extractor),
        Some(clocked(limit)),
    )))
}

/// The generator that is shown what was said: a server, or the local one.
fn of_talk(
    answer: AnswerArg,
    writer: &WriterArgs,
    loaded: &mut Option<Shared>,
    global: &Global,
    terminal: &mut Terminal,
    limit: Duration,
) -> anyhow::Result<Box<dyn Generate>> {
    if !endpoints::distils_elsewhere(writer, global.typed, answer)? {
        return shared(loaded, writer, global, terminal);
    }
    // the address may contain a password, so errors do not show it
    let server = served(writer, global, terminal, limit)?;
    endpoints::tell_of_talk("blocks of talk", (writer, global.typed), terminal);
    Ok(server)
}

/// A time limit on this machine's clock.
fn clocked(within: Duration) -> Limit {
    let start = Instant::now();
    Limit {
        within,
        clock: Box::new(move || start.elapsed()),
    }
}

/// The selected answerer; `loaded` caches the local generator.
pub(crate) fn answerer(
    args: &AnswerArgs,
    writer: &WriterArgs,
    loaded: &mut Option<Shared>,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Box<dyn Answerer>> {
    let limit = Duration::from_millis(args.answer_ms);
    let generator = match args.answer {
        AnswerArg::Quote => return Ok(Box::new(Quote)),
        AnswerArg::Local => shared(loaded, writer, global, terminal)?,
        AnswerArg::Endpoint => served(writer, global, terminal, limit)?,
    };
    Ok(Box::new(Written::new(Box::new(TimeLimit::new(
        generator, limit,
    )))))
}

/// The selected reranker, if any.
pub(crate) fn reranker(
    args: &AnswerArgs,
    global: &Global,
) -> anyhow::Result<Option<Arc<dyn Rerank>>> {
    let Some(name) = &args.reranker else {
        return Ok(None);
    };
    let folder = found(name, Kind::Reranker, global).context("cannot load the reranker")?;
    Ok(Some(Arc::new(CrossEncoder::load_on(
        folder, global.device,
    )?)))
}

/// The selected check of claims, if any; `loaded` caches the local generator.
pub(crate) fn check(
    args: &AnswerArgs,
    writer: &WriterArgs,
    loaded: &mut Option<Shared>,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Option<Box<dyn CheckClaim>>> {
    let limit = Duration::from_millis(args.answer_ms);
    if args.check_model.is_some() && args.check != Some(CheckArg::Nli) {
        bail!("--check-model is the model of --check=nli; add that, or leave the model out");
    }
    Ok(match args.check {
        None => None,
        Some(CheckArg::Lexical) => Some(Box::new(LexicalCheck)),
        Some(CheckArg::Nli) => {
            let Some(name) = &args.check_model else {
                bail!(
                    "--check=nli needs a model: --check-model NAME|DIR, a DeBERTa for \
                     natural-language inference that `weir models pull owner/name` fetched, or a \
                     folder with one (config.json, tokenizer.json, model.safetensors)"
                );
            };
            let folder = found(name, Kind::Entailment, global)
                .context("cannot load the model of --check=nli")?;
            let model = EntailmentModel::load_on(folder, global.device)?;
            Some(Box::new(EntailmentCheck::new(Box::new(model))))
        }
        Some(CheckArg::Llm) => {
            let local = args.answer == AnswerArg::Local || global.typed.generator;
            let generator = if writer.endpoint.is_some() && !local {
                let server = served(writer, global, terminal, limit)?;
                let what = "claims of answers and the statements found";
                endpoints::tell_of_talk(what, (writer, global.typed), terminal);
                server
            } else {
                shared(loaded, writer, global, terminal)?
            };
            let limited = TimeLimit::new(generator, limit);
            Some(Box::new(PromptedCheck::new(Box::new(limited))))
        }
    })
}

/// The local generator.
fn local(
    writer: &WriterArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Box<dyn Generate>> {
    let path = found(&writer.generator, Kind::Generator, global)
        .context("cannot load the local generator")?;
    terminal.note(&format!("loading {}", path.display()));
    let options = GeneratorOptions {
        device: global.device,
        ..GeneratorOptions::default()
    };
    Ok(Box::new(Generator::load(&path, options)?))
}

/// The local generator, loaded once and shared.
fn shared(
    loaded: &mut Option<Shared>,
    writer: &WriterArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Box<dyn Generate>> {
    let shared = match loaded {
        Some(shared) => shared,
        None => loaded.insert(Shared::new(local(writer, global, terminal)?)),
    };
    Ok(Box::new(shared.clone()))
}

/// The server, with its warnings printed.
fn served(
    writer: &WriterArgs,
    global: &Global,
    terminal: &mut Terminal,
    limit: Duration,
) -> anyhow::Result<Box<dyn Generate>> {
    if let Some(told) = endpoints::told_of_key(writer, global) {
        terminal.warn(&told);
    }
    endpoints::endpoint(writer, global.typed, limit)
}

/// Path of a model given by path or by name.
fn found(name: &str, kind: Kind, global: &Global) -> anyhow::Result<PathBuf> {
    if Path::new(name).exists() {
        return Ok(PathBuf::from(name));
    }
    match places::models(global).path(name)? {
        Located::OnDisk {
            kind: found, path, ..
        } if found == kind => Ok(path),
        Located::OnDisk { name, .. } | Located::Embedded { name } => {
            bail!("{name} is another kind of model; `weir models list` shows the kinds")
        }
    }
}
