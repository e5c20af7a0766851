"""Runs a command on Linux with one more authority in the system's store, in a namespace of its own: trusting.py FILE COMMAND...

Prints what the command prints; a status other than 0 and 1 is a failure.
"""

import pathlib
import subprocess
import sys
import tempfile

STORE = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")

with tempfile.NamedTemporaryFile() as store:
    store.write(STORE.read_bytes() + pathlib.Path(sys.argv[1]).read_bytes())
    store.flush()
    mounting = f'mount --bind "$0" {STORE} || exit 9; exec "$@"'
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", mounting, store.name, *sys.argv[2:]]
    status = subprocess.run(command, stdin=subprocess.DEVNULL).returncode
sys.exit(0 if status in (0, 1) else status)
