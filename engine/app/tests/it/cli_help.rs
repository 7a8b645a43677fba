//! Help, completions, exit codes and the read-only commands.
use crate::cli_support::Place;

#[test]
fn help_teaches_with_examples() {
    let place = Place::new();
    for args in [
        &["--help"][..],
        &["replay", "--help"],
        &["listen", "--help"],
        &["ask", "--help"],
        &["memory", "--help"],
        &["models", "--help"],
        &["completions", "--help"],
    ] {
        let ran = place.weir(args).ended(0);
        ran.out_has("Example");
        ran.out_has("weir ");
        assert_eq!(ran.err, "");
    }
    let help = place.weir(&["--help"]).out;
    for told in ["Exit status", "doctor", "replay", "listen", "ask"] {
        assert!(help.contains(told), "{told}: {help}");
    }
    let version = place.weir(&["--version"]).ended(0);
    assert!(version.out.starts_with("weir "));
}

#[test]
fn a_wrong_command_line_is_not_done() {
    let place = Place::new();
    for args in [
        &["sing"][..],
        &["replay"],
        &["replay", "x", "--pace", "fast"],
        &["ask", "What?"],
        &["listen", "--rate", "8000"],
        &["replay", "x", "--threads", "0"],
    ] {
        let ran = place.weir(args).ended(2);
        assert!(!ran.err.is_empty() && ran.out.is_empty(), "{args:?}");
    }
}

#[test]
fn completions_for_every_shell() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let ran = place.weir(&["completions", shell]).ended(0);
        assert!(
            ran.out.contains("weir") && ran.out.contains("replay"),
            "{shell}"
        );
    }
}

#[test]
fn models_are_listed_located_and_verified() {
    let place = Place::new();
    let json = place.weir(&["models", "list", "--json"]).ended(0).json();
    let models = json["models"].as_array().expect("a list");
    let named = |name: &str| {
        let found = models.iter().find(|model| model["name"] == name);
        found.unwrap_or_else(|| panic!("{name} is not listed"))
    };
    assert_eq!(named("tiny.en-q8_0")["state"], "embedded");
    assert_eq!(named("all-MiniLM-L6-v2")["state"], "absent");
    let path = place.weir(&["models", "path", "--models", "here"]).ended(0);
    assert_eq!(path.out.trim(), "here");
    place.weir(&["models", "path", "tiny.en-q8_0"]).ended(0);
    let ran = place.weir(&["models", "path", "base.en"]).ended(2);
    ran.err_has("weir models pull base.en");
    let ran = place
        .weir(&["models", "pull", "base.en", "--offline"])
        .ended(2);
    ran.err_has("offline");
    place.weir(&["models", "verify"]).ended(0);
    place.weir(&["models", "verify", "tiny.en-q8_0"]).ended(0);
    place
        .weir(&["models", "verify", "base.en", "tiny.en-q8_0"])
        .ended(1);
}

#[test]
fn doctor_says_what_to_do_and_that_all_needed_is_there() {
    let place = Place::new();
    let ran = place.weir(&["doctor"]).ended(0);
    for told in [
        "tiny.en-q8_0 (built in); `weir models pull base.en`",
        "weir models pull all-MiniLM-L6-v2",
        "microphone",
    ] {
        ran.out_has(told);
    }
    let ran = place.weir(&["doctor", "--generator", "nosuch"]).ended(2);
    ran.out_has("nosuch");
    let ran = place.weir(&["doctor", "--models", "/nonexistent"]).ended(2);
    ran.out_has("/nonexistent: folder not found");
    let ran = place.weir(&["doctor", "--session", "none"]).ended(2);
    ran.out_has("there is no session");
}
