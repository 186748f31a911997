package Bench::Streams;

# The sides of the benchmark of streams, and runs of its client against them.
# Both have the same listeners of the same handles, with the same requests, and
# are sent the same octets.

use strict;
use warnings;

use Exporter 'import';
use JSON::PP ();
use Time::HiRes qw(sleep);

use Bench::Files qw(%bench mint output prepare_streams spew);
use Bench::Gateway;

our @EXPORT_OK = qw(prepare_sides fan_out idle);

# octets of the text of a message
use constant TEXT => 200;

# one that a message is sent to has no part in sending it
use constant SENDER => 'herald';

# what each side takes a message at
my %publish = (streams => '/publish?scope=org%3A~acme%2Fmembers%2F*',
               nchan => '/publish');


# Programs, keys, and the files that the client reads.
sub prepare_sides {
    prepare_streams();

    my $json = JSON::PP->new->canonical;
    my @subs = map { s/^~//r } Bench::Gateway::handles();

    spew("$bench{dir}/listeners.json", $json->encode({
        principals => [ map { {
            sub => $_, handle => "~$_", aee => "agent.$_",
            orgs => [ '~acme' ],
        } } @subs, SENDER ] }));

    spew("$bench{dir}/listeners", join '', map {
        join("\t", "/listen/~$_", authorization($_)) . "\n"
    } @subs);

    for my $side (keys %publish) {
        spew("$bench{dir}/publisher-$side",
             join("\t", $publish{$side}, authorization(SENDER)) . "\n");
    }

    spew("$bench{dir}/frame.json", $json->encode(frame()));
}


sub authorization {
    return 'Authorization: Bearer ' . mint('--sub', shift);
}


# Its id and its time are the client's to replace.
sub frame {
    my $text = substr 'about to edit the parser; ' x TEXT, 0, TEXT;

    return { envelope_version => '1.0',
             frame_id => '00000000-0000-4000-8000-000000000000',
             kind => 'agent_advisory', sender_handle => '~' . SENDER,
             recipient_handle => '~acme',
             created_at => '2026-01-01T00:00:00.000Z',
             payload => { advisory_text => $text },
             acted_by => '~' . SENDER, drafted_with => '~cc-herald@1.0',
             provenance_compute_location => 'server-active',
             provenance_method => [ 'session-context' ],
             provenance_context_check => 'passed',
             provenance_basis => 'agent-channel' };
}


# One run, of a gateway of its own: the figures that the client prints.  It
# fails where a message was lost, came twice or in another order.
sub fan_out {
    my ($side, %o) = @_;

    my $n = $o{subscribers};
    my $alone = $o{workers} == 1;

    # nginx takes idle connections back where a sixteenth is left
    my $gateway = Bench::Gateway->start($side, workers => $o{workers},
                                        connections => int($n * 1.125) + 64);

    # The client has a core of its own only where one worker is measured.
    my $line = output(
        $alone ? Bench::Gateway::core(Bench::Gateway::CLIENT_CORE) : (),
        "$bench{dir}/bench_stream", '-p', $gateway->{port},
        '-s', "$bench{dir}/listeners", '-u', "$bench{dir}/publisher-$side",
        '-b', "$bench{dir}/frame.json", '-n', $n, '-m', $o{messages},
        $o{burst} ? ('-B', $o{burst}) : ('-r', $o{rate}),
        $alone && `nproc` > 1 ? () : '-w',
        map { ('-P', $_) } @{ $gateway->{workers} });

    my %figures = $line =~ /(\w+)=(\S+)/g;

    print "  $side: $line" if $o{verbose};

    for my $wrong (qw(lost twice misplaced)) {
        die "bench: $side: $figures{$wrong} messages $wrong: $line"
            if $figures{$wrong} != 0;
    }

    # it sees that they have gone
    sleep 0.5;
    $gateway->stop;

    return \%figures;
}


# What idle subscribers cost over TLS: each: so many on a connection of HTTP/2;
# none: each on its own, of HTTP/1.1.
sub idle {
    my ($side, %o) = @_;

    my $n = $o{subscribers};
    my $gateway = Bench::Gateway->start($side, workers => $o{workers},
                                        connections => int($n * 1.125) + 64,
                                        secure => 1);

    my $line = output("$bench{dir}/bench_idle", '-p', $gateway->{secure},
                      '-s', "$bench{dir}/listeners", '-n', $n,
                      $o{each} ? ('-c', $o{each}) : (),
                      map { ('-P', $_) } @{ $gateway->{workers} });

    print "  $side: $line" if $o{verbose};

    sleep 0.5;
    $gateway->stop;

    return { $line =~ /(\w+)=(\S+)/g };
}


1;
