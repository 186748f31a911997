# MoQ commands and services of every protocol, messages of every protocol and a
# service of MoQ, and the detection of the protocol if a location accepts
# several.

use lib 't/lib';
use Parley::Test;
use Parley::Matrix::Cases;

my $to_moq = 'parley_accept aee moq; parley_speak moq; parley_jwt on;';
my $deny = 'parley_deny intent=ops.delete; parley_allow principal=**;';

run_cases(add => join '',
    location('/moq-alone', 'parley_accept moq; parley_jwt on;'),
    location('/deny-vcp', 'parley_accept vcp vcp2; parley_speak moq; '
                        . 'parley_jwt on; parley_deny intent=vcp.escalation; '
                        . 'parley_allow principal=**;'),
    location('/deny-c2a', 'parley_accept c2a; parley_speak moq; '
                        . 'parley_jwt on; parley_deny intent=c2a.chat.*; '
                        . 'parley_allow principal=**;'),
    location('/deny-action', "$to_moq $deny"),
    location('/deny-command', "$to_moq parley_deny intent=moq.cmd.ops.delete; "
                            . 'parley_allow principal=**;'),
    location('/deny-action-aee', 'parley_accept aee moq; parley_speak aee; '
                               . "parley_jwt on; $deny"),
    location('/only-action', "$to_moq parley_allow intent=ops.**;"));
