"""A chat through a memory, by OpenAI's official Python client: openai_client.py BASE_URL"""

import sys

import openai

client = openai.OpenAI(base_url=sys.argv[1], api_key="none")
messages = [{"role": "user", "content": "What is my locker code?"}]
whole = client.chat.completions.create(model="m", messages=messages, user="Ana")
assert whole.choices[0].message.content == "It is noon.", whole
pieces = client.chat.completions.create(model="m", messages=messages, user="Ana", stream=True)
text = "".join(piece.choices[0].delta.content or "" for piece in pieces)
assert text == "It is noon.", text
print("ok")
