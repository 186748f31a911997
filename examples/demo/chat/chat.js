'use strict';

// A chat surface of two people: the gateway at "host" stores their messages,
// decides about the agents that must answer, and sends the effects back.
//
// Text of others is only ever written to textContent.

const people = { will: 'Will', mia: 'Mia' };
const agents = ['agent:ada', 'agent:bo', 'agent:dot', 'agent:cleo'];
const recipients = {
    '': 'the channel (obliges no agent)',
    'agent:ada': 'ada',
    'role:backend': 'backend (ada or bo)',
    'agent:dot': 'dot (does not answer)',
};

// glyphs of this surface; the heart means no signal
const glyphs = { agree: '👍', seen: '👀', done: '✅', unclear: '❓', '': '❤️' };

const source = { platform: 'web', workspaceId: 'demo' };
const conversation = { id: 'team', kind: 'channel' };
const stream = `host?conversation=${source.platform}/${source.workspaceId}/`
               + conversation.id;

const query = new URLSearchParams(location.search);
const me = Object.hasOwn(people, query.get('as')) ? query.get('as') : 'will';
const deadlineMs = 1000 * (Number(query.get('deadline')) || 20);

// a fragment follows the one before it within this time
const TURN = 30000;

const el = (id) => document.getElementById(id);
const windows = new BroadcastChannel('parley-chat');

const messages = new Map();     // by id
const edits = new Map();        // id of an edit: id of its message
const reactions = new Map();    // id of a reaction: its message
const taken = new Set();        // ids of events

let newest = null;              // the last message
let editing = null;             // the message in the text field


// ---- requests, one after the other: the next one waits for the answer

let queue = Promise.resolve();

const call = (method, params, more = { id: crypto.randomUUID() }) =>
    queue = queue.then(() => post({ jsonrpc: '2.0', ...more, method,
                                    params: { ...params } }));

// Posts a document.  A failed request is repeated with the same ids, which has
// no second effect.
async function post(doc) {
    for (let wait = 500; ; wait *= 2) {
        try {
            const answer = await fetch('host', {
                method: 'POST',
                headers: { 'Content-Type': 'application/json' },
                body: JSON.stringify(doc),
            });
            const text = await answer.text();

            if (wait > 4000 || (answer.status !== 429 && answer.status < 500))
                return text ? JSON.parse(text) : {};

        } catch (error) {
            if (wait > 4000)
                return { error: { message: String(error) } };
        }

        await new Promise((resolve) => setTimeout(resolve, wait));
    }
}

// Delivers an event of this person.
async function deliver(params) {
    const answer = await call('chat/deliver', {
        eventId: crypto.randomUUID(), source, conversation,
        author: { id: me, kind: 'human', displayName: people[me] },
        timing: { createdAt: new Date().toISOString() }, ...params,
    });

    if (answer.error) {
        el('say').textContent = `Refused: ${answer.error.message}`;
        return false;
    }

    const must = answer.result.addressed.map((r) => short(r.to)
        + (r.policy === 'must_respond' ? ' must answer' : ' may answer'));

    el('say').textContent = 'Delivered.'
        + (must.length > 0 ? ` ${must.join(', ')}.` : '');

    return true;
}


// ---- events of the gateway

const short = (name) => name.slice(name.indexOf(':') + 1);
const named = (id) => people[id] ?? id;

// Finds a message by its id, or by the id of one of its edits.
const found = (id) => messages.get(edits.get(id) ?? id);

// Shows an event, once.
function take(event) {
    if (taken.has(event.eventId))
        return;

    taken.add(event.eventId);

    if (event.change)
        change(event);
    else if (event.reaction)
        react(event);
    else if (dataOf(event)?.progress !== undefined)
        progress(event);
    else
        add(event, event.eventId);
}

const textOf = (event) => event.content.filter((part) => part.type === 'text')
    .map((part) => part.text).join('\n');

const dataOf = (event) => event.attention?.reason === 'progress'
    ? event.content.find((part) => part.type === 'data')?.data : undefined;

