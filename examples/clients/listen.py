#!/usr/bin/env python3
"""Listens to an event stream behind the gateway, and prints each message, one a
line.

    python3 examples/clients/listen.py URL TOKEN-FILE

With the gateway of "make run", in the project's root:

    SSL_CERT_FILE=build/demo/tls/server.crt python3 \\
        examples/clients/listen.py \\
        https://localhost:8443/channel/stream/~watch build/demo/tokens/watch.jwt

A stream ends with a reload of the gateway, a fault of the network, or its token.
The listener then opens it again, with the id of the last event, and misses
nothing.  It reads the token file each time: the program that gets tokens renews
the file.  It uses only Python's standard library.
"""

import http.client
import random
import sys
import time
import urllib.error
import urllib.request

IDLE = 60        # seconds without an octet; the gateway sends heartbeats
WAIT_MAX = 30    # seconds between two attempts
LINE_MAX = 1 << 24

# another attempt gives another answer only to these
TRANSIENT = {401, 408, 425, 429}


class Direct(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the token is for one host only."""

    def redirect_request(self, *_):
        return None


class Listener:
    def __init__(self, url, token_file):
        self.url = url
        self.token_file = token_file
        self.opener = urllib.request.build_opener(Direct)
        self.last = None    # id of the last complete event
        self.retry = 1.0    # seconds, from the stream
        self.wait = self.retry

    def connect(self):
        with open(self.token_file) as file:
            token = file.read().strip()

        headers = {"Accept": "text/event-stream",
                   "Authorization": f"Bearer {token}"}

        if self.last is not None:
            headers["Last-Event-ID"] = self.last

        return self.opener.open(
            urllib.request.Request(self.url, headers=headers), timeout=IDLE)

    def events(self, stream):
        """Yields the complete events of a response: type and data."""
        kind, data, last = "message", [], self.last

        while line := stream.readline(LINE_MAX).decode():
            if not line.endswith("\n"):
                return

            line = line.rstrip("\r\n")
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")

            if line == "":
                if data:
                    yield kind, "\n".join(data)

                self.last = last
                kind, data = "message", []
            elif field == "data":
                data.append(value)
            elif field == "event":
                kind = value
            elif field == "id":
                last = value
            elif field == "retry" and value.isdecimal():
                self.retry = int(value) / 1000

    def listen(self):
        """Prints the messages of one connection, until it ends."""
        with self.connect() as stream:
            print("open", file=sys.stderr, flush=True)
            self.wait = self.retry

            for kind, data in self.events(stream):
                if kind == "message":
                    print(data, flush=True)
                else:
                    print(kind, data, file=sys.stderr)  # ready, gap, error

    def run(self):
        while True:
            try:
                self.listen()
                self.wait = self.retry
            except urllib.error.HTTPError as refusal:
                print(refusal.code, refusal.read().decode(), file=sys.stderr)

                if refusal.code < 500 and refusal.code not in TRANSIENT:
                    return 1

                self.wait = min(2 * self.wait, WAIT_MAX)
            except (OSError, http.client.HTTPException) as error:
                print(error, file=sys.stderr)
                self.wait = min(2 * self.wait, WAIT_MAX)

            time.sleep(self.wait * random.uniform(0.5, 1))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: listen.py URL TOKEN-FILE")

    try:
        sys.exit(Listener(*sys.argv[1:]).run())
    except KeyboardInterrupt:
        pass
