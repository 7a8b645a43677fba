//! Interprets bytes as inputs of a session, valid or not, and checks the invariants after each
//! step. Shared by the fuzz targets and by `engine/core/tests/it/fuzzed.rs`, which runs it on
//! stable.

#[path = "../tests/it/support/folded.rs"]
pub(crate) mod folded;

use folded::FoldedWords;
use std::sync::Arc;
use weir_core::answer::Question;
use weir_core::config::{EncoderProfile, SessionConfig, UtilityPolicy};
use weir_core::distil::{Distil, Extractive};
use weir_core::limits;
use weir_core::memory::NodeId;
use weir_core::session::{EncoderStamp, Input, InputError, Session};
use weir_core::sources::{Source, SourceText, TextKind, excerpts};
use weir_core::stream::{Span, StreamStart, Utterance};
use weir_core::talk::{BlockId, Distillate};
use weir_models::{CountTokens, Encode, SpaceCounter};

const STEPS_MAX: usize = 96;
const WORDS: [&str; 24] = [
    "garden", "Lisbon", "seven", "I", "bought", "a", "bike", "not", "sister", "Friday", "and",
    "she", "likes", "coffee", "the", "train", "tomorrow", "?", ".", "yesterday", "Omar", "42", ",",
    "never",
];

/// The remaining bytes; reads as 0 when none are left.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> usize {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        usize::from(*first)
    }

    fn number(&mut self) -> u64 {
        (0..8).fold(0, |sum, _| sum << 8 | self.next() as u64)
    }

    /// Words of the list, and some that are not in it.
    fn text(&mut self) -> String {
        let count = self.next() % 40;
        let mut text = String::new();
        for _ in 0..count {
            match self.next() {
                word @ 0..240 => text.push_str(WORDS[word % WORDS.len()]),
                length => {
                    let (odd, rest) = self.0.split_at(self.0.len().min(length % 16));
                    text.push_str(&String::from_utf8_lossy(odd));
                    self.0 = rest;
                }
            }
            text.push(' ');
        }
        text
    }
}

pub(crate) fn counter() -> Arc<dyn CountTokens> {
    Arc::new(SpaceCounter)
}

/// A session and the source of its next inputs.
struct Life<'a> {
    bytes: Bytes<'a>,
    session: Session,
    encoder: Arc<dyn Encode>,
    turns: u64,
}

/// Applies the inputs that the bytes encode, and returns the session.
///
/// # Panics
/// If an invariant fails: that is what the fuzzer looks for.
pub(crate) fn live(bytes: &[u8]) -> Session {
    let mut bytes = Bytes(bytes);
    let encoder = FoldedWords::shared();
    let config = SessionConfig {
        budget_tokens: limits::BUDGET_TOKENS_MIN + bytes.next(),
        profile: EncoderProfile::word_hash(),
        utility: match bytes.next() % 4 {
            0 => UtilityPolicy::Paper,
            _ => UtilityPolicy::Salience,
        },
        ..SessionConfig::default()
    };
    let session = Session::new(config, EncoderStamp::of(encoder.as_ref()), counter())
        .expect("settings in range");
    let mut life = Life {
        bytes,
        session,
        encoder,
        turns: 0,
    };
    for _ in 0..STEPS_MAX {
        if life.bytes.0.is_empty() {
            break;
        }
        life.step();
        assert_eq!(life.session.check(), Ok(()));
    }
    let image = life.session.to_image();
    let read = Session::from_image(&image, counter()).expect("its own image");
    assert_eq!(read.to_image(), image);
    life.session
}

