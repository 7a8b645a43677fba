"""The page in a browser: Memory, People, Health, Search:
page_memory_client.py WEIR FOLDER BROWSER PAGE WAV WORD"""

import pathlib
import re
import sys

from page_support import HOSTILE, PHONE, ROWS_MAX, WIDE, Server, accessible, browser, everywhere, expect, page_of, rounds, tab_to

weir, folder, program = sys.argv[1:4]
wav = sys.argv[5]
STATEMENTS = 5_000
DAY_MS = 86_400_000
FIRST_DAY_MS = 1_770_000_000_000
TALK = [
    [
        ("Ana", "I live in Rome."),
        ("Ana", "I love pancakes."),
        ("Bob", "My locker code is 4711."),
        ("Bob", "The ferry to Corsica leaves at nine on Friday."),
        ("Ana", "The spare key is under the fern, next to the door."),
        ("Bob", "Carla feeds the cat while we are away."),
    ],
    [
        ("Ana", "I moved, I live in Lisbon now."),
        ("Ana", "I really like pancakes."),
        ("Bob", "The old boat needs a new sail before summer."),
        ("Ana", "The garden wall was painted white yesterday."),
    ],
    [
        ("Ana", "I hate pancakes, they make me sick."),
        ("Bob", "The tickets are in the blue folder on the shelf."),
        ("Bob", "We planted tomatoes and basil behind the house."),
    ],
]
LOCKER = "My locker code is 4711."


def talks(server, session, budget=None):
    """Three days of talk."""
    path = f"/v1/sessions/{session}"
    server.send("PUT", path, {"tokens": budget} if budget else {})
    for day, said in enumerate(TALK):
        began = {"name": f"day-{day}", "started_at_unix_ms": FIRST_DAY_MS + day * DAY_MS}
        server.send("POST", f"{path}/changes", {"begin": began})
        at = [{"start_ms": n * 5_000, "end_ms": n * 5_000 + 4_000} for n in range(len(said))]
        talk = [{"speaker": who, "text": text, "span": at[n]} for n, (who, text) in enumerate(said)]
        server.send("POST", f"{path}/utterances", {"utterances": talk})
        server.send("POST", f"{path}/changes", "flush")


def view(session, name, query=""):
    return f"#/{session}/{name}{query}"


def statement(page, text):
    return page.locator('[role="treeitem"][aria-level="3"]').filter(has_text=text)


def node_named(server, session, text):
    nodes = server.get(f"/v1/sessions/{session}/outline")["nodes"]
    return next(it for it in nodes if it["kind"] == "unit" and it["text"] == text)


def fill(server, session):
    """More talk than there is room for."""
    talks(server, session, 256)
    more = [("Bob", f"The {thing} number {n} stands behind the {place} of the harbour.")
            for n in range(24) for thing, place in [("barrel", "shed"), ("ladder", "mill")]]
    server.hear(session, more)
    server.send("POST", f"/v1/sessions/{session}/changes", "flush")


def looks_right(server, running):
    talks(server, "talk", 256)
    server.send("PUT", "/v1/sessions/empty", {})
    fill(server, "small")
    node = node_named(server, "talk", LOCKER)["id"]
    views = {
        "memory": view("talk", "memory"),
        "memory, a statement": view("talk", "memory", f"?node={node}"),
        "memory, a node that is gone": view("talk", "memory", "?node=n9999.0"),
        "memory, what goes next": view("talk", "memory", "?show=going"),
        "memory, what is gone": view("small", "memory", "?show=gone"),
        "people": view("talk", "people"),
        "health": view("talk", "health"),
        "search": view("talk", "search", "?q=locker"),
        "search, nothing found": view("talk", "search", "?q=zebra"),
        "search, no word": view("talk", "search", "?q=of+the"),
        "memory, empty": view("empty", "memory"),
        "people, empty": view("empty", "people"),
        "health, empty": view("empty", "health"),
        "search, empty": view("empty", "search"),
    }
    there = {
        "memory": lambda page: statement(page, "locker"),
        "memory, a statement": lambda page: page.get_by_role("button", name="Correct"),
        "memory, a node that is gone": lambda page: page.get_by_text("It was forgotten"),
        "memory, what goes next": lambda page: page.get_by_text("Pin what must stay."),
        "memory, what is gone": lambda page: page.locator(".fate").first,
        "people": lambda page: page.get_by_role("heading", name="pancakes").first,
        "health": lambda page: page.get_by_text("Nothing was ignored and nothing was lost."),
        "search": lambda page: page.locator("mark", has_text="locker").first,
        "search, nothing found": lambda page: page.get_by_text("Nothing has “zebra”"),
        "search, no word": lambda page: page.get_by_role("alert"),
        "memory, empty": lambda page: page.get_by_text("Nothing is remembered yet"),
        "people, empty": lambda page: page.get_by_text("Nobody has spoken yet"),
        "health, empty": lambda page: page.get_by_text("Nothing was ignored and nothing was lost."),
        "search, empty": lambda page: page.get_by_text("Search everything"),
    }

    def ready(page, name):
        expect(there[name](page)).to_be_visible()

    everywhere(running, server.address, views, ready, expected=("404", "400"))


