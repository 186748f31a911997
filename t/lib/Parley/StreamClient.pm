package Parley::StreamClient;

# Clients of event streams that others wrote: npm's "eventsource", curl, and
# Python's standard library.
#
#     my @clients = Parley::StreamClient->all(token => $token, url => sub { });
#     my $client = Parley::StreamClient->start(%{ $clients[0] });
#     is_deeply($client->texts(3), \@texts);

use strict;
use warnings;

use File::Copy qw(copy);
use IO::Select;
use Time::HiRes qw(time);

use Parley::Env qw(root tls tmp_dir);
use Parley::Streams ();

use constant PATIENCE => 60;


# Returns the clients: name; command (for the last id); again: the test runs
# the command again when it ends; without: the reason if it is missing;
# ids_of_events: ignores an id without data.  Options: token; url, a function of
# the scheme, the number of the port and the session.
sub all {
    my ($class, %o) = @_;

    my ($token, $url) = @o{qw(token url)};
    my $dir = tmp_dir() . '/clients';
    my $node = $ENV{PARLEY_NODE} // 'node';
    my ($cert) = tls();

    $ENV{NODE_EXTRA_CA_CERTS} = $cert;

    mkdir $dir or die "$dir: $!\n";
    copy(root() . '/t/stream-clients/eventsource.mjs', "$dir/eventsource.mjs")
        or die "copy: $!\n";
    symlink root() . '/build/mcp/node_modules', "$dir/node_modules"
        or die "node_modules: $!\n";

    my $npm = system("$node --version > /dev/null 2>&1") != 0
              ? 'no node: install nodejs'
            : !-e root() . '/build/mcp/installed'
              ? 'no eventsource: tools/install-deps test gets it by npm' : '';
    my $curl = `curl --version 2>/dev/null` // '';
    my $python = system('python3 --version > /dev/null 2>&1') != 0
                 ? 'no python3' : '';

    my $by_curl = sub {
        my ($session, $scheme, $port, @options) = @_;

        return { name => "curl @options", again => 1, command => sub {
                     return (qw(curl -q -s -N -g --noproxy * --cacert), $cert,
                             @options, '-H', "Authorization: $token",
                             defined $_[0] ? ('-H', "Last-Event-ID: $_[0]")
                                           : (),
                             $url->($scheme, $port, $session)) } };
    };

    return (
        { name => 'eventsource', without => $npm, ids_of_events => 1,
          command => sub {
              return ($node, "$dir/eventsource.mjs",
                      $url->('http', 1, 'npm'), $token) } },
        { name => 'eventsource, TLS', without => $npm, ids_of_events => 1,
          command => sub {
              return ($node, "$dir/eventsource.mjs",
                      $url->('https', 4, 'npm-tls'), $token) } },
        map({ +{ %$_, without => $curl ? '' : 'no curl' } }
            $by_curl->('curl', 'http', 1, '--http1.1'),
            $by_curl->('curl-tls', 'https', 4, '--http1.1', '--tlsv1.2')),
        { %{ $by_curl->('curl-h2', 'https', 5, '--http2') },
          without => $curl =~ /\bHTTP2\b/ ? '' : 'no curl with HTTP/2' },
        { name => 'python3', without => $python, command => sub {
              return ('python3', root() . '/t/stream-clients/listen.py',
                      $url->('http', 1, 'python'), $token, $cert) } },
        { name => 'python3, TLS', without => $python, command => sub {
              return ('python3', root() . '/t/stream-clients/listen.py',
                      $url->('https', 4, 'python-tls'), $token, $cert) } },
    );
}


sub start {
    my ($class, %o) = @_;

    my $self = bless { %o, events => [], runs => 0, open => 0,
                       seen => 0, owner => $$ }, $class;

    $self->run;

    return $self;
}


sub run {
    my $self = shift;

    my @command = $self->{command}->($self->{last});

    $self->{text} = '';
    $self->{runs}++;
    $self->{pid} = open($self->{out}, '-|', @command)
        // die "$command[0]: $!\n";
}


# Reads the available output, for at most that many seconds.
sub fill {
    my ($self, $seconds) = @_;

    return if !IO::Select->new($self->{out})->can_read($seconds);

    if (!sysread $self->{out}, $self->{text}, 65536, length $self->{text}) {
        close $self->{out};
        die "$self->{name} ended\n" if !$self->{again};
        return $self->run;
    }

    while ($self->{text} =~ s/\A(.*?)\n\n//s) {
        my $block = $1;
        my $event = Parley::Streams::Stream::parse($block);

        print STDERR "$self->{name}: $block\n" if $ENV{PARLEY_TEST_VERBOSE};

        # curl prints only the stream, so its runs are counted at the beginning
        if ($self->{again} ? $self->{open} < $self->{runs}
                           : $block eq ': open')
        {
            $self->{open}++;
        }

        next if !$event;

        $self->{last} = $event->{id} if defined $event->{id};
        push @{ $self->{events} }, $event;
    }
}


# Waits until a condition is true; returns whether it is.
sub until {
    my ($self, $what) = @_;

    my $until = time + PATIENCE;

    while (!$what->()) {
        return 0 if time > $until;
        $self->fill(0.2);
    }

    return 1;
}


# Returns whether the stream was opened since the last call.
sub opened {
    my $self = shift;

    return 0 if !$self->until(sub { $self->{open} > $self->{seen} });

    $self->{seen} = $self->{open};

    return 1;
}


# Returns the texts of frames, once there are n.
sub texts {
    my ($self, $n) = @_;

    my $texts = sub {
        return map { $_->{json}{payload}{advisory_text} // () }
               grep { ref $_->{json} eq 'HASH' } @{ $self->{events} };
    };

    $self->until(sub { $texts->() >= $n });

    return [$texts->()];
}


sub leave {
    my $self = shift;

    my $pid = delete $self->{pid} or return;

    return if $self->{owner} != $$;

    local ($?, $!);

    kill 'TERM', $pid;
    close $self->{out};
}


sub DESTROY { $_[0]->leave }


1;
