# SEC-02: headers of a request about its body, and the headers that the service
# gets.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $port = port(2);

my $on = 'parley_accept aee vcp; parley_jwt on; '
       . 'parley_vcp_context "ctx|gateway";';

my $nginx = Parley::Nginx->start(http => gateway_http(
    more => 'underscores_in_headers on; ignore_invalid_headers off;',
    server => location('/as-aee', "$on parley_speak aee;")
            . location('/as-vcp', "$on parley_speak vcp;")
            . location('/as-c2a', 'parley_accept c2a; parley_jwt on;')
            . location('/signed', "$on parley_speak aee; "
                                . 'parley_signature required;')
            . location('/redacted', "$on parley_speak aee; "
                                  . 'parley_redact /payload/secret;')
            . location('/dry', "$on parley_speak aee; parley_dry_run on;")
            . location('/known', "$on parley_speak aee; proxy_set_header "
                  . 'X-Known "$content_type,$http_content_type,'
                  . '$http_content_encoding";')));

my $client = Parley::Client->new(port => port(1));

# Returns a request with exactly these headers of its body.
sub octets {
    my ($uri, $message, @headers) = @_;

    my $signed = $uri eq '/signed' ? sign_aee($message, person('alice')->{key})
                                   : $message;
    my $body = jcs($signed);

    return "POST $uri HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
         . 'Authorization: ' . bearer('alice') . "\r\n"
         . join('', map { "$_\r\n" } @headers)
         . 'Content-Length: ' . length($body) . "\r\n\r\n$body";
}


sub sent {
    $service->clear;
    return $client->raw(octets(@_));
}


# Returns the headers about the body that the service got.
sub told {
    return [ map { "$_->[0]: $_->[1]" }
             grep { (lc $_->[0]) =~ /^content[^a-z]?(?:type|encoding)/ }
                  @{ $service->last->{list} } ];
}


my @taken = (
    '', 'Content-Type: application/json', 'content-type: APPLICATION/JSON',
    'Content-Type: application/json;charset=utf-8',
    'Content-Type: application/json ; charset="UTF-8"',
    "Content-Type: application/json;\tCharset=Utf-8; profile=\"a;charset=x\"",
    'Content-Type: application/json;', 'Content-Type: application/json; ;',
    'Content-Type: application/aee+json; v=1',
    'Content-Type: application/vnd.example.x-1+JSON',
    'Content-Encoding: identity', 'Content-Encoding: Identity, ,identity',
    'Content-Encoding:', "Content-Encoding: identity\r\ncontent-encoding: ",
);

subtest 'SEC-02 the service gets only its own media type' =>
sub {
    for my $header (@taken) {
        for my $uri ('/as-aee', '/signed', '/redacted') {
            is(sent($uri, aee(), $header || ())->{status}, 202,
               "$uri, $header");
            is_deeply(told(), ['Content-Type: application/json'], 'told so');
        }

        is(sent('/as-aee', aee(from => 'agent.x'), $header || ())->{status},
           403, 'a refusal is none of the media type');
    }

    my $m = sign_vcp(vcp(), person('alice')->{key});

    sent('/as-vcp', $m, 'Content-Type: application/json');
    is_deeply(told(), ['Content-Type: application/json; charset=utf-8'],
              'VCP has a charset');

    sent('/as-vcp', aee(type => 'event', payload => vcp()->{payload},
                        intent => 'vcp.context_share'));
    is_deeply(told(), ['Content-Type: application/json; charset=utf-8'],
              'also where it is translated');

    sent('/known', aee(), 'Content-Type: application/x+json; charset=UTF-8',
         'Content-Encoding: identity');
    is($service->last->{headers}{'x-known'},
       'application/json,application/json,', 'variables say the same');
};


