package Parley::Browser;

# Debian's Chromium without a screen, driven by WebDriver (chromedriver).
#
#     my $browser = Parley::Browser->start(port => port(9));   # undef: none
#     $browser->open('http://127.0.0.1:...');
#     is($browser->run('return document.title'), ...);
#
# The browser ends with the object.

use strict;
use warnings;

use File::Temp ();
use HTTP::Tiny;
use JSON::PP ();
use MIME::Base64 qw(decode_base64);
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

use constant PATIENCE => 30;

my $json = JSON::PP->new->utf8->allow_nonref;


# Starts the browser.  port: a free port; insecure: accept any certificate.
# Returns undef if no such browser is installed.
sub start {
    my ($class, %o) = @_;

    my ($driver, $chromium)
        = map { my $name = $_; (grep { -x } map { "$_/$name" }
                                split /:/, $ENV{PATH})[0] }
              qw(chromedriver chromium);

    return if !$driver || !$chromium;

    my $self = bless { base => "http://127.0.0.1:$o{port}", owner => $$,
                       http => HTTP::Tiny->new(timeout => 60),
                       dir => File::Temp->newdir('parley-browser-XXXXXX',
                                                 TMPDIR => 1) }, $class;

    $self->{pid} = fork // die "fork: $!\n";

    if ($self->{pid} == 0) {
        setpgrp;
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', "$self->{dir}/log";
        open STDERR, '>&', \*STDOUT;
        exec $driver, "--port=$o{port}" or POSIX::_exit(127);
    }

    my $until = time + PATIENCE;

    until ($self->{http}->get("$self->{base}/status")->{success}) {
        die "chromedriver does not start\n" if time > $until;
        sleep 0.1;
    }

    my $session = $self->ask(POST => '/session', {
        capabilities => { alwaysMatch => {
            $o{insecure} ? (acceptInsecureCerts => JSON::PP::true) : (),
            'goog:loggingPrefs' => { browser => 'ALL' },
            'goog:chromeOptions' => {
                binary => $chromium,
                args => [ qw(--headless --no-sandbox --disable-gpu
                             --disable-quic --no-first-run
                             --disable-background-networking
                             --disable-component-update --disable-sync
                             --disable-dev-shm-usage),
                          "--user-data-dir=$self->{dir}/profile" ],
            },
        } },
    });

    $self->{base} .= "/session/$session->{sessionId}";

    return $self;
}


# Runs a command of WebDriver and returns its value.
sub ask {
    my ($self, $method, $path, $body) = @_;

    my $r = $self->{http}->request($method, "$self->{base}$path", {
        headers => { 'Content-Type' => 'application/json' },
        defined $body ? (content => $json->encode($body)) : (),
    });
    my $value = eval { $json->decode($r->{content})->{value} };

    die "WebDriver: $path: $r->{status} $r->{content}\n" if !$r->{success};

    return $value;
}


sub open {
    my ($self, $url) = @_;

    $self->ask(POST => '/url', { url => $url });
}


# Runs a script and returns its result.
sub run {
    my ($self, $script, @args) = @_;

    return $self->ask(POST => '/execute/sync', { script => $script,
                                                 args => [@args] });
}


# Waits until a script returns a true value, and returns that value.
sub wait_for {
    my ($self, $script) = @_;

    my $until = time + PATIENCE;

    while (time < $until) {
        my $got = $self->run($script);
        return $got if $got;
        sleep 0.2;
    }

    return;
}


sub press {
    my ($self, $key) = @_;

    $self->ask(POST => '/actions', { actions => [ {
        type => 'key', id => 'keyboard',
        actions => [ { type => 'keyDown', value => $key },
                     { type => 'keyUp', value => $key } ],
    } ] });
}


# Types a text into the element that has the focus.
sub type {
    my ($self, $text) = @_;

    my ($element) = values %{ $self->ask(GET => '/element/active') };

    $self->ask(POST => "/element/$element/value", { text => $text });
}


# Returns the window that has the focus; opens another one and gives it the
# focus; gives a window the focus.
sub window { return $_[0]->ask(GET => '/window') }

sub new_window {
    my ($self) = @_;

    my $window = $self->ask(POST => '/window/new', { type => 'window' });

    $self->to_window($window->{handle});

    return $window->{handle};
}

sub to_window {
    my ($self, $window) = @_;

    $self->ask(POST => '/window', { handle => $window });
}


# Closes the window that has the focus.
sub close_window { $_[0]->ask(DELETE => '/window') }


sub devtools {
    my ($self, $command, %params) = @_;

    return $self->ask(POST => '/goog/cdp/execute',
                      { cmd => $command, params => \%params });
}


sub size {
    my ($self, $width, $height) = @_;

    $self->devtools('Emulation.setDeviceMetricsOverride', width => $width,
                    height => $height, deviceScaleFactor => 1,
                    mobile => JSON::PP::false);
}


# Sets the color scheme, "dark" or "light".
sub scheme {
    my ($self, $scheme) = @_;

    $self->devtools('Emulation.setEmulatedMedia', features => [
        { name => 'prefers-color-scheme', value => $scheme } ]);
}


# Returns the lines of the console since the last call.
sub console {
    return map { "$_->{level} $_->{message}" }
           @{ $_[0]->ask(POST => '/se/log', { type => 'browser' }) };
}


# Writes a picture of the whole page, as PNG.
sub picture {
    my ($self, $file) = @_;

    my $shot = $self->devtools('Page.captureScreenshot',
                               captureBeyondViewport => JSON::PP::true);

    CORE::open(my $out, '>:raw', $file) or die "$file: $!\n";
    print $out decode_base64($shot->{data});
    close $out or die "$file: $!\n";
}


sub DESTROY {
    my $self = shift;

    return if !$self->{pid} || $self->{owner} != $$;

    local ($?, $@);

    eval { $self->ask(DELETE => '') };
    kill TERM => -$self->{pid};

    my $until = time + 5;
    sleep 0.05 while waitpid($self->{pid}, WNOHANG) == 0 && time < $until;

    kill KILL => -$self->{pid};
    waitpid $self->{pid}, 0;
}


1;
