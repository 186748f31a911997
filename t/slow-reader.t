# An answer of events with a slow client, or a long one: the worker's memory is
# bounded, for any output of the service.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(is_sanitized port tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Upstream;

plan skip_all => 'needs /proc/PID/status' if !-r '/proc/self/status';

my $service = Parley::Upstream->start(port(2));
my $nginx = Parley::Nginx->start(http => gateway_http(server =>
      location('/to-c2a', 'parley_accept aee; parley_speak c2a; '
                        . 'parley_jwt on;')
    . location('/pieces', 'parley_accept aee; parley_jwt on; '
                        . 'proxy_buffering off;')
    . location('/plain', 'parley_accept aee; parley_trusted on; '
                       . 'proxy_buffer_size 64k; proxy_buffers 8 64k;')
    . location('/roomy', 'parley_accept aee; parley_trusted on; '
                       . 'proxy_buffer_size 8m; proxy_buffers 4 8m;')));
my $client = Parley::Client->new(port => port(1));
my $plain = Parley::Client->new(port => port(3), tls => 0);

# MB that the service sends at most
use constant SENT => 64;


# Returns the memory of the only worker, in KB.
sub rss { return status('VmRSS') }

# Returns the most memory that it has requested, used or not.
sub peak { return status('VmPeak') }

sub status {
    my $what = shift;
    my $master = $nginx->pid;
    my ($worker) = split ' ', slurp("/proc/$master/task/$master/children");
    my ($kb) = slurp("/proc/$worker/status") =~ /^$what:\s+(\d+)/m;

    return $kb;
}


sub slurp {
    open my $in, '<', $_[0] or die "$_[0]: $!\n";
    local $/;

    return scalar <$in>;
}


