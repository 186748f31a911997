#!/usr/bin/python3
#
# codec.py encode | decode
#
# MoQ Transport (draft-ietf-moq-transport-16) and frames of Agent Protocol over
# MoQ, written from the drafts and without Parley's library, which the tests
# compare with it.  The other files of this folder use it for a QUIC client.
#
# Each line of the input is JSON with "kind": control (default), request or
# response (streams of SUBSCRIBE_NAMESPACE), data or frame; "encode" takes
# "items" and prints {"octets": "hex"}, "decode" takes "octets" and "from"
# (client or server) and prints {"items": [...]} with "fault" and "text" if the
# octets end in a violation.
#
# Octets are strings with one character, U+0000 to U+00FF, for each octet.

import json
import sys


INTEGER_MAX = 2 ** 62 - 1


class Fault(Exception):
    """A violation, with the code that closes the session."""

    def __init__(self, code, text):
        Exception.__init__(self, '%s: %s' % (code, text))
        self.code = code
        self.text = text


class Short(Exception):
    """The octets end too early."""


def violation(text):
    raise Fault('PROTOCOL_VIOLATION', text)


def octets(text):
    return text.encode('latin-1')


def text(octets):
    return bytes(octets).decode('latin-1')


# integers (RFC 9000, section 16)

def integer(n, size=None):
    """Encodes an integer, in the shortest form or in a number of octets."""
    if n < 0 or n > INTEGER_MAX:
        raise ValueError('%d is not an integer of QUIC' % n)
    for kind, length in enumerate((1, 2, 4, 8)):
        if n < 1 << (8 * length - 2) and size in (None, length):
            return (n | kind << (8 * length - 2)).to_bytes(length, 'big')
    raise ValueError('%d does not fit into %s octets' % (n, size))


class Reader:
    def __init__(self, data):
        self.data = bytes(data)
        self.pos = 0

    def left(self):
        return len(self.data) - self.pos

    def take(self, n):
        if n > self.left():
            raise Short()
        self.pos += n
        return self.data[self.pos - n:self.pos]

    def octet(self):
        return self.take(1)[0]

    def integer(self):
        first = self.octet()
        n = first & 0x3f
        for octet in self.take((1 << (first >> 6)) - 1):
            n = n << 8 | octet
        return n

    def counted(self):
        return self.take(self.integer())


def counted(data):
    return integer(len(data)) + data


# key-value pairs: type, name, kind, least, most, messages

SUBSCRIPTION = ('SUBSCRIBE', 'PUBLISH_OK', 'REQUEST_UPDATE')
SETUP = ('CLIENT_SETUP', 'SERVER_SETUP')

SETUP_PARAMETERS = (
    (0x01, 'PATH', 'path', 0, 0, ('CLIENT_SETUP',)),
    (0x02, 'MAX_REQUEST_ID', 'integer', 0, INTEGER_MAX, SETUP),
    (0x03, 'AUTHORIZATION_TOKEN', 'token', 0, 0, SETUP),
    (0x04, 'MAX_AUTH_TOKEN_CACHE_SIZE', 'integer', 0, INTEGER_MAX, SETUP),
    (0x05, 'AUTHORITY', 'authority', 0, 0, ('CLIENT_SETUP',)),
    (0x07, 'MOQT_IMPLEMENTATION', 'octets', 0, 0, SETUP),
)

