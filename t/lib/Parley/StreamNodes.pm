package Parley::StreamNodes;

# Streams and WebSockets of several gateways that share a store, in three
# protocols.  The principals are those of Parley::Streams; carol is the parent
# of alice.
#
#     my $nodes = stream_nodes($redis, words => 'lease=3s');
#     my $bob = reader($nodes, 1, 'vcp websocket', 'bob');
#     my $id = say($nodes, 0, 'aee', 'alice', 'bob');
#     is_deeply($bob->ids(1), [$id]);
#
# A reader has the interface of Parley::Streams::Stream or Parley::Websocket,
# and ids(), place() and rest().

use strict;
use warnings;

use Exporter 'import';
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nodes;
use Parley::Streams;
use Parley::Websocket;

our @EXPORT = qw(stream_nodes stream_nodes_http KINDS SSE reader opens is_gone
                 say saying submit_at post_to roster sessions lists erase);

my $vcp = 'parley_vcp_context ctx|nodes;'
        . ' parley_vcp_constitution creed://acme/nodes@1;';

# what can be read, and how
use constant KINDS => map { ("$_ stream", "$_ websocket") } qw(aee vcp channel);
use constant SSE => map { "$_ stream" } qw(aee vcp channel);


# Starts nodes with streams.  Options as Parley::Nodes->start(), and those of
# stream_nodes_http().
sub stream_nodes {
    my ($redis, %o) = @_;

    return Parley::Nodes->start($redis, workers => 2, %o, http => sub {
        return stream_nodes_http(%o, more => "$_[0] " . ($o{with} // '')) });
}


# Returns all of http.  Options: more (of http), retain, identities, locations.
sub stream_nodes_http {
    my %o = @_;

    my $retain = $o{retain} // 'parley_retain count=1000 time=1h;';

    return streams_http(
        zone => 'nodes:128m', submit => 'aee vcp channel',
        stream => 'channel keepalive=1s retry=200ms',
        identities => $o{identities}
                      // streams_identities(alice => { parent => 'carol' }),
        more => "$retain $o{more}",
        locations => ($o{locations} // '') . <<"EOT");
        location = /held { parley_jwt on;
                           parley_submit aee vcp channel hold=8s; }
        location = /short { parley_jwt on;
                            parley_submit aee vcp channel hold=1s; }
        location = /off { parley_jwt on;
                          parley_submit aee vcp channel hold=off; }
        location = /mcp { parley_jwt on; parley_mcp channel hold=8s; }
        location /aee/stream/ { parley_jwt on; parley_stream aee keepalive=1s; }
        location /vcp/stream/ { parley_jwt on; $vcp
                                parley_stream vcp keepalive=1s; }
        location = /aee/ws { parley_jwt on;
                             parley_websocket aee; }
        location = /vcp/ws { parley_jwt on; $vcp
                             parley_websocket vcp; }
        location = /channel/ws { parley_jwt on;
                                 parley_websocket channel; }
        location /lag/ { parley_jwt on; $vcp parley_stream vcp lag=64k; }
        location /ruled/ {
            parley_jwt on;
            parley_stream channel;
            parley_allow type=subscribe principal=agent.bob to=agent.alice;
        }
        location /roster/ { parley_jwt on; parley_roster channel; }
        location = /ready { parley_health ready; }
EOT
}


# Opens a stream or a WebSocket at a node.  Options as listen_to() and
# websocket(), and after (a place that it continues from).
sub reader {
    my ($nodes, $i, $kind, $who, %o) = @_;

    my ($protocol, $by) = split / /, $kind;
    my $after = delete $o{after};

    $o{port} = $nodes->plain($i);

    if ($by eq 'stream') {
        $o{uri} //= "/$protocol/stream/" . ($protocol eq 'channel' ? "~$who"
                                                                   : '');
        $o{last} = $after if defined $after;

        return bless listen_to($who, %o), 'Parley::StreamNodes::Stream';
    }

    $o{last_event_id} = $after if defined $after;

    return bless websocket($who, uri => "/$protocol/ws", %o),
                 'Parley::StreamNodes::Websocket';
}


# As reader(), and checks that it is open.
sub opens {
    my ($nodes, $i, $kind, $who, %o) = @_;

    my $reader;

    # as a client does, if the store is away or slow
    $nodes->wait_for(sub {
        $reader = reader($nodes, $i, $kind, $who, %o);
        return $reader->is_open || $reader->answer->{status} != 503;
    });

    ok($reader->is_open, "$kind of $who, gateway $i")
        or diag $reader->answer->{body};

    return $reader;
}


# Returns a message of a protocol that needs no answer.
sub saying {
    my ($protocol, $from, $to, %o) = @_;

    my $text = $o{text} // 'said';

    return frame($from, $to, text => $text) if $protocol eq 'channel';
    return share($from, $to, context => "ctx|$text") if $protocol eq 'vcp';
    return aee(type => 'event', from => "agent.$from", to => "agent.$to",
               intent => 'ops.note', payload => { text => $text });
}


sub id_of { $_[0]{frame_id} // $_[0]{message_id} // $_[0]{id} }


# Submits any message at a node.
sub submit_at {
    my ($nodes, $i, $m, %o) = @_;

    return submit($m, port => $nodes->plain($i), %o);
}


# Publishes a message of a protocol at a node; returns its id.
sub say {
    my ($nodes, $i, $protocol, $from, $to, %o) = @_;

    my $m = saying($protocol, $from, $to, %o);
    my $answer;

    # as a client does, if the store is away or slow
    $nodes->wait_for(sub {
        $answer = submit_at($nodes, $i, $m, as => $from);
        return $answer->{status} != 503;
    });

    like($answer->{status}, qr/^20[02]$/, "$protocol, $from to $to, gateway $i")
        or diag $answer->{body};

    return id_of($m);
}


# Sends a request to a node; returns its answer.
sub post_to {
    my ($nodes, $i, $uri, $who, $body, %o) = @_;

    return Parley::Client->new(port => $nodes->plain($i), tls => 0)
        ->send($o{method} // 'POST', $uri, $body,
               Authorization => bearer($who),
               Accept => 'application/json, text/event-stream');
}


sub roster {
    my ($nodes, $i, $who) = @_;

    return post_to($nodes, $i, "/roster/~$who", $who, undef, method => 'GET')
           ->{json};
}


# Returns the names of the sessions of a principal at a node, once there are n.
sub sessions {
    my ($nodes, $i, $who, $n) = @_;

    my @names;

    $nodes->wait_for(sub {
        @names = map { $_->{session} }
                     @{ (roster($nodes, $i, $who) // {})->{sessions} // [] };
        return @names == $n;
    });

    return [sort @names];
}


# Checks that the roster of each node gets these sessions, and no others.
sub lists {
    my ($nodes, $who, $names, $why) = @_;

    is_deeply(sessions($nodes, $_, $who, scalar @$names), $names,
              "$why, gateway $_") for $nodes->all;
}


# Deletes messages of a handle; returns the number of deleted ones.
sub erase {
    my ($nodes, $i, $who, $of, %o) = @_;

    my $args = join '&', map { "$_=$o{$_}" } sort keys %o;
    my $answer = post_to($nodes, $i, "/channel/stream/~$of?$args", $who, '',
                         method => 'DELETE');

    return $answer->{json}{erased} // "$answer->{status} $answer->{body}";
}


# Returns whether a reader's connection has ended; octets before are kept.
sub is_gone {
    my $reader = shift;

    my $n;

    1 while $n = $reader->{connection}->fill(0.05);

    return defined $n;
}


package Parley::StreamNodes::Stream;

our @ISA = ('Parley::Streams::Stream');

# Returns the names of the next n messages; a gap is "gap".
sub ids {
    my ($self, $n, $seconds) = @_;

    my @ids;

    while (@ids < $n) {
        my $event = $self->event($seconds) // last;

        $self->{place} = $event->{id} if defined $event->{id};
        push @{ $self->{places} }, $event->{id};
        push @ids, $event->{event}
                   // Parley::StreamNodes::id_of($event->{json});
    }

    return \@ids;
}

# Returns the place of the last message, or that of the beginning.
sub place {
    my $self = shift;

    return $self->{place} // ($self->{open} // {})->{id};
}

# Returns the places of all messages that were read.
sub places { return [@{ $_[0]{places} // [] }] }

sub is_open { return !$_[0]{ended} && $_[0]{status} == 200 }

# Returns whether a comment comes.
sub is_alive { return $_[0]->comment(20) }


package Parley::StreamNodes::Websocket;

our @ISA = ('Parley::Websocket');

sub ids {
    my ($self, $n, $seconds) = @_;

    my @ids;

    while (@ids < $n) {
        my $m = $self->message($seconds);

        if (!$m) {
            push @ids, 'gap' if $self->{close} && $self->{close}[0] == 4410;
            last;
        }

        push @ids, Parley::StreamNodes::id_of($m->{json});
    }

    return \@ids;
}

# Returns the place of the beginning: only a ping or a close tells a later one.
sub place { return $_[0]{opened} }

sub is_open { return !$_[0]{ended} && !$_[0]{close} && $_[0]{status} == 101 }

# Returns whether the worker answers a ping; messages before it are kept.
sub is_alive {
    my $self = shift;

    my $name = 'alive' . rand;
    my $until = Time::HiRes::time() + 20;

    $self->send($name, kind => 'ping');

    while (Time::HiRes::time() < $until) {
        my $frame = $self->SUPER::frame(1);

        last if !$frame && $self->{ended};
        next if !$frame;
        return 1 if $frame->{kind} eq 'pong' && $frame->{payload} eq $name;
        push @{ $self->{kept} }, $frame;
        last if $frame->{kind} eq 'close';
    }

    return 0;
}

sub frame {
    my ($self, @o) = @_;

    return shift @{ $self->{kept} } if @{ $self->{kept} // [] };
    return $self->SUPER::frame(@o);
}


1;
