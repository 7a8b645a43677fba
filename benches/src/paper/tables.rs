//! The tables: what each one measures, and what the paper says.

use clap::builder::PossibleValuesParser;

/// A table of a paper.
pub(super) struct Table {
    /// Its name for `--only`, and of its folder.
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    /// What the paper does, and with which result.
    pub(super) paper: &'static str,
    /// What is done here.
    pub(super) here: &'static str,
    /// Why the figures differ.
    pub(super) why: &'static str,
    /// What was tuned on the data of the table.
    pub(super) tuned: &'static str,
    pub(super) methods: &'static [&'static str],
    pub(super) budgets: &'static [&'static str],
    /// Whether a reader answers from the contexts.
    pub(super) is_read: bool,
    pub(super) made_of: Of,
}

impl Table {
    /// What was tuned on its streams: without `--also` those of the corpora.
    pub(super) fn tuned(&self, is_apart: bool) -> &'static str {
        match self.made_of {
            Of::Apart | Of::Encoders if !is_apart => TUNED,
            _ => self.tuned,
        }
    }
}

/// What a table is made of.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Of {
    /// All streams.
    All,
    /// Streams of `--also` alone, where there are any: nothing was trained on them.
    Apart,
    /// The same with each encoder of `--encoders`.
    Encoders,
    /// Remarks of the table's own.
    Beliefs,
}

const TUNED: &str = "LoCoMo's five dialogues, FriendsQA's episodes and 40 of QMSum's meetings \
    trained Weir's salience, by which it forgets; the first two trained its ranker of answers. So \
    Weir's rows are of talk that its weights have seen; planted facts trained nothing. No baseline \
    was trained on any of it, or has a setting that was chosen here.";

const PLANTED: &str = "Planted facts (`scripts/stem`) trained no weight and no setting; opinions, \
    facts and names were learned from planted talk of other sentences \
    (`scripts/language/planted.py`), and the talk around the facts is of corpora that trained \
    salience and the ranker.";

