# Python's "websockets", used like an agent.  The client reconnects by itself,
# at the place in the reason of the last close.  The library answers pings
# itself, and hides their contents.
#
#     python3 peer.py URL AUTHORIZATION CA
#
# Sends each line that it reads as a text; prints its events, a line of JSON
# each: {"open": true}, {"text": ...}, {"close": [code, reason]}.

import asyncio
import inspect
import json
import ssl
import sys

import websockets

URL, AUTHORIZATION, CA = sys.argv[1:4]


def say(what):
    print(json.dumps(what), flush=True)


# versions before 14 call them extra_headers
def options():
    headers = {"Authorization": AUTHORIZATION}
    names = inspect.signature(websockets.connect).parameters
    known = "additional_headers" in names

    if not known and inspect.isclass(websockets.connect):
        names = inspect.signature(websockets.connect.__init__).parameters
        known = "additional_headers" in names

    ret = {"additional_headers" if known else "extra_headers": headers}

    if URL.startswith("wss:"):
        ret["ssl"] = ssl.create_default_context(cafile=CA)

    return ret


async def lines(queue):
    reader = asyncio.StreamReader(limit=1 << 24)

    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)

    while line := await reader.readline():
        await queue.put(line.decode().rstrip("\n"))


async def sends(socket, queue):
    while True:
        await socket.send(await queue.get())


async def main():
    queue = asyncio.Queue()
    reading = asyncio.create_task(lines(queue))
    place = ""

    while True:
        try:
            async with websockets.connect(URL + place, **options()) as socket:
                say({"open": True})
                sending = asyncio.create_task(sends(socket, queue))

                try:
                    async for text in socket:
                        say({"text": text, "binary": isinstance(text, bytes)})
                except websockets.ConnectionClosed:
                    pass

                sending.cancel()
                say({"close": [socket.close_code, socket.close_reason]})

                if (socket.close_reason or "").startswith("last_event_id="):
                    place = "&" + socket.close_reason

        except OSError:
            pass

        await asyncio.sleep(0.1)


asyncio.run(main())