PARAMETERS = (
    (0x02, 'DELIVERY_TIMEOUT', 'integer', 1, INTEGER_MAX, SUBSCRIPTION),
    (0x03, 'AUTHORIZATION_TOKEN', 'token', 0, 0,
     ('PUBLISH', 'SUBSCRIBE', 'REQUEST_UPDATE', 'SUBSCRIBE_NAMESPACE',
      'PUBLISH_NAMESPACE', 'TRACK_STATUS', 'FETCH')),
    (0x08, 'EXPIRES', 'integer', 0, INTEGER_MAX,
     ('SUBSCRIBE_OK', 'PUBLISH', 'PUBLISH_OK', 'REQUEST_OK')),
    (0x09, 'LARGEST_OBJECT', 'location', 0, 0,
     ('SUBSCRIBE_OK', 'PUBLISH', 'REQUEST_OK')),
    (0x10, 'FORWARD', 'integer', 0, 1,
     ('SUBSCRIBE', 'REQUEST_UPDATE', 'PUBLISH', 'PUBLISH_OK',
      'SUBSCRIBE_NAMESPACE')),
    (0x20, 'SUBSCRIBER_PRIORITY', 'integer', 0, 255,
     SUBSCRIPTION + ('FETCH',)),
    (0x21, 'SUBSCRIPTION_FILTER', 'filter', 0, 0, SUBSCRIPTION),
    (0x22, 'GROUP_ORDER', 'integer', 1, 2,
     ('SUBSCRIBE', 'PUBLISH_OK', 'FETCH')),
    (0x32, 'NEW_GROUP_REQUEST', 'integer', 0, INTEGER_MAX, SUBSCRIPTION),
)

TRACK = ('track',)
OBJECT = ('object',)

EXTENSIONS = (
    (0x02, 'DELIVERY_TIMEOUT', 'integer', 1, INTEGER_MAX, TRACK),
    (0x04, 'MAX_CACHE_DURATION', 'integer', 0, INTEGER_MAX, TRACK),
    (0x0b, 'IMMUTABLE_EXTENSIONS', 'octets', 0, 0, TRACK + OBJECT),
    (0x0e, 'DEFAULT_PUBLISHER_PRIORITY', 'integer', 0, 255, TRACK),
    (0x22, 'DEFAULT_PUBLISHER_GROUP_ORDER', 'integer', 1, 2, TRACK),
    (0x30, 'DYNAMIC_GROUPS', 'integer', 0, 1, TRACK),
    (0x3c, 'PRIOR_GROUP_ID_GAP', 'integer', 0, INTEGER_MAX, OBJECT),
    (0x3e, 'PRIOR_OBJECT_ID_GAP', 'integer', 0, INTEGER_MAX, OBJECT),
)

ALIAS_TYPES = ('DELETE', 'REGISTER', 'USE_ALIAS', 'USE_VALUE')
FILTERS = (None, 'NEXT_GROUP_START', 'LARGEST_OBJECT', 'ABSOLUTE_START',
           'ABSOLUTE_RANGE')

UNRESERVED = ('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
              '-._~')


def is_uri(value, more):
    """Whether a value has only characters of RFC 3986, and these."""
    i = 0
    while i < len(value):
        if value[i] == '%':
            if len(value) < i + 3 or any(
                    c not in '0123456789abcdefABCDEF'
                    for c in value[i + 1:i + 3]):
                return False
            i += 3
            continue
        if value[i] not in UNRESERVED + "!$&'()*+,;=" + more:
            return False
        i += 1
    return True


def is_path(value):
    path, _, query = value.partition('?')
    return ((path == '' or path[0] == '/') and is_uri(path, ':@/')
            and is_uri(query, ':@/?'))


def is_authority(value):
    user, at, host = value.rpartition('@')
    if at and not is_uri(user, ':'):
        return False
    if host.startswith('['):
        inner, bracket, port = host[1:].partition(']')
        if not bracket or inner == '' or not all(
                c in UNRESERVED + "!$&'()*+,;=:" for c in inner):
            return False
        if port and port[0] != ':':
            return False
        port = port[1:]
    else:
        host, _, port = host.partition(':')
        if host == '' or not is_uri(host, ''):
            return False
    return all(c in '0123456789' for c in port)


def put_location(value):
    return integer(value['group']) + integer(value['object'])


def get_location(r):
    return {'group': r.integer(), 'object': r.integer()}


def put_pair_value(pair):
    if 'alias_type' in pair:
        kind = ALIAS_TYPES.index(pair['alias_type'])
        data = integer(kind)
        if kind != 3:
            data += integer(pair['token_alias'])
        if kind & 1:
            data += integer(pair['token_type']) + octets(pair['token_value'])
        return data
    if 'location' in pair:
        return put_location(pair['location'])
    if 'filter' in pair:
        kind = FILTERS.index(pair['filter'])
        data = integer(kind)
        if kind >= 3:
            data += put_location(pair['start'])
        if kind == 4:
            data += integer(pair['end_group'])
        return data
    return octets(pair['value'])


