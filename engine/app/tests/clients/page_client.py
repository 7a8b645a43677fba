"""The page in a browser: its shell, Live, Ask, Sessions, Settings:
page_client.py WEIR FOLDER BROWSER PAGE WAV WORD"""

import pathlib
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
import wave

from page_support import HOSTILE, PHONE, ROWS_MAX, Server, accessible, browser, everywhere, expect, page_of, rounds, tab_to

weir, folder, program, files, wav, word = sys.argv[1:7]
WEIGHT_MAX = 300_000
SAID = [
    ("Ana", "The spare key is under the fern, next to the door."),
    ("Bob", "We leave for Lisbon on Friday morning."),
    ("Ana", "My sister Carla feeds the cat while we are away."),
    ("Bob", "Carla lives in Porto."),
]


def live(session):
    return f"#/{session}/live"


def weighs_little(server):
    """All that any view may fetch, as it is sent and when it is unpacked."""
    kinds, weights = (".html", ".js", ".css", ".svg", ".woff2"), {}
    for encoding in ("gzip", "identity"):
        weights[encoding] = 0
        for file in pathlib.Path(files).rglob("*"):
            if file.suffix in kinds:
                address = f"{server.address}/page/{file.relative_to(files)}"
                request = urllib.request.Request(address, headers={"accept-encoding": encoding})
                weights[encoding] += len(urllib.request.urlopen(request).read())
    print(f"the page weighs {weights['gzip']} bytes, {weights['identity']} when unpacked")
    assert weights["identity"] < WEIGHT_MAX, weights


def looks_right(server, running):
    server.hear("home", SAID)
    server.send("PUT", "/v1/sessions/empty", {})
    views = {
        "live": live("home"),
        "live, empty": live("empty"),
        "ask": "#/home/ask",
        "ask, empty": "#/empty/ask",
        "sessions": "#/sessions",
        "settings": "#/settings",
        "absent": live("nobody"),
        "not found": "#/home/nothing",
    }
    there = {
        "live": "Carla lives in Porto.",
        "live, empty": "Nothing was heard yet",
        "ask": "What would you like to know?",
        "ask, empty": "There is nothing to ask about yet",
        "sessions": "New session",
        "settings": "Room for about",
        "absent": "There is no session",
        "not found": "There is no such page",
    }

    def ready(page, name):
        expect(page.get_by_role("main").get_by_text(there[name]).first).to_be_visible()
        if name == "ask":
            page.get_by_label("Ask about anything").fill("Where is the spare key?")
            page.get_by_label("Check claims").check()
            page.keyboard.press("Tab")
            page.get_by_role("button", name="Ask", exact=True).click()
            expect(page.locator(".answer-text")).to_contain_text("under the fern")
            page.get_by_role("button", name="Evidence 1: Ana").click()
            expect(page.get_by_role("region", name="Evidence 1")).to_contain_text("under the fern")
            expect(page.get_by_text("supported").first).to_be_visible()

    everywhere(running, server.address, views, ready)


