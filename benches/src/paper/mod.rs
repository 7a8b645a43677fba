//! `weir-bench paper`: the tables of the papers on today's engine, in one document.
//!
//! Each table is a run of its own in the output folder and goes on where it was stopped. What
//! cannot be had (a corpus, a generator) is named in the document, with what fills it; a column
//! that nothing measures is empty. Every method reads the same streams with the same encoder,
//! context and, where one is given, the same reader, so that memory alone differs.

mod document;
mod tables;

use crate::beliefs;
use crate::convert::{self, Format};
use crate::files::{name, write_whole};
use crate::method::registry;
use crate::options::{EncoderArgs, LocalModelArgs, ServerModelArgs, optional};
use crate::process::built_from;
use crate::reader;
use crate::run::{self, Summary};
use anyhow::{Result, ensure};
use document::{Made, Measured};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tables::{Of, TABLES, Table};
use weir_models::{Encode, Generate};

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
    /// Questions of each table that the reader answers, spread over streams and kinds
    #[arg(long, default_value_t = 60)]
    questions: usize,
    /// Unanswerable questions that it answers, in addition
    #[arg(long, default_value_t = 20)]
    adversarial: usize,
    /// Streams processed in parallel [default: number of processors]
    #[arg(long)]
    threads: Option<usize>,
    #[command(flatten)]
    local: LocalModelArgs,
    #[command(flatten)]
    server: ServerModelArgs,
}

/// Makes the tables and writes the document. A table's section stays in its folder, with the commit
/// that made it, until the table is made again.
pub(crate) fn run(args: &PaperArgs) -> Result<()> {
    let corpora = corpora(args)?;
    let encoder = args.encoder.remembered()?;
    let also: String = args
        .also
        .iter()
        .map(|it| format!(" --also {}", name(it)))
        .collect();
    let encoders: Vec<String> = args.encoders.iter().map(|it| name(it)).collect();
    let made = Made {
        encoder: &args.encoder.name(),
        encoders: &encoders.join(","),
        missing: &corpora.missing,
        streams: args.streams,
        also: &also,
    };
    let mut model = optional(&args.local, &args.server)?;
    let mut sections = Vec::new();
    for table in TABLES {
        let file = args.out.join(format!("{}.md", table.name));
        if !args.only.is_empty() && args.only.iter().all(|name| name != table.name) {
            let known = std::fs::read_to_string(&file);
            sections.push(known.unwrap_or_else(|_| document::absent(table)));
            continue;
        }
        writeln!(std::io::stderr(), "{}", table.title)?;
        let reader = model.as_deref_mut().filter(|_| table.is_read);
        let streams = match table.made_of {
            Of::Apart | Of::Encoders if !args.also.is_empty() => &args.also,
            _ => &corpora.folders,
        };
        // results of another build are not gone on with
        let folder = args.out.join(table.name);
        let folder = folder.join(built_from());
        let encoder = || Arc::clone(&encoder);
        let body = match table.made_of {
            Of::Beliefs => beliefs::tables(&encoder())?,
            Of::Encoders => document::body(table, &with_encoders(args, table, streams, &folder)?),
            Of::All | Of::Apart => {
                let measured = measure(args, table, (streams, encoder()), &folder, reader)?;
                document::body(table, &measured)
            }
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

/// The rows of a table with each encoder, which stands beside the method's name.
fn with_encoders(
    args: &PaperArgs,
    table: &Table,
    streams: &[PathBuf],
    folder: &Path,
) -> Result<Measured> {
    let mut rows = Vec::new();
    for encoder in &args.encoders {
        let encoder = EncoderArgs {
            encoder: encoder.clone(),
        };
        let name = encoder.name();
        let input = (streams, encoder.remembered()?);
        let measured = measure(args, table, input, &folder.join(&name), None)?;
        rows.extend(measured.rows.into_iter().map(|row| Summary {
            method: format!("{}, {name}", row.method),
            ..row
        }));
    }
    // the rows of a corpus stand together
    rows.sort_by(|a, b| a.corpus.cmp(&b.corpus));
    let read = Vec::new();
    Ok(Measured { rows, read })
}

fn measure(
    args: &PaperArgs,
    table: &Table,
    (streams, encoder): (&[PathBuf], Arc<dyn Encode>),
    folder: &Path,
    reader: Option<&mut (dyn Generate + 'static)>,
) -> Result<Measured> {
    let methods: Vec<String> = table.methods.iter().map(|it| (*it).to_owned()).collect();
    let budgets: Result<Vec<_>> = table.budgets.iter().map(|it| it.parse()).collect();
    let all = run::Plan::of(run::read_streams(streams)?, encoder, folder.to_owned());
    let rows = run::measure(&run::Plan {
        methods: registry::named(&methods)?,
        budgets: budgets?,
        threads: args.threads.unwrap_or(all.threads),
        keep_contexts: table.is_read,
        ..all
    })?;
    let read = match reader {
        None => Vec::new(),
        Some(model) => {
            let results = [folder.display().to_string()];
            let plan = reader::Plan {
                questions: args.questions,
                adversarial: args.adversarial,
                ..reader::Plan::of(streams, &results, folder.join("read"))?
            };
            reader::read(&plan, model)?.1
        }
    };
    Ok(Measured { rows, read })
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
