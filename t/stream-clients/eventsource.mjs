// EventSource of npm's package "eventsource", used like in an application.  It
// reconnects by itself, with the last id.
//
//     node eventsource.mjs URL AUTHORIZATION
//
// Prints the events as a stream of events.

import { EventSource } from 'eventsource';

const [url, authorization] = process.argv.slice(2);

const source = new EventSource(url, {
    fetch: (input, init) => fetch(input, {
        ...init,
        headers: { ...init.headers, Authorization: authorization },
    }),
});

source.onopen = () => process.stdout.write(': open\n\n');

source.onerror = (e) => {
    const why = `${e.code ?? ''} ${e.message ?? ''}`.replace(/\s+/g, ' ');

    process.stdout.write(`: error ${why}\n\n`);
};

for (const type of ['message', 'gap']) {
    source.addEventListener(type, (e) => process.stdout.write(
        `id: ${e.lastEventId}\nevent: ${e.type}\ndata: ${e.data}\n\n`));
}
