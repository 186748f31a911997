# Losses of a published message for readers of another protocol: named in the
# log and counted, once for each protocol and not for each reader.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port tls);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Upstream;
use Parley::Websocket qw(websocket);

my $peer = Parley::Upstream->start(port(2), undef, tls => 1);
my $url = 'https://127.0.0.1:' . port(2);
my ($cert) = tls();

my $http = streams_http(
    identities => streams_identities(
        carol => { deliver => "$url/carol", speaks => 'channel' },
        dave => { deliver => "$url/dave", speaks => 'aee' }),
    more => 'parley_retain count=100 time=1h; parley_deliver /_deliver hosts='
            . '127.0.0.1:' . port(2) . ';',
    locations => <<"EOT");
        location = /any { parley_jwt on; parley_submit aee channel; }
        location /aee/ { parley_jwt on; parley_stream aee; }
        location /vcp/ { parley_jwt on; parley_stream vcp;
                         parley_vcp_context ctx|streams;
                         parley_vcp_constitution creed://acme/streams\@1; }
        location = /ws { parley_jwt on; parley_websocket vcp;
                         parley_vcp_context ctx|streams;
                         parley_vcp_constitution creed://acme/streams\@1; }
        location = /_deliver {
            internal;
            proxy_pass \$parley_deliver_url;
            proxy_http_version 1.1;
            proxy_ssl_trusted_certificate $cert;
            proxy_ssl_name localhost;
        }
EOT

my $nginx = Parley::Nginx->start(workers => 1, http => $http);
my $status = Parley::Status->new(port => port(1));


sub event_to {
    my ($to, %other) = @_;

    return aee(type => 'event', to => "agent.$to", intent => 'vcp.context_share',
               payload => { context => 'ctx|home' }, %other);
}


sub publish { return submit($_[0], uri => '/any', as => 'alice') }


sub lost { return $status->metric('parley_lost_members_total') }


# Returns the log line of a message, for a protocol.
sub line {
    my ($m, $proto) = @_;

    return qr/\[info\] [^\n]*parley: message of aee loses members for readers of $proto, from "alice", id "$m->{id}": /;
}


subtest 'HUB-06 GW-06: for a stream, once for a protocol' => sub {
    my @vcp = map { listen_to('bob', uri => '/vcp/') } 1, 2;
    my $frames = websocket('bob', uri => '/ws');
    my $aee = listen_to('bob', uri => '/aee/agent.bob');
    my $before = lost();
    my $m = event_to('bob', x_tenant => 'acme', x_cell => 7);

    is(publish($m)->{status}, 202);
    is($_->event->{json}{type}, 'context_share') for @vcp;
    is($frames->message->{json}{type}, 'context_share', 'and by frames');
    is_deeply($aee->event->{json}, $m, 'who reads its own protocol has all');

    my $line = line($m, 'vcp');

    ok($nginx->wait_for(qr/$line[^\n]*request=\/x_tenant/), 'it is named');

    my ($said) = $nginx->error_log =~ /$line([^\n]*)/;
    my %said = map { $_ => 1 } split /, /, $said =~ s/ while .*//r;

    ok($said{"request=/$_"}, $_) for qw(x_tenant x_cell);
    ok(!$said{"request=/$_"}, "not $_") for qw(intent payload to from);
    is(lost() - $before, keys %said, 'as many are counted');
    is($nginx->logged($line), 1, 'not for each reader');
    is($nginx->logged(line($m, 'aee')), 0, 'none of its own protocol');

    # a later subscriber reads it from the log

    my $again = listen_to('bob', uri => '/vcp/', last => $vcp[0]->opened->{id});

    is($again->event->{json}{type}, 'context_share');
    is($nginx->logged($line), 1, 'told already');
    is(lost() - $before, keys %said, 'and counted');

    $_->leave for @vcp, $frames, $aee, $again;
};


subtest 'HUB-09 GW-06: for a URL, once for all attempts' => sub {
    $peer->clear;
    $peer->script('$c->answer(503)');

    my $before = lost();
    my $m = aee(type => 'event', to => 'agent.carol', x_tenant => 'acme');
    my $line = line($m, 'channel');

    is(publish($m)->{status}, 202);
    ok($peer->wait_for(2), 'it is tried again');
    ok($nginx->wait_for($line), 'it is named');
    is($nginx->logged($line), 1, 'once');
    ok(lost() > $before, 'and counted');

    my $after = lost();
    my $same = aee(type => 'event', to => 'agent.dave',
                   x_tenant => 'acme');

    is(publish($same)->{status}, 202);
    ok($peer->wait_for(3), 'to who reads AEE');
    sleep 0.2;
    is(lost(), $after, 'nothing is lost');
    is($nginx->logged(line($same, 'aee')), 0);
};


subtest 'HUB-06 SEC-01: a name cannot write a log line' => sub {
    my $stream = listen_to('bob', uri => '/vcp/');
    my $m = event_to('bob', "x\r\n2026/01/01 [notice] 1#1: \"forged" => 1);

    is(publish($m)->{status}, 202);
    is($stream->event->{json}{type}, 'context_share');

    my $line = line($m, 'vcp');

    ok($nginx->wait_for(qr/${line}[^\n]*request=\/x%0D%0A2026~101~101%20/),
       'escaped');
    is($nginx->logged(qr/^2026.01.01 \[notice\]/m), 0);
    $stream->leave;
};


subtest 'OPS-07: a few of many have lines, and all are counted' => sub {
    my $line = qr/loses members for readers of vcp, /;
    my $sum = qr/\[info\] [^\n]*parley: \d+ more messages lose members for their readers within a second: translation-lossy \d+\n/;
    my $stream = listen_to('bob', uri => '/vcp/');

    sleep 1.1;

    my ($before, $lines) = (lost(), $nginx->logged($line));
    my $began = time;

    for (1 .. 30) {
        publish(event_to('bob', x_tenant => 'acme'));
        $stream->event;
    }

    my $seconds = 1 + int(time - $began);

    ok($nginx->wait_for($sum), 'a sum');
    ok($nginx->logged($line) - $lines <= 10 * ($seconds + 1), 'a few');
    ok(lost() - $before >= 30, 'all are counted');
    $stream->leave;
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'no alert');

done_testing;
