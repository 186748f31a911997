# The gateway and "parley explain" decide alike: random configurations and
# messages, through a real nginx and through the tool.  The handler of a
# location is proxy_pass, parley_submit, parley_mcp, parley_stream or
# parley_websocket.  Some principals have a URL (parley_deliver).
#
# PARLEY_TEST_MESSAGES is the number of messages (1500, in make test-all 3000),
# PARLEY_TEST_SEED another seed, PARLEY_TEST_CONFIG the number of the only
# configuration to test.

use strict;
use warnings;

use lib 't/lib';

use Encode qw(decode encode);
use JSON::PP ();
use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(is_sanitized port tmp_dir spew);
use Parley::Generate::Config;
use Parley::Generate::Message;
use Parley::Message qw(aee);
use Parley::Nginx;
use Parley::Random;
use Parley::Recorder;
use Parley::Tool;
use Parley::Websocket;

# for one configuration: locations, envelopes, and messages in each
use constant LOCATIONS => 24;
use constant ENVELOPES => 2;
use constant MESSAGES => 6;

# seconds until each counted recipient with a URL has its message
use constant PATIENCE => 20;

# differences that are shown for one configuration
use constant SHOWN => 5;

# codes of a request whose proof or connection is at fault
my $PROOF = qr/^(?:token-|transport-)/;

my $seed = $ENV{PARLEY_TEST_SEED} // 20260653;
my $only = $ENV{PARLEY_TEST_CONFIG};
my $wanted = $ENV{PARLEY_TEST_MESSAGES}
             // (is_sanitized() ? 300 : $ENV{PARLEY_TEST_ALL} ? 3000 : 1500);
my $json = JSON::PP->new->utf8->canonical->allow_nonref;
my %count;


sub uri {
    my ($location, $e) = @_;
    return $location->{uri} . ($e->{query} ne '' ? "?$e->{query}" : '');
}


# Returns nginx's result for each message of an envelope.
sub through_nginx {
    my ($location, $e, $recorder, @messages) = @_;

    my $from = join '.', 127, 1 + ++$count{envelopes} % 250,
                         int($count{envelopes} / 250) % 250, 1;
    my %client = (port => port($e->{tls} ? 2 : 1), tls => $e->{tls},
                  from => $from);

    return $location->{kind} eq 'websocket'
           ? through_socket($location, $e, \%client, @messages)
           : through_http($location, $e, $recorder, \%client, @messages);
}


