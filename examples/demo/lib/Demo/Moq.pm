package Demo::Moq;

# An agent that is connected by MoQ on QUIC: examples/clients/moq-agent.py.

use strict;
use warnings;

use Exporter 'import';
use FindBin;
use IO::Select;
use Time::HiRes qw(time);

use Demo::Setup qw(%demo slurp);
use Demo::Show qw(title note check);
use Demo::Step qw(step member aee);

our @EXPORT_OK = qw(moq);

use constant PATIENCE => 15;


sub moq {
    title('An agent connects by MoQ on QUIC',
          $demo{unquic}
          ? "$demo{unquic}: left out."
          : 'It shares the port with HTTP.  Messages for it arrive as commands.'
    );

    return if $demo{unquic};

    my ($pid, $out) = agent();

    check(line($out) =~ /"session_ack".*"approved"/, 'its token is accepted',
          'session_ack');

    my $task = aee(type => 'task', from => 'agent.ops', to => 'agent.lamp',
                   intent => 'lamp.switch', payload => '{"on":true}');

    step(
        title  => 'An AEE task reaches the agent, and is answered',
        why    => 'The HTTP request waits for the command with the answer.',
        path   => '/agents/moq', token => 'ops', body => $task,
        expect => { status => 200, '/type' => 'result',
                    '/corr' => member($task, '/corr'),
                    '/from' => 'agent.lamp', '/payload/text' => 'done' },
    );

    note('the agent got ' . line($out));

    kill TERM => $pid;
    close $out;
}


# Starts the agent.  Returns its process and its output.
sub agent {
    my $token = slurp("$demo{dir}/tokens/lamp.jwt") =~ s/\s+\z//r;

    my $pid = open(my $out, '-|') // die "fork: $!\n";

    if ($pid == 0) {
        open STDERR, '>', "$demo{dir}/logs/agent.log";
        exec 'python3', '-u', "$FindBin::Bin/../clients/moq-agent.py",
             'localhost', $demo{port}, '/moq', 'lamp', $token,
             "$demo{dir}/tls/server.crt", '127.0.0.1'
            or die "python3: $!\n";
    }

    return ($pid, $out);
}


# Returns the next line, or '' after some time.
sub line {
    my $out = shift;
    my ($text, $until) = ('', time + PATIENCE);

    while ($text !~ /\n/ && time < $until) {
        IO::Select->new($out)->can_read($until - time) or last;
        sysread $out, $text, 1, length $text or last;
    }

    chomp $text;

    return $text;
}


1;