def works_by_keyboard(server, running):
    with page_of(running) as page:
        page.goto(f"{server.address}/#/sessions")
        make = page.get_by_role("button", name="New session")
        expect(make).to_be_visible()
        tab_to(page, make)
        page.keyboard.press("Enter")
        expect(page.get_by_label("Name", exact=True)).to_be_focused()
        page.keyboard.type("by-hand")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Nothing was heard yet")).to_be_visible()
        expect(page).to_have_title("Live · by-hand · Weir")
        expect(page.get_by_role("main")).to_be_focused()
        server.hear("by-hand", SAID)
        expect(page.get_by_text("Carla lives in Porto.").first).to_be_visible()
        expect(page.get_by_role("log")).to_contain_text("Bob: Carla lives in Porto.")
        last = page.locator("[data-row]").last
        tab_to(page, last)
        page.keyboard.press("ArrowUp")
        expect(page.locator(":focus")).to_contain_text("My sister Carla")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        dialog = page.get_by_role("dialog", name="Who is “Bob”?")
        expect(dialog.get_by_label("Name")).to_be_focused()
        accessible(page, "naming a speaker")
        page.keyboard.type("Robert")
        page.keyboard.press("Enter")
        expect(dialog).to_have_count(0)
        expect(page.get_by_role("button", name="Robert: name").first).to_be_visible()
        assert not page.get_by_role("button", name="Bob: name").count()
        tab_to(page, page.get_by_role("link", name="Ask", exact=True))
        page.keyboard.press("Enter")
        question = page.get_by_label("Ask about anything")
        expect(page.get_by_role("main")).to_be_focused()
        tab_to(page, question)
        page.keyboard.type("Where does Carla live?")
        page.keyboard.press("Enter")
        expect(page.locator(".answer-text")).to_contain_text("Carla lives in Porto.")
        # it is said once
        expect(page.get_by_role("article").get_by_text("Carla lives in Porto.")).to_have_count(1)
        page.keyboard.type("What does she feed?")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Understood as: What does Carla feed?")).to_be_visible()
        expect(page.get_by_role("article").last).to_contain_text("feeds the cat")
        page.keyboard.type("Where is the spare key?")
        page.keyboard.press("Enter")
        expect(page.get_by_role("article")).to_have_count(3)
        expect(page.get_by_role("article").last).to_contain_text("under the fern")
        chip = page.get_by_role("article").last.get_by_role("button", name="Evidence 1: Ana")
        tab_to(page, chip)
        page.keyboard.press("Enter")
        expect(chip).to_have_attribute("aria-expanded", "true")
        expect(page.locator(".around-line.marked")).to_contain_text("under the fern")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator(".line.marked")).to_contain_text("under the fern")
        page.reload()
        expect(page.locator(".line.marked")).to_contain_text("under the fern")
        page.goto(f"{server.address}/#/by-hand/ask")
        expect(page.get_by_role("article")).to_have_count(3)
    too_long = {"question": "Why?", "conversation": "x" * 65}
    try:
        server.send("POST", "/v1/sessions/by-hand/ask", too_long)
        raise AssertionError("a name of any length")
    except urllib.error.HTTPError as refused:
        assert refused.code == 400, refused


def says_what_is_not_known(server, running):
    server.hear("little", SAID)
    with page_of(running, PHONE, "dark") as page:
        page.goto(f"{server.address}/#/little/ask")
        page.get_by_label("Ask about anything").fill("What is the phone number of the dentist?")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Nothing in memory")).to_be_visible()
        accessible(page, "nothing known")
        page.get_by_role("button", name="More").click()
        accessible(page, "more")
        page.get_by_role("link", name="Settings").click()
        page.get_by_role("radio", name="Dark").check()
        page.emulate_media(color_scheme="light")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"
        page.reload()
        expect(page.get_by_role("radio", name="Dark")).to_be_checked()
        budget = page.get_by_label("Budget in tokens")
        budget.fill("256")
        page.get_by_role("button", name="Save").click()
        expect(page.get_by_text("Saved; nothing was forgotten.")).to_be_visible()
        held = server.get("/v1/sessions/little")["memory"]
        assert held["budget_tokens"] == 256, held
        budget.fill("3")
        expect(page.get_by_role("button", name="Save")).to_be_disabled()


