# SEC-03: arguments of the query that decide something are decoded, may be
# there only once, and are forwarded as they were decided.

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
my $up = 'http://127.0.0.1:' . port(2);

my %o = matrix();
my $all = 'parley_accept aee vcp c2a channel moq; parley_jwt on; '
        . 'parley_vcp_context ctx|gateway;';

my $nginx = Parley::Nginx->start(http => $o{http} . "server {\n$o{server}\n"
    . location('/aee-alone', 'parley_accept aee; parley_jwt on;')
    . location('/token', 'parley_accept aee; parley_jwt on '
                       . 'token=$arg_access_token;')
    . location('/redacted', 'parley_accept channel; parley_jwt on; '
                          . 'parley_redact /payload/file_refs;')
    . location('/dry', 'parley_accept channel; parley_jwt on; '
                     . 'parley_dry_run on;')
    . "location /as-it-came { $all parley_speak channel; "
    . "proxy_pass $up\$request_uri; }\n"
    . "location /variables { $all parley_speak channel; "
    . "proxy_pass $up/v?\$args; }\n"
    . "location /rewritten { $all parley_speak channel; "
    . "rewrite ^ /rewritten?x=1&scope=~cc-bob? break; proxy_pass $up; }\n"
    . "location /prefix/ { $all parley_speak channel; "
    . "proxy_pass $up/other/; }\n}\n");

my $client = Parley::Client->new(port => port(1));


# Returns the request that the service got, or the refusal.
sub sent {
    my ($uri, $message, @o) = @_;

    $service->clear;

    my $answer = $client->raw(post($uri, $message, @o));
    my @got = $service->requests;

    return @got ? $got[0]{uri}
                : join ' ', $answer->{status}, $answer->{json}{code}
                    // $answer->{json}{error}{data}{code}
                    // $answer->{json}{payload}{code}
                    // $answer->{json}{error_code} // '-';
}


sub is_refused {
    my ($query, $name, $uri, $make) = @_;

    is(sent("$uri?$query", $make->()), '400 field-invalid', $query);

    my $answer = $client->raw(post("$uri?$query", $make->()));
    my $field = $answer->{json}{field} // $answer->{json}{error}{data}{field}
                // $answer->{json}{payload}{field};

    is($field, $name, "$query: named");
}


my $frame = sub { advisory() };
my $command = sub { command('backup.run') };
my $reaction = sub {
    call('chat.react', inReplyTo => 'evt-1', signal => 'seen')
};


subtest 'SEC-03 an argument that is there once is forwarded unchanged' => sub {
    for my $query ('scope=~cc-bob', 'scope=~cc-bob%2Fbuild*',
                   'scope=~cc-bob/build*', 'a=1&scope=~cc-bob&b=2&&c',
                   'a=%zz&b=+;c&d[]=1&%00=1&scope=~cc-bob&sc=1&scopes=2',
                   'a', '', 'x=scope%3Dy', 'x=%26scope%3Dy', 'xscope=1')
    {
        for my $uri ('/to-channel', '/as-it-came') {
            is(sent("$uri?$query", advisory()), "$uri?$query", $query);
        }
    }

    is(sent('/to-channel', advisory()), '/to-channel', 'none');
    is(sent('/prefix/a%2Fb?scope=~cc-bob', advisory()),
       '/other/a/b?scope=~cc-bob', 'a location that changes the path');
};


