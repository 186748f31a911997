# SEC-19: a refusal tells a client how to continue: the token that it must
# send, the scope that it needs, the method that is allowed.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my $metadata = 'https://a.example/.well-known/oauth-protected-resource/x?a=1';

my $on = 'parley_accept aee vcp c2a channel moq; parley_speak aee; parley_jwt on';
my $told = "$on realm=agents resource_metadata=$metadata";

my %o = matrix();
my $nginx = Parley::Nginx->start(http => $o{http} . "server {\n$o{server}\n"
    . location('/plain', "$on; parley_allow scope=ops:deploy;")
    . location('/told', "$told; parley_allow scope=ops:deploy intent=**;")
    . location('/spaced', 'parley_accept aee; '
                        . 'parley_jwt on "realm=my agents; a, b=c";')
    . location('/one-of', "$told; parley_allow scope=ops:*|admin|root;")
    . location('/pattern', "$told; parley_allow scope=deploy:*;")
    . location('/second', "$told; parley_allow scope=other intent=no.such; "
                        . 'parley_allow type=result; '
                        . 'parley_allow scope=deploy; '
                        . 'parley_allow scope=never;')
    . location('/denied', "$told; parley_deny scope=ops:run; "
                        . 'parley_allow scope=admin type=result;')
    . location('/dry', "$told; parley_allow scope=ops:deploy; "
                     . 'parley_dry_run on;')
    . location('/signed', 'parley_accept aee; parley_signature required; '
                        . 'parley_allow scope=ops:deploy;')
    . "location /inner { parley_accept aee; parley_jwt on; "
    . "location /inner/told { parley_accept aee; parley_jwt on realm=inner; "
    . "proxy_pass http://127.0.0.1:" . port(2) . "; } "
    . "proxy_pass http://127.0.0.1:" . port(2) . "; }\n}\n");

my $client = Parley::Client->new(port => port(1));


sub sent {
    $service->clear;
    return $client->raw(post(@_));
}


# Returns the parameters of the only Bearer challenge.
sub challenge {
    my $answer = shift;

    my @all = grep { lc $_->[0] eq 'www-authenticate' } @{ $answer->{list} // [] };

    @all = (['', $answer->{headers}{'www-authenticate'}]) if !@all;

    my ($said) = map { $_->[1] } @all;

    return undef if !defined $said;

    is(scalar @all, 1, 'one challenge');

    my $param = qr/[a-z_]+="[\x20\x21\x23-\x5b\x5d-\x7e]*"/;

    like($said, qr/^Bearer $param(?:, $param)*$/, 'well-formed');

    my %said;

    while ($said =~ /([a-z_]+)="([^"]*)"/g) {
        fail("$1 is there once") if exists $said{$1};
        $said{$1} = $2;
    }

    return \%said;
}


my $expired = bearer('alice', exp => time - 100);

for my $case (['no token', 0, undef],
              ['no token that can be read', 'Bearer x', 'invalid_token'],
              ['an expired token', $expired, 'invalid_token'],
              ['a token of another key', bearer('alice') . 'x',
               'invalid_token'])
{
    my ($name, $token, $error) = @$case;

    for my $make (sub { aee() }, sub { vcp() }, sub { deliver() },
                  sub { advisory() }, sub { command('backup.run') })
    {
        subtest "SEC-19 401 for $name has realm, error and metadata" => sub {
            my $answer = sent('/told', $make->(), token => $token);
            my $said = challenge($answer);

            is($answer->{status}, 401);
            is($service->count, 0, 'nothing went on');
            is($said->{realm}, 'agents');
            is($said->{error}, $error, 'error');
            is($said->{resource_metadata}, $metadata);
            is($said->{scope}, undef, 'no scope');
            is(defined $said->{error_description}, defined $error,
               'what was wrong');
        };
    }
}


subtest 'SEC-19 without realm= there is a default realm' => sub {
    is_deeply(challenge(sent('/plain', aee(), token => 0)),
              { realm => 'parley' });
    is(challenge(sent('/spaced', aee(), token => 0))->{realm},
       'my agents; a, b=c', 'a realm is any text');
    is(challenge(sent('/inner/told', aee(), token => 0))->{realm}, 'inner');
    is(challenge(sent('/inner', aee(), token => 0))->{realm}, 'parley');
};


