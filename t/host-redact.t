# parley_redact at a host of chat: events of a surface, and texts of tools, are
# stored without the members of parley_redact, and within parley_cap and the
# max_priority of the surface and the author.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } } qw(ada bo)),
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'mia', handle => '~mia', c2a => 'human:mia',
      accounts => ['web/main/mia'], max_priority => 'low' },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
    { sub => 'calm', handle => '~calm', c2a => 'service:calm',
      surface => ['web/calm'], max_priority => 'normal' },
);

my $mask = join ' ', map { "parley_redact $_ mask;" } qw(
    /params/content/0/text /params/arguments/text /params/message
    /params/arguments/reason);
my $remove = join ' ', map { "parley_redact $_;" } qw(
    /params/arguments/text /params/arguments/target
    /params/arguments/idempotencyKey /params/arguments/inReplyTo
    /params/arguments/signal /params/content/0);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }),
    more => 'parley_retain count=1000 time=1h;',
    locations => "location = /chat { parley_jwt on; "
                 . "parley_host c2a quiet=0; $mask }\n"
                 . "location = /removed { parley_jwt on; "
                 . "parley_host c2a quiet=0; $remove }\n"
                 . 'location = /capped { parley_jwt on; parley_host c2a quiet=0; '
                 . 'parley_cap priority=high timeout=20s; }'));


sub sends {
    my ($who, %args) = @_;

    return tool($who, 'chat.send_message', {
        visibility => 'dm', directedness => 'to_me', text => 'secret',
        %args });
}


# Returns all answers that a reader and the surface get.
sub read_all {
    return join "\n", map { $_->{body} }
           (map { tool($_ => 'chat.list_events', {}) } qw(ada bo web)),
           (map { tool($_ => 'chat.list_events', { sent => true }) }
                qw(ada bo));
}


subtest 'AEE-32 C2A-26 an event of a surface is stored redacted' => sub {
    said(to('agent:ada', id => 'm1', text => 'secret'));

    my $event = structured(tool(ada => 'chat.list_events', {}))
                ->{events}[0]{event};

    is($event->{content}[0]{text}, '[redacted]');
    unlike(read_all(), qr/secret/, 'in no answer');
};


subtest 'AEE-32 C2A-12 the text of a tool is redacted' => sub {
    my $answer = sends(ada => target => 'agent:bo', idempotencyKey => 'k1');

    is(structured($answer)->{accepted}, true) or diag($answer->{body});

    my $event = structured(tool(bo => 'chat.list_events', {}))
                ->{events}[0]{event};

    is($event->{content}[0]{text}, '[redacted]');

    $answer = sends(ada => inReplyTo => 'm1', idempotencyKey => 'k2',
                    target => { id => $event->{conversation}{id},
                                kind => 'dm' });
    sends(ada => inReplyTo => 'm1', idempotencyKey => 'k3', target => 'agent:bo');
    tool(ada => 'chat.defer', { inReplyTo => 'm1', reason => 'secret' });
    says(ada => { jsonrpc => '2.0', method => 'notifications/progress',
                  params => { progressToken => 'm1', progress => 1,
                              message => 'secret' } });
    unlike(read_all(), qr/secret/, 'in no answer');
};


subtest 'AEE-32 a call without a member that it needs is refused' => sub {
    my %args = (target => 'agent:bo', idempotencyKey => 'r1',
                visibility => 'dm', directedness => 'to_me', text => 'secret');

    for my $call (['chat.send_message', \%args],
                  ['chat.react', { inReplyTo => 'm1', signal => 'done' }]) {
        my ($name, $args) = @$call;
        my $answer = tool(ada => $name, $args, uri => '/removed');

        cmp_ok($answer->{status}, '<', 500, $name) or diag($answer->{body});
        like($answer->{body}, qr/policy-refused|field-missing/, 'refused');
        unlike($answer->{body}, qr/secret/);
    }

    unlike(read_all(), qr/secret|"done"/, 'nothing is done');
};


# Returns the attention of an event that asks for this one, as bo reads it.
sub attention {
    my ($uri, $who, $asks, @event) = @_;
    my $event = to('agent:bo', @event);

    $event->{params}{attention} = $asks;

    for (1, 2) {
        my $answer = says($who, $event, uri => $uri);

        is($answer->{status}, 200, 'accepted, also again')
            or diag($answer->{body});
    }

    my $listed = tool(bo => 'chat.list_events',
                      { eventId => $event->{params}{eventId} });

    return structured($listed)->{events}[0]{event}{attention};
}


subtest 'AEE-28 C2A-38 caps of the priority of an event' => sub {
    my $urgent = { priority => 'urgent', reason => 'approval' };

    for (['/chat', web => 'urgent', author => 'will'],
         ['/chat', web => 'low', author => 'mia'],
         ['/chat', calm => 'normal', source => [qw(web calm)]],
         ['/capped', web => 'high', author => 'will'],
         ['/capped', web => 'low', author => 'mia'])
    {
        my ($uri, $who, $priority, @event) = @$_;

        is(attention($uri, $who, $urgent, @event)->{priority}, $priority,
           "$uri $who @event");
    }

    is(attention('/capped', web => { priority => 'low' })->{priority}, 'low',
       'a lower priority stays');
    is(attention('/capped', web => {})->{priority}, 'normal',
       'an event without a priority');

    my $answer = says(web => to('agent:ada', author => 'mia', params => {
        target => { recipient => 'agent:ada' }, attention => $urgent }));

    is(addressed($answer)->[0]{mode}, 'buffered', 'mode of the capped priority');
};


subtest 'AEE-29 a cap of the deadline of an event' => sub {
    for ([60_000, 20_000], [20_001, 20_000], [19_000, 19_000])
    {
        my ($asks, $gets) = @$_;

        is(attention('/capped', web => { deadlineMs => $asks })->{deadlineMs},
           $gets, "deadlineMs $asks");
    }

    is(attention('/chat', web => { deadlineMs => 60_000 })->{deadlineMs}, 60_000,
       'without parley_cap');
    is(attention('/capped', web => {})->{deadlineMs}, 300_000,
       'the default of the host is not capped');
};


$nginx->stop;
is($nginx->logged(qr/\[(?:alert|crit|emerg|error)\]/), 0);

done_testing();
