"""Our own sentence grammar: frames with slots and choices, expanded by a seeded random generator.

A frame is a sentence with `{slot}` for vocabulary and `[one|other|]` for wording. `TRAINED` frames
make the training text; `HELD_APART` frames never do, so that what is measured on them is unseen
wording. Capitals, no digits, no abbreviations: what is written is what is said.
"""

import re

import lexicon as lex

FACTS = """
My name is {name}, [nice to meet you|and I am new here|but everyone calls me {name}].
[Hi|Hello], I am {name}.
My name is {name}.
[Hello|Good morning|Good evening] {name}, how are you [today|this morning|]?
This is my {relative}, {name}.
{name} is my {relative}[ and {name} is my {relative}|].
My {relative} is {job_a}[ in {city}| at {place}|].
My {relative} lives in {city}[ now|, and so does {name}|].
I work as {job_a} [in {city}|at {place}].
I [live|used to live|grew up] in {city}.
I moved [from {city} |]to {city} in {year}.
I was born [in {city} |]in {year}.
I was born on {date}.
{my} birthday is on {date}.
I am {number} years old.
My {relative} [is|will be|was] {number} years old[ in {month}| on {day}|].
I have {few} [brothers and {few} sisters|children|cousins|uncles|books about {hobby}].
I have a {pet} called {name}.
{my} {pet} is {number} [months|years] old.
[The|{my}] {pet} [likes|eats|hates] {food}[ and {food}|].
I [love|really like|don't like|never eat|can't stand] {food}.
{name} [likes|loves|doesn't like|never eats] {food} [and|or] {food}.
[I am|{name} is] allergic to {food}.
My favorite [food is {food}|color is {color}|season is summer|sport is tennis|day is {day}].
We had {food} [and {food} |]for [dinner|lunch|breakfast].
{name} had {food} for lunch at {place}.
I [enjoy|love|hate] {hobby}[, but my {relative} loves it|].
I started {hobby} [in {year}|{when}|when I was {few} years old].
My hobby is {hobby}.
{name} loves {hobby} [and|but not] {hobby}.
{name} goes {hobby} every {day}.
I have [been {hobby}|known {name}] for {few} [years|months|weeks].
We have been married for {number} years.
{name} and {name} are getting married in {month}.
{name} and I met [in {city} in {year}|at {place}].
{name} moved from {city} to {city}[ in {month}| {when}|].
{name} is {job_a} [and lives in {city}|and works at {place}].
{name} wants to be {job_a}.
I [used to be|would like to be|want to be] {job_a}.
I [quit|lost|love] my job as {job_a}.
I got a new job at {place}.
My boss is [called {name}|{feeling}|{job_a}].
The {relative} of {name} is {job_a}.
I have {illness_a}.
{name} has {illness_a}, so [she|he] [stayed at home|went to the doctor|can not come].
I have to take my medicine at {clock}.
I live on the {ordinal} floor.
My phone number ends with {digit} {digit} {digit}.
The room number is {amount}.
I bought {thing_a} {when}.
I bought a {color} {thing} for {amount} dollars.
The {thing} [costs|cost|was] {amount} dollars.
[I|We|They] paid {amount} [dollars|euros] for [the|that] {thing}.
My {thing} is {color}[ and {color}|].
The {color} {thing} belongs to {name}.
{name} gave me {thing_a}[ for my birthday|].
{my} {thing} is [at {place}|{quality}|{color}].
{my} {relative} has a {color} {thing}.
I [no longer live in {city}|left my {thing} at {place}].
I [sold|lost] my {thing} {when}.
I changed my mind, I like {food} now.
Actually, I prefer {food}.
The capital is {city}, and [it is|it was] {quality}.
There [are|were] {amount} people at {place}.
"""

