//! Whom and what a session names.

use crate::memory::Quoted;
use serde::{Deserialize, Serialize};

/// Whom and what the statements of a session name: `weir memory entities`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Entities {
    /// Those asked for, most often named first.
    pub entities: Vec<Entity>,
    /// What is known of the one that was asked for by name; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<EntityAbout>,
}

/// A person, a place, an organisation or a thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// Its other names.
    pub also: Vec<String>,
    /// What it is.
    pub kind: EntityKind,
    /// Statements that name it.
    pub statements: usize,
    /// Session time of the first of them, in milliseconds.
    pub first_ms: u64,
    /// Session time of the last of them, in milliseconds.
    pub last_ms: u64,
}

/// What is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum EntityKind {
    /// A person, or an animal with a name.
    Person,
    /// Where one can go.
    Place,
    /// A company, a school, a team.
    Organisation,
    /// Anything else.
    Thing,
}

/// What a session says of one entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EntityAbout {
    /// How it stands to others, oldest first.
    pub relations: Vec<Related>,
    /// What else the same statements name, most often first.
    pub beside: Vec<Beside>,
    /// The statements, oldest first.
    pub said: Vec<Quoted>,
}

/// A relation that a statement says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Related {
    /// The name of the first; null for an unknown speaker.
    pub subject: Option<String>,
    /// The words between the two.
    pub relation: String,
    /// The name of the second.
    pub object: String,
    /// The statement.
    pub source: Quoted,
}

/// Another entity, and how many statements name both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Beside {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: EntityKind,
    /// The statements.
    pub statements: usize,
}
