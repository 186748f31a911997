#!/usr/bin/env python3
"""One message of each protocol to the gateway of "make run".

    python3 examples/messages/send.py aee|vcp|vcp-signed|c2a|channel|moq

Run it in the project's root.  Nothing but Python's standard library is used;
the signature, which that has not, is made by openssl.  DEMO is the directory of
the demo, GATEWAY its address.
"""

import base64
import json
import os
import secrets
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

DEMO = os.environ.get("DEMO", "build/demo")
GATEWAY = os.environ.get("GATEWAY", "https://localhost:8443")


def now():
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def uuid7():
    """The time in milliseconds, then random bits (RFC 9562)."""
    n = (time.time_ns() // 1_000_000) << 80 | secrets.randbits(80)
    n = n & ~(0xF << 76) | 7 << 76
    n = n & ~(0x3 << 62) | 2 << 62
    return str(uuid.UUID(int=n))


def aee():
    return {
        "v": "1",
        "id": uuid7(),
        "ts": now(),
        "type": "task",
        "from": "agent.ops",
        "to": "agent.backup",
        "intent": "ops.backup.audit",
        "corr": "nightly-audit",
        "priority": "normal",
        "payload": {"volumes": ["vm-1", "vm-2"]},
    }


def vcp(sender="agent://ops.example/ops"):
    return {
        "vcp_message": "1.2",
        "type": "escalation",
        "message_id": uuid7(),
        "sender": sender,
        "recipient": "agent://ops.example/backup",
        "timestamp": now(),
        "payload": {
            "severity": "warning",
            "reason": "a disk is slow",
            "context": "📍🏢|👥👔",
            "requires_ack": True,
        },
    }


def vcp_signed():
    message = vcp("agent://ops.example/worker-7")
    with open(f"{DEMO}/keys/worker-7.jwk") as file:
        key = json.load(file)
    message["signature"] = "base64:" + base64.b64encode(
        ed25519(key, canonical(message))).decode()
    return message


def c2a():
    event = uuid7()
    return {
        "jsonrpc": "2.0",
        "id": "call-1",
        "method": "chat/deliver",
        "params": {
            "eventId": event,
            "source": {"platform": "slack"},
            "conversation": {"id": "C-ops", "kind": "dm"},
            "author": {"kind": "agent", "id": "ops"},
            "target": {"recipient": "agent:backup", "directedness": "to_me"},
            "timing": {"createdAt": now()},
            "attention": {"policy": "must_respond", "priority": "normal"},
            "injection": {"mode": "buffered"},
            "reliability": {"idempotencyKey": event + ":agent:backup"},
            "content": [{"type": "text", "text": "Is the backup complete?"}],
        },
    }


def channel():
    return {
        "envelope_version": "1.0",
        "frame_id": str(uuid.uuid4()),
        "kind": "agent_query",
        "sender_handle": "~ops",
        "recipient_handle": "~cc-backup",
        "acted_by": "~ops",
        "drafted_with": "~cc-ops@1.0",
        "created_at": now(),
        "provenance_compute_location": "server-active",
        "provenance_method": ["session-context"],
        "provenance_context_check": "passed",
        "provenance_basis": "agent-channel",
        "payload": {
            "query_text": "Is the backup complete?",
            "query_id": str(uuid.uuid4()),
            "response_scope": "~ops/*",
            "timeout_ms": 30000,
        },
    }


def moq():
    return {
        "action": "backup.run",
        "session_id": secrets.token_hex(8),
        "payload": {"text": "run the nightly backup"},
    }


def canonical(value):
    """RFC 8785, of what stands in these messages: sorted, without spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"),
                      ensure_ascii=False).encode()


def ed25519(key, octets):
    """The signature of openssl with a JWK, whose secret becomes PKCS #8."""
    secret = base64.urlsafe_b64decode(key["d"] + "=")
    der = bytes.fromhex("302e020100300506032b657004220420") + secret

    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/key", "wb") as file:
            file.write(der)
        with open(f"{folder}/octets", "wb") as file:
            file.write(octets)
        return subprocess.run(
            ["openssl", "pkeyutl", "-sign", "-keyform", "DER", "-inkey",
             f"{folder}/key", "-rawin", "-in", f"{folder}/octets"],
            check=True, stdout=subprocess.PIPE).stdout


# function, path, and owner of the token
MESSAGES = {
    "aee": (aee, "/agents/desk", "ops"),
    "vcp": (vcp, "/agents/desk", "ops"),
    "vcp-signed": (vcp_signed, "/agents/backup", "worker-7"),
    "c2a": (c2a, "/agents/desk", "ops"),
    "channel": (channel, "/agents/desk", "ops"),
    "moq": (moq, "/agents/desk?recipient=backup", "ops"),
}


def send(name):
    make, path, caller = MESSAGES[name]

    with open(f"{DEMO}/tokens/{caller}.jwt") as file:
        token = file.read().strip()

    request = urllib.request.Request(
        GATEWAY + path, data=json.dumps(make()).encode(), headers={
            "Content-Type": "application/json",
            "Authorization": f"Bearer {token}",
        })

    # the demo has its own certificate; a real gateway has a trusted one
    trust = ssl.create_default_context(cafile=f"{DEMO}/tls/server.crt")

    try:
        with urllib.request.urlopen(request, context=trust) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in MESSAGES:
        sys.exit("usage: send.py " + "|".join(MESSAGES))

    status, body = send(sys.argv[1])

    try:
        print(status, body)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has closed the pipe, for example "head": print nothing
        # more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    sys.exit(0 if status < 300 else 1)
