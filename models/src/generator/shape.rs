//! A JSON shape as a state machine that reads a reply byte by byte and refuses bytes outside it.
//!
//! It accepts JSON without white space, except one space after a colon or a comma, which models
//! often write. Texts have no control characters, and escapes only of the quote, the backslash and
//! the slash; all other characters are written directly, in valid UTF-8.

use crate::JsonShape;

/// Most parts open at once.
const DEPTH_MAX: usize = 24;
/// Digits of a number: as many as always fit into 64 bits.
const DIGITS_MAX: u32 = 18;

/// A compiled shape.
#[derive(Debug)]
pub(super) struct Program {
    parts: Vec<Part>,
    root: u16,
}

#[derive(Debug)]
enum Part {
    /// These bytes.
    Literal(Vec<u8>),
    /// An optional space.
    Gap,
    Text {
        chars_max: u32,
    },
    /// One of these, sorted; none is a prefix of another.
    Choice(Vec<Vec<u8>>),
    Integer,
    List {
        item: u16,
        items_max: u32,
    },
    /// A sequence.
    Sequence(Vec<u16>),
}

impl Program {
    /// Compiles `shape`.
    ///
    /// # Errors
    /// A sentence about a shape that has no values or is nested too deeply.
    pub(super) fn new(shape: &JsonShape) -> Result<Self, String> {
        let mut program = Self {
            parts: Vec::new(),
            root: 0,
        };
        program.root = program.add(shape, 1)?;
        Ok(program)
    }

    fn add(&mut self, shape: &JsonShape, depth: usize) -> Result<u16, String> {
        // A list or an object and its content, a sequence and its literal.
        if depth >= DEPTH_MAX {
            return Err(format!("its shape is nested more than {DEPTH_MAX} deep"));
        }
        let part = match shape {
            JsonShape::Object(fields) => {
                let mut members = Vec::new();
                let mut before = "{".to_owned();
                for (name, shape) in fields {
                    let name = serde_json::Value::from(name.as_str());
                    if before == "," {
                        members.push(self.push(Part::Literal(b",".to_vec()))?);
                        members.push(self.push(Part::Gap)?);
                        before.clear();
                    }
                    let literal = format!("{before}{name}:");
                    members.push(self.push(Part::Literal(literal.into_bytes()))?);
                    members.push(self.push(Part::Gap)?);
                    members.push(self.add(shape, depth + 1)?);
                    before = ",".to_owned();
                }
                let end = if fields.is_empty() { "{}" } else { "}" };
                members.push(self.push(Part::Literal(end.into()))?);
                Part::Sequence(members)
            }
            JsonShape::Array { item, items_max } => Part::List {
                item: self.add(item, depth + 1)?,
                items_max: u32::try_from(*items_max).unwrap_or(u32::MAX),
            },
            JsonShape::String { chars_max } => Part::Text {
                chars_max: u32::try_from(*chars_max).unwrap_or(u32::MAX),
            },
            JsonShape::OneOf(texts) => {
                let quoted = |text: &String| serde_json::Value::from(text.as_str()).to_string();
                choice(texts.iter().map(quoted))?
            }
            JsonShape::Integer => Part::Integer,
            JsonShape::Bool => choice(["false", "true"].map(str::to_owned).into_iter())?,
        };
        self.push(part)
    }

    fn push(&mut self, part: Part) -> Result<u16, String> {
        let at = u16::try_from(self.parts.len());
        self.parts.push(part);
        at.map_err(|_| "its shape has more than 65536 parts".to_owned())
    }
}

fn choice(texts: impl Iterator<Item = String>) -> Result<Part, String> {
    let mut texts: Vec<Vec<u8>> = texts.map(String::into_bytes).collect();
    texts.sort();
    texts.dedup();
    if texts.is_empty() {
        return Err("its shape has a choice of nothing".to_owned());
    }
    Ok(Part::Choice(texts))
}

/// Progress of a reply: the open parts, and the position in each.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    open: [Frame; DEPTH_MAX],
    depth: usize,
}

/// Position in a part. The meaning of the numbers depends on the part.
#[derive(Debug, Clone, Copy, Default)]
struct Frame {
    part: u16,
    phase: Phase,
    /// Bytes, characters, digits, items or members done; or the first remaining choice.
    done: u32,
    /// The end of the remaining choices; or the bytes still missing of a character.
    end: u32,
    /// Bytes of the choice done; or the smallest and largest valid next byte.
    at: [u16; 2],
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Before,
    Inside,
    /// After a backslash, a sign, or a comma.
    After,
    /// Inside a multi-byte character; after a leading zero; after a comma and a space.
    Special,
}

/// The effect of a byte.
enum Taken {
    Yes,
    No,
    /// It belongs to the next part.
    Again,
}

