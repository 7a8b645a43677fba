"""Word lists and spoken numbers, dates and times for the sentence grammar.

Holds vocabulary only: no sentence and no randomness of its own lives here. Every function that
picks takes the `random.Random` to pick with, so that one seed gives one corpus.
"""

NAMES = """Sarah Tom Anna James Emily Michael Laura David Nina Peter Maria Daniel Olivia Jack Sophie
Robert Alice Kevin Rachel Mark Julia Henry Grace Paul Emma Chris Hannah Oscar Lucy Martin Karen
Simon Linda Brian Susan Eric Helen George Diana Frank Amy Steven Claire Jason Megan Adam Nora Victor
Lily Ben Rosa Alex Katie Leo Zoe Ryan Mia Carlos Ivan Priya Omar Yuki Elena Marco Fatima Wei Ingrid
Hugo Sam Joe Kate Max Theo Ella Arthur Ruth Philip Bella""".split()

CITIES = """London Paris Berlin Madrid Rome Boston Chicago Denver Seattle Austin Dallas Miami
Toronto Dublin Oslo Vienna Prague Lisbon Athens Tokyo Sydney Cairo Mumbai Brazil Canada France
Germany Spain Italy Japan India Mexico Ireland Norway Portugal Greece Egypt Scotland Texas
California Florida Oxford Cambridge Manchester Houston Phoenix Amsterdam Barcelona""".split()

PLACES = """the office|the airport|the library|the hospital|the station|the park|the gym|the beach|
the museum|the bank|the market|the restaurant|the hotel|school|work|home|
the supermarket|the theater|the post office|the garden|the lake|the mountains|
the university|the cafe|the pharmacy|the bakery|the farm|the city center|
the train station|the parking garage|the dentist|the concert|the meeting room|the kitchen|
the living room|the small room|the old city|the third floor|the corner of the street|
the bus stop"""

FOODS = """pizza|pasta|sushi|chocolate|apples|bananas|strawberries|cheese|fresh bread|
chicken soup|rice|fish|salad|mushrooms|peanuts|coffee|green tea|orange juice|ice cream|
pancakes|eggs|tomatoes|noodles|curry|tacos|blueberries|cookies|carrots|potatoes|
sandwiches|yogurt|honey|seafood|lemonade|spinach|garlic|olives|steak|beans|milk|
butter|cake|onions|water"""

HOBBIES = """painting|hiking|swimming|reading|running|cooking|dancing|gardening|cycling|photography|
fishing|chess|yoga|skiing|playing the guitar|playing the piano|writing poems|
watching movies|playing tennis|playing football|bird watching|climbing|knitting|baking|
camping|traveling|singing|drawing|surfing|learning Spanish|learning French|woodworking|
playing video games|sailing|listening to music"""

JOBS = """teacher|nurse|doctor|lawyer|engineer|chef|designer|writer|driver|pilot|musician|
painter|manager|scientist|student|dentist|farmer|waiter|photographer|programmer|
librarian|electrician|carpenter|accountant|journalist|architect|baker|mechanic|
police officer|firefighter|sales manager|research assistant"""

RELATIVES = """brother|sister|mother|father|son|daughter|wife|husband|uncle|aunt|cousin|grandmother|
grandfather|friend|boss|neighbor|roommate|colleague|teacher|boyfriend|girlfriend|
nephew|niece"""

PETS = "dog|cat|rabbit|parrot|hamster|goldfish|horse|turtle|puppy|kitten"
COLORS = "red|blue|green|yellow|black|white|purple|orange|brown|pink|gray|silver"

THINGS = """car|bike|phone|laptop|camera|house|apartment|jacket|book|guitar|watch|table|bag|
computer|umbrella|ticket|passport|wallet|key|letter|package|present|suitcase|hat|
sofa|lamp|television|printer|headset|door|window|chair|coat|notebook|bottle|map|
radio|box|tent|picture"""

WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = """January February March April May June July August September October November
December""".split()

