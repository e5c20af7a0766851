"""The image of the server, made by scripts/make-image and run by buildah without a container engine: in a chroot, as the image's user,
with a root that cannot be written to, in the network of this machine."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

from world import ROOT, Broken

PROGRAM = "/usr/local/bin/native-auth"
# The root of the container is a read-only mount, of this process and its children alone. In /run, which is root's alone to change, buildah
# makes a file and removes it at the end.
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && mount -t tmpfs -o mode=755,size=1m tmpfs "$0/run" && exec "$@"'


def output(*command):
    run = subprocess.run([*map(str, command)], capture_output=True, text=True)
    if run.returncode:
        raise Broken(f"{command[0]} ended with {run.returncode}: {(run.stderr or run.stdout)[-1000:]}")
    return run.stdout


def make(binary, file, *options):
    """Makes an image; returns what scripts/make-image printed, by the first word of each line."""
    lines = output(ROOT / "scripts/make-image", "--binary", binary, "--output", file, *options).splitlines()
    return dict(line.split(" ", 1) for line in lines)


class Images:
    """A store of images and containers of its own."""

    def __init__(self, folder):
        if not shutil.which("buildah"):
            raise Broken("buildah is not installed; run scripts/setup container")
        if os.geteuid() != 0:
            raise Broken("containers are run as root here; their process is not")
        folder = pathlib.Path(folder)
        self.buildah = ["buildah", "--root", folder / "root", "--runroot", folder / "run", "--storage-driver", "vfs"]
        self.buildah = [*map(str, self.buildah)]

    def load(self, file):
        """The id of the image in an archive."""
        return output(*self.buildah, "pull", "--quiet", f"oci-archive:{file}").strip()

    def settings(self, image):
        """The image's configuration: user, entry point and so on."""
        return json.loads(output(*self.buildah, "inspect", "--type", "image", image))["OCIv1"]["config"]

    def unpack(self, image):
        """A container's name and root, as the image has it."""
        name = output(*self.buildah, "from", "--pull=never", image).strip()
        return name, pathlib.Path(output(*self.buildah, "mount", name).strip())


class Container:
    """An unpacked image, and the command that runs a program in it.

        `volumes` are pairs of a path here and a path in the container."""

    def __init__(self, images, image, volumes=()):
        self.images, self.settings = images, images.settings(image)
        self.volumes = [option for here, there in volumes for option in ("--volume", f"{here}:{there}")]
        self.name, self.root = images.unpack(image)
        # Of a volume of the image and one of ours in the same place, buildah puts now the one and now the other on top.
        for there in {there for _, there in volumes} & self.settings["Volumes"].keys():
            output(*images.buildah, "config", "--volume", f"{there}-", self.name)
        # A run with a writable root makes the places for mounts, as an engine does before it makes a root read-only.
        self.run = [*images.buildah, "run", "--isolation", "chroot"]
        output(*self.run, *self.volumes, self.name, "--", PROGRAM, "--version")

    def command(self, *arguments, environment=None):
        """The entry point, with the image's command unless there are arguments."""
        variables = [option for name, value in (environment or {}).items() for option in ("--env", f"{name}={value}")]
        program = self.settings["Entrypoint"] + list(map(str, arguments or self.settings["Cmd"]))
        return ["unshare", "--mount", "sh", "-c", READ_ONLY, str(self.root), *self.run, *variables, *self.volumes, self.name, "--", *program]

    def remove(self):
        output(*self.images.buildah, "rm", self.name)


def program_below(process):
    """The id of the server's process: a child of the child of buildah."""
    waiting = [process.pid]
    while waiting:
        number = waiting.pop()
        try:
            if os.readlink(f"/proc/{number}/exe").endswith(PROGRAM):
                return number
            for task in pathlib.Path(f"/proc/{number}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except OSError:
            pass
    return None


def stop(process, seconds=60):
    """Asks the server in a container to end, as an engine does; returns its exit code. buildah passes on no signal."""
    number = program_below(process)
    if number is None:
        raise Broken(f"the container has no server, buildah's exit code is {process.poll()}")
    os.kill(number, signal.SIGTERM)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        os.kill(number, signal.SIGKILL)
        process.wait()
        return -9


def kill(process):
    """Ends a container whatever it does: for the end of a check that failed."""
    number = program_below(process)
    if number is not None:
        os.kill(number, signal.SIGKILL)
    deadline = time.monotonic() + 5
    while process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.05)
    process.kill()
