//! The bytes of a vocabulary as a trie, walked by a state machine to find the allowed next tokens.

use super::shape::{Program, State};

/// Characters of a token that is checked by its length alone; longer ones are walked.
const CHARS_MAX: usize = 24;

/// Which tokens are allowed: one bit each.
#[derive(Debug, Clone, Default)]
pub(super) struct Mask {
    words: Vec<u64>,
}

impl Mask {
    fn none(tokens: usize) -> Self {
        Self {
            words: vec![0; tokens.div_ceil(64)],
        }
    }

    pub(super) fn has(&self, token: u32) -> bool {
        let word = self.words.get(token as usize / 64);
        word.is_some_and(|word| word >> (token % 64) & 1 == 1)
    }

    pub(super) fn allow(&mut self, token: u32) {
        self.words[token as usize / 64] |= 1 << (token % 64);
    }

    pub(super) fn forbid(&mut self, token: u32) {
        self.words[token as usize / 64] &= !(1 << (token % 64));
    }
}

/// A node; its children follow it, and then its siblings.
#[derive(Debug)]
struct Node {
    byte: u8,
    depth: u16,
    /// The first node outside this node's subtree.
    end: u32,
    /// Range in `ids` of the tokens that end here.
    ids: std::ops::Range<u32>,
}

#[derive(Debug, Default)]
struct Trie {
    nodes: Vec<Node>,
    ids: Vec<u32>,
    depth_max: usize,
}

impl Trie {
    /// Builds from tokens sorted by their bytes, none of them empty.
    fn new(tokens: &[(&[u8], u32)]) -> Self {
        let mut trie = Self::default();
        let mut path: Vec<usize> = Vec::new();
        let mut before: &[u8] = &[];
        for (bytes, id) in tokens {
            let shared = before
                .iter()
                .zip(*bytes)
                .take_while(|(a, b)| a == b)
                .count();
            trie.close(&mut path, shared);
            for &byte in &bytes[shared..] {
                path.push(trie.nodes.len());
                let ids = trie.ids.len() as u32;
                trie.nodes.push(Node {
                    byte,
                    depth: (path.len() - 1) as u16,
                    end: 0,
                    ids: ids..ids,
                });
            }
            trie.ids.push(*id);
            trie.depth_max = trie.depth_max.max(bytes.len());
            let last = path[path.len() - 1];
            trie.nodes[last].ids.end = trie.ids.len() as u32;
            before = bytes;
        }
        trie.close(&mut path, 0);
        trie
    }

    fn close(&mut self, path: &mut Vec<usize>, depth: usize) {
        let end = self.nodes.len() as u32;
        for at in path.drain(depth..) {
            self.nodes[at].end = end;
        }
    }

    /// Allows every token that `state` accepts.
    fn walk(&self, program: &Program, state: &State, mask: &mut Mask) {
        let mut states = vec![*state; self.depth_max + 1];
        let mut at = 0;
        while let Some(node) = self.nodes.get(at) {
            let depth = usize::from(node.depth);
            let mut next = states[depth];
            if next.take(program, node.byte) {
                states[depth + 1] = next;
                for &id in &self.ids[node.ids.start as usize..node.ids.end as usize] {
                    mask.allow(id);
                }
                at += 1;
            } else {
                at = node.end as usize;
            }
        }
    }

    /// The longest token that is a prefix of `bytes`, and its length.
    fn longest(&self, bytes: &[u8]) -> Option<(u32, usize)> {
        let (mut at, mut end, mut depth) = (0, self.nodes.len(), 0);
        let mut found = None;
        while at < end && depth < bytes.len() {
            let node = &self.nodes[at];
            if node.byte == bytes[depth] {
                depth += 1;
                if let Some(&id) = self.ids[..node.ids.end as usize].get(node.ids.start as usize) {
                    found = Some((id, depth));
                }
                (at, end) = (at + 1, node.end as usize);
            } else {
                at = node.end as usize;
            }
        }
        found
    }
}

/// A vocabulary prepared for state machines. Made once, when the first shape is requested.
#[derive(Debug)]
pub(super) struct TokenIndex {
    tokens: usize,
    /// All tokens that have bytes.
    all: Trie,
    /// Tokens other than a few whole plain characters.
    odd: Trie,
    /// Tokens of at most this many whole plain characters.
    plain: Vec<Mask>,
}

impl TokenIndex {
    /// `tokens` holds the bytes of every token by its number; empty for those without text.
    pub(super) fn new(tokens: &[Vec<u8>]) -> Self {
        let with_bytes = tokens.iter().zip(0_u32..);
        let mut sorted: Vec<(&[u8], u32)> = with_bytes
            .filter(|(bytes, _)| !bytes.is_empty() && bytes.len() < usize::from(u16::MAX))
            .map(|(bytes, id)| (bytes.as_slice(), id))
            .collect();
        sorted.sort_unstable();
        let mut plain = vec![Mask::none(tokens.len()); CHARS_MAX + 1];
        let mut odd = Vec::new();
        for &(bytes, id) in &sorted {
            match plain_chars(bytes) {
                Some(chars) if chars <= CHARS_MAX => {
                    plain[chars..].iter_mut().for_each(|mask| mask.allow(id));
                }
                _ => odd.push((bytes, id)),
            }
        }
        Self {
            tokens: tokens.len(),
            all: Trie::new(&sorted),
            odd: Trie::new(&odd),
            plain,
        }
    }

    /// Which tokens `state` accepts.
    pub(super) fn allowed(&self, program: &Program, state: &State) -> Mask {
        let mut mask;
        match state.text_room(program) {
            Some(chars) => {
                mask = self.plain[CHARS_MAX.min(chars as usize)].clone();
                self.odd.walk(program, state, &mut mask);
            }
            None => {
                mask = Mask::none(self.tokens);
                self.all.walk(program, state, &mut mask);
            }
        }
        mask
    }

    /// Tokens that spell these bytes, each the longest that fits; `None` if a byte has no token.
    pub(super) fn split(&self, bytes: &[u8]) -> Option<Vec<u32>> {
        let (mut tokens, mut rest) = (Vec::new(), bytes);
        while !rest.is_empty() {
            let (token, len) = self.all.longest(rest)?;
            tokens.push(token);
            rest = &rest[len..];
        }
        Some(tokens)
    }

    /// Bytes in memory.
    pub(super) fn bytes(&self) -> usize {
        let trie = |trie: &Trie| trie.nodes.len() * size_of::<Node>() + trie.ids.len() * 4;
        let masks: usize = self.plain.iter().map(|mask| mask.words.len() * 8).sum();
        trie(&self.all) + trie(&self.odd) + masks
    }
}

/// Number of characters of these bytes inside a JSON text; `None` unless they are whole characters
/// that need no escape.
fn plain_chars(bytes: &[u8]) -> Option<usize> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_plain = |c: char| !c.is_control() && c != '"' && c != '\\';
    text.chars().all(is_plain).then(|| text.chars().count())
}
