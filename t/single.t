# A VCP caller of a service that answers in events gets one JSON object (VCP
# 8.2): the first final event, or that its message was accepted.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $nginx = Parley::Nginx->start(http => gateway_http(server =>
      location('/deadline', 'parley_accept aee vcp; parley_speak aee; '
                          . 'parley_jwt on; parley_cap timeout=500ms;')));
my $client = Parley::Client->new(port => port(1));


# Sends an escalation to a service with this script; returns the connection.
# The script has $event, an AEE stream envelope, $done, a result, and $failed,
# an error.
sub begin {
    my ($script, $m, %o) = @_;

    $service->script(<<'EOT' . $script);
        my $n = 0;
        my $event = sub { 'data: ' . jcs(aee(type => 'stream',
            from => $q->{json}{to}, to => $q->{json}{from},
            corr => $q->{json}{corr}, payload => { n => ++$n })) . "\n\n" };
        my $done = sub { 'data: ' . jcs(result($q->{json}, payload =>
            { text => 'on it', context => 'ctx', @_ })) . "\n\n" };
        my $failed = sub { 'data: ' . jcs(failure($q->{json}, @_)) . "\n\n" };
        my $end = sub { $c->out("0\r\n\r\n") };
        $c->events;
EOT
    $service->clear;

    my $connection = $client->connect;

    $connection->write(post($o{uri} // '/to-aee', $m, %o));

    return $connection;
}


sub alarm_of { escalation(severity => 'critical', requires_ack => true, @_) }


sub is_json {
    my $answer = shift;

    is($answer->{headers}{'content-type'}, 'application/json; charset=utf-8',
       'VCP-18 one JSON object');
    is($answer->{headers}{'content-length'}, length $answer->{body});
    ok($answer->{complete});
}


subtest 'VCP-18 GW-07 the first event is the answer' => sub {
    my $m = alarm_of();
    my $answer = begin('$c->out($done->()); $c->pause(3)', $m);
    my $from = time;

    $answer = $answer->answer;

    cmp_ok(time - $from, '<', 2, 'at once');
    is($answer->{status}, 200);
    is_json($answer);
    is($answer->{json}{status}, 'accepted');
    is($answer->{json}{reply}{payload}{reason}, "ACK:$m->{message_id} on it");
    is($answer->{json}{reply}{recipient}, $m->{sender});
    is($client->raw(post('/to-aee', $m))->{json}{status}, 'duplicate');
};


subtest 'VCP-18 GW-07 the first event is progress: the answer is accepted at once' => sub {
    my $m = alarm_of();
    my $connection = begin('$c->out($event->()); $c->pause(1.5); '
                           . '$c->out($event->() . $done->()); $c->pause(3)',
                           $m);
    my $from = time;
    my $answer = $connection->answer;

    cmp_ok(time - $from, '<', 1.2, 'at once');
    is($answer->{status}, 200);
    is_json($answer);
    is($answer->{body}, jcs({ status => 'accepted',
                              message_id => $m->{message_id} })
                        =~ s/^\{("message_id".*?),("status".*)\}$/{$2,$1}/r);
    like($answer->{headers}{connection}, qr/close/i,
         'the next message does not wait for the rest');

    is($client->raw(post('/to-aee', $m))->{json}{status}, 'duplicate',
       'GW-12 it is committed with that');

    ok($nginx->wait_for(qr/answer not sent, the caller has its answer: result, answering id "\Q$m->{message_id}\E"/),
       'the log has the final one');
    is($nginx->logged(qr/\[info\].*answer not sent, .*: progress, .*\Q$m->{message_id}\E/),
       1, 'and the progress');
};


subtest 'GW-07 the service is read to its final answer though the caller has left' => sub {
    my $m = alarm_of();
    my $connection = begin('$c->out($event->()); $c->pause(0.5); '
                           . '$c->out($done->())', $m);

    ok($connection->answer->{complete});
    $connection->leave;
    ok($nginx->wait_for(qr/answer not sent, .*: result, .*\Q$m->{message_id}\E/));
};


subtest 'GW-07 events after the final answer are late' => sub {
    my $m = alarm_of();
    my $answer = begin('$c->out($event->() . $done->() . $done->()); '
                       . '$c->pause(0.2)', $m)->answer;

    is($answer->{json}{status}, 'accepted');
    ok($nginx->wait_for(qr/\Q$m->{message_id}\E/));
    sleep 0.3;
    is($nginx->logged(qr/: result, answering id "\Q$m->{message_id}\E"/), 1);
};


subtest 'GW-07 an event that accepts is not the answer' => sub {
    my $m = alarm_of();
    my $answer = begin(<<'EOT', $m)->answer;
        $c->out('data: ' . jcs(aee(type => 'stream', from => $q->{json}{to},
            to => $q->{json}{from}, corr => $q->{json}{corr},
            payload => { status => 'accepted' })) . "\n\n");
        $c->pause(0.3);
        $c->out($done->());
EOT

    is($answer->{json}{status}, 'accepted');
    is($answer->{json}{reply}, undef);
    ok($nginx->wait_for(qr/answer not sent, .*: result, .*\Q$m->{message_id}\E/));
};


subtest 'GW-07 comments and fields alone are not an answer' => sub {
    my $answer = begin('$c->out(": hello\n\nid: 5\n\nretry: 10\n\ndata\n\n"); '
                       . '$c->pause(0.2); $c->out($done->())', alarm_of())
                 ->answer;

    is_json($answer);
    like($answer->{json}{reply}{payload}{reason}, qr/on it/);
};


subtest 'GW-12 an answer that may come again releases the id' => sub {
    my $m = alarm_of();
    my $answer = begin('$c->out($failed->(retryable => true, context => "c"))',
                       $m)->answer;

    is_json($answer);
    isnt($answer->{json}{status}, 'duplicate');
    $service->script(undef);
    is($client->raw(post('/to-aee', $m))->{json}{status}, 'accepted');
};


subtest 'GW-12 a stream without an event counts as taken' => sub {
    my $m = alarm_of();
    my $answer = begin('', $m)->answer;

    is($answer->{status}, 200);
    is_json($answer);
    is($answer->{json}{status}, 'accepted');
    is($client->raw(post('/to-aee', $m))->{json}{status}, 'duplicate');
};


subtest 'GW-12 a stream that breaks off before its first event releases the id' => sub {
    my $m = alarm_of();

    $service->script('$c->{keep} = 0; $c->out("HTTP/1.1 200 OK\r\n'
        . 'Content-Type: text/event-stream\r\nContent-Length: 999\r\n\r\n: x")');

    my $answer = $client->raw(post('/to-aee', $m));

    is($answer->{status}, 502);
    is_json($answer);
    is($answer->{json}{code}, 'upstream-invalid');
    $service->script(undef);
    is($client->raw(post('/to-aee', $m))->{json}{status}, 'accepted');
};


subtest 'SEC-08 GW-10 an invalid event is refused with its status' => sub {
    for my $bad ('"data: nothing\n\n"',
                 '"data: " . jcs(result($q->{json}, from => "agent.bob")) . "\n\n"')
    {
        my $m = alarm_of();
        my $answer = begin("\$c->out($bad)", $m)->answer;

        is($answer->{status}, 502);
        is_json($answer);
        is($answer->{json}{status}, 'rejected');
        is($answer->{json}{code}, 'upstream-invalid');
        is($client->raw(post('/to-aee', $m))->{json}{status}, 'duplicate',
           'GW-12 it was taken all the same');
    }
};


subtest 'SEC-08 an invalid event after accepted is logged' => sub {
    my $m = alarm_of();
    my $answer = begin('$c->out($event->()); $c->pause(0.2); '
                       . '$c->out("data: nothing\n\n"); $c->pause(0.2)', $m)
                 ->answer;

    is($answer->{json}{status}, 'accepted');
    ok($nginx->wait_for(qr/upstream-invalid.*id "\Q$m->{message_id}\E"/));
};


subtest 'AEE-29 the deadline: before the first event, and after it' => sub {
    my $m = alarm_of();
    my $answer = begin('$c->pause(1.5); $c->out($done->())', $m,
                       uri => '/deadline')->answer;

    is($answer->{status}, 504);
    is_json($answer);
    is($answer->{json}{code}, 'upstream-timeout');

    $m = alarm_of();
    $answer = begin('$c->out($event->()); $c->pause(1.5); $c->out($done->())',
                    $m, uri => '/deadline')->answer;

    is($answer->{json}{status}, 'accepted');
    ok($nginx->wait_for(qr/upstream-timeout.*id "\Q$m->{message_id}\E"/));
};


subtest 'VCP-18 a VCP service that answers in events' => sub {
    my $m = alarm_of();

    $service->script(<<'EOT');
        my $m = $q->{json};
        $c->events;
        $c->out('data: ' . jcs(vcp(type => 'escalation',
            sender => $m->{recipient}, recipient => $m->{sender},
            payload => { severity => 'critical', context => 'c',
                         reason => "ACK:$m->{message_id}",
                         requires_ack => false })) . "\n\n");
EOT

    my $answer = $client->raw(post('/vcp', $m));

    is($answer->{status}, 200);
    is_json($answer);
    is($answer->{json}{status}, 'accepted');
    is($answer->{json}{reply}{payload}{reason}, "ACK:$m->{message_id}");
};


subtest 'GW-07 a keepalive connection stays open after the final answer' => sub {
    my $connection = begin('$c->out($done->()); $c->pause(0.1)', alarm_of(),
                           headers => ['Connection', 'keep-alive']);

    is($connection->answer->{json}{status}, 'accepted');
    $connection->{buffer} = '';
    $service->script(undef);
    $connection->write(post('/to-aee', alarm_of()));
    is($connection->answer->{json}{status}, 'accepted', 'the next message');
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
