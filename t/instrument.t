# ACH-10, GW-03: a human with an instrument sends frames in agent-channel.
# They come back unchanged from another protocol: each kind of frame, through a
# gateway and by the tool, and only for that human.

use strict;
use warnings;

use lib 't/lib';

use Test::More;

use Parley::Client;
use Parley::Env qw(port tmp_dir slurp spew);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;
use Parley::Nginx;
use Parley::Tool ();
use Parley::Upstream;

my $dir = tmp_dir();
my $forms = from_json(slurp('t/cases/forms/channel.json'));
my $service = Parley::Upstream->start(port(2), 'took($c, $q)');

# zed uses the same model as alice; ivy's instrument has no prefix
my %instruments = (alice => '~cc-example-model', zed => '~cc-example-model@2',
                   ivy => '~drafter@1.0');

my %o = matrix();

spew("$dir/identities.json", jcs({ principals => [
    { sub => 'bob', handle => '~bob', aee => 'agent.bob', c2a => 'agent:bob',
      instrument => '~cc-bob', human => 'alice' },
    map { { sub => $_, handle => "~$_", aee => "human.$_", c2a => "human:$_",
            instrument => $instruments{$_} } } sort keys %instruments ] }));

my $nginx = Parley::Nginx->start(http => "$o{http} server {\n$o{server}\n}\n");
my $client = Parley::Client->new(port => port(1));


sub frame_of {
    my ($form, $who) = @_;

    my $own = $instruments{$who};
    my %m = (%{ $forms->{base} }, %{ $form->{with} }, frame_id => uuid4(),
             created_at => timestamp(), sender_handle => "~$who",
             recipient_handle => '~bob', acted_by => "~$who",
             drafted_with => $own);

    $m{payload} = { %{ $m{payload} }, acted_by => "~$who",
                    drafted_with => $own } if $m{payload}{acted_by};

    $m{payload} = { %{ $m{payload} }, response_scope => "~$who/*" }
        if $m{payload}{response_scope};

    return \%m;
}


# Sends a message; returns the answer and the message that the service got.
sub through {
    my ($uri, $m, $who) = @_;

    my $before = $service->count;
    my $answer = $client->raw(post($uri, $m, as => $who));

    return ($answer, $service->count > $before ? $service->last->{json}
                                               : undef);
}


my %seen;

for my $who (sort keys %instruments) {
    for my $form (@{ $forms->{forms} }) {

        # these frames answer a question, which another file tests
        next if $form->{with}{kind} =~ /_response$/
                || ($form->{with}{payload}{query_id}
                    && $form->{with}{kind} eq 'agent_return_event')
                || $form->{scope};

        for my $to (qw(aee c2a)) {
            my $name = "$who, $form->{with}{kind} by $to";
            my $frame = frame_of($form, $who);
            my ($answer, $out) = through("/to-$to", $frame, $who);

            is($answer->{status}, 200, "ACH-10 $name goes out")
                or diag($answer->{body}), next;
            is($answer->{headers}{'parley-loss'}, undef, "$name is whole");

            my ($second, $back) = through('/to-channel', without($out, 'sig'),
                                          $who);

            like($second->{status}, qr/^20[02]$/, "$name comes back")
                or diag($second->{body});
            is_deeply($back, $frame, "GW-03 $name is exact");

            next if $who eq 'zed';

            my ($other, $none) = through('/to-channel', without($out, 'sig'),
                                         'zed');

            is($other->{status}, 403, "SEC-06 $name is nobody else's");
            ok(!$none, 'and is not forwarded');
        }
    }
}


# the tool has no token: only the identities have the owner of an instrument

for my $who (sort keys %instruments) {
    for my $to (qw(aee c2a)) {
        for my $principal ([], ['--principal', $who]) {
            my $name = "$who by $to" . (@$principal ? ', proven' : '');
            my @words = ('--lines', '--identities', "$dir/identities.json",
                         @$principal, '--to');
            my @frames = map { frame_of($_, $who) } @{ $forms->{forms} };
            my ($status, $out, $err) = Parley::Tool::tool(
                { in => join '', map { jcs($_) . "\n" } @frames },
                'translate', @words, $to);

            is($status, 0, "ACH-10 $name") or diag($err);
            is($err, sprintf("parley: %d messages, 0 bad\n", scalar @frames),
               "$name is whole");

            ($status, $out, $err) = Parley::Tool::tool({ in => $out },
                'translate', @words, 'channel');

            is($status, 0, "$name comes back") or diag($err);
            is_deeply([map { from_json($_) } split /\n/, $out], \@frames,
                      "GW-16 $name is exact");
        }
    }
}


$nginx->stop;

done_testing;
