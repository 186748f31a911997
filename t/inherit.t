# A directive in an inner block replaces the outer one as a whole.  For every
# directive that can be inherited there are an outer one, a location that
# inherits it, and a location with a shorter one.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(root port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $aee = 'parley_accept aee; parley_jwt on;';
my $to_vcp = 'parley_accept aee; parley_speak vcp; parley_jwt on;';
my $shares = 'parley_vcp_context ctx|a; parley_vcp_constitution creed://a/b@1;';

# name => required directives, the outer directives, the inner ones
my %block = (
    accept  => ['parley_jwt on; parley_speak aee;',
                'parley_accept aee vcp;', 'parley_accept vcp;'],
    any     => ['parley_jwt on;',
                'parley_accept aee case=open;', 'parley_accept aee;'],
    mve5    => ['parley_jwt on;', 'parley_accept aee aee-mve5;',
                'parley_accept aee;'],
    speak   => ['parley_accept aee vcp; parley_jwt on; ' . $shares,
                'parley_speak aee gateway=service.outer;', 'parley_speak aee;'],
    context => ["$to_vcp parley_vcp_constitution creed://a/b\@1;",
                'parley_vcp_context ctx|outer;',
                'parley_vcp_context ctx|inner;'],
    constitution => ["$to_vcp parley_vcp_context ctx|a;",
                'parley_vcp_constitution creed://outer/b@1;',
                'parley_vcp_constitution creed://inner/b@1;'],
    severity => ["$to_vcp $shares",
                'parley_vcp_severity E_ONE=critical E_TWO=warning;',
                'parley_vcp_severity E_TWO=info;'],
    broadcast => ["$to_vcp $shares", 'parley_vcp_broadcast bus.outer;',
                'parley_vcp_broadcast bus.inner;'],
    loss    => ["$to_vcp $shares",
                'parley_loss reject;', 'parley_loss report;'],
    jwt     => ['parley_accept aee;', 'parley_jwt on audience=a leeway=30s;',
                'parley_jwt on leeway=30s;'],
    claims  => ['parley_accept aee; parley_jwt on;',
                'parley_claims aee=agent roles=groups;',
                'parley_claims roles=groups;'],
    certificate => ['parley_accept aee;', 'parley_certificate on;',
                'parley_certificate off; parley_jwt on;'],
    signature => [$aee, 'parley_signature required;',
                'parley_signature optional;'],
    trusted => ['parley_accept aee;', 'parley_trusted on;',
                'parley_trusted off; parley_jwt on;'],
    allow   => [$aee, 'parley_allow intent=ops.**; parley_allow scope=notes;',
                'parley_allow intent=notes.**;'],
    deny    => [$aee, 'parley_allow principal=**;',
                'parley_deny intent=notes.**;'],
    denied  => [$aee,
                'parley_deny intent=ops.secret.**; parley_allow principal=**;',
                'parley_allow intent=ops.**;'],
    rate    => [$aee, 'parley_rate 11r/h urgent=12r/h;',
                'parley_rate 100r/s burst=100;'],
    cap     => [$aee, 'parley_cap priority=low timeout=500ms;',
                'parley_cap timeout=60s;'],
    limits  => [$aee, 'parley_limits body=2k depth=9;',
                'parley_limits depth=20;'],
    freshness => [$aee, 'parley_freshness past=10s future=10s;',
                'parley_freshness future=1s;'],
    window  => [$aee, 'parley_window 11m receiver=pool;',
                'parley_window 12m;'],
    redact  => [$aee, 'parley_redact /payload/a; parley_redact /payload/b;',
                'parley_redact /payload/c mask;'],
    dry_run => [$aee, 'parley_dry_run on;', 'parley_dry_run off;'],
    critical => ['parley_accept vcp; parley_jwt on;',
                'parley_vcp_critical pause;', 'parley_vcp_critical pass;'],
);

my $proxy = 'proxy_pass http://127.0.0.1:' . port(2) . ';';
my $server = '';

