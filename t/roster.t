# parley_roster: the subscribers of a handle, and the principals that may read
# them.

use strict;
use warnings;

use lib 't/lib';

use JSON::PP ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    locations => <<'EOT'));
        location /ruled/ {
            parley_jwt on;
            parley_stream channel;
            parley_allow type=subscribe principal=agent.bob to=agent.alice;
            parley_allow type=subscribe principal=agent.bob to=~acme;
            parley_allow type=subscribe principal=agent.alice to=~acme;
        }
        location /roster/ {
            parley_jwt on;
            parley_roster channel;
            parley_allow type=roster principal=agent.bob to=agent.alice;
            parley_allow type=roster principal=agent.dave to=agent.alice;
            parley_allow type=roster principal=agent.bob to=~acme;
        }
        location = /declares {
            parley_jwt on;
            parley_submit channel declares=3;
        }
        location /coarse/ {
            parley_jwt on;
            parley_roster channel counts=coarse;
            parley_allow type=roster principal=agent.*;
        }
EOT

my $client = Parley::Client->new(port => port(1), tls => 0);


sub roster {
    my ($who, $of, %o) = @_;

    return $client->send($o{method} // 'GET', ($o{uri} // '/roster/') . $of,
                         undef, $who ? (Authorization => bearer($who)) : ());
}


# Returns the sessions of a roster, once there are n.
sub sessions {
    my ($who, $of, $n) = @_;

    my $until = time + 20;
    my $json;

    do {
        $json = roster($who, $of)->{json};
        sleep 0.05 if $json->{count} != $n;
    } until $json->{count} == $n || time > $until;

    return $json->{sessions};
}


subtest 'ACH-28: a stream says that nothing is retained' => sub {
    my $stream = listen_to('alice', session => 'none');

    is_deeply($stream->opened->{json}, { retention => { count => 0, ms => 0 } });
    $stream->leave;
};


subtest 'ACH-25: the caller\'s own sessions, of every worker' => sub {
    sessions('alice', '~alice', 0);

    is_deeply(roster('alice', '~alice')->{json},
              { handle => '~alice', count => 0, sessions => [] });

    my @streams = map { listen_to('alice', session => "s$_",
                                  instrument => "cc-$_") } 1 .. 4;
    my $answer = roster('alice', '');

    is($answer->{status}, 200);
    is($answer->{headers}{'cache-control'}, 'no-store');
    is($answer->{json}{count}, 4);
    is_deeply([map { [@$_{qw(session instrument protocol)}] }
               @{ $answer->{json}{sessions} }],
              [map { ["s$_", "cc-$_", 'channel'] } 1 .. 4], 'sorted');
    like($answer->{json}{sessions}[0]{since}, qr/^\d{4}-\d\d-\d\dT.*Z$/);

    $streams[1]->leave;

    is_deeply([map { $_->{session} } @{ sessions('alice', '~alice', 3) }],
              [qw(s1 s3 s4)], 'who left is gone');
};


subtest 'ACH-25: other principals\' sessions, if a rule allows it' => sub {
    my $own = listen_to('alice', session => 'own');
    my $other = listen_to('bob', uri => '/ruled/~alice', session => 'own');

    is_deeply([map { $_->{session} } @{ sessions('bob', '~alice', 2) }],
              ['bob/own', 'own'], 'who listens by a rule is told as such');
    is_deeply([map { $_->{session} } @{ sessions('alice', '~alice', 2) }],
              ['bob/own', 'own'], 'to the owner too');

    my $third = roster('dave', '~alice')->{json};

    is_deeply([map { $_->{session} } @{ $third->{sessions} }], ['own'],
              'and to no third one');
    is($third->{count}, 1);

    for my $case (['carol', '~alice', 403], ['bob', '~carol', 403],
                  ['bob', '~nobody', 403], ['', '~alice', 401],
                  ['bob', 'no handle', 400])
    {
        my ($who, $of, $expected) = @$case;
        my $answer = roster($who, $of =~ s/ /%20/r);

        is($answer->{status}, $expected, "$who asks for $of");
        ok($answer->{json}{code}, $answer->{json}{code});
    }

    my $misspelt = roster('alice', '~alice?session=own');

    is($misspelt->{json}{code}, 'field-invalid', 'it has no arguments');
    is($misspelt->{json}{field}, 'session');
    like($misspelt->{json}{message}, qr/the argument \S+ is unknown, this request has none/);

    is(roster('alice', '~alice', method => 'POST')->{status}, 405);
    is(roster('alice', '~alice', method => 'HEAD')->{status}, 405);
};


