// The peer of the WebSocket benchmark: npm's "ws".  It reads a message, stores
// its id, and answers as in VCP's HTTP binding.  It checks no token and no
// schema, and forwards no message.
//
//     node socket-peer.mjs PORT...

import { WebSocketServer } from 'ws';

const seen = new Set();
const connected = (socket) => {
    socket.on('message', (data) => {
        const id = JSON.parse(data.toString()).message_id;
        const status = seen.has(id) ? 'duplicate' : 'accepted';

        seen.add(id);
        socket.send(`{"status":"${status}","message_id":"${id}"}`);
    });
};

process.argv.slice(2).forEach((port) => {
    new WebSocketServer({ host: '127.0.0.1', port: Number(port),
                          perMessageDeflate: false })
        .on('connection', connected);
});
