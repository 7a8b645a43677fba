//! What a speech model runs on.

use whisper_rs::WhisperContextParameters;

/// Device on which whisper computes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhisperDevice {
    /// The CPU.
    #[default]
    Cpu,
    /// The accelerator with this number, through the backend of the build (features `cuda` and
    /// `metal`).
    Gpu(u16),
}

impl WhisperDevice {
    pub(super) fn parameters<'a>(self) -> WhisperContextParameters<'a> {
        let mut parameters = WhisperContextParameters::default();
        match self {
            Self::Cpu => parameters.use_gpu(false),
            Self::Gpu(number) => parameters.use_gpu(true).gpu_device(i32::from(number)),
        };
        parameters
    }
}
