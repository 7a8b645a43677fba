//! The vocabulary as a byte trie with two roots: word beginnings and word continuations.
//!
//! Invariant: the children of a node are adjacent, sorted by their byte, so they form a range.

/// Prefix of a token that continues a word.
const CONTINUATION: &str = "##";

/// A byte trie that is built once and then only read.
#[derive(Debug)]
pub(super) struct Trie {
    nodes: Vec<Node>,
    begin: Root,
    go_on: Root,
}

/// One node; its children are `nodes[first..first + children]`.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    first: u32,
    children: u16,
    byte: u8,
    is_token: bool,
}

/// The children of a root by byte (a root has too many to scan); 0 means none.
type Root = Box<[u32; 256]>;

impl Trie {
    /// Builds the trie of a vocabulary, one token per item.
    pub(super) fn new<'a>(vocabulary: impl Iterator<Item = &'a str>) -> Self {
        let (mut begin, mut go_on) = (Vec::new(), Vec::new());
        for token in vocabulary {
            match token.strip_prefix(CONTINUATION) {
                Some(rest) if !rest.is_empty() => go_on.push(rest.as_bytes()),
                _ => begin.push(token.as_bytes()),
            }
        }
        // Node 0 is unused, so that 0 can mean "none" in a root.
        let mut nodes = vec![Node::default()];
        let begin = grow_root(&mut nodes, begin);
        let go_on = grow_root(&mut nodes, go_on);
        Self {
            nodes,
            begin,
            go_on,
        }
    }

    /// Counts the pieces of `word` by greedy longest match; `None` if it cannot be split.
    pub(super) fn pieces(&self, word: &[u8]) -> Option<usize> {
        let mut at = self.longest(&self.begin, word)?;
        let mut pieces = 1;
        while at < word.len() {
            at += self.longest(&self.go_on, &word[at..])?;
            pieces += 1;
        }
        Some(pieces)
    }

    /// The length in bytes of the longest token that `bytes` starts with.
    fn longest(&self, root: &Root, bytes: &[u8]) -> Option<usize> {
        let mut best = None;
        let (&head, tail) = bytes.split_first()?;
        let mut node = match root[usize::from(head)] {
            0 => return None,
            at => self.nodes[at as usize],
        };
        for (depth, &byte) in tail.iter().enumerate() {
            if node.is_token {
                best = Some(depth + 1);
            }
            match self.child(node, byte) {
                Some(next) => node = next,
                None => return best,
            }
        }
        if node.is_token {
            Some(bytes.len())
        } else {
            best
        }
    }

    fn child(&self, node: Node, byte: u8) -> Option<Node> {
        let first = node.first as usize;
        let children = &self.nodes[first..first + usize::from(node.children)];
        children.iter().find(|child| child.byte == byte).copied()
    }
}

/// Adds all `tokens` under a new root.
fn grow_root(nodes: &mut Vec<Node>, mut tokens: Vec<&[u8]>) -> Root {
    tokens.sort_unstable();
    tokens.dedup();
    let mut root = Box::new([0; 256]);
    let top = grow(nodes, &tokens, 0);
    for at in top.first..top.first + u32::from(top.children) {
        root[usize::from(nodes[at as usize].byte)] = at;
    }
    root
}

/// Adds the children of the node that all of the sorted `tokens` reach after `depth` bytes, and
/// their subtrees, and returns the node (the caller sets its byte). Recursion is as deep as the
/// longest token, 18 bytes in this vocabulary.
fn grow(nodes: &mut Vec<Node>, tokens: &[&[u8]], depth: usize) -> Node {
    let is_token = tokens.first().is_some_and(|token| token.len() == depth);
    let longer = if is_token { &tokens[1..] } else { tokens };
    let groups: Vec<&[&[u8]]> = longer.chunk_by(|a, b| a[depth] == b[depth]).collect();
    let first = nodes.len();
    nodes.resize(first + groups.len(), Node::default());
    for (offset, group) in groups.iter().enumerate() {
        let child = grow(nodes, group, depth + 1);
        nodes[first + offset] = Node {
            byte: group[0][depth],
            ..child
        };
    }
    let children = u16::try_from(groups.len()).expect("a byte has 256 values");
    let first = u32::try_from(first).expect("a vocabulary of 230 kB has fewer nodes than 2^32");
    Node {
        first,
        children,
        byte: 0,
        is_token,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_token_wins_and_a_dead_end_is_none() {
        let trie = Trie::new(["a", "ab", "abcd", "##c", "##cd", "##e"].into_iter());
        assert_eq!(trie.pieces(b"ab"), Some(1));
        assert_eq!(trie.pieces(b"abc"), Some(2));
        assert_eq!(trie.pieces(b"abcde"), Some(2));
        assert_eq!(trie.pieces(b"abx"), None);
        assert_eq!(trie.pieces(b"c"), None);
        assert_eq!(trie.pieces(b""), None);
    }
}
