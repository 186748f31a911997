# parley explain agrees with the gateway: the same configuration and the same
# messages, through a real nginx and through the tool.

use strict;
use warnings;

use lib 't/lib';

use Encode ();
use JSON::PP ();
use Test::More;

use Parley::Client;
use Parley::Env qw(root tmp_dir port slurp spew);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool ();
use Parley::Upstream;

sub tool { Parley::Tool::tool(@_) }

my $dir = tmp_dir();

mkdir "$dir/intents";
spew("$dir/intents/ops.checked.task.schema.json", jcs({
    type => 'object', required => ['disk'],
    properties => { disk => { type => 'string' } } }));

my $aee = 'parley_accept aee; parley_jwt on;';
my $both = 'parley_accept aee vcp; parley_jwt on;';
my $context = 'parley_vcp_context ctx|gateway; '
            . 'parley_vcp_constitution creed://ops.example/gateway@1;';

my $http = gateway_http(more => "parley_intents $dir/intents;", server =>
    location('/policy', "$aee parley_deny to=agent.lead; "
                      . 'parley_allow scope=ops:* intent=ops.**;')
  . location('/scoped', "$aee parley_allow scope=admin;")
  . location('/caps', "$aee parley_cap priority=normal timeout=2s; "
                    . 'parley_redact /payload/secret; '
                    . 'parley_redact "/payload/na me" mask;')
  . location('/caps-to-vcp', "$both parley_speak vcp; $context "
                           . 'parley_redact /payload/reason mask;')
  . location('/reject', "$both parley_speak vcp; $context "
                      . 'parley_loss reject;')
  . location('/tight', "$aee parley_limits depth=3 body=600 string=50;")
  . location('/old', "$aee parley_freshness past=1h; parley_window 2h;")
  . location('/signed', "$aee parley_signature required;")
  . location('/audience', 'parley_accept aee; parley_jwt on audience=a '
                        . 'audience=b issuer=https://id leeway=30s '
                        . 'require=tenant=7;')
  . location('/access', 'parley_accept aee; parley_jwt on typ=at+jwt '
                      . 'max_lifetime=10m jti=required;')
  . location('/claimed', 'parley_accept aee vcp; parley_speak aee; '
                       . 'parley_jwt on; parley_claims aee=agent_name;')
  . location('/dry', "$aee parley_dry_run on;")
  . location('/query', 'parley_accept aee c2a; parley_speak c2a; parley_jwt on '
                     . 'token=$arg_access_token;')
  . location('/c2a', 'parley_accept c2a; parley_jwt on; '
                   . 'parley_deny to=service.parley; '
                   . 'parley_allow principal=**;')
  . location('/c2a-denied', 'parley_accept c2a; parley_jwt on; '
                          . 'parley_deny principal=**;')
  . location('/to-c2a', 'parley_accept aee c2a; parley_speak c2a; '
                      . 'parley_jwt on;')
  . location('/moq', 'parley_accept moq; parley_jwt on; '
                   . 'parley_deny to=service.parley; '
                   . 'parley_allow principal=**;')
  . location('/rated', "$aee parley_rate 100r/s burst=100 urgent=50r/s;"));

my $service = Parley::Upstream->start(port(2), '$c->answer(500)');
my $nginx = Parley::Nginx->start(http => $http);
my $conf = $nginx->dir . '/nginx.conf';


# Returns an access token (RFC 9068) of alice.
sub access {
    my ($claims, %header) = @_;
    my $now = time;

    return 'Bearer ' . token(idp(), { sub => 'alice', iss => 'https://id',
                                      iat => $now, exp => $now + 600,
                                      %$claims }, typ => 'at+jwt', %header);
}


# Returns the octets of a message, signed by a principal.
sub octets {
    my ($m, $signer) = @_;

    return $m if !ref $m;
    return jcs($m) if !$signer;

    my $key = person($signer)->{key};

    return jcs(exists $m->{vcp_message} ? sign_vcp($m, $key)
                                        : sign_aee($m, $key));
}


