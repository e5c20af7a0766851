"""A real SMTP server (aiosmtpd) on a free loopback port.

Prints `PORT n` once it listens, then a line of JSON for each mail that it took.
"""

import argparse
import asyncio
import base64
import json
import ssl

from aiosmtpd.smtp import SMTP, AuthResult

parser = argparse.ArgumentParser()
parser.add_argument("--security", choices=["none", "starttls", "tls"], default="none")
parser.add_argument("--certificate")
parser.add_argument("--key")
parser.add_argument("--user")
parser.add_argument("--password")
options = parser.parse_args()


class Handler:
    async def handle_DATA(self, server, session, envelope):
        mail = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "content": base64.b64encode(envelope.original_content).decode(),
            "isEncrypted": session.ssl is not None or options.security == "tls",
            "isAuthenticated": bool(session.authenticated),
            "helo": session.host_name,
            "peer": session.peer[1],
        }
        print(json.dumps(mail), flush=True)
        return "250 taken"


def authenticate(server, session, envelope, mechanism, data):
    expected = (options.user.encode(), options.password.encode())
    return AuthResult(success=(data.login, data.password) == expected, handled=False)


async def main():
    tls = None
    if options.security != "none":
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(options.certificate, options.key)
    starts_tls = options.security == "starttls"

    def session():
        return SMTP(
            Handler(),
            hostname="localhost",
            ident="sink",
            tls_context=tls if starts_tls else None,
            require_starttls=starts_tls,
            authenticator=authenticate if options.user else None,
            auth_required=options.user is not None,
            auth_require_tls=starts_tls,
            loop=asyncio.get_running_loop(),
        )

    server = await asyncio.get_running_loop().create_server(
        session, "127.0.0.1", 0, ssl=tls if options.security == "tls" else None
    )
    print(f"PORT {server.sockets[0].getsockname()[1]}", flush=True)
    await server.serve_forever()


asyncio.run(main())