# Returns the rest of an answer, which may be long, after the octets received
# before.
sub rest {
    my $connection = shift;

    my $octets = $connection->{buffer};

    while ($connection->{socket}->sysread(my $some, 65536)) {
        $octets .= $some;
    }

    my ($body, $whole) = Parley::Client::Connection::unchunk(
                             $octets =~ s/^.*?\r\n\r\n//sr);

    return { body => $body, complete => $whole };
}


sub whole {
    my ($uri) = @_;

    my $connection = $client->connect;

    $connection->write(post($uri, aee()));

    return rest($connection);
}


# Checks that the worker grew by less than that many MB.
sub bounded {
    my ($kb, $bound) = @_;

    note("the worker grew by $kb KB");

    SKIP: {
        skip 'memory is not measured under sanitizers', 1 if is_sanitized();
        cmp_ok($kb, '<', $bound * 1024, "by less than $bound MB");
    }
}


# Returns the script of a service that sends an event again and again, as fast
# as it is read; $event is Perl code.
sub flood {
    my ($event, $times) = @_;

    return <<"EOT";
        my \$event = do { $event };
        my \$many = "data: \$event\\n\\n" x (1 + 100_000 / length \$event);
        my \$sent = 0;
        \$c->events;
        while (\$sent < @{[SENT]} * 1024 * 1024) {
            \$c->out(\$many);
            \$sent += length \$many;
        }
EOT
}


my $progress = q{jcs(aee(type => 'stream', from => $q->{json}{to},
    to => $q->{json}{from}, corr => $q->{json}{corr},
    payload => { text => 'x' x 200 }))};
my $reaction = q{jcs({ jsonrpc => '2.0', id => 1, method => 'tools/call',
    params => { name => 'chat.react', arguments => { signal => 'working',
    inReplyTo => $q->{json}{params}{eventId} } } })};
my $large = q{jcs(aee(type => 'stream', from => $q->{json}{to},
    to => $q->{json}{from}, corr => $q->{json}{corr},
    payload => { text => 'x' x 500_000 }))};


for (['of the same protocol', $progress, '/aee', $client, 4],
     ['translated', $reaction, '/to-c2a', $client, 4],
     ['large ones', $large, '/aee', $client, 12],
     ['with a larger buffer, plain HTTP', $progress, '/plain', $plain, 4])
{
    my ($what, $event, $uri, $by, $bound) = @$_;

    subtest "GW-22 events $what: a client that reads 8 KB a second" => sub {
        $service->script('$c->take');
        $by->raw(post($uri, aee(), $by == $plain ? (token => 0) : ()));
        $service->script(flood($event));

        my $before = rss();
        my $most = $before;
        my $connection = $by->connect;

        $connection->write(post($uri, aee(), $by == $plain ? (token => 0)
                                                           : ()));

        ok($connection->expect(qr/^data: /m), 'the first event is there');

        for (1 .. 12) {
            sleep 0.25;
            $connection->{socket}->sysread(my $some, 2048);
            $most = rss() if rss() > $most;
        }

        bounded($most - $before, $bound);

        $connection->leave;
        $service->stop;
        $service = Parley::Upstream->start(port(2));
    };
}


subtest 'GW-22 octets that were held back arrive in their order' => sub {
    $service->script(<<'EOT');
        $c->events;
        for my $n (1 .. 20_000) {
            $c->out('data: ' . jcs(aee(type => 'stream', from => 'agent.bob',
                to => 'agent.alice',
                corr => $q->{json}{corr}, payload => { n => $n })) . "\n\n");
        }
        $c->out('data: ' . jcs(result($q->{json})) . "\n\n");
EOT

    my $connection = $client->connect;

    $connection->write(post('/aee', aee()));
    $connection->expect(qr/^data: /m);
    sleep 1;

    my $answer = rest($connection);
    my @n = $answer->{body} =~ /"n":(\d+)/g;

    ok($answer->{complete}, 'whole');
    is(scalar @n, 20_000, 'each of them');
    is(scalar(grep { $n[$_] != $_ + 1 } 0 .. $#n), 0, 'in order');
    like($answer->{body}, qr/"type":"result".*\n\n\z/, 'and the answer');
};


# the end waits for the client, while nginx's buffer has room
subtest 'GW-22 GW-26 octets after a broken chunk are not read' => sub {
    my $taken = tmp_dir() . '/garbage';

    $service->script(<<"EOT");
        \$c->{keep} = 0;
        \$c->out("HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\n"
                . "Transfer-Encoding: chunked\\r\\n\\r\\n");
        for my \$n (1 .. 190) {
            my \$event = 'data: ' . jcs(aee(type => 'stream',
                from => 'agent.bob', to => 'agent.alice',
                corr => \$q->{json}{corr},
                payload => { n => \$n, text => 'x' x 40_000 })) . "\\n\\n";
            \$c->out(sprintf "%x\\r\\n%s\\r\\n", length \$event, \$event);
        }
        \$c->pause(0.5);
        \$c->out("ZZ\\r\\n");
        \$c->pause(0.2);
        for (1 .. 512) {
            (syswrite \$c->{socket}, 'garbage!' x 131_072) or last;
            open my \$out, '>>', '$taken';
            print \$out '.';
        }
EOT

    my $connection = $plain->connect;

    $connection->write(post('/roomy', aee(), token => 0));
    ok($connection->expect(qr/^data: /m), 'the first event begins');
    sleep 3;

    my $sent = -s $taken // 0;

    note("the service got rid of $sent MB");
    cmp_ok($sent, '<', 64, 'what fits into buffers');

    my $answer = rest($connection);
    my @n = $answer->{body} =~ /"n":(\d+)/g;

    is("@n", "@{[1 .. 190]}", 'what was held comes');
    like($answer->{body}, qr/"E_UPSTREAM_\w+"/, 'then why it ends');

    $service->stop;
    $service = Parley::Upstream->start(port(2));
};


for (['of the same protocol', $progress, '/aee'],
     ['translated', $reaction, '/to-c2a'])
{
    my ($what, $event, $uri) = @$_;

    subtest "GW-22 a long stream $what takes no memory" => sub {
        $service->script(<<"EOT");
            my \$event = "data: " . do { $event } . "\\n\\n";
            \$c->events;
            \$c->out(\$event x 50) for 1 .. 300;
EOT

        # the first answer makes the worker grow to the size that one answer
        # takes
        whole($uri);

        my $before = rss();
        my $answer = whole($uri);
        my $after = rss();

        is(scalar(() = $answer->{body} =~ /^data: /mg), 15_000);
        bounded($after - $before, 1);
    };
}


subtest 'GW-07 gzip in small pieces takes no buffer for each of them' => sub {
    $service->script(<<'EOT');
        my $body = jcs(result($q->{json}, payload => { n => join ',',
                                                       1 .. 2000 }));
        require IO::Compress::Gzip;
        IO::Compress::Gzip::gzip(\$body, \my $zipped);
        $c->out("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
                . 'Content-Length: ' . length($zipped) . "\r\n\r\n");
        for (unpack '(a3)*', $zipped) { $c->out($_); $c->pause(0.0002) }
EOT

    $client->raw(post('/aee', aee()));

    my $before = peak();
    my $answer = $client->raw(post('/pieces', aee()));

    like($answer->{body}, qr/,1999,2000"/, 'all of it')
        or diag($answer->{raw});
    bounded(peak() - $before, 4);
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

done_testing;