def hears_a_recording(server, running):
    with page_of(running, expected=("404", "400")) as page:
        page.goto(f"{server.address}/{live('sound')}")
        expect(page.get_by_text("There is no session “sound”")).to_be_visible()
        page.get_by_role("button", name="Make it").click()
        expect(page.get_by_text("Nothing was heard yet")).to_be_visible()
        page.locator("input[accept*=audio]").set_input_files(wav)
        dialog = page.get_by_role("dialog", name="Add a recording")
        expect(dialog.get_by_text("said.wav")).to_be_visible()
        expect(dialog.get_by_text("4 sec")).to_be_visible()
        accessible(page, "a recording")
        dialog.get_by_label("When it was recorded").fill("2026-11-20T10:30")
        dialog.get_by_role("button", name="Transcribe").click()
        expect(page.get_by_text(word).first).to_be_visible()
        expect(page.get_by_text("4 sec heard")).to_be_visible()
        expect(page.get_by_role("heading", name="20 Nov 2026")).to_be_visible()
        page.get_by_role("button", name="Play what").first.click()
        expect(page.get_by_role("button", name="Stop the sound")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Stop the sound")).to_have_count(0)
        broken = pathlib.Path(folder) / "broken.mp3"
        broken.write_bytes(b"no sound")
        page.locator("input[accept*=audio]").set_input_files(broken)
        page.get_by_role("button", name="Transcribe").click()
        expect(page.get_by_role("alert")).to_be_visible()
        accessible(page, "a recording that is none")


def imports_a_chat(server, running):
    """A file is looked at first: who speaks, and how much is left out; imported again it has nothing new."""
    chat = pathlib.Path(folder) / "chat.txt"
    chat.write_text(
        "31/01/2026, 18:02 - Messages are end-to-end encrypted.\n"
        "31/01/2026, 18:02 - Mara: The ferry leaves at seven.\nBring the tickets.\n"
        "31/01/2026, 18:05 - Jon: <Media omitted>\n31/01/2026, 18:06 - Jon: I will.\n"
    )
    server.send("PUT", "/v1/sessions/chats", {})
    with page_of(running) as page:
        page.goto(f"{server.address}/{live('chats')}")
        for new in (2, 0):
            page.locator("input[accept*=zip]").set_input_files(chat)
            dialog = page.get_by_role("dialog", name="Import conversations")
            expect(dialog.get_by_text("Mara (1)" if new else "already in this session")).to_be_visible()
            if not new:
                expect(dialog.get_by_role("button", name="message")).to_have_count(0)
                break
            accessible(page, "an import")
            dialog.get_by_role("button", name="Import 2 messages").click()
            expect(page.get_by_text("2 messages imported.")).to_be_visible()
            expect(page.get_by_text("Bring the tickets.").first).to_be_visible()


def stops_a_recording(server, running):
    """A long one: it is seen how far it is, also from another view, and it ends when it is stopped."""
    long = pathlib.Path(folder) / "long.wav"
    with wave.open(wav) as short, wave.open(str(long), "wb") as whole:
        whole.setparams(short.getparams())
        frames = short.readframes(short.getnframes())
        for _ in range(150):
            whole.writeframes(frames)
    server.send("PUT", "/v1/sessions/stopped", {})
    with page_of(running) as page:
        page.goto(f"{server.address}/{live('stopped')}")
        page.locator("input[accept*=audio]").set_input_files(long)
        page.get_by_role("button", name="Transcribe").click()
        bar = page.get_by_role("progressbar", name="long.wav")
        expect(bar).to_be_visible()
        page.wait_for_function("it => Number(it.ariaValueNow) > 0", arg=bar.element_handle())
        accessible(page, "a recording that is heard")
        page.get_by_role("link", name="Ask", exact=True).click()
        expect(page.get_by_text("Transcribing")).to_be_visible()
        page.get_by_role("link", name="Live", exact=True).click()
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.get_by_text("what was heard before is kept")).to_be_visible()
        expect(page.get_by_role("progressbar")).to_have_count(0)
    # the server ends it too, and long before its end
    sounds = lambda: server.get("/v1/sessions/stopped/since_opened")["audio_ms"]
    until = time.monotonic() + 120
    while sounds() == 0 and time.monotonic() < until:
        time.sleep(0.5)
    heard = sounds()
    time.sleep(3)
    assert 0 < heard == sounds() < 300_000, (heard, sounds())


def tells_the_true_reason(server, running):
    """Of a server that answers and refuses; the page says it in its banner, without a folder."""
    full = {"type": "about:blank", "title": "Insufficient Storage", "status": 507, "class": "storage",
            "detail": "the disk is full: 0 bytes are free"}
    server.hear("full", SAID[:1])
    with page_of(running, expected=("507",)) as page:
        page.route("**/v1/sessions/full/events", lambda route: route.fulfill(status=507, json=full))
        page.goto(f"{server.address}/{live('full')}")
        expect(page.get_by_text("The disk is full: 0 bytes are free.")).to_be_visible()
        accessible(page, "a full disk")


def knows_what_a_session_is_about(server, running):
    server.hear("about", [*SAID, ("Cem", "The boat is in the harbour of Porto."), ("Dora", "It needs a sail.")])
    server.send("POST", "/v1/sessions/about/changes", "flush")
    with page_of(running, PHONE) as page:
        page.goto(f"{server.address}/#/sessions")
        item = page.get_by_role("listitem").filter(has=page.get_by_role("link", name=re.compile("^about")))
        expect(item).to_contain_text("6 utterances")
        expect(item).to_contain_text("and 1 other")
        expect(item.locator(".session-title")).to_contain_text(re.compile("Ana|Bob|Cem|Dora"))
        accessible(page, "sessions, what they are about")


