# The command line tool and the gateway agree for every case of
# t/cases/<from>-to-<to>: they make the same octets with the same loss, or
# refuse for the same reason.
#
# Both get the same input.  VCP accepts no message that is older than five
# minutes, so its timestamps are moved to the current time, for both; other
# messages may have any age.  The service accepts nothing (500), so that the
# next case may have the same id.
#
# Both get the data of a request from the section "opts" of a case.  The
# gateway gets context and constitution in headers that parley_vcp_context and
# _constitution take.  It gets scope and recipient as arguments, the trace as
# traceparent, and the sender by its token.  Other data (the session of a MoQ
# frame, the claims of a signature) is left out for both.
#
# A reply passes only if the gateway has recorded its request.  For replies of
# AEE or VCP, the test first sends a matching message in the other direction,
# and gives it to the tool (--answering).  The gateway refuses other replies as
# unmatched, which the tool cannot know.  Nor does the tool know the token of a
# message, or the age that a location allows.

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

# an operator's settings for VCP, which no request can have: each in its own
# location
my %own;

for my $path (map { glob root() . "/t/cases/*-to-$_/*" } qw(vcp vcp2)) {
    my ($case) = $path =~ m{([^/]+/[^/]+)$};
    my %o = options($path);
    my ($from, $to) = $case =~ m{^(\w+?)-to-(\w+)/};

    next if !defined $o{broadcast} && !defined $o{severity};

    my $both = "parley_accept $from; parley_speak $to; "
        . (defined $o{broadcast} ? "parley_vcp_broadcast $o{broadcast};" : '')
        . (defined $o{severity}
           ? "parley_vcp_severity E_TIMEOUT=$o{severity};" : '');

    $own{$case} = '/own/' . scalar keys %own;
    $http .= location($own{$case}, $both)
           . location("/token$own{$case}", "$both parley_jwt on; "
                                         . "parley_claims $from=name;");
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


# Returns the options of a case.
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


# Returns nginx's error for the last request: code, field, text.
sub refusal {
    my $log = shift;

    return undef if $log !~ m{refused,\ ([a-z-]+)\ ?(.*?):\ (.*?),\ principal
                              \ "[^"]*",\ from\ "[^"]*",\ intent\ "[^"]*",
                              \ id\ "}x;

    return { code => $1, field => $2, text => $3 };
}


# Returns the time in a message.
sub made_at {
    my $body = shift;

    return $body =~ /"(?:ts|timestamp|created_at|createdAt|created)":"([^"]+)"/
           ? $1 : undef;
}


sub loss_of {
    my $header = shift;

    return [] if !defined $header;

    return [ map { s/%([0-9A-Fa-f]{2})/chr hex $1/ger }
             map { /^request=(.*)/ ? $1 : () } split /, /, $header ];
}


# Returns the gateway's answer, and the forwarded message or the refusal.
sub ask {
    my ($uri, $octets, @headers) = @_;

    $service->clear;

    my ($before, $answer, $refused);

    # the log has only a few refusals of a code in a second (OPS-07)
    for my $pause (0, 1.1) {
        sleep $pause;

        $before = $nginx->error_log_size;
        $answer = $client->post($uri, $octets, @headers);
        $refused = refusal($nginx->error_log_after($before));

        last if $refused || $answer->{status} < 400 || $service->count;
    }

    # a message that timed out was forwarded before
    $service->wait_for(1)
        if !$refused || $refused->{code} =~ /^upstream-/;

    my $got = $service->last;

    return ($answer, $got, $got ? undef : $refused);
}


# Returns the reply with the id of another, unknown request.
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


# Returns a request that this reply would answer, in the reply's protocol.
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


# Sends such a request in the other protocol through the gateway, which accepts
# it.  Returns its file, or undef if it has no equivalent.
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


# errors that only the gateway can find
my $gateways_own = qr/^(?:reply-unmatched|sender-identity-mismatch)$/;

my %id_of = (aee => 'id', vcp => 'message_id', vcp2 => 'message_id',
             channel => 'frame_id');
my %count;

for my $case (map { glob root() . "/t/cases/$_/*" } sort keys %pair) {
    my ($name, $short) = $case =~ m{([^/]+)/([^/]+)$};
    my ($from, $to) = @{ $pair{$name} };
    my %opts = options($case);
    my $in = slurp("$case/in.json");

    # only the directory has the hierarchy

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
        # MoQ names a principal by its sub, which the tool cannot know
        my $sub = $to eq 'moq' ? $opts{sender} =~ s/:/./r : $opts{sender};

        $uri = "/token$uri";
        push @headers, Authorization => 'Bearer '
            . token(idp(), { sub => $sub, name => $opts{sender} });
        push @words, '--sender', $opts{sender}, '--principal', $sub;
    }

    push @words, '--recipient', $opts{recipient} // $self;

    for my $value (grep { defined $opts{$_} } qw(scope recipient)) {
        $uri .= ($uri =~ /\?/ ? '&' : '?') . "$value="
              . $opts{$value} =~ s/([^\w.~-])/sprintf '%%%02X', ord $1/ger;
    }

    push @words, '--scope', $opts{scope} if defined $opts{scope};

    # first the gateway, then the tool with the same time

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

            # the text as it was written, not decoded and encoded again
            my ($body) = $out =~ /,"message":(.*)\}\n\z/s;

            # a message without an id gets a random one each time, and derived
            # ids differ too
            if ($from eq 'c2a' && $in !~ /"(?:eventId|idempotencyKey)"/) {
                s/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/id/g
                    for $got->{body}, $body;
            }

            is($body, $got->{body}, 'the same octets');
            is_deeply($said->{loss}, loss_of($answer->{headers}{'parley-loss'}),
                      'the same loss');
            return;
        }

        # the gateway answers messages between a client and its peer itself
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
               || $refused->{text} =~ /must be an RFC 3339 timestamp/;

        is($status, 1, 'by both') or return diag(explain([$said, $refused]));

        # the log does not repeat the field
        my $field = $said->{field} // '';
        $said->{message} =~ s/^\Q$field\E // if length $field;

        # only the log's own words have quotation marks (SEC-01)
        $said->{message} =~ tr/"/'/;

        is_deeply({ code => $said->{code}, field => $said->{field} // '',
                    text => $said->{message} }, $refused,
                  'for the same reason') or diag(explain([$said, $refused]));
    };
}

note("$_: $count{$_}") for sort keys %count;

cmp_ok($count{forwarded}, '>', 100, 'most were forwarded');

done_testing();
