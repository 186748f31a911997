#!/usr/bin/env python3
"""A service of agent-channel that has event streams of its own, for a gateway
with examples/existing-streams.conf in front of it.

    python3 examples/clients/service.py [PORT]        # 9001

POST /channel           accepts a frame
GET  /channel/~handle   the frames for a handle, as server-sent events; resumes
                        after the event of Last-Event-ID, or of last_event_id=

The gateway proves the callers, checks each frame and its sender, and decides
which caller may read a stream.  So this service does not check them again.  It
listens on loopback only: no caller can go around the gateway.  It uses only
Python's standard library, and has its frames in memory only.
"""

import collections
import http.server
import itertools
import json
import re
import secrets
import sys
import threading
import urllib.parse

KEPT = 1000      # frames of each handle, for streams that resume
HEARTBEAT = 15   # seconds; shorter than proxy_read_timeout

# ids of another run of this program are unknown
RUN = secrets.token_hex(6)


class Channel:
    """The frames for one handle, as (number, text of the event)."""

    def __init__(self):
        self.events = collections.deque(maxlen=KEPT)
        self.streams = 0


changed = threading.Condition()
channels = collections.defaultdict(Channel)
numbers = itertools.count(1)
newest = 0


def publish(frame):
    """Returns the number of streams that get the frame."""
    global newest

    text = json.dumps(frame, separators=(",", ":"))

    with changed:
        channel = channels[frame["recipient_handle"]]
        newest = next(numbers)
        channel.events.append(
            (newest, f"id: {RUN}-{newest}\ndata: {text}\n\n".encode()))
        changed.notify_all()
        return channel.streams


def place(last):
    """Returns the number of the event after which a stream begins.  An unknown
    id is one of an earlier run: all that is kept."""
    if last is None:
        return newest

    run, _, number = last.rpartition("-")
    return int(number) if run == RUN and number.isdecimal() else 0


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        # parley_limits of the gateway limits the size
        text = self.rfile.read(int(self.headers["Content-Length"]))

        if self.path != "/channel":
            self.send_error(404)
            return

        frame = json.loads(text)
        told = {"frame_id": frame["frame_id"], "delivered": publish(frame)}
        body = json.dumps(told).encode()

        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        handle = re.fullmatch(r"/channel/(~[^/]+)",
                              urllib.parse.unquote(url.path))
        asked = urllib.parse.parse_qs(url.query).get("last_event_id", [None])
        last = self.headers.get("Last-Event-ID") or asked[0]

        if not handle:
            self.send_error(404)
            return

        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()

        with changed:
            channel, at = channels[handle[1]], place(last)
            channel.streams += 1

        try:
            self.wfile.write(b": open\n\n")
            self.follow(channel, at)
        except OSError:
            pass    # the reader has left
        finally:
            with changed:
                channel.streams -= 1

    def follow(self, channel, at):
        while True:
            with changed:
                changed.wait_for(
                    lambda: channel.events and channel.events[-1][0] > at,
                    HEARTBEAT)
                new = [event for event in channel.events if event[0] > at]

            self.wfile.write(b"".join(text for _, text in new)
                             or b": alive\n\n")
            at = new[-1][0] if new else at

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 9001

    with http.server.ThreadingHTTPServer(("127.0.0.1", port), Service) as server:
        print(f"http://127.0.0.1:{port}/channel", flush=True)

        try:
            server.serve_forever()
        except KeyboardInterrupt:
            pass
