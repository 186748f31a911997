# Messages to a name of the gateway are answered by it or refused, in every
# protocol and spelling.  Empty labels of intents and buses are refused.  A
# scope of an organisation is checked before a service gets the message, as for
# a publication.  Tools print a character of foreign text by its number if it
# would change the direction of the text.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port tmp_dir spew);
use Parley::Gateway;
use Parley::Matrix ();
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Tool ();
use Parley::Upstream;

my $service = Parley::Upstream->start(port(2));
my @all = qw(aee vcp vcp2 c2a channel moq);

my $nginx = Parley::Nginx->start(workers => 1, http => streams_http(
    locations => join '', map { <<"EOT" } qw(aee c2a channel)));
        location = /to/$_ {
            parley_jwt on; parley_accept aee vcp vcp2 c2a channel moq;
            parley_speak $_;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOT


sub said {
    my ($to, $m, @o) = @_;

    return submit($m, as => 'alice', uri => "/to/$to", @o);
}


sub by_aee {
    my ($to, %o) = @_;

    return aee(type => 'event', intent => 'ops.note', to => $to,
               payload => { text => 'x' }, %o);
}


sub by_c2a {
    my ($to, %o) = @_;

    return Parley::Matrix::ambient(target => {
        recipient => $to, directedness => 'to_me' }, %o);
}


sub by_vcp {
    my $to = shift;

    return vcp(recipient => $to, payload => { context => 'c',
        constitution_ref => 'creed://ops.example/builders@1.0' });
}


for my $to (qw(aee c2a channel)) {
    for my $m (map({ by_aee($_) } qw(service.parley Service.Parley
                                     service:parley SERVICE:PARLEY)),
               map({ by_c2a($_) } qw(service:parley Service:Parley
                                     service.parley)),
               by_vcp('service://parley'))
    {
        my $answer = said($to, $m);

        cmp_ok($answer->{status}, '>=', 400, 'GW-03 a name of the gateway is '
               . 'not forwarded: ' . ($m->{to} // $m->{recipient}
                                      // $m->{params}{target}{recipient})
               . " to $to");
    }
}

is(scalar $service->requests, 0, 'GW-03 the service gets none');


# VCP 2.0, and MoQ by its argument; to every protocol that they are translated
# to

for my $to (qw(aee c2a channel)) {
    for my $name (qw(service://parley SERVICE://PARLEY)) {
        my $answer = said($to, as_vcp2(by_vcp($name)));

        cmp_ok($answer->{status}, '>=', 400,
               "GW-03 VCP 2.0 to $name is not forwarded to $to");
        like($answer->{body}, qr/gateway/, 'as a name of the gateway');
    }
}

for my $name (qw(service.parley Service.Parley service:parley service://parley
                 SERVICE.PARLEY))
{
    my $answer = submit(Parley::Matrix::command('backup.run'), as => 'alice',
                        uri => '/to/aee?recipient='
                               . $name =~ s/([^A-Za-z0-9.])/
                                            sprintf '%%%02X', ord $1/ger);

    cmp_ok($answer->{status}, '>=', 400,
           "GW-03 a MoQ command to $name is not forwarded")
        or diag $answer->{body};
    like($answer->{body}, qr/gateway/, 'as a name of the gateway');
}

is(scalar $service->requests, 0, 'GW-03 the service gets none of these');

submit(Parley::Matrix::command('backup.run'), as => 'alice',
       uri => '/to/aee?recipient=service.parley2');
is(scalar $service->requests, 1, 'GW-03 a name that begins like it is another');
$service->clear;


# ---- empty labels

for my $m (map({ by_aee('agent.bob', intent => $_) }
               qw(ops..delete .ops ops. ops...x)),
           map({ by_aee($_) } qw(bus..ops bus.ops. bus. bus.a..b)),
           by_aee('agent.bob', from => 'bus..x'))
{
    my $answer = said('aee', $m);

    is($answer->{status}, 400, "SEC-04 an empty label: $m->{intent} to $m->{to}");
    like($answer->{body}, qr/E_FIELD_INVALID|field-invalid|E_BAD|label/,
         'is an invalid field');
}

is(scalar $service->requests, 0, 'SEC-04 the service gets none');
is(said('aee', by_aee('agent.bob', intent => 'ops.a.b'))->{status}, 202,
   'others pass');
$service->clear;


# ---- a scope of an organisation, with a service behind

my $notice = frame('dave', 'acme', kind => 'agent_broadcast',
    payload => { broadcast_text => 'x', event_class => 'other' });

for my $scope ('org:~acme/members/*', 'org:~acme/members/ops/*',
               'accord:~acme/grant:billing.read')
{
    for my $to (qw(channel)) {
        my $answer = submit({ %$notice, frame_id => uuid4() },
                            uri => "/to/$to", scope => $scope);

        is($answer->{status}, 403, "ACH-16 $scope of a sender that is not a "
                                   . "member, to $to")
            or diag $answer->{body};
        like($answer->{body}, qr/scope-unauthorised/, 'as where it is '
                                                      . 'published');
    }
}

is(scalar $service->requests, 0, 'ACH-16 the service gets none');

my $member = frame('alice', 'acme', kind => 'agent_broadcast',
    payload => { broadcast_text => 'x', event_class => 'other' });

submit($member, uri => '/to/channel', scope => 'org:~acme/members/*');
is(scalar(my @got = $service->requests), 1, 'a member may');


# ---- agent-channel has handles for agents only

$service->clear;

ok($nginx->reload(workers => 1, http => streams_http(
    more => 'parley_self agent.cc-gw;',
    locations => join '', map { <<"EOT" } qw(aee c2a channel)) ), 'a reload');
        location = /to/$_ {
            parley_jwt on; parley_accept aee vcp vcp2 c2a channel moq;
            parley_speak $_;
            proxy_pass http://127.0.0.1:%PORT_2%;
        }
EOT

for my $to (qw(aee c2a channel)) {
    for my $m (by_aee('agent.cc-gw'), by_aee('Agent.CC-GW'), by_c2a('agent:cc-gw'),
               by_c2a('~cc-gw'), by_vcp('agent://cc-gw'),
               as_vcp2(by_vcp('agent://cc-gw')), frame('alice', 'cc-gw'))
    {
        my $answer = said($to, $m);

        cmp_ok($answer->{status}, '>=', 400, 'GW-03 not forwarded: '
               . ($m->{to} // $m->{recipient} // $m->{recipient_handle}
                  // $m->{params}{target}{recipient}) . " to $to")
            or diag $answer->{body};
        like($answer->{body}, qr/gateway|identity-unmappable/,
             'as a name of the gateway, or as one that is nobody\'s');
    }

    for my $scope ('~cc-gw', '~cc-gw/*') {
        my $answer = said($to, { %{ frame('alice', 'cc-gw') },
                                 frame_id => uuid4() }, scope => $scope);

        cmp_ok($answer->{status}, '>=', 400,
               "GW-03 nor a frame with the scope $scope to $to");
        like($answer->{body}, qr/gateway/, 'as a name of the gateway');
    }
}

is(scalar $service->requests, 0, 'GW-03 the service gets none')
    or diag join "\n", map { jcs($_->{json}) } $service->requests;


# ---- printed text

my $turned = "evil\x{202e}txt.\x{200f}\x{9b}1m";

utf8::encode($turned);

my ($status, $out, $err) = Parley::Tool::tool({ in => jcs(by_aee('agent.bob'))
    =~ s/"type":"event"/"type":"$turned"/r }, 'validate');

isnt($status, 0, 'a message that is refused');
unlike("$out$err", qr/\xe2\x80\xae|\xe2\x80\x8f|\xc2\x9b/,
       'SEC-01 no character that turns the text is printed');

for my $command (['translate', '--to', 'vcp'], ['detect']) {
    my ($status, $out, $err) = Parley::Tool::tool({ in =>
        "{\"v\":\"1\",\"$turned\":1}" }, @$command);

    unlike($err, qr/\xe2\x80\xae|\xe2\x80\x8f|\xc2\x9b/,
           "SEC-01 nor by @$command");
}

# foreign messages and keys, with every command that prints a text

my $dir = tmp_dir();
my $printed = qr/\xe2\x80\xae|\xe2\x80\x8f|\xc2\x9b/;

for my $command (
    ['token inspect', token(idp(), { sub => 'alice', note => "a\x{202e}b" })],
    ['token inspect --json', token(idp(), { note => "a\x{202e}b" })])
{
    my ($status, $out, $err) = Parley::Tool::tool({ in => $command->[1] },
                                                  split ' ', $command->[0]);

    is($status, 0, $command->[0]) or diag $err;
    unlike("$out$err", $printed, 'SEC-01 no character that turns the text');
    like($out, qr/a\\u202Eb/, 'SEC-01 as JSON has it');
}

my $keys = spew("$dir/turned.json", "{\"keys\": [$turned]}");
my $conf = spew("$dir/turned\xe2\x80\xae.conf", <<"EOT");
events { }
http { parley_zone a:1m; server { listen 127.0.0.1:80;
    location /\xe2\x80\xae { parley_accept aee; parley_trusted on; } } }
EOT
my $signed = spew("$dir/turned.jwk",
                  Parley::Env::parley('keygen', '--alg', 'ed25519', '--kid',
                                      "k\xe2\x80\xaey"));
my (undef, $made) = Parley::Tool::tool({ in => jcs(vcp()) }, 'sign', '--key',
                                       $signed);

for my $command (['explain', '--conf', $conf, '--location', "/\xe2\x80\xae"],
                 ['explain', '--conf', $conf, '--location', "/\xe2\x80\x8f"],
                 ['verify', '--keys', $signed], ['jwks', $keys],
                 ["un\xe2\x80\xaeknown"], ['token', "in\xe2\x80\xaespect"],
                 ['detect', '--json', $signed, "$dir/none\xe2\x80\xae"])
{
    my ($status, $out, $err) = Parley::Tool::tool({ in => $made }, @$command);

    unlike($err . ($command->[0] eq 'explain' ? '' : $out), $printed,
           "SEC-01 nor by $command->[0]");
    like("$out$err", qr/\\u\{202E\}|\\u202E|\\u\{200F\}|json-invalid/,
         'it is printed by its number') or diag "$out$err";
}

my $file = spew(tmp_dir() . "/a\xe2\x80\xaeb", 'x');

(undef, undef, $err) = Parley::Tool::tool('validate', $file);
like($err, qr/a\\u\{202E\}b/, 'SEC-01 it is printed by its number');

done_testing();
