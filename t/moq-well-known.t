# MOQ-08: parley_moq_endpoint tells agents where MoQ connections are taken.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;

my $http = http_config();
my $nginx = Parley::Nginx->start(http => "$http\n" . <<'EOT');
server {
    listen 127.0.0.1:%PORT_3%;
    parley_jwt on audience=agents;
    parley_trusted on;

    location = /.well-known/a2a {
        parley_moq_endpoint moqt://api.example.com/moq;
    }
    location = /ported {
        parley_moq_endpoint MOQT://[2001:DB8::1]:4433/moq/v1?a=b;
    }
    location = /proven {
        parley_moq_endpoint moqt://api.example.com/moq;
        parley_jwt on audience=agents;
        parley_allow principal=alice;
    }
    location = /denied {
        parley_moq_endpoint moqt://api.example.com/moq;
        deny all;
    }
}
EOT
my $client = Parley::Client->new(port => port(3), tls => 0);
my $document = { moq_endpoint => 'quic://api.example.com:443',
                 moqt_uri => 'moqt://api.example.com/moq' };


sub asked {
    my ($method, $path, @headers) = @_;

    return $client->raw("$method $path HTTP/1.1\r\nHost: a\r\n"
                        . join('', map { "$_\r\n" } @headers)
                        . "Content-Length: 0\r\nConnection: close\r\n\r\n");
}


subtest 'MOQ-08 GET of the document, without a token' => sub {
    my $answer = asked('GET', '/.well-known/a2a');

    is($answer->{status}, 200);
    is_deeply(from_json($answer->{body}), $document);
    is($answer->{headers}{'content-type'}, 'application/json');
    is($answer->{headers}{'cache-control'}, 'public, max-age=300');
    is($answer->{headers}{'x-content-type-options'}, 'nosniff');

    is_deeply(from_json(asked('GET', '/.well-known/a2a',
                              'Authorization: Bearer none')->{body}),
              $document, 'a token is not read');
};


subtest 'MOQ-08 HEAD has the headers of GET and no body' => sub {
    my $get = asked('GET', '/.well-known/a2a');
    my $head = asked('HEAD', '/.well-known/a2a');

    is($head->{status}, 200);
    is($head->{body}, '');
    is($head->{headers}{$_}, $get->{headers}{$_}, $_)
        for qw(content-type content-length cache-control);
};


subtest 'MOQ-08 other methods are refused' => sub {
    for my $method (qw(POST PUT DELETE OPTIONS)) {
        my $answer = asked($method, '/.well-known/a2a');

        is($answer->{status}, 405, $method);
        is($answer->{headers}{allow}, 'GET, HEAD');
    }
};


subtest 'MOQ-08 a port, an address of IPv6 and a query' => sub {
    is_deeply(from_json(asked('GET', '/ported')->{body}),
              { moq_endpoint => 'quic://[2001:DB8::1]:4433',
                moqt_uri => 'MOQT://[2001:DB8::1]:4433/moq/v1?a=b' });
};


subtest 'MOQ-08 a location that asks for a token' => sub {
    is(asked('GET', '/proven')->{status}, 401, 'none');
    is(asked('POST', '/proven')->{status}, 401, 'none, and a wrong method');

    my $answer = asked('GET', '/proven', 'Authorization: '
                       . bearer('alice', aud => 'agents'));

    is($answer->{status}, 200, 'a token') or diag($answer->{body});
    is_deeply(from_json($answer->{body}), $document);
    is($answer->{headers}{'cache-control'}, 'private, max-age=300');

    is(asked('GET', '/proven', 'Authorization: '
             . bearer('bob', aud => 'agents'))->{status}, 403,
       'a caller that no rule allows');
};


subtest "MOQ-08 nginx's access control applies" => sub {
    is(asked('GET', '/denied')->{status}, 403);
};


done_testing();
