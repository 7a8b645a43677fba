//! The processor on which a model runs: one name, `cpu`, `cuda:0` or `metal:0`, for all models.

use std::fmt;
use std::str::FromStr;

use candle_core::Device;

/// Device of a model. Its names are `cpu`, `cuda`, `cuda:1`, `metal` and `metal:1`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum DeviceChoice {
    /// The CPU; always available.
    #[default]
    Cpu,
    /// The NVIDIA GPU with this number, from 0; needs a build with feature `cuda`.
    Cuda(usize),
    /// The Apple GPU with this number, from 0; needs a build with feature `metal`.
    Metal(usize),
}

impl DeviceChoice {
    /// Opens the device.
    ///
    /// # Errors
    /// [`DeviceError`] if this build does not support the device, or there is none.
    pub fn open(self) -> Result<Device, DeviceError> {
        let (feature, built_in, opened) = match self {
            Self::Cpu => return Ok(Device::Cpu),
            Self::Cuda(index) => ("cuda", cfg!(feature = "cuda"), Device::new_cuda(index)),
            Self::Metal(index) => ("metal", cfg!(feature = "metal"), Device::new_metal(index)),
        };
        if !built_in {
            return Err(DeviceError::NotBuiltIn {
                device: self,
                feature,
            });
        }
        opened.map_err(|error| DeviceError::NotThere {
            device: self,
            reason: error.to_string(),
        })
    }
}

impl fmt::Display for DeviceChoice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => out.write_str("cpu"),
            Self::Cuda(index) => write!(out, "cuda:{index}"),
            Self::Metal(index) => write!(out, "metal:{index}"),
        }
    }
}

impl FromStr for DeviceChoice {
    type Err = DeviceError;

    fn from_str(name: &str) -> Result<Self, DeviceError> {
        let unknown = || DeviceError::Unknown {
            found: name.chars().take(40).collect(),
        };
        let (kind, number) = name.split_once(':').unwrap_or((name, "0"));
        let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let index = digits.then(|| number.parse().ok()).flatten();
        match (kind, index) {
            ("cpu", _) if name == kind => Ok(Self::Cpu),
            ("cuda", Some(index)) => Ok(Self::Cuda(index)),
            ("metal", Some(index)) => Ok(Self::Metal(index)),
            _ => Err(unknown()),
        }
    }
}

/// Why a device cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The name is not a device name.
    #[error("{found:?} is not a device; give cpu, cuda, metal, or one of several such as cuda:1")]
    Unknown {
        /// What was given.
        found: String,
    },
    /// This build does not support the device.
    #[error("this program was built without {device} (feature `{feature}`); the CPU can be used")]
    NotBuiltIn {
        /// The requested device.
        device: DeviceChoice,
        /// The required feature.
        feature: &'static str,
    },
    /// This computer has no such device, or the device does not respond.
    #[error("{device} cannot be used: {reason}; use another number, or the CPU")]
    NotThere {
        /// The requested device.
        device: DeviceChoice,
        /// The driver's error.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for name in ["cpu", "cuda:0", "cuda:7", "metal:0"] {
            let device: DeviceChoice = name.parse().expect("a device");
            assert_eq!(device.to_string(), name);
        }
        assert_eq!(
            "cuda".parse::<DeviceChoice>().ok(),
            Some(DeviceChoice::Cuda(0))
        );
        assert_eq!(
            "metal".parse::<DeviceChoice>().ok(),
            Some(DeviceChoice::Metal(0))
        );
    }

    #[test]
    fn other_names_are_refused_with_the_right_ones() {
        let long = "x".repeat(1 << 20);
        for name in [
            "", "gpu", "cpu:0", "cuda:", "cuda:-1", "cuda:+1", "CUDA", ":0", &long,
        ] {
            let error = name
                .parse::<DeviceChoice>()
                .expect_err("no device")
                .to_string();
            assert!(error.contains("cpu, cuda, metal"), "{error}");
            assert!(error.len() < 200, "{error}");
        }
    }

    #[test]
    #[cfg(not(any(feature = "cuda", feature = "metal")))]
    fn a_device_that_was_not_built_in_names_the_feature() {
        assert!(DeviceChoice::Cpu.open().is_ok());
        for (device, feature) in [
            (DeviceChoice::Cuda(1), "feature `cuda`"),
            (DeviceChoice::Metal(0), "feature `metal`"),
        ] {
            let error = device.open().expect_err("not built in").to_string();
            assert!(error.contains(feature), "{error}");
            assert!(error.contains(&device.to_string()), "{error}");
        }
    }
}