subtest 'SEC-19 403 insufficient_scope has the scope and the realm' => sub {
    for my $make (\&aee, \&vcp, \&advisory) {
        my $answer = sent('/told', $make->());

        is($answer->{status}, 403);
        is($service->count, 0, 'nothing went on');
        is_deeply(challenge($answer), { realm => 'agents',
            error => 'insufficient_scope', scope => 'ops:deploy',
            error_description => 'rule 1 asks for the scope ops:deploy',
            resource_metadata => $metadata });
    }

    my $answer = sent('/plain', deliver(),
                      headers => ['MCP-Protocol-Version' => '2025-06-18']);

    is($answer->{status}, 403, 'a client of MCP reads it');
    is(challenge($answer)->{scope}, 'ops:deploy');
    is(challenge($answer)->{realm}, 'parley');
};


subtest 'SEC-19 the challenge names only a scope that a token can have' => sub {
    is(challenge(sent('/one-of', aee(),
                      token => bearer('alice', scope => 'x')))->{scope},
       'admin', 'of alternatives the first that is no pattern');

    my $said = challenge(sent('/pattern', aee()));

    is($said->{error}, 'insufficient_scope');
    is($said->{scope}, undef, 'nobody is given a pattern');

    is(challenge(sent('/second', aee()))->{scope}, 'deploy',
       'that of the first rule which lacks nothing else');
    is(sent('/told', aee(), token => bearer('alice',
                                            scope => 'ops:deploy'))->{status},
       202, 'with it the message passes');
};


subtest 'SEC-19 other refusals ask for no token' => sub {
    my $answer = sent('/denied', aee());

    is($answer->{status}, 403, 'denied by a rule');
    is($answer->{headers}{'www-authenticate'}, undef);

    $answer = sent('/told', aee(from => 'agent.bob'));
    is($answer->{status}, 403, 'another sender');
    is($answer->{headers}{'www-authenticate'}, undef);

    $answer = sent('/signed', aee(), token => 0, sign => 1);
    is($answer->{status}, 403, 'where no token is taken');
    is($answer->{headers}{'www-authenticate'}, undef);

    $answer = sent('/to-channel?scope=~dave/*', advisory());
    is($answer->{status}, 403, 'a scope of agent-channel is no token\'s')
        or diag $answer->{body};
    is($answer->{headers}{'www-authenticate'}, undef);

    $answer = sent('/dry', aee());
    is($answer->{status}, 202, 'a dry run');
    is($answer->{headers}{'www-authenticate'}, undef);
};


subtest 'SEC-19 405 with Allow comes before every other check' => sub {
    for my $method (qw(GET HEAD PUT PATCH DELETE OPTIONS PROPFIND)) {
        for my $o ([], [token => 0],
                   [headers => [Accept => 'text/event-stream']])
        {
            my $answer = sent('/told', '', method => $method, @$o);

            is($answer->{status}, 405, $method);
            is($answer->{headers}{allow}, 'POST', "$method: Allow");
            is($answer->{headers}{'www-authenticate'}, undef);
            is($service->count, 0);
        }
    }
};


for my $case (['realm=', 'is not a realm; expected printable ASCII'],
              ['"realm=a\\"b"', 'without quotes and backslashes'],
              ["realm=a\x{c3}\x{a9}", 'is not a realm'],
              ['realm=a realm=b', 'is duplicate'],
              ['resource_metadata=', 'is not an absolute URL'],
              ['resource_metadata=/x', 'is not an absolute URL'],
              ['resource_metadata=ftp://x', 'is not an absolute URL'],
              ['"resource_metadata=https://x/ y"', 'is not an absolute URL'])
{
    my ($words, $why) = @$case;

    my ($status, $said) = Parley::Nginx->check(http => gateway_http(
        server => location('/x', "parley_accept aee; parley_jwt on $words;")));

    is($status, 1, "SEC-19 nginx -t refuses $words");
    like($said, qr/"parley_jwt": .*\Q$why\E/, "SEC-19 $words: why");
}


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
