//! The web page of `weir serve` in a browser.

use crate::cli_support::Place;
use crate::serving::{Serving, client, python, recording};
use std::path::Path;
use std::process::{Command, Stdio};
use weir_fixtures::{Need, missing};

/// Names of a Chromium or Chrome.
const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// The first browser on the path; `None` with a message where there is none.
fn browser() -> Option<&'static str> {
    let starts = |name: &&&str| {
        let asked = Command::new(name)
            .arg("--version")
            .stderr(Stdio::null())
            .output();
        asked.is_ok_and(|it| it.status.success())
    };
    let found = BROWSERS.iter().find(starts).copied();
    if found.is_none() {
        missing(
            Need::Programs,
            &format!("no browser: {}", BROWSERS.join(", ")),
        );
    }
    found
}

#[track_caller]
fn in_a_browser(script: &str) {
    let Some(browser) = browser() else { return };
    let Some(python) = python() else { return };
    let place = Place::new();
    let (wav, word) = recording(&place);
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../server/page");
    let (weir, folder) = (env!("CARGO_BIN_EXE_weir"), place.path("."));
    let (folder, page) = (folder.to_string_lossy(), page.to_string_lossy());
    client(
        &python,
        script,
        &[weir, &folder, browser, &page, &wav, word],
    );
}

#[test]
fn a_person_hears_and_asks_by_the_page() {
    in_a_browser("page_client.py");
}

#[test]
fn a_person_looks_at_memory_by_the_page() {
    in_a_browser("page_memory_client.py");
}

#[cfg(unix)]
#[test]
fn the_page_is_opened_or_its_address_is_printed() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    let serving = Serving::of(&place, &[]);
    let open = |programs: &str| {
        let mut command = place.command(&["open", "--session", "home", "--at", &serving.address]);
        let done = command.env("PATH", programs).output().expect("it runs");
        let text = |bytes| String::from_utf8(bytes).expect("it is text");
        assert!(done.status.success(), "{}", text(done.stderr));
        text(done.stdout)
    };
    let page = format!("{}/#/home/live\n", serving.address);
    assert_eq!(open("/nowhere"), page);
    let opener = place.write("xdg-open", "#!/bin/sh\necho \"$1\" > opened\n");
    let runs = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(opener, runs).expect("it can run");
    let here = place.path(".").to_string_lossy().into_owned();
    assert_eq!(open(&here), "");
    assert_eq!(
        std::fs::read_to_string(place.path("opened")).ok(),
        Some(page)
    );
    drop(serving);
    let refused = place.weir(&["open", "--at", "http://localhost:1"]);
    refused.ended(2).err_has("start one with `weir serve`");
}
