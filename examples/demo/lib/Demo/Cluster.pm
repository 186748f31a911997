package Demo::Cluster;

# The demo of several gateways: its processes and its scenario.

use strict;
use warnings;

use Exporter 'import';
use FindBin;
use Time::HiRes qw(sleep time);

use Demo::Setup qw(%demo prepare start run free_port end_process parley slurp
                   spew);
use Demo::Show qw(title note check);
use Demo::Step qw(step asked aee member);

our @EXPORT_OK = qw(cluster_prepare cluster_start cluster_play);

use constant PATIENCE => 20;

# id of the answer to the first task
my $first;

my @ops = (type => 'task', from => 'agent.ops', to => 'agent.backup',
           intent => 'ops.backup.audit');


sub cluster_prepare {
    $demo{dir} = "$demo{build}/demo-cluster";

    ($demo{engine}) = grep { installed("$_-server") } qw(redis valkey)
        or die "neither redis-server nor valkey-server is installed\n";

    prepare(\&configuration);
}


sub installed {
    my $name = shift;

    return grep { -x "$_/$name" } split(/:/, $ENV{PATH}), '/usr/sbin';
}


sub configuration {
    my $dir = $demo{dir};
    my @names = qw(one two aee_port store_port);
    my @held = map { free_port(0) } @names;

    @demo{@names} = map { $_->sockport } @held;
    close $_ for @held;

    $demo{urls} = { map { $_ => "https://localhost:$demo{$_}" } qw(one two) };
    $demo{url} = $demo{urls}{one};

    secret('store.key', parley('keys', 'store') . "\n");
    secret('store.password', parley('uuid') . "\n");
    # the engine reads its file with the rights of the user "default"
    secret('users.acl', "user default off ~* &* +\@all\n"
           . parley('store', 'acl', '--password', "$dir/store.password")
           . "\n");

    # these gateways deliver to no URL
    spew("$dir/identities.json",
         slurp("$dir/identities.json") =~ s/"deliver" : "[^"]*",//r);

    spew("$dir/redis.conf", <<"END");
bind 127.0.0.1
port $demo{store_port}
dir $dir
aclfile $dir/users.acl
appendonly yes
save ""
maxmemory 64mb
maxmemory-policy noeviction
END

    gateway($_) for qw(one two);
}


sub secret {
    my ($name, $text) = @_;

    spew("$demo{dir}/$name", $text);
    chmod 0600, "$demo{dir}/$name" or die "$name: $!\n";
}


