# GW-35: limits that depend on the principal, its roles or a variable.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Checked;
use Parley::Client;
use Parley::Env qw(port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2), <<'EOT');
    $c->answer(202, ['Content-Type' => 'text/plain'], '');
EOT

# each rate is different: equal rates share a count
my %place = (
    '/role'      => 'parley_rate 100r/s burst=100 role=ops:2r/h:1;',
    '/roles'     => 'parley_claims roles=roles; '
                  . 'parley_rate role=ops:3r/h:2 role=temp:4r/h;',
    '/own'       => 'parley_rate 101r/s burst=101;',
    '/free'      => '',
    '/off'       => 'parley_rate off;',
    '/value'     => 'parley_rate $rate;',
    '/value-and' => 'parley_rate 5r/h burst=1 $rate;',
    '/claim'     => 'parley_rate 6r/h burst=1 $claimed;',
    '/all'       => 'parley_rate 9r/h burst=3 role=ops:8r/h:2 $rate;',
    '/equal'     => 'parley_rate 11r/h burst=1 role=ops:11r/h:1 $rate;',
    '/urgent'    => 'parley_rate 102r/s burst=102 role=ops:103r/s:103 '
                  . 'urgent=12r/h;',
    '/cheap'     => 'parley_rate 104r/s burst=104;',
    '/dear'      => 'parley_rate 13r/h;',
);

my $server = join '', map {
    location($_, "parley_accept aee; parley_jwt on; $place{$_}")
} sort keys %place;

