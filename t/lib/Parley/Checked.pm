package Parley::Checked;

# Configurations that nginx -t refuses, with where and why; parley explain says
# the same of each.

use strict;
use warnings;

use Exporter 'import';
use Test::More;

use Parley::Nginx;
use Parley::Tool qw(tool);

our @EXPORT = qw(check wrong bare);


# nginx -t of what stands in http: (status, the line that begins with nginx:)
sub check {
    my ($status, $said) = Parley::Nginx->check(http => $_[0]);

    return ($status, $said);
}


# wrong: a name, http, and what has to be said, with file and line
sub wrong {
    my ($name, $http, $why) = @_;

    subtest "GW-11 GW-16 $name" => sub {
        my ($status, $said) = check($http);

        is($status, 1, 'exit status');
        like($said, $why, 'why');
        like($said, qr{nginx\.conf:\d+|\.(?:json|jwk)" line \d+}, 'where');
        unlike($said, qr/test is successful/);

        # a warning goes before what it is about
        my ($why, $file, $line)
            = ($said =~ /^nginx: \[(?:emerg|warn)\] (.*) in (\S+):(\d+)$/mg)
              [-3, -2, -1];
        my ($explained, undef, $err)
            = tool('explain', '--conf', $file, '--location', '/in');

        is($explained, 2, 'explained: exit status');
        is($err, "parley: $file:$line: $why\n", 'the same is said');
    };
}


# a location with nothing but this
sub bare {
    my ($http, $directives) = @_;

    return "$http\nserver { listen 127.0.0.1:%PORT_3%;\nlocation /in {\n"
         . "$directives\nproxy_pass http://127.0.0.1:1;\n} }\n";
}


1;
