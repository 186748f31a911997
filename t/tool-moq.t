# parley moq: messages and objects of MoQ Transport, decoded and encoded.

use strict;
use warnings;

use lib 't/lib';

use MIME::Base64 qw(encode_base64);
use Test::More;

use Parley::Env qw(tmp_dir spew);
use Parley::Tool;

my $dir = tmp_dir();


# Returns octets from hex digits; "..." in quotes is text.
sub octets {
    my $text = shift;
    my $octets = '';

    while ($text =~ /\G(?:[\s|]+|"([^"]*)"|([0-9a-f]{2}))/gc) {
        $octets .= defined $1 ? $1 : defined $2 ? chr hex $2 : '';
    }

    return $octets;
}


sub lines { map { json($_) } split /\n/, shift }


# Decodes octets, compares the lines, and encodes the lines again.
sub both_ways {
    my ($octets, $expected, $name, @options) = @_;

    my $out = tool_ok({ in => $octets }, 'moq', 'decode', @options);

    is_deeply([lines($out)], $expected, $name);

    my ($status, $again) = tool({ in => $out }, 'moq', 'encode');

    is(unpack('H*', $again), unpack('H*', $octets), "$name, encoded");
}


subtest 'MOQ-12 GW-16 control messages' => sub {
    both_ways(octets('20 0012 03 | 01 01 2f | 01 43e8 | 03 09 "localhost"'
                     . '03 000d 00 | 01 04 "chat" | 04 "room" | 00'), [
        { message => 'CLIENT_SETUP', parameters => [
            { type => 'PATH', value => '/' },
            { type => 'MAX_REQUEST_ID', value => 1000 },
            { type => 'AUTHORITY', value => 'localhost' } ] },
        { message => 'SUBSCRIBE', request_id => 0,
          track_namespace => ['chat'], track_name => 'room',
          parameters => [] },
    ], 'SETUP and SUBSCRIBE');

    both_ways(octets('03 002c 04 | 02 03 "a2a" 06 "camera" | 0c "camera.0.cmd"'
                     . '| 04 | 03 05 03 00 "jwt" | 0d 00 | 11 04 04 01 02 03'
                     . '| 01 02'), [
        { message => 'SUBSCRIBE', request_id => 4,
          track_namespace => ['a2a', 'camera'],
          track_name => 'camera.2e0.2ecmd',
          parameters => [
              { type => 'AUTHORIZATION_TOKEN', alias_type => 'USE_VALUE',
                token_type => 0, token_value => 'jwt' },
              { type => 'FORWARD', value => 0 },
              { type => 'SUBSCRIPTION_FILTER', filter => 'ABSOLUTE_RANGE',
                start => { group => 1, object => 2 }, end_group => 3 },
              { type => 'GROUP_ORDER', value => 2 } ] },
    ], 'structured parameters');

    both_ways(octets('04 0011 00 ffffffffffffffff 01 | 09 02 05 07 | 01 01 ff'),
              [{ message => 'SUBSCRIBE_OK', request_id => 0,
                 track_alias => '4611686018427387903',
                 parameters => [{ type => 'LARGEST_OBJECT',
                                  location => { group => 5, object => 7 } }],
                 extensions => [{ type => 1,
                                  value_base64 => encode_base64("\xFF", '') }],
               }], 'large numbers and extensions', '-f', 'server');

    both_ways(octets('05 0007 08 03 00 03 "not" | 05 0006 08 03 00 02 ffff'), [
        { message => 'REQUEST_ERROR', request_id => 8, error_code => 3,
          retry_interval => 0, error_reason => 'not' },
        { message => 'REQUEST_ERROR', request_id => 8, error_code => 3,
          retry_interval => 0,
          error_reason_base64 => encode_base64("\xFF\xFF", '') },
    ], 'reasons');

    both_ways(octets('16 000c 04 01 | 01 01 "x" | 01 "y" | 00 00 | 05 00 | 00'
                     . '16 0005 04 02 | 00 05 | 00'), [
        { message => 'FETCH', request_id => 4, fetch_type => 1,
          track_namespace => ['x'], track_name => 'y',
          start_location => { group => 0, object => 0 },
          end_location => { group => 5, object => 0 }, parameters => [] },
        { message => 'FETCH', request_id => 4, fetch_type => 2,
          joining_request_id => 0, joining_start => 5, parameters => [] },
    ], 'both kinds of FETCH');

    both_ways(octets('11 0004 04 | 00 | 01 | 00'), [
        { message => 'SUBSCRIBE_NAMESPACE', request_id => 4,
          track_namespace_prefix => [], subscribe_options => 1,
          parameters => [] },
    ], 'a request stream', '--stream', 'request');

    both_ways(octets('07 0002 04 00 | 08 0008 01 06 "camera"'), [
        { message => 'REQUEST_OK', request_id => 4, parameters => [] },
        { message => 'NAMESPACE', track_namespace_suffix => ['camera'] },
    ], 'its answers', '-s', 'response', '--from', 'server');

    is(tool_ok({ in => '' }, 'moq', 'decode'), '', 'nothing');
};


