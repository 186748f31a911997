#!/usr/bin/env node
// A service of agent-channel that has event streams of its own, for a gateway
// with examples/existing-streams.conf in front of it.
//
//     node examples/clients/service.mjs [PORT]        # 9001
//
// POST /channel           accepts a frame
// GET  /channel/~handle   the frames for a handle, as server-sent events; resumes
//                         after the event of Last-Event-ID, or of last_event_id=
//
// The gateway proves the callers, checks each frame and its sender, and decides
// which caller may read a stream.  So this service does not check them again.  It
// listens on loopback only: no caller can go around the gateway.  It uses only
// Node's standard library, and has its frames in memory only.

import { randomBytes } from "node:crypto";
import http from "node:http";

const KEPT = 1000; // frames of each handle, for streams that resume
const WAITING = 1 << 20; // octets that may wait for a slow reader
const HEARTBEAT = 15_000; // ms; shorter than proxy_read_timeout

const run = randomBytes(6).toString("hex"); // ids of another run are unknown
const channels = new Map();
let count = 0;

function channel(handle) {
  if (!channels.has(handle)) {
    channels.set(handle, { events: [], streams: new Set() });
  }

  return channels.get(handle);
}

// Returns the number of streams that get the frame.
function publish(frame) {
  const { events, streams } = channel(frame.recipient_handle);
  const id = `${run}-${++count}`;
  const text = `id: ${id}\ndata: ${JSON.stringify(frame)}\n\n`;

  events.push({ id, text });
  events.splice(0, events.length - KEPT);

  for (const stream of streams) {
    stream.write(text);

    // the reader comes back, and gets the rest then
    if (stream.writableLength > WAITING) {
      stream.destroy();
    }
  }

  return streams.size;
}

function subscribe(handle, last, answer) {
  const { events, streams } = channel(handle);

  answer.writeHead(200, {
    "Content-Type": "text/event-stream",
    "Cache-Control": "no-store",
  });
  answer.write(": open\n\n");

  // An unknown id is one of an earlier run, or too old: all that is kept.
  if (last) {
    const at = events.findIndex(({ id }) => id === last);

    events.slice(at + 1).forEach(({ text }) => answer.write(text));
  }

  streams.add(answer);
  answer.on("close", () => streams.delete(answer));
}

async function accept(request, answer) {
  const chunks = [];

  for await (const chunk of request) {
    chunks.push(chunk); // parley_limits of the gateway limits the size
  }

  const frame = JSON.parse(Buffer.concat(chunks).toString());
  const told = { frame_id: frame.frame_id, delivered: publish(frame) };

  answer.writeHead(200, { "Content-Type": "application/json" });
  answer.end(JSON.stringify(told));
}

const server = http.createServer(async (request, answer) => {
  const { pathname, searchParams } = new URL(request.url, "http://localhost");
  const [, handle] = /^\/channel\/(~[^/]+)$/.exec(pathname) ?? [];

  try {
    if (request.method === "POST" && pathname === "/channel") {
      await accept(request, answer);
    } else if (request.method === "GET" && handle) {
      subscribe(handle, request.headers["last-event-id"]
        ?? searchParams.get("last_event_id"), answer);
    } else {
      answer.writeHead(404).end();
    }
  } catch (error) {
    console.error(error);
    answer.destroy();
  }
});

setInterval(() => {
  for (const { streams } of channels.values()) {
    streams.forEach((stream) => stream.write(": alive\n\n"));
  }
}, HEARTBEAT);

server.listen(Number(process.argv[2] ?? 9001), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/channel`);
});
