//! Plants facts in dialogue and asks about them, in all seven kinds of question.
//!
//! A small world generates the facts. Every answer is computed from it, and its evidence is the
//! turns that state it. Output is byte-identical for a seed.

mod ask;
mod chatter;
mod world;

use crate::convert::draft::{Draft, Said, Step};
use crate::convert::{Place, write};
use crate::stream::Stream;
use anyhow::{Context, Result, ensure};
use std::collections::HashSet;
use std::path::PathBuf;
use weir_fixtures::Rng;
use world::{World, shuffle};

/// Sittings of a stream, a week apart.
const SITTINGS: usize = 6;
const WEEK_MS: i64 = 7 * 86_400_000;
/// Monday 6 January 2025, 18:00 UTC: after all events of the world.
const STARTED_AT_UNIX_MS: i64 = 1_736_186_400_000;

/// The command line of `plant`.
#[derive(clap::Args)]
pub(crate) struct PlantArgs {
    /// Output folder for planted-SEED-N.stream.jsonl
    #[arg(long)]
    out: PathBuf,
    /// Seed of the worlds and of the dialogue; streams of one seed differ
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of streams, 1 to 10000
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    streams: u32,
    /// Turns of each stream, facts included, 120 to 200000
    #[arg(long, default_value_t = 400, value_parser = turns)]
    turns: u32,
    /// A stream file whose turns are repeated as small talk [default: generated small talk]
    #[arg(long)]
    talk: Option<PathBuf>,
    /// Position of questions; those without evidence come at the end
    #[arg(long, default_value = "end")]
    place: Place,
}

fn turns(text: &str) -> Result<u32> {
    let turns = text.parse()?;
    ensure!((120..=200_000).contains(&turns), "expected 120 to 200000");
    Ok(turns)
}

/// Writes streams with planted facts.
///
/// # Errors
/// The dialogue cannot be read or uses too many names of the world, or a folder cannot be written.
pub(crate) fn run(args: &PlantArgs) -> Result<()> {
    let talk = match &args.talk {
        Some(path) => spoken(&Stream::read(path)?),
        None => Vec::new(),
    };
    ensure!(
        args.talk.is_none() || !talk.is_empty(),
        "the talk has no turn with a word; give a stream of text"
    );
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("{} cannot be made", args.out.display()))?;
    for n in 0..args.streams {
        write(
            draft(args.seed, n, args.turns as usize, &talk)?,
            args.place,
            &args.out,
        )?;
    }
    Ok(())
}

/// Speakers and texts of the turns with words.
fn spoken(stream: &Stream) -> Vec<(Option<String>, String)> {
    let turns = stream
        .turns()
        .filter(|turn| turn.text.contains(char::is_alphanumeric));
    turns
        .map(|turn| (turn.speaker.clone(), turn.text.clone()))
        .collect()
}

/// One stream: the facts of a world at random positions in the dialogue.
fn draft(seed: u64, number: u32, turns: usize, talk: &[(Option<String>, String)]) -> Result<Draft> {
    // one random generator per stream, so that more streams do not change the first ones
    let mut rng = Rng::new(
        seed.wrapping_mul(0x9E37_79B9)
            .wrapping_add(u64::from(number)),
    );
    let names = talk.iter().filter_map(|(speaker, _)| speaker.as_deref());
    let used: HashSet<String> = names
        .chain(talk.iter().map(|(_, text)| text.as_str()))
        .flat_map(|text| text.split(|c: char| !c.is_alphanumeric()))
        .map(str::to_lowercase)
        .collect();
    let mut world = World::make(&mut rng, &used)?;
    let mut places: Vec<usize> = (0..turns).collect();
    shuffle(&mut places, &mut rng);
    places.truncate(world.facts.len());
    places.sort_unstable();
    for (fact, place) in world.facts.iter_mut().zip(&places) {
        fact.id = id(*place);
    }
    let mut facts = world.facts.iter().zip(&places).peekable();
    let (mut steps, sitting) = (Vec::new(), turns.div_ceil(SITTINGS));
    let mut next_said = rng.below(talk.len().max(1));
    for at in 0..turns {
        if at > 0 && at.is_multiple_of(sitting) {
            let weeks = (at / sitting) as i64;
            steps.push(Step::Break {
                started_at_unix_ms: Some(STARTED_AT_UNIX_MS + weeks * WEEK_MS),
            });
        }
        let (speaker, text) = match facts.next_if(|(_, place)| **place == at) {
            Some((fact, _)) => {
                let speaker = world.people[fact.speaker];
                (Some(speaker.to_owned()), fact.text.clone())
            }
            None if talk.is_empty() => {
                let speaker = *rng.pick(&world.people);
                (Some(speaker.to_owned()), chatter::sentence(&mut rng))
            }
            None => {
                next_said += 1;
                talk[(next_said - 1) % talk.len()].clone()
            }
        };
        steps.push(Step::Turn(Said {
            id: id(at),
            speaker,
            text,
            span: None,
        }));
    }
    Ok(Draft {
        name: format!("planted-{seed}-{number}"),
        started_at_unix_ms: Some(STARTED_AT_UNIX_MS),
        steps,
        asked: ask::questions(&world, &mut rng),
    })
}

fn id(turn: usize) -> String {
    format!("t{turn}")
}

#[cfg(test)]
mod tests;
