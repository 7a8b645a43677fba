//! WhatsApp's exported chats: lines of text whose form depends on the telephone.
//!
//! `[31.01.24, 10:03:05] Ana: text` from an iPhone, `1/31/24, 10:03 PM - Ana: text` from Android.
//! What is no talk is told by its form, since its words are in the language of the telephone: a
//! line without a speaker is the program's, `<...>` alone is a picture, and an iPhone puts a mark
//! that nobody sees before what the program writes in the place of words.

use super::draft::{At, Draft, digest};
use super::error::{ImportError, ImportProblem};
use super::files::Files;
use super::format::Format;
use super::whatsapp_date::{Head, Order, head, order};
use jiff::tz::TimeZone;
use weir_api::LeftOutReason as Reason;

/// The mark, from left to right.
const MARK: char = '\u{200e}';
/// Longest name before a colon, in letters.
const NAME_CHARS_MAX: usize = 100;
/// An hour that a clock is set back does not change the order of messages.
const SET_BACK_MS: i64 = 3_600_000;
/// What stands in the place of a deleted message, in the languages that are asked for most: its
/// form is that of any other message.
const DELETED: [&str; 14] = [
    "This message was deleted",
    "You deleted this message",
    "Diese Nachricht wurde gelöscht",
    "Du hast diese Nachricht gelöscht",
    "Se eliminó este mensaje",
    "Eliminaste este mensaje",
    "Ce message a été supprimé",
    "Vous avez supprimé ce message",
    "Questo messaggio è stato eliminato",
    "Hai eliminato questo messaggio",
    "Mensagem apagada",
    "Essa mensagem foi apagada",
    "Dit bericht is verwijderd",
    "Это сообщение удалено",
];

/// A message with its lines.
struct Entry<'a> {
    head: Head<'a>,
    line: u64,
    more: Vec<&'a str>,
}

/// Whether a line is the first of a message.
pub(super) fn is_head(line: &str) -> bool {
    head(line).is_some_and(|it| it.is_bracketed || it.rest.contains(": "))
}

/// Reads each text of the export; there is one, beside pictures and sound.
pub(super) fn read(
    files: &mut Files,
    dates: Option<Order>,
    zone: &TimeZone,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    for name in files.named(|it| it.ends_with(".txt")) {
        let text = files.text(&name)?;
        let place = files.place(&name);
        let stem = name.strip_suffix(".txt").unwrap_or(&name);
        let title = match files.is_one() || stem.ends_with("_chat") {
            true => files.stem(),
            false => stem.to_owned(),
        };
        take(&text, (&title, &place), dates, zone, draft)?;
    }
    Ok(())
}

fn take(
    text: &str,
    (title, place): (&str, &str),
    dates: Option<Order>,
    zone: &TimeZone,
    draft: &mut Draft,
) -> Result<(), ImportError> {
    let mut entries = Vec::<Entry>::new();
    for (line, number) in text.lines().zip(1..) {
        match (head(line), entries.last_mut()) {
            (Some(head), _) => entries.push(Entry {
                head,
                line: number,
                more: Vec::new(),
            }),
            (None, Some(entry)) => entry.more.push(line),
            (None, None) if line.trim().is_empty() => {}
            (None, None) => draft.leave(Reason::Unreadable),
        }
    }
    let Some(first) = entries.first() else {
        let why = "no line such as `31/01/2024, 10:03 - Ana: ...`".to_owned();
        let format = Format::WhatsApp;
        return Err(ImportProblem::NotOf { format, why }.at(place, Some(1)));
    };
    let heads: Vec<(&Head<'_>, u64)> = entries.iter().map(|it| (&it.head, it.line)).collect();
    let order = match dates {
        Some(order) => order,
        None => order(&heads).map_err(|(problem, line)| problem.at(place, line))?,
    };
    // a later export of the same chat begins alike
    draft.begin(title, digest(&[first.head.date, first.head.rest]));
    let programs = notices(&entries);
    let mut latest = i64::MIN;
    for entry in &entries {
        let Some(at) = entry.head.unix_ms(order, zone) else {
            draft.leave(Reason::Unreadable);
            continue;
        };
        let at = match latest.saturating_sub(at) <= SET_BACK_MS {
            true => at.max(latest),
            false => at,
        };
        latest = at;
        match said(entry, &programs) {
            Err(reason) => draft.leave(reason),
            Ok((name, text)) => {
                let name = name.trim_start_matches(['~', '\u{202f}', '\u{a0}', ' ']);
                let said = draft.say(Some(name), &text, At::Wall(at));
                said.map_err(|problem| problem.at(place, Some(entry.line)))?;
            }
        }
    }
    Ok(())
}

/// Who speaks in a message, and its first line.
fn spoken<'a>(head: &Head<'a>) -> Option<(&'a str, &'a str)> {
    let bare = head.rest.trim_end();
    let (name, text) = head
        .rest
        .split_once(": ")
        .or_else(|| Some((bare.strip_suffix(':')?, "")))?;
    let name = name.trim_matches([MARK, ' ']);
    let fits = !name.is_empty() && name.chars().count() <= NAME_CHARS_MAX;
    // Android names nobody where the program speaks, but may quote a colon
    let is_quote = name.contains(['"', '“', '”', '«']);
    (fits && !is_quote).then_some((name, text))
}