def works_by_keyboard(server, running):
    talks(server, "keys")
    with page_of(running) as page:
        page.goto(f"{server.address}/{view('keys', 'memory')}")
        line = page.get_by_role("slider", name="Time line")
        expect(line).to_be_visible()
        tab_to(page, line)
        before = line.get_attribute("aria-valuetext")
        page.keyboard.press("End")
        expect(line).not_to_have_attribute("aria-valuetext", before)
        expect(line).to_have_attribute("aria-valuetext", re.compile("said; held"))
        expect(statement(page, "We planted tomatoes")).to_be_in_viewport()
        page.keyboard.press("Home")
        here = page.locator('[role="treeitem"][tabindex="0"]')
        tab_to(page, here)
        page.keyboard.press("Home")
        scene = page.locator(":focus")
        expect(scene).to_have_attribute("aria-level", "1")
        page.keyboard.press("ArrowLeft")
        expect(scene).to_have_attribute("aria-expanded", "false")
        page.keyboard.press("ArrowRight")
        expect(scene).to_have_attribute("aria-expanded", "true")
        page.keyboard.press("ArrowDown")
        expect(page.locator(":focus")).to_have_attribute("aria-level", "2")
        for _ in range(30):
            if LOCKER in page.locator(":focus").text_content():
                break
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        pin = page.get_by_role("button", name="Pin", exact=True)
        tab_to(page, pin)
        page.keyboard.press("Enter")
        expect(statement(page, LOCKER)).to_contain_text("pinned")
        expect(page.get_by_text("Pinned: it is neither forgotten nor shortened.")).to_be_visible()
        expect(page.get_by_role("button", name="Unpin", exact=True)).to_be_focused()
        tab_to(page, page.get_by_role("button", name="Correct"))
        page.keyboard.press("Enter")
        field = page.get_by_label("New words")
        expect(field).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.get_by_role("button", name="Correct")).to_be_focused()
        tab_to(page, page.get_by_role("link", name="Search", exact=True))
        page.keyboard.press("Enter")
        page.get_by_role("searchbox").fill("ferries")
        page.keyboard.press("Enter")
        expect(page.locator("mark").first).to_have_text("ferry")
        expect(page).to_have_url(re.compile("q=ferries"))
        hit = page.get_by_role("link", name=re.compile("The ferry to Corsica.*")).first
        tab_to(page, hit)
        page.keyboard.press("Enter")
        expect(page.get_by_role("complementary", name="Details")).to_contain_text("The ferry to Corsica")
        expect(statement(page, "The ferry to Corsica")).to_have_attribute("aria-selected", "true")


def shows_memory_first(server, running):
    """On a phone the first statement stands high, and no title is cut to a few letters."""
    talks(server, "first")
    with page_of(running, PHONE) as page:
        page.goto(f"{server.address}/{view('first', 'memory')}")
        first = page.locator('[role="treeitem"][aria-level="3"]').first
        expect(first).to_be_visible()
        assert first.bounding_box()["y"] < 300, first.bounding_box()
        title = page.locator(".node.scene .node-text").first
        shown = title.evaluate("it => [it.clientWidth, it.scrollWidth, getComputedStyle(it).whiteSpace]")
        assert shown[1] <= shown[0] and shown[2] == "normal", shown
        page.get_by_role("button", name="Filter, fold").click()
        expect(page.get_by_role("slider", name="Time line")).to_be_visible()
        expect(page.locator(".budget-head")).to_contain_text("% full")
        accessible(page, "what is folded on a phone")


