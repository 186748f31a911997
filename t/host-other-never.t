# An answer to a message of another protocol at a host of chat, while the state
# does not answer: the call may be repeated.  Only for the module whose state
# answers later (make test-later).

use strict;
use warnings;

use lib 't/lib';

use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Never;
use Parley::Nginx;
use Parley::Streams;

my $nginx = Parley::Nginx->start(http => streams_http(
    identities => jcs({ principals => [
        map { { sub => $_, handle => "~$_", c2a => "agent:$_",
                aee => "agent.$_" } } qw(ada bob),
    ] }),
    zone => 'streams:8m',
    more => 'parley_retain count=1000 time=1h;',
    locations => <<'EOT'));
        location = /chat { parley_jwt on; parley_host c2a quiet=0; }
        location = /in { parley_jwt on; parley_submit aee; }
        location /aee/ { parley_jwt on; parley_stream aee; }
EOT

my $k = 0;


# Sends a task to ada; returns its id.
sub task {
    my $m = aee(from => 'agent.bob', to => 'agent.ada');
    my $answer = says(bob => $m, uri => '/in');

    is($answer->{status}, 202) or diag($answer->{body});

    return $m->{id};
}

# Calls a tool of ada, and lets the verbs of its publication complete, but not
# the one after it, which notes the answer.  Returns the status and the result.
sub unnoted {
    my ($tool, $args, $pause) = @_;

    never('append');

    my $pid = open(my $call, '-|') // die "fork: $!\n";

    if (!$pid) {
        my $answer = tool(ada => $tool, $args, id => 'first-' . $k);

        print jcs([$answer->{status}, $answer->{json}{result}]);
        close STDOUT;
        POSIX::_exit(0);
    }

    # the count of readers, the retained copy, the append, the note

    for my $verb (qw(put append put)) {
        sleep $pause;
        never($verb);
    }

    my $text = join '', <$call>;

    close $call;
    never();

    return @{ from_json($text) };
}


subtest 'C2A-13 HUB-07: an answer that could not be noted is repeated' => sub {
    my $bob = listen_to('bob', uri => '/aee/');

    for my $call ([ 'chat.send_message', text => 'It passed.',
                    visibility => 'dm', directedness => 'to_me' ],
                  [ 'chat.react', signal => 'working' ],
                  [ 'chat.react', signal => 'done' ])
    {
        my ($tool, %args) = @$call;
        my ($status, $result, %call);

        # on a slow machine a verb may begin too late; then nothing is appended

        for my $try (1 .. 10) {
            my $id = task();
            my $list = structured(tool(ada => 'chat.list_events',
                                       { eventId => $id }));
            my $where = $list->{events}[0]{event}{conversation};

            %call = (%args, inReplyTo => $id);

            if ($tool eq 'chat.send_message') {
                @call{qw(idempotencyKey target)} = (
                    'k' . ++$k, { map { ($_ => $where->{$_}) }
                                      grep { defined $where->{$_} }
                                           qw(id kind) });
            }

            ($status, $result) = unnoted($tool, \%call, 0.1 + $try / 50);

            last if $status == 200 && !$result->{isError};
        }

        ok(!$result->{isError}, "$tool is answered") or diag(explain($result));
        is($status, 200, "$tool is answered");

        my $again = tool(ada => $tool, \%call, id => "again-$k");

        is_deeply(structured($again), $result->{structuredContent},
                  'the repeat has the result of the first')
            or diag($again->{body});

        my @got;

        while (my $event = $bob->event(@got ? 2 : 15)) {
            my $m = from_json($event->{data});

            push @got, $m if jcs($m) =~ /\Q$call{inReplyTo}\E/;
        }

        is(scalar @got, 1, 'bob has it once');
    }
};

done_testing();
