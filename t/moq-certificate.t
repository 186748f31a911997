# Agents whose client certificate proves them on a connection of MoQ, without a
# token.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(authority client_certificate tmp_dir);
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;

plan skip_all => moq_lacks() if moq_lacks();

my $dir = tmp_dir();

authority('fleet');

my %cert = map { $_ => [client_certificate($_, subject => "/CN=$_")] }
    qw(camera viewer stranger);

my $nginx = Parley::Nginx->start(http => moq_http(
    identities => moq_identities(map {
        $_ => { certificates => [{ subject => "CN=$_" }] }
    } qw(camera viewer)),
    more => "log_format by '\$ssl_client_s_dn \$request \$status'; "
            . "access_log $dir/by.log by;",
    server => "ssl_client_certificate $dir/fleet-ca.crt; "
              . 'ssl_verify_client optional;',
    locations => <<'EOT'));
        location = /moq/shown {
            parley_certificate required;
            parley_moq messages=/agents/shown;
        }
        location = /agents/shown {
            parley_certificate required;
            parley_submit moq;
        }
EOT

my $moq = Parley::Moq->new;


sub shows {
    my ($name, $as) = @_;

    return $moq->connect($name, path => '/moq/shown', token => undef,
                         $as ? (cert => $cert{$as}[0], key => $cert{$as}[1])
                             : ());
}


subtest 'MOQ-13 a certificate proves an agent without a token' => sub {
    my $viewer = shows('viewer#1', 'viewer');
    my $c = shows('camera#1', 'camera');

    my $ack = $viewer->init(token => '');

    is($ack && $ack->{json}{status}, 'approved', 'a session');
    is($c->init(token => '')->{json}{status}, 'approved', 'another agent');
    is($viewer->subscribe($viewer->{mailbox})->{message}, 'SUBSCRIBE_OK');
    is($c->call({ action => 'ping', aee => { recipient => 'viewer' } })
       ->{json}{status}, 'accepted', 'a command');
    ok($viewer->answer(action => 'ping'), 'arrives');
    $_->close for $c, $viewer;

    open my $log, '<', "$dir/by.log" or die "by.log: $!";
    my $lines = join '', <$log>;

    like($lines, qr/^CN=camera POST .* 202$/m, 'variables of TLS');
};


subtest 'MOQ-13 another certificate, or none, proves nobody' => sub {
    for my $as ('stranger', undef) {
        my $c = shows('camera#2', $as);
        my $ack = $c->init(token => '');

        is($ack && $ack->{json}{status}, 'denied', $as // 'none');
        $c->close;
    }

    my $c = shows('camera#3', 'viewer');
    my $ack = $c->init(token => '');

    is($ack && $ack->{json}{status}, 'denied', 'that of another agent');
    $c->close;
};


$moq->stop;
done_testing();
