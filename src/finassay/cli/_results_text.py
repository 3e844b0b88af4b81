"""What `finassay results` says to people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.cli._output import write_message
from finassay.core import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from finassay.results import Difference, Measure, Outcome, RunSummary, Side, Summary, Verification

_SHOWN = 40  # lines of one kind; the JSON has all of them
_UNITS = {
    "tokens_in": "tokens in",
    "tokens_out": "tokens out",
    "tokens_cached": "of them cached",
    "cost_usd": "US$",
}


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def write_notes(notes: Sequence[str]) -> None:
    """Write what a source lacks as messages."""
    for line in _cut(notes):
        write_message(f"finassay: {line.strip()}")


def summary_text(found: Summary) -> str:
    """Return runs summed up."""
    if not found.runs:
        return "no runs"
    return "\n\n".join("\n".join(_run(run)) for run in found.runs)


def _run(run: RunSummary) -> Iterable[str]:
    by = [*run.models, *run.agents, *(f"guidance {guidance}" for guidance in run.guidance)]
    yield _plain(", ".join([f"{run.run}: {run.suite} {run.suite_version}", *by]))
    more = [f"{run.missing} missing"] if run.missing else []
    more += [f"{run.retried} tried again"] if run.retried else []
    epochs = f" of {counted(run.epochs, 'epoch')}" if run.epochs > 1 else ""
    yield _plain(
        f"  {', '.join([counted(run.samples, 'sample') + epochs, counted(run.tasks, 'task'), *more])}"
    )
    width = max((len(profile.profile) for profile in run.profiles), default=0)
    for profile in run.profiles:
        line = f"  {profile.profile:<{width}}  {profile.right}"
        if profile.right.unknown:
            best = profile.if_unknown_right
            line += f"; {profile.right.unknown} unknown: at most {best.numerator}/{best.denominator}"
        if profile.mean_score is not None:
            line += f"; mean score {profile.mean_score:.4f}"
        yield _plain(line)
    yield f"  outcomes  {_counts(run.outcomes)}"
    yield _plain(f"  statuses  {_counts(run.statuses)}")
    yield from _measures(run.measures, run.samples)
    if run.behaviour is not None:
        per_step = run.behaviour.run_per_step.mean
        yield f"  submitted without a run (ESR)  {run.behaviour.early_submissions}"
        for profile in run.profiles:
            yield _plain(f"  navigation traps (NTR), {profile.profile}  {profile.navigation_traps}")
        yield f"  runs of code per step (ETL)  {'-' if per_step is None else f'{per_step:.3f}'}"


def _counts(counts: Mapping[Outcome, int] | Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items() if count)


def _measures(measures: Mapping[str, Measure], samples: int) -> Iterable[str]:
    for name, measure in measures.items():
        if measure.total is None or measure.mean is None or measure.median is None:
            continue
        digits = 4 if name == "cost_usd" else 1
        whole = 2 if name == "cost_usd" else 0
        said = "" if measure.known == samples else f", said of {measure.known} of {samples}"
        total, mean, median = (
            f"{measure.total:,.{whole}f}",
            f"{measure.mean:,.{digits}f}",
            f"{measure.median:,.{digits}f}",
        )
        yield f"  {_UNITS.get(name, name)}  {total} (mean {mean}, median {median}{said})"


def difference_text(found: Difference) -> str:
    """Return how two runs differ."""
    lines = [f"{found.suite} {found.suite_version}"]
    for name, side in (("A", found.a), ("B", found.b)):
        lines.append(f"{name}  {side.run}, {counted(side.samples, 'sample')} in {side.file}")
        if side.only_here:
            lines += _cut([f"only in {name}: {sample}" for sample in side.only_here])
    lines.append(f"{counted(found.common, 'common sample')}, {found.unchanged} unchanged")
    lines += [f"  {moved}: {count}" for moved, count in found.transitions.items()]
    for profile in found.profiles:
        lines.append(f"{profile.profile}  A {profile.a}  B {profile.b}")
        lines.append(
            f"  right in both {profile.both_right}, only in A {profile.only_a}, only in B {profile.only_b}, "
            f"in neither {profile.neither}"
        )
        if profile.difference is not None:
            interval = (
                ""
                if profile.low is None
                else f", 95% CI {100 * profile.low:.1f} to {100 * (profile.high or 0):.1f}"
            )
            p_value = "" if profile.p_value is None else f", p = {profile.p_value:.3g} ({profile.test})"
            lines.append(f"  B - A: {100 * profile.difference:+.1f} points{interval}{p_value}")
    lines += _cut(
        [_change(one.task, one.sample, one.epoch, _side(one.a), _side(one.b)) for one in found.changes]
    )
    return "\n".join(_plain(line) for line in lines)


def _change(task: str, sample: str, epoch: int, before: str, after: str) -> str:
    name = sample if task == sample else f"{task}/{sample}"
    return f"{name}{f' (epoch {epoch})' if epoch > 1 else ''}: {before} -> {after}"


def _side(side: Side) -> str:
    scores = [f"{name} {'-' if score is None else f'{score:g}'}" for name, score in side.scores.items()]
    return ", ".join([side.status, *scores])


def verification_text(found: Verification) -> str:
    """Return what `verify` found."""
    lines = [
        f"{file.file}: {counted(file.rows, 'row')}, content {file.content_sha256[:12]}"
        for file in found.files
    ]
    lines += _cut([f"{problem.where}: {problem.says} ({problem.kind})" for problem in found.problems])
    for one in found.missing:
        lines.append(
            f"run {one.run}, epoch {one.epoch}: {len(one.samples)} of {one.expected} samples are missing"
        )
        lines += _cut([f"missing: {sample}" for sample in one.samples])
    runs = f"{counted(found.rows, 'row')} of {counted(len(found.runs), 'run')}"
    lacking = sum(len(one.samples) for one in found.missing)
    told = f"{counted(len(found.problems), 'problem')}, {counted(lacking, 'sample')} missing"
    lines.append(f"{runs}: {'clean' if found.clean else told}")
    return "\n".join(_plain(line) for line in lines)


def _cut(lines: Sequence[str]) -> list[str]:
    """Indent lines, and leave out what is beyond the number shown."""
    shown = [f"  {line}" for line in lines[:_SHOWN]]
    return (
        [*shown, f"  … and {len(lines) - _SHOWN} more (--format json has all)"]
        if len(lines) > _SHOWN
        else shown
    )


def _plain(line: str) -> str:
    return printable(line, keep="")
