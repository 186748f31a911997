# Answers with incomplete events, or without events, over all pairs of
# protocols: the caller gets the complete answer, or an error (GW-39).

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
my %matrix = matrix();

# over HTTP/1.1 the framing shows the end of the service's answer
$matrix{server} =~ s/(parley_jwt on;)/$1 proxy_http_version 1.1;/g;

my $nginx = Parley::Nginx->start(http => "$matrix{http}\nserver {\n"
                                       . "$matrix{server}\n}\n");
my $client = Parley::Client->new(port => port(1));

my %send = (
    aee => sub { ($_[0], aee()) },
    vcp => sub { ($_[0], escalation(severity => 'critical',
                                    requires_ack => true)) },
    c2a => sub { ($_[0], deliver()) },
    channel => sub { ("$_[0]?scope=~cc-bob%2F*", query()) },
    moq => sub { ("$_[0]?recipient=agent.bob", command('Continue')) });

# $done is the service's final answer in its protocol, $half a half of it
my $BEGIN = <<'EOT';
        my $m = $q->{json};
        my $done = done($m, 'it is done');
        $done = { jsonrpc => '2.0', id => $m->{id},
                  result => { accepted => true, disposition => 'responded',
                              message => $done } } if $m->{jsonrpc};
        $done = { status => 'accepted', message_id => $m->{message_id},
                  reply => $done } if $m->{vcp_message};
        $done = jcs($done);
        my $half = substr $done, 0, length($done) / 2;
        my $page = "<html>\n<body>\nno such service\n</body>\n</html>\n";
EOT

my %framing = (
    close => '$c->events; $c->out($text);',
    length => '$c->answer(200, ["Content-Type", "text/event-stream"], $text);',
    chunks => '$c->answer(200, ["Content-Type", "text/event-stream", '
            . '"Transfer-Encoding", "chunked"], sprintf "%x\r\n%s\r\n0\r\n\r\n", '
            . 'length $text, $text);',
    broken => '$c->{keep} = 0; $c->answer(200, ["Content-Type", '
            . '"text/event-stream", "Content-Length", length($text) + 10], '
            . '$text);');

my @whole = ('"data: $done\n"', '"data: $done"', '"id: 7\ndata: $done\nev"',
             '": x\r\n\r\ndata: $done\r\n"');
my @none = ('$done', '"$done\n\n"', '$page', '"data: $half"', '"data: $half\n"',
            '"data:"', '"id: 7\nevent: message\n"', '"not an event"');


sub ask {
    my ($to, $from, $text, $framing) = @_;

    my ($uri, $m) = $send{$from}->("/to-$to");

    $service->script("$BEGIN my \$text = $text; $framing{$framing}");

    return ($client->raw(post($uri, $m)), $uri, $m);
}


# Returns the JSON of the caller's answer: the body, or the last event.
sub told {
    my $answer = shift;

    return $answer->{json} if $answer->{json};

    my @data = $answer->{body} =~ /^data: (.*)$/mg;

    return @data ? from_json($data[-1]) : undef;
}


# Returns the number of log lines; each is written before its caller's answer.
sub warned { scalar(() = $nginx->error_log =~ /\[warn\].*upstream-invalid/g) }


# this test is first: the log has only the first lines of a flood

subtest 'GW-39 the log has a line at warn' => sub {
    for my $text (@none) {
        my $warned = warned();

        ask('aee', 'aee', $text, 'length');
        is(warned(), $warned + 1, $text);
    }
};


my $pairs = 0;

for my $from (sort keys %send) {
    for my $to (sort keys %send) {

        # some messages have no equivalent in some protocols
        my ($answer) = ask($to, $from, '"data: $done\n\n"', 'close');

        next if $answer->{status} == 422;

        my $want = jcs(told($answer) // {});

        if ($want !~ /it is done/) {
            fail("$from before $to: a whole answer: $answer->{body}");
            next;
        }

        $pairs++;
        pair($from, $to);
    }
}


sub pair {
    my ($from, $to) = @_;

    subtest "GW-39 $from and a service of $to" => sub {
        my $n = 0;

        for my $text (@whole) {
            my $framing = (sort keys %framing)[$n++ % 4];
            my ($answer, $uri, $m) = ask($to, $from, $text, $framing);

            # a caller that asked several services is also told that the rest
            # broke off
            like($answer->{body}, qr/it is done/,
                 "$text, $framing: the answer is used");
            unlike($answer->{body}, qr/^(?:id|event):/m,
                   'a client of MCP gets no id and no name')
                if $from eq 'c2a';
        }

        for my $text (@none) {
            my $framing = (sort keys %framing)[$n++ % 4];
            my ($answer, $uri, $m) = ask($to, $from, $text, $framing);

            like($answer->{body}, qr/upstream.invalid|"error_code":502/i,
                 "$text, $framing: no answer")
                or diag($answer->{status}, $answer->{body});
            unlike($answer->{body}, qr/it is done/);
            unlike($answer->{body}, qr/^(?:id|event):/m, 'MCP reads it')
                if $from eq 'c2a';
            $service->script("$BEGIN \$c->events; \$c->out(\"data: \$done\\n\\n\")");
            like($client->raw(post($uri, $m))->{body}, qr/it is done/,
                 'the id is free');
        }
    };
}


cmp_ok($pairs, '>=', 15, "$pairs pairs");

is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
