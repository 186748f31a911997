# Sessions of a C2A service belong to the principals that the service gave them
# to, with any header and location.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::H2;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2), <<'EOT');
    my $give = $q->{json}{params}{give} // {};
    my %answer = (jsonrpc => '2.0', id => $q->{json}{id}, result => {});

    if ($q->{json}{params}{events}) {
        $c->{keep} = 0;
        $c->out("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                . "Connection: close\r\n"
                . join('', map { "$_\r\n" } map { my $n = $_;
                      map { "$n: $_" } ref $give->{$n} ? @{ $give->{$n} }
                                                       : $give->{$n} }
                      keys %$give)
                . "\r\ndata: " . jcs(\%answer) . "\n\n");
    } else {
        $c->answer(200, [map { my $n = $_;
            map { $n => $_ } ref $give->{$n} ? @{ $give->{$n} } : $give->{$n} }
            keys %$give], jcs(\%answer));
    }
EOT

my $http = gateway_http(server =>
    location('/mcp', 'parley_accept c2a; parley_jwt on;')
    . location('/other', 'parley_accept aee c2a; parley_speak c2a; '
                       . 'parley_jwt on;')
    . location('/dry', 'parley_accept c2a; parley_jwt on; parley_dry_run on;')
    . location('/spoken', 'parley_accept c2a; parley_speak aee; '
                        . 'parley_jwt on;'))
    . 'server { listen 127.0.0.1:' . port(6) . '; parley_trusted on; '
    . 'underscores_in_headers on; '
    . location('/mcp', 'parley_accept c2a; parley_jwt on;') . '} '
    . 'server { listen 127.0.0.1:' . port(7) . ' http2; parley_trusted on; '
    . location('/mcp', 'parley_accept c2a; parley_jwt on;') . '}';

my $nginx = Parley::Nginx->start(workers => 2, http => $http);
our $client = Parley::Client->new(port => port(1));
my $calls = 0;


# Sends a call as a principal with headers.
sub call {
    my ($as, $uri, $method, $params, @headers) = @_;

    return $client->raw(post($uri, { jsonrpc => '2.0', id => ++$calls,
                                     method => $method,
                                     ($params ? (params => $params) : ()) },
                             as => $as, headers => \@headers));
}


sub begin {
    my ($as, $name, $id, %o) = @_;

    my $answer = call($as, '/mcp', 'initialize',
                      { protocolVersion => '2025-06-18',
                        give => { $name => $id }, %o });

    is($answer->{status}, 200, "$as begins a session");
    is($answer->{headers}{lc $name}, $id, "$as gets $name");
}


sub passes {
    my ($as, $what, @headers) = @_;

    my $n = $service->count;
    my $answer = call($as, '/mcp', 'tools/list', undef, @headers);

    is($answer->{status}, 200, "$as: $what") or diag $answer->{raw};
    is($service->count, $n + 1, 'the service has it');
}


sub refused {
    my ($as, $what, @headers) = @_;

    my $uri = $headers[0] =~ m{^/} ? shift @headers : '/mcp';
    my $n = $service->count;
    my $answer = call($as, $uri, 'tools/list', undef, @headers);
    my $error = from_json($answer->{body})->{error};

    is($answer->{status}, 404, "$as: $what") or diag $answer->{raw};
    is($error->{code}, -31404);
    is($error->{data}{code}, 'session-unknown');
    is($service->count, $n, 'the service has nothing of it');
}


