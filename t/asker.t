# ACH-32: the sender of a question gets the answer.  The sender is a human or
# an agent, with or without an instrument.  It is known by a handle only or by
# claims only, and asks in any protocol or by MCP.  The reader reads any
# protocol by any transport, and answers the name that it was given.  All
# combinations of these are generated.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Upstream;
use Parley::Verbs;
use Parley::Websocket;

my $peer = Parley::Upstream->start(port(2), '$c->take', tls => 1);
my $url = 'https://127.0.0.1:' . port(2);
my $model = '~cc-example-model';

# two humans use the same model
my %askers = (
    plain  => { aee => 'human.plain', c2a => 'human:plain' },
    alice  => { aee => 'human.alice', c2a => 'human:alice',
                instrument => $model },
    zed    => { aee => 'human.zed', c2a => 'human:zed',
                instrument => "$model\@2" },
    name   => {},
    named  => { instrument => '~cc-named-model@1' },
    agent  => { aee => 'agent.agent', c2a => 'agent:agent',
                instrument => '~cc-agent', human => 'plain' },
    unlike => { aee => 'human.other', c2a => 'human:third',
                instrument => '~cc-unlike-model' },
);

# principals that the file does not list
my %claimed = (
    cleo => { aee => 'human.cleo', c2a => 'human:cleo' },
    cain => { aee => 'human.cain', c2a => 'human:cain',
              instrument => '~cc-claimed-model' },
);

my %of = (%askers, %claimed);

$of{$_}{handle} //= "~$_" for keys %of;

my @readers = map { {
    sub => $_, handle => "~$_", aee => "agent.$_", c2a => "agent:$_",
    instrument => "~cc-$_\@1", human => 'plain',
    /^url-(\w+)/ ? (deliver => "$url/$_", speaks => $1) : () } }
    qw(bob url-aee url-c2a url-channel);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => [
        @readers, map { { sub => $_, %{ $of{$_} } } } sort keys %askers ] }),
    zone => 'asker:16m', more => <<"MORE", locations => <<'LOCATIONS'
    parley_retain count=1000 time=1h;
    parley_deliver /_deliver hosts=127.0.0.1:@{[port(2)]};
    parley_claims aee=aee c2a=c2a handle=handle instrument=instrument;
MORE
        location = /in { parley_jwt on;
                         parley_submit aee c2a channel hold=off; }
        location /aee/ { parley_jwt on; parley_stream aee; }
        location /c2a/ { parley_jwt on; parley_stream c2a; }
        location = /ws/aee { parley_jwt on; parley_websocket aee; }
        location = /ws/c2a { parley_jwt on; parley_websocket c2a; }
        location = /ws/channel { parley_jwt on; parley_websocket channel; }
        location = /mcp { parley_jwt on; parley_mcp channel hold=8s; }
LOCATIONS
    . deliver_location()));


sub token_of {
    my $who = shift;

    return bearer($who, $claimed{$who} ? %{ $of{$who} } : ());
}


sub send_as {
    my ($who, $m) = @_;

    return submit($m, as => $who, token => token_of($who), uri => '/in');
}


sub sender_of {
    my ($who, $proto) = @_;

    my $own = ($of{$who} // {})->{$proto};

    return $own // ($proto eq 'aee' ? $of{$who} ? "human.$who" : "agent.$who"
                                    : $of{$who} ? "human:$who" : "agent:$who");
}


# ---- questions, in each protocol

