//! `weir ask`: asks a session one question, read-only.

use super::args::{AskArgs, Global};
use super::character_file;
use super::checking::{self, Checking};
use super::clip;
use super::failure::Exit;
use super::model_selection;
use super::terminal::Terminal;
use super::view;
use super::wiring;
use std::time::Duration;
use weir_core::ask::AskContext;
use weir_engine::pipeline::{
    Answered, AskRequest, AskSettings, Learn, ListHeld, SharedTranscript, ask_timed,
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
pub(super) fn run(
    args: &AskArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let session = wiring::read(&args.session, terminal)?;
    let stamp = session.encoder();
    let encoder = wiring::encoder(args.encoder.as_deref(), Some(stamp), global, terminal)?;
    wiring::same_encoder(&args.session, stamp, encoder.as_ref())?;
    let asking = AskRequest {
        id: "ask".to_owned(),
        stream: None,
        text: args.question.clone(),
        asked_by: args.asked_by.clone(),
    };
    let settings = AskSettings {
        context_tokens: args.context_tokens,
        context_from: args.context_from.into(),
        profile_tokens: args.answer.profile_tokens,
        learn: Learn::No,
        held: ListHeld::No,
        persona: args.answer.list_persona(),
        rerank_limit: Duration::from_millis(args.answer.answer_ms),
    };
    let (loaded, writer) = (&mut None, &args.writer);
    let mut answerer = model_selection::answerer(&args.answer, writer, loaded, global, terminal)?;
    let check = model_selection::check(&args.answer, writer, loaded, global, terminal)?;
    let checking = check.map(Checking::new);
    let reranker = model_selection::reranker(&args.answer, global)?;
    let character = character_file::chosen(&args.character, &session, args.context_tokens)?;
    let transcript = SharedTranscript::open(&transcript_folder(&args.session));
    let mut context = AskContext {
        encoder: encoder.as_ref(),
        index: None,
        fact_index: None,
        transcript: Some(&transcript),
        context_from: settings.context_from,
        profile_tokens: settings.profile_tokens,
        character: character.as_ref(),
        reranker: reranker.as_deref(),
        answerer: answerer.as_mut(),
    };
    let mut answered = ask_timed(&session, &mut context, &asking, settings)?;
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
