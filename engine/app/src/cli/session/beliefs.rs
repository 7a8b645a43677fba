//! `weir beliefs`: what the speakers of a session feel about things.

use crate::cli::failure::Exit;
use crate::cli::loading::wiring;
use crate::cli::output;
use crate::cli::session::belief_plot;
use crate::cli::session::beliefs_args::BeliefsArgs;
use crate::cli::session::node_words::{is_speaker, quoted};
use crate::cli::terminal::{Terminal, Tint, clock, many, plain};
use anyhow::bail;
use weir_api::{BeliefCounts, Observation};
use weir_core::answer::{feeling_word, trend_word};
use weir_core::beliefs::{Belief, Beliefs, RejectedRemark, Tally};
use weir_core::session::Session;
use weir_core::talk::{Evidence, opinion_label};
use weir_core::text::{Doubt, Sentiment, stems};
use weir_engine::store::TranscriptReader;

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
    let beliefs = select(session.beliefs(), args);
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
        terminal.json(&view.json(&beliefs))?;
        return Ok(Exit::Done);
    }
    if beliefs.is_empty() && session.beliefs().held().is_empty() {
        terminal.note("nobody said what they feel about anything yet");
    } else if beliefs.is_empty() {
        terminal.note("memory holds no such belief; `weir beliefs` lists those held");
    }
    for belief in &beliefs {
        view.print(belief, terminal)?;
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

/// The beliefs asked for: those with the most weight first, by holder.
fn select<'a>(beliefs: &'a Beliefs, args: &BeliefsArgs) -> Vec<&'a Belief> {
    let about = args.about.as_deref().map(stems);
    let is = |belief: &&Belief| {
        let label = stems(&opinion_label(&belief.object, &belief.aspect));
        about.as_ref().is_none_or(|it| it.is_subset(&label))
            && is_speaker(args.of.as_deref(), &belief.holder)
    };
    let mut found: Vec<&Belief> = beliefs.held().iter().filter(is).collect();
    found.sort_by(|a, b| {
        let weight = b.tally().weight.total_cmp(&a.tally().weight);
        a.holder.cmp(&b.holder).then(weight)
    });
    found
}

/// "Ana, taste of coffee".
fn title(belief: &Belief) -> String {
    let holder = belief.holder.as_deref().unwrap_or("somebody");
    let label = opinion_label(&belief.object, &belief.aspect);
    format!("{holder}, {label}")
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
        terminal.data(&format!("[{bar}] {word:<12} {name}  {}", belief.id))?;
        let remarks = many(tally.count.into(), "remark");
        let trend = trend_word(&tally).map_or(String::new(), |it| format!(", lately {it}"));
        let now = tally.current;
        let mut line = format!(
            "             +{:.2} -{:.2}, entropy {:.2}, weight {:.1}, {remarks}{trend}",
            now.positive,
            now.negative,
            now.entropy(),
            tally.weight,
        );
        if let Some(last) = belief.observations().last() {
            let quote = self.quote(&last.evidence);
            let quote = quote.map_or(String::new(), |it| format!(": \"{}\"", plain(&it)));
            line.push_str(&format!("; last at {}{quote}", clock(last.said_ms)));
        }
        Ok(terminal.data(&terminal.tint(Tint::Faint, &line))?)
    }

    /// Remarks that do not count, so that nobody wonders where they went.
    fn print_doubted(&self, args: &BeliefsArgs, terminal: &mut Terminal) -> anyhow::Result<()> {
        let doubted = self.session.beliefs().doubted().iter();
        let doubted: Vec<&RejectedRemark> = doubted
            .filter(|it| is_speaker(args.of.as_deref(), &it.holder))
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

    fn json(&self, beliefs: &[&Belief]) -> weir_api::Beliefs {
        let (doubted, counts) = (
            self.session.beliefs().doubted(),
            self.session.beliefs().counts(),
        );
        let doubted = doubted.iter().map(|it| weir_api::Doubted {
            holder: it.holder.clone(),
            doubt: doubt(it.doubt),
            source: quoted(&it.evidence, self.session, self.transcript),
        });
        weir_api::Beliefs {
            beliefs: beliefs.iter().map(|it| self.belief(it)).collect(),
            doubted: doubted.collect(),
            counts: BeliefCounts {
                observed: counts.observed,
                abandoned: counts.abandoned,
                doubted: counts.doubted,
                integrated: counts.integrated,
                deleted: counts.deleted,
                forgotten: counts.forgotten,
            },
        }
    }

    fn belief(&self, belief: &Belief) -> weir_api::Belief {
        let tally = belief.tally();
        let history = belief.history().map(|(it, tally)| Observation {
            said_ms: it.said_ms,
            sentiment: sentiment(it.sentiment),
            strength: it.strength,
            current: sentiment(tally.current),
            settled: sentiment(tally.settled),
            source: quoted(&it.evidence, self.session, self.transcript),
        });
        weir_api::Belief {
            id: belief.id.to_string(),
            holder: belief.holder.clone(),
            object: belief.object.clone(),
            kind: belief.kind.to_string(),
            aspect: belief.aspect.clone(),
            feeling: feeling_word(&tally).to_owned(),
            current: sentiment(tally.current),
            settled: sentiment(tally.settled),
            weight: tally.weight,
            entropy: tally.current.entropy(),
            observations: tally.count,
            shift: tally.shift(),
            last_ms: belief.last_ms(),
            history: history.collect(),
        }
    }
}

fn sentiment(of: Sentiment) -> weir_api::Sentiment {
    weir_api::Sentiment {
        positive: of.positive,
        negative: of.negative,
        neutral: of.neutral,
    }
}

fn doubt(doubt: Doubt) -> weir_api::Doubt {
    match doubt {
        Doubt::Hypothetical => weir_api::Doubt::Hypothetical,
        Doubt::Reported => weir_api::Doubt::Reported,
        Doubt::Sarcasm => weir_api::Doubt::Sarcasm,
        Doubt::Past => weir_api::Doubt::Past,
        Doubt::Question => weir_api::Doubt::Question,
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
