# parley frame: frames of Agent Protocol over MoQ, made and read.

use strict;
use warnings;

use lib 't/lib';

use Digest::SHA qw(sha256_hex);
use MIME::Base64 qw(encode_base64);
use Test::More;

use Parley::Env qw(tmp_dir slurp spew);
use Parley::Message qw(jcs);
use Parley::Tool;

my $dir = tmp_dir();


# Returns a frame, made without the library.
sub frame {
    my ($type, $payload, %with) = @_;

    return pack 'n C C N N N C N/a*', $with{magic} // 0xA2A2,
                $with{version} // 1, $type, $with{high} // 0,
                $with{session} // 0, $with{stream} // 0, $with{flags} // 0,
                $payload;
}


sub lines { map { json($_) } split /\n/, shift }


subtest 'MOQ-01 GW-16 frame encode' => sub {
    my $cmd = '{"action":"session_init"}';

    my ($status, $out, $err)
        = tool({ in => $cmd }, 'frame', 'encode', '--type', 'cmd',
               '--session', '0102030405060708', '--stream', '101');

    is($status, 0, 'status');
    is($err, '', 'nothing to say');
    is($out, frame(1, $cmd, high => 0x01020304, session => 0x05060708,
                   stream => 101), 'a frame, octet for octet');

    my $file = spew("$dir/payload", "\0\xFF");

    for (['data', 2], ['stream', 3]) {
        my ($type, $number) = @$_;

        (undef, $out) = tool('frame', 'encode', '-t', $type, '-s', 'a1',
                             $file);
        is($out, frame($number, "\0\xFF", session => 0xA1), "$type of a file");
    }

    (undef, $out) = tool({ in => '' }, 'frame', 'encode', '--type', 'data');
    is($out, frame(2, ''), 'no payload');

    (undef, $out) = tool({ in => 'x' }, 'frame', 'encode', '--type', 'data',
                         '--compressed', '--encrypted', '--fragmented');
    is($out, frame(2, 'x', flags => 7), 'every flag');

    (undef, $out) = tool({ in => 'x' }, 'frame', 'encode', '--type', 'data',
                         '--stream', '4294967295', '--session', 'F' x 16);
    is($out, frame(2, 'x', high => 0xFFFFFFFF, session => 0xFFFFFFFF,
                   stream => 0xFFFFFFFF), 'the largest ids');
};


subtest 'MOQ-04 a heartbeat has no payload' => sub {
    my ($status, $out) = tool({ in => 'not read' }, 'frame', 'encode',
                              '--type', 'heartbeat');
    is($status, 0, 'status');
    is($out, frame(4, ''), 'the frame of the draft');
    is($out, "\xA2\xA2\x01\x04" . "\0" x 17, 'octet for octet');

    is(tool_ok({ in => $out }, 'frame', 'decode'),
       '{"type":"heartbeat","session":"0000000000000000","stream":0,'
       . '"flags":[],"length":0}', 'decoded');

    ($status) = tool('frame', 'encode', '--type', 'heartbeat', '-');
    is($status, 2, 'a FILE is refused');

    ($status, $out, my $err) = tool({ in => frame(4, 'x') }, 'frame',
                                    'decode');
    is($status, 1, 'with a payload it is no frame');
    is($out, '', 'nothing on standard output');
    like($err, qr/^parley: stdin: field-invalid length: a heartbeat/, 'said');
};


subtest 'MOQ-09 more than 1400 octets make several frames' => sub {
    for ([ 1400, 1 ], [ 1401, 2 ], [ 2800, 2 ], [ 5000, 4 ]) {
        my ($len, $count) = @$_;
        my $data = join '', map { chr($_ * 7 % 256) } 1 .. $len;

        my (undef, $out) = tool({ in => $data }, 'frame', 'encode', '--type',
                                'data', '--stream', '9');
        my @frames = lines(tool_ok({ in => $out }, 'frame', 'decode'));

        is(@frames, $count, "$len octets: frames");
        is(scalar(grep { $_->{length} > 1400 } @frames), 0,
           "$len octets: none is too long");
        is(join('', map { @{ $_->{flags} } ? 1 : 0 } @frames),
           '1' x ($count - 1) . '0', "$len octets: all but the last go on");
        is(scalar(grep { $_->{stream} != 9 } @frames), 0,
           "$len octets: one stream");

        my $joined = join '', map {
            Parley::Tool::decode_base64url(
                $_->{payload_base64} =~ tr{+/}{-_}r =~ tr{=}{}dr)
        } @frames;
        is(sha256_hex($joined), sha256_hex($data), "$len octets: the same");
    }

    my (undef, $out) = tool({ in => 'x' x 1401 }, 'frame', 'encode', '-t',
                            'data', '--fragmented');
    is(join('', map { @{ $_->{flags} } } lines(tool_ok({ in => $out },
                                               'frame', 'decode'))),
       'fragmentedfragmented', '--fragmented marks the last one too');
};


