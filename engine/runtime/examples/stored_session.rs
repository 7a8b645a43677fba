//! Creates the stored session `fixtures/session`, which tests open as one of an earlier build.
//!
//! `cargo run -p weir-engine --features rewrite --example stored_session`
//!
//! Run it again only after an intended change of the session format; keep the image of the previous
//! format beside the new one.

#[path = "../../core/tests/it/support/folded.rs"]
mod folded;

use folded::FoldedWords;
use std::error::Error;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use weir_core::config::{EncoderProfile, SessionConfig};
use weir_core::distil::{Distil, Extractive};
use weir_core::session::{EncoderStamp, FORMAT, Input, SpeakerChange};
use weir_core::sources::{Source, SourceText, TextKind, excerpts};
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_engine::store::{OpenOptions, Opened, open_session};
use weir_models::{CountTokens, Encode, WordPieceCounter};

const TALK: [(&str, &str); 14] = [
    (
        "Ana",
        "The keys of the cabin hang behind the stove, on the left.",
    ),
    ("Ben", "Good, then I only bring the firewood."),
    (
        "Ana",
        "We leave on Friday at seven, before the roads are full.",
    ),
    (
        "Ben",
        "My brother Omar comes along, he has never seen the lake.",
    ),
    ("Ana", "Does he still play the violin?"),
    (
        "Ben",
        "No, he sold it in March and bought a small red boat.",
    ),
    (
        "Ana",
        "Then he can take us across to the island on Saturday.",
    ),
    ("Ben", "The boat holds three people and a dog."),
    ("Ana", "I made a lemon cake for the evening."),
    ("Ben", "Omar does not eat eggs, he is allergic to them."),
    (
        "Ana",
        "Oh, then I bake bread instead, with walnuts and honey.",
    ),
    ("Ben", "The shop by the station sells walnuts until six."),
    ("Ana", "I pay with the forty euros from the jar."),
    ("Ben", "We are back on Sunday at noon."),
];
/// A snapshot is made after this turn; later turns stay in the journal.
const SNAPSHOT_AFTER: usize = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/session");
    let dir = folder.join("cabin");
    if dir.exists() {
        std::fs::remove_dir_all(&dir)?;
    }
    let counter: Arc<dyn CountTokens> = Arc::new(WordPieceCounter::shared());
    let config = SessionConfig {
        budget_tokens: 256,
        profile: EncoderProfile::word_hash(),
        ..SessionConfig::default()
    };
    let encoder = EncoderStamp::of(FoldedWords::shared().as_ref());
    let mut opened = open_session(
        &dir,
        OpenOptions {
            config,
            encoder,
            counter,
        },
    )?;
    tell(&mut opened, 0..SNAPSHOT_AFTER)?;
    name(&mut opened, "Ben", "Benjamin")?;
    add_source(&mut opened)?;
    opened.writer.checkpoint(&opened.session)?;
    tell(&mut opened, SNAPSHOT_AFTER..TALK.len())?;
    name(&mut opened, "Ana", "Anna")?;
    opened.writer.publish(&opened.session)?;
    opened.writer.release()?;
    let image = opened.session.to_image();
    std::fs::write(folder.join(format!("image-format-{FORMAT}.bin")), image)?;
    std::fs::write(
        folder.join("digest"),
        format!("{}\n", opened.session.digest()),
    )?;
    Ok(())
}

/// Some turns, with the resulting blocks mounted, in one commit, which keeps the file small.
fn tell(opened: &mut Opened, turns: Range<usize>) -> Result<(), Box<dyn Error>> {
    let encoder = FoldedWords::shared();
    let mut written = Vec::new();
    for n in turns {
        for input in turn(n, encoder.as_ref())? {
            opened.session.apply(&input)?;
            written.push(input);
        }
        while let Some(block) = opened.session.next_block() {
            let mount = Input::Mount(Box::new(Extractive.distil(&block, encoder.as_ref())?));
            opened.session.apply(&mount)?;
            written.push(mount);
        }
    }
    opened.writer.append(&written)?;
    Ok(())
}

fn name(opened: &mut Opened, speaker: &str, name: &str) -> Result<(), Box<dyn Error>> {
    let change = SpeakerChange::Name {
        speaker: speaker.into(),
        name: name.into(),
    };
    let encoder = FoldedWords::shared();
    let naming = opened
        .session
        .naming(change, Some(encoder.as_ref()), None)?;
    let input = Input::Speaker(Box::new(naming));
    opened.session.apply(&input)?;
    opened.writer.append(&[input])?;
    Ok(())
}

fn add_source(opened: &mut Opened) -> Result<(), Box<dyn Error>> {
    let texts = vec![SourceText {
        file: "rules.txt".into(),
        excerpts: excerpts("Guests sweep the hut.", TextKind::Plain)?,
    }];
    let source = Source::of("rules", 1.0, texts, FoldedWords::shared().as_ref())?;
    let input = Input::AddSource(Box::new(source));
    opened.session.apply(&input)?;
    opened.writer.append(&[input])?;
    Ok(())
}

fn turn(n: usize, encoder: &dyn Encode) -> Result<Vec<Input>, Box<dyn Error>> {
    let (speaker, text) = TALK[n];
    let mut inputs = Vec::new();
    if n == 0 {
        inputs.push(Input::Begin(StreamStart::new(
            "cabin",
            Some(1_740_823_200_000),
        )));
    }
    let start_ms = n as u64 * 4_000;
    let found = encoder
        .encode_for_search(&[&format!("{speaker}: {text}")])?
        .pop();
    let utterance = Utterance {
        id: format!("u{}", n + 1),
        stream: "cabin".into(),
        speaker: Some(speaker.into()),
        span: Span::new(start_ms, start_ms + 3_000),
        audio: None,
        confidence: None,
        text: text.into(),
    };
    inputs.push(Input::heard(utterance, found.unwrap_or_default()));
    Ok(inputs)
}
