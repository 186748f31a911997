#!/usr/bin/python3
#
# bench/moq-client.py FILE
#
# The client of bench/moq, on python3-aioquic: a number of connections by MoQ,
# HTTP/3 or HTTP/2, and one of these measurements of a worker of nginx.  The
# file has options, JSON: measure, kind (moq, h3, h2), port, worker (its process
# id), tokens and more.  Prints figures as JSON.  CPU is that of the worker, by
# schedstat.  A wrong answer, a lost or repeated message ends the run.
#
#   answers  each connection sends a command and waits for its answer; the
#            requests of all connections leave together
#   fan      messages to all connections, one at a time or in bursts
#   relay    objects of one publisher to the other connections
#   files    downloads of a file by HTTP/3
#   idle     memory of connections that do nothing

import heapq
import json
import logging
import os
import selectors
import socket
import ssl
import sys
import time
import uuid

from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic import events
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                '..', 't', 'moq'))

import codec


PATIENCE = 60
HANDSHAKES = 32             # at a time
DATAGRAM = 1452             # octets
SESSION = 1                 # Session ID of a connection's agent session
COMMANDS, VIDEO = 1, 2      # aliases of the client's tracks

with open(sys.argv[1]) as f:
    o = json.load(f)

host = 'gateway.example'


def fail(text):
    sys.exit('bench/moq-client.py: %s: %s: %s'
             % (o['measure'], o['kind'], text))


# ---- the worker

def cpu():
    """Seconds of CPU of the worker."""
    with open('/proc/%d/schedstat' % o['worker']) as f:
        return int(f.read().split()[0]) / 1e9


def memory():
    """Octets of the worker that are not shared."""
    with open('/proc/%d/status' % o['worker']) as f:
        for line in f:
            if line.startswith('RssAnon:'):
                return int(line.split()[1]) * 1024


# ---- connections

class Loop:
    def __init__(self):
        self.selector = selectors.EpollSelector()
        self.timers = []
        self.count = 0
        self.peers = []

    def later(self, peer, at):
        if at is not None and at != peer.due:
            peer.due = at
            self.count += 1
            heapq.heappush(self.timers, (at, self.count, peer))

    def turn(self, most=0.5):
        """Reads what has come, or waits for it."""
        now = time.monotonic()
        wait = max(0, min(most, self.timers[0][0] - now)) if self.timers \
            else most

        for key, _ in self.selector.select(wait):
            key.data.read()

        now = time.monotonic()

        while self.timers and self.timers[0][0] <= now:
            at, _, peer = heapq.heappop(self.timers)
            if peer.due == at:
                peer.due = None
                peer.timer(now)

    def until(self, done, what):
        by = time.monotonic() + PATIENCE
        while not done():
            if time.monotonic() > by:
                fail('no ' + what)
            self.turn()

    def rest(self, seconds):
        by = time.monotonic() + seconds
        while time.monotonic() < by:
            self.turn(by - time.monotonic())


loop = Loop()


class Quic:
    """A connection of QUIC.  The number of answers or messages is "got"."""

    alpn = 'h3'

    def __init__(self, port, token, agent):
        conf = QuicConfiguration(is_client=True, alpn_protocols=[self.alpn])
        conf.idle_timeout = 300
        # as on an Ethernet; nginx finds it out, too
        conf.max_datagram_size = DATAGRAM
        conf.max_data = 64 << 20
        conf.max_stream_data = 8 << 20
        conf.server_name = host
        conf.verify_mode = ssl.CERT_NONE
        self.quic = QuicConnection(configuration=conf)
        self.token = token
        self.agent = agent
        self.due = None
        self.got = 0
        self.octets = 0         # of answers
        self.ready = False
        self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.sock.setblocking(False)
        self.sock.connect(('127.0.0.1', port))
        loop.selector.register(self.sock, selectors.EVENT_READ, self)
        self.quic.connect(('127.0.0.1', port), now=time.monotonic())
        self.begin()
        self.flush()

    def flush(self):
        """Sends what waits."""
        for data in self.datagrams():
            self.put(data)

    def datagrams(self):
        now = time.monotonic()
        data = [d for d, _ in self.quic.datagrams_to_send(now)]
        loop.later(self, self.quic.get_timer())
        return data

    def put(self, data):
        try:
            self.sock.send(data)
        except OSError:
            # lost, as far as QUIC is concerned
            pass

    def timer(self, now):
        self.quic.handle_timer(now)
        self.events()
        self.flush()

    def read(self):
        now = time.monotonic()
        while True:
            try:
                data = self.sock.recv(65536)
            except OSError:
                break
            self.quic.receive_datagram(data, ('127.0.0.1', 0), now)
        self.events()
        self.flush()

    def events(self):
        while True:
            e = self.quic.next_event()
            if e is None:
                return
            if isinstance(e, events.ConnectionTerminated):
                if not o.get('over'):
                    fail('closed: %s %s' % (e.error_code, e.reason_phrase))
            else:
                self.event(e)

    def close(self):
        self.quic.close()
        self.flush()
        loop.selector.unregister(self.sock)
        self.sock.close()
        self.due = None


