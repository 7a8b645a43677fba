//! `weir source` and `weir ask --as` as a user types them.

use crate::cli_support::{Place, files_with, talk};

const RULES: &str = "# House\n\n## Wifi\n\nThe wifi password is swordfish forty.\n\n\
                     ## Bins\n\nPaper goes out on Tuesday evening.\n";

/// A session `s` with the talk in it, and a source `house`. The question in the talk is no access.
fn told() -> Place {
    let place = Place::new();
    place.write("kitchen.stream.jsonl", talk());
    place.write("rules.md", RULES);
    let replay = [
        "replay", "kitchen.stream.jsonl", "--encoder", "words", "--session", "s", "--no-learn",
    ];
    place.weir(&replay).ended(0);
    let added = source(&place, &["add", "rules.md", "--as", "house"], 0);
    assert!(
        added.contains("added `house`: 1 file, 2 passages"),
        "{added}"
    );
    place
}

/// Both outputs of `weir source ARGS --session s`.
fn source(place: &Place, args: &[&str], code: i32) -> String {
    let mut all = vec!["source"];
    all.extend(args);
    all.extend(["--session", "s"]);
    let ran = place.weir(&all).ended(code);
    ran.out + &ran.err
}

fn ask(place: &Place, question: &str, more: &[&str]) -> String {
    let mut all = vec!["ask", question, "--session", "s"];
    all.extend(more);
    place.weir(&all).ended(0).out
}

#[test]
fn questions_are_answered_from_the_source_and_from_talk() {
    let place = told();
    let answer = ask(&place, "What is the wifi password?", &[]);
    assert_eq!(
        answer,
        "house, rules.md:1-5: The wifi password is swordfish forty.\n  \
         [house, rules.md:1-5]  \"The wifi password is swordfish forty.\"  sure\n"
    );
    assert!(ask(&place, "Who feeds the cat?", &[]).starts_with("Alice: My sister Carla"));
    let json = ask(&place, "What is the wifi password?", &["--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["passages"][0]["file"], "rules.md");
    assert_eq!(json["passages"][0]["last_line"], 5);
    assert!(
        json["context"]
            .as_str()
            .expect("text")
            .contains("[house, rules.md:1-5]")
    );
}

#[test]
fn sources_are_listed() {
    let place = told();
    let listed = source(&place, &["list"], 0);
    assert!(
        listed.contains("weight 1\n  rules.md  2 passages of 9 lines\n"),
        "{listed}"
    );
    let json = place
        .weir(&["source", "list", "--session", "s", "--json"])
        .ended(0)
        .json();
    assert_eq!(
        (&json[0]["name"], &json[0]["weight"]),
        (&"house".into(), &1.0.into())
    );
}

/// No word of a removed source is in a file of the session; talk stays.
#[test]
fn a_removed_source_is_in_no_file() {
    let place = told();
    assert!(!files_with(&place.path("s"), "swordfish").is_empty());
    let receipt = source(&place, &["remove", "house"], 0);
    assert!(
        receipt.contains("erased    `house`: 1 file, 2 passages"),
        "{receipt}"
    );
    assert!(receipt.contains("rewritten s/memory.redb"), "{receipt}");
    assert_eq!(
        files_with(&place.path("s"), "swordfish"),
        [] as [std::path::PathBuf; 0]
    );
    assert!(ask(&place, "Who feeds the cat?", &[]).starts_with("Alice: My sister Carla"));
    assert!(!ask(&place, "What is the wifi password?", &[]).contains("wifi password is"));
    let gone = source(&place, &["remove", "house"], 2);
    assert!(gone.contains("no source `house`; it has none"), "{gone}");
}

#[test]
fn a_copy_by_export_has_the_source() {
    let place = told();
    place
        .weir(&["memory", "export", "s.jsonl", "--session", "s"])
        .ended(0);
    place
        .weir(&["memory", "import", "s.jsonl", "--session", "t"])
        .ended(0);
    let asked = ["ask", "What is the wifi password?", "--session", "t"];
    assert!(
        place
            .weir(&asked)
            .ended(0)
            .out
            .starts_with("house, rules.md:1-5")
    );
}

/// One bad file of several, and nothing is added.
#[test]
fn bad_files_are_told_and_nothing_is_added() {
    let place = told();
    place.write("good.txt", "The heating is set to twenty degrees.");
    let long = "word ".repeat(9_000);
    for (name, content, expected) in [
        (
            "a.bin",
            &b"PK\x03\0\0"[..],
            "a.bin is not a text file (byte 3 is zero)",
        ),
        ("latin.txt", b"caf\xe9", "latin.txt: line 1 is not UTF-8"),
        ("empty.md", b"\n \n", "empty.md: it has no words"),
        ("big.txt", long.as_bytes(), "`more` has 90"),
    ] {
        place.write(name, content);
        let told = source(&place, &["add", "good.txt", name, "--as", "more"], 2);
        assert!(told.contains(expected), "{told}");
    }
    let taken = source(&place, &["add", "good.txt", "--as", "house"], 2);
    assert!(taken.contains("has a source `house`"), "{taken}");
    let weight = source(
        &place,
        &["add", "good.txt", "--as", "w", "--weight", "0"],
        2,
    );
    assert!(weight.contains("above 0 and at most 10"), "{weight}");
    assert!(!source(&place, &["list"], 0).contains("more"));
}

/// Talk of 18 s has faded for a character with a stability of 1.8 s; sources do not fade, but one
/// that it does not know is not there.
#[test]
fn a_character_forgets_what_was_heard_and_knows_its_sources() {
    let place = told();
    let as_ben = |keys: &str| {
        let file = format!("name = \"Ben\"\ndescription = \"A cook.\"\n{keys}");
        place.write("ben.toml", file);
        |question: &str| ask(&place, question, &["--as", "ben.toml"])
    };
    let forgetful = as_ben("stability_hours = 0.0005\nboost = 1.0\n");
    let cat = forgetful("Who feeds the cat?");
    assert!(cat.starts_with("Nothing I have heard"), "{cat}");
    assert!(cat.contains("Ben has forgotten what fits best"), "{cat}");
    assert!(forgetful("What is the wifi password?").starts_with("house, rules.md"));
    let ignorant = as_ben("sources = []\n");
    assert!(ignorant("Who feeds the cat?").starts_with("Alice: My sister Carla"));
    assert!(ignorant("What is the wifi password?").starts_with("Nothing"));
    place.write("bad.toml", "name = \"Ben\"\nmood = \"sad\"\n");
    let told = place
        .weir(&["ask", "Why?", "--session", "s", "--as", "bad.toml"])
        .ended(2);
    assert!(
        told.err.contains("bad.toml: line 2: unknown field `mood`"),
        "{}",
        told.err
    );
    place.write("bad.toml", "name = \"Ben\"\nsources = [\"attic\"]\n");
    let told = place
        .weir(&["ask", "Why?", "--session", "s", "--as", "bad.toml"])
        .ended(2);
    assert!(
        told.err.contains("no source `attic`; it has `house`"),
        "{}",
        told.err
    );
}