impl Life<'_> {
    fn step(&mut self) {
        let input = match self.bytes.next() {
            0..6 => self.begin(),
            6..8 => Input::End(self.stream()),
            8..16 => Input::Break {
                resumes_at_unix_ms: Some(self.bytes.number() as i64),
                stream: (self.bytes.next() % 2 == 1).then(|| self.stream()),
            },
            16..24 => Input::Flush,
            24..32 => Input::Recalled {
                nodes: self.nodes(),
                session_ms: self.bytes.number() % limits::STREAM_MS_MAX,
            },
            32..44 => return self.ask(),
            44..56 => return self.mount(true),
            56..108 => return self.mount(false),
            108..110 => self.source(),
            _ => self.heard(),
        };
        self.apply(&input);
    }

    /// A refused input changes nothing.
    fn apply(&mut self, input: &Input) {
        let before = self.session.to_image();
        if let Err(refused) = self.session.apply(input) {
            assert!(self.session.to_image() == before, "{refused}");
            if matches!(refused, InputError::PendingFull { .. }) {
                assert!(self.session.next_block().is_some(), "nothing could help");
            }
        }
    }

    fn heard(&mut self) -> Input {
        self.turns += 1;
        let text = self.bytes.text();
        let mut vector = self.vector(&text);
        if self.bytes.next() == 255 {
            vector.truncate(self.bytes.next());
        }
        // times jump and overlap; sometimes years lie between them
        let start_ms = match self.bytes.next() {
            255 => self.bytes.number() % limits::STREAM_MS_MAX,
            at => self.turns * 2_000 + at as u64 * 50,
        };
        Input::heard(
            Utterance {
                id: format!("u{}", self.turns - u64::from(self.bytes.next() == 255)),
                stream: self.stream(),
                speaker: [None, Some("Ana"), Some("Ben")][self.bytes.next() % 3].map(str::to_owned),
                span: Span::new(start_ms, start_ms + 1_500),
                audio: None,
                confidence: None,
                text,
            },
            vector.into(),
        )
    }

    /// A stream begins, alone or beside others.
    fn begin(&mut self) -> Input {
        let name = format!("s{}", self.bytes.next() % 20);
        let started = !self.bytes.next().is_multiple_of(8);
        let started_at_unix_ms = started.then(|| self.bytes.number() as i64);
        Input::Begin(StreamStart {
            beside: !self.bytes.next().is_multiple_of(8),
            ..StreamStart::new(name, started_at_unix_ms)
        })
    }

    /// An open stream, rarely one that is not.
    fn stream(&mut self) -> String {
        let at = self.bytes.next();
        let open: Vec<&str> = self.session.streams().map(|it| &*it.name).collect();
        let found = open.get(at % open.len().max(1)).filter(|_| at < 250);
        found.map_or_else(String::new, |name| (*name).to_owned())
    }

    /// A source is added or removed.
    fn source(&mut self) -> Input {
        let name = ["book", "notes", ""][self.bytes.next() % 3];
        if self.bytes.next().is_multiple_of(4) {
            return Input::RemoveSource(name.to_owned());
        }
        let text = vec![self.bytes.text(); self.bytes.next() % 16].join("\n\n");
        let texts = excerpts(&text, TextKind::Markdown).map(|excerpts| SourceText {
            file: "a.md".to_owned(),
            excerpts,
        });
        let weight = self.bytes.next() as f32 / 16.0;
        let texts = texts.into_iter().collect();
        let source = Source::of(name, weight, texts, self.encoder.as_ref());
        Input::AddSource(Box::new(source.expect("hashing cannot fail")))
    }

    fn vector(&self, text: &str) -> Vec<f32> {
        let vectors = self.encoder.encode(&[text]);
        vectors.expect("hashing cannot fail").remove(0)
    }

    /// Some existing nodes, and some that do not exist.
    fn nodes(&mut self) -> Vec<NodeId> {
        let held: Vec<NodeId> = self.session.tree().nodes().map(|node| node.id).collect();
        (0..self.bytes.next() % 6)
            .map(|_| match (self.bytes.next(), held.len()) {
                (at, 1..) if at < 200 => held[at % held.len()],
                (at, _) => NodeId {
                    slot: at as u32 * 1_000,
                    generation: at as u32,
                },
            })
            .collect()
    }

    fn ask(&mut self) {
        let text = self.bytes.text();
        let vector = self.vector(&text);
        let asked_by = (self.bytes.next() % 2 == 1).then(|| "Ana".to_owned());
        let room = limits::CONTEXT_TOKENS_MIN + self.bytes.next();
        let question = Question {
            terms: weir_models::Terms::default(),
            text,
            vector,
            asked_by,
            at: weir_core::answer::QuestionTime::default(),
        };
        let recall = self.session.recall(&question, room);
        assert!(recall.context.tokens <= room);
        let nodes = recall.context.nodes().collect();
        let session_ms = recall.session_ms;
        self.apply(&Input::Recalled { nodes, session_ms });
    }

    /// Mounts the next block; if `senseless`, with a distillate of a faulty distiller.
    fn mount(&mut self, senseless: bool) {
        let Some(block) = self.session.next_block() else {
            return;
        };
        let distilled = Extractive.distil(&block, self.encoder.as_ref());
        let mut distillate = distilled.expect("hashing cannot fail");
        if senseless {
            self.twist(&mut distillate);
        }
        self.apply(&Input::Mount(Box::new(distillate)));
    }

    fn twist(&mut self, distillate: &mut Distillate) {
        for _ in 0..1 + self.bytes.next() % 3 {
            let at = self.bytes.next();
            match at % 9 {
                0 => distillate.block = BlockId(self.bytes.number()),
                1 => distillate.scene_label = self.bytes.text(),
                2 => distillate.event_text = self.bytes.text(),
                3 => distillate.event_evidence.clear(),
                4 => distillate.scene_vector.truncate(at),
                5 => distillate.event_vector.fill(0.0),
                6 => distillate.said_ms = self.bytes.number() % limits::STREAM_MS_MAX,
                _ => self.twist_unit(distillate),
            }
        }
    }

    fn twist_unit(&mut self, distillate: &mut Distillate) {
        let at = self.bytes.next();
        let Some(count) = distillate.units.len().checked_sub(1) else {
            return;
        };
        let unit = &mut distillate.units[at % (count + 1)];
        match self.bytes.next() % 8 {
            0 => unit.text = self.bytes.text(),
            1 => unit.text = "walnut ".repeat(300),
            2 => unit.text.clear(),
            3 => unit.salience = f32::from_bits(self.bytes.number() as u32),
            4 => unit.said_ms = self.bytes.number() % limits::STREAM_MS_MAX,
            5 => unit.vector.fill(0.0),
            6 => {
                let item = unit.evidence[0].clone();
                unit.evidence = vec![item; at];
            }
            _ => {
                let twin = unit.clone();
                distillate.units.extend(std::iter::repeat_n(twin, at % 70));
            }
        }
    }
}
