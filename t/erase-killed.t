# ACH-28: after a worker was killed while it deleted, everything can still be
# deleted.  Only for the module whose state answers later (make test-later).

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Never;
use Parley::Nginx;
use Parley::Streams;

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    more => 'parley_retain count=300 time=1h; parley_self service.parley;',
    locations => 'location = /aee { parley_jwt on; parley_submit aee; }'));
my $client = Parley::Client->new(port => port(1), tls => 0);

my $note = aee(type => 'event', intent => 'ops.note');
my @delete = ('DELETE', "/channel/stream/~bob?id=$note->{id}", '',
              Authorization => bearer('alice'));


sub fetched {
    return submit(aee(to => 'service.parley', intent => 'aee.context.fetch',
                      payload => { id => $note->{id} }),
                  uri => '/aee', as => 'alice')->{json}{type};
}


subtest 'ACH-28: a deletion that a killed worker began is completed' => sub {
    is(submit($note, uri => '/aee', as => 'alice')->{status}, 202);
    is(fetched(), 'result', 'it is retained');

    never('drop');

    my $connection = $client->connect;

    $connection->write($client->request(@delete));
    ok(!$connection->fill(0.3), 'under way');

    my @workers = $nginx->error_log =~ /start worker process (\d+)/g;

    kill 'KILL', @workers;
    ok($nginx->wait_for(qr/start worker process/, 2 * @workers), 'others come');
    never();

    is($client->send(@delete)->{json}{erased}, 1, 'they find it');
    is(fetched(), 'error', 'and it is gone everywhere');
    is($client->send(@delete)->{json}{erased}, 0, 'once');
};

$nginx->stop;

done_testing;
