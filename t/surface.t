# C2A-38: a chat surface delivers messages of accounts with its own token: only
# of the accounts of its platforms and workspaces.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Checked qw(check);
use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Surface;
use Parley::Tool;

my $dir = tmp_dir();
my $client = Parley::Client->new(port => port(4));
my ($nginx, $service) = surfaces();


# id, kind, source: its name in C2A, and in AEE
my %NAMES = (
    'a person' => ['U9', 'human', ['slack', 'T123'],
                   'human:slack.T123.U9', 'human.slack.T123.U9'],
    'another workspace of the surface' => ['U9', 'human', ['slack', 'T9'],
                   'human:slack.T9.U9', 'human.slack.T9.U9'],
    'a bot' => ['B7', 'bot', ['slack', 'T123'],
                'agent:slack.T123.B7', 'agent.slack.T123.B7'],
    'an agent' => ['B7', 'agent', ['slack', 'T123'],
                   'agent:slack.T123.B7', 'agent.slack.T123.B7'],
    'another case of human' => ['U9', 'Human', ['slack', 'T123'],
                   'agent:slack.T123.U9', 'agent.slack.T123.U9'],
    'a dot' => ['T123.U8', 'human', ['slack', 'T123'],
                'human:slack.T123.T123%2EU8', 'human.slack.T123.T123%2EU8'],
    'a slash' => ['U8/U9', 'human', ['slack', 'T123'],
                  'human:slack.T123.U8%2FU9', 'human.slack.T123.U8%2FU9'],
    'a host' => ['x@h', 'agent', ['slack', 'T123'],
                 'agent:slack.T123.x%40h', 'agent.slack.T123.x%40h'],
    'a colon' => ['ann:h', 'human', ['slack', 'T123'],
                  'human:slack.T123.ann%3Ah', 'human.slack.T123.ann%3Ah'],
    'an escape' => ['U%2E9', 'human', ['slack', 'T123'],
                    'human:slack.T123.U%252E9', 'human.slack.T123.U%252E9'],
    'a space' => ['Will S', 'human', ['slack', 'T123'],
                  'human:slack.T123.Will%20S', 'human.slack.T123.Will%20S'],
    'a name of the directory' => ['ann', 'human', ['slack', 'T123'],
                  'human:slack.T123.ann', 'human.slack.T123.ann'],
    'the name of the surface' => ['slackbot', 'agent', ['slack', 'T123'],
                  'agent:slack.T123.slackbot', 'agent.slack.T123.slackbot'],
    'a listed account' => ['UANN', 'human', ['slack', 'T123'],
                           'human:ann', 'human.ann'],
    'a listed account, whatever its kind' => ['UANN', 'agent',
                           ['slack', 'T123'], 'human:ann', 'human.ann'],
    'a listed bot without a name in C2A' => ['BBOT', 'bot', ['slack', 'T123'],
                           'agent:bot', 'agent.bot'],
);

for my $what (sort keys %NAMES) {
    my ($id, $kind, $source, $c2a, $aee) = @{ $NAMES{$what} };
    my @account = (id => $id, kind => $kind, source => $source);

    subtest "C2A-38: the author is $what" => sub {
        my $sent = got('/aee', event(@account));

        is($sent->{from}, $aee, 'in AEE');
        is($sent->{to}, 'agent.reader');

        my $event = event(@account, params => {
            author => { id => $id, kind => $kind, displayName => 'Will',
                        team => 'ops' } });
        $sent = got('/c2a', $event);

        my ($name, $rest) = split /:/, $c2a, 2;

        is_deeply($sent, with($event, 'params/author/id' => $rest,
                              'params/author/kind' => $name),
                  'in C2A, and nothing else is changed');

        my $verdict = verdict();

        is($verdict->{surface}, 'slackbot', 'audit: the surface');
        is($verdict->{from}, $c2a, 'audit: the author');
        is($verdict->{principal}, $what eq 'a listed account'
           || $what =~ /whatever/ ? 'ann' : $what =~ /without/ ? 'bot' : $c2a,
           'audit: the principal');
    };
}


subtest 'C2A-38: the author is the surface itself' => sub {
    is(got('/aee', event(id => 'slackbot', kind => 'agent',
                         source => ['other', 'T1']))->{from},
       'agent.slackbot', 'with another source');

    my $event = event(id => 'slackbot', kind => 'agent');
    delete $event->{params}{source};

    is(got('/c2a', $event)->{params}{author}{id}, 'slackbot', 'without one');
    ok(!exists verdict()->{surface}, 'which no surface delivers');
};


