//! Cuts a stream into blocks: at its pauses, and at a maximum number of turns.

use std::ops::Range;

/// The block that is open.
pub(crate) struct Blocks {
    turns_max: usize,
    open: Range<usize>,
}

impl Blocks {
    pub(crate) fn new(turns_max: usize) -> Self {
        Self {
            turns_max,
            open: 0..0,
        }
    }

    /// Adds the next turn; returns the block if it is full.
    pub(crate) fn push(&mut self) -> Option<Range<usize>> {
        self.open.end += 1;
        (self.open.len() >= self.turns_max).then(|| self.close())?
    }

    /// Closes the open block, if it has a turn.
    pub(crate) fn close(&mut self) -> Option<Range<usize>> {
        let closed = self.open.clone();
        self.open = closed.end..closed.end;
        (!closed.is_empty()).then_some(closed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_when_full_and_at_pauses() {
        let mut blocks = Blocks::new(3);
        assert_eq!(blocks.close(), None);
        let pushed = [(); 3].map(|()| blocks.push());
        assert_eq!(pushed, [None, None, Some(0..3)]);
        assert_eq!(blocks.push(), None);
        assert_eq!((blocks.close(), blocks.close()), (Some(3..4), None));
    }
}
