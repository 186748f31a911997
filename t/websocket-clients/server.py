# A peer with a WebSocket at /vcp/ws, by Python's "websockets", which refuses
# frames that are not masked and answers pings itself.
#
#     python3 server.py PORT CERTIFICATE KEY EVENTS ORDERS
#
# Appends its events to the file EVENTS, a line of JSON each:
# {"open": n}, {"text": ...}, {"close": [code, reason]}, {"refused": n}.
#
# The file ORDERS has an object: "refuse" (a status for each handshake),
# "accept" (a false Sec-WebSocket-Accept), "closes" (a number of texts after
# which a connection is closed), "answers" (a status for each text), "send" (a
# list of texts for a new connection, after its greeting), "binary" and "huge"
# (sent then), "drop" (ends the connection without a close after that many
# texts, and does not answer pings).

import asyncio
import http
import json
import ssl
import sys
import time
import warnings

warnings.simplefilter("ignore")

from websockets.exceptions import ConnectionClosed
from websockets.legacy import server

PORT, CERTIFICATE, KEY, EVENTS, ORDERS = sys.argv[1:6]

opened = 0


def say(what):
    with open(EVENTS, "a") as out:
        out.write(json.dumps({**what, "time": time.time()}) + "\n")


def orders():
    with open(ORDERS) as file:
        return json.load(file)


async def refuse(path, headers):
    do = orders()
    if do.get("refuse"):
        say({"refused": do["refuse"], "path": path})
        return http.HTTPStatus(do["refuse"]), [], b"no\n"
    return None


class Peer(server.WebSocketServerProtocol):
    def write_http_response(self, status, headers, body=None):
        if orders().get("accept") and status == 101:
            del headers["Sec-WebSocket-Accept"]
            headers["Sec-WebSocket-Accept"] = orders()["accept"]
        super().write_http_response(status, headers, body)

    async def pong(self, data=b""):
        if not orders().get("drop"):
            await super().pong(data)


async def first(ws, do):
    for text in do.get("send", []):
        await ws.send(text)
    if do.get("binary"):
        await ws.send(b"binary")
    if do.get("huge"):
        await ws.send("x" * do["huge"])


async def serve(ws):
    global opened
    opened += 1
    number = opened
    texts = 0
    say({"open": number, "path": ws.path,
         "headers": dict(ws.request_headers.raw_items())})
    try:
        async for text in ws:
            texts += 1
            say({"text": json.loads(text), "number": number})
            do = orders()
            if texts == 1:
                await first(ws, do)
            if do.get("answers"):
                await ws.send(json.dumps(
                    {"status": do["answers"], "code": "policy-refused",
                     "message_id": json.loads(text).get("message_id")}))
            if do.get("drop") and texts >= do["drop"]:
                ws.transport.abort()
            if do.get("closes") and texts >= do["closes"]:
                await ws.close(1012)
    except ConnectionClosed:
        pass
    say({"close": [ws.close_code, ws.close_reason], "number": number})


async def main():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE, KEY)
    async with server.serve(serve, "127.0.0.1", int(PORT), ssl=context,
                                process_request=refuse, create_protocol=Peer,
                                max_size=1 << 20):
        say({"ready": True})
        await asyncio.Future()


asyncio.run(main())
