package Bench::Gateway;

# The compared gateways.  Their configurations are equal except for the lines of
# each kind.

use strict;
use warnings;

use File::Path qw(make_path);
use IO::Socket::INET;
use POSIX ();
use Time::HiRes qw(sleep time);

use Bench::Files qw(%bench slurp spew);
use Bench::Pairs qw(locations);

use constant { GATEWAY_CORE => 0, CLIENT_CORE => 1, START_MAX => 30 };

# number of handles with streams
use constant HANDLES => 4;

my @running;


# lines of each kind: in the main context, in http, in the server
my %kinds = (
    bare => {
        server => <<'END' . "\n" . locations(0),
        location = /vcp {
            proxy_pass  http://service/any/vcp;
        }
END
    },

    parley => {
        main => "load_module  $bench{module};\n",
        http => <<"END",
    parley_zone        bench:512m;
    parley_identities  $bench{dir}/identities.json;
    parley_jwks        $bench{dir}/jwks.json;
    parley_self        agent.gateway;
    parley_jwt         on issuer=https://id.example audience=agents leeway=5s;
    parley_trusted     on;
    parley_limits      body=2m string=256k;
END
        server => <<'END'
        location = /vcp {
            parley_accept     aee;
            parley_speak      vcp;
            parley_allow      scope=ops:run protocol=aee type=task
                              intent=vcp.*;
            parley_allow      scope=ops:run protocol=aee type=event
                              intent=vcp.*;
            parley_rate       1000000r/s burst=100000;
            parley_window     10m;
            proxy_pass        http://service/vcp;
        }

        location = /aee {
            parley_accept     vcp;
            parley_speak      aee;
            parley_signature  required;
            parley_allow      scope=vcp:send;
            parley_rate       1000000r/s burst=100000;
            parley_window     10m;
            proxy_pass        http://service/aee;
        }

        location = /aee-unsigned {
            parley_accept     vcp;
            parley_speak      aee;
            parley_signature  off;
            parley_allow      scope=vcp:send;
            parley_rate       1000000r/s burst=100000;
            parley_window     10m;
            proxy_pass        http://service/aee;
        }
END
                  . "\n" . locations(1),
    },

    lua => {
        main => <<'END',
load_module  /usr/lib/nginx/modules/ndk_http_module.so;
load_module  /usr/lib/nginx/modules/ngx_http_lua_module.so;
END
        http => <<"END",
    lua_package_path   "$bench{root}/bench/?.lua;;";
    lua_shared_dict    tokens 1m;
    lua_shared_dict    rates 1m;
    lua_shared_dict    seen 256m;
    lua_shared_dict    origins 256m;
    init_by_lua_block  {
        require("peer").enter("$bench{dir}/tokens", "ops:run vcp:send")
    }
END
        server => <<'END',
        location = /vcp {
            access_by_lua_block         { require("peer").access() }
            header_filter_by_lua_block  { require("peer").header() }
            body_filter_by_lua_block    { require("peer").body() }
            log_by_lua_block            { require("peer").log() }
            proxy_pass                  http://service/vcp;
        }
END
    },

    # a channel without subscribers is not kept, as with nchan
    streams => {
        main => "load_module  $bench{module};\n",
        http => of_principals('512m share=100%', 'listeners'),
        server => <<'END',
        location = /publish {
            parley_submit  channel;
        }

        location /listen/ {
            parley_stream  channel;
        }
END
    },

    # a host of chat, and one with large mailboxes
    chat => host('count=1000 time=10m', ''),
    mailboxes => host('count=20000 time=1h', <<'END'),
        location = /status {
            parley_jwt     off;
            parley_status;
            allow          127.0.0.1;
            deny           all;
        }
END

    sockets => {
        main => "load_module  $bench{module};\n",
        http => of_principals('512m share=100%', 'sockets'),
        server => <<'END',
        location = /vcp/ws {
            parley_websocket  vcp;
        }
END
    },

    proxied => {
        server => <<'END',
        location = /vcp/ws {
            proxy_pass        http://service;
            proxy_set_header  Upgrade $http_upgrade;
            proxy_set_header  Connection upgrade;
        }
END
    },

    # Parley in front of the same peer
    passed => {
        main => "load_module  $bench{module};\n",
        http => of_principals('512m', 'sockets'),
        server => <<'END',
        location = /vcp/ws {
            parley_accept     vcp;
            parley_window     10m;
            proxy_pass        http://service;
            proxy_set_header  Upgrade $http_upgrade;
            proxy_set_header  Connection upgrade;
        }
END
    },

    # files and event streams of a service, without Parley
    existing => {
        server => <<"END",
        location /files/ {
            root              $bench{dir};
        }

        location /channel/ {
            proxy_pass        http://service;
            proxy_buffering   off;
        }
END
    },

    proved => {
        main => "load_module  $bench{module};\n",
        http => <<"END",
    parley_zone        bench:64m;
    parley_connections off;
    parley_identities  $bench{dir}/listeners.json;
    parley_jwks        $bench{dir}/jwks.json;
    parley_jwt         on issuer=https://id.example audience=agents leeway=5s;
    parley_trusted     on;
END
        server => <<"END",
        location /files/ {
            root              $bench{dir};
        }

        location /channel/ {
            parley_accept     channel;
            proxy_pass        http://service;
        }
END
    },

    # a service that answers a command
    answers => {
        server => <<'END',
        default_type  application/json;

        location = /cmd {
            return  200  '{"action":"build_run","session_id":"service",
"status":"approved","payload":{"text":"all is built and tested"}}';
        }
END
    },

    # agents by MoQ, and the same by HTTP
    moq => {
        main => "load_module  $bench{module};\n",
        http => of_principals('256m share=100%', 'agents') . <<"END",
    quic_host_key  $bench{dir}/quic.key;

END
        server => <<"END",
        location = /moq {
            parley_moq     messages=/cmd;
            parley_allow   type=subscribe to=agent.**;
        }

        location = /cmd {
            parley_accept  moq;
            parley_window  10m;
            proxy_pass     http://service;
        }

        location = /publish {
            parley_submit  aee moq;
        }

        location /listen/ {
            parley_stream  aee;
        }

        location = /file {
            parley_accept  off;
            root           $bench{dir};
        }
END
    },

    nchan => {
        main => "load_module  /usr/lib/nginx/modules/ngx_nchan_module.so;\n",
        http => <<'END',
    nchan_shared_memory_size  512m;
END
        server => <<"END",
        location = /publish {
            nchan_publisher              http;
            nchan_channel_id             @{[ handles() ]};
            nchan_message_buffer_length  0;
        }

        location ~ ^/listen/(~h\\d+)\$ {
            nchan_subscriber                eventsource;
            nchan_channel_id                \$1;
            nchan_subscriber_first_message  newest;
            nchan_message_buffer_length     0;
            nchan_subscriber_timeout        0;
        }
END
    },
);


