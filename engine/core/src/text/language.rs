//! Which language a text is in, as far as memory needs to know: rules for English must leave other
//! talk alone.
//!
//! The script decides where it is not Latin; then `whichlang`, a small classifier. It was trained
//! on 16 languages and always names one, so what it says counts only if the words bear it out.

use super::script::{is_latin, is_latin_letter, is_unspaced, tells_alone, without_particle};
use super::words::{display_words, hash, searched_words, stem, terms};
use crate::analysis::Term;
use rust_stemmers::{Algorithm, Stemmer};

/// Bytes of a text that are read.
const READ_MAX: usize = 1_024;
/// An English text of fewer words may be anything: "Ben!"
const ENGLISH_WORDS_MIN: usize = 3;
/// Words that must speak for another language: common ones of that language, or with a letter that
/// English lacks.
const EVIDENCE_MIN: usize = 2;
/// A text of so many words, of which fewer than one in so many is common in English, is not
/// English: it may be in a language that the classifier does not know.
const STRANGE_WORDS_MIN: usize = 4;
const STRANGE_SHARE: usize = 4;

/// Languages in Latin letters with a stemmer of their own, by the codes of [`Language`].
const STEMMED: [(&str, Algorithm); 8] = [
    ("de", Algorithm::German),
    ("es", Algorithm::Spanish),
    ("fr", Algorithm::French),
    ("it", Algorithm::Italian),
    ("nl", Algorithm::Dutch),
    ("pt", Algorithm::Portuguese),
    ("sv", Algorithm::Swedish),
    ("tr", Algorithm::Turkish),
];

/// Maximum letters of a German stem whose final "t" is no ending: "Welt".
const GERMAN_STEM_MIN: usize = 4;
/// Maximum letters of a word that an apostrophe joins to the next one: "j'habite", "qu'il".
const ELIDED_MAX: usize = 2;

/// Words of the first person, by the codes of [`Language`]; of Japanese and Chinese their signs.
const FIRST_PERSON: [(&str, &str); 12] = [
    (
        "de",
        "ich mich mir mein meine meinen meinem meiner meines wir uns unser unsere unseren",
    ),
    (
        "es",
        "yo me mí mi mis mío mía míos mías nosotros nosotras nos nuestro nuestra nuestros",
    ),
    ("fr", "je j me m moi mon ma mes nous notre nos"),
    ("hi", "मैं मैंने मुझे मुझको मेरा मेरी मेरे हम हमने हमें हमारा हमारी हमारे"),
    (
        "it",
        "io mi me mio mia miei mie noi ci nostro nostra nostri nostre",
    ),
    ("ja", "私 僕 俺 わたし ぼく おれ うち"),
    ("ko", "저 제 나 내 우리 저희"),
    ("nl", "ik mij me mijn wij we ons onze"),
    (
        "pt",
        "eu me mim meu minha meus minhas nós nos nosso nossa nossos nossas",
    ),
    (
        "ru",
        "я меня мне мной мой моя моё мое мои моего моей моих моему мою мы нас нам наш наша наши",
    ),
    ("sv", "jag mig min mitt mina vi oss vår vårt våra"),
    ("zh", "我"),
];

/// Words that ask, by the codes of [`Language`]: the lists of common words lack many of them.
const ASKING: [(&str, &str); 13] = [
    (
        "de",
        "wer wen wem wessen wann wo wohin woher warum wieso weshalb wozu womit wovon woran worauf \
         worüber wofür wogegen wie viel viele welche welcher welches welchen welchem",
    ),
    (
        "es",
        "qué quién quiénes cuándo dónde adónde cómo cuál cuáles cuánto cuánta cuántos cuántas",
    ),
    (
        "fr",
        "qui que quoi quand où comment pourquoi combien quel quelle quels quelles",
    ),
    (
        "hi",
        "कौन किसने किसका किसकी क्या कब कहाँ क्यों कैसे कितना कितने कितनी",
    ),
    (
        "it",
        "chi che cosa quando dove come perché quanto quanta quanti quante quale quali",
    ),
    (
        "ja",
        "誰 だれ いつ どこ なぜ どうして どう 何 なに いくら いくつ どれ どの さん",
    ),
    ("ko", "누구 누가 언제 어디 왜 어떻게 얼마 무엇 뭐 몇"),
    ("nl", "wie wat wanneer waar waarom hoe hoeveel welke welk"),
    (
        "pt",
        "quem que quê quando onde como porquê qual quais quanto quanta quantos quantas",
    ),
    (
        "ru",
        "кто кого кому кем ком что чего чему чем когда где куда откуда почему зачем как сколько \
         какой какая какое какие какого какую каким чей чья чьё чьи",
    ),
    (
        "sv",
        "vem vems vad när var vart varför hur vilken vilket vilka",
    ),
    (
        "tr",
        "kim ne nerede nereye nereden neden niçin nasıl kaç hangi",
    ),
    ("zh", "谁 什么 哪里 哪儿 何时 为什么 怎么 多少 几"),
];