subtest 'ACH-25: coarse counts for others' => sub {
    my @streams = map { listen_to('alice') } 1 .. 3;

    sessions('alice', '~alice', 3);

    is_deeply(roster('dave', '~alice', uri => '/coarse/')->{json},
              { handle => '~alice', count => 2 });
    is(roster('alice', '~alice', uri => '/coarse/')->{json}{count}, 3,
       'the owner is told all');
};


subtest 'ACH-25: each member of an organisation sees its own' => sub {
    my @streams = map { listen_to($_, uri => '/ruled/~acme', session => 's') }
                  qw(alice bob);

    is_deeply([map { $_->{session} } @{ sessions('bob', '~acme', 1) }],
              ['bob/s']);
    is(roster('alice', '~acme')->{status}, 403, 'a member needs a rule too');
};


sub intent {
    my $who = shift;

    return frame($who, 'dave', kind => 'intent_declare', payload => {
        convergence_class => 'ci.pull-request', payload_ref => 'pr-1',
        acted_by => "~$who", drafted_with => "~cc-$who\@1.0",
        declared_at => timestamp(), ttl => 60000,
        withdrawable => JSON::PP::true });
}


sub flush {
    my $who = shift;

    return frame($who, 'dave', kind => 'flush_executed', payload => {
        convergence_class => 'ci.pull-request', result_ref => 'pr-2',
        executed_at => timestamp() });
}


sub declares {
    my $answer = submit($_[0], uri => $_[1] // '/declares');

    return $answer->{json}{code} // $answer->{status};
}


subtest 'ACH-29: declared intents are limited' => sub {
    is(declares(intent('alice')), 200, "intent $_") for 1 .. 3;

    my $answer = submit(intent('alice'), uri => '/declares');

    is($answer->{status}, 429);
    is($answer->{json}{code}, 'rate-limited');
    cmp_ok($answer->{headers}{'retry-after'}, '>', 3000, 'for the hour');
    cmp_ok($answer->{headers}{'retry-after'}, '<=', 3600);

    is(declares(frame('alice', 'dave')), 200, 'other kinds are not');
    is(declares(intent('carol')), 200, 'nor are others');
    is(declares(flush('carol')), 200);
    is(declares(intent('alice')), 'rate-limited', "another's flush is none");
    is(declares(intent('alice'), '/channel/frames'), 200,
       'where there is no limit');

    is(declares(flush('alice')), 200);
    is(declares(intent('alice')), 200, "intent $_ again") for 1 .. 3;
    is(declares(intent('alice')), 'rate-limited');
};


subtest 'ACH-29: declarations at the same time are counted, on both workers' => sub {
    is(declares(intent('bob')), 200);

    my @connections = map { $client->connect } 1 .. 12;

    $_->write($client->request('POST', '/declares', jcs(intent('bob')),
                               Authorization => bearer('bob'),
                               'Content-Type' => 'application/json'))
        for @connections;

    my @status = sort map { $_->answer->{status} } @connections;

    is_deeply(\@status, [200, 200, (429) x 10]);
};


subtest 'ACH-29: both are counted' => sub {
    my $status = Parley::Status->new(port => port(1));

    is($status->metric('parley_intents_declared_total'), 11);
    is($status->metric('parley_flushes_total'), 2);
};


subtest 'ACH-29: invalid numbers' => sub {
    for my $word (qw(0 1000001 -1 many)) {
        my ($rc, $said) = Parley::Nginx->check(http => streams_http(
            submit => "channel declares=$word"));

        like($said, qr/"declares=$word" is not (?:a number|in the range); /);
        like($said, qr/; expected 1 to 1000000 in /);
    }
};


subtest 'ACH-25: the sessions of a worker that was killed are gone' => sub {
    my @streams = map { listen_to('carol', session => "s$_") } 1 .. 10;

    is(scalar @{ sessions('carol', '~carol', 10) }, 10);

    my ($pid) = $nginx->error_log =~ /start worker process (\d+)/;

    kill 'KILL', $pid;

    my $left = grep { !$_->ends(1) } @streams;

    is(scalar @{ sessions('carol', '~carol', $left) }, $left,
       "$left are left");
};


$nginx->stop;

is_deeply([grep { /\[(?:alert|crit|emerg|error)\]/
                  && !/exited on signal 9/ } split /^/m, $nginx->error_log],
          [], 'nothing is amiss');

done_testing();
