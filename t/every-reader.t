# GW-37: a rule about a recipient holds for each reader of a message, for every
# way to address the message.  The ways are generated: by each name in each
# protocol, by organisation, bus, channel, scope, tool and broadcast.  The
# rules have each spelling of the recipient's name.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Upstream;
use Parley::Verbs ();
use Parley::Websocket;

# The rules name hush.  None of her names can be derived from another one.
my %hush = (sub => 'sub-h', aee => 'agent.hx', c2a => 'agent:hy',
            vcp => 'agent://ops.example/hz', handle => '~hw',
            instrument => '~cc-hv@1.0', orgs => ['~club', '~club/ops'],
            reached => ['~club/notes.read']);
# mute has names of the same kind, and a URL
my %mute = (%hush, sub => 'sub-m', aee => 'agent.mx', c2a => 'agent:my',
            vcp => 'agent://ops.example/mz', handle => '~mw',
            instrument => '~cc-mv@1.0', speaks => 'aee',
            deliver => 'https://127.0.0.1:' . port(2) . '/mute');
my @others = map { {
    sub => $_, handle => "~$_", aee => "agent.$_", c2a => "agent:$_",
    vcp => "agent://ops.example/$_", instrument => "~cc-$_\@1.0",
    orgs => ['~club', '~club/ops'], grants => ['~club/notes.read'],
    reached => ['~club/notes.read'] } } qw(alice bob);

my @spellings = @hush{qw(sub aee c2a vcp handle)};
my @mutes = @mute{qw(sub aee c2a vcp handle)};

