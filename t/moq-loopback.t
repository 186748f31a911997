# The QUIC client of the tests for MoQ against itself: it sends what it is told,
# tells what comes, and can break off in each way that the tests need.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(port tls);
use Parley::Moq;

plan skip_all => 'no python3-aioquic'
    if system("/usr/bin/python3 -c 'import aioquic' 2> /dev/null") != 0;

my $moq = Parley::Moq->new;
my ($cert, $key) = tls();

$moq->do('listen', on => 'peer', port => port(1), cert => $cert, key => $key,
         max_request_id => 100, alpn => ['moqt-16', 'h3']);


# Returns a connection, and the peer's side of it.
sub pair {
    my ($name, %o) = @_;

    my $c = $moq->connect($name, %o);
    my $event = $moq->wait(sub {
        $_[0]{event} eq 'connected' && $_[0]{on} =~ m{^peer/};
    });
    my $peer = bless { moq => $moq, name => $event->{on}, next => 1,
                       streams => 0 }, 'Parley::Moq::Connection';

    return ($c, $peer);
}


subtest 'SETUP' => sub {
    my ($c, $peer) = pair('a', token => 'jwt', parameters => [
        { type => 9, value => "\xFF" } ]);

    is_deeply($peer->message('CLIENT_SETUP')->{parameters}, [
        { type => 'PATH', value => '/moq' },
        { type => 'MAX_REQUEST_ID', value => 1000 },
        { type => 'AUTHORIZATION_TOKEN', alias_type => 'USE_VALUE',
          token_type => 0, token_value => 'jwt' },
        { type => 'AUTHORITY', value => 'localhost' },
        { type => 9, value => "\xFF" } ], 'of the client');
    is_deeply($c->setup, { MAX_REQUEST_ID => 100 }, 'of the server');
    is($c->event('connected')->{alpn}, 'moqt-16', 'the ALPN');

    $peer->do('close', code => 3, reason => 'SUBSCRIBE: Length');
    is($c->closed, 'PROTOCOL_VIOLATION', 'the code of the close');
    is($c->reason, 'SUBSCRIBE: Length', 'its reason');
    is($peer->closed, 'self', 'the other side');

    ($c, $peer) = pair('a2', setup_octets => "\x20\x00\x02\x00");
    ok($c->without('message'), 'octets in place of SETUP');
    $c->octets("\x00", split => 1);
    is($peer->event('malformed')->{code}, 'PROTOCOL_VIOLATION',
       'a bad message');

    ($c, $peer) = pair('a3', alpn => 'h3', setup_octets => '');
    is($c->event('connected')->{alpn}, 'h3', 'another ALPN');

    $c = $moq->connect('a4', alpn => 'moqt-99');
    like($c->closed, qr/^quic 2\d\d$/, 'an alert of TLS: no ALPN in common');
};


subtest 'agent session' => sub {
    my ($c, $peer) = pair('b');

    for my $way ('publish', 'namespace') {
        ($c, $peer) = pair('b2') if $way eq 'namespace';

        if ($way eq 'publish') {
            $c->send('PUBLISH', track_namespace => ['a2a', 'b'],
                     track_name => 'b.0.cmd', track_alias => 5);
            is($peer->message('PUBLISH')->{track_alias}, 5, 'PUBLISH');
            $peer->send('PUBLISH_OK', request_id => 0);
            ok($c->message('PUBLISH_OK', request_id => 0), 'its answer');
        } else {
            $c->send('PUBLISH_NAMESPACE', track_namespace => ['a2a', 'b']);
            $peer->message('PUBLISH_NAMESPACE');
            $peer->send('REQUEST_OK', request_id => 0);
            $peer->send('SUBSCRIBE', track_namespace => ['a2a', 'b'],
                        track_name => 'b.0.cmd');
            is($c->message('SUBSCRIBE')->{track_name}, 'b.0.cmd',
               'SUBSCRIBE of the gateway');
            $c->send('SUBSCRIBE_OK', request_id => 1, track_alias => 5);
            ok($peer->message('SUBSCRIBE_OK', track_alias => 5),
               'its answer');
        }

        $c->{track} = 5;
        $c->{id} = '0123456789abcdef';
        $c->cmd({ action => 'x', payload => { text => 'long' x 1000 } });

        my $cmd = $peer->event('cmd');

        is($cmd->{frames}, 3, 'fragments');
        is($cmd->{json}{payload}{text}, 'long' x 1000, 'are joined');
        is($cmd->{session_id}, '0123456789abcdef', 'Session ID');
        ok($peer->event('fin', sub { $_[0]{kept} == 0 }), 'FIN');

        $c->frame(type => 'HEARTBEAT', apart => 0);
        $c->frame(type => 'DATA', payload => "\xFF", flags => 1, apart => 0);
        is($peer->event('object', sub { $_[0]{frame}{type} eq 'HEARTBEAT' })
           ->{object}, 0, 'a heartbeat');
        is($peer->event('object', sub { $_[0]{frame}{type} eq 'DATA' })
           ->{frame}{payload}, "\xFF", 'an object behind it');
        $c->close;
    }
};


