"""The library between a server and the C library: see shim.c."""

import mmap
import platform
import struct
import subprocess

from world import ROOT, Broken


def shim():
    """Builds the shim; returns its path."""
    if platform.system() != "Linux":
        raise Broken("this proof needs Linux: it stands between a program and its C library")
    folder = ROOT / ".build/prove"
    folder.mkdir(parents=True, exist_ok=True)
    source, library = ROOT / "Tests/Proofs/shim.c", folder / "shim.so"
    if not library.exists() or library.stat().st_mtime < source.stat().st_mtime:
        command = ["cc", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC", "-o", library, source, "-ldl"]
        subprocess.run(command, check=True)
    return str(library)


class WallClock:
    """A clock that the shim shows to a server."""

    def __init__(self, folder):
        self.path = folder / "clock"
        self.path.write_bytes(bytes(4096))
        with self.path.open("r+b") as file:
            self.map = mmap.mmap(file.fileno(), 4096)

    def set(self, seconds):
        self.map[:8] = struct.pack("q", int(seconds * 1e9))

    @property
    def environment(self):
        return {"LD_PRELOAD": shim(), "PROVE_CLOCK": str(self.path)}