def says_why_it_is_held(server, running):
    fill(server, "reasons")
    node = node_named(server, "reasons", LOCKER) if held(server, "reasons", LOCKER) else server.get(
        "/v1/sessions/reasons/forgetting")["going"][-1]
    with page_of(running) as page:
        page.goto(f"{server.address}/{view('reasons', 'memory', '?node=' + node['id'])}")
        why = page.locator(".why")
        expect(why).to_contain_text(re.compile(r"Value.*asked for \(\d+%\).*Use.*Age.*since", re.S))
        expect(why).to_contain_text(re.compile("first to go|before most|longer than most|last to go"))
        page.get_by_role("button", name="Pin", exact=True).click()
        expect(why).to_contain_text("It is pinned: it stays")
        page.get_by_role("button", name="Close").click()
        page.get_by_role("radio", name=re.compile("^Gone")).check()
        gone = page.locator(".fate")
        expect(gone.first).to_contain_text(re.compile("Made room|Says little"))
        fates = server.get("/v1/sessions/reasons/forgetting")
        assert gone.count() == len(fates["gone"]) > 0, fates
        page.get_by_role("radio", name=re.compile("^Goes next")).check()
        going = page.locator(".fate")
        expect(going.first).to_contain_text("1. ")
        said = going.first.locator(".fate-words").text_content()
        going.first.get_by_role("button", name=re.compile("^Pin, so that it stays")).click()
        expect(going.first.locator(".fate-words")).not_to_have_text(said)
        counted = page.locator(".happened .count", has_text="things said").locator("strong")
        expect(counted).to_have_text(str(fates["said"]))


def held(server, session, text):
    nodes = server.get(f"/v1/sessions/{session}/outline")["nodes"]
    return any(it["text"] == text for it in nodes if it["kind"] == "unit")


def shortens_time_without_talk(server, running):
    """One utterance three years later does not make all others one bar."""
    talks(server, "outlier")
    path = "/v1/sessions/outlier"
    server.send("POST", f"{path}/changes", {"begin": {"name": "late"}})
    said = [("The dentist moved to the square.", 0), ("The mill is open again.", 1_132 * DAY_MS)]
    talk = [{"speaker": "Ana", "text": text, "span": {"start_ms": at, "end_ms": at + 4_000}} for text, at in said]
    server.send("POST", f"{path}/utterances", {"utterances": talk})
    parts = server.get(f"{path}/timeline?parts=48")["parts"]
    assert len([it for it in parts if it["said"]]) >= 3, parts
    with page_of(running) as page:
        page.goto(f"{server.address}/{view('outlier', 'memory')}")
        expect(page.locator(".tl-pause").last).to_be_attached()
        line = page.get_by_role("slider", name="Time line")
        line.focus()
        page.keyboard.press("End")
        page.keyboard.press("PageDown")
        expect(line).to_have_attribute("aria-valuetext", re.compile("Nothing was said for 1,13\\d days"))


def a_voice_is_heard(server, running):
    """The list of speakers is played here: it takes models to tell voices apart."""
    talks(server, "voice")
    speakers = server.get("/v1/sessions/voice/speakers")
    voiced = [{**it, "name": f"Speaker {n + 1}", "sound": {"stream": "day-0", "utterance": f"u{n}"}} for n, it in enumerate(speakers)]
    with page_of(running) as page:
        page.route("**/v1/sessions/voice/speakers", lambda route: route.fulfill(json=voiced))
        page.route("**/v1/sessions/voice/clip?*", lambda route: route.fulfill(body=pathlib.Path(wav).read_bytes(), content_type="audio/wav"))
        page.goto(f"{server.address}/{view('voice', 'people')}")
        people = page.get_by_role("navigation", name="Speakers")
        with page.expect_request(re.compile("clip.*utterance=u1")):
            people.get_by_role("button", name="Play the voice of Speaker 2").click()
        expect(people.get_by_role("button", name="Stop the sound")).to_be_visible()
        page.keyboard.press("Escape")
        accessible(page, "voices")