sub handles { return map { "~h$_" } 1 .. HANDLES }


# Returns the lines of a zone, and of callers that are in a file.
sub of_principals {
    my ($zone, $file) = @_;

    return <<"END";
    parley_zone        bench:$zone;
    parley_connections off;
    parley_identities  $bench{dir}/$file.json;
    parley_jwks        $bench{dir}/jwks.json;
    parley_jwt         on issuer=https://id.example audience=agents leeway=5s;
    parley_trusted     on;
END
}


# Returns the lines of a host of chat; more: of the server.
sub host {
    my ($retain, $more) = @_;

    return {
        main => "load_module  $bench{module};\n",
        http => of_principals('1024m share=100%', 'chat')
                . "    parley_retain      $retain;\n",
        server => <<'END' . $more,
        location = /chat {
            parley_rate  1000000r/s burst=1000000;
            parley_host  c2a quiet=0 deadline=1h;
        }
END
    };
}


# Starts a gateway: a master and a worker on a core of its own.  Options:
# single: one process; by: words before the command; workers: their number, on
# any core if there are several; connections: of each worker; secure: TLS with
# HTTP/2 on a further port; quic: QUIC there, too; core: another one; service:
# the port of a service that runs.
sub start {
    my ($class, $kind, %how) = @_;

    my $self = bless { kind => $kind, dir => "$bench{dir}/$kind",
                       port => free_port(), secure => free_port(),
                       service => $how{service} // free_port() }, $class;

    make_path("$self->{dir}/logs");
    spew("$self->{dir}/nginx.conf", $self->conf(%how));

    my @nginx = ($bench{nginx}, '-p', "$self->{dir}/",
                 '-c', "$self->{dir}/nginx.conf", '-e', 'logs/error.log');

    my $workers = $how{workers} // 1;

    $self->{pid} = spawn($workers > 1 ? () : core($how{core} // GATEWAY_CORE),
                         @{$how{by} || []}, @nginx);
    push @running, $self->{pid};

    wait_for($self->{port}, $self->{pid});
    $self->{workers} = $how{single} ? [ $self->{pid} ]
                                    : $self->find_workers($workers);
    $self->{worker} = $self->{workers}[0];

    return $self;
}


sub conf {
    my ($self, %how) = @_;

    my $kind = $kinds{$self->{kind}};
    my $main = $kind->{main} // '';
    my $http = $kind->{http} // '';
    my $connections = $how{connections} // 512;

    # "return" answers before the proof of the http block: this confirms it.
    my $open = $http =~ /parley_jwt/ ? 'parley_accept  off;' : '';
    my $processes = $how{single}
                    ? 'master_process  off;'
                    : 'worker_processes  ' . ($how{workers} // 1) . ';';

    my $secure = $how{secure} ? secure($self->{secure}) : '';
    my $events = '';

    if ($how{quic}) {
        $secure .= "        listen  127.0.0.1:$self->{secure} quic"
                   . " reuseport;\n";
        $events = "\n    multi_accept        on;";
    }

    # Other files: listening sockets, logs, wake-up descriptors.
    $processes .= "\nworker_rlimit_nofile  " . ($connections + 256) . ';'
        if $how{connections};

    return <<"END";
$main
daemon     off;
$processes
pid        nginx.pid;
error_log  logs/error.log  warn;

events {
    worker_connections  $connections;$events
}

http {
    access_log                off;
    keepalive_requests        1000000000;
    client_max_body_size      4m;
    client_body_buffer_size   2m;
    client_body_temp_path     body;
    proxy_temp_path           proxy;
    fastcgi_temp_path         fastcgi;
    uwsgi_temp_path           uwsgi;
    scgi_temp_path            scgi;

$http
    upstream service {
        server              127.0.0.1:$self->{service};
        keepalive           64;
        keepalive_requests  1000000000;
    }

    server {
        listen              127.0.0.1:$self->{port};
$secure        server_name         gateway.example;
        proxy_http_version  1.1;
        proxy_set_header    Connection "";

$kind->{server}
        location = /mark {
            $open
            return  200  "";
        }
    }
}
END
}


# Returns lines of a server.  nginx has another syntax since 1.25.1.
sub secure {
    my $port = shift;

    my ($major, $minor, $patch)
        = `$bench{nginx} -v 2>&1` =~ /(\d+)\.(\d+)\.(\d+)/
        or die "bench: nginx prints no version\n";
    my $apart = $major > 1 || $minor > 25 || ($minor == 25 && $patch > 0);
    my $listen = "listen  127.0.0.1:$port ssl" . ($apart ? '' : ' http2') . ';';
    my $http2 = $apart ? 'http2   on;' : '';

    return <<"END";
        $listen
        $http2
        ssl_certificate      $bench{dir}/tls.crt;
        ssl_certificate_key  $bench{dir}/tls.key;
END
}


sub find_workers {
    my ($self, $n) = @_;

    for (1 .. 100) {
        my $children = slurp("/proc/$self->{pid}/task/$self->{pid}/children");
        my @found = $children =~ /(\d+)/g;

        return \@found if @found == $n;
        sleep 0.05;
    }

    die "bench: $self->{kind}: nginx lacks workers\n";
}


# Stops the gateway.  An entry in its log is an error.
sub stop {
    my $self = shift;

    end($self->{pid});
    @running = grep { $_ != $self->{pid} } @running;

    # Ignore warnings about the configuration.
    my $log = join '', grep { !m{^\S+ \S+ \[warn\].* in \S+nginx\.conf:\d+$} }
                       slurp("$self->{dir}/logs/error.log") =~ /.*\n/g;
    die "bench: $self->{kind}: nginx logged\n$log" if $log ne '';
}


sub stop_all {
    end($_) for @running;
    @running = ();
}


# Stops a process.  A signal just before epoll_wait() has no effect until the
# next event, so that it is sent repeatedly.
sub end {
    my $pid = shift;

    for my $try (1 .. 60) {
        kill $try < 60 ? 'TERM' : 'KILL', $pid or return;

        for (1 .. 25) {
            return if waitpid($pid, POSIX::WNOHANG()) != 0;
            sleep 0.02;
        }
    }
}


# Returns words that pin a command to a core; none on a machine with one core.
sub core {
    my $core = shift;

    return `nproc` > 1 ? ('taskset', '-c', $core) : ();
}


sub spawn {
    my @command = @_;

    my $pid = fork // die "fork: $!\n";

    if ($pid == 0) {
        exec { $command[0] } @command or POSIX::_exit(127);
    }

    return $pid;
}


sub free_port {
    my $socket = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1)
        or die "bench: no port: $!\n";

    return $socket->sockport;
}


# Waits for the worker.  The port is open before the worker is ready, and its
# start (which touches its memory) must not count for a request.
sub wait_for {
    my ($port, $pid) = @_;

    my $until = time + START_MAX;

    while (time < $until) {
        my $socket = IO::Socket::INET->new(PeerAddr => "127.0.0.1:$port");
        return answered($socket) if $socket;

        die "bench: nginx did not start\n"
            if $pid && waitpid($pid, POSIX::WNOHANG()) == $pid;

        sleep 0.02;
    }

    die "bench: no server listens on port $port\n";
}


# Waits for an answer with status 400, which is neither logged nor counted.
sub answered {
    my $socket = shift;

    print $socket "?\r\n\r\n";
    local $/;
    <$socket> // die "bench: the gateway does not answer\n";
}


1;
