# SUBSCRIBE_NAMESPACE over a connection of MoQ lists the agents that the caller
# may address, and nobody else.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Parley::Moq;
use Parley::Nginx;

plan skip_all => moq_lacks() if moq_lacks();

my $nginx = Parley::Nginx->start(http => moq_http(
    gate => 'parley_allow type=ping to=agent.camera;'
            . ' parley_deny to=agent.planner; parley_allow role=boss;',
    identities => moq_identities(planner => {}, viewer => {},
                                 lead => { roles => ['boss'] })));

my $moq = Parley::Moq->new;

# Asks for the namespaces below a prefix.  Returns the agents, sorted, or the
# name of the error.
sub listed {
    my ($c, $prefix, $options) = @_;

    my $request = $c->next_request;
    my $as = "list$request";

    $c->do('open', kind => 'bidi', as => $as, message => {
        message => 'SUBSCRIBE_NAMESPACE', request_id => 0 + $request,
        track_namespace_prefix => $prefix,
        subscribe_options => $options // 1, parameters => [] });

    my $answer = $c->message('REQUEST_OK|REQUEST_ERROR',
                             request_id => $request) // return 'no answer';

    return $answer->{error_code} if $answer->{message} eq 'REQUEST_ERROR';

    # a later answer of the connection follows all of the list
    $c->call({ action => 'ping' });

    my @agents;

    while (my $m = $c->message('NAMESPACE', seconds => 0.2)) {
        push @agents, join '/', @{ $m->{track_namespace_suffix} };
    }

    $c->do('stop', stream => $as, code => 0);
    $c->do('reset', stream => $as, code => 0);

    return join ' ', sort @agents;
}

subtest 'MOQ-08 the list has whom the rules let the caller address' => sub {
    my $viewer = $moq->connect('viewer');

    ok($viewer->init, 'viewer is proved');

    is(listed($viewer, ['a2a']), 'camera', 'a rule for one agent');
    is(listed($viewer, ['a2a', 'camera']), '', 'its own namespace');
    is(listed($viewer, ['other']), '', 'another namespace');

    my $lead = $moq->connect('lead');

    ok($lead->init, 'lead is proved');
    is(listed($lead, []), 'a2a/camera a2a/lead a2a/viewer',
       'a rule for a role, and one that denies an agent');
};

subtest 'MOQ-08 MOQ-16 lists have a rate' => sub {
    my $viewer = $moq->connect('viewer#2');

    ok($viewer->init, 'viewer is proved');

    my @answers = map { listed($viewer, ['other']) } 1 .. 10;

    is(join('', @answers), '', 'ten lists');

    my $request = $viewer->next_request;

    $viewer->do('open', kind => 'bidi', as => 'more', message => {
        message => 'SUBSCRIBE_NAMESPACE', request_id => 0 + $request,
        track_namespace_prefix => ['other'], subscribe_options => 1,
        parameters => [] });

    my $error = $viewer->message('REQUEST_ERROR', request_id => $request);

    is($error->{error_code}, 0, 'the next one: INTERNAL_ERROR');
    ok($error->{retry_interval} > 1 && $error->{retry_interval} <= 10_001,
       'and the time to wait');
};

subtest 'MOQ-08 nobody else gets the list' => sub {
    my $c = $moq->connect('viewer', token => undef);

    ok($c->setup, 'a connection without a token');
    is(listed($c, ['a2a']), 1, 'UNAUTHORIZED');
};

$moq->stop;

done_testing();
