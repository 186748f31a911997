package Parley::Matrix::Cases;

# Runs the cases of t/cases/matrix/FOLDER, blocks of Parley::Test, through the
# gateway of Parley::Matrix.  FOLDER is the rest of the name of the test:
# t/matrix-aee.t runs t/cases/matrix/aee.
#
#     use Parley::Matrix::Cases;
#
#     run_cases(add => location('/more', '...'));
#
# Blocks, and scripts of services, can call the functions below.

use strict;
use warnings;

use Exporter 'import';

use Parley::Client;
use Parley::Env qw(port root slurp);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;
use Parley::Test;

our @EXPORT = (qw(run_cases change carried cancelling alarm_of ack_of acked
                  acked_part), @Parley::Gateway::EXPORT,
               @Parley::Matrix::EXPORT, @Parley::Message::EXPORT);

my ($folder) = $0 =~ /matrix-(\w+)\.t$/;
my $vcp2 = $folder eq 'vcp2';


# Options are those of matrix().
sub run_cases {
    my @files = sort glob root() . "/t/cases/matrix/$folder/*";

    main::plan('no_plan');
    main::with_gateway(matrix(@_));
    Test::Base::spec_string(join "\n\n\n", map { slurp($_) } @files);
    main::run_tests();
}


# Returns a message with changed members, for post().
sub change { return with(@_) }


# Returns the translation of an urgent task to a protocol.
sub carried {
    my ($to, %other) = @_;

    main::service()->script('took($c, $q)');
    Parley::Client->new(port => port(1))->raw(post("/to-$to", aee(
        from => 'agent.alice', to => 'agent.bob', priority => 'urgent',
        requires => { timeout_ms => 60_000, evidence => true }, %other)));

    return main::service()->last->{json};
}


# Returns an AEE event that carries a C2A cancellation to bob.
sub cancelling {
    my ($id, %other) = @_;

    return aee(type => 'event', from => 'agent.alice', to => 'agent.bob',
               intent => 'c2a.notifications.cancelled', priority => 'high',
               payload => { requestId => $id, reason => 'edited',
                            references => [{ id => 'note-1234',
                                type => 'c2a.message',
                                hash => 'sha256:' . '0' x 64,
                                locator => 'parley:c2a:note-1234' }] },
               %other);
}


# Returns an escalation that its parent must acknowledge, in the version of VCP
# that the folder has.
sub alarm_of {
    my ($severity, %payload) = @_;

    my $m = escalation(severity => $severity, requires_ack => true, %payload);

    return $vcp2 ? as_vcp2($m) : $m;
}


# Return VCP's own acknowledgment of an escalation, and lead's result of
# another task with it.
sub ack_of {
    my ($m, $severity) = @_;

    return { severity => $severity, requires_ack => false,
             context => 'ctx|home',
             reason => 'ACK:' . ($m->{message_id} // $m->{id}) . ' I saw it' };
}


sub acked {
    my ($task, $m, $severity) = @_;

    return result({ id => $task->{message_id} // $task->{id},
                    corr => $task->{corr} // $task->{message_id},
                    from => 'agent.alice', to => 'agent.lead',
                    intent => 'vcp.escalation' },
                  payload => ack_of($m, $severity));
}


# As acked(), in C2A: lead's event with VCP's part.
sub acked_part {
    my ($asked, $m, $severity) = @_;

    my ($id, $vcp) = $vcp2 ? (uuid4(), 'vcp2') : (uuid7(), 'vcp');

    return deliver(
        inReplyTo => $asked->{message_id},
        author => { kind => 'human', id => 'lead' },
        target => { recipient => 'agent:alice', directedness => 'to_me' },
        attention => { policy => 'may_respond', priority => 'normal' },
        content => [{ type => 'text', text => 'seen' },
                    { type => 'data', mediaType => "application/vnd.$vcp+json",
                      form => 'escalation', data => ack_of($m, $severity),
                      reference => { id => $id, type => "$vcp.message",
                                     hash => 'sha256:' . '0' x 64,
                                     locator => "parley:$vcp:$id" } }]);
}


{
    no warnings 'once';

    *Parley::Upstream::Script::alarm_of = \&alarm_of;
    *Parley::Upstream::Script::acked = \&acked;
}


1;
