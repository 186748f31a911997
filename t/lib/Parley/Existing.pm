package Parley::Existing;

# Requests without a message, which an existing service answers by a script.
#
#     existing($client, $service);
#     my $answer = ask('$c->answer(405)', GET => '/mcp');
#     my $stream = begin('$c->out("data: x\n\n")', GET => '/mcp');

use strict;
use warnings;

use Exporter 'import';
use Test::More;

use Parley::Gateway;
use Parley::Message;

our @EXPORT = qw(existing bare ask begin events refused);

my ($client, $service);


# Sets the Parley::Client and the Parley::Upstream.
sub existing { ($client, $service) = @_ }


# Returns the octets of a request without a body.
sub bare {
    my ($method, $uri, %o) = @_;

    return post($uri, $o{body}, method => $method, %o, headers => [
        Accept => 'text/event-stream', @{ $o{headers} // [] }]);
}


# Sends a request, which the service answers by a script; returns the answer.
sub ask {
    my ($script, @request) = @_;

    $service->script($script);
    $service->clear;

    return $client->raw(bare(@request));
}


# As ask(), for a stream; returns the connection.
sub begin {
    my ($script, @request) = @_;

    $service->script("\$c->events; $script");
    $service->clear;

    my $connection = $client->connect;
    $connection->write(bare(@request));

    return $connection;
}


# Begins a stream in which the service sends messages with the ids 1, 2 and so
# on, and then ends; returns the connection.
sub events {
    my ($uri, $messages, %o) = @_;

    return begin("\$c->out('" . join('', map { "id: $_\ndata: "
        . jcs($messages->[$_ - 1]) . "\n\n" } 1 .. @$messages) . "')",
        GET => $uri, %o);
}


sub refused {
    my ($answer, $status, $code, $what) = @_;

    is($answer->{status}, $status, $what) or diag $answer->{raw};
    is(($answer->{json}{error}{data} // $answer->{json}{payload}
        // $answer->{json} // {})->{code}, $code, 'its code')
        or diag $answer->{body};
}


1;
