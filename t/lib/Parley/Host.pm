package Parley::Host;

# Calls a host of chat (parley_host) at the location /chat of port(1): as a
# surface, as a harness, and by tools.
#
#     says(web => to('agent:ada', id => 'm1'));
#     my $answer = tool(ada => 'chat.list_events', { limit => 1 });
#     is_deeply(listed($answer), ['m1']);

use strict;
use warnings;

use Exporter 'import';

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Streams;

our @EXPORT_OK = qw(change);
our @EXPORT = qw(event to said says error addressed members tool structured
                 listed pending mailbox acks);

my ($n, $k) = (0, 0);


# Returns an event of a surface.  Options: id, source, conversation, author,
# kind, text, and members of params.
sub event {
    my %o = (id => 'm' . ++$n, source => [qw(web main)], author => 'will',
             kind => 'human', text => "words $n", @_);

    return {
        jsonrpc => '2.0', id => 'call-' . ++$k, method => 'chat/deliver',
        params => {
            eventId => $o{id},
            source => { platform => $o{source}[0],
                        workspaceId => $o{source}[1] },
            conversation => $o{conversation} // { id => "D$n", kind => 'dm' },
            author => { id => $o{author}, kind => $o{kind} },
            content => [{ type => 'text', text => $o{text} }],
            %{ $o{params} // {} },
        },
    };
}

# Returns a message to a recipient.
sub to {
    my $to = shift;

    return event(params => { target => { recipient => $to } }, @_);
}

# Returns an edit with a text, or a deletion, of an event, with a new id.
sub change {
    my ($event, $kind, $text) = @_;

    my %params = (%{ $event->{params} }, eventId => 'change-' . ++$n,
                  change => { of => $event->{params}{eventId}, kind => $kind });

    delete $params{content};
    $params{content} = [{ type => 'text', text => $text }] if defined $text;

    return { %$event, id => 'call-' . ++$k, params => \%params };
}

# Posts a document; returns the answer with its JSON.
sub says {
    my ($who, $doc, %o) = @_;

    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $answer = $client->post($o{uri} // '/chat', ref $doc ? jcs($doc) : $doc,
                               Authorization => $o{token} // bearer($who),
                               @{ $o{headers} // [] });

    $answer->{json} = eval { from_json($answer->{body}) };

    return $answer;
}

# Delivers events of web; returns their ids.
sub said {
    my @ids;

    for my $event (@_) {
        my $answer = says(web => $event);

        # a store may be too busy with other tests

        for (1 .. 10) {
            last if $answer->{status} != 503 || !$ENV{PARLEY_TEST_STORE};
            select undef, undef, undef, 0.5;
            $answer = says(web => $event);
        }

        die "$answer->{status} $answer->{body}" if $answer->{status} != 200;
        push @ids, $event->{params}{eventId};
    }

    return @ids;
}

# Returns the error of an answer: [status, number, code, field].
sub error {
    my ($answer) = @_;
    my $e = $answer->{json}{error};

    return [$answer->{status}, $e->{code}, $e->{data}{code}, $e->{data}{field}];
}

sub addressed { return $_[0]{json}{result}{addressed} }

# Changes the members of a conversation: add, remove.  Options as event().
sub members {
    my ($who, $conversation, %o) = @_;
    my @source = @{ delete $o{source} // [qw(web main)] };

    return says($who, {
        jsonrpc => '2.0', id => 'call-' . ++$k, method => 'chat/members',
        params => { source => { platform => $source[0],
                                workspaceId => $source[1] },
                    conversation => $conversation, %o } });
}

# Calls a tool.
sub tool {
    my ($who, $name, $args, %o) = @_;

    return says($who, { jsonrpc => '2.0', id => $o{id} // 'tool-' . ++$k,
                        method => 'tools/call',
                        params => { name => $name,
                                    arguments => $args // {} } }, %o);
}

sub structured { return $_[0]{json}{result}{structuredContent} }

# Returns the ids of the events in a result.
sub listed {
    my ($answer) = @_;

    return [map { $_->{event}{eventId} } @{ structured($answer)->{events} }];
}

sub pending { return $_[0]{json}{result}{_meta}{'c2a/mailbox'}{pending} }

# Opens a stream.
sub mailbox {
    my ($who, %o) = @_;

    return listen_to($who, uri => '/chat', %o);
}

# Acknowledges an offer; returns the status.
sub acks {
    my ($who, $id, %more) = @_;

    return says($who, { jsonrpc => '2.0', id => $id,
                        result => { accepted => true }, %more })->{status};
}

1;
