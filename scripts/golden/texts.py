"""Texts that the golden files are made of: plain speech, odd characters, and the edges."""

SPEECH = [
    "We leave for Lisbon on Friday.",
    "Who feeds the cat?",
    "Anna said she would, but only until the twelfth.",
    "yeah",
    "no no, I mean the other one",
    "My brother Tom moved to Rotterdam in 2019 and works as a carpenter.",
    "The meeting is at half past seven, not at eight!",
    "I'm not sure we've got enough money for that, to be honest.",
    "It costs 1,250.75 euros; with the discount 1.100.",
    "She can't stand coffee, she drinks green tea instead.",
    "The doctor told me to come back in three weeks.",
    "The physician asked me to return in twenty-one days.",
    "um so the thing is the boat it it needs a new engine",
]

ODD = [
    "Crème brûlée at the café in Zürich, Ærøskøbing and Łódź",
    "ΠΡΟΣΟΧΉ Привет, как дела? İstanbul Ⅷ ﬁnal",
    "今日は良い天気ですね。我们明天去上海。",
    "안녕하세요 여러분 नमस्ते दुनिया สวัสดี مرحبا بالعالم שלום",
    "e\u0301te\u0301 co\u0302te\u0301 \u200bzero\u200dwidth\u00adsoft\ufeffmark",
    "tabs\tand\nlines\r\nand\u00a0blanks\u3000wide\u2028sep\u0085nel",
    "emoji 👍🏽 👨‍👩‍👧 ❤️ ♥ © ™ € £ ½ ² №",
    "punct—dash “quotes” ‘single’ ‹x› …! ¿qué? «oui» §5 a_b c^d e~f `g` $h +i <j> |k|",
    "[CLS] is not [cls]; [MASK]ed [SEP][PAD] [UNK] [unused5] ##ing",
    "https://example.org/a?b=c&d=%20e user@example.org 12:30 2025-03-01T10:00:00Z",
    "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen",
    "a" * 100 + " " + "a" * 101 + " " + "ü" * 101,
    "\U0001f9ff\U00020000\U0002b920\U0002b820 x\ue000y\U000f0000z \U0001d538\U0001d504",
]

EDGE = ["", " ", "?", "\u0000\u0001"]

# 256 tokens are the limit with the two special ones: 254 words stay, the rest is cut.
LONG = [
    " ".join(["boat"] * 254),
    " ".join(["boat"] * 254 + ["engine"] * 40),
    " ".join(f"Sentence number {i} of a talk that went on and on." for i in range(60)),
]
