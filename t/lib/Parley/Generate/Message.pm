package Parley::Generate::Message;

# Random messages for locations of Parley::Generate::Config: the messages of
# t/cases, with names and times that are valid there, some of them changed.
# Each has an id of its own.
#
#     my $messages = Parley::Generate::Message->new($random);
#     my $envelope = $messages->envelope($location);
#     my $octets = $messages->message($location, $envelope);

use strict;
use warnings;

use JSON::PP ();
use JSON::XS ();
use Storable qw(dclone);

use Parley::Env qw(root slurp);
use Parley::Generate::Config;
use Parley::Message;

my $json = JSON::XS->new->utf8->canonical->allow_nonref;
my %forms;

# the members with names, by protocol; the members with ids; those with times
my %names = (aee => [qw(from to)], vcp => [qw(sender recipient)],
             vcp2 => [qw(sender recipient)],
             channel => [qw(sender_handle recipient_handle)],
             c2a => [], moq => []);
my %ids = map { $_ => 1 } qw(id message_id frame_id eventId idempotencyKey
                             session_id);
my %times = map { $_ => 1 } qw(ts timestamp created_at createdAt);

my @values = ('service.parley', 'agent://parley', 'agent:parley', '~parley',
              'Service.Parley', 'service.gate', 'bus.ops', 'bus.builders', '',
              0, -1, undef, [], {}, 'agent.planner', 'Agent.Planner',
              '~ada-builder', 'aee.status.ping', 'org:parley', 'error', 'ack',
              'task', 'event', 'result', 1.5, 'vcp.escalation', 'urgent',
              'emergency', 'critical', JSON::PP::true, JSON::PP::false,
              'human.ada', 'ACK:019502a4-7e5c-7000-8000-000000000001',
              'a' x 70, "\x{e9}\x{2028}", "b\x{0}", 'ops.build.run',
              'aee.context.fetch', 'broadcast', 5, '2026-13-01T00:00:00Z',
              'agent_query', 'chat/deliver', 'tools/call', 'initialize',
              'ping', 'notifications/cancelled', '../x');
my @members = qw(From corr requires requires_ack reply_to in_reply_to to
                 deadline x-team trace sig signature priority scope text
                 secret recipient ttl_ms payload inReplyTo params);

my @queries = (('') x 24, 'scope=bus.ops', 'scope=all',
               'scope=~ada-builder', 'recipient=agent.builder',
               'recipient=~ada-builder&scope=x', 'sc%6fpe=bus.ops&x=1',
               'scope=a&scope=b', 'scope[]=a', 'recipient=%zz', 'a=1;scope=b',
               'recipient=', 'x=%00', 'recipient=agent%3Abuilder',
               'scope=~ada/*', 'Recipient=bus.ops', 'recipient=a+b');

# intents that the gateway answers itself, and their payloads
my @own = qw(status.ping status.health capability.list spec.query
             validate.payload context.fetch context.refute other);
my @asked = ({}, { id => '11111111-1111-4111-8111-111111111111' },
             { topic => 'envelope' }, { intent => 'ops.build.run',
                                        payload => { text => 'x' } });

# arguments of a stream, and the code of those that are refused
my @listens = (
    [''], [''], [''], ['filter=kind:agent_query'],
    ['session=s-1&instrument=x'], ['filter=sender:~ada,kind:agent_advisory'],
    ['last_event_id=0123456789ab.7'], ['filter='],
    ['filter=kind:other', 'filter-value-invalid'],
    ['filter=sender:ada', 'filter-value-invalid'],
    ['filter=color:red', 'filter-axis-unknown'],
    ['session=%20', 'field-invalid'], ['instrument=a/b', 'field-invalid'],
    ['scope=~ada', 'field-invalid'], ['session=a&session=b', 'field-invalid'],
);

# tools of MCP for kinds of frames, and methods without a frame
my %verbs = (agent_advisory => 'agent_advise',
             agent_broadcast => 'agent_broadcast',
             agent_handover => 'agent_handover',
             agent_lock_request => 'agent_lock_acquire',
             agent_lock_release => 'agent_lock_release',
             agent_lease_extend => 'agent_lease_extend',
             agent_query => 'agent_query');
my @calls = (
    { method => 'tools/list' }, { method => 'ping' },
    { method => 'initialize',
      params => { protocolVersion => '2025-06-18', capabilities => {},
                  clientInfo => { name => 'x', version => '1' } } },
    { method => 'server/discover' }, { method => 'dance' },
    map { { method => 'tools/call', params => $_ } }
        { name => 'agent_roster' }, { name => 'agent_dance' },
        { name => 'agent_roster', arguments => { handle => '~ada' } },
        { name => 'agent_subscribe', arguments => { wait_ms => 1 } },
        { name => 'agent_subscribe',
          arguments => { wait_ms => 1, filter => 'kind:other' } });

