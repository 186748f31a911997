package Parley::Test::Sections;

# The sections of a block of Parley::Test that Test::Nginx::Socket does not
# have.  They work after with_gateway() was called.

use strict;
use warnings;

use Digest::MD5 qw(md5_hex);
use Test::More ();

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Upstream;

my ($service, $default_http, $default_server, $sent, $answer, @statuses);

my %http = qw(
    json-invalid 400 field-missing 400 field-invalid 400 field-unknown 400
    kind-unknown 400 payload-kind-mismatch 400
    envelope-version-unsupported 400 method-not-allowed 405
    protocol-unsupported 415
    token-missing 401 token-invalid 401 token-expired 401
    sender-identity-mismatch 403 signature-missing 403 signature-invalid 403
    key-unknown 403 scope-unauthorised 403 intent-refused 403
    direction-refused 403 policy-refused 403 message-duplicate 409
    message-in-flight 409 reply-unmatched 409 message-too-large 413
    message-stale 422 translation-unsupported 422 translation-lossy 422
    identity-unmappable 422 rate-limited 429 scope-unimplemented 501
    upstream-invalid 502
    upstream-unavailable 502 upstream-timeout 504 timeout 504
    capacity 503
);

# codes that have their own number in JSON-RPC or word in agent-channel
my %number = qw(
    json-invalid -32700 field-missing -32602 field-invalid -32602
    field-unknown -32602 kind-unknown -32602 method-not-allowed -32600
    protocol-unsupported -32600
    token-missing -31401 token-invalid -31401 token-expired -31401
    sender-identity-mismatch -31403 signature-invalid -31403
    scope-unauthorised -31403 intent-refused -31403 direction-refused -31403
    policy-refused -31403 message-duplicate -31409 reply-unmatched -31409
    message-too-large -31413 message-stale -31422
    translation-unsupported -31422 translation-lossy -31422
    identity-unmappable -31422 rate-limited -31429 upstream-invalid -31502
    upstream-unavailable -31502 upstream-timeout -31504 timeout -31504
    capacity -31503
);

my %word = qw(
    json-invalid field-invalid
    method-not-allowed envelope-version-unsupported
    protocol-unsupported envelope-version-unsupported
    intent-refused scope-unauthorised
    direction-refused scope-unauthorised policy-refused scope-unauthorised
    message-too-large field-invalid message-stale field-invalid
    translation-unsupported field-invalid translation-lossy field-invalid
    identity-unmappable field-invalid
);

my %retryable = map { $_ => 1 } qw(token-expired message-in-flight
    rate-limited upstream-invalid upstream-unavailable upstream-timeout
    timeout capacity);


