# The human that an agent acts for, and an agent that has a human's name.

use lib 't/lib';
use Parley::Test;
use Parley::Env qw(tmp_dir spew);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

my %matrix = matrix();

# zoe is a human.  deep, below mid, below top, acts for zoe: only the entry of
# top names her.  lost is below lone, and neither acts for a human.  desk is an
# instrument whose names are a human's; hop is that instrument, as the next
# gateway knows it.  kid is a child of zoe.  alma is a human with an
# instrument, and hand is her child.
spew(tmp_dir() . '/identities.json', jcs({ principals => [
    Parley::Matrix::principals(),
    { sub => 'zoe', aee => 'human.zoe', vcp => 'human://zoe',
      c2a => 'human:zoe', handle => '~zoe' },
    { sub => 'top', aee => 'agent.top', handle => '~top', human => 'zoe' },
    { sub => 'mid', aee => 'agent.mid', handle => '~mid', parent => 'top' },
    { sub => 'deep', aee => 'agent.deep', vcp => 'agent://deep',
      c2a => 'agent:deep', handle => '~cc-deep', parent => 'mid' },
    { sub => 'kid', aee => 'agent.kid', vcp => 'kid', c2a => 'agent:kid',
      keys => [public_jwk(person('kid')->{key})], parent => 'zoe' },
    { sub => 'lone', aee => 'agent.lone' },
    { sub => 'lost', aee => 'agent.lost', handle => '~cc-lost',
      parent => 'lone' },
    { sub => 'desk', aee => 'human.desk', vcp => 'human://desk',
      c2a => 'human:desk', handle => '~desk', instrument => '~cc-desk@1' },
    { sub => 'hop', aee => 'agent.cc-desk', c2a => 'agent:cc-desk',
      handle => '~cc-desk', human => '~desk', instrument => '~cc-desk@1' },
    { sub => 'alma', aee => 'human.alma', c2a => 'human:alma',
      handle => '~alma', instrument => '~cc-alma@1' },
    { sub => 'hand', parent => 'alma' },
] }));

sub main::by {
    my ($name, %frame) = @_;
    return query(sender_handle => "~$name", acted_by => "~$name",
                 drafted_with => "~cc-$name\@1", %frame);
}

sub main::acting {
    my ($name, $act) = @_;
    return bearer($name, act => $act);
}

# claims for principals that are not listed
$matrix{server} .= join '', map {
    location("/claims-$_", 'parley_accept channel aee; '
             . "parley_speak $_; parley_jwt on; parley_claims handle=handle "
             . 'instrument=instrument aee=aee;') } qw(aee c2a);

