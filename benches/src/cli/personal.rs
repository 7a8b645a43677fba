//! Options of `weir-bench personal`.

use super::models::patient;
use crate::encoder::EncoderArgs;
use crate::personal::{KINDS, Kind, Plan, Settings, run, sets};
use anyhow::{Result, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;
use weir_core::limits;
use weir_models::endpoint::EndpointGenerator;
use weir_models::{Generate, Generator, GeneratorOptions};

/// Options of `personal`.
#[derive(clap::Args)]
pub(crate) struct PersonalArgs {
    /// Folder with `alex50`, `prefeval` and `memorybank`
    data: PathBuf,
    /// Data sets to measure [default: those that are there]
    #[arg(long, value_delimiter = ',')]
    sets: Vec<String>,
    /// Systems: stateless, buffer-4, weir [default: all]
    #[arg(long, value_delimiter = ',')]
    systems: Vec<String>,
    /// Who replies: a .gguf file, a folder, or MODEL@URL of a server with OpenAI's API; without
    /// one, only facts handed over are counted
    #[arg(long, value_name = "MODEL")]
    responder: Option<String>,
    /// Who judges the replies by the paper's rubric, named in the same way
    #[arg(long, value_name = "MODEL", requires = "responder")]
    judge: Option<String>,
    /// Threads of each local model [default: one per core, at most 8]
    #[arg(long)]
    threads: Option<usize>,
    /// Environment variable with the key of a server, if it needs one
    #[arg(long, value_name = "NAME", default_value = "OPENAI_API_KEY")]
    key_variable: String,
    /// Tokens of a reply
    #[arg(long, default_value_t = 96)]
    reply_tokens: usize,
    /// Let the responder choose where the data offers answers, without a free reply
    #[arg(long, requires = "responder")]
    choice_only: bool,
    /// Turns before whose replies the judge reads; of earlier ones it reads the user's words alone
    #[arg(long, default_value_t = 4)]
    judge_replies: usize,
    /// Questions of `prefeval` and of `memorybank`, each, evenly spread [default: all]
    #[arg(long)]
    limit: Option<usize>,
    /// Turns of other talk between a preference of `prefeval` and its question
    #[arg(long, default_value_t = 10)]
    between: usize,
    /// Seed of that talk and of the order of answers offered
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where answers to questions of `memorybank` are
    #[arg(long, default_value = "benches/questions/memorybank.tsv")]
    labels: PathBuf,
    /// Tokens the memory may hold
    #[arg(long, default_value_t = limits::BUDGET_TOKENS_DEFAULT)]
    budget_tokens: usize,
    /// Tokens of a context of memory
    #[arg(long, default_value_t = limits::CONTEXT_TOKENS_DEFAULT)]
    context_tokens: usize,
    /// Tokens of the user's profile within it; 0 hands it only to questions about the user
    #[arg(long, default_value_t = 300)]
    profile_tokens: usize,
    #[command(flatten)]
    encoder: EncoderArgs,
    /// File for a row of every answered turn, as JSON Lines; it holds text of the data
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Measures and prints.
pub(crate) fn main(args: &PersonalArgs) -> Result<()> {
    let chosen = match args.sets.is_empty() {
        true => sets(&args.data),
        false => args.sets.clone(),
    };
    let found = args.data.display();
    ensure!(
        !chosen.is_empty(),
        "{found} has none of alex50, prefeval, memorybank"
    );
    let systems = args.systems.iter().map(|name| Kind::named(name));
    let systems: Vec<Kind> = systems.collect::<Result<_>>()?;
    run(&mut Plan {
        data: args.data.clone(),
        sets: chosen,
        labels: args.labels.clone(),
        systems: match systems.is_empty() {
            true => KINDS.to_vec(),
            false => systems,
        },
        settings: Settings {
            encoder: args.encoder.open()?,
            budget_tokens: args.budget_tokens,
            context_tokens: args.context_tokens,
            profile_tokens: args.profile_tokens,
        },
        limit: args.limit.unwrap_or(usize::MAX),
        between: args.between,
        seed: args.seed,
        // one model each: a local one keeps what it read of the prompt before
        responder: args.model(args.responder.as_deref())?,
        judge: args.model(args.judge.as_deref())?,
        reply_tokens: args.reply_tokens,
        is_choice_only: args.choice_only,
        judge_replies: args.judge_replies,
        out: args.out.clone(),
    })
}

impl PersonalArgs {
    fn model(&self, named: Option<&str>) -> Result<Option<Box<dyn Generate>>> {
        let Some(named) = named else {
            return Ok(None);
        };
        if let Some((model, url)) = named.split_once('@').filter(|(_, url)| url.contains("://")) {
            let options = patient(url, model, &self.key_variable, Duration::from_secs(600));
            return Ok(Some(Box::new(EndpointGenerator::open(options)?)));
        }
        let options = GeneratorOptions {
            threads: self.threads.unwrap_or(0),
            ..GeneratorOptions::default()
        };
        Ok(Some(Box::new(Generator::load(Path::new(named), options)?)))
    }
}
