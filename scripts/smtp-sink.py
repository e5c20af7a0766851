#!/usr/bin/env python3
"""A real SMTP server (aiosmtpd) on loopback that writes each mail it takes into a folder, as a file of its own.

Usage: smtp-sink.py FOLDER [PORT [--until-input-ends]]. Prints `PORT n` once it listens; port 0, the default, takes any free
one. With the flag it ends when standard input does.
"""

import asyncio
import os
import sys

if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
    sys.exit(print(__doc__.strip()) if len(sys.argv) == 2 else __doc__.strip())

from aiosmtpd.smtp import SMTP

folder = sys.argv[1]
port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
count = 0


class Handler:
    async def handle_DATA(self, server, session, envelope):
        global count
        count += 1
        name = os.path.join(folder, f"{count:06}.eml")
        # A reader sees only complete mails.
        with open(name + ".part", "wb") as file:
            file.write(envelope.original_content)
        os.rename(name + ".part", name)
        return "250 taken"


async def main():
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(Handler(), hostname="localhost", ident="sink", loop=loop), "127.0.0.1", port
    )
    print(f"PORT {server.sockets[0].getsockname()[1]}", flush=True)
    if "--until-input-ends" in sys.argv:
        await loop.run_in_executor(None, sys.stdin.read)
    else:
        await server.serve_forever()


asyncio.run(main())
