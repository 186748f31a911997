# OPS-10: the commands of docs/tutorial-chat.md run unchanged, in one shell,
# with their own nginx.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Env qw(load_module port);
use Parley::Pages;

plan skip_all => 'the module is part of this nginx' if load_module() eq '';

# the output of a step, by its heading and its number below the heading
my %says = (
    '2. The host 1' => [err => qr/nginx\.conf test is successful/],
    '3. The surface posts a message 2' =>
        [out => qr/"eventId":"m1","addressed":\[\{"to":"agent:ada","row":"dm",
                   "directedness":"to_me","policy":"must_respond",
                   "mode":"buffered"\}\]/x],
    '4. The agent reads it 1' =>
        [out => qr/^data:\ \{"jsonrpc":"2\.0","id":"m1\#1\.[0-9a-f]{8}",
                   "method":"chat\/deliver",.*Is\ the\ deploy\ done\?/mx],
    '4. The agent reads it 2' =>
        [out => qr/\A\n.*"accepted":true,"eventId":"a-.*
                   "disposition":"responded"/x],
    '4. The agent reads it 3' =>
        [out => qr/"author":\{"id":"ada","kind":"agent"\},"target":
                   \{"inReplyTo":"m1".*Yes,\ an\ hour\ ago\./x],
    '5. The author edits and deletes 1' =>
        [out => qr/"eventId":"m2".*\n.*"eventId":"m3","addressed":\[\]/],
    '6. A message without an answer 1' =>
        [out => qr/"eventId":"m4:escalated:1","of":"m4","escalatedFrom":
                   "agent:ada".*\n.*parley:\ an\ event\ was\ not\ answered\ and
                   \ goes\ up\ to\ "will",\ from\ "human:web\.main\.guest",\ id
                   \ "m4"/x],
);

# the machine may be busy
my @steps = follow('tutorial-chat.md', rules => 'OPS-10 GW-11 C2A-01',
                   folder => 'first-host', ports => { 8443 => port(1) },
                   sleeps => { 12 => 15 }, says => \%says,
                   log => 'alert|emerg|crit|error');

unlike($steps[2]{err}, qr/\[warn\]/, 'nginx -t has no warning');

done_testing();