def put_pairs(pairs, table):
    names = {row[1]: row[0] for row in table}
    data = b''
    last = 0
    for pair in pairs:
        kind = names.get(pair['type'], pair['type'])
        data += integer(kind - last)
        last = kind
        if kind % 2 == 0:
            data += integer(pair['value'])
        else:
            data += counted(put_pair_value(pair))
    return data


def get_token(r):
    pair = {'alias_type': ALIAS_TYPES[r.integer()]}
    if pair['alias_type'] != 'USE_VALUE':
        pair['token_alias'] = r.integer()
    if pair['alias_type'] in ('REGISTER', 'USE_VALUE'):
        pair['token_type'] = r.integer()
        pair['token_value'] = text(r.take(r.left()))
    elif r.left():
        raise Short()
    return pair


def get_filter(r):
    kind = r.integer()
    if kind not in (1, 2, 3, 4):
        violation('a filter type')
    pair = {'filter': FILTERS[kind]}
    if kind >= 3:
        pair['start'] = get_location(r)
    if kind == 4:
        pair['end_group'] = r.integer()
        if pair['end_group'] < pair['start']['group']:
            violation('a filter ends before it starts')
    if r.left():
        raise Short()
    return pair


def get_structured(kind, value):
    """Reads the value of an odd type that the message's draft defines."""
    r = Reader(value)
    try:
        if kind == 'token':
            return get_token(r)
        if kind == 'location':
            pair = {'location': get_location(r)}
            if r.left():
                raise Short()
            return pair
        if kind == 'filter':
            return get_filter(r)
    except (Short, IndexError):
        if kind == 'filter':
            violation('a filter has another length')
        raise Fault('KEY_VALUE_FORMATTING_ERROR', kind)
    if kind == 'path' and not is_path(text(value)):
        raise Fault('MALFORMED_PATH', 'PATH')
    if kind == 'authority' and not is_authority(text(value)):
        raise Fault('MALFORMED_AUTHORITY', 'AUTHORITY')
    return {'value': text(value)}


def get_pairs(r, table, scope, count=None, within=False):
    """Reads pairs: a number of them, or up to the end."""
    rows = {row[0]: row for row in table}
    pairs = []
    seen = set()
    last = 0

    while len(pairs) < count if count is not None else r.left():
        last += r.integer()
        if last > 2 ** 64 - 1:
            violation('a type is too large')
        row = rows.get(last)
        pair = {'type': row[1] if row else last}
        known = row is not None and scope in row[5]

        if last % 2 == 0:
            pair['value'] = r.integer()
            if known and not row[3] <= pair['value'] <= row[4]:
                violation('%s is out of range' % row[1])
        else:
            length = r.integer()
            if length > 65535:
                violation('a value is too long')
            value = r.take(length)
            pair.update(get_structured(row[2], value) if known
                        else {'value': text(value)})

        if table is PARAMETERS and row is None:
            violation('an unknown parameter')
        if (last in seen and row is not None and table is not EXTENSIONS
                and row[1] != 'AUTHORIZATION_TOKEN'):
            violation('%s comes twice' % row[1])
        if table is SETUP_PARAMETERS and row is not None and not known:
            raise Fault('INVALID_' + row[1], 'a server sends it')
        if (scope == 'CLIENT_SETUP'
                and pair.get('alias_type') in ('DELETE', 'USE_ALIAS')):
            violation('an alias in SETUP')

        seen.add(last)
        pairs.append(pair)

    return pairs


# control messages: (type, senders, streams, fields).  A field is its name and
# its kind; "when" is a set of Fetch Types.

BOTH = ('client', 'server')
CONTROL = ('control',)
RESPONSE = ('response',)

REQUEST = ('request_id', 'integer')
NAMESPACE = ('track_namespace', 'namespace')
NAME = ('track_name', 'name')
CODE = ('error_code', 'integer')
REASON = ('error_reason', 'reason')
PARAMS = ('parameters', 'parameters')
EXTS = ('extensions', 'extensions')