subtest 'MOQ-12 GW-16 data streams' => sub {
    both_ways(octets('18 01 00 80 | 00 05 "hello" | 02 02 fffe | 00 00 03'), [
        { stream => 'SUBGROUP', type => 24, track_alias => 1, group => 0,
          priority => 128 },
        { object => 0, payload => 'hello' },
        { object => 3, payload_base64 => encode_base64("\xFF\xFE", '') },
        { object => 4, status => 3 },
    ], 'a subgroup', '--stream', 'data');

    both_ways(octets('35 02 07 09 | 00 04 3c01 0201 01 "x" | 00 00 00 00'), [
        { stream => 'SUBGROUP', type => 53, track_alias => 2, group => 7,
          subgroup => 9 },
        { object => 0, payload => 'x', extensions => [
            { type => 'PRIOR_GROUP_ID_GAP', value => 1 },
            { type => 'PRIOR_OBJECT_ID_GAP', value => 1 } ],
          malformed => 'a gap exceeds the ID' },
        { object => 1, payload => '' },
    ], 'extensions', '--stream', 'data');

    both_ways(octets('05 04 | 1f 02 03 04 80 01 "x" | 408c 02 09 00 |'
                     . '4044 0c 00'), [
        { stream => 'FETCH', request_id => 4 },
        { object => 4, group => 2, subgroup => 3, priority => 128,
          payload => 'x' },
        { object => 9, group => 2, range => 'absent' },
        { object => 12, group => 2, priority => 128, payload => '' },
    ], 'FETCH', '--stream', 'data');
};


subtest 'MOQ-12 violations' => sub {
    my @rows = (
        ['01 0000', 'PROTOCOL_VIOLATION: Type: the message type is unknown'],
        ['21 0001 00', 'PROTOCOL_VIOLATION: SERVER_SETUP: Type: the other '
                       . 'side must send it'],
        ['0a 0002 04 00', 'PROTOCOL_VIOLATION: UNSUBSCRIBE: Length: octets '
                          . 'follow the last field'],
        ['03 0005 00 01 00 00 00', 'PROTOCOL_VIOLATION: SUBSCRIBE: Track '
                                   . 'Namespace: a field is empty'],
        ['20 0004 01 03 01 01', 'KEY_VALUE_FORMATTING_ERROR: CLIENT_SETUP: '
                          . 'AUTHORIZATION_TOKEN: the Token Alias is missing'],
        ['20 0004 01 01 01 61', 'MALFORMED_PATH: CLIENT_SETUP: PATH: it is '
                                . 'not a path of RFC 3986'],
        ['16 07', 'PROTOCOL_VIOLATION: data stream: Type: the stream type '
                  . 'is unknown or reserved', '--stream', 'data'],
        ['10 01 05 00 00 00 01', 'PROTOCOL_VIOLATION: SUBGROUP_HEADER: Object '
                             . 'Status: it is not 0, 3 or 4', '-s', 'data'],
        ['10 01 05 00 00 04 61', 'PROTOCOL_VIOLATION: data stream: FIN: the '
                             . 'stream ends in an object', '-s', 'data'],
        ['03 000d 00', 'the last message is not whole'],
    );

    for (@rows) {
        my ($octets, $text, @options) = @$_;

        my ($status, $out, $err) = tool({ in => octets("$octets") }, 'moq',
                                        'decode', @options);

        is($status, 1, "$octets: status");
        like($err, qr/^parley: stdin: \Q$text\E \(at octet \d+\)$/,
             'the code, the member and the place');
    }

    my ($status, $out, $err)
        = tool({ in => octets('0a 0001 04 | 0a 0000') }, 'moq', 'decode');

    is($status, 1, 'the second message');
    is_deeply([lines($out)], [{ message => 'UNSUBSCRIBE', request_id => 4 }],
              'the first one is printed');
    like($err, qr/\(at octet 7\)$/, 'its place in the stream');
};


