# parley_store sentinel://: two gateways, a primary with replicas, and three
# Sentinels.  The primary is killed, stopped and demoted.

use strict;
use warnings;

use lib 't/lib';

use IO::Socket::INET;
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep time);

use Digest::SHA qw(sha256_hex);

use Parley::Env qw(port root slurp spew tls tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nodes;
use Parley::Redis;
use Parley::Sentinels;
use Parley::Tool;
use Parley::Upstream;

plan skip_all => 'neither redis-server nor valkey-server'
    if !Parley::Redis->engine;

my $service = Parley::Upstream->start(port(2));

# as docs/cluster.md says
my $set = Parley::Sentinels->start(
    engines => [map { port($_) } 4, 5, 6],
    sentinels => [map { port($_) } 11, 12, 13],
    conf => "min-replicas-to-write 1\nmin-replicas-max-lag 1");
my %conf = (url => $set->url, words => 'lease=3s', server => <<'EOT');
        location = /keys { parley_keys; parley_jwt on failures=off; }
EOT
my $nodes = Parley::Nodes->start(undef, %conf);

sub code { $_[0]{json}{payload}{code} // $_[0]{json}{code} // $_[0]{status} }

# Sends a message until it is not told to send it again, as a client does.
sub sends {
    my ($i, @post) = @_;
    my $answer;

    $nodes->wait_for(sub {
        $answer = $nodes->client($i)->raw(post(@post));
        return $answer->{status} != 503
               && code($answer) ne 'E_MESSAGE_IN_FLIGHT';
    });

    return code($answer);
}

# A task of lead, since alice will be suspended.
sub task { aee(from => person('lead')->{aee}) }
sub gives { my ($i, $m) = @_; return sends($i, '/aee', $m, as => 'lead') }

# Returns whether both gateways accept messages, after a time.
sub accepted {
    return !grep { my $i = $_;
                   !$nodes->wait_for(sub { gives($i, task()) eq 202 }) }
                 $nodes->all;
}

# Returns the ids that are not duplicates at each gateway.
sub unknown {
    my @ms = @_;
    return [grep { my $m = $_;
                   grep { gives($_, $m) ne 'E_MESSAGE_DUPLICATE' }
                        $nodes->all } @ms];
}

# Returns the answer of a gateway to a message of alice with a key that her
# parent has added.
my $extra = new_key('ed25519', 'extra');

sub added {
    my $client = shift;

    return code($client->raw(post('/peers', jcs(sign_vcp(vcp(), $extra)),
                                  token => 0)));
}

sub lost { $nodes->status(0)->metric('parley_store_lost_total{why="generation"}') }

sub reloads {
    return join ' ', map { $nodes->nginx($_)->logged(qr/start worker process/) }
                         $nodes->all;
}


my @before = map { task() } 1 .. 20;
my $asked = task();
my $alarm = escalation(severity => 'emergency', requires_ack => true);


subtest 'CLU-01 a store behind Sentinels' => sub {
    is_deeply([map { gives($_ % 2, $before[$_]) } 0 .. $#before],
              [(202) x @before], 'ids are taken');
    is(gives(0, $asked), 202, 'a question');
    is(sends(0, '/vcp', $alarm), 200, 'a suspension');
    is(added($nodes->client($_)), 'signature-invalid', 'an unknown key')
        for $nodes->all;

    my $began = time;
    my $body = jcs({ sub => 'alice', exp => int(time) + 600,
                     keys => [public_jwk($extra)] });

    is($nodes->client(1)->raw(post('/keys', $body, as => 'lead'))->{status},
       200, "CLU-14 a child's key is added");
    ok($nodes->wait_for(sub {
           added($nodes->client(0)) eq 'agent-suspended' }),
       'and known at the other gateway');
    cmp_ok(time - $began, '<', 2, 'soon');
    is_deeply(unknown(@before), [], 'at both gateways');
    is($nodes->nginx($_)->logged(qr/parley: store sentinel:\S+\/parley: Sentinel 127\.0\.0\.1:\d+ names the primary 127\.0\.0\.1:${\port(4)}$/m), 1,
       'the primary is logged') for $nodes->all;
};


my $reloads = reloads();


subtest 'CLU-10 the primary is killed' => sub {
    my $old = $set->primary;

    $set->wait_replicated(2);
    $service->clear;
    $old->kill;

    is(sends(0, '/vcp', vcp()), 'agent-suspended',
       'CLU-14 a suspension holds while the store is away');

    my $new = $set->wait_switch($old);

    ok(accepted(), 'messages are accepted again');
    ok($nodes->wait_for(sub { $new->inboxes == 2 }),
       'CLU-04 the inboxes are at the new primary');
    is(reloads(), $reloads, 'without a reload');
    is_deeply(unknown(@before), [], 'ids of before are duplicates at both');
    is_deeply([grep { my $m = $_;
                      grep { $m->{id} eq $_->{json}{id} } $service->requests }
               @before], [], 'and not forwarded');
    is(sends(1, '/aee', result($asked), as => 'bob'), 202,
       'CLU-02 the answer to a question of before finds it');
    is(sends(0, '/aee', result($asked), as => 'bob'), 'E_REPLY_UNMATCHED',
       'and is the only one');
    is(sends($_, '/vcp', vcp()), 'agent-suspended', 'CLU-14 she is suspended')
        for $nodes->all;
    isnt(lost(), 0, 'the generation is counted');
    isnt($nodes->nginx($_)->logged(qr/\[warn\] .*the engine has restarted, or is another one: .*generation/),
         0, 'and logged') for $nodes->all;
    isnt($nodes->nginx($_)->logged(qr/Sentinel \S+ names the primary 127\.0\.0\.1:${\$new->port}$/m),
         0, 'with the new primary') for $nodes->all;

    # a gateway without a memory of its own
    my $late = Parley::Nodes->start(undef, %conf, only => 2);

    is_deeply([grep { code($late->client(2)->raw(post('/aee', $_, as => 'lead')))
                      ne 'E_MESSAGE_DUPLICATE' } @before], [],
              'the new primary has the ids');
    ok($late->wait_for(sub { code($late->client(2)->raw(post('/vcp', vcp())))
                             eq 'agent-suspended' }),
       'CLU-14 and the suspension');
    ok($late->wait_for(sub { added($late->client(2)) eq 'agent-suspended' }),
       "CLU-14 and the child's key");

    $old->begin;
    $set->wait_known(2);
    Parley::Sentinels::wait_for('a replica', sub {
        $old->info('master_link_status') eq 'up' });
};


subtest 'CLU-10 the primary is stopped while messages pass' => sub {
    my $old = $set->primary;
    my (@ids, %refused, $resumed);

    $service->clear;
    $set->wait_replicated(2);

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        sleep 0.5;
        $old->pause;
        POSIX::_exit(0);
    }

    my ($switched, $rest) = (0, 20);
    my $until = time + 40;

    while (time < $until && $rest > 0) {
        my $m = task();

        push @ids, $m;

        # as a client does, until it is taken
        for my $try (1 .. 2000) {
            my $code = code($nodes->client($try % 2)->raw(
                post('/aee', $m, as => 'lead')));

            last if $code eq 202 || $code eq 'E_MESSAGE_DUPLICATE';
            $refused{$code}++;
            sleep 0.02;
        }

        my $primary = $set->primary;

        $switched ||= $primary && $primary->port != $old->port;
        $rest-- if $switched;
    }

    waitpid $pid, 0;
    ok($switched, 'the Sentinels name another');
    $old->resume;

    my %times;
    $times{$_->{json}{id}}++ for $service->requests;

    is_deeply([grep { $times{$_->{id}} != 1 } @ids], [], 'each passes once')
        or diag explain \%times;
    cmp_ok(scalar @ids, '>', 20, 'of ' . @ids);
    delete @refused{qw(E_CAPACITY E_MESSAGE_IN_FLIGHT)};
    is_deeply(\%refused, {}, 'others are told to send again');
    ok(accepted(), 'messages are accepted again');
    is_deeply(unknown(@ids[-20 .. -1]), [], 'ids at the new primary');

    # the old one returns, and is made a replica
    Parley::Sentinels::wait_for('a replica', sub {
        $old->info('role') eq 'slave'
        && $old->info('master_link_status') eq 'up' });
    $set->wait_known(2);
    is_deeply(unknown(@before, @ids), [], 'no id is taken twice');
    is(sends($_, '/vcp', vcp()), 'agent-suspended', 'CLU-14 she is suspended')
        for $nodes->all;
    is(reloads(), $reloads, 'without a reload');
};


subtest 'CLU-12 a switch by hand: the primary is made a replica' => sub {
    my $old = $set->primary;
    my $lost = lost();
    my $m = task();

    is(gives(0, $m), 202);
    $set->switch($old);
    Parley::Sentinels::wait_for('another generation', sub { lost() > $lost });
    ok(accepted(), 'messages are accepted again');
    is_deeply(unknown(@before, $m), [], 'ids of before are duplicates');
    is(reloads(), $reloads, 'without a reload');
};


subtest 'CLU-14 a resumption and an unconfirmed suspension' => sub {
    Parley::Sentinels::wait_for('replicas', sub {
        $set->primary->info('connected_slaves') == 2 });

    my $unconfirmed = sub {
        $nodes->status(0)->metric('parley_store_lost_total{why="unconfirmed"}')
    };

    is($unconfirmed->(), 0, 'a replica has confirmed each');
    is(sends(0, '/vcp', constraint(), as => 'lead'), 200, 'she is resumed');
    ok($nodes->wait_for(sub { sends(1, '/vcp', vcp()) eq 200 }), 'at both');
    is($unconfirmed->(), 0, 'which a replica has confirmed');

    # the next primary has the resumption
    $set->switch($set->primary);
    ok(accepted(), 'messages are accepted after a failover');

    my $late = Parley::Nodes->start(undef, %conf, only => 2);

    is($late->nginx(2)->logged(qr/the store is in use/), 1);
    is(code($late->client(2)->raw(post('/vcp', vcp()))), 200,
       'at a gateway without a memory of its own');
    is(code($late->client(2)->raw(post('/aee', $before[0], as => 'lead'))),
       'E_MESSAGE_DUPLICATE', 'which has the rest of the store');
    ok($late->wait_for(sub { added($late->client(2)) eq 200 }), 'such as a key');
    undef $late;

    # replicas that are connected and do not answer
    Parley::Sentinels::wait_for('replicas', sub {
        $set->primary->info('connected_slaves') == 2 });

    my $primary = $set->primary;
    my @replicas = grep { $_->port != $primary->port } $set->engines;

    $primary->cli('CONFIG', 'SET', 'min-replicas-to-write', 0);
    $_->pause for @replicas;
    is(sends(0, '/vcp', $alarm = escalation(severity => 'emergency',
                                            requires_ack => true)), 200,
       'a suspension is accepted without them');
    $_->resume for @replicas;
    is($unconfirmed->(), 1, 'and counted');
    is($nodes->nginx(0)->logged(qr/\[warn\] .*no replica has confirmed a suspension/),
       1, 'and logged');
    ok($nodes->wait_for(sub { sends(1, '/vcp', vcp()) eq 'agent-suspended' }),
       'it holds at both gateways');
};


# A server that gives one answer to each connection, or stays silent.
sub server {
    my ($port, $answer) = @_;

    my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $port,
                                  Listen => 16, ReuseAddr => 1)
        or die "port $port: $!\n";
    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        my @silent;

        alarm 60;

        while (my $c = $s->accept) {
            my $line = <$c>;
            print $c $answer;
            $c->flush;
            push @silent, $c if $answer eq '';
        }
        POSIX::_exit(0);
    }

    return $pid;
}


