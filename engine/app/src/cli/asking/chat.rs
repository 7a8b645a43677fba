//! `weir chat`: a conversation with a session, one turn a line.

use crate::cli::args::Global;
use crate::cli::asking::character_file;
use crate::cli::asking::chat_args::ChatArgs;
use crate::cli::asking::checking;
use crate::cli::asking::turns::{Next, Turns};
use crate::cli::asking::view;
use crate::cli::failure::Exit;
use crate::cli::loading::wiring;
use crate::cli::session::erasing;
use crate::cli::terminal::{Terminal, Tint, clock, many, plain};
use std::sync::Arc;
use std::time::Instant;
use weir_api::{ChatReply, ChatTurn};
use weir_core::answer::AnswerCheck;
use weir_core::config::SessionConfig;
use weir_core::conversation::ForgetTarget;
use weir_core::limits;
use weir_core::stream::spoken_line;
use weir_core::text::{in_words, local_time};
use weir_engine::chat::{Chat, Reply};
use weir_engine::pipeline::AskSettings;
use weir_engine::store::{delete_session, is_taken};
use weir_engine::time::zone_here;
use weir_engine::{ErrorClass, Memory};

/// Maximum number of statements shown before they are erased.
const SHOWN_MAX: usize = 5;

/// What can be said.
const HELP: &str = "tell something to store it; ask for it later; \"remember that ...\" keeps it; \
    \"forget that\", \"delete the last thing I said\" and \"forget what I said about ...\" erase \
    it, after a yes; \"correct that: ...\" puts other words in the place of your last; `quit` or \
    Ctrl-D ends";

/// Runs the command.
pub(crate) fn run(
    args: &ChatArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let is_new = !is_taken(&args.session);
    let memory = memory(args, global, terminal)?;
    let mut chat = Chat::new(memory, &args.asked_by, wiring::stream_from_now("chat"));
    let started = Instant::now();
    terminal.note("each line is a turn; `help` says what can be said, `quit` or Ctrl-D ends");
    let mut turns = Turns::of_input();
    loop {
        let turn = match turns.next()? {
            Next::Turn(turn) => turn,
            Next::Help => {
                terminal.note(HELP);
                continue;
            }
            Next::End => break,
        };
        let at_ms = started.elapsed().as_millis() as u64;
        if !args.json {
            terminal.begin_answer();
        }
        let done = chat.turn_showing(&turn, at_ms, &mut |text| {
            view::in_writing(Some(&text), terminal);
        });
        terminal.progress_done();
        match done {
            Ok(reply) => show(args, &turn, &reply, terminal)?,
            Err(failed) => match failed.class() {
                ErrorClass::Gone | ErrorClass::Storage | ErrorClass::Internal => {
                    return Err(failed.into());
                }
                // a turn that is refused changes nothing
                _ => terminal.fail(&failed.to_string()),
            },
        }
    }
    let session = chat.end()?.close()?;
    if is_new && session.turns() == 0 {
        // nothing was said
        delete_session(&args.session)?;
    }
    Ok(Exit::Done)
}

/// Prints the reply to a turn, and the check of an answer.
fn show(args: &ChatArgs, turn: &str, reply: &Reply, terminal: &mut Terminal) -> anyhow::Result<()> {
    let check = match reply {
        Reply::Answered { answered, .. } => checking::of(answered, None, terminal),
        _ => None,
    };
    if args.json {
        let (turn, reply) = (turn.to_owned(), as_json(reply));
        return Ok(terminal.json(&ChatTurn { turn, reply })?);
    }
    for line in lines(reply, check, terminal) {
        terminal.data(&line)?;
    }
    Ok(())
}

/// The memory of the session, which is created if there is none.
fn memory(args: &ChatArgs, global: &Global, terminal: &mut Terminal) -> anyhow::Result<Memory> {
    let known = wiring::read_if_exists(&args.session, terminal)?;
    let named = args.encoder.as_deref();
    let encoder = match &known {
        Some(session) => wiring::session_encoder(&args.session, session, named, global, terminal)?,
        None => wiring::encoder(named, None, global, terminal)?,
    };
    // everything is loaded and read before a session is created
    let selection = args.answer.selection(global.typed)?;
    let models = wiring::models(&selection, global, terminal)?;
    let builder = || Memory::builder_with(Arc::clone(&encoder));
    let session = known.map_or_else(|| builder().in_memory()?.close(), Ok)?;
    let character = character_file::load(&args.character, &session, args.answer.context_tokens)?;
    let memory = builder()
        .config(SessionConfig::with_transcript(
            limits::TRANSCRIPT_BYTES_DEFAULT,
        ))
        .answerer(models.answerer)
        .check(models.check)
        .reranker(models.reranker)
        .asking(AskSettings {
            character: character.map(Arc::new),
            ..args.answer.settings()
        })
        .open(&args.session)?;
    memory.warnings().iter().for_each(|it| terminal.warn(it));
    Ok(memory)
}