impl State {
    /// Before the first byte.
    pub(super) fn new(program: &Program) -> Self {
        let mut state = Self {
            open: [Frame::default(); DEPTH_MAX],
            depth: 0,
        };
        state.enter(program, program.root);
        state
    }

    /// Whether nothing more can follow.
    pub(super) fn is_closed(&self) -> bool {
        self.depth == 0
    }

    /// Whether the value may end here, though more could follow.
    pub(super) fn may_end(&self, program: &Program) -> bool {
        self.depth == 0
            || self.depth == 1
                && matches!(program.parts[usize::from(self.top().part)], Part::Integer)
                && ends_number(self.top())
    }

    /// Inside a text, between two characters: how many more it may have.
    pub(super) fn text_room(&self, program: &Program) -> Option<u32> {
        let top = (self.depth > 0).then(|| self.top())?;
        match program.parts[usize::from(top.part)] {
            Part::Text { chars_max } if top.phase == Phase::Inside => Some(chars_max - top.done),
            _ => None,
        }
    }

    /// Reads a byte, or reports that it is not allowed here; the state is then invalid.
    #[must_use]
    pub(super) fn take(&mut self, program: &Program, byte: u8) -> bool {
        while self.depth > 0 {
            let taken = match &program.parts[usize::from(self.top().part)] {
                Part::Literal(text) => self.literal(program, text, byte),
                Part::Gap => {
                    self.leave(program);
                    if byte == b' ' {
                        Taken::Yes
                    } else {
                        Taken::Again
                    }
                }
                Part::Text { chars_max } => self.text(program, *chars_max, byte),
                Part::Choice(texts) => self.choice(program, texts, byte),
                Part::Integer => self.integer(program, byte),
                Part::List { item, items_max } => self.list(program, *item, *items_max, byte),
                // Its members can be open, but not the choice itself.
                Part::Sequence(_) => Taken::No,
            };
            match taken {
                Taken::Yes => return true,
                Taken::No => return false,
                Taken::Again => {}
            }
        }
        false
    }

    /// The same for several bytes.
    #[must_use]
    pub(super) fn take_all(&mut self, program: &Program, bytes: &[u8]) -> bool {
        bytes.iter().all(|&byte| self.take(program, byte))
    }

    /// The shortest completion that this machine knows: texts end at once, lists get no more items,
    /// the shortest choice is taken, numbers are 0.
    pub(super) fn closing(mut self, program: &Program) -> Vec<u8> {
        let mut bytes = Vec::new();
        while self.depth > 0 && !self.may_end(program) {
            let byte = self.closing_byte(program);
            bytes.push(byte);
            let taken = self.take(program, byte);
            debug_assert!(taken, "{byte} is refused at the end of {bytes:?}");
            if !taken {
                break;
            }
        }
        bytes
    }

    fn closing_byte(&self, program: &Program) -> u8 {
        // A gap or a number that may end: the next byte decides.
        let mut state = *self;
        loop {
            let top = *state.top();
            return match &program.parts[usize::from(top.part)] {
                Part::Gap => {
                    state.leave(program);
                    continue;
                }
                Part::Integer if ends_number(&top) => {
                    state.leave(program);
                    continue;
                }
                Part::List { item, .. } if matches!(top.phase, Phase::After | Phase::Special) => {
                    state.enter(program, *item);
                    continue;
                }
                Part::Literal(text) => text[top.done as usize],
                Part::Text { .. } if top.phase == Phase::Special => top.at[0] as u8,
                Part::Text { .. } => b'"',
                Part::Choice(texts) => {
                    let left = &texts[top.done as usize..top.end as usize];
                    let shortest = left.iter().min_by_key(|text| text.len());
                    shortest.map_or(b'"', |text| text[usize::from(top.at[0])])
                }
                Part::Integer if top.phase == Phase::Before => b'0',
                Part::Integer => b'1',
                Part::List { .. } if top.phase == Phase::Before => b'[',
                Part::List { .. } | Part::Sequence(_) => b']',
            };
        }
    }

    fn top(&self) -> &Frame {
        &self.open[self.depth - 1]
    }

    fn top_mut(&mut self) -> &mut Frame {
        &mut self.open[self.depth - 1]
    }

    fn enter(&mut self, program: &Program, part: u16) {
        let mut part = part;
        loop {
            let mut frame = Frame {
                part,
                ..Frame::default()
            };
            if let Part::Choice(texts) = &program.parts[usize::from(part)] {
                frame.end = texts.len() as u32;
            }
            self.open[self.depth] = frame;
            self.depth += 1;
            match &program.parts[usize::from(part)] {
                Part::Sequence(members) => part = members[0],
                _ => return,
            }
        }
    }

