# Retention: for a while the parties can fetch a forwarded message again, and
# refute it.

use strict;
use warnings;

use lib 't/lib';

use Digest::SHA qw(sha256_hex);
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));

my $server = location('/redacted', 'parley_accept aee; parley_jwt on; '
                                 . 'parley_redact /payload/password; '
                                 . 'parley_redact /payload/pin mask;')
           . location('/large', 'parley_accept aee; parley_jwt on; '
                              . 'parley_limits body=1m depth=100 string=1m;')
           . location('/small', 'parley_accept aee; parley_jwt on; '
                              . 'parley_limits body=8k depth=8;')
           . location('/dry', 'parley_accept aee; parley_jwt on; '
                            . 'parley_dry_run on;')
           . location('/nobody', 'parley_accept aee; parley_jwt on;',
                      port(5));

my $http = sub {
    return gateway_http(zone => 'agents:2m', server => $server,
                        more => $_[0] // 'parley_retain count=100 time=1h;');
};

my $nginx = Parley::Nginx->start(workers => 2, http => $http->());
my $client = Parley::Client->new(port => port(1));


sub try { my @post = @_; return $client->raw(post(@post)) }


# Sends a task to the gateway as a principal; returns its answer.
sub own {
    my ($who, $intent, %payload) = @_;

    my $uri = delete $payload{uri} // '/aee';

    my $answer = try($uri, aee(from => person($who)->{aee},
                               to => 'service.parley',
                               intent => "aee.context.$intent",
                               payload => \%payload), as => $who);

    diag(substr $answer->{raw}, 0, 1000) if !$answer->{json};

    return $answer->{json} // {};
}


sub fetch  { my $who = shift; return own($who, 'fetch', @_) }
sub refute { my $who = shift; return own($who, 'refute', @_) }

sub code { return $_[0]{payload}{code} // '' }
sub hash { return 'sha256:' . sha256_hex(jcs($_[0])) }


# Returns whether a message is retained, without fetching it.
sub there {
    my $m = shift;

    return code(fetch('alice', id => $m->{id}, hash => 'none'))
           eq 'E_HASH_MISMATCH' ? 1 : 0;
}


# Sends a message, which must be accepted.
sub sent {
    my ($uri, $m, @o) = @_;

    $service->script(undef);
    $service->clear;

    my $answer = try($uri, $m, @o);

    like($answer->{status}, qr/^20[02]$/, 'it was taken')
        or diag($answer->{raw});

    return $m;
}


subtest 'AEE-25 the sender fetches its message' => sub {
    my $m = sent('/aee', aee(x_extra => [1, { a => undef }]));
    my $got = fetch('alice', id => $m->{id});

    is($got->{type}, 'result');
    is($got->{payload}{id}, $m->{id});
    is($got->{payload}{protocol}, 'aee');
    is_deeply($got->{payload}{envelope}, $m, 'as it was sent');
    ok(!exists $got->{payload}{refutations}, 'nothing was said against it');
};


subtest 'AEE-25 the recipient fetches the message' => sub {
    my $m = sent('/aee', aee());

    is_deeply(fetch('bob', id => $m->{id})->{payload}{envelope}, $m);
};


subtest 'AEE-25 to another principal the message does not exist' => sub {
    my $m = sent('/aee', aee());
    my $stranger = fetch('lead', id => $m->{id});
    my $nothing = fetch('lead', id => uuid4());

    is($stranger->{type}, 'error');
    is(code($stranger), 'E_NOT_FOUND');
    is_deeply($stranger->{payload}, $nothing->{payload}, 'the same answer');

    is_deeply(fetch('lead', id => $m->{id}, hash => 'sha256:00')->{payload},
              $nothing->{payload}, 'whatever hash it guesses');
    is_deeply(refute('lead', id => $m->{id}, reason => 'no')->{payload},
              $nothing->{payload}, 'nor can it refute it');
    is_deeply(refute('lead', id => $m->{id})->{payload},
              $nothing->{payload}, 'with or without a reason');
    ok(!exists fetch('alice', id => $m->{id})->{payload}{refutations});
};


subtest 'AEE-25 a group\'s message can be fetched by its sender only' => sub {
    my $m = sent('/aee', aee(type => 'event', to => 'bus.ops'));

    is_deeply(fetch('alice', id => $m->{id})->{payload}{envelope}, $m);
    is(code(fetch('bob', id => $m->{id})), 'E_NOT_FOUND');
};


subtest 'AEE-25 a principal known only by its token' => sub {
    my $m = sent('/aee', aee(from => 'agent.carol'), as => 'carol',
                 token => bearer('carol', sub => 'agent.carol'));
    my $got = try('/aee', aee(from => 'agent.carol', to => 'service.parley',
                              intent => 'aee.context.fetch',
                              payload => { id => $m->{id} }),
                  token => bearer('carol', sub => 'agent.carol'));

    is_deeply($got->{json}{payload}{envelope}, $m, 'has its own');

    $got = try('/aee', aee(from => 'agent.dave', to => 'service.parley',
                           intent => 'aee.context.fetch',
                           payload => { id => $m->{id} }),
               token => bearer('carol', sub => 'agent.dave'));

    is(code($got->{json}), 'E_NOT_FOUND', 'another one has not');
};


subtest 'AEE-25 the hash is checked if it is given' => sub {
    my $m = sent('/aee', aee());

    is_deeply(fetch('bob', id => $m->{id}, hash => hash($m))
              ->{payload}{envelope}, $m, 'good');

    for ('sha256:' . '0' x 64, hash({ %$m, corr => 'another' }),
         substr(hash($m), 7), uc hash($m), 'sha512:' . substr(hash($m), 7),
         hash($m) . '0', '', undef, 7, { sha256 => substr hash($m), 7 })
    {
        my $got = fetch('bob', id => $m->{id}, hash => $_);

        is(code($got), 'E_HASH_MISMATCH', 'bad: ' . jcs($_));
        is($got->{payload}{field}, '/payload/hash');
        ok(!exists $got->{payload}{envelope}, 'nothing is given away');
    }
};


subtest 'AEE-38 the corr is checked if it is given' => sub {
    my $m = sent('/aee', aee());

    is_deeply(fetch($_, id => $m->{id}, corr => $m->{corr}, hash => hash($m))
              ->{payload}{envelope}, $m, "good, for $_") for qw(alice bob);

    for ('another-corr', $m->{id}, substr($m->{corr}, 1), "$m->{corr} ",
         uc $m->{corr}, '', undef, 7, [$m->{corr}])
    {
        for my $got (fetch('bob', id => $m->{id}, corr => $_),
                     refute('bob', id => $m->{id}, corr => $_, reason => 'no'))
        {
            is(code($got), 'E_CORR_MISMATCH', 'bad: ' . jcs($_));
            is($got->{payload}{field}, '/payload/corr');
            ok(!exists $got->{payload}{envelope}, 'nothing is given away');
        }
    }

    ok(!exists fetch('alice', id => $m->{id})->{payload}{refutations},
       'nothing was refuted');
    is_deeply(fetch('lead', id => $m->{id}, corr => $m->{corr})->{payload},
              fetch('lead', id => uuid4(), corr => $m->{corr})->{payload},
              'a stranger learns nothing');
};


subtest 'AEE-38 the corr selects one of several messages with the same id' => sub {
    my $m = sent('/aee', aee());
    my $other = sent('/aee', aee(id => $m->{id}, from => 'agent.lead'),
                     as => 'lead');

    is_deeply(fetch('bob', id => $m->{id}, corr => $_->{corr})
              ->{payload}{envelope}, $_) for $m, $other;
    like(code(fetch('bob', id => $m->{id}, corr => $m->{corr},
                    hash => hash($other))), qr{^E_\w+_MISMATCH$},
         'not one with the corr of one and the hash of another');
};


subtest 'AEE-38 a translated message' => sub {
    my $m = sign_vcp(vcp(), person('alice')->{key});

    $service->script(undef);
    $service->clear;
    is($client->raw(post('/to-aee', jcs($m)))->{status}, 200);

    for ($service->last->{json}{corr}, $m->{message_id}) {
        is_deeply(fetch('bob', id => $m->{message_id}, corr => $_)
                  ->{payload}{envelope}, $m, "by $_");
    }

    is(code(fetch('bob', id => $m->{message_id}, corr => 'another-corr')),
       'E_CORR_MISMATCH', 'not by another');

    refute('bob', id => $m->{message_id}, reason => 'no');
    is_deeply(fetch('bob', id => $m->{message_id}, corr => $m->{message_id})
              ->{payload}{envelope}, $m, 'a refutation changes no corr');
};


subtest 'AEE-25 a task without an id' => sub {
    for ({}, { id => '' }, { id => 7 }, { id => undef }, { id => ['x'] }) {
        my $got = fetch('alice', %$_);

        is(code($got), 'E_FIELD_MISSING', jcs($_));
        is($got->{payload}{field}, '/payload/id');
    }
};


subtest 'AEE-25 the recipient of a translation fetches the original' => sub {
    my $m = sign_vcp(vcp(), person('alice')->{key});

    $service->script(undef);
    $service->clear;
    is($client->raw(post('/to-aee', jcs($m)))->{status}, 200);

    my $reference = $service->last->{json}{payload}{references}[0];

    is($reference->{id}, $m->{message_id});
    is($reference->{type}, 'vcp.message');
    is($reference->{hash}, hash($m));

    my $got = fetch('bob', id => $reference->{id},
                    hash => $reference->{hash});

    is($got->{type}, 'result') or diag(jcs($got));
    is($got->{payload}{protocol}, 'vcp');
    is_deeply($got->{payload}{envelope}, $m, 'as it was sent, signature too');

    is_deeply(fetch('alice', id => $m->{message_id})->{payload}{envelope},
              $m, 'the sender, under its AEE name, too');
    is(code(fetch('lead', id => $m->{message_id})), 'E_NOT_FOUND',
       'but nobody else');
};


subtest 'AEE-25 only accepted messages are retained' => sub {
    my $m = aee();

    is(try('/nobody', $m)->{status}, 502);
    is(code(fetch('alice', id => $m->{id})), 'E_NOT_FOUND', 'no upstream');

    $m = aee();
    $service->script('$c->answer(422, [], jcs(failure($q->{json})))');
    is(try('/aee', $m)->{status}, 422);
    is(code(fetch('alice', id => $m->{id})), 'E_NOT_FOUND', 'refused');

    $m = aee(priority => 'nope');
    is(try('/aee', $m)->{status}, 400);
    is(code(fetch('alice', id => $m->{id})), 'E_NOT_FOUND', 'not valid');

    $m = sent('/dry', aee());
    is(code(fetch('alice', id => $m->{id})), 'E_NOT_FOUND', 'in a dry run');

    $m = sent('/aee', aee());
    is(try('/aee', $m)->{status}, 409);
    is_deeply(fetch('alice', id => $m->{id})->{payload}{envelope}, $m,
              'a duplicate changes nothing');
};


subtest 'AEE-25 a message whose answer is events' => sub {
    my $m = aee();

    $service->script('$c->events; $c->out("data: " . jcs(result($q->{json})) '
                   . '. "\n\n")');
    is(try('/aee', $m)->{status}, 200);
    is_deeply(fetch('alice', id => $m->{id})->{payload}{envelope}, $m);
};


subtest 'AEE-25 AEE-32 redacted members are not retained' => sub {
    my $m = sent('/redacted', aee(payload => { text => 'log in', pin => 1234,
                                               password => 'swordfish' }));

    for my $who (qw(alice bob)) {
        my $got = fetch($who, id => $m->{id});

        is_deeply($got->{payload}{envelope}{payload},
                  { text => 'log in', pin => '[redacted]' }, $who);
        unlike(jcs($got), qr/swordfish|1234[^0-9a-f]/, 'nowhere');
    }

    my $passed = $service->last->{json};

    is_deeply(fetch('bob', id => $m->{id}, hash => hash($passed))
              ->{payload}{envelope}, $passed, 'but what the service got');
};


subtest 'SEC-11 AEE-25 another principal\'s message with the same id hides nothing' => sub {
    my $theirs = sent('/aee', aee(id => 'order-000001', from => 'agent.lead',
                                  to => 'agent.lead'), as => 'lead');
    my $m = sent('/aee', aee(id => 'order-000001'));

    is_deeply(fetch('bob', id => $m->{id})->{payload},
              { id => $m->{id}, protocol => 'aee', envelope => $m },
              'bob gets the one that was for him');
    is_deeply(fetch('alice', id => $m->{id})->{payload}{envelope}, $m);
    is_deeply(fetch('lead', id => $m->{id})->{payload}{envelope}, $theirs,
              'and each its own');

    is_deeply(refute('bob', id => $m->{id}, reason => 'no')->{payload},
              { acknowledged => true });
    is(fetch('alice', id => $m->{id})->{payload}{refutations}[0]{reason}, 'no');
    ok(!exists fetch('lead', id => $m->{id})->{payload}{refutations});
};


subtest 'SEC-11 AEE-25 of two messages for one recipient the first is returned; both are named' => sub {
    my $m = sent('/aee', aee());
    my $forged = sent('/aee', aee(id => $m->{id}, from => 'agent.lead',
                                  payload => { text => 'forged' }),
                      as => 'lead');

    my $got = fetch('bob', id => $m->{id})->{payload};

    is_deeply($got->{envelope}, $m);
    is_deeply($got->{others}, [{ protocol => 'aee', from => 'agent.lead',
                                 hash => hash($forged) }]);

    is_deeply(fetch('bob', id => $m->{id}, from => 'agent.lead')
              ->{payload}{envelope}, $forged, 'by its sender');
    is_deeply(fetch('bob', id => $m->{id}, hash => hash($forged))
              ->{payload}{envelope}, $forged, 'by its hash');
    is(code(fetch('bob', id => $m->{id}, from => 'agent.lead',
                  hash => hash($m))), 'E_HASH_MISMATCH', 'by both');
    is(code(fetch('bob', id => $m->{id}, from => 'agent.alone')),
       'E_NOT_FOUND', 'of nobody else');
    is_deeply(fetch('lead', id => $m->{id})->{payload}{envelope}, $forged,
              'its own alone');
};


subtest 'AEE-25 a location with smaller limits still answers' => sub {
    my $deep = { text => 'x' };
    $deep = { in => $deep } for 1 .. 60;

    my $m = sent('/large', aee(payload => { deep => $deep }));
    is_deeply(fetch('bob', uri => '/small', id => $m->{id}, hash => hash($m))
              ->{payload}{envelope}, $m, 'deep');

    $m = sent('/large', aee(payload => { text => 'y' x 100_000 }));
    is_deeply(fetch('bob', uri => '/small', id => $m->{id})
              ->{payload}{envelope}, $m, 'large');
};


subtest 'AEE-26 a refutation is acknowledged, and returned later' => sub {
    my $m = sent('/aee', aee());
    my $r = refute('bob', id => $m->{id}, reason => "it is \"wrong\"\x{e9}");

    is($r->{type}, 'result');
    is_deeply($r->{payload}, { acknowledged => true });

    my $got = fetch('alice', id => $m->{id}, hash => hash($m));

    is_deeply($got->{payload}{envelope}, $m, 'the message itself stays');

    my $list = $got->{payload}{refutations};

    is(scalar @$list, 1);
    is($list->[0]{by}, 'agent.bob');
    is($list->[0]{reason}, "it is \"wrong\"\x{e9}");
    like($list->[0]{ts}, qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);

    is_deeply(refute('alice', id => $m->{id}, reason => 'it is not')
              ->{payload}, { acknowledged => true }, 'another one');

    is(join(' ', map { $_->{by} } @{ fetch('bob', id => $m->{id})
                                     ->{payload}{refutations} }),
       'agent.bob agent.alice', 'in their order');
};


subtest 'AEE-26 a refutation of an original, by the recipient of its translation' => sub {
    my $m = sign_vcp(vcp(), person('alice')->{key});

    $service->script(undef);
    is($client->raw(post('/to-aee', jcs($m)))->{status}, 200);
    is_deeply(refute('bob', id => $m->{message_id}, reason => 'no')
              ->{payload}, { acknowledged => true });
    is(fetch('alice', id => $m->{message_id})->{payload}{refutations}[0]{by},
       'agent.bob');
};


subtest 'AEE-26 a refutation has a reason' => sub {
    my $m = sent('/aee', aee());

    for ({}, { reason => '' }, { reason => 7 }, { reason => undef },
         { reason => 'x' x 1025 })
    {
        my $r = refute('bob', id => $m->{id}, %$_);

        is(code($r), 'E_FIELD_INVALID', substr jcs($_), 0, 30);
        is($r->{payload}{field}, '/payload/reason');
    }

    is_deeply(refute('bob', id => $m->{id}, reason => 'x' x 1024)->{payload},
              { acknowledged => true });
    is(code(refute('bob', id => uuid4(), reason => 'x')), 'E_NOT_FOUND',
       'of what is not there');
    is(code(refute('bob', reason => 'x')), 'E_FIELD_MISSING', 'of nothing');
};


subtest 'AEE-26 there are at most 16 refutations' => sub {
    my $m = sent('/aee', aee());

    refute('bob', id => $m->{id}, reason => "no. $_") for 1 .. 16;

    is(code(refute('bob', id => $m->{id}, reason => 'no. 17')), 'E_CAPACITY');

    my $list = fetch('alice', id => $m->{id})->{payload}{refutations};

    is(join(' ', map { $_->{reason} =~ /(\d+)/ } @$list), "@{[1 .. 16]}");
};


subtest 'AEE-26 two refutations at the same time are both kept' => sub {
    my $m = sent('/aee', aee());
    my @who = map { $_ % 2 ? 'alice' : 'bob' } 1 .. 12;
    my @requests = map {
        post('/aee', aee(from => person($_)->{aee}, to => 'service.parley',
                         intent => 'aee.context.refute',
                         payload => { id => $m->{id}, reason => 'no' }),
             as => $_)
    } @who;
    my @all = map { $client->connect } @requests;

    $all[$_]->write($requests[$_]) for 0 .. $#all;

    my $acknowledged = grep { $_->answer->{json}{payload}{acknowledged} }
                       @all;

    is($acknowledged, scalar @who);
    is(scalar @{ fetch('alice', id => $m->{id})->{payload}{refutations} },
       scalar @who);
};


subtest 'AEE-25 AEE-26 a reload keeps messages and refutations' => sub {
    my $m = sent('/aee', aee());

    refute('bob', id => $m->{id}, reason => 'no');
    ok($nginx->reload, 'reloaded');

    my $got = fetch('alice', id => $m->{id})->{payload};

    is_deeply($got->{envelope}, $m);
    is($got->{refutations}[0]{reason}, 'no');
};


subtest 'AEE-25 the number is limited: the oldest are removed' => sub {
    ok($nginx->reload(http => $http->('parley_retain count=3 time=1h;'), workers => 2));

    my @m = map { sent('/aee', aee()) } 1 .. 5;

    is(join(' ', map { code(fetch('alice', id => $_->{id})) || 'there' } @m),
       'E_NOT_FOUND E_NOT_FOUND there there there');

    refute('bob', id => $m[2]{id}, reason => 'no');

    is(join(' ', map { code(fetch('alice', id => $_->{id})) || 'there' }
                     @m[2 .. 4]),
       'there there there', 'a refutation takes nobody\'s place');
};


subtest 'AEE-25 the time is limited' => sub {
    ok($nginx->reload(http => $http->('parley_retain count=10 time=2s;'), workers => 2));

    my $m = sent('/aee', aee());
    my $at = time;

    is_deeply(fetch('alice', id => $m->{id})->{payload}{envelope}, $m,
              'at once');
    sleep 1;
    is_deeply(refute('bob', id => $m->{id}, reason => 'no')->{payload},
              { acknowledged => true }, 'refuted meanwhile');

    sleep 2.3 - (time - $at);
    is(code(fetch('alice', id => $m->{id})), 'E_NOT_FOUND',
       'that does not prolong it');
};


subtest 'AEE-25 the octets are limited to half of the zone' => sub {
    ok($nginx->reload(http => $http->('parley_retain count=100000 time=1h;'),
                      workers => 2));

    my @m = map { sent('/large', aee(payload => { text => 'z' x 100_000 })) }
            1 .. 14;
    my $there = join '', map { there($_) } @m;

    like($there, qr/^0+1+$/, 'the oldest went');
    is($there =~ tr/1//, 8, '8 of 128k');

    is(try('/aee', aee(to => 'service.parley', intent => 'aee.status.health',
                       payload => {}))->{json}{payload}{status}, 'healthy',
       'there is room for what must be remembered');

    my $large = sent('/large', aee(payload => { text => 'z' x 300_000 }));

    is(there($large), 1, 'a larger one');
    is(join('', map { there($_) } @m[-4 .. -1]), '1111', 'the newest stay');

    my $all = sent('/large', aee(payload => { text => 'z' x 800_000 }));

    is(there($all), 1, 'one that takes all there is');
    is(there($large), 0, 'in place of the others');
};


subtest 'AEE-25 nothing is retained after parley_retain off' => sub {
    my $m = sent('/aee', aee());

    is(code(fetch('alice', id => $m->{id})), '');
    ok($nginx->reload(http => $http->(''), workers => 2));
    is(code(fetch('alice', id => $m->{id})), 'E_NOT_FOUND');
};


for (['parley_retain count=0 time=1h;', qr/"parley_retain": "count=0" is not in the range/],
     ['parley_retain count=-1 time=1h;', qr/"parley_retain": "count=-1" is not a number/],
     ['parley_retain count=many time=1h;', qr/"parley_retain": "count=many" is not a number/],
     ['parley_retain count=10 time=0;', qr/"parley_retain": "time=0" is not in the range/],
     ['parley_retain count=10 time=soon;', qr/"parley_retain": "time=soon" is not a time/],
     ['parley_retain count=10;', qr/invalid number of arguments/],
     ['parley_retain count=10 time=1h 2;', qr/invalid number of arguments/],
     ['parley_retain count=10 time=1h; parley_retain count=10 time=1h;', qr/is duplicate/])
{
    my ($line, $expected) = @$_;

    subtest "GW-11 $line" => sub {
        my ($status, $said) = Parley::Nginx->check(http => $http->($line));

        is($status, 1);
        like($said, $expected);
        like($said, qr/nginx\.conf:\d+/, 'with its line');
    };
}


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0,
   'nothing alarming was logged');

done_testing;
