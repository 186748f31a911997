package Parley::Surface;

# Chat surfaces: a gateway with surfaces in its directory, and the events that
# they deliver.  The service is on port(2), the gateway on port(4), with TLS.
#
#     my ($nginx, $service) = surfaces();
#     is(code('/aee', event(id => 'U9')), 'ok');
#     is(got('/aee', event())->{from}, 'human.slack.T123.U9');

use strict;
use warnings;

use Exporter 'import';
use Test::More;
use Time::HiRes qw(sleep);

use Parley::Client;
use Parley::Env qw(port slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;
use Parley::Upstream;

our @EXPORT = qw(surfaces event last_event code got refused verdict);

my $dir = tmp_dir();
my $client = Parley::Client->new(port => port(4));
my ($service, $n) = (undef, 0);

# slackbot delivers for two workspaces, and webchat for another platform.  ann
# and bot are listed with accounts, bare has no name, and zed has no surface.
my @principals = (
    { sub => 'slackbot', c2a => 'agent:slackbot', aee => 'agent.slackbot',
      handle => '~cc-slackbot', roles => ['chat'], human => 'boss',
      surface => ['slack/T123', 'slack/T9'] },
    { sub => 'webchat', c2a => 'agent:webchat', surface => ['web/main.site'] },
    { sub => 'low', c2a => 'agent:low', surface => ['irc/net'],
      max_priority => 'normal' },
    { sub => 'stopped', c2a => 'agent:stopped', surface => ['stopped/T1'],
      vcp => 'agent://ops.example/stopped', parent => 'boss',
      keys => [public_jwk(person('stopped')->{key})] },
    { sub => 'boss', c2a => 'human:boss', aee => 'human.boss',
      vcp => 'human://boss', handle => '~boss',
      accounts => ['slack/T123/UBOSS'] },
    { sub => 'ann', c2a => 'human:ann', aee => 'human.ann', handle => '~ann',
      roles => ['staff'], accounts => ['slack/T123/UANN', 'web/main.site/ann',
                                       'irc/net/ann'] },
    { sub => 'calm', c2a => 'human:calm', max_priority => 'low',
      accounts => ['irc/net/calm'] },
    { sub => 'bot', aee => 'agent.bot', parent => 'boss',
      vcp => 'agent://ops.example/bot',
      keys => [public_jwk(person('bot')->{key})],
      accounts => ['slack/T123/BBOT'] },
    { sub => 'bare', accounts => ['slack/T123/UBARE'] },
    { sub => 'reader', c2a => 'agent:reader', aee => 'agent.reader',
      handle => '~reader', human => 'boss' },
    { sub => 'aee-reader', aee => 'agent.aee-reader', human => 'boss',
      handle => '~aee-reader' },
    { sub => 'zed', c2a => 'agent:zed', aee => 'agent.zed' },
);


sub locations {
    my $service = 'proxy_pass http://127.0.0.1:%PORT_2%;';

    return <<"EOT";
        parley_jwt on;
        location = /aee { parley_accept c2a; parley_speak aee; $service }
        location = /c2a { parley_accept c2a; parley_speak c2a; $service }
        location = /dry { parley_accept c2a; parley_speak c2a;
                          parley_dry_run on; $service }
        location = /claims {
            parley_accept c2a aee;
            parley_claims c2a=c2a aee=aee vcp=vcp;
            parley_speak aee;
            $service
        }
        location = /vcp { parley_accept vcp; parley_jwt off;
                          parley_signature required; $service }
        location = /role { parley_accept c2a; parley_speak c2a;
                           parley_allow role=chat; $service }
        location = /staff { parley_accept c2a; parley_speak c2a;
                            parley_allow principal=slackbot role=staff;
                            $service }
        location = /ann { parley_accept c2a; parley_speak c2a;
                          parley_allow principal=ann; $service }
        location = /denied {
            parley_accept c2a;
            parley_speak c2a;
            parley_deny principal=ann;
            parley_deny principal=human:slack.T123.UBAD;
            parley_deny principal=human.slack.T9.*;
            parley_deny principal=webchat;
            parley_allow protocol=c2a;
            $service
        }
        location = /rate {
            parley_accept c2a;
            parley_speak c2a;
            parley_rate 1r/m burst=2;
            $service
        }
        location = /falls {
            parley_accept c2a;
            parley_speak aee;
            proxy_pass http://127.0.0.1:%PORT_9%;
            error_page 502 = \@c2a;
        }
        location \@c2a { parley_accept c2a; parley_speak c2a; $service }
        location = /falls-aee {
            parley_accept c2a;
            parley_speak c2a;
            proxy_pass http://127.0.0.1:%PORT_9%;
            error_page 502 = \@aee;
        }
        location \@aee { parley_accept c2a; parley_speak aee;
                         parley_deny principal=ann;
                         parley_allow principal=slackbot; $service }
        location = /ws { parley_websocket c2a; }
        location = /hub { parley_submit c2a aee; }
        location = /wait { parley_submit c2a aee hold=10s; }
        location /c2a-stream/ { parley_stream c2a; }
        location /aee-stream/ { parley_stream aee; }
EOT
}


# Starts the service and the gateway; returns both.  capped: with principals
# that have a max_priority.
sub surfaces {
    my %o = @_;
    my @listed = grep { $o{capped} || !$_->{max_priority} } @principals;

    $service = Parley::Upstream->start(port(2));

    spew("$dir/revocations.json",
         jcs({ principals => [], kids => [], tokens => [] }));

    my $nginx = Parley::Nginx->start(workers => 1, http => streams_http(
        identities => jcs({ principals => \@listed }),
        more => "parley_revocations $dir/revocations.json; "
              . "parley_audit $dir/audit.jsonl; "
              . 'parley_retain count=100 time=1h; log_format who '
              . '"$parley_principal $parley_surface $parley_id"; '
              . "access_log $dir/who.log who;",
        locations => locations()));

    return ($nginx, $service);
}


# Returns an event of an account.  Options: id, kind, source (an array), and
# members of params.
sub event {
    my %o = (id => 'U9', kind => 'human', source => ['slack', 'T123'],
             to => 'agent:reader', @_);

    my $id = 'evt-' . ++$n;
    my %author = defined $o{author} ? %{ $o{author} }
                 : (id => $o{id}, kind => $o{kind});

    return {
        jsonrpc => '2.0', id => "call-$n", method => 'chat/deliver',
        params => {
            eventId => $id,
            source => { platform => $o{source}[0],
                        workspaceId => $o{source}[1] },
            conversation => { id => 'D1', kind => 'dm' },
            author => \%author,
            target => { recipient => $o{to}, directedness => 'to_me' },
            content => [{ type => 'text', text => "words $n" }],
            timing => { createdAt => timestamp() },
            attention => { policy => 'may_respond', priority => 'normal' },
            injection => { mode => 'buffered' },
            reliability => { idempotencyKey => "$id:reader" },
            %{ $o{params} // {} } },
    };
}


# Sends an event and returns 'ok' or the error code of the answer.
sub code {
    my ($uri, $event, %o) = @_;

    my $answer = $client->post($uri, jcs($event), Authorization => $o{token}
                               // bearer($o{as} // 'slackbot', %{ $o{claims}
                                                                  // {} }));
    my $error = $answer->{json}{error};

    return $error ? $error->{data}{code} // $error->{message}
           : $answer->{status} < 300 ? 'ok'
           : $answer->{json}{code} // $answer->{status};
}


# Sends an event and returns the message that the service received.
sub got {
    my ($uri, $event, %o) = @_;

    $service->clear;
    is(code($uri, $event, %o), $o{code} // 'ok', "$uri takes it");

    return $service->last->{json};
}


sub refused {
    my ($what, $event, %o) = @_;

    $service->clear;
    is(code($o{uri} // '/aee', $event, %o),
       $o{code} // 'sender-identity-mismatch', $what);
    is($service->count, 0, 'no service gets it');
}


# Returns the verdict on the last message.
sub verdict {
    my $verdict;

    for (1 .. 50) {
        ($verdict) = grep { $_->{event} eq 'verdict' } reverse
                     map { from_json($_) }
                     split /\n/, slurp("$dir/audit.jsonl");
        last if $verdict && ($verdict->{id} // '') eq "evt-$n";
        sleep 0.1;
    }

    return $verdict;
}


# Returns the id of the last event.
sub last_event { return "evt-$n" }


1;
