# Places of parley_status and parley_health, and the errors of nginx -t.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Checked;
use Parley::Gateway;
use Parley::Nginx;

my $http = http_config();


sub server { return "$http\nserver { listen 127.0.0.1:%PORT_3%;\n$_[0]\n}\n" }


# Checks that a location is valid, and its warning.
sub right {
    my ($name, $text, $warned) = @_;

    my ($status, $said) = check(server($text));

    is($status, 0, $name) or diag($said);

    if ($warned) {
        like($said, qr/\[warn\] .*$warned.* in \S+:\d+/, "$name: a warning");
        is(() = $said =~ /\[warn\]/g, 1, "$name: one");
    } else {
        unlike($said, qr/\[warn\]/, "$name: no warning");
    }
}


# parley explain needs a location that accepts messages
sub refused {
    my ($name, $text, $why) = @_;

    wrong($name, server("$text\nlocation /in { parley_accept aee; "
                        . 'parley_jwt on; proxy_pass http://127.0.0.1:1; }'),
          $why);
}


my $open = 'location "/s" of "parley_status" is open to all callers';

right('OPS-01 open to everybody', 'location /s { parley_status; }', $open);
right("OPS-01 $_", "location /s { parley_status; $_ }")
    for 'allow 127.0.0.1; deny all;', 'deny all;', 'internal;',
        'auth_basic x; auth_basic_user_file x;', 'auth_request /in;';
right('OPS-01 of the server', 'deny all; location /s { parley_status; }');
right('OPS-01 what restricts messages does not restrict it',
      'parley_jwt on audience=agents; location /s { parley_status; }',
      $open);
right('OPS-03 health is for everybody',
      'location /l { parley_health live; } '
      . 'location /r { parley_health ready; }');
right('OPS-01 what the server accepts does not come to it',
      'parley_accept aee; parley_jwt on audience=agents; parley_trusted on; '
      . 'location /s { parley_status; deny all; } '
      . 'location /l { parley_health live; }');
right('OPS-01 more than one', 'location /s { parley_status; deny all; } '
      . 'location /t { parley_status; deny all; }');

my $alone = 'answers requests itself; expected a location without';

for my $it ('parley_status', 'parley_health ready', 'parley_public_keys',
            'parley_moq_endpoint moqt://a/b')
{
    my ($name) = split ' ', $it;

    refused("OPS-01 $it and parley_accept",
            "location /s { $it; parley_accept aee; parley_jwt on; }",
            qr/"$name" $alone "parley_accept"/);
    refused("OPS-01 $it and proxy_pass",
            "location /s { $it; proxy_pass http://127.0.0.1:1; }",
            qr/"$name" $alone "proxy_pass" or another content handler/);
    refused("OPS-01 proxy_pass and $it",
            "location /s { proxy_pass http://127.0.0.1:1; $it; }",
            qr/"$name" $alone "proxy_pass" or another content handler/);
    refused("OPS-01 $it and parley_jwt",
            "location /s { $it; parley_jwt on; }",
            qr/"parley_jwt" has no effect: "$name" in this location/)
        if $name ne 'parley_moq_endpoint';
    refused("OPS-01 $it twice", "location /s { $it; $it; }",
            qr/"$name" directive is duplicate/);
}

refused('OPS-01 both', 'location /s { parley_status; parley_health live; }',
        qr/"parley_status" $alone "parley_health"/);
refused('OPS-09 two of them',
        'location /s { parley_public_keys; parley_health live; }',
        qr/"parley_health" $alone "parley_public_keys"/);
refused('OPS-09 a word', 'location /s { parley_public_keys all; }',
        qr/invalid number of arguments in "parley_public_keys" directive/);
refused('OPS-09 in a server', 'parley_public_keys;',
        qr/"parley_public_keys" directive is not allowed here/);
refused('OPS-01 beside return',
        'location /s { parley_health live; return 200; }',
        qr/"parley_health" $alone "return", which answers first/);
refused('MOQ-08 beside return',
        'location /s { parley_moq_endpoint moqt://a/b; return 200; }',
        qr/"parley_moq_endpoint" $alone "return", which answers first/);
