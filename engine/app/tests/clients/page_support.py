"""What the tests of the page share: a server, a browser, and checks of every view."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import threading
import urllib.request
from contextlib import contextmanager

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
HOSTILE = "<img src=x onerror=window.hurt=1><script>window.hurt=2</script>"
# lines of a server that a failed test shows
SAID_MAX = 40
# of lists of thousands, in the page at a time
ROWS_MAX = 150
# an unoptimised server on a busy machine takes its time
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)


def rounds(what, few, all):
    """`few`, and says so in the file that WEIR_LEFT_OUT names, or `all` where WEIR_REQUIRE says so."""
    if "all" in os.environ.get("WEIR_REQUIRE", "").split(","):
        return all
    if "WEIR_LEFT_OUT" in os.environ:
        with open(os.environ["WEIR_LEFT_OUT"], "a") as file:
            file.write(f"shortened: {what}: {few} of {all}\n")
    return few


class Server:
    """`weir serve` at a port that stays the same when it is started again."""

    def __init__(self, weir, folder, more=()):
        self.folder = pathlib.Path(folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://localhost:{self.port}"
        self.command = [weir, "serve", "--data", str(self.folder / "served"), "--bind"]
        self.command += [f"127.0.0.1:{self.port}", "--encoder", "words", *more]
        self.start()

    def start(self):
        nothing = str(self.folder / "nothing")
        here = {"XDG_CACHE_HOME": nothing, "HOME": nothing, "WEIR_OFFLINE": "1", "TZ": "UTC"}
        env = {**os.environ, **here, "WEIR_VOICES": str(self.folder / "voices.json")}
        env.pop("WEIR_MODELS", None)
        self.running = subprocess.Popen(self.command, env=env, stderr=subprocess.PIPE, text=True)
        said = ""
        for line in self.running.stderr:
            said += line
            if "the page: " in line:
                assert f"{self.address}/" in line, line
                break
        else:
            raise AssertionError(said)
        # nothing may wait for a reader
        self.said = []
        self.reading = threading.Thread(target=lambda: self.said.extend(self.running.stderr))
        self.reading.start()

    def stop(self):
        self.running.send_signal(2)
        code = self.running.wait(60)
        self.reading.join()
        assert code == 0, f"the server ended with {code}: {''.join(self.said[-SAID_MAX:])}"

    def send(self, method, path, body=None, kind="application/json"):
        body = json.dumps(body).encode() if kind == "application/json" and body is not None else body
        request = urllib.request.Request(self.address + path, body, {"content-type": kind})
        request.method = method
        return json.load(urllib.request.urlopen(request, timeout=120))

    def get(self, path):
        return self.send("GET", path)

    def hear(self, session, said):
        """Speakers and words; returns what was heard."""
        talk = {"utterances": [{"speaker": who, "text": text} for who, text in said]}
        return self.send("POST", f"/v1/sessions/{session}/utterances", talk)


@contextmanager
def browser(program, *more):
    """Chromium; its microphone hears what `--use-file-for-fake-audio-capture` names."""
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", *more]
        running = playwright.chromium.launch(executable_path=shutil.which(program), args=arguments)
        yield running
        running.close()


@contextmanager
def page_of(running, viewport=WIDE, theme="light", expected=(), **more):
    """A page in a context of its own, in which nothing fails that is not expected."""
    context = running.new_context(viewport=viewport, color_scheme=theme, **more)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    wrong = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda it: wrong.append(it.text) if it.type == "error" else None)
    yield page
    context.close()
    wrong = [it for it in wrong if not any(part in it for part in expected)]
    assert not wrong, wrong


def accessible(page, what):
    """No violation of the rules of axe-core, and nothing wider than the window."""
    found = Axe().run(page)
    violations = [
        f"{it['id']}: {it['help']}: {node['html'][:200]} {node['failureSummary']}"
        for it in found.response["violations"]
        for node in it["nodes"][:3]
    ]
    assert not violations, f"{what}:\n" + "\n".join(violations)
    too_wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert too_wide <= 0, f"{what} is {too_wide} pixels too wide"


def everywhere(running, address, views, ready, expected=("404",)):
    """Each view in both widths and both themes. `views` names their addresses, and `ready` gets
    the page and a name when it is there."""
    looks = [(WIDE, "light"), (PHONE, "dark"), (PHONE, "light"), (WIDE, "dark")]
    for viewport, theme in looks[: rounds("widths and themes of the page", 1, len(looks))]:
        with page_of(running, viewport, theme, expected=expected) as page:
            for name, place in views.items():
                page.goto(f"{address}/{place}")
                ready(page, name)
                accessible(page, f"{name}, {viewport['width']}, {theme}")


def tab_to(page, locator, most=80):
    """Reaches a control with the Tab key alone."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if locator.evaluate("it => it === document.activeElement"):
            return
    raise AssertionError(f"{locator} is not reached with Tab")