MESSAGES = {
    'CLIENT_SETUP': (0x20, ('client',), CONTROL, (PARAMS,)),
    'SERVER_SETUP': (0x21, ('server',), CONTROL, (PARAMS,)),
    'GOAWAY': (0x10, BOTH, CONTROL, (('new_session_uri', 'uri'),)),
    'MAX_REQUEST_ID': (0x15, BOTH, CONTROL, (('max_request_id', 'integer'),)),
    'REQUESTS_BLOCKED': (0x1a, BOTH, CONTROL,
                         (('maximum_request_id', 'integer'),)),
    'REQUEST_OK': (0x07, BOTH, CONTROL + RESPONSE, (REQUEST, PARAMS)),
    'REQUEST_ERROR': (0x05, BOTH, CONTROL + RESPONSE,
                      (REQUEST, CODE, ('retry_interval', 'integer'), REASON)),
    'SUBSCRIBE': (0x03, BOTH, CONTROL, (REQUEST, NAMESPACE, NAME, PARAMS)),
    'SUBSCRIBE_OK': (0x04, BOTH, CONTROL,
                     (REQUEST, ('track_alias', 'integer'), PARAMS, EXTS)),
    'REQUEST_UPDATE': (0x02, BOTH, CONTROL,
                       (REQUEST, ('existing_request_id', 'integer'), PARAMS)),
    'UNSUBSCRIBE': (0x0a, BOTH, CONTROL, (REQUEST,)),
    'PUBLISH': (0x1d, BOTH, CONTROL,
                (REQUEST, NAMESPACE, NAME, ('track_alias', 'integer'), PARAMS,
                 EXTS)),
    'PUBLISH_OK': (0x1e, BOTH, CONTROL, (REQUEST, PARAMS)),
    'PUBLISH_DONE': (0x0b, BOTH, CONTROL,
                     (REQUEST, ('status_code', 'integer'),
                      ('stream_count', 'integer'), REASON)),
    'FETCH': (0x16, BOTH, CONTROL,
              (REQUEST, ('fetch_type', 'fetch'),
               NAMESPACE + ((1,),), NAME + ((1,),),
               ('start_location', 'location', (1,)),
               ('end_location', 'location', (1,)),
               ('joining_request_id', 'integer', (2, 3)),
               ('joining_start', 'integer', (2, 3)), PARAMS)),
    'FETCH_OK': (0x18, BOTH, CONTROL,
                 (REQUEST, ('end_of_track', 'octet'),
                  ('end_location', 'location'), PARAMS, EXTS)),
    'FETCH_CANCEL': (0x17, BOTH, CONTROL, (REQUEST,)),
    'TRACK_STATUS': (0x0d, BOTH, CONTROL, (REQUEST, NAMESPACE, NAME, PARAMS)),
    'PUBLISH_NAMESPACE': (0x06, BOTH, CONTROL, (REQUEST, NAMESPACE, PARAMS)),
    'PUBLISH_NAMESPACE_DONE': (0x09, BOTH, CONTROL, (REQUEST,)),
    'PUBLISH_NAMESPACE_CANCEL': (0x0c, BOTH, CONTROL,
                                 (REQUEST, CODE, REASON)),
    'NAMESPACE': (0x08, BOTH, RESPONSE,
                  (('track_namespace_suffix', 'prefix'),)),
    'NAMESPACE_DONE': (0x0e, BOTH, RESPONSE,
                       (('track_namespace_suffix', 'prefix'),)),
    'SUBSCRIBE_NAMESPACE': (0x11, BOTH, ('request',),
                            (REQUEST, ('track_namespace_prefix', 'prefix'),
                             ('subscribe_options', 'integer'), PARAMS)),
}

TYPES = {row[0]: name for name, row in MESSAGES.items()}


def put_field(kind, value, message):
    if kind in ('integer', 'fetch'):
        return integer(value)
    if kind == 'octet':
        return bytes([value])
    if kind == 'location':
        return put_location(value)
    if kind in ('namespace', 'prefix'):
        return integer(len(value)) + b''.join(counted(octets(f))
                                              for f in value)
    if kind in ('name', 'reason', 'uri'):
        return counted(octets(value))
    if kind == 'parameters':
        table = SETUP_PARAMETERS if message in SETUP else PARAMETERS
        return integer(len(value)) + put_pairs(value, table)
    return put_pairs(value, EXTENSIONS)


