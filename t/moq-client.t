# The codec of the test client for MoQ (t/moq/codec.py), which was written from
# the drafts, and "parley moq" agree on the octets of every message, stream and
# frame, and on which octets are a violation.  QUIC is not needed.

use strict;
use warnings;

use lib 't/lib';

use IPC::Open2 qw(open2);
use MIME::Base64 qw(encode_base64);
use Test::More;

use Parley::Env qw(root tmp_dir spew);
use Parley::Random;
use Parley::Tool;

plan skip_all => 'no python3'
    if system('python3 --version > /dev/null 2>&1') != 0;

use constant MAX => (1 << 62) - 1;

my $dir = tmp_dir();
my %codec;


# Asks codec.py: codec('encode', kind => 'data', items => [...]).
sub codec {
    my ($verb, %job) = @_;

    if (!$codec{$verb}) {
        my $pid = open2(my $out, my $in, 'python3',
                        root() . '/t/moq/codec.py', $verb);
        $codec{$verb} = [$in, $out, $pid];
    }

    my ($in, $out) = @{ $codec{$verb} };

    print $in json(\%job), "\n";
    $in->flush;

    return json(scalar <$out> // die "codec.py has ended\n");
}

END {
    local $?;

    for (values %codec) {
        close $_->[0];
        waitpid $_->[2], 0;
    }
}


# The values of "parley moq" from those of codec.py: names in the safe form,
# octets that are not text in base64, large numbers as strings.
sub as_tool {
    my ($value, $key) = @_;

    if (ref $value eq 'ARRAY') {
        return [map { as_tool($_, $key) } @$value];
    }

    if (ref $value eq 'HASH') {
        my %all;

        for my $name (keys %$value) {
            my $got = as_tool($value->{$name}, $name);
            my $octets = ref $got eq 'SCALAR';

            $all{$octets ? "${name}_base64" : $name}
                = $octets ? encode_base64($$got, '') : $got;
        }

        return \%all;
    }

    return safe($value) if $key =~ /^track_na/;
    return $value =~ /^\d+$/ && $value >= 1 << 53 ? "$value" : $value
        if $key !~ /^(?:value|token_value|error_reason|new_session_uri
                       |payload)$/x || $value =~ /^\d+$/;

    my $text = $value;

    return utf8::decode($text) ? $text : \$value;
}

sub safe { return shift =~ s/([^a-zA-Z0-9_])/sprintf '.%02x', ord $1/ger }


sub pair { my ($type, %value) = @_; return { type => $type, %value } }
sub value { return pair(shift, value => shift) }

my @track = (track_namespace => ['a2a', 'camera'],
             track_name => 'camera.0.cmd');
my @long = (track_namespace => [('n') x 31, 'x' x 4000], track_name => 'y' x 65);
my @tokens = (
    pair('AUTHORIZATION_TOKEN', alias_type => 'DELETE', token_alias => 7),
    pair('AUTHORIZATION_TOKEN', alias_type => 'REGISTER', token_alias => MAX,
         token_type => 0, token_value => 'jwt'),
    pair('AUTHORIZATION_TOKEN', alias_type => 'USE_ALIAS', token_alias => 0),
    pair('AUTHORIZATION_TOKEN', alias_type => 'USE_VALUE', token_type => MAX,
         token_value => "\xFF\x00"),
);
my $subscription = [
    value(DELIVERY_TIMEOUT => 1), @tokens, value(FORWARD => 0),
    value(SUBSCRIBER_PRIORITY => 255),
    pair('SUBSCRIPTION_FILTER', filter => 'ABSOLUTE_RANGE',
         start => { group => 1, object => MAX }, end_group => MAX),
    value(GROUP_ORDER => 2), value(NEW_GROUP_REQUEST => MAX),
];
my $published = [
    value(EXPIRES => MAX),
    pair('LARGEST_OBJECT', location => { group => 5, object => MAX }),
];
my $extensions = [
    value(DELIVERY_TIMEOUT => 1), value(MAX_CACHE_DURATION => MAX),
    value(IMMUTABLE_EXTENSIONS => "\x02\x01"), value(13 => "\xFE"),
    value(DEFAULT_PUBLISHER_PRIORITY => 255),
    value(DEFAULT_PUBLISHER_GROUP_ORDER => 1), value(DYNAMIC_GROUPS => 1),
    value(1000 => 0),
];

my @messages = (
    { message => 'CLIENT_SETUP', parameters => [
        value(PATH => '/moq/%7e?x=1'), value(MAX_REQUEST_ID => MAX),
        @tokens[1, 3], value(MAX_AUTH_TOKEN_CACHE_SIZE => 0),
        value(AUTHORITY => 'user@[::1]:443'),
        value(MOQT_IMPLEMENTATION => 'tests'), value(9 => "\xFF"),
        value(9 => 'twice'), value(1000 => 7) ] },
    { message => 'SERVER_SETUP', from => 'server', parameters => [
        value(MAX_REQUEST_ID => 0), value(MOQT_IMPLEMENTATION => '') ] },
    { message => 'GOAWAY', new_session_uri => 'moqt://x/' . 'y' x 8183 },
    { message => 'MAX_REQUEST_ID', max_request_id => MAX },
    { message => 'REQUESTS_BLOCKED', maximum_request_id => 0 },
    { message => 'REQUEST_OK', request_id => 1, parameters => $published },
    { message => 'REQUEST_ERROR', request_id => 0, error_code => MAX,
      retry_interval => MAX, error_reason => 'r' x 1024 },
    { message => 'REQUEST_ERROR', request_id => 0, error_code => 0,
      retry_interval => 0, error_reason => "\xFF" },
    { message => 'SUBSCRIBE', request_id => 0, @track,
      parameters => $subscription },
    { message => 'SUBSCRIBE', request_id => MAX, @long, parameters => [] },
    { message => 'SUBSCRIBE', request_id => 2, track_namespace => ["\xFF-"],
      track_name => '', parameters => [
          pair('SUBSCRIPTION_FILTER', filter => 'NEXT_GROUP_START') ] },
    { message => 'SUBSCRIBE_OK', request_id => 0, track_alias => MAX,
      parameters => $published, extensions => $extensions },
    { message => 'REQUEST_UPDATE', request_id => 4, existing_request_id => 0,
      parameters => $subscription },
    { message => 'UNSUBSCRIBE', request_id => 16383 },
    { message => 'PUBLISH', request_id => 6, @track, track_alias => 16384,
      parameters => [$tokens[3], @$published, value(FORWARD => 1)],
      extensions => $extensions },
    { message => 'PUBLISH_OK', request_id => 1, parameters => [
        value(DELIVERY_TIMEOUT => MAX),
        pair('SUBSCRIPTION_FILTER', filter => 'LARGEST_OBJECT') ] },
    { message => 'PUBLISH_DONE', request_id => 1, status_code => 2,
      stream_count => MAX, error_reason => 'ended' },
    { message => 'FETCH', request_id => 8, fetch_type => 1, @track,
      start_location => { group => 1, object => 2 },
      end_location => { group => 1, object => 0 },
      parameters => [@tokens, value(SUBSCRIBER_PRIORITY => 0),
                     value(GROUP_ORDER => 1)] },
    { message => 'FETCH', request_id => 8, fetch_type => 2,
      joining_request_id => 0, joining_start => MAX, parameters => [] },
    { message => 'FETCH', request_id => 8, fetch_type => 3,
      joining_request_id => 64, joining_start => 0, parameters => [] },
    { message => 'FETCH_OK', request_id => 8, end_of_track => 1,
      end_location => { group => MAX, object => 0 }, parameters => [],
      extensions => $extensions },
    { message => 'FETCH_CANCEL', request_id => 8 },
    { message => 'TRACK_STATUS', request_id => 10, @track,
      parameters => [$tokens[2]] },
    { message => 'PUBLISH_NAMESPACE', request_id => 12,
      track_namespace => ['a2a', 'camera'], parameters => \@tokens },
    { message => 'PUBLISH_NAMESPACE_DONE', request_id => 12 },
    { message => 'PUBLISH_NAMESPACE_CANCEL', request_id => 12,
      error_code => 1, error_reason => '' },
    { message => 'SUBSCRIBE_NAMESPACE', kind => 'request', request_id => 14,
      track_namespace_prefix => [], subscribe_options => 2,
      parameters => [$tokens[3], value(FORWARD => 0)] },
    { message => 'REQUEST_OK', kind => 'response', request_id => 14,
      parameters => [] },
    { message => 'NAMESPACE', kind => 'response',
      track_namespace_suffix => ['camera'] },
    { message => 'NAMESPACE_DONE', kind => 'response',
      track_namespace_suffix => [('s') x 32] },
);


subtest 'MOQ-12 control messages have the same octets' => sub {
    my %seen;

    for (@messages) {
        my %m = %$_;
        my $kind = delete $m{kind} // 'control';
        my $from = delete $m{from} // 'client';

        # ABSOLUTE_RANGE and others in one message
        my $octets = pack 'H*', codec('encode', kind => $kind,
                                      items => [\%m])->{octets};
        my $name = ++$seen{$m{message}} > 1 ? "$m{message} $seen{$m{message}}"
                                            : $m{message};

        my ($status, $out, $err)
            = tool({ in => $octets }, 'moq', 'decode', '-s', $kind, '-f',
                   $from);

        is($err, '', "$name: a message for parley moq") or next;
        is_deeply(json($out), as_tool(\%m, ''), "$name: its members");

        my $again = tool_ok_raw($out);

        is(unpack('H*', $again), unpack('H*', $octets),
           "$name: the octets of parley moq");
        is_deeply(codec('decode', kind => $kind, from => $from,
                        octets => unpack('H*', $again)),
                  { items => [\%m] }, "$name: a message for codec.py");
    }

    is(scalar keys %seen, 24, 'every control message');
};


sub tool_ok_raw {
    my ($status, $out, $err) = tool({ in => shift }, 'moq', 'encode');

    return $status == 0 ? $out : $err;
}


my @streams = (
    [{ stream => 'SUBGROUP', type => 0x10, track_alias => 0, group => 0,
       priority => 0 },
     { object => 0, payload => 'hello' }, { object => 1, payload => '' },
     { object => 70, payload => "\xFF" x 300 }, { object => 71, status => 3 }],
    [{ stream => 'SUBGROUP', type => 0x35, track_alias => MAX, group => MAX,
       subgroup => MAX },
     { object => 7, payload => 'x', extensions => [
         value(9 => "\xFF"), value(PRIOR_GROUP_ID_GAP => 3),
         value(PRIOR_OBJECT_ID_GAP => 7) ] },
     { object => MAX, payload => 'y' }],
    [{ stream => 'SUBGROUP', type => 0x1A, track_alias => 5, group => 1,
       priority => 255 }, { object => 3, status => 4 }],
    [{ stream => 'SUBGROUP', type => 0x3D, track_alias => 5, group => 1,
       subgroup => 0 }],
    [{ stream => 'FETCH', request_id => MAX },
     { object => 4, group => 2, subgroup => 3, priority => 128,
       payload => 'x' },
     { object => 5, group => 2, subgroup => 3, priority => 128,
       payload => '' },
     { object => 9, group => 2, range => 'absent' },
     { object => 0, group => 3, subgroup => 4, priority => 1,
       payload => 'z', extensions => [value(PRIOR_GROUP_ID_GAP => 1)] },
     { object => 1, group => 3, priority => 1, payload => "\xFF" },
     { object => 2, group => 3, subgroup => 0, priority => 1,
       payload => 'd' },
     { object => 7, group => 9, range => 'unknown' }],
);


subtest 'MOQ-12 data streams have the same octets' => sub {
    for my $items (@streams) {
        my $octets = codec('encode', kind => 'data', items => $items)
                     ->{octets};
        my ($stream, $type) = @{ $items->[0] }{qw(stream type)};
        my $name = "$stream " . ($type // '') . ', ' . @$items . ' items';

        my ($status, $out, $err)
            = tool({ in => pack 'H*', $octets }, 'moq', 'decode', '-s',
                   'data');

        is($err, '', "$name: a stream for parley moq") or next;

        my @lines = map { json($_) } split /\n/, $out;
        delete $_->{malformed} for @lines;

        is_deeply(\@lines, as_tool($items, ''), "$name: its objects");

        my $again = unpack 'H*', tool_ok_raw($out);

        is($again, $octets, "$name: the octets of parley moq");
        is_deeply(codec('decode', kind => 'data', octets => $again),
                  { items => $items },
                  "$name: a stream for codec.py");
    }
};


subtest 'MOQ-01 MOQ-02 frames have the same octets' => sub {
    for (['cmd', 'CMD', '{"action":"x"}'], ['data', 'DATA', "\x00\xFF"],
         ['stream', 'STREAM', 's'], ['heartbeat', 'HEARTBEAT', '']) {
        my ($word, $type, $payload) = @$_;

        for my $session ('0000000000000000', 'fedcba9876543210') {
            my (undef, $octets)
                = tool({ in => $payload }, 'frame', 'encode', '-t', $word,
                       '-s', $session, '--stream', 4294967295);
            my $frame = { type => $type, session_id => $session,
                          stream_id => 4294967295, flags => 0,
                          $type eq 'CMD' ? (json => json($payload))
                                         : (payload => $payload) };

            is(codec('encode', kind => 'frame', items => [$frame])->{octets},
               unpack('H*', $octets), "$type of $session");
            is_deeply(codec('decode', kind => 'frame',
                            octets => unpack 'H*', $octets)->{items},
                      [$frame], "$type of $session, read");
        }
    }

    my (undef, $octets) = tool({ in => 'a' x 1401 }, 'frame', 'encode', '-t',
                               'data');
    my @frames = map { codec('decode', kind => 'frame',
                             octets => unpack 'H*', $_)->{items}[0] }
                 substr($octets, 0, 1421), substr $octets, 1421;

    is_deeply([map { [$_->{flags}, length $_->{payload}] } @frames],
              [[4, 1400], [0, 1]], 'fragments');
};


# Both readers take or refuse the same octets: each valid message and stream with
# one octet changed, added or removed, and a length that fits.
subtest 'MOQ-12 the same octets are violations' => sub {
    my $seed = $ENV{PARLEY_TEST_SEED} // 16;
    my $r = Parley::Random->new($seed);
    my @cases;

    for my $n (1 .. 600) {
        my %m = %{ $messages[$r->below(scalar @messages)] };
        my $kind = delete $m{kind} // 'control';
        my $from = delete $m{from} // 'client';
        my $octets = pack 'H*', codec('encode', kind => $kind,
                                      items => [\%m])->{octets};
        my $payload = substr $octets, 3;

        $payload = changed($r, $payload, 200);

        push @cases, { kind => $kind, from => $from, name => $m{message},
                       octets => substr($octets, 0, 1)
                                 . pack('n/a*', $payload) };
    }

    for my $n (1 .. 300) {
        my $items = $streams[$r->below(scalar @streams)];

        push @cases, { kind => 'data', from => 'client', name => 'stream',
            octets => changed($r, pack('H*', codec('encode', kind => 'data',
                                               items => $items)->{octets}),
                              40) };
    }

    my %count;

    # one run of the tool for each kind
    for my $kind (qw(control request response data)) {
        for my $from (qw(client server)) {
            my @of = grep { $_->{kind} eq $kind && $_->{from} eq $from }
                     @cases or next;
            my @files = map { spew("$dir/c$_", $of[$_]{octets}) } 0 .. $#of;
            my ($status, $out, $err)
                = tool('moq', 'decode', '-s', $kind, '-f', $from, @files);

            my %fault = map { m{/c(\d+): (\w+|the last)} ? ($1 => $2) : () }
                        split /\n/, $err;

            for my $i (0 .. $#of) {
                my $mine = codec('decode', kind => $kind, from => $from,
                                 octets => unpack 'H*', $of[$i]{octets});
                my ($a, $b) = ($fault{$i} // 'valid',
                               $mine->{fault} // ($mine->{text} ? 'the last'
                                                                : 'valid'));

                # extensions above the limit of parley moq
                $b = $a if $a eq 'INTERNAL_ERROR' && $kind eq 'data';

                $count{$a eq 'valid' ? 'valid' : 'violation'}++;
                is($a, $b, "$of[$i]{name}: " . ($mine->{text} // 'valid'))
                    or diag("seed $seed: ", unpack 'H*', $of[$i]{octets});
            }
        }
    }

    cmp_ok($count{valid}, '>', 50, 'many are valid');
    cmp_ok($count{violation}, '>', 50, 'many are violations');
};


# Changes, adds or removes one octet among the first ones.
sub changed {
    my ($r, $octets, $most) = @_;

    my $at = $r->below(length $octets < $most ? length $octets : $most);
    my $how = $r->below(4);
    my $octet = $how == 3 ? chr(ord(substr $octets, $at, 1) ^ 1 << $r->below(8))
                          : chr $r->below(256);

    substr $octets, $at, $how == 1 ? 0 : 1, $how == 2 ? '' : $octet;

    return $octets;
}


done_testing();
