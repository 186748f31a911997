# SEC-24: a rule about only the caller (principal=, role=, scope=) holds for
# every request of a location, also for requests that need no rule.  Plain HTTP
# has one rule: an endpoint that changes or shows private data accepts a token
# over TLS only, unless parley_trusted is on.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port tmp_dir tls);
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Upstream;
use Parley::Websocket;

my $service = Parley::Upstream->start(port(2));
my ($cert, $key) = tls();

# rules that refuse only dave
my %rules = (
    principal => 'parley_deny principal=~dave; parley_allow principal=**;',
    spelled => 'parley_deny principal=agent://ops.example/dave; '
             . 'parley_allow principal=**;',
    role => 'parley_deny role=guest; parley_allow principal=**;',
    scope => 'parley_deny scope=visit; parley_allow principal=**;',
    ordered => 'parley_deny intent=ops.delete; parley_deny principal=dave; '
             . 'parley_allow principal=**;',
    only => 'parley_allow principal=alice;',
    only_role => 'parley_allow role=ops;',
    only_scope => 'parley_allow scope=ops:run;',
    # dave may not send the messages that alice may
    shared => 'parley_allow principal=alice type=chat.deliver; '
            . 'parley_deny principal=**;',
);

my %places = (
    c2a => 'parley_accept c2a; parley_speak c2a; '
         . 'proxy_pass http://127.0.0.1:%PORT_2%;',
    aee => 'parley_accept c2a; parley_speak aee; '
         . 'proxy_pass http://127.0.0.1:%PORT_2%;',
    mcp => 'parley_mcp channel hold=1s;',
    submit => 'parley_submit c2a;',
    stream => 'parley_stream channel;',
    roster => 'parley_roster channel;',
    ws => 'parley_websocket channel;',
    keys => 'parley_keys;',
);

my $nginx = Parley::Nginx->start(workers => 1, http => http());


sub http {
    my $locations = '';

    for my $rule (sort keys %rules) {
        $locations .= "location /$_/$rule/ { "
            . ($_ eq 'stream' || $_ eq 'ws' ? 'parley_jwt on tickets=30s; '
                                            : 'parley_jwt on; ')
            . "$places{$_} $rules{$rule} }\n" for sort keys %places;
    }

    my $plain = 'location /control/ { parley_jwt on; parley_control; '
              . "parley_allow type=control; }\n";

    $plain .= "location /$_/ { parley_jwt on"
        . ($_ eq 'stream' || $_ eq 'ws' ? ' tickets=30s' : '')
        . "; $places{$_} }\n" for sort keys %places;

    return streams_http(
        identities => streams_identities(
            alice => { roles => ['ops'] }, dave => { roles => ['guest'] },
            bob => { parent => 'alice' }),
        more => 'parley_retain count=100 time=1h;',
        locations => $locations) . <<"EOT";
    server {
        listen 127.0.0.1:%PORT_3%;
        $plain
        location /trusted/ { parley_trusted on; parley_jwt on;
                             parley_roster channel; }
        location /trusted-mcp/ { parley_trusted on; parley_jwt on;
                                 $places{mcp} }
        location /trusted-control/ { parley_trusted on; parley_jwt on;
                                     parley_control;
                                     parley_allow type=control; }
    }
    server {
        listen 127.0.0.1:%PORT_6% ssl;
        ssl_certificate     $cert;
        ssl_certificate_key $key;
        $plain
    }
EOT
}


