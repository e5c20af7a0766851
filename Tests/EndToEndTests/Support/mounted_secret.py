"""Mounts the master key of a data folder as Kubernetes mounts a secret, and lists the signing keys with it:
`mounted_secret.py ro|rw DATA NATIVE-AUTH`. Prints the exit code, and what the program says. The mount ends with the command."""

import subprocess
import sys

SCRIPT = """
set -e
mount -t tmpfs -o mode=1777 tmpfs "$2.secret"
mkdir "$2.secret/..2026"
cp "$2/master.key" "$2.secret/..2026/master.key"
chmod 0444 "$2.secret/..2026/master.key"
ln -s ..2026 "$2.secret/..data"
ln -s ..data/master.key "$2.secret/master.key"
mount -o "remount,$1" "$2.secret"
exec "$3" key list --data "$2" --master-key-file "$2.secret/master.key"
"""

access, data, program = sys.argv[1:]
subprocess.run(["mkdir", f"{data}.secret"], check=True)
run = subprocess.run(
    ["unshare", "--map-root-user", "--mount", "sh", "-c", SCRIPT, "sh", access, data, program], capture_output=True, text=True)
print(run.returncode)
print(run.stdout, run.stderr)
