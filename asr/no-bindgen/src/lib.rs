//! The part of `bindgen`'s interface that the build of whisper-rs-sys names. It makes nothing:
//! [`Builder::generate`] says so, and that build then takes the bindings that come with it.
//!
//! The root `Cargo.toml` puts it in the place of `bindgen` by `[patch.crates-io]`.

use std::path::Path;

/// A version of Rust to make bindings for.
pub struct RustTarget;

impl RustTarget {
    /// A stable version.
    ///
    /// # Errors
    /// Never.
    pub fn stable(_minor: u64, _patch: u64) -> Result<Self, String> {
        Ok(Self)
    }
}

/// An edition to make bindings for.
pub enum RustEdition {
    /// The edition of 2021.
    Edition2021,
}

/// Tells cargo which headers were read.
pub struct CargoCallbacks;

impl CargoCallbacks {
    /// One that tells nothing.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "bindgen has none either")]
    pub fn new() -> Self {
        Self
    }
}

/// What bindings would be made of.
#[derive(Default)]
pub struct Builder;

impl Builder {
    /// Takes an edition.
    #[must_use]
    pub fn rust_edition(self, _edition: RustEdition) -> Self {
        self
    }

    /// Takes a version of Rust.
    #[must_use]
    pub fn rust_target(self, _target: RustTarget) -> Self {
        self
    }

    /// Takes a header.
    #[must_use]
    pub fn header(self, _header: &str) -> Self {
        self
    }

    /// Takes an argument of the compiler.
    #[must_use]
    pub fn clang_arg(self, _argument: &str) -> Self {
        self
    }

    /// Takes who is told which headers are read.
    #[must_use]
    #[expect(clippy::boxed_local, reason = "bindgen takes a box")]
    pub fn parse_callbacks(self, _callbacks: Box<CargoCallbacks>) -> Self {
        self
    }

    /// Makes no bindings.
    ///
    /// # Errors
    /// Always.
    pub fn generate(self) -> Result<Bindings, &'static str> {
        Err("bindgen is not built here, see asr/no-bindgen")
    }
}

/// Bindings, of which there are none.
pub enum Bindings {}

impl Bindings {
    /// Writes nothing.
    ///
    /// # Errors
    /// Never: there are no bindings.
    pub fn write_to_file(&self, _path: impl AsRef<Path>) -> std::io::Result<()> {
        match *self {}
    }
}
