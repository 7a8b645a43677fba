//! `weir-bench paper`: the tables of the papers on today's engine, in one document.
//!
//! Each table is a run of its own in the output folder and goes on where it was stopped. What
//! cannot be had (a corpus, a generator) is named in the document, with what fills it; a column
//! that nothing measures is empty. Every method reads the same streams with the same encoder,
//! context and, where one is given, the same reader, so that memory alone differs.

mod document;
mod tables;

use crate::convert::{self, Format};
use crate::method::registry;
use crate::options::{EncoderArgs, LocalModelArgs, ServerModelArgs, optional};
use crate::reader::{self, Read};
use crate::run::{self, Summary};
use anyhow::{Result, ensure};
use document::Document;
use std::io::Write;
use std::path::{Path, PathBuf};
use tables::{TABLES, Table};
use weir_models::Generate;

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

/// What a table measured.
struct Measured {
    /// Means by method, budget, corpus and kind of question.
    rows: Vec<Summary>,
    /// What the reader answered from each method's contexts, if one was given.
    read: Vec<Read>,
}

/// Makes the tables and writes the document.
pub(crate) fn run(args: &PaperArgs) -> Result<()> {
    let streams = corpora(args)?;
    let mut model = optional(&args.local, &args.server)?;
    let mut document = Document::new(&args.data, &streams.missing);
    for table in TABLES {
        let wanted = args.only.is_empty() || args.only.iter().any(|name| name == table.name);
        let folder = args.out.join(table.name);
        if !wanted && !folder.join("summary.jsonl").exists() {
            document.absent(table);
            continue;
        }
        writeln!(std::io::stderr(), "{}", table.title)?;
        let reader = model.as_deref_mut().filter(|_| table.is_read);
        let measured = measure(args, table, &streams.folders, &folder, reader)?;
        document.add(table, &measured);
    }
    document.write(&args.document)?;
    let done = args.document.display();
    writeln!(std::io::stderr(), "done; see {done}")?;
    Ok(())
}

fn measure(
    args: &PaperArgs,
    table: &Table,
    streams: &[PathBuf],
    folder: &Path,
    reader: Option<&mut (dyn Generate + 'static)>,
) -> Result<Measured> {
    let methods: Vec<String> = table.methods.iter().map(|it| (*it).to_owned()).collect();
    let budgets: Result<Vec<_>> = table.budgets.iter().map(|it| it.parse()).collect();
    let plan = run::Wanted {
        streams,
        methods: registry::named(&methods)?,
        budgets: budgets?,
        encoder: args.encoder.remembered()?,
        threads: args.threads,
        keep_contexts: table.is_read,
        out: folder,
    };
    let rows = run::measure(plan)?;
    let read = match reader {
        None => Vec::new(),
        Some(model) => {
            let wanted = reader::Wanted {
                streams,
                results: folder,
                questions: args.questions,
                adversarial: args.adversarial,
                out: &folder.join("read"),
            };
            reader::measure(&wanted, model)?
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
        folders: Vec::new(),
        missing: Vec::new(),
    };
    for (name, format, file) in CORPORA {
        let input = args.data.join(file);
        if !input.exists() {
            found.missing.push(file);
            continue;
        }
        let folder = args.out.join("streams").join(name);
        if !folder.exists() {
            convert::corpus(format, &input, &folder, Some(args.streams))?;
        }
        found.folders.push(folder);
    }
    ensure!(
        !found.folders.is_empty(),
        "{}: none of {} is there; each corpus's own file or folder is enough",
        args.data.display(),
        CORPORA.map(|it| it.2).join(", ")
    );
    Ok(found)
}
