package Parley::Generate::Config;

# Random configurations: servers with locations, nested locations, and in each
# block directives that decide about messages.  All of them pass "nginx -t".
#
#     my $config = Parley::Generate::Config->new($random, 24);
#     $config->http;           # the text of http
#     $config->locations;      # [{uri, server, kind, accept, jwt, ...}, ...]
#     $config->delivers;       # whether principals have URLs
#
# The kind of a location is its handler: proxy, submit, mcp, stream, websocket.

use strict;
use warnings;

use Parley::Env qw(tmp_dir port tls spew);
use Parley::Message;

my @protocols = qw(aee vcp vcp2 c2a channel moq);
my ($idp, %keys);


# The principals of t/cases/forms and of many other cases, with sub, aee, vcp,
# c2a, handle and the rest.
my @people = (
    { sub => 'ada', aee => 'human.ada', vcp => 'human://ada',
      c2a => 'human:ada', handle => '~ada', instrument => '~cc-ada@1.0',
      roles => ['lead'] },
    { sub => 'planner', aee => 'agent.planner',
      vcp => 'agent://ops.example/planner', c2a => 'agent:planner',
      handle => '~ada-planner', instrument => '~cc-planner@1.0',
      parent => 'ada', roles => ['ops'] },
    { sub => 'builder', aee => 'agent.builder',
      vcp => 'agent://ops.example/builder', c2a => 'agent:builder',
      handle => '~ada-builder', instrument => '~cc-builder@1.0',
      parent => 'planner', human => 'ada', max_priority => 'high' },
    { sub => 'alice', aee => 'human.alice', vcp => 'human://alice',
      c2a => 'human:alice', handle => '~alice' },
    { sub => 'manager', aee => 'agent.manager', roles => ['ops', 'lead'] },
    { sub => 'auditor', aee => 'agent.auditor@node',
      vcp => 'agent://node/auditor', parent => 'manager' },
    { sub => 'child', aee => 'agent.child-007@prod',
      vcp => 'agent://prod/child-007', parent => 'parent', human => 'alice' },
    { sub => 'parent', aee => 'agent.parent-001@prod',
      vcp => 'agent://prod/parent-001', max_priority => 'normal' },
    { sub => 'lead', c2a => 'agent:lead', handle => '~lead' },
    { sub => 'worker', c2a => 'agent:worker-3', instrument => '~cc-worker',
      human => 'ada' },
);


