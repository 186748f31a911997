# A stream over HTTP/1 keeps only its connection: its request is logged and
# freed once the header is sent, and the stream needs nothing else of it.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tmp_dir slurp spew);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my $dir = tmp_dir();
my $log = "$dir/streams.log";
my $client = Parley::Client->new(port => port(1), tls => 0);

sub revoked { jcs({ principals => [@_], kids => [], tokens => [] }) }

spew("$dir/revoked.json", revoked());

my $http = streams_http(
    zone => 'streams:64m', stream => 'channel lag=16m',
    more => <<"EOT",
    parley_retain count=2000 time=1h;
    parley_revocations $dir/revoked.json;
    limit_conn_zone \$http_x_limit zone=conn:1m;
    log_format streams '\$status \$request_uri \$sent_http_content_type '
                       '\$parley_verdict \$parley_principal';
    access_log $log streams;
EOT
    locations => <<"EOT");
        location /limited/ {
            parley_jwt on;
            parley_stream channel;
            limit_conn conn 1;
            limit_conn_log_level info;
        }
        location /denied/ {
            parley_jwt on;
            parley_stream channel;
            parley_deny intent=channel.agent_handover;
        }
        location /slow/ {
            parley_jwt on;
            parley_stream channel lag=16m;
            limit_rate 1m;
        }
        location /added/ {
            parley_jwt on;
            parley_stream channel keepalive=1s;
            add_header X-Added yes;
            expires 1h;
        }
        location /roster/ { parley_jwt on; parley_roster channel; }
EOT

my $nginx = Parley::Nginx->start(workers => 2, http => $http);


