# A principal uses its share of the zone; the shares of the others stay free.

use strict;
use warnings;

use lib 't/lib';

use JSON::PP ();
use Test::More;

use Parley::Client;
use Parley::Clock;
use Parley::Env qw(port tmp_dir spew);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;

# a message takes 64 octets of 256k; tables take some octets too
use constant { WINDOW => 120, ALL => 256 * 1024 / 64 };

my $in = 'access_log off; parley_freshness past=3s future=1s; parley_window '
       . WINDOW . 's; proxy_http_version 1.1; '
       . 'proxy_set_header Connection ""; proxy_pass http://service;';

# the service is nginx itself, which is fast
my $http = sub {
    my $share = shift;

    return http_config(zone => "agents:256k$share")
    . 'server { listen 127.0.0.1:%PORT_1% ssl; keepalive_requests 100000; '
    . 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%; '
    . "location /in { parley_accept aee; parley_jwt on; $in } "
    . 'location /limited { parley_accept aee; parley_jwt on; '
    . "parley_rate 1000r/s burst=1000; $in } "
    . "location /signed { parley_accept aee; parley_signature required; $in } "
    . "location /open { parley_accept aee; parley_trusted on; $in } } "
    . 'upstream service { server 127.0.0.1:%PORT_2%; keepalive 8; } '
    . 'server { listen 127.0.0.1:%PORT_2%; keepalive_requests 100000; '
    . 'access_log off; location / { return 202; } }';
};

# no flood ends the window on a slow machine
my $clock = Parley::Clock->new;


# the gateway's principals and some more
sub start {
    my $text = $http->(shift);
    my $listed = JSON::PP::decode_json(identities());

    push @{ $listed->{principals} }, map { { sub => $_, aee => "agent.$_" } }
                                     qw(carol dave erin frank);
    spew(tmp_dir() . '/identities.json', jcs($listed));

    return $clock->start(http => $text);
}

my $nginx = start('');
my $client = Parley::Client->new(port => port(1));


# Returns messages of one sender, as their octets.  They differ only by id and
# corr for a while.  A flood that takes longer than the window would lose its
# first ids.
sub messages {
    my $who = shift;

    my ($n, $octets, @is) = 0;

    return sub {
        if ($n++ % 50 == 0) {
            my $m = aee(from => "agent.$who");
            ($octets, @is) = (jcs($m), $m->{id}, $m->{corr});
        }

        my $text = $octets;

        for my $was (@is) {
            my $other = substr($was, 0, -12) . sprintf '%012x', $n;
            $text =~ s/$was/$other/;
        }

        return $text;
    };
}


# Sends many of them over one connection; returns the number accepted, and the
# first other answer.
sub flood {
    my ($who, $n, %o) = @_;

    my $connection = $client->connect;
    my @token = $o{open} ? () : (Authorization => bearer($who));
    my $uri = $o{open} ? '/open' : '/in';
    my $next = messages($who);

    for my $i (1 .. $n) {
        $connection->write($client->request('POST', $uri, $next->(), @token,
                                            Connection => 'keep-alive'));

        my $answer = $connection->answer;
        $connection->{buffer} = '';

        return ($i - 1, $answer) if $answer->{status} != 202;
    }

    return ($n, undef);
}


sub try { return $client->raw(post(@_)) }
sub code { my $j = $_[0]{json} // {}; $j->{payload}{code} // '' }

my $heavy;


subtest 'SEC-09 one sender uses at most a quarter of the zone' => sub {
    my $answer;

    ($heavy, $answer) = flood('alice', ALL);

    ok($heavy > ALL / 6 && $heavy <= ALL / 4, "$heavy messages")
        or diag($answer->{raw});
    is($answer->{status}, 503);
    is(code($answer), 'E_CAPACITY');
    like($answer->{json}{payload}{message}, qr/share/, 'it says why');
    is($answer->{json}{payload}{retryable}, true);
    like($answer->{headers}{'retry-after'}, qr/^[1-9]\d*$/);
};


subtest 'SEC-09 another sender is not affected' => sub {
    my @status = map { try('/in', aee(from => 'agent.bob'),
                           as => 'bob')->{status} } 1 .. 60;

    is(join(' ', @status), join ' ', (202) x 60);
    is(try('/limited', aee(from => 'agent.bob'), as => 'bob')->{status}, 202,
       'where its messages are counted, too');
    is(try('/signed', aee(from => 'agent.bob'), as => 'bob', sign => 1,
           token => 0)->{status}, 202, 'nor where a signature proves it');
};


subtest 'SEC-09 nor is it by many senders that use all they can' => sub {
    my @taken = map { (flood($_, ALL))[0] } qw(carol dave erin frank);

    ok($_ > 10 && $_ <= ALL / 4, "$_ messages") for @taken;

    is(join(' ', map { try('/in', aee(from => 'agent.lead'),
                           as => 'lead')->{status} } 1 .. 20),
       join ' ', (202) x 20);
};


subtest 'SEC-09 messages without proof count for their address, with any sender' =>
sub {
    my $sum = 0;

    for my $who (qw(alice gina hugo ines)) {
        my ($n, $answer) = flood($who, ALL, open => 1);

        $sum += $n;
        is(code($answer), 'E_CAPACITY', "$n of $who") if $answer;
    }

    ok($sum > 0 && $sum <= ALL / 4, "$sum together");
    is(try('/in', aee(from => 'agent.lead'), as => 'lead')->{status}, 202);
};


subtest 'GW-12 nothing was forgotten, and all of it passes' => sub {
    $clock->forward(WINDOW + 3);

    # a store is away for a moment after this step of the clock
    for (1 .. 100) {
        last if try('/in', aee(from => 'agent.alice'), as => 'alice')->{status}
                == 202;
        select undef, undef, undef, 0.1;
    }

    my ($n) = flood('alice', ALL);

    ok($n > $heavy - 20, "$n again");
};


subtest 'SEC-09 another share' => sub {
    $nginx->stop;
    $nginx = start(' share=5%');

    my ($n) = flood('alice', ALL);

    ok($n > ALL / 30 && $n <= ALL / 20, "$n of 5 %");

    ok($nginx->reload(http => $http->(' share=10%')), 'after a reload');
    ($n) = flood('alice', ALL);
    ok($n > ALL / 30 && $n <= ALL / 10, "$n more of 10 %");
};


is($nginx->logged(qr/\[(?:alert|emerg)\]/), 0, 'nothing alarming');

done_testing;
