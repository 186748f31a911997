# ACH-30: a principal with several instruments: the one that drafts, and its
# effect on filters, scopes, answers and the roster.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(port spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Tool;
use Parley::Verbs qw(tool_text);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    jwt => '',
    more => 'parley_retain count=100 time=1h; parley_jwt on failures=off;'
          . ' parley_claims instrument=instrument;',
    identities => streams_identities(
        alice => { instrument => undef,
                   instruments => ['~cc-desk@1', '~cc-pad'] },
        carol => { instruments => ['~cc-pad@3', '~ide'] },
        dave => { instrument => undef }),
    locations => <<'EOT'));
        location = /aee { parley_submit aee; }
        location /aee/stream { parley_stream aee; }
        location /roster/ { parley_roster channel; }
        location = /mcp { parley_mcp channel hold=2s; }
EOT

my $client = Parley::Client->new(port => port(1), tls => 0);


# Returns the token of a session with an instrument.
sub by {
    my ($name, $instrument) = @_;

    return bearer($name, defined $instrument ? (instrument => $instrument)
                                             : ());
}


sub refused {
    my $answer = shift;

    return "$answer->{status} " . ($answer->{json}{code} // '')
           . ' ' . ($answer->{json}{field} // '');
}


# ---- the instrument that drafts

subtest 'ACH-30 ACH-10: a frame of each listed instrument' => sub {
    my %taken = (alice => ['~cc-desk@1', '~cc-desk', '~cc-desk@9', '~cc-pad',
                           '~cc-pad@2'],
                 carol => ['~cc-carol@1.0', '~cc-pad', '~ide@1']);

    for my $name (sort keys %taken) {
        is(submit(frame($name, 'bob', drafted_with => $_))->{status}, 200,
           "$name with $_") for @{ $taken{$name} };
    }

    is(refused(submit(frame('alice', 'bob', drafted_with => $_))),
       '403 sender-identity-mismatch /drafted_with', "alice with $_")
        for '~cc-alice', '~cc-bob@1.0', '~cc-des', '~cc-desks';
    is(refused(submit(frame('alice', 'bob', drafted_with => '~ide'))),
       '400 field-invalid /drafted_with', 'of no tier');
};


subtest 'ACH-30 ACH-10: the instrument in a token' => sub {
    my $post = sub {
        my ($name, $claim, $drafts) = @_;

        return refused(submit(frame($name, 'bob', drafted_with => $drafts),
                              token => by($name, $claim)));
    };

    my $mismatch = '403 sender-identity-mismatch /drafted_with';

    is($post->('alice', '~cc-pad@2', '~cc-pad@2'), '200  ', 'listed');
    is($post->('alice', '~cc-pad@2', '~cc-desk@1'), $mismatch,
       'and no other of the principal');
    is($post->('dave', '~cc-new@1', '~cc-new@1'), '200  ', 'none is listed');
    is($post->('dave', '~cc-new@1', '~cc-dave'), $mismatch);
    is($post->('dave', undef, '~cc-dave'), '200  ', 'its own, without any');
    is($post->('bob', '~cc-new@1', '~cc-new@1'), '200  ', 'another is listed');
    is($post->('bob', '~cc-desk', '~cc-desk'),
       '401 token-invalid instrument', "another principal's");
    is($post->('bob', 'cc-new', '~cc-new'), '401 token-invalid instrument',
       'not a handle');
};


# ---- the sessions that get a frame

# Returns the drafted_with of the next frame of the stream.
sub drafted {
    my $event = $_[0]->event // return 'none';

    return $event->{json}{drafted_with} // $event->{data};
}


# Publishes for each session of alice; dave's frame is the last one, for no
# filter.
sub publish {
    my $code = shift;

    $code->('~cc-desk@1');
    $code->('~cc-pad');
    is(submit(frame('dave', 'bob', drafted_with => '~cc-dave'))->{status},
       200, 'the last one');
}


for my $way (
    ['a frame' => sub {
        is(submit(frame('alice', 'bob', drafted_with => $_[0]))->{status},
           200, "by $_[0]");
    }],
    ['a frame of a session' => sub {
        is(submit(frame('alice', 'bob', drafted_with => $_[0]),
                  token => by('alice', $_[0]))->{status}, 200, "by $_[0]");
    }],
    ['an AEE event of a session' => sub {
        is($client->post('/aee', jcs(aee(type => 'event', to => 'agent.bob',
               intent => 'notes.read')),
               Authorization => by('alice', $_[0]))->{status}, 202,
           "by $_[0]");
    }],
    ['a tool of a session' => sub {
        is($client->post('/mcp', tool_text('agent_advise',
               recipient_handle => '~bob',
               payload => { advisory_text => 'x' }),
               Authorization => by('alice', $_[0]),
               Accept => 'application/json, text/event-stream',
               'Content-Type' => 'application/json')->{status}, 200,
           "by $_[0]");
    }])
{
    my ($what, $code) = @$way;

    subtest "ACH-30 ACH-22: tool: and $what" => sub {
        my %streams = map { $_ => listen_to('bob', session => $_,
            filter => "tool:$_,tool:$_") } qw(cc-desk cc-pad cc-dave);
        my $all = listen_to('bob', session => 'all');

        publish($code);

        is(drafted($streams{'cc-desk'}), '~cc-desk@1', 'the first');
        is(drafted($streams{'cc-pad'}), '~cc-pad', 'the other');
        is(drafted($streams{'cc-dave'}), '~cc-dave', 'no more of them');
        is_deeply([map { drafted($all) } 1 .. 3],
                  ['~cc-desk@1', '~cc-pad', '~cc-dave'], 'all of them');

        $_->leave for values %streams, $all;
    };
}


subtest 'ACH-30: without an instrument in the token the first one drafts' => sub {
    my $bob = listen_to('bob', session => 'one');

    $client->post('/aee', jcs(aee(type => 'event', to => 'agent.bob',
                                  intent => 'notes.read')),
                  Authorization => by('alice'));
    is(drafted($bob), '~cc-desk@1', 'of the list');

    $client->post('/aee', jcs(aee(type => 'event', from => 'agent.carol',
                                  to => 'agent.bob', intent => 'notes.read')),
                  Authorization => by('carol'));
    is(drafted($bob), '~cc-carol@1.0', 'instrument goes before instruments');

    $bob->leave;
};


# ---- sessions

subtest 'ACH-30 ACH-25: the roster has the instrument of a session' => sub {
    my @streams = (
        listen_to('alice', session => 's1', token => by('alice', '~cc-pad@2')),
        listen_to('alice', session => 's2', token => by('alice',
                                                        '~cc-desk@1')),
        listen_to('alice', session => 's3'));
    my $roster = $client->get('/roster/~alice',
                              Authorization => by('alice'))->{json};

    is_deeply([map { [@$_{qw(session instrument)}] } @{ $roster->{sessions} }],
              [['s1', 'cc-pad'], ['s2', 'cc-desk'], ['s3', 'cc-desk']]);

    $_->leave for @streams;
};


subtest 'ACH-30: an answer reaches the session that asked' => sub {
    my $desk = listen_to('alice', session => 'a',
                         token => by('alice', '~cc-desk@1'));
    my $pad = listen_to('alice', session => 'a2',
                        token => by('alice', '~cc-pad'));
    my $bob = listen_to('bob', session => 'b');

    my $query = frame('alice', 'bob', kind => 'agent_query',
        drafted_with => '~cc-pad',
        payload => { query_id => uuid4(), query_text => 'which?',
                     response_scope => '~alice/cc-pad@a2',
                     timeout_ms => 60_000 });

    is(submit($query, token => by('alice', '~cc-pad'))->{status}, 200);
    is(drafted($bob), '~cc-pad', 'bob sees which one asks');

    my $answer = submit(frame('bob', 'alice', kind => 'agent_response',
        payload => { query_id => $query->{payload}{query_id},
                     responder_session_id => 'b', response_text => 'this' }),
        scope => '~alice/cc-pad@a2');

    is($answer->{status}, 200) or diag($answer->{body});
    is(($pad->event // {})->{json}{payload}{response_text}, 'this', 'that one');

    submit(frame('bob', 'alice', text => 'to all'));
    is($desk->event->{json}{payload}{advisory_text}, 'to all', 'no other');

    $_->leave for $desk, $pad, $bob;
};


# ---- the file

subtest 'ACH-30 GW-28: errors in a list of instruments' => sub {
    my $told = sub {
        my $path = spew(tmp_dir() . '/tools.json', "{\"principals\": [\n"
            . join(",\n", map { jcs($_) }
                   { sub => 'x', aee => 'agent.cc-x' }, @_) . "\n]}\n");
        my ($status, undef, $err) = tool({ in => jcs(aee()) }, 'translate',
            '--to', 'c2a', '--identities', $path);

        return $err;
    };

    like($told->({ sub => 'a', instruments => ['~cc-a', 'cc-b'] }),
         qr{line 3: .*/principals/1/instruments/1: });
    like($told->({ sub => 'a', instruments => '~cc-a' }),
         qr{line 3: .*/principals/1/instruments: });
    like($told->({ sub => 'a', instruments => ['~cc-a', '~cc-x@1'] }),
         qr{line 3: .*/principals/1/instruments: .*"~cc-x\@1".*\(line 2\)$});
    unlike($told->({ sub => 'a', instruments => ['~cc-m'] },
                   { sub => 'b', instruments => ['~cc-n', '~cc-m@2'] }),
           qr/principals/, 'two have one model');
};


done_testing;
