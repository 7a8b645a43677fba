"""A client of the Model Context Protocol, by its official Python SDK.

mcp_client.py URL            over HTTP
mcp_client.py COMMAND ARGS   over standard input and output
"""

import asyncio
import json
import re
import sys

from mcp import Client, StdioServerParameters


def text(result) -> str:
    return "\n".join(item.text for item in result.content)


async def main(server) -> None:
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        names = sorted(tool.name for tool in tools)
        assert names == ["ask", "correct", "evidence", "forget", "recall", "recent", "remember"], names
        hints = {tool.name: tool.annotations for tool in tools}
        assert hints["recall"].read_only_hint and hints["forget"].destructive_hint
        # about four letters a token
        described = json.dumps([tool.model_dump(exclude_none=True) for tool in tools])
        assert len(described) / 4 < 1200, len(described)

        async def call(tool: str, **args):
            return await client.call_tool(tool, args)

        stored = text(await call("remember", text="My locker code is 4711.", speaker="Ana"))
        assert re.fullmatch(r"stored as \S+", stored), stored
        assert not (await call("remember", text="It rains.", speaker="")).is_error
        answer = text(await call("ask", question="What is Ana's locker code?"))
        assert "4711" in answer and "Ana" in answer, answer
        for _ in range(12):
            await call("remember", text="We talked about the garden and the rain.", speaker="Bob")
        recalled = text(await call("recall", query="locker code", max_tokens="400", speaker=""))
        assert "4711" in recalled, recalled
        recent = text(await call("recent", minutes="60.0"))
        assert re.search(r"^\d{4}-\d\d-\d\dT\S+ Ana: My locker code is 4711\.$", recent, re.M), recent
        outline = (await client.read_resource("weir://outline")).contents[0].text
        # each line has an id, and words behind it
        outline = outline and all(len(line.split()) > 2 for line in outline.splitlines())
        transcript = (await client.read_resource("weir://transcript")).contents[0].text
        assert "4711" in transcript, transcript
        named = re.search(r"\[(n\d+\.\d+)\][^\n]*4711", recalled)
        if named:
            node = named.group(1)
            assert "4711" in text(await call("evidence", id=node))
            assert not (await call("correct", id=node, text="My locker code is 1174.")).is_error
            preview = text(await call("forget", id=node, dry_run="true"))
            assert "1174" in preview and preview.startswith("would erase: "), preview
            erased = await call("forget", id=node)
            assert not erased.is_error
            assert text(erased) == preview.splitlines()[0].removeprefix("would "), (text(erased), preview)
            assert "4711" not in text(await call("recent", minutes=60))
        wrong = await call("evidence", id="n999999.0")
        assert wrong.is_error and "n999999.0" in text(wrong), wrong
        print("ok", "named" if named else "unnamed", len(described), bool(outline))


if __name__ == "__main__":
    first, *rest = sys.argv[1:]
    asyncio.run(main(StdioServerParameters(command=first, args=rest) if rest else first))
