# ACH-28: an escalation that went up (VCP 6.2) is deleted by whom it came to there
# where it came, and nowhere else.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Family;
use Parley::Gateway;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => [family_principals(1)] }),
    more => 'parley_retain count=100 time=1h; parley_self service.parley;',
    locations => <<'EOT'));
        location = /in { parley_jwt on; parley_submit vcp aee; }
        location /vcp/ { parley_jwt on; parley_stream vcp; }
EOT
my $client = Parley::Client->new(port => port(1), tls => 0);

family(1);


sub erased {
    my ($by, $of, $id) = @_;

    return $client->send('DELETE', '/channel/stream/~' . who($of) . "?id=$id",
                         '', Authorization => bearer(who($by)))
               ->{json}{erased};
}


sub fetched {
    my ($by, $id) = @_;

    return send_as($by, aee(from => who("agent.$by"), to => 'service.parley',
                            intent => 'aee.context.fetch',
                            payload => { id => $id }))->{json}{type};
}


my ($bob, $carol) = streams(qw(bob carol));
my $m = alarm_of('critical');
my $id = $m->{message_id};

says($m);
is($_->event(8)->{json}{message_id}, $id, 'it came to both') for $bob, $carol;

is(fetched('carol', $id), 'error', 'carol may not fetch it');
is(erased('carol', 'carol', $id), 1, 'ACH-28 she deletes what came to her');
is(fetched($_, $id), 'result', "ACH-28 $_ may fetch it still")
    for qw(alice bob);

is(erased('bob', 'bob', $id), 1, 'ACH-28 bob deletes what was for him');
is(fetched($_, $id), 'error', "ACH-28 which $_ may fetch no more")
    for qw(alice bob);

$nginx->stop;

done_testing;
