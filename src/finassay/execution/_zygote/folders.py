"""Measure and empty folders that a hostile program filled.

Such a folder may hold what the host mounted there: the interpreter, where its environment lies below /tmp, and the
user's own files beside the program. Those are neither counted nor removed.
"""

from __future__ import annotations

import os
import re

MOST_FILES = 20_000


def mount_points() -> frozenset[str]:
    """Return the places where something is mounted; none where the system does not say."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as stream:
            places = [line.split()[4] for line in stream]
    except OSError:
        return frozenset()
    # The kernel writes a blank in a path as \040.
    return frozenset(re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), place) for place in places)


def disk_usage(
    folder: str, most_bytes: int, most_files: int, owned: bool, mounted: frozenset[str]
) -> tuple[int, int]:
    """Return the bytes and files below a folder, counting no further than is needed; a link counts as itself."""
    size = count = 0
    waiting = [folder]
    while waiting and size <= most_bytes and count <= most_files:
        path = waiting.pop()
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.path in mounted:
                        continue
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
            return size, max(count, MOST_FILES + 1)
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


def remove_inside(folder: str, mounted: frozenset[str]) -> None:
    """Empty a folder but for mounts and the way to them. Folders move to the top before they are entered."""
    above = folder + "/"
    kept = {place[len(above) :].split("/", 1)[0] for place in mounted if place.startswith(above)}
    top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        waiting = [name for name in os.listdir(top) if name not in kept and not unlink(top, name)]
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
