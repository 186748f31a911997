# Refusals of an escalation: a refusal does not acknowledge it (VCP-24), and
# must come from the recipient (VCP-30).  Each case has its own family, as in
# t/escalate.t.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Family;
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Together;

use constant FAMILIES => 8;

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals =>
                            [map { family_principals($_) } 1 .. FAMILIES] }),
    more => 'parley_retain count=100 time=1h;',
    locations => <<'EOT'));
        location = /in { parley_jwt on; parley_submit vcp aee c2a channel; }
        location = /held { parley_jwt on; parley_submit vcp hold=4s; }
        location /vcp/ { parley_jwt on; parley_stream vcp; }
        location /aee/ { parley_jwt on; parley_stream aee; }
EOT


# cases that wait together, each in its own family
my ($families, @cases) = (0);

sub case {
    my ($name, $code) = @_;

    my $number = ++$families;
    push @cases, $name, sub { family($number); $code->() };
}


# Begins a request of alice that is held.
sub holds {
    return Parley::Client->new(port => port(1), tls => 0)
               ->begin('/held', jcs($_[0]), Authorization => bearer(who('alice')),
                       'Content-Type' => 'application/json');
}


case 'VCP-24 a refusal of the parent does not acknowledge' => sub {
    my ($carol) = streams('carol');
    my $aee = listens('bob', uri => '/aee/');
    my $m = alarm_of('critical');

    says($m);

    my $task = $aee->event(10)->{json};

    is($task->{type}, 'task', 'to a parent that speaks AEE it is a task');
    send_as('bob', failure($task));
    is_deeply([ids($carol, 7)], [$m->{message_id}], 'it goes up');
    taken(ack('carol', $m), 'and is acknowledged there');
};

case 'VCP-24 HUB-07 a held sender is told of a refusal' => sub {
    my ($alice, $carol) = streams(qw(alice carol));
    my $aee = listens('bob', uri => '/aee/');
    my $m = alarm_of('critical');
    my $asked = holds($m);

    taken(send_as('bob', failure($aee->event(10)->{json})), 'bob refuses');

    my $answer = $asked->answer->{json};

    is($answer->{status}, 'rejected', 'the child is told so');
    is($answer->{code}, 'E_BROKEN');
    is_deeply([ids($carol, 7)], [$m->{message_id}], 'it goes up');
    taken(ack('carol', $m), 'and is acknowledged there');
    is_deeply([map { $_->{json}{payload}{reason} } $alice->event(10)],
              ["ACK:$m->{message_id}"], 'which is what comes to the child');
};

# the decision when the escalation comes holds for both of its recipients
case 'VCP-24 VCP-30 a principal that was not asked yet can neither acknowledge nor refuse' =>
sub {
    my ($alice, $carol, $dave) = streams(qw(alice carol dave));
    my $aee = listens('bob', uri => '/aee/');
    my $m = alarm_of('critical');

    says($m);

    # the principal above knows the parent's message too
    my $task = $aee->event(10)->{json};

    my $refused = sub {
        my ($who, $what) = @_;

        for my $answer (ack($who, $m), map {
            send_as($who, $_->($task, from => who("agent.$who")))
        } sub { result(@_) }, sub { with(failure($_[0]), @_[1 .. $#_]) })
        {
            is($answer->{status}, 409, $what);
            like($answer->{body}, qr/reply-unmatched|E_REPLY_UNMATCHED/);
        }
    };

    $refused->('carol', 'not carol before bob had his time');
    is_deeply([ids($carol, 7)], [$m->{message_id}], 'it goes up to her');
    $refused->('dave', 'not dave before carol had hers');
    taken(ack('carol', $m), 'who was asked acknowledges it');
    is_deeply([map { $_->{json}{sender} } $alice->event(10)], [name('carol')],
              'the child has that alone');
    is_deeply([ids($dave, 5.5)], [], 'and it ends');
};

case 'VCP-27 VCP-30 for an emergency the grandparent can acknowledge at once' =>
sub {
    my ($carol) = streams('carol');
    my $m = alarm_of('emergency');

    says($m);
    is_deeply([ids($carol, 2)], [$m->{message_id}], 'she is asked');
    is(ack('dave', $m)->{status}, 409, 'dave is not');
    taken(ack('carol', $m), 'she acknowledges it');
};

case 'SEC-08 HUB-07 a refusal with another correlation is ignored' => sub {
    my ($carol) = streams('carol');
    my $aee = listens('bob', uri => '/aee/');
    my $m = alarm_of('critical');
    my $asked = holds($m);
    my $task = $aee->event(10)->{json};

    for my $answer (failure($task), result($task)) {
        my $wrong = send_as('bob', with($answer, corr => uuid4()));

        is($wrong->{status}, 409, "a wrong $answer->{type} is refused");
        is($wrong->{json}{payload}{code}, 'E_REPLY_UNMATCHED');
        is($wrong->{json}{payload}{field}, '/corr', 'it is said where');
    }

    taken(send_as('bob', failure($task)), 'bob refuses');

    my $answer = $asked->answer->{json};

    is($answer->{status}, 'rejected', 'the child is told of that alone');
    is_deeply([ids($carol, 7)], [$m->{message_id}], 'it goes up');
    taken(ack('carol', $m), 'and is acknowledged there');
};

case 'VCP-24 GW-10 the refusing principal is told if the child reads only VCP' =>
sub {
    my ($alice, $carol) = streams(qw(alice carol));
    my ($bob, $hers) = map { listens($_, uri => '/aee/') } qw(bob carol);
    my $m = alarm_of('critical');
    my $told = sub {
        my $answer = shift->{json}{payload};

        is($answer->{code}, 'E_TRANSLATION_UNSUPPORTED', 'there is no form');
        is($answer->{field}, '/type', 'of an error');
        like($answer->{message}, qr/refusal to its child/, 'to a child');
    };

    says($m);
    $told->(send_as('bob', failure($bob->event(10)->{json})));
    is_deeply([ids($carol, 7)], [$m->{message_id}], 'it goes up');
    $told->(send_as('carol', with(failure($hers->event(10)->{json}),
                                  from => who('agent.carol'))));
    taken(ack('carol', $m), 'and is acknowledged there');
};

case 'VCP-25 VCP-24 an acknowledgment has a context, its own or the operator\'s'
=> sub {
    my ($alice, $carol) = streams(qw(alice carol));
    my $bob = listens('bob', uri => '/aee/');
    my $m = alarm_of('critical');

    says($m);

    my $task = $bob->event(10)->{json};
    my $answer = send_as('bob', result($task))->{json}{payload};

    is($answer->{code}, 'E_TRANSLATION_UNSUPPORTED', 'without one it is none');
    is($answer->{field}, '/payload/context');
    taken(send_as('bob', result($task, payload => {
        text => 'on it', context => 'ctx|seen' })), 'with one it is');
    is($alice->event(5)->{json}{payload}{context}, 'ctx|seen',
       'the child has it');
    is_deeply([ids($carol, 5.5)], [], 'and nothing goes up');
};

together(@cases);

done_testing();
