"""What a scripted model says: by rule from the suite's reference programs, from a file, or from a recorded run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import TypeAdapter, ValidationError

from finassay.core import InputError
from finassay.harness._moves import Move
from finassay.harness._suite import load_suite

if TYPE_CHECKING:
    from inspect_ai.model import ChatMessage, ModelOutput

    from finassay.harness._suite import ResearchTask


@dataclass(frozen=True)
class Turn:
    """What a script is asked: which sample, its how-manieth reply (from 0), and the messages so far."""

    suite: str
    task: str
    epoch: int
    number: int
    messages: Sequence[ChatMessage]


# Says the reply of a turn: a move, or a reply that was recorded.
Script = Callable[[Turn], "Move | ModelOutput"]


def reference(turn: Turn) -> Move:
    """Look at the schema, run the reference program, submit it: what a flawless agent would do."""
    task = load_suite(turn.suite).task(turn.task)
    return _play([*_LOOKS, Move(call="run_code", arguments=_program(task)), _handed_in(task)], turn)


def careless(turn: Turn) -> Move:
    """Make the mistakes of an agent, and answer as the reference on every second task only."""
    suite = load_suite(turn.suite)
    task = suite.task(turn.task)
    wrong = {"mode": "sql", "sql_code": "SELECT 1 AS wrong"}
    answer = _program(task) if suite.tasks.index(task) % 2 == 0 else wrong
    moves = [
        Move(text="Let me think about it first."),  # no action at all
        Move(call="describe_columns", arguments={"table": "no_such_table"}),
        Move(call="submit", arguments=answer),  # before anything ran
        Move(call="run_code", arguments={"mode": "sql", "sql_code": "SELEC 1"}),
        Move(call="run_code", arguments=answer),
        Move(call="submit", arguments=answer),
    ]
    return _play(moves, turn)


def silent(turn: Turn) -> Move:  # noqa: ARG001 - a script's own form
    """Talk, and never act."""
    return Move(text="I would rather not use any tool.")


_LOOKS = (Move(call="describe_tables"), Move(call="search_columns", arguments={"keywords": "date,日期"}))
_RULES: dict[str, Callable[[Turn], Move]] = {"reference": reference, "careless": careless, "silent": silent}


def find_script(name: str, *, script: str | None = None, recording: str | None = None) -> Script:
    """Return a script by its name.

    Parameters
    ----------
    name : str
        ``reference``, ``careless``, ``silent``; ``file`` with `script`; ``replay`` with `recording`.
    script : str, optional
        A YAML file: task id (or ``"*"`` for all others) to a list of moves.
    recording : str, optional
        An ``.eval`` log whose replies are given again.

    Raises
    ------
    InputError
        If there is no such script, or its file cannot be used.
    """
    if name == "file" and script:
        return read_script(Path(script))
    if name == "replay" and recording:
        from finassay.harness._replay import read_recording

        return read_recording(Path(recording))
    if name in _RULES:
        return _RULES[name]
    needs = {"file": "-M script=FILE", "replay": "-M recording=LOG"}
    hint = f"It needs {needs[name]}." if name in needs else f"Scripts: {', '.join([*_RULES, *needs])}."
    raise InputError(f"The scripted model {name!r} cannot be had.", hint=hint, reason="unknown_model")


def read_script(path: Path) -> Script:
    """Read moves by task from a YAML file."""
    try:
        values: Any = yaml.safe_load(path.read_text(encoding="utf-8"))
        moves = TypeAdapter(dict[str, list[Move]]).validate_python(values)
    except OSError as error:
        raise InputError(f"The script {path} cannot be read: {error.strerror}.") from error
    except (yaml.YAMLError, ValidationError) as error:
        raise InputError(f"{path} is not a script of moves: {error}", reason="bad_script") from error

    def play(turn: Turn) -> Move:
        found = moves.get(turn.task, moves.get("*"))
        if not found:
            raise InputError(f"{path} has no moves for the task {turn.task!r}, and none for '*'.")
        return _play(found, turn)

    return play


def _play(moves: Sequence[Move], turn: Turn) -> Move:
    """Take the move of a turn; the last one is repeated."""
    return moves[min(turn.number, len(moves) - 1)]


def _program(task: ResearchTask) -> dict[str, Any]:
    if task.program is None:
        raise InputError(f"The task {task.id} has no reference program to play.", reason="no_program")
    return {key: value for key, value in task.program.model_dump(mode="json").items() if value}


def _handed_in(task: ResearchTask) -> Move:
    return Move(call="submit", arguments=_program(task))
