# What the command line tool makes of a message and what the gateway forwards
# are the same octets, with the same loss, and refused for the same reason,
# for every case of t/cases/<from>-to-<to>.
#
# Both get the same input.  VCP lets no message in that is older than five
# minutes, so its timestamps are moved to now, for both; everything else may be
# as old as it likes.  The service takes nothing (500), so that the next case
# may have the same id.
#
# From the section "opts" of a case both get what a request can say: context and
# constitution in headers that parley_vcp_context and _constitution take, scope
# and recipient as arguments, the trace as traceparent, the sender by its
# token.  The rest (the session of a MoQ frame, what a signature proved) is left
# out for both.
#
# A reply passes a gateway that remembers what it answers.  Where AEE or VCP
# replies, a message that the reply fits goes the other way first, and the tool
# is given it (--answering).  Other replies are refused by the gateway as
# unmatched, which the tool alone cannot know; nor can it know whose token
# comes with a message, or how old that one may be.

use strict;
use warnings;

use lib 't/lib';

use POSIX qw(strftime);
use Test::More;
use Time::HiRes qw(sleep);
use Time::Local qw(timegm);

use Parley::Client;
use Parley::Env qw(tmp_dir root port section slurp spew);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool ();
use Parley::Upstream;

my $dir = tmp_dir();

my %pair = map { m{/(\w+)-to-(\w+)$} ? ("$1-to-$2" => [$1, $2]) : () }
           glob root() . '/t/cases/*-to-*';

# no location translates these: nginx -t says so
delete $pair{'vcp2-to-moq'};

