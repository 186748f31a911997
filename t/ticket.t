# GW-02: tickets, which open streams for clients that cannot send a token.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port slurp spew tls tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my $revoked = tmp_dir() . '/revoked.json';

sub revoke {
    spew("$revoked.new", jcs({ principals => [@_], kids => [],
                               tokens => [] }));
    rename "$revoked.new", $revoked or die "$revoked: $!\n";
}

revoke();

# a server that accepts the tickets of another one, and issues shorter ones
my ($cert, $key) = tls();
my $brief = <<"EOT";
    server {
        listen 127.0.0.1:%PORT_2% ssl;
        ssl_certificate $cert;
        ssl_certificate_key $key;
        location /with/ {
            parley_jwt on tickets=1s;
            parley_stream channel;
        }
    }
EOT

my $nginx = Parley::Nginx->start(workers => 2, http => $brief . streams_http(
    more => "parley_retain count=100 time=1h;\n"
          . "parley_revocations $revoked;\n"
          . "log_format all '\$request \$request_uri \$args \$arg_ticket';\n"
          . 'access_log %TMP%/all.log all;',
    locations => <<'EOT'));
        location /with/ {
            parley_jwt on tickets=30s;
            parley_stream channel;
        }
        location /short/ {
            parley_jwt on tickets=1s;
            parley_stream channel;
        }
        location /web/ {
            parley_jwt on token=$cookie_token tickets=30s;
            parley_stream channel;
        }
        location /strict/ {
            parley_jwt on tickets=30s audience=others;
            parley_stream channel;
        }
        location /ruled/ {
            parley_jwt on tickets=30s;
            parley_stream channel;
            parley_allow type=subscribe principal=agent.dave to=agent.alice;
        }
        location /proxied {
            parley_jwt on tickets=30s;
            parley_accept channel;
            proxy_pass http://127.0.0.1:1;
        }
EOT

my $client = Parley::Client->new(port => port(4));


sub ask {
    my ($uri, $who, @headers) = @_;

    return $client->send('POST', $uri, '',
        $who ? (Authorization => bearer($who)) : (), @headers);
}


sub ticket {
    my $answer = ask(@_);

    is($answer->{status}, 200, 'a ticket') or diag($answer->{body});

    return $answer->{json}{ticket};
}


# Opens a stream with a ticket.
sub stream {
    my ($ticket, $path) = @_;

    return listen_to('alice', uri => "$path?ticket=$ticket", token => '',
                     port => port(4), tls => 1);
}


sub refused {
    my ($answer, $status, $code, $name) = @_;

    is($answer->{status}, $status, "$name: status");
    is($answer->{json}{code}, $code, "$name: code");
}


sub get { return $client->get(@_) }


subtest 'GW-02: a ticket opens a stream, once' => sub {
    my $answer = ask('/with/~alice', 'alice');

    is($answer->{status}, 200);
    is($answer->{json}{expires_in}, 30);
    is($answer->{headers}{'cache-control'}, 'no-store');
    like($answer->{json}{ticket}, qr/\A[A-Za-z0-9_-]+\z/);

    my $ticket = $answer->{json}{ticket};
    my $stream = stream($ticket, '/with/~alice');

    is($stream->status, 200, 'opened');
    submit(frame('bob', 'alice', text => 'by a ticket'));
    is($stream->event->{json}{payload}{advisory_text}, 'by a ticket');

    refused(get("/with/~alice?ticket=$ticket"), 401, 'token-invalid',
            'the same again');
    $stream->leave;
    refused(get("/with/~alice?ticket=$ticket"), 401, 'token-invalid',
            'and once more');
};


subtest 'GW-02: a ticket is for one place and one caller' => sub {
    my $ticket = ticket('/with/~alice', 'alice');

    for my $path ('/with/~bob', '/with/', '/ruled/~alice', '/with/~alice/') {
        refused(get("$path?ticket=$ticket"), 401, 'token-invalid', $path);
    }

    for my $bad ('', 'x', substr($ticket, 0, -1), $ticket . 'A',
                 substr($ticket, 1), 'A' x 200, "$ticket&ticket=$ticket",
                 $ticket =~ s/(.{40})(.)/$1 . ($2 eq 'A' ? 'B' : 'A')/er)
    {
        my $answer = get("/with/~alice?ticket=$bad");

        is($answer->{status}, $answer->{json}{code} eq 'field-invalid'
                              ? 400 : 401, "not by $bad");
    }

    is($client->send('DELETE', "/with/~alice?all=1&ticket=$ticket", '')
       ->{json}{code}, 'token-missing', 'it deletes nothing');
    is($client->send('POST', "/with/~alice?ticket=$ticket", '')
       ->{json}{code}, 'token-missing', 'and is no way to another one');

    my $stream = stream($ticket, '/with/~alice');

    is($stream->status, 200, 'and is good still');
    $stream->leave;
};


