//! Whom and what a session names, as clients read it.

use super::evidence::quoted;
use weir_api::{self as api, EntityKind};
use weir_core::entities::{Entities, Entity};
use weir_core::memory::NodeId;
use weir_core::session::Session;
use weir_core::transcript::Transcript;
use weir_models::NameKind;

/// The entities of a session: of one kind, if that is named; or the one of this name, with what is
/// known of it. None if nothing of that name is named, or several things are.
#[must_use]
pub fn entities(
    session: &Session,
    transcript: &dyn Transcript,
    of: Option<&str>,
    kind: Option<EntityKind>,
) -> api::Entities {
    let all = Entities::of(session, Some(transcript));
    let mut chosen: Vec<&Entity> = match of {
        Some(name) => all.find(name).into_iter().collect(),
        None => all.all().iter().collect(),
    };
    chosen.retain(|it| kind.is_none_or(|kind| kind == kind_of(it)));
    let about = of.and(chosen.first());
    api::Entities {
        entities: chosen.iter().map(|it| entity(it, session)).collect(),
        about: about.map(|it| known_of(it, &all, session, transcript)),
    }
}

/// What is known of one.
fn known_of(
    found: &Entity,
    all: &Entities,
    session: &Session,
    transcript: &dyn Transcript,
) -> api::EntityAbout {
    let quote = |id: NodeId| {
        let item = session.tree().node(id)?.evidence.first()?;
        Some(quoted(item, session, transcript))
    };
    let relations = all.links_of(found).filter_map(|it| {
        Some(api::Related {
            subject: it.subject.clone(),
            relation: it.how.clone(),
            object: it.object.clone(),
            source: quote(it.unit)?,
        })
    });
    let beside = all.beside(found).into_iter();
    let beside = beside.map(|(it, statements)| api::Beside {
        name: it.name.clone(),
        kind: kind_of(it),
        statements,
    });
    api::EntityAbout {
        relations: relations.collect(),
        beside: beside.collect(),
        said: found.units.iter().filter_map(|it| quote(*it)).collect(),
    }
}

fn entity(of: &Entity, session: &Session) -> api::Entity {
    let said = |id: Option<&NodeId>| {
        let node = id.and_then(|it| session.tree().node(*it));
        node.map_or(0, |it| it.said_ms)
    };
    api::Entity {
        name: of.name.clone(),
        also: of.also.clone(),
        kind: kind_of(of),
        statements: of.units.len(),
        first_ms: said(of.units.first()),
        last_ms: said(of.units.last()),
    }
}

/// A date is no entity.
fn kind_of(of: &Entity) -> EntityKind {
    match of.kind {
        NameKind::Person => EntityKind::Person,
        NameKind::Place => EntityKind::Place,
        NameKind::Organisation => EntityKind::Organisation,
        NameKind::Thing | NameKind::Date => EntityKind::Thing,
    }
}
