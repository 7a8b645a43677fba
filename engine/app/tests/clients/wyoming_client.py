"""A voice assistant, by the official package of Wyoming:
wyoming_client.py HOST PORT RECORDING.wav WORD"""

import asyncio
import sys
import wave

from wyoming.asr import Transcribe, Transcript
from wyoming.audio import AudioChunk, AudioStart, AudioStop
from wyoming.client import AsyncTcpClient
from wyoming.handle import Handled, NotHandled
from wyoming.info import Describe, Info

host, port, recording, word = sys.argv[1:]


async def said(text: str) -> Handled | NotHandled:
    async with AsyncTcpClient(host, int(port)) as client:
        await client.write_event(Transcript(text=text, context={"conversation_id": "c"}).event())
        reply = await client.read_event()
        kind = Handled if Handled.is_type(reply.type) else NotHandled
        return kind.from_event(reply)


async def main() -> None:
    async with AsyncTcpClient(host, int(port)) as client:
        await client.write_event(Describe().event())
        info = Info.from_event(await client.read_event())
        assert info.asr[0].models[0].languages[0] == "en" and info.handle[0].models, info
    async with AsyncTcpClient(host, int(port)) as client:
        with wave.open(recording) as sound:
            rate, width, channels = sound.getframerate(), sound.getsampwidth(), sound.getnchannels()
            await client.write_event(Transcribe(language="en").event())
            about = {"rate": rate, "width": width, "channels": channels}
            await client.write_event(AudioStart(**about).event())
            while piece := sound.readframes(1024):
                await client.write_event(AudioChunk(audio=piece, **about).event())
            await client.write_event(AudioStop().event())
        transcript = Transcript.from_event(await client.read_event())
        assert word in transcript.text.lower(), transcript
    assert await said("The spare key is under the fern.") == Handled(text="Noted.")
    assert "fern" in (await said("Where is the spare key?")).text
    # another agent may know what to do with a command
    assert isinstance(await said("Turn on the kitchen light."), NotHandled)
    print("ok")


asyncio.run(main())
