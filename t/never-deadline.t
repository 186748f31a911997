# A state that does not answer at a deadline.  When it answers again, an
# escalation is raised once, and a task fails once.  Only for the module whose
# state answers later (make test-later).

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Never;
use Parley::Nginx;
use Parley::Streams;

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => streams_identities(alice => { parent => 'bob' },
                                     bob => { parent => 'carol' }),
    more => 'parley_retain count=100 time=1h;',
    locations => <<'EOT'));
        location = /in { parley_jwt on; parley_submit vcp aee; }
        location /vcp/ { parley_jwt on; parley_stream vcp;
                         parley_vcp_context ctx|deliver;
                         parley_vcp_constitution creed://a/b@1; }
        location /aee/ { parley_jwt on; parley_stream aee; }
EOT


# Returns the messages that a stream gets in that many seconds.
sub come {
    my ($stream, $seconds) = @_;

    my @come;
    my $until = time + $seconds;

    while ((my $left = $until - time) > 0) {
        my $event = $stream->event($left) // last;
        push @come, $event->{json};
    }

    return @come;
}


for my $verb (qw(get admit settle job-take)) {

    subtest "VCP-24 AEE-29 HUB-09 silent: $verb" => sub {
        my $carol = listen_to('carol', uri => '/vcp/');
        my $dave = listen_to('dave', uri => '/aee/');

        my $m = { %{ escalation(severity => 'critical',
                                requires_ack => true) },
                  sender => 'agent://ops.example/alice',
                  recipient => 'agent://ops.example/bob' };
        my $task = aee(requires => { timeout_ms => 5000 },
                       from => 'agent.dave');

        is(submit($m, as => 'alice', uri => '/in')->{status}, 200);
        is(submit($task, as => 'dave', uri => '/in')->{status}, 202);

        # from a moment before the deadline until the gateway gives up waiting
        never($verb);
        sleep 8;
        never();

        is_deeply([map { $_->{message_id} } come($carol, 4)],
                  [$m->{message_id}], 'the escalation goes up');
        is_deeply([map { "$_->{payload}{code} $_->{reply_to}" }
                       come($dave, 1)],
                  ["E_TIMEOUT $task->{id}"], 'the task fails, once');
    };
}

done_testing();
