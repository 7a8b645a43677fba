//! Finds the facts of a profile that are nearest to a question, with a graph for each large one.

use super::{Angle, BUILD_EFFORT, EFFORT_FACTOR, EFFORT_MIN, Index, LAYERS, LINKS, STALE_SHARE};
use hnsw_rs::hnsw::Hnsw;
use std::collections::HashMap;
use weir_core::limits;
use weir_core::profile::{FactId, NearestFacts, ProfileFact, Profiles};
use weir_core::session::Session;
use weir_core::vectors::dot;

/// Extra candidates requested, since some hold no longer.
const MARGIN: usize = 16;

/// The facts of each speaker in one state of the profiles, usable for later states too.
pub struct FactIndex {
    speakers: HashMap<Option<String>, OfSpeaker>,
    /// The last fact it knows: later ones are scanned.
    last: FactId,
    /// Facts it knows.
    known: usize,
    revision: u64,
}

/// The facts of one speaker.
struct OfSpeaker {
    ids: Vec<FactId>,
    /// `None` for a speaker of few facts, which are scanned.
    graph: Option<Hnsw<'static, f32, Angle>>,
}

impl Index for FactIndex {
    fn is_due(index: Option<&Self>, session: &Session) -> bool {
        let profiles = session.profiles();
        let facts = profiles.facts().len();
        if facts < limits::INDEX_FACTS_MIN {
            return false;
        }
        index.is_none_or(|index| {
            let new = index.added(profiles).len();
            let gone = (index.known + new).saturating_sub(facts);
            let stale = new.max(gone) as f32 > STALE_SHARE * facts as f32;
            stale || index.revision != profiles.revision()
        })
    }

    fn build(session: &Session, stop: &dyn Fn() -> bool) -> Option<Self> {
        Self::of(session.profiles(), limits::INDEX_FACTS_MIN, stop)
    }
}

impl FactIndex {
    /// Builds a graph for each speaker of at least `facts_min` facts: one to four milliseconds a
    /// fact, two to three times the bytes of the vectors. `None` if `stop` returned true.
    #[must_use]
    pub fn of(profiles: &Profiles, facts_min: usize, stop: &dyn Fn() -> bool) -> Option<Self> {
        let mut speakers: HashMap<Option<String>, OfSpeaker> = HashMap::new();
        for fact in profiles.facts() {
            let of = speakers.entry(fact.speaker.clone());
            let of = of.or_insert_with(|| OfSpeaker {
                ids: Vec::new(),
                graph: None,
            });
            of.ids.push(fact.id);
        }
        for of in speakers.values_mut() {
            if of.ids.len() < facts_min {
                continue;
            }
            let graph = Hnsw::new(LINKS, of.ids.len(), LAYERS, BUILD_EFFORT, Angle);
            for (place, id) in of.ids.iter().enumerate() {
                if stop() {
                    return None;
                }
                if let Some(fact) = profiles.fact(*id) {
                    graph.insert((fact.vector(), place));
                }
            }
            of.graph = Some(graph);
        }
        Some(Self {
            speakers,
            last: profiles.facts().last().map_or(FactId(0), |it| it.id),
            known: profiles.facts().len(),
            revision: profiles.revision(),
        })
    }

    /// The facts said since it was built.
    fn added<'a>(&self, profiles: &'a Profiles) -> &'a [ProfileFact] {
        let facts = profiles.facts();
        &facts[facts.partition_point(|it| it.id <= self.last)..]
    }
}

impl OfSpeaker {
    /// The facts among which the nearest are.
    fn candidates(&self, vector: &[f32], count: usize) -> Vec<FactId> {
        let Some(graph) = &self.graph else {
            return self.ids.clone();
        };
        let wanted = 2 * count + MARGIN;
        let found = graph.search(vector, wanted, (wanted * EFFORT_FACTOR).max(EFFORT_MIN));
        let places = found.iter().map(|near| near.get_origin_id());
        places.map(|place| self.ids[place]).collect()
    }
}

impl NearestFacts for FactIndex {
    /// Cost: a search in the graph of the speaker, or a dot product for each fact of one without a
    /// graph, and one for each fact said since. After a change by hand every fact is scanned.
    fn nearest<'a>(
        &self,
        profiles: &'a Profiles,
        speaker: Option<&str>,
        vector: &[f32],
        count: usize,
    ) -> Vec<(&'a ProfileFact, f32)> {
        if self.revision != profiles.revision() {
            return profiles.find(speaker, vector, count);
        }
        let of = self.speakers.get(&speaker.map(str::to_owned));
        let known = of
            .map(|of| of.candidates(vector, count))
            .unwrap_or_default();
        let known = known.iter().filter_map(|id| profiles.fact(*id));
        let own = known.chain(self.added(profiles));
        let own = own.filter(|it| it.holds() && it.speaker.as_deref() == speaker);
        let mut found: Vec<_> = own.map(|it| (it, dot(it.vector(), vector))).collect();
        found.sort_by(|(a, x), (b, y)| y.total_cmp(x).then(a.id.cmp(&b.id)));
        found.truncate(count);
        found
    }
}
