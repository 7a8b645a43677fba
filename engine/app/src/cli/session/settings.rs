//! The rules of a session: set by flags and a profile file, then fixed.

use crate::cli::args::{MemoryArgs, PolicyArg};
use crate::cli::small_file;
use crate::cli::terminal::Terminal;
use anyhow::{Context, bail};
use std::path::Path;
use weir_core::config::{EncoderProfile, RecencyPolicy, SessionConfig};
use weir_core::limits;
use weir_core::session::Session;

/// Maximum size of a profile file in bytes; a typical one has some two hundred.
const PROFILE_BYTES_MAX: u64 = 64 * 1_024;

/// The settings that the flags select.
pub(crate) fn from_args(args: &MemoryArgs, encoder: &str) -> anyhow::Result<SessionConfig> {
    let mut config = by_policy(args.policy.unwrap_or(PolicyArg::Default), encoder);
    config.transcript_bytes = args
        .transcript_bytes
        .unwrap_or(limits::TRANSCRIPT_BYTES_DEFAULT);
    config.budget_tokens = args.budget_tokens.unwrap_or(match config.transcript_bytes {
        0 => limits::BUDGET_TOKENS_DEFAULT,
        _ => limits::BUDGET_TOKENS_TRANSCRIPT_DEFAULT,
    });
    if let Some(path) = &args.profile {
        config.profile = read(path)?;
        config
            .check()
            .with_context(|| format!("profile {}", path.display()))?;
    }
    Ok(config)
}

/// Warns if a new session uses thresholds that were calibrated for another encoder.
pub(crate) fn tell_uncalibrated(args: &MemoryArgs, encoder: &str, terminal: &mut Terminal) {
    let taken = args.profile.is_none() && args.policy != Some(PolicyArg::ProstreamPaper);
    if taken && EncoderProfile::calibrated(encoder).is_none() {
        terminal.warn(&format!(
            "no thresholds were calibrated for the encoder {encoder}; using those of \
             all-MiniLM-L6-v2. --profile FILE uses others"
        ));
    }
}

fn by_policy(policy: PolicyArg, encoder: &str) -> SessionConfig {
    let default = SessionConfig {
        profile: EncoderProfile::for_encoder(encoder),
        ..SessionConfig::default()
    };
    match policy {
        PolicyArg::Default => default,
        PolicyArg::ProstreamPaper => SessionConfig::prostream_paper(),
        PolicyArg::ForgettingCurve => SessionConfig {
            recency: RecencyPolicy::Ebbinghaus,
            ..default
        },
    }
}

/// Checks that flags agree with the rules fixed at the session's creation.
pub(crate) fn same(dir: &Path, session: &Session, args: &MemoryArgs) -> anyhow::Result<()> {
    let own = session.config();
    if let Some(asked) = args
        .transcript_bytes
        .filter(|asked| *asked != own.transcript_bytes)
    {
        bail!(
            "session {} was created with {} bytes of transcript, not {asked}; remove \
             --transcript-bytes, or change it: weir memory budget --transcript-bytes {asked} \
             --session {}",
            dir.display(),
            own.transcript_bytes,
            dir.display()
        );
    }
    if let Some(policy) = args.policy {
        let asked = SessionConfig {
            budget_tokens: own.budget_tokens,
            budget_bytes: own.budget_bytes,
            budget_nodes: own.budget_nodes,
            transcript_bytes: own.transcript_bytes,
            profile: own.profile.clone(),
            ..by_policy(policy, &session.encoder().name)
        };
        if asked != *own {
            bail!(
                "session {} was created with another policy, which cannot change: \
                 remove --policy, or give another directory",
                dir.display()
            );
        }
    }
    match &args.profile {
        Some(path) if read(path)? != own.profile => bail!(
            "session {} was created with another profile, `{}`, which cannot change: remove \
             --profile, or give another directory",
            dir.display(),
            own.profile.name
        ),
        _ => Ok(()),
    }
}

fn read(path: &Path) -> anyhow::Result<EncoderProfile> {
    let text = small_file::text(path, PROFILE_BYTES_MAX)
        .with_context(|| format!("cannot read profile {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| format!("{} is not a profile", path.display()))
}