subtest 'C2A-38: the author of a knock' => sub {
    my $event = event(params => { injection => { mode => 'notify' },
        knock => { from => 'human:ann', where => 'channel:C1',
                   directedness => 'to_me', policy => 'may_respond',
                   priority => 'normal', topic => 'a question',
                   pullWith => 'chat.read_thread' } });
    delete $event->{params}{content};

    is(got('/c2a', $event)->{params}{knock}{from}, 'human:slack.T123.U9');
};


subtest 'C2A-38: another service gets the message if one fails' => sub {
    for (1 .. 2) {
        is(got('/falls', event())->{params}{author}{id}, 'slack.T123.U9',
           'in C2A');
    }

    is(got('/falls', event(id => 'UANN'))->{params}{author}{id}, 'ann');
    is(got('/falls-aee', event())->{from}, 'human.slack.T123.U9', 'in AEE');
    refused('by its own rules', event(id => 'UANN'), uri => '/falls-aee',
            code => 'policy-refused');
};


subtest 'C2A-38: an answer goes back through the surface' => sub {
    for my $of (['UANN', 'human.ann', 'ann'],
                ['U9', 'human.slack.T123.U9', 'slack.T123.U9'])
    {
        my ($id, $name, $c2a) = @$of;

        $service->script('$c->answer(200, [], jcs(result($q->{json})))');

        my $event = event(id => $id, params => {
            attention => { policy => 'must_respond', priority => 'normal',
                           deadlineMs => 10_000 } });
        my $answer = $client->post('/aee', jcs($event),
                                   Authorization => bearer('slackbot'));

        is($answer->{status}, 200) or diag($answer->{body});
        like($answer->{body}, qr/"done"/, 'the words of the service');
        is($service->last->{json}{from}, $name);
        unlike($answer->{body}, qr/"error"/);
    }

    $service->script;
};


# ---- the surface of an account

subtest 'C2A-38: accounts of none of the caller\'s surfaces' => sub {
    refused('another workspace', event(source => ['slack', 'T124']));
    refused('another platform', event(source => ['teams', 'T123']));
    refused('of another surface', event(source => ['web', 'main.site']));
    refused('a listed account there',
            event(id => 'ann', source => ['web', 'main.site']));
    refused('a workspace in other letters', event(source => ['slack', 't123']));
    refused('a platform in other letters', event(source => ['Slack', 'T123']));
    refused('a workspace with a slash',
            event(id => '9', source => ['slack', 'T123/U']));
    refused('a platform with a slash', event(source => ['slack/T123', '']));
    refused('parts that are cut elsewhere', event(source => ['web.main', 'site']));

    for my $member (qw(platform workspaceId)) {
        my $event = event();
        delete $event->{params}{source}{$member};
        refused("no $member", $event);

        refused("$member that is no text",
                with(event(), "params/source/$member" => ['slack']));
    }

    my $event = event();
    delete $event->{params}{source};
    refused('no source', $event);

    refused('a name of the directory', event(id => 'ann', source => ['x', 'y']));
    refused('of one that is not a surface', event(), as => 'zed');
    refused('of a listed account by itself', event(id => 'UANN'), as => 'ann');
};


subtest 'C2A-38: malformed accounts' => sub {
    refused('an empty id', event(id => ''), code => 'field-invalid');
    refused('an id that is no text', event(author => { id => 9, kind => 'human' }),
            code => 'field-invalid');
    refused('an empty kind', event(kind => ''), code => 'field-invalid');
    refused('an id that is too long', event(id => 'U' x 260));
    refused('an id whose name is too long', event(id => '.' x 90));
    refused('a listed account in other letters', event(id => 'uann'));
    refused('of a principal without a name', event(id => 'UBARE'),
            code => 'identity-unmappable');
};


subtest 'C2A-38: claims do not make a surface' => sub {
    for my $name (qw(surface accounts streams)) {
        refused("a claim $name", event(), as => 'zed', uri => '/claims',
                claims => { $name => ['slack/T123', 'slack/T123/U9'] });

        my ($status, $said) = check("parley_zone z:1m; server { "
            . "parley_claims $name=$name; }");
        is($status, 1);
        like($said, qr/cannot come from a claim; expected in "parley_identities"/);
    }

    for my $name (['c2a', 'human:slack.T123.U9'],
                  ['c2a', 'agent:slack.T123.B7'],
                  ['aee', 'human.slack.T123.U9'],
                  ['vcp', 'human://slack.T123.U9'],
                  ['c2a', 'human:slack.T123.UANN'],
                  ['aee', 'human.web.main%2Esite.x'])
    {
        refused("the name $name->[1] by a claim", event(), as => 'nobody',
                uri => '/claims', claims => { $name->[0] => $name->[1] });
    }

    my $answer = $client->post('/claims', jcs(aee(from => 'human.slack.T123.U9')),
                               Authorization => bearer('human.slack.T123.U9'));
    is($answer->{status}, 403, 'the name as a sub') or diag($answer->{body});
};


