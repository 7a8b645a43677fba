"""Planted talk: sentences of our own with marked spans, for what no public set labels.

`lines_of_facts.py` and `lines_of_opinions.py` hold templates, one a line. `<t+ ...>` marks a thing that is
felt about (`t` a thing as a whole, `a` one side of it; `+`, `-` or `0` the feeling), `<home ...>` the value
of a slot, `{food}` a word of a list. Templates of `HELD` are other wordings than those of training, and
lists are cut: the last quarter of each fills only `HELD`.
"""
import random
import re

LISTS = {
    "food": "coffee|sushi|pizza|dark chocolate|olives|green tea|pineapple on pizza|ramen|spicy food|cheesecake|mushrooms|oat milk|my mom's lasagna|fried rice|beer|red wine|kimchi|peanut butter|avocado toast|tacos|mint ice cream|broccoli|steak|the soup|that curry|pumpkin pie|lentils|goat cheese|black coffee|seafood",
    "activity": "hiking|running|baking|playing chess|swimming|yoga|gardening|driving at night|cooking|reading|doing laundry|camping|playing the piano|public speaking|rock climbing|ice skating|doing taxes|knitting|going to the gym|video games|fishing|painting|cleaning the kitchen|board games|cycling|drawing|skiing|birdwatching|shopping|surfing",
    "place": "Lisbon|the beach|my old school|this neighborhood|New York|the new office|that hotel|the museum|Canada|the library|our apartment|downtown|my hometown|the gym|Texas|that restaurant|the park|Japan|the mountains|the city|Berlin|the farm|Chicago|the campus|the cabin|Paris",
    "person": "my boss|my sister|my roommate|our teacher|my neighbor|Dan|the new manager|my brother-in-law|my professor|Maria|my landlord|the waiter|my coach|my cousin|her boyfriend|my dentist|my grandma|Kevin|my best friend|the nurse|my aunt|Tom|my colleagues|the driver",
    "product": "my new phone|this laptop|the car|my headphones|that app|the couch|my bike|this keyboard|the new camera|my old truck|these shoes|the blender|my watch|the TV|my backpack|that jacket|the printer|my tablet|the vacuum|this mattress|the scooter|my boots",
    "media": "that movie|Star Wars|the book|jazz|country music|the last season|that podcast|this song|horror films|Harry Potter|the news|anime|her new album|documentaries|the ending|reality shows|the Beatles|classical music|that series|sci-fi novels|the concert|rap",
    "event": "the wedding|our trip to Italy|the party|my job|the conference|Christmas|the game last night|my internship|the interview|Mondays|the commute|summer|winter|our vacation|homework|the math class|the marathon|my birthday|Thanksgiving|rainy days|the meeting|snow|the exam|long flights",
    "animal": "dogs|cats|my puppy|spiders|our old cat|horses|snakes|the neighbor's dog|birds|mosquitoes|my parrot|goats|turtles|wasps",
    "part_p": "battery|screen|camera|price|sound|design|keyboard|charger|software|size|color|speaker|weight|buttons|seats|engine|case|zipper|display|handle",
    "part_m": "ending|plot|acting|soundtrack|characters|story|pacing|lyrics|animation|first chapter|dialogue|cast|humor|narrator",
    "part_e": "food|music|weather|crowd|service|speeches|view|room|staff|organization|location|breakfast|host|traffic|schedule|noise",
    "good": "great|amazing|wonderful|so good|awesome|fantastic|really nice|perfect|beautiful|the best|delicious|super fun|lovely|brilliant|excellent|pretty cool|adorable|incredible|so relaxing|excellent|impressive|a lot of fun|solid",
    "bad": "terrible|awful|so boring|horrible|the worst|disgusting|really annoying|a nightmare|too expensive|disappointing|ugly|gross|a waste of money|overrated|way too loud|stressful|pretty bad|unbearable|exhausting|such a letdown|rude|useless|painful to watch",
    "love": "love|adore|really like|really enjoy|am a big fan of|am obsessed with|am so in love with|can't get enough of|absolutely love|like|enjoy|totally love|am crazy about|really appreciate",
    "hate": "hate|can't stand|really dislike|despise|am so sick of|don't like|am tired of|can't bear|am not a fan of|really hate|am fed up with|loathe|am scared of|do not enjoy|never liked",
    "city": "Lisbon|Seattle|Toronto|a small town near Austin|Denver|Salt Lake City|Munich|Boston|Portland|Manchester|Nairobi|San Diego|Osaka|Utah|Ohio|Florida|the Netherlands|Brazil|Chicago|Buenos Aires|rural Kansas|Dublin|New Jersey|Warsaw|a village outside Lyon|Cape Town|Vancouver|Arizona|Helsinki|Atlanta|Edinburgh|Leeds|Tucson|Madrid",
    "job": "nurse|software engineer|teacher|graphic designer|truck driver|chef|research assistant|lawyer|barista|carpenter|accountant|photographer|firefighter|tutor|data analyst|waitress|pharmacist|electrician|librarian|plumber|translator|veterinarian|dental hygienist|social worker|journalist|cashier",
    "firm": "Siemens|a bank|a small startup|Google|the city hospital|a law firm|Target|a bakery|the university|Boeing|a call center|an insurance company|a dental clinic|Walmart|the post office|a hotel downtown|Spotify|a bookstore|an airline|the public library",
    "age": "34|nineteen|27|twenty one|45|18|sixty two|22|thirty|51|23|twenty-six|38|sixteen|70|29|forty|33",
    "phone": "555 0142|206-555-0199|+44 20 7946 0018|801 555 0123|0171 555 0110|five five five oh one nine two|312 555 0167|+1 415 555 0133|020 7946 0991|702-555-0108|+49 30 5550 0142|619 555 0155",
    "name": "Anna|Mark|Lucy|Daniel|Priya|Jake|Sofia|Ben|Olivia|Carlos|Emma|Ryan|Mei|Tyler|Hannah|Omar|Chloe|Sam|Laura|Victor|Nina|Paul|Ingrid|Theo",
    "spouse": "husband|wife|boyfriend|girlfriend|partner|fiance|fiancee|spouse",
    "kin": "brother|sister|mom|dad|son|daughter|grandfather|uncle|cousin|grandma|twin sister|older brother|stepdad|nephew|half sister",
    "kids": "two kids|three daughters|a son|twins|four brothers|a younger sister|two dogs|a cat named Milo|a golden retriever|a parrot|five siblings|a baby girl|an old horse|a guinea pig",
    "food_n": "peanuts|shellfish|gluten|cats|pollen|dairy|eggs|penicillin|strawberries|bee stings|soy|dust",
    "subject": "biology|computer science|economics|psychology|history|mechanical engineering|nursing|French literature|accounting|music education|chemistry|philosophy|linguistics|statistics",
    "instrument": "guitar|piano|violin|drums|cello|flute|trumpet|ukulele|harp|saxophone",
    "lang": "Spanish|German|Mandarin|French|Portuguese|Korean|Italian|Russian|sign language|Arabic|Polish|Dutch",
    "ill": "asthma|diabetes|celiac disease|migraines|ADHD|arthritis|a bad knee|anxiety|high blood pressure|dyslexia",
    "doing": "running my own shop|taking my kids to the park|teaching the little ones|helping people move|cooking for my friends|writing about history|working with my hands|playing football with my brothers|looking after my grandmother|being outside in the rain|spending a day at the lake|having people over|making my own bread|living near the sea|getting up early|driving a truck|having breakfast on the balcony|growing my own tomatoes|fixing old radios|singing in front of people|being on stage|waiting in line|sharing a room with my sister|working at night|seeing my students grow|walking my dog in the woods|having a garden|being alone in the house|telling stories to children|arguing with my boss|cleaning up after others|riding the bus to work",
    "pet": "a puppy|a kitten|two cats|a rabbit|a rescue dog|a pair of budgies|a tortoise|an old greyhound|a hamster|three hens",
    "shop": "bakery|repair shop|hair salon|food truck|flower shop|studio|restaurant|bike shop|print shop|cafe",
    "club": "a choir|a rowing club|the school board|a book club|the volunteer ambulance|a chess club|the union|a band|a climbing team|the army reserve|a mosque|a theater group",
    "charity": "the food bank|a nursing home|the animal hospital|the community garden|a soup kitchen|the youth club|the refugee center|the village library|the crisis line|a hospice",
    "thing_small": "a new mug|a lamp|a raincoat|new curtains|a toaster|sunglasses|a plant for the window|new socks|a poster|a cheap bike pump|a scarf|a phone case|a cookbook|a pillow",
    "ago": "yesterday|last week|last month|two weeks ago|a few days ago|last Friday|this morning|on Monday|back in March|a while ago|recently|over the summer",
    "when": "yesterday|this morning|last night|on Saturday|an hour ago|last week|today|tonight|tomorrow|next weekend|in a bit|right now",
    "n": "two|three|four|five|seven|ten|twelve|fifteen|twenty",
}

