//! What `weir` writes is for its owner alone, leads nowhere else, and goes when it should.
#![cfg(unix)]

use crate::cli_support::{Place, files_with, talk};
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const SECRET: &str = "umbrella";

/// `weir ARGS`, run by a shell after these commands.
fn after(place: &Place, shell: &str, args: &[&str]) -> Command {
    let weir = place.command(args);
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{shell}; exec \"$0\" \"$@\"")])
        .arg(weir.get_program())
        .args(args)
        .current_dir(place.path(""))
        .stdin(Stdio::null());
    for (name, value) in weir.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// Everything in a folder, and the folder.
fn all(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_path_buf()];
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => found.extend(all(&path)),
            false => found.push(path),
        }
    }
    found
}

fn assert_private(path: &Path) {
    let about = fs::metadata(path).expect("there");
    let expected = if about.is_dir() { 0o700 } else { 0o600 };
    let mode = about.permissions().mode() & 0o777;
    assert_eq!(mode, expected, "{}: {mode:o}", path.display());
}

/// What a file of this content is read as, even when its name has gone.
fn held(path: &Path) -> impl FnMut() -> Vec<u8> + use<> {
    let mut file = File::open(path).expect("there");
    move || {
        let mut bytes = Vec::new();
        file.rewind()
            .and_then(|()| file.read_to_end(&mut bytes))
            .expect("read");
        bytes
    }
}

fn has(bytes: &[u8], words: &str) -> bool {
    bytes.windows(words.len()).any(|at| at == words.as_bytes())
}

#[test]
fn files_and_folders_are_private_whatever_the_umask() {
    let place = Place::new();
    place.write("kitchen.stream.jsonl", talk());
    let session = ["--session", "s"];
    let replay = [
        "replay", "kitchen.stream.jsonl", "--encoder", "words", "--results", "r",
    ];
    for args in [
        &[&replay[..], &session].concat()[..],
        &[&["memory", "export", "e"][..], &session].concat(),
        &["memory", "import", "e", "--session", "t"],
    ] {
        let ran = after(&place, "umask 000", args).output().expect("it runs");
        assert!(
            ran.status.success(),
            "{args:?}: {}",
            String::from_utf8_lossy(&ran.stderr)
        );
    }
    for name in ["r", "e"] {
        assert_private(&place.path(name));
    }
    for path in [all(&place.path("s")), all(&place.path("t"))].concat() {
        assert_private(&path);
    }
}