def put_message(m):
    """Encodes a message; members that are missing have defaults."""
    name = m['message']
    payload = b''
    for field in MESSAGES[name][3]:
        if len(field) > 2 and m['fetch_type'] not in field[2]:
            continue
        default = {'parameters': [], 'extensions': [], 'reason': '',
                   'uri': ''}.get(field[1], 0)
        payload += put_field(field[1], m.get(field[0], default), name)
    return (integer(MESSAGES[name][0]) + len(payload).to_bytes(2, 'big')
            + payload)


def get_field(r, kind, m):
    if kind == 'integer':
        return r.integer()
    if kind == 'fetch':
        value = r.integer()
        if value not in (1, 2, 3):
            violation('a Fetch Type')
        return value
    if kind == 'octet':
        return r.octet()
    if kind == 'location':
        return get_location(r)
    if kind in ('namespace', 'prefix'):
        count = r.integer()
        if count > 32 or (count == 0 and kind == 'namespace'):
            violation('fields of a namespace')
        fields = []
        for _ in range(count):
            fields.append(text(r.counted()))
            if fields[-1] == '':
                violation('an empty field')
        if sum(map(len, fields)) > 4096:
            violation('a long namespace')
        return fields
    if kind == 'name':
        value = text(r.counted())
        if len(value) + sum(map(len, m['track_namespace'])) > 4096:
            violation('a long name')
        return value
    if kind in ('reason', 'uri'):
        value = text(r.counted())
        if len(value) > (1024 if kind == 'reason' else 8192):
            violation('a long text')
        return value
    if kind == 'parameters':
        table = SETUP_PARAMETERS if m['message'] in SETUP else PARAMETERS
        return get_pairs(r, table, m['message'], r.integer())
    return get_pairs(r, EXTENSIONS, 'track')


def get_message(r, kind='control', sender='server'):
    """Reads a message, or raises Short if it is not whole."""
    number = r.integer()
    name = TYPES.get(number)
    if name is None:
        violation('message type 0x%x' % number)
    _, senders, streams, fields = MESSAGES[name]
    if sender not in senders or kind not in streams:
        violation('%s from a %s on a %s stream' % (name, sender, kind))

    payload = Reader(r.take(int.from_bytes(r.take(2), 'big')))
    m = {'message': name}

    try:
        for field in fields:
            if len(field) < 3 or m['fetch_type'] in field[2]:
                m[field[0]] = get_field(payload, field[1], m)
    except Short:
        violation('%s ends too early' % name)

    if payload.left():
        violation('octets after %s' % name)
    check_message(m)

    return m


def check_message(m):
    if m['message'] == 'FETCH_OK' and m['end_of_track'] > 1:
        violation('End Of Track')
    if m['message'] == 'SUBSCRIBE_NAMESPACE' and m['subscribe_options'] > 2:
        violation('Subscribe Options')


class Control:
    """Reads messages of one direction of a stream, in any split."""

    def __init__(self, kind='control', sender='server'):
        self.kind = kind
        self.sender = sender
        self.kept = b''

    def feed(self, data):
        self.kept += data
        while self.kept:
            r = Reader(self.kept)
            try:
                message = get_message(r, self.kind, self.sender)
            except Short:
                break
            self.kept = self.kept[r.pos:]
            yield message


# data streams

def is_subgroup(kind):
    return kind & ~0x2f == 0x10 and kind & 0x06 != 0x06


