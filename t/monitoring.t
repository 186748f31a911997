# Alerts, dashboard and runbook name only existing metrics, and Prometheus
# accepts them.

use strict;
use warnings;

use lib 't/lib';

use JSON::PP ();
use Test::More;

use Parley::Env qw(port root slurp spew tmp_dir);
use Parley::Gateway;
use Parley::Nginx;
use Parley::Status;

my $examples = root() . '/examples';
my $docs = root() . '/docs';

my $key = spew(tmp_dir() . '/store.key', 'ab' x 32);
chmod 0600, $key or die $!;

# without its server the store has all its metrics too
my $nginx = Parley::Nginx->start(http => gateway_http(
    more => 'parley_store redis://127.0.0.1:' . port(4) . " key=$key;",
    server => 'location /status { parley_status; }'));
my $text = Parley::Status->new(port => port(3))->text;

my %metric = map { $_ => 1 } $text =~ /^# TYPE (\w+) /mg;
my %sample = map { $_ => 1 } $text =~ /^(parley_\w+)/mg;

# labels of each sample, and their values
my %word;

while ($text =~ /^(parley_\w+)\{([^}]*)\}/mg) {
    my ($name, $labels) = ($1, $2);

    $word{$name}{$1}{$2} = 1 while $labels =~ /(\w+)="([^"]*)"/g;
}


# Returns the names in a text that are not samples.
sub unknown { my %seen; grep { !$sample{$_} && !$seen{$_}++ } @_ }


# Returns labels of a selector that its metric does not have.
sub strange {
    my $expression = shift;
    my @found;

    while ($expression =~ /(parley_\w+)\{([^}]*)\}/g) {
        my ($name, $labels) = ($1, $2);

        while ($labels =~ /(\w+)(=~|=)"([^"]*)"/g) {
            my ($label, $how, $value) = ($1, $2, $3);

            next if $label =~ /^(?:instance|job)$/;
            push @found, "$name $label" if !$word{$name}{$label};

            # the metrics have no value that was not counted yet
            next if $how eq '=~' || $label =~ /^(?:by|accepted|spoken)$/;
            push @found, "$name $label=$value" if !$word{$name}{$label}{$value};
        }
    }

    return join ', ', @found;
}


my $alerts = slurp("$examples/alerts.yml");
my @alerts = $alerts =~ /^ +- alert: (\w+)/mg;


subtest 'OPS-05 alerts name existing metrics' => sub {
    my $rules = $alerts =~ s/^\s*#.*//mgr;

    cmp_ok(@alerts, '>=', 10);
    is_deeply([unknown($rules =~ /\b(parley_(?!zone\b)\w+)/g)],
              [], 'names');
    is(strange($rules), '', 'and labels');
    is(strange($rules =~ s/left_ratio/no_ratio/r =~ s/outcome=/outcom=/r) ne '',
       1, 'what is wrong is seen');
};


subtest 'OPS-05 the runbook has every alert' => sub {
    my $runbook = slurp("$docs/runbook.md");
    my %entry = map { $_ => 1 } $runbook =~ /^### (\w+)$/mg;

    for my $alert (@alerts) {
        ok(delete $entry{$alert}, "$alert has one");

        my ($anchor) = $alerts =~ /alert: $alert\b.*?runbook: (\S+)/s;

        is($anchor, 'docs/runbook.md#' . lc $alert, 'and leads there');
    }

    is_deeply([keys %entry], [], 'and no entry is of none');

    my $tests = slurp("$examples/alerts_test.yml");

    like($tests, qr/alertname: $_\n\s+exp_alerts:\n\s+- exp_labels/,
         "$_ is raised in a test") for @alerts;
};


subtest 'OPS-05 the dashboard names existing metrics' => sub {
    my $dashboard = JSON::PP->new->utf8->decode(slurp("$examples/grafana.json"));
    my @expressions = map { map { $_->{expr} } @{ $_->{targets} } }
                      @{ $dashboard->{panels} };

    cmp_ok(@expressions, '>=', 20);
    is_deeply([unknown(map { /\b(parley_\w+)/g } @expressions)], [], 'names');
    is(strange($_), '', $_) for @expressions;

    my %seen = map { $_->{id} => 1 } @{ $dashboard->{panels} };
    is(keys %seen, @{ $dashboard->{panels} }, 'panels have ids of their own');

    # a metric in no alert and no panel is superfluous, or forgotten here
    my $used = join ' ', @expressions, $alerts;
    my %idle = map { $_ => 1 } grep { $used !~ /\b$_/ } keys %metric;

    delete @idle{qw(parley_replayed_answers_total parley_lost_members_total
                    parley_token_cache_entries parley_token_cache_bytes
                    parley_log_suppressed_total parley_keys
                    parley_counters_created_timestamp_seconds)};

    is_deeply([sort keys %idle], [], 'and shows what there is');
};


subtest 'OPS-05 the docs name existing metrics' => sub {
    my $directives = slurp(root() . '/gate/settings/parley_directive.def');
    my %directive = map { $_ => 1 } $directives =~ /"(parley_\w+)"/g;

    for my $page (qw(metrics runbook operating)) {
        my @named = slurp("$docs/$page.md") =~ /`(parley_\w+)[`{]/g;

        is_deeply([unknown(grep { !$directive{$_} && !$metric{$_}
                                  && !/_$/ } @named)], [], $page);
    }

    my $metrics = slurp("$docs/metrics.md");

    like($metrics, qr/`\Q$_\E`/, $_)
        for grep { $_ ne 'parley_build_info' } sort keys %metric;
};


my ($promtool) = grep { -x } map { "$_/promtool" } split /:/, $ENV{PATH};

SKIP: {
    skip 'there is no promtool', 1 if !$promtool;

    subtest 'OPS-05 promtool accepts the alerts and their tests' => sub {
        for my $what ('check rules alerts.yml', 'test rules alerts_test.yml') {
            my $said = `cd $examples && $promtool $what 2>&1`;

            is($?, 0, $what) or diag($said);
            like($said, qr/SUCCESS/);
        }
    };
}


done_testing;
