# Allowed targets of deliveries, reports of failed ones, and other messages
# that come by a URL (VCP-21, HUB-09, HUB-07).

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Dns;
use Parley::Env qw(parley_try port slurp tmp_dir spew tls);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Status;
use Parley::Streams;
use Parley::Upstream;

my $dir = tmp_dir();
my $peer = Parley::Upstream->start(port(2), undef, tls => 1);
my $here = '127.0.0.1:' . port(2);
my ($cert) = tls();

spew("$dir/gateway.jwk", private_jwk(gateway_key()));


my $dns = Parley::Dns->start(port(6), 'private.test' => '127.0.0.1',
                             'listed.test' => '127.0.0.1',
                             'link.test' => '169.254.169.254');



sub http {
    my %o = @_;

    my $deliver = $o{deliver}
        // "parley_deliver /_deliver hosts=$here,private.test:" . port(3)
           . ',link.test:' . port(2) . ',none.test:' . port(2) . ';';

    return streams_http(
        identities => streams_identities(%{ $o{of} }),
        more => "$deliver parley_signing_key $dir/gateway.jwk;\n"
                . "parley_audit $dir/audit.jsonl;\n"
                . "parley_retain count=100 time=1h;",
        locations => $o{locations} // <<"EOT");
        location /vcp/in { parley_jwt on; parley_submit vcp aee c2a; }
        location /vcp/stream/ { parley_jwt on; parley_stream vcp;
                                parley_vcp_context ctx|deliver;
                                parley_vcp_constitution creed://a/b\@1; }
        location /aee/stream/ { parley_jwt on; parley_stream aee; }
        location /_deliver {
            internal;
            proxy_pass \$parley_deliver_url;
            proxy_ssl_trusted_certificate $cert;
            resolver 127.0.0.1:%PORT_6% ipv6=off;
            resolver_timeout 2s;
        }
EOT
}


subtest 'VCP-21 nginx -t checks the allowed targets of a URL' => sub {
    my $check = sub {
        my ($url, $like, %o) = @_;

        my ($status, $said) = Parley::Nginx->check(
            http => http(of => { bob => { deliver => $url,
                                          %{ $o{bob} // {} } } }, %o));

        return is($status, 0, "$url is taken") || diag $said if !$like;

        is($status, 1, "$url is refused");
        like($said, $like, 'and it is said why');
    };

    $check->("https://$here/x");
    my (undef, $said) = Parley::Nginx->check(http => http(
        of => { bob => { deliver => "https://$here/x", handle => undef } }));
    unlike($said, qr{warn.*/principals/1 }, 'and needs no handle');

    $check->("http://$here/x", qr{principals/1/deliver .* an https or wss URL});
    $check->("https://u:p\@$here/x", qr{/principals/1/deliver});
    $check->("https://$here/x#y", qr{/principals/1/deliver});
    $check->('https://other.test/',
             qr{/principals/1/deliver in .* on "other.test:443", which "hosts});
    $check->('https://127.0.0.1:1/', qr{"127\.0\.0\.1:1", which "hosts="});
    $check->("https://$here/", qr{needs "parley_deliver"}, deliver => '');
    $check->("https://$here/",
             qr{/1/speaks must be one of aee, vcp, vcp2, c2a, channel},
             bob => { speaks => 'moq' });
    $check->("https://$here/", qr{"parley_deliver" needs a location "/_x"},
             deliver => "parley_deliver /_x hosts=$here;");
    $check->("https://$here/", qr{needs hosts=},
             deliver => 'parley_deliver /_deliver max=3;');
    $check->("https://$here/", qr{"hosts=a..b" is not a list of hosts and ports},
             deliver => 'parley_deliver /_deliver hosts=a..b;');
    $check->("https://$here/", qr{"max=0" is not in the range; expected 1 to 1024},
             deliver => "parley_deliver /_deliver hosts=$here max=0;");
    $check->("https://$here/", qr{"retries=9" is unknown},
             deliver => "parley_deliver /_deliver hosts=$here retries=9;");
    $check->("https://$here/", qr{expected the URI},
             deliver => "parley_deliver _deliver hosts=$here;");
};


my ($p2, $p3) = (port(2), port(3));
my $hidden = Parley::Upstream->start($p3, undef, tls => 1);
my $nginx = Parley::Nginx->start(workers => 2, http => http(of => {
    alice => { parent => 'carol', deliver => "https://$here/alice" },
    bob => { deliver => "https://private.test:$p3/bob" },
    carol => { deliver => "https://$here/carol" },
    dave => { deliver => "https://none.test:$p2/dave" },
}));
my $status = Parley::Status->new(port => port(1));


sub say {
    my ($m, %o) = @_;

    my ($as) = $m->{sender} =~ m{/(\w+)$};

    return submit($m, as => $as, uri => '/vcp/in', %o);
}

sub name { "agent://ops.example/$_[0]" }

my $told_last;


subtest 'VCP-21 a name that leads to an address of this network is refused' => sub {
    $peer->clear;

    is(say(vcp(sender => name('carol'), recipient => name('bob')))->{status},
       200);
    ok($nginx->wait_for(qr/given up: the peer.s host has an address of the gateway.s network/),
       'it is given up, and said');
    is($hidden->count, 0, 'nothing came');

    is(say(vcp(sender => name('bob'), recipient => name('dave')))->{status},
       200);
    ok($nginx->wait_for(qr/"none.test" could not be resolved/), 'no such name');
    ok($nginx->wait_for(qr/to be delivered again: the peer did not answer/),
       'which is tried again');
};


subtest 'HUB-09 the parent is told of an undelivered critical escalation' => sub {
    my $m = with(escalation(severity => 'critical', requires_ack => true),
                 recipient => name('carol'));
    my $carol = listen_to('carol', uri => '/vcp/stream/');

    $carol->leave;
    sleep 0.3;

    $peer->clear;
    $peer->script('$c->answer(403, [], jcs({ status => "rejected", '
                  . 'code => "key-unknown", message => "no such key" }))');

    my $before = $status->metric('parley_jobs_ended_total{how="refused"}');

    is(say($m)->{status}, 200);
    ok($peer->wait_for(1), 'the parent is asked, and refuses');
    is($peer->last->{json}{message_id}, $m->{message_id});
    ok($nginx->wait_for(qr/message: status 403, key-unknown, .*"alice"/),
       'it is said, and what the peer says');

    # the report comes before the state has ended the job

    my $refused;
    my $until = time + 10;

    do {
        $refused = $status->metric('parley_jobs_ended_total{how="refused"}');
    } while ($refused == $before && time < $until && sleep 0.05);

    is($refused, $before + 1, 'and counted');

    my ($line) = grep { $_->{event} eq 'delivery'
                        && $_->{id} eq $m->{message_id} }
                 map { from_json($_) } split /\n/, slurp("$dir/audit.jsonl");

    is_deeply([@$line{qw(principal recipient outcome attempts)}],
              ['alice', 'carol', 'refused', 1], 'OPS-06 the audit log has it');

    # in her mailbox, for a client that resumes

    my $epoch = $carol->opened->{id} =~ s/\..*//r;
    my $again = listen_to('carol', uri => '/vcp/stream/', last => "$epoch.0");
    my @ids;

    while (my $event = $again->event) {
        next if !$event->{json};
        push @ids, $event->{json};
        $told_last = $event->{id};
        last if $event->{json}{payload}{reason} =~ /undelivered/;
    }

    my $told = $ids[-1];

    is($told->{type}, 'escalation', 'an escalation');
    is($told->{sender}, 'service://parley', 'of the gateway');
    is($told->{recipient}, name('carol'));
    is($told->{payload}{severity}, 'warning');
    is($told->{payload}{requires_ack}, JSON::PP::false);
    is($told->{payload}{reason}, "undelivered: critical $m->{message_id} of "
       . name('alice') . ' to ' . name('carol') . ': the peer refused the message');
    ok($told->{signature}, 'signed');
    $again->leave;
    sleep 0.5;
    is($peer->count, 1, 'the URL that refused is not asked again');
};


subtest 'VCP-21 the parent is told of an undelivered critical AEE message' => sub {
    my $m = aee(to => 'agent.carol', intent => 'vcp.escalation',
                payload => escalation(severity => 'critical',
                                      requires_ack => true)->{payload});

    $peer->script('$c->answer(403)');
    is(submit($m, as => 'alice', uri => '/vcp/in')->{status}, 202);
    ok($nginx->wait_for(qr/undelivered.*"$m->{id}"/), 'it is refused');

    my $carol = listen_to('carol', uri => '/vcp/stream/', last => $told_last);
    my $told;

    while (my $event = $carol->event(3)) {
        next if !$event->{json};
        $told = $event->{json};
        last if $told->{payload}{reason} =~ /undelivered/;
    }

    like($told->{payload}{reason}, qr/^undelivered: critical /,
         "the sender's parent");
    $carol->leave;
    sleep 0.3;
};


subtest 'HUB-09 a parent with only a VCP name is told too' => sub {
    ok($nginx->reload(workers => 1, http => http(
        of => { alice => { parent => 'carol' },
                carol => { deliver => "https://$here/carol", aee => undef,
                           c2a => undef } })), 'reloaded');

    my $carol = listen_to('carol', uri => '/vcp/stream/');
    my $place = $carol->opened->{id};

    $carol->leave;
    sleep 0.3;
    $peer->clear;
    $peer->script('$c->answer(403)');

    my $m = with(escalation(severity => 'critical', requires_ack => true),
                 recipient => name('carol'));

    is(say($m)->{status}, 200);
    ok($peer->wait_for(1), 'the parent is asked, and refuses');
    ok($nginx->wait_for(qr/message: status 403, att.*"$m->{message_id}"/));

    $carol = listen_to('carol', uri => '/vcp/stream/', last => $place);
    is($carol->event->{json}{message_id}, $m->{message_id}, 'what it missed');

    my $told = ($carol->event // {})->{json};

    is($told->{payload}{reason}, "undelivered: critical $m->{message_id} of "
       . name('alice') . ' to ' . name('carol') . ': the peer refused the message');

    is($told->{sender}, 'service://parley', 'by the gateway');
    is($told->{recipient}, name('carol'));
    ok($told->{signature}, 'signed');
    $carol->leave;

    ok($nginx->reload(workers => 1, http => http(
        of => { alice => { parent => 'carol' },
                carol => { deliver => "https://$here/carol" } })), 'reloaded');
};


subtest 'HUB-07 a late answer goes to its asker\'s URL' => sub {
    $peer->script(undef);
    $peer->clear;

    my $task = aee(type => 'task', from => 'agent.carol', to => 'agent.alice',
                   requires => undef);
    my $alice = listen_to('alice', uri => '/aee/stream/');

    my $r = submit($task, as => 'carol', uri => '/vcp/in');
    is($r->{status}, 202, 'a task of somebody without a stream is taken')
        or diag $r->{body};
    is($alice->event->{json}{id}, $task->{id}, 'it comes by the stream');

    my $result = result($task, from => 'agent.alice', to => 'agent.carol');

    is(submit($result, as => 'alice', uri => '/vcp/in')->{status}, 202);
    ok($peer->wait_for(1), 'the result comes by the URL');
    is($peer->last->{json}{id}, $result->{id});
    is($peer->last->{json}{reply_to}, $task->{id});
};


subtest 'VCP-22 a reader that rules deny is left out of a broadcast' => sub {
    ok($nginx->reload(workers => 1, http => http(
        of => { alice => {}, bob => { deliver => "https://$here/bob",
                                      handle => undef },
                carol => { deliver => "https://$here/carol", parent => 'bob' },
                dave => { deliver => "https://$here/dave" } },
        locations => <<"EOT")), 'reloaded');
        location /vcp/in { parley_jwt on; parley_submit vcp;
                           parley_deny to=agent.dave;
                           parley_allow to=broadcast; }
        location = /_deliver { internal; proxy_pass \$parley_deliver_url; }
EOT

    $peer->clear;

    my $m = vcp(sender => name('alice'), recipient => 'broadcast');
    is(say($m)->{status}, 200);
    ok($peer->wait_for(1), 'it comes');
    sleep 1;
    is_deeply([map { $_->{uri} }
               grep { $_->{json}{message_id} eq $m->{message_id} }
               $peer->requests], ['/bob'],
              'to who has the same parent, and is not denied');

    is(say(vcp(sender => name('bob'), recipient => name('alice')))->{status},
       403, 'to=broadcast allows nothing else');
};


subtest 'HUB-06 VCP for a URL has the context of the location that posts' => sub {
    # a worker of the configuration before could still deliver
    my $left = $nginx->logged(qr/exited with code 0/);

    ok($nginx->reload(workers => 1, http => http(
        of => { bob => { deliver => "https://$here/bob", speaks => 'vcp' } },
        locations => <<"EOT")), 'reloaded');
        location /in { parley_jwt on; parley_submit aee; }
        location = /_deliver {
            internal;
            proxy_pass \$parley_deliver_url;
            parley_vcp_context ctx|posted;
            parley_vcp_constitution creed://a/posted\@1;
        }
EOT

    for (1 .. 200) {
        last if $nginx->logged(qr/exited with code 0/) > $left;
        select undef, undef, undef, 0.05;
    }

    $peer->clear;

    my $m = aee(type => 'event', intent => 'vcp.context_share', payload => {});

    is(submit($m, as => 'alice', uri => '/in')->{status}, 202, 'taken');
    ok($peer->wait_for(1), 'it comes');
    is_deeply($peer->last->{json}{payload},
              { context => 'ctx|posted',
                constitution_ref => 'creed://a/posted@1' },
              'with the values of that location');
};


my ($verified) = parley_try('audit', 'verify', "$dir/audit.jsonl");
is($verified, 0, 'OPS-06 the audit log is whole');

ok(!$nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 'nothing else is wrong');

done_testing;
