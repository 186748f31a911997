# The readers of a message: each subscriber reads one protocol, and some
# protocols have no equivalent for a message.  A message without an equivalent
# for any subscriber is refused.  Otherwise the subscribers with an equivalent
# get it, and only they are counted.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    locations => <<'EOT'));
        location = /held { parley_jwt on; parley_submit aee hold=3s; }
        location = /mcp { parley_jwt on; parley_mcp channel hold=8s; }
        location /aee/ { parley_jwt on; parley_stream aee; }
        location /vcp/ { parley_jwt on; parley_stream vcp;
                         parley_vcp_context ctx|streams;
                         parley_vcp_constitution creed://acme/streams@1; }
EOT

my $status = Parley::Status->new(port => port(1));


sub passed_over {
    return $status->metric('parley_passed_over_total{protocol="vcp"}');
}


sub refused {
    return $status->refused('translation-unsupported');
}


sub diagnosis {
    my ($from, $to) = @_;

    return frame($from, $to, kind => 'peer_diagnostic_request', payload => {
        symptom => 'slow', severity => 'info', diagnostic_id => uuid4() });
}


subtest 'HUB-06: a message without an equivalent for any subscriber is refused' => sub {
    my $vcp = listen_to('alice', uri => '/vcp/');
    my $frame = frame('bob', 'alice', text => 'an advisory');
    my $answer = submit($frame);

    is($answer->{status}, 422);
    is($answer->{json}{code}, 'field-invalid', 'as frames call it');
    is($answer->{json}{field}, '/kind', 'the member at fault is named');
    is(refused(), 1, 'not lost in silence');

    for my $scope ('~alice', '~alice/*', '~alice/cc-*') {
        is(submit(frame('alice', 'alice'), scope => $scope)->{status}, 422,
           $scope);
    }

    is(submit(frame('alice', 'alice'), scope => '~alice/none-*')
       ->{json}{delivered}, 0, 'whom it is not for does not count');

    # the refused frame left no trace: it may come again

    my $channel = listen_to('alice');

    is(submit($frame)->{json}{delivered}, 1,
       'ACH-19: of two that listen the one that can be told');
    is_deeply([texts($channel->event)], ['an advisory']);
    ok($nginx->wait_for(qr/of channel skipped by streams of vcp/, 1),
       'the other one is passed over, which the log says');
    is(passed_over(), 1, 'and a metric');

    is(submit(diagnosis('bob', 'alice'))->{json}{delivered}, 2,
       'what both can be told');
    is($vcp->event->{json}{type}, 'escalation', 'and nothing before it');

    $_->leave for $vcp, $channel;
};


subtest 'HUB-06: a message to several names is refused or accepted as a whole' => sub {
    my $alice = listen_to('alice', uri => '/vcp/');
    my $org = 'org:~acme/members/*';

    is(submit(frame('alice', 'acme'), scope => $org)->{status}, 422,
       'the only one cannot be told');

    my $bob = listen_to('bob');

    is(submit(frame('alice', 'acme', text => 'to all'),
              scope => $org)->{json}{delivered}, 1, 'of two names one can');
    is_deeply([texts($bob->event)], ['to all'], 'and nothing came before');

    $_->leave for $alice, $bob;
};


subtest 'HUB-07: a request without an equivalent is not held' => sub {
    my $bob = listen_to('bob', uri => '/vcp/');
    my $task = aee();
    my $began = time;
    my $answer = submit($task, uri => '/held', as => 'alice');

    cmp_ok(time - $began, '<', 2, 'it does not wait');
    is($answer->{status}, 422);
    is($answer->{json}{payload}{code}, 'E_TRANSLATION_UNSUPPORTED');

    # the request waits for the subscriber with an equivalent

    my $aee = listen_to('bob', uri => '/aee/');

    $began = time;
    $answer = submit(aee(), uri => '/held', as => 'alice');

    is($answer->{status}, 202, 'nobody answers');
    cmp_ok(time - $began, '>', 2, 'it was held');
    is($aee->event->{json}{type}, 'task');

    $_->leave for $bob, $aee;
};


subtest 'ACH-27: a waiting MCP call gets agent-channel' => sub {
    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $waits = $client->begin('/mcp', jcs({
        jsonrpc => '2.0', id => 1, method => 'tools/call',
        params => { name => 'agent_subscribe',
                    arguments => { handle => '~bob' } } }),
        Authorization => bearer('bob'), 'Content-Type' => 'application/json',
        Accept => 'application/json, text/event-stream');

    my $before = $status->metric('parley_emitted_total');
    my $end = time + 4;

    # until its stream is open

    do {
        sleep 0.1;
        submit(aee(type => 'event'), uri => '/held', as => 'alice');
    } until $status->metric('parley_emitted_total') > $before || time > $end;

    my $frames = $waits->answer->{json}{result}{structuredContent}{frames};

    is(scalar @$frames, 1, 'the first that came');
    is($frames->[0]{frame}{kind}, 'agent_advisory',
       'an event of AEE, as a frame');
};


$nginx->stop;

is_deeply([grep { /\[(?:alert|crit|emerg|error)\]/ } split /^/m,
                $nginx->error_log], [], 'nothing is amiss');

done_testing();
