//! Weights that a program has inside.

/// The bytes of a file in `models/data`, as `&'static [u8]`.
///
/// A program that is shipped has them inside. Where debug assertions are on, they are read once
/// from the folder of this crate, so that test programs do not carry them; it panics without the
/// file.
macro_rules! shipped {
    ($file:literal) => {{
        #[cfg(not(debug_assertions))]
        {
            &include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $file))[..]
        }
        #[cfg(debug_assertions)]
        {
            static READ: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| {
                let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/", $file);
                std::fs::read(path).unwrap_or_else(|error| {
                    panic!("{path}: {error}; build again if the folder of the sources was moved")
                })
            });
            &READ[..]
        }
    }};
}

pub(crate) use shipped;
