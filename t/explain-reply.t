# parley explain of a later reply: --answering gives the message that it
# answers.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(root tmp_dir slurp spew);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;
use Parley::Tool ();

my $dir = tmp_dir();


subtest 'GW-16 GW-27 SEC-08 a later reply, by --answering' => sub {
    spew("$dir/later.jwks", Parley::Message::jwks(Parley::Gateway::idp()));
    spew("$dir/handles.json", jcs({ principals => [
        map { { sub => $_, aee => "agent.$_", handle => "~$_",
                instrument => "~cc-$_" } } qw(alice bob) ] }));
    spew("$dir/later.conf", "events { }\nhttp {\nparley_zone a:1m;\n"
        . "parley_identities $dir/handles.json;\n"
        . "parley_jwks $dir/later.jwks;\n"
        . "server {\nparley_jwt on;\n"
        . 'location /ask { parley_accept aee channel; parley_speak channel; '
        . "proxy_pass http://u; }\n"
        . 'location /tell { parley_accept aee channel; parley_speak aee; '
        . "proxy_pass http://u; }\n"
        . 'location /tight { parley_accept aee channel; parley_speak aee; '
        . "parley_limits body=2k; proxy_pass http://u; }\n}\n}\n");

    my $explain = sub {
        my ($m, $location, $who, @words) = @_;
        my ($status, $out, $err) = Parley::Tool::tool({ in => $m }, 'explain', '--conf',
            "$dir/later.conf", '--location', $location, '--token',
            bearer($who), @words);
        return ($status, $out, $err);
    };

    my $task = jcs(aee(to => 'agent.bob', payload => { text => 'When?' },
                       id => 'task-0001'));
    my ($status, $query, $err) = $explain->($task, '/ask', 'alice');
    is($status, 0, 'a task is sent as a query') or return diag($err);
    ok(my $id = Parley::Tool::json($query)->{payload}{query_id},
       'which has an id');

    my $response = Parley::Tool::json(
        slurp(root() . '/t/cases/channel-to-aee/kind-agent-response/in.json'));
    @$response{qw(sender_handle acted_by drafted_with recipient_handle)}
        = ('~bob', '~bob', '~cc-bob', '~alice');
    $response->{created_at} = Parley::Message::timestamp();
    $response->{payload}{query_id} = $id;

    spew("$dir/task.json", $task);

    ($status, undef, $err)
        = $explain->(jcs($response), '/tell', 'bob',
                     '--answering', "$dir/task.json");
    is($status, 0, 'its answer is taken: the asker is listed') or diag($err);

    ($status) = $explain->(jcs($response), '/tell', 'bob',
                           '--answering', "$dir/task.json",
                           '--asker', 'carol');
    is($status, 1, 'not where another principal sent the task');

    ($status) = $explain->(jcs($response), '/tell', 'bob');
    is($status, 1, 'nor where nothing was sent');

    # the answered message passed elsewhere, within the limits of that place

    my $long = jcs(aee(to => 'agent.bob', id => 'task-0001',
                       payload => { text => 'When?' . ' ' x 4000 }));

    spew("$dir/task.json", $long);
    ($status, undef, $err)
        = $explain->(jcs($response), '/tight', 'bob',
                     '--answering', "$dir/task.json");
    is($status, 0, 'the answer to what would be too large here') or diag($err);
};


subtest 'GW-16 C2A-17 a call of a tool can be given with --answering' => sub {
    spew("$dir/call.conf", "events { }\nhttp {\nparley_zone a:1m;\n"
        . "parley_identities $dir/callers.json;\n"
        . "parley_jwks $dir/later.jwks;\n"
        . "server {\nparley_jwt on;\n"
        . 'location /ask { parley_accept c2a; parley_speak aee; '
        . "proxy_pass http://u; }\n"
        . 'location /tell { parley_accept aee c2a; parley_speak c2a; '
        . "proxy_pass http://u; }\n}\n}\n");
    spew("$dir/callers.json", jcs({ principals => [
        map { { sub => $_, aee => "agent.$_", c2a => "agent:$_" } }
        qw(alice bob) ] }));

    my $explain = sub {
        my ($m, $location, $who, @words) = @_;

        return Parley::Tool::tool({ in => jcs($m) }, 'explain', '--conf',
                                  "$dir/call.conf", '--location', $location,
                                  '--token', bearer($who), @words);
    };
    my $call = call('chat.send_message', target => 'agent:bob',
                    idempotencyKey => 'send-' . uuid4(), visibility => 'dm',
                    directedness => 'to_me', text => 'Is it blocked?');

    spew("$dir/call.json", jcs($call));

    my ($status, $out, $err) = $explain->($call, '/ask', 'alice');
    is($status, 0, 'a call is sent as a task') or return diag($err);

    my $sent = Parley::Tool::json($out);
    my $reply = aee(type => 'result', from => 'agent.bob', to => 'agent.alice',
                    reply_to => $sent->{id}, corr => $sent->{corr},
                    payload => { text => 'No.' });
    my @given = ('--answering', "$dir/call.json");

    ($status, $out, $err) = $explain->($reply, '/tell', 'bob', @given,
                                       '--asker', 'alice');
    is($status, 0, 'the answer is led to its caller') or diag($err);
    like($out, qr/"inReplyTo"/, 'and names what it answers');

    ($status) = $explain->($reply, '/tell', 'bob', @given, '--asker', 'bob');
    is($status, 1, "not where it was another's");
    ($status) = $explain->($reply, '/tell', 'bob');
    is($status, 1, 'nor where nothing was called');
};

done_testing;
