"""A container as Docker gives it by default, made from this machine without Docker.

Its root is a copy of this machine's, in which the project is hidden and all that is written lies in memory.
It has processes, mounts, devices and shared memory of its own. Root in it has the capabilities that Docker
leaves to root, and a filter refuses the system calls that Docker's does, above all those for namespaces.
Network, resolver and settings of pip and apt are this machine's, so that packages can be installed. It takes
a tenth of a second to make, and needs root::

    with Container(tmp_path) as container:  # what is in `container.root` is what a process in it finds in /
        done = container.run("apt-get", "update", environment=install_settings())
        assert done.returncode == 0, done.stderr

Tests call ``require_containers`` first: it skips them where no container can be made, and fails them where CI
says that one can.
"""

import contextlib
import ctypes
import functools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]
CAPABILITIES = {  # by number, those of a container of Docker's
    *(0, 1, 3, 4, 5, 6, 7, 8),  # chown, dac_override, fowner, fsetid, kill, setgid, setuid, setpcap
    *(10, 13, 18, 27, 29, 31),  # net_bind_service, net_raw, sys_chroot, mknod, audit_write, setfcap
}
DROP_FROM_BOUNDING_SET, EINVAL = 24, 22
REFUSED = (
    *("mount", "umount2", "pivot_root", "move_mount", "open_tree", "fsopen", "fsmount", "mount_setattr"),
    *("unshare", "setns", "keyctl", "add_key", "request_key", "bpf", "perf_event_open", "userfaultfd"),
    *("open_by_handle_at", "io_uring_setup", "kexec_load", "init_module", "finit_module", "quotactl", "acct"),
    *("swapon", "swapoff", "reboot", "settimeofday", "clock_settime", "syslog", "lookup_dcookie"),
)
OF_SYS_ADMIN = (  # those of them that Docker's filter lets through once that capability is added
    *("mount", "umount2", "move_mount", "open_tree", "fsopen", "fsmount", "mount_setattr"),
    *("unshare", "setns", "bpf", "perf_event_open", "quotactl", "syslog", "lookup_dcookie"),
)
ADDED = {"--cap-add NET_ADMIN": 12, "--cap-add SYS_ADMIN": 21}
LANDLOCK = ("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self")
NEW_NAMESPACES = (1 << 17, *(1 << bit for bit in range(25, 31)))  # mounts, and the others
NAMESPACES = ("--mount", "--pid", "--ipc", "--uts")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
ENVIRONMENT = {"PATH": PATH, "HOME": "/root", "HOSTNAME": "container"}
MAKE = """
set -eu
base=$1 root=$1/root; shift
mount -t tmpfs -o mode=755,size=4g none "$base"
mkdir "$base/upper" "$base/work" "$root"
mount -t overlay -o "lowerdir=/,upperdir=$base/upper,workdir=$base/work" none "$root"
for fresh in tmp run var/tmp; do
  mkdir -p -m 1777 "$base/$fresh"
  mount --bind "$base/$fresh" "$root/$fresh"
done
for hidden in "$@"; do mount -t tmpfs -o mode=755,ro none "$root$hidden"; done
mount -t proc none "$root/proc"
mount --bind "$root/proc/sys" "$root/proc/sys"
mount -o remount,bind,ro "$root/proc/sys"
for masked in kcore keys timer_list; do
  if [ -e "$root/proc/$masked" ]; then mount --bind /dev/null "$root/proc/$masked"; fi
done
mount -t sysfs -o ro none "$root/sys"
mount -t tmpfs -o mode=755 none "$root/dev"
for device in null zero full random urandom tty; do
  touch "$root/dev/$device"
  mount --bind "/dev/$device" "$root/dev/$device"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666 none "$root/dev/pts"
mount -t tmpfs -o mode=1777,nosuid,nodev,noexec,size=64m none "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
echo made
exec sleep infinity
"""