class Moq(Quic):
    alpn = 'moqt-16'

    def begin(self):
        self.streams = {}
        self.closed = set()
        self.next = 0
        self.mailbox = None
        self.forwards = set()       # request ids of tracks that are wanted
        self.published = {}
        self.name = str(uuid.uuid4())
        self.control = self.quic.get_next_available_stream_id()
        self.streams[self.control] = codec.Control('control', 'server')

        pairs = [{'type': 'PATH', 'value': '/moq'},
                 {'type': 'MAX_REQUEST_ID', 'value': 1000}]
        if o.get('early'):
            pairs.append({'type': 'AUTHORIZATION_TOKEN',
                          'alias_type': 'USE_VALUE', 'token_type': 0,
                          'token_value': self.token})
        pairs.append({'type': 'AUTHORITY', 'value': host})
        self.message('CLIENT_SETUP', parameters=pairs)

        self.request('PUBLISH', track_namespace=['a2a', self.agent],
                     track_name=self.agent + '.0.cmd', track_alias=COMMANDS)
        self.commands, self.writer = self.stream(COMMANDS, 0)
        init = {'action': 'session_init', 'session_id': self.name,
                'payload': {}}
        if not o.get('early'):
            init['auth_token'] = self.token
        self.object(self.commands, self.writer, codec.put_frame(
            {'type': 'CMD', 'session_id': '%x' % SESSION, 'json': init}))

    def message(self, name, **m):
        self.quic.send_stream_data(self.control, codec.put_message(
            dict(m, message=name)))

    def request(self, name, **m):
        self.message(name, request_id=self.next, **m)
        self.next += 2
        return self.next - 2

    def stream(self, alias, group):
        """Opens a subgroup stream; returns its number and its writer."""
        number = self.quic.get_next_available_stream_id(True)
        stream = self.quic._get_or_create_stream_for_send(number)
        # aioquic 1.2 keeps streams that it only sends
        stream.receiver.is_finished = True
        writer = codec.Writer({'stream': 'SUBGROUP', 'type': 0x10,
                               'track_alias': alias, 'group': group,
                               'priority': 128})
        self.quic.send_stream_data(number, writer.octets)
        return number, writer

    def object(self, number, writer, payload, fin=False):
        self.quic.send_stream_data(number, writer.put({
            'object': 0 if writer.last is None else writer.last + 1,
            'payload': codec.text(payload)}), fin)

    def event(self, e):
        if not isinstance(e, events.StreamDataReceived):
            if isinstance(e, events.StreamReset):
                fail('a stream was reset: %d' % e.error_code)
            return

        reader = self.streams.get(e.stream_id)
        if reader is None:
            reader = self.streams[e.stream_id] = codec.Data()

        for found in reader.feed(e.data):
            if e.stream_id == self.control:
                self.take(found)
            elif found is not reader.header:
                self.answer(reader.header, found)

        if e.end_stream:
            del self.streams[e.stream_id]

    def take(self, m):
        name = m['message']
        if name == 'PUBLISH':
            parameters = []
            if m['track_name'].endswith('.mailbox'):
                self.mailbox = m['track_alias']
                if o['measure'] == 'fan':
                    parameters = [{'type': 'FORWARD', 'value': 1}]
            self.message('PUBLISH_OK', request_id=m['request_id'],
                         parameters=parameters)
            self.checked = self.request(
                'TRACK_STATUS', track_namespace=['a2a', 'parley'],
                track_name=m['track_name'])
        elif name == 'REQUEST_UPDATE':
            self.forwards.add(m['existing_request_id'])
            self.message('REQUEST_OK', request_id=m['request_id'])
        elif name in ('SUBSCRIBE_OK', 'PUBLISH_OK'):
            self.published[m['request_id']] = m.get('track_alias')
        elif name == 'REQUEST_ERROR':
            fail('REQUEST_ERROR: %s' % m['error_reason'])
        elif name in ('PUBLISH_DONE', 'GOAWAY'):
            fail(name)

    def answer(self, header, found):
        payload = found['payload']
        if not self.ready:
            value = json.loads(codec.octets(payload)[21:])
            if value['action'] != 'session_ack' \
                    or value['status'] != 'approved':
                fail('session_init: %r' % value)
            self.ready = True
            return
        if o['measure'] == 'answers' and '"approved"' not in payload:
            fail('an answer: %s' % payload)
        self.octets += len(payload)
        self.got += 1

    # commands

    def ask(self, number):
        frame = codec.put_frame({
            'type': 'CMD', 'session_id': '%x' % SESSION, 'stream_id': number,
            'payload': command(self.agent, number)})
        if o.get('apart'):
            stream, writer = self.stream(COMMANDS, number)
            self.object(stream, writer, frame, True)
        else:
            self.object(self.commands, self.writer, frame)