THINGS = ["food", "activity", "place", "person", "product", "media", "event", "animal"]
OPENERS = ["well, ", "yeah, ", "honestly, ", "I mean ", "you know, ", "oh, ", "haha ", "so ", "actually, ",
           "um ", "to be honest, ", "and ", "but ", "no, "]
TAILS = [" lol", " haha", " you know", " to be honest", " actually", " too", " :)", " though"]
# what stands before and after a piece of news; `{ago}` is a time, `{name}` whom it is told
BEFORE = ["", "", "", "{ago} ", "so {ago} ", "guess what, ", "guess what - ", "guess what! ", "good news, ", "big news: ",
          "hey {name}, ", "hi {name}! ", "by the way, ", "you won't believe it, but ", "not sure if I told you, but ",
          "sorry I didn't write, ", "things have been hectic, ", "did I tell you that ", "I wanted to tell you that ",
          "since we last talked ", "well, ", "oh, and ", "no big plans, but ", "{ago}, "]
AFTER = ["", "", "", "", " {ago}", " {ago}", ", {ago}", " and I'm so happy about it", " and it's been a lot", ", can you believe it",
         " so I'm a bit stressed", ", which is great", " after all", " and it's going well", ", finally", " with my {kin}"]
MARK = re.compile(r"<(\S+) ([^<>]*)>")
# words before a name that are no part of it
LOOSE = re.compile(r"((a|an|the|this|that|these|those|my|our|her|his|some|your|their) )*", re.I)
HOLE = re.compile(r"\{(\w+)\}")


