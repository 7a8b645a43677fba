//! What a distillate says of its own words: see [`Analysis`].

use crate::analysis::Analysis;
use crate::talk::DistilledUnit;
use crate::text::{Statement, analyse};

/// What is read from a statement. Cost: linear in its words.
pub(crate) fn analyse_unit(unit: &DistilledUnit) -> Analysis {
    let said_at = unit.evidence.first().and_then(|item| item.said_at_unix_ms);
    // a model may have written the date itself
    let dated = unit.retold && unit.text.contains('(');
    analyse(Statement {
        text: &unit.text,
        asked: unit.asked.as_deref(),
        speaker: unit.speaker.as_deref(),
        said_at_unix_ms: said_at.filter(|_| !dated),
    })
}

/// What is read from a summary or a label, if there is one: it claims nothing itself.
pub(crate) fn analyse_summary(text: &str) -> Analysis {
    if text.is_empty() {
        return Analysis::default();
    }
    let analysis = analyse(Statement {
        text,
        ..Statement::default()
    });
    Analysis {
        own: None,
        ..analysis
    }
}
