# SEC-01: foreign text in a variable stays text in any directive: a header to
# the service, a header of the answer, a line of a log, an argument.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep);

use Parley::Client;
use Parley::Env qw(port slurp);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));

my @names = qw(protocol type id corr intent from to priority principal
               signature verdict error loss claim_note claim_list);

my $headers = join ' ', map {
    "proxy_set_header X-$_ \$parley_$_; add_header Y-$_ \$parley_$_ always;"
} @names;

my $args = join '&', map { "$_=\$parley_$_" } @names;

# Returns locations with a proxy_pass with variables, and variables that nginx
# does not escape.
sub everywhere {
    my ($path, $directives, $more) = @_;

    return "location $path { $directives $headers "
         . 'proxy_pass http://127.0.0.1:' . port(2) . "/up?$args; }\n";
}

my $nginx = Parley::Nginx->start(http => gateway_http(
    more => 'log_format raw escape=none "<'
            . join('|', map { "$_=\$parley_$_" } @names) . '>"; '
            . 'access_log raw.log raw;',
    server => everywhere('/all', 'parley_accept aee; parley_jwt on;')
            . everywhere('/dry', 'parley_accept aee; parley_jwt on; '
                               . 'parley_dry_run on;')
            . everywhere('/lossy', 'parley_accept aee; parley_speak vcp; '
                  . 'parley_jwt on; parley_vcp_context "ctx|gateway";')
            . location('/named', 'parley_accept aee; parley_jwt on; '
                               . 'parley_claims aee=name;')
            . location('/reject', 'parley_accept aee; parley_speak vcp; '
                  . 'parley_jwt on; parley_loss reject; '
                  . 'parley_vcp_context "ctx|gateway";')));

my $client = Parley::Client->new(port => port(1));
my $log = $nginx->dir . '/raw.log';

my $hostile = "a\r\nContent-Length: 0\r\n\r\nPOST /smuggled HTTP/1.1\r\n"
            . "Parley-Verified: principal=\"root\"\r\n\r\n";

# hostile texts in place of a name
my %text = (
    'CR LF' => $hostile,
    'LF' => "abcdefgh\nX-Evil: 1",
    'tab' => "abc\tdefgh",
    'NUL' => "abcd\0efgh",
    'DEL and C1' => "abcd\x7fef\x{85}gh\x{9b}1m",
    'quotes' => 'abcd"efgh" 1',
    'separators' => 'abcd;ef\\gh, i',
    'escapes' => 'abcd%0d%0aefgh',
    'UTF-8' => "user\x{e9}\x{2028}\x{1f600}",
    'plain' => "!#\$&'()*+-./09:<=>?\@AZ[]^_`az{|}~",
);