/// A word that a question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AskedTerm {
    /// Its search term.
    pub(crate) term: Term,
    /// Whether it tells what is asked.
    pub(crate) tells: bool,
    /// Terms of other forms of it: see [`forms`].
    pub(crate) forms: Vec<Term>,
}

impl AskedTerm {
    fn of(word: &str, tells: bool) -> Self {
        Self {
            term: hash(&stem(word)),
            tells,
            forms: forms(word),
        }
    }
}

/// The language of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// English, or undecided: the rules for English apply.
    English,
    /// Another one, by the code of its list of common words.
    Other(&'static str),
}

impl Language {
    /// The language of a text; `None` if it is too short to tell. Cost: some microseconds.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let text = &text[..text.floor_char_boundary(READ_MAX)];
        let letters = || text.chars().filter(|c| c.is_alphabetic());
        let latin = letters().filter(|c| is_latin_letter(*c)).count();
        let code = code(whichlang::detect_language(text));
        if letters().count() > 2 * latin {
            return Some(Self::Other(code));
        }
        let words = display_words(text).filter(|word| word.contains(char::is_alphabetic));
        let words: Vec<String> = words.map(str::to_lowercase).collect();
        if code == "en" {
            return (words.len() >= ENGLISH_WORDS_MIN).then_some(Self::English);
        }
        let common = |code| words.iter().filter(|word| is_common(code, word)).count();
        let marked = words
            .iter()
            .filter(|word| !word.is_ascii() && !word.contains('’'))
            .count();
        let (evidence, english) = (common(code) + marked, common("en"));
        let borne_out = evidence >= EVIDENCE_MIN && evidence > english;
        let strange = words.len() >= STRANGE_WORDS_MIN && STRANGE_SHARE * english < words.len();
        (borne_out || strange).then_some(Self::Other(code))
    }

    /// The search terms of a question, repeats included, and whether each tells what is asked.
    /// Words that only ask ("where", "is") are left out, unless there are no others; neither
    /// Japanese endings nor pairs of signs, which stand in no other sentence, tell anything alone.
    pub(crate) fn asked_terms(self, question: &str) -> Vec<AskedTerm> {
        let all = || searched_words(question).map(|word| AskedTerm::of(&word, true));
        let Self::Other(code) = self else {
            return all().collect();
        };
        let words = display_words(question).filter(|word| !self.only_asks(word));
        let parts: Vec<String> = words.flat_map(searched_words).collect();
        let common = parts.iter().filter(|part| is_common(code, part));
        let common: Vec<&str> = common.map(String::as_str).collect();
        // signs of a common pair too
        let left_out = |part: &str| common.iter().any(|it| it.contains(part));
        let parts = parts.iter().filter(|part| !left_out(part));
        let parts = parts.map(|part| AskedTerm::of(part, tells_alone(part)));
        let mut parts: Vec<AskedTerm> = parts.collect();
        if parts.is_empty() {
            parts = all().collect();
        }
        let none_tells = parts.iter().all(|it| !it.tells);
        parts.iter_mut().for_each(|it| it.tells |= none_tells);
        parts
    }

    /// Whether a word of a question only asks, as "where" does. In English none does: its ranker
    /// weighs them.
    pub(crate) fn only_asks(self, word: &str) -> bool {
        let Self::Other(code) = self else {
            return false;
        };
        let lower = word.to_lowercase();
        is_common(code, &lower) || is_common(code, without_particle(&lower))
    }

    /// Whether a lower-cased word is one of the most common ones, which tell no topic.
    pub(crate) fn is_common(self, lower: &str) -> bool {
        match self {
            Self::English => is_common("en", lower),
            Self::Other(code) => is_common(code, lower),
        }
    }

    /// Whether a text has a word of the first person; `None` in English, which has its own rules.
    pub(crate) fn is_first_person(self, text: &str) -> Option<bool> {
        let listed = FIRST_PERSON.iter().filter(|it| self == Self::Other(it.0));
        let mut own = listed.flat_map(|it| it.1.split(' '));
        let lower = text.to_lowercase();
        let words = display_words(&lower).flat_map(|word| word.split(['\'', '’']));
        let words: Vec<&str> = words.collect();
        let is_in = |own: &str| {
            let signs = own.starts_with(is_unspaced) && lower.contains(own);
            let is_it = |word: &&str| *word == own || without_particle(word) == own;
            signs || words.iter().any(is_it)
        };
        (!self.is_english()).then(|| own.any(is_in))
    }

    /// Whether the rules for English apply.
    pub(crate) fn is_english(self) -> bool {
        self == Self::English
    }
}

