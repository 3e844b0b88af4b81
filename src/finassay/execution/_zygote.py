"""The interpreter inside the jail: it preloads, forks a child per call, and leaves nothing of a call behind.

Standard library only: it runs in the user's Python, alone. The host speaks to it over one socket (frames of a length and
JSON; the descriptors of a call's pipes travel with the frame). In the jail it is process 1 of its own process namespace,
so no program in there can signal, trace or outlive it. It decides nothing: it reports how the child ended.
"""

from __future__ import annotations

import builtins
import ctypes
import gc
import importlib
import json
import linecache
import os
import resource
import select
import signal
import socket
import struct
import sys
import time
import traceback
import types
from typing import Any, NoReturn

RELAY = "finassay_relay.py"
TICK_S = 0.1
SPARE_MEMORY = 64 << 20  # given back to a program that ran out of memory, to say so
MOST_FILES = 100_000
MOST_TEXT = 20_000
PAGE = os.sysconf("SC_PAGE_SIZE")
CLOCK = os.sysconf("SC_CLK_TCK")

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_CAPBSET_DROP = 1, 4, 22, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 36, 38, 47


def main() -> None:
    """Serve calls on the descriptor named by the first argument until the host closes it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    config, _ = receive(control)
    if config is None:
        return
    confine(config)
    zygote = Zygote(control, config)
    send(control, zygote.prepare())
    zygote.serve()


def receive(control: socket.socket) -> tuple[dict[str, Any] | None, list[int]]:
    """Read one frame and its descriptors; None at the end of the stream."""
    head, descriptors, _, _ = socket.recv_fds(control, 4, 3)
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    while head and len(head) < 4:
        head += control.recv(4 - len(head))
    if not head:
        return None, []
    left = struct.unpack("!I", head)[0]
    pieces = []
    while left:
        piece = control.recv(min(left, 1 << 20))
        if not piece:
            return None, []
        pieces.append(piece)
        left -= len(piece)
    value: dict[str, Any] = json.loads(b"".join(pieces))
    return value, list(descriptors)


def send(control: socket.socket, value: dict[str, Any]) -> None:
    """Write one frame."""
    body = json.dumps(value).encode()
    control.sendall(struct.pack("!I", len(body)) + body)


# --- what the process may still do -----------------------------------------------------------------------------------


def confine(config: dict[str, Any]) -> None:
    """Give up every privilege before anything of the user's or the candidate's is loaded."""
    os.umask(0o022)
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    if config["uid"] is not None:
        drop_to(libc, config["uid"])
    if not config["contained"]:
        must(libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
        return
    must(libc.prctl(PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0))
    must(libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
    must(libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    if config["seccomp"]:
        code = bytes.fromhex(config["seccomp"])
        buffer = ctypes.create_string_buffer(code, len(code))
        # struct sock_fprog: a length, padding, and the address of the instructions
        program = struct.pack("@HP", len(code) // 8, ctypes.addressof(buffer))
        must(libc.prctl(PR_SET_SECCOMP, 2, program, 0, 0))


def drop_to(libc: Any, uid: int) -> None:
    """Become an ordinary user for good: identity, groups and every set of capabilities."""
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0):
            break
    must(libc.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0))
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    header = struct.pack("=Ii", 0x20080522, 0)  # _LINUX_CAPABILITY_VERSION_3, this process
    must(libc.capset(header, bytes(24)))


def must(code: int) -> None:
    """Stop where the kernel refused to take a privilege away."""
    if code != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


# --- the zygote ------------------------------------------------------------------------------------------------------


class Zygote:
    """Forks a child per call and reports how it ended."""

    def __init__(self, control: socket.socket, config: dict[str, Any]) -> None:
        self.control = control
        self.config = config
        self.scratch: str = config["scratch"]
        self.relay: int | None = None
        self.wake, write = os.pipe()
        for descriptor in (self.wake, write):
            os.set_blocking(descriptor, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.base = {"address_space": 0, "processes": 1}

    def prepare(self) -> dict[str, Any]:
        """Import what programs commonly need; return what the host wants to know."""
        sys.path[0] = self.scratch
        if self.config["cpus"]:
            os.sched_setaffinity(0, self.config["cpus"])
        loaded, failed = [], {}
        held = sys.path.pop(0)  # nothing is imported from where a program may write
        gc.disable()
        for name in self.config["preload"]:
            try:
                importlib.import_module(name)
                loaded.append(name)
            except ImportError as error:
                failed[name] = str(error)[:500]
        sys.path.insert(0, held)
        gc.freeze()  # the children share these objects with us, page by page
        gc.enable()
        self.start_relay()
        threads = 1
        if os.path.isdir("/proc/self/task"):
            threads = len(os.listdir("/proc/self/task"))
            self.base["address_space"] = int(read("/proc/self/statm").split()[0]) * PAGE
        self.base["processes"] = threads + (self.relay is not None)
        return {"preloaded": loaded, "failed": failed, "version": sys.version.split()[0], **self.base}

    def serve(self) -> None:
        """Take calls until the host goes away."""
        while True:
            request, descriptors = receive(self.control)
            if request is None:
                self.kill_all()
                return
            if request["op"] == "run":
                send(self.control, self.run(request, descriptors))
                self.tidy()

    def run(self, request: dict[str, Any], descriptors: list[int]) -> dict[str, Any]:
        """Run one call to its end."""
        try:
            pid = os.fork()
        except OSError as error:
            for descriptor in descriptors:
                os.close(descriptor)
            return {"call": request["call"], "refused": str(error)}
        if pid == 0:
            self.control.close()
            child(request, descriptors, self.base, self.scratch)
        for descriptor in descriptors:
            os.close(descriptor)
        watch = Watch(self, request["limits"], pid)
        while watch.status is None and not watch.stopped:
            watch.wait()
            if watch.stopped or watch.breach:
                self.kill_all()
            watch.reap()
        self.kill_all()
        watch.reap(block=True)
        watch.breach = watch.breach or watch.scratch_breach()
        report = {
            "status": watch.status,
            "cpu_s": watch.cpu_s,
            "max_rss": watch.max_rss,
            "breach": watch.breach,
        }
        return {"call": request["call"], **report}

    def kill_all(self) -> None:
        """Kill every process but ourselves."""
        if self.config["contained"]:
            try:
                os.kill(-1, signal.SIGKILL)  # all of the process namespace except process 1, which is us
            except ProcessLookupError:
                pass
        else:
            kill_descendants()

    def tidy(self) -> None:
        """Forget what the call left outside its scratch folder, and start the relay again."""
        while True:
            try:
                os.waitpid(-1, 0)
            except ChildProcessError:
                break
        for folder in self.config["temporary"]:
            remove_inside(folder)
        self.start_relay()

    def start_relay(self) -> None:
        """Fork the relay that carries database connections out, where the host mounted one."""
        path = os.path.join(self.config["home"], RELAY)
        self.relay = None
        if not os.path.exists(path):
            return
        ready, out = os.pipe()
        self.relay = os.fork()
        if self.relay == 0:
            self.control.close()
            run_relay(path, out)
        os.close(out)
        try:
            if not select.select([ready], [], [], 10)[0] or not os.read(ready, 16):
                raise RuntimeError(f"the relay {path} did not start")
        finally:
            os.close(ready)


def run_relay(path: str, out: int) -> NoReturn:
    """Become the relay."""
    import runpy

    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.dup2(out, 1)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(path))
    try:
        runpy.run_path(path, run_name="__main__")
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


class Watch:
    """One call while it runs: its end, and the limits that the kernel does not keep for a group of processes."""

    def __init__(self, zygote: Zygote, limits: dict[str, Any], pid: int) -> None:
        self.zygote = zygote
        self.limits = limits
        self.pid = pid
        self.status: int | None = None
        self.stopped = False
        self.breach: str | None = None
        self.cpu_s = 0.0
        self.max_rss = 0
        self.next_look = time.monotonic() + TICK_S

    def wait(self) -> None:
        """Wait for a child to end, the host to speak, or the next look at the limits."""
        timeout = max(0.0, self.next_look - time.monotonic())
        ready, _, _ = select.select([self.zygote.control, self.zygote.wake], [], [], timeout)
        if self.zygote.wake in ready:
            os.read(self.zygote.wake, 4096)
        if self.zygote.control in ready:
            request, _ = receive(self.zygote.control)
            if request is None:
                self.zygote.kill_all()
                os._exit(0)
            self.stopped = request["op"] == "kill"
        if time.monotonic() >= self.next_look:
            self.look()

    def reap(self, block: bool = False) -> None:
        """Take the exit status and times of every child that ended."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, 0 if block else os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid != self.zygote.relay:
                self.cpu_s += usage.ru_utime + usage.ru_stime
                scale = 1 if sys.platform == "darwin" else 1024
                self.max_rss = max(self.max_rss, usage.ru_maxrss * scale)
            if pid == self.pid:
                self.status = status

    def look(self) -> None:
        """Compare the whole with its limits."""
        began = time.monotonic()
        living = [pid for pid in processes() if pid not in (os.getpid(), self.zygote.relay)]
        if self.zygote.config["contained"]:
            if self.cpu_s + sum(map(cpu_seconds, living)) > self.limits["cpu_s"] + 1:
                self.breach = "cpu"
            elif self.zygote.config["watch_memory"] and self.too_much_memory(living):
                self.breach = "memory"
        self.breach = self.breach or self.scratch_breach(living)
        now = time.monotonic()
        self.next_look = now + max(TICK_S, 10 * (now - began))

    def too_much_memory(self, living: list[int]) -> bool:
        """Whether all processes together hold more than the limit: a cheap sum first, the exact one where it matters."""
        most = self.limits["memory"]
        if sum(status_kb(f"/proc/{pid}/status", ("RssAnon", "RssShmem")) for pid in living) << 10 <= most:
            return False
        return (
            sum(status_kb(f"/proc/{pid}/smaps_rollup", ("Pss_Anon", "Pss_Shmem")) for pid in living) << 10
            > most
        )

    def scratch_breach(self, living: list[int] | None = None) -> str | None:
        """Whether the scratch folder, with deleted files that are still open, holds too much."""
        size, count = disk_usage(self.zygote.scratch, self.limits["scratch"], self.zygote.config["contained"])
        if living and size <= self.limits["scratch"] and self.zygote.config["contained"]:
            size += deleted_bytes(living, os.stat(self.zygote.scratch).st_dev)
        if size > self.limits["scratch"]:
            return "scratch"
        if count > MOST_FILES:
            return "files"
        for folder in self.zygote.config["temporary"]:
            if disk_usage(folder, 1 << 62, True)[1] > MOST_FILES:
                return "files"
        return None


