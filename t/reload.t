# A reload under load loses nothing and repeats nothing; removed keys are not
# used afterwards.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tmp_dir spew);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

use constant { CLIENTS => 4, RELOADS => 5 };

my $service = Parley::Upstream->start(port(2));
my $http = gateway_http();
my $nginx = Parley::Nginx->start(workers => 2, http => $http);
my $client = Parley::Client->new(port => port(1));
my $dir = tmp_dir();


# Sends a few messages, and more until the file exists, each until it was
# accepted; writes their ids.
sub sender {
    my ($n, $stop) = @_;

    my @sent;

    until (-e $stop && @sent > 5) {
        my $m = aee(payload => { n => scalar @sent });
        my $request = post('/to-aee', $m);

        for (1 .. 200) {
            my $answer = eval { $client->raw($request) } // { status => 0 };

            # the connection was closed while it was opened; a message that was
            # accepted without an answer is a duplicate now
            last if $answer->{status} == 202 || $answer->{status} == 409;
            die "$answer->{raw}\n" if $answer->{status};
            sleep 0.01;
        }

        push @sent, $m->{id};
    }

    spew("$dir/sent-$n", join "\n", @sent);
}


subtest 'GW-12 a reload under load loses nothing and repeats nothing' => sub {
    my $stop = "$dir/stop";

    $service->script('$c->pause(0.01); $c->answer(202)');
    $service->clear;

    my @pids = map {
        my $n = $_;
        my $pid = fork // die "fork: $!\n";

        if ($pid == 0) {
            eval { sender($n, $stop) };
            print STDERR "# sender: $@" if $@;
            POSIX::_exit($@ ? 1 : 0);
        }

        $pid;
    } 1 .. CLIENTS;

    my $reloads = 0;

    for (1 .. RELOADS) {
        sleep 0.5;
        $reloads += $nginx->reload;
    }

    sleep 0.3;
    spew($stop, '');

    my $failed = 0;

    for (@pids) {
        waitpid $_, 0;
        $failed++ if $?;
    }

    is($reloads, RELOADS, 'reloaded');
    is($failed, 0, 'nobody was refused');

    my %sent = map { $_ => 1 }
               map { split /\n/, Parley::Env::slurp("$dir/sent-$_") }
               1 .. CLIENTS;
    my %got;

    $got{$_->{json}{id}}++ for $service->requests;

    my @lost = grep { !$got{$_} } keys %sent;
    my @twice = grep { $got{$_} > 1 } keys %got;

    cmp_ok(scalar keys %sent, '>', 20, keys(%sent) . ' messages');
    is("@lost", '', 'each arrived');
    is("@twice", '', 'and once');
};


subtest 'GW-02 a token with a removed key is refused after a reload' => sub {
    my $new = new_key('ed25519', 'idp-2');
    my $m = aee();
    my $token = bearer('alice');

    is($client->raw(post('/aee', aee(), token => $token))->{status}, 202,
       'good, and cached');

    spew("$dir/jwks.json", jwks($new));
    ok($nginx->reload, 'the key is gone');

    my $answer = $client->raw(post('/aee', aee(), token => $token));

    is($answer->{status}, 401);
    is($answer->{json}{payload}{code}, 'E_TOKEN_INVALID');
    is($client->raw(post('/aee', aee(), token => 'Bearer '
                         . token($new, { sub => 'alice' })))->{status}, 202,
       'the new key is good');
};


subtest 'GW-02 another key with the same kid replaces it' => sub {
    my $old = new_key('ed25519', 'same-kid');
    my $new = new_key('ed25519', 'same-kid');
    my $token = 'Bearer ' . token($old, { sub => 'alice' });

    spew("$dir/jwks.json", jwks($old, idp()));
    ok($nginx->reload);
    is($client->raw(post('/aee', aee(), token => $token))->{status}, 202);

    spew("$dir/jwks.json", jwks($new, idp()));
    ok($nginx->reload);
    is($client->raw(post('/aee', aee(), token => $token))->{status}, 401);
};


subtest 'AEE-14 a signature with a removed key is refused' => sub {
    my $known = from_json(identities());

    is($client->raw(post('/vcp', vcp()))->{status}, 200);

    $known->{principals}[0]{keys} = [new_key('ed25519', 'other')->{jwk}];
    spew("$dir/identities.json", jcs($known));
    ok($nginx->reload);

    is($client->raw(post('/vcp', vcp()))->{json}{code}, 'signature-invalid');

    spew("$dir/identities.json", identities());
    ok($nginx->reload);
    is($client->raw(post('/vcp', vcp()))->{status}, 200, 'and back');
};


subtest 'GW-11 a broken key file changes nothing' => sub {
    spew("$dir/jwks.json", '{"keys": [{"kty": "OKP"');
    ok(!$nginx->reload, 'the reload is refused');
    is($client->raw(post('/aee', aee()))->{status}, 202,
       'what was there goes on');
    like($nginx->error_log, qr/\[emerg\].*jwks\.json" line 1/, 'and why');

    spew("$dir/jwks.json", jwks(idp()));
    ok($nginx->reload);
};


subtest 'GW-12 a message in progress ends on the old worker' => sub {
    my $m = aee();

    $service->script('$c->pause(1.5); $c->take');
    $service->clear;

    my $connection = $client->begin('/aee', jcs($m), Authorization =>
                                    bearer('alice'));
    ok($service->wait_for(1));
    ok($nginx->reload);

    is($client->raw(post('/aee', $m))->{json}{payload}{code},
       'E_MESSAGE_IN_FLIGHT', 'the new worker knows of it');
    is($connection->answer->{status}, 202, 'it is answered');

    $service->script(undef);
    is($client->raw(post('/aee', $m))->{json}{payload}{code},
       'E_MESSAGE_DUPLICATE', 'and remembered');
    is($service->count, 1);
};


subtest 'GW-12 a zone with another size is a new one, without errors' => sub {
    ok($nginx->reload(workers => 2, http => gateway_http(zone => 'agents:9m')));
    is($client->raw(post('/aee', aee()))->{status}, 202);
};


is($nginx->logged(qr/\[(?:alert|crit)\]/), 0, 'nothing alarming');

done_testing;
