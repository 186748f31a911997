# SEC-21: the names of a principal, and all names derived from them in other
# protocols, belong to one principal: in the file, and in claims, through every
# endpoint.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Checked qw(check);
use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Tool;
use Parley::Verbs qw(call_text);
use Parley::Websocket;

# the spellings of one party, by the member that has them
my %HUMAN = (aee => 'human.%s', vcp => 'human://%s', c2a => 'human:%s',
             handle => '~%s');
my %AGENT = (aee => 'agent.cc-%s', vcp => 'cc-%s', c2a => 'agent:cc-%s',
             handle => '~cc-%s');
my %HOST = (aee => 'agent.%s@h.example', vcp => 'agent://h.example/%s',
            c2a => 'agent:%s@h.example');
my %SERVICE = (aee => 'service.%s', vcp => 'service://%s',
               c2a => 'service:%s');

my %KINDS = (human => \%HUMAN, agent => \%AGENT, host => \%HOST,
             service => \%SERVICE);


sub spelling { return sprintf $KINDS{$_[0]}{$_[1]}, $_[2] }


# ---- two principals of the file

# file(ENTRY, ...): writes each entry on its own line, beginning with line 2.
sub file {
    return spew(tmp_dir() . '/clash.json', "{\"principals\": [\n"
                . join(",\n", map { jcs($_) } @_) . "\n]}\n");
}


# Returns the tool's error for the file, or '' if it is valid.
sub told {
    my ($status, undef, $err)
        = tool({ in => jcs(aee()) }, 'translate', '--to', 'c2a',
               '--identities', file(@_));

    return $err =~ /principals/ ? $err : '';
}


for my $kind (sort keys %KINDS) {
    my @members = sort keys %{ $KINDS{$kind} };

    subtest "SEC-21: two principals of a file with one $kind" => sub {
        for my $one (@members) {
            for my $other (@members) {
                like(told({ sub => 'a', $one => spelling($kind, $one, 'x') },
                          { sub => 'b', $other => spelling($kind, $other,
                                                           'x') }),
                     qr{line 3: .*/principals/1/$other: .*/principals/0 \(line 2\)$},
                     "$one and $other");
            }

            is(told({ sub => 'a', $one => spelling($kind, $one, 'x') },
                    { sub => 'b', $one => spelling($kind, $one, 'y') }), '',
               "$one of two");
        }

        is(told({ sub => 'a', map { $_ => spelling($kind, $_, 'x') }
                              @members }), '', 'all of one principal');
    };
}


subtest 'SEC-21: a principal with other names keeps the derived names' => sub {
    like(told({ sub => 'a', aee => 'human.x', handle => '~a' },
              { sub => 'b', handle => '~x' }),
         qr{principals/1/handle: .*aee "human.x" of /principals/0 \(line 2\)$});
    like(told({ sub => 'human.x' }, { sub => 'b', handle => '~x' }),
         qr{principals/1/handle: .*sub "human.x" of /principals/0 \(line 2\)$},
         'a sub that is a name');
    like(told({ sub => 'human:x' }, { sub => 'b', handle => '~x' }),
         qr{principals/1/handle: .*sub "human:x" of /principals/0 \(line 2\)$},
         'in any protocol');
    is(told({ sub => 'x', handle => '~a' }, { sub => 'y', handle => '~x' }),
       '', 'another sub is not');
};


subtest 'SEC-21: an instrument that is another principal' => sub {
    for my $member (sort keys %AGENT) {
        for my $tool ('~cc-x', '~cc-x@1.2') {
            like(told({ sub => 'a', $member => spelling('agent', $member,
                                                        'x') },
                      { sub => 'b', handle => '~b', instrument => $tool }),
                 qr{line 3.*/principals/1/instrument: .*/principals/0, .*\(line 2\)$},
                 "$tool $member");
        }
    }

    is(told({ sub => 'a', handle => '~a', instrument => '~cc-m@1' },
            { sub => 'b', handle => '~b', instrument => '~cc-m@2' }), '',
       'a model of two');
};


