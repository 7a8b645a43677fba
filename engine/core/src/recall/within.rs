//! Recall from one part of the talk.

use super::found::Found;
use crate::window::Window;

impl Found<'_> {
    /// Answers from what is in a window alone. What is concluded from all talk (beliefs, profiles,
    /// overviews) and what sources say is in no window.
    #[must_use]
    pub fn within(mut self, window: &Window) -> Self {
        self.ranked
            .retain(|it| window.holds(it.speaker(), it.said_ms()));
        self.passages.clear();
        self.overview_of = None;
        self.windowed = true;
        self
    }
}
