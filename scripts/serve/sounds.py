"""Live sound on a running `weir serve`: several recordings at once at the pace of speech, each into a session of its own.

    weir serve --data EMPTY_FOLDER & python3 scripts/serve/sounds.py RECORDING.wav STREAMS [SECONDS]

The recording is 16-bit mono. Prints for each stream how long after the end of its sound all of it was in memory: streams
that keep up need a second or two, however long the sound is. Loopback only; it ends by itself.
"""

import base64
import json
import os
import socket
import struct
import sys
import threading
import time
import wave

PIECE_SECONDS = 0.1

recording, streams = sys.argv[1], int(sys.argv[2])
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 60
with wave.open(recording) as file:
    assert (file.getnchannels(), file.getsampwidth()) == (1, 2), "16-bit mono is needed"
    rate = file.getframerate()
    sound = file.readframes(file.getnframes())
piece_bytes = 2 * int(rate * PIECE_SECONDS)
lags = {}


def frame(kind, data):
    """A masked frame of a client."""
    mask = os.urandom(4)
    length = bytes([0x80 | len(data)]) if len(data) < 126 else bytes([0xFE]) + struct.pack(">H", len(data))
    return bytes([0x80 | kind]) + length + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))


def speaks(number):
    client = socket.create_connection(("127.0.0.1", 8377), timeout=600)
    key = base64.b64encode(os.urandom(16)).decode()
    head = f"GET /v1/sessions/sound{number}/live?rate={rate} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
    client.sendall((head + f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
    reply = client.makefile("rb")
    assert b"101" in reply.readline()
    while reply.readline().strip():
        pass
    # streams begin at different places, so that they do not pause together
    at, began = number * rate * 14, time.time()
    for n in range(int(seconds / PIECE_SECONDS)):
        at = 0 if at + piece_bytes > len(sound) else at
        client.sendall(frame(2, sound[at : at + piece_bytes]))
        at += piece_bytes
        time.sleep(max(0.0, began + (n + 1) * PIECE_SECONDS - time.time()))
    ended = time.time()
    client.sendall(frame(2, b""))
    length = reply.read(2)[1]
    length = struct.unpack(">H", reply.read(2))[0] if length == 126 else length
    heard = json.loads(reply.read(length))
    lags[number] = time.time() - ended, heard.get("audio_ms"), heard.get("speech_ms")


threads = [threading.Thread(target=speaks, args=(n,)) for n in range(streams)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
for number, (lag, audio_ms, speech_ms) in sorted(lags.items()):
    print(f"stream {number}: all in memory {lag:.1f} s after its end; {audio_ms} ms of sound, {speech_ms} with speech")