/// The words of a statement as stems of its language, common words left out, each as a term of that
/// language alone, which no word of another one has. None where [`stem`] is the language's own.
pub(crate) fn inflected(text: &str) -> Vec<Term> {
    let Some(Language::Other(code)) = Language::of(text) else {
        return Vec::new();
    };
    let Some(rules) = STEMMED.iter().find(|it| it.0 == code) else {
        return Vec::new();
    };
    let words = searched_words(text).filter(|word| is_latin(word) && !is_common(code, word));
    words.map(|word| stem_in(*rules, &word)).collect()
}

/// The search terms of an utterance as it was said, with those of [`inflected`].
pub(crate) fn heard_terms(text: &str) -> Vec<Term> {
    let mut all = terms(text);
    all.extend(inflected(text));
    all
}

/// The terms by which a word of a question meets other forms of itself, one for each language: of a
/// few words, nobody can tell the language for certain.
pub(crate) fn forms(word: &str) -> Vec<Term> {
    let rules = STEMMED.iter().filter(|_| is_latin(word));
    rules.map(|rules| stem_in(*rules, word)).collect()
}

fn stem_in((code, rules): (&str, Algorithm), word: &str) -> Term {
    let stemmer = Stemmer::create(rules);
    let mut stem = stemmer.stem(without_elision(word)).into_owned();
    // the stemmer leaves the ending of the third person: "wohnt" beside "wohne"
    if code == "de"
        && stem.chars().count() > GERMAN_STEM_MIN
        && let Some(cut) = stem.strip_suffix('t')
    {
        stem = stemmer.stem(cut).into_owned();
    }
    // no word has a space
    hash(&format!("{code} {stem}"))
}

/// A word without what French and Italian join to its front: "j'habite", "l'auto", "qu'il".
fn without_elision(word: &str) -> &str {
    let joined = word.split_once(['\'', '’']);
    let joined = joined.filter(|(front, _)| front.chars().count() <= ELIDED_MAX);
    joined.map_or(word, |(_, rest)| rest)
}

/// The languages of what several speakers said in turn. A text that is too short to tell takes the
/// language of what its speaker said before it, else after it; without that it counts as English.
pub(crate) fn languages<'a>(
    said: impl Iterator<Item = (Option<&'a str>, &'a str)>,
) -> Vec<Language> {
    let read: Vec<(Option<&str>, Option<Language>)> = said
        .map(|(speaker, text)| (speaker, Language::of(text)))
        .collect();
    let nearest = |at: usize| {
        let same = |it: &&(Option<&str>, Option<Language>)| it.0 == read[at].0;
        let before = read[..=at].iter().rev().filter(same).find_map(|it| it.1);
        before.or_else(|| read[at..].iter().filter(same).find_map(|it| it.1))
    };
    let all = (0..read.len()).map(|at| nearest(at).unwrap_or(Language::English));
    all.collect()
}

fn is_common(code: &str, word: &str) -> bool {
    let asking = ASKING.iter().find(|it| it.0 == code);
    asking.is_some_and(|it| it.1.split(' ').any(|it| it == word))
        || stop_words::lookup(code).is_some_and(|list| list.contains(&word))
}