class Writer:
    """Encodes a stream: its header, then objects."""

    def __init__(self, header):
        self.fetch = header['stream'] == 'FETCH'
        self.last = None

        if self.fetch:
            self.type = 5
            self.octets = integer(5) + integer(header['request_id'])
            return

        self.type = header['type']
        self.octets = integer(self.type) + integer(header['track_alias']) \
            + integer(header['group'])
        if self.type & 6 == 4:
            self.octets += integer(header['subgroup'])
        if not self.type & 0x20:
            self.octets += bytes([header['priority']])

    def put(self, o):
        """Encodes an object; "length" and "delta" replace what is right."""
        return self.put_fetch(o) if self.fetch else self.put_subgroup(o)

    def put_subgroup(self, o):
        delta = o['object'] - (0 if self.last is None else self.last + 1)
        self.last = o['object']
        payload = octets(o.get('payload', ''))
        data = integer(o.get('delta', delta))
        if self.type & 1:
            data += counted(put_pairs(o.get('extensions', []), EXTENSIONS))
        data += integer(o.get('length', len(payload)))
        if not payload and 'length' not in o:
            data += integer(o.get('status', 0))
        return data + payload

    def put_fetch(self, o):
        if 'range' in o:
            kind = {'absent': 0x8c, 'unknown': 0x10c}[o['range']]
            last = self.last or {}
            self.last = dict(last, group=o['group'], object=o['object'])
            return integer(kind) + integer(o['group']) \
                + integer(o['object']) + integer(o.get('length', 0))

        last = self.last or {}
        subgroup = o.get('subgroup')
        before = last.get('subgroup')
        payload = octets(o.get('payload', ''))
        flags = 0
        data = b''

        if o['group'] != last.get('group'):
            flags |= 8
            data += integer(o['group'])
        if subgroup is None:
            flags |= 0x40
        elif subgroup != 0:
            mode = 1 if before == subgroup \
                else 2 if before is not None and before + 1 == subgroup else 3
            flags |= mode
            if mode == 3:
                data += integer(subgroup)
        if o['object'] != last.get('object', -2) + 1:
            flags |= 4
            data += integer(o['object'])
        if o['priority'] != last.get('priority'):
            flags |= 0x10
            data += bytes([o['priority']])
        if o.get('extensions'):
            flags |= 0x20
            data += counted(put_pairs(o['extensions'], EXTENSIONS))

        self.last = {k: o.get(k) for k in ('group', 'object', 'subgroup',
                                           'priority')}
        return integer(flags) + data + counted(payload)


class Data:
    """Reads a data stream from octets in any split."""

    def __init__(self):
        self.kept = b''
        self.header = None
        self.last = None

    def feed(self, data):
        self.kept += data
        while self.kept:
            r = Reader(self.kept)
            try:
                if self.header is None:
                    found = self.header = self.get_header(r)
                elif self.header['stream'] == 'FETCH':
                    found = self.get_fetch(r)
                else:
                    found = self.get_subgroup(r)
            except Short:
                break
            self.kept = self.kept[r.pos:]
            yield found

    def end(self):
        if self.kept or self.header is None:
            violation('the stream ends in an object')

    def get_header(self, r):
        kind = r.integer()
        if kind == 5:
            return {'stream': 'FETCH', 'request_id': r.integer()}
        if not is_subgroup(kind):
            violation('stream type 0x%x' % kind)
        header = {'stream': 'SUBGROUP', 'type': kind,
                  'track_alias': r.integer(), 'group': r.integer()}
        if kind & 6 == 4:
            header['subgroup'] = r.integer()
        if not kind & 0x20:
            header['priority'] = r.octet()
        return header

    def get_extensions(self, r, o):
        length = r.integer()
        inner = Reader(r.take(length))
        try:
            pairs = get_pairs(inner, EXTENSIONS, 'object')
        except Short:
            raise Fault('KEY_VALUE_FORMATTING_ERROR', 'extensions')
        if pairs:
            o['extensions'] = pairs

    def get_subgroup(self, r):
        number = r.integer()
        if self.last is not None:
            number += self.last + 1
        if number > INTEGER_MAX:
            violation('an Object ID is too large')
        o = {'object': number}

        if self.header['type'] & 1:
            self.get_extensions(r, o)
        length = r.integer()
        if length == 0:
            status = r.integer()
            if status not in (0, 3, 4):
                violation('an Object Status')
            if status and 'extensions' in o:
                violation('extensions of a status')
            o.update({'status': status} if status else {'payload': ''})
        else:
            o['payload'] = text(r.take(length))

        self.last = number
        return o

    def get_fetch(self, r):
        flags = r.integer()
        last = self.last or {}

        if flags in (0x8c, 0x10c):
            o = {'group': r.integer(), 'object': r.integer(),
                 'range': 'absent' if flags == 0x8c else 'unknown'}
            if r.integer() != 0:
                violation('a range has a payload')
            self.last = dict(last, group=o['group'], object=o['object'])
            return o
        if flags >= 0x80:
            violation('Serialization Flags')

        o = {}

        def prior(name, more=0):
            if last.get(name) is None:
                violation('%s of no object before' % name)
            if last[name] + more > INTEGER_MAX:
                violation('%s is too large' % name)
            return last[name] + more

        o['group'] = r.integer() if flags & 8 else prior('group')
        if not flags & 0x40:
            mode = flags & 3
            o['subgroup'] = (0 if mode == 0 else prior('subgroup')
                             if mode == 1 else prior('subgroup', 1)
                             if mode == 2 else r.integer())
        o['object'] = r.integer() if flags & 4 else prior('object', 1)
        o['priority'] = r.octet() if flags & 0x10 else prior('priority')
        if flags & 0x20:
            self.get_extensions(r, o)
        o['payload'] = text(r.counted())
        self.last = {k: o.get(k) for k in ('group', 'object', 'subgroup',
                                           'priority')}
        return o