def two_tabs_lose_no_edit(server, running):
    talks(server, "tabs")
    node = node_named(server, "tabs", LOCKER)["id"]
    address = f"{server.address}/{view('tabs', 'memory', f'?node={node}')}"
    with page_of(running, expected=("409", "ERR_")) as mine, page_of(running) as theirs:
        for page in (mine, theirs):
            page.goto(address)
            page.get_by_role("button", name="Correct").click()
            expect(page.get_by_label("New words")).to_have_value(LOCKER)
        mine.get_by_label("New words").fill("My locker code is 1111.")
        # the event that tells of the other edit comes too late here
        mine.route("**/outline", lambda route: route.abort())
        theirs.get_by_label("New words").fill("My locker code is 2222.")
        theirs.get_by_role("button", name="Save").click()
        expect(statement(theirs, "My locker code is 2222.")).to_contain_text("corrected")
        mine.get_by_role("button", name="Save").click()
        alert = mine.get_by_role("alert")
        expect(alert).to_contain_text("Somebody else changed this statement while you wrote.")
        expect(alert).to_contain_text("My locker code is 2222.")
        expect(mine.get_by_label("New words")).to_have_value("My locker code is 1111.")
        accessible(mine, "two edits")
        assert node_named(server, "tabs", "My locker code is 2222.")
        mine.unroute("**/outline")
        mine.get_by_role("button", name="Go on with mine").click()
        mine.get_by_role("button", name="Save").click()
        expect(mine.get_by_label("New words")).to_have_count(0)
        assert node_named(server, "tabs", "My locker code is 1111.")
        # this time the other tab hears of it before it saves
        expect(statement(theirs, "My locker code is 1111.")).to_be_visible()
        theirs.get_by_role("button", name="Correct").click()
        theirs.get_by_label("New words").fill("My locker code is 3333.")
        mine.get_by_role("button", name="Correct").click()
        mine.get_by_label("New words").fill("My locker code is 4444.")
        mine.get_by_role("button", name="Save").click()
        expect(theirs.get_by_role("alert")).to_contain_text("My locker code is 4444.")
        theirs.get_by_role("button", name="Keep what it says now").click()
        expect(theirs.get_by_role("complementary", name="Details")).to_contain_text("My locker code is 4444.")


def a_deletion_has_a_receipt(server, running):
    talks(server, "erase")
    node = node_named(server, "erase", LOCKER)["id"]
    with page_of(running, expected=("404",)) as page, page_of(running, PHONE, "dark", expected=("404",)) as other:
        for it in (page, other):
            it.goto(f"{server.address}/{view('erase', 'memory', f'?node={node}')}")
            expect(it.get_by_role("button", name="Delete")).to_be_visible()
        page.get_by_role("button", name="Delete").click()
        dialog = page.get_by_role("dialog", name="Delete this statement?")
        expect(dialog).to_contain_text(LOCKER)
        expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
        accessible(page, "to delete a statement")
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        assert node_named(server, "erase", LOCKER)
        page.get_by_role("button", name="Delete").click()
        dialog.get_by_role("button", name="Delete").click()
        receipt = page.get_by_role("dialog", name="Receipt")
        expect(receipt).to_contain_text(re.compile("Utterances\\s*1"))
        expect(receipt).to_contain_text("Files rewritten")
        accessible(page, "a receipt")
        receipt.get_by_role("button", name="Done").click()
        expect(statement(page, LOCKER)).to_have_count(0)
        expect(page.locator(':focus[role="treeitem"]')).to_be_visible()
        expect(other.get_by_text("It was forgotten, merged with another statement, or deleted.")).to_be_visible()
        accessible(other, "deleted elsewhere")
        said = str(server.get("/v1/sessions/erase/transcript"))
        assert "4711" not in said, said


