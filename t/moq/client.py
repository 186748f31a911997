#!/usr/bin/python3
#
# client.py
#
# QUIC connections with MoQ Transport for tests, on python3-aioquic.  Each line
# of standard input is a command: JSON with "do" (the name of a method of Client
# that begins with "do_"), and "on", the name of a connection.  Each line of
# standard output is an event: JSON with "event", "on" and "at", the seconds
# since the start.  Octets are strings as in codec.py.
#
# A stream is named by its number, or by the name that "open" or "stream" gave
# it.  The control stream is "control".  "listen" makes connections of clients,
# named "NAME/1", "NAME/2"; so two sides can be tested against each other.
#
# Events: connected, message, stream, object, cmd (a CMD whose fragments are
# joined), fin, reset, stop, closed, stateless_reset, gone (of a dropped
# connection), malformed (octets of the peer that the draft forbids), datagram,
# pong, waited, sync, failed (a command).

import heapq
import json
import logging
import os
import selectors
import socket
import ssl
import sys
import time

from aioquic.buffer import Buffer
from aioquic.quic import events
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.packet import QuicPacketType, pull_quic_header

import codec
from codec import octets, text


ALPN = 'moqt-16'


class Quic(QuicConnection):
    """aioquic's connection, which can withhold credit."""

    withhold = False
    peer_closed = False

    def _handle_connection_close_frame(self, *args, **more):
        self.peer_closed = self._close_event is None
        return QuicConnection._handle_connection_close_frame(
            self, *args, **more)

    def _handle_stop_sending_frame(self, *args, **more):
        try:
            QuicConnection._handle_stop_sending_frame(self, *args, **more)
        except AssertionError:
            # the stream was reset before
            pass

    def _write_connection_limits(self, *args, **more):
        if not self.withhold:
            QuicConnection._write_connection_limits(self, *args, **more)

    def _write_stream_limits(self, *args, **more):
        if not self.withhold:
            QuicConnection._write_stream_limits(self, *args, **more)

    def is_stateless_reset(self, data):
        known = [self._peer_cid] + self._peer_cid_available
        return len(data) >= 21 and any(
            cid.stateless_reset_token and data[-16:]
            == cid.stateless_reset_token for cid in known)


