//! Runs synthesisers: text in a file in, 16 kHz mono samples out.

use super::voice::Voice;
use anyhow::{Context, Result, anyhow, ensure};
use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;
use weir_asr::{Channels, FrontEnd, SAMPLE_RATE_HZ, open_file};

/// Words spoken at once; a longer turn is spoken in pieces to limit memory.
const PIECE_WORDS: usize = 200;
/// Silence kept before and after the voice.
const BEFORE_SAMPLES: usize = SAMPLE_RATE_HZ as usize / 100;
const AFTER_SAMPLES: usize = SAMPLE_RATE_HZ as usize / 50;
/// Longest speech of a piece; longer output means that the program is faulty.
const PIECE_SECONDS_MAX: usize = 600;

/// Speech of one piece of text.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Speech {
    /// The samples without the synthesiser's own silence around them; empty if there was no speech.
    pub(super) samples: Vec<f32>,
    /// Samples of silence removed from the front.
    pub(super) trimmed: usize,
    /// Number of samples including that silence.
    pub(super) whole: usize,
    /// Output of the program.
    pub(super) printed: String,
}

/// Speaks a piece of text with a voice; `command` is the user's program, for its voices.
pub(super) fn speak(
    text: &str,
    voice: &Voice,
    command: Option<&str>,
    folder: &Path,
) -> Result<Speech> {
    let (text_file, out) = (folder.join("text.txt"), folder.join("speech.wav"));
    std::fs::write(&text_file, text).context("no room for a text beside the stream")?;
    // the output of the previous piece must not be reused if a program writes nothing
    if out.exists() {
        std::fs::remove_file(&out)?;
    }
    let printed = match (voice, command) {
        (Voice::Given { number }, Some(command)) => run(
            given(command, *number, &text_file, &out)?,
            "the program of --tts",
        )?,
        (Voice::Given { .. }, None) => return Err(anyhow!("this voice needs a program")),
        (Voice::Espeak { .. }, _) => {
            let made = espeak(voice, &text_file, &out);
            run(
                made,
                "Debian's package is espeak-ng; or take --voices flite",
            )?
        }
        (Voice::Flite { .. }, _) => {
            std::fs::write(&text_file, ascii(text))?;
            let mut made = flite(voice, &text_file);
            made.arg("-psdur").arg("-o").arg(&out);
            run(
                made,
                "Debian's package is flite; or take --voices espeak-ng",
            )?
        }
    };
    // without anything to say flite writes no file
    let samples = if out.exists() {
        read(&out)?
    } else {
        Vec::new()
    };
    let whole = samples.len();
    let (samples, trimmed) = trim(&samples);
    Ok(Speech {
        samples,
        trimmed,
        whole,
        printed,
    })
}

/// The words that flite makes from the text, one utterance per line.
pub(super) fn flite_words(text: &str, voice: &Voice, folder: &Path) -> Result<String> {
    let text_file = folder.join("text.txt");
    std::fs::write(&text_file, ascii(text))?;
    let mut made = flite(voice, &text_file);
    made.args(["-pw", "-o", "none"]);
    run(made, "Debian's package is flite")
}

/// flite's pronunciation of one word: its phones.
pub(super) fn flite_phones(word: &str) -> Result<String> {
    let mut made = Command::new("flite");
    made.args(["-voice", "kal", "-ps", "-o", "none", "-t", word]);
    run(made, "Debian's package is flite")
}

fn espeak(voice: &Voice, text: &Path, out: &Path) -> Command {
    let mut made = Command::new("espeak-ng");
    if let Voice::Espeak {
        name,
        words_per_minute,
        pitch,
    } = voice
    {
        made.args(["-v", name, "-b", "1", "-s"]);
        made.arg(words_per_minute.to_string());
        made.arg("-p").arg(pitch.to_string());
    }
    made.arg("-f").arg(text).arg("-w").arg(out);
    made
}

fn flite(voice: &Voice, text: &Path) -> Command {
    let mut made = Command::new("flite");
    if let Voice::Flite {
        name,
        stretch,
        pitch_hz,
    } = voice
    {
        made.args(["-voice", name]);
        made.arg("--setf")
            .arg(format!("duration_stretch={stretch}"));
        made.arg("--setf")
            .arg(format!("int_f0_target_mean={pitch_hz}"));
    }
    made.arg("-f").arg(text);
    made
}

/// The user's command, split at spaces, with its placeholders filled in.
fn given(command: &str, number: usize, text: &Path, out: &Path) -> Result<Command> {
    let filled = |part: &str| {
        let part = part.replace("{voice}", &number.to_string());
        let part = part.replace("{text_file}", &text.display().to_string());
        part.replace("{out}", &out.display().to_string())
    };
    let mut parts = command.split_whitespace().map(filled);
    let program = parts.next().context("--tts is empty; give a command")?;
    for place in ["{text_file}", "{out}"] {
        ensure!(
            command.contains(place),
            "--tts `{command}`: {place} is missing; the command reads the text file and writes \
             the WAV file, as in `say {{voice}} {{text_file}} {{out}}`"
        );
    }
    let mut made = Command::new(program);
    made.args(parts);
    Ok(made)
}

/// The output of a program; an error gives advice.
fn run(mut command: Command, install: &str) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = match command.output() {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(anyhow!("`{program}` is not installed; {install}"));
        }
        done => done.with_context(|| format!("`{program}` cannot be started"))?,
    };
    let said = String::from_utf8_lossy(&done.stderr);
    ensure!(
        done.status.success(),
        "`{program}` failed ({}): {}",
        done.status,
        said.trim()
    );
    Ok(String::from_utf8_lossy(&done.stdout).into_owned())
}

