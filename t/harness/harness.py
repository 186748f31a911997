#!/usr/bin/env python3
"""A harness of an agent at a host of chat, with a deliver URL.

    python3 harness.py PORT CERT KEY CHAT TOKEN

It serves HTTPS on PORT, and calls the tools of the host at the URL CHAT.  The
first word of the text of an event says how it answers:

    prompt    accepts, and sends an answer
    late      accepts after the gateway has closed the request
    twice     accepts twice, and sends its answer twice under one key and once
              under another one
    error     refuses
    never     does not answer

One JSON text a line on the standard output tells each request and each result.
It uses only Python's standard library.
"""

import http.client
import http.server
import itertools
import json
import ssl
import sys
import threading
import time
import urllib.parse

PORT, CERT, KEY, CHAT, TOKEN = sys.argv[1:6]

LATE = 8          # seconds; longer than the gateway waits
NEVER = 60

numbers = itertools.count()
seen = {}
lock = threading.Lock()


def tell(**what):
    with lock:
        print(json.dumps(what), flush=True)


def post(message):
    """Posts a message to the host; returns the status and the answer."""
    url = urllib.parse.urlsplit(CHAT)
    connection = http.client.HTTPConnection(url.netloc, timeout=20)
    connection.request("POST", url.path, json.dumps(message),
                       {"Authorization": TOKEN,
                        "Content-Type": "application/json"})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()

    return answer.status, json.loads(text) if text else None


def call(tool, **arguments):
    status, answer = post({"jsonrpc": "2.0", "id": next(numbers),
                           "method": "tools/call",
                           "params": {"name": tool, "arguments": arguments}})
    result = answer["result"]["structuredContent"]
    tell(tool=tool, of=arguments.get("inReplyTo"), status=status,
         result=result)

    return result


def send(event, key, text):
    return call("chat.send_message", inReplyTo=event["eventId"],
                target=event["conversation"], visibility="dm",
                directedness="to_me", idempotencyKey=key, text=text)


def act(word, request):
    """Acts on an accepted event."""
    event = request["params"]
    key = event["reliability"]["idempotencyKey"]

    if word == "twice":
        # a second acknowledgment, as on a stream
        for _ in range(2):
            status, _ = post({"jsonrpc": "2.0", "id": request["id"],
                              "result": {"accepted": True}})
            tell(again=request["id"], status=status)

        send(event, key, "one answer")
        send(event, key, "one answer")
        send(event, key + " other", "another answer")

    elif word in ("prompt", "late"):
        send(event, key, f"an answer to {word}")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        request = json.loads(self.rfile.read(length))
        event = request["params"]
        content = event.get("content") or [{"text": "prompt"}]
        word = content[0]["text"].split()[0]

        with lock:
            attempt = seen[event["eventId"]] = seen.get(event["eventId"], 0) + 1

        tell(event=event["eventId"], id=request["id"], attempt=attempt,
             word=word, policy=event["attention"]["policy"])

        if word == "never":
            time.sleep(NEVER)
            return

        if word == "late" and attempt == 1:
            time.sleep(LATE)

        answer = {"jsonrpc": "2.0", "id": request["id"]}

        if word == "error":
            answer["error"] = {"code": -32000, "message": "no"}
        else:
            answer["result"] = {"accepted": True}

        text = json.dumps(answer).encode()

        try:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
            self.wfile.flush()
        except OSError:
            tell(gone=request["id"])
            return

        if content is event.get("content"):
            threading.Thread(target=act, args=(word, request),
                             daemon=True).start()

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(CERT, KEY)
server = Server(("127.0.0.1", int(PORT)), Handler)
server.socket = context.wrap_socket(server.socket, server_side=True)
tell(ready=True)
server.serve_forever()