function add(event, id) {
    const to = event.target?.mentions ?? [];
    const m = {
        id, author: event.author.id, agent: event.author.kind !== 'human',
        at: new Date(event.timing?.createdAt ?? Date.now()),
        to, text: textOf(event), reactions: new Map(),
        rank: 0, part: false,
    };
    const before = newest;

    const joins = before !== null && before.author === m.author
                  && m.at - before.at < TURN;

    // a piece of the same turn, if an effect shows it
    if (joins && before.rank === 0)
        m.before = before;

    const answered = found(event.target?.inReplyTo);

    if (m.agent && answered) {
        m.answers = answered.author;
        effect(answered, 4, 'answered', `answered by ${named(m.author)}`);
    }

    m.first = !joins || String(m.to) !== String(before.to)
              || m.answers !== before.answers;
    newest = m;
    messages.set(id, m);
    element(m);
    show(m);
}

function change(event) {
    const { of, kind } = event.change;
    const reacted = reactions.get(of);

    if (reacted) {
        reacted.reactions.delete(of);
        show(reacted);
        return;
    }

    let m = found(of);

    if (!m) {
        if (kind === 'edit') {
            // the list of events has the edit in place of the message
            add(event, of);
            m = messages.get(of);
        } else {
            return;
        }
    }

    edits.set(event.eventId, m.id);

    if (kind === 'delete') {
        m.deleted = true;
        m.text = '';
        m.reactions.clear();
    } else {
        m.text = textOf(event);
        m.edited = true;

        // it comes to the agents again
        m.rank = m.rank < 4 ? 0 : m.rank;
    }

    show(m);
}

// the state that a signal of an agent gives to a message
const effects = {
    seen: [1, 'seen', 'seen by'],
    queued: [2, 'claimed', 'put off by'],
    working: [2, 'claimed', 'claimed by'],
    claimed: [2, 'claimed', 'claimed by'],
    blocked: [3, 'escalated', 'blocked at'],
    declined: [3, 'escalated', 'declined by'],
    done: [4, 'answered', 'done by'],
};

function react(event) {
    const { of, signal, glyph, reason, to } = event.reaction;
    const m = found(of);
    const who = event.author;

    if (!m || m.deleted)
        return;

    if (who.kind === 'service') {
        effect(m, 3, 'escalated', to ? `${reason} to ${short(to)}` : reason);
        return;
    }

    if (who.kind === 'agent' && effects[signal]) {
        const [rank, kind, words] = effects[signal];

        effect(m, rank, kind, `${words} ${named(who.id)}`);
    }

    reactions.set(event.eventId, m);
    m.reactions.set(event.eventId, { by: who.id, signal,
                                     glyph });
    show(m);
}

// The newest progress of an agent is shown until its message is answered.
function progress(event) {
    const m = found(dataOf(event).eventId);

    if (!m)
        return;

    m.progress = `${named(event.author.id)}: ${textOf(event)}`;
    show(m);
}

function effect(m, rank, kind, words) {
    if (rank < m.rank)
        return;

    Object.assign(m, { rank, kind, words });
    show(m);

    // an effect on a turn names its newest piece, which has the state of all
    for (let p = m.before; p && p.rank === 0; p = p.before) {
        p.part = true;
        show(p);
    }
}


// ---- the list

function button(label, text, press) {
    const b = document.createElement('button');

    b.type = 'button';
    b.textContent = text;
    b.ariaLabel = b.title = label;
    b.tabIndex = 0;
    b.onclick = press;

    return b;
}

function part(parent, name, kind, text = '') {
    const e = document.createElement(name);

    e.className = kind;
    e.textContent = text;
    parent.append(e);

    return e;
}

