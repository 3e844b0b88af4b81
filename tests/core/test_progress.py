"""Progress is for a person who is looking: a bar on a terminal's stderr, nothing anywhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from finassay.core import progress

PROGRAM = "from finassay.core import progress; print(list(progress([1, 2, 3], label='counting')))"


def test_items_come_through_unchanged_and_lazily(capsys):
    drawn = []

    def source():
        for number in range(3):
            drawn.append(number)
            yield number

    stream = progress(source(), label="counting")
    assert next(stream) == 0
    assert drawn == [0]
    assert list(stream) == [1, 2]
    assert capsys.readouterr() == ("", "")


def test_it_is_silent_without_a_terminal():
    done = subprocess.run([sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[1, 2, 3]\n", "")


def test_it_shows_a_bar_on_a_terminal_and_keeps_stdout_clean():
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux says so when the other end is closed
                break
            if not part:
                break
            shown += part
        printed = process.stdout.read()
    os.close(ours)
    assert printed == b"[1, 2, 3]\n"
    assert b"counting" in shown
    assert b"3/3" in shown


def test_an_error_in_the_source_is_not_swallowed():
    def source():
        yield 1
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        list(progress(source(), label="counting"))