# Returns a frame of ~mal, whose token claims this instrument.
sub main::claims {
    my ($uri, $instrument, %o) = @_;
    my %frame = %{ $o{frame} // {} };
    my %claims = %{ $o{claims} // {} };
    return submit($uri, '~cc-bob',
                  query(sender_handle => '~mal', acted_by => '~mal',
                        drafted_with => $instrument, %frame),
                  token => bearer('mallory', handle => '~mal',
                                  aee => 'human.mal',
                                  instrument => $instrument, %claims));
}

with_gateway(%matrix);

# Answers as a service that agrees at once.
sub main::agreed {
    my ($c, $q) = @_;

    $c->answer(200, [], jcs({ jsonrpc => '2.0', id => $q->{json}{id}, result => {
        accepted => true(), disposition => 'acknowledged', message => {
            inReplyTo => $q->{json}{params}{eventId}, signal => 'agree' } } }));
}

run_tests();

__DATA__

=== TEST 1: ACH-10 GW-28 the human of an agent is found at any depth
--- send
post('/to-channel', aee(from => 'agent.deep', payload => { text => 'well?' }),
     as => 'deep')
--- service: took($c, $q)
--- error_code: 202
--- valid
service channel
--- got
/sender_handle = ~cc-deep
/acted_by = ~zoe
/drafted_with = ~cc-deep



=== TEST 2: ACH-10 also if an agent between them has its own handle
--- send
$::m = query(sender_handle => '~cc-deep', acted_by => '~zoe',
             drafted_with => '~cc-deep');
post('/to-channel', $::m, as => 'deep')
--- service: took($c, $q)
--- error_code: 200
--- got
/acted_by = ~zoe



=== TEST 3: ACH-10 SEC-06 the handle of that agent is not used
--- send
post('/to-channel', query(sender_handle => '~cc-deep', acted_by => '~top',
                          drafted_with => '~cc-deep'), as => 'deep')
--- refused: channel sender-identity-mismatch /acted_by



=== TEST 4: ACH-10 GW-03 an agent without a human acts for no human
--- send
post('/to-channel', aee(from => 'agent.lost', payload => { text => 'well?' }),
     as => 'lost')
--- refused: aee identity-unmappable /from
--- answer
/payload/message ~ neither as "human" nor as a "parent"$



=== TEST 5: GW-03 a human's own session speaks for the human
--- send
post('/to-aee', by('zoe'), as => 'zoe')
--- service: took($c, $q)
--- error_code: 200
--- got
/from = human.zoe
/payload/channel/acted_by = ~zoe
/payload/channel/drafted_with = ~cc-zoe@1
! /payload/channel/sender_handle
--- answer_headers
! Parley-Loss



=== TEST 6: GW-03 SEC-06 an instrument's frame does not become the human's own message
--- send
post('/to-aee', by('desk'), as => 'desk')
--- service: took($c, $q)
--- error_code: 200
--- valid
service aee
--- got
/from = agent.cc-desk
/payload/channel/sender_handle = ~desk
/payload/channel/acted_by = ~desk
/payload/channel/drafted_with = ~cc-desk@1
--- answer_headers
! Parley-Loss



=== TEST 7: GW-03 SEC-06 an instrument's frame does not become the human's own message in C2A
--- send
post('/to-c2a', by('desk'), as => 'desk')
--- service: took($c, $q)
--- error_code: 200
--- valid
service c2a
--- got
/params/author/id = cc-desk
/params/author/kind = agent
/params/content/1/members/sender_handle = ~desk
/params/content/1/members/acted_by = ~desk
/params/content/1/members/drafted_with = ~cc-desk@1
--- answer_headers
! Parley-Loss



=== TEST 8: GW-05 GW-03 the way back gives the frame its own sender
--- send
my $frame = by('desk');
service()->script('took($c, $q)');
Parley::Client->new(port => port(1))->raw(post('/to-aee', $frame,
                                               as => 'desk'));
$::id = $frame->{frame_id};
post('/to-channel', without(service()->last->{json}, 'sig'), as => 'hop')
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- valid
service channel
--- got
/kind = agent_query
/frame_id = ${id}
/sender_handle = ~desk
/acted_by = ~desk
/drafted_with = ~cc-desk@1



=== TEST 9: SEC-06 no principal can take another's name that way
--- send
my $frame = by('desk');
service()->script('took($c, $q)');
Parley::Client->new(port => port(1))->raw(post('/to-aee', $frame,
                                               as => 'desk'));
my $task = without(service()->last->{json}, 'sig');
$task->{payload}{channel}{sender_handle} = '~zoe';
post('/to-channel', $task, as => 'hop')
--- refused: aee sender-identity-mismatch /from
--- forwarded: 1



=== TEST 10: SEC-06 a principal that acts with a human's token is the author
--- send
post('/to-aee', by('zoe'), as => 'zoe',
     token => acting('zoe', { sub => 'alice' }))
--- service: took($c, $q)
--- error_code: 200
--- got
/from = agent.alice
/payload/channel/sender_handle = ~zoe
/payload/channel/acted_by = ~zoe



=== TEST 11: SEC-06 also if that principal is not listed
--- send
post('/to-c2a', by('zoe'), as => 'zoe',
     token => acting('zoe', { sub => 'robot' }))
--- service: took($c, $q)
--- error_code: 200
--- got
/params/author/id = robot
/params/author/kind = agent



=== TEST 12: SEC-06 also if the token does not name that principal
--- send
post('/to-aee', by('zoe'), as => 'zoe', token => acting('zoe', { sub => "a\nrobot" }))
--- service: took($c, $q)
--- error_code: 200
--- got
/from = agent.zoe



=== TEST 13: SEC-06 the answer to an instrument is for the name that it used
--- send
my $frame = by('desk');
service()->script('took($c, $q)');
Parley::Client->new(port => port(1))->raw(post('/to-aee', $frame,
                                               as => 'desk'));
post('/to-channel', result(service()->last->{json}, from => 'agent.bob',
                           to => 'agent.cc-desk',
                           payload => { text => 'I do' }), as => 'bob')
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- valid
service channel
--- got
/kind = agent_response
/recipient_handle = ~desk
/payload/response_text ~ ^I do\n



=== TEST 14: SEC-06 the same between other protocols, with losses reported
--- send
post('/to-c2a', aee(from => 'human.desk'), as => 'desk')
--- service: took($c, $q)
--- error_code: 202
--- got
/params/author/id = cc-desk
/params/author/kind = agent
--- answer_headers
Parley-Loss: request=/from



=== TEST 15: SEC-06 a human's own message stays the human's
--- send
post('/to-c2a', aee(from => 'human.zoe'), as => 'zoe')
--- service: took($c, $q)
--- error_code: 202
--- got
/params/author/id = zoe
/params/author/kind = human
--- answer_headers
! Parley-Loss



=== TEST 16: SEC-06 an unlisted principal cannot act for a listed one
--- send
post('/to-channel', query(sender_handle => '~zed', acted_by => '~lead',
                          drafted_with => '~cc-zed'), as => '~zed')
--- refused: channel sender-identity-mismatch /acted_by
--- forwarded: 0



=== TEST 17: SEC-06 an agent without a human cannot act for a listed one
--- send
post('/to-channel', query(sender_handle => '~cc-lost', acted_by => '~zoe',
                          drafted_with => '~cc-lost'), as => 'lost')
--- refused: channel sender-identity-mismatch /acted_by
--- forwarded: 0



=== TEST 18: SEC-06 an agent can act for itself
--- send
post('/to-channel', query(sender_handle => '~zed', acted_by => '~zed',
                          drafted_with => '~cc-zed'), as => '~zed')
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 1



=== TEST 19: SEC-06 a draft of another principal's instrument is refused
--- send
post('/to-channel', query(sender_handle => '~desk', acted_by => '~desk',
                          drafted_with => '~cc-hop@1'), as => 'desk')
--- refused: channel sender-identity-mismatch /drafted_with
--- forwarded: 0



=== TEST 20: SEC-06 another version of the own instrument passes
--- send
post('/to-channel', query(sender_handle => '~desk', acted_by => '~desk',
                          drafted_with => '~cc-desk@2'), as => 'desk')
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 1



=== TEST 21: SEC-06 a principal that acts with a human's token approves nothing
--- send
my $task = aee(from => 'agent.alice', to => 'human.zoe',
               requires => { human_approval => \1 });
[post('/to-c2a', $task),
 post('/to-aee', react('agree', inReplyTo => $task->{id}), as => 'zoe',
      token => acting('zoe', { sub => 'alice' }))]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- valid
service aee
--- got
/type = stream
/from = agent.alice
! /payload/approved
/payload/signal = agree
--- answer_headers
Parley-Loss: request=/params/arguments/signal



=== TEST 22: SEC-06 also with progress, and for an unlisted principal
--- send
my $task = aee(from => 'agent.alice', to => 'human.zoe',
               requires => { human_approval => \1 });
[post('/to-c2a', $task),
 post('/to-aee', react('working', inReplyTo => $task->{id}), as => 'zoe',
      token => acting('zoe', { sub => 'robot' }))]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- got
/type = stream
/from = agent.robot



=== TEST 23: SEC-06 an instrument with a human's name approves nothing either
--- send
my $task = aee(from => 'agent.alice', to => 'human.desk',
               requires => { human_approval => \1 });
[post('/to-c2a', $task),
 post('/to-aee', react('agree', inReplyTo => $task->{id}), as => 'desk')]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- got
/type = stream
/from = agent.cc-desk
! /payload/approved



=== TEST 24: SEC-06 a human's own session approves as the human
--- send
my $task = aee(from => 'agent.alice', to => 'human.zoe',
               requires => { human_approval => \1 });
[post('/to-c2a', $task),
 post('/to-aee', react('agree', inReplyTo => $task->{id}), as => 'zoe')]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 2
--- got
/type = result
/from = human.zoe
/payload/approved = true



=== TEST 25: SEC-06 VCP-25 such an instrument acknowledges no escalation as the human
--- send
my $m = { %{escalation(requires_ack => true())}, sender => 'kid',
          recipient => 'human://zoe' };
[post('/to-c2a', $m, as => 'kid'),
 post('/to-vcp', react('agree', inReplyTo => $m->{message_id}), as => 'zoe',
      token => acting('zoe', { sub => 'alice' }))]
--- service: took($c, $q)
--- refused: c2a reply-unmatched /params/arguments/inReplyTo
--- forwarded: 1



=== TEST 26: SEC-06 without a listed instrument an arbitrary one is refused
--- send
post('/to-channel', query(sender_handle => '~zed', acted_by => '~zed',
                          drafted_with => '~cc-hop@1'), as => '~zed')
--- refused: channel sender-identity-mismatch /drafted_with
--- forwarded: 0



=== TEST 27: SEC-06 an instrument that only begins with the sender's is refused
--- send
post('/to-channel', query(sender_handle => '~zed', acted_by => '~zed',
                          drafted_with => '~cc-zedd'), as => '~zed')
--- refused: channel sender-identity-mismatch /drafted_with



=== TEST 28: SEC-06 the sender's own instrument passes, in any version
--- send
post('/to-channel', query(sender_handle => '~zed', acted_by => '~zed',
                          drafted_with => '~cc-zed@9'), as => '~zed')
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 1



=== TEST 29: SEC-06 GW-03 a token cannot make another's handle its instrument
--- send
claims('/claims-aee', '~cc-alice@1.0')
--- refused: problem token-invalid
--- answer
/detail ~ belongs to another principal
--- forwarded: 0



=== TEST 30: SEC-06 GW-03 in no version, and to no protocol
--- send
claims('/claims-c2a', '~cc-alice')
--- refused: problem token-invalid
--- answer
/detail ~ belongs to another principal
--- forwarded: 0



=== TEST 31: SEC-06 GW-03 a token cannot make a human's handle its instrument
--- send
claims('/claims-aee', '~lead')
--- refused: problem token-invalid
--- answer
/detail ~ belongs to another principal
--- forwarded: 0



=== TEST 32: SEC-06 GW-03 a token cannot make another's listed instrument its own
--- send
claims('/claims-aee', '~cc-alma@2')
--- refused: problem token-invalid
--- answer
/detail ~ belongs to another principal
--- forwarded: 0



=== TEST 33: SEC-06 SEC-21 a token cannot make another's AEE name its instrument
--- send
claims('/claims-aee', '~cc-taken')
--- refused: problem sender-identity-mismatch
--- answer
/detail ~ derived from a name of another principal
--- forwarded: 0



=== TEST 34: SEC-06 GW-03 a token cannot make another's instrument its handle
--- send
claims('/claims-aee', '~cc-mal',
       claims => { handle => '~cc-alma' })
--- refused: problem token-invalid
--- answer
/detail ~ belongs to another principal
--- forwarded: 0



=== TEST 35: SEC-06 SEC-21 a token cannot make another's instrument its AEE name
--- send
claims('/claims-aee', '~cc-mal',
       claims => { aee => 'agent.cc-alma' })
--- refused: problem sender-identity-mismatch
--- answer
/detail ~ derived from a name of another principal
--- forwarded: 0



=== TEST 36: SEC-06 GW-03 the token's own instrument passes
--- send
claims('/claims-aee', '~cc-mal@1')
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 1
--- got
/from = agent.cc-mal



=== TEST 37: SEC-06 GW-03 an instrument of the same human passes
--- send
submit('/claims-aee', '~cc-bob',
       query(sender_handle => '~cc-hand', acted_by => '~alma',
             drafted_with => '~cc-alma@1'),
       token => bearer('hand', handle => '~cc-hand', aee => 'agent.hand',
                       instrument => '~cc-alma@1'))
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 1
--- got
/from = agent.hand



=== TEST 38: ACH-10 an agent without a human gets an error that names what is missing
--- send
post('/to-channel', query(sender_handle => '~cc-else', acted_by => '~else',
                          drafted_with => '~cc-else'), as => 'taken')
--- refused: channel sender-identity-mismatch /acted_by
--- answer
/message ~ "~cc-else" is not a human, .* neither as "human" nor among its parents$
--- forwarded: 0



=== TEST 39: SEC-06 SEC-08 VCP-25 an acknowledgment of its own is no approval either
--- send
my $m = { %{escalation(requires_ack => true())}, sender => 'kid',
          recipient => 'human://zoe' };
[post('/to-aee', $m, as => 'kid'),
 post('/to-vcp', result({ id => $m->{message_id}, corr => $m->{message_id},
                          from => 'agent.kid', to => 'human.zoe',
                          intent => 'vcp.escalation' },
                        payload => { %{ $m->{payload} },
                            requires_ack => false(),
                            reason => "ACK:$m->{message_id} seen" }),
      as => 'zoe', token => acting('zoe', { sub => 'alice' }))]
--- service: took($c, $q)
--- refused: aee reply-unmatched /reply_to
--- forwarded: 1



=== TEST 40: SEC-06 a draft of another's instrument is refused through AEE too
--- send
my $frame = by('desk');
service()->script('took($c, $q)');
Parley::Client->new(port => port(1))->raw(post('/to-aee', $frame,
                                               as => 'desk'));
my $task = without(service()->last->{json}, 'sig');
$task->{payload}{channel}{drafted_with} = '~cc-zoe@1';
post('/to-channel', $task, as => 'hop')
--- refused: aee sender-identity-mismatch /payload
--- forwarded: 1



=== TEST 27: SEC-06 C2A-15 an agent approves nothing, and a human still can
--- send
$::task = aee(from => 'agent.alice', to => 'human.zoe',
              requires => { human_approval => \1 });
[post('/to-c2a', $::task),
 post('/to-aee', react('agree', inReplyTo => $::task->{id}), as => 'zoe',
      token => acting('zoe', { sub => 'alice' })),
 post('/to-aee', react('agree', inReplyTo => $::task->{id}), as => 'zoe')]
--- service: took($c, $q)
--- each: ^20[02]$
--- forwarded: 3
--- got
/type = result
/from = human.zoe
/payload/approved = true



=== TEST 28: SEC-06 C2A-15 a response of a human approves
--- send
post('/to-c2a', aee(from => 'agent.alice', to => 'human.zoe',
                    requires => { human_approval => \1 }))
--- service: main::agreed($c, $q)
--- error_code: 200
--- answer
/type = result
/payload/approved = true
--- answer_headers
! Parley-Loss



=== TEST 29: SEC-06 C2A-15 a response of an agent, or an instrument with a human's name, does not
--- send
[map { post('/to-c2a', aee(from => 'agent.alice', to => $_,
                           requires => { human_approval => \1 })) }
     qw(agent.bob human.desk)]
--- service: main::agreed($c, $q)
--- forwarded: 2
--- each: ^20[02]$
--- answer
/type = stream
! /payload/approved
--- answer_headers
Parley-Loss ~ answer=/params/arguments/signal



=== TEST 30: SEC-06 with parley_loss reject the message is refused
--- send
my $task = aee(from => 'agent.bob', to => 'agent.alice',
               requires => { human_approval => \1 });
[post('/to-c2a', $task, as => 'bob'),
 post('/to-aee-strict', react('agree', inReplyTo => $task->{id}))]
--- service: took($c, $q)
--- refused: c2a translation-lossy /params/arguments/signal
--- forwarded: 1
