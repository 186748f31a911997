# C2A-38: rules for a chat surface and for the authors of its events, and the
# messages that readers of the hub get.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep);

use Parley::Client;
use Parley::Env qw(port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Streams;
use Parley::Surface;
use Parley::Websocket qw(websocket);

my $dir = tmp_dir();
my $client = Parley::Client->new(port => port(4));
my ($nginx, $service) = surfaces(capped => 1);


subtest 'C2A-38: rules apply to the surface and the author' => sub {
    is(code('/role', event()), 'ok', 'a role of the surface');
    is(code('/role', event(source => ['web', 'main.site']), as => 'webchat'),
       'policy-refused', 'a surface without it');

    is(code('/staff', event(id => 'UANN')), 'ok', 'a role of the author');
    is(code('/staff', event()), 'policy-refused', 'an author without it');
    is(code('/ann', event(id => 'UANN')), 'ok', 'principal= of the author');
    is(code('/ann', event()), 'policy-refused', 'another author');

    is(code('/denied', event()), 'ok');
    refused('a denied author', event(id => 'UANN'), uri => '/denied',
            code => 'policy-refused');
    refused('one that is not listed', event(id => 'UBAD'), uri => '/denied',
            code => 'policy-refused');
    refused('any of a workspace', event(source => ['slack', 'T9']),
            uri => '/denied', code => 'policy-refused');
    is(code('/denied', event(source => ['slack', 'T9'], kind => 'bot')), 'ok',
       'but for bots');
    refused('a denied surface', event(source => ['web', 'main.site']),
            as => 'webchat', uri => '/denied', code => 'policy-refused');
};


subtest 'C2A-38: max_priority of the surface and of the author' => sub {
    my $urgent = { attention => { policy => 'may_respond',
                                  priority => 'urgent' } };

    for my $of ([x => 'normal', 'the surface'], [calm => 'low', 'the author'],
                [ann => 'normal', 'the surface of a listed account'])
    {
        my ($id, $priority, $whose) = @$of;

        is(got('/c2a', event(id => $id, source => ['irc', 'net'],
                             params => $urgent), as => 'low')
           ->{params}{attention}{priority}, $priority, "that of $whose");
    }
};


subtest 'C2A-38: a rate counts for the surface and the author' => sub {
    my $web = sub { event(@_, source => ['web', 'main.site']) };

    is(code('/rate', event(id => 'UANN')), 'ok', 'ann by one surface');
    is(code('/rate', event(id => 'UANN')), 'ok');
    is(code('/rate', $web->(id => 'ann'), as => 'webchat'), 'ok',
       'and by another');
    is(code('/rate', $web->(id => 'ann'), as => 'webchat'), 'rate-limited',
       'the author has no more');
    is(code('/rate', $web->(id => 'eve'), as => 'webchat'), 'ok',
       'another author has');
    is(code('/rate', $web->(id => 'mia'), as => 'webchat'), 'rate-limited',
       'the surface has no more');
};


# Suspends the sub by an emergency of its own.
sub suspend {
    my ($sub) = @_;

    my $m = escalation(severity => 'emergency', requires_ack => true);

    $m = sign_vcp({ %$m, sender => person($sub)->{vcp},
                    recipient => 'human://boss' }, person($sub)->{key});

    my $answer = $client->post('/vcp', jcs($m));

    is($answer->{status}, 200, "$sub is suspended") or diag($answer->{body});
}


subtest 'C2A-38: a suspended author or surface' => sub {
    is(code('/aee', event(id => 'BBOT', kind => 'bot')), 'ok');
    suspend('bot');
    refused('the author', event(id => 'BBOT', kind => 'bot'),
            code => 'agent-suspended');
    is(code('/aee', event()), 'ok', 'another author');

    my $stopped = sub { event(source => ['stopped', 'T1'], @_) };

    is(code('/aee', $stopped->(), as => 'stopped'), 'ok');

    suspend('stopped');
    refused('the surface', $stopped->(), as => 'stopped',
            code => 'agent-suspended');
};


sub revoke {
    spew("$dir/revocations.new", jcs({ principals => [@_], kids => [],
                                       tokens => [] }));
    rename "$dir/revocations.new", "$dir/revocations.json" or die $!;
}


# Waits until an event has this code.
sub becomes {
    my ($what, $code, %o) = @_;

    my $got;

    for (1 .. 60) {
        $got = code('/aee', event(%o));
        last if $got eq $code;
        sleep 0.1;
    }

    is($got, $code, $what);
}


subtest 'C2A-38: a revoked author or surface' => sub {
    revoke('ann');
    becomes('a listed author', 'policy-refused', id => 'UANN');
    is(code('/aee', event()), 'ok', 'another one');

    revoke('human:slack.T123.U9');
    becomes('an author that is not listed', 'policy-refused');
    is(code('/aee', event(id => 'UANN')), 'ok');

    revoke('slackbot');
    becomes('the surface', 'token-invalid');

    revoke();
    becomes('none', 'ok');
};


subtest 'C2A-38: the log names both' => sub {
    is(code('/denied', event(id => 'UBAD')), 'policy-refused');

    my $name = qr/"human:slack\.T123\.UBAD"/;
    my $id = last_event();

    ok($nginx->wait_for(qr/parley: refused, policy-refused: .* principal $name, surface "slackbot", from $name, .* id "$id"/));
};


# Waits for a line of the access log, which is written after the answer.
sub logs {
    my ($line, $what) = @_;

    for (1 .. 50) {
        last if slurp("$dir/who.log") =~ $line;
        sleep 0.1;
    }

    like(slurp("$dir/who.log"), $line, $what);
}


subtest 'C2A-38: variables name both' => sub {
    is(code('/c2a', event()), 'ok');
    logs(qr/^human:slack\.T123\.U9 slackbot @{[last_event()]}$/m, 'a surface');

    is(code('/claims', event(author => { id => 'zed', kind => 'agent' }),
            as => 'zed'), 'ok');
    logs(qr/^zed - @{[last_event()]}$/m, 'nobody else');
};


subtest 'C2A-38: a dry run changes nothing' => sub {
    my $event = event();

    is_deeply(got('/dry', $event), $event);
};


# ---- the hub

sub reader {
    my ($who, $protocol, $name) = @_;

    return listen_to($who, port => port(4), tls => 1,
                     uri => "/$protocol-stream/$name");
}


subtest 'C2A-38: one WebSocket delivers for several authors' => sub {
    my $reader = reader('aee-reader', 'aee', 'agent.aee-reader');
    my $surface = websocket('slackbot', uri => '/ws', port => port(4), tls => 1);

    is($surface->status, 101);

    for my $of (['UANN', 'human', 'human.ann'], ['UBOSS', 'human', 'human.boss'],
                ['UANN', 'human', 'human.ann'])
    {
        my ($id, $kind, $name) = @$of;

        $surface->text(jcs(event(id => $id, kind => $kind,
                                 to => 'agent:aee-reader')));
        is($reader->event->{json}{from}, $name);
    }

    $_->leave for $reader, $surface;
};


# accounts, with their names in C2A and in AEE
my @accounts = (['UANN', 'ann', 'human.ann', 'a listed one'],
                ['U9', 'slack.T123.U9', 'human.slack.T123.U9', 'another']);

for my $of (@accounts) {
    my ($id, $name, $aee_name, $what) = @$of;

    subtest "C2A-38: readers get the author, $what" => sub {
        my $c2a = reader('reader', 'c2a', 'agent:reader');
        my $aee = reader('aee-reader', 'aee', 'agent.aee-reader');

        is(code('/hub', event(id => $id)), 'ok', 'for a reader of C2A');

        my $event = $c2a->event->{json} // {};

        is_deeply($event->{params}{author}, { id => $name, kind => 'human' });
        is_deeply($event->{params}{source}, { platform => 'slack',
                                              workspaceId => 'T123' });

        is(code('/hub', event(id => $id, to => 'agent:aee-reader')), 'ok',
           'for a reader of AEE');
        is(($aee->event->{json} // {})->{from}, $aee_name);

        $_->leave for $c2a, $aee;
    };


    subtest "C2A-38: a reader answers the author, $what" => sub {
        my $reader = reader('reader', 'c2a', 'agent:reader');

        my $event = event(id => $id, params => {
            attention => { policy => 'must_respond', priority => 'normal' } });
        my $request = $client->begin('/wait', jcs($event),
                                     Authorization => bearer('slackbot'),
                                     'Content-Type' => 'application/json');

        is(($reader->event->{json} // {})->{params}{eventId}, last_event());

        my $react = { jsonrpc => '2.0', id => 7, method => 'tools/call',
            params => { name => 'chat.react', arguments => {
                target => "human:$name", inReplyTo => last_event(),
                signal => 'done', idempotencyKey => uuid4() } } };

        is(code('/hub', $react, as => 'zed'), 'reply-unmatched',
           'not by another');
        is(code('/hub', $react, as => 'reader'), 'ok', 'it answers');

        my $answer = $request->answer;

        is($answer->{status}, 200);
        is($answer->{json}{result}{message}{signal}, 'done',
           'the surface has the answer') or diag($answer->{body});

        $reader->leave;
    };
}


done_testing;
