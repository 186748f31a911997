package Parley::Checked;

# Checks configurations that nginx -t refuses.  The error must name the place
# and the reason, and parley explain must report the same error.

use strict;
use warnings;

use Exporter 'import';
use Test::More;

use Parley::Nginx;
use Parley::Tool qw(tool);

our @EXPORT = qw(check wrong bare);


# Runs nginx -t with the text of http.  Returns (status, lines that begin with
# "nginx:").
sub check {
    my ($status, $said) = Parley::Nginx->check(http => $_[0]);

    return ($status, $said);
}


# Tests a wrong configuration: a name, the text of http, and a pattern for the
# error with file and line.
sub wrong {
    my ($name, $http, $why) = @_;

    subtest "GW-11 GW-16 $name" => sub {
        my ($status, $said) = check($http);

        is($status, 1, 'exit status');
        like($said, $why, 'why');
        like($said, qr{nginx\.conf:\d+|\.(?:json|jwk)" line \d+}, 'where');
        unlike($said, qr/test is successful/);

        # nginx prints a warning before the error that follows from it
        my ($why, $file, $line)
            = ($said =~ /^nginx: \[(?:emerg|warn)\] (.*) in (\S+):(\d+)$/mg)
              [-3, -2, -1];
        my ($explained, undef, $err)
            = tool('explain', '--conf', $file, '--location', '/in');

        is($explained, 2, 'explained: exit status');
        is($err, "parley: $file:$line: $why\n", 'the same is said');
    };
}


# Returns http with a location that has only these directives.
sub bare {
    my ($http, $directives) = @_;

    return "$http\nserver { listen 127.0.0.1:%PORT_3%;\nlocation /in {\n"
         . "$directives\nproxy_pass http://127.0.0.1:1;\n} }\n";
}


1;
