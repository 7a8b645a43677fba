//! `--terms FILE`: names and terms that may be said.
use crate::cli_support::{Place, silence};
use weir_fixtures::voices_dir;

/// Replays half a minute of silence with these flags.
fn replayed(place: &Place, more: &[&str]) -> crate::cli_support::Ran {
    silence(&place.path("still.wav"), 30);
    let args = ["replay", "still.wav", "--encoder", "words", "--terms"];
    place.weir(&[&args, more].concat())
}

#[test]
fn a_file_of_terms_that_cannot_be_read_is_refused_by_name() {
    let place = Place::new();
    place.write("latin1.txt", b"Ana\nB\xe9la\n");
    place.write("long.txt", format!("Ana\n{}\n", "x".repeat(81)));
    place.write("huge.txt", "Ana\n".repeat(20_000));
    for (file, why) in [
        ("none.txt", "cannot open it"),
        ("latin1.txt", "UTF-8"),
        (
            "long.txt",
            "line 2 has 81 characters; a term has at most 80",
        ),
        ("huge.txt", "more than 65536 bytes"),
    ] {
        let ran = replayed(&place, &[file, "--session", "s"]).ended(2);
        ran.err_has(file);
        ran.err_has(why);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
        assert!(!place.path("s").exists(), "no session was created");
        let served = ["serve", "--data", "d", "--bind", "127.0.0.1:0", "--terms"];
        let ran = place.weir(&[&served[..], &[file]].concat()).ended(2);
        ran.err_has(why);
    }
}

#[test]
fn terms_beyond_what_the_model_reads_are_left_out_with_one_warning() {
    let place = Place::new();
    let many: Vec<String> = (0..300).map(|at| format!("Person Q{at}\n")).collect();
    place.write("few.txt", many[..20].concat());
    place.write("many.txt", many.concat());
    let few = replayed(&place, &["few.txt"]).ended(0);
    few.err_lacks("--terms");
    let ran = replayed(&place, &["many.txt"]).ended(0);
    ran.err_has("of 300 names and terms are expected");
    ran.err_has("223 tokens");
    assert_eq!(ran.err.matches("--terms").count(), 1, "{}", ran.err);
    assert_eq!(ran.out, "", "nothing was said");
}

/// The names of a session's speakers are expected beside the terms.
#[test]
fn a_term_and_a_named_speaker_are_written_right() {
    let place = Place::new();
    let file = voices_dir().join("ami-es2003a.flac");
    let file = file.to_str().expect("UTF-8");
    let replay = ["replay", file, "--encoder", "words"];
    let heard = |more: &[&str]| place.weir(&[&replay[..], more].concat()).ended(0).out;
    assert!(!heard(&[]).contains("Ademesoye"), "nothing to mend");
    place.write("terms.txt", "Adam Duguid\nEbenezer Ademesoye\n");
    assert!(heard(&["--terms", "terms.txt"]).contains("Ademesoye"));

    place.write("terms.txt", "Adam Duguid\n");
    place.replay(&["--session", "s"]).ended(0);
    place.done(&["speakers", "name", "Alice", "Ebenezer Ademesoye"]);
    let flags = ["--terms", "terms.txt", "--session", "s"];
    assert!(heard(&flags).contains("Ademesoye"));
}
