//! The English words and phrases that identify facts, beside those of claims.

use super::slot::FactSlot;
use super::slot::FactSlot as Slot;
use crate::text::claims::lists::Words;

/// What must follow a phrase as its value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Take {
    /// A name.
    Named,
    /// A place, with a name or without.
    Place,
    /// A name, or something with an indefinite article.
    Organisation,
    /// An occupation.
    Role,
    /// A day or a month.
    Date,
    /// Any phrase; that many last words of the verb phrase belong to the value.
    Free(usize),
    /// Any phrase that names a diet.
    Diet,
    /// Names of languages.
    Languages,
    /// A thing that people own.
    Owned,
    /// A business that people run.
    Business,
}

/// Verb phrases after "I" with the slot that they fill; the longest match is used. `a|b` stands for
/// either word.
pub(super) const VERBS: &[(&str, FactSlot, Take)] = &[
    ("like|love|enjoy|adore|prefer", Slot::Likes, Take::Free(0)),
    (
        "hate|dislike|despise|loathe|detest|avoid|refuse|oppose",
        Slot::Dislikes,
        Take::Free(0),
    ),
    ("can't|cannot stand", Slot::Dislikes, Take::Free(0)),
    ("steer clear of", Slot::Dislikes, Take::Free(0)),
    ("stay away from", Slot::Dislikes, Take::Free(0)),
    ("prefer not", Slot::Dislikes, Take::Free(0)),
    ("prefer|try|tend to avoid", Slot::Dislikes, Take::Free(0)),
    (
        "prefer|try|tend to stay away from",
        Slot::Dislikes,
        Take::Free(0),
    ),
    ("only eat|drink|consume", Slot::Diet, Take::Free(2)),
    (
        "only use|buy|watch|read|book|wear|enjoy",
        Slot::Likes,
        Take::Free(2),
    ),
    ("adhere|stick to", Slot::Diet, Take::Diet),
    ("maintain|follow", Slot::Diet, Take::Diet),
    ("suffer from", Slot::Health, Take::Free(2)),
    ("play|collect", Slot::Hobbies, Take::Free(1)),
    ("do|practice yoga", Slot::Hobbies, Take::Free(2)),
    (
        "go hiking|running|fishing|swimming|jogging|climbing",
        Slot::Hobbies,
        Take::Free(2),
    ),
    ("plan to|on", Slot::Plans, Take::Free(2)),
    ("intend to", Slot::Plans, Take::Free(2)),
    ("want|hope|aim|aspire to", Slot::Goals, Take::Free(2)),
    ("dream of", Slot::Goals, Take::Free(2)),
    ("always wanted to", Slot::Goals, Take::Free(3)),
    ("know how to", Slot::Skills, Take::Free(3)),
    ("can play", Slot::Skills, Take::Free(2)),
    ("speak", Slot::Languages, Take::Languages),
    ("can speak", Slot::Languages, Take::Languages),
    ("own|drive|bought", Slot::Possessions, Take::Owned),
    ("run", Slot::Work, Take::Business),
    ("own a", Slot::Work, Take::Business),
    ("own my own", Slot::Work, Take::Business),
    ("work at|for", Slot::Employer, Take::Organisation),
    ("got|get|took a job as", Slot::Work, Take::Role),
    (
        "got|found|took|started a job at",
        Slot::Employer,
        Take::Organisation,
    ),
    (
        "got|find|found|took|started a new job at|in",
        Slot::Employer,
        Take::Organisation,
    ),
    ("started working at|for", Slot::Employer, Take::Organisation),
    ("teach", Slot::Work, Take::Free(1)),
    ("live|reside in", Slot::Home, Take::Place),
    ("moved|relocated to", Slot::Home, Take::Place),
    ("live near", Slot::Home, Take::Named),
    ("study", Slot::Education, Take::Free(1)),
    ("study at", Slot::Education, Take::Named),
    ("graduated from", Slot::Education, Take::Named),
    ("majored in", Slot::Education, Take::Free(2)),
    ("come from", Slot::Origin, Take::Named),
    ("grew up in", Slot::Origin, Take::Named),
    ("was born on", Slot::Birthday, Take::Date),
    ("was born in", Slot::Origin, Take::Named),
    ("was born and raised in", Slot::Origin, Take::Named),
];