PLANS = """
I want to visit {city} {when}.
We are [flying|going|driving|traveling] to {city} [on {date}|in {month}|{when}].
I went to {city} with {name} {when}.
{event_c} is [on {date}|at {clock}|in {city}].
{event_c} starts at {clock} on {day}.
{event_c} [will be|was] on {day}, [because {name} works on {day}|not on {day}|so we have time].
Let's meet at {place} at {clock}.
[I|We] will be at {place} {when}.
I am going to {place}[ with {name}| {when}|].
Please call {name} at {clock}.
Remind me to [call {name} on {day}|buy {food}|bring the {thing}].
[The train|The bus|My flight|The boat] [leaves|arrives] at {clock}[ on {day}|].
My {relative} [arrives|comes] from {city} [by train |with the bus |]on {day} at {clock}.
See you [on {day}|{when}|at {clock}|at {place}].
I can't come to {event}[, because I have to work|, I am sorry|].
I will come to {event} with my {relative}.
We are planning a trip to {city} in {month}.
We can meet at {clock}[ on {day}| at {place}|].
We need {amount} dollars for {event}.
{event_c} [was moved|has moved] from {day} to {day}.
It takes {number} minutes to get to {place}.
We have {number} minutes left.
I have to be at {place} at {clock}.
I will bring {food} and {food} [to|for] {event}.
[She|He] will stay with [us|me] for {few} [days|weeks|nights].
[I|You|They] can use the garden of {name}.
My {relative} [said|told me] that we can [use|take|borrow] [his|her] {thing}.
{name} can pick [me|us|her|him] up [from|at] {place}.
The [party|dinner] of my {relative} [is|will be] [on {day}|in {month}|at {place}].
We should [leave|start|eat|go] at {clock}.
I need [an idea|some help|a plan] for [a birthday present|{event}].
Let's [go {hobby}|have dinner|have lunch|take a walk] [on {day}|{when}].
[Next|This] {day} we are [at {place}|in {city}|free|very busy].
I will [cook|make|bring] {food} [for dinner|for everyone|on {day}].
The tickets [cost|are] {amount} dollars [each|in all|per person].
If it is {weather} on {day}, we will [stay at home|go to {place}|meet at {clock}].
{name} will [be here|come|arrive] [on {day}|at {clock}|with {my_l} {relative}].
My {relative} has [an exam|an interview|a lesson|a meeting] on {day} [morning|afternoon|evening].
"""

CHAT = """
The trip to {city} was {quality}.
Have you ever been to {city}?
I feel [{feeling}|{feeling} today|{feeling} about {event}|so {feeling}].
{name} was {feeling} {when}.
Why are you so {feeling}?
My {relative} is {feeling} because of {event}.
I am {feeling} that {name} is coming.
It is {weather} in {city}[ today| again|].
It was {weather} {when}.
The weather is {quality} today.
That [is a {quality} idea|sounds {quality}|sounds like a {quality} plan|was {quality}].
That is [a lot of money|very nice|no problem|a good question] for [a {thing}|me|us|her].
I watched a {quality} movie {when}.
[The movie|The food|The book|The music] was {quality}[ and {quality}| but {quality}|].
Our {pet} is {feeling}.
I miss my {relative}[ very much|].
Please don't tell {name}[ about it|].
{name} told me about {event}.
You know, {event} was {quality}.
I told you that I don't eat {food}.
Thank you [very much, |]{name}.
[Thanks|Thank you] for [your help|the {food}|the {thing}|coming|everything].
[Yes|Well|Okay], I [think so|know that|remember it|like it|agree].
[No|Sorry], I [don't think so|am not sure|forgot it|am late|did not see it].
I forgot {event}.
I have no [idea|time today|money left|{thing}].
[Do|Would] you [want|like] some {food}?
Can you buy some {food} at {place}?
Can I have [some|two|three|more of the] {food}, please?
Do you like {hobby}[ or {hobby}|]?
Did you [see|find|bring|lose|sell] [my|the|your] {thing}?
Where is {name}?
Where are you going?
Where [did you buy|is|did you put] [the|your] {thing}?
What time is it[ in {city}|]?
What is your name?
What is the name of [your|the] {pet}?
What do you think [about {project}|of {city}|of {name}]?
What did you do {when}?
What does your {relative} [do|like|need|want|think]?
When is {event}?
Who is [{name}|coming to {event}|your boss|going to play]?
How [old|tall|busy] is your {relative}?
How much [is|was] the {thing}?
How [long|often] [will you stay|do you go {hobby}|have you lived in {city}]?
How was {event}?
Which [day|color|{thing}|time] do you [like|want|prefer|mean]?
Is {my_l} {relative} at {place}?
Is [the {thing}|it|that] {quality} enough [for {few} people|for us|]?
[I|You|We] [work|talk|eat|sleep|read] too much.
I [would like|want|need] to [see {city}|sleep a little longer|go home|read more books].
[I|We] walked [here|home|to {place}] with {my_l} {pet}.
It is [late|early|cold here|too hot for me|very quiet].
{my} {relative} [reads|cooks|plays|works|runs|sings] every [day|night|morning|{day}].
I have not seen {name} [for a long time|since {month}|this week].
{name} is [a lovely name|better than {name}|bigger than {name}|my best friend].
I remember that {name} never [eats {food}|goes to {place}|drinks {food}].
[The old|My|Her|His] {thing} is broken, so I [need a new one|can not use it|will buy a new one].
I read {few} books {when}.
I don't [know|remember|understand] [where {name} is|what you mean|why she is {feeling}].
When I was in {city}, I [saw {name}|bought {thing_a}|ate {food}|learned a lot].
If you [see|meet|call] {name}, tell [her|him] [about {event}|that I am {feeling}|to come home].
[I think|I hope|I am sure] that {name} [will come|is at {place}|likes {food}|is {feeling}].
[After|Before] {event}, we [went to {place}|had some {food}|talked about {project}].
"""

