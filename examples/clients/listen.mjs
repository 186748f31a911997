#!/usr/bin/env node
// Listens to an event stream behind the gateway, and prints each message, one a
// line.
//
//     node examples/clients/listen.mjs URL TOKEN-FILE
//
// With the gateway of "make run", in the project's root:
//
//     NODE_EXTRA_CA_CERTS=build/demo/tls/server.crt node \
//         examples/clients/listen.mjs \
//         https://localhost:8443/channel/stream/~watch build/demo/tokens/watch.jwt
//
// A stream ends with a reload of the gateway, a fault of the network, or its
// token.  The listener then opens it again, with the id of the last event, and
// misses nothing.  It reads the token file each time: the program that gets
// tokens renews the file.  It uses only Node's standard library.

import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

const IDLE = 60_000; // ms without an octet; the gateway sends heartbeats
const WAIT_MAX = 30_000; // ms between two attempts
const LINE_MAX = 1 << 24;

const [url, tokenFile] = process.argv.slice(2);

if (process.argv.length !== 4) {
  console.error("usage: listen.mjs URL TOKEN-FILE");
  process.exit(2);
}

let last; // id of the last complete event
let retry = 1000; // ms, from the stream
let wait = retry;

// Yields the lines of a response.
async function* lines(body, seen) {
  let text = "";

  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    seen();
    text += chunk;

    // CR, LF or CR LF; a CR at the end may be half of a line end
    const complete = text.split(/\r\n|\n|\r(?!$)/);

    text = complete.pop();

    if (text.length > LINE_MAX) {
      throw new Error("a line is too long");
    }

    yield* complete;
  }
}

// Yields the complete events: { type, data }.
async function* events(body, seen) {
  let event = { type: "message", data: [] };
  let id = last;

  for await (const line of lines(body, seen)) {
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line);

    if (line === "") {
      if (event.data.length > 0) {
        yield { type: event.type, data: event.data.join("\n") };
      }

      last = id;
      event = { type: "message", data: [] };
    } else if (field === "data") {
      event.data.push(value);
    } else if (field === "event") {
      event.type = value;
    } else if (field === "id") {
      id = value;
    } else if (field === "retry" && /^\d+$/.test(value)) {
      retry = Number(value);
    }
  }
}

async function listen() {
  const token = (await readFile(tokenFile, "utf8")).trim();
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(new Error("no heartbeat")), IDLE);

  try {
    const answer = await fetch(url, {
      headers: {
        Accept: "text/event-stream",
        Authorization: `Bearer ${token}`,
        ...(last && { "Last-Event-ID": last }),
      },
      redirect: "error", // the token is for this host only
      signal: stop.signal,
    });

    if (answer.status !== 200) {
      const error = new Error(`${answer.status} ${await answer.text()}`);

      // another attempt gives another answer only to these
      error.final = answer.status < 500
        && ![401, 408, 425, 429].includes(answer.status);
      throw error;
    }

    console.error("open");
    wait = retry;

    for await (const { type, data } of events(answer.body,
      () => timer.refresh())) {
      if (type === "message") {
        console.log(data);
      } else {
        console.error(`${type} ${data}`); // ready, gap, error
      }
    }
  } finally {
    clearTimeout(timer);
    stop.abort();
  }
}

for (;;) {
  try {
    await listen();
    wait = retry;
  } catch (error) {
    console.error(`${error.cause?.message ?? error.message}`);

    if (error.final) {
      process.exit(1);
    }

    wait = Math.min(2 * wait, WAIT_MAX);
  }

  await sleep(wait * (0.5 + Math.random() / 2));
}
