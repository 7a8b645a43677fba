//! `weir source` and `weir ask --as` as a user types them.

use crate::cli_support::{Place, Ran, files_with};

const RULES: &str = "# House\n\n## Wifi\n\nThe wifi password is swordfish forty.\n\n\
                     ## Bins\n\nPaper goes out on Tuesday evening.\n";

/// A session `s` with the talk in it, and a source `house`. The question in the talk is no access.
fn told() -> Place {
    let place = Place::new();
    place.write("rules.md", RULES);
    place.replay(&["--session", "s", "--no-learn"]).ended(0);
    let added = source(&place, &["add", "rules.md", "--as", "house"]).ended(0);
    added.err_has("added `house`: 1 file, 2 passages");
    place
}

fn source(place: &Place, args: &[&str]) -> Ran {
    place.on_s(&[&["source"], args].concat())
}

fn ask(place: &Place, question: &str, more: &[&str]) -> String {
    place.done(&[&["ask", question], more].concat()).out
}

#[test]
fn questions_are_answered_from_the_source_and_from_talk() {
    let place = told();
    let answer = ask(&place, "What is the wifi password?", &[]);
    assert_eq!(
        answer,
        "house, rules.md:1-5: The wifi password is swordfish forty.\n  \
         [house, rules.md:1-5]  \"The wifi password is swordfish forty.\"\n"
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
    let listed = source(&place, &["list"]).ended(0);
    listed.out_has("weight 1\n  rules.md  2 passages of 9 lines\n");
    let json = source(&place, &["list", "--json"]).ended(0).json();
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
    let receipt = source(&place, &["remove", "house"]).ended(0);
    receipt.out_has("erased    `house`: 1 file, 2 passages");
    receipt.out_has("rewritten s/memory.redb");
    assert_eq!(files_with(&place.path("s"), "swordfish").len(), 0);
    assert!(ask(&place, "Who feeds the cat?", &[]).starts_with("Alice: My sister Carla"));
    assert!(!ask(&place, "What is the wifi password?", &[]).contains("wifi password is"));
    let gone = source(&place, &["remove", "house"]).ended(2);
    gone.err_has("no source `house`; it has none");
}

#[test]
fn a_copy_by_export_has_the_source() {
    let place = told();
    place.done(&["memory", "export", "s.jsonl"]);
    let import = ["memory", "import", "s.jsonl", "--session", "t"];
    place.weir(&import).ended(0);
    let asked = place.weir(&["ask", "What is the wifi password?", "--session", "t"]);
    assert!(asked.ended(0).out.starts_with("house, rules.md:1-5"));
}

/// One bad file of several, and nothing is added.
#[test]
fn bad_files_are_told_and_nothing_is_added() {
    let place = told();
    place.write("good.txt", "The heating is set to twenty degrees.");
    place.write("a.bin", "PK\x03\0\0");
    place.write("big.txt", "word ".repeat(9_000));
    let add = |args: &[&str]| source(&place, &[&["add", "good.txt"], args].concat()).ended(2);
    add(&["a.bin", "--as", "more"]).err_has("a.bin is not a text file (byte 3 is zero)");
    add(&["big.txt", "--as", "more"]).err_has("`more` has 90");
    add(&["--as", "house"]).err_has("has a source `house`");
    add(&["--as", "w", "--weight", "0"]).err_has("above 0 and at most 10");
    source(&place, &["list"]).ended(0).out_lacks("more");
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
}
