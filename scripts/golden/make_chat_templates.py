#!/usr/bin/env python3
"""Writes fixtures/golden/chat-templates.json: conversations rendered by transformers with chat
templates of the kinds that generators carry. They do what those of SmolLM2, Llama 3, Qwen 2.5 and
Qwen 3 do with messages (not with tools), and use the same parts of Jinja2."""

import json
import pathlib

from transformers.utils.chat_template_utils import render_jinja_template

OUT = pathlib.Path(__file__).parents[2] / "fixtures" / "golden" / "chat-templates.json"

CHATML = """{%- for message in messages %}
    {%- if loop.first and message.role != 'system' %}
        {{- '<|im_start|>system\\nYou keep the log of a harbour.<|im_end|>\\n' }}
    {%- endif %}
    {{- '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

LLAMA3 = """{{- bos_token }}
{%- if not date_string is defined %}
    {%- if strftime_now is defined and false %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
{%- if messages[0]['role'] == 'system' %}
    {%- set system_message = messages[0]['content']|trim %}
    {%- set messages = messages[1:] %}
{%- else %}
    {%- set system_message = "" %}
{%- endif %}
{{- "<|start_header_id|>system<|end_header_id|>\\n\\n" }}
{{- "Today Date: " + date_string + "\\n\\n" }}
{{- system_message }}
{{- "<|eot_id|>" }}
{%- for message in messages %}
    {%- if not (message.role == 'ipython' or 'tool_calls' in message) %}
        {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' }}
        {{- message['content'] | trim + '<|eot_id|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""

QWEN25 = """{%- if tools %}
    {{- raise_exception("no tools") }}
{%- else %}
    {%- if messages[0]['role'] == 'system' %}
        {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}
    {%- endif %}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

QWEN3 = """{%- if messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}
        {%- set content = message.content %}
    {%- else %}
        {%- set content = '' %}
    {%- endif %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {%- set reasoning_content = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning_content = message.reasoning_content %}
        {%- else %}
            {%- if '</think>' in content %}
                {%- set reasoning_content = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
                {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
            {%- endif %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index %}
            {%- if loop.last or (not loop.last and reasoning_content) %}
                {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
            {%- else %}
                {{- '<|im_start|>' + message.role + '\\n' + content }}
            {%- endif %}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
"""

TEMPLATES = {
    "chatml": (CHATML, "<|im_start|>", "<|im_end|>"),
    "llama3": (LLAMA3, "<|begin_of_text|>", "<|eot_id|>"),
    "qwen2.5": (QWEN25, "", "<|im_end|>"),
    "qwen3": (QWEN3, "", "<|im_end|>"),
}


def said(*pairs):
    return [{"role": role, "content": content} for role, content in pairs]


CONVERSATIONS = [
    said(("user", "Where is the boat?")),
    said(("system", "  Answer in one word. "), ("user", "Where is the boat?\n")),
    said(
        ("system", "Be brief."),
        ("user", "Hi"),
        ("assistant", "<think>\nThey greet.\n</think>\n\nHello there."),
        ("user", "Größe & <b>\"quotes\"</b> {{ not }} {% code %} 😊"),
    ),
    said(("user", "<tool_response>3</tool_response>"), ("assistant", "\n\nThree.\n"), ("user", " ")),
    said(("user", ""), ("assistant", "a</think>b</think>\nc"), ("user", "line\r\nline")),
]


def main():
    items = []
    for name, (source, bos, eos) in TEMPLATES.items():
        for conversation in CONVERSATIONS:
            for thinking in [None, False] if name == "qwen3" else [None]:
                extra = {} if thinking is None else {"enable_thinking": thinking}
                rendered, _ = render_jinja_template(
                    conversations=[conversation],
                    chat_template=source,
                    add_generation_prompt=True,
                    bos_token=bos,
                    eos_token=eos,
                    **extra,
                )
                items.append(
                    {"template": name, "thinking": thinking, "messages": conversation, "text": rendered[0]}
                )
    templates = {
        name: {"source": source, "bos": bos, "eos": eos}
        for name, (source, bos, eos) in TEMPLATES.items()
    }
    out = {"templates": templates, "items": items}
    OUT.write_text(json.dumps(out, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
