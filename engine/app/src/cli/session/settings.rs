//! The rules of a session: set by flags and a profile file, then fixed.

use crate::cli::args::MemoryArgs;
use crate::cli::session::policy::PolicyArg;
use crate::cli::small_file;
use crate::cli::terminal::Terminal;
use anyhow::{Context, bail};
use std::path::Path;
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::limits;
use weir_core::session::Session;

/// Maximum size of a profile file in bytes; a typical one has some two hundred.
const PROFILE_BYTES_MAX: u64 = 64 * 1_024;

/// The settings that the flags select.
pub(crate) fn from_args(args: &MemoryArgs, encoder: &str) -> anyhow::Result<SessionConfig> {
    let asked_bytes = args.transcript_bytes;
    let paper = args.policy == Some(PolicyArg::Paper);
    if let Some(bytes) = asked_bytes.filter(|bytes| paper && *bytes > 0) {
        bail!("--policy paper keeps no transcript; remove --transcript-bytes {bytes}");
    }
    let bytes = if paper {
        0
    } else {
        limits::TRANSCRIPT_BYTES_DEFAULT
    };
    let usual = SessionConfig::with_transcript(asked_bytes.unwrap_or(bytes));
    let mut config = SessionConfig {
        budget_tokens: args.budget_tokens.unwrap_or(usual.budget_tokens),
        profile: EncoderProfile::for_encoder(encoder),
        ..usual
    };
    if paper {
        config = config.by_the_paper();
    }
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
    if args.profile.is_none() && EncoderProfile::calibrated(encoder).is_none() {
        terminal.warn(&format!(
            "no thresholds were calibrated for the encoder {encoder}; using those of \
             all-MiniLM-L6-v2. --profile FILE uses others"
        ));
    }
}

/// Checks that flags agree with the rules fixed at the session's creation: its budget decided what
/// was forgotten.
pub(crate) fn same(dir: &Path, session: &Session, args: &MemoryArgs) -> anyhow::Result<()> {
    let (own, dir) = (session.config(), dir.display());
    let (tokens, bytes) = (own.budget_tokens, own.transcript_bytes);
    if let Some(asked) = args.budget_tokens.filter(|asked| *asked != tokens) {
        bail!(
            "session {dir} was created with a budget of {tokens} tokens, not {asked}; remove \
             --budget-tokens, or change it: weir memory budget --tokens {asked} --session {dir}"
        );
    }
    if let Some(asked) = args.transcript_bytes.filter(|asked| *asked != bytes) {
        bail!(
            "session {dir} was created with {bytes} bytes of transcript, not {asked}; remove \
             --transcript-bytes, or change it: weir memory budget --transcript-bytes {asked} \
             --session {dir}"
        );
    }
    let paper = own.is_by_the_paper();
    if args
        .policy
        .is_some_and(|asked| paper != (asked == PolicyArg::Paper))
    {
        let own = if paper { "paper" } else { "weir" };
        bail!(
            "session {dir} was created with --policy {own}, which cannot change: remove --policy, \
             or give another directory"
        );
    }
    match &args.profile {
        Some(path) if read(path)? != own.profile => bail!(
            "session {dir} was created with another profile, `{}`, which cannot change: remove \
             --profile, or give another directory",
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
