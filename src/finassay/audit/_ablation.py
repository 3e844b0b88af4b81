"""What parts of the audit are worth: layers, saturation, seeds, and what a wrong catalog does to verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from finassay.audit._ablation_catalog import FLIPS, flipped_verdict
from finassay.audit._ablation_events import EVENTS, single_events
from finassay.audit._bench import (
    Detector,
    Result,
    figures_json,
    figures_of,
    job_of,
    pair_json,
    run_bench,
    shared,
)
from finassay.audit._types import FAMILIES

if TYPE_CHECKING:
    from finassay.audit._corpus import Labelled
    from finassay.executor import Executor, ResultCache
    from finassay.temporal import Catalog

_POWER = {"low_power", "unresponsive"}  # the reasons that only the power check gives
_FEW = {"saturation": 40, "seeds": 40, "catalog": 12}  # programs, where no sample is asked for


@dataclass(frozen=True)
class Bench:
    """What all measurements share.

    Attributes
    ----------
    url, data : str
        The database and its hash.
    catalog : Catalog
        What the times in the tables mean.
    executor, cache : Executor, ResultCache
        Where it runs; where it goes on after it was stopped.
    seed : int
        Of samples, events and intervals.
    """

    url: str
    catalog: Catalog
    data: str
    executor: Executor
    cache: ResultCache
    seed: int

    def measured(self, programs: Sequence[Labelled]) -> tuple[Result, ...]:
        """Measure programs, or take what was measured."""
        return run_bench(programs, self.url, self.catalog, self.data, self.executor, self.cache)


# --- layers and the power check: read off the certificates, nothing is run twice


def layers(programs: Sequence[Labelled], bench: Bench) -> dict[str, Any]:
    """Return the figures of each layer alone and together, and what the power check does to PASS."""
    results = bench.measured(programs)
    modes = {"NI": ("same", "known"), "NORM": ("normal",), "NI + NORM": ("same", "known", "normal")}
    found = [_by_mode(name, results, wanted) for name, wanted in modes.items()]
    everything = {one.program.id: one.found for one in results if one.verdict == "FAIL"}
    detectors = [*found, Detector("NI + NORM + omission", everything), _static(results)]
    return {
        "layers": {one.name: figures_json(figures_of(results, one, bench.seed)) for one in detectors},
        "power": {
            "false PASS with the check": _passed(results, bench.seed, violating=True, checked=True),
            "false PASS without it": _passed(results, bench.seed, violating=True, checked=False),
            "valid passed with the check": _passed(results, bench.seed, violating=False, checked=True),
            "valid passed without it": _passed(results, bench.seed, violating=False, checked=False),
        },
    }


def _by_mode(name: str, results: Iterable[Result], modes: Sequence[str]) -> Detector:
    """Return what the scenarios of some modes would have found alone."""
    families = {family.name: family for family in FAMILIES if family.mode in modes}
    found: dict[str, frozenset[str]] = {}
    for one in results:
        certificate = one.measured.certificate
        if certificate is None or one.verdict != "FAIL":
            continue
        if any(run.outcome == "differs" and run.family in families for run in certificate.scenarios):
            codes = {w.requirement.value for w in certificate.witnesses if w.family in families}
            found[one.program.id] = frozenset(codes)
    return Detector(name, found)


def _static(results: Iterable[Result]) -> Detector:
    found = {}
    for one in results:
        certificate = one.measured.certificate
        violated = [o for o in certificate.obligations if o.status == "violated"] if certificate else []
        if violated:
            found[one.program.id] = frozenset(o.requirement.value for o in violated)
    return Detector("static alone", found)


def _passed(results: Iterable[Result], seed: int, *, violating: bool, checked: bool) -> dict[str, Any] | None:
    cases = []
    for one in results:
        if one.program.violating != violating:
            continue
        certificate = one.measured.certificate
        unchecked = (
            certificate is not None and one.verdict == "UNKNOWN" and set(certificate.reasons) <= _POWER
        )
        cases.append((one.verdict == "PASS" or (unchecked and not checked), one.program.task.says.id))
    both = shared(cases, seed)
    return None if both is None else pair_json(*both)


# --- saturation against single events


def saturation(programs: Sequence[Labelled], bench: Bench) -> dict[str, Any]:
    """Compare altering all rows of a table at once with one event in each table and family."""
    found = _events(programs, bench)
    return {
        "saturation": {
            "programs": len(found),
            "all rows at once": _share([(one.saturated, task) for one, task in found], bench.seed),
            "one event": _share([(one.seeds[0], task) for one, task in found], bench.seed),
            "runs": {
                "all rows at once": sum(o.runs for o, _ in found),
                "one event": sum(o.tries for o, _ in found),
            },
        }
    }


def seeds(programs: Sequence[Labelled], bench: Bench) -> dict[str, Any]:
    """Say how many single events it takes, each drawn by another seed."""
    found = _events(programs, bench)
    shares = {
        str(count): _share([(any(one.seeds[:count]), task) for one, task in found], bench.seed)
        for count in (1, 2, 3, 5, EVENTS)
    }
    return {
        "seeds": {
            "programs": len(found),
            "events": shares,
            "all rows at once": _share([(one.saturated, task) for one, task in found], bench.seed),
        }
    }


def _events(programs: Sequence[Labelled], bench: Bench) -> list[tuple[Any, str]]:
    """Try violating SQL programs: hundreds of runs each are too many for Python."""
    some = [one for one in programs if one.violating and one.mode == "sql"][: _FEW["seeds"]]
    function = partial(single_events, url=bench.url, catalog=bench.catalog, seed=bench.seed)
    jobs = [job_of(one, bench.data) for one in some]
    done = bench.executor.map(function, jobs, label="events", cache=bench.cache)
    return [(one, program.task.says.id) for one, program in zip(done, some, strict=True) if one is not None]


def _share(cases: Sequence[tuple[bool, str]], seed: int) -> dict[str, Any] | None:
    both = shared(cases, seed)
    return None if both is None else pair_json(*both)


# --- wrong catalog entries


def catalog(programs: Sequence[Labelled], bench: Bench) -> dict[str, Any]:
    """Say what becomes of right verdicts when one entry of the catalog is wrong, for each kind of error."""
    some = _spread([one for one in programs if one.mode == "sql"], _FEW["catalog"])
    right = [
        one for one in bench.measured(some) if one.verdict == ("FAIL" if one.program.violating else "PASS")
    ]
    items = [
        (job_of(one.program, bench.data), flip, table.name)
        for one in right
        if one.measured.certificate is not None
        for table in one.measured.certificate.tables
        for flip in FLIPS
    ]
    truth = {one.program.id: one.program.violating for one in right}
    function = partial(flipped_verdict, url=bench.url, catalog=bench.catalog)
    done = bench.executor.map(function, items, label="wrong catalogs", cache=bench.cache)
    kinds = {}
    for flip in FLIPS:
        some_done = [
            (truth[job.program], verdict)
            for (job, kind, _), verdict in zip(items, done, strict=True)
            if kind == flip and verdict != "not applicable"
        ]
        kinds[flip] = {
            "tried": len(some_done),
            "valid": dict(Counter(verdict for violating, verdict in some_done if not violating)),
            "violating": dict(Counter(verdict for violating, verdict in some_done if violating)),
        }
    return {
        "catalog": {"programs": len(right), "tried": sum(k["tried"] for k in kinds.values()), "kinds": kinds}
    }


def _spread(programs: Sequence[Labelled], count: int) -> list[Labelled]:
    """Take valid and violating ones by turns, evenly over the tasks."""
    groups = [[one for one in programs if one.violating == bad] for bad in (False, True)]
    found = []
    for group in groups:
        step = max(1.0, len(group) / (count / 2))
        found += [group[int(n * step)] for n in range(min(count // 2, len(group)))]
    return found


ABLATIONS: dict[str, Callable[..., dict[str, Any]]] = {
    "layers": layers,
    "saturation": saturation,
    "seeds": seeds,
    "catalog": catalog,
}