# Starts the service on port(2).  Blocks without config get the gateway's.
# http and server replace these; more and add come after them.
sub Parley::Test::with_gateway {
    my %o = @_;

    $service = Parley::Upstream->start(port(2));
    $default_http = $o{http} // http_config(more => $o{more});
    $default_server = ($o{server} // server_config()) . ($o{add} // '');

    Test::Nginx::Socket::log_level($o{log_level} // 'info');

    return $service;
}


sub Parley::Test::service { $service }


Test::Nginx::Socket::add_block_preprocessor(sub {
    my $block = shift;

    return if !defined $default_server;

    $block->set_value('http_config', $default_http)
        if !defined $block->http_config;
    $block->set_value('config', ($block->config // $default_server)
                                . '    # ' . md5_hex($block->http_config)
                                . "\n");

    $block->set_value('no_error_log', qr/\[(?:alert|emerg|crit)\]/)
        if !defined $block->no_error_log;

    return if !defined $block->send;

    $block->set_value('raw_request', "made when it is sent\n");

    if (defined $block->refused) {
        my (undef, $code) = split ' ', $block->refused;
        my $status = $http{$code} // die "refused: no code $code\n";

        $status = 200 if $block->refused =~ /^vcp message-duplicate/;
        $block->set_value('error_code', $status);
    }
});


# A section "send" is Perl code that returns the octets of one request, or a
# list of several.  The answer to the last request is tested.  A section "each"
# is a pattern for the status of every answer.
my $send_request = \&Test::Nginx::Socket::send_request;

{
    no warnings qw(redefine prototype);

    *Test::Nginx::Socket::send_request = sub {
        my ($request, $delay, $timeout, $block) = @_;

        return &$send_request(@_) if !defined $block->send;

        $service->script($block->service);
        $service->clear;
        undef $sent;

        my $package = $block->blocks_object->{main_package} // 'main';
        my $made = eval "package $package; no strict; " . $block->send;

        die $block->name . ": $@\n" if $@;

        my $client = Parley::Client->new(
            port => defined $block->plain ? port(10) : port(1),
            tls => !defined $block->plain,
            ssl => defined $block->ssl ? eval $block->ssl : undef);

        @statuses = ();

        for my $one (ref $made eq 'ARRAY' ? @$made : $made) {
            $answer = $client->raw($one);
            push @statuses, $answer->{status};
            ($sent) = $one =~ /\r\n\r\n(.*)$/s;
        }

        Test::More::diag("answered: $answer->{raw}")
            if $ENV{PARLEY_TEST_VERBOSE};

        return ($answer->{raw}, 0);
    };
}


Test::Nginx::Socket::add_response_body_check(sub {
    my ($block, $body) = @_;

    my $name = $block->name;

    return if !defined $block->send;

    check_refused($name, $body, split ' ', $block->refused)
        if defined $block->refused;

    my $json = eval { from_json($body) };

    check_members("$name - answer", $json, $block->answer)
        if defined $block->answer;

    check_headers("$name - answer", $answer->{headers},
                  $block->answer_headers)
        if defined $block->answer_headers;

    if (defined $block->each) {
        my $pattern = $block->each;
        my @wrong = grep { $statuses[$_] !~ /$pattern/ } 0 .. $#statuses;

        Test::More::is("@wrong", '', "$name - each of " . @statuses);
    }

    my @got = $service->requests;
    my $expected = $block->forwarded // (defined $block->refused ? 0 : 1);

    Test::More::is(scalar @got, $expected, "$name - forwarded");

    my $last = $got[-1] // { json => undef, headers => {}, body => undef };

    check_members("$name - service", $last->{json}, $block->got)
        if defined $block->got;

    check_headers("$name - service", $last->{headers}, $block->got_headers)
        if defined $block->got_headers;

    Test::More::is($last->{body}, value_of($block->got_body =~ s/\n\z//r),
                   "$name - service: body")
        if defined $block->got_body;

    Test::More::is($last->{body}, $sent, "$name - octet for octet")
        if defined $block->got_same;

    check_members("$name - events", events_of($answer->{body}),
                  $block->events)
        if defined $block->events;

    check_valid($name, $last->{json}, $json, $block->valid)
        if defined $block->valid;
});


# Returns the JSON values of the events in an answer.
sub events_of {
    my $body = shift;

    return [map { eval { from_json(join '', /^data: ?(.*)$/mg) } }
            grep { /^data:/m } split /\n\n+/, $body];
}


# Checks lines "service PROTOCOL", "answer PROTOCOL [/pointer]".  A C2A message
# in a response is the params of chat/deliver.
sub check_valid {
    my ($name, $got, $said, $lines) = @_;

    for (grep { /\S/ } split /\n/, $lines) {
        my ($whose, $protocol, $pointer) = split;
        my $value = $whose eq 'service' ? $got : $said;

        if (defined $pointer) {
            my $at = at($value, $pointer);

            $value = defined $at ? $$at : undef;
            $value = { jsonrpc => '2.0', method => 'chat/deliver',
                       params => $value } if $protocol eq 'c2a';
        }

        my $file = Parley::Env::spew(Parley::Env::tmp_dir() . '/valid.json',
                                     jcs($value));
        my ($status, undef, $err)
            = Parley::Env::parley_try('validate', '--as', $protocol, $file);

        Test::More::is($status, 0, "$name - valid: $whose as $protocol")
            or Test::More::diag($err . jcs($value));
    }
}


# Checks a refusal, "aee field-missing /id": in the form of aee, vcp, c2a,
# channel or moq.  If the protocol is unknown, the refusal is problem details
# that say so.  With "taken" at the end the refusal is not retryable,
# regardless of the code.
sub check_refused {
    my ($name, $body, @words) = @_;

    my $taken = $words[-1] eq 'taken' && pop @words;
    my ($protocol, $code, $field) = @words;

    my $json = eval { from_json($body) };

    if (ref $json ne 'HASH') {
        Test::More::fail("$name - a refusal is a JSON object");
        Test::More::diag("it is: $body");
        return;
    }

    my ($got, $got_field, $type, $media);

    if ($protocol eq 'aee') {
        (my $word = "E_\U$code") =~ tr/-/_/;
        my $payload = $json->{payload} // {};

        ($got, $got_field) = @$payload{qw(code field)};
        ($type, $media) = ('error', 'application/json');

        my $missing = join ' ', grep { !defined $json->{$_} }
            qw(v id ts type from to intent corr priority payload reply_to);

        Test::More::is($missing, '', "$name - AEE-36 a whole error envelope");
        Test::More::is($json->{type}, 'error', "$name - type");
        Test::More::ok(length($payload->{message} // ''), "$name - message");
        Test::More::is(!!$payload->{retryable},
                       !!($retryable{$code} && !$taken),
                       "$name - retryable");
        Test::More::is($got, $word, "$name - code");

    } elsif ($protocol eq 'vcp') {
        $media = 'application/json; charset=utf-8';
        ($got, $got_field) = @$json{qw(code field)};

        Test::More::is($json->{status}, 'rejected', "$name - status");
        Test::More::is($got, $code, "$name - code");

    } elsif ($protocol eq 'c2a') {
        my $error = $json->{error} // {};

        $media = 'application/json';
        ($got, $got_field) = @{ $error->{data} // {} }{qw(code field)};

        Test::More::is($json->{jsonrpc}, '2.0', "$name - C2A-28 a response");
        Test::More::ok(exists $json->{id}, "$name - id");
        Test::More::ok(!exists $json->{result}, "$name - no result");
        Test::More::ok(length($error->{message} // ''), "$name - message");
        Test::More::is($got, $code, "$name - code");
        Test::More::like($error->{code} // '(none)',
                         $code eq 'envelope-version-unsupported'
                         || $code =~ /^field-|^kind-/
                         ? qr/^-326\d\d$/ : qr/^$number{$code}$/,
                         "$name - number");

    } elsif ($protocol eq 'channel') {
        $media = 'application/json';
        ($got, $got_field) = @$json{qw(code field)};

        Test::More::is($got, $word{$code} // $code,
                       "$name - ACH-23 the word of agent-channel");
        Test::More::ok(length($json->{message} // ''), "$name - message");
        Test::More::is(join(' ', sort keys %$json),
                       defined $got_field ? 'code field message'
                                          : 'code message',
                       "$name - these members alone");

        $code = $word{$code} // $code;

    } elsif ($protocol eq 'moq') {
        my $payload = $json->{payload} // {};

        $media = 'application/json';
        ($got, $got_field) = @$payload{qw(code field)};

        Test::More::ok(length($json->{action} // ''), "$name - action");
        Test::More::is($json->{status},
                       $http{$code} =~ /^40[13]$/ ? 'denied' : 'error',
                       "$name - status");
        Test::More::is($json->{error_code}, $http{$code},
                       "$name - error_code");
        Test::More::is($got, $code, "$name - code");

    } else {
        $media = 'application/problem+json';
        ($got, $got_field) = @$json{qw(code field)};

        Test::More::is($json->{status}, $http{$code}, "$name - status");
        Test::More::is($got, $code, "$name - code");
    }

    Test::More::is($answer->{headers}{'content-type'}, $media,
                   "$name - media type");
    Test::More::is($got_field, $field, "$name - member at fault")
        if defined $field;
    Test::More::diag("answered: $body")
        if ($got // '') !~ /\Q$code\E|^E_/i || defined $field
           && ($got_field // '') ne $field;
}


# Checks lines "/pointer = value", "/pointer ~ pattern", "/pointer exists", "!
# /pointer".  A value that is not text is JSON; ${name} is the value of the
# test's variable of that name.
sub check_members {
    my ($name, $json, $lines) = @_;

    for (grep { /\S/ } split /\n/, $lines) {
        my $line = value_of(s/^\s+|\s+$//gr);

        if ($line =~ /^! (\S+)$/) {
            Test::More::ok(!defined at($json, $1), "$name: $line");

        } elsif ($line =~ /^(\S+) exists$/) {
            Test::More::ok(defined at($json, $1), "$name: $line");

        } elsif ($line =~ /^(\S*) ([=~]) (.*)$/) {
            my ($value, $expected) = (at($json, $1), $3);
            my $text = !defined $value ? '(nothing)'
                     : ref $$value || !defined $$value ? jcs($$value)
                     : $$value;

            utf8::encode($text) if utf8::is_utf8($text);

            if ($2 eq '=') { Test::More::is($text, $expected, "$name: $1") }
            else { Test::More::like($text, qr/$expected/, "$name: $1") }

        } else {
            die "$name: no sense in \"$line\"\n";
        }
    }
}


sub value_of {
    my $line = shift;

    no strict 'refs';

    return $line =~ s/\$\{(\w+)\}/${"main::$1"}/gr;
}


# Returns a reference to the value at a JSON Pointer, or undef.
sub at {
    my ($json, $pointer) = @_;

    my $at = \$json;

    for my $name (map { s/~1/\//gr =~ s/~0/~/gr }
                  split m{/}, substr($pointer, 1), -1)
    {
        if (ref $$at eq 'HASH' && exists $$at->{$name}) {
            $at = \$$at->{$name};

        } elsif (ref $$at eq 'ARRAY' && $name =~ /^\d+$/ && $name < @$$at) {
            $at = \$$at->[$name];

        } else {
            return undef;
        }

        last if $pointer eq '';
    }

    return $at;
}


# Checks lines "Name: value", "Name ~ pattern", "! Name".
sub check_headers {
    my ($name, $headers, $lines) = @_;

    for (grep { /\S/ } split /\n/, $lines) {
        my $line = value_of(s/^\s+|\s+$//gr);

        if ($line =~ /^! (\S+)$/) {
            Test::More::is($headers->{lc $1}, undef, "$name: no $1");

        } elsif ($line =~ /^(\S+) ~ (.*)$/) {
            Test::More::like($headers->{lc $1} // '(nothing)', qr/$2/,
                             "$name: $1");

        } elsif ($line =~ /^([^:\s]+):\s*(.*)$/) {
            Test::More::is($headers->{lc $1}, $2, "$name: $1");

        } else {
            die "$name: no sense in \"$line\"\n";
        }
    }
}


1;
