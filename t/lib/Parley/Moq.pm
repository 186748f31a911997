package Parley::Moq;

# Agents that speak Agent Protocol over MoQ, on QUIC, by t/moq/client.py.
#
#     plan skip_all => moq_lacks() if moq_lacks();
#     my $nginx = Parley::Nginx->start(http => moq_http());
#     my $moq = Parley::Moq->new;
#     my $camera = $moq->connect('camera');
#     $camera->init;
#     $camera->cmd({ action => 'ping' });
#     is($camera->answer->{json}{status}, 'approved');
#     $camera->close;
#
# One Parley::Moq is one process with any number of connections.  The functions
# that wait do so for at most 15 seconds, and then return undef.  An event that
# a function has returned is not returned again.  Events that a test does not
# ask for stay, and show() prints them.

use strict;
use warnings;

use Exporter 'import';
use IPC::Open2 qw(open2);
use JSON::XS ();
use POSIX qw(WNOHANG);
use Test::More ();
use Time::HiRes qw(time);

use Parley::Env qw(nginx_binary port root tls tmp_dir spew);
use Parley::Gateway;
use Parley::Message qw(jcs jwks uuid4);

our @EXPORT = qw(moq_lacks moq_http moq_identities code_of moq_token
                 frame_octets);

use constant PATIENCE => 15;

my $json = JSON::XS->new->canonical->ascii;

# names of the codes of a close and of REQUEST_ERROR and PUBLISH_DONE
my %codes = (
    NO_ERROR => 0x00, INTERNAL_ERROR => 0x01, UNAUTHORIZED => 0x02,
    PROTOCOL_VIOLATION => 0x03, INVALID_REQUEST_ID => 0x04,
    DUPLICATE_TRACK_ALIAS => 0x05, KEY_VALUE_FORMATTING_ERROR => 0x06,
    TOO_MANY_REQUESTS => 0x07, INVALID_PATH => 0x08, MALFORMED_PATH => 0x09,
    GOAWAY_TIMEOUT => 0x10, CONTROL_MESSAGE_TIMEOUT => 0x11,
    DATA_STREAM_TIMEOUT => 0x12, AUTH_TOKEN_CACHE_OVERFLOW => 0x13,
    DUPLICATE_AUTH_TOKEN_ALIAS => 0x14, VERSION_NEGOTIATION_FAILED => 0x15,
    MALFORMED_AUTH_TOKEN => 0x16, UNKNOWN_AUTH_TOKEN_ALIAS => 0x17,
    EXPIRED_AUTH_TOKEN => 0x18, INVALID_AUTHORITY => 0x19,
    MALFORMED_AUTHORITY => 0x1A,
);

my $lacks;


# Returns why tests with QUIC cannot run here, or ''.
sub moq_lacks {
    return $lacks if defined $lacks;

    my $nginx = nginx_binary();
    my $built = `$nginx -V 2>&1`;

    $lacks = $built !~ /--with-http_v3_module/ ? 'nginx has no QUIC'
           : system("/usr/bin/python3 -c 'import aioquic' 2> /dev/null") != 0
           ? 'no python3-aioquic' : '';

    return $lacks;
}


# Returns the number of a code that closes a session.
sub code_of {
    my $name = shift;

    return $codes{$name} // die "no code is named $name\n";
}

sub name_of {
    my $code = shift // return undef;

    my %names = reverse %codes;

    return $names{$code} // $code;
}


