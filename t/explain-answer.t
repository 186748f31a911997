# parley explain --answer: handles the answer as the gateway does.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port tmp_dir spew);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool ();
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $nginx = Parley::Nginx->start(http => gateway_http());
my $client = Parley::Client->new(port => port(1));
my $file = tmp_dir() . '/answer.json';


sub explained {
    my ($uri, $m, @o) = @_;

    return Parley::Tool::tool({ in => $m }, 'explain', '--conf',
                              $nginx->dir . '/nginx.conf', '--location', $uri,
                              '--token', bearer('alice'), @o);
}


# Replaces random values and times.
sub masked {
    return $_[0] =~ s/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/ID/gr
                 =~ s/\d{4}-\d\d-\d\dT[\d:.]+Z/TIME/gr;
}


# each: name, location, the service's status, its answer to a message, the
# effect on the message's id
my @cases = (
    ['a result as it came', '/aee', 200, sub { jcs(result($_[0])) }, 'passed'],
    ['a failure that may come again', '/aee', 200,
     sub { jcs(failure($_[0], retryable => JSON::PP::true)) }, '-'],
    ['what is no answer', '/aee', 200, sub { '{"x":1}' }, 'passed'],
    ['an answer to somebody else', '/aee', 200,
     sub { jcs(result($_[0], corr => 'nobody-asked-this-1')) }, 'passed'],
    ['what was cut, with its length', '/aee', 200, sub { '{"v":"1","id' },
     'passed'],
    ['a status of failure', '/aee', 503, sub { '{"x":1}' }, '-'],
    ['another protocol\'s answer', '/to-aee', 200, sub { jcs(result($_[0])) },
     'passed'],
    ['another protocol\'s failure', '/to-aee', 200, sub { jcs(failure($_[0])) },
     'passed'],
);

for my $case (@cases) {
    my ($what, $uri, $status, $says, $settled) = @$case;

    subtest "GW-16 GW-27 GW-12 $what" => sub {
        my $m = jcs($uri eq '/aee' ? aee()
                    : sign_vcp(vcp(), person('alice')->{key}));
        my (undef, $sent) = explained($uri, $m);
        my $answer = $says->(from_json($sent));

        spew($file, $answer);
        $service->script('$c->answer(' . $status . ', ["Content-Type", '
                         . '"application/json"], q(' . $answer . '))');

        my $got = $client->raw(post($uri, $m));
        my (undef, $out, $err) = explained($uri, $m, '--answer', $file,
                                         '--status', $status);

        is(masked($out), masked($got->{body}) . "\n", 'the same answer');
        like($err, qr/^answer +HTTP \Q$got->{status}\E /m, 'and status');
        like($err, qr/^settle +\Q$settled\E /m, 'and what becomes of the id');

        (undef, $out) = explained($uri, $m, '--answer', $file, '--status',
                                $status, '--json');
        my ($step) = grep { $_->{step} eq 'settle' }
                          @{ Parley::Tool::json($out)->{steps} };

        is($step->{verdict}, $settled, 'in JSON');
    };
}


subtest 'GW-16 GW-05 losses of an answer are named, and its error only once' => sub {
    my $m = jcs(sign_vcp(vcp(), person('alice')->{key}));
    my (undef, $sent) = explained('/to-aee', $m);

    spew($file, jcs(result(from_json($sent))));

    my (undef, undef, $err) = explained('/to-aee', $m, '--answer', $file);

    like($err, qr/^answer .*; Parley-Loss: answer=\S/m, 'the loss')
        or diag($err);

    spew($file, '{"v":"1","id":"x"}');
    (undef, undef, $err) = explained('/aee', jcs(aee()), '--answer', $file);

    like($err, qr{^answer +refused +upstream-invalid /id: must be }m,
         'the member is said once') or diag($err);
};


subtest 'GW-16 a refused message has no answer' => sub {
    my ($status, undef, $err) = explained('/aee', jcs(aee(v => '2')),
                                        '--answer', $file);

    is($status, 1, 'refused');
    unlike($err, qr/^settle/m, 'nothing came back');

    ($status, undef, $err) = explained('/aee', jcs(aee()), '--status', 200);
    is($status, 2, '--status is that of an answer');
    like($err, qr/--status without --answer/, 'it is said');
};


done_testing;
