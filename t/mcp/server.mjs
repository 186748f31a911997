// A service that is an MCP server itself, of either generation:
//
//     node server.mjs GENERATION PORT FILE
//
// Writes to FILE a line for each message that it gets: method, or "response"
// or the HTTP method (GET), and the Mcp-Session-Id.  The first generation has
// sessions and streams; the second has none.

import { createServer } from 'node:http';
import { randomUUID, webcrypto } from 'node:crypto';
import { appendFileSync } from 'node:fs';

const [generation, port, file] = process.argv.slice(2);

// not global in Node.js 18, which Debian 12 has
globalThis.crypto ??= webcrypto;

const { McpServer } = generation === '1'
    ? await import('@modelcontextprotocol/sdk/server/mcp.js')
    : await import('@modelcontextprotocol/server');

const { z } = await import('zod');


function make() {
    const server = new McpServer({ name: `service-${generation}`,
                                   version: '1' },
                                 { capabilities: { logging: {} } });
    const numbers = { a: z.number(), b: z.number() };

    server.registerTool('add', {
        description: 'adds',
        inputSchema: generation === '1' ? numbers : z.object(numbers)
    }, ({ a, b }) => ({ content: [{ type: 'text', text: `${a + b}` }],
                        structuredContent: { sum: a + b } }));

    server.registerTool('fail', { description: 'fails' }, () => ({
        content: [{ type: 'text', text: 'no such thing' }], isError: true
    }));

    if (generation === '1') {
        // a request to the client, a log line and progress before the result
        server.registerTool('talk', { description: 'talks' }, async extra => {
            const progressToken = extra._meta?.progressToken;

            extra.sendRequest({ method: 'roots/list' }, z.any())
                .catch(() => {});
            await extra.sendNotification({
                method: 'notifications/message',
                params: { level: 'info', data: 'talking' }
            });

            if (progressToken !== undefined) {
                await extra.sendNotification({
                    method: 'notifications/progress',
                    params: { progressToken, progress: 1, total: 2 }
                });
            }

            return { content: [{ type: 'text', text: 'said' }] };
        });
    }

    return server;
}


const handle = generation === '1' ? await withSessions() : await without();


async function withSessions() {
    const { StreamableHTTPServerTransport } =
        await import('@modelcontextprotocol/sdk/server/streamableHttp.js');
    const sessions = new Map();

    return async (req, res, body) => {
        const id = req.headers['mcp-session-id'];
        let transport = sessions.get(id);

        if (!transport) {
            transport = new StreamableHTTPServerTransport({
                sessionIdGenerator: () => randomUUID(),
                onsessioninitialized: made => sessions.set(made, transport)
            });
            await make().connect(transport);
        }

        await transport.handleRequest(req, res, body);
    };
}


async function without() {
    const { createMcpHandler } = await import('@modelcontextprotocol/server');
    const handler = createMcpHandler(make);

    return async (req, res, body, text) => {
        const answer = await handler.fetch(new Request(
            `http://127.0.0.1:${port}${req.url}`,
            { method: req.method, headers: req.headers,
              ...(text ? { body: text } : {}) }));

        res.writeHead(answer.status, Object.fromEntries(answer.headers));
        res.end(Buffer.from(await answer.arrayBuffer()));
    };
}


createServer((req, res) => {
    const chunks = [];

    req.on('data', chunk => chunks.push(chunk));
    req.on('end', async () => {
        const text = Buffer.concat(chunks).toString();
        let body;

        try {
            body = JSON.parse(text);
        } catch { /* none */ }

        appendFileSync(file, `${body ? body.method ?? 'response' : req.method}`
                             + ` ${req.headers['mcp-session-id'] ?? '-'}\n`);

        try {
            await handle(req, res, body, text);
        } catch (e) {
            res.writeHead(500).end(String(e));
        }
    });
}).listen(Number(port), '127.0.0.1', () => console.log('ready'));
