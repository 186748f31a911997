// A harness: the official client of MCP, of either generation, at a location
// of the gateway.
//
//     node client.mjs GENERATION URL TOKEN STEP...
//
// GENERATION is 1 or 2, or "modern": 2 without a session.  A step is
// METHOD or METHOD=JSON, one of the methods below.  Prints a JSON array with
// each result, or {"error": {"name", "code", "status", "message"}}.

const [generation, url, token, ...steps] = process.argv.slice(2);

// the output of the clients is not part of the results
console.log = console.info = console.debug = console.error;

const { Client } = generation === '1'
    ? await import('@modelcontextprotocol/sdk/client/index.js')
    : await import('@modelcontextprotocol/client');

const { StreamableHTTPClientTransport } = generation === '1'
    ? await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
    : await import('@modelcontextprotocol/client');

const options = generation === 'modern'
    ? { versionNegotiation: { mode: 'auto' } } : {};

let client, heard;

const doing = {
    // {chat}: a harness of C2A; {handles}: it has a handler of requests
    async connect(params) {
        heard = { logs: [], progress: [], errors: [], events: [] };
        client = new Client({ name: 'parley-test', version: '1' }, {
            ...options, ...params?.chat
                ? { capabilities: { experimental: { c2a: {} } } } : {} });
        client.onerror = e => heard.errors.push(String(e.message ?? e));
        client.fallbackNotificationHandler = async n => {
            heard.logs.push(n.method);
        };

        if (params?.handles) {
            client.fallbackRequestHandler = async request => {
                heard.events.push(request.params);
                return { accepted: true };
            };
        }

        const transport = new StreamableHTTPClientTransport(new URL(url), {
            requestInit: { headers: { Authorization: token } }
        });

        await client.connect(transport);

        return { server: client.getServerVersion(),
                 capabilities: client.getServerCapabilities(),
                 version: client.getNegotiatedProtocolVersion?.()
                          ?? transport.protocolVersion,
                 session: transport.sessionId !== undefined };
    },

    ping: () => client.ping(),

    async tools() {
        return (await client.listTools()).tools;
    },

    call: params => client.callTool(params),

    // with all progress that is reported before the result
    async follow(params) {
        const onprogress = p => heard.progress.push(p);
        const result = generation === '1'
            ? await client.callTool(params, undefined, { onprogress })
            : await client.callTool(params, { onprogress });

        return { result, progress: heard.progress };
    },

    // cancelled before its answer, and called again
    async retry(params) {
        const brief = { timeout: 1500 };
        let first;

        try {
            first = generation === '1'
                ? await client.callTool(params, undefined, brief)
                : await client.callTool(params, brief);

        } catch (e) {
            first = null;
        }

        return { first, second: await client.callTool(params) };
    },

    // until so many events came, at most 30 s; a file tells that it waits
    async wait({ events, file }) {
        if (file) {
            (await import('node:fs')).writeFileSync(file, '');
        }

        for (let i = 0; heard.events.length < events && i < 600; i++) {
            await new Promise(done => setTimeout(done, 50));
        }

        return heard.events.map(e => e.eventId);
    },

    resources: () => client.listResources(),

    heard: () => structuredClone(heard),

    async close() {
        await client.close();
        return true;
    }
};

const results = [];

for (const step of steps) {
    const [, name, params] = step.match(/^(\w+)(?:=(.*))?$/s);

    try {
        results.push(await doing[name](params && JSON.parse(params)) ?? null);
    } catch (e) {
        results.push({ error: { name: e.constructor.name, code: e.code,
                                status: e.data?.status,
                                message: String(e.message) } });
    }
}

process.stdout.write(JSON.stringify(results) + '\n', () => process.exit(0));
