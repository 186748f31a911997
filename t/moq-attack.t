# One agent of MoQ sends octets by chance, made from valid messages, streams and
# frames, while another works.  No process ends, and the other gets its own
# answers alone.  PARLEY_TEST_SEED repeats a run, SOAK_TIME makes it longer.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(time);

use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;
use Parley::Random;

plan skip_all => moq_lacks() if moq_lacks();

my $seed = $ENV{PARLEY_TEST_SEED} // 5;
my $until = time + ($ENV{SOAK_TIME} // 8);
my $r = Parley::Random->new($seed);

my $nginx = Parley::Nginx->start(workers => 2, http => moq_http(
    more => 'parley_retain count=100 time=1h; parley_replay size=1m;'));
my $moq = Parley::Moq->new;
my $number = 0;

my $planner = $moq->connect('planner', token => undef);
my $viewer = $moq->connect('viewer', token => undef);

ok($planner->init, 'an agent that sends');
ok($viewer->init, 'an agent that reads');
is($viewer->subscribe($viewer->{mailbox})->{message}, 'SUBSCRIBE_OK',
   'its mailbox');


sub vi {
    my $n = shift;

    return pack 'Q>', 3 << 62 | $n if $n >= 1 << 30;
    return pack 'N', 2 << 30 | $n if $n >= 1 << 14;
    return pack 'n', 1 << 14 | $n if $n >= 1 << 6;
    return pack 'C', $n;
}

sub counted { return vi(length $_[0]) . $_[0] }
sub control { return vi(shift) . pack 'n/a*', join '', @_ }

my $space = vi(2) . counted('a2a') . counted('camera');
my $gateway = vi(2) . counted('a2a') . counted('parley');
my $session = "\x01\x02\x03\x04\x05\x06\x07\x08";
my $init = sub { frame_octets(jcs({ action => 'session_init',
    session_id => 's1', auth_token => moq_token('camera') }),
    session => $session, stream => 1) };
my $cmd = frame_octets(jcs({ action => 'zoom', session_id => 's1',
    aee => { recipient => 'viewer' } }), session => $session, stream => 2);

# octets of the control stream, of request streams, of data streams
my @control = (
    control(0x1d, vi(0), $space, counted('camera.0.cmd'), vi(1), vi(0)),
    control(0x06, vi(0), $space, vi(0)),
    control(0x03, vi(0), $gateway, counted('parley.s1.cmd'), vi(2),
            "\x10\x01", "\x11\x04\x04\x01\x02\x03"),
    control(0x16, vi(0), vi(1), $gateway, counted('camera.0.mailbox'), vi(0),
            vi(0), vi(1), vi(0), vi(0)),
    control(0x16, vi(0), vi(2), vi(0), vi(1), vi(0)),
    control(0x02, vi(2), vi(0), vi(1), "\x10\x00"),
    control(0x0d, vi(0), $gateway, counted('x'), vi(0)),
    control(0x15, vi(4000)), control(0x1a, vi(1)), control(0x10, vi(0)),
    control(0x0a, vi(0)), control(0x0b, vi(0), vi(2), vi(1), counted('x')),
    control(0x1e, vi(1), vi(1), "\x10\x01"), control(0x07, vi(1), vi(0)),
    control(0x05, vi(1), vi(1), vi(0), counted('no')),
);
my @request = (control(0x11, vi(0), vi(1), counted('a2a'), vi(1), vi(0)));
my @data = map {
    my $frame = $_;

    sub {
        my $octets = ref $frame ? $frame->() : $frame;

        return ("\x18\x01\x00\x80\x00" . counted($octets),
                "\x1d\x01\x05\x00\x80\x00\x02\x3e\x00" . counted($octets))
               [$r->below(2)];
    }
} ($init, $cmd, frame_octets('', type => 4, session => $session),
   frame_octets(substr($cmd, 21, 40), session => $session, stream => 9,
                flags => 4));


# Changes some octets, or none.
sub changed {
    my $octets = shift;

    for (1 .. $r->below(4)) {
        my $at = $r->below(length($octets) + 1);
        my $how = $r->below(4);

        substr $octets, $at, $how == 0 ? 0 : 1,
               $how == 1 ? '' : chr $r->below(256) if $at < length $octets;
    }

    return $octets;
}


sub attack {
    my $c = shift;

    # mostly a session that exists
    $c->octets($control[0]);
    $c->do('open', octets => $data[0]->(), fin => 1) if $r->below(4);

    for (1 .. 1 + $r->below(12)) {
        my $kind = $r->below(10);

        if ($kind < 4) {
            $c->octets(changed($control[$r->below(scalar @control)]));
        } elsif ($kind < 8) {
            my $as = 'd' . ++$number;
            my $end = $r->below(3);

            $c->do('open', as => $as, octets => changed(
                   $data[$r->below(scalar @data)]->()), fin => $end == 0);
            $c->do('reset', stream => $as, code => 1) if $end == 1;
        } elsif ($kind == 8) {
            $c->do('open', kind => 'bidi', octets => changed($request[0]),
                   fin => $r->below(2));
        } else {
            $c->octets(join '', map { chr $r->below(256) }
                                1 .. 1 + $r->below(40));
        }
    }
}


my ($rounds, $attacks, $right, %ends) = (0, 0, 0);

while (time < $until || $rounds < 3) {
    my @attackers = map { $moq->connect('camera#' . ++$number) } 1 .. 15;

    attack($_) for @attackers;

    my $text = "round $rounds";
    my $answer = $planner->call({ action => 'note',
                                  aee => { recipient => 'viewer' },
                                  payload => { text => $text } });
    my $got = $viewer->event('cmd', sub {
        my $payload = $_[0]{json}{payload};

        return ref $payload eq 'HASH' && ($payload->{text} // '') eq $text;
    });

    $right++ if $got && ($answer // {})->{json}{status} eq 'accepted';
    $attacks += @attackers;

    # the gateway closes those that break the protocol
    $moq->do('wait', seconds => 0.3, n => $rounds);
    $moq->wait(sub { $_[0]{event} eq 'waited' && $_[0]{n} == $rounds });

    for my $c (@attackers) {
        $ends{$c->closed(0) // 'open'}++;
        $r->below(2) ? $c->do('close') : $c->do('drop');
    }

    $rounds++;
}

is($right, $rounds, "each of $rounds messages arrived")
    or diag("seed $seed");
cmp_ok(scalar keys %ends, '>', 1, "$attacks attacks ended");
note(jcs(\%ends));

unlike($nginx->error_log, qr/\[alert\]|\[emerg\]|exited on signal/,
       'no process ended') or diag("seed $seed");
is(scalar(grep { $_->{event} eq 'malformed' } $moq->sync), 0,
   'the gateway sent no malformed octets');


done_testing();
