"""Load on a running `weir serve`: 50 sessions that hear text at ten times the pace of speech while 20 clients ask.

    weir serve --data EMPTY_FOLDER & python3 scripts/serve/load.py [SECONDS]

Prints percentiles and how many acknowledged utterances are missing. Loopback only; it ends by itself.
"""

import http.client
import json
import random
import sys
import threading
import time

SESSIONS, ASKERS = 50, 20
SECONDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40
# an utterance of four seconds at ten times its pace
HEAR_EVERY, ASK_EVERY = 0.4, 0.5
THINGS = (
    "boat harbour garden ticket doctor sister piano rain bakery locker train museum soup violin garage letter window"
    " lamp river"
).split()

end = time.time() + SECONDS
lock = threading.Lock()
took = {"hear": [], "ask": []}
failed = 0
stored = [0] * SESSIONS


def post(client, kind, path, body):
    """Sends a body, and notes how long the reply took; returns whether it was done."""
    global failed
    began = time.time()
    client.request("POST", path, json.dumps(body), {"content-type": "application/json"})
    reply = client.getresponse()
    reply.read()
    with lock:
        if reply.status == 200:
            took[kind].append(time.time() - began)
        else:
            failed += 1
    return reply.status == 200


def connect():
    return http.client.HTTPConnection("127.0.0.1", 8377, timeout=60)


def hears(session):
    draw, client, number = random.Random(session), connect(), 0
    while time.time() < end:
        began = time.time()
        one, other = draw.sample(THINGS, 2)
        text = f"In week {number} the {one} stood beside the {other} of my cousin number {draw.randrange(1000)}."
        said = {"speaker": draw.choice(["Ana", "Bob", "Carl"]), "text": text, "id": f"u{number}"}
        stored[session] += post(client, "hear", f"/v1/sessions/load{session}/utterances", {"utterances": [said]})
        number += 1
        time.sleep(max(0.0, HEAR_EVERY - (time.time() - began)))


def asks(number):
    draw, client = random.Random(1000 + number), connect()
    time.sleep(3)
    while time.time() < end:
        question = {"question": f"Where was the {draw.choice(THINGS)}?"}
        post(client, "ask", f"/v1/sessions/load{draw.randrange(SESSIONS)}/ask", question)
        time.sleep(ASK_EVERY)


threads = [threading.Thread(target=hears, args=(n,)) for n in range(SESSIONS)]
threads += [threading.Thread(target=asks, args=(n,)) for n in range(ASKERS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for kind, times in took.items():
    times.sort()
    at = [f"{1000 * times[int(share * (len(times) - 1))]:.1f}" for share in (0.5, 0.95, 0.99)]
    print(f"{kind}: {len(times)}, p50 / p95 / p99 {' / '.join(at)} ms")
lost = 0
for session in range(SESSIONS):
    client = connect()
    client.request("GET", f"/v1/sessions/load{session}")
    lost += stored[session] - json.loads(client.getresponse().read())["turns"]
print(f"not done: {failed}, acknowledged and missing: {lost}")