/// Talk without a session is in a private folder, and the next run removes what a killed one left.
#[test]
fn what_a_killed_process_left_in_the_temporary_folder_goes() {
    let place = Place::new();
    let place_of = |name: &str| place.path("tmp").join(name);
    fs::create_dir(place.path("tmp")).expect("a folder");
    fs::create_dir(place_of("other")).expect("a folder of somebody's");
    // the last line comes after a minute
    let end = r#"{"utterance": {"id": "z", "text": "Bye.", "start_ms": 60000, "end_ms": 60100}}"#;
    place.write("slow.stream.jsonl", talk() + end);
    let replay = ["replay", "slow.stream.jsonl", "--encoder", "words"];
    let mut slow = after(
        &place,
        "umask 000",
        &[&replay[..], &["--pace", "real"]].concat(),
    );
    slow.env("TMPDIR", place.path("tmp"))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut running = slow.spawn().expect("it runs");
    let since = Instant::now();
    while files_with(&place.path("tmp"), "Lisbon").is_empty() {
        assert!(
            since.elapsed() < Duration::from_secs(60),
            "nothing was written"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    for path in all(&place.path("tmp"))
        .iter()
        .skip(1)
        .filter(|it| !it.ends_with("other"))
    {
        assert_private(path);
    }
    running
        .kill()
        .and_then(|()| running.wait())
        .expect("killed");
    assert!(!files_with(&place.path("tmp"), "Lisbon").is_empty());
    let mut next = place.command(&replay);
    let next = next.env("TMPDIR", place.path("tmp")).output();
    assert!(next.expect("it runs").status.success());
    let left = fs::read_dir(place.path("tmp")).expect("there").count();
    assert_eq!(
        left,
        1,
        "only the other folder is left: {:?}",
        all(&place.path("tmp"))
    );
}

#[test]
fn links_in_a_session_lead_to_no_other_file() {
    let place = Place::told();
    let victim = place.write("victim", "precious");
    for name in [
        "view.bin.new", "memory.redb.new", "sources.json.new", "sources.json.tmp",
    ] {
        symlink(&victim, place.path("s").join(name)).expect("linked");
    }
    place.done(&["memory", "delete", "--speaker", "Bob", "--yes"]);
    place.write("more.stream.jsonl", talk().replace("kitchen", "more"));
    place.done(&["replay", "more.stream.jsonl"]);
    fs::remove_file(place.path("s/lock")).expect("removed");
    symlink(&victim, place.path("s/lock")).expect("linked");
    place.refused(&["memory", "budget", "--tokens", "16384"], "symbolic link");
    assert_eq!(fs::read(&victim).expect("there"), b"precious");
}

#[test]
fn pipes_in_a_session_stop_nobody() {
    for name in [
        "view.bin", "memory.redb", "lock", "weir.session", "sources.json",
    ] {
        let place = Place::told();
        let pipe = place.path("s").join(name);
        fs::remove_file(&pipe).expect("removed");
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo runs").success());
        for args in [
            &["ask", "Who feeds the cat?", "--session", "s"][..],
            &["memory", "budget", "--tokens", "16384", "--session", "s"],
            &["memory", "export", "--session", "s"],
        ] {
            let mut running = place.start(args, Stdio::null());
            let since = Instant::now();
            while running.try_wait().expect("asked").is_none() {
                let waits = since.elapsed() > Duration::from_secs(30);
                if waits {
                    running.kill().expect("killed");
                }
                assert!(!waits, "{name}: {args:?} waits");
                std::thread::sleep(Duration::from_millis(10));
            }
        }
    }
}

/// Files that were replaced before the deletion and by it, and what the receipt says of them.
#[test]
fn erased_words_are_in_no_block_that_a_file_had() {
    let place = Place::told();
    let (view, store) = (place.path("s/view.bin"), place.path("s/memory.redb"));
    let mut replaced = held(&view);
    assert!(has(&replaced(), SECRET));
    place.done(&["memory", "budget", "--tokens", "16384"]);
    assert!(!has(&replaced(), SECRET), "a view that was replaced");
    let (mut old_view, mut old_store) = (held(&view), held(&store));
    fs::hard_link(&store, place.path("copy")).expect("a copy of the user's");
    let delete = ["memory", "delete", "--speaker", "Bob", "--yes"];
    let told = place.done(&delete);
    told.out_has("limits    where the file system");
    told.out_has("remains   old bytes of s/memory.redb were not overwritten: it has another name");
    assert!(!has(&old_view(), SECRET), "the view that it replaced");
    assert!(has(&old_store(), SECRET), "the copy is not ours");
    assert!(files_with(&place.path("s"), SECRET).is_empty());
    let mut old_store = held(&store);
    assert!(has(&old_store(), "Carla"));
    let delete = ["memory", "delete", "--speaker", "Alice", "--yes"];
    place.done(&delete);
    assert!(!has(&old_store(), "Carla"), "the store that it replaced");
}

#[test]
fn a_deletion_on_a_full_disk_claims_nothing_and_can_be_repeated() {
    let place = Place::told();
    let delete = [
        "memory", "delete", "--speaker", "Bob", "--yes", "--session", "s",
    ];
    let bytes = fs::metadata(place.path("s/view.bin"))
        .expect("there")
        .size();
    // room for the view, which opening writes, and not for a store
    let shell = format!("trap '' XFSZ; ulimit -f {}", bytes.div_ceil(512) + 1);
    let full = after(&place, &shell, &delete).output().expect("it runs");
    let told = String::from_utf8_lossy(&full.stderr).into_owned();
    assert!(!full.status.success(), "{told}");
    assert!(told.contains("the erasure is not finished"), "{told}");
    assert!(!told.contains("everything acknowledged"), "{told}");
    place.weir(&delete).ended(0);
    assert!(files_with(&place.path("s"), SECRET).is_empty());
}

/// An import that is killed leaves no session, and nothing that stops the next one.
#[test]
fn a_killed_import_can_be_repeated() {
    let place = Place::told();
    place.done(&["memory", "export", "e"]);
    let exported = fs::read(place.path("e")).expect("there");
    let import = ["memory", "import", "-", "--session", "t"];
    for way in ["killed", "cut off"] {
        let mut running = place.start(&import, Stdio::piped());
        let mut pipe = running.stdin.take().expect("a pipe");
        // all but the end of the transcript
        pipe.write_all(&exported[..exported.len() - 40])
            .expect("it reads");
        let since = Instant::now();
        let draft = place.path(".t.draft/transcript");
        while way == "killed" && !draft.exists() {
            assert!(since.elapsed() < Duration::from_secs(60), "no draft");
            std::thread::sleep(Duration::from_millis(10));
        }
        if way == "killed" {
            running.kill().expect("killed");
        }
        drop(pipe);
        assert!(!running.wait().expect("it ends").success());
        assert!(!place.path("t").exists(), "{way}");
    }
    let import = ["memory", "import", "e", "--session", "t"];
    let full = after(&place, "trap '' XFSZ; ulimit -f 64", &import).output();
    let full = full.expect("it runs");
    let told = String::from_utf8_lossy(&full.stderr);
    assert!(
        !full.status.success() && !place.path("t").exists(),
        "{told}"
    );
    place.weir(&import).ended(0);
    assert_eq!(place.digest("t"), place.digest("s"));
    assert!(!place.path(".t.draft").exists());
    let again = place
        .weir(&["memory", "import", "e", "--session", "t"])
        .ended(2);
    again.err_has("already has a session");
    // an empty folder may be there
    fs::create_dir(place.path("u")).expect("a folder");
    place
        .weir(&["memory", "import", "e", "--session", "u"])
        .ended(0);
    assert_eq!(place.turns("u"), place.turns("s"));
}

/// The path of a session may be any bytes.
#[test]
fn a_session_whose_path_is_no_text_is_exported() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let odd = std::ffi::OsStr::from_bytes(b"odd\xff");
    let folder = place.path("").join(odd);
    fs::create_dir(&folder).expect("a folder");
    fs::write(folder.join("kitchen.stream.jsonl"), talk()).expect("written");
    for args in [
        &[
            "replay", "kitchen.stream.jsonl", "--encoder", "words", "--session", "s",
        ][..],
        &["memory", "export", "e", "--session", "s"],
    ] {
        let ran = place
            .command(args)
            .current_dir(&folder)
            .output()
            .expect("it runs");
        let told = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.status.success(), "{args:?}: {told}");
    }
}