refused('MOQ-08 two of them',
        'location /s { parley_public_keys; parley_moq_endpoint moqt://a/b; }',
        qr/"parley_public_keys" $alone "parley_moq_endpoint"/);
refused("MOQ-08 $_->[0]", "location /s { parley_moq_endpoint $_->[0]; }",
        qr/"parley_moq_endpoint": "\Q$_->[0]\E" $_->[1]/)
    for ['https://a/b', qr/is not a moqt URI; expected moqt:/],
        ['moqt', qr/is not a moqt URI/],
        ['moqt://a', qr{has no path; expected moqt://host\[:port\]/path}],
        ['moqt://a?b', qr/has no path/],
        ['moqt:///b', qr/has an invalid host or port/],
        ['moqt://a:0/b', qr/has an invalid host or port/],
        ['moqt://a:65536/b', qr/has an invalid host or port/],
        ['moqt://a@b/c', qr/has a userinfo; expected moqt:/],
        ['moqt://a/b"c', qr/has an octet that is not allowed in a URL/];
refused('MOQ-08 no word', 'location /s { parley_moq_endpoint; }',
        qr/invalid number of arguments in "parley_moq_endpoint" directive/);
refused('MOQ-08 in a server', 'parley_moq_endpoint moqt://a/b;',
        qr/"parley_moq_endpoint" directive is not allowed here/);
refused('MOQ-08 a rule without a proof',
        'location /s { parley_moq_endpoint moqt://a/b; parley_allow role=a; }',
        qr/"parley_allow" has no effect: "parley_moq_endpoint" in this/);
refused('MOQ-08 a rule of a message',
        'location /s { parley_moq_endpoint moqt://a/b; parley_jwt on; '
        . 'parley_trusted on; parley_allow type=task; }',
        qr/"parley_allow" has "type=", which has no effect in location/);
right('MOQ-08 with a proof',
      'parley_accept aee; parley_jwt on audience=agents; parley_trusted on; '
      . 'location /s { parley_moq_endpoint moqt://a/b; '
      . 'parley_jwt on audience=agents; parley_allow role=a; }');
right('MOQ-08 without a proof, beside messages of the server',
      'parley_accept aee; parley_jwt on audience=agents; parley_trusted on; '
      . 'location /s { parley_moq_endpoint moqt://a:1/b; }');

right('OPS-09 the public keys are for everybody',
      'location /k { parley_public_keys; }');
refused('OPS-01 another word', 'location /s { parley_status on; }',
        qr/"parley_status": "on" is unknown; expected suspended=/);
refused('OPS-01 a word too many',
        'location /s { parley_status suspended=5 suspended=6; }',
        qr/invalid number of arguments in "parley_status" directive/);
refused("OPS-01 $_", "location /s { parley_status $_; deny all; }",
        qr/"parley_status": "$_" is not (?:a number|in the range); expected 1 to 1000/)
    for 'suspended=0', 'suspended=', 'suspended=1001', 'suspended=-1',
        'suspended=all';
refused('OPS-01 VCP-26 names, open to everybody',
        'location /s { parley_status suspended=5; }',
        qr/location "\/s" of "parley_status suspended=" is open to all callers/);
right("OPS-01 VCP-26 names, with $_",
      "location /s { parley_status suspended=1000; $_ }")
    for 'allow 127.0.0.1; deny all;', 'internal;',
        'auth_basic x; auth_basic_user_file x;';
refused('OPS-03 no word', 'location /s { parley_health; }',
        qr/invalid number of arguments in "parley_health" directive/);
refused('OPS-03 another word', 'location /s { parley_health up; }',
        qr/"parley_health": "up" is unknown; expected live or ready/);
refused('OPS-01 in a server', 'parley_status;',
        qr/"parley_status" directive is not allowed here/);

for my $it ('parley_status', 'parley_health live') {
    my ($status, $said) = check("server { listen 127.0.0.1:%PORT_3%;\n"
                                . "location /s { $it; } }");

    is($status, 1, "OPS-01 $it without a zone");
    like($said, qr/"parley_status" and "parley_health" need "parley_zone" in/);
}

done_testing;
