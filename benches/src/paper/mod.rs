//! `weir-bench paper`: the tables of the papers on today's engine, in one document.
//!
//! Each table is a run of its own in the output folder and goes on where it was stopped. What
//! cannot be had (a corpus, a generator) is named in the document, with what fills it; a column
//! that nothing measures is empty. Every method reads the same streams with the same encoder,
//! context and, where one is given, the same reader, so that memory alone differs.

mod document;
mod errors;
mod tables;

use crate::convert::{self, Format};
use crate::files::{digest, name, write_whole};
use crate::method::registry;
use crate::options::{EncoderArgs, Model, ServerModelArgs};
use crate::process::built_from;
use crate::reader::{self, MeasureArgs};
use crate::replies::Replies;
use crate::run::{self, Summary};
use crate::stream::Stream;
use anyhow::{Context, Result, ensure};
use document::Made;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tables::{Of, TABLES, Table};
use weir_models::{Encode, Generator, GeneratorOptions};

/// Folder, format and file of the corpora below `--data`.
const CORPORA: [(&str, Format, &str); 3] = [
    ("locomo", Format::Locomo, "locomo/locomo_dev.json"),
    (
        "friendsqa",
        Format::Friendsqa,
        "friendsqa/friendsqa_dev.json",
    ),
    ("qmsum", Format::Qmsum, "qmsum/train"),
];

/// Time of one method on one stream where a model writes.
const WRITTEN_LIMIT: Duration = Duration::from_secs(12 * 60 * 60);

/// Options of `paper`.
#[derive(clap::Args)]
pub(crate) struct PaperArgs {
    /// Folder with the corpora: locomo/locomo_dev.json, friendsqa/friendsqa_dev.json, qmsum/train
    #[arg(long)]
    data: PathBuf,
    /// Folders of stream files that are measured beside the corpora, each under its own name
    #[arg(long, value_name = "DIR", num_args = 1..)]
    also: Vec<PathBuf>,
    /// Folder for streams and results; what is there is not made again
    #[arg(long, default_value = "paper")]
    out: PathBuf,
    /// The document
    #[arg(long, default_value = "benches/PAPERS.md")]
    document: PathBuf,
    /// Make these tables alone; the others are taken from the folder where they are there
    #[arg(long, value_delimiter = ',', value_name = "TABLE", value_parser = tables::names())]
    only: Vec<String>,
    #[command(flatten)]
    encoder: EncoderArgs,
    /// Encoders of table 3, as for --encoder
    #[arg(long, value_delimiter = ',', default_value = "words,splade-tiny")]
    encoders: Vec<PathBuf>,
    /// Maximum number of streams of a corpus, evenly spread over it
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    streams: u32,
    /// Models that answer from the contexts: .gguf files or folders, one after another; with
    /// --endpoint also that of a server
    #[arg(long, value_delimiter = ',', value_name = "PATH")]
    readers: Vec<PathBuf>,
    /// Tokens of the contexts that they read
    #[arg(long, default_value_t = 400)]
    read_tokens: usize,
    /// Questions that a reader answers, spread over streams and kinds
    #[arg(long, default_value_t = 60)]
    questions: usize,
    /// Unanswerable questions that it answers, in addition
    #[arg(long, default_value_t = 20)]
    adversarial: usize,
    #[command(flatten)]
    measures: MeasureArgs,
    /// Model that writes for the methods of table `written`: a .gguf file or a folder
    #[arg(long, value_name = "PATH")]
    writer: Option<PathBuf>,
    /// Streams processed in parallel [default: number of processors]
    #[arg(long)]
    threads: Option<usize>,
    #[command(flatten)]
    server: ServerModelArgs,
}

