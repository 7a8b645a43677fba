//! Which folder the name of a session means: the one here, else that of `weir serve`.

use clap::builder::{PathBufValueParser, TypedValueParser};
use std::path::{Component, Path, PathBuf};
use weir_engine::store::is_session;
use weir_loading::user_data;

/// Names the data folder of `weir serve` and `weir mcp`.
pub(crate) const SERVED: &str = "WEIR_SERVED";

/// Reads the folder of a session. A bare name that is no session here means the one of that name
/// which `weir serve` and `weir mcp` have in their data folder, if there is one.
pub(crate) fn session_folder() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().map(|given| {
        let named = std::env::var_os(SERVED).filter(|it| !it.is_empty());
        let data = named.map_or_else(
            || Some(user_data().ok()?.join("served")),
            |it| Some(it.into()),
        );
        let served = data.map(|it: PathBuf| it.join("sessions"));
        served.map_or_else(|| given.clone(), |served| meant(&given, &served))
    })
}

fn meant(given: &Path, served: &Path) -> PathBuf {
    let mut parts = given.components();
    let is_bare = matches!(parts.next(), Some(Component::Normal(_))) && parts.next().is_none();
    let there = served.join(given);
    match is_bare && !is_session(given) && is_session(&there) {
        true => there,
        false => given.to_path_buf(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_no_session_here_means_the_served_session() {
        let served = tempfile::tempdir().expect("a folder");
        let there = served.path().join("src");
        let memory = weir_engine::Memory::builder(weir_engine::WordHashEncoder::new());
        memory.open(&there).expect("made").close().expect("closed");
        let meant = |given: &str| meant(Path::new(given), served.path());
        // a folder of this name is here, and holds no session of its own
        assert!(Path::new("src").is_dir() && !is_session(Path::new("src")));
        assert_eq!(meant("src"), there);
        for other in ["weir-test-none", "./src", "a/src", ".."] {
            assert_eq!(meant(other), Path::new(other), "{other}");
        }
    }
}