#[test]
fn a_profile_without_an_end_is_refused() {
    let place = Place::new();
    place.write("kitchen.stream.jsonl", talk());
    let args = [
        "replay", "kitchen.stream.jsonl", "--encoder", "words", "--profile", "/dev/zero",
    ];
    place.weir(&args).ended(2).err_has("/dev/zero");
}

/// Regression: each field was compared with all before it, for 19 s.
#[test]
fn a_line_of_many_fields_is_read_at_once() {
    let place = Place::new();
    let fields: Vec<String> = (0..95_000).map(|n| format!("\"f{n}\":0")).collect();
    let text = talk() + "{" + &fields.join(",") + "}\n";
    place.write("many.stream.jsonl", text);
    let since = Instant::now();
    let ran = place
        .weir(&["replay", "many.stream.jsonl", "--encoder", "words"])
        .ended(2);
    ran.err_has("f0");
    assert!(
        since.elapsed() < Duration::from_secs(10),
        "{:?}",
        since.elapsed()
    );
}

#[test]
fn what_a_session_is_called_does_not_steer_the_terminal() {
    let place = Place::told();
    let odd = "s\u{1b}[2J\u{9b}3m\u{202e}";
    fs::rename(place.path("s"), place.path(odd)).expect("renamed");
    let delete = [
        "memory", "delete", "--speaker", "Bob", "--yes", "--session", odd,
    ];
    for args in [
        &["doctor", "--session", odd][..],
        &[&delete[..], &["--json"]].concat(),
        &["ask", "Who feeds the cat?", "--session", odd, "--json"],
    ] {
        let ran = place.weir(args);
        let told = ran.out + &ran.err;
        assert!(
            !told.contains(['\u{1b}', '\u{9b}', '\u{202e}']),
            "{args:?}: {told:?}"
        );
    }
}
