# The audit log, from outside.  Every verdict has its lines, the chains
# continue over reloads, killed workers and rotation, and messages are refused
# if the log cannot be written.

use strict;
use warnings;

use lib 't/lib';

use Digest::SHA qw(sha256_hex);
use MIME::Base64 qw(decode_base64);
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool qw(tool json);
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $client = Parley::Client->new(port => port(1));
my $dir = tmp_dir();
my $log = "$dir/audit.jsonl";
my $keys = spew("$dir/gateway-public.json", jwks(gateway_key()));
my $aee = 'parley_accept aee; parley_jwt on;';

sub configuration {
    return gateway_http(
        more => "parley_audit $log checkpoint=1s;",
        server =>
            location('/ruled', "$aee parley_deny intent=ops.secret; "
                             . 'parley_allow intent=**;')
          . location('/down', $aee, port(4))
          . location('/dry', "$aee parley_dry_run on; "
                           . 'parley_deny intent=ops.secret; '
                           . 'parley_allow intent=**;')
          . location('/first', "$aee error_page 502 = \@second;", port(4))
          . location('@second', $aee)
          . location('/guarded', 'parley_accept vcp; parley_jwt on; '
                               . 'parley_redact /payload/reason mask;'));
}

my $nginx = Parley::Nginx->start(workers => 2, http => configuration());


