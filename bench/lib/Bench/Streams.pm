package Bench::Streams;

# The sides of the benchmark of streams, and runs of its client.  Both sides
# have listeners of the same handles with equal requests, and get equal octets.

use strict;
use warnings;

use Exporter 'import';
use JSON::PP ();
use Time::HiRes qw(sleep);

use Bench::Files qw(%bench mint output prepare_streams spew);
use Bench::Gateway;

our @EXPORT_OK = qw(prepare_sides fan_out idle listeners frame);

# octets of the text of a message
use constant TEXT => 200;

# sender of all messages, which does not receive them
use constant SENDER => 'herald';

# path for messages of each side
my %publish = (streams => '/publish?scope=org%3A~acme%2Fmembers%2F*',
               nchan => '/publish');


# Prepares programs, keys, and the files that the client reads.
sub prepare_sides {
    prepare_streams();

    my $json = JSON::PP->new->canonical;
    my @subs = listeners();

    spew("$bench{dir}/listeners", join '', map {
        join("\t", "/listen/~$_", authorization($_)) . "\n"
    } @subs);

    for my $side (keys %publish) {
        spew("$bench{dir}/publisher-$side",
             join("\t", $publish{$side}, authorization(SENDER)) . "\n");
    }

    spew("$bench{dir}/frame.json", $json->encode(frame()));
}


# Writes the identities, and returns the subjects of the listeners.
sub listeners {
    my @subs = map { s/^~//r } Bench::Gateway::handles();

    spew("$bench{dir}/listeners.json", JSON::PP->new->canonical->encode({
        principals => [ map { {
            sub => $_, handle => "~$_", aee => "agent.$_",
            orgs => [ '~acme' ],
        } } @subs, SENDER ] }));

    return @subs;
}


sub authorization {
    return 'Authorization: Bearer ' . mint('--sub', shift);
}


# The client replaces the id and the time.
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


# Does one run with a new gateway, and returns the client's figures.  A lost,
# repeated or reordered message is an error.
sub fan_out {
    my ($side, %o) = @_;

    my $n = $o{subscribers};
    my $alone = $o{workers} == 1;

    # nginx closes idle connections if less than a sixteenth is free.
    my $gateway = Bench::Gateway->start($side, workers => $o{workers},
                                        connections => int($n * 1.125) + 64);

    # The client has a core of its own only if there is one worker.
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

    # The gateway notices the closed connections.
    sleep 0.5;
    $gateway->stop;

    return \%figures;
}


# Measures the cost of idle subscribers over TLS.  each: number of subscribers
# on a connection of HTTP/2; undef: one on each connection of HTTP/1.1.
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