// Makes the element of a message.
function element(m) {
    const li = document.createElement('li');
    const atEnd = el('log').scrollHeight - el('log').scrollTop
                  - el('log').clientHeight < 40;

    li.tabIndex = el('list').children.length === 0 ? 0 : -1;
    li.onfocus = () => select(li);
    li.message = m;

    const head = part(li, 'div', 'head');

    part(head, 'b', '', named(m.author));
    head.append(m.agent ? ' (agent)' : '',
                m.to.length > 0 ? ` to ${m.to.map(short).join(', ')}`
                : m.answers ? ` answers ${named(m.answers)}` : '', ' · ',
                m.at.toLocaleTimeString([], { timeStyle: 'short' }));

    m.body = part(li, 'p', 'text');
    m.foot = part(li, 'div', 'foot');

    const tools = part(li, 'div', 'tools');

    tools.role = 'group';
    tools.ariaLabel = 'Actions';
    m.glyphs = Object.entries(glyphs).map(([signal, glyph]) =>
        button(signal || 'heart', glyph, () => toggle(m, glyph)));
    tools.append(...m.glyphs);

    if (m.author === me)
        tools.append(button('Edit', 'Edit', () => edit(m)),
                     button('Delete', 'Delete', () => remove(m)));

    m.li = li;
    m.tools = tools;
    el('list').append(li);
    el('empty').hidden = true;

    if (atEnd || m.author === me)
        requestAnimationFrame(() => el('log').scrollTo(0, el('log').scrollHeight));
}

// Writes what may have changed.
function show(m) {
    if (!m.li)
        return;

    m.li.classList.toggle('mine', m.author === me);
    m.li.classList.toggle('first', m.first);
    m.body.textContent = m.deleted ? 'deleted' : m.text;
    m.body.classList.toggle('deleted', Boolean(m.deleted));
    m.body.classList.toggle('edited', Boolean(m.edited && !m.deleted));
    m.foot.replaceChildren();

    if (m.deleted) {
        m.tools.remove();
        return;
    }

    if (m.rank > 0)
        part(m.foot, 'span', `state ${m.kind}`, m.words);
    else if (m.to.length > 0 && !m.part)
        part(m.foot, 'span', 'state waiting',
             `waiting for ${m.to.map(short).join(', ')}`);

    if (m.progress && m.rank < 4)
        part(m.foot, 'span', 'state claimed', m.progress);

    for (const r of m.reactions.values())
        part(m.foot, 'span', 'glyph',
             `${r.glyph} ${named(r.by)}${r.signal ? `: ${r.signal}` : ''}`);

    for (const b of m.glyphs)
        b.ariaPressed = Boolean(mine(m, b.textContent));
}

const mine = (m, glyph) => [...m.reactions].find(([, r]) =>
    r.by === me && r.glyph === glyph)?.[0];

// Selects a message: it alone can be reached by Tab.
function select(li) {
    for (const other of el('list').children)
        other.tabIndex = other === li ? 0 : -1;
}

el('list').onkeydown = (e) => {
    const li = e.target.closest('#list > li');
    const m = li.message;
    const all = el('list').children;
    const at = [...all].indexOf(li);
    const go = { ArrowUp: all[at - 1], ArrowDown: all[at + 1], Home: all[0],
                 End: all[all.length - 1] }[e.key];

    if (e.ctrlKey || e.altKey || e.metaKey)
        return;

    if (e.key === 'Escape') {
        el('text').focus();
    } else if (go) {
        go.focus();
    } else if (e.target !== li || m.deleted) {
        return;
    } else if (m.glyphs[e.key - 1]) {
        m.glyphs[e.key - 1].click();
    } else if (e.key.toLowerCase() === 'e' && m.author === me) {
        edit(m);
    } else if (e.key === 'Delete' && m.author === me) {
        remove(m);
    } else {
        return;
    }

    e.preventDefault();
};


// ---- acts of this person

function toggle(m, glyph) {
    const old = mine(m, glyph);

    return deliver(old ? { change: { of: old, kind: 'delete' } }
                       : { reaction: { of: m.id, glyph } });
}

function remove(m) {
    m.li.focus();

    return deliver({ change: { of: m.id, kind: 'delete' } });
}

function edit(m) {
    editing = m;
    el('form').classList.toggle('editing', m !== null);
    el('mode').textContent = m ? 'Edit' : 'To';
    el('to').disabled = m !== null;
    el('text').value = m?.text ?? '';
    el('text').focus();
}

async function send() {
    const text = el('text').value.trim();
    const to = el('to').value;
    const content = [{ type: 'text', text }];

    if (!text)
        return;

    // an edit is addressed as its message is
    const mentions = editing ? editing.to : [to].filter(Boolean);
    const sent = {
        content,
        ...(editing && { change: { of: editing.id, kind: 'edit' } }),
        ...(mentions.length > 0 && { target: { mentions },
                                     attention: { deadlineMs } }),
    };

    edit(null);

    const accepted = deliver(sent);

    typing(false);

    if (!await accepted && !el('text').value)
        el('text').value = text;
}