/// The same after "I am".
pub(super) const AFTER_BE: &[(&str, FactSlot, Take)] = &[
    ("into", Slot::Likes, Take::Free(0)),
    ("fan|fond of", Slot::Likes, Take::Free(0)),
    ("keen on", Slot::Likes, Take::Free(0)),
    ("crazy|passionate about", Slot::Likes, Take::Free(0)),
    ("obsessed with", Slot::Likes, Take::Free(0)),
    ("interested in", Slot::Likes, Take::Free(0)),
    ("averse|opposed to", Slot::Dislikes, Take::Free(0)),
    ("against", Slot::Dislikes, Take::Free(0)),
    ("uncomfortable with", Slot::Dislikes, Take::Free(0)),
    ("not comfortable with", Slot::Dislikes, Take::Free(0)),
    ("afraid|scared|terrified of", Slot::Dislikes, Take::Free(0)),
    (
        "sensitive|allergic|intolerant to",
        Slot::Health,
        Take::Free(2),
    ),
    ("diagnosed with", Slot::Health, Take::Free(2)),
    ("on a", Slot::Diet, Take::Diet),
    ("following", Slot::Diet, Take::Diet),
    ("committed to", Slot::Diet, Take::Diet),
    ("planning", Slot::Plans, Take::Free(1)),
    ("looking to", Slot::Plans, Take::Free(2)),
    ("hoping|trying to", Slot::Goals, Take::Free(2)),
    ("thinking of|about", Slot::Plans, Take::Free(2)),
    ("working on", Slot::Plans, Take::Free(2)),
    ("moving|travelling|traveling to", Slot::Plans, Take::Free(2)),
    ("learning", Slot::Skills, Take::Free(1)),
    ("good at", Slot::Skills, Take::Free(2)),
    ("fluent in", Slot::Languages, Take::Languages),
    ("working at|for", Slot::Employer, Take::Organisation),
    ("living in", Slot::Home, Take::Place),
    ("from", Slot::Origin, Take::Named),
    ("studying", Slot::Education, Take::Free(1)),
    ("majoring in", Slot::Education, Take::Free(2)),
    ("studying at", Slot::Education, Take::Named),
];

/// The same after "I have", before which articles and adjectives of degree are skipped.
pub(super) const AFTER_HAVE: &[(&str, FactSlot, Take)] = &[
    ("aversion to|for|towards", Slot::Dislikes, Take::Free(0)),
    (
        "dislike|distaste|hatred of|for",
        Slot::Dislikes,
        Take::Free(0),
    ),
    ("no|zero interest in", Slot::Dislikes, Take::Free(0)),
    (
        "preference|passion|love|weakness for",
        Slot::Likes,
        Take::Free(0),
    ),
    ("interest in", Slot::Likes, Take::Free(0)),
    ("allergy to", Slot::Health, Take::Free(2)),
    ("fear|phobia of", Slot::Health, Take::Free(2)),
    (
        "degree|master's|bachelor's|phd in",
        Slot::Education,
        Take::Free(2),
    ),
];

/// Verb phrases that say that something is over.
pub(super) const ENDING: &[(&str, FactSlot, Take)] = &[
    ("moved out of", Slot::Home, Take::Named),
    ("moved away from", Slot::Home, Take::Named),
    ("quit|stopped smoking|playing", Slot::Hobbies, Take::Free(1)),
    ("quit|stopped eating|drinking", Slot::Diet, Take::Free(1)),
];

/// Words at the start of an utterance that address the hearer.
pub(super) const GREETINGS: Words = Words("hi hello hey greetings");
/// Words before a subject that begin a reason or a new clause.
pub(super) const CLAUSE_STARTS: Words =
    Words("and but so because since cause plus though although as also");