class Connection:
    def __init__(self, client, name, quic, sock, o):
        self.client = client
        self.name = name
        self.quic = quic
        self.sock = sock        # None: packets are dropped
        self.o = o
        self.names = {}         # stream numbers by name
        self.writers = {}       # of data streams, by stream number
        self.readers = {}       # by stream number
        self.parts = {}         # fragments by stream number and frame
        self.control = None     # number of the control stream
        self.is_client = quic.configuration.is_client
        self.sender = 'server' if self.is_client else 'client'
        self.received = 0       # octets of streams
        self.objects = 0

    def tell(self, event, **more):
        self.client.tell(event, on=self.name, **more)

    # streams

    def open(self, kind):
        number = self.quic.get_next_available_stream_id(
            is_unidirectional=kind == 'uni')
        stream = self.quic._get_or_create_stream_for_send(number)
        if kind == 'uni':
            # aioquic 1.2 keeps streams that it only sends
            stream.receiver.is_finished = True
        return number

    def number(self, stream):
        if stream == 'control':
            return self.control
        return stream if isinstance(stream, int) else self.names[stream]

    def write(self, stream, data, fin=False):
        number = self.number(stream)
        known = self.quic._streams.get(number)

        # aioquic resets a stream that the peer stops
        if known is None or known.sender._reset_error_code is None:
            self.quic.send_stream_data(number, data, fin)

    def setup(self):
        """Sends SETUP, or what replaces it."""
        o = self.o
        if o.get('setup_octets') is not None:
            data = octets(o['setup_octets'])
            if not data:
                return
        else:
            given = [('AUTHORITY', o.get('authority')),
                     ('PATH', o.get('path')),
                     ('MAX_REQUEST_ID', o.get('max_request_id', 1000)),
                     ('MOQT_IMPLEMENTATION', o.get('implementation'))]
            pairs = [{'type': k, 'value': v} for k, v in given
                     if v is not None]
            if o.get('token') is not None:
                pairs.append({'type': 'AUTHORIZATION_TOKEN',
                              'alias_type': 'USE_VALUE', 'token_type': 0,
                              'token_value': o['token']})
            pairs += o.get('parameters', [])
            types = {row[1]: row[0] for row in codec.SETUP_PARAMETERS}
            pairs.sort(key=lambda p: types.get(p['type'], p['type']))
            data = codec.put_message({
                'message': 'CLIENT_SETUP' if self.is_client
                else 'SERVER_SETUP', 'parameters': pairs})

        if self.is_client:
            self.control = self.open('bidi')
            self.read_control(self.control, 'control')
        self.write('control', data)

    def read_control(self, number, kind):
        self.readers[number] = codec.Control(kind, self.sender)

    # events of QUIC

    def handle(self, event):
        kind = type(event)

        if kind is events.HandshakeCompleted:
            self.tell('connected', alpn=event.alpn_protocol,
                      resumed=event.session_resumed,
                      early=event.early_data_accepted)
        elif kind is events.StreamDataReceived:
            self.take(event.stream_id, event.data, event.end_stream)
        elif kind is events.StreamReset:
            self.tell('reset', id=event.stream_id, code=event.error_code,
                      **self.rest(event.stream_id))
        elif kind is events.StopSendingReceived:
            self.tell('stop', id=event.stream_id, code=event.error_code)
        elif kind is events.ConnectionTerminated:
            by = ('peer' if self.quic.peer_closed else 'idle'
                  if event.reason_phrase == 'Idle timeout' else 'self')
            self.tell('closed', code=event.error_code, by=by,
                      application=event.frame_type is None,
                      reason=event.reason_phrase, objects=self.objects,
                      received=self.received)
            self.client.forget(self)
        elif kind is events.DatagramFrameReceived:
            self.tell('datagram', octets=text(event.data))
        elif kind is events.PingAcknowledged:
            self.tell('pong', uid=event.uid)

    def rest(self, number):
        """What a stream that ends leaves."""
        reader = self.readers.pop(number, None)
        more = {'kept': len(reader.kept)} if reader else {}
        if isinstance(reader, codec.Data):
            more['header'] = reader.header
        return more

    def take(self, number, data, fin):
        self.received += len(data)

        if number not in self.readers:
            if number & 2:
                self.readers[number] = codec.Data()
            elif self.control is None and not self.is_client:
                self.control = number
                self.read_control(number, 'control')
            else:
                # a request of the peer, or an answer to one of this side
                own = number & 1 == (0 if self.is_client else 1)
                self.read_control(number, 'response' if own else 'request')

        reader = self.readers[number]
        count = self.o.get('quiet')

        try:
            for found in reader.feed(data):
                if isinstance(reader, codec.Control):
                    self.message(number, found)
                elif found is reader.header:
                    if not count:
                        self.tell('stream', id=number, header=found)
                else:
                    self.objects += 1
                    if not count:
                        self.object(number, reader.header, found)
        except codec.Fault as fault:
            self.tell('malformed', id=number, code=fault.code,
                      what=fault.text, octets=text(reader.kept))
            reader.kept = b''

        if fin:
            more = self.rest(number)
            if not (count and number & 2):
                self.tell('fin', id=number, **more)

    def message(self, number, m):
        stream = 'control' if number == self.control else number
        self.tell('message', stream=stream, message=m)
        name = m['message']

        if name == 'CLIENT_SETUP' and not self.is_client:
            self.setup()

        answer = self.o.get('auto', {}).get(name)

        if answer is None:
            return
        if answer == 'error':
            reply = {'message': 'REQUEST_ERROR', 'error_code': 0x20,
                     'retry_interval': 0, 'error_reason': 'not now'}
        elif name == 'SUBSCRIBE':
            reply = {'message': 'SUBSCRIBE_OK',
                     'track_alias': 1000 + m['request_id']}
        elif name == 'PUBLISH':
            reply = {'message': 'PUBLISH_OK'}
        else:
            reply = {'message': 'REQUEST_OK'}
        reply['request_id'] = m['request_id']
        self.write(stream, codec.put_message(reply))

    def object(self, number, header, found):
        o = dict(found)
        if header['stream'] == 'FETCH':
            o['request_id'] = header['request_id']
        else:
            o['track_alias'] = header['track_alias']
            o['group'] = header['group']
        frame = codec.get_frame(octets(o['payload'])) if 'payload' in o \
            else None
        if frame is not None:
            o['frame'] = frame
        self.tell('object', id=number, **o)
        if frame is not None and frame['type'] == 'CMD':
            self.cmd(number, o, octets(o['payload'])[21:])

    def cmd(self, number, o, payload):
        frame = o['frame']
        key = (number, frame['session_id'], frame['stream_id'])
        first, parts = self.parts.pop(key, (o, []))
        parts.append(payload)

        if frame['flags'] & 4:
            self.parts[key] = (first, parts)
            return
        try:
            value = json.loads(b''.join(parts).decode())
        except ValueError:
            value = None
        self.tell('cmd', id=number, json=value, frames=len(parts),
                  **{k: first[k] for k in ('track_alias', 'request_id',
                                           'group', 'object')
                     if k in first},
                  **{k: frame[k] for k in ('session_id', 'stream_id')})


