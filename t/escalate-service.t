# A service's answers to an escalation.  An answer that is not an
# acknowledgment does not stop the escalation (VCP-24), and the principal above
# can acknowledge it.  An acknowledgment is a message to the child (VCP 6.2).
# The parent of alice is bob, and the parent of bob is carol: a family, and
# each case has its own.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Family;
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Together;
use Parley::Upstream;

my ($go, $full) = map { tmp_dir() . "/$_" } qw(go full);

# the path is the answer; below events/ it is in an event, below progress/ it
# follows an event that the service is at work
my $service = Parley::Upstream->start(port(2),
                                      "my (\$go, \$full) = ('$go', '$full');"
                                      . <<'EOT');
    my $m = $q->{json};
    my ($says) = $q->{uri} =~ m{/([a-z]+)$};
    my %answers = (
        error => failure($m),
        seen => ($m->{type} // '') eq 'task' ? result($m) : {
            status => 'accepted', message_id => $m->{message_id},
            reply => { %{ escalation(severity => 'critical',
                                     reason => 'ACK:' . ($m->{message_id} // '')
                                               . ' seen') },
                       sender => $m->{recipient},
                       recipient => $m->{sender} } },
        garbage => { what => 1 },
        taken => { status => 'accepted', message_id => $m->{message_id} },
        late => { %{ escalation(severity => 'critical',
                                reason => 'ACK:' . ($m->{message_id} // '')) },
                  sender => ($m->{sender} // '') =~ s/dave/bob/r,
                  recipient => $m->{sender} },
        deferred => { jsonrpc => '2.0', id => $m->{id}, result =>
                      { accepted => true(), disposition => 'deferred' } },
        unlike => { status => 'accepted', message_id => $m->{message_id},
                    reply => { %{ escalation(severity => 'warning',
                                   reason => "ACK:" . ($m->{message_id} // '')) },
                               sender => $m->{recipient},
                               recipient => $m->{sender} } });

    if ($says eq 'room') {
        for (1 .. 900) { last if -e $full; $c->pause(0.03) }
        $says = 'seen';

        # longer than the events for which there is no room
        $answers{seen}{payload}{text} = 'x' x 2000;
    }

    my $body = jcs($answers{$says});

    if ($q->{uri} =~ m{/(events|progress)/}) {
        $c->events;

        if ($1 eq 'progress') {
            my $works = ($m->{type} // '') ne 'task' ? $answers{taken}
                        : result($m, type => 'stream');

            $c->out('data: ' . jcs($works) . "\n\n");
            $c->pause(0.3);
        }

        if ($says eq 'late') {
            for (1 .. 400) { last if -e $go; $c->pause(0.03) }
        }

        $c->out("data: $body\n\n");

    } else {
        $c->answer(200, [], $body);
    }
EOT

# the location, and the report to the child
my %cases = (
    '/service/aee/error'        => qr/"rejected".*"E_BROKEN"/,
    '/service/aee/garbage'      => qr/"rejected".*"upstream-invalid"/,
    '/service/vcp/garbage'      => qr/"rejected".*"upstream-invalid"/,
    '/service/vcp/unlike'       => qr/"rejected".*"upstream-invalid"/,
    '/service/events/aee/error' => qr/"rejected".*"E_BROKEN"/,
    '/service/c2a/deferred'     => qr/"deferred"/,
);
my @families = sort keys %cases;


sub http {
    return streams_http(
        identities => jcs({ principals =>
                                [map { family_principals($_) } 0 .. $#families] }),
        locations => <<'EOT' . join '', map { <<"EOT" } qw(aee vcp c2a));
        location /bare/ { parley_jwt on; parley_accept vcp; parley_speak aee;
                          proxy_pass http://127.0.0.1:%PORT_2%; }
        location = /in { parley_jwt on; parley_submit vcp aee; }
        location /vcp/ { parley_jwt on; parley_stream vcp;
                         parley_vcp_context ctx|deliver;
                         parley_vcp_constitution creed://a/b@1; }
EOT
        location ~ ^/service(/events|/progress)?/$_/ {
            parley_jwt on;
            parley_accept vcp c2a;
            parley_speak $_;
            parley_vcp_context ctx|deliver;
            parley_vcp_constitution creed://a/b\@1;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2, http => http());


# Returns a C2A message that carries one of VCP.
sub carries {
    my $m = shift;

    return Parley::Matrix::deliver(
        author => { kind => 'agent', id => who('alice') },
        target => { recipient => who('agent:bob'), directedness => 'to_me' },
        content => [{ type => 'text', text => 'disk is full' },
                    { type => 'data',
                      mediaType => 'application/vnd.vcp+json',
                      form => 'escalation', data => $m->{payload},
                      reference => { id => $m->{message_id},
                                     type => 'vcp.message',
                                     hash => 'sha256:' . '0' x 64,
                                     locator => "parley:vcp:$m->{message_id}"
                                   } }]);
}


together(map {
    my $n = $_;
    my $uri = $families[$n];

    ("VCP-24 what a service says is no acknowledgment: $uri" => sub {
        family($n);

        my ($carol) = streams('carol');
        my $m = alarm_of('critical');
        my $answer = submit($uri =~ /c2a/ ? carries($m) : $m,
                            as => who('alice'), uri => $uri);

        like($answer->{body}, $cases{$uri}, 'the child is told so');
        $m = $carol->event(9)->{json};
        is($m->{recipient}, name('bob'), 'it goes up');
        taken(ack('carol', $m), 'and is acknowledged there');
    });
} 0 .. $#families);


# Returns the message with that id.  A stream of VCP begins with the messages
# that came in its absence (VCP-33), including those of earlier tests.
sub event_of {
    my ($stream, $id) = @_;

    while (my ($event) = $stream->event(3)) {
        return $event->{json} if $event->{json}{message_id} eq $id;
    }

    return;
}


# VCP 6.2: it is a message, and the response repeats it
together(map {
    my ($n, $uri) = @$_;

    ("VCP-24 VCP-25 what a service says acknowledges: $uri" => sub {
        family($n);

        my ($alice, $carol) = streams(qw(alice carol));
        my $m = alarm_of('critical');
        my $answer = submit($m, as => who('alice'), uri => $uri);
        my $ack = $answer->{json}{reply};

        like($ack->{payload}{reason}, qr/^ACK:$m->{message_id} /, 'it does');
        is_deeply(event_of($alice, $ack->{message_id}), $ack,
                  'the child has it as a message of its own');
        is(submit($m, as => who('alice'), uri => $uri)->{json}{status},
           'duplicate', 'once');
        is_deeply([ids($alice, 0.5)], [], 'there, too');
        is_deeply([ids($carol, 5)], [], 'and nothing goes up');
    });
} [0, '/service/aee/seen'], [1, '/service/vcp/seen'],
  [2, '/service/events/aee/seen'], [3, '/service/events/vcp/seen']);


# the sender was told before that the service took the escalation
together(map {
    my ($n, $uri) = @$_;

    ("VCP-25 a service acknowledges after it said that it works: $uri" => sub {
        family($n);

        my ($alice) = streams('alice');
        my $m = alarm_of('critical');
        my $answer = submit($m, as => who('alice'), uri => $uri)->{json};

        is($answer->{status}, 'accepted');
        ok(!$answer->{reply}, 'it was taken');
        like($alice->event(3)->{json}{payload}{reason},
             qr/^ACK:$m->{message_id} /, 'the child is told as a message');
        is($nginx->logged(qr/not told[^\n]*$m->{message_id}/), 0,
           'and nothing is said to be lost');
    });
} [0, '/service/progress/aee/seen'], [1, '/service/progress/vcp/seen']);


subtest 'VCP-25 without a configured context an acknowledgment has that of the escalation' =>
sub {
    family(1);

    my ($alice) = streams('alice');
    my $m = alarm_of('critical');

    $m->{payload}{context} = 'ctx|its own';

    my $answer = submit($m, as => who('alice'), uri => '/bare/aee/seen');
    my $ack = $answer->{json}{reply};

    like($ack->{payload}{reason}, qr/^ACK:$m->{message_id} /, 'it is one')
        or diag $answer->{body};
    is($ack->{payload}{context}, 'ctx|its own');
    is_deeply([map { $_->{json} } $alice->event(3)], [$ack],
              'the child has it as a message of its own');
};


# a sender without a stream cannot be told
subtest 'VCP-25 an acknowledgment for a child that cannot be told' => sub {
    family(2);

    my $m = alarm_of('critical');

    is(submit($m, as => who('alice'), uri => '/service/progress/aee/seen')
           ->{json}{status}, 'accepted');
    ok($nginx->wait_for(qr/\[warn\] [^\n]*answer not sent, the caller has its answer: result, answering id "$m->{message_id}"/),
       'the log says so');
};


# Each recipient of a message to a group answers once.  A recipient that has
# answered is not asked again, and the sender was told that it was taken.
subtest 'SEC-08 VCP-25 a service\'s late answer does not acknowledge' => sub {
    family(0);
    $service->clear;

    my ($dave) = streams('dave');
    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $m = alarm_of('critical', sender => name('dave'),
                     recipient => 'broadcast');
    my $asked = $client->begin('/service/events/vcp/late', jcs($m),
                               Authorization => bearer(who('dave')),
                               'Content-Type' => 'application/json');

    ok($service->wait_for(1), 'who is above all asks all');
    taken(ack('bob', $m, uri => '/service/vcp/taken'), 'one acknowledges it');
    spew($go, '');

    is($asked->answer->{json}{status}, 'accepted', 'it is answered');
    is_deeply([ids($dave, 1)], [], 'a second time is none');
    ok($nginx->wait_for(qr/reply-unmatched/), 'and is logged');
};


$nginx->stop;
$nginx = Parley::Nginx->start(workers => 1, http => http()
    =~ s/streams:8m/streams:1m share=100%/r
    =~ s/(?=server \{)/parley_retain count=1000 time=30s;\n/r);

# Returns whether the zone has no room.
sub is_full {
    my $event = aee(type => 'event', from => 'agent.' . who('dave'),
                    to => 'agent.' . who('bob'),
                    payload => { text => 'x' x $_[0] });

    return send_as('dave', $event)->{status} == 503;
}

subtest 'VCP-25 a service\'s acknowledgment finds no room' => sub {
    family(0);

    my $untold = 'parley_acknowledgments_untold_total';
    my $status = Parley::Status->new(port => port(1));
    my $m = alarm_of('critical');
    my $n = 0;

    # a service has 5 s, and most of the zone is full before

    $service->clear;
    1 while !is_full(24000) && $n++ < 1000;

    my $asked = Parley::Client->new(port => port(1), tls => 0)
                    ->begin('/service/aee/room', jcs($m),
                            Authorization => bearer(who('alice')),
                            'Content-Type' => 'application/json');

    ok($service->wait_for(1), 'the service has it');

    for my $size (4000, 1000, 10) {
        1 while !is_full($size) && $n++ < 1000;
    }

    ok(is_full(10), 'meanwhile the zone is full');
    is($status->metric($untold), 0);
    spew($full, '');

    my $answer = $asked->answer;

    like($answer->{json}{reply}{payload}{reason}, qr/^ACK:$m->{message_id} /,
         'who asked has it in the response') or diag $answer->{body};
    ok($nginx->wait_for(qr/\[warn\] [^\n]*answer not sent, it could not be stored as a message: acknowledgment, answering id "$m->{message_id}"/),
       'that it is no message is said');
    is($status->metric($untold), 1, 'and counted');
};

done_testing();