subtest 'MOQ-01 GW-16 frame decode' => sub {
    my $cmd = qq({"action":"\xC3\xA9","x":"\\""});
    my $octets = frame(1, $cmd, session => 0xA1, stream => 7)
               . frame(2, "\0\xFF", flags => 4) . frame(1, "\xFF")
               . frame(1, 'zip', flags => 1) . frame(1, '');

    my @got = lines(tool_ok({ in => $octets }, 'frame', 'decode'));

    is_deeply(\@got, [
        { type => 'cmd', session => '00000000000000a1', stream => 7,
          flags => [], length => length $cmd,
          payload => qq({"action":"\xE9","x":"\\""}) },
        { type => 'data', session => '0' x 16, stream => 0,
          flags => ['fragmented'], length => 2,
          payload_base64 => encode_base64("\0\xFF", '') },
        { type => 'cmd', session => '0' x 16, stream => 0, flags => [],
          length => 1, payload_base64 => encode_base64("\xFF", '') },
        { type => 'cmd', session => '0' x 16, stream => 0,
          flags => ['compressed'], length => 3,
          payload_base64 => encode_base64('zip', '') },
        { type => 'cmd', session => '0' x 16, stream => 0, flags => [],
          length => 0, payload => '' },
    ], 'every frame is a line');

    is(tool_ok({ in => '' }, 'frame', 'decode'), '', 'no frames');

    my ($one, $two) = (spew("$dir/1", frame(1, 'a')),
                       spew("$dir/2", frame(1, 'b')));
    is(join('', map { $_->{payload} } lines(tool_ok('frame', 'decode', $one,
                                                    $two))),
       'ab', 'several files');
};


# Returns the announcement of a transfer.
sub announce {
    my ($stream, %say) = @_;

    return frame(1, jcs({ action => 'file_transfer',
                          payload => { stream_id => $stream, %say } }),
                 session => 5);
}

sub chunk {
    my ($stream, $payload, %with) = @_;

    return frame(2, $payload, session => 5, stream => $stream, flags => 4,
                 %with);
}


subtest 'MOQ-03 GW-16 frame decode --join' => sub {
    my $data = join '', map { chr($_ * 7 % 256) } 1 .. 5000;
    my (undef, $octets) = tool({ in => $data }, 'frame', 'encode', '--type',
                               'data', '--stream', '9');
    my @got = lines(tool_ok({ in => $octets }, 'frame', 'decode', '--join'));

    is(@got, 1, 'one payload of four frames');
    is_deeply([@{ $got[0] }{qw(type stream length flags)}],
              ['data', 9, 5000, []]);
    is($got[0]{payload_base64}, encode_base64($data, ''), 'the same');

    # two interleaved streams, and a frame of neither

    @got = lines(tool_ok({ in => chunk(1, 'ab') . chunk(2, 'AB')
                              . frame(4, '') . chunk(1, 'c', flags => 0)
                              . frame(2, 'x', session => 6, stream => 2)
                              . chunk(2, 'C', flags => 0) },
                         'frame', 'decode', '-j'));

    is_deeply([map { $_->{payload_base64} // $_->{type} } @got],
              ['heartbeat', map { encode_base64($_, '') } qw(abc x ABC)],
              'each when it is whole');

    my $sum = sha256_hex('abc');
    my $whole = announce(1, checksum => $sum, total_chunks => 2)
                . chunk(1, 'ab') . chunk(1, 'c', flags => 0);

    @got = lines(tool_ok({ in => $whole }, 'frame', 'decode', '--join'));
    is_deeply([map { $_->{type} } @got], ['cmd', 'data'], 'as announced');

    is(scalar(lines(tool_ok({ in => $whole }, 'frame', 'decode'))), 3,
       'without it each frame is a line');

    my @cases = (
        [ announce(1, checksum => sha256_hex('abd')) . chunk(1, 'ab')
          . chunk(1, 'c', flags => 0), 'field-invalid checksum' ],
        [ announce(1, total_chunks => 3) . chunk(1, 'ab')
          . chunk(1, 'c', flags => 0), 'field-invalid total_chunks' ],
        [ announce(1, total_chunks => 1) . chunk(1, 'ab') . chunk(1, 'c'),
          'message-too-large' ],
        [ announce(1, checksum => 'x'), 'field-invalid /payload/checksum' ],
        [ announce(1, total_chunks => 1) . announce(1, total_chunks => 1),
          'field-invalid' ],
        [ chunk(1, 'ab') . frame(3, 'c', session => 5, stream => 1),
          'payload-kind-mismatch type' ],
        [ join('', map { chunk($_, 'x') } 1 .. 65), 'capacity' ],
    );

    for (@cases) {
        my ($in, $says) = @$_;
        my ($status, undef, $err) = tool({ in => $in }, 'frame', 'decode',
                                         '--join');

        is($status, 1, "$says: status 1");
        like($err, qr/^parley: stdin: \Q$says\E\b.*at octet \d+\)$/, 'said');
    }

    for (chunk(1, 'ab'), announce(1, total_chunks => 1)) {
        my ($status, undef, $err) = tool({ in => $_ }, 'frame', 'decode',
                                         '--join');

        is($status, 1, 'the end is missing');
        is($err, "parley: stdin: 1 payloads are not whole\n", 'said');
    }
};


subtest 'MOQ-01 an invalid frame is refused and named' => sub {
    my @cases = (
        [ frame(1, 'x', magic => 0xA2A3), 'field-invalid magic', 0 ],
        [ frame(1, 'x', version => 0),
          'envelope-version-unsupported version', 2 ],
        [ frame(1, 'x', version => 255),
          'envelope-version-unsupported version', 2 ],
        [ frame(1, 'x', version => 2),
          'envelope-version-unsupported version', 2 ],
        [ frame(0, 'x'), 'kind-unknown type', 3 ],
        [ frame(5, 'x'), 'kind-unknown type', 3 ],
        [ frame(255, 'x'), 'kind-unknown type', 3 ],
        [ frame(1, 'x', flags => 8), 'field-invalid flags', 16 ],
        [ substr(frame(1, 'x'), 0, 20), 'field-invalid header', 20 ],
        [ substr(frame(1, 'x'), 0, 21), 'field-invalid length', 21 ],
    );

    for (@cases) {
        my ($in, $says, $at) = @$_;
        my ($status, $out, $err) = tool({ in => $in }, 'frame', 'decode');

        is($status, 1, "$says: status 1");
        is($out, '', "$says: nothing on standard output");
        like($err, qr/^parley: stdin: \Q$says\E: .*\(at octet $at\)$/,
             "$says: said");

        ($status, $out, $err) = tool({ in => frame(4, '') . $in }, 'frame',
                                     'decode');
        is($status, 1, "$says: after a good frame");
        is(scalar(lines($out)), 1, "$says: which is printed");
        like($err, qr/at octet @{[ $at + 21 ]}\)/, "$says: the place counts");
    }
};


subtest 'GW-16 a wrong call gets an error with the reason' => sub {
    my @cases = (
        [ ['frame'], qr/needs one more word: encode, decode/ ],
        [ ['frame', 'encode'], qr/--type is missing/ ],
        [ ['frame', 'encode', '-t', 'CMD'], qr/--type is cmd, .* "CMD"/ ],
        [ ['frame', 'encode', '-t', 'cmd', '-s', ''], qr/--session/ ],
        [ ['frame', 'encode', '-t', 'cmd', '-s', 'g'], qr/--session/ ],
        [ ['frame', 'encode', '-t', 'cmd', '-s', '0' x 17], qr/--session/ ],
        [ ['frame', 'encode', '-t', 'cmd', '--stream', '-1'], qr/--stream/ ],
        [ ['frame', 'encode', '-t', 'cmd', '--stream', '4294967296'],
          qr/--stream/ ],
        [ ['frame', 'encode', '-t', 'cmd', 'a', 'b'], qr/unexpected "b"/ ],
        [ ['frame', 'encode', '-t', 'cmd', "$dir/none"], qr/No such file/ ],
        [ ['frame', 'decode', "$dir/none"], qr/No such file/ ],
    );

    for (@cases) {
        my ($words, $says) = @$_;
        my ($status, $out, $err) = tool(@$words);

        is($status, 2, "parley @$words: status 2");
        is($out, '', 'nothing on standard output');
        like($err, $says, 'it says why');
    }
};


done_testing();
