# C2A-01: initialize and tools/list offer exactly the tools that a call then
# takes, before a service of each protocol and where messages are published.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use JSON::PP ();

use Parley::Client;
use Parley::Env qw(port tls);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams qw(listen_to);
use Parley::Upstream;

my %ABILITIES = (
    readThread => 'chat_read_thread', sendMessage => 'chat_send_message',
    react => 'chat_react', reactionSignals => 'chat_react',
    claim => 'chat_claim', defer => 'chat_defer', resolve => 'chat_resolve');

my @SIGNALS = qw(seen agree working queued claimed done declined blocked
                 unclear);

my $service = Parley::Upstream->start(port(2));
my $client = Parley::Client->new(port => port(1));
my %matrix = matrix();
my ($cert, $key) = tls();

my $server = 'listen 127.0.0.1:' . port(1) . " ssl;\n"
           . "ssl_certificate $cert;\nssl_certificate_key $key;\n"
           . "parley_jwt on;\n"
           . join('', map { location("/to-$_", 'parley_accept aee vcp vcp2 '
                                     . "c2a channel; parley_speak $_; "
                                     . 'parley_vcp_context ctx;') }
                  qw(aee vcp vcp2 c2a channel))
           . location('/ruled', 'parley_accept c2a; parley_speak aee; '
                              . 'parley_allow intent=c2a.chat.react;')
           . "location = /hub { parley_submit c2a aee hold=off; }\n"
           . "location = /ruled-hub { parley_submit c2a hold=off; "
           . "parley_allow intent=c2a.chat.list_events; "
           . "parley_allow intent=c2a.chat.claim; }\n"
           . "location /stream/ { parley_stream aee; }\n"
           . "location /c2a-stream/ { parley_stream c2a; }\n";

my $nginx = Parley::Nginx->start(http => "$matrix{http}\nserver {\n$server\n}\n");


# the result of a call that the gateway, or a service of C2A, answers
sub result_of {
    my ($uri, $method, %params) = @_;

    return $client->raw(post($uri, { jsonrpc => '2.0', id => 1,
                                     method => $method, params => \%params }))
           ->{json}{result} // {};
}


sub capabilities {
    my ($uri) = @_;

    return result_of($uri, 'initialize', protocolVersion => '2026-06-02',
        clientInfo => { name => 'harness', version => '1' },
        capabilities => {
            injection => { immediate => \1, buffered => \1 },
            chatTools => { map { $_ => \1 } keys %ABILITIES },
            utilities => { progress => \1, cancellation => \1 } })
        ->{capabilities};
}


# The names of the tools that are offered.  initialize and tools/list agree.
sub offered {
    my ($uri) = @_;

    my %listed = map { $_->{name} => 1 }
                 @{ result_of($uri, 'tools/list')->{tools} };
    my $can = capabilities($uri)->{chatTools};

    is(!!$can->{$_}, !!$listed{$ABILITIES{$_}}, "$uri: $_")
        for sort keys %ABILITIES;

    return \%listed;
}


# what is asked of alice, in VCP of lead, by the protocol in which it comes
my %ASKS = (
    aee => sub { my $m = aee(from => 'agent.bob', to => 'agent.alice');
                 ($m, 'bob') },
    vcp => sub { my $m = escalation(severity => 'warning',
                                    requires_ack => true);
                 $m->{sender} = person('alice')->{vcp};
                 $m->{recipient} = person('lead')->{vcp};
                 ($m, 'alice') },
    channel => sub { my $m = Parley::Matrix::query(
                         sender_handle => '~cc-bob',
                         recipient_handle => '~cc-alice',
                         drafted_with => '~cc-bob@2');
                     ($m, 'bob') });
$ASKS{vcp2} = sub { my ($m, $as) = $ASKS{vcp}->(); (as_vcp2($m), $as) };



