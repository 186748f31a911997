package Parley::Verbs;

# The verbs of agent-channel, called as tools of MCP.
#
#     my $nginx = Parley::Nginx->start(workers => 2, http => verbs_http());
#     my $result = tool('agent_advise', { recipient_handle => '~bob', ... });
#     refused(mcp(tool_text('agent_advise', ...)), $code, $field, $name);

use strict;
use warnings;

use Exporter 'import';
use Test::More;

use Parley::Client;
use Parley::Env qw(port);
use Parley::Gateway;
use Parley::Message;
use Parley::Streams;

our @EXPORT = qw(verbs_http call_text tool_text mcp tool outcome begin says
                 refused);

my ($client, $id);


# Returns all of http, see streams_http().
sub verbs_http {
    return streams_http(
        more => 'parley_retain count=1000 time=1h;',
        locations => <<'EOT');
        location = /mcp { parley_jwt on; parley_mcp channel hold=5s; }
        location = /short { parley_jwt on; parley_mcp channel hold=1s; }
        location = /ruled {
            parley_jwt on;
            parley_mcp channel hold=2s counts=coarse;
            parley_allow intent=channel.agent_advisory;
            parley_allow type=subscribe principal=agent.dave to=agent.alice;
            parley_allow type=roster principal=agent.dave to=agent.alice;
        }
        location = /denied {
            parley_jwt on;
            parley_mcp channel hold=1s;
            parley_deny intent=channel.agent_handover;
        }
        location = /small {
            parley_jwt on;
            parley_mcp channel hold=2s;
            parley_limits body=2000;
        }
        location = /any { parley_jwt on; parley_submit aee vcp c2a channel; }
        location /aee/ { parley_jwt on; parley_stream aee; }
        location = /plain { parley_jwt on; parley_mcp channel off=role; }
EOT
}


sub call_text {
    my ($method, $params) = @_;

    return jcs({ jsonrpc => '2.0', id => ++$id, method => $method,
                 defined $params ? (params => $params) : () });
}


sub mcp {
    my ($text, %o) = @_;

    $client //= Parley::Client->new(port => port(1), tls => 0);

    return $client->post($o{uri} // '/mcp', $text,
        Authorization => bearer($o{as} // 'alice'),
        Accept => 'application/json, text/event-stream',
        'Content-Type' => 'application/json', @{ $o{headers} // [] });
}


sub tool_text {
    my ($name, %arguments) = @_;

    return call_text('tools/call', { name => $name,
                                     arguments => \%arguments });
}


# Calls a tool and returns its structured content, which its text must repeat.
sub tool {
    my ($name, $arguments, %o) = @_;

    my $answer = mcp(tool_text($name, %$arguments), %o);

    return outcome($answer);
}


sub outcome {
    my $answer = shift;

    is($answer->{status}, 200, 'status');
    is($answer->{json}{id}, $id, 'id');

    my $result = $answer->{json}{result} // {};

    is_deeply(eval { from_json($result->{content}[0]{text}) },
              $result->{structuredContent}, 'the text says the same')
        if !$result->{isError};

    return $result->{structuredContent}
           // diag($answer->{body}) // $answer->{json};
}


# Begins a call, whose answer is read later.
sub begin {
    my ($text, %o) = @_;

    $client //= Parley::Client->new(port => port(1), tls => 0);

    return $client->begin($o{uri} // '/mcp', $text,
        Authorization => bearer($o{as} // 'alice'),
        'Content-Type' => 'application/json');
}


sub says {
    my ($who, $query, %payload) = @_;

    return submit(frame($who, 'alice', kind => 'agent_response', payload => {
        query_id => $query->{payload}{query_id},
        responder_session_id => 's1', response_text => 'yes', %payload }));
}


sub refused {
    my ($answer, $code, $field, $name) = @_;

    my $result = $answer->{json}{result};

    is($answer->{status}, 200, "$name: a result");
    ok($result->{isError}, 'that is an error');
    is($result->{structuredContent}{code}, $code, 'code');
    is($result->{structuredContent}{field}, $field, 'field');
    like($result->{content}[0]{text}, qr/\A\Q$code\E: ./, 'as text');
}


1;