    /// Closes the part on top, and all parts that end with it.
    fn leave(&mut self, program: &Program) {
        loop {
            self.depth -= 1;
            if self.depth == 0 {
                return;
            }
            match &program.parts[usize::from(self.top().part)] {
                Part::Sequence(members) => {
                    let top = self.top_mut();
                    top.done += 1;
                    if let Some(&next) = members.get(top.done as usize) {
                        return self.enter(program, next);
                    }
                }
                _ => return,
            }
        }
    }

    fn literal(&mut self, program: &Program, text: &[u8], byte: u8) -> Taken {
        let top = self.top_mut();
        if text[top.done as usize] != byte {
            return Taken::No;
        }
        top.done += 1;
        if top.done as usize == text.len() {
            self.leave(program);
        }
        Taken::Yes
    }

    fn text(&mut self, program: &Program, chars_max: u32, byte: u8) -> Taken {
        let top = self.top_mut();
        let has_room = top.done < chars_max;
        match (top.phase, byte) {
            (Phase::Before, b'"') => top.phase = Phase::Inside,
            (Phase::Inside, b'"') => self.leave(program),
            (Phase::Inside, b'\\') if has_room => top.phase = Phase::After,
            (Phase::After, b'"' | b'\\' | b'/') => {
                top.done += 1;
                top.phase = Phase::Inside;
            }
            (Phase::Inside, 0x20..0x7f) if has_room => top.done += 1,
            (Phase::Inside, 0xc2..=0xf4) if has_room => {
                (top.end, top.at) = continuation(byte);
                top.phase = Phase::Special;
            }
            (Phase::Special, _) if (top.at[0]..=top.at[1]).contains(&u16::from(byte)) => {
                top.end -= 1;
                top.at = [0x80, 0xbf];
                if top.end == 0 {
                    top.done += 1;
                    top.phase = Phase::Inside;
                }
            }
            _ => return Taken::No,
        }
        Taken::Yes
    }

    fn choice(&mut self, program: &Program, texts: &[Vec<u8>], byte: u8) -> Taken {
        let top = self.top_mut();
        let at = usize::from(top.at[0]);
        let fits = |text: &Vec<u8>| text.get(at) == Some(&byte);
        let left = &texts[top.done as usize..top.end as usize];
        let Some(first) = left.iter().position(fits) else {
            return Taken::No;
        };
        let count = left[first..].iter().take_while(|text| fits(text)).count();
        top.done += first as u32;
        top.end = top.done + count as u32;
        top.at[0] += 1;
        if texts[top.done as usize].len() == at + 1 {
            self.leave(program);
        }
        Taken::Yes
    }

    fn integer(&mut self, program: &Program, byte: u8) -> Taken {
        let top = self.top_mut();
        match (top.phase, byte) {
            (Phase::Before, b'-') => top.phase = Phase::After,
            (Phase::Before, b'0') => top.phase = Phase::Special,
            (Phase::Before | Phase::After, b'1'..=b'9') => {
                top.phase = Phase::Inside;
                top.done = 1;
            }
            (Phase::Inside, b'0'..=b'9') if top.done < DIGITS_MAX => top.done += 1,
            _ if ends_number(top) => {
                self.leave(program);
                return Taken::Again;
            }
            _ => return Taken::No,
        }
        Taken::Yes
    }

    fn list(&mut self, program: &Program, item: u16, items_max: u32, byte: u8) -> Taken {
        let top = self.top_mut();
        match (top.phase, byte) {
            (Phase::Before, b'[') => top.phase = Phase::Inside,
            (Phase::Inside, b']') => self.leave(program),
            (Phase::Inside, b',') if top.done > 0 && top.done < items_max => {
                top.phase = Phase::After;
            }
            (Phase::After, b' ') => top.phase = Phase::Special,
            (Phase::Inside, _) if top.done > 0 || items_max == 0 => return Taken::No,
            (Phase::Inside | Phase::After | Phase::Special, _) => {
                top.done += 1;
                top.phase = Phase::Inside;
                self.enter(program, item);
                return Taken::Again;
            }
            _ => return Taken::No,
        }
        Taken::Yes
    }
}

fn ends_number(frame: &Frame) -> bool {
    matches!(frame.phase, Phase::Inside | Phase::Special)
}

/// After the first byte of a character: the number of bytes that follow, and the range of the next
/// one (Unicode, table 3-7; the control characters U+0080 to U+009F are excluded).
fn continuation(lead: u8) -> (u32, [u16; 2]) {
    match lead {
        0xc2 => (1, [0xa0, 0xbf]),
        0xc3..=0xdf => (1, [0x80, 0xbf]),
        0xe0 => (2, [0xa0, 0xbf]),
        0xed => (2, [0x80, 0x9f]),
        0xe1..=0xef => (2, [0x80, 0xbf]),
        0xf0 => (3, [0x90, 0xbf]),
        0xf4 => (3, [0x80, 0x8f]),
        _ => (3, [0x80, 0xbf]),
    }
}
