# GW-02: a token in a cookie counts for pages of the host and of the configured
# origins only.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

sub http {
    my $origin = shift // '';

    return streams_http(jwt => "parley_jwt on token=\$cookie_session $origin;",
        locations => '        location = /bearer { parley_jwt on;'
                     . ' parley_submit channel; }' . "\n");
}

my $nginx = Parley::Nginx->start(http => http(
    'origin=https://app.example origin=http://localhost:8080 '
  . 'origin=https://tenant.example:443 origin=https://*.wild.example '
  . 'origin=http://*.port.example:8080 origin=http://[::1]:80'));

my $cookie = 'session=' . (bearer('alice') =~ s/^Bearer //r);


# Returns the status of a submission with such headers.
sub submits {
    my ($port, $tls, @headers) = @_;

    my $client = Parley::Client->new(port => port($port), tls => $tls);
    my $answer = $client->post('/channel/frames', jcs(frame('alice', 'bob')),
                               Cookie => $cookie, @headers);

    return $answer->{status} == 403 ? $answer->{json}{code}
                                    : $answer->{status};
}


subtest 'GW-02: the origin of a page' => sub {
    my $host = Parley::Client->new(port => port(1), tls => 0)
               ->request('GET', '/') =~ /^Host: (\S+)\r/m ? $1 : die;

    is(submits(1, 0), 200, 'no page');

    for my $origin ("http://$host", "https://$host", 'https://app.example',
                    'http://localhost:8080', 'https://tenant.example',
                    'https://a.wild.example', 'https://b-2.wild.example',
                    'http://x.port.example:8080', 'http://[::1]')
    {
        is(submits(1, 0, Origin => $origin), 200, $origin);
    }

    for my $origin ('https://evil.example', "https://$host.evil.example",
                    "https://evil$host", 'https://app.example:444',
                    'http://app.example', 'https://app.example/', 'null', '',
                    'https://wild.example', 'https://.wild.example',
                    'https://a.b.wild.example', 'http://a.wild.example',
                    'https://a.wild.example:444', 'https://awild.example',
                    'https://evil.example/.wild.example',
                    'https://*.wild.example', 'https://u@a.wild.example',
                    'https://a.wild.example.evil.example',
                    'http://x.port.example', 'https://x.port.example:8080',
                    "ftp://$host", $host, 'https://')
    {
        is(submits(1, 0, Origin => $origin), 'scope-unauthorised', "\"$origin\"");
    }

    is(submits(1, 0, Origin => "http://$host", Origin => "http://$host"),
       'scope-unauthorised', 'two of them');

    for my $site (qw(cross-site same-site)) {
        is(submits(1, 0, 'Sec-Fetch-Site' => $site), 'scope-unauthorised',
           "$site, without an Origin");
    }

    is(submits(1, 0, 'Sec-Fetch-Site' => $_), 200, $_)
        for qw(same-origin none);

    is(submits(4, 1, Origin => "https://$host"), 200, 'over TLS');
    is(submits(4, 1, Origin => "http://$host"), 'scope-unauthorised',
       'a page over plain HTTP');
};


subtest 'ACH-20, GW-02: streams' => sub {
    my @headers = (Cookie => $cookie);

    my $stream = listen_to('alice', token => '', headers => [@headers]);

    is($stream->status, 200);

    my $evil = listen_to('alice', token => '', headers => [
        @headers, Origin => 'https://evil.example']);

    is($evil->status, 403);
    is($evil->answer->{json}{code}, 'scope-unauthorised');
};


subtest 'GW-02: a token in a header is not sent by another origin' => sub {
    my $client = Parley::Client->new(port => port(1), tls => 0);
    my $answer = $client->post('/bearer', jcs(frame('alice', 'bob')),
                               Authorization => bearer('alice'),
                               Origin => 'https://evil.example');

    is($answer->{status}, 200);
};


subtest 'invalid origins' => sub {
    for my $word ('origin=', 'origin=app.example', 'origin=https://App.example',
                  'origin=https://app.example/', 'origin=*',
                  'origin=https://user@app.example',
                  'origin=https://app..example', 'origin=https://.app.example',
                  'origin=https://app.example.', 'origin=https://app.example:',
                  'origin=https://app.example:0',
                  'origin=https://app.example:99999',
                  'origin=https://app.example:08443',
                  'origin=https://app.example,b.example',
                  'origin=https://a.*.example', 'origin=https://*',
                  'origin=https://*.', 'origin=https://*.*.example',
                  'origin=https://*app.example', 'origin=https://[::1',
                  'origin=ftp://app.example', 'origin=https://-')
    {
        my ($rc, $said) = Parley::Nginx->check(http => http($word));

        like($said, qr/"\Q$word\E".* is not an origin/, $word);
    }

    my ($rc, $said) = Parley::Nginx->check(http => streams_http(
        jwt => 'parley_jwt on origin=https://app.example;'));

    like($said, qr/has "origin=" without a/);
};

like($nginx->error_log, qr/policy-refused.*a page of this origin may not send/,
     'the log says why');
$nginx->stop;

done_testing;