# Checks that both do the same: forward the same octets, or refuse for the same
# reason with the same text.  Options: plain, token, sign.
sub same {
    my ($name, $uri, $m, %o) = @_;

    my $body = octets($m, $o{sign});
    my $token = exists $o{token} ? $o{token} : bearer('alice');
    my $client = Parley::Client->new(port => port($o{plain} ? 3 : 1),
                                     tls => !$o{plain});

    $service->clear;

    my $answer = $client->post($uri, $body,
                               $token ? (Authorization => $token) : (),
                               @{ $o{headers} // [] });
    my @headers = @{ $o{headers} // [] };
    my ($location, $args) = split /\?/, $uri, 2;
    my @words = ('explain', '--conf', $conf, '--location', $location,
                 defined $args ? ('--args', $args) : (),
                 $token ? ('--token-file', spew("$dir/token", $token)) : (),
                 $o{plain} ? '--plain' : (), '--json');

    while (my ($header, $value) = splice @headers, 0, 2) {
        push @words, '--header', "$header: $value";
    }

    my ($status, $out, $err) = tool({ in => $body }, @words);
    my $said = from_json($out);

    subtest $name => sub {
        if ($service->count) {
            is($status, 0, 'passed');
            is(Encode::encode('UTF-8', $said->{sent}), $service->last->{body},
               'the same octets');

        } else {
            is($status, 1, 'refused') or diag($answer->{raw});
            is($said->{status}, $answer->{status}, 'the same status');
            is_deeply(told(from_json(Encode::encode('UTF-8',
                                                    $said->{answer}))),
                      told($answer->{json}), 'the same answer');
            is($said->{type}, $answer->{headers}{'content-type'},
               'of the same type');

            my $last = $said->{steps}[-1];
            is($last->{verdict}, 'refused', "at $last->{step}");
            is($last->{step}, $o{step}, 'that is the step') if $o{step};
            like($last->{text}, qr/^\Q$said->{code}\E/, 'the code');
        }
    };
}


# Removes random values and times.
sub told {
    my $json = shift;

    my %copy = %$json;

    delete $copy{ts};
    delete $copy{id} if ($copy{v} // '') eq '1';
    delete $copy{corr} if ($copy{reply_to} // '') eq 'unidentified';

    return \%copy;
}


same('GW-16 AEE passes', '/aee', aee());
same('GW-16 escapes and UTF-8 pass', '/aee',
     aee(payload => { text => "\x{e9}\x{2028}\t\"\\" }));
same('GW-16 VCP passes', '/vcp', vcp(), sign => 'alice');
same('GW-16 VCP becomes AEE', '/to-aee', vcp(), sign => 'alice');
same('GW-16 AEE becomes VCP', '/to-vcp',
     aee(type => 'event', intent => 'vcp.context_share',
         payload => vcp()->{payload}));
same('GW-16 a signature is verified', '/aee', aee(), sign => 'alice');
same('GW-16 and named in the translation', '/to-vcp',
     aee(type => 'event', intent => 'vcp.context_share',
         payload => vcp()->{payload}), sign => 'alice');
same('GW-16 an open location', '/open', aee(), token => 0, plain => 1);
same('GW-16 VCP in an open location', '/open-vcp', vcp(), token => 0,
     plain => 1);
same('GW-16 a peer without token', '/peers', vcp(), token => 0,
     sign => 'alice');
same('GW-16 escalations go up', '/vcp', escalation(), sign => 'alice');
same('GW-16 policy allows', '/policy', aee());
same('GW-16 caps and redaction', '/caps',
     aee(priority => 'urgent', requires => { timeout_ms => 60000 },
         payload => { secret => 1, 'na me' => { a => 2 }, rest => 3 }));
same('GW-16 caps, redaction and a signature', '/caps',
     aee(payload => { secret => 1 }), sign => 'alice');
same('GW-16 redaction before translation', '/caps-to-vcp', escalation(),
     sign => 'alice');
same('GW-16 an older message', '/old', aee(ts => timestamp(-1800)));
same('GW-16 a schema of the intent', '/aee',
     aee(intent => 'ops.checked', payload => { disk => 'sda' }));
same('GW-16 a token with all it needs', '/audience', aee(),
     token => bearer('alice', aud => ['b'], iss => 'https://id', tenant => 7,
                     exp => time - 10));
same('SEC-14 a token of the type, lifetime and id that are asked for',
     '/access', aee(), token => access({ jti => 'x' }));
same('GW-16 a name by claim', '/claimed', aee(from => 'agent.carol'),
     token => bearer('device', agent_name => 'agent.carol'));
same('GW-16 a rate', '/rated', aee());


# a message without a recipient is for the gateway, unless the gateway has no
# name in the protocol
same("GW-16 rules about $_", '/c2a', slurp(root() . "/t/cases/c2a/$_/in.json"))
    for qw(cancelled claim defer progress react-agree react-done
           react-working react-reason);
same("GW-16 rules about $_ of MoQ", '/moq',
     slurp(root() . "/t/cases/moq/$_/in.json"))
    for qw(command session-init status-approved);


same('GW-16 no token', '/aee', aee(), token => 0, step => 'proof');
same('GW-16 another token', '/aee', aee(), step => 'proof',
     token => 'Bearer ' . token(new_key('ed25519', 'idp-1'),
                                { sub => 'alice' }));
same('GW-16 an expired token', '/aee', aee(), step => 'proof',
     token => bearer('alice', exp => time - 5));
same('GW-16 another audience', '/audience', aee(), step => 'proof',
     token => bearer('alice', aud => 'c', iss => 'https://id', tenant => 7));
same('SEC-14 a token of another type', '/access', aee(), step => 'proof',
     token => access({ jti => 'x' }, typ => 'JWT'));
same('SEC-14 a token that lives longer', '/access', aee(), step => 'proof',
     token => access({ jti => 'x', exp => time + 601 }));
same('SEC-14 a token without an id', '/access', aee(), step => 'proof',
     token => access({}));
for (['Content-Type' => 'application/json; charset=utf-7'],
     ['Content-Type' => 'text/plain'], ['Content-Type' => ''],
     ['CONTENT-TYPE' => 'Application/JSON; charset="UTF-16"'],
     ['Content-Type' => 'application/json', 'content-type' => 'text/json'],
     ['Content-Encoding' => 'identity', 'Content-Encoding' => 'gzip'],
     ['content-encoding' => 'identity, br'])
{
    same("SEC-02 @$_", '/aee', aee(), headers => $_, step => 'body');
}

same("SEC-02 @$_", '/aee', aee(), headers => $_)
    for ['Content-Type' => 'Application/vnd.x+JSON; charset="UTF-8"'],
        ['Content-Encoding' => 'identity, Identity'], [Accept => 'text/plain'];

{
    my $token = bearer('alice') =~ s/^Bearer //r;
    my $call = { jsonrpc => '2.0', id => 1, method => 'tools/list' };

    for (['recipient=a&r%65cipient=b', 'arguments'],
         ['recipient[]=a', 'arguments'], ['recipient=%', 'arguments'],
         ['access_token=x', 'proof'], ['a=1;Access_Token', 'proof'])
    {
        my ($query, $step) = @$_;

        same("SEC-03 ?$query", "/query?access_token=$token&$query", $call,
             token => 0, step => $step);
    }

    same('SEC-03 an argument that an AEE message has not',
         "/query?access_token=$token&recipient=a", aee(), token => 0,
         step => 'arguments');
    same('SEC-03 a token as an argument', "/query?a=1&access_tok%65n=$token",
         $call, token => 0);
}

same('GW-16 no body', '/aee', '', step => 'json');
same('GW-16 no JSON', '/aee', '{"v":', step => 'json');
same('GW-16 a member twice', '/aee', '{"v":"1","v":"1"}', step => 'json');
same('GW-16 too deep', '/tight', aee(payload => { a => { b => {} } }),
     step => 'json');
same('GW-16 too large', '/tight', aee(payload => { map { $_ => 1 } 1 .. 99 }),
     step => 'body');
same('GW-16 too long a string', '/tight', aee(payload => { a => 'x' x 51 }),
     step => 'json');
same('GW-16 another protocol', '/to-aee', { a => 1 }, step => 'protocol');
same('GW-16 VCP where AEE is accepted', '/aee', vcp(), step => 'schema');
same('GW-16 a member is missing', '/aee', without(aee(), 'corr'),
     step => 'schema');
same('GW-16 a payload against its intent', '/aee',
     aee(intent => 'ops.checked', payload => { disk => 1 }),
     step => 'payload');
same('GW-16 VCP over plain HTTP', '/vcp', vcp(), sign => 'alice', plain => 1,
     step => 'transport');
same('GW-16 an unsigned message over plain HTTP', '/aee', aee(), plain => 1,
     step => 'signature');
same('GW-16 an impostor', '/aee', aee(from => 'agent.bob'),
     step => 'sender');
same('GW-16 nobody', '/peers', vcp(sender => 'agent://ops.example/x'),
     token => 0, sign => 'alice', step => 'sender');
same('GW-16 an unsigned VCP message', '/vcp', vcp(), step => 'signature');
same('GW-16 an unsigned message where it must be', '/signed', aee(),
     step => 'signature');
same('GW-16 a signature of another', '/vcp', vcp(), sign => 'bob',
     step => 'signature');
same('GW-16 a signature by a key of another', '/aee', aee(), sign => 'bob',
     step => 'signature');
same('GW-16 a stale message', '/aee', aee(ts => timestamp(-400)),
     step => 'admit');
same('GW-16 a message from the future', '/aee', aee(ts => timestamp(100)),
     step => 'admit');
same('GW-16 no time at all', '/aee', aee(ts => 'some time yesterday'),
     step => 'admit');
same('GW-16 denied', '/policy', aee(to => 'agent.lead'), step => 'policy');
same('GW-16 another intent', '/policy', aee(intent => 'home.lights'),
     step => 'policy');
same('GW-16 no scope', '/scoped', aee(), step => 'policy');
same('GW-16 a constraint of the wrong direction', '/vcp',
     vcp(%{ constraint() }, sender => person('alice')->{vcp},
         recipient => person('lead')->{vcp}), sign => 'alice',
     step => 'direction');
same('GW-16 loss is refused', '/reject',
     aee(type => 'event', intent => 'vcp.context_share', x_tenant => 'a',
         payload => vcp()->{payload}), step => 'loss');
same('GW-16 nothing that VCP can say', '/to-vcp', aee(),
     step => 'translate');
same('GW-16 nothing that the gateway answers', '/aee',
     aee(to => 'service.parley'), step => 'local');


subtest 'GW-16 rates and the window are checked in an empty state, and explain says so' => sub {
    my ($status, $out, $err)
        = tool({ in => jcs(aee(priority => 'urgent')) }, 'explain', '--conf',
               $conf, '--location', '/rated', '--token', bearer('alice'));

    is($status, 0, 'passed');
    like($err, qr{^location /rated, \Q$conf\E:\d+$}m, 'the place');
    like($err, qr/^rate +passed +100r\/s burst=100 urgent=50r\/s for alice, in an empty state$/m,
         'the rate');
    like($err, qr/^admit +passed .* in an empty window, and is remembered for 3630 s; /m, 'the window');
    like($err, qr/^admit +passed .*; the first of priority urgent$/m,
         'the quota');

    my @steps = $err =~ /^([a-z-]+) +(?:passed|-) /mg;
    is("@steps", 'method failures proof rate body json protocol schema payload '
                 . 'transport sender signature revocation sender-rate '
                 . 'arguments submission reference policy direction local session age admit '
                 . 'refute rewrite translate loss keep suspend record '
                 . 'host publish escalate forward', 'the order of the gateway');
};


subtest 'GW-16 --at sets the time' => sub {
    my $old = jcs(aee(ts => '2026-02-15T10:30:00Z'));
    my @words = ('explain', '--conf', $conf, '--location', '/open', '--at');

    is((tool({ in => $old }, @words, '2026-02-15T10:31:00Z'))[0], 0, 'then');
    is((tool({ in => $old }, @words, '2026-02-15T10:36:00Z'))[0], 1, 'late');
};


subtest 'GW-16 SEC-20 a dry run does not refuse a proven caller' => sub {
    my $m = jcs(aee(type => 'nope'));
    my ($status, $out, $err)
        = tool({ in => $m }, 'explain', '--conf', $conf, '--location', '/dry',
               '--token', bearer('alice'));

    is($status, 0, 'it goes on');
    is($out, "$m\n", 'as it came');
    like($err, qr/^schema +refused +field-invalid \/type: /m,
         'what would be refused is said');

    ($status) = tool({ in => jcs(aee(from => 'agent.bob')) }, 'explain',
                     '--conf', $conf, '--location', '/dry', '--token',
                     bearer('alice'));
    is($status, 1, 'who is not proven is refused');
};


same('MCP-02 GW-16 a client of MCP by its header', '/c2a-denied',
     slurp(root() . '/t/cases/c2a/claim/in.json'), step => 'policy',
     headers => ['MCP-Protocol-Version' => '2025-06-18']);


subtest 'GW-16 the texts of the steps' => sub {
    my $said = sub {
        my ($m, $uri, @words) = @_;
        my (undef, undef, $err)
            = tool({ in => $m }, 'explain', '--conf', $conf, '--location', $uri,
                   '--token', bearer('alice'), @words);
        return $err;
    };

    my $claim = slurp(root() . '/t/cases/c2a/claim/in.json');
    my $err = $said->(jcs(aee(payload => { secret => 1 })), '/caps');

    like($err, qr/^rewrite +passed +changed, redacted$/m, 'what is redacted');

    $err = $said->($claim, '/c2a');
    like($err, qr/^sender +passed +no sender in the message, it is "alice", /m,
         'no empty name');

    $err = $said->(jcs(aee()), '/to-c2a');
    like($err, qr/^translate +passed +aee to c2a, \S+$/m,
         'C2A has no signature');
    like($said->(jcs(vcp()), '/to-aee', '--plain'), qr/^transport +refused/m,
         'VCP comes over TLS');
};


subtest 'AEE-21 GW-16 messages that the gateway answers itself' => sub {
    my ($status, $out, $err)
        = tool({ in => jcs(aee(to => 'service.parley',
                               intent => 'aee.status.ping')) },
               'explain', '--conf', $conf, '--location', '/aee', '--token',
               bearer('alice'));

    is($status, 0, 'no refusal');
    is($out, '', 'nothing for the upstream');
    like($err, qr/^local +answered +the gateway answers aee\.status\.ping/m,
         'said');

    ($status, $out)
        = tool({ in => jcs(aee(to => 'service.parley',
                               intent => 'aee.status.ping')) },
               'explain', '--conf', $conf, '--location', '/aee', '--token',
               bearer('alice'), '--json');

    my $json = from_json($out);

    is($json->{status}, 200, 'the status as JSON');
    is(from_json($json->{answer})->{payload}{pong}, true, 'and the answer');
};


# Returns (status, output, errors) for a message with another configuration.
my $configured = 0;

sub configured {
    my ($text, @words) = @_;

    my $folder = "$dir/conf-" . ++$configured;

    mkdir $folder;
    spew("$folder/nginx.conf", $text);

    return tool({ in => jcs(aee()) }, 'explain', '--conf',
                "$folder/nginx.conf", @words);
}


subtest 'GW-11 GW-16 nginx.conf is read as nginx reads it' => sub {
    mkdir "$dir/inc";
    mkdir "$dir/inc/d";
    spew("$dir/inc/on.conf", "parley_trusted on;\n");
    spew("$dir/inc/d/$_.conf", "location /$_ { return 200 '}'; }\n")
        for qw(a b);

    my $text = <<"EOT";
user nobody; # { not a block
events { worker_connections 10; }
http {
    parley_zone "a:1m";
    log_format quoted '\$remote_addr "\$request" {' "a;b" \\; ;
    map \$a \${b} { default ""; "~^x{2}" 'y\\'s'; }
    include $dir/inc/on.conf;
    include $dir/inc/none-*.conf;

    server {
        server_name one.example *.wild.example;
        parley_accept aee;
        parley_redact /payload/all;

        include $dir/inc/d/*.conf;

        location = /exact { parley_accept off; }
        location /aee     { parley_accept aee; }
        location /aee/off { parley_accept off; }
        location ^~ /aee/fix { parley_redact /payload/x; }
        location ~ \\.off\$ { parley_accept off; }
        location ~* \\.ON\$ { parley_freshness future=2s; }
        location /outer {
            parley_limits depth=9;
            location /outer/inner { parley_limits depth=8; }
        }
    }

    server { server_name two.example; parley_accept vcp; }
}
EOT

    my @cases = (
        # server, location, line of the block, or the error
        [ 'one.example', '/aee', 18 ],
        [ 'ONE.example', '/aee', 18 ],
        [ '*.wild.example', '/aee', 18 ],
        [ 'one.example', '/aee/off', 'no messages are accepted' ],
        [ 'one.example', '^~ /aee/fix', 20 ],
        [ 'one.example', '^~/aee/fix', 20 ],
        [ 'one.example', '/aee/fix', '--location needs the modifier of '
                                     . '"location ^~ /aee/fix"' ],
        [ 'one.example', '= /exact', 'no messages are accepted' ],
        [ 'one.example', '~* \.ON$', 22 ],
        [ 'one.example', '~ \.ON$', 'no messages are accepted' ],
        [ 'one.example', '/outer', 23 ],
        [ 'one.example', '/outer/inner', 25 ],
        [ 'one.example', '/a', 1, "$dir/inc/d/a.conf" ],
        [ undef, '/outer', 23 ],
        [ 'two.example', undef, 29 ],
        [ 'two.example', '/aee', 'no messages are accepted at location /aee, '
                                 . 'server two.example' ],
        [ 'three.example', '/aee', 'no server is named "three.example"' ],
        [ 'a.wild.example', '/aee', 'no server is named' ],
    );

    for (@cases) {
        my ($server, $location, $want, $file) = @$_;
        my ($status, undef, $err)
            = configured($text, defined $server ? ('--server', $server) : (),
                         defined $location ? ('--location', $location) : ());
        my $name = join ' ', $server // 'any server', $location // '';

        if ($want =~ /^\d+$/) {
            like($err, defined $file ? qr/ \Q$file\E:$want$/m
                                     : qr/nginx\.conf:$want$/m,
                 "$name: line $want");
            isnt($status, 2, "$name: answered");

        } else {
            is($status, 2, "$name: status 2");
            like($err, qr/\Q$want\E/, "$name: $want");
        }
    }

    my ($status, undef, $err) = configured($text);

    is($status, 2, 'many places and no --location');
    like($err, qr/accepted in 8 places, --location and --server say which/,
         'they are counted');
    like($err, qr/^parley:   location \/aee, server_name one\.example/m,
         'and named');
};


subtest 'GW-11 GW-16 a wrong configuration is named by file and line' => sub {
    my $in = sub {
        my ($words, $more) = @_;
        return "events {}\nhttp { parley_zone a:1m; @{[ $more // '' ]}\n"
             . "server { parley_trusted on; parley_accept aee;\n$words } }\n";
    };

    my @cases = (
        [ "events {}\n", qr/no "http" block/ ],
        [ "http {}\nhttp {}\n", qr/:2: "http" directive is duplicate/ ],
        [ "http {\n}\n}\n", qr/:3: unexpected "}"/ ],
        [ "http {\nserver {\n}\n", qr/:4: the block of "http" in line 1/ ],
        [ "http {\na b\n}", qr/:3: no ";" after "b"/ ],
        [ "http {\na 'b;\n}", qr/:2: the quotes .* do not end/ ],
        [ "http {\na 'b'c;\n}", qr/:2: unexpected "c" after quotes/ ],
        [ "http { ; }", qr/:1: unexpected ";"/ ],
        [ "http {\n{ } }", qr/:2: unexpected "\{"/ ],
        [ "a\0b;", qr/:1: a zero octet/ ],
        [ ('a {' x 65) . ('}' x 65), qr/too many blocks/ ],
        [ 'a ' . ('b ' x 600) . ';', qr/too many words/ ],
        [ "http { include none.conf; }", qr/none\.conf: No such file/ ],
        [ "http { include nginx.conf; }", qr/too many files/ ],
        # t/config.t compares the errors of nginx -t for Parley's directives
        [ $in->('parley_speak smtp;'), qr/:4: "parley_speak": "smtp" is not a protocol/ ],
        [ $in->('parley_jwt on;', 'parley_jwks_request /_jwks; '
                                . 'server { location /_jwks {} }'),
          qr/:2: "parley_jwks_request" .* --keys FILE/ ],
        [ "parley_trusted on;\nhttp {}",
          qr/:1: "parley_trusted" directive is not allowed here/ ],
        [ $in->('parley_trusted off;') =~ s/parley_trusted on;//r,
          qr/:3: "parley_accept" has no proof of the sender/ ],
        [ $in->('') =~ s/parley_zone a:1m;//r, qr/needs "parley_zone"/ ],
        [ $in->('') =~ s/accept aee/accept aee vcp/r,
          qr/needs "parley_speak"/ ],
        [ $in->('', 'parley_identities none.json;'), qr/No such file/ ],
        [ $in->('', "parley_intents none;"), qr/No such file/ ],
    );

    for (@cases) {
        my ($text, $says) = @$_;
        my ($status, $out, $err) = configured($text);

        is($status, 2, "$says: status 2");
        is($out, '', "$says: nothing on standard output");
        like($err, $says, "$says");
    }
};


subtest 'GW-16 GW-18 GW-19 explain accepts every configuration that nginx accepts' => sub {
    my @cases = (
        [ 'parley_replay size=1m;' ], [ 'parley_replay size=1m time=5m;' ],
        [ 'parley_replay time=5m size=1m;' ],
        [ 'parley_replay time=5m;', qr/needs size=/ ],
        [ 'parley_replay size=0;', qr/"size=0" is not in the range; expected 1 or more/ ],
        [ 'parley_replay size=1m size=1m;', qr/"size=1m" is duplicate/ ],
        [ 'parley_replay size=1m time=0;', qr/"time=0" is not in the range/ ],
        [ 'parley_replay size=1m time=1m time=1m;', qr/invalid number of/ ],
        [ 'parley_replay 1m;', qr/"1m" is unknown; expected size= or time=/ ],
        [ '', undef, 'parley_window 10m;' ],
        [ '', undef, 'parley_window 10m receiver=abc;' ],
        [ '', undef, 'parley_window 10m "receiver=$http_x_peer";' ],
        [ '', qr/"receiver=" is unknown; expected receiver=/,
          'parley_window 10m receiver=;' ],
        [ '', qr/"sender=a" is unknown; expected receiver=/,
          'parley_window 10m sender=a;' ],
    );

    for (@cases) {
        my ($http, $why, $server) = @$_;
        my ($status, undef, $err)
            = configured("http { parley_zone a:8m; $http server { "
                         . "parley_trusted on; parley_accept aee; "
                         . ($server // '') . " } }\n");

        is($status, defined $why ? 2 : 0, $http . ($server // ''))
            or diag($err);
        like($err, $why, 'for that reason') if defined $why;
    }
};


subtest 'GW-02 GW-16 the keys that nginx would fetch are given by an option' => sub {
    spew("$dir/fetched.json", jwks(idp()));

    my ($status, undef, $err)
        = configured("http { parley_zone a:1m; parley_jwks_request /_jwks;\n"
                     . "server { parley_accept aee; parley_jwt on; "
                     . "location = /_jwks { parley_accept off; } } }\n",
                     '--keys', "$dir/fetched.json", '--token',
                     bearer('agent.alice'));

    is($status, 0, 'passed');
    like($err, qr/^proof +passed +sub "agent\.alice"/m, 'verified');
};


subtest 'GW-16 variables are reported as unknown' => sub {
    my $m = jcs(aee(type => 'event', intent => 'vcp.context_share',
                    payload => vcp()->{payload}));
    spew("$dir/variable.conf", 'http { parley_zone a:1m; server { '
         . 'parley_trusted on; parley_accept aee; parley_speak vcp; '
         . 'parley_vcp_context ctx|$arg_c; } }');

    my (undef, undef, $err) = tool({ in => $m }, 'explain', '--conf',
                                   "$dir/variable.conf");

    like($err, qr/^translate .* parley_vcp_context has variables/m, 'said');
};


subtest 'GW-11 GW-16 the warnings of nginx' => sub {
    for (['aee moq; parley_speak vcp; parley_signature required; '
          . 'parley_trusted on;', 'moq, a protocol without signatures'],
         ['aee c2a; parley_speak aee; parley_signature required;',
          'c2a, a protocol without signatures'])
    {
        my (undef, undef, $err)
            = configured('http { parley_zone a:1m; parley_identities '
                         . "$dir/identities.json; server { "
                         . "parley_accept $_->[0] } }");

        like($err, qr/^parley: \S+nginx\.conf:\d+: "parley_accept" names $_->[1]/m);
        like($err, qr/^protocol +passed /m, 'and the message is decided');
    }
};


subtest 'GW-16 MOQ-14 a command at a location of parley_moq' => sub {
    my $agents = spew("$dir/agents.json", jcs({ principals => [
        { sub => 'alice', aee => 'agent.alice', handle => '~alice' },
        { sub => 'lamp', aee => 'agent.lamp', handle => '~lamp' } ] }));
    my $file = spew("$dir/moq.conf", <<"EOF_CONF");
http {
    parley_zone a:1m; parley_identities $agents; parley_jwks $dir/jwks.json;
    server {
        listen 443 quic;
        quic_host_key q.key;
        location = /moq { parley_jwt on; parley_moq messages=/cmd; }
        location = /cmd {
            parley_jwt on;
            parley_submit moq;
            parley_allow intent=moq.cmd.lamp.** to=agent.lamp;
        }
    }
}
EOF_CONF
    my $explain = sub {
        my ($m, @o) = @_;

        return tool({ in => jcs($m) }, 'explain', '--conf', $file, '--token',
                    bearer('alice') =~ s/^Bearer //r, '--location', '= /moq',
                    @o);
    };
    my %cmd = (action => 'lamp.switch', session_id => 's1',
               payload => { on => JSON::PP::true });

    my ($status, $out, $err) = $explain->({ %cmd,
                                            aee => { recipient => 'lamp' } });

    is($status, 0, 'it passes') or diag($err);
    like($err, qr/^location = \/moq, .* posts commands to\nlocation = \/cmd/m,
         'the location of messages=');
    like($err, qr/^direction +passed +to lamp$/m, 'aee.recipient');

    ($status, $out, $err) = $explain->(\%cmd);
    is($status, 1, 'without a recipient');
    is(from_json($out)->{error_code}, 403, 'no rule allows it');

    ($status, $out, $err) = $explain->(\%cmd, '--args', 'recipient=lamp');
    is($status, 0, 'with the peer of the session') or diag($err);

    for my $action (qw(session_init session_bye subscribe_request
                       unsubscribe_request))
    {
        ($status, $out, $err) = $explain->({ %cmd, action => $action });
        is($status, 1, $action);
        like($err, qr/the gateway answers $action itself; explain shows only/,
             'the reason');
        unlike($err, qr/^(?:policy|admission) /m, 'no rule is shown');

        ($status, $out) = $explain->({ %cmd, action => $action }, '--json');
        is($status, 1, "$action, as JSON");
        is(from_json($out)->{code}, 'field-invalid', 'the code');
    }

    ($status, $out, $err)
        = tool({ in => jcs({ %cmd, action => 'session_init' }) }, 'explain',
               '--conf', $file, '--location', '= /cmd');
    like($err, qr/^proof /m, 'a POST of one has the steps of the location');
};


subtest 'GW-16 several messages' => sub {
    my ($status, $out, $err)
        = tool({ in => jcs(aee()) . "\n{}\n" }, 'explain', '-n', '--conf',
               $conf, '--location', '/open');

    is($status, 1, 'one was refused');
    is(scalar(split /\n/, $out), 2, 'one line for each');
    like($err, qr/^stdin:1\n.*^stdin:2\n.*2 messages, 1 bad/ms, 'named');
};


subtest 'GW-16 a message cannot forge a line' => sub {
    my ($status, $out, $err)
        = tool({ in => '{"v":"1","id":"abcdefgh\npolicy passed\u009b"}' },
               'explain', '--conf', $conf, '--location', '/open');

    unlike($err, qr/^policy/m, 'no line of its own');
    unlike($err, qr/\xc2\x9b/, 'no control character');
};


done_testing();