def memory_is_seen_to_change(server, running):
    talks(server, "grow", 256)
    talks(server, "still")
    with page_of(running) as page:
        page.goto(f"{server.address}/{view('grow', 'memory')}")
        happened = page.locator(".happened")
        said = happened.locator(".count", has_text="things said").locator("strong")
        expect(said).to_have_text(str(sum(map(len, TALK))))
        more = [("Bob", f"The {thing} number {n} stands behind the {place} of the harbour.")
                for n in range(12) for thing, place in [("barrel", "shed"), ("ladder", "mill")]]
        server.hear("grow", more)
        server.send("POST", "/v1/sessions/grow/changes", "flush")
        expect(said).to_have_text(str(sum(map(len, TALK)) + len(more)))
        expect(happened.locator("li").first).to_contain_text(re.compile("new statement|reduced|forgotten"))
        expect(statement(page, "number 11").first).to_be_visible()
        page.get_by_role("button", name="Filter and fold").click()
        page.get_by_role("combobox", name="Words").select_option("As held")
        page.get_by_role("combobox", name="Show").select_option("Key words")
        units = page.locator('[role="treeitem"][aria-level="3"]')
        expect(units.first).to_contain_text("key words")
        stats = server.get("/v1/sessions/grow")["memory"]
        expect(page.locator(".budget")).to_contain_text(f"{stats['text_tokens']} of 256 tokens")
        expect(page.locator(".budget-head strong")).to_have_text(re.compile(r"^(9\d|100)% full$"))
    with page_of(running, reduced_motion="reduce") as page:
        page.goto(f"{server.address}/{view('still', 'memory')}")
        expect(statement(page, LOCKER)).to_be_visible()
        server.hear("still", [("Ana", "The lighthouse was switched on at midnight.")])
        server.send("POST", "/v1/sessions/still/changes", "flush")
        born = statement(page, "The lighthouse")
        expect(born).to_be_visible()
        assert born.evaluate("it => getComputedStyle(it).animationName") == "none"


def what_went_says_why(server, running):
    """The outline is played here, the events are the server's."""
    talks(server, "why")
    real = node_named(server, "why", LOCKER)["id"]
    place = {"said_ms": 0, "date": "2026-02-02", "tokens": 5, "wording": "verbatim"}
    rows = {"scene": "n1.2", "event": "n1.1", "other event": "n2.1", "key": "n1.0", "cat": "n2.0", "boat": "n3.0"}
    shown = ["scene", "event", "key", "other event", "cat", "boat"]

    def outline(route):
        nodes = [{"id": rows[it], "kind": {"scene": "scene", "event": "event", "other event": "event"}.get(it, "unit"),
                  "text": f"The {it}", **place} for it in shown]
        route.fulfill(json={"nodes": nodes, "unsorted": 0})

    with page_of(running, reduced_motion="reduce", expected=("404",)) as page:
        page.route("**/v1/sessions/why/outline", outline)
        page.goto(f"{server.address}/{view('why', 'memory')}")
        expect(statement(page, "The boat")).to_be_visible()
        shown.remove("other event")
        server.hear("why", [("Ana", "Something else was said.")])
        expect(page.locator(".node.gone")).to_contain_text("merged into another")
        expect(page.locator(".node.gone")).to_have_count(0)
        shown.remove("cat")
        server.send("DELETE", f"/v1/sessions/why/nodes/{real}")
        expect(page.locator(".node.gone")).to_contain_text("deleted")


def people_are_known(server, running):
    talks(server, "people")
    with page_of(running) as page, page_of(running) as other:
        page.goto(f"{server.address}/{view('people', 'people', '?of=Ana')}")
        profile = page.get_by_role("region", name="Profile")
        # statements under one heading, the newest first
        expect(profile.locator(".fact").first).to_contain_text("I live in Lisbon now.")
        expect(profile.locator(".fact").nth(1)).to_contain_text("I live in Rome.")
        expect(page.get_by_role("region", name="People, places and things")).to_be_visible()
        profile.get_by_text("Evidence (1)").first.click()
        expect(profile.locator("blockquote").first).to_be_visible()
        chart = page.get_by_role("radiogroup", name=re.compile("pancakes"))
        expect(chart.get_by_role("radio")).to_have_count(3)
        tab_to(page, chart.get_by_role("radio").last)
        page.keyboard.press("Home")
        belief = page.locator(".belief", has_text="pancakes")
        expect(belief.locator("blockquote")).to_contain_text("I love pancakes")
        page.keyboard.press("End")
        expect(belief.locator("blockquote")).to_contain_text("I hate pancakes")
        accessible(page, "a profile")
        other.goto(f"{server.address}/{view('people', 'people', '?of=Bob')}")
        other.get_by_role("button", name="Rename").click()
        other.get_by_label("New name").fill("Robert")
        other.keyboard.press("Enter")
        expect(other.get_by_role("heading", name="Robert")).to_be_visible()
        expect(page.get_by_role("navigation", name="Speakers")).to_contain_text("Robert")
        other.get_by_role("button", name="Merge").click()
        accessible(other, "to merge")
        dialog = other.get_by_role("dialog")
        expect(dialog.get_by_label("Who that is")).to_have_value("Ana")
        dialog.get_by_role("button", name="Merge").click()
        expect(page.get_by_role("navigation", name="Speakers")).not_to_contain_text("Robert")
        fact = profile.locator(".fact", has=page.locator(".fact-words", has_text="I live in Lisbon"))
        fact.get_by_role("button", name=re.compile("^Pin: ")).click()
        expect(fact).to_contain_text("pinned")
        fact.get_by_role("button", name=re.compile("^Delete: ")).click()
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(page.get_by_role("dialog", name="Receipt")).to_be_visible()
        page.get_by_role("button", name="Done").click()
        expect(profile.locator(".fact-words", has_text="I live in Lisbon")).to_have_count(0)


