//! Carries out a change of a session, wherever the session is open.

use crate::cli::args::Global;
use crate::cli::loading::wiring;
use crate::cli::terminal::Terminal;
use anyhow::anyhow;
use std::path::Path;
use std::sync::Arc;
use weir_api::{Change, Changed};
use weir_engine::control::{ChangeError, ControlError};
use weir_models::Encode;

/// Carries out a change that needs no vectors.
pub(crate) fn change(dir: &Path, change: Change) -> anyhow::Result<Changed> {
    carry_out(dir, change, None)
}

/// Carries out a change with the session's encoder.
pub(crate) fn change_with(
    dir: &Path,
    change: Change,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Changed> {
    let encoder = encoder(dir, global, terminal)?;
    carry_out(dir, change, Some(encoder))
}

/// Carries out a change. A refusal tells which commands help, wherever the session is open.
pub(crate) fn carry_out(
    dir: &Path,
    change: Change,
    encoder: Option<Arc<dyn Encode>>,
) -> anyhow::Result<Changed> {
    let help = help(&change);
    let done = weir_engine::control::carry_out(dir, change, encoder);
    done.map_err(|error| match &error {
        ChangeError::Refused(_) | ChangeError::Elsewhere(ControlError::Refused(_)) => {
            anyhow!("{error}; {help}")
        }
        _ => error.into(),
    })
}

/// The commands that help where a change is refused.
fn help(change: &Change) -> String {
    match change {
        Change::Pin { .. } | Change::Edit { .. } => {
            "weir memory tree shows the statements, weir memory budget --tokens N makes room".into()
        }
        Change::PinFacts { .. } | Change::EditFact { .. } => {
            "weir profile lists the facts, weir profile pin FACT --off unpins one, weir memory \
             budget --tokens N makes room"
                .into()
        }
        Change::NameSpeaker { speaker, name }
        | Change::MergeSpeaker {
            speaker,
            into: name,
        } => {
            format!(
                "weir speakers list shows everybody heard; if they are one person: weir speakers \
                 merge \"{speaker}\" \"{name}\"; for another name: weir speakers name \
                 \"{speaker}\" NEW-NAME"
            )
        }
        Change::ForgetSpeaker { speaker } => format!(
            "weir speakers list shows everybody heard; to erase what somebody said: weir memory \
             delete --speaker \"{speaker}\""
        ),
        Change::AddSource { .. } | Change::RemoveSource { .. } => {
            "weir source remove NAME removes one, weir memory budget --tokens N makes room".into()
        }
        Change::Budget(_) => {
            "weir profile pin FACT --off and weir source remove NAME make room".into()
        }
        _ => "weir memory tree shows what memory holds".into(),
    }
}

/// The session's encoder.
pub(crate) fn encoder(
    dir: &Path,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Arc<dyn Encode>> {
    let session = wiring::read(dir, terminal)?;
    wiring::session_encoder(dir, &session, None, global, terminal)
}