for my $name (qw(Mcp-Session-Id C2A-Session)) {
    my $id = "first-$name";

    subtest "MCP-05 $name belongs to the principal that got it" => sub {
        begin('alice', $name, $id);

        # either worker may get the request
        for (1 .. 6) {
            passes('alice', 'her own', $name => $id);
            refused('bob', "alice's", $name => $id);
        }

        cmp_ok($nginx->logged(qr/\[warn\] .*refused, session-unknown: the /),
               '>=', 6, 'the log says so');

        refused('carol', "alice's, who is in no directory", $name => $id);
        refused('bob', 'a client of MCP', $name => $id,
                'MCP-Protocol-Version' => '2025-06-18');
        passes('bob', 'none');
    };

    subtest "MCP-05 $name in another location is the same" => sub {
        refused('bob', 'by another location', '/other', $name => $id);
        refused('bob', 'in other letters', lc $name => $id);
        refused('bob', 'by the other header',
                ($name =~ /^Mcp/ ? 'C2A-Session' : 'Mcp-Session-Id') => $id);
        refused('bob', 'beside one of his own', $name => 'of-bob',
                $name => $id);
        refused('alice', 'twice', $name => $id, $name => $id);

        my $n = $service->count;
        my $answer = $client->raw(post('/other', aee(from => 'agent.bob'),
                                       as => 'bob',
                                       headers => [$name => $id]));

        is($answer->{status}, 404, 'from a caller of AEE');
        like($answer->{body}, qr/"E_SESSION_UNKNOWN"/);
        is($service->count, $n, 'the service has nothing of it');
    };

    subtest "MCP-05 $name of an answer of events" => sub {
        begin('alice', $name, "events-$name", events => 1);
        refused('bob', "alice's", $name => "events-$name");
        passes('alice', 'her own', $name => "events-$name");
    };

    subtest "MCP-05 $name that the service gives to two belongs to both" => sub {
        begin('alice', $name, "both-$name");
        begin('bob', $name, "both-$name");
        passes($_, 'his own', $name => "both-$name") for qw(alice bob alice);
        refused('carol', 'that of others', $name => "both-$name");
    };

    subtest "MCP-05 $name with underscores is the same" => sub {
        local $client = Parley::Client->new(port => port(6), tls => 0);

        my %same = ($name =~ tr/-/_/r => 1, $name =~ s/-/_/r => 1,
                    $name =~ s/-(\w+)$/_$1/r => 1);

        for my $same (sort keys %same) {
            refused('bob', $same, $same => $id);
            passes('alice', $same, $same => $id);
            refused('alice', "$same as well", $name => $id, $same => $id);
        }
    };

    subtest "MCP-05 $name with several values is refused" => sub {
        for my $list ("$id,of-bob", "of-bob, $id", "$id,", ",$id") {
            refused($_, "a list $list", $name => $list) for qw(alice bob);
        }

        for my $events (0, 1) {
            for my $give (["a-$name", "b-$name"], ["a-$name", "a-$name"],
                          ["a-$name", ''], "a-$name, b-$name")
            {
                my $answer = call('alice', '/mcp', 'initialize', {
                    protocolVersion => '2025-06-18',
                    give => { $name => $give },
                    ($events ? (events => 1) : ()) });

                is($answer->{status}, 200, 'an answer')
                    or diag $answer->{raw};
                is(from_json($answer->{body})->{error}{data}{code},
                   'upstream-invalid', 'which is refused');
                is($answer->{headers}{lc $name}, undef,
                   'and gives the caller none');
            }
        }

        passes('bob', 'one of these, which is free', $name => "b-$name");
    };

    subtest "MCP-05 $name with white space or controls is refused" => sub {
        my %other = ("$id\t" => 'a tab', "\t$id" => 'a tab before it',
                     " \t $id \t" => 'spaces', "a $id" => 'a space within',
                     "$id\x01" => 'a control', "$id\x7f" => 'DEL',
                     "\xa0$id" => 'a space of Latin-1');

        for my $other (sort keys %other) {
            refused($_, $other{$other}, $name => $other) for qw(alice bob);
        }

        for my $other ("\xc3\xa9-$name", "a\tb-$name") {
            my $answer = call('alice', '/mcp', 'initialize', {
                protocolVersion => '2025-06-18',
                give => { $name => $other } });

            is($answer->{status}, 200, 'an answer') or diag $answer->{raw};
            is(from_json($answer->{body})->{error}{data}{code},
               'upstream-invalid', 'which is refused');
        }
    };

    subtest "MCP-05 $name with spaces, by HTTP/2" => sub {
        my $h2 = Parley::Client->new(port => port(7), tls => 0);

        for my $other (" $id", "$id ", "\t$id") {
            my $n = $service->count;
            my $connection = $h2->connect;

            $connection->write(h2_begin() . h2_post(1, '/mcp', jcs({
                jsonrpc => '2.0', id => 1, method => 'tools/list' }),
                fields => [lc $name => $other]));
            ok($connection->expect(qr/session-unknown/, 5), 'refused');
            is($service->count, $n, 'the service has nothing of it');
        }
    };

    subtest "MCP-05 an empty $name has no owner" => sub {
        passes($_, 'empty', $name => '') for qw(alice bob);
        refused('bob', "beside alice's", $name => '', $name => $id);
    };

    subtest "MCP-05 an unknown $name belongs to its first user" => sub {
        passes('bob', 'first', $name => "new-$name");
        refused('alice', 'second', $name => "new-$name");
        passes('bob', 'again', $name => "new-$name");
    };
}


subtest "MCP-05 another principal's DELETE is not proxied" => sub {
    my $n = $service->count;
    my $answer = $client->raw(post('/mcp', undef, method => 'DELETE',
                                   as => 'bob', headers => [
                                   'Mcp-Session-Id' => 'first-Mcp-Session-Id']));

    is($answer->{status}, 404);
    is($service->count, $n, 'the service has nothing of it');
    passes('alice', 'her session is there',
           'Mcp-Session-Id' => 'first-Mcp-Session-Id');
};


subtest 'MCP-05 a service of another protocol has no such sessions' => sub {
    my $answer = call('bob', '/spoken', 'ping', undef,
                      'Mcp-Session-Id' => 'first-Mcp-Session-Id');

    is($answer->{status}, 200);
};


subtest 'MCP-05 a dry run refuses and records nothing' => sub {
    my $answer = call('bob', '/dry', 'tools/list', undef,
                      'Mcp-Session-Id' => 'first-Mcp-Session-Id');

    is($answer->{status}, 200);

    call('bob', '/dry', 'tools/list', undef, 'Mcp-Session-Id' => 'dry');
    passes('alice', 'first', 'Mcp-Session-Id' => 'dry');
};


subtest 'MCP-05 a reload forgets no session' => sub {
    $nginx->reload;
    refused('bob', "alice's", 'Mcp-Session-Id' => 'first-Mcp-Session-Id');
    passes('alice', 'her own', 'Mcp-Session-Id' => 'first-Mcp-Session-Id');
};


subtest 'MCP-05 a restart breaks no session' => sub {
    is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

    $nginx->stop;
    $nginx = Parley::Nginx->start(workers => 2, http => $http);

    passes('alice', 'her own', 'Mcp-Session-Id' => 'first-Mcp-Session-Id');
    refused('bob', "alice's again", 'Mcp-Session-Id' => 'first-Mcp-Session-Id');
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
