"""Words of a recording, by OpenAI's official Python client:
transcribe_client.py ADDRESS RECORDING WORD"""

import sys

import openai

address, recording, word = sys.argv[1:]
client = openai.OpenAI(base_url=f"{address}/v1", api_key="none")


def transcribe(client=client, **wanted):
    with open(recording, "rb") as file:
        return client.audio.transcriptions.create(file=file, model="whisper-1", **wanted)


assert word in transcribe().text.lower()
for form in ["text", "srt", "vtt"]:
    assert word in transcribe(response_format=form).lower(), form
assert "-->" in transcribe(response_format="srt")
assert transcribe(response_format="vtt").startswith("WEBVTT")
verbose = transcribe(response_format="verbose_json", timestamp_granularities=["word", "segment"])
assert verbose.segments and verbose.words and verbose.duration > 1, verbose
assert all(a.end <= b.end for a, b in zip(verbose.words, verbose.words[1:]))
events = list(transcribe(stream=True))
assert events[-1].type == "transcript.text.done" and word in events[-1].text.lower(), events
deltas = "".join(event.delta for event in events if event.type == "transcript.text.delta")
assert deltas == events[-1].text, events
in_session = openai.OpenAI(base_url=f"{address}/s/heard/v1", api_key="none")
assert word in transcribe(in_session).text.lower()
for told in [transcribe, lambda **wanted: transcribe(in_session, **wanted)]:
    diarized = told(response_format="diarized_json")
    assert word in diarized.text.lower() and diarized.duration > 1, diarized
    assert all(segment.speaker and segment.end > segment.start for segment in diarized.segments)
events = list(transcribe(response_format="diarized_json", stream=True))
assert events[0].type == "transcript.text.segment" and events[0].speaker, events
assert events[-1].type == "transcript.text.done" and word in events[-1].text.lower(), events
try:
    transcribe(response_format="tea")
    raise SystemExit("a format that does not exist was taken")
except openai.BadRequestError as error:
    assert "verbose_json" in str(error), error
print("ok")
