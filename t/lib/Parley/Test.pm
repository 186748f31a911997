package Parley::Test;

# Test::Nginx::Socket with the module under test loaded, on ports and in a
# directory that no other test has, and with sections for messages.
# docs/testing.md says how to write a test.

use strict;
use warnings;

# Before Test::Nginx is compiled: so its END block, which stops nginx, runs
# before that of Parley::Env, which looks for the sanitizers' reports.
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

    # loopback answers at once; what is slow here is a busy machine
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

    # it asks ps, several times for each block
    *Test::Nginx::Util::is_defunct = sub ($) {
        my $stat = eval { Parley::Env::slurp("/proc/$_[0]/stat") } // '';

        return $stat =~ /\) Z [^)]*$/;
    };

    # Test::Nginx bails out of the whole run where its nginx does not start:
    # here that is the end of one file
    *Test::Builder::BAIL_OUT = sub {
        my (undef, $why) = @_;

        print STDERR "# $why\n";
        exit 255;
    };
}

# Spiffy would make methods of subs written here
require Parley::Test::Sections;

1;
