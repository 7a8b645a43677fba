"""Texts as Whisper's English normaliser leaves them, and word errors as jiwer counts them.

Writes fixtures/golden/wer.json. The list of British spellings is taken out of the normaliser:
benches has none. Needs whisper-normalizer and jiwer; see README.md.
"""

import json
from pathlib import Path

import jiwer
from whisper_normalizer.english import EnglishTextNormalizer

OUT = Path(__file__).parents[2] / "fixtures" / "golden" / "wer.json"

TEXTS = """We leave for Lisbon on Friday.
Who's feeding the cat? I can't, and Bo won't.
Let's say it isn't so; she'd gone, he's been away, they'd been told.
I'm gonna call Dr. Novak, Mrs. Lee and St. Mary's.
Um, uh, hmm: well, mm, I dunno.
She said (quietly) that it costs <unk> nothing [laughs] at all.
Zoë's café: déjà vu, naïve, Łódź, straße, Ægir and smørrebrød.
It 's late , is n't it ?
Twenty three people came.
There were one hundred and five of them.
Two hundred and fifty thousand, three hundred and twelve.
In nineteen ninety five we moved.
In two thousand and eight, or twenty oh nine.
The year 2019, not 2,019 days.
He finished twenty first, she came third, and I was the one hundred and second.
The nineties and the sixties, her twenties.
One of the ones I like.
One, two, three, four, five.
Room one oh one, extension four oh double six.
Triple nine, double o seven.
It costs twenty dollars.
It costs $20 million, or 3 pounds 50.
Two dollars and seven cents, please.
Ten thousand dollars and fifty cents.
Only five cents. Zero euros.
Minus five degrees, plus two, negative feelings.
Three point one four one five nine.
Two and a half hours, three million and a half.
A friend and a half.
Fifty percent, 12 per cent, 7%, per person.
At 3:30pm on the 4th of July 1999.
He is 6ft 2in tall and weighs 80kg.
The 1960s, the 274th and the 32nd.
One thousand two hundred.
Twelve hundred miles.
Three thousand five.
A million thanks, millions of them, the millionth visitor.
Four score and seven years ago.
Ninety-nine red balloons and sixty-four thousand questions.
Sixteen eleven, eleven sixteen.
Five hundred thousand.
One hundred one.
Seven hundred and seventy seven.
Eighteen hundred and twelve.
Two two four.
Twenty twenty.
Thirty five hundred.
Point five is half.
What's the point?
The point seven people made.
First things first.
A second, please; the seconds, the thirds and the fifths.
She ate one and he ate two.
One hundred and one hundred.
Nought, nil, zero.
Oh no, oh dear!
Zero point zero five.
One point five million.
One point two three four thousand.
Seven million two hundred thousand and one.
Twenty five cents a piece.
£5 and ¢7
$2 and ¢7 more
$0.50 is ¢50
100% of 50 % is 50.
The eighth, ninth, tenth, eleventh, twelfth, thirteenth.
The twentieth, thirtieth, twenty first and ninety ninth.
The hundredth, thousandth, two hundredth.
Sixes and sevens, eights and nines.
U.S.A. and e.g. i.e. etc.
v1.2.3 and 192.168.0.1
Call 555-1234 now.
And then, and five, and.
Double trouble, triple jump.
I've, you've, we'll, they'd, it's, we're, don't, didn't, couldn't've.
Y'all ain't gonna wanna; I shoulda, coulda, woulda.
Rock 'n' roll in the '90s.
Mr and Mrs Smith Jr.
Prof. Capt. Gov. Gen. Sen. Rep. Pres. Rev.
"Quoted" ‘quoted’ “quoted” — dash – dash … dots
ALL CAPS AND Mixed Case
a_b c/d e\\f g|h
tab\there, new\u00a0space
twenty-one, twenty - one
1,000,000 and 1,2,3
a1 b2c 3d
five five five one two one two
nine eleven
twenty four seven
plus
minus one
one plus one is two
two per cent per year
dollar bills and fifty dollar bills
it's been got, he's got it
hundred and
and hundred
one hundred and fifty and five
first second third
twenty and thirty
zero zero seven
o o o
point
five point
five point apples
thirty second break
one second one""".splitlines()

PAIRS = [
    ("the cat sat on the mat", "the cat sat on the mat"),
    ("the cat sat on the mat", "the cat sat on mat"),
    ("the cat sat on the mat", "a cat sat on on the mat"),
    ("the cat sat on the mat", "completely other words"),
    ("the cat sat on the mat", ""),
    ("Don't go!", "do not go"),
    ("It's twenty dollars.", "its $20"),
    ("She came in nineteen ninety five.", "She came in 1995"),
    ("I have 3 cats and a dog.", "i have three cats and the dog"),
    ("Dr. Novak lives in Graz.", "doctor nowak lives in graz"),
    ("we leave for lisbon on friday morning", "we live for listen on friday"),
    ("who feeds the cat", "who feeds that cat who feeds"),
    ("one two three four five six seven", "one two three four five six eleven"),
    ("yes yes yes", "yes"),
    ("no", "no no no no no"),
    ("a b c d e f g h", "b c d e f g h i"),
    ("a b c d e f g h", "h g f e d c b a"),
    ("um I think uh that we should", "I think that we should"),
]


def main():
    normaliser = EnglishTextNormalizer()
    normaliser.standardize_spellings.mapping = {}

    def plain(text):
        return " ".join(normaliser(text).split())

    errors = []
    for said, heard in PAIRS:
        found = jiwer.process_words(plain(said), plain(heard))
        errors.append(
            {
                "said": said,
                "heard": heard,
                "words": found.hits + found.substitutions + found.deletions,
                "errors": found.substitutions + found.deletions + found.insertions,
            }
        )
    golden = {"normalised": [[text, plain(text)] for text in TEXTS], "errors": errors}
    OUT.write_text(json.dumps(golden, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