# names of their instruments, by which rules deny them as well
my @tools = ('~cc-hv@1.0', '~cc-hv', 'agent.cc-hv', 'agent:cc-hv');
my @denied = ((map { "$spellings[$_]|$mutes[$_]" } 0 .. $#spellings),
              map { $_ . '|' . s/hv/mv/r } @tools);

my $peer = Parley::Upstream->start(port(2), undef, tls => 1);
my $service = Parley::Upstream->start(port(3));

my $nginx = Parley::Nginx->start(workers => 1, http => http());


sub rule_location {
    my ($n, $kind, $rules) = @_;

    return <<"EOT";
        location = /in/$kind/$n {
            parley_jwt on; parley_submit channel aee vcp vcp2 c2a; $rules
        }
        location = /mcp/$kind/$n {
            parley_jwt on; parley_mcp channel hold=1s; $rules
        }
        location = /ws/$kind/$n {
            parley_jwt on; parley_websocket aee; $rules
        }
        location = /to/$kind/$n {
            parley_jwt on; parley_accept channel aee vcp vcp2 c2a;
            parley_speak aee; $rules
            proxy_pass http://127.0.0.1:%PORT_3%;
        }
        location /read/$kind/$n/ {
            parley_jwt on; parley_stream channel; $rules
        }
EOT
}


sub http {
    my $locations = '';

    for my $n (0 .. $#denied) {
        $locations .= rule_location($n, 'deny', "parley_deny to=$denied[$n]; "
                                                . 'parley_allow principal=**;');
    }

    for my $n (0 .. $#spellings) {
        $locations .= rule_location($n, 'allow',
                "parley_allow to=$spellings[$n]|$mutes[$n]; "
                . 'parley_allow type=subscribe;');
    }

    $locations .= rule_location(0, 'tool', 'parley_allow to=~cc-hv|agent.cc-hv;')
        . rule_location(0, 'else', 'parley_deny to=agent.nobody|~cc-none; '
                                   . 'parley_allow principal=**;');

    return streams_http(
        identities => jcs({ principals => [\%hush, \%mute, @others] }),
        submit => 'channel aee vcp c2a',
        more => 'parley_retain count=1000 time=1h; '
              . 'parley_deliver /_deliver hosts=127.0.0.1:%PORT_2%;',
        locations => deliver_location() . $locations
            . join '', map { rule_location($_->[0], 'group',
                                  "parley_deny to=$_->[1]; "
                                  . 'parley_allow principal=**;') }
                   [0, '~club'], [1, 'bus.club'], [2, 'channel:club']);
}


# ---- the ways

sub channel {
    my ($to, %o) = @_;

    return frame('alice', 'x', recipient_handle => $to, %o);
}


sub announcement {
    my $to = shift;

    return channel($to, kind => 'agent_broadcast',
                   payload => { broadcast_text => 'closing',
                                event_class => 'other' });
}


sub by_aee {
    return aee(type => 'event', intent => 'ops.note', to => $_[0],
               payload => { text => 'x' });
}


sub by_vcp {
    return vcp(recipient => $_[0], payload => { context => 'c',
        constitution_ref => 'creed://ops.example/builders@1.0' });
}


sub by_c2a {
    return Parley::Matrix::ambient(target => {
        recipient => $_[0], directedness => 'ambient' });
}


# Returns the ways to one reader: [name, message, scope].
sub direct {
    my $p = shift;

    return (
        ['AEE', by_aee($p->{aee})],
        ['AEE in capitals', by_aee(uc $p->{aee})],
        ['AEE with the sub', by_aee($p->{sub})],
        ['AEE with the handle', by_aee($p->{handle})],
        ['AEE as a human of the handle', by_aee($p->{handle} =~
                                                s/^~/human./r)],
        ['AEE with the name of C2A', by_aee($p->{c2a})],
        ['AEE with the name of VCP', by_aee($p->{vcp})],
        ['VCP', by_vcp($p->{vcp})],
        ['VCP of a human of the handle', by_vcp($p->{handle} =~
                                                s/^~/human:\/\//r)],
        ['VCP 2.0', as_vcp2(by_vcp($p->{vcp}))],
        ['C2A', by_c2a($p->{c2a})],
        ['C2A of a human of the handle', by_c2a($p->{handle} =~
                                                s/^~/human:/r)],
        ['C2A with the name of AEE', by_c2a($p->{aee})],
        ['agent-channel', channel($p->{handle})],
        ['a scope of the handle', channel($p->{handle}), $p->{handle}],
        ['a scope of all instruments', channel($p->{handle}),
         "$p->{handle}/*"],
        (map { my $tool = $_; map { ["$_ of the instrument",
                 $_ eq 'AEE' ? by_aee("agent.$tool") :
                 $_ eq 'C2A' ? by_c2a("agent:$tool") :
                 $_ eq 'VCP' ? by_vcp($tool) : channel("~$tool")] }
               'AEE', 'C2A', 'VCP', 'agent-channel' }
         $p->{instrument} =~ /^~(.*)@/),
        ['a scope of one instrument', channel($p->{handle}),
         "$p->{handle}/cc-*"],
    );
}


# ways to several readers
my @grouped = (
    ['members', announcement('~club'), 'org:~club/members/*'],
    ['members, by an advisory', channel('~club'), 'org:~club/members/*'],
    ['a role', announcement('~club'), 'org:~club/members/ops/*'],
    ['a grant', announcement('~club'), 'accord:~club/grant:notes.read'],
    ['AEE bus', by_aee('bus.club')],
    ['C2A channel', by_c2a('channel:club')],
    ['VCP broadcast', by_vcp('broadcast')],
    ['VCP 2.0 broadcast', as_vcp2(by_vcp('broadcast'))],
);


# the groups, by names that a service may read as theirs
my @elsewhere = (
    ['AEE bus in capitals', by_aee('BUS.CLUB')],
    ['AEE with the channel of C2A', by_aee('channel:club')],
    ['AEE with the scope of agent-channel', by_aee('org:~club/members/*')],
    ['AEE with the broadcast of VCP', by_aee('bus.broadcast')],
    ['C2A with the bus of AEE', by_c2a('bus.club')],
    ['C2A channel as the conversation', Parley::Matrix::ambient(
        conversation => { kind => 'channel', id => 'club' },
        target => { directedness => 'ambient' })],
);


# Sends a message in each location that accepts it, with a new id each time.
sub say {
    my ($uri, $m, $scope) = @_;

    my $id = (grep { exists $m->{$_} } qw(id message_id frame_id))[0];

    $m = { %$m, $id => $id eq 'frame_id' ? uuid4() : uuid7() } if $id;
    $m->{params} = { %{ $m->{params} }, eventId => 'e-' . uuid4() }
        if $m->{params} && $m->{params}{eventId};

    return submit($m, as => 'alice', uri => $uri,
                  defined $scope ? (scope => $scope) : ());
}


my $hush = listen_to('sub-h', of => '~hw');
my $bob = listen_to('bob', of => '~bob');

# Checks that the reader got nothing: the next message is a note sent to it
# openly.
sub is_quiet {
    my ($stream, $to, $name) = @_;

    my $mark = 'mark ' . uuid4();

    submit(frame('alice', 'x', recipient_handle => $to, text => $mark),
           as => 'alice');

    my @came;

    while (my $event = $stream->event(5)) {
        last if index($event->{data}, $mark) >= 0;
        push @came, $event->{data};
    }

    is(join("\n", @came), '', $name);
}


for my $n (0 .. $#denied) {
    my @passed;

    $peer->clear;
    $service->clear;

    for my $place ('in', 'to') {
        for my $p (\%hush, \%mute) {
            for my $way (direct($p)) {
                my ($name, $m, $scope) = @$way;
                my $answer = say("/$place/deny/$n", $m, $scope);

                push @passed, "$name of $p->{sub} at $place: "
                              . "$answer->{status} $answer->{body}"
                    if $answer->{status} < 400;
            }
        }
    }

    is_deeply(\@passed, [], "GW-37 to=$denied[$n] denies each name");

    # a service would have it for all members

    for my $way (@grouped, @elsewhere) {
        my ($name, $m, $scope) = @$way;
        my $answer = say("/to/deny/$n", $m, $scope);

        is($answer->{status}, 403, "GW-37 a service, deny $denied[$n]: $name")
            or diag $answer->{body};
        unlike($answer->{body}, qr/h[xyzwv]\b|sub-|m[xyzwv]\b/,
               'and the answer names no member');
    }

    for my $way (@grouped) {
        my ($name, $m, $scope) = @$way;
        my $answer = say("/in/deny/$n", $m, $scope);

        like($answer->{status}, qr/^20[02]$/, "GW-37 deny $denied[$n]: $name")
            or diag $answer->{body};
        unlike($answer->{body} // '', qr/h[xyzw]\b|sub-|m[xyzw]\b/,
               'and the answer names nobody who is left out');
        ok($bob->event(3), 'the other member gets it');
    }

    my $socket = websocket('alice', uri => "/ws/deny/$n");

    $socket->text(jcs(by_aee('bus.club')));
    ok($bob->event(3), "GW-37 deny $denied[$n]: a WebSocket to the bus");
    $socket->text(jcs(by_aee($hush{aee})));
    # earlier messages are the response to the first one, and alice's own copy
    # of it
    my $refused = '';

    while ($refused !~ /E_POLICY_REFUSED/) {
        my $message = $socket->message(5) // last;
        $refused = $message->{text};
    }

    like($refused, qr/E_POLICY_REFUSED/, 'and to the name');

    for my $tool (['agent_broadcast', scope => 'org:~club/members/*',
                   recipient_handle => '~club', payload => {
                       broadcast_text => 'x', event_class => 'other' }])
    {
        my ($verb, %arguments) = @$tool;
        my $answer = Parley::Verbs::mcp(Parley::Verbs::tool_text($verb,
                                            %arguments),
                                        uri => "/mcp/deny/$n");

        ok(!$answer->{json}{result}{isError}, "GW-37 the tool $verb")
            or diag $answer->{body};
        ok($bob->event(3), 'the other member gets it');
    }

    is_quiet($hush, '~hw', "GW-37 deny $denied[$n]: she gets none");
    is_quiet($bob, '~bob', "GW-37 the other has all, once");
    is(scalar(grep { $_->{uri} eq '/mute' } $peer->requests), 0,
       'GW-37 nor does a URL');
    is(scalar $service->requests, 0, 'GW-37 nor a service');
}


# rules that allow only her
for my $n (0 .. $#spellings) {
    $peer->clear;

    for my $way (['AEE', by_aee('agent.bob')], ['VCP', by_vcp('agent://ops.'
                 . 'example/bob')], ['C2A', by_c2a('agent:bob')],
                 ['agent-channel', channel('~bob')],
                 ['a scope', channel('~bob'), '~bob/*'])
    {
        my ($name, $m, $scope) = @$way;

        is(say("/in/allow/$n", $m, $scope)->{status}, 403,
           "GW-37 allow $spellings[$n]: $name to another is refused");
    }

    for my $way (@grouped) {
        my ($name, $m, $scope) = @$way;
        my $answer = say("/in/allow/$n", $m, $scope);

        like($answer->{status}, qr/^20[02]$/, "GW-37 allow $spellings[$n]: $name")
            or diag $answer->{body};
        ok($hush->event(3), 'she gets it');
    }

    $peer->wait_for(scalar @grouped);
    is(scalar(my @posted = $peer->requests), scalar @grouped,
       'GW-37 and so does a URL');
    is_quiet($bob, '~bob', "GW-37 allow $spellings[$n]: another gets none");
}


# a rule about the organisation
for my $n (0 .. 2) {
    for my $place ('in', 'to') {
        for my $way (@grouped[0 .. 5]) {
            my ($name, $m, $scope) = @$way;

            is(say("/$place/group/$n", $m, $scope)->{status}, 403,
               "GW-37 the group's rule $n denies it by $name at $place");
        }
    }
}

is(scalar $service->requests, 0, 'GW-37 nothing is forwarded');


# an instrument may draft for others, too: a rule by its name allows nobody
for my $place ('in', 'to') {
    for my $way (direct(\%hush)) {
        my ($name, $m, $scope) = @$way;

        next if $name =~ /instrument/;
        is(say("/$place/tool/0", $m, $scope)->{status}, 403,
           "GW-37 allow by an instrument: $name at $place");
    }
}


# where rules deny others, a service has messages to each group
for my $way (@grouped) {
    my ($name, $m, $scope) = @$way;

    $service->clear;
    say('/to/else/0', $m, $scope);
    is(scalar(my @got = $service->requests), 1, "GW-37 a service has $name");
}


# rules of the location where the stream is read
for my $n (0 .. $#denied) {
    my $reading = listen_to('sub-h', uri => "/read/deny/$n/~hw");

    is($reading->status, 200, 'her own stream opens');

    say('/channel/frames', $_->[1], $_->[2])
        for grep { $_->[0] !~ /VCP 2/ } @grouped;

    is(scalar(my @all = $hush->events(7, 3)), 7,
       'an open stream has all');
    is_quiet($hush, '~hw', 'and then the mark');
    is($reading->event(0.2), undef,
       "GW-37 a stream whose rules deny $denied[$n] has none");
    $reading->leave;
}

done_testing();
