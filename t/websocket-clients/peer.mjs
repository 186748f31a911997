// npm's "ws", used like in an agent.  It reconnects by itself, at the last place
// that a ping or the reason of a close had.
//
//     node peer.mjs URL AUTHORIZATION
//
// Sends each line that it reads as a text; prints its events, a line of
// JSON each: {"open": true}, {"text": ...}, {"close": [code, reason]}.

import { createInterface } from 'node:readline';

import WebSocket from 'ws';

const [url, authorization] = process.argv.slice(2);
const say = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);
const waiting = [];

let place;
let socket;
let delay = 100;

function open() {
    const at = place ? `${url}&last_event_id=${place}` : url;

    socket = new WebSocket(at, { headers: { Authorization: authorization } });

    socket.on('open', () => {
        say({ open: true });
        delay = 100;
        waiting.splice(0).forEach((line) => socket.send(line));
    });

    socket.on('ping', (data) => { place = data.toString(); });
    socket.on('message', (data, binary) => {
        say({ text: data.toString(), binary });
    });

    socket.on('error', () => {});

    socket.on('close', (code, reason) => {
        const told = /^last_event_id=(.*)/.exec(reason.toString());

        place = told ? told[1] : place;
        say({ close: [code, reason.toString()] });
        setTimeout(open, delay);
        delay = Math.min(2 * delay, 2000);
    });
}

createInterface({ input: process.stdin }).on('line', (line) => {
    if (socket.readyState === WebSocket.OPEN) {
        socket.send(line);
    } else {
        waiting.push(line);
    }
});

open();
