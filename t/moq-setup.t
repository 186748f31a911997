# Bad input of a client of MoQ Transport: SETUP, control messages and data
# streams.  Each closes its connection with the code of the draft, or is refused
# alone, and the gateway goes on.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;

plan skip_all => moq_lacks() if moq_lacks();

my $nginx = Parley::Nginx->start(workers => 2, http => moq_http(
    more => 'parley_moq_limits handshake=2s;'));
my $moq = Parley::Moq->new;
my $number = 0;


# Returns an integer of QUIC, in the shortest form or in 8 octets.
sub vi {
    my ($n, $octets) = @_;

    return pack 'Q>', 3 << 62 | $n if $octets || $n >= 1 << 30;
    return pack 'N', 2 << 30 | $n if $n >= 1 << 14;
    return pack 'n', 1 << 14 | $n if $n >= 1 << 6;
    return pack 'C', $n;
}

sub counted { return vi(length $_[0]) . $_[0] }
sub control { my ($type, $payload) = @_; return vi($type) . pack 'n/a*', $payload }
sub space { return vi(scalar @_) . join '', map { counted($_) } @_ }
sub pairs { return vi(@_ / 2) . join '', @_ }

my $path = "\x01" . counted('/moq');
my $authority = "\x04" . counted('localhost');      # after PATH
my $track = space('a2a', 'camera') . counted('camera.0.cmd');


# Connects as an agent under a name of its own.
sub agent { my %o = @_; return $moq->connect('camera#' . ++$number, %o) }


# Rows: name, options of the connection, function of the connection, and the end:
# the name of a code, a pattern of it, or "" if the connection goes on.  All rows
# run at the same time.
sub run_rows {
    my @rows = @_;

    for my $row (@rows) {
        my ($name, $options, $act) = @$row;
        my $c = $row->[4] = agent(%$options);

        $act->($c) if $act;
    }

    for (@rows) {
        my ($name, $options, $act, $end, $c) = @$_;

        if ($end eq '') {
            goes_on($c, $name);
            $c->close;
            next;
        }

        my $closed = $c->closed // 'the connection goes on';

        ref $end ? like($closed, $end, $name) : is($closed, $end, $name);
    }
}


