"""An SMTP server that says what it is told to say and writes down every byte.

Arguments are `WHEN=REPLY`, where WHEN is GREETING, END (after the message) or a command's first word, and REPLY is sent as
it is, `\\r\\n` read as a line's end, and one added. An empty REPLY is silence, `!` ends the connection. PAUSE=SECONDS is
waited before the greeting. BACKLOG=full makes a server that accepts no connection. Prints `PORT n`, then for each
connection, when it begins and ends, a line of JSON with the bytes that came.
"""

import asyncio
import base64
import json
import signal
import socket
import sys

replies = {
    "GREETING": "220 script",
    "EHLO": "250 script",
    "MAIL": "250 ok",
    "RCPT": "250 ok",
    "DATA": "354 send the mail",
    "END": "250 taken",
    "RSET": "250 ok",
    "QUIT": "221 bye",
}
for argument in sys.argv[1:]:
    when, _, reply = argument.partition("=")
    replies[when] = reply.replace("\\r\\n", "\r\n")


async def converse(reader, writer):
    received = b""
    receiving = False

    def say(when):
        reply = replies.get(when, "500 what?")
        if reply == "!":
            writer.close()
        elif reply:
            writer.write(reply.encode() + b"\r\n")

    print(json.dumps({"event": "connected", "raw": ""}), flush=True)
    await asyncio.sleep(float(replies.get("PAUSE", 0)))
    say("GREETING")
    try:
        while line := await reader.readline():
            received += line
            if receiving:
                if line == b".\r\n":
                    receiving = False
                    say("END")
                continue
            word = line.strip().split(b" ")[0].decode("latin-1").upper()
            say(word)
            receiving = word == "DATA" and replies["DATA"].startswith("354")
            if word == "QUIT":
                break
    except ConnectionError:
        pass
    writer.close()
    print(json.dumps({"event": "ended", "raw": base64.b64encode(received).decode()}), flush=True)


def fill_backlog():
    """A listening socket that accepts nothing, with a full queue: the next connection hangs."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=0)
    port = listener.getsockname()[1]
    waiting = []
    try:
        while True:
            waiting.append(socket.create_connection(("127.0.0.1", port), 0.5))
    except TimeoutError:
        print(f"PORT {port}", flush=True)
    signal.pause()


async def main():
    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    print(f"PORT {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


if replies.get("BACKLOG") == "full":
    fill_backlog()
else:
    asyncio.run(main())
