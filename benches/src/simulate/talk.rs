//! Sources of the endless dialogue, and settings of its questions.

use super::child::option;
use crate::options::EncoderArgs;
use crate::stream::{Stream, files};
use anyhow::Result;
use std::path::PathBuf;

/// Speakers and texts of a dialogue.
pub(crate) type Talk = Vec<(String, String)>;

/// Sources of the dialogue, and settings of its questions.
#[derive(clap::Args)]
pub(crate) struct TalkArgs {
    /// Stream files whose turns are the source, or folders of them [default: generated dialogue]
    #[arg(long, num_args = 1..)]
    streams: Vec<PathBuf>,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    pub(crate) context_tokens: usize,
    #[command(flatten)]
    pub(crate) encoder: EncoderArgs,
}

impl TalkArgs {
    /// The source dialogues: those of the streams, or a generated one if none is given.
    pub(crate) fn dialogues(&self) -> Result<Vec<Talk>> {
        if self.streams.is_empty() {
            return Ok(vec![made_dialogue()]);
        }
        let said = |file: PathBuf| -> Result<Talk> {
            let stream = Stream::read(&file)?;
            let turns = stream.turns();
            Ok(turns
                .map(|turn| (turn.speaker.clone().unwrap_or_default(), turn.text.clone()))
                .collect())
        };
        files(&self.streams)?.into_iter().map(said).collect()
    }

    /// The same options as arguments for another process.
    pub(crate) fn told(&self) -> Vec<String> {
        let mut out: Vec<String> = option("--encoder", &self.encoder.encoder.display()).into();
        out.extend(option("--context-tokens", &self.context_tokens));
        for stream in &self.streams {
            out.extend(option("--streams", &stream.display()));
        }
        out
    }
}

/// A dialogue from the fixtures' generator, for runs without a corpus.
pub(crate) fn made_dialogue() -> Talk {
    let plan = weir_fixtures::talk::Plan {
        turns: 2_000,
        ..weir_fixtures::talk::Plan::default()
    };
    let talk = weir_fixtures::talk::talk(plan, &mut weir_fixtures::Rng::new(1));
    let turns = talk.turns.into_iter();
    turns
        .map(|turn| (turn.speaker.to_owned(), turn.text))
        .collect()
}