MEETING = """
Can you help me with {project}?
We need to finish {project} by {date}.
{project_c} [is|was|looks] {quality}.
I think {project} looks {quality}.
Who is working on {project}?
{name} is working on {project}.
{name} will send {project} {when}.
Let's talk about {project}[ first| now| tomorrow|].
We should [change|check|finish|test|discuss] {project}.
I [agree|don't agree] with {name} about {project}.
I don't agree with that.
Okay, let's [get started|move on|look at {project}|go on with {project}].
So [the first|the next|the last] [thing|point|question] is {project}.
What we [want|need|have] is [a {quality} design|more time|a better plan|more data].
Could you [say that again|explain {project}|send me {project}|speak a bit louder], please?
We [have|had] {few} [meetings|people|weeks|days] for {project}.
The [main|first|other|only] problem [is|was] {project}.
I would [say|suggest] that we [change|keep|drop|test] {project}.
Does anyone have [a question|an idea|something to say] about {project}?
{name}, what [is your opinion|do you think]?
In my opinion {project} is too {quality}.
We [spent|used|need] {amount} [dollars|euros|hours] [on|for] {project}.
Yeah, but [the problem is|I think|you know,] {project} is {quality}.
As {name} [said|mentioned|told us], {project} is {quality}.
The next meeting [is|will be] [on {date}|at {clock}|in {few} weeks].
[Maybe|Perhaps] we [could|should] [wait|ask {name}|use something else|start with {project}].
It [depends|really depends] on {project}.
Are there any [questions|comments|problems]?
There is [something new|nothing new|one more thing] about {project}.
[I'm|I am] not sure [if|whether] {project} [is ready|will work|is {quality} enough].
[We have|We've got] to [decide|think about|look at] {project} before {day}.
The [people|users|customers] [want|like|need] [something {quality}|a {color} one|{project}].
I [will|can] [write|send|finish|prepare] {project} [by {day}|{when}|for the next meeting].
"""

HELD_APART_FRAMES = """
[By the way|Listen], {name} never told us that {project} was {quality}.
For breakfast my {relative} usually takes {food} with {food}.
Since {month} I have worked with {name} at {place}.
Could somebody open the window, it is really {weather} in here?
We bought the {thing} together and it was {amount} dollars.
{name} asked whether {event} could start at {clock} instead.
On {day} my {relative} and I are going to paint the {thing} {color}.
Was it {name} or {name} who lost the {thing}?
Before she was {job_a}, {name} lived in {city} for {few} years.
How many people do we need for {project}?
Nobody knew why {name} was so {feeling}.
You can find the {color} {thing} next to the {thing}.
As soon as {event} is over, I will call you.
They say it was {weather} in {city} {when}.
I would rather have {food} than {food}.
Only {few} of us have seen {project}.
Although I like {city}, I am happy to be home again.
Let me show you the {thing} that {name} made.
Would {day} at {clock} be all right for you?
Every {month} the whole family meets in {city}.
The last time we spoke, you were {job_a}.
Both {name} and {name} want to learn {hobby}.
So who pays the {amount} dollars in the end?
I guess we still have to decide about {project}.
Wherever we go, {name} takes the {pet} along.
It was my {relative} who taught me {hobby}.
"""

