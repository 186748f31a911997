// npm's "ws" on both sides of the gateway, as through.py.
//
//     node through.mjs PORT URL AUTHORIZATION

import { createInterface } from 'node:readline';

import WebSocket, { WebSocketServer } from 'ws';

const [port, url, authorization] = process.argv.slice(2);
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

setTimeout(() => process.exit(1), 30000).unref();

const server = new WebSocketServer({ host: '127.0.0.1', port: Number(port),
                                     perMessageDeflate: true });

server.on('connection', (socket) => {
    socket.on('message', (data) => {
        socket.ping();
        socket.send(JSON.stringify({
            status: 'accepted',
            message_id: JSON.parse(data.toString()).message_id,
        }));
    });

    socket.on('close', (code, reason) => {
        say({ service: [code, reason.toString()] });
        server.close();
    });
});

const client = new WebSocket(url, {
    headers: { Authorization: authorization }, perMessageDeflate: true,
});

client.on('message', (data) => process.stdout.write(`${data}\n`));
client.on('close', (code, reason) => say({ client: [code, reason.toString()] }));

client.on('open', async () => {
    for await (const line of createInterface({ input: process.stdin })) {
        client.send(line);
        await new Promise((resolve) => client.once('message', resolve));
    }

    client.close(4001, 'done');
});
