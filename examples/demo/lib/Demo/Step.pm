package Demo::Step;

# A step of the scenario: a request to the gateway, the message that the service
# received, the answer, and checks of all three.

use strict;
use warnings;

use Exporter 'import';
use JSON::PP ();

use Demo::Http qw(now uuid4 uuid7);
use Demo::Setup qw(%demo parley slurp spew);
use Demo::Show qw(title block check pretty);

our @EXPORT_OK = qw(step asked told came aee vcp channel sign member new_lines);

my $json = JSON::PP->new->utf8->allow_nonref;
my %read;


# aee(type =>, from =>, to =>, intent =>, payload => TEXT, ...): returns an
# envelope as text, with its members in the order of the specification.  Missing
# ts and id are generated; "more" is text of further members.
sub aee {
    my %m = (id => uuid7(), ts => now(), corr => 'corr-' . uuid7(),
             priority => 'normal', @_);

    my @members = ('"v":"1"');

    push @members, map { qq["$_":"$m{$_}"] }
                   qw(id ts type from to intent corr);
    push @members, qq["reply_to":"$m{reply_to}"] if $m{reply_to};
    push @members, qq["priority":"$m{priority}"];
    push @members, $m{more} if $m{more};
    push @members, qq["payload":$m{payload}];

    return '{' . join(',', @members) . '}';
}


# Returns an unsigned VCP message.
sub vcp {
    my %m = (id => uuid7(), ts => now(), @_);

    return qq[{"vcp_message":"1.2","type":"$m{type}","message_id":"$m{id}",]
           . qq["sender":"$m{sender}","recipient":"$m{recipient}",]
           . qq["timestamp":"$m{ts}","payload":$m{payload}}];
}


