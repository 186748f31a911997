# Python's "websockets" on both sides of the gateway: a service of VCP that
# acknowledges each message, and a client that sends the lines of stdin.
#
#     python3 through.py PORT URL AUTHORIZATION CA
#
# Prints the answers, and then what each side saw of the close, a line of JSON
# each.

import asyncio
import inspect
import json
import ssl
import sys

import websockets

PORT, URL, AUTHORIZATION, CA = sys.argv[1:5]


async def serves(socket, path=None):
    try:
        async for text in socket:
            await socket.ping()
            await socket.send(json.dumps({
                "status": "accepted",
                "message_id": json.loads(text)["message_id"]}))
    except websockets.exceptions.ConnectionClosed:
        pass        # the client's code is not 1000

    print(json.dumps({"service": [socket.close_code, socket.close_reason]}),
          flush=True)
    ended.set_result(None)


# versions before 14 call them extra_headers
def options():
    headers = {"Authorization": AUTHORIZATION}
    names = inspect.signature(websockets.connect).parameters
    known = "additional_headers" in names

    if not known and inspect.isclass(websockets.connect):
        names = inspect.signature(websockets.connect.__init__).parameters
        known = "additional_headers" in names

    return {"additional_headers" if known else "extra_headers": headers,
            "ssl": ssl.create_default_context(cafile=CA)}


async def main():
    global ended
    ended = asyncio.get_running_loop().create_future()

    async with websockets.serve(serves, "127.0.0.1", int(PORT)):
        async with websockets.connect(URL, **options()) as socket:
            await socket.ping()

            for line in sys.stdin:
                await socket.send(line.rstrip("\n"))
                print(await socket.recv(), flush=True)

            await socket.close(4001, "done")
            print(json.dumps({"client": [socket.close_code,
                                         socket.close_reason]}), flush=True)

        await asyncio.wait_for(ended, 10)


asyncio.run(asyncio.wait_for(main(), 30))
