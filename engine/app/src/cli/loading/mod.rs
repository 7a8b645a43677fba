//! Chooses, loads and lists models.

pub(crate) mod doctor;
pub(crate) mod endpoints;
pub(crate) mod model_args;
pub(crate) mod model_selection;
pub(crate) mod models;
pub(crate) mod models_args;
pub(crate) mod places;
pub(crate) mod shared;
pub(crate) mod wiring;