def words_of(name, held):
    words = LISTS[name].split("|")
    cut = len(words) * 3 // 4
    return words[cut:] if held else words[:cut]


def fill(template, draw, held):
    def word(match):
        name = match.group(1)
        if name in ("X", "Y"):
            name = draw.choice(THINGS)
        if name == "activity_plain":
            # "I was hiking": only verbs in -ing
            verbs = [it for it in words_of("activity", held) if it.split()[0].endswith("ing")]
            return draw.choice(verbs)
        return draw.choice(words_of(name, held))
    # lists may not nest, so one pass is enough
    return HOLE.sub(word, template)


def spoken(text, draw):
    """As people talk and write: openers, tails, no full stop."""
    if draw.random() < 0.25:
        text = draw.choice(OPENERS) + text
    if draw.random() < 0.3:
        text = text.rstrip(".!")
    if draw.random() < 0.12 and not text.endswith("?"):
        text = text.rstrip(".!") + draw.choice(TAILS)
    return text


def marked(text):
    """The text without marks, and its spans: start, end, mark."""
    spans, out, last = [], "", 0
    for match in MARK.finditer(text):
        out += text[last:match.start()]
        start = len(out) + LOOSE.match(match.group(2)).end()
        spans.append((start, len(out) + len(match.group(2)), match.group(1)))
        out += match.group(2)
        last = match.end()
    return out + text[last:], spans


def draw_all(lines, each, seed, held=False):
    """Sentences with their spans, each line filled `each` times."""
    draw = random.Random(seed)
    found = {}
    for line in filter(None, lines.splitlines()):
        for _ in range(each if "{" in line else max(1, each // 6)):
            text, spans = marked(spoken(fill(line, draw, held), draw))
            found[text] = spans
    return list(found.items())


def told(lines, each, seed, held=False):
    """News as people tell it: each line `each` times, wrapped in openers, times and endings."""
    draw = random.Random(seed)
    found = {}
    for line in filter(None, lines.splitlines()):
        for _ in range(each):
            text = draw.choice(BEFORE) + line + draw.choice(AFTER) + draw.choice([".", ".", "!", "", " lol"])
            text = fill(text, draw, held)
            found[text[0].upper() + text[1:] if draw.random() < 0.8 else text] = []
    return list(found.items())
