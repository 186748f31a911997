# The debug log of nginx and "parley explain" name the directive that decided a
# step, with its file and line.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port slurp);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool ();

my $nginx = Parley::Nginx->start(log_level => 'debug', http => http_config()
    . 'server { listen 127.0.0.1:%PORT_1% ssl; '
    . 'ssl_certificate %TLS_CERT%; ssl_certificate_key %TLS_KEY%; '
    . "location /in {\nparley_accept aee;\nparley_jwt on;\n"
    . "parley_freshness past=60s;\n"
    . "parley_deny intent=ops.secret.**;\nparley_allow intent=ops.**;\n"
    . 'proxy_pass http://127.0.0.1:%PORT_2%; } '
    . 'location /gone { parley_accept aee; parley_trusted on; '
    . 'proxy_pass http://127.0.0.1:%PORT_3%; } '
    . 'location /spare { parley_accept aee; parley_trusted on; '
    . 'proxy_pass http://127.0.0.1:%PORT_3%; error_page 502 = @spare; } '
    . 'location @spare { parley_accept aee; parley_trusted on; '
    . 'parley_deny intent=ops.**; proxy_pass http://127.0.0.1:%PORT_2%; } '
    . 'location /dry { parley_accept aee; parley_jwt on; '
    . 'parley_dry_run all; proxy_pass http://127.0.0.1:%PORT_2%; } } '
    . 'server { listen 127.0.0.1:%PORT_2%; location / { return 202; } }');

my $conf = $nginx->dir . '/nginx.conf';
my $client = Parley::Client->new(port => port(1));
my $token = bearer('alice');


# Returns the line of nginx.conf where a directive begins.
sub line {
    my ($directive) = @_;

    my ($before) = slurp($conf) =~ /\A(.*?)\Q$directive\E/s;
    return 1 + ($before =~ tr/\n//);
}


# each: intent, status, step, outcome, directive, members of the message
my @cases = (
    ['ops.run', 202, 'policy', 'passed', 'parley_allow intent=ops.**'],
    ['ops.secret.run', 403, 'policy', 'refused',
     'parley_deny intent=ops.secret.**'],
    ['notes.add', 403, 'policy', 'refused', 'parley_allow intent=ops.**'],
    ['ops.late', 422, 'admit', 'refused', 'parley_freshness past=60s',
     ts => timestamp(-90)],
);

for my $case (@cases) {
    my ($intent, $status, $step, $outcome, $directive, @members) = @$case;

    subtest "GW-16 the directive that decided about $intent" => sub {
        my ($name) = $directive =~ /^(\w+)/;
        my $at = line($directive);
        my $m = jcs(aee(intent => $intent, @members));

        is($client->post('/in', $m, Authorization => $token)->{status},
           $status, 'status');
        ok($nginx->wait_for(qr/parley:\ step\ \Q$step\E:\ \Q$outcome\E,
                               \ by\ "\Q$name\E"\ in\ \Q$conf\E:$at\b/x, 1),
           'in the log');

        my (undef, $out, $err) = Parley::Tool::tool({ in => $m }, 'explain',
            '--conf', $conf, '--location', '/in', '--json', '--token', $token);
        my ($said) = grep { $_->{step} eq $step }
                          @{ Parley::Tool::json($out)->{steps} };

        is_deeply([@$said{qw(verdict directive file line)}],
                  [$outcome, $name, $conf, $at], 'explain --json');

        return if $outcome eq 'passed';

        (undef, undef, $err) = Parley::Tool::tool({ in => $m }, 'explain',
            '--conf', $conf, '--location', '/in', '--token', $token);
        my $by = qr/by "\Q$name\E" in \Q$conf\E:$at/;
        like($err, qr/^\Q$step\E +refused .*\n +$by$/m, 'explain');
    };
}


subtest 'GW-16 without a directive none is named' => sub {
    my $m = jcs(aee(intent => 'ops.run'));
    my (undef, $out) = Parley::Tool::tool({ in => $m }, 'explain', '--conf',
        $conf, '--location', '/in', '--json', '--token', $token);
    my ($said) = grep { $_->{step} eq 'signature' }
                      @{ Parley::Tool::json($out)->{steps} };

    ok(!exists $said->{directive}, 'parley_signature has its default');
};


# each: name, a request, the verdict, the outcome
my @whole = (
    ['passed', sub { $client->post('/in', jcs(aee(intent => 'ops.run')),
                                   Authorization => $token) },
     'passed', 'answered, its id is taken'],
    ['was refused', sub { $client->post('/in', jcs(aee(intent => 'x.y')),
                                        Authorization => $token) },
     'refused'],
    ['has a service that is not there',
     sub { $client->post('/gone', jcs(aee(intent => 'ops.run'))) },
     'passed', 'failed, its id is free'],
    ['continued where it is refused',
     sub { $client->post('/spare', jcs(aee(intent => 'ops.run'))) },
     'passed', 'refused, its id is free'],
    ['is looked at in a dry run',
     sub { $client->post('/dry', '{}') }, 'dry-refused',
     'untouched, its id is free'],
    ['did not come whole',
     sub { $client->begin('/gone', '{"v":', 'Content-Length' => 99)->leave },
     'nginx'],
);

my $said = qr/parley: (?:verdict|outcome:) (.+)/;
my $before = $nginx->logged($said);
my $all = 0;

for my $case (@whole) {
    my ($what, $request, @expected) = @$case;

    subtest "GW-26 one verdict of a message that $what" => sub {
        $request->();
        $all += @expected;

        ok($nginx->wait_for($said, $before + $all), 'it is told');

        my @log = $nginx->error_log =~ /$said/g;

        is_deeply([@log[$before + $all - @expected .. $#log]], \@expected,
                  'in these words');
    };
}

# each: the log text of the response, its number
for my $case (['answer: passed', 2], ['answer: refused', 1],
              ['settle: passed', 2], ['settle: -', 2])
{
    is($nginx->logged(qr/parley: step \Q$case->[0]\E/), $case->[1],
       "GW-12 step $case->[0]");
}

$nginx->stop;
is($nginx->logged($said), $before + $all, 'GW-26 and nothing is told twice');


done_testing;
