//! `weir ask`: asks a session one question, read-only.

use crate::cli::args::{AskArgs, Global};
use crate::cli::asking::character_file;
use crate::cli::asking::checking::{self, Checking};
use crate::cli::asking::clip;
use crate::cli::asking::view;
use crate::cli::failure::Exit;
use crate::cli::loading::model_selection;
use crate::cli::loading::wiring;
use crate::cli::terminal::Terminal;
use std::time::Duration;
use weir_engine::pipeline::{
    Answered, AskRequest, AskSettings, Asker, Indexes, Learn, ListHeld, SharedTranscript,
};
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::unrecognised;

/// Warning that words are missing, and where they should be.
fn unreadable(statements: usize) -> String {
    format!(
        "memory holds only key words of {statements} relevant statements, and the session's \
         transcript does not have their words; the answer does not use them"
    )
}

/// Milliseconds of sound that a running `weir listen` has not recognised yet; warns about sound
/// that a killed one left.
fn still_listening(args: &AskArgs, terminal: &mut Terminal) -> u64 {
    let mut waiting_ms = 0;
    for stream in &unrecognised(&args.session) {
        if stream.live {
            waiting_ms += stream.waiting_ms;
        } else {
            terminal.warn(&view::left_unheard(stream));
        }
    }
    waiting_ms
}

/// Runs the command.
pub(crate) fn run(
    args: &AskArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let session = wiring::read(&args.session, terminal)?;
    let (dir, named) = (&args.session, args.encoder.as_deref());
    let encoder = wiring::session_encoder(dir, &session, named, global, terminal)?;
    let asking = AskRequest {
        id: "ask".to_owned(),
        stream: None,
        text: args.question.clone(),
        asked_by: args.asked_by.clone(),
    };
    let (loaded, writer) = (&mut None, &args.writer);
    let answerer = model_selection::answerer(&args.answer, writer, loaded, global, terminal)?;
    let check = model_selection::check(&args.answer, writer, loaded, global, terminal)?;
    let checking = check.map(Checking::new);
    let mut asker = Asker {
        encoder,
        answerer,
        reranker: model_selection::reranker(&args.answer, global)?,
        character: character_file::load(&args.character, &session, args.context_tokens)?,
        settings: AskSettings {
            context_tokens: args.context_tokens,
            context_from: args.context_from.into(),
            profile_tokens: args.answer.profile_tokens,
            learn: Learn::No,
            held: ListHeld::No,
            persona: args.answer.list_persona(),
            rerank_limit: Duration::from_millis(args.answer.answer_ms),
        },
    };
    let transcript = SharedTranscript::open(&transcript_folder(&args.session));
    let mut answered = asker.ask(&session, Indexes::default(), Some(&transcript), &asking)?;
    answered.unrecognised_ms += still_listening(args, terminal);
    if answered.recall.heard.unreadable > 0 {
        terminal.warn(&unreadable(answered.recall.heard.unreadable));
    }
    show(args, &answered, checking, terminal)?;
    if let Some(out) = &args.clip {
        let evidence = clip::write(&answered.answer, &args.session, out)?;
        terminal.note(&format!("{}: {}", out.display(), view::span(evidence.span)));
    }
    Ok(Exit::Done)
}

/// Checks the answer, if that is asked for, and prints it.
fn show(
    args: &AskArgs,
    answered: &Answered,
    mut checking: Option<Checking>,
    terminal: &mut Terminal,
) -> anyhow::Result<()> {
    let checked = checking
        .as_mut()
        .and_then(|it| it.check(answered, terminal));
    if args.json {
        return Ok(terminal.data(&view::json(answered, checked.as_ref())?)?);
    }
    let mut lines = view::answer(answered, terminal);
    lines.extend(checked.iter().flat_map(|it| checking::lines(it, terminal)));
    for line in lines {
        terminal.data(&line)?;
    }
    Ok(())
}