# SEC-01, implemented again
sub encoded {
    my $text = shift;

    utf8::encode($text);

    return $text =~ s/([^\x21-\x7e]|[%"\\;])/sprintf '%%%02X', ord $1/ger;
}


sub lines { -e $log ? split(/^/, slurp($log)) : () }


# Sends one request; returns the answer, the service's request, and the log
# line.
sub sent {
    my ($uri, $message, @o) = @_;

    my $before = () = lines();

    $service->clear;

    my $answer = $client->raw(post($uri, $message, @o));

    for (1 .. 100) {
        last if lines() > $before;
        sleep 0.05;
    }

    my @lines = lines();

    return ($answer, [$service->requests], @lines[$before .. $#lines]);
}


sub holds {
    my ($name, $want, $answer, $got, @log) = @_;

    my ($said) = join('', @log) =~ /[<|]\Q$name\E=([^|>]*)[|>]/;

    # the log format uses "|" and ">", so a value with one of them is read
    # differently
    $said = $1 if $want =~ /[|>]/
                  && join('', @log) =~ /\Q$name=$want\E[|>]/
                  && "$name=$want" =~ /=(.*)/s;

    is($answer->{headers}{lc "y-$name"}, $want, "$name: to the caller");
    is($said, $want, "$name: in the log");
    is(scalar @log, 1, "$name: one line of the log");

    return if !@$got;

    is(scalar @$got, 1, "$name: one request");
    is($got->[0]{headers}{lc "x-$name"}, $want, "$name: to the service");
    like($got->[0]{uri}, qr/[?&]\Q$name=$want\E(?:&|$)/, "$name: argument");
}


for my $kind (sort keys %text) {
    my $bad = $text{$kind};
    my $want = encoded($bad);

    subtest "SEC-01 $kind in members of a message, in a dry run" => sub {
        my %member = (id => 'id', corr => 'corr', intent => 'intent',
                      to => 'to');

        for my $name (sort keys %member) {
            my @all = sent('/dry', aee($member{$name} => "$bad$name"));

            is(scalar @{ $all[1] }, 1, 'it passes: a dry run');
            holds($name, encoded("$bad$name"), @all);
        }
    };

    subtest "SEC-01 $kind in members of a refused message" => sub {
        my @all = sent('/all', aee(from => $bad));

        is(scalar @{ $all[1] }, 0, 'it is refused');
        holds('from', $want, @all);
    };

    subtest "SEC-01 $kind in a token" => sub {
        my @all = sent('/all', aee(), token => bearer('alice', note => $bad,
                                                      list => [$bad]));

        is(scalar @{ $all[1] }, 1, 'it passes');
        holds('claim_note', $want, @all);
        like($all[0]{headers}{'y-claim_list'}, qr/^[\x21-\x7e]+$/,
             'claim_list: to the caller');
        like($all[1][0]{headers}{'x-claim_list'}, qr/^[\x21-\x7e]+$/,
             'claim_list: to the service');

        @all = sent('/all', aee(from => 'agent.eve'), token => bearer($bad));

        if ($bad =~ /[\x00-\x20\x7f-\x9f]/) {
            like($all[0]{body}, qr/E_TOKEN_INVALID/, 'no such subject');

        } else {
            holds('principal', $want, @all);
        }
    };

    subtest "SEC-01 $kind in losses" => sub {
        my @all = sent('/lossy', aee(type => 'event', $bad => 1,
                                     intent => 'vcp.context_share',
                                     payload => vcp()->{payload}));

        my $pointer = '/' . ($bad =~ s/~/~0/gr =~ s{/}{~1}gr);
        my $item = encoded($pointer) =~ s/,/%2C/gr =~ s/%00/?/gr;

        like($all[0]{headers}{'parley-loss'} // '',
             qr/(?:^|, )request=\Q$item\E(?:,|$)/, 'Parley-Loss');
        like($all[0]{headers}{'y-loss'} // '', qr/(?:^|,)request=\Q$item\E(?:,|$)/,
             'in a header of the answer');
        unlike($all[0]{headers}{'y-loss'} // '', qr/[^\x21-\x7e]/,
             'nothing else of it');
        is(scalar @{ $all[1] }, 1, 'one request');
        is(scalar @all, 3, 'one line of the log');
    };

    subtest "SEC-01 $kind: a refusal is one line of the error log" => sub {
        # each code has ten lines in a second (OPS-07)
        select undef, undef, undef, 1.1;

        my $before = $nginx->error_log_size;

        sent('/all', aee(id => "12345678$bad", type => 'nope'));
        sent('/reject', aee(type => 'event', $bad => 1,
                            intent => 'vcp.context_share',
                            payload => vcp()->{payload}));
        sent('/all', aee(from => 'agent.eve'), token => bearer($bad));

        my @lines = split /^/, $nginx->error_log_after($before);

        is(scalar(grep { /parley: refused/ } @lines), 3, 'three refusals');
        is(scalar(grep { !/^\d{4}.*\[\w+\] \d+#/ } @lines), 0,
           'and no line that a message has begun');
        unlike(join('', @lines), qr/[\x00-\x09\x0b-\x1f\x7f]/,
               'no control characters');
    };
}


subtest 'SEC-01 no member of a message can forge the refused principal' => sub {
    my $forged = 'u: is not allowed here, principal "root", from "agent.root", '
               . 'intent "i", id "j", client: 192.0.2.7';

    for my $name ($forged, $forged x 2, "a\x{202e}b\x{9b}c") {
        select undef, undef, undef, 1.1;

        my $before = $nginx->error_log_size;

        sent('/all', jcs(aee(payload => { $name => '?' })) =~ s/"\?"/1e400/r);
        sent('/vcp', { %{ vcp() }, $name => 1 });

        my @lines = grep { /parley: refused/ }
                    split /^/, $nginx->error_log_after($before);

        is(scalar @lines, 2, 'refused');

        for my $line (@lines) {
            unlike($line, qr/[^\x20-\x7e\n]/, 'ASCII');
            is_deeply([$line =~ /principal "([^"]*)"/g], ['alice'],
                      'the log alone says who');
        }
    }
};


subtest 'SEC-01 a second request cannot be smuggled' => sub {
    for my $name (qw(corr intent id)) {
        my ($answer, $got) = sent('/dry', aee($name => $hostile));

        is(scalar @$got, 1, "$name: the service got one request");
        is($got->[0]{uri} =~ s/\?.*//r, '/up');
    }
};


subtest 'SEC-05 two principals never have the same Parley-Verified' => sub {
    my %seen;

    for my $sub ("user\x{e9}", "user\x{e8}", 'user??', 'user%C3%A9',
                 'u";token;x="', 'u%22', "u\\", 'u;v', 'u=v', 'u')
    {
        my (undef, $got) = sent('/named', aee(from => 'agent.carol'),
                                token => bearer($sub, name => 'agent.carol'));
        my $value = $got->[0]{headers}{'parley-verified'};

        is($value, 'principal="' . encoded($sub) . '"; token');
        is($seen{$value}++, 0, 'nobody else has it');
    }
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
