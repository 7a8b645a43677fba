"""A chat with a memory and the model of this machine, by OpenAI's official Python client:
local_client.py BASE_URL MODEL"""

import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="none")
assert [model.id for model in client.models.list()] == [sys.argv[2], "weir"]
asked = {"model": sys.argv[2], "max_tokens": 12, "user": "Ana"}


def says(text):
    return [{"role": "user", "content": text}]


whole = client.chat.completions.create(messages=says("The locker code is 4711."), **asked)
assert whole.choices[0].message.content.strip(), whole
assert whole.choices[0].finish_reason in ("stop", "length"), whole
assert 0 < whole.usage.completion_tokens <= 12, whole
pieces = list(
    client.chat.completions.create(messages=says("What is the code?"), stream=True, **asked)
)
text = "".join(piece.choices[0].delta.content or "" for piece in pieces)
assert text.strip() and pieces[0].choices[0].delta.role == "assistant", pieces
assert pieces[-1].choices[0].finish_reason in ("stop", "length"), pieces
try:
    shaped = {"type": "json_object"}
    client.chat.completions.create(messages=says("Hi."), response_format=shaped, **asked)
    raise SystemExit("a shape that the model cannot follow was taken")
except openai.BadRequestError as error:
    assert "response_format" in str(error), error
print("ok")
