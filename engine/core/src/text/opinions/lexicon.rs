//! Closed classes of English words, and the verbs and adjectives that state a feeling.

use crate::text::words::is_listed;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A closed class of words; a word may be in several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    Determiner,
    Possessive,
    Pronoun,
    Preposition,
    /// Begins a clause.
    Conjunction,
    /// A form of be, do, have, or a modal verb.
    Auxiliary,
    Adverb,
    Negation,
    /// A noun that names nothing by itself: "thing", "way".
    Generic,
    /// A time: "morning", "Friday".
    Time,
    /// An adjective of state or order, not part of an object's name.
    State,
    /// A verb whose subject is judged by what follows: "is", "tastes".
    Copula,
    /// A verb that says what somebody else thinks.
    Report,
    /// Another word that an opinion may be read from: see [`is_cue`].
    Cue,
}

const CLASSES: &[(Class, &str)] = &[
    (
        Class::Determiner,
        "a an the this that these those some any every each all both another no my our his her \
         its their your whose such many few most several enough other much more one two three",
    ),
    (Class::Possessive, "my our his her its their your"),
    (
        Class::Pronoun,
        "i me you he him she her it we us they them myself yourself himself herself itself \
         ourselves themselves who whom what which someone somebody something anyone anybody \
         anything everyone everybody everything nobody nothing none mine yours hers ours theirs \
         y'all ya u em one ones there here",
    ),
    (
        Class::Preposition,
        "of in on at for with from by about to over under into onto through during after before \
         near around between among without against like than as since until till off up down out \
         across behind beside besides per within along toward towards via despite except inside \
         outside",
    ),
    (
        Class::Conjunction,
        "and but or so because cause cuz although though while whereas if unless when whenever \
         where wherever which who that yet plus nor how why whether since until",
    ),
    (
        Class::Auxiliary,
        "is are was were be been being am 's 'd do does did done have has had having will would \
         can could should might may must shall gonna wanna gotta",
    ),
    (
        Class::Adverb,
        "very so really quite pretty rather just too still even always never ever often sometimes \
         now then once also again already almost actually totally absolutely kinda kind sorta \
         sort way super only maybe perhaps today tomorrow yesterday tonight soon later ago here \
         there back away together well instead anyway though yet long far indeed definitely \
         certainly honestly truly somehow much lately otherwise especially extremely incredibly \
         bit lot currently nowadays overall simply probably usually fully more most less \
         least all both real mostly forever everywhere somewhere either else oh ah \
         ok okay yeah y'know please let",
    ),
    (
        Class::Negation,
        "not no never nothing nobody none neither nor hardly barely scarcely without",
    ),
    (
        Class::Generic,
        "thing things way ways one ones lot lots bit kind kinds sort part parts rest end moment \
         moments time times people person everyone guy guys stuff something anything everything \
         nothing someone reason reasons point fact case side type example question answer \
         problem issue place man woman men women girl boy folks word words idea ideas news choice \
         option plan plans day days week year years hour hours minute minutes couple few number \
         amount top bottom middle start beginning first last second opportunity chance surprise \
         look feeling mess deal shame pity sense goal step memory half while god hell gosh heck \
         fun joy pleasure change difference job work everybody experience decision favorite \
         favourite topic help support effort attitude advice right rights bunch hand match \
         perspective spirit message photo \
         picture pic pics photos pictures sound hearing seeing being having doing getting",
    ),
    (
        Class::Time,
        "morning afternoon evening night day week weekend month year today tomorrow yesterday \
         tonight monday tuesday wednesday thursday friday saturday sunday january february march \
         april june july august september october november december summer winter spring autumn \
         time times moment hour minute second noon mornings evenings nights days weeks weekends",
    ),
    (
        Class::State,
        "fresh hot warm cold iced own whole entire same upcoming recent latest current next last \
         first second little big small long short different certain particular other \
         freshly newly real actual very only main few many several favourite favorite best worst \
         better worse total complete",
    ),
    (
        Class::Copula,
        "is are was were 's be been being look looks looked taste tastes tasted feel feels felt \
         seem seems seemed smell smells smelled sound sounds sounded get gets got became become \
         becomes stay stays stayed remain remains remained turned",
    ),
    (
        Class::Report,
        "say says said saying tell tells told think thinks thought claim claims claimed heard \
         hear reckon reckons mention mentions mentioned believe believes believed feel feels felt \
         ask asks asked assume assumes suggested suggests insists insisted guess",
    ),
    (
        Class::Cue,
        "stand bear forward wait wish what how so their its has have had offers serves makes make \
         made keeps keep drives drive drove puts leaves gives give gave brings bring brought \
         great wonderful perfect fantastic lovely brilliant awesome joy needed wanted",
    ),
];

/// The classes of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Classes(u32);

impl Classes {
    pub(super) fn has(self, class: Class) -> bool {
        self.0 & (1 << class as u32) != 0
    }
}