# --- looking at processes and folders --------------------------------------------------------------------------------


def read(path: str) -> str:
    """Return a small file's text, empty where it has gone."""
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read()
    except OSError:
        return ""


def processes() -> list[int]:
    """Return the processes to see."""
    return [int(name) for name in os.listdir("/proc") if name.isdigit()] if os.path.isdir("/proc/1") else []


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process and the children it waited for."""
    fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / CLOCK


def status_kb(path: str, names: tuple[str, ...]) -> int:
    """Return the sum of some kB lines of a status file."""
    parts = (line.split() for line in read(path).splitlines() if line.partition(":")[0] in names)
    return sum(int(part[1]) for part in parts)


def kill_descendants() -> None:
    """Kill all that descend from us, where they cannot be told apart by a namespace; stop them first so none escapes."""
    stopped: set[int] = set()
    while True:
        found = descendants() - stopped
        for pid in found:
            signal_quietly(pid, signal.SIGSTOP)
        if not found:
            break
        stopped |= found
    for pid in stopped:
        signal_quietly(pid, signal.SIGKILL)


def descendants() -> set[int]:
    """Return every living process below us."""
    if os.path.isdir("/proc/1"):
        pairs = []
        for pid in processes():
            fields = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
            if fields and fields[0] != "Z":
                pairs.append((pid, int(fields[1])))
    else:
        import subprocess

        text = subprocess.run(
            ["ps", "-axo", "pid=,ppid=,stat="], capture_output=True, text=True, check=True
        ).stdout
        rows = [line.split() for line in text.splitlines()]
        pairs = [(int(row[0]), int(row[1])) for row in rows if not row[2].startswith("Z")]
    below: set[int] = set()
    grown = {os.getpid()}
    while grown:
        grown = {pid for pid, parent in pairs if parent in grown} - below
        below |= grown
    return below


def signal_quietly(pid: int, number: int) -> None:
    """Signal a process that may have ended."""
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def disk_usage(folder: str, enough: int, owned: bool) -> tuple[int, int]:
    """Return the bytes and files below a folder, counting no further than is needed; a link counts as itself."""
    size = count = 0
    waiting = [folder]
    while waiting and size <= enough and count <= MOST_FILES:
        path = waiting.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    count += 1
                    status = entry.stat(follow_symlinks=False)
                    size += status.st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
        except FileNotFoundError:
            continue
        except PermissionError:
            if not owned or not open_up(path):
                continue
            waiting.append(path)
        except OSError:  # nested deeper than a path can say
            return size, MOST_FILES + 1
    return size, count


def open_up(path: str) -> bool:
    """Make a folder readable that its owner closed; False where that is not what was wrong."""
    try:
        if os.stat(path).st_mode & 0o700 == 0o700:
            return False
        os.chmod(path, 0o700)
    except OSError:
        return False
    return True


def deleted_bytes(living: list[int], device: int) -> int:
    """Return the bytes of files without a name that these processes still hold open on a device."""
    seen: dict[int, int] = {}
    for pid in living:
        try:
            for name in os.listdir(f"/proc/{pid}/fd"):
                status = os.stat(f"/proc/{pid}/fd/{name}")
                if status.st_nlink == 0 and status.st_dev == device:
                    seen[status.st_ino] = status.st_blocks * 512
        except OSError:
            continue
    return sum(seen.values())


def remove_inside(folder: str) -> None:
    """Empty a folder. Folders move to the top before they are entered, so depth is no limit."""
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        waiting = [top_name for top_name in os.listdir(top) if not unlink(top, top_name)]
        number = 0
        while waiting:
            name = waiting.pop()
            os.chmod(name, 0o700, dir_fd=top)
            inside = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=top)
            for inner in os.listdir(inside):
                if unlink(inside, inner):
                    continue
                os.chmod(inner, 0o700, dir_fd=inside)
                number += 1
                os.rename(inner, f"\udcff{number}", src_dir_fd=inside, dst_dir_fd=top)
                waiting.append(f"\udcff{number}")
            os.close(inside)
            os.rmdir(name, dir_fd=top)
    finally:
        os.close(top)


def unlink(folder: int, name: str) -> bool:
    """Remove anything but a folder; say whether it was removed."""
    try:
        os.unlink(name, dir_fd=folder)
    except (IsADirectoryError, PermissionError):
        return False
    return True


# --- the child -------------------------------------------------------------------------------------------------------


def child(request: dict[str, Any], descriptors: list[int], base: dict[str, int], scratch: str) -> NoReturn:
    """Run the program of a call in this fresh process; never returns."""
    out, err, report = descriptors
    code = 1
    try:
        settle(out, err, scratch)
        limit(request["limits"], base)
        os.environ.update(request["env"])
        module = fresh_main(request["filename"], request["code"])
        code = execute(request, module, report)
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError, AttributeError):
                pass
        os._exit(code)


def settle(out: int, err: int, scratch: str) -> None:
    """Make this the process an ordinary interpreter would be: session, signals, streams, folder."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    null = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((null, 0), (out, 1), (err, 2)):
        os.dup2(source, target)
        os.close(source)
    options: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "closefd": False}
    sys.stdin = sys.__stdin__ = open(0, **options)  # type: ignore[misc]
    # Line by line, so that what a killed program printed is not lost.
    sys.stdout = sys.__stdout__ = open(1, "w", buffering=1, **options)  # type: ignore[misc]
    sys.stderr = sys.__stderr__ = open(2, "w", buffering=1, **options)  # type: ignore[misc]
    os.chdir(scratch)
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(
            PR_SET_DUMPABLE, 1, 0, 0, 0
        )  # this one may look at itself in /proc, and be looked at
        try:
            with open("/proc/self/oom_score_adj", "w") as stream:
                stream.write("1000")  # where memory runs out, the program goes, not its zygote
        except OSError:
            pass