fn code(language: whichlang::Lang) -> &'static str {
    use whichlang::Lang;
    match language {
        Lang::Ara => "ar",
        Lang::Cmn => "zh",
        Lang::Deu => "de",
        Lang::Eng => "en",
        Lang::Fra => "fr",
        Lang::Hin => "hi",
        Lang::Ita => "it",
        Lang::Jpn => "ja",
        Lang::Kor => "ko",
        Lang::Nld => "nl",
        Lang::Por => "pt",
        Lang::Rus => "ru",
        Lang::Spa => "es",
        Lang::Swe => "sv",
        Lang::Tur => "tr",
        Lang::Vie => "vi",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_told_from_other_languages_and_from_what_may_be_either() {
        use Language::{English, Other};
        for (text, language) in [
            ("I moved to Porto with my sister in May.", Some(English)),
            ("Where do I live?", Some(English)),
            (
                "Ich wohne seit Mai mit meiner Schwester hier.",
                Some(Other("de")),
            ),
            ("Wo wohne ich?", Some(Other("de"))),
            ("Olen asunut Tampereella kolme vuotta.", Some(Other("tr"))),
            ("Où est-ce que j'habite ?", Some(Other("fr"))),
            ("Где я живу?", Some(Other("ru"))),
            ("私はどこに住んでいますか？", Some(Other("ja"))),
            ("Her name is Zoë, and she's from Málaga.", Some(English)),
            ("Ben!", None),
            ("Fine.", None),
            ("Porto", None),
            ("0151 23 45 67 89", None),
            ("", None),
        ] {
            assert_eq!(Language::of(text), language, "{text}");
        }
    }

    #[test]
    fn a_short_text_takes_the_language_of_its_speaker() {
        let said = [
            ("Ana", "Super!"),
            ("Ana", "Ich habe gut geschlafen."),
            ("Bob", "That was a very long night."),
            ("Ana", "Super!"),
            ("Bob", "Super!"),
            ("Cyd", "Super!"),
        ];
        let read = languages(said.iter().map(|(speaker, text)| (Some(*speaker), *text)));
        let english: Vec<bool> = read.iter().map(|it| it.is_english()).collect();
        assert_eq!(english, [false, false, true, false, true, true]);
    }

    #[test]
    fn words_of_the_first_person_are_known_in_twelve_languages() {
        let own = |text: &str| {
            Language::of(text)
                .expect("a language")
                .is_first_person(text)
        };
        for (of_the_asker, of_others) in [
            ("Wo wohne ich?", "Wo wohnt meiste Zeit die Oma?"),
            ("Où est-ce que j'habite ?", "Où habite la voisine ?"),
            ("Где я живу?", "Где живёт сосед?"),
            ("私はどこに住んでいますか？", "弟はどこで働いていますか？"),
            ("제가 어디에 살고 있어요?", "남동생은 어디에서 일해요?"),
            ("我住在哪里？", "他住在哪里？"),
        ] {
            assert_eq!(own(of_the_asker), Some(true), "{of_the_asker}");
            assert_eq!(own(of_others), Some(false), "{of_others}");
        }
    }

    #[test]
    fn forms_of_a_word_meet_in_its_language_alone() {
        let meets = |said: &str, asked: &str| {
            let said = inflected(said);
            forms(asked).iter().any(|form| said.contains(form))
        };
        for (said, asked) in [
            ("Unsere alten Häuser haben große Gärten.", "garten"),
            ("Nous avons trois chevaux et des oiseaux.", "oiseau"),
            ("Mis primos tienen dos camiones viejos.", "camión"),
            ("Abbiamo comprato due biciclette nuove.", "bicicletta"),
            ("Mijn buren hebben drie honden gekocht.", "hond"),
        ] {
            assert!(meets(said, asked), "{asked}");
            assert!(!meets(said, "violin"));
        }
        assert!(inflected("We bought two bicycles in the town.").is_empty());
        assert!(inflected("Мои тёти живут в Омске.").is_empty());
        assert!(forms("тётя").is_empty());
    }

    #[test]
    fn words_that_only_ask_are_left_out_of_a_question() {
        let asked = |text: &str| {
            let language = Language::of(text).expect("a language");
            let all = language.asked_terms(text).into_iter();
            let telling = all.filter(|it| it.tells);
            telling.map(|it| it.term).collect::<Vec<_>>()
        };
        assert_eq!(asked("Wo wohnt meine Schwester?"), terms("wohnt Schwester"));
        assert_eq!(asked("弟はどこで働いていますか？"), terms("弟 働"));
        assert_eq!(asked("我住在哪里？"), terms("住"));
        // nothing else is asked
        assert!(!asked("Wo bist du?").is_empty());
    }
}
