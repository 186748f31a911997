# OPS-10: the commands of docs/tutorial.md run unchanged, in one shell, with
# their own nginx.  t/package.t runs the commands that install.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(load_module port);
use Parley::Pages;

plan skip_all => 'the module is part of this nginx' if load_module() eq '';

my ($gateway, $service) = (port(1), port(2));

# ends the service, regardless of the step that failed
END {
    if (defined $service) {
        local $?;

        for my $process (glob '/proc/[0-9]*') {
            open my $in, '<', "$process/cmdline" or next;
            kill TERM => $process =~ /(\d+)/
                if (<$in> // '') =~ /^python3\x00service\.py\x00$service\x00/;
        }
    }
}

# the output of a step, by its heading and its number below the heading
my %says = (
    '4. The gateway 2'   => [err => qr/nginx\.conf test is successful/],
    '5. A token and a message 2' =>
        [out => qr/"type":\ ?"result".*"status":\ ?"ok"/],
    '6. A message that is refused 1' =>
        [out => qr/"code":"E_MESSAGE_DUPLICATE","message":"a\ message\ with\ this
                   \ id\ was\ taken\ already"/x],
    '6. A message that is refused 2' =>
        [out => qr/"code":"E_INTENT_REFUSED","message":"no\ rule\ grants\ this
                   \ intent;\ rule\ 1\ grants\ others".*"field":"\/intent"/x],
    '7. Why it was refused 1' =>
        [out => qr/parley:\ refused,\ message-duplicate:\ .*principal\ "auditor"
                   .*\n.*parley:\ refused,\ intent-refused\ \/intent:/x],
    '7. Why it was refused 2' =>
        [err => qr/^policy\s+refused\s+intent-refused\ \/intent:.*\n
                   \s+by\ "parley_allow"\ in\ nginx\.conf:36\n
                   answer\s+HTTP\ 403\ application\/json/mx],
    '8. A second protocol 2' => [err => qr/nginx\.conf test is successful/],
    '8. A second protocol 3' =>
        [out => qr/"status":"accepted".*"type":"escalation".*"reason":"ACK:/],
    '8. A second protocol 4' =>
        [out => qr/"type":"task".*"intent":"vcp\.escalation"/],
);

# the explained message is refused, as the page says; the machine may be busy
follow('tutorial.md', rules => 'OPS-10 GW-11', folder => 'first-gateway',
       ports => { 8443 => $gateway, 9001 => $service }, sleeps => { 1 => 4 },
       says => \%says, fails => { '7. Why it was refused 2' => 1 },
       log => 'alert|emerg|crit');

done_testing();
