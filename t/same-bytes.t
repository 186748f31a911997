# What the command line tool makes of a message and what the gateway forwards
# are the same octets, with the same loss, and refused for the same reason,
# for every case of t/cases/<from>-to-<to>.
#
# Both get the same input.  VCP lets no message in that is older than five
# minutes, so its timestamps are moved to now, for both; everything else may be
# as old as it likes.  The service takes nothing (500), so that the next case
# may have the same id.
#
# From a case's "opts" both get what a request can say: context and
# constitution in headers that parley_vcp_context and _constitution take, the
# scope as an argument, the trace as traceparent, the sender by its token.
# The rest (recipient and session of a MoQ frame, what a signature proved) is
# left out for both.

use strict;
use warnings;

use lib 't/lib';

use POSIX qw(strftime);
use Test::More;
use Time::Local qw(timegm);

use Parley::Client;
use Parley::Env qw(tmp_dir root port slurp spew);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool ();
use Parley::Upstream;

my $dir = tmp_dir();

my %pair = map { m{/(\w+)-to-(\w+)$} ? ("$1-to-$2" => [$1, $2]) : () }
           glob root() . '/t/cases/*-to-*';

spew("$dir/identities.json", jcs({ principals => [
    { sub => 'entry', aee => 'agent.listed', vcp => 'agent://dir/entry' },
    { sub => 'hidden', aee => 'agent.hidden' },
    { sub => 'bus', aee => 'bus.listed', vcp => 'agent://dir/bus' },
] }));
spew("$dir/jwks.json", jwks(idp()));

# cases have messages for service.parley, which a gateway of that name would
# answer itself
my $self = 'service.same-bytes';

my $http = "parley_self $self;\n"
         . "parley_zone agents:8m; parley_identities $dir/identities.json;\n"
         . "parley_jwks $dir/jwks.json;\n"
         . "parley_freshness past=2000w future=2000w; parley_window 4000w;\n"
         . 'parley_vcp_context $http_x_context; '
         . "parley_vcp_constitution \$http_x_constitution;\n"
         . "parley_trusted on; parley_signature off;\n"
         . 'server { listen 127.0.0.1:' . port(1) . ";\n";

for my $name (sort keys %pair) {
    my ($from, $to) = @{ $pair{$name} };
    my $both = "parley_accept $from; parley_speak $to;";

    $http .= location("/$name", $both)
           . location("/token/$name", "$both parley_jwt on; "
                                    . "parley_claims $from=name;");
}

$http =~ s/parley_claims (?:moq=name;)//g;
$http =~ s/parley_claims channel=/parley_claims handle=/g;

my $service = Parley::Upstream->start(port(2), '$c->answer(500)');
my $nginx = Parley::Nginx->start(http => "$http }");
my $client = Parley::Client->new(port => port(1), tls => 0);


# A timestamp at now, with the fraction and the zone that it had.
sub now_as {
    my ($fraction, $zone) = @_;

    my $offset = $zone =~ /^([+-])(\d\d):(\d\d)$/
               ? ($1 eq '-' ? -1 : 1) * ($2 * 3600 + $3 * 60) : 0;

    return strftime('%Y-%m-%dT%H:%M:%S', gmtime time + $offset)
           . ($fraction // '') . $zone;
}


sub moved {
    my $text = shift;

    $text =~ s{("timestamp"\s*:\s*")\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d
               (\.\d+)?(Z|[+-]\d\d:\d\d)"}
              {$1 . now_as($2, $3) . '"'}gex;

    return $text;
}


# what nginx said of the last request: code, field, text
sub refusal {
    my $log = shift;

    return undef if $log !~ m{refused,\ ([a-z-]+)\ ?(.*?):\ (.*?),\ principal
                              \ "[^"]*",\ id\ "}x;

    return { code => $1, field => $2, text => $3 };
}


# The time that a message says it was made, by the one who made it.
sub made_at {
    my $body = shift;

    return $body =~ /"(?:ts|timestamp|created_at|createdAt)":"([^"]+)"/
           ? $1 : undef;
}


sub loss_of {
    my $header = shift;

    return [] if !defined $header;

    return [ map { s/%([0-9A-Fa-f]{2})/chr hex $1/ger } split /, /, $header ];
}


my %count;

for my $case (map { glob root() . "/t/cases/$_/*" } sort keys %pair) {
    my ($name, $short) = $case =~ m{([^/]+)/([^/]+)$};
    my ($from, $to) = @{ $pair{$name} };
    my %opts = -e "$case/opts"
             ? map { /^(\w+)=(.*)$/ ? ($1, $2) : () }
                   split /\n/, slurp("$case/opts") : ();
    my $in = slurp("$case/in.json");

    $in = moved($in) if $from eq 'vcp';

    # the request

    my $uri = "/$name";
    my @headers;
    my @words = ('translate', '--json', '--from', $from, '--to', $to,
                 '--identities', "$dir/identities.json", '--self', $self);

    for my $value (qw(context constitution)) {
        next if !defined $opts{$value};
        push @headers, "X-\u$value" => $opts{$value};
        push @words, "--vcp-$value", $opts{$value};
    }

    if (defined $opts{trace_id}) {
        my $trace = "00-$opts{trace_id}-$opts{span_id}-01";
        push @headers, traceparent => $trace;
        push @words, '--traceparent', $trace;
    }

    if (defined $opts{sender}) {
        $uri = "/token$uri";
        push @headers, Authorization => 'Bearer '
            . token(idp(), { sub => $opts{sender}, name => $opts{sender} });
        push @words, '--sender', $opts{sender},
                     '--principal', $opts{sender};
    }

    if (defined $opts{scope}) {
        $uri .= '?scope='
              . $opts{scope} =~ s/([^A-Za-z0-9._~-])/sprintf '%%%02X', ord $1/ger;
        push @words, '--scope', $opts{scope};
    }

    # the gateway, then the tool, told the same time

    $service->clear;
    my $before = length $nginx->error_log;
    my $answer = $client->post($uri, $in, @headers);
    my $got = $service->last;
    my $refused = $got ? undef
                       : refusal(substr $nginx->error_log, $before);

    push @words, '--time', made_at($got->{body})
        if $got && defined made_at($got->{body});

    my ($status, $out) = Parley::Tool::tool({ in => $in }, @words);
    my $said = from_json($out);
    my $rules = slurp("$case/rules") =~ s/\s+/ /gr;

    subtest "GW-16 $rules$name/$short" => sub {
        if ($got) {
            $count{forwarded}++;
            is($status, 0, 'translated') or return diag($out);

            # as it was written, not as a JSON reader would have it
            my ($body) = $out =~ /,"message":(.*)\}\n\z/s;

            is($body, $got->{body}, 'the same octets');
            is_deeply($said->{loss}, loss_of($answer->{headers}{'parley-loss'}),
                      'the same loss');
            return;
        }

        ok($refused, 'refused') or return diag($answer->{raw});
        $count{$refused->{code}}++;

        is($status, 1, 'by both') or return diag(explain([$said, $refused]));
        is_deeply({ code => $said->{code}, field => $said->{field} // '',
                    text => $said->{message} }, $refused,
                  'for the same reason') or diag(explain([$said, $refused]));
    };
}

note("$_: $count{$_}") for sort keys %count;

cmp_ok($count{forwarded}, '>', 100, 'most were forwarded');

done_testing();
