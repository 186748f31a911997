# A member that must not leave is removed from a carried message of another
# protocol too, in every direction.

use lib 't/lib';
use Parley::Test;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Matrix;
use Parley::Message;

plan 'no_plan';

my $all = 'parley_accept aee vcp c2a channel moq; parley_jwt on;';
my $redact = 'parley_redact /payload/password; parley_redact /payload/text mask;'
           . ' parley_redact /x_key;';

with_gateway(matrix(add => join '', map {
    location("/out-$_", "$all parley_speak $_; $redact")
  . location("/made-$_", "$all parley_speak $_; "
                       . 'parley_redact /params/content/0/text mask; '
                       . 'parley_redact /payload/query_text mask; '
                       . 'parley_redact /params/arguments/text;')
} qw(aee c2a channel moq)));

# Returns a task with a secret, as a location without redaction translates it.
sub main::carried {
    my ($to, %o) = @_;

    my $m = aee(payload => { password => 'SECRET', text => 'WORDS', kept => 1 },
                x_key => 'KEY', %o);

    service()->script('took($c, $q)');
    Parley::Client->new(port => port(1))->raw(post("/to-$to", $m));

    return service()->last->{json};
}

run_tests();

__DATA__

=== TEST 1: SEC-12 a secret in a data part of C2A, for a C2A service
--- send
post('/out-c2a', carried('c2a'))
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service c2a
--- got
/params/content/0/text = [redacted]
/params/content/1/data = {"kept":1,"text":"[redacted]"}
! /params/content/1/members/x_key
--- no_error_log
SECRET



=== TEST 2: SEC-12 a secret in a data part of C2A, for an AEE service
--- send
post('/out-aee', carried('c2a'))
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service aee
--- got
/payload/kept = 1
/payload/text = [redacted]
! /payload/password
! /x_key



=== TEST 3: SEC-12 a secret in the text of a frame, for an agent-channel service
--- send
post('/out-channel', carried('channel'))
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- valid
service channel
--- got
/payload/query_text ~ ^\[redacted\]\n\naee.task [\s\S]*\n\n\{"kept":1\}$



=== TEST 4: SEC-12 a secret in the text of a frame, for an AEE service
--- send
post('/out-aee', carried('channel'))
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/payload/kept = 1
/payload/text = [redacted]
! /payload/password



=== TEST 5: SEC-12 a secret in a command
--- send
post('/out-moq', carried('moq'))
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/payload = {"kept":1,"text":"[redacted]"}
! /aee/members/x_key



=== TEST 6: SEC-12 a message is redacted before it is translated
--- send
post('/out-c2a', aee(payload => { password => 'SECRET', text => 'WORDS',
                                  kept => 1 }, x_key => 'KEY'))
--- service: took($c, $q)
--- error_code: 202
--- got
/params/content/0/text = [redacted]
/params/content/1/data = {"kept":1,"text":"[redacted]"}
! /params/content/1/members/x_key



=== TEST 7: SEC-12 pointers into the result of a translation
--- send
post('/made-c2a', aee(payload => { text => 'WORDS' }))
--- service: took($c, $q)
--- error_code: 202
--- valid
service c2a
--- got
/params/content/0/text = [redacted]



=== TEST 8: SEC-12 pointers into an agent-channel message
--- send
post('/made-channel', aee(payload => { text => 'WORDS' }))
--- service: took($c, $q)
--- error_code: 202
--- valid
service channel
--- got
/payload/query_text = [redacted]



=== TEST 9: SEC-12 a C2A call in an AEE message
--- send
my $m = say(content => [{ type => 'text', text => 'kept' }]);
service()->script('took($c, $q)');
Parley::Client->new(port => port(1))->raw(post('/to-aee', $m));
post('/made-aee', without(service()->last->{json}, 'sig'))
--- service: took($c, $q)
--- error_code: 202
--- forwarded: 2
--- got
/intent = c2a.chat.send_message
! /payload/text



=== TEST 10: SEC-12 GW-08 the gateway signs a redacted message
--- send
post('/made-aee', query())
--- service: took($c, $q)
--- error_code: 200
--- got
/sig/kid = gateway-1
/payload/query_text = [redacted]



=== TEST 11: SEC-12 a text of a frame with CR LF line ends
--- send
my $m = carried('channel');
$m->{payload}{query_text} =~ s/\n/\r\n/g;
post('/out-channel', $m)
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/payload/query_text ~ aee\.task [\s\S]*\r\n\r\n\{"kept":1\}$
--- no_error_log
SECRET



=== TEST 12: SEC-12 a text of a frame with CR line ends
--- send
my $m = carried('channel');
$m->{payload}{query_text} =~ s/\n/\r/g;
post('/out-channel', $m)
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/payload/query_text ~ ^\[redacted\]\r\raee\.task [\s\S]*\r\r\{"kept":1\}$



=== TEST 13: SEC-12 a text with two messages and text after them
--- send
my $m = carried('channel');
my $text = $m->{payload}{query_text};
$m->{payload}{query_text} = "$text\n\n$text\nand so on\n";
post('/out-channel', $m)
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/payload/query_text ~ ^(?:(?!SECRET|KEY|WORDS)[\s\S])*and so on\n$



=== TEST 14: SEC-12 a text with two messages, the last at its end
--- send
my $m = carried('channel');
my $text = $m->{payload}{query_text};
$m->{payload}{query_text} = "$text\n\n$text";
post('/out-channel', $m)
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/payload/query_text ~ ^(?:(?!SECRET|KEY|WORDS)[\s\S])*$



=== TEST 15: SEC-12 the text of a failure, whose code stays
--- send
my $m = carried('channel');
$m->{payload}{query_text} =~ s/\n/\r\n/g;
$m->{payload}{query_text} = "error E_DISK: $m->{payload}{query_text}";
post('/out-channel', $m)
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/payload/query_text ~ ^error E_DISK: \[redacted\]\r\n\r\naee\.task



=== TEST 16: SEC-12 text before an invalid message stays
--- send
my $m = carried('channel');
$m->{payload}{query_text} = "WORDS\n\naee.task is a form\n";
post('/out-channel', $m)
--- service: took($c, $q)
--- error_code: 200
--- forwarded: 2
--- got
/payload/query_text ~ ^WORDS
