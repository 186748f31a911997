package Parley::Streams;

# Submits frames of agent-channel and reads streams of events.  The principals
# are ~alice and ~bob, members of ~acme, where ~bob is an operator.  ~carol of
# ~peer has granted billing.read to alice.  ~dave has no group.
#
#     my $nginx = Parley::Nginx->start(http => streams_http());
#     my $alice = listen_to('alice', session => 's1');
#     my $answer = submit(frame('bob', 'alice'));
#     is($alice->event->{id}, ...);

use strict;
use warnings;

use Exporter 'import';
use Time::HiRes qw(sleep time);

use Parley::Client;
use Parley::Env qw(tmp_dir port tls spew);
use Parley::Gateway;
use Parley::Message;

our @EXPORT = qw(streams_http streams_identities deliver_location frame submit
                 listen_to stream_request texts);

my %orgs = (alice => ['~acme'], bob => ['~acme', '~acme/ops'],
            carol => ['~peer'], dave => []);


sub streams_identities {
    my %of = @_;

    my @principals = map { {
        sub => $_, handle => "~$_", aee => "agent.$_",
        vcp => "agent://ops.example/$_",
        c2a => "agent:$_", instrument => "~cc-$_\@1.0",
        orgs => $orgs{$_} // [],
        $_ eq 'alice' ? (grants => ['~peer/billing.read']) : (),
        $_ eq 'carol' ? (reached => ['~peer/billing.read']) : (),
        %{ $of{$_} // {} },
    } } sort keys %{ { %orgs, %of } };

    # undef removes a member

    for my $p (@principals) {
        delete @$p{ grep { !defined $p->{$_} } keys %$p };
    }

    return jcs({ principals => \@principals });
}


# Returns the location of parley_deliver, to peers with the certificate of
# tls().
sub deliver_location {
    my ($cert) = tls();

    return <<"EOT";
        location = /_deliver {
            internal;
            proxy_pass \$parley_deliver_url;
            proxy_ssl_verify on;
            proxy_ssl_trusted_certificate $cert;
            proxy_ssl_name localhost;
        }
EOT
}


# Returns all of http: plain HTTP on port(1), TLS on port(4), TLS with HTTP/2
# on port(5).  Options: zone, more (of http), submit and stream (the words of
# these directives), locations, identities, rules (of the stream's location).
sub streams_http {
    my %o = (zone => 'streams:8m', more => '', submit => 'channel',
             stream => 'channel', rules => '', locations => '',
             jwt => 'parley_jwt on;', @_);

    my $dir = tmp_dir();
    my ($cert, $key) = tls();

    spew("$dir/identities.json", $o{identities} // streams_identities());
    spew("$dir/jwks.json", jwks(idp()));

    my $server = <<"EOT";
        location = /channel/frames {
            $o{jwt}
            parley_submit $o{submit};
        }
        location /channel/stream {
            $o{jwt}
            parley_stream $o{stream};
            $o{rules}
        }
        location = /status { parley_status; }
        $o{locations}
EOT

    return <<"EOT";
    parley_zone        $o{zone};
    parley_identities  $dir/identities.json;
    parley_jwks        $dir/jwks.json;
    $o{more}
    server {
        listen 127.0.0.1:%PORT_1%;
        server_name plain;
        parley_trusted on;
        $server
    }
    server {
        listen 127.0.0.1:%PORT_4% ssl;
        listen 127.0.0.1:%PORT_5% ssl http2;
        ssl_certificate     $cert;
        ssl_certificate_key $key;
        $server
    }
EOT
}


# Returns a frame between two principals; members are added or replaced.
sub frame {
    my ($from, $to, %other) = @_;

    my $kind = delete $other{kind} // 'agent_advisory';
    my $text = delete $other{text} // 'about to edit parley.c';

    return { envelope_version => '1.0', frame_id => uuid4(), kind => $kind,
             sender_handle => "~$from", recipient_handle => "~$to",
             created_at => timestamp(), payload => { advisory_text => $text },
             acted_by => "~$from", drafted_with => "~cc-$from\@1.0",
             provenance_compute_location => 'server-active',
             provenance_method => ['session-context'],
             provenance_context_check => 'passed',
             provenance_basis => 'agent-channel', %other };
}


# POSTs a message.  Options: as (default: the sender of the frame), scope, uri,
# port, tls, headers.  Returns the answer of Parley::Client.
sub submit {
    my ($message, %o) = @_;

    my $as = $o{as} // ($message->{sender_handle} =~ s/^~//r);
    my $uri = $o{uri} // '/channel/frames';

    if (defined $o{scope}) {
        $uri .= '?scope=' . ($o{scope} =~ s/([^A-Za-z0-9_.-])/
                                            sprintf '%%%02X', ord $1/egr);
    }

    my $client = Parley::Client->new(port => $o{port} // port(1),
                                     tls => $o{tls} // 0);

    return $client->post($uri, $o{text} // jcs($message),
                         Authorization => $o{token} // bearer($as),
                         @{ $o{headers} // [] });
}


sub stream_request {
    my ($who, %o) = @_;

    my $uri = $o{uri} // '/channel/stream/' . ($o{of} // "~$who");
    my @args;

    for my $name (qw(filter session instrument last_event_id)) {
        push @args, "$name=" . ($o{$name} =~ s/([^A-Za-z0-9_.:,~-])/
                                               sprintf '%%%02X', ord $1/egr)
            if defined $o{$name};
    }

    $uri .= (index($uri, '?') < 0 ? '?' : '&') . join '&', @args if @args;

    my @headers = @{ $o{headers} // [] };

    unshift @headers, Authorization => $o{token} // bearer($who)
        if !defined $o{token} || $o{token};
    push @headers, 'Last-Event-ID' => $o{last} if defined $o{last};

    return Parley::Client->new(port => 0)->request($o{method} // 'GET', $uri,
                                                   $o{body}, @headers);
}


# Returns an open stream, or the refusal.  Options: of, uri, filter, session,
# instrument, last (Last-Event-ID), last_event_id, headers, token, port, tls.
sub listen_to {
    my ($who, %o) = @_;

    my $client = Parley::Client->new(port => $o{port} // port(1),
                                     tls => $o{tls} // 0);
    my $connection = $client->connect;

    $connection->write(stream_request($who, %o));

    my $self = bless { connection => $connection, text => '', comments => 0 },
                     'Parley::Streams::Stream';

    $connection->expect(qr/\r\n\r\n/) // die "no answer of a stream\n";

    my $parsed = $connection->parse;

    $self->{status} = $parsed->{status};
    $self->{headers} = $parsed->{headers};
    $self->{answer} = $connection->answer if $self->{status} != 200;

    return $self if $self->{status} != 200;

    $connection->{buffer} =~ s/^.*?\r\n\r\n//s;
    $self->unchunk;

    # reads the first event, so later counts begin after it
    $self->{open} = $self->event;

    return $self;
}


# Returns the texts of received frames.
sub texts { map { $_->{json}{payload}{advisory_text} // $_->{data} } @_ }


package Parley::Streams::Stream;

use Time::HiRes qw(sleep time);


sub status { $_[0]{status} }
sub answer { $_[0]{answer} }
sub opened { $_[0]{open} }

# Closes the connection, and waits until the gateway has closed the stream.
sub leave  { $_[0]{connection}->leave(seen => 2) }


# Reads for at most that many seconds; appends to all received octets.
sub fill {
    my ($self, $seconds) = @_;

    my $n = $self->{connection}->fill($seconds);

    $self->{ended} = 1 if defined $n && $n == 0;
    $self->unchunk;

    return $n;
}


# Moves complete chunks to the text.
sub unchunk {
    my $self = shift;

    my $in = \$self->{connection}{buffer};

    while ($$in =~ /\A([0-9a-fA-F]+)\r\n/) {
        my ($at, $n) = (length($1) + 2, hex $1);

        last if length $$in < $at + $n + 2;

        $self->{ended} = 1 if $n == 0;
        $self->{text} .= substr $$in, $at, $n;
        substr $$in, 0, $at + $n + 2, '';
    }
}


# Returns the next event: {id, event, data, json, retry}, or undef after the
# time.
sub event {
    my ($self, $seconds) = @_;

    my $until = time + ($seconds // 20);

    while (1) {
        while ((my $end = index "\n$self->{text}", "\n\n") >= 0) {
            my $block = substr $self->{text}, 0, $end;

            substr $self->{text}, 0, $end + 1, '';

            my $event = parse($block);

            return $event if $event;
            $self->{comments}++;
        }

        my $left = $until - time;

        return undef if $left <= 0 || $self->{ended};

        $self->fill($left);
    }
}


# Returns that many events, or fewer if no more come.
sub events {
    my ($self, $n, $seconds) = @_;

    my @events;

    while (@events < $n) {
        my $event = $self->event($seconds) // last;
        push @events, $event;
    }

    return @events;
}


# Returns whether the stream ends within that many seconds; events before the
# end are kept.
sub ends {
    my ($self, $seconds) = @_;

    my $until = time + ($seconds // 20);

    while (!$self->{ended}) {
        my $left = $until - time;
        return 0 if $left <= 0;
        $self->fill($left);
    }

    return 1;
}


# Returns whether a comment comes within that many seconds.
sub comment {
    my ($self, $seconds) = @_;

    my $until = time + ($seconds // 20);
    my $before = $self->{comments};

    while ($self->{comments} == $before) {
        my $left = $until - time;
        return 0 if $left <= 0 || $self->{ended};
        $self->event($left > 0.2 ? 0.2 : $left);
    }

    return 1;
}


sub parse {
    my $block = shift;

    my %event;

    for my $line (split /\n/, $block) {
        next if $line =~ /^:/;

        my ($name, $value) = $line =~ /^([^:]*):? ?(.*)$/s;

        if ($name eq 'data' && defined $event{data}) {
            $event{data} .= "\n$value";

        } else {
            $event{$name} = $value;
        }
    }

    return undef if !%event;

    $event{json} = eval { Parley::Message::from_json($event{data}) }
        if defined $event{data};

    return \%event;
}


1;
