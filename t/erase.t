# ACH-28: retained messages: their time, their readers, and their deletion.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

sub http {
    return streams_http(
        more => "parley_retain count=600 time=$_[0];"
                . ' parley_self service.parley;',
        locations => <<'EOT');
        location = /aee { parley_jwt on;
                          parley_window 10m receiver=$http_x_receiver;
                          parley_submit aee vcp; }
EOT
}

my $nginx = Parley::Nginx->start(workers => 2, http => http('1h'));
my $client = Parley::Client->new(port => port(1), tls => 0);


# Deletes messages; returns {status, json}.
sub erase {
    my ($who, $of, %o) = @_;

    my $args = join '&', map { "$_=$o{$_}" } grep { $_ ne 'uri' } sort keys %o;

    return $client->send('DELETE', "/channel/stream/~$of"
                                   . ($args ? "?$args" : ''), '',
                         $who ? (Authorization => bearer($who)) : ());
}


sub erased {
    my $answer = erase(@_);

    return $answer->{json}{erased} // $answer->{json}{code}
           // $answer->{status};
}


# Returns the place of a handle's log.
sub place {
    my $stream = listen_to($_[0], session => 'place');

    my $id = $stream->opened->{id};

    $stream->leave;

    return $id;
}


# Returns the texts of the messages after a place.
sub kept {
    my ($who, $place, $n) = @_;

    my $stream = listen_to($who, session => 'kept', last => $place);
    my @events = $stream->events($n, 1);

    push @events, $stream->event(0.3) // ();
    $stream->leave;

    return [texts(@events)];
}


sub sends {
    my ($from, $to, @texts) = @_;

    return map { my $frame = frame($from, $to, text => $_);
                 is(submit($frame)->{status}, 200);
                 $frame->{frame_id} } @texts;
}


subtest 'ACH-28: the recipient deletes an event' => sub {
    my $place = place('alice');
    my ($epoch, $offset) = split /\./, $place;

    sends('bob', 'alice', qw(a b c));

    my $second = "$epoch." . ($offset + 2);

    is(erased('alice', 'alice', event => $second), 1);
    is_deeply(kept('alice', $place, 2), [qw(a c)], 'it is not resumed to');
    is(erased('alice', 'alice', event => $second), 0, 'gone is gone');
    is(erased('alice', 'alice', event => "$epoch." . ($offset + 99)), 0,
       'that is none yet');
    is(erased('alice', 'alice', event => 'ffffffffffff.1'), 0,
       'of a log that was');
    is_deeply(kept('alice', $place, 2), [qw(a c)], 'and nothing else');
};


subtest 'ACH-28: the recipient deletes all events' => sub {
    my $place = place('alice');

    # two are left from before; with 560 messages a state that answers later
    # needs more time than a message waits for it
    sends('bob', 'alice', map { "n$_" } 1 .. 560);

    is(erased('alice', 'alice', all => 1), 562, 'by one request');
    is_deeply(kept('alice', $place, 0), []);
    is(erased('alice', 'alice', all => 1), 0);

    my $stream = listen_to('alice');

    sends('bob', 'alice', 'later');
    is_deeply([texts($stream->event)], ['later'], 'what comes then comes');
};


subtest 'ACH-28: only its sender deletes a message to another' => sub {
    my $place = place('carol');
    my ($first) = sends('alice', 'carol', qw(a1 a2));
    my ($other) = sends('bob', 'carol', 'b1');

    is(erased('dave', 'carol', all => 1), 0, 'nothing of his');
    is(erased('dave', 'carol', id => $first), 0);
    is(erased('alice', 'carol', id => $other), 0);
    is(erased('alice', 'carol', id => $first), 1);
    is_deeply(kept('carol', $place, 2), [qw(a2 b1)]);
    is(erased('alice', 'carol', all => 1), 1, 'the rest of hers');
    is_deeply(kept('carol', $place, 1), ['b1']);
};


subtest 'ACH-28: only the sender deletes a message to an organisation, for all' => sub {
    my %place = map { $_ => place($_) } qw(alice bob);
    my $frame = frame('alice', 'acme', recipient_handle => '~acme',
                      text => 'to all');

    is(submit($frame, scope => 'org:~acme/members/*')->{status}, 200);
    is(erased('bob', 'bob', all => 1), 0, 'a member cannot');
    is_deeply(kept('alice', $place{alice}, 1), ['to all']);
    is(erased('alice', 'bob', id => $frame->{frame_id}), 1);
    is_deeply(kept('alice', $place{alice}, 0), [], 'gone for everybody');
};


subtest 'ACH-28 VCP-22: only the sender deletes a broadcast, for all' => sub {
    my %place = map { $_ => place($_) } qw(bob carol);
    my $m = vcp(recipient => 'broadcast');
    my $kept = sub {
        my ($text) = @{ kept($_[0], $place{$_[0]}, 1) };

        return $text // '';
    };

    is(submit($m, uri => '/aee', as => 'alice')->{status}, 200);
    is(erased('bob', 'bob', all => 1), 0, 'one of them cannot');
    like($kept->($_), qr/$m->{message_id}/, "$_ has it") for qw(bob carol);
    is(erased('alice', 'bob', id => $m->{message_id}), 1);
    is($kept->($_), '', "$_ has it no longer") for qw(bob carol);
};


