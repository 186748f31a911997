# The gateway and "parley explain" decide alike: random configurations and
# messages, through a real nginx and through the tool.
#
# PARLEY_TEST_MESSAGES is the number of messages, PARLEY_TEST_SEED another
# seed, PARLEY_TEST_CONFIG the number of the only configuration to test.

use strict;
use warnings;

use lib 't/lib';

use Encode qw(decode encode);
use JSON::PP ();
use Test::More;

use Parley::Client;
use Parley::Env qw(build_dir port tmp_dir spew);
use Parley::Generate::Config;
use Parley::Generate::Message;
use Parley::Nginx;
use Parley::Random;
use Parley::Recorder;
use Parley::Tool;

# for one configuration: locations, envelopes, and messages in each
use constant LOCATIONS => 24;
use constant ENVELOPES => 2;
use constant MESSAGES => 6;

# differences that are shown for one configuration
use constant SHOWN => 5;

my $seed = $ENV{PARLEY_TEST_SEED} // 20260653;
my $only = $ENV{PARLEY_TEST_CONFIG};
my $wanted = $ENV{PARLEY_TEST_MESSAGES}
             // (build_dir() =~ m{/sanitize$} ? 300 : 3000);
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
    my $client = Parley::Client->new(port => port($e->{tls} ? 2 : 1),
                                     tls => $e->{tls}, from => $from);
    my $connection;

    return map {
        $connection //= $client->connect;
        $connection->write($client->request(
            'POST', uri($location, $e), $_,
            Host => $location->{server}, Connection => 'keep-alive',
            @{ $e->{sent} // [] }, @{ $e->{headers} }));

        my $answer = $connection->answer;

        $connection->{buffer} = '';
        undef $connection
            if ($answer->{headers}{connection} // '') ne 'keep-alive';

        $answer->{got} = [$recorder->got];
        $answer;
    } @messages;
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

    my @words = ('explain', '--conf', $conf, '--json', '--server',
                 $location->{server}, '--location', $location->{uri},
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


# Removes random values and times from a result.
sub told {
    my $text = shift;

    my $value = eval { $json->decode($text) };
    return $text if ref $value ne 'HASH';

    if (($value->{v} // '') eq '1') {
        $value->{$_} = '' for qw(id ts);
        $value->{corr} = '' if ($value->{reply_to} // '') eq 'unidentified';
    }

    return $json->encode($value);
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

    $octets =~ s/"(ts|timestamp|created_at|createdAt)":"[^"]*"/"$1":""/g;
    $octets =~ s/"value":"[^"]{86}=="/"value":""/g;
    $octets =~ s/"base64:[^"]{86}=="/""/g;
    $octets =~ s/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f-]{17}\b/ID/g;

    return $octets;
}


# Returns the difference, or '' if there is none.
sub difference {
    my ($nginx, $tool) = @_;

    my $verdict = $nginx->{headers}{'x-verdict'} // '';
    my $error = $nginx->{headers}{'x-error'} // '';
    my @got = @{ $nginx->{got} };

    return 'the upstream got it ' . @got . ' times' if @got > 1;

    if ($verdict =~ /^dry-/) {
        return "explain: $tool->{last}" if defined $tool->{status};
        return "code $error, explain: " . ($tool->{code} // '')
            if ($verdict eq 'dry-refused' ? $error : '')
               ne ($tool->{code} // '');
    }

    if (@got) {
        return 'refused by explain' if defined $tool->{status};
        return 'answered by explain' if $tool->{last} eq 'answered';
        return 'other octets'
            if sent($got[0], $nginx->{headers}{'x-protocol'} // '')
               ne sent($tool->{sent} // '',
                       $nginx->{headers}{'x-protocol'} // '');
        return '';
    }

    if ($verdict eq 'answered') {
        return $tool->{last} eq 'answered' ? '' : "explain: $tool->{last}";
    }

    return "passed by explain" if !defined $tool->{status};
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
    my ($n, @differences) = (0);

    for my $location ($config->locations) {
        for (1 .. ENVELOPES) {
            last if $n >= $wanted;

            my $e = $messages->envelope($location);
            my @messages = map { $messages->message($location, $e) }
                           1 .. MESSAGES;
            my @nginx = through_nginx($location, $e, $recorder, @messages);
            my @tool = through_tool($conf, $location, $e, @messages);

            for my $i (0 .. $#messages) {
                my $what = difference($nginx[$i], $tool[$i]);

                $count{verdict}{$nginx[$i]{headers}{'x-verdict'} // 'none'}++;
                $count{code}{$tool[$i]{code}}++ if defined $tool[$i]{code};
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

    $nginx->stop;
    $recorder->stop;

    return ($n, @differences);
}


sub show {
    my ($what, $location, $e, $message, $nginx, $tool) = @_;

    return join "\n",
        "$what: $location->{server} " . uri($location, $e) . ' '
            . ($e->{tls} ? 'TLS' : 'plain') . " @{ $e->{headers} } "
            . ($e->{token} // ''),
        "message  $message",
        "nginx    $nginx->{status} $nginx->{body}",
        "verdict  " . ($nginx->{headers}{'x-verdict'} // '-') . ' '
            . ($nginx->{headers}{'x-error'} // '-'),
        map({ "upstream $_" } @{ $nginx->{got} }),
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
note("$_ $codes->{$_}") for sort keys %$codes;

# a generator whose messages are all refused for one reason would test nothing
if ($total > 1000) {
    cmp_ok($verdicts->{passed} // 0, '>', $total / 20, 'GW-27 some pass');
    cmp_ok(scalar keys %$codes, '>', 15, 'GW-27 others are refused, and why');
}

done_testing;
