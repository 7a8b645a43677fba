//! From flags to the models they select.
//!
//! Talk leaves the machine only if a flag or variable asks for it, and a message says so. Typed
//! flags take precedence over environment variables.

use crate::cli::loading::model_args::{
    AnswerArg, AnswerArgs, CheckArg, DistilArgs, DistillerArg, ObserverArg, Typed, WriterArgs,
};
use anyhow::bail;
use std::time::Duration;
use weir_loading::{CheckBy, DistilBy, EndpointChoice, Selection, Writer};

impl AnswerArgs {
    /// The models that answer; [`select`] adds those that distil.
    pub(crate) fn selection(&self, typed: Typed) -> anyhow::Result<Selection> {
        let writer = &self.writer;
        let check = self.check(typed)?;
        let answer = match self.answer {
            AnswerArg::Quote => None,
            AnswerArg::Local => Some(Writer::Local),
            AnswerArg::Endpoint => Some(Writer::Endpoint),
        };
        let served = [answer, check.as_ref().and_then(prompted)];
        Ok(Selection {
            answer,
            answer_limit: Duration::from_millis(self.answer_ms),
            check,
            reranker: self.reranker.clone(),
            generator: writer.generator.clone(),
            endpoint: served
                .contains(&Some(Writer::Endpoint))
                .then(|| writer.endpoint(typed))
                .transpose()?,
            ..Selection::default()
        })
    }

    fn check(&self, typed: Typed) -> anyhow::Result<Option<CheckBy>> {
        if self.check_model.is_some() && self.check != Some(CheckArg::Nli) {
            bail!("--check-model is the model of --check=nli; add that, or leave the model out");
        }
        Ok(match (self.check, &self.check_model) {
            (None, _) => None,
            (Some(CheckArg::Lexical), _) => Some(CheckBy::Lexical),
            (Some(CheckArg::Nli), Some(model)) => Some(CheckBy::Entailment(model.clone())),
            (Some(CheckArg::Nli), None) => bail!(
                "--check=nli needs a model: --check-model NAME|DIR, a DeBERTa for \
                 natural-language inference that `weir models pull owner/name` fetched, or a \
                 folder with one (config.json, tokenizer.json, model.safetensors)"
            ),
            (Some(CheckArg::Llm), _) => {
                let local = self.answer == AnswerArg::Local || typed.generator;
                Some(CheckBy::Prompted(
                    match self.writer.endpoint.is_some() && !local {
                        true => Writer::Endpoint,
                        false => Writer::Local,
                    },
                ))
            }
        })
    }
}

fn prompted(check: &CheckBy) -> Option<Writer> {
    match check {
        CheckBy::Prompted(by) => Some(*by),
        CheckBy::Lexical | CheckBy::Entailment(_) => None,
    }
}

/// The models that answer, and those that distil.
pub(crate) fn select(
    distil: &DistilArgs,
    answer: &AnswerArgs,
    typed: Typed,
) -> anyhow::Result<Selection> {
    let mut selection = answer.selection(typed)?;
    let by_model = distil.distiller == DistillerArg::Llm || distil.observer == ObserverArg::Llm;
    let by = match by_model {
        true => distils_by(answer, typed)?,
        false => Writer::Local,
    };
    if by == Writer::Endpoint && selection.endpoint.is_none() {
        selection.endpoint = Some(answer.writer.endpoint(typed)?);
    }
    selection.distil = match distil.distiller {
        DistillerArg::Extractive => DistilBy::Extractive,
        DistillerArg::Neural => DistilBy::Neural(distil.summariser.clone()),
        DistillerArg::Llm => DistilBy::Instructed(by),
    };
    selection.observer = (distil.observer == ObserverArg::Llm).then_some(by);
    selection.distil_limit = Duration::from_millis(distil.distil_ms);
    Ok(selection)
}

/// Whether `--distiller llm` sends talk to the endpoint instead of the local generator.
///
/// A typed generator that is not needed for answers distils. One that answers distils too, unless
/// an endpoint was typed: that endpoint then has no other use.
///
/// # Errors
/// Both were typed, and nothing else uses either of them.
fn distils_by(answer: &AnswerArgs, typed: Typed) -> anyhow::Result<Writer> {
    let elsewhere = match answer.answer {
        _ if answer.writer.endpoint.is_none() => false,
        AnswerArg::Local => typed.endpoint,
        AnswerArg::Quote if typed.generator && typed.endpoint => {
            bail!("--generator and --endpoint both name a model that distils; remove one of them")
        }
        AnswerArg::Quote | AnswerArg::Endpoint => !typed.generator,
    };
    Ok(match elsewhere {
        true => Writer::Endpoint,
        false => Writer::Local,
    })
}

impl WriterArgs {
    /// The server; an error says what is missing.
    pub(crate) fn endpoint(&self, typed: Typed) -> anyhow::Result<EndpointChoice> {
        let Some(url) = &self.endpoint else {
            bail!(
                "the endpoint needs an address: --endpoint http://localhost:11434/v1 (Ollama), \
                 http://localhost:8000/v1 (vLLM, llama.cpp)"
            );
        };
        let Some(model) = &self.endpoint_model else {
            bail!("the endpoint needs a model: --endpoint-model NAME, as listed by the server");
        };
        Ok(EndpointChoice {
            url: url.clone(),
            model: model.clone(),
            key_variable: self.endpoint_key.clone(),
            always_send_key: typed.endpoint_key,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::args::{Cli, Command};
    use crate::cli::parsed_from;

    /// Whether the talk of a replay with these flags goes to a server; the environment may name it.
    fn elsewhere(flags: &str, from_env: bool) -> Result<bool, String> {
        let words = ["weir", "replay", "x", "--distiller", "llm"];
        let cli: Cli = parsed_from(words.into_iter().chain(flags.split_whitespace()))
            .map_err(|error| error.to_string())?;
        let Command::Replay(mut args) = cli.command else {
            return Err("another command".to_owned());
        };
        if from_env {
            args.answer.writer.endpoint = Some("http://elsewhere:1".to_owned());
        }
        distils_by(&args.answer, cli.global.typed)
            .map(|by| by == Writer::Endpoint)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn talk_leaves_the_machine_only_where_that_was_asked_for() {
        let typed = "--endpoint http://h:1";
        assert_eq!(elsewhere("", false), Ok(false));
        assert_eq!(elsewhere("--generator x.gguf", false), Ok(false));
        // an endpoint from the environment is used if no flag names a generator
        assert_eq!(elsewhere("", true), Ok(true));
        assert_eq!(elsewhere("--answer endpoint", true), Ok(true));
        assert_eq!(elsewhere("--generator x.gguf", true), Ok(false));
        assert_eq!(elsewhere("--answer local", true), Ok(false));
        assert_eq!(
            elsewhere("--answer local --generator x.gguf", true),
            Ok(false)
        );
        // a typed endpoint is used for distilling if it has no other use
        assert_eq!(elsewhere(typed, false), Ok(true));
        assert_eq!(
            elsewhere(&format!("{typed} --answer local"), false),
            Ok(true)
        );
        let both = format!("{typed} --generator x.gguf");
        assert_eq!(
            elsewhere(&format!("{both} --answer endpoint"), false),
            Ok(false)
        );
        assert_eq!(
            elsewhere(&format!("{both} --answer local"), false),
            Ok(true)
        );
        let refused = elsewhere(&both, false).expect_err("it is not clear which");
        assert!(refused.contains("remove one of them"), "{refused}");
    }
}