# the id of an event that the caller may answer at a location
sub asked {
    my ($speak) = @_;

    my ($m, $as) = ($ASKS{$speak} // $ASKS{aee})->();

    $service->script('took($c, $q)');

    my $answer = $client->raw(post('/to-c2a', $m, as => $as));

    like($answer->{status}, qr/^20/, "$speak: asked")
        or diag($answer->{body});

    return $service->last->{json}{params}{eventId};
}


# a call of each tool that the service can get, if there is one
sub calls {
    my ($asks, $vcp) = @_;

    return (
        chat_list_events => sub { call('chat_list_events',
                                       target => 'agent:bob') },
        chat_read_thread => sub { call('chat_read_thread',
                                       target => 'agent:bob') },
        chat_send_message => sub {
            say($vcp ? (inReplyTo => $asks->(), target => 'agent:alice') : ()) },
        chat_react => sub { react('done', inReplyTo => $asks->()) },
        (map { my $tool = $_;
               $tool => sub { call($tool, inReplyTo => $asks->()) } }
         qw(chat_claim chat_resolve)),
        chat_defer => sub { call('chat_defer', inReplyTo => $asks->(),
                                 reason => 'later') });
}


# A reaction, and its caller: to a VCP parent alice says that she is blocked.
sub reacts {
    my ($signal, $speak) = @_;

    return react($signal, inReplyTo => asked($speak))
        if $signal ne 'blocked' || $speak !~ /vcp/;

    my $m = vcp(sender => person('lead')->{vcp},
                recipient => person('alice')->{vcp});

    $m = as_vcp2($m) if $speak eq 'vcp2';
    $service->script('took($c, $q)');
    $client->raw(post('/to-c2a', $m, as => 'lead'));

    return (react($signal, inReplyTo => $m->{message_id}), 'alice');
}


# Makes each call: those that are offered pass, the others are refused.
sub keeps {
    my ($uri, $offers, %calls) = @_;

    for my $tool (sort keys %calls) {
        my ($m, $as) = $calls{$tool}->();

        $service->clear;
        $service->script('took($c, $q)');

        my $answer = $client->raw(post($uri, $m, as => $as
                                       // ($uri =~ /vcp/ ? 'lead' : 'alice')));
        my $error = $answer->{json}{error};

        if ($offers->{$tool}) {
            ok(!$error, "$uri: $tool is taken") or diag($answer->{body});

        } else {
            is($error->{data}{code}, 'translation-unsupported',
               "$uri: $tool is refused");
            is($error->{data}{field}, '/params/name', 'and named');
            is($service->count, 0, 'no service gets it');
        }
    }
}


my @VCP = qw(chat_react chat_resolve chat_send_message);
my %REACH = (aee => 'all', channel => 'all', vcp => \@VCP, vcp2 => \@VCP);

for my $speak (qw(aee vcp vcp2 channel)) {
    subtest "C2A-01: a service that speaks $speak" => sub {
        my $reach = $REACH{$speak};
        my %calls = calls(sub { asked($speak) }, $speak =~ /vcp/);
        my $offers = offered("/to-$speak");

        is_deeply([sort keys %$offers],
                  $reach eq 'all' ? [sort keys %calls] : $reach,
                  'the tools that it can get');
        keeps("/to-$speak", $offers, %calls);

        my ($react) = grep { $_->{name} eq 'chat_react' }
                      @{ result_of("/to-$speak", 'tools/list')->{tools} };
        my %signals = map { $_ => 1 }
                      @{ $react->{inputSchema}{properties}{signal}{enum} };

        is_deeply([sort keys %signals], $speak =~ /vcp/
                  ? [qw(agree blocked done)] : [sort @SIGNALS], 'the signals');
        keeps("/to-$speak", \%signals, map { my $signal = $_;
              $signal => sub { reacts($signal, $speak) } } @SIGNALS);

        my $can = capabilities("/to-$speak")->{utilities};

        is(!!$can->{$_}, $speak !~ /vcp/, $_) for qw(progress cancellation);
    };
}


subtest 'C2A-01: a service of C2A offers and refuses by itself' => sub {
    $service->script('$c->answer(200, [], jcs({ jsonrpc => "2.0", id => 1, '
        . 'result => { tools => [{ name => "chat_read_thread" }] } }))');
    is_deeply(result_of('/to-c2a', 'tools/list'),
              { tools => [{ name => 'chat_read_thread' }] }, 'its tools');

    $service->script('$c->answer(200, [], jcs({ jsonrpc => "2.0", id => 1, '
        . 'result => { capabilities => { chatTools => { readThread => '
        . 'JSON::PP::true } } } }))');
    is_deeply(capabilities('/to-c2a'), { chatTools => { readThread => true } },
              'its capabilities');

    my %calls = calls(sub { asked('c2a') });

    for my $tool (sort keys %calls) {
        my $m = $calls{$tool}->();

        $service->clear;
        $service->script('took($c, $q)');
        ok(!$client->raw(post('/to-c2a', $m))->{json}{error},
           "$tool is taken");
        is_deeply($service->last->{json}, $m, 'as it was sent');
    }
};


subtest 'C2A-01: rules' => sub {
    my $offers = offered('/ruled');

    is_deeply([sort keys %$offers], ['chat_react'], 'the tool that they allow');

    my %calls = calls(sub { asked('aee') });

    for my $tool (sort keys %calls) {
        my $error = $client->raw(post('/ruled', $calls{$tool}->()))
                    ->{json}{error};

        is($error->{data}{code}, $offers->{$tool} ? undef : 'intent-refused',
           $tool);
    }

    my $can = capabilities('/ruled');

    ok(!$can->{injection}{immediate}, 'events');
    ok(!$can->{utilities}{progress}, 'progress');
};


# ---- where messages are published

# streams of the reader of alice's messages, and of alice
my $bob = listen_to('bob', port => port(1), tls => 1,
                    uri => '/stream/agent.bob');
my $alice = listen_to('alice', port => port(1), tls => 1,
                      uri => '/c2a-stream/agent:alice');


# questions of bob to alice
sub asked_at_hub {
    my $m = aee(from => 'agent.bob', to => 'agent.alice');
    my $answer = $client->raw(post('/hub', $m, as => 'bob'));

    is($answer->{status}, 202, 'bob asks') or diag($answer->{body});

    return $alice->event->{json}{params}{eventId};
}


subtest 'C2A-01: messages are published' => sub {
    my %calls = calls(\&asked_at_hub);
    my $offers = offered('/hub');

    is_deeply([sort keys %$offers],
              [grep { !/list_events|read_thread/ } sort keys %calls],
              'no tool that reads');
    keeps('/hub', $offers, %calls);

    is($bob->event->{json}{from}, 'agent.alice', 'a reader gets each')
        for sort keys %$offers;
};


subtest 'C2A-01: a tool that only reads is refused in both spellings' => sub {
    for my $tool (qw(chat.read_thread chat_read_thread chat.list_events
                     chat_list_events))
    {
        my $answer = $client->raw(post('/hub', call($tool,
                                                    target => 'agent:bob')));

        is($answer->{json}{error}{data}{code}, 'translation-unsupported',
           $tool);
        like($answer->{json}{error}{message}, qr/publishes messages/, 'says why');

        $answer = $client->raw(post('/hub', call($tool, target => 'agent:bob'),
                                    headers => ['MCP-Protocol-Version'
                                                => '2025-11-25']));
        ok($answer->{json}{result}{isError}, 'as a result that a model reads');
    }

    is_deeply([sort keys %{ offered('/ruled-hub') }], ['chat_claim'],
              'a rule that allows it changes nothing');
};


$_->leave for $alice, $bob;
done_testing;
