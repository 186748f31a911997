# docs/capacity.md has the octets of the zone that an event of chat takes.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(port root slurp);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;

use constant { EVENTS => 40, READERS => 40 };

my ($table) = slurp(root() . '/docs/capacity.md')
              =~ /^\| entry of a host .*?\n\n/ms ? $& : '';
my %page = $table =~ /^\| (an? [^|]+?) \| (\d+) \|/mg;

my @agents = map { "a$_" } 1 .. READERS;
my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_", parent => 'lead' } }
         @agents),
    { sub => 'lead', handle => '~lead', c2a => 'agent:lead', human => 'will' },
    { sub => 'will', handle => '~will', c2a => 'human:will',
      accounts => ['web/main/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
);

# Starts nginx with a host that has this parameter.
sub host {
    my ($quiet) = @_;

    return Parley::Nginx->start(workers => 1, http => streams_http(
        identities => jcs({ principals => \@principals }),
        zone => 'streams:4m share=100%',
        more => 'parley_retain count=1000 time=1h;',
        locations => 'location = /chat { parley_jwt on; '
                     . "parley_host c2a quiet=$quiet deadline=1h; }"));
}

my $nginx = host('0');
my $status = Parley::Status->new(port => port(1), uri => '/status');


sub left { return $status->json->{zone}{bytes}{free} }

# Returns the octets that each of the events takes.
sub octets {
    my ($n, $event) = @_;

    said($event->());       # its logs begin

    my $before = left();

    said($event->()) for 1 .. $n;

    return ($before - left()) / $n;
}

# Compares with the page; a block has 64 octets.
sub near {
    my ($measured, $what) = @_;
    my $page = $page{$what} // -1000;

    ok(abs($measured - $page) <= 64, $what)
        or diag("measured $measured, docs/capacity.md has $page");
}

sub to_agents {
    my $n = shift;

    return octets(EVENTS, sub {
        event(text => 'x' x 400,
              conversation => { id => 'C1', kind => 'channel' },
              params => { attention => { policy => 'may_respond' },
                          target => { mentions => [map { "agent:$_" }
                                      @agents[0 .. $n - 1]] } }) });
}

# Returns a direct message to an agent, in its own conversation.
sub dm {
    my ($agent, %params) = @_;

    return to("agent:$agent", text => 'x' x 400, author => 'guest',
              conversation => { id => "D$agent", kind => 'dm' },
              params => { target => { recipient => "agent:$agent" }, %params });
}

# Returns the octets that a message to each agent takes, each in the same
# conversation, after this time.
sub each_dm {
    my ($seconds, %params) = @_;
    my $before = left();

    said(dm($_, %params)) for @agents;
    sleep $seconds;

    return ($before - left()) / @agents;
}

sub direct {
    my $policy = shift;

    return octets(EVENTS, sub {
        to('agent:a1', text => 'x' x 400,
           conversation => { id => 'D1', kind => 'dm' },
           params => { attention => { policy => $policy },
                       target => { recipient => 'agent:a1' } }) });
}


is(members(web => { id => 'C1', kind => 'channel' },
           add => [map { "agent:$_" } @agents], remove => [])->{status}, 200);


subtest 'C2A-03 octets of an event' => sub {
    near(octets(EVENTS, sub {
        event(text => 'x' x 400,
              conversation => { id => 'C1', kind => 'channel' }) }),
        'an event with a text of 400 octets, for any number of ambient '
        . 'readers');
    near((to_agents(READERS) - to_agents(10)) / (READERS - 10),
         'a reader that has the event in its mailbox');
};


subtest 'C2A-22 octets of an open obligation' => sub {
    my ($may, $must) = map { direct($_) } qw(may_respond must_respond);

    near($must - $may, 'an obligation that is open');
};


subtest 'C2A-03 octets of the first event of a conversation' => sub {
    my %may = (attention => { policy => 'may_respond' });
    my ($first, $next) = map { each_dm(0, %may) } 1, 2;

    near($first - $next, 'a conversation, at its first event');
};


subtest 'C2A-23 octets of an event that goes up' => sub {
    my ($stays, $goes) = (each_dm(0),
                          each_dm(5, attention => { deadlineMs => 1000 }));

    # to the lead and to the human; its obligation is over
    near(($goes - $stays + ($page{'an obligation that is open'} // 0)) / 2,
         'a step up of an event without an answer');
};


subtest 'MCP-02 a session takes no octets' => sub {
    # a token that is verified first takes a block
    my $token = bearer('a1');
    my $initialize = sub {
        says(a1 => { jsonrpc => '2.0', id => 1, method => 'initialize',
                     params => { protocolVersion => '2025-06-18',
                                 capabilities => {},
                                 clientInfo => { name => 'x',
                                                 version => '1' } } },
             token => $token);
    };

    $initialize->();

    my $before = left();
    my @got = map { $initialize->() } 1 .. 50;

    is(scalar(grep { $_->{headers}{'mcp-session-id'} } @got), 50,
       'sessions');
    is($before - left(), 0);
};


subtest 'C2A-22 octets of an answer' => sub {
    my $answers = sub {
        my ($key) = @_;
        my ($last) = said(dm('a1'));
        my $before = left();
        my $answer = tool(a1 => 'chat.send_message', {
            target => { id => 'Da1', kind => 'dm' }, inReplyTo => $last,
            idempotencyKey => $key, visibility => 'dm', directedness => 'to_me',
            text => 'y' x 400 });

        ok(structured($answer)->{accepted}) or diag($answer->{body});

        return $before - left();
    };

    $answers->('first');
    near($answers->('second'), 'an answer with a text of 400 octets');
};


$nginx->stop;
is($nginx->logged(qr/\[(?:alert|crit|emerg|error)\]/), 0);


$nginx = host('500ms');

subtest 'C2A-09 octets of a turn' => sub {
    each_dm(0);
    sleep 3;

    my $open = $page{'an event with a text of 400 octets, for any number of '
                     . 'ambient readers'}
               + $page{'a reader that has the event in its mailbox'}
               + $page{'an obligation that is open'};

    near(each_dm(3) - $open,
         'a turn with a text of 400 octets, in addition to its messages');
};

$nginx->stop;
is($nginx->logged(qr/\[(?:alert|crit|emerg|error)\]/), 0);

done_testing();
