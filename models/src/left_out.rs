//! In the place of models that a build without feature `writers` leaves out: none of them can be
//! loaded, and the error says which build has them.

use std::path::Path;

use crate::{
    DeviceChoice, Entail, EntailError, Entailment, Flow, Generate, GenerateError, Generated,
    LoadError, Request, Summarise,
};

/// Options of a generator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GeneratorOptions {
    /// Tokens of prompt and reply together.
    pub context_tokens: usize,
    /// Device of the weights and products.
    pub device: DeviceChoice,
}

/// Defines models of which there are none.
macro_rules! left_out {
    ($($model:ident $what:literal;)+) => {$(
        #[doc = concat!("What this build leaves out: ", $what, ".")]
        #[derive(Debug)]
        pub enum $model {}

        impl $model {
            /// Loads nothing.
            ///
            /// # Errors
            /// [`LoadError::LeftOut`].
            pub fn load_on(
                _path: impl AsRef<Path>,
                _device: DeviceChoice,
            ) -> Result<Self, LoadError> {
                Err(LoadError::LeftOut { what: $what })
            }

            /// Bytes that it takes.
            #[must_use]
            pub fn resident_bytes(&self) -> usize {
                match *self {}
            }
        }
    )+};
}

left_out! {
    EntailmentModel "models that check claims";
    Generator "models that write";
    T5Summariser "models that summarise";
}

/// Loads as the other models do: nothing.
macro_rules! on_the_cpu {
    ($($model:ident)+) => {$(
        impl $model {
            /// Loads nothing.
            ///
            /// # Errors
            /// [`LoadError::LeftOut`].
            pub fn load(path: impl AsRef<Path>) -> Result<Self, LoadError> {
                Self::load_on(path, DeviceChoice::Cpu)
            }
        }
    )+};
}

on_the_cpu!(EntailmentModel T5Summariser);

impl Generator {
    /// Loads nothing.
    ///
    /// # Errors
    /// [`LoadError::LeftOut`].
    pub fn load(path: impl AsRef<Path>, options: GeneratorOptions) -> Result<Self, LoadError> {
        Self::load_on(path, options.device)
    }
}

impl Entail for EntailmentModel {
    fn name(&self) -> &str {
        match *self {}
    }

    fn entailment(&self, _: &str, _: &str) -> Result<Entailment, EntailError> {
        match *self {}
    }
}

impl Generate for Generator {
    fn name(&self) -> &str {
        match *self {}
    }

    fn context_tokens(&self) -> usize {
        match *self {}
    }

    fn generate(
        &mut self,
        _: &Request,
        _: &mut dyn FnMut(&str) -> Flow,
    ) -> Result<Generated, GenerateError> {
        match *self {}
    }
}

impl Summarise for T5Summariser {
    fn name(&self) -> &str {
        match *self {}
    }

    fn summarise(&mut self, _: &str, _: usize) -> Result<String, GenerateError> {
        match *self {}
    }
}