/// Makes the tables and writes the document. A table's section stays in its folder, with the commit
/// that made it, until the table is made again.
pub(crate) fn run(args: &PaperArgs) -> Result<()> {
    let corpora = corpora(args)?;
    let encoder = args.encoder.remembered()?;
    let also = args.also.iter().map(|it| format!(" --also {}", name(it)));
    let encoders: Vec<String> = args.encoders.iter().map(|it| name(it)).collect();
    let made = Made {
        encoder: &args.encoder.name(),
        encoders: &encoders.join(","),
        missing: &corpora.missing,
        streams: args.streams,
        also: &also.collect::<String>(),
        read: &reading(args),
        writer: args.writer.as_deref().map(name),
    };
    std::fs::create_dir_all(&args.out).with_context(|| args.out.display().to_string())?;
    let writer = writer(args)?;
    let mut sections = Vec::new();
    for table in TABLES {
        let file = args.out.join(format!("{}.md", table.name));
        if !args.only.is_empty() && args.only.iter().all(|name| name != table.name) {
            let known = std::fs::read_to_string(&file);
            sections.push(known.unwrap_or_else(|_| document::absent(table)));
            continue;
        }
        writeln!(std::io::stderr(), "{}", table.title)?;
        let streams = match table.made_of {
            Of::Apart | Of::Encoders | Of::Written if !args.also.is_empty() => &args.also,
            _ => &corpora.folders,
        };
        let making = Making {
            args,
            table,
            streams,
            encoder: Arc::clone(&encoder),
            writer: writer.clone().filter(|_| table.is_written()),
            // results of another build, or with other settings, are not gone on with
            folder: args.out.join(table.name).join(settings(args, table, &made)),
        };
        let body = match table.made_of {
            Of::Own(make) => make(&args.data, &encoder)?,
            Of::Encoders => document::body(&making.with_encoders()?),
            Of::All | Of::Apart => document::body(&run::measure(&making.plan()?)?),
            Of::Written if args.writer.is_none() => document::unwritten(),
            Of::Written => document::written(&run::measure(&making.plan()?)?),
            Of::Answers => making.answers()?,
            Of::Read => making.read()?,
        };
        let section = document::section(table, &body, &made);
        write_whole(&file, |out| Ok(out.write_all(section.as_bytes())?))?;
        sections.push(section);
    }
    document::write(&sections, &args.document)?;
    let done = args.document.display();
    writeln!(std::io::stderr(), "done; see {done}")?;
    Ok(())
}

/// The model that writes, if one is given; its replies are kept.
fn writer(args: &PaperArgs) -> Result<Option<Model>> {
    let Some(path) = &args.writer else {
        return Ok(None);
    };
    let replies = Replies::open(&args.out.join("writer.jsonl"))?;
    Ok(Some(Model::new(Box::new(loaded(path)?), Some(replies))))
}

/// A name for the build and what else decides results.
fn settings(args: &PaperArgs, table: &Table, made: &Made<'_>) -> String {
    let writer = made.writer.as_ref().filter(|_| table.is_written());
    let decides = (
        made.encoder, made.streams, made.also, args.read_tokens, writer,
    );
    let decides = digest(format!("{decides:?}").as_bytes());
    format!("{}-{decides}", built_from())
}

/// The options of a reading.
fn reading(args: &PaperArgs) -> String {
    let (questions, adversarial) = (args.questions, args.adversarial);
    let readers = args.readers.iter();
    let readers: String = readers
        .map(|it| format!(" --readers {}", name(it)))
        .collect();
    let tokens = format!(" --read-tokens {}", args.read_tokens);
    let asked = format!(" --questions {questions} --adversarial {adversarial}");
    tokens + &asked + &readers + &args.server.told() + &args.measures.told()
}

/// A table that is made.
struct Making<'a> {
    args: &'a PaperArgs,
    table: &'a Table,
    streams: &'a [PathBuf],
    encoder: Arc<dyn Encode>,
    writer: Option<Model>,
    folder: PathBuf,
}