# Writes examples/cluster.conf with the paths and the ports of a gateway.
sub gateway {
    my $name = shift;

    my $dir = $demo{dir};
    my %value = Demo::Setup::main_lines();
    my $text = slurp("$demo{root}/examples/cluster.conf");

    my $main = join "\n", @value{qw(LOAD_MODULE USER)}, 'daemon off;',
                    "pid $name.pid;", "error_log logs/$name.log info;";
    my $http = join '', "\n    access_log logs/$name-access.log;\n",
                    map { "    ${_}_temp_path tmp/$name-$_;\n" }
                        qw(client_body proxy fastcgi scgi uwsgi);

    $text =~ s/^load_module .*$/$main/m;
    $text =~ s/^http \{\n/http {$http/m;
    $text =~ s{/etc/parley/}{$dir/}g;
    $text =~ s/listen( +)443/listen${1}127.0.0.1:$demo{$name}/;
    $text =~ s/127\.0\.0\.1:9001/127.0.0.1:$demo{aee_port}/;
    $text =~ s/127\.0\.0\.1:6379/127.0.0.1:$demo{store_port}/;

    spew("$dir/$name.conf", $text);
}


sub cluster_start {
    start(sub {
        run('aee-service', $demo{aee_port}, "$FindBin::Bin/aee-service",
            '--port', $demo{aee_port}, '--log', "$demo{dir}/logs/got",
            '--until-eof');
        run_store();
        run_gateway($_) for qw(one two);
    });

    ready($_ => 200) for qw(one two);
}


sub run_store {
    run('store', $demo{store_port}, "$demo{engine}-server",
        "$demo{dir}/redis.conf");
}


sub run_gateway {
    my $name = shift;

    run($name, $demo{$name}, $demo{nginx}, '-p', "$demo{dir}/", '-c',
        "$name.conf", '-e', "logs/$name.log");
}


# Waits until parley_health ready of a gateway has the status.
sub ready {
    my ($name, $status) = @_;

    my $is;
    my $end = time + PATIENCE;

    do {
        $is = qx{curl -s -o /dev/null --max-time 5 -w '%{http_code}' \\
                 --cacert '$demo{dir}/tls/server.crt' \\
                 '$demo{urls}{$name}/parley/ready'};
        sleep 0.05 if $is != $status;
    } while ($is != $status && time < $end);

    check($is == $status, "gateway $name: ready should be $status", $is);
}


# As step(), at a gateway.
sub at {
    my ($name, %s) = @_;

    $demo{url} = $demo{urls}{$name};

    return step(path => '/agents/backup', token => 'ops', %s);
}


sub cluster_play {
    my $task = aee(@ops, payload => '{"volumes":["vm-1"]}');

    same_id($task);
    other_answers();
    streams();
    limit();
    suspension();
    killed($task);
    stopped($task);
}


sub duplicate {
    my ($name, $task, $title, $why) = @_;

    at($name, title => $title, why => $why, body => $task, got => undef,
       expect => { status => 409, '/payload/code' => 'E_MESSAGE_DUPLICATE',
                   '/payload/answer' => $first });
}


sub same_id {
    my $task = shift;

    $first = member(at('one',
        title => 'A task reaches the service through gateway one',
        body => $task, got => { '/id' => member($task, '/id') },
        expect => { status => 200, '/type' => 'result' }), '/id');

    duplicate('two', $task, 'The sender repeats it at gateway two',
              'Gateway two knows the id, and the id of the first answer.');
}


sub other_answers {
    my $task = aee(@ops, payload => '{"later":true}');
    my $result = sub {
        aee(type => 'result', from => 'agent.backup', to => 'agent.ops',
            intent => 'ops.backup.audit', corr => member($task, '/corr'),
            reply_to => member($task, '/id'), payload => '{"status":"ok"}');
    };

    at('one', title => 'Gateway one forwards a task that is answered later',
       body => $task, got => {}, expect => { status => 202 });
    at('two', title => 'The answer comes to gateway two',
       why => 'It finds the question of gateway one.',
       token => 'backup', body => $result->(),
       got => { '/reply_to' => member($task, '/id') },
       expect => { status => 202 });
    at('one', title => 'Gateway one refuses a second answer',
       token => 'backup', body => $result->(), got => undef,
       expect => { status => 409, '/payload/code' => 'E_REPLY_UNMATCHED' });
}


# Opens the stream of agent.backup at a gateway.  Returns a function that reads
# n messages and closes it; it returns their ids and data, [id, data].
sub stream {
    my ($name, @headers) = @_;

    my $token = slurp("$demo{dir}/tokens/backup.jwt") =~ s/\n//r;

    my $pid = open my $curl, '-|', 'curl', '-sN', '--max-time', PATIENCE,
         '--cacert', "$demo{dir}/tls/server.crt",
         '-H', "Authorization: Bearer $token",
         (map { ('-H', $_) } @headers),
         "$demo{urls}{$name}/streams/agent.backup" or die "curl: $!\n";

    my ($id, $kind);
    my $next = sub {
        $kind = '';

        while (defined(my $line = <$curl>)) {
            $kind = $1 if $line =~ /^event: *(\S+)/;
            $id = $1 if $line =~ /^id: *(\S+)/;
            return [$id, $1] if $line =~ /^data: *(.*\S)/;
        }

        return;
    };

    # "event: ready" comes first, unless the stream continues
    my @first = $next->() // ();

    shift @first if $kind eq 'ready';

    return sub {
        my $n = shift;

        push @first, $next->() // last while @first < $n;

        # curl would end only with the next octets of the stream
        kill 'TERM', $pid;
        close $curl;

        return @first;
    };
}


sub note_to_backup {
    my ($name, $n) = @_;

    my $note = aee(type => 'event', from => 'agent.ops', to => 'agent.backup',
                   intent => 'ops.note', payload => "{\"n\":$n}");

    at($name, title => "agent.ops sends note $n at gateway $name",
       path => '/messages', body => $note, got => undef,
       expect => { status => 202 });

    return member($note, '/id');
}


sub streams {
    my $read = stream('two');
    my @sent = (note_to_backup('one', 1), note_to_backup('two', 2));
    my @events = $read->(2);

    title('The stream of agent.backup at gateway two has both notes',
          join ', ', map { $_->[0] } @events);
    check("@sent" eq join(' ', map { member($_->[1], '/id') } @events),
          'the notes should come once, in order', scalar @events);

    push @sent, note_to_backup('two', 3);

    my ($next) = stream('one', "Last-Event-ID: $events[-1][0]")->(1);

    title('The stream continues at gateway one',
          "Last-Event-ID: $events[-1][0], next: " . ($next->[0] // 'none'));
    check($next && member($next->[1], '/id') eq $sent[2],
          'the next event should be note 3', $next ? $next->[1] : 'none');
}


sub limit {
    title('A limit holds over both gateways',
          "parley_rate 30r/m burst=9: 30 messages are sent, 15 to each "
          . 'gateway.');

    my $from = time;
    my $passed = 0;

    for my $n (1 .. 30) {
        $demo{url} = $demo{urls}{ $n % 2 ? 'one' : 'two' };

        my $answer = asked('/agents/backup', 'watch',
                           aee(@ops, type => 'event', from => 'agent.watch',
                               payload => '{}'));

        $passed++ if ($answer // '') eq '';

        # the gateways exchange counts every 100 ms
        sleep 0.05;
    }

    note("$passed of 30 passed; with two limits these would be 20");
    check($passed >= 10 && $passed <= 14 + (time - $from) / 2,
          'about 10 messages should pass', $passed);
}


sub worker {
    return aee(type => 'task', from => 'agent.worker-7', to => 'agent.backup',
               @_);
}


sub suspended_at {
    my ($name, $title, $why) = @_;

    at($name, title => $title, why => $why, token => 'worker-7',
       body => worker(intent => 'ops.backup.audit', payload => '{}'),
       got => undef,
       expect => { status => 403, '/payload/code' => 'E_AGENT_SUSPENDED' });
}


sub suspension {
    at('one', title => 'worker-7 reports an emergency at gateway one',
       why => 'It is suspended until its parent resumes it.',
       token => 'worker-7',
       body => worker(intent => 'vcp.escalation', priority => 'urgent',
                      payload => '{"severity":"emergency","reason":"smoke",'
                                 . '"context":"tape room",'
                                 . '"requires_ack":true}'),
       got => {}, expect => { status => 200 });

    # other gateways learn of it within 250 ms
    sleep 1;

    suspended_at('two', 'Gateway two refuses its messages too');
}


sub killed {
    my $task = shift;

    title('Gateway one is killed', 'kill -9: its zone is lost.');
    end_process('one', 'KILL');

    duplicate('two', $task, 'Gateway two still knows the first task');

    title('Gateway one is started again', 'Its zone is empty.');
    run_gateway('one');
    ready(one => 200);
    sleep 1;

    duplicate('one', $task, 'Gateway one knows the task from the store');
    suspended_at('one', 'Gateway one knows the suspension');
}


sub stopped {
    my $task = shift;

    title('The store is stopped',
          'fallback=refuse: no gateway is ready, so a balancer sends nothing.');
    end_process('store', 'TERM');
    ready($_ => 503) for qw(one two);

    at('two', title => 'Gateway two refuses a message',
       why => 'Its sender repeats it later.',
       body => aee(@ops, payload => '{}'), got => undef,
       expect => { status => 503, 'Retry-After' => qr/^\d+$/,
                   '/payload/code' => 'E_CAPACITY' });

    title('The store is started again', 'It reads its file.');
    run_store();
    ready($_ => 200) for qw(one two);

    duplicate('one', $task, 'Gateway one still knows the first task');

    my $new = aee(@ops, payload => '{}');

    at('two', title => 'Gateway two passes new messages', body => $new,
       got => { '/id' => member($new, '/id') }, expect => { status => 200 });
}


1;
