//! `weir beliefs`: what the speakers of a session feel about things.

use crate::cli::failure::Exit;
use crate::cli::loading::wiring;
use crate::cli::output;
use crate::cli::session::belief_plot;
use crate::cli::session::beliefs_args::BeliefsArgs;
use crate::cli::session::profile::day_of;
use crate::cli::terminal::{Terminal, Tint, clock, many, plain};
use anyhow::bail;
use weir_core::answer::{feeling_word, trend_word};
use weir_core::beliefs::{Belief, RejectedRemark, Tally};
use weir_core::limits;
use weir_core::session::Session;
use weir_core::talk::{Evidence, opinion_label};
use weir_core::text::is_speaker;
use weir_engine::store::TranscriptReader;
use weir_engine::views::{self, select_beliefs};

/// Cells of the bar of a profile.
const BAR_CELLS: f32 = 10.0;

/// Runs the command.
pub(crate) fn run(args: &BeliefsArgs, terminal: &mut Terminal) -> anyhow::Result<Exit> {
    let session = wiring::read(&args.session, terminal)?;
    let transcript = wiring::transcript(&args.session);
    let view = View {
        session: &session,
        transcript: &transcript,
    };
    let (of, about) = (args.of.as_deref(), args.about.as_deref());
    let beliefs = select_beliefs(session.beliefs(), of, about);
    if let Some(file) = &args.plot {
        let Some(belief) = beliefs.first() else {
            bail!("there is no such belief to draw; `weir beliefs` lists those held");
        };
        let plot = belief_plot::svg(belief);
        output::write(file, |out| out.write_all(plot.as_bytes()))?;
        let (file, what) = (file.display().to_string(), title(belief));
        terminal.note(&format!("{}: {}", plain(&file), plain(&what)));
    }
    if args.json {
        terminal.json(&views::beliefs(&session, &transcript, &beliefs))?;
        return Ok(Exit::Done);
    }
    if beliefs.is_empty() && session.beliefs().held().is_empty() {
        terminal.note("nobody said what they feel about anything yet");
    } else if beliefs.is_empty() {
        terminal.note("memory holds no such belief; `weir beliefs` lists those held");
    }
    let is_listed = |it: &Belief| {
        args.all || about.is_some() || it.tally().weight >= limits::BELIEF_LISTED_WEIGHT
    };
    let (listed, weak): (Vec<&Belief>, Vec<&Belief>) =
        beliefs.into_iter().partition(|it| is_listed(it));
    for belief in &listed {
        view.print(belief, terminal)?;
    }
    if !weak.is_empty() {
        let weak = many(weak.len() as u64, "belief");
        terminal.note(&format!("{weak} of weak remarks left out: --all"));
    }
    let gone = session.beliefs().counts().forgotten;
    if gone > 0 {
        let gone = many(gone, "belief");
        terminal.note(&format!(
            "{gone} over the budget of this memory, forgotten: weir memory budget --tokens N"
        ));
    }
    view.print_doubted(args, terminal)?;
    Ok(Exit::Done)
}

/// "Ana, taste of coffee".
fn title(belief: &Belief) -> String {
    let holder = belief.holder.as_deref().unwrap_or("somebody");
    let label = opinion_label(&belief.object, &belief.aspect);
    format!("{holder}, {label}")
}

/// "on 8 May 2023", or "at 05:12.0" of a recording without a date.
fn when(item: &Evidence) -> String {
    match day_of(item) {
        Some(day) => format!("on {day}"),
        None => format!("at {}", clock(item.span.start_ms)),
    }
}

/// A session and where its words are.
struct View<'a> {
    session: &'a Session,
    transcript: &'a TranscriptReader,
}

impl View<'_> {
    fn quote(&self, item: &Evidence) -> Option<String> {
        self.session.quote(item, Some(self.transcript))
    }

    fn print(&self, belief: &Belief, terminal: &mut Terminal) -> anyhow::Result<()> {
        let tally = belief.tally();
        let name = terminal.tint(Tint::Strong, &plain(&title(belief)));
        let (bar, word) = (bar(&tally), feeling_word(&tally));
        terminal.data(&format!("[{bar}] {word:<15} {name}  {}", belief.id))?;
        let remarks = many(tally.count.into(), "remark");
        let trend = trend_word(&tally).map_or(String::new(), |it| format!(", lately {it}"));
        let mut line = format!("             {remarks}{trend}");
        if let Some(last) = belief.observations().last() {
            let quote = self.quote(&last.evidence);
            let quote = quote.map_or(String::new(), |it| format!(": \"{}\"", plain(&it)));
            line.push_str(&format!("; last {}{quote}", when(&last.evidence)));
        }
        Ok(terminal.data(&terminal.tint(Tint::Faint, &line))?)
    }

    /// Remarks that do not count, so that nobody wonders where they went.
    fn print_doubted(&self, args: &BeliefsArgs, terminal: &mut Terminal) -> anyhow::Result<()> {
        let doubted = self.session.beliefs().doubted().iter();
        let doubted: Vec<&RejectedRemark> = doubted
            .filter(|it| is_speaker(args.of.as_deref(), it.holder.as_deref()))
            .collect();
        if !args.doubted {
            let count = doubted.len() as u64;
            if count > 0 {
                terminal.note(&format!(
                    "{} not count (hypothetical, reported, past, or perhaps sarcastic); \
                     --doubted lists them",
                    match count {
                        1 => "1 remark does".to_owned(),
                        many => format!("{many} remarks do"),
                    }
                ));
            }
            return Ok(());
        }
        for it in doubted {
            let holder = plain(it.holder.as_deref().unwrap_or("somebody"));
            let quote = self.quote(&it.evidence).unwrap_or_default();
            let (at, why) = (clock(it.evidence.span.start_ms), it.doubt);
            let line = format!(
                "[does not count: {why}] {holder} at {at}: \"{}\"",
                plain(&quote)
            );
            terminal.data(&line)?;
        }
        Ok(())
    }
}

/// Ten cells: `+` positive, `.` neutral, `-` negative.
fn bar(tally: &Tally) -> String {
    let now = tally.current;
    let positive = (now.positive * BAR_CELLS).round() as usize;
    let negative = (now.negative * BAR_CELLS).round() as usize;
    let negative = negative.min(BAR_CELLS as usize - positive);
    let neutral = BAR_CELLS as usize - positive - negative;
    format!(
        "{}{}{}",
        "+".repeat(positive),
        ".".repeat(neutral),
        "-".repeat(negative)
    )
}