def limit(limits: dict[str, Any], base: dict[str, int]) -> None:
    """Set the limits of a process; memory and processes count from what the zygote itself takes."""
    memory = base["address_space"] + limits["memory"]
    cpu = max(1, int(limits["cpu_s"] + 0.999))
    wanted = [
        ("RLIMIT_AS", memory, memory + SPARE_MEMORY),
        ("RLIMIT_CPU", cpu, cpu + 1),
        ("RLIMIT_FSIZE", limits["file_size"], limits["file_size"]),
        ("RLIMIT_CORE", 0, 0),
        ("RLIMIT_NOFILE", 1024, 1024),
        ("RLIMIT_MSGQUEUE", 0, 0),
    ]
    if limits["processes"] is not None:
        most = base["processes"] + limits["processes"]
        wanted.append(("RLIMIT_NPROC", most, most))
    for name, soft, hard in wanted:
        kind = getattr(resource, name, None)
        if kind is None or (name == "RLIMIT_AS" and not sys.platform.startswith("linux")):
            continue
        ceiling = resource.getrlimit(kind)[1]
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        resource.setrlimit(kind, (soft, hard))


def fresh_main(filename: str, code: str) -> types.ModuleType:
    """Return a new ``__main__`` whose source tracebacks can show."""
    module = types.ModuleType("__main__")
    module.__dict__.update(__builtins__=builtins, __file__=filename)
    sys.modules["__main__"] = module
    sys.argv = [filename]
    linecache.cache[filename] = (len(code), None, code.splitlines(keepends=True), filename)
    return module


