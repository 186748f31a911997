# A hub of only AEE, VCP or C2A needs no name of agent-channel.  A principal
# with a name in its protocol, by the identities or by claims, can receive,
# listen, resume, answer, delete and be on the roster by that name.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tmp_dir slurp);
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Upstream;
use Parley::Websocket;

my $vcp = 'parley_vcp_context ctx|hub;'
        . ' parley_vcp_constitution creed://a/b@1;';

# the forms of each protocol for the tests
my %protocols = (
    aee => {
        name => sub { ($_[0] =~ /^h/ ? 'human.' : 'agent.') . $_[0] },
        say => sub {
            my ($from, $to) = @_;

            return aee(type => 'event', from => $from, to => $to);
        },
        ask => sub {
            my ($from, $to) = @_;

            return aee(from => $from, to => $to);
        },
        answer => sub { result($_[0]) },
        id => sub { $_[0]{id} },
        answers => sub { $_[0]{reply_to} },
        group => 'bus.acme',
    },
    vcp => {
        name => sub {
            $_[0] =~ /^h/ ? "human://$_[0]" : "agent://ops.example/$_[0]";
        },
        say => sub {
            my ($from, $to) = @_;

            return vcp(sender => $from, recipient => $to);
        },
        ask => sub {
            my ($from, $to) = @_;

            return with(escalation(requires_ack => \1),
                        sender => $from, recipient => $to);
        },
        answer => sub {
            my $m = shift;

            return with(escalation(reason => "ACK:$m->{message_id}"),
                        sender => $m->{recipient}, recipient => $m->{sender});
        },
        id => sub { $_[0]{message_id} },
        answers => sub { $_[0]{payload}{reason} =~ s/^ACK://r },
        group => 'broadcast',
        more => $vcp,
    },
    c2a => {
        name => sub { ($_[0] =~ /^h/ ? 'human:' : 'agent:') . $_[0] },
        say => sub {
            my ($from, $to) = @_;

            return Parley::Matrix::say(sender => $from, target => {
                $to eq 'acme' ? (kind => 'channel', id => $to)
                : (kind => 'dm', id => uuid4(), recipient => $to) });
        },
        answer => sub {
            my $m = shift;
            my $call = $m->{params}{arguments};

            return Parley::Matrix::say(
                inReplyTo => $call->{idempotencyKey},
                sender => $call->{target}{recipient}, text => 'yes',
                target => { kind => 'dm', id => $call->{target}{id},
                            recipient => $call->{sender} });
        },
        id => sub { $_[0]{params}{arguments}{idempotencyKey} },
        answers => sub { $_[0]{params}{arguments}{inReplyTo} },
        group => 'acme',
    },
);

$protocols{c2a}{ask} = $protocols{c2a}{say};

my $peer = Parley::Upstream->start(port(2), '$c->take', tls => 1);
my $url = 'https://127.0.0.1:' . port(2);


# a and b are listed by their names in these protocols.  up is the parent of a,
# and top the parent of up.  pat has a URL, and hugo is a human.  mo and no are
# not members.
sub principals {
    my @protos = @_;

    return [map {
        my $who = $_;

        { sub => $who, (map { $_ => $protocols{$_}{name}->($who) } @protos),
          $who =~ /o$/ ? () : (orgs => ['~acme']),
          $who =~ /^(?:a|b|pat|hugo|mo)$/ ? (parent => 'up')
          : $who eq 'up' ? (parent => 'top') : (),
          $who eq 'pat' ? (deliver => "$url/pat") : () }
    } qw(a b up top pat hugo mo no)];
}

sub locations {
    my @protos = @_;

    return join '', map {
        my $more = $protocols{$_}{more} // '';
        my $name = $protocols{$_}{name}->('b');

        <<"EOT" } @protos;
        location = /$_/in { parley_jwt on; parley_submit $_ hold=5s; $more }
        location = /$_/now { parley_jwt on; parley_submit $_ hold=off; $more }
        location = /$_/deny { parley_jwt on; parley_submit $_ hold=1s; $more
                              parley_deny to=$name;
                              parley_allow principal=**; }
        location /$_/stream/ { parley_jwt on; parley_stream $_; $more }
        location /$_/ws { parley_jwt on; parley_websocket $_; $more }
        location /$_/roster/ { parley_jwt on; parley_roster $_; }
EOT
}

# Starts the hub; channel: with locations of agent-channel.
sub hub {
    my ($principals, $channel, @protos) = @_;

    my $http = streams_http(
        zone => 'hub:16m', locations => locations(@protos) . deliver_location(),
        identities => jcs({ principals => $principals }),
        more => <<"EOT");
    parley_retain count=1000 time=1h;
    parley_deliver /_deliver hosts=127.0.0.1:@{[port(2)]};
    parley_claims aee=aee vcp=vcp c2a=c2a handle=handle;
EOT

    $http =~ s/location =? ?\/channel\/\w+ \{.*?\}//gs if !$channel;

    return Parley::Nginx->start(workers => 2, http => $http);
}

sub post_as {
    my ($who, $proto, $m, %o) = @_;

    return submit($m, as => $who, uri => "/$proto/" . ($o{to} // 'in'),
                  token => $o{token});
}

sub stream_of {
    my ($who, $proto, %o) = @_;

    return listen_to($who, uri => "/$proto/stream/" . (delete $o{of} // ''),
                     session => 's1', %o);
}

sub taken {
    my ($answer, $name) = @_;

    like($answer->{status}, qr/^20[02]$/, $name) or diag $answer->{body};
}

sub refused {
    my ($answer, $status, $says, $name) = @_;

    like("$answer->{status} $answer->{body}", qr/^(?:$status) .*$says/s, $name);
    unlike($answer->{body}, qr/agent-channel|handle|~|drafted|acted_by/,
           "$name: nothing of agent-channel");
}

# Returns the answer to a message that a reader of a protocol got.
sub answer_to {
    my ($proto, $m) = @_;

    my $told = $m->{params};

    return $protocols{$proto}{answer}->($m)
        if $proto ne 'c2a' || !$told->{eventId};

    return Parley::Matrix::say(inReplyTo => $told->{eventId}, text => 'yes',
        target => { kind => 'dm', id => $told->{conversation}{id} });
}

sub next_id {
    my ($proto, $from, $seconds) = @_;

    my $m = $from->can('messages') ? ($from->message($seconds // 10) // {})
                                   : ($from->event($seconds // 10) // {});

    return defined $m->{json} ? $protocols{$proto}{id}->($m->{json})
                              : $m->{event} // 'nothing';
}


for my $proto (sort keys %protocols) {
    my $p = $protocols{$proto};
    my $nginx = hub(principals($proto), 0, $proto);
    my ($a, $b, $up) = map { $p->{name}->($_) } qw(a b up);

    subtest "HUB-06 $proto: by a stream" => sub {
        my $stream = stream_of('b', $proto);

        is($stream->status, 200, 'own') or diag $stream->answer->{body}, return;

        my $m = $p->{say}->($a, $b);

        taken(post_as('a', $proto, $m), 'sent');

        my $event = $stream->event;

        is(jcs($event->{json}), jcs($m), 'as it was sent');

        $stream->leave;

        my @missed = map { $p->{say}->($a, $b) } 1 .. 3;

        taken(post_as('a', $proto, $_), 'while it is away') for @missed;

        $stream = stream_of('b', $proto, last => $event->{id}, of => $b);

        is_deeply([map { next_id($proto, $stream) } @missed],
                  [map { $p->{id}->($_) } @missed], 'resumed, by its name');

        my $other = stream_of('a', $proto, of => $b);

        is($other->status, 403, "another's is not opened");
        refused($other->answer, 403, 'scope-unauthorised|', "another's");
        $stream->leave;
    };

    subtest "HUB-06 $proto: by a WebSocket" => sub {
        my %of = map { $_ => websocket($_, uri => "/$proto/ws",
                                       session => "w-$_") } qw(a b);

        is($of{$_}->status, 101, $_) or diag $of{$_}->answer->{body}
            for qw(a b);

        my $m = $p->{say}->($a, $b);

        $of{a}->text(jcs($m));

        is(next_id($proto, $of{b}), $p->{id}->($m), 'sent');

        my $back = $p->{say}->($b, $a);

        $of{b}->text(jcs($back));

        my $got = '';

        for (1 .. 3) {
            $got = next_id($proto, $of{a}) // '';
            last if $got eq $p->{id}->($back);
        }

        is($got, $p->{id}->($back), 'and back');
        $_->leave for values %of;
    };

    subtest "HUB-07 $proto: a question" => sub {
        my ($from, $to) = $proto eq 'vcp' ? ('a', 'up') : ('a', 'b');
        my ($asker, $asked) = map { $p->{name}->($_) } $from, $to;
        my $stream = stream_of($to, $proto);
        my $own = stream_of($from, $proto);
        my $m = $p->{ask}->($asker, $asked);

        taken(post_as($from, $proto, $m, to => 'now'), 'asked');
        is(next_id($proto, $stream), $p->{id}->($m), 'read');
        taken(post_as($to, $proto, $p->{answer}->($m)), 'answered');

        my $event = $own->event;

        is($p->{answers}->($event->{json}), $p->{id}->($m), 'heard');
        refused(post_as($to, $proto, $p->{answer}->($m)), '4..', '',
                'once');
        refused(post_as('no', $proto, with($p->{answer}->($m),
            $proto eq 'aee' ? (from => $p->{name}->('no'))
            : $proto eq 'vcp' ? (sender => $p->{name}->('no'))
            : ('params/arguments/sender' => $p->{name}->('no')))), '4..', '',
                'by the one who was asked');

        $own->leave;
        $stream->leave;

        if ($proto eq 'aee') {
            refused(post_as($from, $proto, $p->{ask}->($asker, $asked),
                            to => 'now'), 503, 'no open stream',
                    'whose answer could not come');
        }
    };

    subtest "ACH-25 $proto: the roster" => sub {
        my $stream = stream_of('b', $proto);
        my $client = Parley::Client->new(port => port(1), tls => 0);
        my $answer = $client->get("/$proto/roster/",
                                  Authorization => bearer('b'));

        is($answer->{status}, 200, 'own') or diag $answer->{body};

        my $roster = from_json($answer->{body});

        is($roster->{count}, 1);
        is($roster->{name}, $b);
        is($roster->{sessions}[0]{session}, 's1');
        is($client->get("/$proto/roster/$b",
                        Authorization => bearer('b'))->{body},
           $answer->{body}, 'by its name');
        refused($client->get("/$proto/roster/$b",
                             Authorization => bearer('a')), 403, '',
                "another's");
        $stream->leave;
    };

    subtest "ACH-28 $proto: a retained message is deleted" => sub {
        my $stream = stream_of('mo', $proto);
        my $from = $stream->opened->{id};
        my $mo = $p->{name}->('mo');
        my @sent = map { $p->{say}->($a, $mo) } 1 .. 2;

        taken(post_as('a', $proto, $_), 'sent') for @sent;
        $stream->leave;

        my $answer = Parley::Client->new(port => port(1), tls => 0)->send(
            'DELETE', "/$proto/stream/?id=" . $p->{id}->($sent[0]), '',
            Authorization => bearer('mo'));

        is($answer->{status}, 200) or diag $answer->{body};
        is_deeply(from_json($answer->{body}), { name => $mo, erased => 1 });

        $stream = stream_of('mo', $proto, last => $from);
        is(next_id($proto, $stream), $p->{id}->($sent[1]), 'the other is left');
        $stream->leave;
    };

    subtest "HUB-06 $proto: a group" => sub {
        my %of = map { $_ => stream_of($_, $proto) } qw(b no);
        my $m = $p->{say}->($a, $p->{group});

        taken(post_as('a', $proto, $m), 'to its members');
        is(next_id($proto, $of{b}), $p->{id}->($m), 'one of them');
        is(next_id($proto, $of{no}, 0.3), 'nothing', 'another');

        if ($proto ne 'vcp') {
            refused(post_as('no', $proto, $p->{say}->($p->{name}->('no'),
                                                      $p->{group})),
                    403, '', 'no member');
        }

        taken(post_as('a', $proto, $p->{say}->($a, $p->{group}),
                      to => 'deny'), 'where a rule denies one');
        is(next_id($proto, $of{b}, 0.3), 'nothing', 'which is left out');
        refused(post_as('a', $proto, $p->{say}->($a, $b), to => 'deny'), 403,
                'policy-refused|E_POLICY_REFUSED', 'by its name');

        $_->leave for values %of;
    };

    $proto eq 'vcp' and subtest 'VCP-24 what is not acknowledged goes up' =>
    sub {
        my $top = stream_of('top', $proto);
        my $m = with($p->{ask}->($a, $up), 'payload/severity' => 'critical');

        taken(post_as('a', $proto, $m, to => 'now'), 'to the parent');
        is(next_id($proto, $top, 10), $m->{message_id}, 'to its parent');
        taken(post_as('top', $proto, with($p->{answer}->($m),
            sender => $p->{name}->('top'), 'payload/severity' => 'critical')),
            'which acknowledges it');
        $top->leave;
    };

    subtest "VCP-21 $proto: by a URL" => sub {
        my $m = $p->{say}->($a, $p->{name}->('pat'));
        my $id = $p->{id}->($m);
        my $until = time + 10;
        my @got;

        taken(post_as('a', $proto, $m), 'sent');

        sleep 0.02 while !(@got = grep { index($_->{body}, $id) >= 0 }
                               $peer->requests) && time < $until;

        is(scalar @got, 1, 'posted');
        is(jcs($got[0]{json}), jcs($m), 'as it was sent');
    };

    subtest "SEC-21 $proto: by claims" => sub {
        my $cleo = $p->{name}->('cleo');
        my $token = bearer('cleo', $proto => $cleo);
        my $stream = stream_of('cleo', $proto, token => $token);

        is($stream->status, 200) or diag $stream->answer->{body};

        my $m = $p->{say}->($a, $cleo);

        taken(post_as('a', $proto, $m), 'to it');
        is(next_id($proto, $stream), $p->{id}->($m), 'read');
        taken(post_as('cleo', $proto, $p->{say}->($cleo, $b),
                      token => $token), 'from it');
        $stream->leave;

        for my $claims ({ $proto => $b },
                        { aee => $proto eq 'vcp' ? 'agent.b@ops.example'
                                                 : 'agent.b' },
                        { c2a => $proto eq 'vcp' ? 'agent:b@ops.example'
                                                 : 'agent:b' })
        {
            $stream = stream_of('thief', $proto, session => 'theirs',
                                token => bearer('thief', %$claims));
            like($stream->status, qr/^40[13]$/,
                 "not by the claim of another's name");
        }

        if ($proto ne 'vcp') {
            isnt(stream_of('agent.b', $proto, session => 'theirs')->status,
                 200, 'not by a sub that is the name');
        }

        for my $handle ('~b', '~agent', '~cc-b', '~a') {
            $stream = stream_of('thief', $proto, session => 'theirs',
                                token => bearer('thief', handle => $handle));
            next if $stream->status != 200;

            my $m = $p->{say}->($a, $b);

            taken(post_as('a', $proto, $m), 'sent');
            is(next_id($proto, $stream, 0.3), 'nothing',
               "no handle is another's name: $handle");
            $stream->leave;
        }
    };

    unlike($nginx->error_log, qr/agent-channel|handle/,
           "$proto: the log has nothing of agent-channel");

    $nginx->stop;
}

# A question in one protocol is answered in another, with and without locations
# of agent-channel.
for my $channel (0, 1) {
    my @protos = sort keys %protocols;
    my @principals = (@{ principals(@protos) },
                      { sub => 'cc', handle => '~cc-c', human => '~hugo' });
    my $nginx = hub(\@principals, $channel, @protos);
    my $beside = $channel ? ', beside agent-channel' : '';

    for my $from (@protos) {
        for my $to (grep { $_ ne $from } @protos) {
            my $p = $protocols{$from};

            # VCP has no equivalent for a chat
            next if "$from $to" eq 'c2a vcp';

            subtest "HUB-06 HUB-07 $from to $to$beside" => sub {
                my ($asker, $asked) = map { $p->{name}->($_) } 'a', 'up';
                my $stream = stream_of('up', $to);
                my $own = stream_of('a', $from);
                my $m = with($p->{say}->($asker, $asked), %{
                    $to eq 'vcp' ? { intent => 'vcp.escalation', payload => {
                        severity => 'warning', reason => 'disk is full',
                        context => 'ctx|work', requires_ack => false() } }
                    : {} });

                taken(post_as('a', $from, $m), 'sent');
                ok($stream->event(10), 'read');

                $m = with($p->{ask}->($asker, $asked), %{
                    $to eq 'vcp' ? { intent => 'vcp.escalation', payload => {
                        %{ $m->{payload} }, requires_ack => true() } } : {} });
                taken(post_as('a', $from, $m, to => 'now'), 'asked');

                my $read = ($stream->event(10) // {})->{json};

                ok($read, 'the question is read') or return;

                taken(post_as('up', $to, answer_to($to, $read)), 'answered');
                ok($own->event(10), 'the answer is heard');
                $_->leave for $own, $stream;
            };
        }
    }

    subtest "SEC-06 a human's approval stays a human's$beside" => sub {
        my $own = stream_of('a', 'aee');

        for my $case (['hugo', 'human.hugo', 1], ['b', 'agent.b', 0]) {
            my ($who, $name, $may) = @$case;
            my $stream = stream_of($who, 'c2a');
            my $m = aee(from => 'agent.a', to => $name,
                        requires => { human_approval => \1 });

            taken(post_as('a', 'aee', $m, to => 'now'), "$who is asked");

            my $read = ($stream->event(10) // {})->{json};

            ok($read, 'read');
            taken(post_as($who, 'c2a', Parley::Matrix::react('agree',
                inReplyTo => $read->{params}{eventId}
                             // $read->{params}{arguments}{idempotencyKey})),
                  'agreed');

            my $got = ($own->event(10) // {})->{json} // {};

            is($got->{from}, $name, 'told as its word');
            is($got->{corr}, $m->{corr});
            is(!!$got->{payload}{approved}, !!$may,
               $may ? 'which approves' : 'which does not approve');
            $stream->leave;
        }

        $own->leave;
    };

    $channel and subtest 'HUB-06 who reads frames alone is not told what is'
                         . ' none' => sub {
        my $frames = listen_to('cc', of => '~cc-c');

        is($frames->status, 200) or diag $frames->answer->{body};

        my $refused = post_as('a', 'aee', aee(type => 'event',
            from => 'agent.a', to => 'agent.cc-c'));

        is($refused->{status}, 422, 'the sender has no handle');
        is($frames->event(0.3), undef, 'and nothing comes');
        taken(post_as('hugo', 'aee', aee(type => 'event',
            from => 'human.hugo', to => 'agent.cc-c')), 'one that has');
        is($frames->event(10)->{json}{sender_handle}, '~hugo', 'is read');
        $frames->leave;
    };

    $nginx->stop;
}


# Readers of one protocol only by WebSocket.  human.hugo and human.mo could be
# the parties of a frame.
for my $case (['aee', 202], ['vcp', 422], ['channel', 422]) {
    my ($proto, $status) = @$case;
    my $more = $protocols{$proto}{more} // '';
    my $http = streams_http(
        identities => jcs({ principals => [
            { sub => 'hugo', aee => 'human.hugo' },
            { sub => 'mo', aee => 'human.mo' } ] }),
        locations => <<"EOT");
        location = /in { parley_jwt on; parley_submit aee; parley_loss reject; }
        location = /ws { parley_jwt on; parley_websocket $proto; $more }
EOT

    $http =~ s/location =? ?\/channel\/\w+ \{.*?\}//gs;

    my $nginx = Parley::Nginx->start(http => $http);

    subtest "HUB-06 a message without loss in no frame, to $proto" => sub {
        my $reader = websocket('mo', uri => '/ws', session => 's1');
        my $m = aee(type => 'event', from => 'human.hugo', to => 'human.mo',
                    x_tenant => 'acme');
        my $answer = submit($m, as => 'hugo', uri => '/in');

        is($reader->status, 101) or diag $reader->answer->{body};
        is($answer->{status}, $status) or diag $answer->{body};

        my $got = ($reader->message($status == 202 ? 10 : 0.3) // {})->{json};

        is($got ? jcs($got) : 'nothing', $status == 202 ? jcs($m) : 'nothing');
        $reader->leave;
    };

    $nginx->stop;
}


# A handle that is too long after "~cc-".
{
    my $long = '~' . join '', 'a' .. 'z', 'abcdef';
    my $cut = '~cc-' . substr $long, 1, 29;
    my $nginx = Parley::Nginx->start(http => streams_http(
        submit => 'aee channel', identities => jcs({ principals => [
            { sub => 'long', handle => $long }, { sub => 'bob',
              handle => '~bob' } ] }),
        locations => "location /mcp { parley_jwt on; parley_mcp channel; }"));

    subtest 'ACH-10 the instrument of a handle with 32 characters' => sub {
        my $bob = listen_to('bob');

        taken(submit(aee(type => 'event', from => 'human.' . substr($long, 1),
                         to => 'human.bob'), as => 'long'), 'by AEE');

        my $frame = ($bob->event // {})->{json};

        is($frame->{drafted_with}, $cut, 'is cut');

        taken(submit(frame('long', 'bob', sender_handle => $long,
                           acted_by => $long,
                           drafted_with => "$cut\@2"),
                     as => 'long'), 'and comes in a frame');
        is(($bob->event // {})->{json}{sender_handle}, $long);

        is(submit(frame('long', 'bob', sender_handle => $long,
                        acted_by => $long, drafted_with => '~cc-bob'),
                  as => 'long')->{status}, 403, "another's does not");
        $bob->leave;
    };

    $nginx->stop;
}


done_testing;
