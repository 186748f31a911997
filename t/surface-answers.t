# C2A-38: a chat surface reads what is for the accounts of its platforms and
# workspaces: answers to events, also later ones, and messages of agents.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tls);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Surface qw(event last_event code);
use Parley::Upstream;
use Parley::Websocket qw(websocket);

my $client = Parley::Client->new(port => port(4));
my $peer = Parley::Upstream->start(port(2), undef, tls => 1);

my @principals = (
    { sub => 'slackbot', c2a => 'agent:slackbot', aee => 'agent.slackbot',
      handle => '~cc-slackbot', human => 'boss',
      surface => ['slack/T123', 'slack/T9'] },
    { sub => 'webchat', c2a => 'agent:webchat',
      surface => ['web/main.site', 'slack/T1234'] },
    { sub => 'ircbot', c2a => 'agent:ircbot', surface => ['irc/net'],
      deliver => 'https://127.0.0.1:' . port(2) . '/irc' },
    { sub => 'boss', c2a => 'human:boss', handle => '~boss' },
    { sub => 'ann', c2a => 'human:ann', aee => 'human.ann',
      accounts => ['slack/T123/UANN'] },
    { sub => 'reader', c2a => 'agent:reader', aee => 'agent.reader',
      vcp => 'agent://ops.example/reader', handle => '~reader',
      keys => [public_jwk(person('reader')->{key})],
      human => 'boss' },
    { sub => 'zed', c2a => 'agent:zed', aee => 'agent.zed', handle => '~zed',
      human => 'boss' },
);

my $locations = <<'EOT2' . deliver_location();
        parley_jwt on;
        location = /off { parley_submit c2a aee vcp channel hold=off; }
        location = /wait { parley_submit c2a aee hold=1s; }
        location = /ws { parley_websocket c2a; }
        location = /rate { parley_submit c2a hold=off;
                           parley_rate 1r/h burst=2; }
        location = /denied {
            parley_submit c2a aee hold=off;
            parley_deny to=human:slack.T123.UBAD;
            parley_deny to=human.slack.T9.*;
            parley_deny to=webchat;
            parley_deny to=ann;
            parley_allow protocol=*;
        }
        location = /denied-ann {
            parley_submit c2a aee hold=off;
            parley_deny to=human:slack.T123.UANN;
            parley_allow protocol=*;
        }
        location /c2a-stream/ { parley_stream c2a; }
        location /aee-stream/ { parley_stream aee; }
        location /deaf-stream/ { parley_stream c2a;
                                 parley_deny to=human:slack.T123.U7;
                                 parley_allow protocol=*; }
        location /open-stream/ { parley_stream c2a;
                                 parley_allow type=subscribe; }
EOT2

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }),
    more => 'parley_retain count=100 time=1h; parley_deliver /_deliver '
          . 'hosts=127.0.0.1:' . port(2) . ';',
    jwt => '', locations => $locations));