/// Speakers all of whose messages have the mark: an iPhone lets a group speak for the program.
fn notices<'a>(entries: &[Entry<'a>]) -> Vec<&'a str> {
    let all = || {
        entries
            .iter()
            .filter(|it| it.head.is_bracketed)
            .filter_map(|it| spoken(&it.head))
    };
    let mut marked: Vec<&str> = all()
        .filter(|(_, text)| text.starts_with(MARK) && !text.ends_with('>'))
        .map(|(name, _)| name)
        .collect();
    marked.sort_unstable();
    marked.dedup();
    let talks = |name: &str| all().any(|(who, text)| who == name && !text.starts_with(MARK));
    marked.retain(|name| !talks(name));
    marked
}

/// Who says what in a message, or why it says nothing.
fn said<'a>(entry: &Entry<'a>, programs: &[&str]) -> Result<(&'a str, String), Reason> {
    let (name, first) = spoken(&entry.head).ok_or(Reason::System)?;
    if programs.contains(&name) || entry.head.rest.starts_with(MARK) && !entry.head.is_bracketed {
        return Err(Reason::System);
    }
    let bare = first.trim_matches([MARK, ' ']);
    if DELETED.iter().any(|it| bare.starts_with(it)) && entry.more.is_empty() {
        return Err(Reason::Deleted);
    }
    let mut lines = entry.more.clone();
    let is_media = bare.starts_with('<') && bare.ends_with('>') || is_attached(bare);
    // in its place an iPhone writes words of its own, such as "image omitted"
    let is_marked = entry.head.is_bracketed && first.starts_with(MARK);
    if !is_media && !is_marked {
        lines.insert(0, first);
    }
    let mut text = lines.join("\n");
    // "<This message was edited>", "<attached: ...>" at the end of words
    if let Some((words, end)) = text.rsplit_once(MARK).filter(|(_, it)| it.starts_with('<'))
        && end.trim_end().ends_with('>')
    {
        text = words.to_owned();
    }
    let text = text
        .trim()
        .trim_end_matches("<This message was edited>")
        .to_owned();
    let has_media = is_media || is_marked || first.contains(MARK);
    match text.trim_matches([MARK, ' ']).is_empty() && has_media {
        true => Err(Reason::Media),
        false => Ok((name, text)),
    }
}

/// Whether a line names a file: `IMG-20240131-WA0001.jpg (file attached)`.
fn is_attached(line: &str) -> bool {
    let Some((file, what)) = line.split_once(" (") else {
        return false;
    };
    let named = file
        .rsplit_once('.')
        .is_some_and(|(_, end)| (2..=4).contains(&end.len()));
    what.ends_with(')') && named && !file.contains(' ')
}