/// A recording as 16 kHz mono.
fn read(path: &Path) -> Result<Vec<f32>> {
    let mut source = open_file(path)?;
    let mut front = FrontEnd::new(source.spec(), Channels::Mix)?;
    let (mut chunk, mut planes, mut samples) = (Vec::new(), Vec::new(), Vec::new());
    loop {
        let last = source.read(&mut chunk)? == 0;
        if last {
            front.finish(&mut planes);
        } else {
            front.step(&chunk, &mut planes);
        }
        samples.extend(planes.first().into_iter().flatten());
        ensure!(
            samples.len() <= PIECE_SECONDS_MAX * SAMPLE_RATE_HZ as usize,
            "{PIECE_WORDS} words took longer than {PIECE_SECONDS_MAX} s to say"
        );
        if last {
            return Ok(samples);
        }
    }
}

/// Removes sound below a hundredth of the peak at both ends; returns the rest, and the number of
/// samples removed from the front.
fn trim(samples: &[f32]) -> (Vec<f32>, usize) {
    let peak = samples.iter().fold(0.0_f32, |peak, s| peak.max(s.abs()));
    let floor = (peak / 100.0).max(1e-4);
    let loud = |s: &f32| s.abs() > floor;
    let (Some(first), Some(last)) = (
        samples.iter().position(loud),
        samples.iter().rposition(loud),
    ) else {
        return (Vec::new(), 0);
    };
    let first = first.saturating_sub(BEFORE_SAMPLES);
    let last = (last + AFTER_SAMPLES).min(samples.len());
    (samples[first..last].to_vec(), first)
}

/// Text in pieces of at most [`PIECE_WORDS`], cut after a sentence if one ends in a piece's second
/// half.
pub(super) fn pieces(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (mut pieces, mut rest) = (Vec::new(), &words[..]);
    while rest.len() > PIECE_WORDS {
        let ends = |word: &&str| word.ends_with(['.', '!', '?', ';', ':']);
        let half = PIECE_WORDS / 2;
        let cut = rest[half..PIECE_WORDS].iter().rposition(ends);
        let (piece, after) = rest.split_at(cut.map_or(PIECE_WORDS, |at| half + at + 1));
        pieces.push(piece.join(" "));
        rest = after;
    }
    if !rest.is_empty() {
        pieces.push(rest.join(" "));
    }
    pieces
}

/// flite reads bytes: accents are removed, typographic signs become ASCII, all other characters
/// become spaces.
pub(super) fn ascii(text: &str) -> String {
    const PLAIN: [(&str, &str); 14] = [
        ("àáâãäå", "a"),
        ("èéêë", "e"),
        ("ìíîï", "i"),
        ("òóôõöø", "o"),
        ("ùúûü", "u"),
        ("çñýÿ", "cnyy"),
        ("ÀÁÂÃÄÅ", "A"),
        ("ÈÉÊË", "E"),
        ("ÌÍÎÏ", "I"),
        ("ÒÓÔÕÖØ", "O"),
        ("ÙÚÛÜ", "U"),
        ("ÇÑ", "CN"),
        ("‘’“”", "''\"\""),
        ("–—", "-"),
    ];
    let plain = |c: char| {
        if c.is_ascii() {
            return c;
        }
        for (from, to) in PLAIN {
            if let Some(at) = from.chars().position(|known| known == c) {
                // one sign for all of them, or one for each
                return to.chars().nth(at).or(to.chars().next()).unwrap_or(' ');
            }
        }
        ' '
    };
    text.chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_after_sentences() {
        let sentence = "one two three four five six seven eight nine ten.";
        let text = [sentence; 45].join(" ");
        let pieces = pieces(&text);
        let words = |piece: &String| piece.split_whitespace().count();
        assert_eq!(pieces.iter().map(words).collect::<Vec<_>>(), [200, 200, 50]);
        assert_eq!(pieces.join(" "), text);
        let run_on = "word ".repeat(450);
        let cut = super::pieces(&run_on);
        assert_eq!(cut.iter().map(words).collect::<Vec<_>>(), [200, 200, 50]);
        assert!(super::pieces(" ").is_empty());
    }

    #[test]
    fn silence_around_speech_goes_and_is_counted() {
        let mut samples = vec![0.0; 1_000];
        samples.extend([0.5; 400]);
        samples.extend([0.001; 1_000]);
        let (kept, trimmed) = trim(&samples);
        assert_eq!(trimmed, 1_000 - BEFORE_SAMPLES);
        assert_eq!(kept.len(), BEFORE_SAMPLES + 399 + AFTER_SAMPLES);
        assert_eq!(trim(&[0.0; 50]), (Vec::new(), 0));
    }

    #[test]
    fn flite_gets_plain_letters() {
        assert_eq!(ascii("Zoë’s café — “Ñandú” 猫"), "Zoe's cafe - \"Nandu\"  ");
    }

    #[test]
    fn a_missing_program_says_what_to_install() {
        let told = run(Command::new("weir-no-such-program"), "install it").expect_err("missing");
        let told = told.to_string();
        assert!(
            told.contains("`weir-no-such-program` is not installed; install it"),
            "{told}"
        );
        let text = Path::new("t");
        let told = given("say {out}", 0, text, text)
            .expect_err("no text")
            .to_string();
        assert!(told.contains("{text_file} is missing"), "{told}");
    }
}