subtest 'streams that break off' => sub {
    my ($c, $peer) = pair('c');

    $c->do('stream', as => 's', header => { track_alias => 1 }, objects => [
        { payload => 'whole' }, { payload => 'part', length => 100 } ]);
    is($peer->event('object')->{payload}, 'whole', 'an object');
    $c->do('reset', stream => 's', code => 2);

    my $reset = $peer->event('reset');

    is($reset->{code}, 2, 'RESET');
    is($reset->{kept}, 7, 'octets of the object that is not whole');

    $c->do('open', as => 'f', octets => "\x18\x01", fin => 1);
    is($peer->event('fin')->{kept}, 2, 'FIN in the header');

    $peer->do('stream', as => 'p', header => { track_alias => 2 });
    my $id = $c->event('stream')->{id};
    $c->do('stop', stream => $id, code => 1);
    is($peer->event('stop')->{code}, 1, 'STOP_SENDING');

    $c->do('open', kind => 'bidi', as => 'ns', message => {
        message => 'SUBSCRIBE_NAMESPACE', request_id => 0,
        track_namespace_prefix => ['a2a'], subscribe_options => 1 });
    my $m = $peer->message('SUBSCRIBE_NAMESPACE');
    $peer->send('NAMESPACE', track_namespace_suffix => ['b'],
                stream => $m->{stream});
    is_deeply($c->message('NAMESPACE')->{track_namespace_suffix}, ['b'],
              'a request stream and its answer');

    $c->do('trickle', octets => "\x15\x00\x01\x07", every => 0.01);
    is($peer->message('MAX_REQUEST_ID')->{max_request_id}, 7,
       'octet after octet');

    $c->do('open', octets => "\x05\x00", count => 100, fin => 1);
    ok($peer->event('fin') // 0, "a stream of many: $_") for 1, 100;
};


subtest 'credit and silence' => sub {
    my ($c, $peer) = pair('d', max_data => 20000, max_stream_data => 10000);

    $c->do('withhold');
    $moq->sync;
    $peer->do('stream', header => { track_alias => 1 },
              objects => [map { { payload => 'x' x 1000 } } 1 .. 20]);
    ok($c->event('object', sub { $_[0]{object} == 8 }), 'up to the credit');
    ok($c->without('object', sub { $_[0]{object} == 9 }), 'no further object');

    $c->do('withhold', off => 1);
    ok($c->event('object', sub { $_[0]{object} == 19 }),
       'credit again');

    $c->do('mute');
    $moq->sync;
    $peer->do('ping');
    ok($peer->without('pong'), 'no packet');
    $c->do('mute', off => 1);
    ok($peer->event('pong'), 'packets again');

    $c->do('rebind');
    $c->do('ping', uid => 7);
    is($c->event('pong', sub { $_[0]{uid} == 7 })->{uid}, 7,
       'from another port');

    $c->do('drop');
    is($c->event('gone')->{objects}, 20, 'a client that dies');
};


done_testing();
