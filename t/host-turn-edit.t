# Edits of offered turns at a host of chat (parley_host).  The job of an edit may
# offer the new turn before the request of the edit has erased the old one.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my @agents = map { "a$_" } 1 .. 20;
my @principals = (
    (map { { sub => $_, handle => "~$_", c2a => "agent:$_" } } @agents),
    { sub => 'will', c2a => 'human:will', accounts => ['web/main/will'] },
    { sub => 'web', handle => '~web', c2a => 'service:web',
      surface => ['web/main'] },
);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => \@principals }), zone => 'streams:8m',
    more => 'parley_retain count=1000 time=1h;',
    locations => 'location = /chat { parley_jwt on; '
                 . 'parley_host c2a quiet=200ms; }'));


# Waits until the mailbox of each agent has exactly the event with this prefix;
# returns the agents without it.
sub lacking {
    my ($prefix) = @_;
    my @left = @agents;

    for (my $until = time + 20; @left && time < $until; sleep 0.1) {
        @left = grep {
            my $ids = listed(tool($_ => 'chat.list_events'));

            "@$ids" ne "$prefix.$_"
        } @left;
    }

    return \@left;
}


for my $round (1 .. 5) {
    subtest "C2A-09 C2A-25: an edit is offered in place of its turn, $round" => sub {
        my %event = map {
            $_ => to("agent:$_", id => "m$round.$_", text => 'old words',
                     conversation => { id => "D$_", kind => 'dm' })
        } @agents;

        said(@event{@agents});
        is_deeply(lacking("m$round"), [], 'each message is offered');

        said(map {
            with(with($event{$_}, 'params/eventId' => "e$round.$_"),
                 'params/change' => { of => "m$round.$_", kind => 'edit' },
                 'params/content' => [{ type => 'text', text => 'new' }])
        } @agents);
        is_deeply(lacking("e$round"), [], 'and then each edit');

        my @old = grep { tool($_ => 'chat.list_events')->{body} =~ /old words/ }
                  @agents;

        is_deeply(\@old, [], 'without the old text');

        for my $who (@agents) {
            my $done = tool($who => 'chat.react', {
                inReplyTo => "e$round.$who", signal => 'done' });

            is(structured($done)->{disposition}, 'responded', $who)
                or diag($done->{body});
        }
    };
}


$nginx->stop;

done_testing();
