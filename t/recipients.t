# A name in another protocol's form or in other case does not avoid a rule that
# denies the recipient (SEC-04).

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));

my %place = (
    '/aee'      => 'agent.bob',
    '/vcp'      => 'agent://ops.example/bob',
    '/c2a'      => 'agent:bob',
    '/handle'   => '~cc-bob',
    '/sub'      => 'bob',
    '/unlisted' => 'agent.secret',
);

my %o = matrix();

my $nginx = Parley::Nginx->start(http => $o{http} . "server {\n$o{server}\n"
    . join('', map { location($_, 'parley_accept aee c2a; parley_speak aee; '
                                . "parley_jwt on; parley_deny to=$place{$_}; "
                                . 'parley_allow principal=**;') }
                   sort keys %place)
    . "}\n");

my $client = Parley::Client->new(port => port(1));


sub is_denied {
    my ($place, $to) = @_;

    for my $m (aee(to => $to),
               deliver(target => { recipient => $to,
                                   directedness => 'to_me' }))
    {
        my $of = $m->{v} ? 'AEE' : 'C2A';

        is($client->raw(post($place, $m))->{status}, 403,
           "SEC-04 to=$place{$place} denies $to in $of");
    }
}


for my $place (grep { $_ ne '/unlisted' } sort keys %place) {
    is_denied($place, $_)
        for qw(agent.bob Agent.Bob agent:bob Agent:Bob ~cc-bob ~CC-bob bob Bob
               agent://ops.example/bob Agent://ops.example/BOB);
}

is_denied('/unlisted', $_)
    for qw(agent:secret agent://ops.example/secret ~secret AGENT:Secret
           secret);

is(scalar $service->requests, 0, 'SEC-04 and nothing is forwarded');

is($client->raw(post('/aee', aee(to => 'agent.lead')))->{status}, 202,
   'SEC-04 others pass');

done_testing();