QUALITIES = """good|great|bad|nice|terrible|wonderful|boring|interesting|difficult|easy|expensive|
cheap|beautiful|strange|funny|important|dangerous|useful|busy|quiet|noisy|amazing|
awful|lovely|perfect|old|new|small|big|long|short|simple|clear|warm|cold|broken"""

FEELINGS = """happy|sad|tired|excited|nervous|angry|worried|lonely|proud|bored|sick|hungry|
thirsty|surprised|confused|scared|relaxed|disappointed|grateful|jealous|stressed|calm|
sure|ready|glad"""

EVENTS = """the wedding|the party|the meeting|the interview|the exam|the concert|the conference|
the game|the dinner|the appointment|the holiday|the trip|the presentation|
the birthday party|the flight|the lesson|the show|the deadline|the workshop|the visit|
the first lesson|the music|the reading group"""

PROJECTS = """the report|the budget|the design|the project|the new website|the remote control|
the survey|the presentation|the contract|the schedule|the prototype|the user interface|
the data|the results|the software|the battery|the market research|the plan|the proposal|
the test|the list|the last page|the agenda|the question|the second version|the numbers|
the summary|the problem"""

ILLNESSES = (
    "headache|cold|fever|sore throat|broken arm|back pain|allergy|cough|stomach ache|bad knee"
)
WEATHER = "raining|snowing|sunny|cloudy|windy|cold|hot|freezing|warm|foggy|humid|stormy"

ONES = """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen""".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth
thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split()
ORDINALS += ["twenty " + word for word in ORDINALS[:9]] + ["thirtieth", "thirty first"]

MOMENTS = """tomorrow|yesterday|today|tonight|last week|next week|last year|next month|this morning|
on the weekend|in the summer|last night|right now|every day|soon|later|two days ago|
a long time ago|last month|last summer|next year|this afternoon|in the evening|every week|
before lunch|after work|last winter|in the morning|at night"""


def split(listing):
    """Splits a `|` listing that may be broken over lines."""
    return [" ".join(item.split()) for item in listing.split("|")]


def number(rng, low=2, high=99):
    """A whole number in words, 1 <= low <= high <= 99."""
    value = rng.randint(low, high)
    if value < 20:
        return ONES[value - 1]
    tens = TENS[value // 10 - 2]
    return tens if value % 10 == 0 else f"{tens} {ONES[value % 10 - 1]}"


def amount(rng):
    """A number as said of money and crowds: from two to the millions."""
    kind = rng.randrange(6)
    if kind < 2:
        return number(rng)
    digit = rng.choice(ONES[:9])
    if kind == 2:
        return f"{digit} hundred"
    if kind == 3:
        return f"{digit} hundred and {number(rng)}"
    if kind == 4:
        return f"{number(rng, 2, 30)} thousand"
    return f"{digit} million"


def clock(rng):
    """A time of day as people say it."""
    hour = number(rng, 1, 12)
    minutes = rng.choice(["thirty", "fifteen", "forty five", "twenty", "ten"])
    part = rng.choice(["in the morning", "in the evening", "in the afternoon"])
    past = rng.choice(["half past", "a quarter past", "a quarter to", "ten past"])
    forms = [
        f"{hour} o'clock",
        f"{hour} {minutes}",
        f"{past} {hour}",
        "noon",
        "midnight",
        f"{hour} {part}",
        hour,
    ]
    return rng.choice(forms)


def year(rng):
    """A year between nineteen sixty and twenty twenty five."""
    if rng.random() < 0.6:
        return "twenty " + number(rng, 10, 25)
    return "nineteen " + number(rng, 60, 99)


def date(rng):
    """A day: of the month, of the week, or a month alone."""
    ordinal, month, day = rng.choice(ORDINALS), rng.choice(MONTHS), rng.choice(WEEKDAYS)
    part = rng.choice(["morning", "evening", "afternoon", "night"])
    forms = [
        f"{month} {ordinal}",
        f"the {ordinal} of {month}",
        day,
        f"next {day}",
        month,
        f"{day} {part}",
    ]
    return rng.choice(forms)


def with_article(noun):
    """`a` or `an` before a noun."""
    return ("an " if noun[0] in "aeiou" else "a ") + noun
