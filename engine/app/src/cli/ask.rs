//! `weir ask`: one question to a session, read only.

use super::args::{AskArgs, Global};
use super::chosen;
use super::clip;
use super::failure::Exit;
use super::parts;
use super::screen::Screen;
use super::view;
use std::sync::Arc;
use std::time::Duration;
use weir_engine::pipeline::{
    AskSettings, Asking, Learn, ListHeld, Means, SharedTranscript, ask_by,
};
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::{read_session, unrecognised};

/// Says that words are missing, and where they should be.
fn unreadable(statements: usize) -> String {
    format!(
        "memory holds key words alone of {statements} statements that bear on this, and the \
         session's transcript does not have their words; the answer is made without them"
    )
}

/// Runs the command.
pub(super) fn run(args: &AskArgs, global: &Global, screen: &mut Screen) -> anyhow::Result<Exit> {
    let counter = parts::counter();
    let session = read_session(&args.session, Arc::clone(&counter))?;
    let stamp = session.encoder();
    let encoder = parts::encoder(args.encoder.as_deref(), Some(stamp), global, screen)?;
    parts::same_encoder(&args.session, stamp, encoder.as_ref())?;
    let asking = Asking {
        id: "ask".to_owned(),
        stream: None,
        text: args.question.clone(),
        asked_by: args.asked_by.clone(),
    };
    let settings = AskSettings {
        context_tokens: args.context_tokens,
        context_from: args.context_from.into(),
        learn: Learn::No,
        held: ListHeld::No,
        rerank_limit: Duration::from_millis(args.answer.answer_ms),
    };
    let mut answerer = chosen::answerer(&args.answer, &args.writer, &mut None, global, screen)?;
    let reranker = chosen::reranker(&args.answer, global)?;
    let transcript = SharedTranscript::open(&transcript_folder(&args.session));
    let mut means = Means {
        encoder: encoder.as_ref(),
        index: None,
        transcript: Some(&transcript),
        reranker: reranker.as_deref(),
        answerer: answerer.as_mut(),
    };
    let mut answered = ask_by(&session, &mut means, &asking, settings)?;
    // what it held is known to whoever writes it
    answered.transcript = None;
    let waiting = unrecognised(&args.session);
    for stream in &waiting {
        if stream.live {
            answered.unrecognised_ms += stream.waiting_ms;
        } else {
            screen.warn(&view::left_unheard(stream));
        }
    }
    if answered.recall.unreadable > 0 {
        screen.warn(&unreadable(answered.recall.unreadable));
    }
    if args.json {
        screen.data(&view::json(&answered)?)?;
    } else {
        for line in view::answer(&answered, screen) {
            screen.data(&line)?;
        }
    }
    if let Some(out) = &args.clip {
        let evidence = clip::write(&answered.answer, &args.session, out)?;
        screen.note(&format!("{}: {}", out.display(), view::span(evidence.span)));
    }
    Ok(Exit::Done)
}