subtest 'GW-02: callers that get a ticket' => sub {
    refused(ask('/with/~alice'), 401, 'token-missing', 'nobody');
    refused(ask('/with/~alice', 'bob'), 403, 'scope-unauthorised', 'another');
    refused(ask('/strict/~alice', 'alice'), 401, 'token-invalid',
            'not with this token');
    refused(ask('/channel/stream/~alice', 'alice'), 405,
            'envelope-version-unsupported', 'not where there are none');
    is(ask('/channel/stream/~alice', 'alice')->{headers}{allow},
       'GET, DELETE');
    is($client->send('PUT', '/with/~alice', '',
                     Authorization => bearer('alice'))->{headers}{allow},
       'GET, POST, DELETE');

    is($client->post('/with/~alice', '{}', Authorization => bearer('alice'))
       ->{json}{code}, 'field-invalid', 'a body is none');

    my $stream = stream(ticket('/ruled/~alice', 'dave'), '/ruled/~alice');

    is($stream->status, 200, 'another, whom a rule allows');
    $stream->leave;

    refused(ask('/web/~alice', undef,
                Cookie => 'token=' . (bearer('alice') =~ s/Bearer //r),
                Origin => 'https://evil.example'), 403,
            'scope-unauthorised', 'no page of another site by a cookie');
};


subtest 'GW-02: a ticket expires' => sub {
    my $ticket = ticket('/short/~alice', 'alice');

    sleep 1.2;
    refused(get("/short/~alice?ticket=$ticket"), 401, 'token-expired',
            'too late');

    my $token = bearer('alice', exp => int(time) + 2);

    $ticket = $client->send('POST', '/with/~alice', '',
                            Authorization => $token)->{json}{ticket};
    ok($ticket, 'of a token that ends soon');
    sleep 2.2;
    refused(get("/with/~alice?ticket=$ticket"), 401, 'token-expired',
            'SEC-15: it is not longer than its token');
};


subtest 'SEC-15 GW-02: the stream ends with the token of its ticket' => sub {
    my $token = bearer('alice', exp => int(time) + 4);
    my $ticket = $client->send('POST', '/with/~alice', '',
                               Authorization => $token)->{json}{ticket};
    my $stream = stream($ticket, '/with/~alice');

    is($stream->status, 200, 'opened');
    ok($stream->ends(10), 'it expires');
};


subtest 'SEC-16 GW-02: a revocation ends tickets' => sub {
    my $stream = stream(ticket('/with/~alice', 'alice'), '/with/~alice');
    my $ticket = ticket('/with/~alice', 'alice');

    is($stream->status, 200, 'opened');
    revoke('alice');
    ok($stream->ends(5), 'the stream ends');

    # each worker uses its own clock
    sleep 1;
    refused(get("/with/~alice?ticket=$ticket"), 401, 'token-invalid',
            'and no other is opened');
    refused(ask('/with/~alice', 'alice'), 401, 'token-invalid',
            'nor a ticket given');
    revoke();
    sleep 1.5;
};


subtest 'GW-02: a ticket is used once, however short the server\'s tickets live' => sub {
    my $ticket = ticket('/with/~alice', 'alice');
    my $other = Parley::Client->new(port => port(2));
    my $stream = listen_to('alice', uri => "/with/~alice?ticket=$ticket",
                           token => '', port => port(2), tls => 1);

    is($stream->status, 200, 'opened at another server');
    $stream->leave;

    # after the time of that server's own tickets
    sleep 3;
    refused($other->get("/with/~alice?ticket=$ticket"), 401, 'token-invalid',
            'not again there');
    refused(get("/with/~alice?ticket=$ticket"), 401, 'token-invalid',
            'nor where it was issued');
};


subtest 'GW-02: two uses at the same time' => sub {
    for (1 .. 5) {
        my $ticket = ticket('/with/~alice', 'alice');
        my @both = map { $client->connect } 1, 2;

        $_->write($client->request('GET', "/with/~alice?ticket=$ticket"))
            for @both;

        my @status = sort map { $_->expect(qr/\r\n\r\n/);
                                $_->parse->{status} } @both;

        is_deeply(\@status, [200, 401], 'one of them');
        $_->leave for @both;
    }
};


subtest 'GW-15: a used ticket stays used after a reload' => sub {
    my $ticket = ticket('/with/~alice', 'alice');

    ok($nginx->reload, 'a reload');

    my $stream = stream($ticket, '/with/~alice');

    is($stream->status, 200);
    $stream->leave;
    refused(get("/with/~alice?ticket=$ticket"), 401, 'token-invalid',
            'used in one, and in the other');
};


subtest 'GW-02: invalid times' => sub {
    for my $word ('tickets=', 'tickets=0', 'tickets=500ms', 'tickets=61s',
                  'tickets=1500ms', 'tickets=on')
    {
        my ($rc, $said) = Parley::Nginx->check(http => streams_http(
            jwt => "parley_jwt on $word;"));

        isnt($rc, 0, $word);
        like($said, qr/"parley_jwt": "\Q$word\E" is not (?:a time of whole |in the range)/);
    }

    my ($rc, $said) = Parley::Nginx->check(http => streams_http(
        jwt => 'parley_jwt on tickets=5s token=$arg_access_token;'));

    isnt($rc, 0, 'and a token in an argument');
    like($said, qr/cannot have both "tickets=" and a token in an argument/);
};


$nginx->stop;

my $logs = $nginx->error_log . slurp(tmp_dir() . '/all.log');

unlike($logs, qr/ticket=[^* &"]/, 'SEC-15: no log has one');
like($logs, qr/ticket=\*/, 'overwritten');

done_testing;
