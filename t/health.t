# The answer of aee.status.health about the zone, and the cost of the question.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;

# the service is nginx itself, which is fast
sub start {
    my $zone = shift;

    my $in = 'parley_accept aee; parley_jwt on; access_log off; '
           . 'proxy_http_version 1.1; proxy_set_header Connection ""; '
           . 'proxy_pass http://service;';

    return Parley::Nginx->start(http => http_config(zone => $zone)
        . 'server { listen 127.0.0.1:%PORT_1% ssl; keepalive_requests 100000; '
        . 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%; '
        . "location /in { $in } "
        . "location /limited { parley_rate 1000r/s burst=1000; $in } } "
        . 'upstream service { server 127.0.0.1:%PORT_2%; keepalive 8; } '
        . 'server { listen 127.0.0.1:%PORT_2%; keepalive_requests 100000; '
        . 'access_log off; location / { return 202; } }');
}

my $nginx;
my $client = Parley::Client->new(port => port(1));
my %token = map { $_ => bearer($_) } qw(alice bob);


sub question {
    my $who = shift;

    return aee(from => "agent.$who", to => 'service.parley',
               intent => 'aee.status.health', payload => {}, @_);
}


# Returns the gateway's answer about its health.
sub health {
    my ($who, $uri, $message) = @_;

    my $answer = $client->raw(post($uri // '/in', $message // question($who),
                                   as => $who));
    my $said = $answer->{json}{payload};

    return $answer->{status} == 200
           ? "$said->{status} $said->{checks}{zone}"
           : "$answer->{status} $said->{code}";
}


# Sends messages of alice until one is refused; returns the number accepted,
# and that answer.
sub fill {
    my $connection = $client->connect;

    for my $n (0 .. 20_000) {
        $connection->write($client->request('POST', '/in', jcs(aee()),
            Authorization => $token{alice}, Connection => 'keep-alive'));

        my $answer = $connection->answer;
        $connection->{buffer} = '';

        return ($n, $answer) if $answer->{status} != 202;
    }

    return;
}


for my $zone ('agents:1m', 'agents:128k') {
    $nginx->stop if $nginx;
    $nginx = start("$zone share=100%");

    subtest "AEE-22 an idle zone is healthy, $zone" => sub {
        is(health('alice'), 'healthy ok');
        is(health('bob', '/limited'), 'healthy ok');
    };
}


subtest 'AEE-22 the question uses no entry of the window' => sub {
    my $message = question('alice');

    is(health('alice', '/in', $message), 'healthy ok');
    is(health('alice', '/in', $message), 'healthy ok', 'no duplicate');
};


subtest 'AEE-22 a full zone says so, to every caller' => sub {
    my ($n, $answer) = fill();

    is($answer->{json}{payload}{code}, 'E_CAPACITY', "full after $n messages");

    my $message = question('alice');

    is(health('alice', '/in', $message), 'unhealthy full', 'who has filled it');
    is(health('alice', '/in', $message), 'unhealthy full', 'once more');
    is(health('bob'), 'unhealthy full', 'who has nothing there');

    is($client->raw(post('/in', aee(from => 'agent.bob'),
                         as => 'bob'))->{json}{payload}{code}, 'E_CAPACITY',
       'and whose message would be refused');
};


subtest 'AEE-22 also with a rate' => sub {
    is(health($_, '/limited'), 'unhealthy full', $_) for 'alice', 'bob';
};


is($nginx->logged(qr/\[(?:alert|emerg)\]/), 0, 'nothing alarming');

done_testing;
