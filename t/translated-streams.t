# Event streams of existing services for clients of another protocol, and the
# streams of services that speak AEE.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port spew slurp tmp_dir);
use Parley::Existing;
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams ();
use Parley::Upstream;

my $dir = tmp_dir();
my $service = Parley::Upstream->start(port(2));

my $http = gateway_http(
    more => "parley_self ~gateway;\n",
    server =>
      location('/agents', 'parley_accept aee; parley_speak channel; '
                        . 'parley_jwt on; parley_limits body=4k;')
    . location('/shared', 'parley_accept aee; parley_speak channel; '
                        . 'parley_jwt on; parley_allow type=subscribe '
                        . 'principal=alice to=agent.bob;')
    . location('/peer', 'parley_accept vcp; parley_speak channel; '
                      . 'parley_jwt on; parley_vcp_context ctx|x;')
    . location('/chat', 'parley_accept c2a; parley_speak channel; '
                      . 'parley_jwt on;')
    . location('/frames', 'parley_accept channel; parley_speak aee; '
                        . 'parley_jwt on;')
    . location('/envelopes', 'parley_accept aee; parley_jwt on;')
    . location('/rooms', 'parley_accept aee; parley_speak c2a; '
                       . 'parley_jwt on;'));
my $identities = from_json(slurp("$dir/identities.json"));

$_->{handle} = "~$_->{sub}" for @{ $identities->{principals} };
spew("$dir/identities.json", jcs($identities));

my $nginx = Parley::Nginx->start(workers => 2, http => $http);
my $client = Parley::Client->new(port => port(1));

existing($client, $service);


# Returns the data of events, each read as JSON.
sub data { map { from_json($_) } $_[0] =~ /^data: (.*)$/mg }


# Returns the ids of events.
sub ids { $_[0] =~ /^id: (.*)$/mg }


subtest 'GW-33 frames for a client of AEE' => sub {
    my $one = Parley::Streams::frame('bob', 'alice', text => 'one');
    my $two = Parley::Streams::frame('lead', 'alice', text => 'two');

    for my $path ('/agents/agent.alice', '/agents', '/agents/') {
        my $answer = events($path, [$one, $two], headers =>
                            ['Last-Event-ID' => 'x.1'])->answer;

        is($answer->{status}, 200, $path) or diag $answer->{raw};
        is_deeply([ids($answer->{body})], [1, 2], 'the ids');

        my @got = data($answer->{body});

        is(scalar @got, 2, 'each frame');
        is($got[0]{from}, 'agent.bob');
        is($got[0]{to}, 'agent.alice');
        is($got[0]{type}, 'event');
        is($got[0]{payload}{advisory_text}, 'one');
        is($got[0]{sig}{kid}, 'gateway-1', 'signed by the gateway');
        is($got[1]{from}, 'agent.lead');
        is($got[1]{payload}{advisory_text}, 'two');

        is($service->last->{headers}{'last-event-id'}, 'x.1');
        is($service->last->{uri}, $path =~ s/agent\./~/r, 'the path');
    }
};


subtest 'GW-33 frames for a client of C2A, envelopes for one of agent-channel'
    => sub
{
    my $frame = Parley::Streams::frame('bob', 'alice', text => 'one');
    my @got = data(events('/chat/human:alice', [$frame])->answer->{body});

    is(scalar @got, 1);
    is($got[0]{method}, 'chat/deliver');
    is($got[0]{params}{content}[0]{text}, 'one');
    is($service->last->{uri}, '/chat/~alice');

    my $envelope = aee(from => 'agent.bob', to => 'agent.alice',
                       type => 'event');

    @got = data(events('/frames/~alice', [$envelope])->answer->{body});

    is(scalar @got, 1);
    is($got[0]{kind}, 'agent_advisory');
    is($got[0]{sender_handle}, '~bob');
    is($got[0]{recipient_handle}, '~alice');
    is($service->last->{uri}, '/frames/agent.alice');
};


subtest 'GW-33 a service that speaks AEE' => sub {
    my @all = map { aee(from => 'agent.bob', to => 'agent.alice',
                        type => 'stream', payload => { seq => $_ },
                        reply_to => uuid4()) } 1, 2;
    my $answer = events('/envelopes/agent.alice', \@all)->answer;

    is($answer->{status}, 200) or diag $answer->{raw};
    is($answer->{body}, "id: 1\ndata: " . jcs($all[0]) . "\n\nid: 2\ndata: "
                        . jcs($all[1]) . "\n\n", 'each envelope, unchanged');
    is($service->last->{uri}, '/envelopes/agent.alice');
};


subtest 'GW-33 the stream of another principal' => sub {
    my $frame = Parley::Streams::frame('lead', 'bob', text => 'one');

    is(scalar(data(events('/shared/agent.bob', [$frame])->answer->{body})), 1,
       'by type=subscribe');
    is($service->last->{uri}, '/shared/~bob');

    refused(ask('$c->events', GET => '/shared/agent.lead'), 403,
            'E_SCOPE_UNAUTHORISED', 'another one');
    refused(ask('$c->events', GET => '/agents/agent.bob'), 403,
            'E_SCOPE_UNAUTHORISED', 'without a rule');
    refused(ask('$c->events', GET => '/envelopes/agent.bob'), 403,
            'E_SCOPE_UNAUTHORISED', 'of a service that speaks AEE');
    is($service->count, 0, 'the service has nothing of it');
};


subtest 'GW-33 an event that cannot be translated ends the stream' => sub {
    my $frame = Parley::Streams::frame('bob', 'alice', text => 'one');
    my $answer = events('/peer', [$frame, $frame])->answer;

    like($answer->{body}, qr/event: error\ndata: .*translation-unsupported/,
         'an error in the protocol of the client');
    is(scalar(data($answer->{body})), 1, 'nothing else');
    ok($nginx->wait_for(qr/\[warn\] .*translation-unsupported \/kind: /),
       'the log names the member');
};


done_testing();