def hears_the_microphone(server, program):
    server.send("PUT", "/v1/sessions/spoken", {})
    real = ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"]
    with browser(program, *real, f"--use-file-for-fake-audio-capture={wav}%noloop") as running:
        cut = ("WebSocket connection", "Failed to load resource")
        with page_of(running, permissions=["microphone"], expected=cut) as page:
            page.goto(f"{server.address}/{live('spoken')}")
            page.get_by_role("button", name="Microphone").click()
            expect(page.get_by_text("Listening for “spoken”")).to_be_visible()
            level = page.get_by_role("meter", name="Level of the microphone")
            page.wait_for_function("it => Number(it.ariaValueNow) > 20", arg=level.element_handle())
            accessible(page, "the microphone")
            page.get_by_role("link", name="Ask", exact=True).click()
            expect(page.get_by_text("Listening for “spoken”")).to_be_visible()
            page.get_by_role("link", name="Live", exact=True).click()
            expect(page.get_by_text(word).first).to_be_visible()
            server.stop()
            expect(page.get_by_text("Reconnecting; the sound waits")).to_be_visible()
            server.start()
            expect(page.get_by_text("Listening for “spoken”")).to_be_visible()
            page.get_by_role("button", name="Stop listening").click()
            expect(page.get_by_text("of it speech")).to_be_visible()
    with browser(program) as running, page_of(running) as page:
        page.goto(f"{server.address}/{live('spoken')}")
        page.get_by_role("button", name="Microphone").click()
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text(re.compile("There is no microphone|was not allowed"))
        accessible(page, "no microphone")
        page.add_init_script("Object.defineProperty(window, 'isSecureContext', {value: false})")
        page.reload()
        page.get_by_role("button", name="Microphone").click()
        expect(alert).to_contain_text(f"http://localhost:{server.port}")


def comes_back(server, running):
    with page_of(running, expected=("Failed to load resource", "ERR_")) as page:
        server.hear("back", SAID[:2])
        page.goto(f"{server.address}/{live('back')}")
        state = page.get_by_label("Connection")
        expect(state).to_have_text("Connected")
        expect(page.get_by_text(SAID[1][1])).to_be_visible()
        server.stop()
        expect(state).to_have_text("Reconnecting")
        expect(page.get_by_text("The server does not answer.")).to_be_visible()
        accessible(page, "no server")
        server.start()
        server.hear("back", SAID[2:])
        expect(state).to_have_text("Connected")
        expect(page.get_by_text(SAID[3][1]).first).to_be_visible()
        rows = page.locator(".line-text")
        expect(rows).to_have_text([text for _, text in SAID])
        server.hear("back", [("Ana", "And the page is here again.")])
        expect(rows).to_have_text([text for _, text in SAID] + ["And the page is here again."])


def a_session_is_deleted_elsewhere(server, running):
    with page_of(running, expected=("404",)) as page, page_of(running) as other:
        server.hear("gone", SAID)
        page.goto(f"{server.address}/{live('gone')}")
        expect(page.get_by_text(SAID[0][1])).to_be_visible()
        other.goto(f"{server.address}/#/sessions")
        other.get_by_role("button", name="Delete gone").click()
        accessible(other, "to delete a session")
        expect(other.get_by_role("button", name="Cancel")).to_be_focused()
        other.get_by_role("button", name="Delete it").click()
        expect(other.get_by_role("dialog", name="Receipt")).to_contain_text("is deleted")
        expect(other.get_by_text("Files overwritten and removed")).to_be_visible()
        accessible(other, "a receipt")
        other.get_by_role("button", name="Done").click()
        expect(other.get_by_role("button", name="Delete gone")).to_have_count(0)
        expect(page.get_by_text("The session “gone” was deleted")).to_be_visible()
        expect(page.get_by_label("Connection")).to_have_text("Session deleted")
        accessible(page, "a session that was deleted")
        assert "gone" not in [it["name"] for it in server.get("/v1/sessions")]


