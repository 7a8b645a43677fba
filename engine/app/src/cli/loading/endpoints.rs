//! Endpoint servers: opened and checked for a reply; which talk and which key are sent to them.
//!
//! Talk leaves the machine only if a flag or variable asks for it, and a message says so. Typed
//! flags take precedence over environment variables.

use crate::cli::args::Global;
use crate::cli::loading::model_args::{AnswerArg, Typed, WriterArgs};
use crate::cli::terminal::Terminal;
use anyhow::bail;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use weir_models::Generate;
use weir_models::endpoint::{Endpoint, EndpointGenerator, EndpointOptions};

/// Timeout of the first check of a server, independent of the timeout for answers.
pub(crate) const CHECK_TIME: Duration = Duration::from_secs(10);

/// Whether `--distiller llm` sends talk to the endpoint instead of the local generator.
///
/// A typed generator that is not needed for answers distils. One that answers distils too, unless
/// an endpoint was typed: that endpoint then has no other use.
///
/// # Errors
/// Both were typed, and nothing else uses either of them.
pub(crate) fn distils_elsewhere(
    writer: &WriterArgs,
    typed: Typed,
    answer: AnswerArg,
) -> anyhow::Result<bool> {
    match answer {
        _ if writer.endpoint.is_none() => Ok(false),
        AnswerArg::Local => Ok(typed.endpoint),
        AnswerArg::Quote if typed.generator && typed.endpoint => {
            bail!("--generator and --endpoint both name a model that distils; remove one of them")
        }
        AnswerArg::Quote | AnswerArg::Endpoint => Ok(!typed.generator),
    }
}

/// Says what leaves the machine, as a plural; a note if the endpoint was typed, else a warning.
pub(crate) fn tell_of_talk(
    what: &str,
    (writer, typed): (&WriterArgs, Typed),
    terminal: &mut Terminal,
) {
    let url = writer.endpoint.as_deref().unwrap_or_default();
    match typed.endpoint {
        true => terminal.note(&format!("{what} go to {url}")),
        false => terminal.warn(&format!(
            "{what} go to {url}, set by WEIR_ENDPOINT; --generator NAME keeps them local"
        )),
    }
}

/// Opens the endpoint and checks that it replies. Afterwards all attempts at a reply together take
/// at most `limit`.
pub(crate) fn endpoint(
    writer: &WriterArgs,
    typed: Typed,
    limit: Duration,
) -> anyhow::Result<Box<dyn Generate>> {
    let Some(url) = &writer.endpoint else {
        bail!(
            "the endpoint needs an address: --endpoint http://localhost:11434/v1 (Ollama), \
             http://localhost:8000/v1 (vLLM, llama.cpp)"
        );
    };
    let Some(model) = &writer.endpoint_model else {
        bail!("the endpoint needs a model: --endpoint-model NAME, as listed by the server");
    };
    let mut options = EndpointOptions::new(url, model);
    options.key_variable = match keeps_key(writer, typed) {
        true => String::new(),
        false => writer.endpoint_key.clone(),
    };
    let patient = limit.max(CHECK_TIME);
    options.first_piece_timeout = patient;
    options.total_timeout = patient;
    let checked = Endpoint::new(options.clone())?.check()?;
    options.context_tokens = Some(checked.context_tokens);
    options.first_piece_timeout = limit;
    options.total_timeout = limit;
    Ok(Box::new(EndpointGenerator::new(Arc::new(Endpoint::new(
        options,
    )?))))
}

/// Warning about the key, before the endpoint is asked anything; `None` if it needs none.
pub(crate) fn told_of_key(writer: &WriterArgs, global: &Global) -> Option<String> {
    let variable = &writer.endpoint_key;
    let is_set = std::env::var_os(variable).is_some_and(|key| !key.is_empty());
    (is_set && keeps_key(writer, global.typed)).then(|| {
        format!(
            "the key in {variable} is not sent: the address is not https://, and the endpoint is \
             not local or is behind a proxy; --endpoint-key {variable} sends it anyway"
        )
    })
}

/// Whether the key is withheld: no flag names it, and the connection is not encrypted.
fn keeps_key(writer: &WriterArgs, typed: Typed) -> bool {
    let url = writer.endpoint.as_deref().unwrap_or_default();
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    !typed.endpoint_key && !is_safe_for_keys(url, PROXIES.iter().any(is_set))
}

/// The variables that name a proxy, which reads what is not encrypted.
const PROXIES: [&str; 6] = [
    "all_proxy", "ALL_PROXY", "https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY",
];

/// Whether an address is encrypted, on this machine, or in its own network without a proxy.
fn is_safe_for_keys(url: &str, is_proxied: bool) -> bool {
    let url = url.trim().to_ascii_lowercase();
    if url.starts_with("https://") {
        return true;
    }
    let rest = url.split_once("://").map_or("", |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.contains('@') {
        // what stands before it is no host
        return false;
    }
    let host = match host.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    match host.parse::<IpAddr>() {
        Ok(ip) if ip.is_loopback() => true,
        Err(_) if host == "localhost" => true,
        _ if is_proxied => false,
        Ok(IpAddr::V4(ip)) => ip.is_private() || ip.is_link_local(),
        Ok(IpAddr::V6(ip)) => ip.is_unique_local() || ip.is_unicast_link_local(),
        // an address in another notation: 134744072 is 8.8.8.8
        Err(_)
            if host
                .rsplit('.')
                .next()
                .is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit())) =>
        {
            false
        }
        Err(_) => {
            let own = ["localhost", "local", "lan", "internal", "home.arpa"];
            let of = |own: &str| host == own || host.ends_with(&format!(".{own}"));
            !host.is_empty() && (!host.contains('.') || own.iter().any(|own| of(own)))
        }
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
            args.writer.endpoint = Some("http://elsewhere:1".to_owned());
        }
        distils_elsewhere(&args.writer, cli.global.typed, args.answer.answer)
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

    #[test]
    fn keys_go_unencrypted_only_to_this_machine_and_its_network() {
        for url in [
            "https://api.example.com/v1",
            "HTTPS://h",
            "http://localhost:11434/v1",
            "http://127.0.0.1:8000",
            "http://[::1]:8000/v1",
            "http://192.168.1.7:8000/v1",
            "http://10.0.0.1",
            "http://[fd00::1]:80/v1",
            "http://gpubox:8000",
            "http://gpubox.lan:8000/v1",
        ] {
            assert!(is_safe_for_keys(url, false), "{url}");
            let is_here = [
                "https", "HTTPS", "http://localhost", "http://127", "http://[::1]",
            ];
            let is_here = is_here.iter().any(|it| url.starts_with(it));
            assert_eq!(is_safe_for_keys(url, true), is_here, "{url} by a proxy");
        }
        for url in [
            "http://api.example.com/v1",
            "http://8.8.8.8:8000",
            "http://[2001:db8::1]:80",
            "http://localhost.example.com",
            "http://example.com?at=.localhost",
            "http://134744072",
            "http://0x08080808/v1",
            "http://8.8.2056",
            "http://localhost:80@example.com",
            "http://",
            "",
        ] {
            assert!(!is_safe_for_keys(url, false), "{url}");
        }
    }
}
