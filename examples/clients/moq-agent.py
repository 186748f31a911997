#!/usr/bin/env python3
"""An agent that takes commands over MoQ and answers them, on python3-aioquic.

moq-agent.py HOST PORT PATH AGENT TOKEN [CA-FILE [ADDRESS]]
"""
import asyncio, json, secrets, struct, sys
from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.buffer import Buffer, BufferReadError, encode_uint_var as number
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, StreamDataReceived

HOST, PORT, PATH, AGENT, TOKEN = sys.argv[1:6]
SESSION = secrets.randbits(63) + 1  # Session ID of our frames: random, not zero
ALIAS = 1                           # our track
AUTHORITY = HOST if PORT == "443" else f"{HOST}:{PORT}"

def text(s):
    return number(len(s.encode())) + s.encode()

def message(kind, body):
    return number(kind) + len(body).to_bytes(2, "big") + body

class Agent(QuicConnectionProtocol):
    def begin(self):
        self.octets, self.parts = {}, {}
        self.control = self._quic.get_next_available_stream_id()
        self.commands = self._quic.get_next_available_stream_id(True)
        # CLIENT_SETUP: PATH, MAX_REQUEST_ID, AUTHORITY
        self.send(self.control, message(0x20, number(3) + number(1) + text(PATH)
                  + number(1) + number(100) + number(3) + text(AUTHORITY)))
        # PUBLISH of the track of our commands, and a stream with its objects
        self.send(self.control, message(0x1D, number(0) + number(2)
                  + text("a2a") + text(AGENT) + text(AGENT + ".0.cmd")
                  + number(ALIAS) + number(0)))
        self.send(self.commands, number(0x10) + number(ALIAS) + number(0) + b"\x80")
        self.command(0, action="session_init", session_id="s1", auth_token=TOKEN)

    def send(self, stream, octets):
        self._quic.send_stream_data(stream, octets)
        self.transmit()

    def command(self, stream, **members):
        payload = json.dumps(members).encode()
        frame = struct.pack(">HBBQIBI", 0xA2A2, 1, 1, SESSION, stream, 0, len(payload)) + payload
        self.send(self.commands, number(0) + number(len(frame)) + frame)

    def quic_event_received(self, event):
        if isinstance(event, ConnectionTerminated):
            sys.exit(f"closed: {event.error_code:#x} {event.reason_phrase}")
        if not isinstance(event, StreamDataReceived):
            return
        kept = self.octets.get(event.stream_id, (None, b""))
        self.octets[event.stream_id] = header, octets = kept[0], kept[1] + event.data
        read = self.read_control if event.stream_id == self.control else self.read_objects
        while octets:
            buffer = Buffer(data=octets)
            try:
                header = read(buffer, header)
            except BufferReadError:
                break                                   # the rest comes later
            octets = octets[buffer.tell():]
            self.octets[event.stream_id] = header, octets

    def read_control(self, buffer, header):
        kind, body = buffer.pull_uint_var(), Buffer(data=buffer.pull_bytes(buffer.pull_uint16()))
        if kind == 0x1D:                                # PUBLISH: PUBLISH_OK
            self.send(self.control, message(0x1E, number(body.pull_uint_var()) + number(0)))

    def read_objects(self, buffer, header):
        if header is None:                              # SUBGROUP_HEADER
            kind = buffer.pull_uint_var()
            buffer.pull_uint_var(), buffer.pull_uint_var(), buffer.pull_uint8()
            return kind
        buffer.pull_uint_var()
        if header & 1:                                  # extensions
            buffer.pull_bytes(buffer.pull_uint_var())
        frame = buffer.pull_bytes(buffer.pull_uint_var())
        _, _, kind, session, stream, flags, _ = struct.unpack(">HBBQIBI", frame[:21])
        whole = self.parts.pop((session, stream), b"") + frame[21:]
        if flags & 4:                                   # a fragment
            self.parts[session, stream] = whole
        elif kind == 1:
            self.take(json.loads(whole))
        return header

    def take(self, command):
        print(json.dumps(command), flush=True)
        if "status" not in command and command["action"] != "session_bye":
            self.command(1, action=command["action"], session_id=command["session_id"],
                         status="approved", payload={"text": "done"})

async def main():
    configuration = QuicConfiguration(is_client=True, alpn_protocols=["moqt-16"],
                                      idle_timeout=60, server_name=HOST)
    if len(sys.argv) > 6:
        configuration.load_verify_locations(sys.argv[6])
    address = sys.argv[7] if len(sys.argv) > 7 else HOST
    async with connect(address, int(PORT), configuration=configuration,
                       create_protocol=Agent) as agent:
        agent.begin()
        while True:
            await asyncio.sleep(10)
            await agent.ping()                          # below the idle time

asyncio.run(main())