$server .= <<'EOT';
        location /proof/ {
            parley_jwt on;
            parley_rate 200r/s burst=200 role=ops:14r/h:1 $rate;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
        location /proof-own/ {
            parley_jwt on;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOT

my $known = from_json(identities());

$known->{principals}[1]{rate} = '7r/h:2';

my $http = gateway_http(server => $server, more =>
    'map $arg_tier $rate { default ""; slow 10r/h:1; slower 15r/h; '
    . 'same 11r/h:1; wrong fast; } '
    . 'map $parley_claim_rate $claimed { default $parley_claim_rate; }');

spew(tmp_dir() . '/identities.json', jcs($known));

my $nginx = Parley::Nginx->start(workers => 2, http => $http);
my $client = Parley::Client->new(port => port(1));


# Sends n messages at once and returns the number that passes, and the last
# answer.
sub passes {
    my ($n, $uri, $as, %o) = @_;

    my ($passed, $answer) = (0);

    for (1 .. $n) {
        $answer = $uri =~ m{^/proof}
                  ? ask(GET => $uri, $as, %o)
                  : $client->raw(post($uri, aee(from => person($as)->{aee},
                                                %{ $o{message} // {} }),
                                      as => $as,
                                      ($o{token} ? (token => $o{token}) : ())));
        $passed++ if $answer->{status} == 202;
    }

    return wantarray ? ($passed, $answer) : $passed;
}

sub ask {
    my ($method, $uri, $as, %o) = @_;

    return $client->send($method, $uri, undef,
                         Authorization => $o{token} // bearer($as));
}


subtest 'GW-35 a rate of a role limits its principals' => sub {
    my ($n, $answer) = passes(4, '/role', 'alice');

    is($n, 2, 'the burst of the role');
    is($answer->{status}, 429);
    is($answer->{json}{payload}{code}, 'E_RATE_LIMITED');
    like($answer->{headers}{'retry-after'}, qr/^[1-9]\d*$/);
    is(passes(4, '/role', 'lead'), 4, 'a principal without the role');
};


subtest 'GW-35 a role has a rate without a rate for all' => sub {
    is(passes(5, '/roles', 'alice'), 3);
    is(passes(5, '/roles', 'lead'), 5);
};


subtest 'GW-35 a role of a claim adds its limit' => sub {
    is(passes(3, '/roles', 'lead', token => bearer('lead', roles => ['temp'])),
       1);
    is(passes(3, '/roles', 'alice',
              token => bearer('alice', roles => ['temp', 'free'])), 0,
       'it does not replace the role of the identities');
};


subtest 'GW-35 a rate of a principal holds at every location' => sub {
    is(passes(2, '/own', 'bob'), 2);
    is(passes(2, '/free', 'bob'), 1, 'without parley_rate');
    is(passes(1, '/off', 'bob'), 0, 'with parley_rate off');
    is(passes(1, '/proof-own/x', 'bob'), 0, 'without messages');
    is(passes(5, '/own', 'alice'), 5, 'another principal');
    is(passes(5, '/free', 'alice'), 5, 'without any limit');
};


subtest 'GW-35 a rate of a variable' => sub {
    is(passes(3, '/value?tier=slow', 'alice'), 2);
    is(passes(3, '/value?tier=slower', 'alice'), 1, 'another value');
    is(passes(3, '/value?tier=none', 'alice'), 3, 'an empty value: no limit');
    is(passes(3, '/value-and?tier=none', 'alice'), 2, 'the rate remains');
};


subtest 'GW-35 a value that is not a rate refuses the request' => sub {
    my (undef, $answer) = passes(1, '/value?tier=wrong', 'alice');

    is($answer->{status}, 503);
    is($answer->{json}{payload}{code}, 'E_CAPACITY');
    ok($nginx->wait_for(qr/value of .?\$rate.? in .*is not a rate/, 1),
       'the log names the variable');

    is((passes(1, '/proof/x?tier=wrong', 'lead'))[1]{status}, 503,
       'also without a message');
};


subtest 'GW-35 claims alone do not raise a limit' => sub {
    for my $rate ('1000000r/s:1000000', '') {
        is(passes(3, '/claim', 'lead',
                  token => bearer('lead', rate => $rate)),
           $rate ? 2 : 0, "the rate remains: $rate");
    }

    is(passes(3, '/claim', 'alice', token => bearer('alice', rate => '17r/h')),
       1, 'a claim lowers it');
    is((passes(1, '/claim', 'alice',
               token => bearer('alice', rate => 'free')))[1]{status}, 503,
       'not a rate');
    is(passes(3, '/own', 'bob', token => bearer('bob', rate => '1000r/s')), 0,
       'a principal with a rate');
};


subtest 'GW-35 the strictest limit holds' => sub {
    is(passes(9, '/all', 'lead'), 4, 'the rate of the location');
    is(passes(9, '/all', 'alice'), 3, 'with a role');
    is(passes(9, '/equal?tier=same', 'alice'), 2, 'equal limits count once');
};


subtest 'GW-35 a refused message does not count for the other limits' => sub {
    is(passes(2, '/value-and?tier=slower', 'lead'), 1, 'the variable');
    is(passes(5, '/value-and?tier=slower', 'lead'), 0);
    is(passes(3, '/value-and', 'lead'), 1, 'the rate has one message left');
};


subtest 'AEE-28 GW-35 quotas of priorities remain' => sub {
    is(passes(3, '/urgent', 'alice', message => { priority => 'urgent' }), 1);
    is(passes(3, '/urgent', 'alice'), 3);
};


subtest 'GW-30 GW-35 a location that only proves the caller' => sub {
    my ($n, $answer) = passes(4, '/proof/x', 'alice');

    is($n, 2, 'a role');
    is($answer->{status}, 429);
    like($answer->{headers}{'retry-after'}, qr/^[1-9]\d*$/);
    is(passes(3, '/proof/x', 'lead'), 3, 'without the role');
    is(passes(3, '/proof/x?tier=slow', 'lead'), 2, 'a variable');
};


subtest 'GW-35 a reload keeps the counts' => sub {
    ok($nginx->reload);
    is(passes(1, '/role', 'alice'), 0, 'a role');
    is(passes(1, '/own', 'bob'), 0, 'a principal');
    is(passes(1, '/value?tier=slow', 'alice'), 0, 'a variable');
};


# wrong values

sub place {
    my ($directives, $claims) = @_;

    return bare("parley_zone agents:1m;\nparley_jwks %TMP%/jwks.json;",
                "parley_accept aee;\nparley_jwt on;\n$directives");
}

my $roles = join ' ', map { "role=r$_:${_}r/h" } 1 .. 17;

wrong("GW-35 $_->[0]", place("parley_rate $_->[0];"), $_->[1]) for
    ['role=trial', qr/"parley_rate": "role=trial" is not a rate of a role; expected role=NAME:RATE, such as/],
    ['role=1r/s', qr/"role=1r\/s" is not a rate of a role/],
    ['role=:1r/s', qr/"role=:1r\/s" is not a rate of a role/],
    ['role=trial:fast', qr/"role=trial:fast" is not a rate of a role/],
    ['role=trial:1r/d', qr/"1r\/d" is not a rate; expected Nr\/s/],
    ['role=trial:0r/s', qr/"0r\/s" is not a rate; expected Nr\/s/],
    ['role=trial:1r/s:x', qr/"1r\/s:x" is not a rate with a burst; expected 0 to/],
    ['role=a:1r/s role=a:2r/s', qr/"role=a:2r\/s" is a second rate of a role; expected one/],
    [$roles, qr/"role=r17:17r\/h" is one role too many; expected at most 16/],
    ['$arg_a $arg_b', qr/"\$arg_b" is a second variable; expected one/],
    ['$arg_a burst=5', qr/burst= needs a rate/],
    (map { [$_, qr/"\Q$_\E" comes from the request or its token, so the caller could choose the limit; expected a variable of "map"/] }
         qw($arg_rate ${arg_rate} $ARG_rate $http_x_rate $cookie_rate $args
            $query_string $uri $document_uri $request $request_uri
            $request_method $content_type $host $remote_user
            $parley_claim_rate ${Parley_Claim_rate} $parley_principal),
         '10r/h:$arg_burst', '$limit_rate$arg_burst'),
    (map { ["5r/s $_", qr/"\Q$_\E" comes from the request or its token/] }
         '$arg_rate', '$parley_claim_rate');

subtest 'GW-35 a map of the principal or of a claim may choose a rate' => sub {
    for my $of ('$parley_principal', '$parley_claim_tier', '$arg_tier') {
        my ($status, $said) = check("map $of \$tier { default 5r/s; a 1r/m; }\n"
                                    . place('parley_rate $tier;'));

        is($status, 0, $of) or diag($said);
    }
};

subtest 'GW-35 an unknown variable' => sub {
    my ($status, $said) = check(place('parley_rate $unknown;'));

    is($status, 1);
    like($said, qr/unknown "unknown" variable/);
};

wrong('GW-35 a rate from a claim', place('parley_claims rate=rate;'),
      qr/"parley_claims": "rate" cannot come from a claim; expected in "parley_identities"/);

for my $rate ('fast', '5r/d', '0r/s', '5r/s:', '5r/s:1000001', '5', 5) {
    my $file = tmp_dir() . '/wrong.json';

    spew($file, jcs({ principals => [{ sub => 'a' },
                                     { sub => 'b', rate => $rate }] }));

    wrong('GW-35 identities: ' . jcs([$rate]),
          place('') . "parley_identities $file;",
          qr{wrong\.json" line 1: /principals/1/rate .*a rate|must be a string});
}


unlike($nginx->error_log, qr/\[(?:alert|emerg|crit)\]/, 'nothing broke');

done_testing;