sub through_http {
    my ($location, $e, $recorder, $o, @messages) = @_;

    my $client = Parley::Client->new(%$o);
    my $stream = $location->{kind} eq 'stream';
    my $connection;

    return map {
        $connection //= $client->connect;
        $connection->write($client->request(
            $stream ? ('GET', uri($location, $e), undef)
                    : ('POST', uri($location, $e), $_),
            Host => $location->{server}, Connection => 'keep-alive',
            @{ $e->{sent} // [] }, @{ $e->{headers} }));

        # an open stream has no end
        $connection->expect(qr/\r\n\r\n/) if $stream;

        my $answer = $stream && $connection->{buffer} =~ m{^HTTP/1.1 200 }
                     ? $connection->parse(1) : $connection->answer;

        $connection->{buffer} = '';
        undef $connection
            if ($answer->{headers}{connection} // '') ne 'keep-alive'
               || $stream && $answer->{status} == 200;

        $answer->{got} = [$recorder->got];
        $answer;
    } @messages;
}


# Returns the result of each text frame.  {answers} are the texts that came in
# the meantime: the answers of all frames, and messages that the caller's own
# name got.  {unopened} is the refusal of the opening request.
sub through_socket {
    my ($location, $e, $o, @messages) = @_;

    my (@texts, $socket);
    my @results = map {
        if (!$socket || $socket->{close} || $socket->{ended}) {
            $socket = websocket('', uri => uri($location, $e), token => '',
                client => { %$o, headers => [Host => $location->{server}] },
                headers => [@{ $e->{sent} // [] }, @{ $e->{headers} }]);
        }

        # a text frame must be UTF-8: another one ends the connection
        my $fits = utf8::decode(my $copy = $_);

        if ($socket->status == 101 && $fits) {
            $socket->text($_);
            read_texts($socket, \@texts, 1);
        }

        !$fits ? { closes => 1 }
            : $socket->status == 101 ? { answers => \@texts }
            : { %{ $socket->answer }, unopened => 1 };
    } @messages;

    if ($socket->status == 101) {
        # messages can be between the answers
        read_texts($socket, \@texts, 1e6);
        $socket->close(1000);
        $socket->ends;
    }

    return @results;
}


# Reads texts until that many more came, or none comes.
sub read_texts {
    my ($socket, $texts, $wanted) = @_;

    while ($wanted > 0) {
        my $message = $socket->message(0.5) // last;

        push @$texts, $message->{text};
        $wanted--;
    }
}


# Returns a member of explain's output, a string or a number.
sub member {
    my ($line, $name) = @_;

    my ($text) = $line =~ /"$name":("(?:[^"\\]|\\.)*+"|\d+)/ or return undef;
    my $value = $json->decode($text);

    utf8::encode($value);

    return $value;
}


# Returns the tool's results for the same messages.
sub through_tool {
    my ($conf, $location, $e, @messages) = @_;

    return map { stream_model($location, $e) } @messages
        if $location->{kind} eq 'stream';

    my @words = ('explain', '--conf', $conf, '--json', '--server',
                 $location->{server}, '--location', $location->{name},
                 '--args', $e->{query}, $e->{tls} ? () : '--plain',
                 defined $e->{token} ? ('--token', $e->{token}) : ());
    my @headers = @{ $e->{headers} };

    while (my ($header, $value) = splice @headers, 0, 2) {
        push @words, '--header', "$header: $value";
    }

    my $n = 0;
    my @files = map { spew(tmp_dir() . '/message-' . ++$n, $_) } @messages;
    my ($status, $out, $err) = tool(@words, @files);
    my @lines = split /\n/, $out;

    die "parley @words: status $status: $err\n"
        if $status > 1 || @lines != @messages;

    return map {
        my $line = $_;

        { line => $line, last => $line =~ /.*"verdict":"([^"]+)"/ ? $1 : '',
          map { $_ => member($line, $_) }
              qw(code field status type answer sent) };
    } @lines;
}


# Returns the result of opening a stream, which brings no message to explain.
# Only a stream of a listed principal with a name in its protocol has one.
sub stream_model {
    my ($location, $e) = @_;

    my ($protocol) = @{ $location->{accept} };
    my $name = $protocol eq 'channel' ? 'handle' : $protocol =~ s/2$//r;
    my $known = grep { $_->{sub} eq $e->{as}{sub} && defined $_->{$name} }
                     @{ $location->{people} };

    return { line => $e->{code}, code => $e->{code}, known => $known };
}


# Removes random values and times from a result.
sub told {
    my $text = shift;

    my $value = eval { $json->decode($text) };
    return $text if ref $value ne 'HASH';

    if (($value->{v} // '') eq '1') {
        $value->{$_} = '' for qw(id ts);
        $value->{corr} = '' if ($value->{reply_to} // '') eq 'unidentified';
        delete $value->{payload}{backoff_ms} if ref $value->{payload} eq 'HASH';
    }

    return $json->encode($value);
}


# Removes more from the answer of an endpoint: ids that it makes, what waited
# for a subscriber, and the number of readers, which a WebSocket's own name can
# have.
sub served {
    my ($text, $kind) = @_;

    $text = told($text);
    $text =~ s/delivered(?:":| to )\K\d+/N/g if $kind eq 'websocket';

    if ($kind eq 'mcp') {
        my $value = eval { $json->decode($text) };
        my $result = ref $value eq 'HASH' ? $value->{result} : undef;

        return $json->encode([@$value{qw(id jsonrpc)}])
            if ref $result eq 'HASH' && $result->{structuredContent}
               && $result->{structuredContent}{frames};

        $text =~ s/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f-]{17}\b/ID/g;
    }

    return $text;
}


# Removes random values and times from a message: the time of a C2A or MoQ
# message without one, a random id, and their signature.
sub sent {
    my ($octets, $protocol) = @_;

    # Octets that are not UTF-8 may be different: JSON of explain has U+FFFD for
    # each of them, and Perl has one for the octets that FF would lead.
    $octets = decode('UTF-8', $octets) =~ s/\x{FFFD}+/\x{FFFD}/gr;
    $octets = encode('UTF-8', $octets);

    return $octets if $protocol !~ /^(?:c2a|moq)$/;

    $octets =~ s/"(ts|timestamp|created_at|createdAt|created)":"[^"]*"/"$1":""/g;
    $octets =~ s/"value":"[^"]{86}=="/"value":""/g;
    $octets =~ s/"base64:[^"]{86}=="/""/g;
    $octets =~ s/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f-]{17}\b/ID/g;

    return $octets;
}


# As difference(), for a frame of a WebSocket.
sub frame_difference {
    my ($nginx, $tool) = @_;

    return '' if $nginx->{closes};

    if ($nginx->{unopened}) {
        # other faults of the opening request are not a message's
        return ($nginx->{headers}{'x-error'} // '') =~ $PROOF
               && !defined $tool->{code} ? 'passed by explain' : '';
    }

    # explain has no stream by which an answer could come
    return '' if ($tool->{code} // '') eq 'capacity';

    my $answer = served($tool->{answer} // '', 'websocket');

    # a frame that is too long is not read, so its answer has no id
    return '' if ($tool->{code} // '') eq 'message-too-large';

    # a notification gets no frame
    return '' if $answer eq '' && ($tool->{status} // 0) == 202;

    return grep({ served($_, 'websocket') eq $answer }
                @{ $nginx->{answers} })
           ? '' : 'another answer';
}


# As difference(), for the opening of a stream.
sub stream_difference {
    my ($nginx, $model) = @_;

    my $error = $nginx->{headers}{'x-error'} // '';

    # a fault of the proof or of the connection, or a rule, comes first
    return '' if $error =~ $PROOF || !$model->{known}
                 || $error =~ /^(?:identity-unmappable|scope-unauthorised
                                   |policy-refused)$/x;

    return "code $error, and not $model->{code}" if $error ne $model->{code};
    return "status $nginx->{status}"
        if ($nginx->{status} == 200) != ($error eq '');

    return '';
}


# Returns the difference, or '' if there is none.
sub difference {
    my ($kind, $nginx, $tool) = @_;

    return frame_difference($nginx, $tool) if $kind eq 'websocket';
    return stream_difference($nginx, $tool) if $kind eq 'stream';

    my $verdict = $nginx->{headers}{'x-verdict'} // '';
    my $error = $nginx->{headers}{'x-error'} // '';
    my @got = @{ $nginx->{got} // [] };
    my $refused = defined $tool->{status} && $tool->{last} ne 'answered';

    return 'the upstream got it ' . @got . ' times' if @got > 1;

    if ($verdict =~ /^dry-/) {
        return "explain: $tool->{last}" if $refused;
        return "code $error, explain: " . ($tool->{code} // '')
            if ($verdict eq 'dry-refused' ? $error : '')
               ne ($tool->{code} // '');
    }

    if (@got) {
        return 'refused by explain' if $refused;
        return 'answered by explain' if $tool->{last} eq 'answered';
        return 'other octets'
            if sent($got[0], $nginx->{headers}{'x-protocol'} // '')
               ne sent($tool->{sent} // '',
                       $nginx->{headers}{'x-protocol'} // '');
        return '';
    }

    if ($verdict eq 'answered') {
        return "explain: $tool->{last}" if $tool->{last} ne 'answered';
        return '' if $kind eq 'proxy';
        return "status $nginx->{status}, explain: $tool->{status}"
            if $nginx->{status} != $tool->{status};
        return served($nginx->{body}, $kind)
               ne served($tool->{answer} // '', $kind) ? 'another answer' : '';
    }

    # explain holds no call, so it does not miss the room for one
    return '' if $kind eq 'mcp' && $error eq 'capacity';

    return "passed by explain" if !$refused;
    return "code $error, explain: $tool->{code}" if $error ne $tool->{code};
    return "status $nginx->{status}, explain: $tool->{status}"
        if $nginx->{status} != $tool->{status};
    return 'another answer'
        if told($nginx->{body}) ne told($tool->{answer} // '');
    return 'another type'
        if ($nginx->{headers}{'content-type'} // '') ne $tool->{type};

    return '';
}


# Tests one configuration; returns the number of messages, and a text for each
# difference.
sub compare {
    my ($k, $wanted) = @_;

    my $r = Parley::Random->new($seed * 1000 + $k);
    my $config = Parley::Generate::Config->new($r, LOCATIONS);
    my $messages = Parley::Generate::Message->new($r);
    my $recorder = Parley::Recorder->start(port(3));
    my $nginx = Parley::Nginx->start(http => $config->http,
                                     log_level => 'notice');
    my $conf = $nginx->dir . '/nginx.conf';
    my $peer = Parley::Recorder->start(port(5), \&taken);
    my ($n, $posts, @differences) = (0, 0);

    for my $location ($config->locations) {
        for (1 .. ENVELOPES) {
            last if $n >= $wanted;

            my $e = $messages->envelope($location);
            my @messages = map { $messages->message($location, $e) }
                           1 .. MESSAGES;
            my @nginx = through_nginx($location, $e, $recorder, @messages);
            my @tool = through_tool($conf, $location, $e, @messages);

            for my $i (0 .. $#messages) {
                my $what = difference($location->{kind}, $nginx[$i], $tool[$i]);

                $count{verdict}{$nginx[$i]{headers}{'x-verdict'} // 'none'}++;
                $count{kind}{"$location->{kind} " . ($tool[$i]{last} // '')}++;
                $posts += $1 if $location->{kind} =~ /^(?:submit|mcp)$/
                                && ($nginx[$i]{body} // '')
                                   =~ /"delivered":(\d+)/;
                $count{code}{$tool[$i]{code}}++
                    if ($tool[$i]{code} // '') ne '';
                $n++;

                # an earlier emergency suspended the sender: explain has no
                # state
                $what = '' if ($nginx[$i]{headers}{'x-error'} // '')
                              eq 'agent-suspended';

                push @differences,
                     show($what, $location, $e, $messages[$i], $nginx[$i],
                          $tool[$i])
                    if $what;
            }
        }
    }

    push @differences, posted($peer, $posts) if $config->delivers;

    $_->stop for $nginx, $recorder, $peer;

    return ($n, @differences);
}


# Returns the answer of a peer to a message in any protocol.
sub taken {
    my $m = eval { $json->decode($_[0]) } // {};

    return $json->encode(
        $m->{vcp_message} ? { status => 'accepted',
                              message_id => $m->{message_id} }
        : $m->{jsonrpc} ? { jsonrpc => '2.0', id => $m->{id},
                            result => { accepted => JSON::PP::true } }
        : $m->{frame_id} ? { frame_id => $m->{frame_id}, delivered => 1 }
        : aee(type => 'stream', payload => { status => 'accepted' },
              from => $m->{to}, to => $m->{from},
              map { $_ => $m->{$_} } qw(intent corr)));
}


# Returns a difference if fewer messages come to URLs than answers said.
sub posted {
    my ($peer, $wanted) = @_;

    my $until = time + PATIENCE;
    my $n = 0;

    while (1) {
        $n += () = $peer->got;
        last if $n >= $wanted || time > $until;
        sleep 0.1;
    }

    $count{posted} += $n;

    return $n < $wanted ? "$n messages at URLs, and $wanted were counted" : ();
}


sub show {
    my ($what, $location, $e, $message, $nginx, $tool) = @_;

    return join "\n",
        "$what: $location->{server} " . uri($location, $e) . ' '
            . ($e->{tls} ? 'TLS' : 'plain') . " @{ $e->{headers} } "
            . ($e->{token} // ''),
        "message  $message",
        "nginx    " . join(' ', map { $_ // '' } @$nginx{qw(status body)},
                           @{ $nginx->{answers} // [] }),
        "verdict  " . ($nginx->{headers}{'x-verdict'} // '-') . ' '
            . ($nginx->{headers}{'x-error'} // '-'),
        map({ "upstream $_" } @{ $nginx->{got} // [] }),
        "explain  " . $tool->{line} =~ s/"steps":\[.*?\}\],?//r, '';
}


my ($total, $k) = (0, $only // 1);

while ($total < $wanted) {
    my ($n, @differences) = compare($k, $wanted - $total);

    is(scalar @differences, 0, "GW-27 configuration $k, $n messages")
        or diag(join "\n", "again: make differential SEED=$seed CONFIG=$k",
                splice @differences, 0, SHOWN);

    $total += $n;
    $k++;
    last if defined $only;
}

my $verdicts = $count{verdict};
my $codes = $count{code};

note("seed $seed");
note("$_ $verdicts->{$_}") for sort keys %$verdicts;
note("$_ $count{kind}{$_}") for sort keys %{ $count{kind} };
note("posted to URLs " . ($count{posted} // 0));
note("$_ $codes->{$_}") for sort keys %$codes;

# a generator whose messages are all refused for one reason would test nothing
if ($total > 1000) {
    cmp_ok($verdicts->{passed} // 0, '>', $total / 20, 'GW-27 some pass');
    cmp_ok(scalar keys %$codes, '>', 15, 'GW-27 others are refused, and why');
    cmp_ok($count{kind}{"$_ answered"} // 0, '>', 2, "GW-27 some by $_")
        for qw(submit mcp websocket);
}

done_testing;