# Keys are made once: HMAC keys, which cost little, and some of Ed25519.
sub idp { return $idp //= new_key('HS256', 'idp') }

sub key_of {
    my ($sub, $alg) = @_;
    return $keys{"$sub-$alg"} //= new_key($alg, "$sub-$alg");
}


sub people { return @people }


sub new {
    my ($class, $r, $locations) = @_;

    my $self = bless { r => $r, locations => [], people => [] }, $class;

    $self->{delivers} = $r->chance(0.4);
    $self->{http} = $self->head;

    my %in = $self->block('http', {});
    $self->{http} .= $in{text};
    $self->{http} .= $self->deliveries if $self->{delivers};

    for my $name ('a.test', 'b.test') {
        my %server = $self->block('server', $in{has});

        $self->{http} .= "server {\n    listen 127.0.0.1:" . port(1) . ";\n"
                       . '    listen 127.0.0.1:' . port(2) . " ssl;\n"
                       . "    server_name $name;\n$server{text}";

        $self->location($name, $server{has}, '', 1)
            for 1 .. ($locations + 1) / 2;

        $self->{http} .= "}\n";
    }

    return $self;
}


sub http { return $_[0]{http} }
sub delivers { return $_[0]{delivers} }
sub locations { return @{ $_[0]{locations} } }
sub listed { return @{ $_[0]{people} } }


sub head {
    my $self = shift;

    my $r = $self->{r};
    my $dir = tmp_dir();
    my ($cert, $key) = tls();
    my $text = "ssl_certificate $cert;\nssl_certificate_key $key;\n"
             . "client_body_buffer_size 64k;\n"
             . "add_header X-Verdict \$parley_verdict always;\n"
             . "add_header X-Error \$parley_error always;\n"
             . "add_header X-Protocol \$parley_protocol always;\n"
             . "parley_zone agents:16m share=100%;\n"
             . "parley_jwks $dir/jwks.json;\n";

    spew("$dir/jwks.json", jwks(idp()));
    $self->{self} = 'service.parley';

    if ($r->chance(0.3)) {
        $self->{self} = $r->one('service.gate', 'agent.gate@h', 'human.gate');
        $text .= "parley_self $self->{self};\n";
    }

    if ($r->chance(0.9)) {
        my %is = map { $_->{sub} => 1 } my @listed
            = $r->chance(0.7) ? @people : $r->some(0.5, @people);

        my @principals = map {
            my %p = (%$_, keys => [map { public_jwk($_) }
                                   key_of($_->{sub}, 'HS256'),
                                   key_of($_->{sub}, 'ed25519')]);

            delete $p{parent} if defined $p{parent} && !$is{$p{parent}};
            delete $p{human} if defined $p{human} && !$is{$p{human}};
            $self->url(\%p) if $self->{delivers} && $r->chance(0.5);
            \%p;
        } @listed;

        $self->{people} = \@listed;

        my $file = "$dir/identities-" . $r->next . '.json';

        spew($file, jcs({ principals => \@principals }));
        $text .= "parley_identities $file;\n";
    }

    if ($r->chance(0.6)) {
        spew("$dir/gateway.jwk", private_jwk(key_of('gateway', 'ed25519')));
        $text .= "parley_signing_key $dir/gateway.jwk;\n";
    }

    if ($r->chance(0.2)) {
        my $file = "$dir/revocations-" . $r->next . '.json';

        spew($file, jcs({
            principals => [map { $_->{sub} } $r->some(0.15, @people)],
            kids => [$r->chance(0.5) ? () : map { { sub => $_->{sub},
                kid => key_of($_->{sub}, 'ed25519')->{kid} } }
                $r->some(0.2, @people)],
            tokens => [] }));
        $text .= "parley_revocations $file;\n";
    }

    $text .= "parley_retain count=1000 time=1h;\n" if $r->chance(0.4);
    $text .= "parley_replay size=1m;\n" if $r->chance(0.3);
    $text .= 'parley_intents ' . intents() . ";\n" if $r->chance(0.4);

    return $text;
}


# Gives a principal a URL, and sometimes the protocol that is posted there.
sub url {
    my ($self, $p) = @_;

    my $r = $self->{r};
    my %name = (aee => 'aee', vcp => 'vcp', vcp2 => 'vcp', c2a => 'c2a',
                channel => 'handle');
    my @speaks = grep { defined $p->{$name{$_}} } sort keys %name;

    $p->{deliver} = "https://peer.test/$p->{sub}";
    $p->{speaks} = $r->one(@speaks) if @speaks && $r->chance(0.4);
}


# Returns the location that posts to URLs, and the peers' server.  The port of
# the peers' own service is port(5).
sub deliveries {
    return 'parley_deliver /_deliver hosts=peer.test;
upstream peer.test { server 127.0.0.1:' . port(4) . '; }
server {
    listen 127.0.0.1:' . port(4) . ' ssl;
    server_name peer.test;
    location / { proxy_pass http://127.0.0.1:' . port(5) . '; }
    location = /_deliver {
        internal;
        proxy_pass $parley_deliver_url;
        parley_vcp_context ctx|peer;
        parley_vcp_constitution creed://ops.example/peer@1;
    }
}
';
}


# Returns schemas of some payloads that cases and forms have.
sub intents {
    my $dir = tmp_dir() . '/intents';

    if (!-d $dir) {
        mkdir $dir or die "$dir: $!\n";

        spew("$dir/ops.build.run.task.schema.json", jcs({
            type => 'object', required => ['text'],
            properties => { text => { type => 'string', maxLength => 64 } },
            additionalProperties => false() }));
        spew("$dir/vcp.escalation.task.schema.json", jcs({
            type => 'object',
            properties => { reason => { type => 'string',
                                        pattern => '^[A-Z]' } } }));
    }

    return $dir;
}


# Returns the directives of a block and the settings in force: (text, has).
sub block {
    my ($self, $where, $outer, %o) = @_;

    my $r = $self->{r};
    my %has = %$outer;
    my $p = $where eq 'location' ? 0.25 : 0.08;
    my $text = '';

    my $say = sub {
        my ($name, @words) = @_;
        $text .= '    ' . join(' ', "parley_$name", @words) . ";\n";
    };

    $self->handler(\%has, $say, $o{kind}) if $where eq 'location';

    my $kind = $where eq 'location' ? $has{kind} : '';

    # as long as the longest freshness here
    $say->('window', '30000d') if $where eq 'http';

    $say->('rate', $r->one('100000r/s burst=100000',
                           '100000r/s burst=100000 urgent=90000r/s:90000'))
        if $r->chance($p);
    $self->bounds(\%has, $say, $p) if $kind ne 'stream';
    $self->rules($say) if $r->chance($p);

    # all locations where one protocol is read must have the same
    $self->made($say, $where eq 'http' ? 0.2 : $p)
        if $where eq 'http'
           || $kind =~ /^(?:proxy|submit)$/
              && grep { /^vcp/ } $has{speak}, @{ $has{accept} };

    if ($where ne 'location' || $kind eq 'proxy'
        && grep { $_ ne $has{speak} } @{ $has{accept} })
    {
        $say->('loss', $r->one(qw(report reject ignore))) if $r->chance($p);
    }

    $say->('dry_run', $r->one(qw(on all off)))
        if $kind =~ /^(?:|proxy)$/ && $r->chance($p / 4);

    return (text => $text, has => \%has);
}


# Says what bounds or changes a message.
sub bounds {
    my ($self, $has, $say, $p) = @_;

    my $r = $self->{r};
    my @times = @{ $r->one(['past=9999d', 'future=9999d'], ['past=2h'],
                           []) };

    if ($r->chance($p)) {
        $say->('freshness', @times) if @times;
        $has->{old} = @times > 1;
    }

    $say->('cap', $r->some(0.6, 'priority=' . $r->one(qw(low normal high)),
                           'timeout=' . $r->one(qw(500ms 3s 1h))))
        if $r->chance($p);
    $say->('limits', $r->some(0.4, 'body=' . $r->one(qw(600 1500 64k)),
                              'depth=' . $r->one(4, 5, 7),
                              'string=' . $r->one(40, 200),
                              'members=' . $r->one(6, 9, 20)))
        if $r->chance($p / 3);

    return if !$r->chance($p);

    $say->('redact', $_, $r->one('', 'mask', 'remove'))
        for $r->some(0.2, qw(/payload/text /payload/secret /trace
                             /requires /payload/reason /payload/context
                             /params/content/0/text /x-team
                             /payload/advisory_text
                             /payload/query_text /signature));
}


# Says the values of VCP messages that the gateway makes.
sub made {
    my ($self, $say, $p) = @_;

    my $r = $self->{r};

    $say->('vcp_context', $r->one('ctx|gateway', '"ctx|two words"'))
        if $r->chance($p * 2);
    $say->('vcp_constitution', 'creed://ops.example/gateway@1')
        if $r->chance($p * 2);
    $say->('vcp_severity', $r->some(0.4, 'E_TIMEOUT=critical',
                                    'E_BLOCKED=info', 'E_X=emergency'))
        if $r->chance($p);
    $say->('vcp_broadcast', $r->one('bus.ops', 'bus.builders'))
        if $r->chance($p);
}


# Says the handler of a location, the protocols that it accepts, and the proofs
# that it asks for.
sub handler {
    my ($self, $has, $say, $kind) = @_;

    my $r = $self->{r};

    $has->{kind} = $kind;

    return $self->proxy($has, $say) if $kind eq 'proxy';

    my @to = $kind eq 'stream' ? () : (
        map { $r->chance(0.2) ? $_ : () } 'counts=coarse', 'max=1',
            'off=' . join ',', $r->some(0.3, qw(prefix session members role)));

    if ($kind eq 'submit') {
        $has->{accept} = [$r->some(0.4, @protocols)];

        # with URLs a request would be held for all of its time
        push @to, 'hold=1s' if !$self->{delivers} && $r->chance(0.6);

    } else {
        $has->{accept} = [$kind eq 'mcp' ? 'channel'
                          : $r->one(grep { $_ ne 'moq' } @protocols)];
        push @to, 'hold=1s' if $kind eq 'mcp';
    }

    $has->{speak} = '';
    $say->($kind, @{ $has->{accept} }, @to);
    $self->trust($has, $say);
}


sub proxy {
    my ($self, $has, $say) = @_;

    my $r = $self->{r};
    my @accept = $r->some(0.35, @protocols);
    my $speak = $r->one(@protocols);

    # VCP and MoQ can express few messages of other protocols
    $speak = $r->one(qw(aee c2a channel))
        if $speak =~ /^(?:vcp|moq)/ && $r->chance(0.7);

    $has->{accept} = \@accept;
    $has->{speak} = $speak;
    $say->('accept', @accept,
           map({ $r->chance(0.15) ? $_ : () }
               "@accept" =~ /\baee\b/ ? ('aee-mve5', 'case=open') : ()));
    $say->('speak', $speak,
           $speak eq 'aee' && $r->chance(0.2) ? 'gateway=service.inner' : ());
    $self->trust($has, $say);
}


# Adds at least one of a token, a signature and trust.
sub trust {
    my ($self, $has, $say) = @_;

    my $r = $self->{r};
    my $proven = $has->{kind} =~ /^(?:mcp|stream|websocket)$/;
    my $kind = $proven ? 9 : $r->below(10);

    delete @$has{qw(jwt trusted signs)};

    if ($kind < 4) {
        $say->('trusted', 'on');
        $say->('jwt', 'off');
        $has->{trusted} = 1;

        $say->('signature', $r->one(qw(off optional optional)));
        return;
    }

    my $signs = grep { /^(?:aee|vcp2?)$/ } @{ $has->{accept} };

    if ($kind < 6 && $signs && $self->listed) {
        $say->('signature', 'required');
        $say->('jwt', 'off');
        $say->('trusted', $r->one(qw(on off)));
        $has->{signs} = 1;
        return;
    }

    my %jwt = (failures => 'off');

    $jwt{typ} = 'at+jwt' if $r->chance(0.15);
    $jwt{issuer} = 'https://id.example' if $r->chance(0.2);
    $jwt{audience} = 'agents' if $r->chance(0.2);
    $jwt{max_lifetime} = '1h' if $r->chance(0.1);
    $jwt{max_size} = $r->one('64k', '1m') if $r->chance(0.1);
    $jwt{require} = 'tenant=7' if $r->chance(0.1);
    $jwt{jti} = 'required' if $r->chance(0.1);
    $jwt{token} = $r->one('$cookie_session', '$arg_access_token')
        if !$proven && $r->chance(0.25);

    $jwt{issuer} //= 'https://id.example' if $jwt{jti};

    $say->('jwt', 'on', map { "$_=$jwt{$_}" } sort keys %jwt);
    $say->('trusted', $r->one(qw(on off off)));
    $say->('claims', $r->some(0.4, 'aee=agent_name', 'roles=/groups',
                              'c2a=chat_name', 'handle=handle'))
        if $r->chance(0.2);
    $say->('signature', 'optional') if $has->{kind} ne 'stream';

    $has->{jwt} = \%jwt;
}


sub rules {
    my ($self, $say) = @_;

    my $r = $self->{r};

    my %word = (
        scope => ['ops:run', 'ops:*', 'admin'],
        principal => ['**', 'planner', 'agent.planner', 'human.ada', '~ada*',
                      'agent://ops.example/*', 'agent:lead', 'manager'],
        role => ['ops', 'lead', 'lead|ops'],
        protocol => ['aee', 'vcp', 'vcp*', 'c2a', 'channel', 'aee|moq', '*'],
        type => ['task', 'event', 'result', 'escalation', 'agent_query',
                 'chat.deliver', 'task|event', '*'],
        intent => ['ops.**', 'ops.build.*', 'vcp.**', 'c2a.chat.*', '**',
                   'moq.cmd.*', 'channel.*', 'c2a.tools.list'],
        to => ['agent.builder', 'bus.ops', 'bus.*', '~ada-builder', 'human.*',
               '**', 'agent:lead', 'service.parley', 'agent.auditor@node'],
    );

    for (1 .. 1 + $r->below(3)) {
        my @words = map { "$_=" . $r->one(@{ $word{$_} }) }
                    $r->some(0.15, sort keys %word);

        $say->($r->one(qw(allow allow deny)), map { "'$_'" } @words);
    }

    $say->('allow', 'principal=**') if $r->chance(0.6);
}


# Adds a location, and sometimes one within it.
sub location {
    my ($self, $server, $outer, $path, $deeper) = @_;

    my $r = $self->{r};
    my $n = @{ $self->{locations} };
    my $kind = $r->chance(0.6) ? 'proxy'
             : $r->one(qw(submit submit mcp),
                       $path eq '' ? qw(stream websocket) : ());
    my $mine = ($kind eq 'stream' || $kind eq 'websocket' ? '= ' : '')
             . "$path/l$n";
    my %in = $self->block('location', $outer, kind => $kind);

    push @{ $self->{locations} },
        { name => $mine, uri => $mine =~ s/^= //r, server => $server,
          self => $self->{self}, people => $self->{people}, %{ $in{has} } };

    $self->{http} .= "location $mine {\n$in{text}";
    $self->{http} .= '    proxy_pass http://127.0.0.1:' . port(3) . ";\n"
        if $kind eq 'proxy';

    $self->location($server, $in{has}, $path . "/l$n", 0)
        if $deeper && $kind eq 'proxy' && $r->chance(0.2);

    $self->{http} .= "}\n";
}


1;