impl Making<'_> {
    /// Its run.
    fn plan(&self) -> Result<run::Plan> {
        let (args, table) = (self.args, self.table);
        let methods: Vec<String> = table.methods.iter().map(|it| (*it).to_owned()).collect();
        let budgets: Result<Vec<_>> = table.budgets.iter().map(|it| it.parse()).collect();
        let (streams, encoder) = (run::read_streams(self.streams)?, Arc::clone(&self.encoder));
        let all = run::Plan::of(streams, encoder, self.folder.clone());
        Ok(run::Plan {
            methods: registry::named(&methods)?,
            budgets: budgets?,
            writer: self.writer.clone(),
            threads: args.threads.unwrap_or(all.threads),
            time_limit: self
                .writer
                .as_ref()
                .map_or(all.time_limit, |_| WRITTEN_LIMIT),
            ..all
        })
    }

    /// The rows with each encoder, which stands beside the method's name.
    fn with_encoders(&self) -> Result<Vec<Summary>> {
        let mut rows = Vec::new();
        for encoder in &self.args.encoders {
            let encoder = EncoderArgs {
                encoder: encoder.clone(),
            };
            let name = encoder.name();
            let measured = run::measure(&run::Plan {
                encoder: encoder.remembered()?,
                out: self.folder.join(&name),
                ..self.plan()?
            })?;
            rows.extend(measured.into_iter().map(|row| Summary {
                method: format!("{}, {name}", row.method),
                ..row
            }));
        }
        // the rows of a corpus stand together
        rows.sort_by(|a, b| a.corpus.cmp(&b.corpus));
        Ok(rows)
    }

    /// Where the engine's own answers go wrong, and one case of streams that may be quoted.
    fn answers(&self) -> Result<String> {
        let jobs = run::jobs(&self.plan()?)?;
        let quoted = run::read_streams(&self.args.also)?;
        let quoted: Vec<Stream> = quoted.into_iter().map(|(stream, _)| stream).collect();
        let case = errors::case(&quoted, &jobs, errors::METHODS);
        Ok(errors::outcomes(&jobs) + &case)
    }

    /// What each reader answers from each memory's contexts. Answers are kept outside the build's
    /// folder: the same prompt has the same answer.
    fn read(&self) -> Result<String> {
        let args = self.args;
        let server = args.server.open()?;
        if args.readers.is_empty() && server.is_none() {
            return Ok(document::unread());
        }
        run::measure(&run::Plan {
            context_tokens: args.read_tokens,
            keep_contexts: true,
            ..self.plan()?
        })?;
        let results = [self.folder.display().to_string()];
        let answers = args.out.join(self.table.name).join("answers");
        let plan = reader::Plan {
            questions: args.questions,
            adversarial: args.adversarial,
            measures: args.measures.open(&args.server)?,
            ..reader::Plan::of(self.streams, &results, answers)?
        };
        let mut text = String::new();
        for path in &args.readers {
            text += &document::answered(&reader::read(&plan, &mut loaded(path)?)?);
        }
        if let Some(mut server) = server {
            text += &document::answered(&reader::read(&plan, &mut *server)?);
        }
        Ok(text)
    }
}

fn loaded(path: &Path) -> Result<Generator> {
    Ok(Generator::load(path, GeneratorOptions::default())?)
}

/// The streams of the corpora that are there.
struct Corpora {
    folders: Vec<PathBuf>,
    /// Files that are not there.
    missing: Vec<&'static str>,
}

fn corpora(args: &PaperArgs) -> Result<Corpora> {
    let mut found = Corpora {
        folders: args.also.clone(),
        missing: Vec::new(),
    };
    for (name, format, file) in CORPORA {
        let input = args.data.join(file);
        if !input.exists() {
            found.missing.push(file);
            continue;
        }
        let folder = args.out.join(format!("streams-{}", args.streams));
        let folder = folder.join(name);
        if !folder.exists() {
            // a folder that is there is whole
            let begun = folder.with_extension("begun");
            convert::corpus(format, &input, &begun, Some(args.streams))?;
            std::fs::rename(&begun, &folder)?;
        }
        found.folders.push(folder);
    }
    ensure!(
        !found.folders.is_empty(),
        "{}: none of {} is there; each corpus's own file or folder is enough, or --also DIR",
        args.data.display(),
        CORPORA.map(|it| it.2).join(", ")
    );
    Ok(found)
}
