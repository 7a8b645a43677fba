//! Sources of the endless dialogue, and settings of its questions.

use crate::children::option;
use crate::corpus::{Dialogue, Item, Turn, locomo};
use crate::encoder::EncoderArgs;
use anyhow::Result;
use std::path::PathBuf;

/// Sources of the dialogue, and settings of its questions.
#[derive(clap::Args)]
pub(crate) struct TalkArgs {
    /// LoCoMo's JSON, whose turns are the source [default: generated dialogue]
    #[arg(long)]
    corpus: Option<PathBuf>,
    /// Tokens of a context
    #[arg(long, default_value_t = 1_300)]
    pub(crate) context_tokens: usize,
    #[command(flatten)]
    pub(crate) encoder: EncoderArgs,
}

impl TalkArgs {
    /// The source dialogues: LoCoMo's, or a generated one if no file is given.
    pub(crate) fn dialogues(&self) -> Result<Vec<Dialogue>> {
        Ok(match &self.corpus {
            Some(path) => locomo::read(path)?.0,
            None => vec![made_dialogue()],
        })
    }

    /// The same options as arguments for another process.
    pub(crate) fn told(&self) -> Vec<String> {
        let mut out = self.encoder.told();
        out.extend(option("--context-tokens", &self.context_tokens));
        if let Some(corpus) = &self.corpus {
            out.extend(option("--corpus", &corpus.display()));
        }
        out
    }
}

/// A dialogue from the fixtures' generator, for runs without a corpus.
fn made_dialogue() -> Dialogue {
    let plan = weir_fixtures::talk::Plan {
        turns: 2_000,
        ..weir_fixtures::talk::Plan::default()
    };
    let talk = weir_fixtures::talk::talk(plan, &mut weir_fixtures::Rng::new(1));
    let turns = talk.turns.into_iter().map(|turn| {
        Item::Turn(Turn {
            id: turn.id,
            speaker: turn.speaker.to_owned(),
            text: turn.text,
        })
    });
    Dialogue {
        name: "made".to_owned(),
        items: turns.collect(),
        questions: Vec::new(),
    }
}
