//! Talk in ten languages, heard and asked by the program with its built-in encoder, which knows
//! English alone.

use crate::cli_support::Place;
use weir_fixtures::languages::{Talk, talks};
use weir_fixtures::rounds;

/// How many facts and gaps of each file may be answered wrongly: 30 of a fact, 10 of a gap.
const WRONG_MAX: [(&str, usize); 2] = [("held.tsv", 3), ("tune.tsv", 1)];

#[test]
fn facts_are_found_after_120_turns_without_an_encoder_of_their_language() {
    let files = rounds("files of talk in other languages", "WEIR_TALKS", 1, 2);
    for &(file, most) in WRONG_MAX.iter().take(files) {
        let mut wrong = Vec::new();
        for talk in talks(file) {
            let place = Place::new();
            place.write("talk.stream.jsonl", talk.stream(120));
            let ran = place.weir(&[
                "replay", "talk.stream.jsonl", "--encoder", "splade-tiny", "--results", "r.jsonl",
            ]);
            ran.ended(0);
            let lines = place.lines("r.jsonl");
            let expected = talk.facts.iter().map(|it| Some(it.answer.as_str()));
            let expected = expected.chain(talk.gaps.iter().map(|_| None));
            for (expected, line) in expected.zip(&lines) {
                let text = line["answer"].as_str().expect("words");
                let answered = line["abstained"] == false;
                let right = match expected {
                    Some(part) => answered && text.contains(part),
                    None => !answered,
                };
                if !right {
                    wrong.push(format!("{} {expected:?}: {text}", line["probe"]));
                }
            }
        }
        println!("{file}: {} wrong: {wrong:#?}", wrong.len());
        assert!(wrong.len() <= most, "{file}: {wrong:#?}");
    }
}

/// 200 turns of all sentences of a language.
fn long(language: &str) -> Talk {
    let mut whole = Talk {
        language: language.to_owned(),
        ..Talk::default()
    };
    for file in ["tune.tsv", "held.tsv", "forms.tsv"] {
        for talk in talks(file).into_iter().filter(|it| it.language == language) {
            whole.facts.extend(talk.facts);
            whole.gaps.extend(talk.gaps);
            whole.sentences.extend(talk.sentences);
        }
    }
    whole
}

#[test]
fn streams_of_200_turns_are_replayed_shown_and_asked() {
    for language in ["de", "ru", "ja"] {
        let (place, talk) = (Place::new(), long(language));
        place.write("talk.stream.jsonl", talk.stream(200 - talk.facts.len()));
        let ran = place.on_s(&["replay", "talk.stream.jsonl", "--encoder", "splade-tiny"]);
        ran.ended(0).err_has("200 turns");
        let tree = place.done(&["memory", "tree", "--statements"]);
        let mut found = 0;
        for fact in &talk.facts {
            tree.out_has(&fact.text);
            let ran = place.done(&["ask", &fact.question]);
            println!("{}\n{}", fact.question, ran.out);
            found += usize::from(ran.out.contains(&fact.answer));
        }
        assert!(found + 2 >= talk.facts.len(), "{language}: {found}");
        let ran = place.done(&["ask", &talk.gaps[0]]);
        println!("{}\n{}", talk.gaps[0], ran.out);
        ran.out_has("ask about the talk as a whole, ask in English");
    }
}
