# The agent of docs/moq.md, examples/clients/moq-agent.py: an AEE caller asks it,
# and gets its answer.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use IO::Select;
use Time::HiRes qw(time);

use Parley::Client;
use Parley::Env qw(port root slurp tls tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Moq;
use Parley::Nginx;

plan skip_all => moq_lacks() if moq_lacks();

my $log = tmp_dir() . '/sessions.log';
my $nginx = Parley::Nginx->start(http => moq_http(
    more => "log_format session '\$parley_moq_session'; "
            . "access_log $log session;"));

my ($cert) = tls();

my $pid = open(my $out, '-|') // die "fork: $!\n";

if ($pid == 0) {
    exec '/usr/bin/python3', '-u', root() . '/examples/clients/moq-agent.py',
         'localhost', port(1), '/moq', 'camera', moq_token('camera'), $cert,
         '127.0.0.1'
        or die "python3: $!\n";
}

like(line(), qr/"session_ack".*"approved"/, 'its session is approved');

for my $text ('one', 'x' x 5000) {
    my $task = aee(type => 'task', from => 'agent.viewer',
                   to => 'agent.camera', intent => 'camera.zoom',
                   payload => { text => $text });

    my $answer = Parley::Client->new(port => port(1))
        ->post('/ask/aee', jcs($task), Authorization => bearer('viewer'));

    is($answer->{status}, 200, 'MOQ-15 a task is answered')
        or diag($answer->{raw});
    is($answer->{json}{type}, 'result', 'by a result');
    is($answer->{json}{from}, 'agent.camera', 'of the agent');
    is($answer->{json}{payload}{text}, 'done', 'with its text');

    like(line(), qr/"action": "camera\.zoom".*"\Q$text\E"/,
         'it got the command, also in fragments');
    like(line(), qr/"status": "accepted"/, 'and its answer is accepted');
}

my ($session) = slurp($log) =~ /^([0-9a-f]{16})$/m;

ok($session && $session !~ /^0{8}/, 'MOQ-06 its Session ID is random')
    or diag($session);

kill TERM => $pid;
close $out;

done_testing();


# Returns the next line of the agent, or '' after some time.
sub line {
    my ($text, $until) = ('', time + 15);

    while ($text !~ /\n/ && time < $until) {
        IO::Select->new($out)->can_read($until - time) or last;
        sysread $out, $text, 1, length $text or last;
    }

    return $text;
}
