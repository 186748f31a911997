# Messages if the audit log cannot be written, and the errors of nginx -t for
# parley_audit.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port slurp tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $client = Parley::Client->new(port => port(1));
my $ruled = 'parley_accept aee; parley_jwt on; '
          . 'parley_deny intent=ops.secret; parley_allow intent=**;';


sub configuration {
    my (%o) = @_;

    return gateway_http(more => $o{audit},
                        server => location('/ruled', $ruled)
                                . location('/dry', "$ruled parley_dry_run on;"));
}


for my $what (['refuse', ''], ['refuse', ' on_error=refuse'],
              ['pass', ' on_error=pass'])
{
    my ($then, $word) = @$what;

    subtest "OPS-06 a full disk:$word $then" => sub {
        my $full = Parley::Nginx->start(http => configuration(
            audit => "parley_audit /dev/full$word;"));
        my $m = aee();

        $service->clear;
        $service->script('$c->take');

        for (1 .. 3) {
            my $answer = $client->raw(post('/aee', $m));

            if ($then eq 'refuse') {
                is($answer->{status}, 503, 'refused');
                is($answer->{json}{payload}{code}, 'E_CAPACITY', 'capacity');
                like($answer->{raw}, qr/^Retry-After: 1\r$/m, 'for now');

            } else {
                is($answer->{status}, $_ == 1 ? 202 : 409, 'passed');
            }
        }

        is($service->count, $then eq 'pass' ? 1 : 0, 'what was forwarded');

        is($client->raw(post('/aee', aee(to => 'service.parley',
               intent => 'aee.capability.list', payload => {})))->{status},
           $then eq 'pass' ? 200 : 503, 'the gateway itself');
        is($client->raw(post('/dry', aee()))->{status}, 202,
           'a dry run refuses nothing');
        is($client->raw(post('/ruled', aee(intent => 'ops.secret')))->{status},
           403, 'what is refused is refused');

        is($full->logged(qr{\[alert\].* write\(\) to "/dev/full" failed}), 1,
           'the error log says it once');
        like($full->error_log, $then eq 'pass'
             ? qr/messages continue without a line/ : qr/messages are refused with/,
             'and what follows');

        $full->stop;
    };
}


subtest 'OPS-06 AEE-26 a message that cannot be recorded changes nothing' => sub {
    my $log = tmp_dir() . '/audit.jsonl';
    my $kept = Parley::Nginx->start(workers => 1, http => configuration(
        audit => "parley_audit $log; parley_retain count=100 time=1h;"));
    my $m = aee();
    my $reopened = 0;

    my $own = sub {
        my ($intent, %payload) = @_;
        return $client->raw(post('/aee', aee(from => person('bob')->{aee},
            to => 'service.parley', intent => "aee.context.$intent",
            payload => { id => $m->{id}, %payload }), as => 'bob'));
    };
    my $reopen = sub {
        kill 'USR1', $kept->pid;
        $reopened++;
        for (1 .. 50) {
            my @told = $kept->error_log =~ /reopening logs/g;
            last if @told >= 2 * $reopened;
            select undef, undef, undef, 0.1;
        }
        select undef, undef, undef, 0.3;
    };

    $service->clear;
    $service->script('$c->take');
    is($client->raw(post('/aee', $m))->{status}, 202, 'a task');

    rename $log, "$log.1" or die "$log: $!\n";
    symlink '/dev/full', $log or die "$log: $!\n";
    $reopen->();

    my $answer = $own->('refute', reason => 'unwritten');
    is($answer->{status}, 503, 'refused');
    is($answer->{json}{payload}{code}, 'E_CAPACITY', 'capacity');

    unlink $log or die "$log: $!\n";
    $reopen->();

    $answer = $own->('fetch');
    is($answer->{status}, 200, 'written again');
    ok(!@{ $answer->{json}{payload}{refutations} // [] },
       'what was refused is not there');
    like((split /\n/, slurp($log))[0], qr/"lost":1,/,
         'one line is lost for one message');

    is($own->('refute', reason => 'written')->{status}, 200, 'a refutation');
    is(scalar @{ $own->('fetch')->{json}{payload}{refutations} }, 1,
       'which is there');
    is(scalar(() = slurp($log) =~ /"event":"verdict".*"verdict":"answered"/g),
       3, 'each was written once');

    $kept->stop;
};


subtest 'OPS-06 without parley_audit nothing is written' => sub {
    my $none = Parley::Nginx->start(http => configuration(audit => ''));

    is($client->raw(post('/aee', aee()))->{status}, 202, 'passed');
    unlike($none->error_log, qr/audit/, 'no audit');
};


# each: words, the error of nginx -t
for (['', qr/invalid number of arguments/],
     ['a$b', qr/"parley_audit": "a\$b" is not a file; expected a path without variables/],
     ['a b', qr/"parley_audit": "b" is unknown; expected on_error=refuse/],
     ['a on_error=no', qr/"parley_audit": "on_error=no" is unknown/],
     ['a checkpoint=0', qr/"parley_audit": "checkpoint=0" is not in the range; expected 1s to 1d/],
     ['a checkpoint=2d', qr/"parley_audit": "checkpoint=2d" is not in the range/],
     ['a on_error=pass on_error=pass', qr/is duplicate/],
     ['/nonexistent/a', qr/open\(\) "\/nonexistent\/a" failed/])
{
    my ($words, $says) = @$_;
    my ($status, $said) = Parley::Nginx->check(http => configuration(
        audit => "parley_audit $words;"));

    is($status, 1, "OPS-06 nginx -t: parley_audit $words;");
    like($said, $says, 'why');
}


done_testing();
