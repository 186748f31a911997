# The gateway refuses every invalid message of t/cases/<protocol> with the code
# and the member of the case, and the service gets nothing.  Each case is a
# test with the numbers of its rules.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port root section slurp tmp_dir spew);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my @protocols = qw(aee vcp vcp2 c2a channel moq);

# agent-channel has a closed set of codes: ACH-23
my %word = ('json-invalid' => 'field-invalid',
            'protocol-unsupported' => 'envelope-version-unsupported');

spew(tmp_dir() . '/jwks.json', jwks(idp()));

my $http = 'parley_zone agents:1m; parley_jwks ' . tmp_dir() . "/jwks.json;\n"
         . 'parley_trusted on; server { listen 127.0.0.1:' . port(1) . ";\n"
         . join('', map { location("/$_", "parley_accept $_;") } @protocols)
         . location('/aee-mve5', 'parley_accept aee-mve5;') . '}';

my $service = Parley::Upstream->start(port(2));
my $nginx = Parley::Nginx->start(http => $http);
my $client = Parley::Client->new(port => port(1), tls => 0);


# Returns the code and the member of a refusal in a protocol's own form.
sub refusal {
    my ($protocol, $json) = @_;

    my $said = $protocol eq 'aee' ? $json->{payload}
             : $protocol eq 'c2a' ? $json->{error}{data}
             : $protocol eq 'moq' ? $json->{payload}
             : $json;
    my ($code, $field) = @{ $said // {} }{qw(code field)};

    ($code //= '') =~ s/^E_(.*)/lc($1) =~ tr{_}{-}r/e;

    return join ' ', $code, grep { defined && $_ ne '' } $field;
}


for my $protocol (@protocols) {
    for my $case (glob root() . "/t/cases/$protocol/*") {
        my ($name) = $case =~ m{([^/]+)$};
        my ($code, $field) = split ' ', section($case, 'error');

        next if !defined $code || !-e "$case/in.json";

        my $rules = join ' ', split ' ', section($case, 'rules');
        my $uri = section($case, 'opts') =~ /^mve5=1$/m ? '/aee-mve5'
                                                        : "/$protocol";

        $service->clear;

        my $answer = $client->post($uri, slurp("$case/in.json"));

        $code = $word{$code} // $code if $protocol eq 'channel';

        subtest "$rules $protocol/$name" => sub {
            like($answer->{status}, qr/^4/, 'refused');
            is(refusal($protocol, $answer->{json}),
               join(' ', $code, length $field // '' ? $field : ()),
               'code and member')
                or diag($answer->{raw});
            is($service->count, 0, 'nothing was forwarded');
        };
    }
}


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0,
   'nothing alarming was logged');

done_testing;