def hostile_text_is_text(server, running):
    with page_of(running) as page:
        name = HOSTILE[:60]
        server.hear("hostile", [(name, HOSTILE), ("Ana", f"I heard {HOSTILE} from them.")])
        page.goto(f"{server.address}/{live('hostile')}")
        expect(page.get_by_text(HOSTILE, exact=True)).to_be_visible()
        page.get_by_role("button", name=name[:20]).first.click()
        page.get_by_label("Name", exact=True).fill("<b onclick=window.hurt=3>Eve</b>")
        page.get_by_role("button", name="Save the name").click()
        expect(page.get_by_text("<b onclick=window.hurt=3>Eve</b>", exact=True).first).to_be_visible()
        page.goto(f"{server.address}/#/hostile/ask")
        page.get_by_label("Ask about anything").fill(f"What did Ana hear? {HOSTILE}")
        page.keyboard.press("Enter")
        expect(page.get_by_role("article")).to_contain_text("<script>")
        expect(page.locator(".answer-text")).to_be_visible()
        assert page.evaluate("window.hurt") is None
        assert page.locator("main script, main img, main b").count() == 0


def looks_different(server, running):
    """Also where there are more speakers than colours."""
    names = ["Ana", "Bob", "Cem", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "Jan"]
    server.hear("many", [(name, f"I am {name}.") for name in names])
    with page_of(running) as page:
        page.goto(f"{server.address}/{live('many')}")
        expect(page.locator("button.speaker")).to_have_count(len(names))
        looks = page.eval_on_selector_all("button.speaker", "all => all.map((it) => it.className)")
        assert len(set(looks)) == len(names), looks
        assert sum("mark1" in it for it in looks) == len(names) - 8, looks
        # a dialog gives the focus back to what opened it
        last = page.locator("button.speaker").last
        last.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(last).to_be_focused()


def loads_again_by_itself(server, running):
    with page_of(running, expected=("ERR_",)) as page:
        page.route("**/v1/sessions/many/speakers", lambda route: route.abort())
        page.goto(f"{server.address}/#/many/people")
        expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
        page.unroute("**/v1/sessions/many/speakers")
        expect(page.locator(".person-name").first).to_have_text("Ana")
        expect(page.get_by_role("alert")).to_have_count(0)


def stays_open_for_a_week(server, running):
    with page_of(running) as page:
        page.clock.install()
        server.hear("week", SAID[:1])
        page.goto(f"{server.address}/{live('week')}")
        expect(page.get_by_text(SAID[0][1])).to_be_visible()
        expect(page.get_by_role("heading", name="today")).to_be_visible()
        connections = []
        page.on("request", lambda it: connections.append(it) if it.url.endswith("/events") else None)
        for _ in range(7 * 24):
            page.clock.fast_forward("01:00:00")
        server.hear("week", SAID[1:])
        page.clock.resume()
        expect(page.get_by_text(SAID[3][1]).first).to_be_visible()
        rows = page.locator(".line-text")
        expect(rows).to_have_text([text for _, text in SAID])
        expect(page.get_by_label("Connection")).to_have_text("Connected")
        # one that was silent for too long is replaced, and none is left behind
        assert len(connections) <= 7 * 24 + 2, len(connections)


def said_at(turn):
    return f"2026-11-{1 + turn // 7200:02}T{turn // 300 % 24:02}:{turn // 5 % 60:02}:{turn % 5 * 10:02}Z"