def hostile_text_is_text(server, running):
    name = HOSTILE[:60]
    server.hear("hostile", [(name, f"I love {HOSTILE}."), ("Ana", f"My locker code is {HOSTILE} 12.")])
    server.send("POST", "/v1/sessions/hostile/changes", "flush")
    with page_of(running) as page:
        places = {"memory": ".node-text", "people": ".person-name", "search?q=locker": ".hit-text"}
        for place, where in places.items():
            page.goto(f"{server.address}/{view('hostile', place)}")
            expect(page.locator(where, has_text="<script>").first).to_be_visible()
            assert page.evaluate("window.hurt") is None
            assert page.locator("main script, main img, main b").count() == 0
        page.get_by_role("searchbox").fill(HOSTILE)
        page.keyboard.press("Enter")
        expect(page.get_by_text("in the transcript").first).to_be_visible()
        page.goto(f"{server.address}/{view('hostile', 'memory')}")
        statement(page, "My locker code").click()
        page.get_by_role("button", name="Correct").click()
        page.get_by_label("New words").fill(f"{HOSTILE} twice {HOSTILE}")
        page.get_by_role("button", name="Save").click()
        expect(statement(page, "twice")).to_be_visible()
        assert page.evaluate("window.hurt") is None


def figures_are_right(server, running):
    server.send("PUT", "/v1/sessions/figures", {})
    sound = pathlib.Path(wav).read_bytes()
    heard = server.send("POST", "/v1/sessions/figures/recordings?name=figures", sound, "audio/wav")
    server.send("POST", "/v1/sessions/figures/ask", {"question": "What is for breakfast?"})
    with page_of(running) as page:
        page.goto(f"{server.address}/{view('figures', 'health')}")
        cards = page.locator(".figure-cards")
        expect(cards).to_contain_text("real-time factor")
        expect(cards).to_contain_text(re.compile(r"\d+ questions?"))
        length = f"{heard['audio_ms'] / 1000:.0f} sec of sound was heard"
        expect(page.get_by_text(length)).to_be_visible()
        table = page.get_by_role("table", name="Memory, megabytes: latest figures")
        expect(table).to_contain_text(re.compile(r"[\d.]+ MB"))
        expect(page.locator(".chart-box svg")).to_have_count(3)
        expect(page.locator(".chart-path[d^=M]").first).to_be_attached()
        # it is read again while it is shown
        with page.expect_request("**/metrics"):
            pass
        asked = []
        page.on("request", lambda it: asked.append(it) if it.url.endswith("/metrics") else None)
        page.goto(f"{server.address}/{view('figures', 'search')}")
        expect(page.get_by_text("Search everything")).to_be_visible()
        asked.clear()
        page.wait_for_timeout(4_000)
        assert not asked, "it is read no more when another view is shown"


def an_error_looks_finished(server, running):
    broken = {"type": "about:blank", "title": "Internal Server Error", "status": 500,
              "class": "internal", "detail": "the disk of this test is broken"}

    def fails(route):
        route.fulfill(status=500, json=broken)

    views = {"memory": "**/outline", "people": "**/speakers", "health": "**/metrics", "search?q=locker": "**/search?*"}
    for viewport, theme in ((WIDE, "light"), (PHONE, "dark")):
        with page_of(running, viewport, theme, expected=("500",)) as page:
            for place, route in views.items():
                page.route(route, fails)
                page.goto(f"{server.address}/{view('talk', place)}")
                expect(page.get_by_role("alert")).to_contain_text("The disk of this test is broken.")
                accessible(page, f"{place}, an error")
                page.unroute(route)
                page.get_by_role("button", name="Try again").click()
                expect(page.get_by_role("alert")).to_have_count(0)
                page.goto("about:blank")