# Returns a frame of agent-channel from one handle to another.
sub channel {
    my ($from, $to, %m) = @_;

    return '{"envelope_version":"1.0","frame_id":"' . uuid4()
           . qq[","kind":"$m{kind}","sender_handle":"~$from",]
           . qq["recipient_handle":"~$to","created_at":"] . now()
           . qq[","payload":$m{payload},"acted_by":"~$from",]
           . qq["drafted_with":"~cc-$from\@1.0",]
           . '"provenance_compute_location":"server-active",'
           . '"provenance_method":["session-context"],'
           . '"provenance_context_check":"passed",'
           . '"provenance_basis":"agent-channel"}';
}


sub sign {
    my ($who, $text) = @_;

    return parley({ in => $text }, 'sign', '--key',
                  "$demo{dir}/keys/$who.jwk");
}


# step(title =>, why =>, path =>, token =>, headers => [], body =>,
#      expect => { status =>, '/pointer' => value or qr//, 'Header' => ... },
#      got    => { '/pointer' => ... } or undef: the service got nothing)
#
# Does a step.  Returns the body of the answer.
sub step {
    my %s = @_;

    title($s{title}, $s{why});

    my $token = $s{token} ? "token of $s{token}" : 'no token';

    block(request => '>', "POST $s{path}  ($token"
          . join('', map { ", $_" } @{ $s{headers} || [] }) . ')',
          pretty($s{body}));

    new_lines('got');

    my $answer = post(\%s);
    my @got = map { $json->decode($_) } new_lines('got');

    for (@got) {
        my $verified = $_->{headers}{'parley-verified'};
        my $same = $_->{body} eq $s{body};

        block(got => '=', "$_->{service} got"
              . ($same ? ' the same octets' : '')
              . (defined $verified ? "  (Parley-Verified: $verified)" : ''),
              $same ? '' : pretty($_->{body}));
    }

    block(got => '=', 'the services got nothing') if !@got;

    block(answer => '<', "$answer->{status}"
          . join('', map { defined $answer->{headers}{lc $_}
                           ? "  $_: $answer->{headers}{lc $_}" : () }
                     qw(Content-Type Parley-Loss Retry-After
                        WWW-Authenticate)),
          pretty_answer($answer));

    check_got($s{got}, \@got);
    check_answer($s{expect}, $answer);

    return $answer->{body};
}


# Posts a text without printing it.  Returns the body of the answer.
sub asked {
    my ($path, $token, $body) = @_;

    return post({ path => $path, token => $token, body => $body })->{body};
}


# Checks an event of a stream: came(place, text, '/pointer' => value or qr//,
# ...).
sub came {
    my ($where, $event, %wanted) = @_;

    block(answer => '=', $where, pretty($event // ''));

    for my $pointer (sort keys %wanted) {
        match($pointer, member($event // '{}', $pointer), $wanted{$pointer});
    }
}


# Returns the gateway's status (parley_status).
sub told {
    my $text = qx{curl -sS --max-time 30 \\
        --cacert '$demo{dir}/tls/server.crt' '$demo{url}/parley?format=json'};

    return eval { $json->decode($text) } // {};
}


sub check_got {
    my ($wanted, $got) = @_;

    if (!defined $wanted) {
        check(!@$got, 'the services should have received nothing',
              @$got . ' request(s)');
        return;
    }

    check(@$got == 1, 'one service should have received one request',
          @$got . ' requests');
    return if !@$got;

    for my $pointer (sort keys %$wanted) {
        match("the received message, $pointer,",
              member($got->[0]{body}, $pointer), $wanted->{$pointer});
    }
}


sub check_answer {
    my ($wanted, $answer) = @_;

    for my $what (sort keys %$wanted) {
        my $is = $what eq 'status' ? $answer->{status}
                 : $what eq 'body' ? $answer->{body}
                 : $what =~ m{^/}  ? member($answer->{body}, $what)
                 :                   $answer->{headers}{lc $what};

        match("the answer's $what", $is, $wanted->{$what});
    }
}


# Compares a value with a text or a pattern; undef: the value must be absent.
sub match {
    my ($what, $is, $wanted) = @_;

    my $good = !defined $wanted ? !defined $is
               : !defined $is   ? 0
               : ref $wanted    ? $is =~ $wanted
               :                  $is eq $wanted;

    check($good, "$what should be "
          . (defined $wanted ? qq{"$wanted"} : 'absent'), $is);
}


# Returns the value at a JSON Pointer as text; undef if it is missing.
sub member {
    my ($text, $pointer) = @_;

    my $value = eval { $json->decode($text) };

    for my $name (split m{/}, substr $pointer, 1) {
        $value = ref $value eq 'HASH'    ? $value->{$name}
                 : ref $value eq 'ARRAY' ? $value->[$name]
                 :                         undef;
    }

    return ref $value eq 'HASH' || ref $value eq 'ARRAY'
           ? JSON::PP->new->utf8->canonical->encode($value)
           : JSON::PP::is_bool($value) ? ($value ? 'true' : 'false')
           : $value;
}


sub post {
    my $s = shift;

    my $tmp = "$demo{dir}/tmp";
    my @command = (qw(curl -sS --max-time 30), '--cacert',
                   "$demo{dir}/tls/server.crt", '-D', "$tmp/head",
                   '-o', "$tmp/answer", '--data-binary', "\@$tmp/request",
                   '-H', 'Content-Type: application/json');

    spew("$tmp/request", $s->{body});
    spew("$tmp/answer", '');

    push @command, '-H', $_ for @{ $s->{headers} || [] };

    if ($s->{token}) {
        my $token = slurp("$demo{dir}/tokens/$s->{token}.jwt");
        chomp $token;
        push @command, '-H', "Authorization: Bearer $token";
    }

    my $status = system(@command, "$demo{url}$s->{path}");

    # While curl runs, Ctrl-C reaches it first.
    exit 1 if ($status & 127) == 2;
    die "curl failed\n" if $status != 0;

    my @lines = split /\r\n/, slurp("$tmp/head");

    # The head of the answer follows "100 Continue".
    shift @lines while @lines > 1 && $lines[0] =~ m{^HTTP/\S+ 1\d\d};
    @lines = grep { length } @lines;

    my ($code) = $lines[0] =~ m{^HTTP/\S+ (\d+)};
    my %headers = map { /^([^:]+):\s*(.*)/ ? (lc $1, $2) : () } @lines;

    return { status => $code, headers => \%headers,
             body => slurp("$tmp/answer") };
}


# Returns the body of an answer, events unchanged.
sub pretty_answer {
    my $answer = shift;

    return pretty($answer->{body})
        if ($answer->{headers}{'content-type'} // '')
           !~ m{^text/event-stream};

    return $answer->{body};
}


# Returns the new lines of a log since the last call.
sub new_lines {
    my $path = "$demo{dir}/logs/" . shift;

    open my $in, '<:raw', $path or return;
    seek $in, $read{$path} // 0, 0;

    my @lines;

    while (defined(my $line = <$in>)) {
        last if $line !~ s/\n\z//;
        push @lines, $line;
        $read{$path} = tell $in;
    }

    return @lines;
}


1;
