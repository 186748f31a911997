# Prometheus reads the Prometheus text.

use strict;
use warnings;

use lib 't/lib';

use IPC::Open2;
use JSON::PP ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tmp_dir spew);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Upstream;

my ($promtool, $prometheus)
    = map { my $name = $_; (grep { -x } map { "$_/$name" }
                            split /:/, $ENV{PATH})[0] }
          qw(promtool prometheus);

plan skip_all => 'there is no prometheus' if !$promtool || !$prometheus;

my $service = Parley::Upstream->start(port(2));
my $nginx = Parley::Nginx->start(workers => 2, http => gateway_http(
    server => 'location /metrics { parley_status; }'));
my $client = Parley::Client->new(port => port(1));
my $status = Parley::Status->new(port => port(3), uri => '/metrics');

$client->raw(post('/aee', aee())) for 1 .. 3;
$client->raw(post('/aee', aee(priority => 'critical')));


subtest 'OPS-02 promtool accepts the metrics' => sub {
    my $pid = open2(my $out, my $in, "$promtool check metrics 2>&1");

    print $in $status->text;
    close $in;

    my $said = join '', <$out>;

    waitpid $pid, 0;

    is($?, 0, 'status');
    is($said, '', 'and has nothing to say about them');
};


# Returns Prometheus' answer to a query.
sub query {
    my $expression = shift;

    my $r = HTTP::Tiny->new->get('http://127.0.0.1:' . port(4)
                                 . "/api/v1/query?query=$expression");

    return [] if $r->{status} != 200;

    return JSON::PP->new->utf8->decode($r->{content})->{data}{result};
}


subtest 'OPS-02 Prometheus reads them' => sub {
    my $dir = tmp_dir() . '/prometheus';
    my $target = '127.0.0.1:' . port(3);

    mkdir $dir or die "$dir: $!\n";
    spew("$dir/prometheus.yml", <<"EOT");
global: { scrape_interval: 1s }
scrape_configs:
  - job_name: parley
    static_configs: [ { targets: ['$target'] } ]
EOT

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        open STDOUT, '>', "$dir/log";
        open STDERR, '>&', \*STDOUT;
        exec $prometheus, "--config.file=$dir/prometheus.yml",
             "--storage.tsdb.path=$dir/data",
             '--web.listen-address=127.0.0.1:' . port(4)
            or POSIX::_exit(127);
    }

    my ($up, $end) = ([], time + 30);

    while (time < $end) {
        $up = query('up');
        last if @$up && $up->[0]{value}[1] == 1;
        sleep 0.2;
    }

    is($up->[0]{value}[1], 1, 'the target is up');

    my $passed = query('parley_messages_total{verdict="passed",'
                       . 'accepted="aee",spoken="aee"}');
    is($passed->[0]{value}[1], 3, 'a counter');

    my $count = query('parley_gateway_seconds_count');
    is($count->[0]{value}[1], 4, 'a histogram');

    is(query('parley_refusals_total{code="field-invalid",by="gateway"}')
       ->[0]{value}[1], 1, 'a refusal by its code');

    kill TERM => $pid;
    waitpid $pid, 0;
};


done_testing;
