//! Chooses, loads and lists models.

pub(crate) mod doctor;
pub(crate) mod loader;
pub(crate) mod model_args;
pub(crate) mod models;
pub(crate) mod models_args;
pub(crate) mod selecting;
pub(crate) mod wiring;
