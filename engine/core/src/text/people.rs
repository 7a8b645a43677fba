//! Common English words for people, and whether "he" or "she" stands for them.

use super::matching::Words;

/// Whether a speaker is the one asked for, in either case of letters; nobody in particular is asked
/// for with `None`.
#[must_use]
pub fn is_speaker(asked: Option<&str>, speaker: Option<&str>) -> bool {
    let speaker = speaker.map(str::to_lowercase);
    asked.is_none_or(|it| speaker == Some(it.to_lowercase()))
}

/// Which pronouns of one person agree with a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::text) enum Gender {
    She,
    He,
    /// It is not known: both agree.
    Any,
}

impl Gender {
    pub(in crate::text) fn agrees(self, other: Self) -> bool {
        self == other || self == Self::Any || other == Self::Any
    }
}

/// Names of both are in both lists.
const WOMEN: Words = Words(
    "abigail ada adele agnes alexandra alice alicia alison amanda amber amelia amy ana andrea \
    angela angelina anita ann anna anne annie april audrey barbara beatrice becky bella beth \
    betty bianca bonnie brenda bridget brittany camila carla carmen carol caroline carolyn \
    catherine cecilia charlotte chelsea cheryl chloe christina christine cindy clara claire \
    clare claudia colleen cynthia daisy danielle daphne deborah debra denise diana diane donna \
    dora doris dorothy edith eileen elaine eleanor elena elisa eliza elizabeth ella ellen elsa \
    emilia emily emma erica erin esther eva eve evelyn fatima felicia fiona florence frances \
    gabriela gemma georgia gina gloria grace greta gwen hannah harriet hazel heather heidi helen \
    helena holly ida ingrid irene iris isabel isabella ivy jacqueline jane janet janice jasmine \
    jean jenna jennifer jenny jessica jill joan joanna joanne josephine joy joyce juanita judith \
    judy julia juliana julie juliet karen kate katherine kathleen kathy katie kayla kelly kim \
    kimberly kristen kristin laura lauren leah lena leslie lila lillian lily linda lisa liz lola \
    lorraine louise lucia lucy luna lydia mabel maggie margaret maria mariam marie marilyn marina \
    martha mary matilda maureen maya megan melanie melissa mia michelle mildred miranda molly \
    monica nadia nancy naomi natalia natalie natasha nicole nina nora norma olga olivia pamela \
    patricia paula pauline peggy penelope phoebe phyllis priya rachel rebecca renee rita roberta \
    robin rosa rose rosemary ruby ruth sabrina sadie sally samantha sandra sara sarah shannon \
    sharon sheila shirley sofia sonia sophia sophie stacy stella stephanie sue susan susanna \
    suzanne sylvia tamara tanya tara teresa theresa tiffany tina tracy ursula valerie vanessa \
    vera veronica victoria violet virginia vivian wanda wendy yolanda yvonne zoe \
    alex casey charlie jamie jordan morgan riley sam taylor",
);
const MEN: Words = Words(
    "aaron adam adrian ahmed al alan albert alejandro alexander alfred ali allen alvin andre \
    andrew andy anthony antonio arnold arthur austin barry ben benjamin bernard bill billy bob \
    bobby boris brad bradley brandon brendan brent brian bruce bryan caleb calvin carl carlos \
    cedric charles charlie chester christian christopher clarence claude clifford clinton colin \
    connor craig curtis cyrus dale damian dan daniel danny darren dave david dean dennis derek \
    diego dmitri dominic don donald douglas duncan dustin dwight earl eddie edgar edmund eduardo \
    edward edwin eli elijah eliot elliot emmanuel eric ernest ethan eugene evan felix fernando \
    floyd francis francisco frank franklin fred frederick gabriel gareth gary gavin geoffrey \
    george gerald gilbert glenn gordon graham greg gregory gus guy harold harry harvey hassan \
    hector henry herbert herman homer howard hugh hugo ian ibrahim igor isaac ivan jack jackson \
    jacob jake james jared jason javier jay jeff jeffrey jeremy jerome jerry jesse jesus jim \
    jimmy joe joel joey john johnny jon jonathan jorge jose joseph josh joshua juan julian julio \
    justin karl keith kenneth kent kevin kurt kyle lance larry lars lawrence lee leo leon leonard \
    leonardo lewis liam lloyd logan louis lucas luis luke malcolm manuel marc marco marcus mario \
    mark martin marvin matt matthew maurice max melvin michael miguel mike milton mitchell mohamed \
    mohammed nathan nathaniel nate neil nicholas nick nigel noah norman oliver omar oscar oswald \
    otto owen patrick paul pedro perry pete peter phil philip pierre rafael ralph randy raul ray \
    raymond reginald rene ricardo richard rick rob robert roberto rodney roger roland ron ronald \
    ross roy russell ryan salvador sam samuel scott sean sebastian sergio seth shane sherlock \
    sidney simon spencer stanley stefan stephen steve steven stewart stuart ted terrence terry \
    theodore thomas tim timothy tobias todd tom tommy tony travis trevor troy tyler vernon victor \
    vincent vladimir wallace walter warren wayne wesley will william winston xavier \
    yusuf zachary alex casey jamie jordan kim leslie morgan riley robin taylor",
);
const FEMALE: Words = Words(
    "mother mom mum mommy sister daughter wife girlfriend aunt grandmother grandma granny niece \
    woman girl lady queen princess fiancée stepmother widow bride waitress actress landlady",
);
const MALE: Words = Words(
    "father dad daddy brother son husband boyfriend uncle grandfather grandpa nephew man boy guy \
    king prince fiancé stepfather widower groom waiter actor landlord gentleman",
);
const NEUTRAL: Words = Words(
    "partner friend boss doctor teacher neighbour neighbor colleague cousin spouse roommate \
    flatmate manager coach mentor student nurse dentist lawyer therapist baby toddler kid child \
    parent grandparent grandchild sibling customer client tenant guest director designer producer \
    editor writer author singer artist dog puppy cat kitten pet horse parrot rabbit",
);
/// Nouns for places.
pub(in crate::text) const PLACES: Words = Words(
    "gym museum park city town village restaurant hotel beach school office store shop studio \
    house home country café cafe church hospital library airport station university college \
    market mall garden bakery bar pub club theatre theater cinema gallery island lake mountain \
    mountains forest farm zoo stadium flat apartment room centre center shelter clinic bank",
);
/// Nouns for times: not things that "it" stands for.
pub(in crate::text) const TIMES: Words = Words(
    "day days week weeks month months year years morning evening afternoon night weekend time \
    times moment hour hours minute minutes today tomorrow yesterday summer winter spring autumn",
);

/// The gender of a name by its first word; `None` where it is no common first name.
pub(in crate::text) fn of_name(lower: &str) -> Option<Gender> {
    match (WOMEN.contains(lower), MEN.contains(lower)) {
        (true, false) => Some(Gender::She),
        (false, true) => Some(Gender::He),
        (true, true) => Some(Gender::Any),
        (false, false) => None,
    }
}

/// The gender of a noun for one person or animal; `None` for other nouns.
pub(in crate::text) fn of_noun(lower: &str) -> Option<Gender> {
    match () {
        () if FEMALE.contains(lower) => Some(Gender::She),
        () if MALE.contains(lower) => Some(Gender::He),
        () if NEUTRAL.contains(lower) => Some(Gender::Any),
        () => None,
    }
}
