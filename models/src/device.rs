//! Which processor a model runs on: one name, `cpu`, `cuda:0` or `metal:0`, for all of them.

use std::fmt;
use std::str::FromStr;

use candle_core::Device;

/// Where a model runs. `cpu`, `cuda`, `cuda:1`, `metal` and `metal:1` are its names.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum DeviceChoice {
    /// This computer's processor; always there.
    #[default]
    Cpu,
    /// NVIDIA's card of this number, from 0; needs a build with feature `cuda`.
    Cuda(usize),
    /// Apple's graphics processor of this number, from 0; needs a build with feature `metal`.
    Metal(usize),
}

impl DeviceChoice {
    /// Opens the device.
    ///
    /// # Errors
    /// [`DeviceError`] where this build cannot use it, or there is none.
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
    /// No device has such a name.
    #[error("{found:?} is no device; give cpu, cuda, metal, or one of several such as cuda:1")]
    Unknown {
        /// What was given.
        found: String,
    },
    /// This program was built without it.
    #[error(
        "this program was built without {device}; build it with `--features {feature}`, or use \
         `--device cpu`"
    )]
    NotBuiltIn {
        /// What was asked for.
        device: DeviceChoice,
        /// The feature that it needs.
        feature: &'static str,
    },
    /// This computer has none, or it does not answer.
    #[error("{device} cannot be used: {reason}; use another number, or `--device cpu`")]
    NotThere {
        /// What was asked for.
        device: DeviceChoice,
        /// What its driver said.
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
            (DeviceChoice::Cuda(1), "--features cuda"),
            (DeviceChoice::Metal(0), "--features metal"),
        ] {
            let error = device.open().expect_err("not built in").to_string();
            assert!(error.contains(feature), "{error}");
            assert!(error.contains(&device.to_string()), "{error}");
        }
    }
}