for my $name (sort keys %block) {
    my ($beside, $outer, $inner) = @{ $block{$name} };

    $server .= "location /$name/ { $beside $outer\n"
             . "    location /$name/outer { $proxy }\n"
             . "    location /$name/same { $proxy }\n"
             . "    location /$name/inner { $inner $proxy } }\n";
}

my $service = Parley::Upstream->start(port(2));
my $http = gateway_http(server => '    ssl_verify_client optional; '
                                . "ssl_client_certificate %TLS_CERT%;\n"
                                . $server);

my $known = from_json(identities());
$known->{principals}[1]{certificates} = ['00' x 32];
spew(tmp_dir() . '/identities.json', jcs($known));

my $nginx = Parley::Nginx->start(http => $http);
my $client = Parley::Client->new(port => port(1));


# Sends a message; returns the service's request, or the refusal.
sub sent {
    my ($where, $message, %o) = @_;

    my $n = $service->count;
    my $answer = $client->raw(post("/$where", $message, %o));

    return $service->last if $service->count > $n;

    my $j = $answer->{json} // {};
    my $code = $j->{payload}{code} // $j->{code} // $j->{error}{code};

    return { status => $answer->{status},
             code => lc($code // '') =~ s/^e_//r =~ tr/_/-/r };
}


# Returns the code of the refusal, or "" if the message passes.
sub code { sent(@_)->{code} // '' }


# Sends a message with a new id each time to both locations.
sub codes {
    my ($name, $make, %o) = @_;

    return join ' ', map { code("$name/$_", $make->(), %o) || 'passes' }
                         'outer', 'inner';
}


subtest 'this test has every directive that can be inherited' => sub {
    my $def = slurp(root() . '/gate/settings/parley_directive.def') =~ s{/\*.*?\*/}{}gsr;
    my @any = $def =~ /"parley_(\w+)", PARLEY_IN_ANY,/g;
    my $here = join ' ', map { @$_[1, 2] } values %block;

    cmp_ok(@any, '>=', 20, 'there are some');
    like($here, qr/\bparley_$_ /, "parley_$_") for @any;
};

subtest 'accepted protocols' => sub {
    is(codes('accept', sub { aee() }), 'passes field-unknown');
    is(codes('accept', sub { vcp() }), 'passes passes');
    is(codes('any', sub { aee(Priority => 'x') }), 'passes field-unknown');
    is(codes('mve5', sub {
        my $m = aee();
        return { map { $_ => $m->{$_} } qw(v id type from intent) };
    }), 'passes field-missing');
};


subtest 'the service\'s protocol, and the source of its errors' => sub {
    $service->script('$c->answer(403, [], jcs(with(failure($q->{json}), '
                     . 'from => "service.outer")))');

    is($client->raw(post('/speak/outer', aee()))->{status}, 403,
       'the gateway behind it says so');
    is($client->raw(post('/speak/inner', aee()))->{status}, 502,
       'there is none');

    $service->script(undef);
};


subtest 'settings for VCP messages' => sub {
    for my $name ('context', 'constitution') {
        for my $where ('outer', 'inner') {
            my $got = sent("$name/$where", aee(type => 'event',
                           intent => 'vcp.context_share', payload => {}));
            my $member = $name eq 'context' ? 'context' : 'constitution_ref';

            like($got->{json}{payload}{$member}, qr/$where/, "$name, $where");
        }
    }

    for my $where ('outer', 'inner') {
        my $make = sub {
            aee(type => 'event', to => "bus.$where", payload => {},
                intent => 'vcp.constitution_announce',
                payload => announce()->{payload});
        };

        is(codes('broadcast', $make), $where eq 'outer'
           ? 'passes identity-unmappable' : 'identity-unmappable passes',
           "broadcast, $where");
    }
};


subtest 'severities of failures' => sub {
    for my $of (['outer', 'E_ONE', 'critical'], ['inner', 'E_ONE', 'warning'],
                ['outer', 'E_TWO', 'warning'], ['inner', 'E_TWO', 'info'])
    {
        my ($where, $code, $severity) = @$of;

        my $task = aee(from => 'agent.lead', to => 'agent.alice',
                       intent => 'vcp.context_share',
                       payload => vcp()->{payload});

        is(code("severity/$where", $task, as => 'lead'), '', 'a task');

        my $got = sent("severity/$where",
                       failure($task, code => $code));

        is($got->{json}{payload}{severity}, $severity, "$where, $code");
    }
};


subtest 'losses' => sub {
    my $make = sub {
        aee(type => 'event', from => 'agent.lead', to => 'agent.alice',
            intent => 'vcp.constraint_propagate',
            payload => constraint()->{payload});
    };

    is(codes('loss', $make, as => 'lead'), 'translation-lossy passes');
};


subtest 'tokens and claims' => sub {
    is(codes('jwt', sub { aee() }), 'token-invalid passes');
    is(codes('jwt', sub { aee() }, token => bearer('alice', aud => 'a')),
       'passes passes');
    is(codes('claims', sub { aee(from => 'agent.carol') },
             token => bearer('carol', agent => 'agent.carol')),
       'passes sender-identity-mismatch');
    is(codes('certificate', sub { aee() }), 'signature-missing passes');
};


subtest 'signatures and trust' => sub {
    is(codes('signature', sub { aee() }), 'signature-missing passes');
    is(codes('trusted', sub { aee() }, token => 0), 'passes token-missing');
};


subtest 'rules' => sub {
    my $secret = sub { aee(intent => 'ops.secret.run') };
    my $note = sub { aee(intent => 'notes.add') };

    is(codes('allow', sub { aee() }), 'passes intent-refused');
    is(codes('allow', $note), 'passes passes');
    is(codes('deny', sub { aee() }), 'passes policy-refused',
       'a rule that denies replaces those that allow');
    is(codes('deny', $note), 'passes policy-refused');
    is(codes('denied', $secret), 'policy-refused passes',
       'and one that allows those that deny');
    is(codes('denied', $note), 'passes intent-refused');
};


subtest 'rates and caps' => sub {
    is(code('rate/outer', aee()), '', 'the first passes');

    for my $priority ('normal', 'urgent', 'urgent') {
        is(codes('rate', sub { aee(priority => $priority) }),
           'rate-limited passes', $priority);
    }

    my %got = map {
        $_ => sent("cap/$_", aee(priority => 'urgent',
                                 requires => { timeout_ms => 30000 }))->{json}
    } 'outer', 'inner';

    is($got{outer}{priority}, 'low');
    is($got{outer}{requires}{timeout_ms}, 500);
    is($got{inner}{priority}, 'urgent', 'the outer priority is not kept');
    is($got{inner}{requires}{timeout_ms}, 30000);
};


subtest 'limits, age and window' => sub {
    is(codes('limits', sub { aee(payload => { text => 'x' x 3000 }) }),
       'message-too-large passes');

    is(codes('freshness', sub { aee(ts => timestamp(-60)) }),
       'message-stale passes');
    is(codes('freshness', sub { aee(ts => timestamp(8)) }),
       'passes message-stale');

    my $m = aee(type => 'event', to => 'bus.ops');

    is(code('window/outer', $m), '', 'it passes');
    is(code('window/same', $m), 'message-duplicate', 'one receiver');
    is(code('window/inner', $m), '', 'which is not the inner one');
};


subtest 'redaction and dry run' => sub {
    my $three = sub { aee(payload => { a => 'x', b => 'y', c => 'z' }) };

    is_deeply(sent('redact/outer', $three->())->{json}{payload}, { c => 'z' });
    is_deeply([sort keys %{ sent('redact/inner',
                                 $three->())->{json}{payload} }],
              ['a', 'b', 'c'], 'those of the outer block stay');

    is(codes('dry_run', sub { aee(priority => 'x') }),
       'passes field-invalid');
};


# this is last, as it suspends the sender in every location
subtest 'whether a critical escalation pauses its sender' => sub {
    my $critical = sub { escalation(severity => 'critical',
                                    requires_ack => true) };

    is(code('critical/inner', $critical->()), '', 'it passes');
    is(code('critical/inner', vcp()), '', 'and so does the next one');
    is(code('critical/outer', $critical->()), '', 'it passes');
    is(code('critical/outer', vcp()), 'agent-suspended', 'not the next one');
};

is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