# A later request has its answer.
sub goes_on {
    my ($c, $name) = @_;

    $c->setup or return fail("$name: no SETUP, " . ($c->closed(1) // ''));

    my $answer = $c->ask('TRACK_STATUS', track_namespace => ['a2a', 'nobody'],
                         track_name => 'nobody.0.video');

    is(($answer // { message => $c->closed(1) })->{message}, 'REQUEST_ERROR',
       $name);
}


subtest 'MOQ-12 ALPN' => sub {
    my $c = agent(alpn => 'moqt-16');
    is($c->event('connected')->{alpn}, 'moqt-16', 'draft 16');
    my $setup = $c->setup;
    cmp_ok($setup->{MAX_REQUEST_ID}, '>', 0, 'requests are permitted');
    is($setup->{MAX_AUTH_TOKEN_CACHE_SIZE} // 0, 0, 'no aliases of tokens');
    is($c->close, 'self', 'the client ends it');

    $c = agent(alpn => ['h3', 'moqt-16']);
    is($c->event('connected')->{alpn}, 'moqt-16', 'the choice of the server');
    $c->close;

    $c = agent(alpn => 'h3', setup_octets => '');
    is($c->event('connected')->{alpn}, 'h3', 'HTTP/3 at the same port');
    $c->close;

    for my $other ('moqt-17', 'moq-00', 'hq-interop') {
        is(agent(alpn => $other)->closed, 'quic ' . (0x100 + 120),
           "$other: no_application_protocol");
    }
};


my $expired = moq_token('camera', exp => time - 3600);
my $stranger = token(new_key('ed25519', 'idp-1'), { sub => 'camera' });

# a parameter of SETUP with a token
sub token_pair { return "\x03" . counted(shift) }

# CLIENT_SETUP with these octets after PATH, in the order of types
sub setup {
    my ($count, $octets) = @_;

    return (setup_octets => control(0x20, vi($count) . $octets));
}

subtest 'MOQ-12 SETUP' => sub {
    run_rows(
        ['none', { setup_octets => '' }, undef, 'CONTROL_MESSAGE_TIMEOUT'],
        ['a part', { setup_octets => "\x20\x00\x10\x02\x01" }, undef,
         'CONTROL_MESSAGE_TIMEOUT'],
        ['twice', {}, sub {
            shift->octets(control(0x20, pairs($path, $authority)));
         }, 'PROTOCOL_VIOLATION'],
        ['that of a server', { setup_octets => control(0x21, vi(0)) }, undef,
         'PROTOCOL_VIOLATION'],
        ['another message', { setup_octets => control(0x0a, vi(0)) }, undef,
         'PROTOCOL_VIOLATION'],
        ['an unknown message', { setup_octets => control(0x01, '') }, undef,
         'PROTOCOL_VIOLATION'],
        ['octet by octet', { setup_octets => '' }, sub {
            my $c = shift;
            $c->do('open', kind => 'bidi', as => 'control0');
            $c->octets(control(0x20, vi(2) . "$path$authority"), split => 1,
                       stream => 'control0');
         }, 'UNAUTHORIZED'],
        ['too few parameters', { setup(9, $path . $authority) }, undef,
         'PROTOCOL_VIOLATION'],
        ['octets after the parameters', { setup(1, $path . $authority) },
         undef, 'PROTOCOL_VIOLATION'],
        ['65 535 octets', { setup(3, $path . $authority
            . vi(4) . counted('x' x (65535 - 1 - length($path . $authority)
                                     - 5))) }, undef, 'UNAUTHORIZED'],
        ['10 000 unknown parameters', { setup(10002, $path . $authority
            . vi(5) . vi(1) . (vi(0) . vi(1)) x 9999) }, undef,
         'UNAUTHORIZED'],
        ['a value above 65 535 octets', { setup(1, "\x09" . vi(65536)) },
         undef, qr/PROTOCOL_VIOLATION/],
        ['MAX_REQUEST_ID twice', { setup(4, $path . "\x01\x05" . "\x00\x05"
            . "\x03" . counted('localhost')) }, undef, 'PROTOCOL_VIOLATION'],
        ['an unknown PATH', { path => '/other' }, undef, 'INVALID_PATH'],
        ['a PATH of another kind', { path => '/agents/moq' }, undef,
         'INVALID_PATH'],
        ['no PATH', { path => undef }, undef, 'INVALID_PATH'],
        ['a malformed PATH', { path => 'moq' }, undef, 'MALFORMED_PATH'],
        ['PATH with a space', { path => '/m oq' }, undef, 'MALFORMED_PATH'],
        ['an unknown AUTHORITY', { authority => 'other.example' }, undef,
         'INVALID_AUTHORITY'],
        ['a malformed AUTHORITY', { authority => '' }, undef,
         'MALFORMED_AUTHORITY'],
        ['AUTHORITY with a path', { authority => 'localhost/x' }, undef,
         'MALFORMED_AUTHORITY'],
        ['AUTHORITY with a port', { authority => 'localhost:' . port(1) },
         undef, ''],
        ['PATH with a query', { path => '/moq?x=1' }, undef, ''],
    );
};


subtest 'MOQ-06 MOQ-13 tokens in SETUP' => sub {
    my $alias = sub {
        my ($kind, $rest) = @_;

        return { setup(3, $path . "\x02" . counted(vi($kind) . $rest)
                          . "\x02" . counted('localhost')) };
    };

    run_rows(
        ['a valid one', {}, undef, ''],
        ['REGISTER, as a value',
         $alias->(1, vi(7) . vi(0) . moq_token('camera')), undef, ''],
        ['DELETE', $alias->(0, vi(7)), undef, 'PROTOCOL_VIOLATION'],
        ['USE_ALIAS', $alias->(2, vi(7)), undef, 'PROTOCOL_VIOLATION'],
        ['an unknown Alias Type', $alias->(4, vi(7)), undef,
         'KEY_VALUE_FORMATTING_ERROR'],
        ['cut in the Alias Type', $alias->(3, ''), undef,
         'KEY_VALUE_FORMATTING_ERROR'],
        ['expired', { token => $expired }, undef, 'EXPIRED_AUTH_TOKEN'],
        ['of another issuer', { token => $stranger }, undef, 'UNAUTHORIZED'],
        ['no JWT', { token => 'abc' }, undef,
         qr/^(?:MALFORMED_AUTH_TOKEN|UNAUTHORIZED)$/],
        ['64 KB', { token => 'x' x 65000 }, undef,
         qr/^(?:MALFORMED_AUTH_TOKEN|UNAUTHORIZED)$/],
        ['none, and no session_init', { token => undef }, undef,
         'UNAUTHORIZED'],
    );
};


my %subscribe = (track_namespace => ['a2a', 'nobody'],
                 track_name => 'nobody.0.video');
my %publish = (track_namespace => ['a2a', 'camera'],
               track_name => 'camera.0.cmd');

# one of each message, as a client may send it
my @each = (
    ['GOAWAY', {}], ['MAX_REQUEST_ID', { max_request_id => 2000 }],
    ['REQUESTS_BLOCKED', { maximum_request_id => 1 }],
    ['REQUEST_OK', { request_id => 1 }],
    ['REQUEST_ERROR', { request_id => 1, error_code => 1 }],
    ['SUBSCRIBE', \%subscribe], ['SUBSCRIBE_OK', { request_id => 1 }],
    ['REQUEST_UPDATE', { existing_request_id => 0 }],
    ['UNSUBSCRIBE', { request_id => 0 }], ['PUBLISH', \%publish],
    ['PUBLISH_OK', { request_id => 1 }],
    ['PUBLISH_DONE', { request_id => 0, status_code => 2 }],
    ['FETCH', { fetch_type => 1, %subscribe,
                start_location => { group => 0, object => 0 },
                end_location => { group => 1, object => 0 } }],
    ['FETCH', { fetch_type => 2, joining_request_id => 0 }],
    ['FETCH_OK', { request_id => 1,
                   end_location => { group => 1, object => 0 } }],
    ['FETCH_CANCEL', { request_id => 0 }], ['TRACK_STATUS', \%subscribe],
    ['PUBLISH_NAMESPACE', { track_namespace => ['a2a', 'camera'] }],
    ['PUBLISH_NAMESPACE_DONE', { request_id => 0 }],
    ['PUBLISH_NAMESPACE_CANCEL', { request_id => 1, error_code => 1 }],
);

subtest 'MOQ-12 lengths of control messages' => sub {
    run_rows(map {
        my ($name, $m) = @$_;
        my $end = qr/^(?:PROTOCOL_VIOLATION|KEY_VALUE_FORMATTING_ERROR)$/;

        map {
            my $adjust = $_;

            ["$name, " . ($adjust > 0 ? 'longer' : 'shorter'), {}, sub {
                my $c = shift;
                my %id = $name =~ /^(?:SUBSCRIBE|REQUEST_UPDATE|PUBLISH|FETCH
                                      |TRACK_STATUS|PUBLISH_NAMESPACE)$/x
                         ? (request_id => 0) : ();

                $c->do('send', adjust => $adjust + 0,
                       message => { message => $name, %id, %$m });
            }, $end]
        } 1, -1
    } @each);
};


sub bad { my $octets = shift; return ({}, sub { shift->octets($octets) }) }

# SUBSCRIBE of these octets of a track
sub subscribe_to { return control(0x03, vi(0) . shift() . vi(0)) }

subtest 'MOQ-12 fields of control messages' => sub {
    my $end = 'PROTOCOL_VIOLATION';

    run_rows(
        (map { [sprintf('the type 0x%x', $_), bad(control($_, '')), $end] }
             0x01, 0x22, 0x40, 0x41, 0x7f, (1 << 62) - 1),
        ['no field of a namespace',
         bad(subscribe_to(vi(0) . counted('x'))), $end],
        ['33 fields',
         bad(subscribe_to(space(('x') x 33) . counted('x'))), $end],
        ['2^62 - 1 fields',
         bad(subscribe_to(vi((1 << 62) - 1) . counted('x'))), $end],
        ['an empty field',
         bad(subscribe_to(space('a2a', '') . counted('x'))), $end],
        ['a namespace of 4 097 octets',
         bad(subscribe_to(space('x' x 4097) . counted(''))), $end],
        ['a name of 4 097 octets with its namespace',
         bad(subscribe_to(space('a2a') . counted('x' x 4094))), $end],
        ['a reason of 1 025 octets',
         bad(control(0x0c, vi(1) . vi(0) . counted('r' x 1025))), $end],
        ['a URI of 8 193 octets', bad(control(0x10, counted('u' x 8193))),
         $end],
        ['an unknown parameter',
         bad(control(0x03, vi(0) . $track . vi(1) . "\x3e\x00")), $end],
        ['FORWARD 2',
         bad(control(0x03, vi(0) . $track . vi(1) . "\x10\x02")), $end],
        ['GROUP_ORDER 0',
         bad(control(0x03, vi(0) . $track . vi(1) . "\x22\x00")), $end],
        ['SUBSCRIBER_PRIORITY 256',
         bad(control(0x03, vi(0) . $track . vi(1) . "\x20" . vi(256))), $end],
        ['DELIVERY_TIMEOUT 0',
         bad(control(0x03, vi(0) . $track . vi(1) . "\x02\x00")), $end],
        ['FORWARD twice',
         bad(control(0x03, vi(0) . $track . vi(2) . "\x10\x01\x00\x01")),
         $end],
        ['an unknown filter',
         bad(control(0x03, vi(0) . $track . vi(1) . "\x21\x01\x05")), $end],
        ['a type of a parameter above 2^64',
         bad(control(0x03, vi(0) . $track . vi(6)
                           . (vi((1 << 62) - 1) . "\x00") x 6)), qr/./],
        ['a Fetch Type', bad(control(0x16, vi(0) . vi(4) . vi(0))), $end],
        ['a token that is cut',
         bad(control(0x03, vi(0) . $track . vi(1) . "\x03\x01\x03")),
         'KEY_VALUE_FORMATTING_ERROR'],
        ['a token that is registered',
         bad(control(0x03, vi(0) . $track . vi(1) . "\x03"
                           . counted(vi(1) . vi(1) . vi(0) . 'jwt'))),
         'AUTH_TOKEN_CACHE_OVERFLOW'],
        ['a token of an alias',
         bad(control(0x03, vi(0) . $track . vi(1) . "\x03"
                           . counted(vi(2) . vi(1)))),
         'UNKNOWN_AUTH_TOKEN_ALIAS'],
        ['SUBSCRIBE_NAMESPACE on the control stream',
         bad(control(0x11, vi(0) . vi(0) . vi(1) . vi(0))), $end],
        ['NAMESPACE on the control stream', bad(control(0x08, vi(0))), $end],
        ['integers of 8 octets for small values', {}, sub {
            my $c = shift;
            $c->next_request;
            $c->octets(control(0x03, vi(0, 8) . vi(2, 8) . vi(3, 8) . 'a2a'
                               . vi(6, 8) . 'nobody' . vi(1, 8) . 'x'
                               . vi(0, 8)));
         }, ''],
        ['octet by octet', {}, sub {
            my $c = shift;
            $c->next_request;
            $c->octets(subscribe_to(space('a2a', 'nobody') . counted('x')),
                       split => 1);
         }, ''],
        ['an empty name', {}, sub {
            my $c = shift;
            $c->next_request;
            $c->octets(subscribe_to(space('a2a', 'nobody') . counted('')));
         }, ''],
    );
};


subtest 'MOQ-12 requests' => sub {
    my $subscribe = sub {
        my ($c, @ids) = @_;

        $c->send('SUBSCRIBE', %subscribe, request_id => $_) for @ids;
    };
    my $send = sub { my @m = @_; return sub { shift->send(@m) } };

    run_rows(
        ['an id twice', {}, sub { $subscribe->(shift, 0, 0) },
         'INVALID_REQUEST_ID'],
        ['an id that is skipped', {}, sub { $subscribe->(shift, 0, 4) },
         'INVALID_REQUEST_ID'],
        ['an id that goes back', {}, sub { $subscribe->(shift, 0, 2, 4, 2) },
         'INVALID_REQUEST_ID'],
        ['an id of the server', {}, sub { $subscribe->(shift, 1) },
         'INVALID_REQUEST_ID'],
        ['an id above the maximum', {}, sub { $subscribe->(shift, 1 << 40) },
         qr/^(?:TOO_MANY_REQUESTS|INVALID_REQUEST_ID)$/],
        ['UPDATE of no request', {},
         $send->('REQUEST_UPDATE', existing_request_id => 64),
         'PROTOCOL_VIOLATION'],
        ['UPDATE of itself', {},
         $send->('REQUEST_UPDATE', existing_request_id => 0),
         'PROTOCOL_VIOLATION'],
        ['UNSUBSCRIBE of no request', {},
         $send->('UNSUBSCRIBE', request_id => 64), 'PROTOCOL_VIOLATION'],
        ['FETCH_CANCEL of no request', {},
         $send->('FETCH_CANCEL', request_id => 64), 'PROTOCOL_VIOLATION'],
        ['PUBLISH_DONE of no request', {},
         $send->('PUBLISH_DONE', request_id => 64, status_code => 2),
         'PROTOCOL_VIOLATION'],
        ['an answer without a request', {},
         $send->('REQUEST_OK', request_id => 65), 'PROTOCOL_VIOLATION'],
        ['a maximum that does not grow', {}, sub {
            my $c = shift;
            $c->send('MAX_REQUEST_ID', max_request_id => 1000);
         }, 'PROTOCOL_VIOLATION'],
        ['GOAWAY twice', {}, sub {
            my $c = shift;
            $c->send('GOAWAY') for 1, 2;
         }, 'PROTOCOL_VIOLATION'],
        ['GOAWAY with a URI', {},
         $send->('GOAWAY', new_session_uri => 'moqt://x/'),
         'PROTOCOL_VIOLATION'],
        ['an alias of two tracks', {}, sub {
            my $c = shift;
            $c->send('PUBLISH', track_namespace => ['a2a', 'camera'],
                     track_name => "camera.$_.cmd", track_alias => 7)
                for 0, 1;
         }, 'DUPLICATE_TRACK_ALIAS'],
        ['FIN of the control stream', {}, sub {
            shift->octets('', fin => 1);
         }, 'PROTOCOL_VIOLATION'],
        ['FIN in a message', {}, sub {
            shift->octets("\x03\x00\x10\x00", fin => 1);
         }, 'PROTOCOL_VIOLATION'],
        ['RESET of the control stream', {}, sub {
            my $c = shift;
            $c->setup;
            $c->do('reset', stream => 'control');
         }, 'PROTOCOL_VIOLATION'],
        ['PUBLISH_DONE with a wrong count', {}, sub {
            my $c = shift;
            my $answer = $c->track;
            $c->send('PUBLISH_DONE', request_id => 0, status_code => 2,
                     stream_count => 77, error_reason => 'ended');
         }, ''],
        ['GOAWAY', {}, sub { shift->send('GOAWAY') }, ''],
    );
};


subtest 'MOQ-12 many requests' => sub {
    my $c = agent();
    $c->setup;
    $c->do('send', count => 100_000,
           message => { message => 'SUBSCRIBE', request_id => 0,
                        %subscribe });

    my $last = $c->event('message', sub {
        return ($_[0]{message}{request_id} // 0) == 2 * 99_999;
    }, 60);

    # the maximum grows with each answer, and may be reached

    if ($last) {
        pass('each of 100 000 has its answer');
        $c->{next} = 200_000;
        goes_on($c, 'and the session goes on');
        $c->close;
    } else {
        is($c->closed(1) // 'goes on', 'TOO_MANY_REQUESTS',
           'some of 100 000 have an answer');
    }

    # requests that live
    $c = agent();
    $c->setup;
    $c->send('PUBLISH', track_namespace => ['a2a', 'camera'],
             track_name => "camera.$_.cmd", track_alias => $_ + 0)
        for 1 .. 100;
    is($c->closed // 'goes on', 'TOO_MANY_REQUESTS', '100 tracks at a time');
};


subtest 'MOQ-12 request streams' => sub {
    my $stream = sub {
        my ($octets, %o) = @_;

        return ({}, sub {
            my $c = shift;
            $c->event('connected');
            $c->do('open', kind => 'bidi', as => 'r', octets => $octets, %o);
        });
    };

    run_rows(
        ['SUBSCRIBE', $stream->(subscribe_to($track)), 'PROTOCOL_VIOLATION'],
        ['CLIENT_SETUP', $stream->(control(0x20, vi(0))),
         'PROTOCOL_VIOLATION'],
        ['an unknown type', $stream->(control(0x3f, '')),
         'PROTOCOL_VIOLATION'],
        ['33 fields', $stream->(control(0x11, vi(0) . space(('x') x 33)
                                              . vi(1) . vi(0))),
         'PROTOCOL_VIOLATION'],
        ['Subscribe Options', $stream->(control(0x11, vi(0) . space('a2a')
                                                      . vi(3) . vi(0))),
         'PROTOCOL_VIOLATION'],
    );
};


# Options and function of a row: a track of commands, then a unidirectional
# stream with these octets.
sub stream_of {
    my ($octets, %o) = @_;

    return ({}, sub {
        my $c = shift;
        $c->track;
        $c->do('open', as => 'd', octets => $octets, %o);
    });
}

subtest 'MOQ-12 data streams' => sub {
    my $end = 'PROTOCOL_VIOLATION';
    my $header = "\x18\x01\x00\x80";        # alias 1, group 0
    my $object = "\x00" . counted('x');

    run_rows(
        (map { [sprintf('the type 0x%x', $_),
                stream_of(vi($_) . "\x01\x00\x80"), $end] }
             0x00, 0x06, 0x0f, 0x16, 0x17, 0x1e, 0x1f, 0x20, 0x36, 0x3e,
             0x40, 0x50, (1 << 62) - 1),
        ['an Object ID above 2^62',
         stream_of($header . vi((1 << 62) - 1) . counted('x')
                   . "\x00" . counted('x')), $end],
        ['an unknown Object Status',
         stream_of($header . "\x00\x00\x01"), $end],
        ['FIN in the header', stream_of("\x18\x01", fin => 1), $end],
        ['FIN in the length', stream_of("$header\x00\x40", fin => 1), $end],
        ['FIN in the payload', stream_of("$header\x00\x05hel", fin => 1),
         $end],
        ['extensions of a status',
         stream_of("\x19\x01\x00\x80" . "\x00" . counted("\x3c\x00")
                   . "\x00\x03"), $end],
        ['extensions that are cut',
         stream_of("\x19\x01\x00\x80" . "\x00" . counted("\x3c")
                   . "\x01x"), qr/^(?:KEY_VALUE_FORMATTING_ERROR|$end)$/],
        ['a payload of 2^62 - 1 octets', {}, sub {
            my $c = shift;
            $c->track;
            $c->do('open', as => 'd', octets => $header . "\x00"
                                                . vi((1 << 62) - 1)
                                                . 'x' x 100);
            ok($c->event('stop'), 'a payload of 2^62 - 1 octets: STOP');
         }, ''],
        ['an unknown alias', {}, sub {
            my $c = shift;
            $c->track;
            $c->do('open', as => 'd',
                   octets => "\x18\x40\x99\x00\x80" . $object);
            ok($c->event('stop'), 'an unknown alias: STOP_SENDING');
         }, ''],
        ['an alias that comes after its stream', {}, sub {
            my $c = shift;
            $c->setup;
            $c->do('stream', header => { track_alias => 1 }, objects => [
                { payload => frame_octets('', type => 4) } ]);
            $c->track;
            ok($c->without('stop', undef, 1.5),
               'an alias that comes after its stream: read');
         }, ''],
        ['FETCH_HEADER of no request', stream_of("\x05\x00"),
         qr/^(?:$end|)$/],
    );
};


subtest 'MOQ-12 RESET at any octet' => sub {
    my $c = agent();
    my $octets = "\x1d\x01\x40\x07\x00\x80"
                 . join '', map { "\x00" . counted("\x3c\x00")
                                  . counted(frame_octets('', type => 4)) }
                            1, 2;

    $c->setup;
    $c->track;

    for my $n (0 .. length $octets) {
        $c->do('open', as => "r$n", octets => substr $octets, 0, $n);
        $c->do('reset', stream => "r$n", code => $n % 3);
    }

    my $answer = $c->ask('TRACK_STATUS', %subscribe);
    is($answer->{message}, 'REQUEST_ERROR', 'the session goes on');
    is($c->close, 'self', 'up to its end');
};


subtest 'MOQ-12 many streams' => sub {
    my $c = agent();

    $c->setup;
    $c->track;
    $c->do('open', count => 10_000, fin => 1,
           octets => "\x18\x01\x00\x80\x00"
                     . counted(frame_octets('', type => 4)));

    my $answer = $c->ask('TRACK_STATUS', %subscribe);
    ok($answer, 'the session goes on') or diag($c->closed(1));
    $c->do('count');
    $c->close;

    $c = agent();
    $c->setup;
    $c->track;
    $c->do('open', as => 's', octets => "\x18");
    $c->do('trickle', stream => 's', octets => "\x01\x00\x80\x00", every => 1);
    ok($c->without('stop', undef, 4), 'one octet a second is read');
    ok($c->ask('TRACK_STATUS', %subscribe), 'the session goes on');
    $c->close;
};


subtest 'the gateway goes on' => sub {
    my $c = agent();

    goes_on($c, 'a new connection');
    $c->close;
    unlike($nginx->error_log, qr/\[alert\]|\[emerg\]|exited on signal/,
           'no process ended');
};


done_testing();