/// The reply to a turn.
fn lines(reply: &Reply, check: Option<&AnswerCheck>, terminal: &Terminal) -> Vec<String> {
    let faint = |text: &str| terminal.tint(Tint::Faint, text);
    match reply {
        Reply::Answered {
            understood,
            answered,
        } => {
            let mut lines = Vec::new();
            if let Some(question) = understood {
                lines.push(faint(&format!("understood as: {}", plain(question))));
            }
            lines.extend(view::answer(answered, terminal));
            // an answer without claims, such as "I don't know", leaves nothing to check
            let checked = check.filter(|it| !it.claims.is_empty());
            lines.extend(checked.iter().flat_map(|it| checking::brief(it, terminal)));
            lines
        }
        Reply::Stored => vec![faint("stored")],
        Reply::SmallTalk => vec![faint("nothing to store")],
        Reply::Remembered { unpinned: None } => vec!["I keep that.".to_owned()],
        Reply::Remembered {
            unpinned: Some(why),
        } => vec![format!("That is stored, but may be forgotten: {why}.")],
        Reply::Confirm(found) => asking(found, faint),
        Reply::NothingToForget => vec!["Nothing that I hold says that.".to_owned()],
        Reply::Erased(done) => erasing::receipt(done),
        Reply::Corrected { before, receipt } => {
            let said = before.iter().map(|it| format!("\"{}\"", plain(&it.text)));
            let said = said.collect::<Vec<_>>().join(" ");
            let mut lines = vec![format!("Corrected; erased: {said}")];
            lines.extend(erasing::rewritten(receipt).into_iter().map(|it| faint(&it)));
            lines
        }
        Reply::NothingToCorrect => {
            vec!["You told me nothing before that; it is stored.".to_owned()]
        }
        Reply::Kept => vec!["Nothing was erased.".to_owned()],
        Reply::Unclear => vec!["Yes or no? Nothing was erased yet.".to_owned()],
    }
}

/// What would be erased, with its times as `faint` makes them, and the question whether to do it.
pub(crate) fn asking(found: &[ForgetTarget], faint: impl Fn(&str) -> String) -> Vec<String> {
    let shown = found.iter().take(SHOWN_MAX).map(|it| {
        let time = faint(&format!("  {}", when(it)));
        format!(
            "{time}  {}",
            plain(&spoken_line(it.speaker.as_deref(), &it.text))
        )
    });
    let mut lines: Vec<String> = shown.collect();
    let number = found.len() as u64;
    if found.len() > SHOWN_MAX {
        lines.push(format!("  and {} more", number - SHOWN_MAX as u64));
    }
    let what = match number {
        1 => "this".to_owned(),
        _ => format!("these {}{}", many(number, "statement"), by_speaker(found)),
    };
    lines.push(format!(
        "Erase {what} from memory and from every file? yes or no"
    ));
    lines
}

/// The day and the time when something was said, or its session time where no day is known.
fn when(it: &ForgetTarget) -> String {
    let zone = zone_here();
    let local = it.said_at_unix_ms.and_then(|ms| local_time(ms, &zone));
    local.map_or_else(
        || clock(it.said_ms),
        |at| format!("{}, {}", in_words(at.date()), at.strftime("%H:%M")),
    )
}

/// " (27 by Melanie, 18 by Caroline)" where several people said them.
fn by_speaker(found: &[ForgetTarget]) -> String {
    let mut counts: Vec<(&str, u64)> = Vec::new();
    for speaker in found.iter().map(|it| it.speaker.as_deref()) {
        let speaker = speaker.unwrap_or("somebody");
        match counts.iter_mut().find(|(known, _)| *known == speaker) {
            Some((_, count)) => *count += 1,
            None => counts.push((speaker, 1)),
        }
    }
    if !(2..=SHOWN_MAX).contains(&counts.len()) {
        return String::new();
    }
    let each = counts.iter();
    let each = each.map(|(speaker, count)| format!("{count} by {}", plain(speaker)));
    format!(" ({})", each.collect::<Vec<_>>().join(", "))
}

/// The reply to a turn, as JSON.
fn as_json(reply: &Reply) -> ChatReply {
    match reply {
        Reply::Answered {
            understood,
            answered,
        } => ChatReply::Answered {
            understood: understood.clone(),
            answered: Box::new(answered.wire(None)),
        },
        Reply::Stored => ChatReply::Stored,
        Reply::SmallTalk => ChatReply::SmallTalk,
        Reply::Remembered { unpinned } => ChatReply::Remembered {
            unpinned: unpinned.clone(),
        },
        Reply::Confirm(found) => ChatReply::Confirm {
            found: found.iter().map(to_forget).collect(),
        },
        Reply::NothingToForget => ChatReply::NothingToForget,
        Reply::Erased(done) => ChatReply::Erased {
            receipt: (**done).clone(),
        },
        Reply::Corrected { before, receipt } => ChatReply::Corrected {
            before: before.iter().map(to_forget).collect(),
            receipt: (**receipt).clone(),
        },
        Reply::NothingToCorrect => ChatReply::NothingToCorrect,
        Reply::Kept => ChatReply::Kept,
        Reply::Unclear => ChatReply::Unclear,
    }
}

fn to_forget(it: &ForgetTarget) -> weir_api::ToForget {
    weir_api::ToForget {
        what: it.target.to_string(),
        speaker: it.speaker.clone(),
        text: it.text.clone(),
        said_ms: it.said_ms,
    }
}