def execute(request: dict[str, Any], module: types.ModuleType, report: int) -> int:
    """Run the program as the main module, as ``python FILE`` would; return its exit status."""
    filename = request["filename"]
    try:
        try:
            exec(compile(request["code"], filename, "exec", dont_inherit=True), module.__dict__)
        finally:
            finish_threads()
    except SystemExit as stop:
        if stop.code is None or stop.code == 0:
            return 0
        code = stop.code & 0xFF if isinstance(stop.code, int) else 1
        if not isinstance(stop.code, int):
            sys.stderr.write(f"{stop.code}\n")
        send_report(report, describe(stop, filename))
        return code or 1
    except BaseException as error:
        give_spare_memory()
        description = describe(error, filename)
        send_report(report, description)
        try:
            sys.stderr.write(description["traceback"])
        except Exception:
            pass
        return 1
    return 0


def finish_threads() -> None:
    """Wait for the program's threads and run its exit functions, as the interpreter does when it ends."""
    import atexit
    import threading

    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()


def give_spare_memory() -> None:
    """Let a program that may have run out of memory say so."""
    try:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))
    except (OSError, ValueError):
        pass


def describe(error: BaseException, filename: str) -> dict[str, Any]:
    """Return an exception as values: type, message, traceback without our own frames, line in the program."""
    name = type(error).__name__
    # DuckDB has its own exception for memory it could not get.
    memory = isinstance(error, MemoryError) or name == "OutOfMemoryException"
    found: dict[str, Any] = {
        "type": name,
        "message": "",
        "traceback": f"{name}\n",
        "line": None,
        "memory": memory,
    }
    try:
        found["message"] = str(error)[:MOST_TEXT]
    except BaseException:
        found["message"] = "<its message cannot be shown>"
    try:
        frames = list(traceback.walk_tb(error.__traceback__))
        own = [line for frame, line in frames if frame.f_code.co_filename == filename]
        found["line"] = own[-1] if own else None
        if isinstance(error, SyntaxError) and error.filename == filename:
            found["line"] = error.lineno
        tb = error.__traceback__
        while tb is not None and tb.tb_frame.f_code.co_filename == __file__:
            tb = tb.tb_next
        text = "".join(traceback.format_exception(type(error), error, tb))
        found["traceback"] = (
            text if len(text) <= MOST_TEXT else text[: MOST_TEXT // 2] + "\n...\n" + text[-MOST_TEXT // 2 :]
        )
    except BaseException:
        found["traceback"] = f"{name}: {found['message']}\n"
    return found


def send_report(report: int, description: dict[str, Any]) -> None:
    """Write the description of an error to the host."""
    data = json.dumps(description).encode()
    try:
        while data:
            data = data[os.write(report, data) :]
    except OSError:
        pass


if __name__ == "__main__":
    main()