# Returns the records of a file.
sub records {
    my ($file) = @_;

    return map { from_json($_) } grep { /^\{.*\}$/ }
               split /\n/, slurp($file // $log);
}


# Waits for the outcome of a message, or its verdict.  Returns both, or undef.
sub about {
    my ($id, $whole) = @_;

    my $until = time + 20;

    while (time < $until) {
        my @all = records();
        my ($verdict) = grep { $_->{event} eq 'verdict'
                               && ($_->{id} // '') eq $id } @all;
        my ($outcome) = grep { $_->{event} eq 'outcome' && $verdict
                               && $_->{chain} eq $verdict->{chain}
                               && $_->{of} == $verdict->{seq} } @all;

        return ($verdict, $outcome)
            if $verdict && ($outcome || $whole);
        sleep 0.02;
    }

    return;
}


sub verify_log {
    my @files = @_;

    my ($status, $out, $err) = tool('audit', 'verify', '--keys', $keys,
                                    @files ? @files : $log);

    return wantarray ? ($status, $out, $err) : $status;
}


# Waits until every checkpoint that is due was written.
sub covered {
    my $until = time + 20;

    while (time < $until) {
        my (undef, $out) = tool('audit', 'verify', '--json', '--keys', $keys,
                                $log);
        my ($total) = grep { exists $_->{ok} } map { from_json($_) }
                      split /\n/, $out;

        return 1 if $total && $total->{open} == 0;
        sleep 0.1;
    }

    return 0;
}


subtest 'OPS-06 C2A-27 a message that passed, and its outcome' => sub {
    my $m = aee(payload => { token => 'PAYLOAD-SECRET' });

    $service->script('$c->answer(200, [], jcs(result($q->{json})))');
    is($client->raw(post('/aee', $m))->{status}, 200, 'answered');

    my ($verdict, $outcome) = about($m->{id});
    my ($said) = slurp($log);

    is_deeply([@$verdict{qw(principal protocol upstream type intent from to id
                            correlation verdict location remote)}],
              ['alice', 'aee', 'aee', 'task', 'ops.backup.run', 'agent.alice',
               'agent.bob', $m->{id}, $m->{corr}, 'passed', '/aee',
               '127.0.0.1'], 'the verdict');
    is($verdict->{digest}, sha256_hex(jcs($m)),
       'the digest of its canonical form');
    ok(!exists $verdict->{code} && !exists $verdict->{payload}, 'no more');
    is_deeply([@$outcome{qw(id outcome settled status)}],
              [$m->{id}, 'answered', 'taken', 200], 'what came of it');
    unlike($said, qr/PAYLOAD-SECRET/, 'no payload');
};


subtest 'OPS-06 the line of the verdict is there before the message goes on'
    => sub
{
    my $m = aee();

    $service->script("my \$log = '$log'; " . <<'EOS');
        open my $in, '<', $log;
        my $there = grep { /"id":"\Q$q->{json}{id}\E"/ } <$in>;
        $c->answer($there == 1 ? 202 : 500);
EOS
    is($client->raw(post('/aee', $m))->{status}, 202, 'the service sees it');
    $service->script('$c->take');
};


subtest 'OPS-06 a message that was refused' => sub {
    my $m = aee(intent => 'ops.secret');

    is($client->raw(post('/ruled', $m))->{status}, 403, 'refused');

    my ($verdict) = about($m->{id}, 1);

    is_deeply([@$verdict{qw(principal verdict step code id intent)}],
              ['alice', 'refused', 'policy', 'policy-refused', $m->{id},
               'ops.secret'], 'its line');
    is($verdict->{digest}, sha256_hex(jcs($m)), 'its digest');

    sleep 0.1;
    is(scalar(grep { ($_->{id} // '') eq $m->{id} } records()), 1,
       'and no other');
};


subtest 'OPS-06 a message that the gateway answers' => sub {
    my $m = aee(to => 'service.parley', intent => 'aee.capability.list',
                payload => {});

    is($client->raw(post('/aee', $m))->{status}, 200, 'answered');

    my ($verdict) = about($m->{id}, 1);
    is_deeply([@$verdict{qw(verdict step)}], ['answered', 'local'],
              'its line');
};


subtest 'OPS-06 a dry run' => sub {
    my ($good, $bad) = (aee(), aee(intent => 'ops.secret'));

    is($client->raw(post('/dry', $_))->{status}, 202, 'goes on')
        for $good, $bad;

    my ($verdict, $outcome) = about($good->{id});
    is_deeply([$verdict->{verdict}, $outcome->{outcome}, $outcome->{status}],
              ['dry-passed', 'untouched', 202], 'what would pass');

    ($verdict, $outcome) = about($bad->{id});
    is_deeply([@$verdict{qw(verdict code)}, $outcome->{outcome}],
              ['dry-refused', 'policy-refused', 'untouched'],
              'what would not');
};


subtest 'OPS-06 a service that fails' => sub {
    my $m = aee();

    is($client->raw(post('/down', $m))->{status}, 502, 'failed');

    my ($verdict, $outcome) = about($m->{id});
    is_deeply([$verdict->{verdict}, @$outcome{qw(outcome code settled status)}],
              ['passed', 'failed', 'upstream-unavailable', 'free', 502],
              'and that is said');
};


subtest 'OPS-06 GW-24 a message that continues in another location has two lines' => sub {
    my $m = aee();

    is($client->raw(post('/first', $m))->{status}, 202, 'continued');

    my ($verdict, $outcome) = about($m->{id});
    is_deeply([@$verdict{qw(verdict location)}, $outcome->{outcome}],
              ['passed', '/first', 'answered'], 'its lines');

    sleep 0.1;
    is(scalar(grep { ($_->{id} // '') eq $m->{id} } records()), 2,
       'and no other');
};


subtest 'OPS-06 GW-21 a client that left' => sub {
    my $m = aee();

    $service->script('$c->pause(1.5); $c->take');

    my $c = $client->connect;
    $c->write(post('/aee', $m));
    sleep 0.5;
    $c->leave;

    my ($verdict, $outcome) = about($m->{id});
    is_deeply([$verdict->{verdict}, @$outcome{qw(outcome settled)}],
              ['passed', 'answered', 'taken'], 'its answer came');
    is($outcome->{left}, true(), 'and nobody was there');

    $service->script('$c->take');
};


subtest 'OPS-06 GW-26 a message that did not arrive completely' => sub {
    my $before = scalar grep { ($_->{verdict} // '') eq 'nginx' } records();

    my $part = $client->begin('/aee', '{"v":',
                              Authorization => bearer('alice'),
                              'Content-Length' => 99);

    # its head and its token were read
    sleep 0.5;
    $part->leave;

    my @whole;
    my $until = time + 20;

    until (@whole > $before || time > $until) {
        sleep 0.05;
        @whole = grep { ($_->{verdict} // '') eq 'nginx' } records();
    }

    is($whole[-1]{principal}, 'alice', 'has a line');
    ok(!exists $whole[-1]{digest}, 'without a digest');
};


subtest 'OPS-06 refusals of unproven callers have lines, and are limited' => sub {
    my $before = scalar records();

    for (1 .. 200) {
        $client->raw(post('/aee', aee(), token => 'Bearer forged'));
    }

    sleep 1.3;
    my @new = (records())[$before .. scalar(records()) - 1];
    my @refused = grep { $_->{event} eq 'verdict' } @new;
    my @sums = grep { $_->{event} eq 'suppressed' } @new;
    my $sum = 0;

    $sum += $_->{count} for @sums;

    is($refused[0]{code}, 'token-invalid', 'the code');
    is($refused[0]{remote}, '127.0.0.1', 'the address');
    ok(!exists $refused[0]{principal}, 'nobody');
    cmp_ok(scalar @refused, '<', 120, scalar(@refused) . ' lines');
    is(@refused + $sum, 200, 'the others are summed up');
    my %codes = map { %{ $_->{codes} } } @sums;
    ok($codes{'token-invalid'} || $codes{'rate-limited'}, 'by their codes');

    # a proven caller always has a line, for any number of messages
    my @ids;

    for (1 .. 60) {
        my $m = aee(intent => 'ops.secret');
        push @ids, $m->{id};
        $client->raw(post('/ruled', $m));
    }

    sleep 0.1;
    my %seen = map { ($_->{id} // '') => 1 } records();
    is(scalar(grep { !$seen{$_} } @ids), 0, 'of somebody: each');
};


subtest 'VCP-29 an emergency has its payload, redacted' => sub {
    my $m = escalation(severity => 'emergency', requires_ack => true(),
                       reason => "REASON-SECRET {\"audit\":1,\"chain\":\"");
    my $grave = escalation(severity => 'critical', requires_ack => true(),
                           reason => 'CRITICAL-SECRET');
    my $open = escalation(severity => 'emergency', requires_ack => true(),
                          reason => "all \xc3\xa4\n{\"audit\":1,\"chain\":\"0.1");

    $client->raw(post('/guarded', $_)) for $m, $grave;
    $client->raw(post('/vcp', $open));

    my ($verdict) = about($m->{message_id}, 1);
    my $payload = from_json($verdict->{payload});

    is($payload->{severity}, 'emergency', 'the payload');
    isnt($payload->{reason}, $m->{payload}{reason}, 'but for its reason');

    ($verdict) = about($open->{message_id}, 1);
    is_deeply(from_json($verdict->{payload}),
              { %{ $open->{payload} }, reason => "all \x{e4}\n"
                                               . '{"audit":1,"chain":"0.1' },
              'elsewhere the whole');

    ($verdict) = about($grave->{message_id}, 1);
    ok(!exists $verdict->{payload}, 'of no other');
    unlike(slurp($log), qr/REASON-SECRET|CRITICAL-SECRET/, 'nowhere');
    unlike(slurp($log), qr/[^\x20-\x7e\n]/, 'ASCII alone');

    # a message that is refused before the redaction
    my $late = escalation(severity => 'emergency', requires_ack => true(),
                          reason => 'LATE-SECRET');
    $late->{timestamp} = timestamp(-3600);

    is($client->raw(post('/guarded', $late))->{status}, 422, 'too old');
    ($verdict) = about($late->{message_id}, 1);
    is($verdict->{code}, 'message-stale', 'has its line');
    is(from_json($verdict->{payload})->{severity}, 'emergency', 'its payload');
    unlike(slurp($log), qr/LATE-SECRET/, 'redacted as well');

    # a message in another protocol
    my $task = aee(to => 'agent.lead', intent => 'vcp.escalation',
                   payload => $open->{payload});

    $client->raw(post('/aee', $task));
    ($verdict) = about($task->{id}, 1);
    is(from_json($verdict->{payload} // '{}')->{severity}, 'emergency',
       'in AEE, too');

    # the next messages are alice's, and her emergencies have suspended her
    is($client->raw(post('/vcp', constraint(), as => 'lead'))->{status}, 200,
       'her parent resumes her');

    is(verify_log(), 0, 'a line within a line is none');
};


subtest 'OPS-06 a checkpoint is signed, as OpenSSL verifies it' => sub {
    ok(covered(), 'all lines are known');

    my ($checkpoint) = grep { $_->{event} eq 'checkpoint' } reverse records();
    my $sig = delete $checkpoint->{sig};

    is(scalar(@{ $checkpoint->{heads} }), 2, 'two heads');
    is($checkpoint->{kid}, 'gateway-1', 'the key');
    ok(verify(gateway_key(), jcs($checkpoint), decode_base64($sig)),
       'the signature');

    $checkpoint->{seq}++;
    ok(!verify(gateway_key(), jcs($checkpoint), decode_base64($sig)),
       'of nothing else');

    my ($status, $out) = verify_log();
    is($status, 0, 'parley audit verify');
    like($out, qr/^\d+ lines, (\d+) checkpoints, \1 of them signed by /m,
         'signed by this key');
    like($out, qr/ these keys: nothing is wrong$/m, 'and nothing is wrong');
};


subtest 'OPS-06 tampering is found, and named' => sub {
    ok(covered(), 'all lines are known');

    my @lines = split /(?<=\n)/, slurp($log);
    my %verdicts;

    for my $i (0 .. $#lines) {
        my ($of) = $lines[$i] =~ /"chain":"([^"]+)","seq":\d+/;
        push @{ $verdicts{$of} }, $i
            if $lines[$i] =~ /"intent":"ops.(?:backup.run|secret)"/;
    }

    # a line in the middle of the longer chain

    my ($most) = sort { @$b <=> @$a } values %verdicts;
    my $at = $most->[@$most / 2];
    my $n = $at + 1;
    my ($chain, $seq) = $lines[$at] =~ /"chain":"([^"]+)","seq":(\d+)/;
    my ($prev) = grep { $lines[$_] =~ /^\{"audit":1,"chain":"\Q$chain\E"/ }
                 reverse 0 .. $at - 1;

    my %kinds = (
        edited => [sub { $_[0][$at] =~ s/"intent":"ops/"intent":"oqs/ },
                   qr/line \d+: the line does not continue line $seq: one/],
        removed => [sub { splice @{ $_[0] }, $at, 1 },
                    qr/\Q$chain\E, line \d+: lines $seq to $seq of the chain/],
        repeated => [sub { splice @{ $_[0] }, $at, 0, $_[0][$at] },
                     qr/:@{[$n + 1]}: chain \Q$chain\E, line $seq: the line follows/],
        swapped => [sub { @{ $_[0] }[$prev, $at] = @{ $_[0] }[$at, $prev] },
                    qr/chain \Q$chain\E, line $seq: lines/],
        inserted => [sub { splice @{ $_[0] }, $at, 0, "hello\n" },
                     qr/:$n: this is not a line of an audit log/],
        cut => [sub { splice @{ $_[0] }, $at, 1,
                      substr($_[0][$at], 0, 200) . "\n" },
                qr/lines $seq to $seq of the chain are missing/],
    );

    for my $kind (sort keys %kinds) {
        my ($do, $says) = @{ $kinds{$kind} };
        my @copy = @lines;

        $do->(\@copy);
        my $file = spew("$dir/$kind.jsonl", join '', @copy);
        my ($status, undef, $err) = verify_log($file);

        is($status, 1, $kind);
        like($err, $says, 'what, and where');
    }

    # a chain without any lines left, and one without its end
    my $gone = spew("$dir/gone.jsonl",
                    join '', grep { !/^\{"audit":1,"chain":"\Q$chain\E"/ }
                                  @lines);
    is(verify_log($gone), 1, 'a whole chain');

    my @mine = grep { $lines[$_] =~ /^\{"audit":1,"chain":"\Q$chain\E"/ }
               0 .. $#lines;
    my %cut = map { $_ => 1 } @mine[@mine / 2 .. $#mine];
    my $cut = spew("$dir/end.jsonl",
                   join '', map { $cut{$_} ? () : $lines[$_] } 0 .. $#lines);
    my ($status, undef, $err) = verify_log($cut);
    is($status, 1, 'the end of a chain');
    like($err, qr/its end was cut off|its lines|missing/, 'is said');

    # a change that is found only with a key
    my @forged = @lines;
    my (%hash, %seen);

    $forged[$at] =~ s/"intent":"ops/"intent":"oqs/;

    for (@forged) {
        chomp;
        my ($c) = /"chain":"([^"]+)"/;
        s/"prev":"[0-9a-f]+"/"prev":"$hash{$c}"/ if $hash{$c};
        my ($s) = /"seq":(\d+)/;
        s/(\{"chain":"([^"]+)","seq":(\d+),"hash":")[0-9a-f]+/
          $1 . ($seen{"$2 $3"} \/\/ die)/ge if /"event":"checkpoint"/;
        $hash{$c} = $seen{"$c $s"} = sha256_hex($_);
        $_ .= "\n";
    }

    my $forged = spew("$dir/forged.jsonl", join '', @forged);
    ($status, my $out) = tool('audit', 'verify', $forged);
    is($status, 0, 'somebody who computes all digests anew');
    like($out, qr/Without keys, a log that was forged/, 'which is said');
    ($status, undef, $err) = verify_log($forged);
    is($status, 1, 'has no key');
    like($err, qr/the signature of the checkpoint does not verify/, 'is found');
};


subtest 'OPS-06 lines that no checkpoint covers are counted' => sub {
    ok(covered(), 'all lines are known');

    my @lines = split /(?<=\n)/, slurp($log);
    my ($last) = grep { $lines[$_] =~ /"event":"checkpoint"/ }
                 reverse 0 .. $#lines;
    my ($before) = grep { $lines[$_] =~ /"event":"checkpoint"/ }
                   reverse 0 .. $last - 1;
    my $m = aee();

    $client->raw(post('/aee', $m));
    about($m->{id});

    @lines = split /(?<=\n)/, slurp($log);
    my ($at) = grep { $lines[$_] =~ /"id":"\Q$m->{id}\E"/ } 0 .. $#lines;

    my $file = spew("$dir/open.jsonl", join '', @lines[0 .. $at]);
    my ($status, $out) = verify_log($file);
    is($status, 0, 'nothing is wrong');
    like($out, qr/1 behind the last checkpoint$/m, 'one line');
    like($out, qr/^No checkpoint covers the last 1 lines/m, 'is said');
};


subtest 'OPS-06 USR1: the chains continue in a new file' => sub {
    my $m = aee();

    rename $log, "$log.1" or die "$log: $!\n";
    kill 'USR1', $nginx->pid;

    ok($nginx->wait_for(qr/\] \d+#\d+: reopening logs/, 3), 'told');
    sleep 0.3;
    ok(-e $log, 'it is there');
    is($client->raw(post('/aee', $m))->{status}, 202, 'a message');

    my ($verdict) = about($m->{id});
    cmp_ok($verdict->{seq}, '>', 10, 'its chain goes on');

    ok(!grep({ $_->{event} eq 'start' } records()), 'none begins');

    my ($status, $out, $err) = verify_log("$log.1", $log);
    is($status, 0, 'both files, in order') or diag($out, $err);
    is($err, '', 'nothing is missing');

    ($status, undef, $err) = verify_log($log);
    is($status, 0, 'the second alone');
    like($err, qr/line \d+: the chain's lines up to \d+ are not in the given/,
         'and that others were before');

    ($status, undef, $err) = verify_log($log, "$log.1");
    is($status, 1, 'not in the other order');
};


subtest 'OPS-06 GW-12 a reload: chains end, others begin, nothing is lost'
    => sub
{
    my $stop = "$dir/stop";
    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        my @sent;

        until (-e $stop && @sent > 10) {
            my $m = aee();
            my $answer = eval { $client->raw(post('/aee', $m)) };
            push @sent, $m->{id} if $answer && $answer->{status} == 202;
        }

        spew("$dir/sent", join "\n", @sent);
        POSIX::_exit(0);
    }

    for (1 .. 3) {
        sleep 0.3;
        ok($nginx->reload, 'reloaded');
    }

    spew($stop, '');
    waitpid $pid, 0;
    unlink $stop;

    my @sent = split /\n/, slurp("$dir/sent");
    my @all = records();
    my %verdict = map { $_->{id} => $_ }
                  grep { $_->{event} eq 'verdict' && $_->{id} } @all;
    my %outcome = map { ("$_->{chain} $_->{of}" => 1) }
                  grep { $_->{event} eq 'outcome' } @all;

    cmp_ok(scalar @sent, '>', 10, scalar(@sent) . ' messages');
    is(scalar(grep { !$verdict{$_} } @sent), 0, 'each has its verdict');
    is(scalar(grep { my $v = $verdict{$_};
                     $v && !$outcome{"$v->{chain} $v->{seq}"} } @sent), 0,
       'and what came of it');

    my ($status, $out, $err) = verify_log("$log.1", $log);
    is($status, 0, 'the chains are whole') or diag($err);
    like($out, qr/, ended$/m, 'those of the old workers have ended');
};


subtest 'OPS-06 kill -9: every written line is there, and verified' => sub {
    ok(covered(), 'all lines are known');

    for (1 .. 20) {
        $client->raw(post('/aee', aee()));
    }

    my @all = records();
    my ($chain) = map { $_->{chain} } grep { $_->{event} eq 'verdict' }
                  reverse @all;
    my ($start) = grep { $_->{event} eq 'start' && $_->{chain} eq $chain }
                  @all;
    my ($last) = grep { $_->{chain} eq $chain } reverse @all;

    kill 'KILL', $start->{process};

    ok($nginx->wait_for(qr/worker process $start->{process} exited on signal 9/,
                        1), 'killed');

    my $head;
    my $until = time + 20;

    until ($head || time > $until) {
        sleep 0.1;
        ($head) = grep { $_->{chain} eq $chain && $_->{seq} >= $last->{seq} }
                  map { @{ $_->{heads} } }
                  grep { $_->{event} eq 'checkpoint' && $_->{chain} ne $chain }
                  records();
    }

    ok($head, 'its last line stands in the next checkpoint');

    my $m = aee();
    is($client->raw(post('/aee', $m))->{status}, 202, 'another goes on');
    ok(about($m->{id}), 'and writes');

    my ($status, undef, $err) = verify_log("$log.1", $log);
    is($status, 0, 'nothing is wrong') or diag($err);

    my @lines = split /(?<=\n)/, slurp($log);
    my ($at) = grep { $lines[$_] =~ /^\{"audit":1,"chain":"\Q$chain\E"/ }
               reverse 0 .. $#lines;
    splice @lines, $at, 1;
    is(verify_log("$log.1", spew("$dir/killed.jsonl", join '', @lines)), 1,
       'nor can its end be cut off');
};


subtest 'OPS-06 the end: every chain ends with a checkpoint' => sub {
    $nginx->stop;

    my ($status, $out, $err) = verify_log("$log.1", $log);
    is($status, 0, 'nothing is wrong') or diag($err);
    unlike($out, qr/behind the last checkpoint/, 'all lines are known');
    unlike($nginx->error_log, qr/\[(?:alert|emerg|crit)\] (?!.*signal 9)/,
           'no alert');
};


subtest 'OPS-06 the arguments of parley audit verify' => sub {
    my ($status, $out, $err) = tool('audit', 'verify');
    is($status, 2, 'without a file');

    ($status, undef, $err) = tool('audit', 'verify', "$dir/none.jsonl");
    is($status, 2, 'a file that is not there');
    like($err, qr/none\.jsonl: No such file/, 'which it says');

    ($status, $out) = tool({ in => slurp("$log.1") }, 'audit', 'verify', '-');
    is($status, 0, 'standard input');

    my $wrong = spew("$dir/alice.json", jwks(person('alice')->{key}));
    ($status, undef, $err) = tool('audit', 'verify', '--keys', $wrong, $log);
    is($status, 1, 'keys of somebody else');
    like($err, qr/signed with a key that was not given/, 'which it says');

    ($status, $out) = tool('audit', 'verify', '--json', '--keys', $wrong,
                           $log);
    my @said = map { from_json($_) } split /\n/, $out;
    is($status, 1, '--json');
    is($said[-1]{ok}, false(), 'a total');
    is($said[-1]{faults}, grep({ ($_->{finding} // '') eq 'fault' } @said),
       'of what was found');
    ok(grep({ $_->{chain} && $_->{lines} } @said), 'and of the chains');
};


done_testing();