subtest 'ACH-28: aee.context.fetch does not return it either' => sub {
    my $stream = listen_to('alice');
    my $note = aee(type => 'event', intent => 'ops.note');

    is(submit($note, uri => '/aee', as => 'alice')->{status}, 202);

    my $fetch = sub {
        submit(aee(to => 'service.parley', intent => 'aee.context.fetch',
                   payload => { id => $note->{id} }),
               uri => '/aee', as => 'alice')->{json};
    };

    is($fetch->()->{type}, 'result', 'retained');
    is(erased('alice', 'bob', id => $note->{id}), 1);
    is($fetch->()->{type}, 'error');
    is($fetch->()->{payload}{code}, 'E_NOT_FOUND');
};


# a state that answers later stores the message after its delivery
subtest 'ACH-28: also if it is deleted right after its delivery' => sub {
    my $stream = listen_to('bob');
    my (@notes, @left);

    for (1 .. 20) {
        my $note = aee(type => 'event', intent => 'ops.note');
        my $asked = $client->begin('/aee', jcs($note),
                                   Authorization => bearer('alice'),
                                   'Content-Type' => 'application/json');

        $stream->event;
        is(erased('bob', 'bob', id => $note->{id}), 1);
        is($asked->answer->{status}, 202);
        push @notes, $note->{id};
    }

    for my $id (@notes) {
        my $answer = submit(aee(to => 'service.parley',
                                intent => 'aee.context.fetch',
                                payload => { id => $id }),
                            uri => '/aee', as => 'alice');

        push @left, $id if $answer->{json}{type} ne 'error';
    }

    is_deeply(\@left, [], 'nothing is left');
    $stream->leave;
};


subtest 'ACH-28 AEE-25: an id that went to two recipients is deleted for one' => sub {
    my $note = aee(type => 'event', intent => 'ops.note');
    my $fetch = sub {
        submit(aee(to => 'service.parley', from => "agent.$_[0]",
                   intent => 'aee.context.fetch',
                   payload => { id => $note->{id} }),
               uri => '/aee', as => $_[0])->{json};
    };
    my $to = sub { $fetch->($_[0])->{payload}{envelope}{to} };

    for my $to (qw(bob carol)) {
        is(submit({ %$note, to => "agent.$to" }, uri => '/aee', as => 'alice',
                  headers => ['X-Receiver' => $to])->{status}, 202, "to $to");
    }

    is($to->('bob'), 'agent.bob', 'bob may fetch his');
    is($to->('carol'), 'agent.carol', 'and carol hers');
    is(erased('alice', 'bob', id => $note->{id}), 1);
    is($fetch->('bob')->{payload}{code}, 'E_NOT_FOUND', 'his is gone');
    is($to->('carol'), 'agent.carol', 'hers is not');
    is($to->('alice'), 'agent.carol', 'for who sent it neither');
    is(erased('carol', 'carol', id => $note->{id}), 1);
    is($fetch->('alice')->{payload}{code}, 'E_NOT_FOUND');
};


subtest 'ACH-28: refused deletions' => sub {
    is(erase('', 'alice')->{status}, 401, 'nobody');
    is(erase('alice', 'alice', event => 'x')->{json}{field}, 'event');
    is(erase('alice', 'alice', event => 'x')->{status}, 400);

    my $place = place('alice');

    sends('bob', 'alice', 'stays');

    is(erase('alice', 'alice', all => 1, evnt => '1')->{json}{field}, 'evnt',
       'what is misspelt is not everything');

    for my $args ({}, { event => '' }, { id => '' }, { all => 0 }) {
        my $answer = erase('alice', 'alice', %$args);

        is($answer->{status}, 400, 'says nothing of what: ' . jcs($args));
        is($answer->{json}{field}, 'event');
    }

    is_deeply(kept('alice', $place, 1), ['stays'], 'and deletes nothing');

    my $put = $client->send('PUT', '/channel/stream/~alice', '',
                            Authorization => bearer('alice'));

    is($put->{status}, 405);
    is($put->{headers}{allow}, 'GET, DELETE');
};


subtest 'ACH-28: the horizon is kept' => sub {
    $nginx->stop;
    $nginx = Parley::Nginx->start(workers => 2, http => http('1s'));

    my $place = place('alice');

    sends('bob', 'alice', 'old');
    sleep 1.5;

    my $stream = listen_to('alice', session => 'late', last => $place);
    my $event = $stream->event;

    is($event->{event}, 'gap', 'it is gone, and told');
    ok(!$stream->event(0.5));
};

is(scalar(grep { /\[(?:alert|emerg|crit)\]/ } split /\n/, $nginx->error_log),
   0, 'nothing alarming');

$nginx->stop;

done_testing;
