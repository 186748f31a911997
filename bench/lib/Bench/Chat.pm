package Bench::Chat;

# A gateway with a host of chat, and requests to it over one connection.

use strict;
use warnings;

use Exporter 'import';
use IO::Socket::INET;
use JSON::PP ();
use Time::HiRes qw(time);

use Bench::Files qw(%bench mint prepare_chat slurp spew);
use Bench::Gateway;

our @EXPORT_OK = qw(prepare_host member event);

my $json = JSON::PP->new->canonical->utf8;
my ($ids, %tokens) = 0;


# Prepares a directory: the surface "web", its person "will", and agents.
sub prepare_host {
    my @agents = @_;

    prepare_chat();

    spew("$bench{dir}/chat.json", $json->encode({ principals => [
        { sub => 'will', handle => '~will', c2a => 'human:will',
          accounts => ['web/main/will'] },
        { sub => 'web', handle => '~web', c2a => 'service:web',
          surface => ['web/main'] },
        map { { sub => $_, handle => "~$_", c2a => "agent:$_",
                roles => ['backend'] } } @agents ] }));
    spew("$bench{dir}/token", mint('--sub', 'web') . "\n");
}


# Returns an event of "will".  Options: members of params.
sub event {
    my %o = @_;

    return { jsonrpc => '2.0', id => 'c' . ++$ids, method => 'chat/deliver',
             params => {
                 eventId => "m$ids",
                 source => { platform => 'web', workspaceId => 'main' },
                 conversation => { id => 'C1', kind => 'channel' },
                 author => { id => 'will', kind => 'human' },
                 content => [{ type => 'text', text => 'x' x 400 }], %o } };
}


# Opens a connection of a principal.  Options: get (opens its stream).
sub member {
    my ($gateway, $sub, %o) = @_;

    $tokens{$sub} //= mint('--sub', $sub);

    my $self = bless { gateway => $gateway, sub => $sub, buffer => '',
                       events => '' };

    $self->connect;

    if ($o{get}) {
        $self->write("GET /chat HTTP/1.1\r\nHost: gateway.example\r\n"
                     . "Accept: text/event-stream\r\n"
                     . "Authorization: Bearer $tokens{$sub}\r\n\r\n");
        $self->fill until $self->{buffer} =~ s/\A.*?\r\n\r\n//s;
    }

    return $self;
}


sub connect {
    my $self = shift;

    $self->{socket} = IO::Socket::INET->new(
        PeerAddr => "127.0.0.1:$self->{gateway}{port}") or die "bench: $!\n";
    $self->{time} = time;
}


sub write {
    my ($self, $text) = @_;

    syswrite($self->{socket}, $text) == length $text or die "bench: $!\n";
}


sub fill {
    my $self = shift;

    sysread $self->{socket}, $self->{buffer}, 262144, length $self->{buffer}
        or die "bench: the gateway has closed the connection\n";
}


# Posts a document; returns its answer, decoded, or undef.  Options: status.
sub post {
    my ($self, $doc, %o) = @_;

    $self->send($doc);

    return $self->answer(%o);
}


sub send {
    my ($self, $doc) = @_;

    my $body = $json->encode($doc);

    # nginx closes an idle connection
    $self->connect if time > $self->{time} + 30;
    $self->{time} = time;

    $self->write("POST /chat HTTP/1.1\r\nHost: gateway.example\r\n"
                 . "Content-Type: application/json\r\n"
                 . "Authorization: Bearer $tokens{$self->{sub}}\r\n"
                 . 'Content-Length: ' . length($body) . "\r\n\r\n$body");
}


sub answer {
    my ($self, %o) = @_;

    $self->fill until $self->{buffer} =~ s/\A(.*?)\r\n\r\n//s;

    my $head = $1;
    my ($status) = $head =~ /^HTTP\S+ (\d+)/;
    my $n = $head =~ /^Content-Length: (\d+)/mi ? $1 : 0;

    $self->fill while length $self->{buffer} < $n;

    my $body = substr $self->{buffer}, 0, $n, '';

    die "bench: $status $body\n" if $status !~ ($o{status} // qr/^20[02]$/);

    return $n ? $json->decode($body) : undef;
}


# Calls a tool; returns its result.
sub tool {
    my ($self, $name, $arguments) = @_;

    return $self->post({ jsonrpc => '2.0', id => 't' . ++$ids,
                         method => 'tools/call',
                         params => { name => $name,
                                     arguments => $arguments } })->{result};
}


# Returns the id of the next request on the stream.
sub offer {
    my $self = shift;

    until ($self->{events} =~ /"id":.*\n/) {
        $self->fill until $self->{buffer} =~ /\A([0-9a-f]+)\r\n/
                          && length $self->{buffer} >= $+[0] + 2 + hex $1;

        my ($begin, $n) = ($+[0], hex $1);

        $self->{events} .= substr $self->{buffer}, $begin, $n;
        substr $self->{buffer}, 0, $begin + $n + 2, '';
    }

    $self->{events} =~ s/^data: (.*"id":.*)\n//m or die "bench: no id\n";

    my $request = $1;

    return $json->decode($request)->{id};
}


1;
