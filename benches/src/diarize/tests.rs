//! Scores against the reference tools, and the rows and the table of files.

use super::*;
use serde::Deserialize;

/// A conversation of `scripts/golden/make_diarization.py`.
#[derive(Deserialize)]
struct Case {
    name: String,
    reference: String,
    hypothesis: String,
    uem: String,
    scores: Vec<Score>,
}

/// Speech, missed, false alarm and confusion in seconds, by two tools.
#[derive(Deserialize)]
struct Score {
    collar_s: f64,
    skip_overlap: bool,
    pyannote: [f64; 4],
    md_eval: Option<[f64; 4]>,
}

fn golden() -> Vec<Case> {
    let path = weir_fixtures::golden_dir().join("diarization.json");
    let text = std::fs::read_to_string(path).expect("the golden file");
    serde_json::from_str(&text).expect("whole")
}

fn turns(text: &str) -> Vec<Turn> {
    let recordings = rttm::parse(text).expect("an RTTM");
    recordings.into_values().flatten().collect()
}

fn seconds(case: &Case, score: &Score) -> [f64; 4] {
    let (reference, hypothesis) = (turns(&case.reference), turns(&case.hypothesis));
    let mut uem = uem::parse(&case.uem).expect("a UEM");
    let all = || extent(&reference, &hypothesis);
    let evaluated = uem.remove("talk").unwrap_or_else(all);
    let scoring = Scoring {
        collar_us: (score.collar_s * 1e6) as u64,
        skip_overlap: score.skip_overlap,
    };
    let errors = score::score(&reference, &hypothesis, &evaluated, scoring);
    [
        errors.speech_us, errors.missed_us, errors.false_alarm_us, errors.confusion_us,
    ]
    .map(|us| us as f64 / 1e6)
}

fn apart(a: [f64; 4], b: [f64; 4]) -> f64 {
    let apart = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    apart.fold(0.0, f64::max)
}

#[test]
fn errors_are_those_pyannote_counts() {
    let cases = golden();
    assert!(cases.len() >= 8);
    for case in &cases {
        assert_eq!(case.scores.len(), 4, "two collars, overlap scored and not");
        for score in &case.scores {
            let found = seconds(case, score);
            let (name, collar_s) = (&case.name, score.collar_s);
            assert!(
                apart(found, score.pyannote) < 2e-6,
                "{name}, collar {collar_s}: {found:?} and {:?}",
                score.pyannote
            );
        }
    }
}

/// `md-eval.pl` prints hundredths. It maps speakers before it leaves out collars and overlap, so
/// where many speakers are confused its mapping may be a worse one for what is scored.
#[test]
fn errors_are_those_md_eval_counts() {
    let (mut equal, mut other) = (0, 0);
    for case in &golden() {
        for score in &case.scores {
            let Some(expected) = score.md_eval else {
                continue;
            };
            let (mut found, mut mapped) = (seconds(case, score), expected);
            match apart(found, expected) <= 0.010_001 {
                true => equal += 1,
                false => other += 1,
            }
            assert!(found[3] <= mapped[3] + 0.01, "{}", case.name);
            (found[3], mapped[3]) = (0.0, 0.0);
            assert!(apart(found, mapped) <= 0.010_001, "{}", case.name);
        }
    }
    assert_eq!((equal, other), (23, 5));
}

/// Rows of pairs of texts, or the message of what is wrong.
fn scored(texts: &[&str], uem: Option<&str>) -> Result<Vec<Row>, String> {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |(at, text): (usize, &&str)| {
        let path = folder.path().join(format!("{at}.rttm"));
        std::fs::write(&path, text).expect("written");
        path
    };
    let args = DiarizeArgs {
        audio: audio::AudioArgs::default(),
        files: texts.iter().enumerate().map(write).collect(),
        uem: uem.map(|text| write((texts.len(), &text))),
        collars: vec![0.0, 0.25],
        skip_overlap: false,
        table: None,
    };
    let rows = pairs(&args).and_then(|pairs| rows(&pairs, &args));
    rows.map_err(|error| format!("{error:#}"))
}

const SAID: &str = "SPEAKER m 1 0 10 <NA> <NA> ann <NA> <NA>\n\
                    SPEAKER n 1 0 4 <NA> <NA> bo <NA> <NA>\n\
                    SPEAKER n 1 4 6 <NA> <NA> cy <NA> <NA>\n";
const HEARD: &str = "SPEAKER m 1 0 5 <NA> <NA> S1 <NA> <NA>\n";

#[test]
fn recordings_are_scored_one_by_one_and_together() {
    let rows = scored(&[SAID, HEARD], None).expect("scored");
    let told: Vec<_> = rows
        .iter()
        .map(|it| (it.recording.as_str(), it.collar_s))
        .collect();
    let expected = [
        ("m", 0.0),
        ("n", 0.0),
        ("all", 0.0),
        ("m", 0.25),
        ("n", 0.25),
        ("all", 0.25),
    ];
    assert_eq!(told, expected);
    let ders: Vec<_> = rows[..3].iter().map(|it| it.der).collect();
    assert_eq!(ders, [Some(0.5), Some(1.0), Some(0.75)]);
    assert_eq!(
        (rows[1].speakers, rows[1].speakers_found),
        (Some(2), Some(0))
    );
    assert_eq!(rows[3].speech_s, 9.5);
    let table = row::markdown(&rows[1..3]);
    let lines: Vec<&str> = table.lines().skip(2).collect();
    assert_eq!(
        lines[0],
        "| n | 0 | 10.0 | 100.0 | 100.0 | 0.0 | 0.0 | 2 | 0 |"
    );
    assert_eq!(
        lines[1],
        "| all | 0 | 20.0 | 75.0 | 75.0 | 0.0 | 0.0 | – | – |"
    );
}

#[test]
fn a_uem_says_what_is_evaluated() {
    let uem = "m 1 0 6\nn 1 0 1\n";
    let rows = scored(&[SAID, HEARD], Some(uem)).expect("scored");
    let speech: Vec<f64> = rows[..3].iter().map(|it| it.speech_s).collect();
    assert_eq!(speech, [6.0, 1.0, 7.0]);
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let refused = |texts: &[&str], uem| scored(texts, uem).expect_err("refused");
    assert!(refused(&[SAID, HEARD, SAID], None).contains("in pairs"));
    assert!(refused(&[HEARD, SAID], None).contains("recording `n` is not in"));
    assert!(refused(&[SAID, HEARD, SAID, HEARD], None).contains("another reference"));
    assert!(refused(&["", HEARD], None).contains("found none"));
    assert!(refused(&[SAID, HEARD], Some("m 1 0 6\n")).contains("no line for recording `n`"));
}