class Http3(Quic):
    def begin(self):
        # settings say that there is a table of QPACK
        self.h3 = H3Connection(self.quic)
        self.status = {}
        self.last = b''

    def headers(self, method, path, more=()):
        return [(b':method', method), (b':scheme', b'https'),
                (b':authority', host.encode()), (b':path', path.encode()),
                (b'authorization', b'Bearer ' + self.token.encode())] \
            + list(more)

    def event(self, e):
        if isinstance(e, events.HandshakeCompleted):
            self.ready = True
        for h in self.h3.handle_event(e):
            if isinstance(h, HeadersReceived):
                status = dict(h.headers)[b':status']
                if status != b'200':
                    fail('status %s' % status.decode())
                if o['measure'] == 'fan':
                    self.reads = True
            elif isinstance(h, DataReceived):
                self.data(h)
            if getattr(h, 'stream_ended', False):
                self.ended(h)

    def data(self, h):
        self.octets += len(h.data)
        if o['measure'] == 'answers':
            self.last += h.data
        elif o['measure'] == 'fan':
            # a record of an event stream ends with an empty line
            text = self.last + h.data
            self.got += text.count(b'\nid:') + text.startswith(b'id:')
            self.last = text[-3:]

    def ended(self, h):
        if o['measure'] == 'answers':
            if b'"approved"' not in self.last:
                fail('an answer: %r' % self.last)
            self.last = b''
            self.got += 1
        elif o['measure'] == 'files':
            self.got += 1

    def ask(self, number):
        body = codec.octets(command(self.agent, number))
        stream = self.quic.get_next_available_stream_id()
        self.h3.send_headers(stream, self.headers(b'POST', '/cmd', [
            (b'content-type', b'application/json'),
            (b'content-length', b'%d' % len(body))]))
        self.h3.send_data(stream, body, True)

    def get(self, path):
        stream = self.quic.get_next_available_stream_id()
        self.h3.send_headers(stream, self.headers(b'GET', path), True)


class Http2:
    """HTTP/2 over TLS; fields that repeat are in HPACK's table."""

    def __init__(self, port, token, agent):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(['h2'])
        self.sock = context.wrap_socket(
            socket.create_connection(('127.0.0.1', port)),
            server_hostname=host)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.token = token
        self.agent = agent
        self.ready = True
        self.got = 0
        self.octets = 0
        self.stream = -1
        self.kept = b''
        self.waiting = b''
        self.body = b''
        # SETTINGS; WINDOW_UPDATE of the connection
        self.sock.sendall(b'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
                          + self.frame(4, 0, 0, b'')
                          + self.frame(8, 0, 0, (1 << 30).to_bytes(4, 'big')))

    def frame(self, kind, flags, stream, payload):
        return (len(payload).to_bytes(3, 'big') + bytes([kind, flags])
                + stream.to_bytes(4, 'big') + payload)

    @staticmethod
    def text(value):
        if len(value) < 127:
            return bytes([len(value)]) + value
        rest = len(value) - 127
        out = b'\x7f'
        while rest >= 128:
            out += bytes([rest & 127 | 128])
            rest >>= 7
        return out + bytes([rest]) + value

    def ask(self, number):
        body = codec.octets(command(self.agent, number))
        self.stream += 2
        if self.stream == 1:
            # with incremental indexing: the newest has index 62
            fields = (b'\x83\x87' + b'\x44' + self.text(b'/cmd')
                      + b'\x41' + self.text(host.encode())
                      + b'\x57' + self.text(b'Bearer ' + self.token.encode())
                      + b'\x5f' + self.text(b'application/json'))
        else:
            fields = b'\x83\x87\xc1\xc0\xbf\xbe'
        fields += b'\x0f\x0d' + self.text(b'%d' % len(body))
        self.waiting = (self.frame(1, 4, self.stream, fields)
                        + self.frame(0, 1, self.stream, body))

    def read(self):
        while True:
            while len(self.kept) >= 9:
                size = int.from_bytes(self.kept[:3], 'big')
                if len(self.kept) < 9 + size:
                    break
                kind, flags = self.kept[3:5]
                payload = self.kept[9:9 + size]
                self.kept = self.kept[9 + size:]
                if kind == 0:
                    self.body += payload
                    self.octets += len(payload)
                elif kind == 4 and not flags & 1:
                    self.sock.sendall(self.frame(4, 1, 0, b''))
                elif kind in (3, 7):
                    fail('frame %d' % kind)
                if kind <= 1 and flags & 1:
                    if b'"approved"' not in self.body:
                        fail('an answer: %r' % self.body)
                    self.body = b''
                    self.got += 1
                    if self.octets > 1 << 20:
                        fail('too much')
                    self.octets = 0
                    return
            data = self.sock.recv(65536)
            if not data:
                fail('closed')
            self.kept += data