subtest 'C2A-38: an actor in its token is not the surface' => sub {
    refused('for an account', event(), claims => { act => { sub => 'zed' } });
    refused('for a listed account', event(id => 'UANN'),
            claims => { act => { sub => 'zed' } });
};


# Returns the tool's error for a file with these principals.
sub told {
    my ($status, undef, $err)
        = tool({ in => jcs(aee()) }, 'translate', '--to', 'c2a',
               '--identities', spew("$dir/file.json", "{\"principals\": [\n"
               . join(",\n", map { jcs($_) } @_) . "\n]}\n"));

    return $err =~ /principals/ ? $err : '';
}


subtest 'C2A-38: names and accounts of two principals of the file' => sub {
    my $bot = { sub => 'bot', c2a => 'agent:bot', surface => ['slack/T123'] };
    my $ann = { sub => 'ann', handle => '~ann',
                accounts => ['slack/T123/U9'] };

    is(told($bot, $ann), '', 'a surface, and an account there');
    is(told($ann, { %$ann, sub => 'x', handle => '~x',
                    accounts => ['slack/T123/U8', 'slack/T124/U9'] }), '',
       'other accounts');

    like(told($ann, { sub => 'x', accounts => ['a/b/c', 'slack/T123/U9'] }),
         qr{line 3: .*/principals/1/accounts/1: .*/principals/0 \(line 2\)$},
         'one account');
    like(told($bot, { sub => 'x', surface => ['slack/T123'] }),
         qr{line 3: .*/principals/1/surface/0: .*/principals/0 \(line 2\)$},
         'one source');

    for my $name (['c2a', 'human:slack.T123.U9'], ['c2a', 'agent:slack.T123.U9'],
                  ['aee', 'human.slack.T123.U9'], ['aee', 'agent.slack.T123.U9'],
                  ['vcp', 'human://slack.T123.U9'], ['vcp', 'slack.T123.U9'])
    {
        my ($member, $text) = @$name;
        my $who = { sub => 'x', $member => $text };

        like(told($ann, $who),
             qr{line 3: .*/principals/1/$member: .*"slack/T123/U9".*/principals/0.*\(line 2\)$},
             "$text, and the account");
        like(told($who, $ann), qr{line 2: .*/principals/0/$member: .*\(line 3\)$},
             'in the other order');
        like(told($bot, $who),
             qr{line 3: .*/principals/1/$member: .*"slack/T123".*/principals/0.*\(line 2\)$},
             "$text, and the surface");
        is(told($bot, { %$who, accounts => ['slack/T123/U9'] }), '',
           'of the account itself');
    }

    like(told($ann, { sub => 'human:slack.T123.U9' }),
         qr{/principals/1/sub: }, 'a sub that is the name');
    like(told({ %$bot, c2a => 'agent:slack.T123.B7' }),
         qr{/principals/0/c2a: }, 'the surface with the name of an account');

    for my $bad ('slack', 'slack/', '/T123', 'slack/T123/U9', 'a b/c', '', 7) {
        like(told({ sub => 'x', surface => [$bad] }),
             qr{/principals/0/surface}, "a surface: \"$bad\"");
    }

    for my $bad ('slack', 'slack/T123', 'slack//U9', '/T/U', 'slack/T123/',
                 'a/b/c d', 'a/b/' . '.' x 90, 7)
    {
        like(told({ sub => 'x', accounts => [$bad] }),
             qr{/principals/0/accounts}, "an account: \"$bad\"");
    }

    like(told({ sub => 'x', streams => ['s1'] }, { sub => 'y', streams => ['s2', 's1'] }),
         qr{line 3: .*/principals/1/streams/1: .*"s1".*/principals/0 \(line 2\)$},
         'one work stream');
    is(told({ sub => 'x', streams => ['s1', 's1'] }, { sub => 'y', streams => ['S1'] }), '',
       'a work stream twice in one list, and one with other letters');

    for my $bad ('', 'a b', "a\tb", 's' x 257, 7) {
        like(told({ sub => 'x', streams => [$bad] }),
             qr{/principals/0/streams}, "a work stream: \"$bad\"");
    }

    my $path = spew("$dir/file.json", jcs({ principals => [$ann, {
        sub => 'x', accounts => ['slack/T123/U9'] }] }));
    my ($status, $said) = check("parley_zone z:1m; parley_identities $path;");

    is($status, 1, 'nginx -t');
    like($said, qr{/principals/1/accounts/0 "slack/T123/U9" is also in});
};


done_testing;
