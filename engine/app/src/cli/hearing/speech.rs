//! From flags to the recogniser.

use crate::cli::args::Global;
use crate::cli::hearing::hearing_args::{ChannelsArg, HearingArgs};
use crate::cli::loading::loader::notes;
use crate::cli::loading::wiring;
use crate::cli::terminal::Terminal;
use weir_asr::Channels;
use weir_loading::{Speech, SpeechSelection};

/// Whether somebody reads text while people speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LiveText {
    /// On a terminal, or as events.
    Wanted,
    /// Nobody would see it.
    Unseen,
}

impl LiveText {
    /// For output as events or on this terminal.
    pub(crate) fn of(json: bool, terminal: &Terminal) -> Self {
        match json || terminal.redraws() {
            true => Self::Wanted,
            false => Self::Unseen,
        }
    }
}

/// What a command hears.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sound {
    /// Whether somebody reads text while people speak.
    pub(crate) live_text: LiveText,
    /// Whether some of it does not say who speaks, as lines of a stream file may.
    pub(crate) unlabelled: bool,
}

/// The recogniser that the flags select.
pub(crate) fn hearing(
    args: &HearingArgs,
    global: &Global,
    sound: Sound,
    terminal: &mut Terminal,
) -> anyhow::Result<Speech> {
    let selection = SpeechSelection {
        model: args.asr_model.clone(),
        language: args.language.clone(),
        expected: String::new(),
        threads: args.threads.map_or(1, u32::from),
        guards: args.guards.into(),
        channels: match args.channels {
            ChannelsArg::Mix => Channels::Mix,
            ChannelsArg::Split => Channels::Split,
        },
        live_text: sound.live_text == LiveText::Wanted && !args.no_live_text,
        speakers: sound.unlabelled && !args.no_speakers,
        voices: global.voices.clone(),
    };
    let (open, mut tell) = (wiring::opener(), notes(global, terminal));
    Ok(global.loader().speech(&selection, open, &mut tell)?)
}
