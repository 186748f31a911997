# Publications: the scopes that a principal may use, the number of readers, and
# the refusals.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port slurp tmp_dir);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my $log = tmp_dir() . '/audit.jsonl';

# the share of a principal in the zone is small
my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    zone => 'streams:2m share=5%',
    more => "parley_retain count=10000 time=1h; parley_audit $log;",
    locations => <<'EOT'));
        location = /coarse { parley_jwt on;
                             parley_submit channel counts=coarse; }
        location = /few { parley_jwt on; parley_submit channel max=1; }
        location = /off { parley_jwt on;
            parley_submit channel off=members,role,accord,prefix,session; }
        location = /rate { parley_jwt on; parley_submit channel;
                           parley_rate 1r/m; }
        location = /small { parley_jwt on; parley_submit channel;
                            parley_limits body=700; }
        location = /denied { parley_jwt on; parley_submit channel;
                             parley_deny to=~bob; parley_allow type=*; }
        location = /any { parley_jwt on; parley_accept aee vcp c2a;
                          parley_submit channel; }
        location = /capped { parley_jwt on; parley_submit channel;
                             parley_cap priority=normal timeout=1s; }
        location /aee/ { parley_jwt on; parley_stream aee; }
        location /vcp/ { parley_jwt on; parley_stream vcp;
                          parley_vcp_context ctx|streams;
                          parley_vcp_constitution creed://acme/streams@1;
                          parley_allow type=subscribe to=agent.carol; }
        location /c2a/ { parley_jwt on; parley_stream c2a; }
EOT


sub code {
    my $answer = submit(@_);

    return [$answer->{status}, $answer->{json}{code}, $answer->{json}{field}];
}


sub delivered { submit(@_)->{json}{delivered} }