subtest 'SEC-21: nginx -t names both lines' => sub {
    my $path = file({ sub => 'alice', handle => '~alice' },
                    { sub => 'bob', handle => '~bob' },
                    { sub => 'shadow', aee => 'human.alice' });
    my ($status, $said) = check("parley_zone z:1m; parley_identities $path;"
        . ' server { listen 127.0.0.1:1; }');

    is($status, 1);
    like($said, qr{clash\.json" line 4: /principals/2/aee aee "human\.alice" is derived from handle "~alice" of /principals/0 \(line 2\) in});
};


# ---- a claim and a principal of the file

my @listed = map {
    my $kind = $_;
    map { { sub => "$kind-$_", $_ => spelling($kind, $_, "$kind-$_") } }
        sort keys %{ $KINDS{$kind} };
} sort keys %KINDS;

my @tools = ({ sub => 'tooled', handle => '~tooled',
               instrument => '~cc-drill@1' },
             { sub => 'plain', handle => '~plain', instrument => '~saw' });

my $claims = 'parley_claims aee=aee vcp=vcp c2a=c2a handle=handle'
           . ' instrument=instrument;';

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    more => 'parley_retain count=100 time=1h; parley_jwt on failures=off;',
    jwt => '',
    submit => 'channel aee vcp c2a', rules => $claims,
    identities => jcs({ principals => [
        @listed, @tools, { sub => 'zed', handle => '~zed' } ] }),
    locations => <<"EOT"));
        location = /submit { $claims parley_submit aee vcp c2a channel; }
        location /roster/ { $claims parley_roster channel; }
        location = /mcp { $claims parley_mcp channel; }
        location = /ws { $claims parley_websocket channel; }
        location = /none { parley_submit aee vcp c2a; }
EOT

my $client = Parley::Client->new(port => port(1), tls => 0);


my %WAYS = (
    stream => sub { $client->get('/channel/stream/', @_) },
    DELETE => sub { $client->send('DELETE', '/channel/stream/', '', @_) },
    roster => sub { $client->get('/roster/', @_) },
    submission => sub { $client->post('/submit', jcs(aee()), @_) },
    'MCP mailbox' => sub {
        $client->post('/mcp', call_text('tools/list'),
                      Accept => 'application/json, text/event-stream',
                      'Content-Type' => 'application/json', @_) },
    WebSocket => sub {
        websocket('zed', uri => '/ws', token => $_[1])->{answer} },
);