sub logged {
    my ($pattern, $seconds) = @_;

    my $until = time + ($seconds // 10);

    while (1) {
        my @lines = grep { /$pattern/ }
                    split /\n/, -e $log ? slurp($log) : '';

        return scalar @lines if @lines || time > $until;
        sleep 0.02;
    }
}


sub listeners {
    my ($who, $n) = @_;

    my $until = time + 20;
    my $count;

    while (time < $until) {
        $count = $client->get("/roster/~$who",
                              Authorization => bearer($who))->{json}{count};
        return $count if $count == $n;
        sleep 0.02;
    }

    return $count;
}


my %over = (plain => [port => port(1)], tls => [port => port(4), tls => 1]);

for my $how (sort keys %over) {
    my @over = @{ $over{$how} };

    subtest "ACH-20 HUB-03: over $how" => sub {
        my $stream = listen_to('alice', @over, session => "s-$how");

        is($stream->{headers}{connection}, 'close', 'it ends with its stream');
        is(logged(qr{^200 \S*session=s-$how text/event-stream answered}), 1,
           'logged, and open');

        submit(frame('bob', 'alice', text => "f$_")) for 1 .. 50;
        is_deeply([texts($stream->events(50))], [map { "f$_" } 1 .. 50],
                  'everything comes');

        # far more than a socket takes

        my $long = 'x' x 2000;

        submit(frame('bob', 'alice', text => "$_ $long")) for 1 .. 600;
        is_deeply([map { /^(\d+) / } texts($stream->events(600))],
                  [1 .. 600], 'who reads late gets all of it');

        is(listeners('alice', 1), 1);
        $stream->leave;
        is(listeners('alice', 0), 0, 'who leaves is gone');
        is(logged(qr/session=s-$how/), 1, 'logged once');
    };


    subtest "ACH-20: over $how, a stream with a large header" => sub {
        my $stream = listen_to('alice', @over,
                               headers => ['X-Large' => 'y' x 6000]);

        submit(frame('bob', 'alice', text => 'large'));
        is(($stream->events(1))[0]{json}{payload}{advisory_text}, 'large');
        $stream->leave;
    };


    subtest "SEC-16: over $how, a revocation ends it" => sub {
        my $stream = listen_to('dave', @over);

        submit(frame('bob', 'dave', text => 'before'));
        is(($stream->events(1))[0]{json}{payload}{advisory_text}, 'before');

        spew("$dir/revoked.new", revoked('dave'));
        rename "$dir/revoked.new", "$dir/revoked.json";

        ok($stream->ends(20), 'ended');
        is($stream->{connection}{buffer}, '', 'with the last chunk');

        spew("$dir/revoked.new", revoked());
        rename "$dir/revoked.new", "$dir/revoked.json";
        sleep 1;
    };


    subtest "SEC-15: over $how, the stream ends with its token" => sub {
        my $stream = listen_to('alice', @over,
            token => 'Bearer ' . token(idp(), { sub => 'alice',
                                                exp => time + 2 }));

        is($stream->status, 200);
        ok($stream->ends(20), 'ended');
    };


    subtest "ACH-20: over $how, another stream of the same session" => sub {
        my $one = listen_to('alice', @over, session => 'same');
        my $two = listen_to('alice', @over, session => 'same');

        ok($one->ends(20), 'the first ends');
        submit(frame('bob', 'alice', text => 'second'));
        is(($two->events(1))[0]{json}{payload}{advisory_text}, 'second');
        $two->leave;
    };
}


subtest 'ACH-20: further octets of a client are ignored' => sub {
    my $stream = listen_to('alice', session => 'talks');

    logged(qr/session=talks/);
    $stream->{connection}->write("GET /status HTTP/1.1\r\nHost: x\r\n\r\n");
    submit(frame('bob', 'alice', text => 'still'));
    is(($stream->events(1))[0]{json}{payload}{advisory_text}, 'still');
    $stream->leave;
    is(listeners('alice', 0), 0);
};


subtest 'ACH-20: HTTP/1.0 has no chunks' => sub {
    my $connection = $client->connect;

    $connection->write("GET /channel/stream/~alice?session=old HTTP/1.0\r\n"
                       . 'Authorization: ' . bearer('alice') . "\r\n\r\n");
    ok($connection->expect(qr/\r\n\r\n.*event: ready\n.*\n\n/s), 'begun');
    logged(qr/session=old/);
    submit(frame('bob', 'alice', text => 'plainly'));

    my $text = $connection->expect(qr/"plainly".*\n\n/s) // '';

    unlike($connection->{buffer}, qr/chunked/i, 'no chunks');
    like($connection->{buffer}, qr/^data: \{.*"plainly".*\}\n\n\z/m,
         'as it is');
    $connection->leave;
};


subtest 'ACH-20: comments keep it open, and headers of other modules stay' => sub {
    my $stream = listen_to('alice', uri => '/added/~alice', session => 'add');

    is($stream->{headers}{'x-added'}, 'yes', 'add_header');
    logged(qr/session=add/);
    ok($stream->comment(20), 'a comment comes') for 1 .. 2;
    $stream->leave;
};


subtest 'ACH-20: a module that depends on the request keeps it' => sub {
    my @limit = (headers => ['X-Limit' => 'alice']);

    my $one = listen_to('alice', uri => '/limited/~alice', session => 'one',
                        @limit);

    is($one->status, 200);
    submit(frame('bob', 'alice', text => 'limited'));
    is(($one->events(1))[0]{json}{payload}{advisory_text}, 'limited');
    is(listen_to('alice', uri => '/limited/~alice', session => 'two', @limit)
       ->status, 503, 'limit_conn counts it');
    is(logged(qr/session=one/, 0.2), 0, 'it is not logged yet');
    $one->leave;
    is(listeners('alice', 0), 0);
    is(logged(qr/session=one/), 1, 'but when it is over');

    my $again = listen_to('alice', uri => '/limited/~alice', @limit);

    is($again->status, 200, 'and counts no more');
    $again->leave;

    my $denied = listen_to('alice', uri => '/denied/~alice',
                           session => 'rules');

    submit(frame('bob', 'alice', kind => 'agent_handover', payload => {
        previous_session_id => 's', handover_body => 'x' }));
    submit(frame('bob', 'alice', text => 'seen'));
    is(($denied->events(1))[0]{json}{payload}{advisory_text}, 'seen',
       'SEC-04: rules that deny');
    is(logged(qr/session=rules/, 0.2), 0);
    $denied->leave;

    my $slow = listen_to('alice', uri => '/slow/~alice', session => 'rated');

    submit(frame('bob', 'alice', text => 'rated'));
    is(($slow->events(1))[0]{json}{payload}{advisory_text}, 'rated');
    is(logged(qr/session=rated/, 0.2), 0, 'limit_rate is kept');
    $slow->leave;
};


subtest 'ACH-20: many that open and close' => sub {
    for my $turn (1 .. 3) {
        my @streams = map {
            listen_to('alice', @{ $over{ $_ % 2 ? 'plain' : 'tls' } },
                      session => "m$turn-$_")
        } 1 .. 24;

        # some leave while the event is on its way to them

        submit(frame('bob', 'alice', text => "m$turn"));
        $streams[$_]->leave for grep { $_ % 3 == 0 } 0 .. 23;
        is_deeply([map { texts($streams[$_]->events(1)) }
                   grep { $_ % 3 } 0 .. 23], [("m$turn") x 16]);
        $_->leave for @streams;
        is(listeners('alice', 0), 0);
    }
};


for my $how (sort keys %over) {
    my @over = @{ $over{$how} };

    subtest "HUB-05: over $how, a reload" => sub {
        my @streams = map { listen_to('alice', @over, session => "r$_") }
                      1 .. 6;

        submit(frame('bob', 'alice', text => 'before'));

        my @last = map { ($_->events(1))[0]{id} } @streams;

        $nginx->reload;
        submit(frame('bob', 'alice', text => 'meanwhile'));

        for my $i (0 .. 5) {
            my @rest = texts(grep { $_->{json} && $_->{json}{payload} }
                             grep { defined } $streams[$i]->event(20));

            ok($streams[$i]->ends(30), 'the old worker ends it');

            my $again = listen_to('alice', @over, session => "r$i",
                                  @rest ? () : (last => $last[$i]));

            # the event at its opening is the first one if it resumes

            push @rest, texts($again->opened) if !@rest;
            is_deeply(\@rest, ['meanwhile'], 'nothing is missed');
            $again->leave;
        }
    };
}


is(join("\n", grep { /\[(?:alert|emerg|crit|error)\]/ }
            split /\n/, $nginx->error_log), '', 'nothing alarming');

$nginx->stop;
unlike($nginx->error_log, qr/\[alert\]/, 'nothing is left open');

done_testing;
