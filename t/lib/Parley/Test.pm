package Parley::Test;

# Test::Nginx::Socket with the module under test loaded, with ports and a
# directory of its own, and with sections for messages.  docs/testing.md says
# how to write a test.

use strict;
use warnings;

# Before Test::Nginx is compiled: so its END block, which stops nginx, runs
# before the END block of Parley::Env, which reads the sanitizers' reports.
BEGIN {
    require Parley::Env;

    my ($cert, $key) = Parley::Env::tls();

    $ENV{TEST_NGINX_BINARY} = Parley::Env::nginx_binary();
    $ENV{TEST_NGINX_LOAD_MODULES} = join ' ',
        grep { $_ } Parley::Env::load_module(),
                    split ' ', $ENV{TEST_NGINX_LOAD_MODULES} // '';
    $ENV{TEST_NGINX_SERVROOT} = Parley::Env::tmp_dir() . '/servroot';
    $ENV{TEST_NGINX_PORT} = Parley::Env::port(10);
    $ENV{TEST_NGINX_STREAM_PORT} = Parley::Env::port(11);
    $ENV{"TEST_NGINX_PORT_$_"} = Parley::Env::port($_) for 1 .. 9;
    $ENV{TEST_NGINX_TLS_CERT} = $cert;
    $ENV{TEST_NGINX_TLS_KEY} = $key;
    $ENV{TEST_NGINX_TMP} = Parley::Env::tmp_dir();
    $ENV{TEST_NGINX_ROOT} = Parley::Env::root();
    $ENV{TEST_NGINX_NO_SHUFFLE} = 1;

    # loopback answers at once; only a busy machine is slow
    $ENV{TEST_NGINX_TIMEOUT} //= 10;

    delete @ENV{qw(TEST_NGINX_RANDOMIZE TEST_NGINX_SERVER_PORT)};
}

use Test::Nginx::Socket -Base;

our @EXPORT;

BEGIN {
    no strict 'refs';
    no warnings 'redefine';

    @EXPORT = qw(root build_dir tmp_dir port tls parley parley_try slurp spew
                 with_gateway service);
    *{"Parley::Test::$_"} = \&{"Parley::Env::$_"}
        for qw(root build_dir tmp_dir port tls parley parley_try slurp spew);

    # the original runs ps several times for each block
    *Test::Nginx::Util::is_defunct = sub ($) {
        my $stat = eval { Parley::Env::slurp("/proc/$_[0]/stat") } // '';

        return $stat =~ /\) Z [^)]*$/;
    };

    # Test::Nginx ends the whole run if its nginx does not start.  Here only
    # the one file ends.
    *Test::Builder::BAIL_OUT = sub {
        my (undef, $why) = @_;

        print STDERR "# $why\n";
        exit 255;
    };
}

# Spiffy would make methods of functions in this file
require Parley::Test::Sections;

1;