# Returns every endpoint's answers to a token of the sub with these claims.
sub answers {
    my ($sub, %claims) = @_;

    my @auth = (Authorization => bearer($sub, %claims));

    return map {
        my $answer = $WAYS{$_}->(@auth);
        my $error = $answer->{json}{error};
        my $code = $error ? $error->{data}{code} : $answer->{json}{code};

        [$_, "$answer->{status} " . ($code // '')];
    } sort keys %WAYS;
}


# Checks that each endpoint refuses with the code.
sub refused {
    my ($what, $code, $sub, %claims) = @_;

    my $status = $code eq 'token-invalid' ? 401 : 403;
    my @answers = answers($sub, %claims);

    is_deeply(\@answers, [map { [$_, "$status $code"] } sort keys %WAYS],
              $what) or diag(explain(\@answers));
}


# Checks that the token is accepted.
sub passes {
    my ($what, $sub, %claims) = @_;

    my $answer = $WAYS{roster}->(Authorization => bearer($sub, %claims));

    # a principal without a handle has no roster

    like("$answer->{status} " . ($answer->{json}{code} // ''),
         qr/^200 $|^422 identity-unmappable$/, $what)
        or diag($answer->{body});
}


# this test is first, as the log leaves out lines of many refusals
subtest 'SEC-21: each refusal has one log line' => sub {
    my $line = qr/parley: refused, sender-identity-mismatch c2a: [^,]* than sub \S?zed\S?, /;

    refused('each way', 'sender-identity-mismatch', 'zed',
            c2a => 'human:human-handle');

    ok($nginx->wait_for($line, scalar keys %WAYS));
    is($nginx->logged($line), scalar keys %WAYS);
    is($nginx->logged(qr/parley: refused/), scalar keys %WAYS);
};


for my $kind (sort keys %KINDS) {
    my @members = sort keys %{ $KINDS{$kind} };

    subtest "SEC-21: a claim, and the $kind of the file" => sub {
        for my $of (@members) {
            for my $by (@members) {
                my $name = spelling($kind, $by, "$kind-$of");

                refused("$name of the principal with $of", $by eq $of
                        ? 'token-invalid' : 'sender-identity-mismatch',
                        $by eq 'handle' ? 'nobody' : 'zed', $by => $name);
            }
        }
    };
}


subtest 'SEC-21: a claim, and the instrument of a principal' => sub {
    my %saw = (aee => 'agent.saw', c2a => 'agent:saw', vcp => 'saw');

    for my $by (sort keys %AGENT) {
        refused("$by, an agent's", $by eq 'handle' ? 'token-invalid'
                : 'sender-identity-mismatch', 'nobody',
                $by => spelling('agent', $by, 'drill'));
    }

    for my $by (sort keys %HUMAN) {
        refused("$by, of the other tier", $by eq 'handle' ? 'token-invalid'
                : 'sender-identity-mismatch', 'nobody',
                $by => spelling('human', $by, 'saw'));
    }

    refused("$_, as an agent", 'sender-identity-mismatch', 'nobody',
            $_ => $saw{$_}) for sort keys %saw;
};


subtest 'SEC-21: an instrument of claims, and a name of the file' => sub {
    for my $of (sort keys %AGENT) {
        refused("the agent with $of",
                $of eq 'handle' ? 'token-invalid' : 'sender-identity-mismatch',
                'nobody', instrument => "~cc-agent-$of\@7");
    }

    for my $of (sort keys %HUMAN) {
        refused("the human with $of",
                $of eq 'handle' ? 'token-invalid' : 'sender-identity-mismatch',
                'nobody', instrument => "~human-$of");
    }
};


subtest 'SEC-21: a claim in the syntax of another protocol' => sub {
    refused('a handle as an AEE name', 'sender-identity-mismatch', 'nobody',
            aee => '~human-aee');
    refused('an AEE name as a VCP name', 'token-invalid', 'nobody',
            vcp => 'human.human-aee');
};


subtest 'SEC-21: names of the principal itself, and unlisted names' => sub {
    for my $kind (qw(human agent)) {
        for my $of (sort keys %{ $KINDS{$kind} }) {
            passes("$kind-$of by $_", "$kind-$of",
                   $_ => spelling($kind, $_, "$kind-$of"))
                for sort keys %{ $KINDS{$kind} };
        }

        passes("a new $kind by $_", "new-$_",
               $_ => spelling($kind, $_, "new-$kind"))
            for sort keys %{ $KINDS{$kind} };
    }

    passes('a new instrument', 'newer', instrument => '~cc-newer',
           handle => '~newer');
};


# ---- a sub that is a name

subtest 'SEC-21: a sub, and a name of the file' => sub {
    for my $kind (qw(human agent)) {
        for my $of (sort keys %{ $KINDS{$kind} }) {
            for my $by (qw(aee vcp c2a)) {
                my $name = spelling($kind, $by, "$kind-$of");
                my %o = (aee => aee(from => $name),
                         vcp => vcp(sender => $name));

                next if !$o{$by};

                my $answer = $client->post('/none', jcs($o{$by}),
                    Authorization => bearer($name));

                is($answer->{status}, 403, "$name of the one with $of")
                    or diag($answer->{body});
                like($answer->{body}, qr/mismatch|MISMATCH/);
            }
        }
    }

    my $answer = $client->post('/none', jcs(aee(from => 'agent.other')),
        Authorization => bearer('human.human-handle', aee => 'agent.other'));

    is($answer->{status}, 403, 'a sub beside another name');
};


done_testing;