def large_outline():
    nodes = []
    said = "so we said that the boat leaves at nine and nobody knew where the other key was".split()
    place = {"date": "2026-02-02", "tokens": 9, "wording": "verbatim"}
    for n in range(STATEMENTS):
        at = {"said_ms": n * 10_000, **place}
        if n % 50 == 0:
            nodes.append({"id": f"n{n}.1", "kind": "scene", "text": f"The talk number {n}", **at, "tokens": 0})
        if n % 10 == 0:
            nodes.append({"id": f"n{n}.2", "kind": "event", "text": f"What happened at {n}", **at, "tokens": 0})
        text = " ".join(said[(n * 7 + it) % len(said)] for it in range(4 + n * 13 % 40))
        key = {"key": "boat nine key", "wording": "key"} if n % 3 else {}
        nodes.append({"id": f"n{n}.0", "kind": "unit", "speaker": f"Speaker {n % 5}", "text": f"{n}: {text}", **at, **key})
    return {"nodes": nodes, "unsorted": 0}


def holds_5_000_statements(server, running):
    """The server's part is played here: to hear so much takes an unoptimised one too long."""
    outline = large_outline()
    with page_of(running, expected=("404",)) as page:
        page.route("**/v1/sessions/talk/outline", lambda route: route.fulfill(json=outline))
        page.goto(f"{server.address}/{view('talk', 'memory')}")
        expect(page.get_by_role("radiogroup", name="What of the talk")).to_contain_text(f"{STATEMENTS:,}")
        page.get_by_role("button", name="Filter and fold").click()
        page.get_by_role("button", name="Open all").click()
        expect(page.get_by_role("button", name="Close all")).to_be_visible()
        measured = page.evaluate(
            """async () => {
                const list = document.querySelector('.outline');
                const frames = [];
                let rows = 0;
                let last = performance.now();
                const end = last + 3000;
                while (last < end) {
                    list.scrollTop += list.scrollTop > list.scrollHeight - 2000 ? -100_000 : 90;
                    await new Promise(requestAnimationFrame);
                    const now = performance.now();
                    frames.push(now - last);
                    last = now;
                    rows = Math.max(rows, document.querySelectorAll('[data-row]').length);
                }
                frames.sort((a, b) => a - b);
                const at = (share) => frames[Math.floor(frames.length * share)];
                const toggle = document.querySelector('.tools .button');
                const began = performance.now();
                toggle.click();
                await new Promise(requestAnimationFrame);
                await new Promise(requestAnimationFrame);
                const closing = performance.now() - began;
                return { rows, closing, median: at(0.5), p95: at(0.95), count: frames.length };
            }"""
        )
        print(
            f"{STATEMENTS:,} statements: {measured['count'] / 3:.0f} frames a second, "
            f"{measured['median']:.1f} ms a frame, 95 % below {measured['p95']:.1f} ms, "
            f"{measured['rows']} rows in the page, {measured['closing']:.0f} ms to close all"
        )
        assert 0 < measured["rows"] <= ROWS_MAX, measured
        page.get_by_role("button", name="Open all").click()
        page.locator('[role="treeitem"]').first.click()
        page.keyboard.press("End")
        expect(page.locator(":focus")).to_contain_text(f"{STATEMENTS - 1}: ")
        expect(page.locator(":focus")).to_be_in_viewport()


server = Server(weir, folder)
try:
    with browser(program) as running:
        checks = (
            looks_right, shows_memory_first, says_why_it_is_held, works_by_keyboard, shortens_time_without_talk,
            a_voice_is_heard, two_tabs_lose_no_edit, a_deletion_has_a_receipt, hostile_text_is_text,
            memory_is_seen_to_change, what_went_says_why, people_are_known, figures_are_right,
            an_error_looks_finished, holds_5_000_statements,
        )
        for check in checks[: rounds("checks of the memory's page", 7, len(checks))]:
            check(server, running)
            print(f"{check.__name__}: as it should be", flush=True)
finally:
    server.stop()
