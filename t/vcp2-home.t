# Both versions of VCP for messages that belong together.  An escalation and
# its acknowledgment come separately; streams of both versions read one
# message; claims have one name; emergencies are audited.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $client = Parley::Client->new(port => port(3), tls => 0);
my $log = tmp_dir() . '/audit.log';

$service->script('$c->answer(200, [], jcs({ status => "accepted", '
                 . 'message_id => $q->{json}{message_id} }))');

my $trusted = 'parley_trusted on; parley_jwt on;';

my $http = http_config(more => "parley_audit $log;");

# a subscriber needs a handle
spew(tmp_dir() . '/identities.json',
     jcs({ principals => [Parley::Matrix::principals()] }));

my $nginx = Parley::Nginx->start(http => $http
    . '    server { listen 127.0.0.1:' . port(3) . ";\n"
    . location('/to-12', "parley_accept vcp vcp2; parley_speak vcp; $trusted")
    . location('/to-20', "parley_accept vcp vcp2; parley_speak vcp2; $trusted")
    . location('/claimed', "parley_accept vcp2; $trusted "
                         . 'parley_claims vcp=vcp_name;')
    . "    location = /publish { $trusted parley_submit vcp vcp2; }\n"
    . "    location /in-12/ { $trusted parley_stream vcp; }\n"
    . "    location /in-20/ { $trusted parley_stream vcp2; }\n"
    . "    }\n");


sub sent { $client->raw(post(@_)) }


sub alarm_to_lead {
    return escalation(severity => 'critical', requires_ack => true());
}


# Returns lead's acknowledgment of the service's message.
sub ack_of {
    my ($m, $id) = @_;

    return { %$m, message_id => $id, sender => $m->{recipient},
             recipient => $m->{sender}, timestamp => timestamp(),
             payload => { severity => $m->{payload}{severity},
                          reason => "ACK:$m->{message_id} on it",
                          context => 'ctx|work', requires_ack => false() } };
}


subtest 'VCP-25 SEC-11 acknowledged in 1.2, delivered in 2.0' => sub {
    my $m = as_vcp2(alarm_to_lead());

    is(sent('/to-12', $m)->{status}, 200, 'the escalation');

    my $told = $service->last->{json};

    is($told->{vcp_message}, '1.2', 'the parent has it in 1.2');
    like($told->{message_id}, qr/^[0-9a-f]{8}-[0-9a-f]{4}-7/, 'by a UUIDv7');

    my $none = ack_of({ %$told, message_id => uuid7() }, uuid7());
    my $grave = ack_of({ %$told, payload => { severity => 'emergency' } },
                       uuid7());
    my $bob = { %{ ack_of($told, uuid7()) },
                sender => 'agent://ops.example/bob' };

    is(sent('/to-20', $none, as => 'lead')->{json}{code}, 'reply-unmatched',
       'of another escalation');
    is(sent('/to-20', $grave, as => 'lead')->{json}{code}, 'field-invalid',
       'of another severity');
    is(sent('/to-20', $bob, as => 'bob')->{json}{code}, 'reply-unmatched',
       'of who was not asked');
    is(sent('/to-20', ack_of($told, uuid7()), as => 'lead')->{status}, 200,
       'the acknowledgment');

    my $back = $service->last->{json};

    is($back->{vcp_message}, '2.0', 'the child has it in 2.0');
    is($back->{payload}{reason}, "ACK:$m->{message_id} on it",
       'of the id that it gave');
};


subtest 'VCP-25 SEC-11 acknowledged in 2.0, delivered in 1.2' => sub {
    my $m = alarm_to_lead();

    is(sent('/to-20', $m)->{status}, 200, 'the escalation');

    my $told = $service->last->{json};

    is($told->{vcp_message}, '2.0', 'the parent has it in 2.0');
    is($told->{message_id}, $m->{message_id}, 'by its own id');

    is(sent('/to-12', ack_of($told, uuid4()), as => 'lead')->{status}, 200,
       'the acknowledgment');

    my $back = $service->last->{json};

    is($back->{vcp_message}, '1.2', 'the child has it in 1.2');
    is($back->{payload}{reason}, "ACK:$m->{message_id} on it",
       'of the id that it gave');
    like($back->{message_id}, qr/^[0-9a-f]{8}-[0-9a-f]{4}-7/,
         'its own is a UUIDv7');
};


