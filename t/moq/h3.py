#!/usr/bin/python3
#
# h3.py PORT PATH
#
# Prints the status and the body of a response over HTTP/3.

import asyncio
import ssl
import sys

from aioquic.asyncio.client import connect
from aioquic.asyncio.protocol import QuicConnectionProtocol
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration


class Client(QuicConnectionProtocol):
    def __init__(self, *args, **more):
        super().__init__(*args, **more)
        self.http = H3Connection(self._quic)
        self.done = asyncio.get_running_loop().create_future()
        self.status = self.body = b''

    def quic_event_received(self, event):
        for e in self.http.handle_event(event):
            if isinstance(e, HeadersReceived):
                self.status = dict(e.headers)[b':status']
            elif isinstance(e, DataReceived):
                self.body += e.data
            if e.stream_ended and not self.done.done():
                self.done.set_result(None)

    async def get(self, path):
        self.http.send_headers(self._quic.get_next_available_stream_id(), [
            (b':method', b'GET'), (b':scheme', b'https'),
            (b':authority', b'localhost'), (b':path', path.encode())], True)
        self.transmit()
        await asyncio.wait_for(self.done, 15)


async def main(port, path):
    conf = QuicConfiguration(is_client=True, alpn_protocols=['h3'],
                             server_name='localhost',
                             verify_mode=ssl.CERT_NONE)
    async with connect('127.0.0.1', port, configuration=conf,
                       create_protocol=Client) as client:
        await client.get(path)
        print(client.status.decode(), client.body.decode())


asyncio.run(main(int(sys.argv[1]), sys.argv[2]))
