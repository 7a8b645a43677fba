//! The gold labels of a stream file, read apart from what is fed: no question takes them along.

use super::audio::AudioPolicy;
use super::error::StreamFileError;
use super::item::{Gold, Item};
use super::reader::StreamReader;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// The gold labels of one probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labelled {
    /// The labels.
    pub gold: Gold,
    /// Utterances from the last evidence to the probe, 1 right below it; `None` without evidence.
    pub distance: Option<u64>,
}

/// The labels of a stream file's probes, by their ids; probes without any are left out.
///
/// Reads the file twice, so that the places of evidence alone are held and not of all utterances.
///
/// # Errors
/// The first line that breaks the format, or what kept the file from being read.
pub fn golds(path: &Path) -> Result<BTreeMap<String, Labelled>, StreamFileError> {
    let items = || StreamReader::open(path, AudioPolicy::MayBeMissing);
    let mut wanted = HashSet::new();
    for item in items()? {
        if let Item::Probe(probe) = item? {
            wanted.extend(probe.gold.evidence);
        }
    }
    let (mut said, mut places, mut found) = (0, HashMap::new(), BTreeMap::new());
    for item in items()? {
        match item? {
            Item::Utterance(line) => {
                said += 1;
                if wanted.contains(&line.id) {
                    places.insert(line.id, said);
                }
            }
            Item::Probe(probe) if probe.gold != Gold::default() => {
                let last = probe
                    .gold
                    .evidence
                    .iter()
                    .filter_map(|id| places.get(id))
                    .max();
                let distance = last.map(|last| said - last + 1);
                let gold = probe.gold;
                found.insert(probe.id, Labelled { gold, distance });
            }
            Item::Probe(_) | Item::Break { .. } => {}
        }
    }
    Ok(found)
}
