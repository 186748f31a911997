# A harness in Python at a host of chat (parley_host): it has a deliver URL and
# calls tools by plain HTTP.  It answers late, twice, with an error, and never.

use strict;
use warnings;

use lib 't/lib';

use Test::More;
use Time::HiRes qw(sleep time);

use Parley::Env qw(port root slurp tls tmp_dir);
use Parley::Gateway;
use Parley::Host;
use Parley::Message;
use Parley::Nginx;
use Parley::Streams;

plan skip_all => 'no python3'
    if system('python3 --version > /dev/null 2>&1') != 0;

use constant PATIENCE => 60;

my $url = 'https://127.0.0.1:' . port(2);

my $nginx = Parley::Nginx->start(workers => 2, http => streams_http(
    identities => jcs({ principals => [
        { sub => 'py', handle => '~py', c2a => 'agent:py', parent => 'lee',
          deliver => "$url/events", speaks => 'c2a' },
        { sub => 'lee', handle => '~lee', c2a => 'agent:lee' },
        { sub => 'will', handle => '~will', c2a => 'human:will',
          accounts => ['web/main/will'] },
        { sub => 'web', handle => '~web', c2a => 'service:web',
          surface => ['web/main'] },
    ] }),
    zone => 'streams:8m',
    more => 'parley_retain count=1000 time=1h; parley_deliver /_deliver '
            . 'hosts=127.0.0.1:' . port(2) . ';',
    locations => deliver_location()
                 . 'location = /chat { parley_jwt on; '
                 . 'parley_host c2a keepalive=20s quiet=0; }'));

my ($cert, $key) = tls();
my $out = tmp_dir() . '/harness';
my $pid = fork // die "fork: $!\n";

if ($pid == 0) {
    open STDOUT, '>', $out or die;
    open STDERR, '>', "$out.err" or die;
    exec 'python3', root() . '/t/harness/harness.py', port(2), $cert, $key,
         'http://127.0.0.1:' . port(1) . '/chat', bearer('py')
        or die;
}

END { if ($pid) { local $?; kill TERM => $pid; waitpid $pid, 0 } }


# Returns the lines of the harness that a test accepts, after at least that many.
sub told {
    my ($least, $wanted) = @_;
    my $until = time + PATIENCE;

    while (1) {
        my @told = grep { $wanted->($_) } map { from_json($_) }
                   grep { /\}$/ } split /\n/, -e $out ? slurp($out) : '';

        return @told if @told >= $least || time > $until;
        sleep 0.1;
    }
}

# Returns the requests to the URL about an event.
sub requests { my ($id, $n) = @_;
               return told($n, sub { ($_[0]{event} // '') eq $id }) }

# Returns the events of a mailbox that a test accepts, after at least one.
sub until_listed {
    my ($who, $wanted) = @_;
    my $until = time + PATIENCE;

    while (1) {
        my @events = grep { $wanted->($_->{event}) }
                     @{ structured(tool($who => 'chat.list_events',
                                        { limit => 100 }))->{events} };

        return @events if @events || time > $until;
        sleep 0.1;
    }
}

# Returns the answers to an event that the surface has.
sub answers {
    my ($id) = @_;

    return map { $_->{event}{content}[0]{text} }
           until_listed(web => sub { ($_[0]{target}{inReplyTo} // '') eq $id
                                     && $_[0]{content} });
}

sub delivers {
    my ($word, %attention) = @_;
    my ($id) = said(with(to('agent:py', text => "$word please"),
                         'params/attention' => { deadlineMs => 120000,
                                                 %attention }));

    return $id;
}

sub disposition {
    my ($id) = @_;
    my ($event) = @{ structured(tool(py => 'chat.list_events',
                                     { eventId => $id }))->{events} };

    return $event->{disposition};
}


if (!told(1, sub { $_[0]{ready} })) {
    fail('the harness starts');
    diag(slurp("$out.err"));
    done_testing();
    exit;
}

# all at once: the harness is as slow as it likes with each of them
my %id = map { $_ => delivers($_) } qw(late twice prompt error);

$id{never} = delivers('never', deadlineMs => 9000);


subtest 'C2A-20 C2A-31 a prompt answer' => sub {
    my ($request) = requests($id{prompt}, 1);

    is($request->{policy}, 'must_respond');
    is_deeply([answers($id{prompt})], ['an answer to prompt']);
    is(disposition($id{prompt}), 'responded');
    is(scalar(my @all = requests($id{prompt}, 1)), 1, 'one request');
};


subtest 'C2A-12 C2A-35 two answers' => sub {
    my @sent = told(3, sub { ($_[0]{of} // '') eq $id{twice} });
    my @again = told(2, sub { ($_[0]{again} // '') =~ /^$id{twice}#/ });

    is_deeply([map { $_->{status} } @again], [202, 202],
              'further acknowledgments are dropped');
    is(scalar @sent, 3) or diag(jcs(\@sent));
    is_deeply($sent[1]{result}, $sent[0]{result}, 'one key, one result');
    is($sent[2]{result}{code}, 'message-duplicate', 'another key');
    is($sent[2]{result}{eventId}, $sent[0]{result}{eventId},
       'names the first answer');
    is_deeply([answers($id{twice})], ['one answer'], 'one is visible');
};


subtest 'C2A-14 C2A-23 an error' => sub {
    my ($up) = until_listed(lee => sub { $_[0]{eventId}
                                         eq "$id{error}:escalated:1" });

    ok($up, 'the lead has it at once');
    is($up->{event}{attention}{policy}, 'must_respond');
    is(disposition($id{error}), 'failed');
    is(scalar(my @all = requests($id{error}, 1)), 1, 'it is not tried again');
};


subtest 'C2A-20 C2A-31 an answer that is too late' => sub {
    my @requests = requests($id{late}, 2);

    cmp_ok(scalar @requests, '>=', 2, 'the request came again');
    is($requests[1]{id} =~ s/#\d+//r, $requests[0]{id} =~ s/#\d+//r,
       'about the same event');
    is_deeply([answers($id{late})], ['an answer to late'],
              'and has one answer');
    is(disposition($id{late}), 'responded');
    is(scalar(grep { $_->{event}{eventId} =~ /^$id{late}:/ }
              @{ structured(tool(lee => 'chat.list_events'))->{events} }), 0,
       'the lead is not asked');
};


subtest 'C2A-22 C2A-23 C2A-31 no answer' => sub {
    my ($up) = until_listed(lee => sub { $_[0]{eventId}
                                         eq "$id{never}:escalated:1" });

    ok($up, 'it goes up at the deadline');
    is(disposition($id{never}), undef, 'the harness has not decided it');

    my ($open) = until_listed(py => sub { $_[0]{eventId} eq $id{never} });

    is($open->{event}{attention}{policy}, 'may_respond',
       'and may still do so');

    my $late = structured(tool(py => 'chat.send_message', {
        inReplyTo => $id{never}, target => $open->{event}{conversation},
        idempotencyKey => 'at last', visibility => 'dm',
        directedness => 'to_me', text => 'at last' }));

    is($late->{disposition}, 'responded') or diag(jcs($late));
    is_deeply([answers($id{never})], ['at last']);
};


is($nginx->logged(qr/\[(?:alert|emerg|crit)\]/), 0, 'nothing alarming');

$nginx->stop;

done_testing();