subtest 'CLU-12 Sentinels that do not help' => sub {
    my $replica = (grep { $_->port != $set->primary->port } $set->engines)[0];
    my $port = $replica->port;
    my $name = sub { "*2\r\n\$" . length($_[0]) . "\r\n$_[0]\r\n\$"
                     . length($_[1]) . "\r\n$_[1]\r\n" };
    my $good = port(11);

    my @answers = (
        [$name->('127.0.0.1', $port) => qr/the store is away: the engine is a replica/],
        [$name->('store.example', $port) => qr/it names the primary by a host name; set "sentinel announce-hostnames no"/],
        ["*-1\r\n" => qr/it does not know the primary of this name/],
        ["-ERR unknown command 'SENTINEL'\r\n" => qr/it refuses the question/],
        ["-NOAUTH Authentication required.\r\n" => qr/NOAUTH: set sentinel_user= and sentinel_password=/],
        ["HTTP/1.1 400 Bad\r\n" => qr/its reply is not valid RESP/],
        ["*1\r\n\$1\r\nx\r\n" => qr/its reply has another form/],
        [undef() => qr/connect\(\) to 127\.0\.0\.1:\d+ failed \(111: /],
        ['' => qr/no answer in time/]);

    for (@answers) {
        my ($answer, $line) = @$_;
        my $pid = defined $answer ? server(port(14), $answer) : 0;
        my $node = Parley::Nodes->start(undef, only => 2, away => 1,
            url => 'sentinel://127.0.0.1:' . port(14) . ",127.0.0.1:$good/parley");

        ok($node->nginx(2)->wait_for($line), "$line")
            or diag $node->nginx(2)->error_log;
        $node->wait_up;
        is(code($node->client(2)->raw(post('/aee', $before[0],
                                               as => 'lead'))),
           'E_MESSAGE_DUPLICATE', 'the next Sentinel is asked');

        if ($pid) {
            kill 'KILL', $pid;
            waitpid $pid, 0;
        }
    }

    my $node = Parley::Nodes->start(undef, only => 2, away => 1,
        url => "sentinel://127.0.0.1:$good/other");

    ok($node->nginx(2)->wait_for(qr/the store is away: no Sentinel has named the primary/),
       'a name that the Sentinels do not know');
};


subtest 'CLU-09 the Sentinels are away' => sub {
    $nodes->wait_up;
    $_->kill for $set->sentinels;
    ok(accepted(), 'the store is used without them');

    my $line = qr/the store is in use$/m;
    my $before = $nodes->nginx(0)->logged($line);

    $set->engine($_)->cli('CLIENT', 'KILL', 'TYPE', 'normal') for 0 .. 2;
    ok($nodes->nginx($_)->wait_for(qr/\[error\] .*the store is away: no Sentinel has named the primary/),
       'no connection without a Sentinel') for $nodes->all;
    is(gives(0, task()), 'E_CAPACITY', 'messages are refused');

    $set->sentinel(1)->begin;
    $nodes->wait_up;
    ok(accepted(), 'one is enough');
    is($nodes->nginx(0)->logged($line), $before + 1,
       'the return is logged, although the last one is less than a minute old');
};


undef $nodes;
undef $set;


# Returns the lines of a block of the page after a text, without those that a
# test sets itself.
sub block {
    my $after = shift;

    my ($lines) = slurp(root() . '/docs/cluster.md')
                  =~ /\Q$after\E.*?\n\n((?:    [^\n]*\n|\n)+)/s;

    $lines =~ s/^ *(?:#|sentinel (?:monitor|down-after|failover-timeout)|bind|port|tls-port|tls-\w+-file|tls-auth-clients|aclfile|append).*\n//mg;
    $lines =~ s/#HASH/'#' . sha256_hex('word')/eg;

    return $lines =~ s/PASSWORD/word/gr;
}


# Divides the network: the replicas and the Sentinels do not reach the primary,
# and the first gateway does.  Sends ids to both gateways; returns those that
# were forwarded twice.
sub twice {
    my ($set, $nodes, $min) = @_;

    $set->wait_known(2);
    $nodes->wait_up;

    my $old = $set->primary;
    my @ids;

    my $both = sub {
        my $m = task();

        push @ids, $m->{id};
        $nodes->client($_)->raw(post('/aee', $m, as => 'lead')) for 0, 1;
    };

    Parley::Sentinels::wait_for('replicas', sub {
        $old->info('connected_slaves') == 2 });
    $service->clear;
    $_->cli('CONFIG', 'SET', 'min-replicas-to-write', $min) for $set->engines;

    for my $user ('sentinel', 'replica') {
        $old->cli('ACL', 'SETUSER', $user, 'off');
        $old->cli('CLIENT', 'KILL', 'USER', $user);
    }

    Parley::Sentinels::wait_for('a switch', sub {
        $both->();
        my $new = $set->primary;
        return $new && $new->port != $old->port
               && $new->info('connected_slaves') > 0;
    });

    # the second gateway does not reach the old primary
    ok($nodes->nginx(1)->reload, 'the second gateway asks the Sentinels');
    ok($nodes->wait_for(sub {
           code($nodes->client(1)->raw(post('/aee', task(), as => 'lead')))
           eq 202 }), 'and uses the next primary');
    $both->() for 1 .. 20;

    $old->cli('ACL', 'SETUSER', $_, 'on') for 'sentinel', 'replica';
    Parley::Sentinels::wait_for('a replica', sub {
        $old->info('role') eq 'slave' });
    $_->cli('CONFIG', 'SET', 'min-replicas-to-write', 1) for $set->engines;

    my %times;
    $times{$_->{json}{id}}++ for $service->requests;

    return [grep { ($times{$_} // 0) > 1 } @ids];
}


subtest 'CLU-13 the users of the page, and TLS' => sub {
    my ($cert) = tls();
    my $word = spew(tmp_dir() . '/word', "word\n");
    my $wrong = spew(tmp_dir() . '/wrong', "hunter2\n");
    my $test = "user test on nopass ~* &* +\@all\n";
    my $acl = "aclfile " . tmp_dir();

    chmod 0600, $word, $wrong;

    my @args = ('store', 'acl', '--password', $word);
    my ($engine, $sentinel) = (tool_ok(@args), tool_ok(@args, '--sentinel'));
    my ($users, $others) = map { s/^ *user parley.*\n//mr }
                           block('SHA-256 of the user\'s password'),
                           block('and a user for the other Sentinels:');

    like($sentinel, qr/^user parley on resetpass #\w+ resetkeys resetchannels -\@all \+sentinel\|get-master-addr-by-name$/);
    spew(tmp_dir() . '/users.acl', "$users$engine\n$test");
    spew(tmp_dir() . '/sentinel.acl', "$others$sentinel\n$test");

    # each process rewrites its own file
    my $set = Parley::Sentinels->start(
        tls => 1, as => 'test',
        engines => [map { port($_) } 4, 5, 6],
        sentinels => [map { port($_) } 11, 12, 13],
        conf => block('`valkey.conf` has the same names')
                . block('Addresses and TLS:') . "$acl/users.acl",
        sentinel => block('sentinel.conf of each Sentinel:')
                    . "$acl/sentinel.acl");
    my $words = "user=parley password=$word trusted=$cert name=localhost "
              . 'tls=on lease=3s';
    my $nodes = Parley::Nodes->start(undef, url => $set->url,
        words => "$words sentinel_user=parley sentinel_password=$word");
    my $m = task();

    is(code($nodes->client(0)->raw(post('/aee', $m, as => 'lead'))), 202);
    like($set->engine(0)->cli('ACL', 'LIST'), qr/user default off/,
         'the user "default" is off');

    # frames and sessions of gateways go through these channels
    for my $user ('sentinel', 'replica') {
        like($set->engine(0)->cli('ACL', 'DRYRUN', $user, @$_),
             qr/no permissions/, "$user: @$_")
            for ['PUBLISH', '{parley}f', 'x'], ['SUBSCRIBE', '{parley}f'];
    }

    my $old = $set->primary;

    $set->wait_replicated(2);
    $old->kill;
    $set->wait_switch($old);
    ok($nodes->wait_for(sub {
           code($nodes->client(1)->raw(post('/aee', $m, as => 'lead')))
           eq 'E_MESSAGE_DUPLICATE' }), 'after a failover');
    is($nodes->nginx($_)->logged(qr/\[crit\]/), 0, 'no crit line')
        for $nodes->all;

    $old->begin;

    subtest 'CLU-10 a primary that its replicas and the Sentinels have lost' =>
        sub {
        is_deeply(twice($set, $nodes, 1), [], 'with the min-replicas-to-write of the page no id is taken twice');

        # the test must see the fault that the setting prevents
        cmp_ok(scalar @{ twice($set, $nodes, 0) }, '>', 0,
               'without it ids are taken twice');
    };

    undef $nodes;

    my %ways = (
        $words => qr/NOAUTH: set sentinel_user= and sentinel_password=/,
        "$words sentinel_user=parley sentinel_password=$wrong"
            => qr/WRONGPASS: correct sentinel_user= and sentinel_password=/,
        "$words sentinel_user=sentinel sentinel_password=$word"
            => qr/NOPERM: give the user the rules that "parley store acl --sentinel" prints/,
        ($words =~ s/name=localhost/name=other.example/r)
            => qr/certificate of 127\.0\.0\.1:\d+ is not for "other\.example"/,
        ($words =~ s/name=localhost//r)
            => qr/certificate of 127\.0\.0\.1:\d+ is not for "127\.0\.0\.1"/,
        ($words =~ s/tls=on.*//r =~ s/trusted=\S+ name=\S+//r)
            => qr/connection was closed|recv\(\) failed/);

    for my $way (sort keys %ways) {
        my $node = Parley::Nodes->start(undef, nodes => 1, url => $set->url,
                                        words => $way, away => 1);

        ok($node->nginx(0)->wait_for(qr/\[warn\] .*Sentinel \S+: $ways{$way}/),
           "$way is logged") or diag $node->nginx(0)->error_log;
        ok($node->nginx(0)->wait_for(qr/no Sentinel has named the primary/));
        unlike($node->nginx(0)->error_log, qr/hunter2/, 'without the secret');
    }
};

done_testing();