# Returns a JWT of a principal; claims are added or replaced.
sub moq_token { return bearer(@_) =~ s/^Bearer //r }


# Returns the octets of a frame.  Options: type (1: CMD), session (8 octets),
# stream, flags, magic, version, length.
sub frame_octets {
    my ($payload, %o) = @_;

    return pack 'n C C a8 N C N a*', $o{magic} // 0xA2A2, $o{version} // 1,
                $o{type} // 1, $o{session} // "\0" x 8, $o{stream} // 0,
                $o{flags} // 0, $o{length} // length $payload, $payload;
}


my @agents = qw(camera viewer planner);


# Returns the directory: agents with a handle, and a name in AEE, C2A and VCP.
sub moq_identities {
    my %of = @_;

    my @principals = map { {
        sub => $_, handle => "~$_", aee => "agent.$_", c2a => "agent:$_",
        vcp => "agent://ops.example/$_", orgs => ['~fleet'],
        %{ $of{$_} // {} },
    } } sort keys %{ { %of, map { $_ => 1 } @agents } };

    return jcs({ principals => \@principals });
}


# Returns all of http: TLS and QUIC on port(1), plain HTTP on port(3).  /moq is
# the place of connections; its commands go to the hub (messages: /agents/moq).
# Options: moq (the words of parley_moq, without messages=), messages (the URI),
# rules (of /moq), submit (the words of /agents/moq), gate (more of it), server
# (more of both servers), locations, listen (the words of listen quic), zone,
# identities, more (of http).
sub moq_http {
    my %o = (zone => 'agents:8m', moq => '', messages => '/agents/moq',
             rules => '', submit => 'moq aee c2a channel', gate => '',
             server => '', locations => '', listen => 'reuseport', more => '',
             @_);

    my $dir = tmp_dir();
    my ($cert, $key) = tls();

    spew("$dir/identities.json", $o{identities} // moq_identities());
    spew("$dir/jwks.json", jwks(idp()));

    my $locations = <<"EOT";
        location = /moq {
            parley_jwt on;
            parley_moq messages=$o{messages} $o{moq};
            $o{rules}
        }
        location = /agents/moq {
            parley_jwt on;
            parley_submit $o{submit};
            $o{gate}
        }
        location = /agents/aee { parley_jwt on; parley_submit aee moq; }
        location = /ask/aee { parley_jwt on; parley_submit aee moq hold=20s; }
        location /read/aee { parley_jwt on; parley_stream aee; }
        $o{locations}
EOT

    return <<"EOT";
    parley_zone        $o{zone};
    parley_identities  $dir/identities.json;
    parley_jwks        $dir/jwks.json;
    $o{more}
    server {
        listen 127.0.0.1:%PORT_1% ssl;
        listen 127.0.0.1:%PORT_1% quic $o{listen};
        server_name localhost;
        ssl_certificate     $cert;
        ssl_certificate_key $key;
        $o{server}
        $locations
    }
    server {
        listen 127.0.0.1:%PORT_3%;
        server_name plain;
        parley_trusted on;
        location = /status { parley_status; }
        location = /agents/aee { parley_jwt on; parley_submit aee moq; }
        location = /ask/aee { parley_jwt on; parley_submit aee moq hold=20s; }
        location /read/aee { parley_jwt on; parley_stream aee; }
        $o{server}
    }
EOT
}


# Starts the process of the clients.
sub new {
    my $class = shift;

    my $self = bless { owner => $$, events => [], over => {}, buffer => '',
                       sync => 0 },
               $class;

    $self->{pid} = open2($self->{out}, $self->{in}, '/usr/bin/python3',
                         root() . '/t/moq/client.py');

    return $self;
}


# Gives a command to the client.
sub do {
    my ($self, $do, %o) = @_;

    my $line = $json->encode({ do => $do, %o }) . "\n";

    local $SIG{PIPE} = 'IGNORE';

    while (length $line) {
        my $n = syswrite $self->{in}, $line;

        die "the client has ended: $!\n" if !defined $n;
        substr $line, 0, $n, '';
    }
}


# Reads events that have come, or waits for the first one.
sub fill {
    my ($self, $seconds) = @_;

    my $bits = '';
    vec($bits, fileno $self->{out}, 1) = 1;

    return 0 if !select $bits, undef, undef, $seconds > 0 ? $seconds : 0;

    my $n = sysread $self->{out}, $self->{buffer}, 1 << 20,
                    length $self->{buffer};

    die "the client has ended\n" if !$n;

    while ((my $at = index $self->{buffer}, "\n") >= 0) {
        my $event = $json->decode(substr $self->{buffer}, 0, $at + 1, '');

        die "the client: $event->{do}: $event->{why}\n"
            if $event->{event} eq 'failed';
        push @{ $self->{events} }, $event;
        $self->{over}{$event->{on}} = 1
            if $event->{event} =~ /^(?:closed|gone|stateless_reset)$/;
    }

    return 1;
}


# Returns the first event for which a function of it returns true, or undef
# after the time, or when the connection of that name has ended.
sub wait {
    my ($self, $wanted, $seconds, $name) = @_;

    my $until = time + ($seconds // PATIENCE);
    my $events = $self->{events};
    my $i = 0;

    while (1) {
        for (; $i < @$events; $i++) {
            return splice @$events, $i, 1 if $wanted->($events->[$i]);
        }

        my $left = $until - time;

        return undef if defined $name && $self->{over}{$name};
        return undef if !$self->fill($left) && $left <= 0;
    }
}


# Waits until the client did what it was told, and returns its events so far
# that no function has returned.
sub sync {
    my $self = shift;

    my $n = ++$self->{sync};

    $self->do('sync', n => $n);
    $self->wait(sub { $_[0]{event} eq 'sync' && $_[0]{n} == $n });

    return @{ $self->{events} };
}


# Prints the last events that no test has asked for.
sub show {
    my $self = shift;

    my @events = grep { $_->{event} !~ /^(?:connected|stream|object)$/ }
                 $self->sync;

    splice @events, 0, -20 if @events > 20;
    Test::More::diag(substr $json->encode($_), 0, 400) for @events;

    return undef;
}


# Begins a connection: connect(NAME, OPTIONS of "connect" of client.py).
# Without a token option it has the token of the agent NAME; token undef: none.
# NAME may be "camera#2" for another connection of camera.
sub connect {
    my ($self, $name, %o) = @_;

    my $agent = $name =~ s/#.*//r;

    $o{token} = moq_token($agent) if !exists $o{token};

    # the name may be that of a connection that has ended
    delete $self->{over}{$name};
    @{ $self->{events} } = grep { ($_->{on} // '') ne $name }
                           @{ $self->{events} };

    my $c = bless { moq => $self, name => $name, agent => $agent,
                    next => 0, alias => 0, streams => 0, cmds => {},
                    accepts => $o{auto}{PUBLISH} // '' },
                  'Parley::Moq::Connection';

    $self->do('connect', on => $name, port => port(1), path => '/moq',
              authority => 'localhost', cafile => (tls())[0], %o);

    return $c;
}


sub stop {
    my $self = shift;

    my $pid = delete $self->{pid} or return;

    # the client ends with its input, after its connections
    close $self->{in};

    # keeps the status of the test itself in END blocks
    local $?;

    my $until = time + 5;

    while (waitpid($pid, WNOHANG) == 0) {
        kill 'KILL', $pid if $until < time;
        eval { $self->fill(0.02) };
    }
}


sub DESTROY {
    my $self = shift;
    $self->stop if $self->{owner} == $$;
}


package Parley::Moq::Connection;

use Parley::Message qw(uuid4);

my %requests = map { $_ => 1 } qw(SUBSCRIBE FETCH PUBLISH PUBLISH_NAMESPACE
                                  TRACK_STATUS REQUEST_UPDATE
                                  SUBSCRIBE_NAMESPACE);


sub name { $_[0]{name} }
sub moq { $_[0]{moq} }


# Gives a command to this connection.
sub do {
    my ($self, $do, %o) = @_;

    $self->{moq}->do($do, on => $self->{name}, %o);

    return $self;
}


# Waits for an event of this connection; returns it, or undef.  A function of
# the event may tell which.
sub event {
    my ($self, $event, $wanted, $seconds) = @_;

    return $self->{moq}->wait(sub {
        return ($_[0]{on} // '') eq $self->{name} && $_[0]{event} eq $event
               && (!$wanted || $wanted->($_[0]));
    }, $seconds, $self->{name});
}


# Returns whether no such event came before the commands so far were done and
# that many seconds passed.
sub without {
    my ($self, $event, $wanted, $seconds) = @_;

    return !$self->event($event, $wanted, $seconds // 0.3);
}


# Waits for the server's SETUP; returns its parameters by name, or undef.
sub setup {
    my $self = shift;

    if (!$self->{setup}) {
        my $m = $self->message('SERVER_SETUP') // return undef;

        $self->{setup} = { map { $_->{type} => $_->{value} }
                           @{ $m->{parameters} } };
    }

    return $self->{setup};
}


# Waits for a message of the peer, on the control stream or any other; members
# that are given have to be equal.
sub message {
    my ($self, $name, %is) = @_;

    my $stream = delete $is{stream};
    my $seconds = delete $is{seconds};
    my $event = $self->event('message', sub {
        my $e = shift;
        my $m = $e->{message};

        return 0 if $m->{message} !~ /^(?:$name)$/
                    || defined $stream && $e->{stream} ne $stream;

        for (keys %is) {
            return 0 if !defined $m->{$_} || $m->{$_} ne $is{$_};
        }

        return 1;
    }, $seconds) // return undef;

    return { %{ $event->{message} }, stream => $event->{stream} };
}


# Sends a message on the control stream.  A request without request_id has the
# next one.  Returns the request_id.
sub send {
    my ($self, $name, %m) = @_;

    my $stream = delete $m{stream} // 'control';

    $m{request_id} //= $self->next_request if $requests{$name};
    $self->do('send', stream => $stream, message => { message => $name, %m });

    return $m{request_id};
}

sub next_request {
    my $self = shift;

    $self->{next} += 2;

    return $self->{next} - 2;
}


# Sends octets on the control stream, or on another one.
sub octets {
    my ($self, $octets, %o) = @_;

    return $self->do('send', octets => $octets, %o);
}


# Sends a request, and waits for its answer, any message with its request_id.
sub ask {
    my ($self, $name, %m) = @_;

    my $id = $self->send($name, %m);

    return $self->message('REQUEST_OK|REQUEST_ERROR|SUBSCRIBE_OK|PUBLISH_OK'
                          . '|FETCH_OK', request_id => $id);
}


# Waits for the end of the connection.  Returns the name of the code for a close
# of the gateway's MoQ session, "quic N" for a close by QUIC, the text "idle",
# or undef if the connection goes on.
sub closed {
    my ($self, $seconds) = @_;

    my $event = $self->event('closed', undef, $seconds) // return undef;

    $self->{end} = $event;

    return $event->{by} if $event->{by} ne 'peer';
    return $event->{application} ? Parley::Moq::name_of($event->{code})
                                 : "quic $event->{code}";
}


# Returns the reason of the close that closed() returned.
sub reason { $_[0]{end}{reason} }


# Ends the connection, and waits for its end.
sub close {
    my ($self, %o) = @_;

    $self->do('close', %o);

    return $self->closed;
}


# Subscribes a track: a name in the namespace (a2a, parley), or in another one.
# Returns the answer.
sub subscribe {
    my ($self, $name, %m) = @_;

    my $space = delete $m{space} // ['a2a', 'parley'];

    return $self->ask('SUBSCRIBE', track_namespace => $space,
                      track_name => $name, %m);
}


# Makes the track of the agent's commands known.  Options: way (publish or
# namespace).  Sets the alias of the track.
sub track {
    my ($self, %o) = @_;

    my $agent = $o{agent} // $self->{agent};
    my $name = $o{name} // "$agent.0.cmd";
    my $space = ['a2a', $agent];

    if (($o{way} // 'publish') eq 'publish') {
        $self->{track} = $o{alias} // ++$self->{alias};

        return $self->ask('PUBLISH', track_namespace => $space,
                          track_name => $name,
                          track_alias => $self->{track});
    }

    my $answer = $self->ask('PUBLISH_NAMESPACE', track_namespace => $space);

    return $answer if !$answer || $answer->{message} ne 'REQUEST_OK';

    my $m = $self->message('SUBSCRIBE') // return undef;

    $self->{track} = $o{alias} // ++$self->{alias};
    $self->send('SUBSCRIBE_OK', request_id => $m->{request_id},
                track_alias => $self->{track});

    return $m;
}


# Waits for the CMD with a text in its payload.
sub mail {
    my ($self, $text, $seconds) = @_;

    return $self->event('cmd', sub {
        my $payload = $_[0]{json}{payload};

        return ref $payload eq 'HASH' && ($payload->{text} // '') eq $text;
    }, $seconds);
}


# Begins an agent session: the track of commands, session_init, and the track of
# answers.  Returns the CMD session_ack as event "cmd", or undef.  Options: way
# (of track()), answers (publish: the gateway's PUBLISH is accepted; subscribe:
# the client subscribes), token (auth_token), session_id, id (16 hex digits),
# payload, members (more of session_init), agent.
sub init {
    my ($self, %o) = @_;

    if (!$self->{track}) {
        my $answer = $self->track(%o) // return undef;

        return undef if $answer->{message} eq 'REQUEST_ERROR';
    }

    $self->{session_id} = $o{session_id} // uuid4();
    $self->{id} = $o{id} // unpack 'H16', Parley::Message::random_octets(8);

    my $answers = $o{answers} // 'publish';
    my $name = "parley.$self->{session_id}.cmd";

    $self->cmd({ action => 'session_init', session_id => $self->{session_id},
                 auth_token => $o{token}
                               // Parley::Moq::moq_token($self->{agent}),
                 payload => $o{payload} // {}, %{ $o{members} // {} } });

    if ($answers eq 'subscribe') {
        $self->{answers} = $self->subscribe($name);

        return undef if !$self->{answers}
                        || $self->{answers}{message} ne 'SUBSCRIBE_OK';
    } elsif ($answers eq 'publish') {
        $self->accept($name) // return undef;
    }

    my $ack = $self->answer(action => 'session_ack') // return undef;

    $self->{mailbox} = $ack->{json}{payload}{mailbox}
        if ref $ack->{json}{payload} eq 'HASH';

    return $ack;
}


# Waits for the gateway's PUBLISH of a track, a name or a pattern, and accepts
# it. Members are those of PUBLISH_OK.
sub accept {
    my ($self, $name, %m) = @_;

    my $event = $self->event('message', sub {
        my $m = $_[0]{message};

        return $m->{message} eq 'PUBLISH'
               && (ref $name ? $m->{track_name} =~ $name
                             : $m->{track_name} eq $name);
    }) // return undef;

    $self->send('PUBLISH_OK', request_id => $event->{message}{request_id}, %m)
        if !$self->{accepts};

    return $event->{message};
}


# Sends a frame on the track of commands, in a group of its own.  Options are
# those of put_frame() in codec.py, and apart (each frame on the open stream of
# the connection if 0; by default on a stream of its own).
sub frame {
    my ($self, %frame) = @_;

    my $apart = delete $frame{apart} // 1;

    $frame{session_id} //= $self->{id} // '0000000000000000';

    if (!$apart && $self->{open}) {
        return $self->do('object', stream => $self->{open},
                         objects => [{ frame => \%frame }]);
    }

    my $as = 'stream' . ++$self->{streams};

    $self->{open} = $as if !$apart;

    return $self->do('stream', as => $as, fin => $apart,
                     header => { track_alias => $self->{track},
                                 group => $self->{streams} - 1 },
                     objects => [{ frame => \%frame }]);
}


# Sends a CMD, in fragments above 1 400 octets.  Options: stream_id (the next
# one), session_id (of the frame), apart.  Returns the Stream ID.
sub cmd {
    my ($self, $value, %o) = @_;

    my $stream = $o{stream_id} // ++$self->{stream_id};
    my $text = ref $value ? Parley::Message::jcs($value) : $value;
    my @parts = $text =~ /(.{1,1400})/gs;
    my %frame = (type => 'CMD', stream_id => $stream,
                 $o{session_id} ? (session_id => $o{session_id}) : ());

    @parts = ('') if !@parts;

    # fragments are objects of one stream
    my @frames = map { {
        %frame, session_id => $frame{session_id} // $self->{id},
        payload => $parts[$_], flags => $_ < $#parts ? 4 : 0
    } } 0 .. $#parts;

    $self->do('stream', as => 'stream' . ++$self->{streams}, fin => 1,
              header => { track_alias => $self->{track},
                          group => $self->{streams} - 1 },
              objects => [map { { frame => $_ } } @frames]);

    return $stream;
}


# Waits for a CMD of the gateway, as event "cmd": json, session_id, stream_id,
# group, object.  Members that are given have to be equal.
sub answer {
    my ($self, %is) = @_;

    my $seconds = delete $is{seconds};

    return $self->event('cmd', sub {
        my $value = $_[0]{json} // return 0;

        for (keys %is) {
            return 0 if !defined $value->{$_} || $value->{$_} ne $is{$_};
        }

        return 1;
    }, $seconds);
}


# Sends a CMD, and waits for the answer with its Stream ID.
sub call {
    my ($self, $value, %o) = @_;

    my $stream = $self->cmd({ session_id => $self->{session_id}, %$value },
                            %o);

    return $self->event('cmd', sub { $_[0]{stream_id} == $stream });
}


1;