el('form').onsubmit = (e) => {
    e.preventDefault();
    send();
};

el('text').onkeydown = (e) => {
    if (e.isComposing)
        return;

    if (e.key === 'Enter' && !e.shiftKey) {
        send();
    } else if (e.key === 'Escape' && editing) {
        edit(null);
        typing(false);
    } else if (e.key === 'ArrowUp' && !e.target.value) {
        const last = [...messages.values()].reverse()
            .find((m) => m.author === me && !m.deleted);

        if (!last)
            return;

        edit(last);
    } else {
        return;
    }

    e.preventDefault();
};


// ---- typing

let typed = 0;                  // time of the last notification; 0: stopped
let idle;

function typing(active) {
    clearTimeout(idle);

    if (active) {
        idle = setTimeout(typing, 4000, false);

        if (Date.now() - typed < 5000)
            return;

    } else if (typed === 0) {
        return;
    }

    typed = active ? Date.now() : 0;
    windows.postMessage({ author: me, active });
    call('notifications/typing',
         { source, conversation, author: { id: me }, active }, {});
}

el('text').oninput = () => typing(el('text').value !== '');

let others;

windows.onmessage = ({ data }) => {
    clearTimeout(others);
    el('typing').textContent = data.active && data.author !== me
        ? `${named(data.author)} is typing …` : '';
    others = setTimeout(() => { el('typing').textContent = ''; }, 10000);
};


// ---- streams

// Opens a stream, and opens it again if the gateway refused it.
function listen(url, handlers) {
    const events = Object.assign(new EventSource(url), handlers);

    events.onerror = () => {
        el('say').textContent = 'The connection is lost. The page tries again.';

        if (events.readyState === EventSource.CLOSED)
            setTimeout(listen, 3000, url, handlers);
    };
}

// Each window reads the conversation.  When the stream is open, the page names
// its glyphs and members, which the gateway may have lost, and reads the events
// before by a tool.
function read() {
    let early;

    listen(stream, {
        async onopen() {
            early = [];
            call('initialize', hello);
            call('chat/members', members);

            const answer = await call('tools/call', { name: 'chat_list_events',
                arguments: { conversation: { ...conversation, source },
                             limit: 100 } });

            (answer.result?.structuredContent.events ?? [])
                .forEach(({ event }) => take(event));
            early.forEach(take);
            early = null;
            el('say').textContent = answer.result?.isError
                ? `Refused: ${answer.result.structuredContent.message}`
                : 'Connected.';
        },
        onmessage({ data }) {
            const { params } = JSON.parse(data);

            early ? early.push(params) : take(params);
        },
    });
}

// The mailbox has one stream, so one window of the browser reads it.  It shows
// each message before it acknowledges it.
function readMailbox() {
    listen('host', { onmessage({ data }) {
        const { id, params } = JSON.parse(data);

        if (id === undefined)
            return;

        const here = params.conversation.id === conversation.id;

        if (here)
            take(params);

        post({ jsonrpc: '2.0', id, ...(here
            ? { result: { accepted: true } }
            : { error: { code: -32602,
                         message: 'this page has another conversation' } }) });
    } });

    return new Promise(() => {});
}

const hello = {
    protocolVersion: '2026-06-02', clientInfo: { name: 'web', version: '1' },
    capabilities: { glyphs: Object.fromEntries(Object.entries(glyphs)
        .filter(([signal]) => signal)) },
};
const members = { source, conversation, remove: [],
                  add: [...agents, ...Object.keys(people).map((name) =>
                      `${source.platform}/${source.workspaceId}/${name}`)] };
const other = Object.keys(people).find((name) => name !== me);

document.title = `Chat: ${people[me]}`;
el('me').textContent = people[me];
el('other').textContent = `Open ${people[other]}'s window`;
el('other').href = `?as=${other}`;
el('to').append(...Object.entries(recipients)
    .map(([name, text]) => new Option(text, name)));

read();
navigator.locks.request('parley-mailbox', readMailbox);