subtest 'SEC-03 names and values are decoded, and written as they were decided' => sub {
    my %as = (
        'sc%6fpe=~cc-bob' => 'scope=~cc-bob',
        '%73%63%6F%70%65=~cc-bob%2F*' => 'scope=~cc-bob%2F*',
        'SCOPE=~cc-bob' => 'scope=~cc-bob',
        'Scope=%7Ecc-bob' => 'scope=~cc-bob',
        'a=1&sCoPe=~cc-bob&b=2' => 'a=1&scope=~cc-bob&b=2',
    );

    for my $query (sort keys %as) {
        my $want = $as{$query};

        is(sent("/to-channel?$query", advisory()),
           '/to-channel' . (length $want ? "?$want" : ''), $query);
        is(sent("/as-it-came?$query", advisory()),
           '/as-it-came' . (length $want ? "?$want" : ''),
           "$query, in \$request_uri");
        is(sent("/variables?$query", advisory()), "/v?$want",
           "$query, in \$args");
    }

    is(sent('/to-channel/a%2Fb%20c?Scope=~cc-bob', advisory()),
       '/to-channel/a%2Fb%20c?scope=~cc-bob', 'the path stays as it came');
    is(sent('/to-moq?Recipient=agent+x%2by', command('backup.run')),
       '/to-moq?recipient=agent%20x%2By', 'a plus is a space');
    is(sent('/to-moq?a=1&recipient=', command('backup.run')),
       sent('/to-moq?a=1', command('backup.run')), 'an empty one says nothing');
    is(sent('/to-moq?recipient=b%26scope%3D1', command('backup.run')),
       '/to-moq?recipient=b%26scope%3D1', 'no value begins another');
};


# Without a scope a message goes to all sessions of the recipient.  An empty
# scope is probably a mistake, so it is refused.

subtest 'ACH-15 SEC-03: an empty scope is refused' => sub {
    for my $query ('scope=', 'a=1&scope=', 'scope&a=1', 'scope',
                   'a=1&sc%6Fpe=&b=2')
    {
        for my $uri ('/to-channel', '/to-aee') {
            is(sent("$uri?$query", advisory()), '400 field-invalid',
               "$uri?$query");
        }
    }
};


my @twice = (
    'scope=~cc-bob&scope=org:~evil/members/*',
    'scope=~cc-bob&scope=~cc-bob', 'scope=~cc-bob&a=1&sc%6fpe=x',
    'scope=~cc-bob&SCOPE=x', 'scope=&scope=~cc-bob', 'scope=~cc-bob&scope',
    'sc%6Fpe=~cc-bob&%73cope=~cc-bob', 'scope=~cc-bob&&&scope=',
);

my @disguised = (
    'scope=~cc-bob;scope=org:~evil/members/*', 'a=1;scope=x',
    'a=1;sc%6fpe=x', 'scope;a=1', 'a=1;b=2;Scope', ';scope=x', 'scope=;',
    'scope[]=x', 'scope=~cc-bob&scope[]=x', 'scope%5B0%5D=x', 'scope[a][b]=x',
    'scope%00=x', 'scope%00x=x', '%20scope=x', '+scope=x', 'scope+=x',
    'scope%20=x', 'scope%09=x', '%0d%0ascope=x', '%00scope=x',
);

my @invalid = (
    'scope=%', 'scope=%7', 'scope=%zz', 'scope=~cc-bob%', 'scope=~cc-bob%00',
    'scope=~cc-bob%0d%0aX:1', 'scope=%ff', 'scope=%c3', 'scope=%c0%af',
    'scope=~cc-bob%7f', 'scope=~cc-bob%c2%85', 'scope=~cc-bob+',
    'scope=~cc-bob%09', 'scope=no',
);

for my $case (['there twice', @twice], ['disguised', @disguised],
              ['not well-formed', @invalid])
{
    my ($name, @queries) = @$case;

    subtest "SEC-03 a scope that is $name is refused and named" => sub {
        for my $query (@queries) {
            is_refused($query, 'scope', '/to-channel', $frame);
            is_refused($query, 'scope', '/redacted', $frame);
        }
    };

    subtest "SEC-03 a recipient that is $name is refused and named" => sub {
        for my $query (@queries) {
            next if $query =~ /=~cc-bob\+$|=no$/;

            $query =~ s/SCOPE/RECIPIENT/g;
            $query =~ s/Scope/Recipient/g;
            $query =~ s/sc%6fpe/r%65cipient/gi;
            $query =~ s/%73cope/%72ecipient/g;
            $query =~ s/scope/recipient/g;

            is_refused($query, 'recipient', '/to-c2a', $reaction);

            is(sent("/to-moq?$query", $command->()) =~ s/ .*//r, '400',
               "MoQ: $query");
        }
    };
}


