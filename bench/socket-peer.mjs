// The peer of the benchmark of WebSockets: npm's "ws", which reads a message,
// remembers its id, and answers as VCP's binding to HTTP does.  No token, no
// schema, nobody else is told.
//
//     node socket-peer.mjs PORT

import { WebSocketServer } from 'ws';

const seen = new Set();
const server = new WebSocketServer({ host: '127.0.0.1',
                                     port: Number(process.argv[2]),
                                     perMessageDeflate: false });

server.on('connection', (socket) => {
    socket.on('message', (data) => {
        const id = JSON.parse(data.toString()).message_id;
        const status = seen.has(id) ? 'duplicate' : 'accepted';

        seen.add(id);
        socket.send(`{"status":"${status}","message_id":"${id}"}`);
    });
});
