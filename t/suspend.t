# Suspensions: an emergency suspends its sender until its parent resumes it
# (VCP-26), a critical escalation pauses it (VCP-28), and operators see and end
# both (parley_control).

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(parley_try port slurp spew tls tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $client = Parley::Client->new(port => port(1));
my $dir = tmp_dir();

# boss is the parent of lead, and lead the parent of alice and of dave; bob has
# no parent
sub http {
    my %o = @_;
    my $http = http_config(zone => $o{zone} // 'agents:8m');
    my $many = $o{many} // 2;

    my $file = from_json(identities());
    my @p = @{ $file->{principals} };

    $_->{parent} = 'boss' for grep { $_->{sub} eq 'lead' } @p;
    push @p, map { { sub => $_, aee => person($_)->{aee},
                     vcp => person($_)->{vcp},
                     keys => [public_jwk(person($_)->{key})],
                     $_ eq 'dave' ? (parent => 'lead') : () } } qw(boss dave);
    spew("$dir/identities.json", jcs({ principals => \@p }));

    return "$http\nparley_audit $dir/audit.jsonl;\nserver {\n" . server_config() . <<"EOT";
        parley_jwt on;
        listen unix:$dir/socket;

        location /pause {
            parley_accept vcp;
            parley_vcp_critical pause;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }

        location /dry {
            parley_accept vcp;
            parley_dry_run on;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }

        location /graver {
            parley_accept aee;
            parley_speak vcp;
            parley_vcp_context ctx|gateway;
            parley_vcp_severity E_FIRE=emergency E_SMOKE=critical;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }

        location /c2a { parley_accept c2a; proxy_pass http://127.0.0.1:%PORT_2%; }

        location = /control {
            parley_control;
            parley_allow type=control scope=ops:control;
        }

        location = /status { parley_status; allow 127.0.0.1; deny all; }

        location = /names {
            parley_status suspended=$many;
            allow 127.0.0.1;
            deny all;
        }
    }
EOT
}

my $nginx = Parley::Nginx->start(http => http(), workers => 2);


sub ask {
    my ($request) = @_;

    return $client->raw($request);
}

sub emergency {
    return escalation(severity => 'emergency', requires_ack => true, @_);
}

sub critical {
    return escalation(severity => 'critical', requires_ack => true, @_);
}

# Returns the code of the refusal of a message; 0: it passed.
sub code {
    my ($uri, $m, %o) = @_;

    my $answer = ask(post($uri, $m, %o));

    return 0 if $answer->{status} < 300 && $answer->{body} !~ /rejected/;

    my $json = eval { from_json($answer->{body}) } // {};

    return $json->{code} // $json->{payload}{code}
           // $json->{error}{data}{code};
}

sub control {
    my ($method, $uri, %o) = @_;

    return ask($client->request($method, $uri, '', Authorization =>
        exists $o{token} ? $o{token}
                         : bearer('boss', scope => $o{scope}
                                                   // 'ops:control')));
}

sub held {
    my $answer = control('GET', '/control');

    is($answer->{status}, 200, 'the list is told') or diag($answer->{body});

    return { map { ($_->{sub} => $_) }
             @{ from_json($answer->{body})->{suspensions} } };
}

sub status {
    my ($uri) = @_;

    my $answer = ask($client->request('GET', $uri, ''));

    is($answer->{status}, 200, "$uri is told") or diag($answer->{body});

    return $answer->{body};
}

# Returns the records of requests to /control in the audit log.
sub audited {
    return map { [ @$_{qw(principal type to verdict)} ] }
           grep { ($_->{location} // '') eq '/control' }
           map { from_json($_) }
           grep { /\}$/ } split /\n/, slurp("$dir/audit.jsonl");
}

# Waits for the record of a request, which a worker writes after its answer.
sub leaves {
    my ($asks) = @_;

    my $before = () = audited();
    my $until = time + 10;

    $asks->();
    sleep 0.01 while time < $until && audited() == $before;

    return (audited())[$before];
}

# Returns the suspensions in the status: their number, and the principals.
sub told {
    my $json = from_json(status('/names?format=json'));

    return ($json->{suspensions}{now}, $json->{suspended});
}

# Returns a context_share between two principals, by name.
sub share {
    my ($from, $to, %o) = @_;

    return vcp(sender => person($from)->{vcp},
               recipient => $to =~ /^\w+$/ && $to ne 'broadcast'
                            ? person($to)->{vcp} : $to, %o);
}

sub resume {
    return code('/vcp', constraint(), as => 'lead') eq 0;
}


subtest 'VCP-26 a message that is not an emergency suspends no principal' => sub {
    is(code('/vcp', escalation(severity => $_)), 0, $_) for qw(info warning);
    is(code('/vcp', critical()), 0, 'critical');
    is(code('/vcp', share('alice', 'bob')), 0, 'she goes on');
    is_deeply(held(), {}, 'nobody is suspended');
};

my $emergency = emergency();

subtest 'VCP-26 after an emergency its sender is suspended' => sub {
    is(code('/vcp', $emergency), 0, 'the emergency passes');

    my $answer = ask(post('/vcp', share('alice', 'bob')));

    is($answer->{status}, 403, 'the status');

    my $json = from_json($answer->{body});

    is($json->{status}, 'rejected', 'VCP');
    is($json->{code}, 'agent-suspended', 'the code');
    like($json->{message}, qr/parent/, 'it says who ends that');

    my $before = $service->count;

    is(code('/vcp', share('alice', 'bob')), 'agent-suspended', 'again');
    is(code('/aee', aee()), 'E_AGENT_SUSPENDED', 'in AEE');
    is(code('/to-vcp', aee(intent => 'vcp.context_share')),
       'E_AGENT_SUSPENDED', 'AEE that is to become VCP');
    is(code('/c2a', { jsonrpc => '2.0', id => 7, method => 'chat/read_thread',
                      params => {} }), 'agent-suspended',
       'in C2A, what has no id of its own');
    is($service->count, $before, 'none of them arrives');

    my $status = from_json(ask($client->request('GET',
        '/status?format=json', ''))->{body});

    like(jcs($status), qr/"suspensions":1\b/, 'the status counts it');
};

subtest 'VCP-26 escalations and acknowledgments of the suspended sender pass' => sub {
    is(code('/vcp', escalation()), 0, 'an escalation');
    is(code('/vcp', emergency()), 0, 'another emergency');
    is(code('/to-aee', critical()), 0, 'one that is translated');

    my $answer = ask(post('/vcp', $emergency));

    is($answer->{status}, 200, 'a retry of the first is no mistake');
    is(from_json($answer->{body})->{status}, 'duplicate', 'it is a duplicate');
};

subtest 'VCP-26 no other principal is suspended by it' => sub {
    is(code('/vcp', share($_, 'bob'), as => $_), 0, $_) for qw(lead dave boss);
};

subtest 'VCP-26 only her parent resumes her, by name, and later' => sub {
    my $name = person('alice')->{vcp};

    is(code('/vcp', share('boss', 'alice'), as => 'boss'), 0,
       'the parent of her parent may write');
    is(code('/vcp', share('bob', 'alice'), as => 'bob'), 0, 'so may a peer');
    is(code('/vcp', share('lead', 'broadcast'), as => 'lead'), 0,
       'a broadcast of her parent');
    is(code('/vcp', share('lead', 'dave'), as => 'lead'), 0,
       'her parent to another child');
    is(code('/vcp', share('lead', 'alice', timestamp => timestamp(-120)),
            as => 'lead'), 0, 'what was on its way before');
    is(code('/vcp', escalation(), as => 'alice'), 0, 'her own escalation');
    is(code('/dry', constraint(), as => 'lead'), 0, 'a dry run');

    is(code('/vcp', share('alice', 'bob')), 'agent-suspended',
       'none of that resumed her');

    is(code('/vcp', with(emergency(), timestamp => timestamp(-200))), 0,
       'an emergency of hers that says it is older');
    is(code('/vcp', share('lead', 'alice', timestamp => timestamp(-120)),
            as => 'lead'), 0, 'and what was on its way before the other');
    is(code('/vcp', share('alice', 'bob')), 'agent-suspended',
       'nor does that');
};

subtest 'VCP-26 a refused message of her parent resumes no principal' => sub {
    $service->script('$c->answer(503)');
    is(ask(post('/vcp', constraint(), as => 'lead'))->{status}, 503,
       'the service is down');
    is(code('/vcp', share('alice', 'bob')), 'agent-suspended',
       'she is suspended still');
    $service->script(undef);
};

subtest 'VCP-26 a suspension survives reloads and killed workers' => sub {
    $nginx->reload(http => http());
    is(code('/vcp', share('alice', 'bob')), 'agent-suspended', 'a reload');

    kill KILL => $nginx->workers;
    sleep 0.5;
    is(code('/vcp', share('alice', 'bob')), 'agent-suspended',
       'killed workers');
};

subtest 'VCP-26 a constraint_propagate of her parent resumes her' => sub {
    ok(resume(), 'it passes');
    is(code('/vcp', share('alice', 'bob')), 0, 'she goes on');
    is_deeply(held(), {}, 'nobody is suspended');
};

subtest 'VCP-26 a context_share of her parent resumes her, in AEE too' => sub {
    is(code('/vcp', emergency()), 0, 'an emergency');
    is(code('/vcp', share('lead', 'alice'), as => 'lead'), 0, 'it passes');
    is(code('/vcp', share('alice', 'bob')), 0, 'she goes on');

    is(code('/to-aee', emergency()), 0, 'an emergency, translated');
    is(code('/aee', aee()), 'E_AGENT_SUSPENDED', 'it suspends as well');
    is(code('/aee', aee(from => 'agent.lead', to => 'agent.alice',
                        intent => 'vcp.context_share', type => 'event',
                        payload => vcp()->{payload}), as => 'lead'), 0,
       'her parent speaks AEE');
    is(code('/aee', aee()), 0, 'she goes on');
};

subtest 'VCP-26 an emergency in AEE suspends too' => sub {
    is(code('/to-vcp', aee(to => 'agent.lead', intent => 'vcp.escalation',
                           priority => 'urgent',
                           payload => emergency()->{payload})), 0,
       'it passes');
    is(code('/vcp', share('alice', 'bob')), 'agent-suspended',
       'she is suspended');
    ok(resume(), 'and resumed');
};

subtest 'VCP-26 a failure that becomes an emergency suspends too' => sub {
    for ([ E_SMOKE => 0 ], [ E_FIRE => 'agent-suspended' ]) {
        my ($word, $then) = @$_;
        my $task = aee(from => 'agent.lead', to => 'agent.alice');

        is(code('/aee', $task, as => 'lead'), 0, 'a task of her parent');
        is(code('/graver', failure($task, code => $word)), 0,
           "it fails: $word");
        is($service->last->{json}{type}, 'escalation', 'as an escalation');
        is(code('/vcp', share('alice', 'bob')), $then, 'and then');
    }

    ok(resume(), 'she is resumed');
};

subtest 'VCP-26 an acknowledgment of an emergency suspends no principal' => sub {
    my $m = emergency();

    is(code('/vcp', $m), 0, 'an emergency');
    is(code('/vcp', { %{ escalation(severity => 'emergency',
                reason => "ACK:$m->{message_id}") },
                sender => person('lead')->{vcp},
                recipient => person('alice')->{vcp} }, as => 'lead'), 0,
       'acknowledged');
    ok(resume(), 'she is resumed');
    is(code('/vcp', share('lead', 'bob'), as => 'lead'), 0,
       'her parent goes on');
};

subtest 'VCP-26 a principal without a parent is not suspended' => sub {
    my %to = (recipient => person('lead')->{vcp});

    is(code('/vcp', { %{ emergency() }, sender => person('bob')->{vcp}, %to },
            as => 'bob'), 0, 'an emergency');
    is(code('/vcp', share('bob', 'lead'), as => 'bob'), 0, 'he goes on');
};

subtest 'VCP-26 a dry run suspends no principal' => sub {
    is(code('/dry', emergency()), 0, 'an emergency');
    is(code('/vcp', share('alice', 'bob')), 0, 'she goes on');
};

subtest 'VCP-28 a critical escalation pauses its sender where it is configured' => sub {
    is(code('/pause', critical()), 0, 'it passes');
    is(code('/vcp', share('alice', 'bob')), 'agent-suspended',
       'she is paused');
    is(held()->{alice}{state}, 'paused', 'so it is listed');

    is(code('/vcp', emergency()), 0, 'an emergency besides');

    my @states = sort map { $_->{state} } @{ from_json(
        control('GET', '/control')->{body})->{suspensions} };

    is_deeply(\@states, [qw(paused suspended)], 'both are listed');
    ok(resume(), 'her parent ends both at once');
    is(code('/vcp', share('alice', 'bob')), 0, 'she goes on');
};

subtest 'VCP-26 operators see and end suspensions' => sub {
    my $m = emergency();

    is(code('/vcp', $m), 0, 'an emergency');

    my $said = held()->{alice};

    is($said->{state}, 'suspended', 'the state');
    is($said->{message_id}, $m->{message_id}, 'by which message');
    like($said->{since}, qr/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, 'since when');

    for ([ 'without a token', 401, token => '' ],
         [ 'with another scope', 403, scope => 'ops:run' ],
         [ 'of another method', 405, method => 'POST' ],
         [ 'without a name', 400, uri => '/control' ],
         [ 'with a name twice', 400, uri => '/control?sub=alice&sub=bob' ])
    {
        my ($name, $status, %o) = @$_;

        my $answer = control($o{method} // 'DELETE',
                             $o{uri} // '/control?sub=alice', %o);

        is($answer->{status}, $status, $name) or diag($answer->{body});
    }

    is(code('/vcp', share('alice', 'bob')), 'agent-suspended',
       'none of that resumed her');

    my $answer = control('DELETE', '/control?sub=bob');

    is($answer->{status}, 200, 'one who is not suspended');
    is_deeply(from_json($answer->{body}), { suspensions => [] }, 'is none');

    $answer = control('DELETE', '/control?sub=alice');

    is($answer->{status}, 200, 'she is resumed');
    is(from_json($answer->{body})->{suspensions}[0]{message_id},
       $m->{message_id}, 'it says what ended');
    is_deeply(held(), {}, 'nobody is suspended');
    is(code('/vcp', share('alice', 'bob')), 0, 'she goes on');
};

subtest 'VCP-34 within a second the later UUIDv7 resumes' => sub {
    my $time = timestamp(-20) =~ s/\.\d+Z$/Z/r;
    my ($before, $first) = (uuid7(), undef);

    sleep 0.01;
    my $alarm = with(emergency(), timestamp => $time);
    sleep 0.01;

    is(code('/vcp', $alarm), 0, 'an emergency, of whole seconds');

    my $resumption = share('lead', 'alice', timestamp => $time,
                           message_id => $before);

    is(code('/vcp', $resumption, as => 'lead'), 0, 'one with an older id');
    is(code('/vcp', share('alice', 'bob')), 'agent-suspended', 'lifts nothing');

    ok($nginx->wait_for(qr/\[warn\].* parley: resumption has no effect: the message is not later than the one that suspended the recipient, principal "lead", to "[^"]*", id "$before"/),
       'which is logged');

    my ($line) = grep { ($_->{id} // '') eq $before }
                 map { from_json($_) } split /\n/, slurp("$dir/audit.jsonl");

    is($line->{in_vain}, 'the message is not later than the one that suspended the recipient',
       'OPS-06 and in the audit log');

    is(code('/vcp', share('lead', 'alice', timestamp => $time), as => 'lead'),
       0, 'one with a newer id');
    is(code('/vcp', share('alice', 'bob')), 0, 'lifts');
    is_deeply(held(), {}, 'nobody is suspended');
};

subtest 'VCP-26 a token with which a suspended agent acts for another' => sub {
    is(code('/vcp', emergency()), 0, 'an emergency');

    my %of = ('the agent itself' => { sub => 'alice' },
              'one that acts for it' => { sub => 'gw', act => { sub => 'alice' } },
              'one for which it acts' => { sub => 'alice', act => { sub => 'gw' } });

    for my $name (sort keys %of) {
        my $token = bearer('lead', act => $of{$name});

        is(code('/vcp', share('lead', 'alice'), as => 'lead', token => $token),
           'agent-suspended', "$name resumes nobody");
        is(code('/vcp', constraint(), as => 'lead', token => $token),
           'agent-suspended', "$name by constraint_propagate");
        is(code('/aee', aee(type => 'event', from => person('lead')->{aee},
                            to => person('alice')->{aee},
                            intent => 'vcp.context_share',
                            payload => share('lead', 'alice')->{payload}),
                as => 'lead', token => $token),
           'E_AGENT_SUSPENDED', "$name in AEE");
        is(code('/vcp', with(escalation(), sender => person('lead')->{vcp},
                             recipient => person('boss')->{vcp}),
                as => 'lead', token => $token),
           'agent-suspended', "$name: no escalation either");

        my $operator = bearer('boss', scope => 'ops:control',
                              act => $of{$name});

        for my $verb (['GET', '/control'], ['DELETE', '/control?sub=alice']) {
            is(control(@$verb, token => $operator)->{status}, 403,
               "$name: $verb->[0] of parley_control");
        }
    }

    is(code('/vcp', share('alice', 'bob')), 'agent-suspended', 'she still is');

    # the token of another principal that acts for lead, and her own as an
    # operator

    my $mallory = bearer('lead', act => { sub => 'mallory' });

    is(code('/vcp', share('lead', 'alice'), as => 'lead', token => $mallory), 0,
       'who acts for the parent may write');
    is(code('/vcp', share('alice', 'bob')), 'agent-suspended',
       'but resumes nobody');
    ok($nginx->wait_for(qr/resumption has no effect: the parent does not use its token itself/), 'which is logged');

    is(control('DELETE', '/control?sub=alice', token =>
               bearer('boss', scope => 'ops:control',
                      act => { sub => 'mallory' }))->{status}, 403,
       'nor does who acts for an operator');
    is(control('DELETE', '/control?sub=alice', token =>
               bearer('alice', scope => 'ops:control'))->{status}, 403,
       'nor she herself');
    is(control('GET', '/control', token =>
               bearer('boss', scope => 'ops:control',
                      act => { sub => 'mallory' }))->{status}, 200,
       'who acts for an operator may look');

    is(code('/vcp', share('lead', 'alice'), as => 'lead', token =>
            bearer('lead', act => { sub => 'lead' })), 0, 'the parent itself');
    is(code('/vcp', share('alice', 'bob')), 0, 'resumes her');
    is_deeply(held(), {}, 'nobody is suspended');
};

subtest 'OPS-06 the audit log has the operator, the principal and the request' => sub {
    is(code('/vcp', emergency()), 0, 'an emergency');

    my @lines = map { leaves($_) } (
        sub { is(control('GET', '/control')->{status}, 200, 'a list') },
        sub { is(control('DELETE', '/control?sub=alice',
                         scope => 'ops:run')->{status}, 403, 'in vain') },
        sub { is(control('DELETE', '/control?sub=alice')->{status}, 200,
                 'resumed') });

    is_deeply(\@lines,
              [ ['boss', 'control.list', undef, 'answered'],
                ['boss', 'control.lift', undef, 'refused'],
                ['boss', 'control.lift', 'alice', 'answered'] ],
              'three lines');
};

subtest 'VCP-26 VCP-28 OPS-01 OPS-02 the status has the suspended principals' => sub {
    my ($now, $held) = told();

    is_deeply($now, { suspended => 0, paused => 0 }, 'nobody');
    is_deeply($held, { list => [], more => 0 }, 'so none is listed');

    my ($first, $second) = (critical(), emergency());

    $second->{timestamp} = timestamp(1);

    is(code('/pause', $first), 0, 'one is paused');
    is(code('/vcp', $second), 0, 'and suspended');

    ($now, $held) = told();

    is_deeply($now, { suspended => 1, paused => 1 }, 'both are counted');
    is($held->{more}, 0, 'there are no more');
    is_deeply([ map { [ @$_{qw(sub state message_id)} ] }
                @{ $held->{list} } ],
              [ [ 'alice', 'suspended', $second->{message_id} ],
                [ 'alice', 'paused', $first->{message_id} ] ],
              'the newest first');
    like($_->{since}, qr/^\d{4}-\d\d-\d\dT[\d:.]+Z$/, 'since when')
        for @{ $held->{list} };

    is(code('/vcp', emergency()), 0, 'another emergency');
    is_deeply((told())[0], { suspended => 1, paused => 1 },
              'takes the place of the first');

    my $text = status('/names?format=prometheus');

    like($text, qr/^parley_suspensions\{state="$_"\} 1$/m, "a gauge: $_")
        for qw(suspended paused);
    unlike($text, qr/alice|$first->{message_id}/, 'without names');
    unlike(status('/status?format=json'), qr/alice|$first->{message_id}/,
           'nor has a status that was not asked for them');
    is(ask($client->request('GET', '/names?format=html', ''))->{body} =~
       /alice/, '', 'nor the page itself');

    $nginx->reload(http => http());
    is_deeply((told())[0], { suspended => 1, paused => 1 },
              'after a reload, too');

    kill KILL => $nginx->workers;
    sleep 0.5;
    is_deeply((told())[0], { suspended => 1, paused => 1 },
              'and after killed workers');

    ok(resume(), 'she is resumed');
    ($now, $held) = told();
    is_deeply($now, { suspended => 0, paused => 0 }, 'none is counted');
    is_deeply($held, { list => [], more => 0 }, 'none listed');
};

subtest 'GW-16 parley hold' => sub {
    my ($cert) = tls();
    my $url = 'https://localhost:' . port(1) . '/control';
    my @with = ('--cacert', $cert);

    spew("$dir/token", bearer('boss', scope => 'ops:control') . "\n");
    spew("$dir/other", bearer('boss'));

    my $hold = sub {
        my ($words, $token, @more) = @_;

        return parley_try('hold', @$words, '--token-file', "$dir/$token",
                          @more);
    };

    my $m = emergency();

    is(code('/vcp', $m), 0, 'an emergency');

    my ($status, $out, $err) = $hold->(['list'], 'token', '--control', $url,
                                       @with);

    is($status, 0, 'over TLS') or diag($err);
    like($out, qr/\Aalice  suspended  \S+Z  \Q$m->{message_id}\E\n\z/,
         'a line for each');

    ($status, $out, $err) = $hold->(['list'], 'other', '--control', $url,
                                    @with);
    is($status, 1, 'another scope');
    like($err, qr/status 403: no rule/, 'and it says why');

    ($status, $out, $err) = $hold->(['list'], 'token', '--control', $url);
    is($status, 2, 'a certificate of nobody');
    like($err, qr/self.signed certificate/, 'and it says so');

    ($status, $out, $err) = $hold->(['list'], 'token', @with, '--control',
                                    $url =~ s/localhost/127.0.0.1/r);
    is($status, 2, 'a certificate without the name in the URL');
    like($err, qr/does not match|no alternative.*name/, 'and it says so');

    ($status, $out, $err) = $hold->(['list'], 'token', '--control', $url,
                                    '--cacert', "$dir/token");
    is($status, 2, 'a file of authorities without a certificate');
    like($err, qr{\Q$dir\E/token}, 'and its name is told');

    for (qw(http:// http://h:x/ http://unix:/x https://[::1
            http://a:b@h/), 'x')
    {
        ($status, $out, $err) = $hold->(['list'], 'token', '--control', $_);
        is($status, 2, "no URL: $_");
        like($err, qr/: "\Q$_\E": .*; expected http:/, 'with the reason');
    }

    my $plain = 'http://127.0.0.1:' . port(2) . '/';
    my $head = 'HTTP/1.1 200 OK\r\nContent-Length: ';

    for ([ 'ftp://x/', '', 2, qr/"ftp" (?:not supported|disabled)/ ],
         [ "http://unix:$dir/none:/x", '', 2, qr/No such file/ ],
         [ $plain, 'SSH-2.0\r\n', 2, qr/HTTP\/0\.9/ ],
         [ $plain, $head . '9\r\n\r\n{}', 2, qr/bytes (?:remaining|missing)/ ],
         [ $plain, $head . '5000000\r\n\r\n' . 'x' x 5000000, 2,
           qr/longer than 4194304/ ],
         [ $plain, "HTTP/1.1 302 X\\r\\nLocation: $url\\r\\n"
           . 'Content-Length: 0\r\n\r\n', 1, qr/status 302/ ])
    {
        my ($to, $answer, $expected, $why) = @$_;

        $service->script("\$c->out(\"$answer\"); \$c->{keep} = 0");
        ($status, $out, $err) = $hold->(['list'], 'token', '--control', $to,
                                        @with);
        is($status, $expected, "$to is refused");
        like($err, $why, 'and it says why');
    }

    $service->script('$c->answer(200, [], jcs({ suspensions => [] }))');
    {
        local $ENV{http_proxy} = 'http://127.0.0.1:1';
        ($status, $out, $err) = $hold->(['lift', 'a&b=+ %/c'], 'token',
                                        '--control', "$plain?x=1");
    }
    is($status, 1, 'a proxy of the environment is not used') or diag($err);
    like($service->last->{uri}, qr/^\/\?x=1&sub=a%26b%3D%2B\+%25%2Fc$/i,
       'a name is encoded');
    is($service->last->{headers}{authorization}, slurp("$dir/token")
       =~ s/\n\z//r, 'the token goes to the gateway');
    $service->script(undef);

    ($status, $out, $err) = $hold->(['list'], 'token');
    is($status, 2, 'none at all');

    my $local = "http://unix:$dir/socket:/control";

    ($status, $out, $err) = $hold->(['lift', 'bob'], 'token', '--control',
                                    $local);
    is($status, 1, 'one who is not suspended') or diag($err);
    like($err, qr/"bob" is not suspended/, 'and it says so');

    ($status, $out, $err) = $hold->(['lift', 'alice'], 'token', '--control',
                                    $local, '--json');
    is($status, 0, 'she is resumed, over a socket') or diag($err);
    is(from_json($out)->{suspensions}[0]{sub}, 'alice', 'as JSON');
    is(code('/vcp', share('alice', 'bob')), 0, 'she goes on');
};

subtest 'GW-11 a control location without callers, or open to all' => sub {
    for ([ 'no rule', 'parley_control; parley_jwt on;', qr/parley_allow/ ],
         [ 'nobody proven', 'parley_control; parley_allow type=control;',
           qr/parley_jwt on/ ],
         [ 'with proxy_pass', 'parley_control; parley_jwt on; '
           . 'parley_allow type=control; proxy_pass http://127.0.0.1:1;',
           qr/proxy_pass/ ],
         [ 'with parley_accept', 'parley_control; parley_jwt on; '
           . 'parley_allow type=control; parley_accept aee;',
           qr/parley_accept/ ],
         [ 'a word', 'parley_control on;', qr/number of arguments/ ],
         [ 'another word', 'parley_accept vcp; parley_trusted on; '
           . 'parley_vcp_critical stop;', qr/expected pass or pause/ ])
    {
        my ($name, $directives, $why) = @$_;

        my ($status, $log) = Parley::Nginx->check(http => http_config()
            . "server { listen 127.0.0.1:%PORT_3%; "
            . "location /x { $directives } }");

        isnt($status, 0, "$name is refused");
        like($log, $why, 'and says why');
    }
};

done_testing();