subtest 'GW-16 bad lines' => sub {
    my @rows = (
        ['{', 'json-invalid'],
        ['{"message":"HELLO"}', 'kind-unknown message'],
        ['{"x":1}', 'kind-unknown: the line is not a message'],
        ['{"message":"UNSUBSCRIBE"}', 'field-missing request_id'],
        ['{"message":"UNSUBSCRIBE","request_id":-1}',
         'field-invalid request_id'],
        ['{"message":"UNSUBSCRIBE","request_id":"4611686018427387904"}',
         'field-invalid request_id'],
        ['{"message":"UNSUBSCRIBE","request_id":"99999999999999999999"}',
         'field-invalid request_id'],
        ['{"message":"PUBLISH_NAMESPACE","request_id":0,'
         . '"track_namespace":["a-b"]}', 'field-invalid track_namespace'],
        ['{"message":"PUBLISH_NAMESPACE","request_id":0,'
         . '"track_namespace":[]}', 'field-invalid track_namespace'],
        ['{"message":"GOAWAY","new_session_uri":"' . 'x' x 8193 . '"}',
         'field-invalid new_session_uri'],
        ['{"message":"CLIENT_SETUP","parameters":[{"type":"PATH"}]}',
         'field-missing value'],
        ['{"message":"CLIENT_SETUP","parameters":[{"type":4,"value":1},'
         . '{"type":2,"value":1}]}', 'field-invalid parameters'],
        ['{"message":"CLIENT_SETUP","parameters":[{"type":3,'
         . '"alias_type":"NONE"}]}', 'field-invalid alias_type'],
        ['{"message":"GOAWAY","new_session_uri_base64":"*"}',
         'field-invalid new_session_uri_base64'],
        ['{"object":0,"payload":""}', 'field-invalid object: no stream'],
        ['{"stream":"SUBGROUP","type":22}', 'field-invalid type'],
        ['{"stream":"SUBGROUP","type":48,"track_alias":1,"group":1}' . "\n"
         . '{"object":0,"payload":"","extensions":[{"type":2,"value":1}]}',
         'field-invalid object', 2],
    );

    for (@rows) {
        my ($line, $text, $number) = (@$_, 1);

        my ($status, undef, $err) = tool({ in => "$line\n" }, 'moq', 'encode');

        is($status, 1, substr($line, 0, 60));
        like($err, qr/^parley: stdin: line $number: \Q$text\E/,
             $text);
    }

    my ($status, undef, $err) = tool('moq', 'decode', '--stream', 'x');
    is($status, 2, 'an unknown kind of stream');
    like($err, qr/--stream is control, request, response or data/, 'the kinds');

    ($status, undef, $err) = tool('moq', 'decode', '--from', 'x');
    is($status, 2, 'an unknown role');

    my $one = spew("$dir/one", octets('0a 0001 04'));
    is(tool_ok('moq', 'decode', $one, $one),
       join("\n", ('{"message":"UNSUBSCRIBE","request_id":4}') x 2),
       'two files');
};


done_testing();