spew("$dir/identities.json", jcs({ principals => [
    { sub => 'entry', aee => 'agent.listed', vcp => 'agent://dir/entry' },
    { sub => 'hidden', aee => 'agent.hidden' },
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

# what an operator says of VCP, which no request can: a location of its own
my %own;

for my $path (map { glob root() . "/t/cases/*-to-$_/*" } qw(vcp vcp2)) {
    my ($case) = $path =~ m{([^/]+/[^/]+)$};
    my %o = options($path);
    my ($from, $to) = $case =~ m{^(\w+?)-to-(\w+)/};

    next if !defined $o{broadcast} && !defined $o{severity};

    $own{$case} = '/own/' . scalar keys %own;
    $http .= location($own{$case}, "parley_accept $from; parley_speak $to; "
        . (defined $o{broadcast} ? "parley_vcp_broadcast $o{broadcast};" : '')
        . (defined $o{severity}
           ? "parley_vcp_severity E_TIMEOUT=$o{severity};" : ''));
}

for my $name (sort keys %pair) {
    my ($from, $to) = @{ $pair{$name} };
    my $both = "parley_accept $from; parley_speak $to;";

    $http .= location("/$name", $both)
           . location("/token/$name", "$both parley_jwt on; "
                                    . "parley_claims $from=name;");
}

$http =~ s/parley_claims (?:moq|vcp2)=name;//g;
$http =~ s/parley_claims channel=/parley_claims handle=/g;

my $service = Parley::Upstream->start(port(2), '$c->answer(500)');
my $nginx = Parley::Nginx->start(http => "$http }");
my $client = Parley::Client->new(port => port(1), tls => 0);


# A timestamp at now, with the fraction and the zone that it had.
sub options {
    my ($case) = @_;

    return map { /^(\w+)=(.*)$/ ? ($1, $2) : () }
           split /\n/, section($case, 'opts');
}


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
                              \ "[^"]*",\ from\ "[^"]*",\ intent\ "[^"]*",
                              \ id\ "}x;

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

    return [ map { s/%([0-9A-Fa-f]{2})/chr hex $1/ger }
             map { /^request=(.*)/ ? $1 : () } split /, /, $header ];
}


# The gateway's answer, and what it forwarded, or why it did not.
sub ask {
    my ($uri, $octets, @headers) = @_;

    $service->clear;

    my ($before, $answer, $refused);

    # a second has no more than a few refusals of a code in the log (OPS-07)
    for my $pause (0, 1.1) {
        sleep $pause;

        $before = length $nginx->error_log;
        $answer = $client->post($uri, $octets, @headers);
        $refused = refusal(substr $nginx->error_log, $before);

        last if $refused || $answer->{status} < 400 || $service->count;
    }

    # what had no time left was forwarded all the same
    $service->wait_for(1)
        if !$refused || $refused->{code} =~ /^upstream-/;

    my $got = $service->last;

    return ($answer, $got, $got ? undef : $refused);
}


# The reply, as one to a message that was not there before.
sub to_another {
    my ($from, $octets) = @_;

    my $reply = from_json($octets);
    my $id = $from eq 'aee' ? $reply->{reply_to}
           : $from =~ /^vcp/ ? ($reply->{payload}{reason} =~ /^ACK:(\S+)/)[0]
           : undef;

    return $octets if !defined $id || length $id < 16;

    my $new = $id =~ /^[0-9a-f]{8}-/ ? uuid7() : reverse uuid4();

    return $octets =~ s/\Q$id\E/$new/gr;
}


# A request that this reply would answer, in the reply's protocol.
sub request_of {
    my ($from, $to, $octets) = @_;

    my $reply = from_json($octets);
    my $said = ref $reply->{payload} ? $reply->{payload}{severity} : undef;
    my %payload = (severity => $said // 'critical', reason => 'asked',
                   context => 'c', requires_ack => true);

    if ($from eq 'aee') {
        return undef if !defined $reply->{reply_to};

        my $vcp = $to =~ /^vcp/ || $reply->{intent} =~ /^vcp\./;

        return { v => '1', id => $reply->{reply_to}, ts => timestamp(),
                 type => 'task', from => $reply->{to}, to => $reply->{from},
                 intent => $vcp ? 'vcp.escalation' : $reply->{intent},
                 corr => $reply->{corr}, priority => 'high',
                 payload => $vcp ? \%payload : {} };
    }

    return undef
        if $from !~ /^vcp/ || $reply->{payload}{reason} !~ /^ACK:(\S+)/;

    return { vcp_message => '1.2', type => 'escalation', message_id => $1,
             sender => $reply->{recipient}, recipient => $reply->{sender},
             timestamp => timestamp(), payload => \%payload };
}


# Sends such a request in the other protocol through the gateway to somebody
# who takes it: the file that it is in, or undef where it cannot be said.
sub remember {
    my ($from, $to, $octets, @headers) = @_;

    my $request = request_of($from, $to, $octets) // return undef;
    my ($status, $message)
        = Parley::Tool::tool({ in => jcs($request) }, 'translate', '--from',
                             $from, '--to', $to, '--identities',
                             "$dir/identities.json", '--self', $self);

    return undef if $status != 0 || !$pair{"$to-to-$from"};

    my $uri = "/$to-to-$from";

    if ($to eq 'c2a' || $to eq 'moq') {
        my $token = token(idp(), { sub => $request->{from}
                                          // $request->{sender} });
        $uri = "/token$uri";
        @headers = (Authorization => "Bearer $token");
    }

    chomp $message;
    $service->script('$c->take');

    my (undef, $got) = ask($uri, $message, @headers);

    $service->script('$c->answer(500)');

    return $got ? spew("$dir/origin.json", $message) : undef;
}


# what the gateway alone can know
my $gateways_own = qr/^(?:reply-unmatched|sender-identity-mismatch)$/;

my %id_of = (aee => 'id', vcp => 'message_id', vcp2 => 'message_id',
             channel => 'frame_id');
my %count;

for my $case (map { glob root() . "/t/cases/$_/*" } sort keys %pair) {
    my ($name, $short) = $case =~ m{([^/]+)/([^/]+)$};
    my ($from, $to) = @{ $pair{$name} };
    my %opts = options($case);
    my $in = slurp("$case/in.json");

    # the hierarchy is the directory's to know

    next if defined $opts{above};

    # a group has no entry in a file of identities
    next if $case =~ m{/(?:\w+-to-a-|task-)?(?:names-listed|listed-bus)$};

    $in = moved($in) if $from =~ /^vcp/;

    # the request

    my $uri = $own{"$name/$short"} // "/$name";
    my @headers;
    my @words = ('translate', '--json', '--from', $from, '--to', $to,
                 '--identities', "$dir/identities.json", '--self', $self);

    for my $value (qw(context constitution)) {
        next if !defined $opts{$value};
        push @headers, "X-\u$value" => $opts{$value};
        push @words, "--vcp-$value", $opts{$value};
    }

    push @words, '--vcp-broadcast', $opts{broadcast}
        if defined $opts{broadcast};
    push @words, '--vcp-severity', "E_TIMEOUT=$opts{severity}"
        if defined $opts{severity};

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

    push @words, '--recipient', $opts{recipient} // $self;

    for my $value (grep { defined $opts{$_} } qw(scope recipient)) {
        $uri .= ($uri =~ /\?/ ? '&' : '?') . "$value="
              . $opts{$value} =~ s/([^\w.~-])/sprintf '%%%02X', ord $1/ger;
    }

    push @words, '--scope', $opts{scope} if defined $opts{scope};

    # the gateway, then the tool, told the same time

    my ($answer, $got, $refused) = ask($uri, $in, @headers);

    if ($refused && $refused->{code} eq 'reply-unmatched') {
        $in = to_another($from, $in);
        my $origin = remember($from, $to, $in, @headers);

        if (defined $origin) {
            ($answer, $got, $refused) = ask($uri, $in, @headers);
            push @words, '--answering', $origin if $got
                || $refused->{code} ne 'reply-unmatched';
        }
    }

    push @words, '--time', made_at($got->{body})
        if $got && defined made_at($got->{body});

    my ($status, $out) = Parley::Tool::tool({ in => $in }, @words);
    my $said = from_json($out);
    my $rules = section($case, 'rules') =~ s/\s+/ /gr;

    subtest "GW-16 $rules$name/$short" => sub {
        if ($got) {
            $count{forwarded}++;
            is($status, 0, 'translated') or return diag($out);

            # as it was written, not as a JSON reader would have it
            my ($body) = $out =~ /,"message":(.*)\}\n\z/s;

            # one without an id of its own gets another each time, and what is
            # derived from that
            if ($from eq 'c2a' && $in !~ /"(?:eventId|idempotencyKey)"/) {
                s/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/id/g
                    for $got->{body}, $body;
            }

            is($body, $got->{body}, 'the same octets');
            is_deeply($said->{loss}, loss_of($answer->{headers}{'parley-loss'}),
                      'the same loss');
            return;
        }

        # what is between a client and whoever it connects to
        if ($from eq 'c2a'
            && ($said->{code} // '') eq 'translation-unsupported'
            && (!$refused || $refused->{code} eq 'kind-unknown'))
        {
            $count{answered}++;
            ok(!$refused || $refused->{field} eq $said->{field},
               'answered by the gateway');
            return;
        }

        ok($refused, 'refused') or return diag($answer->{raw});
        $count{$refused->{code}}++;

        return pass("$refused->{code}, which the gateway knows alone")
            if $refused->{code} =~ $gateways_own
               || $refused->{text} =~ /its age cannot be told/;

        is($status, 1, 'by both') or return diag(explain([$said, $refused]));

        # the log does not say twice where it is
        my $field = $said->{field} // '';
        $said->{message} =~ s/^\Q$field\E // if length $field;

        # quotation marks are of the log's own words (SEC-01)
        $said->{message} =~ tr/"/'/;

        is_deeply({ code => $said->{code}, field => $said->{field} // '',
                    text => $said->{message} }, $refused,
                  'for the same reason') or diag(explain([$said, $refused]));
    };
}

note("$_: $count{$_}") for sort keys %count;

cmp_ok($count{forwarded}, '>', 100, 'most were forwarded');

done_testing();