class Client:
    def __init__(self):
        self.start = time.monotonic()
        self.selector = selectors.DefaultSelector()
        self.connections = {}
        self.listeners = {}     # name: (socket, configuration, command)
        self.by_cid = {}        # connections of listeners
        self.over = set()       # names of connections that have ended
        self.timers = []        # (time, number, function)
        self.count = 0
        self.input = b''
        self.ended = False

    def tell(self, event, **more):
        more['event'] = event
        more['at'] = round(time.monotonic() - self.start, 6)
        sys.stdout.write(json.dumps(more) + '\n')

    def later(self, seconds, function):
        self.count += 1
        heapq.heappush(self.timers, (time.monotonic() + seconds, self.count,
                                     function))

    # connections

    def configuration(self, o, is_client):
        conf = QuicConfiguration(is_client=is_client)
        alpn = o.get('alpn', ALPN)
        conf.alpn_protocols = [alpn] if isinstance(alpn, str) else alpn
        conf.idle_timeout = o.get('idle', 60)
        conf.max_data = o.get('max_data', 16 << 20)
        conf.max_stream_data = o.get('max_stream_data', 1 << 20)
        if o.get('datagrams'):
            conf.max_datagram_frame_size = 65536
        if is_client:
            conf.server_name = o.get('server_name', 'localhost')
            if o.get('cafile'):
                conf.load_verify_locations(o['cafile'])
            else:
                conf.verify_mode = ssl.CERT_NONE
        if o.get('cert'):
            conf.load_cert_chain(o['cert'], o['key'])
        return conf

    def socket(self, host, port=0):
        sock = socket.socket(socket.AF_INET6 if ':' in host
                             else socket.AF_INET, socket.SOCK_DGRAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        sock.setblocking(False)
        sock.bind((host, port))
        return sock

    def attach(self, c, sock):
        c.sock = sock
        self.selector.register(sock, selectors.EVENT_READ,
                               lambda: self.read(c))

    def detach(self, c):
        if c.sock is not None and c.is_client:
            self.selector.unregister(c.sock)
            c.sock.close()
        c.sock = None

    def forget(self, c):
        self.detach(c)
        self.connections.pop(c.name, None)
        self.over.add(c.name)
        self.by_cid = {k: v for k, v in self.by_cid.items() if v is not c}

    def receive(self, c, data, source):
        if c.is_client and c.quic.is_stateless_reset(data):
            c.tell('stateless_reset')
            self.forget(c)
            return
        c.quic.receive_datagram(data, source, now=time.monotonic())

    def read(self, c):
        for _ in range(64):
            if c.sock is None:
                return
            try:
                data, source = c.sock.recvfrom(65536)
            except BlockingIOError:
                break
            except OSError:
                # an ICMP error: nothing listens there
                continue
            self.receive(c, data, source)
        self.events(c)

    def accept(self, name):
        sock, conf, o = self.listeners[name]
        touched = set()
        while True:
            try:
                data, source = sock.recvfrom(65536)
            except BlockingIOError:
                break
            header = pull_quic_header(Buffer(data=data), host_cid_length=8)
            c = self.by_cid.get(header.destination_cid)
            if c is None:
                if header.packet_type != QuicPacketType.INITIAL:
                    continue
                self.count += 1
                quic = Quic(configuration=conf,
                            original_destination_connection_id=header
                            .destination_cid)
                o['peers'] = o.get('peers', 0) + 1
                c = Connection(self, '%s/%d' % (name, o['peers']), quic, sock,
                               o)
                self.connections[c.name] = c
                self.by_cid[header.destination_cid] = c
                self.by_cid[quic.host_cid] = c
            self.receive(c, data, source)
            touched.add(c)
        for c in touched:
            self.events(c)

    def events(self, c):
        while True:
            event = c.quic.next_event()
            if event is None:
                break
            if isinstance(event, events.ConnectionIdIssued):
                self.by_cid[event.connection_id] = c
            c.handle(event)

        # aioquic tells it when the time for late packets is over
        if c.quic.peer_closed and c.name in self.connections:
            c.handle(c.quic._close_event)

    def flush(self, c):
        now = time.monotonic()
        timer = c.quic.get_timer()
        if timer is not None and timer <= now:
            c.quic.handle_timer(now)
            self.events(c)
        for data, target in c.quic.datagrams_to_send(now):
            if c.sock is not None:
                try:
                    c.sock.sendto(data, target)
                except OSError:
                    pass
        self.events(c)

    # commands

    def do_connect(self, o):
        quic = Quic(configuration=self.configuration(o, True))
        c = Connection(self, o['on'], quic, None, o)
        self.connections[c.name] = c
        host = o.get('host', '127.0.0.1')
        self.attach(c, self.socket(o.get('from', '::1' if ':' in host
                                         else '127.0.0.1')))
        quic.connect((host, o['port']), now=time.monotonic())
        c.setup()

    def do_listen(self, o):
        sock = self.socket(o.get('host', '127.0.0.1'), o.get('port', 0))
        self.listeners[o['on']] = (sock, self.configuration(o, False), o)
        self.selector.register(sock, selectors.EVENT_READ,
                               lambda: self.accept(o['on']))
        self.tell('listening', on=o['on'], port=sock.getsockname()[1])

    def do_send(self, o):
        """Sends a message, or octets, on the control stream or another.
        "count" sends it that often, each with the next request_id; "adjust" adds
        a zero octet to the payload (1) or takes the last one away (-1), with a
        length that fits; "split" sends so many octets in a packet."""
        c = self.connections[o['on']]
        if 'octets' in o:
            data = octets(o['octets'])
        else:
            m = dict(o['message'])
            parts = []
            for _ in range(o.get('count', 1)):
                parts.append(codec.put_message(m))
                if 'request_id' in m:
                    m['request_id'] += 2
            data = b''.join(parts)
            if o.get('adjust'):
                payload = (data[3:] + b'\0' if o['adjust'] > 0
                           else data[3:-1])
                data = data[:1] + len(payload).to_bytes(2, 'big') + payload
        stream = o.get('stream', 'control')
        if 'split' in o:
            for i in range(0, len(data), o['split']):
                c.write(stream, data[i:i + o['split']])
                self.flush(c)
            if o.get('fin'):
                c.write(stream, b'', True)
        else:
            c.write(stream, data, o.get('fin', False))

    def do_trickle(self, o):
        """Sends octets, "size" of them every "every" seconds."""
        data = octets(o['octets'])
        size = o.get('size', 1)
        c = self.connections.get(o['on'])
        if c is None:
            return
        rest = text(data[size:])
        c.write(o.get('stream', 'control'), data[:size],
                o.get('fin', False) and not rest)
        if rest:
            self.later(o['every'], lambda: self.do_trickle(
                dict(o, octets=rest)))

    def do_open(self, o):
        """Opens a stream, "kind" uni or bidi, and names it "as".  "count" opens
        so many streams with the same octets."""
        c = self.connections[o['on']]
        for _ in range(o.get('count', 1)):
            number = c.open(o.get('kind', 'uni'))
            c.names[o.get('as', number)] = number
            if o.get('octets') or o.get('fin'):
                c.write(number, octets(o.get('octets', '')),
                        o.get('fin', False))
            if 'message' in o:
                c.write(number, codec.put_message(o['message']),
                        o.get('fin', False))

    def do_stream(self, o):
        """Opens a data stream by its header, and names it "as"; "objects" and
        "fin" as for do_object."""
        c = self.connections[o['on']]
        number = c.open('uni')
        writer = codec.Writer(dict({'stream': 'SUBGROUP', 'type': 0x18,
                                    'group': 0, 'priority': 128},
                                   **o['header']))
        c.names[o.get('as', number)] = number
        c.writers[number] = writer
        c.write(number, writer.octets)
        self.do_object(dict(o, stream=number))

    def do_object(self, o):
        """Sends objects on a data stream: payload, frame or other members of
        an object.  Without "object" it has the next number."""
        c = self.connections[o['on']]
        number = c.number(o['stream'])
        writer = c.writers[number]
        data = b''
        for given in o.get('objects', []):
            item = dict(given)
            if 'frame' in item:
                item['payload'] = text(codec.put_frame(item['frame']))
            item.setdefault('object', 0 if writer.last is None
                            else writer.last + 1)
            data += writer.put(item)
        if data or o.get('fin'):
            c.write(number, data, o.get('fin', False))
        if o.get('fin'):
            c.writers.pop(number)

    def do_reset(self, o):
        """Resets a stream, after what was written to it left."""
        c = self.connections[o['on']]
        self.flush(c)
        known = c.quic._streams.get(c.number(o['stream']))
        if known is not None and known.sender._reset_error_code is None:
            c.quic.reset_stream(known.stream_id, o.get('code', 0))

    def do_stop(self, o):
        c = self.connections[o['on']]
        c.quic.stop_stream(c.number(o['stream']), o.get('code', 0))

    def do_close(self, o):
        c = self.connections.get(o['on'])
        if c is not None:
            c.quic.close(error_code=o.get('code', 0),
                         reason_phrase=o.get('reason', ''))
            self.flush(c)
            if c.name in self.connections:
                c.handle(c.quic._close_event)

    def do_drop(self, o):
        """Forgets a connection without a packet, as a client that dies."""
        c = self.connections[o['on']]
        self.forget(c)
        c.tell('gone', objects=c.objects, received=c.received)

    def do_mute(self, o):
        """Drops all packets of a connection, until "off"."""
        c = self.connections[o['on']]
        if o.get('off'):
            self.attach(c, c.muted)
        elif c.sock is not None:
            c.muted = c.sock
            self.selector.unregister(c.sock)
            c.sock = None

    def do_rebind(self, o):
        """Goes on from another port, and from another address with "from"."""
        c = self.connections[o['on']]
        self.detach(c)
        self.attach(c, self.socket(o.get('from', '127.0.0.1')))
        c.quic.send_ping(0)

    def do_withhold(self, o):
        """Grants no further credit, until "off"."""
        self.connections[o['on']].quic.withhold = not o.get('off')

    def do_quiet(self, o):
        """Counts streams and objects without events, until "off"."""
        self.connections[o['on']].o['quiet'] = not o.get('off')

    def do_ping(self, o):
        self.connections[o['on']].quic.send_ping(o.get('uid', 1))

    def do_keepalive(self, o):
        c = self.connections.get(o['on'])
        if c is not None:
            c.quic.send_ping(0)
            self.later(o['every'], lambda: self.do_keepalive(o))

    def do_datagram(self, o):
        self.connections[o['on']].quic.send_datagram_frame(
            octets(o['octets']))

    def do_udp(self, o):
        """Sends a datagram that no connection made."""
        with self.socket('127.0.0.1') as sock:
            sock.sendto(octets(o['octets']), (o.get('host', '127.0.0.1'),
                                              o['port']))

    def do_count(self, o):
        c = self.connections[o['on']]
        c.tell('count', objects=c.objects, received=c.received,
               streams=len(c.quic._streams), sent=sum(
                   s.sender._buffer_start for s in c.quic._streams.values()),
               unsent=sum(len(s.sender._buffer)
                          for s in c.quic._streams.values()))

    def do_sync(self, o):
        self.tell('sync', n=o['n'])

    def do_wait(self, o):
        self.later(o['seconds'], lambda: self.tell('waited', n=o.get('n')))

    def command(self, line):
        o = json.loads(line)

        # the peer may end a connection at any time
        if (o.get('on') in self.over and o['on'] not in self.connections
                and o['do'] not in ('connect', 'listen')):
            return
        try:
            getattr(self, 'do_' + o['do'])(o)
        except Exception as e:
            self.tell('failed', on=o.get('on'), do=o.get('do'),
                      why='%s: %s' % (type(e).__name__, e))

    def commands(self):
        data = os.read(0, 1 << 20)
        if not data:
            self.ended = True
        *lines, self.input = (self.input + data).split(b'\n')
        for line in lines:
            self.command(line)

    def run(self):
        os.set_blocking(0, False)
        self.selector.register(0, selectors.EVENT_READ, self.commands)

        while not self.ended:
            for c in list(self.connections.values()):
                self.flush(c)
            sys.stdout.flush()

            at = [self.timers[0][0]] if self.timers else []
            at += [t for t in (c.quic.get_timer()
                               for c in self.connections.values())
                   if t is not None]
            wait = max(0, min(at) - time.monotonic()) if at else None

            for key, _ in self.selector.select(wait):
                key.data()
            while self.timers and self.timers[0][0] <= time.monotonic():
                heapq.heappop(self.timers)[2]()

        # the connections end, as the test does
        for c in list(self.connections.values()):
            c.quic.close()
            self.flush(c)


if __name__ == '__main__':
    logging.disable(logging.CRITICAL)
    Client().run()