sub human_of {
    my $who = shift;

    return ($of{$who} // { human => 'plain' })->{human} // $who;
}


sub ask_channel {
    my ($who, $to) = @_;

    return frame($who, $to, kind => 'agent_query',
        acted_by => '~' . human_of($who),
        drafted_with => $of{$who}{instrument} // "~cc-$who",
        payload => { query_text => 'well?', query_id => uuid4(),
                     timeout_ms => 60000, response_scope => "~$who/*" });
}


sub ask_aee {
    my ($who, $to) = @_;

    return aee(from => sender_of($who, 'aee'), to => "agent.$to",
               payload => { text => 'well?' });
}


sub ask_c2a {
    my ($who, $to) = @_;

    return Parley::Matrix::say(sender => sender_of($who, 'c2a'), target => {
        kind => 'dm', id => uuid4(), recipient => "agent:$to" });
}


# ---- answers: to the name of the asker that the reader was given

sub answer_channel {
    my ($reader, $m) = @_;

    return frame($reader, 'x', kind => 'agent_response',
        recipient_handle => $m->{sender_handle}, acted_by => '~plain',
        payload => { query_id => $m->{payload}{query_id},
                     responder_session_id => 's1', response_text => 'yes' });
}


sub answer_aee {
    my ($reader, $m) = @_;

    return aee(type => 'result', from => $m->{to}, to => $m->{from},
               intent => $m->{intent}, corr => $m->{corr},
               reply_to => $m->{id}, payload => { text => 'yes' });
}


my $answers = 0;

# Every second answer has only the conversation.
sub answer_c2a {
    my ($reader, $m) = @_;

    my $p = $m->{params};
    my $call = $p->{arguments};
    my $author = $call ? $call->{sender}
                       : "$p->{author}{kind}:$p->{author}{id}";

    return Parley::Matrix::say(
        inReplyTo => $call ? $call->{idempotencyKey} : $p->{eventId},
        sender => "agent:$reader", text => 'yes', target => {
            kind => 'dm', $answers++ % 2 ? (recipient => $author) : (),
            id => $call ? $call->{target}{id} : $p->{conversation}{id} });
}


# ---- by MCP: the answers are the result of the call

my $client = Parley::Client->new(port => port(1), tls => 0);
my $status = Parley::Status->new(port => port(1));


sub call_of {
    my ($who, $to) = @_;

    return $client->begin('/mcp', tool_text('agent_query', max => 1,
            recipient_handle => "~$to",
            payload => { query_text => 'well?', timeout_ms => 5000 }),
        Authorization => token_of($who), 'Content-Type' => 'application/json');
}


# Returns an answer as the name of its question, and the name of the asker.
sub got {
    my $m = shift;

    return ['nothing'] if !$m;
    return [$m->{payload}{query_id}, $m->{recipient_handle}]
        if $m->{envelope_version};
    return [$m->{reply_to}, $m->{to}] if $m->{v};

    my $said = $m->{params}{arguments} // {};

    return [$said->{inReplyTo} // $m->{params}{inReplyTo}];
}


sub wanted {
    my ($who, $asked) = @_;

    return [$asked->{payload}{query_id}, "~$who"]
        if $asked->{envelope_version};
    return [$asked->{id}, $asked->{from}] if $asked->{v};
    return [$asked->{params}{arguments}{idempotencyKey}];
}


# Reads a stream until it has the answer.  Answers in other protocols come
# before.
sub heard {
    my ($ears, $wanted) = @_;

    my $got;

    while (my $event = $ears->event(3)) {
        $got = got($event->{json});

        last if jcs($got) eq jcs($wanted);
    }

    return $got;
}


my %ask = (channel => \&ask_channel, aee => \&ask_aee, c2a => \&ask_c2a);
my %answer = (channel => \&answer_channel, aee => \&answer_aee,
              c2a => \&answer_c2a);


# ---- readers: each waits for a message, and answers it

my %streams;


# Returns the stream by which an asker listens, in the protocol of its
# question.
sub ears {
    my ($who, $proto) = @_;

    my $stream = $streams{"$who $proto"} //= listen_to($who,
        session => $proto, token => token_of($who),
        uri => $proto eq 'channel' ? undef : "/$proto/");

    die "$who, $proto: $stream->{answer}{body}\n" if $stream->status != 200;

    return $stream;
}


sub by_stream {
    my ($proto) = @_;

    my $stream = listen_to('bob', session => "s-$proto",
                           uri => $proto eq 'channel' ? undef : "/$proto/");

    return { to => 'bob', leave => sub { $stream->leave },
             read => sub { ($stream->event(5) // {})->{json} },
             say => sub { send_as('bob', shift)->{status} } };
}


sub by_websocket {
    my ($proto) = @_;

    my $socket = websocket('bob', uri => "/ws/$proto", session => "w-$proto");

    return { to => 'bob', leave => sub { $socket->leave },
             read => sub { ($socket->message(5) // {})->{json} },
             say => sub {
                 $socket->text(jcs(shift));

                 my $answer = ($socket->message(5) // {})->{json} // {};

                 return exists $answer->{code} || $answer->{error}
                        || ($answer->{type} // '') eq 'error'
                        ? jcs($answer) : 200;
             } };
}


sub by_url {
    my ($proto) = @_;

    my $to = "url-$proto";

    return { to => $to, leave => sub { }, read => sub {
                 my $seen = \$streams{$to};
                 my $until = time + 5;

                 while (time < $until) {
                     my @got = grep { $_->{uri} eq "/$to" } $peer->requests;

                     return $got[$$seen++]{json} if @got > ($$seen //= 0);
                     sleep 0.02;
                 }

                 return undef;
             },
             say => sub { send_as($to, shift)->{status} } };
}


sub by_mcp {
    my $place = tool('agent_subscribe', { wait_ms => 50 }, as => 'bob');
    my $last = $place->{last_event_id};
    my $wait = sub {
        return begin(tool_text('agent_subscribe', wait_ms => 5000,
                               last_event_id => $last), as => 'bob');
    };
    my $waiting;

    return { to => 'bob', leave => sub { }, wait => sub {
                 my $until = time + 5;

                 $waiting = $wait->();
                 sleep 0.02 while !$status->metric('parley_held')
                                  && time < $until;
             },
             read => sub {
                 my $answer = ($waiting // $wait->())->answer;
                 my $came = $answer->{json}{result}{structuredContent};

                 $waiting = undef;
                 $last = $came->{last_event_id};

                 return $came->{frames}[0]{frame};
             },
             say => sub {
                 my $m = shift;
                 my $result = mcp(tool_text('agent_send',
                     kind => $m->{kind}, payload => $m->{payload},
                     recipient_handle => $m->{recipient_handle}),
                     as => 'bob')->{json}{result};

                 return $result->{isError} ? jcs($result) : 200;
             } };
}


sub asks_by_mcp {
    my ($who, $reader, $proto) = @_;

    # waits until the reader is connected, as a call does not wait for it
    $reader->{wait}->() if $reader->{wait};

    my $call = call_of($who, $reader->{to});
    my $read = $reader->{read}->();

    ok($read, "$who asks by MCP and is read")
        or diag($call->answer->{body}), return;

    my $said = $reader->{say}->($answer{$proto}->($reader->{to}, $read));

    like($said, qr/^20[02]$/, "$who asks by MCP and is answered")
        or diag(jcs($read));

    my $result = ($call->answer->{json} // {})->{result}{structuredContent};
    my @frames = @{ ($result // {})->{responses} // [] };

    is_deeply([map { [$_->{recipient_handle}, $_->{sender_handle},
                      $_->{payload}{query_id}] } @frames],
              [["~$who", "~$reader->{to}", $result->{query_id}]],
              "$who asks by MCP and has the answer") or diag(jcs($result));
}


my %transports = (stream => \&by_stream, websocket => \&by_websocket,
                  url => \&by_url, mcp => \&by_mcp);


for my $transport (sort keys %transports) {
    for my $proto ($transport eq 'mcp' ? 'channel' : sort keys %answer) {
        my $reader = $transports{$transport}->($proto);

        subtest "ACH-32: a reader of $proto by $transport" => sub {
            for my $who (sort keys %of) {
                for my $asks (sort keys %ask) {
                    my $name = "$who asks in $asks";
                    my $ears = ears($who, $asks);
                    my $m = $ask{$asks}->($who, $reader->{to});
                    my $asked = send_as($who, $m);

                    like($asked->{status}, qr/^20[02]$/, $name)
                        or diag($asked->{body}), next;

                    my $read = $reader->{read}->();

                    ok($read, "$name and is read") or next;

                    my $said = $reader->{say}->(
                        $answer{$proto}->($reader->{to}, $read));

                    like($said, qr/^20[02]$/, "$name and is answered")
                        or diag(jcs($read)), next;
                    is_deeply(heard($ears, wanted($who, $m)),
                              wanted($who, $m), "$name and hears the answer");
                }

                asks_by_mcp($who, $reader, $proto);
            }
        };

        $reader->{leave}->();
    }
}


$nginx->stop;

done_testing;
