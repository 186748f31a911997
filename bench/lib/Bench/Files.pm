package Bench::Files;

# The folders and files: the project, its build, and the benchmarks' own folder
# with programs, keys, tokens and configurations.

use strict;
use warnings;

use Cwd qw(abs_path);
use Exporter 'import';
use File::Path qw(make_path remove_tree);
use FindBin;
use JSON::PP ();
use MIME::Base64 qw(decode_base64url);

our @EXPORT_OK = qw(%bench prepare prepare_streams prepare_sockets
                    prepare_pass prepare_chat prepare_moq mint run output slurp
                    spew);

my $root = abs_path("$FindBin::Bin/..");
my $build = $ENV{PARLEY_BUILD} || "$root/build";

our %bench = (
    root    => $root,
    build   => $build,
    dir     => "$build/bench",
    tool    => "$build/parley",
    library => "$build/libparley.a",
    module  => $ENV{PARLEY_MODULE} || "$build/ngx_http_parley_module.so",
    nginx   => '/usr/sbin/nginx',
);

# The first one has the tokens, and signs its messages with a key in the
# identities.  It sends constraints to the last one.
my @principals = (
    { sub => 'child-7', aee => 'agent.child-7',
      vcp => 'agent://ops.example/child-7', c2a => 'agent:child-7',
      handle => '~cc-child-7', instrument => '~cc-child-7@1.0',
      parent => 'parent-1', human => '~parent-1' },
    { sub => 'parent-1', aee => 'agent.parent-1',
      vcp => 'agent://ops.example/parent-1', c2a => 'agent:parent-1',
      handle => '~parent-1' },
    { sub => 'worker-2', aee => 'agent.worker-2',
      vcp => 'agent://ops.example/worker-2', parent => 'child-7' },
);

# number of tokens that a gateway has not seen yet
use constant TOKENS => 120;


sub slurp {
    my $path = shift;

    open my $in, '<:raw', $path or die "$path: $!\n";
    local $/;

    return scalar(<$in>) // '';
}


sub spew {
    my ($path, $text) = @_;

    open my $out, '>:raw', $path or die "$path: $!\n";
    print $out $text;
    close $out or die "$path: $!\n";
}


# Runs a command that must succeed.
sub run {
    system(@_) == 0 or die "bench: command failed: @_\n";
}


# As run(), but returns the standard output.
sub output {
    open my $in, '-|', @_ or die "$_[0]: $!\n";
    my $text = do { local $/; <$in> } // '';
    close $in or die "bench: command failed: @_\n";

    return $text;
}


sub prepare {
    begin();

    compile('client', libraries(), 'bench_clock', 'bench_http', 'bench_answer',
            'bench_service', 'bench_message', 'bench_message_text');
    compile('pure', libraries(), 'bench_cases', 'bench_pairs', 'bench_crypto',
            'bench_state', 'bench_host', 'bench_moqt', 'bench_message',
            'bench_message_text', 'bench_answer', 'bench_http');

    make_keys();
    make_tokens();
}


# Prepares the client of the benchmark of streams and an issuer of tokens.
sub prepare_streams {
    begin();

    compile('stream', ['-lpthread'], 'bench_listener', 'bench_publisher',
            'bench_probe', 'bench_request', 'bench_workers', 'bench_clock',
            'bench_fail', 'bench_http');
    my @tls = split ' ', output(qw(pkg-config --cflags --libs openssl));

    compile('idle', \@tls, 'bench_h2', 'bench_tls', 'bench_request',
            'bench_workers', 'bench_clock', 'bench_fail', 'bench_http');

    make_issuer();
    make_certificate();
}


# Prepares the client of the benchmark of WebSockets.
sub prepare_sockets {
    begin();

    compile('socket', [], 'bench_clock', 'bench_fail');

    make_issuer();
}


# Prepares the client of the benchmark of existing services.
sub prepare_pass {
    begin();

    compile('pass', [], 'bench_clock', 'bench_fail', 'bench_http');

    make_issuer();
}


# Prepares the keys of the benchmark of MoQ.
sub prepare_moq {
    begin();
    make_issuer();
    make_certificate();
}


# Prepares the client of the benchmark of the host of chat.
sub prepare_chat {
    begin();

    compile('client', libraries(), 'bench_clock', 'bench_http', 'bench_answer',
            'bench_service', 'bench_message', 'bench_message_text');

    make_keys();
}


sub begin {
    for my $need (qw(tool library)) {
        -e $bench{$need} or die "bench: $bench{$need} is missing\n";
    }

    remove_tree($bench{dir});
    make_path($bench{dir});
}


# Returns the options that link the library and its dependencies.
sub libraries {
    my @packages = qw(jansson libsodium libpcre2-8 libcrypto);

    return [ $bench{library}, split ' ', output('pkg-config', '--cflags',
                                                '--libs', @packages) ];
}


sub compile {
    my ($name, $libraries, @others) = @_;

    my $cc = $ENV{CC} || 'gcc';

    run($cc, qw(-std=gnu11 -O2 -g -Wall -Wextra -Werror -Wshadow),
        qw(-Wstrict-prototypes -Wmissing-prototypes),
        "-I$root",
        '-o', "$bench{dir}/bench_$name",
        map({ "$root/bench/$_.c" } "bench_$name", @others), @$libraries);
}


sub make_issuer {
    my $dir = $bench{dir};

    run($bench{tool}, 'keygen', '--alg', 'rs256', '--kid', 'issuer-1',
        '-o', "$dir/issuer.jwk");
    spew("$dir/jwks.json", output($bench{tool}, 'jwks', "$dir/issuer.jwk"));
}


# Makes a certificate for the TLS server.  The client does not check it.
sub make_certificate {
    my $dir = $bench{dir};

    my $said = `openssl req -x509 -newkey ec \\
        -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 \\
        -subj /CN=gateway.example -keyout $dir/tls.key -out $dir/tls.crt 2>&1`;

    die "bench: openssl: $said\n" if $?;
}


sub make_keys {
    my $json = JSON::PP->new->canonical;
    my $dir = $bench{dir};

    make_issuer();

    run($bench{tool}, 'keygen', '--alg', 'ed25519', '--kid', 'child-7-1',
        '-o', "$dir/sender.jwk");

    my $key = $json->decode(slurp("$dir/sender.jwk"));
    my $seed = decode_base64url($key->{d});

    spew("$dir/seed", $seed);
    $bench{seed} = unpack 'H*', $seed;

    my $public = $json->decode(output($bench{tool}, 'keygen', '--public',
                                      "$dir/sender.jwk"));

    spew("$dir/sender.pub.jwk", $json->encode($public));

    $principals[0]{keys} = [ $public ];
    spew("$dir/identities.json",
         $json->encode({ principals => \@principals }));
}


# Makes tokens.  The first one is used repeatedly.
sub make_tokens {
    my @tokens;

    for my $i (0 .. TOKENS) {
        push @tokens, mint(qw(--sub child-7 --scope), 'ops:run vcp:send',
                           '--jti', sprintf('token-%06d', $i));
    }

    spew("$bench{dir}/token", "$tokens[0]\n");
    spew("$bench{dir}/tokens", join '', map { "$_\n" } @tokens);
}


# Makes a token of the issuer.
sub mint {
    my @claims = @_;

    my $token = output($bench{tool}, qw(token mint --key),
                       "$bench{dir}/issuer.jwk",
                       qw(--iss https://id.example --aud agents), @claims);
    chomp $token;

    return $token;
}


1;