# frames of Agent Protocol over MoQ

FRAMES = (None, 'CMD', 'DATA', 'STREAM', 'HEARTBEAT')


def put_frame(f):
    """Encodes a frame: type, session_id (16 hex digits), stream_id, flags, and
    json or payload.  magic, version and length replace what is right."""
    payload = (json.dumps(f['json'], separators=(',', ':'),
                          ensure_ascii=False).encode()
               if 'json' in f else octets(f.get('payload', '')))
    kind = f['type'] if isinstance(f['type'], int) else FRAMES.index(f['type'])
    return (f.get('magic', 0xa2a2).to_bytes(2, 'big')
            + bytes([f.get('version', 1), kind])
            + int(f.get('session_id', '0'), 16).to_bytes(8, 'big')
            + f.get('stream_id', 0).to_bytes(4, 'big')
            + bytes([f.get('flags', 0)])
            + f.get('length', len(payload)).to_bytes(4, 'big') + payload)


def get_frame(data):
    """Reads an object's payload as a frame; returns None if it is not one."""
    if (len(data) < 21 or data[:3] != b'\xa2\xa2\x01' or not 1 <= data[3] <= 4
            or data[16] & ~7 or len(data) != 21
            + int.from_bytes(data[17:21], 'big')):
        return None
    frame = {'type': FRAMES[data[3]], 'session_id': data[4:12].hex(),
             'stream_id': int.from_bytes(data[12:16], 'big'),
             'flags': data[16], 'payload': text(data[21:])}
    if frame['type'] == 'HEARTBEAT' and frame['payload']:
        return None
    if frame['type'] == 'CMD' and frame['flags'] == 0:
        try:
            frame['json'] = json.loads(data[21:].decode())
            del frame['payload']
        except ValueError:
            pass
    return frame


def encode(kind, items):
    if kind == 'frame':
        return b''.join(map(put_frame, items))
    if kind != 'data':
        return b''.join(map(put_message, items))
    writer = Writer(items[0])
    return writer.octets + b''.join(map(writer.put, items[1:]))


def decode(kind, data, sender):
    found = []
    answer = {'items': found}
    if kind == 'frame':
        found.append(get_frame(data))
        return answer
    reader = Data() if kind == 'data' else Control(kind, sender)
    try:
        # octet by octet, so that items before a violation are kept
        for i in range(len(data)):
            found += reader.feed(data[i:i + 1])
        if kind == 'data':
            reader.end()
        elif reader.kept:
            answer['text'] = 'the last message is not whole'
    except Fault as fault:
        answer.update(fault=fault.code, text=fault.text)
    return answer


def main():
    for line in sys.stdin:
        job = json.loads(line)
        kind = job.get('kind', 'control')
        if sys.argv[1] == 'encode':
            answer = {'octets': encode(kind, job['items']).hex()}
        else:
            answer = decode(kind, bytes.fromhex(job['octets']),
                            job.get('from', 'client'))
        print(json.dumps(answer), flush=True)


if __name__ == '__main__':
    main()