kinds = {'moq': Moq, 'h3': Http3, 'h2': Http2}


def command(agent, number):
    """A command of 700 octets."""
    text = ('{"action":"build_run","session_id":"service","aee":{"recipient":'
            '"agent.service"},"payload":{"for":"%s","number":%d,"text":"'
            % (agent, number))
    return text + 'x' * (700 - len(text) - 3) + '"}}'


def connect(n, kind=None):
    """Opens connections; each has its session, or its handshake."""
    made = []
    while len(made) < n:
        some = [(kind or kinds[o['kind']])(
            o['port'], o['tokens'][i % len(o['tokens'])],
            o['agents'][i % len(o['agents'])])
            for i in range(len(made), min(n, len(made) + HANDSHAKES))]
        loop.until(lambda: all(p.ready for p in some), 'session')
        made += some
    loop.peers += made
    return made


class Measured:
    """CPU and time of the worker, until it is at rest."""

    def __enter__(self):
        loop.rest(0.2)
        self.cpu = cpu()
        self.start = time.monotonic()
        return self

    def __exit__(self, *_):
        self.seconds = time.monotonic() - self.start
        loop.rest(0.2)
        self.cpu = cpu() - self.cpu


# ---- measurements

def answers():
    peers = connect(o['connections'])
    number = 0

    def rounds(n):
        nonlocal number
        for _ in range(n):
            number += 1
            want = peers[0].got + 1
            for p in peers:
                p.ask(number)
            if o['kind'] == 'h2':
                for p in peers:
                    p.sock.sendall(p.waiting)
                for p in peers:
                    p.read()
            else:
                ready = [(p, p.datagrams()) for p in peers]
                for p, datagrams in ready:
                    for data in datagrams:
                        p.put(data)
                loop.until(lambda: all(p.got >= want for p in peers),
                           'answer')

    rounds(3)
    with Measured() as m:
        rounds(o['rounds'])
    n = o['rounds'] * len(peers)
    if any(p.got != number for p in peers):
        fail('answers: %r' % [p.got for p in peers])
    return {'cpu': m.cpu / n * 1e6, 'rate': n / m.seconds}