/// The classes of a lower-cased word.
pub(super) fn classes_of(word: &str) -> Classes {
    static WORDS: LazyLock<HashMap<&str, Classes>> = LazyLock::new(|| {
        let mut words = HashMap::new();
        for (class, list) in CLASSES {
            for word in list.split_whitespace() {
                words.entry(word).or_insert(Classes(0)).0 |= 1 << *class as u32;
            }
        }
        for word in FELT.iter().flat_map(|(list, ..)| list.split(' ')) {
            words.entry(word).or_insert(Classes(0)).0 |= 1 << Class::Cue as u32;
        }
        words
    });
    WORDS.get(word).copied().unwrap_or_default()
}

/// Verbs whose subject feels something for their object, by stem: leaning, -1 to 1.
pub(super) fn feeling_verb(stem: &str) -> Option<f32> {
    Some(match stem {
        "ador" | "lov" | "cherish" | "treasur" => 0.9,
        "enjoy" => 0.75,
        "lik" | "like" | "appreciat" | "admir" | "recommend" => 0.65,
        "prefer" | "miss" | "valu" => 0.5,
        "hat" | "detest" | "despis" | "loath" => -0.9,
        "dislik" | "regret" | "resent" | "dread" => -0.7,
        "fear" => -0.6,
        _ => return None,
    })
}

/// Whether an opinion may be read from a lower-cased word with this stem: a sentence without one
/// gives none.
pub(super) fn is_cue(classes: Classes, stem: &str) -> bool {
    classes.has(Class::Cue)
        || classes.has(Class::Copula)
        || feeling_verb(stem).is_some()
        || effect_verb(stem).is_some()
        || harm_verb(stem).is_some()
}

/// Adjectives of the speaker's feeling with the prepositions before its object.
const FELT: &[(&str, &str, f32)] = &[
    ("afraid scared terrified frightened", "of", -0.7),
    ("tired sick weary", "of", -0.7),
    ("ashamed", "of", -0.6),
    ("bored", "of with by", -0.6),
    ("annoyed irritated", "with by at about", -0.7),
    ("angry furious mad", "about at with", -0.8),
    ("upset", "about with by", -0.7),
    ("worried anxious nervous stressed concerned", "about", -0.6),
    ("disappointed", "with in by about", -0.7),
    ("frustrated", "with by about", -0.7),
    ("sad", "about", -0.6),
    ("unhappy dissatisfied", "with about", -0.7),
    ("disgusted", "with by at", -0.8),
    ("fed", "up", -0.7),
    ("proud", "of", 0.7),
    ("fond", "of", 0.6),
    ("excited stoked pumped hyped", "about for by", 0.75),
    ("happy pleased content", "with about", 0.7),
    ("thrilled delighted", "about with by", 0.85),
    ("satisfied", "with by", 0.6),
    ("impressed amazed", "with by at", 0.7),
    ("passionate enthusiastic", "about", 0.75),
    ("grateful thankful", "for", 0.6),
    ("crazy", "about", 0.8),
    ("obsessed", "with", 0.8),
    ("hooked keen", "on", 0.6),
    ("fan", "of", 0.6),
    ("love", "with", 0.9),
    ("into", "", 0.6),
];

/// The leaning of "am ADJECTIVE PREPOSITION"; the preposition is empty if the word takes none.
pub(super) fn felt(adjective: &str, preposition: &str) -> Option<f32> {
    let row = FELT
        .iter()
        .find(|(words, _, _)| is_listed(words, adjective))?;
    let fits = row.1.is_empty() && preposition.is_empty() || is_listed(row.1, preposition);
    fits.then_some(row.2)
}

/// Whether a lower-cased word is one of these adjectives, with whatever preposition.
pub(super) fn is_felt(adjective: &str) -> bool {
    FELT.iter().any(|(words, ..)| is_listed(words, adjective))
}

/// Verbs that do something to the speaker, by stem: leaning toward their subject.
pub(super) fn effect_verb(stem: &str) -> Option<f32> {
    Some(match stem {
        "annoy" | "bother" | "irritat" | "frustrat" | "disgust" | "infuriat" => -0.8,
        "scar" | "disappoint" | "depress" | "exhaust" | "upset" | "terrify" => -0.7,
        "bor" | "stres" | "stress" | "tir" | "hurt" | "confus" => -0.6,
        "inspir" | "delight" | "amaz" | "fascinat" | "thrill" => 0.8,
        "calm" | "relax" | "comfort" | "cheer" | "sooth" | "motivat" | "impress" => 0.7,
        "help" | "energiz" | "encourag" | "reliev" => 0.5,
        _ => return None,
    })
}

/// Verbs that harm or better what is the speaker's, by stem.
pub(super) fn harm_verb(stem: &str) -> Option<f32> {
    Some(match stem {
        "ruin" | "destroy" | "spoil" | "wreck" => -0.8,
        "wast" => -0.6,
        "brighten" | "improv" => 0.6,
        _ => return None,
    })
}