my @types = ('application/json', 'application/vnd.x+json',
             'application/json; charset=utf-8', 'text/plain',
             'application/json; charset=latin1', '');


sub new {
    my ($class, $r) = @_;

    read_forms() if !%forms;

    return bless { r => $r, made => 0 }, $class;
}


# Reads t/cases: {protocol => [a message as a value, or its octets]}.
sub read_forms {
    my $cases = root() . '/t/cases';

    for my $protocol (sort keys %names) {
        my $all = $json->decode(slurp("$cases/forms/$protocol.json"));

        # 'good' has the forms, 'any' the other cases; no command for the
        # gateway itself is good
        $forms{$protocol}{good} = [
            grep { ($_->{action} // '')
                   !~ /^(?:session_|track_|\w*subscribe_)/ }
            map { { %{ $all->{base} }, %{ $_->{with} // {} } } }
            @{ $all->{forms} }];

        for my $file (sort glob("$cases/$protocol/*/in.json"),
                      glob("$cases/$protocol-to-*/*/in.json"))
        {
            my $octets = slurp($file);
            next if length $octets > 6000;

            push @{ $forms{$protocol}{any} },
                eval { $json->decode($octets) } // $octets;
        }
    }
}


# Returns the envelope of a request: TLS or not, headers, query, and the owner
# of the token.
sub envelope {
    my ($self, $location) = @_;

    my $r = $self->{r};
    my $kind = $location->{kind};
    my ($query, $code) = $kind eq 'stream' ? @{ $r->one(@listens) }
                       : $kind eq 'websocket' ? '' : $r->one(@queries);
    my @query = ($query);
    my %e = (tls => $r->chance(0.92), headers => [], code => $code // '');

    @query = () if $query[0] eq '';

    if (my $jwt = $location->{jwt}) {
        my $token = $self->proof($location, \%e);

        if (defined $token && ($jwt->{token} // '') =~ /^\$arg_(.*)/) {
            splice @query, $r->below(1 + @query), 0, "$1=$token";

        } elsif (defined $token) {
            $e{token} = $token;

            push @{ $e{sent} }, ($jwt->{token} // '') =~ /^\$cookie_(.*)/
                ? (Cookie => "$1=$token") : (Authorization => "Bearer $token");
        }
    }

    # for explain it is a header of the message, not of the opening request
    push @{ $e{headers} }, 'MCP-Protocol-Version', '2025-06-18'
        if $r->chance(0.15) && $kind ne 'websocket';
    if ($kind !~ /^(?:stream|websocket)$/) {
        push @{ $e{headers} }, 'Content-Type', $r->one(@types)
            if $r->chance(0.06);
        push @{ $e{headers} }, 'Content-Encoding', $r->one('identity', 'gzip')
            if $r->chance(0.03);
    }

    $e{query} = join '&', @query;
    $e{as} //= $self->person($location);

    return \%e;
}


sub person {
    my ($self, $location) = @_;

    my $r = $self->{r};
    my @listed = @{ $location->{people} };
    my @whole = grep { defined $_->{vcp} && defined $_->{c2a} } @listed;

    return $r->one(@whole && $r->chance(0.7) ? @whole
                   : @listed && $r->chance(0.9) ? @listed
                   : Parley::Generate::Config::people());
}


# Returns a token that the location usually accepts, or undef.
sub proof {
    my ($self, $location, $e) = @_;

    my $r = $self->{r};
    my $jwt = $location->{jwt};
    my $now = time;
    my %claims = (sub => $e->{as}{sub} // ($e->{as} = $self->person($location))
                  ->{sub}, iat => $now, exp => $now + 3000,
                  iss => 'https://id.example', aud => ['agents', 'x'],
                  tenant => 7, jti => 'token-' . $self->{made}++,
                  scope => $r->one('ops:run', 'ops:run notes', 'admin', ''));
    my @header = (typ => $r->one($jwt->{typ} // 'JWT', $jwt->{typ} // 'JWT',
                                 'at+jwt'));

    return undef if $r->chance(0.03);

    if ($r->chance(0.06)) {
        my $claim = $r->one(sort keys %claims);

        $claims{$claim} = $r->one(undef, 'other', $now - 1000, ['nobody'], 9);
    }

    $claims{agent_name} = $r->one('agent.carol', 'agent.builder')
        if $r->chance(0.1);
    $claims{groups} = ['ops', 'lead'] if $r->chance(0.2);
    $claims{handle} = '~carol' if $r->chance(0.05);
    $claims{act} = { sub => 'builder' } if $r->chance(0.05);
    $claims{sub} = $r->one('carol', $location->{self}, 'parley')
        if $r->chance(0.05);

    my $token = token(Parley::Generate::Config::idp(), \%claims, @header);

    substr $token, -4, 1, $r->one('A', 'B') if $r->chance(0.03);

    return $token;
}


# Returns the octets of a message.
sub message {
    my ($self, $location, $e) = @_;

    return '' if $location->{kind} eq 'stream';

    my $r = $self->{r};
    my @accepted = @{ $location->{accept} };
    my $protocol = $r->chance(0.93) ? $r->one(@accepted)
                                    : $r->one(sort keys %forms);
    my $good = $r->chance(0.8);
    my $form = $r->one(@{ $forms{$protocol}{$good ? 'good' : 'any'} });

    return $self->spoil($form) if !ref $form;

    my $m = dclone($form);

    if (ref $m eq 'HASH') {
        $self->fit($m, $protocol, $location, $e) if $r->chance(0.95);
        $self->change($m) for 1 .. $r->one((0) x 6, 1, 1, 1, 2);
    }

    $self->renew($m, !$r->chance(0.06));
    $m = $self->call($m) if $location->{kind} eq 'mcp';
    $m = $self->signed($m, $protocol, $location, $e) if ref $m eq 'HASH';

    my $octets = $json->encode($m);

    return $r->chance(0.06) ? $self->spoil($octets) : $octets;
}


# Makes the proven principal the sender, and often a known principal the
# recipient.
sub fit {
    my ($self, $m, $protocol, $location, $e) = @_;

    my $r = $self->{r};
    my ($from, $to) = @{ $names{$protocol} };
    my $name = $protocol eq 'channel' ? 'handle' : $protocol =~ s/2$//r;

    if ($protocol eq 'c2a') {
        my $p = ref $m->{params} eq 'HASH' ? $m->{params} : {};
        my ($kind, $id) = ($e->{as}{c2a} // $e->{as}{aee} // '')
                          =~ /^(\w+)[:.](.+)/;

        $p->{author} = { kind => $kind, id => $id }
            if defined $id && ref $p->{author} eq 'HASH' && $r->chance(0.92);
        return;
    }

    return if !defined $from;

    $m->{$from} = $e->{as}{$name}
        if defined $e->{as}{$name} && $r->chance(0.92);

    if ($r->chance(0.3)) {
        my $whom = $r->one(Parley::Generate::Config::people())->{$name};
        $m->{$to} = $whom if defined $whom;
    }

    if ($protocol eq 'aee' && $r->chance(0.08)) {
        $m->{to} = $location->{self};
        $m->{type} = 'task' if $r->chance(0.8);
        $m->{intent} = 'aee.' . $r->one(@own);
        $m->{payload} = dclone($r->one(@asked)) if $r->chance(0.7);
    }

    if ($protocol eq 'channel' && defined $m->{$from}) {
        $m->{acted_by} = '~' . ($e->{as}{human} // 'ada') if $r->chance(0.8);
        $m->{drafted_with} = $e->{as}{instrument}
            if defined $e->{as}{instrument} && $r->chance(0.6);
    }
}


# Returns a call of MCP: of the tool for a frame, or another one.
sub call {
    my ($self, $m) = @_;

    my $r = $self->{r};
    my %call = (jsonrpc => '2.0', id => 'call-' . $self->{made}++);

    return { %call, %{ dclone($r->one(@calls)) } }
        if ref $m ne 'HASH' || ref($m->{kind} // []) || $r->chance(0.3);

    my $verb = $r->chance(0.8) ? $verbs{$m->{kind}} : undef;
    my %arguments = map { $_ => $m->{$_} }
        grep { $_ !~ /^(?:envelope_version|sender_handle|created_at)$/ }
             sort keys %$m;

    delete $arguments{kind} if defined $verb;

    for my $name (qw(frame_id acted_by drafted_with provenance_method scope)) {
        delete $arguments{$name} if $r->chance(0.5);
    }

    return { %call, method => 'tools/call',
             params => { name => $verb // 'agent_send',
                         arguments => \%arguments } };
}


# Returns every place of a value: [container, key].
sub places {
    my ($value) = @_;

    return ref $value eq 'HASH'
        ? map { ([$value, $_], places($value->{$_})) } sort keys %$value
        : ref $value eq 'ARRAY'
        ? map { ([$value, $_], places($value->[$_])) } 0 .. $#$value
        : ();
}


sub change {
    my ($self, $m) = @_;

    my $r = $self->{r};
    my @places = places($m) or return;
    my ($at, $key) = @{ $r->one(@places) };
    my $kind = $r->below(10);
    my $value = $r->one(@values);

    $value = dclone($value) if ref $value && ref $value ne ref true();

    if (ref $at eq 'ARRAY') {
        if ($kind < 3) { splice @$at, $key, 1 }
        else           { $at->[$key] = $value }

    } elsif ($kind < 3) {
        delete $at->{$key};

    } elsif ($kind < 7) {
        $at->{$key} = $value;

    } elsif ($kind < 8) {
        $at->{ $r->one(ucfirst $key, "$key ", "x$key") } = delete $at->{$key};

    } else {
        $at->{ $r->one(@members) } = $value;
    }
}


# Gives a message new ids, and the current time.
sub renew {
    my ($self, $m, $today) = @_;

    my $params = ref $m eq 'HASH' ? $m->{params} : undef;
    my $arguments = ref $params eq 'HASH' ? $params->{arguments} : undef;

    for my $at (grep { ref eq 'HASH' } $m, $params, $arguments) {
        for my $key (grep { $ids{$_} } sort keys %$at) {
            $at->{$key} = $self->id_like($at->{$key})
                if defined $at->{$key} && !ref $at->{$key}
                   && !($key eq 'id' && exists $at->{jsonrpc});
        }
    }

    # gives each question a new id: only the gateway knows earlier questions
    my $payload = ref $m eq 'HASH' ? $m->{payload} : undef;

    for my $key (ref $payload eq 'HASH' ? qw(query_id diagnostic_id) : ()) {
        $payload->{$key} = $self->id_like($payload->{$key})
            if defined $payload->{$key} && !ref $payload->{$key};
    }

    # an id in a text is the id of a question too, so it is new as well

    for my $key (ref $payload eq 'HASH' ? sort keys %$payload : ()) {
        $payload->{$key} =~ s/^id: \K\w{8,}$/'carried-' . $self->{made}++/me
            if defined $payload->{$key} && !ref $payload->{$key};
    }

    for my $place ($today ? places($m) : ()) {
        my ($at, $key) = @$place;

        $at->{$key} = timestamp(-$self->{r}->below(3))
            if ref $at eq 'HASH' && $times{$key}
               && ($at->{$key} // '') =~ /^\d{4}-\d\d-\d\dT/;
    }
}


# Returns an id of the same form.  Text that is not an id is unchanged.
sub id_like {
    my ($self, $id) = @_;

    return $id =~ /^[0-9a-f]{8}-[0-9a-f]{4}-(\d)[0-9a-f]{3}-[0-9a-f-]{17}$/
        ? $1 eq '7' ? uuid7() : $self->new_id
        : $id =~ /^\w+[-_]?\d+/ ? 'evt_' . $self->new_id : $id;
}


sub new_id { return Parley::Message::uuid(4, $_[0]{r}->octets(16)) }


# Signs a message if the location may ask for it; Ed25519 costs two processes.
sub signed {
    my ($self, $m, $protocol, $location, $e) = @_;

    my $r = $self->{r};
    my $key = sub {
        return Parley::Generate::Config::key_of(
                   $r->chance(0.9) ? $e->{as}{sub} : 'planner', $_[0]);
    };
    my $wanted = $location->{signs} ? 0.85 : 0.1;

    if ($protocol eq 'aee' && $r->chance($wanted)) {
        delete $m->{sig};
        $m = sign_aee($m, $key->($r->chance(0.03) ? 'ed25519' : 'HS256'));

    } elsif ($protocol =~ /^vcp/ && !$location->{trusted}
             && $r->chance(0.75))
    {
        delete $m->{signature};
        $m = sign_vcp($m, $key->('ed25519'));

    } else {
        return $m;
    }

    # changes a few messages after the signature
    $self->change($m) if $r->chance(0.05);

    return $m;
}


# Changes the octets of a message, mostly so that it is invalid.
sub spoil {
    my ($self, $octets) = @_;

    my $r = $self->{r};
    my $at = $r->below(1 + length $octets);
    my $kind = $r->below(9);

    if ($kind == 0) { substr $octets, $at, 0, "\xff" }
    if ($kind == 1) { $octets = substr $octets, 0, $at }
    if ($kind == 2) { $octets .= $r->one('}', ' x', "\n\n", "\0", ',') }
    if ($kind == 3) { $octets =~ s/^\{("\w+":"[^"]*")/{$1,$1/ }
    if ($kind == 4) { $octets = "\xef\xbb\xbf$octets" }
    if ($kind == 5) { $octets =~ s/:/ :\n\t/g }
    if ($kind == 6) { $octets = "[$octets]" }
    if ($kind == 7) { $octets =~ s/"([a-z])/sprintf '"\\u%04x', ord $1/ge }
    if ($kind == 8) { substr $octets, $at, 1, $r->one('"', '\\', '1e999') }

    return $octets;
}


1;
