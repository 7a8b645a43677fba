//! From flags to the recogniser.

use crate::cli::args::Global;
use crate::cli::hearing::hearing_args::{ChannelsArg, HearingArgs};
use crate::cli::hearing::terms;
use crate::cli::loading::loader::notes;
use crate::cli::loading::wiring;
use crate::cli::terminal::Terminal;
use std::path::Path;
use weir_asr::Channels;
use weir_engine::store::read_session;
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
    /// Number of the audio track to hear in each file, from 1; `None` for its default.
    pub(crate) track: Option<u16>,
}

/// The recogniser that the flags select, for a session in a folder.
pub(crate) fn hearing(
    args: &HearingArgs,
    global: &Global,
    sound: Sound,
    session: Option<&Path>,
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
    let names = expected(args, session)?;
    let (open, mut tell) = (wiring::opener_of(sound.track), notes(global, terminal));
    let loader = global.loader();
    let selection = loader.expecting(selection, &names, &mut tell)?;
    Ok(loader.speech(&selection, open, &mut tell)?)
}

/// The terms of the file that the flags name, then the names of a session's speakers.
fn expected(args: &HearingArgs, session: Option<&Path>) -> anyhow::Result<Vec<String>> {
    let Some(file) = &args.terms else {
        return Ok(Vec::new());
    };
    let mut names = terms::read(file)?;
    // a session that cannot be read is reported where it is opened
    let session = session.and_then(|dir| read_session(dir, wiring::counter()).ok());
    for named in session.iter().flat_map(|it| it.speaker_names().named()) {
        if !names.contains(&named.name) {
            names.push(named.name.clone());
        }
    }
    Ok(names)
}