def holds_100_000(server, running):
    """The server's part is played here: to hear so much takes an unoptimised one too long."""
    count = 100_000
    words = "so we said that the boat leaves at nine and nobody knew where the other key was".split()

    def line(turn):
        text = " ".join(words[(turn * 7 + it) % len(words)] for it in range(3 + turn * 13 % 60))
        place = {"turn": turn, "stream": "talk", "utterance": f"u{turn}", "session_ms": turn * 10_000}
        return {**place, "speaker": f"Speaker {turn // 3 % 5}", "said_at": said_at(turn), "text": text}

    def transcript(route):
        asked = dict(it.split("=") for it in route.request.url.split("?")[1].split("&"))
        begin, end = int(asked.get("from_turn", 0)), min(int(asked.get("to_turn", count)), count)
        turns = range(begin, end)
        limit = int(asked["limit"])
        turns = list(turns[-limit:])[::-1] if asked.get("newest") else turns[:limit]
        route.fulfill(json=[line(it) for it in turns])

    server.send("PUT", "/v1/sessions/big", {})
    with page_of(running) as page:
        page.route("**/v1/sessions/big/transcript?*", transcript)
        page.goto(f"{server.address}/{live('big')}")
        expect(page.locator(f'[aria-posinset="{500}"]')).to_be_visible()
        held = 0
        for _ in range(400):
            held = page.evaluate(
                """async () => {
                    const list = document.querySelector('.transcript');
                    list.scrollTop = 0;
                    await new Promise((done) => setTimeout(done, 60));
                    return Number(document.querySelector('[data-row]').ariaSetSize);
                }"""
            )
            if held >= count:
                break
        assert held == count, held
        measured = page.evaluate(
            """async () => {
                const list = document.querySelector('.transcript');
                const frames = [];
                let rows = 0;
                let last = performance.now();
                const end = last + 4000;
                while (last < end) {
                    list.scrollTop += list.scrollTop > list.scrollHeight / 2 ? -40_000 : 90;
                    await new Promise(requestAnimationFrame);
                    const now = performance.now();
                    frames.push(now - last);
                    last = now;
                    rows = Math.max(rows, document.querySelectorAll('[data-row]').length);
                }
                frames.sort((a, b) => a - b);
                const at = (share) => frames[Math.floor(frames.length * share)];
                return { rows, median: at(0.5), p95: at(0.95), count: frames.length };
            }"""
        )
        print(
            f"100,000 utterances: {measured['count'] / 4:.0f} frames a second, "
            f"{measured['median']:.1f} ms a frame, 95 % below {measured['p95']:.1f} ms, "
            f"{measured['rows']} rows in the page"
        )
        assert 0 < measured["rows"] <= ROWS_MAX, measured
        page.goto(f"{server.address}/{live('big')}?turn=12345")
        expect(page.locator(".line.marked")).to_have_text(re.compile(re.escape(line(12_345)["text"])))
        expect(page.locator(".line.marked")).to_be_in_viewport()


def asks_for_a_token(running):
    own = pathlib.Path(folder) / "guarded"
    own.mkdir()
    secret, reads = [
        subprocess.run([weir, "tokens", "add", name, "--scope", scope, "--data", str(own / "served")],
                       check=True, capture_output=True, text=True).stdout.strip()
        for name, scope in (("page", "read,write,admin"), ("reader", "read"))
    ]
    server = Server(weir, own)
    try:
        with page_of(running, expected=("401", "403")) as page:
            page.goto(f"{server.address}/#/sessions")
            expect(page.get_by_text("This server wants a token")).to_be_visible()
            accessible(page, "a token is wanted")
            page.get_by_role("link", name="To the settings").click()
            field = page.get_by_label("Token", exact=True)
            field.fill("wrong")
            page.keyboard.press("Enter")
            expect(page.get_by_text("The server does not know this token.")).to_be_visible()
            field.fill(secret)
            page.keyboard.press("Enter")
            expect(page.get_by_text("The token works and is kept.")).to_be_visible()
            page.get_by_role("link", name="Sessions", exact=True).click()
            expect(page.get_by_text("Welcome to Weir")).to_be_visible()
            accessible(page, "a first visit")
            page.context.add_cookies([{"name": "weir_token", "value": reads, "url": server.address}])
            page.get_by_role("button", name="New session").click()
            page.get_by_label("Name", exact=True).fill("mine")
            page.keyboard.press("Enter")
            expect(page.get_by_role("alert")).to_contain_text("may make and delete no sessions")
    finally:
        server.stop()


server = Server(weir, folder)
try:
    weighs_little(server)
    with browser(program) as running:
        checks = (
            looks_right, hears_a_recording, imports_a_chat, stops_a_recording, tells_the_true_reason, hostile_text_is_text, comes_back,
            works_by_keyboard, knows_what_a_session_is_about, says_what_is_not_known, a_session_is_deleted_elsewhere, looks_different,
            loads_again_by_itself, stays_open_for_a_week, holds_100_000,
        )
        some = checks[: rounds("checks of the page", 6, len(checks))]
        for check in some:
            check(server, running)
        if some == checks:
            asks_for_a_token(running)
    if some == checks:
        hears_the_microphone(server, program)
finally:
    server.stop()
