"""Point-in-time guidance as a switch: it covers the system prompt and a task's background files alike."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from finassay.core import InputError

if TYPE_CHECKING:
    from finassay.harness._suite import Language, ResearchTask, Suite

PROMPTS = Path(__file__).with_name("_prompts")
_MARKED = re.compile(r"<!-- pit -->\n(.*?)<!-- /pit -->\n?", re.DOTALL)
_MARK = re.compile(r"<!-- /?pit -->")


class Guidance(StrEnum):
    """Whether an agent is told how to stay point-in-time; the task's own as-of date is always there."""

    PIT = "pit"
    NONE = "none"


GUIDANCE: tuple[str, ...] = tuple(Guidance)


def read_guidance(name: str) -> Guidance:
    """Return a guidance by its name.

    Raises
    ------
    InputError
        If it is neither ``pit`` nor ``none``.
    """
    try:
        return Guidance(name)
    except ValueError as error:
        raise InputError(
            f"Expected a guidance of 'pit' or 'none', but it was {name!r}.", reason="unknown_guidance"
        ) from error


def guided(text: str, guidance: Guidance) -> str:
    """Return a text with its point-in-time guidance, or without it.

    Parameters
    ----------
    text : str
        Guidance stands between lines ``<!-- pit -->`` and ``<!-- /pit -->``.
    guidance : Guidance
        Which of the two texts.

    Raises
    ------
    InputError
        If a mark has no partner.
    """
    kept = _MARKED.sub(r"\1" if guidance is Guidance.PIT else "", text)
    if found := _MARK.search(kept):
        raise InputError(f"The mark {found[0]} has no partner.", reason="unpaired_mark")
    return kept


@cache
def read_prompt(name: str, language: Language) -> str:
    """Return one of our prompts as it is written, with its marks."""
    return (PROMPTS / f"{name}_{language}.md").read_text(encoding="utf-8")


def system_prompt(suite: Suite, task: ResearchTask, guidance: Guidance, *manners: str) -> str:
    """Return what an agent is told before the task: its work, its manner of acting, the background files.

    Parameters
    ----------
    suite, task : Suite, ResearchTask
        Where the background files come from, and the language.
    guidance : Guidance
        Applied to all of it.
    *manners : str
        Names of our prompts that say how this agent acts: ``tools``, ``one_action``, ``text_actions``.
    """
    parts = [read_prompt(name, task.language) for name in ("research", *manners)]
    parts += suite.background.get(task.language, ())
    return "\n\n".join(guided(part, guidance).strip() for part in parts)


def task_prompt(task: ResearchTask) -> str:
    """Return what an agent is asked: the instruction, the as-of date, the columns of the answer."""
    columns = "\n".join(f"- {_column(column, task.language)}" for column in task.output.columns)
    text = read_prompt("task", task.language)
    return text.format(instruction=task.instruction.strip(), as_of=task.as_of, columns=columns).strip()


def _column(column: object, language: Language) -> str:
    name, unit = getattr(column, "name", ""), getattr(column, "unit", None)
    decimals = getattr(column, "decimals", None)
    said = [unit] if unit else []
    if decimals is not None:
        said.append(f"{decimals} 位小数" if language == "zh" else f"{decimals} decimals")
    between = "，" if language == "zh" else ", "
    return f"`{name}`" + (f" ({between.join(said)})" if said else "")
