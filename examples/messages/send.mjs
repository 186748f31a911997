#!/usr/bin/env node
// Sends one message of a protocol to the gateway of "make run".
//
//     node examples/messages/send.mjs aee|vcp|vcp-signed|c2a|channel|moq
//
// Run it in the project's root.  It uses only Node's standard library.  DEMO is
// the folder of the demo, GATEWAY its address.

import { createPrivateKey, randomBytes, randomUUID, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import https from "node:https";

const demo = process.env.DEMO ?? "build/demo";
const gateway = process.env.GATEWAY ?? "https://localhost:8443";

const now = () => new Date().toISOString().replace(/\.\d+Z$/, "Z");

// time in milliseconds, then random bits (RFC 9562)
function uuid7() {
  const octets = randomBytes(16);

  octets.writeUIntBE(Date.now(), 0, 6);
  octets[6] = (octets[6] & 0x0f) | 0x70;
  octets[8] = (octets[8] & 0x3f) | 0x80;

  return octets.toString("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function aee() {
  return {
    v: "1",
    id: uuid7(),
    ts: now(),
    type: "task",
    from: "agent.ops",
    to: "agent.backup",
    intent: "ops.backup.audit",
    corr: "nightly-audit",
    priority: "normal",
    payload: { volumes: ["vm-1", "vm-2"] },
  };
}

function vcp(sender = "agent://ops.example/ops") {
  return {
    vcp_message: "1.2",
    type: "escalation",
    message_id: uuid7(),
    sender,
    recipient: "agent://ops.example/backup",
    timestamp: now(),
    payload: {
      severity: "warning",
      reason: "a disk is slow",
      context: "📍🏢|👥👔",
      requires_ack: true,
    },
  };
}

function vcpSigned() {
  const message = vcp("agent://ops.example/worker-7");
  const key = createPrivateKey({
    key: JSON.parse(readFileSync(`${demo}/keys/worker-7.jwk`)),
    format: "jwk",
  });

  const signature = sign(null, Buffer.from(canonical(message)), key);
  message.signature = "base64:" + signature.toString("base64");

  return message;
}

function c2a() {
  const event = uuid7();

  return {
    jsonrpc: "2.0",
    id: "call-1",
    method: "chat/deliver",
    params: {
      eventId: event,
      source: { platform: "slack" },
      conversation: { id: "C-ops", kind: "dm" },
      author: { kind: "agent", id: "ops" },
      target: { recipient: "agent:backup", directedness: "to_me" },
      timing: { createdAt: now() },
      attention: { policy: "must_respond", priority: "normal" },
      injection: { mode: "buffered" },
      reliability: { idempotencyKey: `${event}:agent:backup` },
      content: [{ type: "text", text: "Is the backup complete?" }],
    },
  };
}

function channel() {
  return {
    envelope_version: "1.0",
    frame_id: randomUUID(),
    kind: "agent_query",
    sender_handle: "~ops",
    recipient_handle: "~cc-backup",
    acted_by: "~ops",
    drafted_with: "~cc-ops@1.0",
    created_at: now(),
    provenance_compute_location: "server-active",
    provenance_method: ["session-context"],
    provenance_context_check: "passed",
    provenance_basis: "agent-channel",
    payload: {
      query_text: "Is the backup complete?",
      query_id: randomUUID(),
      response_scope: "~ops/*",
      timeout_ms: 30000,
    },
  };
}

function moq() {
  return {
    action: "backup.run",
    session_id: randomBytes(8).toString("hex"),
    payload: { text: "run the nightly backup" },
  };
}

// RFC 8785 for the values in these messages: sorted members, no spaces
function canonical(value) {
  if (Array.isArray(value)) {
    return `[${value.map(canonical).join(",")}]`;
  }

  if (value === null || typeof value !== "object") {
    return JSON.stringify(value);
  }

  const members = Object.keys(value).sort()
    .map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`);

  return `{${members.join(",")}}`;
}

// function, path, and owner of the token
const messages = {
  "aee": [aee, "/agents/desk", "ops"],
  "vcp": [vcp, "/agents/desk", "ops"],
  "vcp-signed": [vcpSigned, "/agents/backup", "worker-7"],
  "c2a": [c2a, "/agents/desk", "ops"],
  "channel": [channel, "/agents/desk", "ops"],
  "moq": [moq, "/agents/desk?recipient=backup", "ops"],
};

function send(name) {
  const [make, path, caller] = messages[name];
  const token = readFileSync(`${demo}/tokens/${caller}.jwt`, "utf8").trim();

  return new Promise((resolve, reject) => {
    const request = https.request(gateway + path, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "Authorization": `Bearer ${token}`,
      },
      // the demo has its own certificate; a real gateway has a trusted one
      ca: readFileSync(`${demo}/tls/server.crt`),
    }, (answer) => {
      let body = "";

      answer.setEncoding("utf8");
      answer.on("data", (text) => { body += text; });
      answer.on("end", () => resolve([answer.statusCode, body]));
      answer.on("error", reject);
    });

    request.on("error", reject);
    request.end(JSON.stringify(make()));
  });
}

const name = process.argv[2];

if (process.argv.length !== 3 || !Object.hasOwn(messages, name)) {
  console.error(`usage: send.mjs ${Object.keys(messages).join("|")}`);
  process.exit(2);
}

const [status, body] = await send(name);

console.log(status, body);
process.exitCode = status < 300 ? 0 : 1;