subtest 'ACH-15, ACH-16: the seven forms of a scope' => sub {
    my %s = (
        a1 => listen_to('alice', session => 's1', instrument => 'cc-model'),
        a2 => listen_to('alice', session => 's2', instrument => 'cc-other'),
        a3 => listen_to('alice', session => 's3', instrument => 'ide'),
        b => listen_to('bob', session => 's1', instrument => 'cc-model'),
        c => listen_to('carol'),
        d => listen_to('dave'),
    );

    my $n = 0;
    my %expected = map { $_ => [] } keys %s;

    for my $case (['alice', undef, 'a1 a2 a3'],
                  ['alice', '~alice', 'a1 a2 a3'],
                  ['alice', '~alice/*', 'a1 a2 a3'],
                  ['alice', '~alice/cc-*', 'a1 a2'],
                  ['alice', '~alice/ide@s3', 'a3'],
                  ['alice', '~alice/ide@s1', ''],
                  ['alice', '~alice/none@s1', ''],
                  ['acme', 'org:~acme/members/*', 'a1 a2 a3 b'],
                  ['acme', 'org:~acme/members/ops/*', 'b'],
                  ['acme', 'org:~acme/members/none/*', ''],
                  ['peer', 'accord:~peer/grant:billing.read', 'c'])
    {
        my ($to, $scope, $who) = @$case;
        my $text = 'scope ' . $n++;
        my @who = split ' ', $who;

        is(delivered(frame('alice', $to, text => $text), scope => $scope),
           scalar @who, $scope // 'none');
        push @{ $expected{$_} }, $text for @who;
    }

    # all earlier frames arrive before this one
    submit(frame('alice', $_, text => 'last')) for qw(alice bob carol dave);

    for my $name (sort keys %s) {
        my @texts;

        while (my ($text) = texts($s{$name}->event // last)) {
            last if $text eq 'last';
            push @texts, $text;
        }

        is_deeply(\@texts, $expected{$name}, "$name has what is for it, once "
                  . 'and in order (HUB-01)');
    }
};


subtest 'ACH-15: invalid scopes' => sub {
    for my $scope ('~bob/', '~bob/x', 'bob', 'org:~acme', '~bob/@s1', '') {
        is_deeply(code(frame('alice', 'bob'), scope => $scope),
                  [400, 'field-invalid', 'scope'], "\"$scope\"");
    }

    my $query = frame('alice', 'bob', kind => 'agent_query', payload => {
        query_id => uuid4(), query_text => 'x', timeout_ms => 1,
        response_scope => 'alice' });

    like(submit($query)->{json}{message},
         qr{~handle/INSTRUMENT\@SESSION, .*/members/ROLE/\*}, 'all are told');
};


subtest 'ACH-16: a scope that the sender may not address' => sub {
    my $all = listen_to('alice');

    is_deeply(code(frame('bob', 'alice'), scope => '~bob'),
              [403, 'scope-unauthorised', 'scope'], 'of another handle');
    is_deeply(code(frame('carol', 'acme'), scope => 'org:~acme/members/*'),
              [403, 'scope-unauthorised', 'scope'], 'no member');
    is_deeply(code(frame('carol', 'acme'), scope => 'org:~acme/members/ops/*'),
              [403, 'scope-unauthorised', 'scope'], 'nor with a role');
    is_deeply(code(frame('bob', 'peer'),
                   scope => 'accord:~peer/grant:billing.read'),
              [403, 'scope-unauthorised', 'scope'], 'no grant');
    is_deeply(code(frame('alice', 'peer'),
                   scope => 'accord:~peer/grant:billing.write'),
              [403, 'scope-unauthorised', 'scope'], 'another grant');
    is_deeply(code(frame('bob', 'alice'), scope => '~alice/'),
              [400, 'field-invalid', 'scope'], 'none at all');

    submit(frame('bob', 'alice', text => 'after'));
    is_deeply([texts($all->event)], ['after'],
              'ACH-18: what was refused reaches nobody');
};


subtest 'ACH-16: membership by a claim' => sub {
    is(code(frame('dave', 'acme'), scope => 'org:~acme/members/*')->[0], 403);
};


subtest 'ACH-17: a scope that is switched off' => sub {
    for my $scope ('org:~acme/members/*', 'org:~acme/members/ops/*',
                   '~acme/cc-*', '~acme/cc@s')
    {
        is_deeply(code(frame('alice', 'acme'), scope => $scope, uri => '/off'),
                  [501, 'scope-unimplemented', 'scope'], $scope);
    }

    is_deeply(code(frame('dave', 'peer'), uri => '/off',
                   scope => 'accord:~peer/grant:x'),
              [501, 'scope-unimplemented', 'scope'], 'to anybody');
    is(code(frame('bob', 'alice'), uri => '/off')->[0], 200, 'the others are');
};


subtest 'ACH-18: validated, verified, expanded, published' => sub {
    my $all = listen_to('alice');

    for my $case (
        [frame('bob', 'alice', kind => 'agent_gossip'), 'kind-unknown',
         '/kind'],
        [frame('bob', 'alice', envelope_version => '2.0'),
         'envelope-version-unsupported', '/envelope_version'],
        [frame('bob', 'alice', more => 1), 'field-unknown', '/more'],
        [without(frame('bob', 'alice'), 'provenance_basis'), 'field-missing',
         '/provenance_basis'],
        [frame('bob', 'alice', frame_id => 'x'), 'field-invalid',
         '/frame_id'],
        [frame('carol', 'alice', acted_by => '~bob'),
         'sender-identity-mismatch', '/acted_by'],
        [frame('bob', 'alice', sender_handle => '~carol'),
         'sender-identity-mismatch', '/sender_handle', 'bob'],
        [frame('bob', 'alice', created_at => timestamp(-1000)),
         'field-invalid', '/created_at'],
        [frame('bob', 'alice', created_at => timestamp(-200), ttl_ms => 1000),
         'field-invalid', '/created_at'])
    {
        my ($frame, $code, $field, $as) = @$case;
        my $got = code($frame, $as ? (as => $as) : ());

        is_deeply([@$got[1, 2]], [$code, $field], $code);
        cmp_ok($got->[0], '>=', 400);
    }

    is(code(frame('bob', 'alice'), token => '')->[0], 401, 'no token');
    is_deeply(code(frame('bob', 'bob'), uri => '/denied')->[0], 403,
              'a rule');
    is(code(frame('bob', 'alice', text => 'x' x 600), uri => '/small')->[0],
       413, 'ACH-24: too large');

    submit(frame('bob', 'alice', text => 'after'));
    is_deeply([texts($all->event)], ['after'], 'none of them came');
};


subtest 'ACH-19: zero readers are not an error, and counts may be coarse' => sub {
    is(delivered(frame('alice', 'nobody')), 0);
    is(delivered(frame('alice', 'dave')), 0, 'nobody is there');

    my @streams;

    for my $case ([0, 0], [1, 1], [2, 2], [3, 2], [9, 2], [10, 10], [12, 10]) {
        my ($n, $told) = @$case;

        push @streams, listen_to('dave') while @streams < $n;

        is(delivered(frame('alice', 'dave'), uri => '/coarse'), $told,
           "$n are told as $told");
    }

    is(delivered(frame('alice', 'dave')), 12);
};


subtest 'ACH-24: limits of a sender and of an expansion' => sub {
    is_deeply(code(frame('alice', 'acme'), uri => '/few',
                   scope => 'org:~acme/members/*')->[0], 403,
              'more handles than a scope may name');
    is(code(frame('alice', 'acme'), uri => '/few',
            scope => 'org:~acme/members/ops/*')->[0], 200);

    is(code(frame('bob', 'alice'), uri => '/rate')->[0], 200);

    my $limited = submit(frame('bob', 'alice'), uri => '/rate');

    is($limited->{status}, 429);
    is($limited->{json}{code}, 'rate-limited');
    ok($limited->{headers}{'retry-after'});
};


# Returns the outcome of a message in the audit log: [verdict, outcome,
# settled, status].
sub audited {
    my $id = shift;

    for (1 .. 400) {
        my @lines = map { from_json($_) } grep { /\Q"id":"$id"/ }
                        split /\n/, slurp($log);

        return [$lines[0]{verdict}, @{ $lines[1] }{qw(outcome settled status)}]
            if @lines == 2;
        sleep 0.05;
    }

    return undef;
}


subtest 'OPS-06: published and refused messages have their outcome' => sub {
    my $frame = frame('alice', 'bob');

    submit($frame);
    is_deeply(audited($frame->{frame_id}),
              ['passed', 'answered', 'taken', 200]);

    $frame = frame('alice', 'acme');
    submit($frame, uri => '/few', scope => 'org:~acme/members/*');
    is_deeply(audited($frame->{frame_id}), ['passed', 'refused', 'free', 403]);
};


subtest 'ACH-26: a repeated frame is delivered once' => sub {
    my $stream = listen_to('alice');
    my $frame = frame('bob', 'alice', text => 'once');

    is(delivered($frame), 1);

    my $again = submit($frame);

    is($again->{status}, 200);
    is($again->{json}{delivered}, 0);
    is($again->{json}{frame_id}, $frame->{frame_id});

    submit(frame('bob', 'alice', text => 'after'));
    is_deeply([texts($stream->events(2))], ['once', 'after']);
};


subtest 'ACH-26: three scopes of one meaning are one scope' => sub {
    my $stream = listen_to('alice', session => 'one', instrument => 'cc-model');

    for my $first (undef, '~alice', '~alice/*') {
        my $frame = frame('bob', 'alice', text => $first // 'none');

        is(delivered($frame, scope => $first), 1, $first // 'none');
        is(delivered($frame, scope => $_), 0, ($_ // 'none') . ' again')
            for undef, '~alice', '~alice/*';
        is_deeply([texts($stream->event)], [$first // 'none'], 'comes once');
    }

    my $frame = frame('bob', 'alice', text => 'narrow');

    is(delivered($frame, scope => '~alice/cc-*'), 1, 'another scope');
    is_deeply([texts($stream->event)], ['narrow'], 'and comes');
    is(delivered($frame, scope => '~alice/ide*'), 0, 'and one without reader');
    $stream->leave;
};


subtest 'ACH-26: an expired frame is not delivered' => sub {
    my $brief = frame('bob', 'alice', text => 'brief', ttl_ms => 1000);
    my $place = listen_to('alice')->opened->{id};

    is(submit($brief)->{status}, 200);
    submit(frame('bob', 'alice', text => 'lasting'));

    sleep 1.5;

    my $late = listen_to('alice', last => $place);

    is_deeply([texts($late->event)], ['lasting'],
              'who resumes gets what lives still');
};


subtest 'ACH-26: a message that is not retained goes to present readers' => sub {
    my $stream = listen_to('alice', session => 'here');
    my $place = $stream->opened->{id};

    # each at once, in any worker

    for my $n (1 .. 8) {
        ok(delivered(frame('bob', 'alice', text => "now $n", ttl_ms => 0)));
        is_deeply([texts($stream->event)], ["now $n"], 'who is there gets it');

        my $late = listen_to('alice', session => 'late', last => $place);

        submit(frame('bob', 'alice', text => "for both $n"));
        is_deeply([texts($late->event)], ["for both $n"],
                  'who resumes at once does not');
        $place = $stream->event->{id};
        $late->leave;
    }
};


subtest 'HUB-06: other protocols submit, and listen' => sub {
    my %s = (channel => listen_to('bob'),
             aee => listen_to('bob', uri => '/aee/agent.bob'),
             vcp => listen_to('bob', uri => '/vcp/'),
             c2a => listen_to('bob', uri => '/c2a/'));
    my $alice = listen_to('alice');     # for the answers

    is($s{$_}->status, 200, $_) for sort keys %s;

    my $task = aee();
    my $answer = submit($task, uri => '/any', as => 'alice');

    is($answer->{status}, 202, 'an AEE task');

    my %got = map { $_ => $s{$_}->event } qw(aee channel c2a);

    is_deeply($got{aee}{json}, $task, 'as it was accepted');
    is($got{channel}{json}{kind}, 'agent_query');
    is($got{channel}{json}{recipient_handle}, '~bob');
    is($got{c2a}{json}{jsonrpc}, '2.0');

    my $frame = frame('alice', 'bob', text => 'from a frame');

    submit($frame);
    %got = map { $_ => $s{$_}->event } qw(aee channel c2a);

    is_deeply($got{channel}{json}, $frame);
    is($got{aee}{json}{type}, 'event');
    is($got{aee}{json}{to}, 'agent.bob');

    my $lock = aee(type => 'event', intent => 'vcp.context_share',
                   payload => { context => 'ctx|home' });

    submit($lock, uri => '/any', as => 'alice');

    my $share = $s{vcp}->event;

    is($share->{json}{type}, 'context_share',
       'what VCP can say, and nothing that came before');
    ok($nginx->wait_for(qr/of aee skipped by streams of vcp: \S+, /, 1),
       'the log says what it cannot');

    $s{$_}->event for qw(aee channel);

    my $call = Parley::Matrix::say();

    is(submit($call, uri => '/any', as => 'alice')->{status}, 200);
    %got = map { $_ => $s{$_}->event } qw(aee channel);

    is($got{channel}{json}{payload}{query_text} =~ s/\n.*//sr,
       'Is it blocked?', 'a call that does not say who sends it, nor when');
    is($got{channel}{json}{sender_handle}, '~alice');
    is($got{aee}{json}{from}, 'agent.alice');
    like($got{aee}{json}{ts}, qr/\A\d{4}-/);

    my $raw = listen_to('bob', uri => '/aee/agent.alice');

    is($raw->status, 403, 'another\'s in any protocol');
};


subtest 'HUB-06: white space around a message is not part of it' => sub {
    my %s = (channel => listen_to('bob'),
             aee => listen_to('bob', uri => '/aee/agent.bob'));

    my $alice = listen_to('alice');     # for the answers

    for my $message (frame('alice', 'bob'), aee()) {
        my $wire = $message->{v} ? 'aee' : 'channel';
        my $text = jcs($message);

        submit($message, uri => '/any', as => 'alice',
               text => "\r\n \t$text\n\r\n ");

        my %got = map { $_ => $s{$_}->event } keys %s;

        is($got{$wire}{data}, $text, "$wire, octet for octet");
    }
};


subtest 'OPS-07: a few of the messages left out by streams have log lines' => sub {
    my $line = qr/\[info\] [^\n]*of aee skipped by streams of vcp: /;
    my $sum = qr/\[info\] [^\n]*parley: (\d+) more messages skipped by streams within a second: (\S+) \d+\n/;
    my $many = 60;
    my $stream = listen_to('bob', uri => '/vcp/');
    my $other = listen_to('bob', uri => '/aee/agent.bob');

    sleep 1.1;

    my $before = $nginx->logged($line);
    my $summed = sub {
        my ($n, $log) = (0, $nginx->error_log);

        $n += $1 while $log =~ /$sum/g;

        return $n;
    };
    my $began = time;

    submit(aee(type => 'event'), uri => '/any', as => 'alice') for 1 .. $many;

    my $seconds = 2 + int(time - $began);
    my $end = time + 5;

    sleep 0.1 while $summed->() + $nginx->logged($line) - $before < $many
                    && time < $end;

    my $lines = $nginx->logged($line) - $before;

    cmp_ok($lines, '<=', 10 * $seconds, 'few');
    is($summed->() + $lines, $many, 'and the rest in a sum');

    $nginx->error_log =~ $sum;
    is($2, 'translation-unsupported', 'with why');

    $_->leave for $stream, $other;
};


subtest 'HUB-06: the path has the name of a VCP peer' => sub {
    my $diagnosis = sub {
        return frame('alice', $_[0], kind => 'peer_diagnostic_request',
                     payload => { symptom => 'slow', severity => 'info',
                                  diagnostic_id => uuid4() });
    };

    for my $case (['bob', '//ops.example/bob'], ['carol', '//ops.example/carol'],
                  ['bob', '%2F%2Fops.example%2Fbob'])
    {
        my ($name, $rest) = @$case;
        my $stream = listen_to('bob', uri => "/vcp/agent:$rest");

        is($stream->status, 200, "agent:$rest");
        is(delivered($diagnosis->($name)), 1);
        is($stream->event->{json}{recipient}, "agent://ops.example/$name");
        $stream->leave;
    }

    for my $case ([alice => 403], [nobody => 403], ['' => 400]) {
        my ($name, $status) = @$case;

        is(listen_to('bob', uri => "/vcp/agent://ops.example/$name")->status,
           $status, "another's, \"$name\"");
    }
};


subtest 'AEE-28 AEE-29: caps hold for the message in a frame' => sub {
    my $bob = listen_to('bob', uri => '/aee/agent.bob');
    my $text = "do it\n\naee.task ops.run\nid: " . uuid4()
             . "\npriority: urgent\nrequires: {\"timeout_ms\":50000}\n\n{}";

    for my $case (['/channel/frames', 'urgent', 50000],
                  ['/capped', 'normal', 1000])
    {
        my ($uri, $priority, $timeout) = @$case;

        submit(frame('dave', 'bob', kind => 'agent_query',
                     provenance_method => ['gateway-translation'],
                     provenance_basis => 'aee', payload => {
                         query_id => uuid4(), query_text => $text,
                         response_scope => '~dave/*', timeout_ms => 60000 }),
               uri => $uri);

        my $task = $bob->event->{json};

        is($task->{intent}, 'ops.run', $uri);
        is($task->{priority}, $priority, 'priority');
        is($task->{requires}{timeout_ms}, $timeout, 'deadline');
    }
};


my %valid = (
    agent_binding_moment => {
        synopsis => 'Two branches wait.', findings => ['one conflicts'],
        recommendations => ['rebase it'], offer => 'I can rebase it',
        question => { stem => 'Which base?', recommended_idx => 1,
                      options => [map { { label => "base $_",
                                          reasoning => 'it is clean' } } 1, 2],
                      hatches => { free_text => true, dialogue => true } } },
    intent_declare => {
        convergence_class => 'pr.open', payload_ref => 'pr:1',
        acted_by => '~bob', drafted_with => '~cc-bob@1.0',
        declared_at => '2026-05-22T09:00:00Z', ttl => 60000,
        withdrawable => false, urgency => 'urgent' },
    intent_withdraw => {
        convergence_class => 'pr.open', intent_ref => 'pr:1',
        withdrawn_at => '2026-05-22T09:00:00+10:00' },
    flush_executed => {
        convergence_class => 'pr.open', result_ref => 'pr:9',
        executed_at => '2026-05-22T09:00:00Z', batch_refs => ['pr:1', 'pr:2'] },
);


# Submits frames of bob to alice.  Each change is {path => value} of a valid
# frame of the kind; undef removes the member.  Alice's stream gets the frames
# that $good has, octet for octet, and those of $bad are refused with the code
# and the member.
sub shapes {
    my ($kind, $good, $bad) = @_;

    my $stream = listen_to('alice');
    my $changed = sub {
        my %change = %{ $_[0] };
        my @gone = grep { !defined $change{$_} } keys %change;
        my $frame = frame('bob', 'alice', kind => $kind,
                          $valid{$kind} ? (payload => $valid{$kind}) : ());

        delete @change{@gone};

        return without(with($frame, %change), @gone);
    };

    for my $change (@$good) {
        my $frame = $changed->($change);
        my $told = "$kind " . jcs($change);

        is_deeply([@{ submit($frame) }{qw(status)}, delivered($frame)],
                  [200, 0], "$told is published, and once");
        is($stream->event->{data}, jcs($frame), 'and comes as it was sent');
    }

    for my $case (@$bad) {
        my ($change, $code, $field) = @$case;

        is_deeply(code($changed->($change)), [400, $code, $field],
                  "$kind " . jcs($change));
    }

    submit(frame('bob', 'alice', text => 'after'));
    is_deeply([texts($stream->event)], ['after'], "no other $kind came");
    $stream->leave;
}


# Returns a refusal for each value of a member.
sub invalid {
    my ($path, @values) = @_;

    my $field = '/' . $path;

    return map { [{ $path => $_ },
                  defined $_ ? 'field-invalid' : 'field-missing', $field] }
               @values;
}


subtest 'ACH-08: ttl_ms is a non-negative integer, or absent' => sub {
    shapes('agent_advisory',
           [map { { ttl_ms => $_ } } undef, 0, 1, 60000, 9007199254740991],
           [invalid('ttl_ms', -1, 1.5, '1000', true, [1], {})]);

    my $stream = listen_to('alice');
    my $spelled = sub { jcs(frame('bob', 'alice'))
                        =~ s/^\{/{"ttl_ms":$_[0],/r };

    for my $number (qw(60000.0 6e4 18446744073709551616 1e30)) {
        my $text = $spelled->($number);

        is_deeply(code(undef, as => 'bob', text => $text)->[0], 200,
                  "ttl_ms $number");
        is($stream->event->{data}, $text, 'and comes as it was sent');
    }

    for my $value (qw(null 1e-1 -6e4)) {
        is_deeply(code(undef, as => 'bob', text => $spelled->($value)),
                  [400, 'field-invalid', '/ttl_ms'], "ttl_ms $value");
    }
};


subtest 'ACH-11: the five members of provenance' => sub {
    my $name = sub { map { { "provenance_$_[0]" => $_ } } @_[1 .. $#_] };
    my $wrong = sub { invalid("provenance_$_[0]", @_[1 .. $#_]) };

    shapes('agent_advisory',
        [$name->(compute_location => qw(server-active server-aggregate
                                        local-only)),
         $name->(method => ['session-context'], ['snapshot', 'summary']),
         $name->(return_ref => undef, 'return:1'),
         $name->(context_check => qw(passed skipped)),
         $name->(basis => 'agent-channel:advisory')],
        [$wrong->(compute_location => undef, 'server', 'Local-only', '', 1, []),
         $wrong->(method => undef, [], 'snapshot', {}),
         (map { [{ provenance_method => $_ }, 'field-invalid',
                 '/provenance_method/' . $#$_] } [1], ['x', ''], ['x', true]),
         $wrong->(return_ref => 1, [], true),
         $wrong->(context_check => undef, 'failed', '', true),
         $wrong->(basis => undef, '', 1, ['x'])]);
};


subtest 'ACH-13: the eight slots of a decision request' => sub {
    my $options = sub { [map { { label => "l$_", reasoning => 'r' } }
                             1 .. $_[0]] };
    my $question = 'payload/question';
    my $of = sub { my ($n, $idx) = @_;
                   return { "$question/options" => $options->($n),
                            "$question/recommended_idx" => $idx } };

    shapes('agent_binding_moment',
        [{}, (map { my $n = $_; map { $of->($n, $_) } 0, $n - 1 } 2 .. 4),
         (map { { "$question/hatches" => $_ } }
              undef, {}, { free_text => false },
              { free_text => false, dialogue => true },
              { free_text => true, dialogue => false }),
         { 'payload/findings' => [], 'payload/recommendations' => [] }],
        [(map { invalid("payload/$_", undef, 1) }
              qw(synopsis findings recommendations offer question)),
         (map { invalid("$question/$_", undef, 'x') }
              qw(options recommended_idx)),
         invalid("$question/stem", undef, '', 1),
         (map { [$of->($_, 0), 'field-invalid', "/$question/options"] }
              0, 1, 5),
         (map { [$of->($_->[0], $_->[1]), 'field-invalid',
                 "/$question/recommended_idx"] }
              [2, 2], [3, 3], [4, 4], [2, -1], [2, 0.5]),
         (map { invalid("$question/options/1/$_", undef, 1) }
              qw(label reasoning)),
         [{ "$question/hatches" => { free_text => false, dialogue => false } },
          'field-invalid', "/$question/hatches/dialogue"],
         (map { invalid("$question/hatches/$_", 'no', 0) }
              qw(free_text dialogue)),
         (map { [{ "$_/more" => 1 }, 'field-unknown', "/$_/more"] }
              'payload', $question, "$question/hatches",
              "$question/options/0")]);
};


subtest 'ACH-14: the three kinds of convergence' => sub {
    my %time = (intent_declare => 'declared_at',
                intent_withdraw => 'withdrawn_at',
                flush_executed => 'executed_at');
    my %ref = (intent_declare => 'payload_ref', intent_withdraw => 'intent_ref',
               flush_executed => 'result_ref');

    for my $kind (sort keys %time) {
        shapes($kind,
            [{},
             $kind eq 'intent_declare'
             ? (map({ { "payload/urgency" => $_ } } undef, 'normal'),
                { 'payload/withdrawable' => true, 'payload/ttl' => 1 })
             : $kind eq 'flush_executed'
             ? map({ { 'payload/batch_refs' => $_ } } undef, []) : ()],
            [(map { invalid("payload/$_", undef, '', 1) }
                  'convergence_class', $ref{$kind}),
             invalid("payload/$time{$kind}", undef, 'yesterday', 1779404400,
                     '2026-05-22T09:00:00'),
             [{ 'payload/more' => 1 }, 'field-unknown', '/payload/more'],
             $kind eq 'intent_declare'
             ? (invalid('payload/ttl', undef, 0, -1, 0.5, '1000'),
                invalid('payload/withdrawable', undef, 'yes', 1),
                invalid('payload/urgency', 'high', 1),
                invalid('payload/acted_by', undef, 'bob', '~cc-bob'),
                invalid('payload/drafted_with', undef, 'cc bob'))
             : $kind eq 'flush_executed'
             ? (invalid('payload/batch_refs', 'pr:1', {}),
                [{ 'payload/batch_refs' => ['pr:1', 2] }, 'field-invalid',
                 '/payload/batch_refs/1'])
             : ()]);
    }

    my $other = { %{ $valid{intent_declare} }, acted_by => '~carol' };

    is_deeply(code(frame('bob', 'alice', kind => 'intent_declare',
                         payload => $other)),
              [403, 'sender-identity-mismatch', '/payload/acted_by'],
              "another principal's");
};


subtest 'SEC-09: a sender uses at most its share of the zone' => sub {
    my $answer;
    my $n = 0;

    # 5 % of 2 MB, in frames of 2 KB
    until ($n == 400) {
        $answer = submit(frame('dave', 'carol', text => 'x' x 2000));
        last if $answer->{status} != 200;
        $n++;
    }

    is($answer->{status}, 503);
    is($answer->{json}{code}, 'capacity');
    ok($answer->{headers}{'retry-after'});
    is(submit(frame('alice', 'carol'))->{status}, 200, 'others have theirs');
};


$nginx->stop;

is_deeply([grep { /\[(?:alert|crit|emerg|error)\]/ } split /^/m,
                $nginx->error_log], [], 'nothing is amiss');

done_testing();
