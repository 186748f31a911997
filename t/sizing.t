# docs/capacity.md has the octets of the zone that a message takes.  The test
# fills the zone with messages and compares.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(root port slurp);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

use constant ZONE => 256 * 1024;

my %page = slurp(root() . '/docs/capacity.md')
           =~ /^\| (an? [^|]+?) \| (\d+) \| (?:`parley_window`|its )/mg;

# A service that speaks VCP and acknowledges; the other one, nginx itself,
# accepts everything without an answer.
my $vcp = Parley::Upstream->start(port(3), '$c->answer(200, [], jcs({ '
    . 'status => "accepted", message_id => $q->{json}{message_id}, '
    . 'reply => { %{ $q->{json} }, message_id => uuid7(), '
    . 'timestamp => timestamp(), '
    . 'sender => $q->{json}{recipient}, recipient => $q->{json}{sender}, '
    . 'payload => { %{ $q->{json}{payload} }, requires_ack => false, '
    . 'reason => "ACK:$q->{json}{message_id}" } } }))');

sub http {
    return http_config(zone => 'agents:' . ZONE . ' share=100%')
    . 'server { listen 127.0.0.1:%PORT_1% ssl; keepalive_requests 100000; '
    . 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%; '
    . 'parley_jwt on; access_log off; proxy_http_version 1.1; '
    . 'proxy_set_header Connection ""; '
    . 'location /same { parley_accept aee; proxy_pass http://service; } '
    . 'location /vcp { parley_accept aee; parley_speak vcp; '
    . 'proxy_pass http://service; } '
    . 'location /answered { parley_accept aee; parley_speak vcp; '
    . 'proxy_pass http://127.0.0.1:%PORT_3%; } } '
    . 'upstream service { server 127.0.0.1:%PORT_2%; keepalive 8; } '
    . 'server { listen 127.0.0.1:%PORT_2%; keepalive_requests 100000; '
    . 'access_log off; location / { return 202; } }';
}

my $client = Parley::Client->new(port => port(1));
my $token = bearer('alice');


# Returns a task that has an equivalent in VCP, and that the VCP service
# acknowledges.
sub task {
    my ($severity, $priority) = @_;

    return aee(type => 'task', intent => 'vcp.escalation',
               priority => $priority // 'normal', to => 'agent.lead',
               payload => { severity => $severity // 'warning', reason => 'disk is full',
                            context => 'ctx|work', requires_ack => true });
}


# Returns the number of messages that pass before the zone is full.
sub fits {
    my ($uri, $make) = @_;

    # an empty zone
    my $nginx = Parley::Nginx->start(workers => 1, http => http());
    my $connection = $client->connect;

    for my $n (0 .. 20_000) {
        $connection->write($client->request('POST', $uri, jcs($make->()),
            Authorization => $token, Connection => 'keep-alive'));

        my $answer = $connection->answer;
        $connection->{buffer} = '';

        next if $answer->{status} =~ /^20[02]$/;
        is($answer->{status}, 503, "$uri: full after $n") or diag($answer->{body});

        return $n;
    }

    return 0;
}


my %fits = (
    'an event, or a task of the service\'s own protocol' =>
        fits('/same', sub { aee() }),
    'a translated task that waits for its answer' =>
        fits('/vcp', \&task),
    'a translated task, once it is answered' =>
        fits('/answered', \&task),
    'an escalation that may go up' =>
        fits('/vcp', sub { task('critical', 'high') }),
);

for (sort keys %fits) {
    my $octets = ZONE / ($fits{$_} || 1);
    note("$_: $octets");
    ok($page{$_}, "the page has a number for $_") or next;
    cmp_ok(abs($octets - $page{$_}), '<=', 0.1 * $page{$_},
           "GW-12 $_: $page{$_} octets");
}

done_testing();