/// All tables, in the order of the document.
pub(super) const TABLES: &[Table] = &[
    Table {
        name: "table-2",
        title: "ProStream, table 2: Weir beside other memories",
        paper: "Ten baselines and ProStream on three television series of STEM-Bench, heard as \
            sound; a Qwen model answers. ProStream has B-4 0.099 to 0.118, R-L 0.360 to 0.408, \
            Evid. 0.485 to 0.491, KEM 0.588 to 0.626 and 0.316 to 0.408 s an answer; RAG 0.061 to \
            0.074, 0.231 to 0.271, 0.322 to 0.355, 0.502 to 0.524 and 0.918 to 0.957 s.",
        here: "The same methods and plain retrieval, on text. Every method has the same encoder \
            and a context of 1,300 tokens (full context has all). Weir forgets at 8,192 tokens, \
            as weir and weir-paper, or has a transcript beside that; the baselines keep \
            everything, but for the last four turns (buffer-4) and a summary beside the last \
            1,024 tokens (rolling-summary). Where a baseline asks a language model for a summary \
            or entities, central sentences and key phrases are taken (each file in `src/method` \
            says what is left out). Fact recall is the share of gold turns whose fact stands on a \
            line of the context, without adversarial questions; HFP are questions of one \
            utterance and unanswerable ones, SLR those of several, DGA those of time and \
            counting.",
        why: "Other data (STEM-Bench is not public), text instead of sound, a smaller reader, and \
            baselines without a language model in memory. Cosines of word vectors seldom reach \
            the paper's floor of 0.5, so weir-paper shows next to nothing with them: it needs a \
            sentence encoder. Times are of memory alone, without the encoder and the reader.",
        tuned: TUNED,
        methods: &[
            "weir-transcript", "weir", "weir-paper", "rag-dense", "rag-bm25", "rag-rrf", "rq-rag",
            "raptor", "full-context", "rolling-summary", "graphrag", "hipporag2", "memorag",
            "a-mem", "memgas", "buffer-4",
        ],
        budgets: &["own"],
        is_read: true,
        made_of: Of::All,
    },
    Table {
        name: "ablations",
        title: "ProStream, table 2 below: Weir without its parts",
        paper: "Without the sensing buffer B-4 falls from 0.118 to 0.049, without the tree to \
            0.116, without the pending buffer to 0.115 (the first series).",
        here: "The same three, and Weir's own parts, at 8,192 tokens. What waits for a distiller \
            is taken away where the distiller is three blocks behind (weir-lag).",
        why: "The paper's buffer holds most of what its questions ask for; here most evidence is \
            far from its question, so that the tree has nearly all of it.",
        tuned: PLANTED,
        methods: &["variants"],
        budgets: &["own"],
        is_read: false,
        made_of: Of::Apart,
    },
    Table {
        name: "table-3",
        title: "ProStream, table 3: sentence encoders",
        paper: "ProStream's R-L on the three series is 0.383, 0.354, 0.407 with BGE-M3, 0.386, \
            0.357, 0.413 with UAE-Large and 0.390, 0.360, 0.408 with ms-marco-MiniLM; that of RAG \
            0.301, 0.296, 0.339, then 0.296, 0.296, 0.337 and 0.240, 0.237, 0.269.",
        here: "Weir with word vectors, with the built-in SPLADE-tiny, and with the encoders whose \
            folders are given; beside them retrieval by vectors alone and by both.",
        why: "Fact recall of a context instead of R-L of an answer, other encoders and other \
            streams. A planted question repeats the words of its fact, which favours words.",
        tuned: PLANTED,
        methods: &["weir-transcript", "weir", "rag-dense", "rag-rrf"],
        budgets: &["own"],
        is_read: false,
        made_of: Of::Encoders,
    },
    Table {
        name: "retention",
        title: "Bounded retention, as EMBER measures it (arXiv 2606.05894)",
        paper: "A memory of a fixed size reads a stream once and does not know the later \
            questions. With 8,192 retained tokens of LongMemEval EMBER's answers have an F1 of \
            0.302 (a trained writer of 14B), those of the next method 0.177.",
        here: "What every method holds of the gold turns at the end (retained), and what of their \
            facts stands in the context of a question (fact recall), at 2,000, 4,000 and 8,192 \
            tokens of all text held.",
        why: "EMBER's figure is the F1 of a reader's answers on its own streams; no reader is run \
            here yet, so nothing stands beside it. A baseline forgets the oldest turns, or where \
            its name says so: at random, as reservoir sampling, or by the salience of Weir's.",
        tuned: TUNED,
        methods: &[
            "weir", "weir-paper", "rag-rrf", "rag-rrf-random", "rag-rrf-reservoir",
            "rag-rrf-salience", "rolling-summary", "last-turns",
        ],
        budgets: &["2000", "4000", "8192"],
        is_read: false,
        made_of: Of::All,
    },
    Table {
        name: "beliefs",
        title: "DAM-LLM: memory growth (4.4.1), and one opinion (4.3.3)",
        paper: "Five rounds of 500 random remarks that a language model wrote are compressed by \
            63.7 to 70.6 %, to 130 to 140 units. After thirty remarks on coffee its taste has a \
            positive confidence of 0.86 and a weight of 22.4; two remarks on packaging stay apart.",
        here: "The same numbers of remarks, heard and distilled by the memory as it ships. Random \
            remarks are made of 25 things, 6 sides and 18 feelings; what is compressed is the \
            opinions that were read in them. The thirty on coffee were written before the first \
            run.",
        why: "A trained head reads opinions where the paper asks a language model; it finds some \
            280 of 500 remarks and leaves out the others, which the compression does not count. \
            It files taste under coffee as a whole, so remarks on coffee of all kinds meet there.",
        tuned: "Nothing. The head was trained on planted remarks of other sentences \
            (`scripts/language`).",
        methods: &[],
        budgets: &[],
        is_read: false,
        made_of: Of::Beliefs,
    },
];

/// The names, for `--only`.
pub(super) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(TABLES.iter().map(|table| table.name))
}
