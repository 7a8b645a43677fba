"""Words of live sound, by OpenAI's official Python client over its WebSocket:
realtime_client.py ADDRESS RECORDING.wav WORD"""

import base64
import sys
import wave

import openai

address, recording, word = sys.argv[1:]
with wave.open(recording) as file:
    rate, sound = file.getframerate(), file.readframes(file.getnframes())
pieces = [sound[at : at + rate // 5] for at in range(0, len(sound), rate // 5)]


def session(turns):
    heard = {"format": {"type": "audio/pcm", "rate": rate}, "turn_detection": turns}
    return {"type": "transcription", "audio": {"input": heard}}


def events(connection, last):
    for event in connection:
        assert event.type != "error", event
        yield event
        if event.type == last:
            return


def transcribe(path, turns):
    client = openai.OpenAI(base_url=address + path, api_key="none")
    with client.realtime.connect(model="weir", extra_query={"intent": "transcription"}) as live:
        assert next(iter(live)).type == "session.created"
        live.session.update(session=session(turns))
        updated = list(events(live, "session.updated"))[-1]
        assert updated.session.audio.input.format.rate == rate, updated
        for piece in pieces:
            live.input_audio_buffer.append(audio=base64.b64encode(piece).decode())
        live.input_audio_buffer.commit()
        last = "conversation.item.input_audio_transcription.completed"
        said, kinds = "", []
        while word not in said.lower():
            for event in events(live, last):
                kinds.append(event.type)
            said += " " + event.transcript
        assert "input_audio_buffer.committed" in kinds, kinds
        assert any(kind.endswith("transcription.delta") for kind in kinds), kinds
        assert ("input_audio_buffer.speech_started" in kinds) == bool(turns), kinds
        live.send({"type": "tea"})
        wrong = next(event for event in live if event.type == "error")
        assert "`tea`" in wrong.error.message, wrong


for path in ["/v1", "/s/live/v1"]:
    transcribe(path, None)
    transcribe(path, {"type": "server_vad"})
print("ok")