sub stream_of {
    my ($sub, %o) = @_;

    return listen_to($sub, port => port(4), tls => 1,
                     uri => $o{uri} // "/c2a-stream/agent:$sub", %o);
}


# an event that the reader must answer
sub question {
    return event(@_, params => { attention => { policy => 'must_respond',
                                                priority => 'normal' } });
}


# a message of an agent for a name, in a protocol
my $n = 0;

sub message_to {
    my ($name, $proto) = @_;

    $n++;

    return $proto eq 'aee' ? aee(type => 'event', intent => 'ops.news',
                                 from => 'agent.reader', to => $name,
                                 payload => { n => $n })
         : $proto eq 'vcp'
           ? sign_vcp(vcp(sender => 'agent://ops.example/reader',
                          recipient => $name), person('reader')->{key})
         : { jsonrpc => '2.0', id => $n, method => 'tools/call',
             params => { name => 'chat.send_message', arguments => {
                 target => $name, visibility => 'dm', directedness => 'ambient',
                 text => "news $n", idempotencyKey => uuid4() } } };
}


# the recipients of events and calls
sub names {
    return map { my $p = $_->{json}{params};
                 $p->{target}{recipient} // $p->{arguments}{target} } @_;
}


# how many streams a message of the reader reaches, the code, or the status
sub reaches {
    my ($name, $proto, %o) = @_;

    my $answer = $client->post($o{uri} // '/off', jcs(message_to($name, $proto)),
                               Authorization => bearer('reader'));
    my $j = $answer->{json};

    return $j->{result}{delivered} // $j->{code} // $j->{error}{data}{code}
           // $j->{payload}{code} // $answer->{status};
}


# The next events of a stream are for these names, and none before them.
sub gets {
    my ($stream, $what, @names) = @_;

    is_deeply([names($stream->events(scalar @names, 5))], \@names, $what);
}


my @streams = map { stream_of($_) } qw(slackbot webchat);
my ($slack, $web) = @streams;
my $reader = stream_of('reader', uri => '/aee-stream/agent.reader');
my $chat = stream_of('reader');


# ---- what is for an account

my %NAMES = (c2a => [qw(human:slack.T123.U9 agent:slack.T123.B7
                        human:slack.T9.U%2E9)],
             aee => [qw(human.slack.T123.U9 agent.slack.T123.B7
                        human.slack.T9.U%2E9)],
             vcp => [qw(human://slack.T123.U9)]);

for my $proto (sort keys %NAMES) {
    subtest "C2A-38: agents that speak $proto write to accounts" => sub {
        my @names = @{ $NAMES{$proto} };

        like(reaches($_, $proto), qr/^(1|20[02])$/, $_) for @names;
        gets($slack, 'the surface gets it', @{ $NAMES{c2a} }[0 .. $#names]);
    };
}


subtest 'C2A-38: a listed account has the mailbox of its principal' => sub {
    my $ann = stream_of('ann', uri => '/c2a-stream/human:ann');

    is(reaches('human:ann', 'c2a'), 1);
    is(reaches('human:slack.T123.UANN', 'c2a'), 1);
    is(reaches('human.slack.T123.UANN', 'aee'), 202);
    is(scalar(my @got = $ann->events(3, 5)), 3, 'she gets all');

    is(reaches('human:slack.T123.uann', 'c2a'), 'identity-unmappable',
       'other letters');
    $ann->leave;
};


subtest 'C2A-38: a surface reads nothing of other sources' => sub {
    is(reaches('human:slack.T1234.U9', 'c2a'), 1, 'that of another surface');
    is(reaches('human:web.main%2Esite.ann', 'c2a'), 1);

    is(reaches($_, 'c2a'), 0, $_)
        for qw(human:slack.T12.U9 human:slack.T124.U9 human:slack.t123.U9
               human:Slack.T123.U9 human:slack.T123 human:slack.T123.U9.x
               human:web.main.site human:teams.T123.U9);
    is(reaches($_, 'aee'), 202, $_)
        for qw(service.slack.T123.U9 human.slack.T123.U9@example.org
               agent.x.slack.T123.U9);

    reaches('human:slack.T123.U9', 'c2a');
    gets($slack, 'only its own', 'human:slack.T123.U9');
    gets($web, 'the other one', 'human:slack.T1234.U9',
         'human:web.main%2Esite.ann');
};


subtest 'C2A-38: a frame of agent-channel cannot name an account' => sub {
    for my $name ('~slack.T123.U9', '~cc-slack.T123.B7') {
        my $answer = submit(frame('zed', 'x', recipient_handle => $name,
                                  acted_by => '~boss'),
                            uri => '/off', port => port(4), tls => 1);

        is($answer->{status}, 400, $name);
        is($answer->{json}{error}{field} // $answer->{json}{field},
           '/recipient_handle', 'is named') or diag($answer->{body});
    }
};


# ---- answers

sub react_to {
    my ($id, $name) = @_;

    return { jsonrpc => '2.0', id => 7, method => 'tools/call',
             params => { name => 'chat.react', arguments => {
                 target => $name, inReplyTo => $id, signal => 'done',
                 idempotencyKey => uuid4() } } };
}


subtest 'C2A-38: hold=off, and the answer comes by the stream' => sub {
    is(code('/off', question()), 'ok', 'the surface has a stream');

    my $id = last_event();

    is($chat->event->{json}{params}{eventId}, $id, 'a reader of C2A');
    $reader->event;
    is(code('/off', react_to($id, 'human:slack.T123.U9'), as => 'reader'),
       'ok', 'answers');

    my $answer = $slack->event(5)->{json};

    like(jcs($answer), qr/human:slack\.T123\.U9/, 'for the account');
    like(jcs($answer), qr/$id/, 'and the question') or diag(jcs($answer));

    is(code('/off', question(id => 'U8')), 'ok');
    $id = last_event();
    $chat->event;

    my $task = $reader->event->{json};

    is($task->{from}, 'human.slack.T123.U8', 'a reader of AEE');
    is(code('/off', result($task, from => 'agent.reader'), as => 'reader'),
       'ok', 'answers');

    $answer = $slack->event(5)->{json};
    like(jcs($answer), qr/human:slack\.T123\.U8/, 'for the account');
    like(jcs($answer), qr/$id/, 'and the question') or diag(jcs($answer));
};


subtest 'C2A-38: an answer that comes after the request is over' => sub {
    is(code('/wait', question(id => 'U5')), 'ok', 'held for a second');

    my $id = last_event();

    $_->event for $chat, $reader;
    is(code('/off', react_to($id, 'human:slack.T123.U5'), as => 'reader'),
       'ok');
    like(jcs($slack->event(5)->{json}), qr/human:slack\.T123\.U5.*|$id/,
         'comes by the stream');
};


subtest 'C2A-38: without a way back hold=off refuses' => sub {
    my $event = question(source => ['web', 'main.site']);

    $web->leave;

    for (1 .. 50) {
        last if code('/off', $event, as => 'webchat') eq 'capacity';
        sleep 0.1;
        $event = question(source => ['web', 'main.site']);
    }

    is(code('/off', question(source => ['web', 'main.site']),
            as => 'webchat'), 'capacity', 'no stream of the surface');
    $web = stream_of('webchat');
    is(code('/off', question(source => ['web', 'main.site']),
            as => 'webchat'), 'ok', 'with one');
    is(code('/off', question(source => ['irc', 'net']), as => 'ircbot'), 'ok',
       'with a URL');
    is(code('/off', question(id => 'UANN')), 'capacity',
       'for a listed account its own principal needs one');

    my $ann = stream_of('ann', uri => '/c2a-stream/human:ann');

    is(code('/off', question(id => 'UANN')), 'ok');
    $ann->leave;
};


# ---- the other ways to a reader

subtest 'C2A-38: a WebSocket and a URL' => sub {
    my $surface = websocket('slackbot', uri => '/ws', port => port(4),
                            tls => 1);

    is($surface->status, 101);
    is(reaches('human:slack.T123.U4', 'c2a'), 2, 'the stream and the socket');
    is((names($surface->message))[0], 'human:slack.T123.U4');
    gets($slack, 'both', 'human:slack.T123.U4');
    $surface->leave;

    $peer->clear;
    is(reaches('human:irc.net.will', 'c2a'), 1, 'a URL');
    $peer->wait_for(1);
    is((names($peer->last))[0], 'human:irc.net.will', 'gets it');
};


subtest 'C2A-38: the log of the surface has it' => sub {
    my $last = $slack->opened->{id};

    $_->leave for $slack;
    reaches('human:slack.T123.U3', 'c2a');
    $slack = stream_of('slackbot', last => $last);

    my @got = names($slack->events(30, 2));

    is($got[-1], 'human:slack.T123.U3', 'a stream that resumes gets it');
};


# ---- rules and rates

subtest 'C2A-38: rules about the account, its surface and its principal' => sub {
    is(reaches('human:slack.T123.U9', 'c2a', uri => '/denied'), 1, 'another');

    for my $of (['human:slack.T123.UBAD', 'c2a'],
                ['human.slack.T123.UBAD', 'aee'],
                ['agent:slack.T123.UBAD', 'c2a'],
                ['agent.slack.T123.UBAD', 'aee'],
                ['human:slack.T9.U9', 'c2a'],
                ['human:web.main%2Esite.ann', 'c2a'],
                ['human:slack.T123.UANN', 'c2a'],
                ['human.slack.T123.UANN', 'aee'])
    {
        like(reaches(@$of, uri => '/denied'), qr/policy-refused|POLICY/,
             $of->[0]);
    }

    gets($slack, 'nothing else came', 'human:slack.T123.U9');

    for my $of (['human:slack.T123.UANN', 'c2a'], ['human:ann', 'c2a'],
                ['agent:slack.T123.UANN', 'c2a'], ['human.ann', 'aee'])
    {
        like(reaches(@$of, uri => '/denied-ann'), qr/policy-refused|POLICY/,
             "$of->[0], by its account");
    }

    is(reaches('human:slack.T123.U9', 'c2a', uri => '/denied-ann'), 1);
    gets($slack, 'another account', 'human:slack.T123.U9');
};


subtest 'C2A-38: an account has one encoding' => sub {
    is(reaches($_, 'c2a'), 'identity-unmappable', $_)
        for qw(human:slack.T123.%55ANN human:slack.T123.U%39
               human:slack.T9.U%2e9 human:slack.T9.U%2 human:slack.T9.U%
               human:slack.T9.U%%2E9 human:slack.T9.%ZZ);
    is(reaches('human:slack.T9.U%2E9', 'c2a'), 1, 'the right one');
    gets($slack, 'it came', 'human:slack.T9.U%2E9');
};


subtest 'C2A-38: rules of a stream' => sub {
    my $deaf = stream_of('slackbot', uri => '/deaf-stream/agent:slackbot',
                         session => 'deaf');

    my @names = qw(human:slack.T123.U7 agent:slack.T123.U7 human:slack.T123.U9);

    reaches($_, 'c2a') for @names;
    gets($deaf, 'only the account that they let it read', $names[2]);
    gets($slack, 'without rules all', @names);
    $deaf->leave;
};


subtest 'C2A-38: a name of an account opens no stream of the surface' => sub {
    for my $sub (qw(zed slackbot)) {
        is(stream_of($sub, uri => '/c2a-stream/human:slack.T123.U9')->status,
           403, "without a rule, $sub");
    }

    my $open = stream_of('zed', uri => '/open-stream/human:slack.T123.U9');

    is($open->status, 200, 'with a rule');
    reaches('human:slack.T123.U9', 'c2a');
    gets($slack, 'the surface gets it', 'human:slack.T123.U9');
    is($open->event(1), undef, 'the other reader does not');
    $open->leave;

    my $delete = sub {
        return $client->send('DELETE', "/c2a-stream/$_[0]?all=1", '',
                             Authorization => bearer('reader'))->{json}{erased};
    };

    is($delete->('human:slack.T123.U9'), 0, 'nor does it delete');
    ok($delete->('agent:slackbot') > 0, 'the name of the surface does');
};


subtest 'C2A-38: a rate counts the surface' => sub {
    is(code('/rate', question(id => "U2$_")), 'ok', "account $_") for 1 .. 3;
    is(code('/rate', question(id => 'U24')), 'rate-limited',
       'the surface has no more');
};


$_->leave for $slack, $web, $reader, $chat;
done_testing;