def fan():
    peers = connect(o['connections'])

    if o['kind'] == 'h3':
        for i in range(0, len(peers), HANDSHAKES):
            some = peers[i:i + HANDSHAKES]
            for p in some:
                p.reads = False
                p.get('/listen/agent.' + p.agent)
                p.flush()
            loop.until(lambda: all(p.reads for p in some), 'stream')
    else:
        loop.until(lambda: all(p.mailbox is not None for p in peers),
                   'mailbox')

    # the sender of a task listens for its answers
    herald = socket.create_connection(('127.0.0.1', o['plain']))
    herald.sendall(b'GET /listen/agent.herald HTTP/1.1\r\nHost: %s\r\n'
                   b'Authorization: Bearer %s\r\n\r\n'
                   % (host.encode(), o['herald'].encode()))
    said = herald.recv(65536)
    if not said.startswith(b'HTTP/1.1 200'):
        fail('the stream of the sender: %r' % said)

    plain = socket.create_connection(('127.0.0.1', o['plain']))
    reader = plain.makefile('rb')

    def publish(n):
        data = b''
        for _ in range(n):
            name = str(uuid.uuid4())
            body = json.dumps({
                'v': '1', 'requires': None, 'id': name, 'corr': name,
                'ts': time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime()),
                'type': 'task', 'from': 'agent.herald',
                'to': 'agent.' + o['agents'][0], 'intent': 'ops.status',
                'payload': {'text': 'x' * 200}, 'priority': 'normal',
            }).encode()
            data += (b'POST /publish HTTP/1.1\r\nHost: %s\r\n'
                     b'Authorization: Bearer %s\r\n'
                     b'Content-Type: application/json\r\n'
                     b'Content-Length: %d\r\n\r\n'
                     % (host.encode(), o['herald'].encode(), len(body))) + body
        plain.sendall(data)

    def taken(n):
        for _ in range(n):
            line = reader.readline()
            if not line.startswith(b'HTTP/1.1 2'):
                fail('a message: %r %r' % (line, reader.read1()))
            size = 0
            while True:
                line = reader.readline()
                if line == b'\r\n':
                    break
                if line.lower().startswith(b'content-length:'):
                    size = int(line.split(b':')[1])
            reader.read(size)

    total = 0

    def bursts(n):
        nonlocal total
        for _ in range(n):
            total += o['burst']
            publish(o['burst'])
            taken(o['burst'])
            loop.until(lambda: all(p.got >= total for p in peers), 'message')

    loop.rest(0.5)
    for p in peers:
        p.got = 0
    bursts(1)
    with Measured() as m:
        bursts(o['bursts'])
    if any(p.got != total for p in peers):
        fail('messages: %r' % sorted({p.got for p in peers}))
    n = o['bursts'] * o['burst'] * len(peers)
    return {'cpu': m.cpu / n * 1e6, 'rate': n / m.seconds,
            'octets': peers[0].octets / total}


def relay():
    publisher, *readers = connect(1 + o['connections'])
    name = publisher.agent + '.1.video'
    space = ['a2a', publisher.agent]
    asked = publisher.request('PUBLISH', track_namespace=space,
                              track_name=name, track_alias=VIDEO)
    publisher.flush()
    loop.until(lambda: asked in publisher.published, 'PUBLISH_OK')
    for p in readers:
        p.asked = p.request('SUBSCRIBE', track_namespace=space,
                            track_name=name)
        p.flush()
    loop.until(lambda: all(p.asked in p.published for p in readers)
               and asked in publisher.forwards, 'subscription')
    # DATA: the frame of an object is 1 200 octets
    frame = codec.put_frame({'type': 'DATA', 'session_id': '%x' % SESSION,
                             'payload': 'x' * (o['size'] - 21)})
    total = 0

    def groups(n):
        nonlocal total
        for i in range(n):
            number, writer = publisher.stream(VIDEO, total)
            for j in range(o['objects']):
                publisher.object(number, writer, frame, j == o['objects'] - 1)
            total += o['objects']
            publisher.flush()
            loop.until(lambda: all(p.got >= total for p in readers), 'object')

    for p in readers:
        p.got = p.octets = 0
    groups(2)
    with Measured() as m:
        groups(o['groups'])
    if any(p.got != total or p.octets != total * o['size'] for p in readers):
        fail('objects')
    n = o['groups'] * o['objects'] * o['size'] * len(readers)
    return {'cpu': m.cpu / n * 1e9, 'rate': n / m.seconds}


def files():
    peers = connect(o['connections'])
    total = 0

    def groups(n):
        nonlocal total
        for _ in range(n):
            total += 1
            for p in peers:
                p.get('/file')
                p.flush()
            loop.until(lambda: all(p.got >= total for p in peers), 'file')

    groups(2)
    with Measured() as m:
        groups(o['groups'])
    n = o['objects'] * o['size']
    if any(p.octets != total * n for p in peers):
        fail('files')
    n *= o['groups'] * len(peers)
    return {'cpu': m.cpu / n * 1e9, 'rate': n / m.seconds}


def idle():
    # the first connections make the worker allocate lasting blocks
    connect(o['first'])
    loop.rest(3)
    before = memory()
    connect(o['connections'])
    loop.rest(3)
    return {'memory': (memory() - before) / o['connections']}


logging.disable(logging.CRITICAL)
print(json.dumps({'answers': answers, 'fan': fan, 'relay': relay,
                  'files': files, 'idle': idle}[o['measure']]()))
sys.stdout.flush()
os._exit(0)
