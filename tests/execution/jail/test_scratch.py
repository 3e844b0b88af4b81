"""What a hostile program left in its scratch folder is read without following it anywhere, and can be removed."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from finassay.core import InputError
from finassay.execution._jail import collect, remove_scratch


def test_a_regular_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "result.csv").write_bytes(b"1,2\n")
    assert collect(tmp_path, "out/result.csv", 4) == b"1,2\n"


def test_a_file_larger_than_accepted_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "result.csv").write_bytes(b"1,2\n")
    assert collect(tmp_path, "result.csv", 3) is None


def test_an_empty_file_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "result.csv").touch()
    assert collect(tmp_path, "result.csv", 0) == b""


def test_what_is_no_file_is_not_there(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    (scratch / "link").symlink_to("/etc/passwd")
    (scratch / "relative").symlink_to("../outside/secret")
    (scratch / "folder").symlink_to(outside)
    os.mkfifo(scratch / "fifo")
    (scratch / "real").mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(scratch / "socket"))
        for name in (
            "link",
            "relative",
            "folder/secret",
            "fifo",
            "real",
            "socket",
            "absent",
            "real/absent/x",
        ):
            assert collect(scratch, name, 1000) is None, name


def test_a_file_is_not_a_folder(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert collect(tmp_path, "file/inside", 10) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_a_device_is_not_read(tmp_path: Path) -> None:
    os.mknod(tmp_path / "zero", 0o020666, os.makedev(1, 5))
    assert collect(tmp_path, "zero", 10) is None


@pytest.mark.parametrize("name", ["", "/etc/passwd", "../x", "a/../../x"])
def test_a_path_that_leaves_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="inside the scratch folder"):
        collect(tmp_path, name, 10)


def test_a_folder_nested_deeper_than_a_path_can_say_is_removed(tmp_path: Path) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    here = Path.cwd()
    os.chdir(scratch)
    try:
        for _ in range(2100):  # "d/" 2100 times is 4200 characters; a path has at most 4096
            Path("d").mkdir()
            os.chdir("d")
        Path("file").touch()
    finally:
        os.chdir(here)
    remove_scratch(scratch)
    assert not scratch.exists()


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    scratch = tmp_path / "scratch"
    (scratch / "closed" / "inner").mkdir(parents=True)
    (scratch / "link").symlink_to(tmp_path / "kept")
    (scratch / "closed" / "inner" / "link").symlink_to(tmp_path / "kept")
    (scratch / ".removing-1").mkdir()
    (scratch / "closed").chmod(0)
    remove_scratch(scratch)
    assert not scratch.exists()
    assert (tmp_path / "kept" / "file").exists()


def test_removing_what_is_not_there_is_fine(tmp_path: Path) -> None:
    remove_scratch(tmp_path / "absent")
