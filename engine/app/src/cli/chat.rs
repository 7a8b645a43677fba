//! `weir chat`: a conversation with a session, one turn a line.

use super::args::Global;
use super::chat_args::ChatArgs;
use super::erasing;
use super::failure::Exit;
use super::model_args::AnswerArgs;
use super::model_selection;
use super::terminal::{Terminal, Tint, clock, many, plain};
use super::typing::next_line;
use super::{view, wiring};
use serde_json::{Value, json};
use std::io::{self, BufReader};
use std::time::{Instant, SystemTime, UNIX_EPOCH};
use weir_core::conversation::ToForget;
use weir_core::stream::{StreamStart, spoken_line};
use weir_engine::Memory;
use weir_engine::chat::{Chat, Reply};
use weir_engine::results::{AnswerKind, CitationResult, rfc3339};
use weir_engine::store::Receipt;

/// Maximum number of statements shown before they are erased.
const SHOWN_MAX: usize = 5;

/// Runs the command.
pub(super) fn run(
    args: &ChatArgs,
    global: &Global,
    terminal: &mut Terminal,
) -> anyhow::Result<Exit> {
    let memory = memory(args, global, terminal)?;
    let mut chat = Chat::new(memory, &args.asked_by, start());
    let started = Instant::now();
    terminal.note("each line is a turn; Ctrl-D ends");
    let mut input = BufReader::new(io::stdin());
    loop {
        terminal.prompt("> ");
        let Some(turn) = next_line(&mut input)? else {
            break;
        };
        if turn.is_empty() {
            continue;
        }
        let at_ms = started.elapsed().as_millis() as u64;
        let reply = chat.turn(&turn, at_ms);
        match reply {
            Ok(reply) if args.json => terminal.data(&as_json(&turn, &reply)?.to_string())?,
            Ok(reply) => {
                for line in lines(&reply, terminal) {
                    terminal.data(&line)?;
                }
            }
            // a turn that is refused changes nothing
            Err(refused @ weir_engine::MemoryError::Step(_)) => {
                terminal.fail(&refused.to_string());
            }
            Err(failed) => return Err(failed.into()),
        }
    }
    chat.end()?.close()?;
    Ok(Exit::Done)
}

/// The memory of the session, which is created if there is none.
fn memory(args: &ChatArgs, global: &Global, terminal: &mut Terminal) -> anyhow::Result<Memory> {
    let stamp = wiring::existing(&args.session, terminal)?.map(|it| it.encoder().clone());
    let encoder = wiring::encoder(args.encoder.as_deref(), stamp.as_ref(), global, terminal)?;
    if let Some(stamp) = &stamp {
        wiring::same_encoder(&args.session, stamp, encoder.as_ref())?;
    }
    let answering = AnswerArgs {
        answer: args.answer,
        answer_ms: args.answer_ms,
        profile_tokens: 0,
        check: None,
        check_model: None,
        reranker: None,
    };
    let answerer =
        model_selection::answerer(&answering, &args.writer, &mut None, global, terminal)?;
    let memory = Memory::builder_with(encoder)
        .context_tokens(args.context_tokens)
        .open(&args.session)?;
    memory.warnings().iter().for_each(|it| terminal.warn(it));
    Ok(memory.with_answerer(answerer))
}

/// The stream of what is stored now.
fn start() -> StreamStart {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).ok();
    let unix_ms = now.and_then(|since| i64::try_from(since.as_millis()).ok());
    let named = unix_ms.and_then(rfc3339);
    StreamStart {
        name: named.map_or_else(|| "chat".to_owned(), |at| format!("chat {at}")),
        started_at_unix_ms: unix_ms,
    }
}

/// The reply to a turn.
fn lines(reply: &Reply, terminal: &Terminal) -> Vec<String> {
    let faint = |text: &str| terminal.tint(Tint::Faint, text);
    match reply {
        Reply::Answered {
            understood,
            stored,
            answer,
            recall,
        } => {
            let mut lines = Vec::new();
            if let Some(question) = understood {
                lines.push(faint(&format!("understood as: {}", plain(question))));
            }
            lines.extend(view::told(answer, recall.spans_days, terminal));
            if *stored {
                lines.push(faint("what you told is stored"));
            }
            lines
        }
        Reply::Stored => vec![faint("stored")],
        Reply::Remembered { unpinned: None } => vec!["I keep that.".to_owned()],
        Reply::Remembered {
            unpinned: Some(why),
        } => vec![format!("That is stored, but may be forgotten: {why}.")],
        Reply::Confirm(found) => asking(found, terminal),
        Reply::NothingToForget => vec!["Nothing that I hold says that.".to_owned()],
        Reply::Erased(receipt) => erasing::receipt(receipt),
        Reply::Kept => vec!["Nothing was erased.".to_owned()],
        Reply::Unclear => vec!["Yes or no? Nothing was erased yet.".to_owned()],
        Reply::Nothing => vec![faint("nothing to store or to look up")],
    }
}

/// What would be erased, and the question whether to do it.
fn asking(found: &[ToForget], terminal: &Terminal) -> Vec<String> {
    let shown = found.iter().take(SHOWN_MAX).map(|it| {
        let time = terminal.tint(Tint::Faint, &format!("  {}", clock(it.said_ms)));
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
        _ => format!("these {}", many(number, "statement")),
    };
    lines.push(format!(
        "Erase {what} from memory and from every file? yes or no"
    ));
    lines
}

/// One turn with its reply.
fn as_json(turn: &str, reply: &Reply) -> serde_json::Result<Value> {
    let (kind, mut value) = match reply {
        Reply::Answered {
            understood,
            stored,
            answer,
            ..
        } => (
            "answered",
            json!({
                "understood": understood,
                "stored": stored,
                "answer": answer.text,
                "kind": AnswerKind::of(answer.kind),
                "grounded": answer.grounded,
                "citations": answer.citations.iter().map(CitationResult::of).collect::<Vec<_>>(),
                "passages": answer.passages,
            }),
        ),
        Reply::Stored => ("stored", json!({})),
        Reply::Remembered { unpinned } => ("remembered", json!({"unpinned": unpinned})),
        Reply::Confirm(found) => {
            let found = found.iter().map(|it| {
                json!({"what": it.target.to_string(), "speaker": it.speaker, "text": it.text,
                       "said_ms": it.said_ms})
            });
            ("confirm", json!({"found": found.collect::<Vec<_>>()}))
        }
        Reply::NothingToForget => ("nothing_to_forget", json!({})),
        Reply::Erased(receipt) => ("erased", json!({"receipt": receipt as &Receipt})),
        Reply::Kept => ("kept", json!({})),
        Reply::Unclear => ("unclear", json!({})),
        Reply::Nothing => ("nothing", json!({})),
    };
    value["turn"] = json!(turn);
    value["reply"] = json!(kind);
    Ok(value)
}