subtest 'ACH-14 a published message is read in both versions' => sub {
    my $old = listen_to('bob', port => port(3), uri => '/in-12/');
    my $new = listen_to('bob', port => port(3), uri => '/in-20/');

    is($_->status, 200, 'listens') for $old, $new;

    my $m = vcp2(session => 's-4', payload => {
        context => 'ctx|home', constitution_ref => 'creed://ops.example/a',
        personal_state => { energy => 7, mood => 'calm' } });

    is(sent('/publish', $m)->{status}, 200, 'published');

    my $in_new = $new->event->{json};
    my $in_old = $old->event->{json};

    is($in_new->{message_id}, $m->{message_id}, '2.0 as it came');
    is($in_new->{session}, 's-4', 'with what else it has');
    is($in_old->{vcp_message}, '1.2', '1.2 beside it');
    is_deeply($in_old->{payload}{personal_state}, { energy => 7 },
              'without what it cannot say');
};


subtest 'GW-03 a claim with the VCP name counts for 2.0' => sub {
    my $name = 'agent://ops.example/dora';
    my $m = jcs(vcp2(sender => $name));
    my $other = jcs(vcp2(sender => 'agent://ops.example/else'));

    is(sent('/claimed', $m, token => bearer('dora', vcp_name => $name))
           ->{status}, 200, 'hers');
    is(sent('/claimed', $other, token => bearer('dora', vcp_name => $name))
           ->{json}{code}, 'sender-identity-mismatch', 'and no other');
};


subtest 'VCP-26 an emergency in 2.0 suspends in both, and either resumes' => sub {
    my $code = sub { sent(@_)->{json}{code} // 'taken' };
    my $emergency = sub {
        return as_vcp2(escalation(severity => 'emergency',
                                  requires_ack => true()), @_);
    };
    my %to_alice = (sender => 'agent://ops.example/lead',
                    recipient => 'agent://ops.example/alice');

    is($code->('/to-12', $emergency->()), 'taken', 'an emergency');
    is($code->('/to-20', vcp2()), 'agent-suspended', '2.0 is held');
    is($code->('/to-20', vcp()), 'agent-suspended', 'and 1.2');
    is($code->('/to-20', $emergency->()), 'taken', 'an escalation passes');
    is($code->('/to-20', vcp2(%to_alice, recipient => 'broadcast'),
               as => 'lead'), 'taken', 'a broadcast of the parent');
    is($code->('/to-20', vcp2()), 'agent-suspended', 'resumes nobody');
    is($code->('/to-20', vcp2(%to_alice), as => 'lead'), 'taken',
       'a context of the parent');
    is($code->('/to-20', vcp2()), 'taken', 'does');

    is($code->('/to-20', escalation(severity => 'emergency',
                                    requires_ack => true())), 'taken',
       'an emergency in 1.2');
    is($code->('/to-12', vcp2()), 'agent-suspended', 'holds 2.0');
    is($code->('/to-12', as_vcp2(constraint()), as => 'lead'), 'taken',
       'a constraint in 2.0');
    is($code->('/to-12', vcp()), 'taken', 'resumes 1.2');
};


subtest 'VCP-29 an emergency in 2.0 has its payload in the audit log' => sub {
    my $m = as_vcp2(escalation(severity => 'emergency',
                               requires_ack => true()));

    is(sent('/to-12', $m)->{status}, 200, 'passed');

    my ($line) = grep { /\Q$m->{message_id}\E/ && /payload/ }
                      split /\n/, slurp($log);

    ok(defined $line, 'a line with its payload')
        and is_deeply(from_json(from_json($line)->{payload}), $m->{payload},
                      'the whole');
};


is($nginx->logged(qr/\[(?:alert|crit|emerg)\]/), 0, 'nothing went wrong');

done_testing();
