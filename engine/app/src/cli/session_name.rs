//! Which folder the name of a session means: the one here, else that of `weir serve`.

use clap::builder::{PathBufValueParser, TypedValueParser};
use std::path::{Component, Path, PathBuf};
use weir_loading::user_data;

/// Reads the folder of a session. A bare name that is no folder here means the session of that name
/// which `weir serve` and `weir mcp` have in the user's data folder, if there is one.
pub(crate) fn session_folder() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|given| {
        let served = user_data().map(|data| data.join("served").join("sessions"));
        served.map_or_else(|_| given.clone(), |served| meant(&given, &served))
    })
}

fn meant(given: &Path, served: &Path) -> PathBuf {
    let mut parts = given.components();
    let is_bare = matches!(parts.next(), Some(Component::Normal(_))) && parts.next().is_none();
    let there = served.join(given);
    match is_bare && !given.exists() && there.is_dir() {
        true => there,
        false => given.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_no_folder_here_means_the_served_session() {
        let served = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(served.path().join("weir-test-home")).expect("made");
        let meant = |given: &str| meant(Path::new(given), served.path());
        assert_eq!(
            meant("weir-test-home"),
            served.path().join("weir-test-home")
        );
        for other in [
            "weir-test-none", "./weir-test-home", "a/weir-test-home", "src", "..",
        ] {
            assert_eq!(meant(other), Path::new(other), "{other}");
        }
    }
}