class Container(AbstractContextManager["Container"]):
    """A container that lives until it is closed, and with it all that was started in it.

    Args:
        base: an empty folder of this machine, where it is mounted for its own processes alone.
        hidden: folders of this machine that are empty in it.
    """

    def __init__(self, base: Path, hidden: Sequence[Path] = (PROJECT,)) -> None:
        base.mkdir(exist_ok=True)
        words = ["setpriv", "--pdeathsig=KILL", "unshare", "--fork", "--kill-child", *NAMESPACES]
        self._first = subprocess.Popen(
            [*words, "bash", "-c", MAKE, "make", str(base), *map(str, hidden)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if self._first.stdout.readline() != "made\n":
            raise OSError(f"no container can be made here: {self._first.communicate()[1]}")
        children = Path(f"/proc/{self._first.pid}/task/{self._first.pid}/children").read_text("ascii")
        self._inside = f"{base.resolve()}/root"
        self._pid = int(children)
        self.root = Path(f"/proc/{self._pid}/root{self._inside}")

    def run(
        self,
        *words: str,
        environment: Mapping[str, str] = ENVIRONMENT,
        folder: str = "/",
        refused: Iterable[str] = (),
        options: str = "",
        timeout: float = 600,
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in it.

        ``refused`` names further system calls that its filter refuses. ``options`` are Docker's that loosen
        it: known are those in ``ADDED``, and ``--security-opt seccomp=unconfined``.
        """
        enter = ["nsenter", f"--target={self._pid}", *NAMESPACES]
        enter += [sys.executable, "-P", __file__, self._inside]
        enter += [folder, ",".join((*REFUSED, *refused)), options]
        return subprocess.run(
            [*enter, *words],
            env=dict(environment),
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )

    def running(self) -> list[str]:
        """Return the commands that still run in it, after waiting a while for those about to end.

        Zombies do not count: as in many containers, nobody waits for processes whose parent is gone.
        """
        for _ in range(100):
            ids = []
            for process in (self.root / "proc").glob("[0-9]*"):
                with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
                    if process.name != "1" and "\nState:\tZ" not in (process / "status").read_text("utf-8"):
                        ids.append((process / "cmdline").read_text("utf-8").replace("\0", " "))
            if not ids:
                break
            time.sleep(0.1)
        return ids

    def __exit__(self, *exc_info: object) -> None:
        self._first.kill()
        self._first.communicate()


def install_settings() -> dict[str, str]:
    """Return the environment for installing packages in a container: with this machine's settings of pip."""
    names = (name for name in os.environ if name.startswith("PIP_") or name.lower().endswith("_proxy"))
    return {**ENVIRONMENT, **{name: os.environ[name] for name in names}}


@functools.cache
def trouble_with_containers() -> str:
    """Say why no container can be made here, or nothing."""
    if sys.platform != "linux" or os.geteuid():
        return "only root can make containers, and on Linux: run as root"
    try:
        with tempfile.TemporaryDirectory() as base, Container(Path(base)):
            return ""
    except OSError as error:
        return str(error)


def require_containers() -> None:
    """Skip the test where no container can be made, and fail it where it is known that one can."""
    trouble = trouble_with_containers()
    if trouble:
        from missing import skip_or_fail  # this file also runs by itself, inside a container

        skip_or_fail(trouble)


def _enter(root: str, folder: str, refused: str, options: str, *words: str) -> None:
    """Become the command: root of a container, in the folder that is its root."""
    added = {number for option, number in ADDED.items() if option in options}
    rules = _filter(refused.split(","), ADDED["--cap-add SYS_ADMIN"] in added)
    os.chroot(root)
    os.chdir(folder)
    os.setgroups([])
    if "seccomp=unconfined" not in options:
        rules.load()
    libc = ctypes.CDLL(None, use_errno=True)
    for number in set(range(64)) - CAPABILITIES - added:
        if libc.prctl(DROP_FROM_BOUNDING_SET, number, 0, 0, 0) and ctypes.get_errno() != EINVAL:
            raise OSError(ctypes.get_errno(), f"capability {number} stays")
    os.umask(0o022)
    os.execvp(words[0], words)


def _filter(refused: Iterable[str], may_mount: bool) -> Any:
    """Docker's filter of system calls, for root who may mount and make namespaces or, by default, may not."""
    import pyseccomp

    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    rules.set_attr(pyseccomp.Attr.CTL_NNP, 0)  # Docker leaves it unset, so that sudo works
    for name in set(refused) - set(OF_SYS_ADMIN if may_mount else ()):
        rules.add_rule(pyseccomp.ERRNO(1), name)
    if not may_mount:
        for flag in NEW_NAMESPACES:
            rules.add_rule(pyseccomp.ERRNO(1), "clone", pyseccomp.Arg(0, pyseccomp.MASKED_EQ, flag, flag))
        rules.add_rule(pyseccomp.ERRNO(38), "clone3")
    return rules


if __name__ == "__main__":
    _enter(*sys.argv[1:])
