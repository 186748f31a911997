package Demo::Agents;

# The agents of the chat page: scripts.  ada reads its stream, bo uses tools
# alone; both have the role backend.  dot acknowledges its messages and never
# answers.  cleo, its lead, answers escalated messages.

use strict;
use warnings;

use Exporter 'import';
use JSON::PP ();
use Time::HiRes qw(time);

use Demo::Listener;
use Demo::Step qw(asked);

our @EXPORT_OK = qw(agents_start agents_work);

# seconds between the steps of an agent
use constant PAUSE => 1.5;

my $json = JSON::PP->new->utf8->canonical;
my %stream;
my $waits;          # a call of bo that waits for an event
my @later;          # acts to come: {at, who, id, run}
my ($n, $k) = (0, 0);


sub agents_start {
    %stream = map { $_ => Demo::Listener->listen($_, '/chat') }
                  qw(ada dot cleo);

    waiting(@{ used('bo', 'chat_list_events', { limit => 100 })->{events} });
}


# Does the work that is due, and returns soon.
sub agents_work {
    for my $who (sort keys %stream) {
        $stream{$who}->read(0) for 1 .. 2;

        while (my $text = shift @{ $stream{$who}{events} }) {
            event($who, $json->decode($text));
        }
    }

    listed();

    my @due = grep { $_->{at} <= time } @later;

    @later = grep { $_->{at} > time } @later;
    $_->{run}->() for @due;
}


# Takes an event of a stream: a request, or a cancellation.
sub event {
    my ($who, $event) = @_;

    my $p = $event->{params};

    if ($event->{method} eq 'notifications/cancelled') {
        my ($id) = $p->{requestId} =~ /^(.*)#/;

        @later = grep { $_->{who} ne $who || $_->{id} ne $id } @later;
        return;
    }

    asked('/chat', $who, $json->encode({
        jsonrpc => '2.0', id => $event->{id},
        result => { accepted => JSON::PP::true } }));

    work($who, $p) if $who ne 'dot';
}


# bo has no stream.  It acknowledges these events by a call that then waits up
# to 40 s for another one.
sub waiting {
    my @place = @_ ? (ackThrough => $_[-1]{place}) : ();

    $waits = Demo::Listener->listen('bo', '/chat', call(
        'chat_list_events', { waitMs => 40_000, @place }));
}


# Takes the answer to this call, and calls again.
sub listed {
    my $answer = $waits->answer // return;
    my @events = @{ result($answer)->{events} // [] };

    work('bo', $_->{event}) for @events;
    waiting(@events);
}


sub work {
    my ($who, $p) = @_;

    return if $p->{reaction} || $p->{change} && !@{ $p->{content} // [] };

    if (($p->{attention}{reason} // '') eq 'role_mention') {
        later($who, $p, 0.5, \&claim);

    } elsif ($p->{attention}{policy} eq 'must_respond') {
        react($who, $p, 'seen');
        later($who, $p, PAUSE, \&answer);
    }
}


sub later {
    my ($who, $p, $seconds, $act) = @_;

    push @later, { at => time + $seconds, who => $who, id => $p->{eventId},
                   run => sub { $act->($who, $p) } };
}


sub claim {
    my ($who, $p) = @_;

    my $r = used($who, 'chat_claim', { inReplyTo => $p->{eventId} });

    later($who, $r->{event}, PAUSE, \&answer) if $r->{claimed};
}


sub react {
    my ($who, $p, $signal) = @_;

    used($who, 'chat_react', { inReplyTo => $p->{eventId},
                               signal => $signal });
}


sub answer {
    my ($who, $p) = @_;

    my @texts = map { $_->{text} } grep { $_->{type} eq 'text' }
                    @{ $p->{content} };
    my $n = @texts;
    my $text = $p->{escalatedFrom}
               ? "$p->{escalatedFrom} did not answer in time, so its lead does."
               : 'I read ' . ($n == 1 ? 'one message' : "$n messages as one")
                 . ': ' . join(' ', @texts);

    used($who, 'chat_send_message', {
        inReplyTo => $p->{eventId}, idempotencyKey => 'page-' . ++$k,
        visibility => 'channel', directedness => 'ambient',
        target => { id => $p->{conversation}{id}, kind => 'channel',
                    source => $p->{source} },
        text => "$text (I am a script.)" });
}


# Calls a tool; returns its structured result.
sub used {
    my ($who, $tool, $arguments) = @_;

    return result(asked('/chat', $who, call($tool, $arguments)));
}


sub call {
    my ($tool, $arguments) = @_;

    return $json->encode({
        jsonrpc => '2.0', id => 'page-' . ++$n, method => 'tools/call',
        params => { name => $tool, arguments => $arguments } });
}


sub result {
    return eval { $json->decode(shift)->{result}{structuredContent} } // {};
}


1;