/// Words that make what follows them untrue, unsure or another's.
pub(super) const UNSURE: Words = Words(
    "if unless imagine imagined suppose supposing pretend wish wished whether said says told asked \
    claimed claims thinks dreamed dreamt dream hypothetically when whenever until before",
);
/// Words that are said of a joke.
pub(super) const JOKES: Words = Words("kidding joking jk sarcasm");
/// Adverbs beside those in `-ly` that may stand before a verb.
pub(super) const ADVERBS: Words = Words(
    "also still just always even often sometimes already now usually generally do currently \
    quite so very too more much rather kinda kind sort of both mostly a an big huge avid massive \
    been being have has am is are well not",
);
/// Adjectives of degree after "I have a".
pub(super) const DEGREES: Words = Words(
    "a an the strong severe deep great huge big real intense slight mild serious terrible bad \
    particular general clear firm profound extreme major always special soft master's \
    bachelor's such",
);
/// Words inside a name that are not capitalised.
pub(super) const CONNECTORS: Words = Words("of de la the upon del da di");
/// Nouns of dwellings and places to live.
pub(super) const DWELLINGS: Words = Words(
    "apartment flat house dorm village suburb suburbs cottage cabin farm farmhouse bungalow \
    townhouse studio loft condo town city van trailer houseboat",
);
/// Words that begin a reason, a condition or a contrast: a value ends there.
pub(super) const REASONS: Words = Words(
    "because since while where which though although until unless if when whenever whereas due \
    anymore lately instead cause 'cause therefore",
);
/// Words that begin a clause of its own after "and".
pub(super) const NEW_SUBJECTS: Words = Words(
    "i i'm i've i'll i'd you you're he she it it's we we're they they're there that's my your \
    then he's she's we've let's don't",
);
/// Verbs that begin a second predicate after "and".
pub(super) const FOLLOWING_VERBS: Words = Words(
    "prefer like love enjoy hate dislike avoid have am don't can can't will would find want need \
    work live play think believe often always never usually much hope make feel do did \
    struggle cannot fear seek strongly really just also only instead rather tend \
    use go went was it's don",
);
/// Words that end no value.
pub(super) const LAST_WORDS: Words = Words(
    "a an the of in on at for with to and or but as that than very really too also much so from by \
    about my our more most like such not even only is are was lately anymore though right yet \
    honestly actually recently sometimes maybe next during ton lol haha either again \
    these who be now",
);
/// First words of a value that point at something said before.
pub(super) const DEICTIC: Words = Words(
    "it it's this that these those them they him her his she he its their your you my our me us \
    how when what where why who if everything anything something nothing all one both each every \
    some hear see say think know be do have hearing seeing being having doing knowing thinking \
    certain such another here there so and or but to-do much more lot a-lot i we as with for",
);
/// Words anywhere in a value that tie it to the moment or to what was said before.
pub(super) const OTHER_OWNERS: Words = Words(
    "it you your yours him her his she he them this these those i'm i've it's you're they're here \
    there we us we're our i mine ours uh um er erm hmm yeah oh",
);
/// Words that hold for the moment only.
pub(super) const TRANSIENT: Words = Words("today tonight yesterday tomorrow now again soon");
/// Words that say nothing by themselves.
pub(super) const VAGUE: Words = Words(
    "same thing things stuff something anything everything lot lots bit way ways new some more \
    idea ideas kind kinds sort type types feeling part one ones good great nice better best \
    skill skills time people person work chat talk story stories really much own get make take \
    do go plan planning look looking want try trying help life place places sound sounds project \
    projects day advice suggestion suggestions photo pic picture long few many different other \
    others thinking learn learning ton tons back know knowing big little hard like love",
);
/// Words of plans that a family or two friends make, not a firm or a government.
pub(super) const OUTINGS: Words = Words(
    "trip travel travelling traveling visit visiting wedding marry baby moving holiday vacation \
    camping house honeymoon hiking party",
);
/// Verbs of lasting aims after "want to" and "trying to".
pub(super) const AIMS: Words = Words(
    "become be learn visit travel move start build own run write study buy climb lose \
    improve live work adopt create publish quit save go master retire graduate launch grow",
);
pub(super) const OCCUPATIONS: Words = Words(
    "teacher nurse doctor designer engineer developer programmer writer author artist photographer \
    lawyer attorney accountant chef cook baker barista bartender waiter waitress manager \
    consultant analyst scientist researcher professor lecturer librarian journalist reporter \
    editor translator interpreter musician actor actress singer dancer carpenter plumber \
    electrician mechanic driver pilot farmer gardener architect dentist pharmacist therapist \
    counselor counsellor veterinarian vet officer firefighter soldier salesperson salesman \
    saleswoman cashier receptionist secretary assistant director producer entrepreneur founder \
    ceo cto freelancer contractor trainer coach instructor tutor tailor hairdresser stylist \
    technician administrator banker broker realtor clerk judge intern chemist physicist \
    mathematician historian economist statistician surgeon paramedic midwife blogger streamer \
    worker filmmaker screenwriter comedian painter sculptor illustrator animator butcher florist \
    welder builder sailor detective marketer copywriter novelist poet composer dj \
    paralegal principal recruiter optometrist physiotherapist psychiatrist bookkeeper landscaper \
    businessman businesswoman",
);
pub(super) const BUSINESSES: Words = Words(
    "bakery shop store restaurant cafe café studio company business startup agency farm salon gym \
    hotel practice school nonprofit charity bookstore bookshop brewery blog podcast channel \
    gallery boutique bar pub firm",
);
pub(super) const DIETS: Words = Words(
    "vegan vegetarian pescatarian gluten-free dairy-free keto ketogenic paleo halal \
    kosher low-carb plant-based raw carnivore mediterranean diet",
);
pub(super) const BELIEFS: Words = Words(
    "catholic muslim christian jewish buddhist hindu atheist agnostic religious protestant mormon \
    sikh orthodox quaker",
);
pub(super) const CONDITIONS: Words = Words(
    "asthma diabetes migraine migraines anxiety depression adhd autism arthritis insomnia epilepsy \
    hypertension anemia eczema psoriasis ptsd ocd dyslexia scoliosis fibromyalgia endometriosis \
    celiac diabetic asthmatic dyslexic autistic epileptic intolerant intolerance allergy allergies \
    tinnitus vertigo disorder disease phobia deaf colorblind color-blind",
);
pub(super) const ANIMALS: Words = Words(
    "dog dogs cat cats puppy puppies pup pups kitten kittens kitty kitties hamster hamsters rabbit \
    rabbits bunny bunnies parrot parrots bird birds goldfish turtle turtles tortoise snake snakes \
    lizard lizards horse horses pony chicken chickens ferret ferrets parakeet budgie gecko iguana \
    retriever labrador poodle bulldog beagle corgi husky chihuahua pig pigs",
);
/// Relatives, beside the list of claims.
pub(super) const RELATIVES: Words = Words(
    "sisters brothers son sons daughter daughters kid kids child children parents baby twins twin \
    grandson granddaughter grandparents cousins nephew niece stepson stepdaughter stepmother \
    stepfather roommate",
);
pub(super) const PARTNERS: Words =
    Words("wife husband partner boyfriend girlfriend fiancé fiancée fiance fiancee spouse");