sub rpc {
    my ($method, $params) = @_;

    return jcs({ jsonrpc => '2.0', id => 1, method => $method,
                 params => $params // {} });
}


my %version = (protocolVersion => '2025-06-18', capabilities => {},
               clientInfo => { name => 't', version => '1' });
my $initialized = jcs({ jsonrpc => '2.0',
                        method => 'notifications/initialized' });

# requests that need no rule: [name, method, path, body]
my @rpc = (['initialize', rpc('initialize', \%version)], ['ping', rpc('ping')],
           ['initialized', $initialized]);

my @requests = (
    (map { my $place = $_; map { ["$_->[0] at $place", 'POST', "/$place/%s/",
                                  $_->[1]] } @rpc } qw(c2a aee submit mcp)),
    ['tools/list before AEE', 'POST', '/aee/%s/', rpc('tools/list')],
    ['tools/list at mcp', 'POST', '/mcp/%s/', rpc('tools/list')],
    ['an answer at mcp', 'POST', '/mcp/%s/',
     jcs({ jsonrpc => '2.0', id => 1, result => {} })],
    ['the own roster', 'GET', '/roster/%s/'],
    ['a ticket', 'POST', '/stream/%s/'],
    ['a ticket of a WebSocket', 'POST', '/ws/%s/'],
    ['keys', 'GET', '/keys/%s/?sub=bob'],
    ['a DELETE of all', 'DELETE', '/stream/%s/~WHO?all=1'],
);


sub ask {
    my ($who, $port, $tls, $method, $path, $body) = @_;

    my $client = Parley::Client->new(port => port($port), tls => $tls);

    return $client->raw($client->request($method, $path =~ s/WHO/$who/r,
        $body,
        Authorization => bearer($who, scope => $who eq 'dave' ? 'visit'
                                               : 'ops:run'),
        Accept => 'application/json, text/event-stream',
        defined $body ? ('Content-Type' => 'application/json') : ()));
}


sub opens {
    my ($who, $kind, $path, %o) = @_;

    my $token = bearer($who, scope => $who eq 'dave' ? 'visit' : 'ops:run');
    my $got = $kind eq 'ws' ? websocket($who, uri => $path, token => $token,
                                        %o)
                            : listen_to($who, uri => $path, token => $token,
                                        %o);
    my $status = $got->status;

    $got->leave if $status == 200 || $status == 101;

    return $status;
}


for my $rule (sort keys %rules) {
    my (@passed, @refused);

    $service->clear;

    for my $r (@requests) {
        my ($name, $method, $path, $body) = @$r;

        $path = sprintf $path, $rule;

        my $answer = ask('dave', 1, 0, $method, $path, $body);

        push @passed, "$name: $answer->{status} $answer->{body}"
            if $answer->{status} != 403
               && ($answer->{body} // '') !~ /policy-refused|scope-unauth/;
    }

    is(scalar $service->requests, 0, "SEC-24 $rule: nothing of his arrives");

    for my $r (@requests) {
        my ($name, $method, $path, $body) = @$r;
        my $answer = ask('alice', 1, 0, $method, sprintf($path, $rule), $body);

        push @refused, "$name: $answer->{status} $answer->{body}"
            if $answer->{status} == 403;
    }

    for my $kind ('stream', 'ws') {
        is(opens('dave', $kind, "/$kind/$rule/~dave"), 403,
           "SEC-24 $rule: $kind does not open");
        is(opens('alice', $kind, "/$kind/$rule/~alice"),
           $kind eq 'ws' ? 101 : 200, "SEC-24 $rule: alice's $kind does");
    }

    is_deeply(\@passed, [], "SEC-24 $rule: he is refused whatever he asks");
    is_deeply(\@refused, [], "SEC-24 $rule: alice is not");
}


# ---- plain HTTP

my @private = (
    ['list of control', 'GET', '/control/'],
    ['lift', 'DELETE', '/control/?sub=bob'],
    ['roster', 'GET', '/roster/'],
    ['ticket', 'POST', '/stream/'],
    ['ticket of a WebSocket', 'POST', '/ws/'],
    ['deletion', 'DELETE', '/stream/~alice?all=1'],
    ['stream', 'GET', '/stream/~alice'],
    (map { ["$_->[0] of MCP", 'POST', '/mcp/', $_->[1]] } @rpc),
    ['call of MCP', 'POST', '/mcp/', rpc('tools/call', {
        name => 'agent_advise', arguments => { recipient_handle => '~bob',
            payload => { advisory_text => 'x' } } })],
    ['new key', 'POST', '/keys/', jcs({ sub => 'bob', keys => [] })],
    ['key that goes', 'DELETE', '/keys/?sub=bob&kid=k1'],
);

for my $r (@private) {
    my ($name, @request) = @$r;
    my $answer = ask('alice', 3, 0, @request);

    is($answer->{status}, 403, "plain HTTP is refused: $name")
        or diag $answer->{body};
    like($answer->{body}, qr/needs TLS 1.2 or later/, 'and it says why')
        if $name ne 'initialized of MCP';

    next if $name eq 'stream';

    $answer = ask('alice', 6, 1, @request);
    isnt($answer->{status}, 403, "over TLS it is not: $name")
        or diag $answer->{body};
}

is(opens('alice', 'ws', '/ws/~alice', port => port(3)), 403,
   'plain HTTP is refused: a WebSocket');

for my $r (['public keys', 'GET', '/keys/?sub=bob'],
           ['the roster where peers are trusted', 'GET', '/trusted/'],
           ['control there', 'GET', '/trusted-control/'],
           ['MCP there', 'POST', '/trusted-mcp/', rpc('tools/list')])
{
    my ($name, @request) = @$r;
    my $answer = ask('alice', 3, 0, @request);

    is($answer->{status}, 200, "plain HTTP is taken: $name")
        or diag $answer->{body};
}

done_testing();