my @refused = (
    ['another charset', 'Content-Type: application/json; charset=utf-7'],
    ['another charset', 'Content-Type: application/json; charset=utf-16le'],
    ['another charset', 'Content-Type: application/json; charset="latin1"'],
    ['an escaped charset', 'Content-Type: application/json; charset="utf\\-8"'],
    ['no charset', 'Content-Type: application/json; charset='],
    ['an empty charset', 'Content-Type: application/json; charset=""'],
    ['two charsets', 'Content-Type: application/json; charset=utf-8; '
                   . 'CHARSET=utf-7'],
    ['one charset twice', 'Content-Type: application/json; charset=utf-8; '
                        . 'charset=utf-8'],
    ['a charset with spaces', 'Content-Type: application/json; charset = utf-7'],
    ['another charset in a second list',
     'Content-Type: application/json, application/json; charset=utf-7'],
    ['an open quote', 'Content-Type: application/json; charset="utf-8'],
    ['a quote that is escaped', 'Content-Type: application/json; x="\\"; '
                              . 'charset=utf-7'],
    ['another type', 'Content-Type: text/plain'],
    ['another type', 'Content-Type: text/json'],
    ['a form', 'Content-Type: application/x-www-form-urlencoded'],
    ['a form', 'Content-Type: multipart/form-data; boundary=x'],
    ['many documents', 'Content-Type: application/x-ndjson'],
    ['a type that only begins so', 'Content-Type: application/jsonp'],
    ['a type that only ends so', 'Content-Type: text/x+json'],
    ['a suffix alone', 'Content-Type: application/+json'],
    ['no subtype', 'Content-Type: application/'],
    ['an empty type', 'Content-Type:'],
    ['no type', 'Content-Type: ; charset=utf-8'],
    ['a type with a space', 'Content-Type: application /json'],
    ['octets behind it', 'Content-Type: application/json x'],
    ['two types', "Content-Type: application/json\r\nContent-Type: "
                . 'application/json; charset=utf-7'],
    ['one type twice', "Content-Type: application/json\r\ncontent-type: "
                     . 'application/json'],
    ['gzip', 'Content-Encoding: gzip'],
    ['deflate', 'Content-Encoding: identity, deflate'],
    ['gzip in a second header',
     "Content-Encoding: identity\r\nContent-Encoding: gzip"],
    ['gzip in a first header',
     "Content-Encoding: gzip\r\ncontent-encoding: identity"],
    ['no coding', 'Content-Encoding: none'],
    ['a coding with a parameter', 'Content-Encoding: identity;q=1'],
);

for my $case (@refused) {
    my ($name, $header) = @$case;

    subtest "SEC-02 $name: " . ($header =~ s/\r\n/, /gr) => sub {
        for my $uri ('/as-aee', '/signed', '/as-vcp') {
            my $answer = sent($uri, aee(), $header);

            is($answer->{status}, 415, $uri);
            is($service->count, 0, 'nothing went on');
            like($answer->{body}, qr/protocol-unsupported/, 'the code');
        }

        my $answer = sent('/as-c2a', { jsonrpc => '2.0', id => 1,
                                       method => 'ping' }, $header);

        is($answer->{status}, 415);
        is($answer->{json}{error}{data}{code}, 'protocol-unsupported',
           'in the words of the only protocol there');

        is(sent('/dry', aee(), $header)->{status}, 202, 'a dry run tells it');
    };
}


subtest 'SEC-02 header names that applications fold together are not forwarded' => sub {
    is(sent('/as-aee', aee(), 'Content-Type: application/json',
            'Content_Type: application/json; charset=utf-7',
            'content.encoding: gzip', 'Content_Encoding: gzip',
            'Content_Length: 1', 'Transfer_Encoding: chunked')->{status}, 202);
    is_deeply(told(), ['Content-Type: application/json']);
    is($service->last->{headers}{content_length}, undef);
    is($service->last->{headers}{transfer_encoding}, undef);
};


subtest 'SEC-02 the gateway does not wait for the body' => sub {
    my $c = $client->connect;

    $c->write("POST /as-aee HTTP/1.1\r\nHost: localhost\r\n"
              . 'Authorization: ' . bearer('alice') . "\r\n"
              . "Content-Type: text/plain\r\nContent-Length: 100\r\n"
              . "Expect: 100-continue\r\n\r\n");

    is($c->answer->{status}, 415);
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
