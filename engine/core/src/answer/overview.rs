//! Answers about memory itself, as text.

use super::rendering::{cited, spoken};
use super::types::{Answer, AnswerKind, Overview, OverviewOf, Premise, Statement};
use weir_models::NameKind;

/// The answer to a question about memory itself.
pub(super) fn render_answer(overview: &Overview, premise: Option<&Premise>) -> Answer {
    let quoted: Vec<&Statement> = overview.statements.iter().collect();
    let nothing = overview.heard == 0;
    let text = match &overview.of {
        _ if nothing => "I have heard nothing yet.".to_owned(),
        OverviewOf::Extent => extent(overview),
        OverviewOf::People => spoke(&overview.people),
        OverviewOf::Purpose => format!(
            "I remember what is said near me. Ask who said what, when or why. {}",
            extent(overview)
        ),
        OverviewOf::Asker => format!(
            "I do not know who is asking. {} Say who you are, or ask about one of them.",
            people(overview)
        ),
        OverviewOf::Person(name) if quoted.is_empty() && overview.was_said => {
            let days = overview.asked_days.as_ref().map(|days| format!(" {days}"));
            let days = days.unwrap_or_default();
            format!("Of what {name} said{days}, I remember questions and short replies alone.")
        }
        OverviewOf::Person(name) if quoted.is_empty() => match &overview.asked_days {
            Some(days) => format!("I remember nothing that {name} said {days}, or said of it."),
            None => format!("I remember nothing that {name} told."),
        },
        OverviewOf::Talk if quoted.is_empty() => match &overview.asked_days {
            Some(days) => nothing_of(days),
            None => "I remember nothing of that time.".to_owned(),
        },
        OverviewOf::Named(name) if quoted.is_empty() => {
            format!("What names {name} are questions and short replies alone.")
        }
        OverviewOf::NamedBy { whom, kind } => named_by(overview, whom, *kind, &quoted),
        OverviewOf::Between(a, b) if quoted.is_empty() => {
            format!("Nothing that I remember names {a} and {b}, or joins them.")
        }
        OverviewOf::Between(a, b) if !overview.names.is_empty() => {
            let third = &overview.names[0];
            let apart = format!("Nothing that I remember names {a} and {b} together.");
            format!("{apart} {third} is named with either. {}", spoken(&quoted))
        }
        OverviewOf::Person(_) | OverviewOf::Talk => with_extent(overview, &quoted),
        OverviewOf::Named(_) | OverviewOf::Between(..) => with_extent(overview, &quoted),
    };
    let answered = !nothing && (!overview.of.tells() || !quoted.is_empty());
    Answer::computed(AnswerKind::of(premise, answered), text, cited(&quoted))
}

/// The statements of an overview, and how many there are if these are not all.
fn with_extent(overview: &Overview, quoted: &[&Statement]) -> String {
    match left_out(overview) {
        Some(left_out) => format!("{} {left_out}", spoken(quoted)),
        None => spoken(quoted),
    }
}

/// Whom or what somebody names, with statements.
fn named_by(overview: &Overview, whom: &str, kind: NameKind, quoted: &[&Statement]) -> String {
    const NAMES_MAX: usize = 12;
    let kinds = match kind {
        NameKind::Person => "people",
        NameKind::Place => "places",
        NameKind::Organisation => "organisations",
        NameKind::Thing => "things",
        NameKind::Date => "dates",
    };
    let names = &overview.names;
    if names.is_empty() {
        return format!("I remember no {kinds} that {whom} names, or that are named with {whom}.");
    }
    let shown = names[..names.len().min(NAMES_MAX)].join(", ");
    let more = match names.len().saturating_sub(NAMES_MAX) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!(
        "Named by {whom} or with {whom}: {shown}{more}. {}",
        spoken(quoted)
    )
}

/// Says that an overview has a part of what was said, if it does.
pub(super) fn left_out(overview: &Overview) -> Option<String> {
    let (told, all) = (overview.statements.len(), overview.of_statements);
    (told < all).then(|| format!("That is {told} of {all} statements."))
}

/// Says that nothing held is of these days: "on 3 May 2026".
pub(super) fn nothing_of(days: &str) -> String {
    format!("I remember nothing that was said {days}, or that tells of it.")
}

fn extent(overview: &Overview) -> String {
    let minutes = overview.session_ms / 60_000;
    let (heard, length) = match (overview.heard, minutes) {
        (1, _) => ("one utterance".to_owned(), String::new()),
        (many, 0) => (format!("{many} utterances"), " within a minute".to_owned()),
        (many, 1..60) => (
            format!("{many} utterances"),
            format!(" in {minutes} min of talk"),
        ),
        (many, _) => {
            let (hours, minutes) = (minutes / 60, minutes % 60);
            (
                format!("{many} utterances"),
                format!(" in {hours} h {minutes} min of talk"),
            )
        }
    };
    let days = match &overview.days {
        Some((first, last, days)) if first != last => {
            format!(" What I remember was said on {days} days, from {first} to {last}.")
        }
        Some((first, _, _)) => format!(" What I remember was said on {first}."),
        None => String::new(),
    };
    format!("I have heard {heard}{length}.{days} {}", people(overview))
        .trim_end()
        .to_owned()
}

/// Who spoke, and how many they are.
fn spoke(people: &[String]) -> String {
    match people {
        [] => "I do not know who spoke: no speaker has a name.".to_owned(),
        [one] => format!("One speaker: {one}."),
        many => format!("{} speakers: {}.", many.len(), many.join(", ")),
    }
}

fn people(overview: &Overview) -> String {
    const SHOWN_MAX: usize = 5;
    let (shown, more) = overview
        .people
        .split_at(overview.people.len().min(SHOWN_MAX));
    match (shown, more.len()) {
        ([], _) => String::new(),
        ([one], _) => format!("I heard {one}."),
        ([many @ .., last], 0) => format!("I heard {} and {last}.", many.join(", ")),
        (many, more) => format!("I heard {} and {more} others.", many.join(", ")),
    }
}
