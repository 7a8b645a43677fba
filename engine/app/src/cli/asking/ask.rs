//! `weir ask`: asks a session one question, read-only.

use crate::cli::args::{AskArgs, Global};
use crate::cli::asking::character_file;
use crate::cli::asking::checking;
use crate::cli::asking::clip;
use crate::cli::asking::view;
use crate::cli::failure::Exit;
use crate::cli::loading::model_args::AnswerArgs;
use crate::cli::loading::wiring;
use crate::cli::terminal::Terminal;
use jiff::tz::TimeZone;
use std::path::Path;
use std::sync::Arc;
use weir_core::answer::Draft;
use weir_core::session::Session;
use weir_engine::QuestionTime;
use weir_engine::pipeline::{
    Answered, AskRequest, AskSettings, AskWatch, Asker, Indexes, Learn, SessionView,
    SharedTranscript,
};
use weir_engine::store::transcript::transcript_folder;
use weir_engine::store::{note_use, unrecognised};
use weir_engine::time::{self, TimeError, now_and_here};

/// Warning that words are missing, and where they should be.
fn unreadable(statements: usize) -> String {
    format!(
        "memory holds only key words of {statements} relevant statements, and the session's \
         transcript does not have their words; the answer does not use them"
    )
}

/// Milliseconds of sound that a running `weir listen` has not recognised yet; warns about sound
/// that a killed one left.
fn still_listening(dir: &Path, terminal: &mut Terminal) -> u64 {
    let mut waiting_ms = 0;
    for stream in &unrecognised(dir) {
        if stream.live {
            waiting_ms += stream.waiting_ms;
        } else {
            terminal.warn(&view::left_unheard(stream));
        }
    }
    waiting_ms
}

/// When and where the question is asked: where the last talk was, unless it says otherwise.
fn asked_at(args: &AskArgs, session: &Session) -> Result<QuestionTime, TimeError> {
    let here = here(args.zone.clone(), session);
    let unix_ms = args.asked_at.as_deref();
    let unix_ms = unix_ms.map(|it| time::unix_ms(it, &here.time_zone()));
    Ok(QuestionTime {
        unix_ms: unix_ms.transpose()?.or(here.unix_ms),
        ..here
    })
}

/// Now, in this zone or in that of the last talk.
pub(crate) fn here(zone: Option<TimeZone>, session: &Session) -> QuestionTime {
    let of_talk = || session.zone().and_then(|name| time::zone_named(name).ok());
    now_and_here(QuestionTime {
        unix_ms: None,
        zone: zone.or_else(of_talk),
    })
}

/// What answers the questions about a session that is only read.
pub(crate) struct Reader<'a> {
    dir: &'a Path,
    asker: Asker,
    settings: AskSettings,
    transcript: SharedTranscript,
}

impl<'a> Reader<'a> {
    /// Loads the session's encoder, `named` if it is elsewhere, and the models of the flags.
    pub(crate) fn load(
        dir: &'a Path,
        session: &Session,
        named: Option<&str>,
        answer: &AnswerArgs,
        global: &Global,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Self> {
        let encoder = wiring::session_encoder(dir, session, named, global, terminal)?;
        let selection = answer.selection(global.typed)?;
        let models = wiring::models(&selection, global, terminal)?;
        let asker = Asker::new(encoder, models.answerer);
        let asker = asker
            .with_reranker(models.reranker)
            .with_check(models.check);
        Ok(Self {
            dir,
            asker,
            settings: AskSettings {
                learn: Learn::No,
                ..answer.settings()
            },
            transcript: SharedTranscript::open(&transcript_folder(dir)),
        })
    }

    /// Answers a question, and shows the answer while it is written.
    pub(crate) fn answer(
        &self,
        session: &Session,
        asking: &AskRequest,
        terminal: &mut Terminal,
    ) -> anyhow::Result<Answered> {
        let of = SessionView {
            session,
            indexes: Indexes::default(),
            transcript: Some(&self.transcript),
        };
        let mut on_draft = |draft: &Draft<'_>| view::in_writing(draft.text().as_ref(), terminal);
        let watch = AskWatch {
            on_draft: Some(&mut on_draft),
            ..AskWatch::default()
        };
        let answered = self.asker.ask_watched(of, asking, &self.settings, watch);
        terminal.progress_done();
        let mut answered = answered?;
        let used = answered.recall.access_input(&answered.answer);
        if let Some(Err(wrong)) = used.map(|used| note_use(self.dir, &used)) {
            log::info!("what the answer used is not counted: {wrong}");
        }
        answered.unrecognised_ms += still_listening(self.dir, terminal);
        Ok(answered)
    }
}

/// Runs the command.
pub(crate) fn run(
    args: &AskArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let session = wiring::read(&args.session, terminal)?;
    let asking = AskRequest {
        id: "ask".to_owned(),
        stream: None,
        text: args.question.clone(),
        asked_by: args.asked_by.clone(),
        at: asked_at(args, &session)?,
    };
    let (dir, named) = (&args.session, args.encoder.as_deref());
    let mut reader = Reader::load(dir, &session, named, &args.answer, global, terminal)?;
    let character = character_file::load(&args.character, &session, args.answer.context_tokens)?;
    reader.settings.character = character.map(Arc::new);
    if !args.json {
        terminal.begin_answer();
    }
    let answered = reader.answer(&session, &asking, terminal)?;
    show(args, &answered, terminal)?;
    write_clip(args, &answered, terminal)?;
    Ok(Exit::Done)
}

/// Writes the first evidence as a recording, if one was asked for.
fn write_clip(args: &AskArgs, answered: &Answered, terminal: &mut Terminal) -> anyhow::Result<()> {
    let Some(out) = &args.clip else {
        return Ok(());
    };
    let evidence = clip::write(&answered.answer, &args.session, out)?;
    let out = out.display();
    terminal.note(&match evidence {
        Some(evidence) => format!("{out}: {}", view::span(evidence.span)),
        None => format!("{out}: not written, the answer cites no speech"),
    });
    Ok(())
}

/// Prints an answer and its check.
fn show(args: &AskArgs, answered: &Answered, terminal: &mut Terminal) -> anyhow::Result<()> {
    if answered.recall.heard.unreadable > 0 {
        terminal.warn(&unreadable(answered.recall.heard.unreadable));
    }
    let checked = checking::of(answered, None, terminal);
    if args.json {
        return Ok(terminal.json(&answered.wire(None))?);
    }
    let mut lines = view::answer(answered, terminal);
    lines.extend(checked.iter().flat_map(|it| checking::lines(it, terminal)));
    for line in lines {
        terminal.data(&line)?;
    }
    Ok(())
}
