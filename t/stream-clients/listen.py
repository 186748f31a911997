# A client of a stream of events that uses only the standard library.
#
#     python3 listen.py URL AUTHORIZATION CERTIFICATE
#
# Prints the events as a stream of events.  Reconnects after an end, with the
# id of the last complete event.

import http.client
import ssl
import sys
import time
import urllib.request

url, authorization, certificate = sys.argv[1:]

opener = urllib.request.build_opener(
    urllib.request.ProxyHandler({}),
    urllib.request.HTTPSHandler(
        context=ssl.create_default_context(cafile=certificate)))

last = None
wait = 1.0


def listen():
    global last, wait

    headers = {'Authorization': authorization, 'Accept': 'text/event-stream'}

    if last is not None:
        headers['Last-Event-ID'] = last

    with opener.open(urllib.request.Request(url, headers=headers)) as answer:
        print(': open\n', flush=True)

        block = []

        for line in answer:
            line = line.decode().rstrip('\r\n')

            if line:
                block.append(line)
                continue

            for name, _, value in (field.partition(': ') for field in block):
                if name == 'id':
                    last = value

                elif name == 'retry':
                    wait = int(value) / 1000

            print('\n'.join(block) + '\n', flush=True)
            block = []


while True:
    try:
        listen()

    except (OSError, http.client.HTTPException) as error:
        print(': error', repr(error), end='\n\n', flush=True)

    time.sleep(wait)