OPENERS = [
    "Well,",
    "Okay,",
    "So,",
    "Yeah,",
    "Oh,",
    "And",
    "But",
    "Right,",
    "You know,",
    "I think",
    "Now",
    "Then",
]
# Words that keep their capital inside a sentence.
PROPER = (
    set(lex.NAMES)
    | set(lex.CITIES)
    | set(lex.WEEKDAYS)
    | set(lex.MONTHS)
    | {"I", "I'm", "Spanish", "French"}
)


def frames(block):
    """The frames of a block, one a line."""
    return [line for line in block.splitlines() if line]


TRAINED = {
    "facts": frames(FACTS),
    "plans": frames(PLANS),
    "chat": frames(CHAT),
    "meeting": frames(MEETING),
}
HELD_APART = frames(HELD_APART_FRAMES)

_LISTS = {
    "name": lex.NAMES,
    "city": lex.CITIES,
    "day": lex.WEEKDAYS,
    "month": lex.MONTHS,
    "ordinal": lex.ORDINALS,
    "digit": lex.ONES[:9],
    "place": lex.split(lex.PLACES),
    "food": lex.split(lex.FOODS),
    "hobby": lex.split(lex.HOBBIES),
    "relative": lex.split(lex.RELATIVES),
    "pet": lex.split(lex.PETS),
    "color": lex.split(lex.COLORS),
    "thing": lex.split(lex.THINGS),
    "quality": lex.split(lex.QUALITIES),
    "feeling": lex.split(lex.FEELINGS),
    "event": lex.split(lex.EVENTS),
    "project": lex.split(lex.PROJECTS),
    "weather": lex.split(lex.WEATHER),
    "when": lex.split(lex.MOMENTS),
    "job": lex.split(lex.JOBS),
    "illness": lex.split(lex.ILLNESSES),
    "my": ["My", "Your", "His", "Her", "Our", "Their"],
}
_MAKERS = {
    "number": lex.number,
    "amount": lex.amount,
    "clock": lex.clock,
    "year": lex.year,
    "date": lex.date,
    "few": lambda rng: lex.number(rng, 2, 20),
}


def capitalised(text):
    """`text` with its first letter in capitals."""
    return text[0].upper() + text[1:]


def fill(slot, rng):
    """The words for one slot; `_a` adds an article, `_c` a capital, `_l` takes it away."""
    base, _, form = slot.partition("_")
    words = _MAKERS[base](rng) if base in _MAKERS else rng.choice(_LISTS[base])
    if form == "a":
        return lex.with_article(words)
    if form == "c":
        return capitalised(words)
    return words.lower() if form == "l" else words


def expand(frame, rng):
    """One sentence from a frame."""
    chosen = re.sub(r"\[([^\]]*)\]", lambda found: rng.choice(found[1].split("|")), frame)
    return capitalised(re.sub(r"\{(\w+)\}", lambda found: fill(found[1], rng), chosen))


def opened(sentence, rng):
    """The sentence after an opener such as "Well,"."""
    first = re.match(r"[\w']+", sentence)[0]
    rest = sentence if first in PROPER else sentence[0].lower() + sentence[1:]
    return f"{rng.choice(OPENERS)} {rest}"


def sentence(block, rng):
    """One turn from a list of frames: a sentence, at times opened or followed by a second one."""
    text = expand(rng.choice(block), rng)
    if rng.random() < 0.15:
        text = opened(text, rng)
    if rng.random() < 0.15:
        text = f"{text} {expand(rng.choice(block), rng)}"
    return text


def turn(rng):
    """One training turn and the name of its block."""
    kind = rng.choice(list(TRAINED))
    return kind, sentence(TRAINED[kind], rng)


def words_known():
    """Every word the grammar can say, normalised, by expanding the lists rather than by chance."""
    spoken = [item for listing in _LISTS.values() for item in listing]
    spoken += (
        lex.ONES + lex.TENS + ["hundred", "thousand", "million", "o'clock", "noon", "midnight"]
    )
    every = [
        re.sub(r"\{\w+\}|[\[\]|]", " ", frame) for block in TRAINED.values() for frame in block
    ]
    return {
        word for text in spoken + every + OPENERS for word in re.findall(r"[a-z']+", text.lower())
    }