pub(super) const OWNED: Words = Words(
    "car motorcycle motorbike bike bicycle house boat van truck guitar piano violin camera laptop \
    apartment flat cabin telescope drone tesla toyota honda ford bmw subaru garden greenhouse \
    drums keyboard synthesizer motorhome rv suv jeep scooter condo",
);
/// Languages and nationalities, which are often the same word.
pub(super) const NATIONS: Words = Words(
    "english spanish french german italian portuguese dutch swedish norwegian danish finnish \
    polish russian ukrainian czech slovak hungarian romanian bulgarian greek turkish arabic \
    hebrew hindi urdu bengali punjabi tamil persian farsi chinese mandarin cantonese japanese \
    korean vietnamese thai indonesian malay swahili american british irish scottish welsh \
    canadian mexican brazilian argentinian australian indian pakistani iranian iraqi egyptian \
    nigerian kenyan filipino swiss austrian belgian icelandic latin catalan croatian serbian asl",
);
/// What a wish about answers speaks of.
pub(super) const STYLES: Words = Words(
    "tone answers replies responses explanations wording answer reply response explanation \
    humor humour sarcasm",
);
/// Verbs of standing instructions: "always answer in French".
pub(super) const INSTRUCTED: Words =
    Words("answer reply respond explain use include give call address write speak format keep");