subtest 'SEC-03 an argument of another protocol has no effect, and is reported' =>
sub {
    is(sent('/to-channel?scope=~cc-bob', aee()), '400 E_FIELD_INVALID',
       'an AEE message has no scope');
    is(sent('/to-moq?recipient=agent.eve', aee()), '400 E_FIELD_INVALID',
       'nor such a recipient');
    is(sent('/to-channel?scope=&a=1', aee(to => 'agent.bob')) =~ s/scope=[^&]*&//r,
       '/to-channel?a=1', 'an empty one says nothing');
    is(sent('/aee-alone?scope=a&scope=b&recipient=c;scope', aee()),
       '/aee-alone?scope=a&scope=b&recipient=c;scope',
       'where nobody reads them they are the service\'s');
    is(sent('/to-aee?recipient=agent%3Aeve', deliver()), '400 field-invalid',
       'nor does one that says otherwise than the message');
    is(sent('/to-aee?recipient=agent%3Abob', deliver()),
       '/to-aee?recipient=agent%3Abob', 'the same may be said twice');
};


subtest 'SEC-03 the gateway sets the scope of a translated message' => sub {
    like(sent('/to-channel?a=1', aee(to => 'bus.ops', type => 'event')),
         qr{^/to-channel\?scope=org%3A~ops%2Fmembers%2F(?:\*|%2A)&a=1$});
    like(sent('/as-it-came?a=1', aee(to => 'bus.ops', type => 'event')),
         qr{^/as-it-came\?scope=org%3A~ops%2Fmembers%2F(?:\*|%2A)&a=1$},
         'in $request_uri too');
};


subtest 'SEC-03 a fragment ends the arguments' => sub {
    for my $uri ('/to-channel', '/as-it-came') {
        is(sent("$uri?a=1#&scope=x", advisory()), "$uri?a=1", $uri);
        is(sent("$uri#?scope=x", advisory()), $uri, $uri);
        is(sent("$uri?scope=~cc-bob#scope=x", advisory()),
           "$uri?scope=~cc-bob", $uri);
    }
};


subtest 'SEC-03 arguments in the configuration are kept' => sub {
    is(sent('/rewritten?scope=~evil', advisory()),
       '/rewritten?x=1&scope=~cc-bob');
    is(sent('/dry?scope=a&sc%6fpe=b', advisory()), '/dry?scope=a&sc%6fpe=b',
       'a dry run changes nothing');
};


subtest 'SEC-03 the argument with the token' => sub {
    my $token = bearer('alice') =~ s/^Bearer //r;
    my $encoded = $token =~ s/e/%65/gr;

    is(sent("/token?a=1&access_token=$token", aee(), token => 0),
       '/token?a=1', 'it goes no further');
    is(sent("/token?access_tok%65n=$encoded", aee(), token => 0),
       '/token', 'decoded');
    is(sent("/token?ACCESS_TOKEN=$token&b=%41", aee(), token => 0),
       '/token?b=%41', 'in any case');

    for my $query ("access_token=$token&access_token=$token",
                   "access_token=$token&access_tok%65n=x",
                   "access_token=$token&access_token",
                   "access_token=$token;a=1", "access_token[]=$token",
                   "access_token=$token%", "access_token=$token%00")
    {
        is(sent("/token?$query", aee(), token => 0), '400 E_FIELD_INVALID',
           'refused');
    }

    my $answer = $client->raw(post("/token?access_token=$token&access_token=x",
                                   aee(), token => 0));

    is($answer->{json}{payload}{field}, 'access_token', 'named');

    is(sent('/token?access_token=', aee(), token => 0),
       '401 E_TOKEN_MISSING', 'none');
    is(sent("/token?access_token=${token}x", aee(), token => 0),
       '401 E_TOKEN_INVALID', 'another');
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
