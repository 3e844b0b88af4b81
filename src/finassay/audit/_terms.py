"""Whether a contract speaks of what the catalog has: else its words would be passed over in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.core import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from finassay.temporal import Catalog, Contract, Table


def check_terms(catalog: Catalog, contract: Contract) -> None:
    """Refuse a contract that contradicts the catalog.

    Raises
    ------
    InputError
        With reason ``contract_contradicts_catalog``: it names a table or a column that the catalog lacks, a recording
        time that is none, a version rule for a table without versions.
    """
    for field, wrong in _contradictions(catalog, contract):
        raise InputError(
            f"The contract {contract.contract} contradicts the catalog {catalog.catalog}: {field}: {wrong}.",
            hint="Correct the one that is wrong: a verdict is relative to both.",
            reason="contract_contradicts_catalog",
        )


def _contradictions(catalog: Catalog, contract: Contract) -> Iterator[tuple[str, str]]:
    def table(name: str) -> Table | None:
        key = catalog.find(name)
        return None if key is None else catalog.tables[key]

    for proxy in contract.recording_proxies:
        owner, column = proxy.split(".", 1)
        spec = table(owner)
        if spec is None or column not in spec.columns:
            yield "recording_proxies", f"it has no column {proxy}"
        elif spec.columns[column].role != "recorded":
            yield "recording_proxies", f"{proxy} is no recording time, but {spec.columns[column].role}"
    for name in contract.history:
        if table(name) is None:
            yield "history", f"it has no table {name}"
    for name in contract.version_of:
        spec = table(name)
        if spec is None:
            yield "version_of", f"it has no table {name}"
        elif spec.versions is None:
            yield "version_of", f"{name} has no versions there"
    if contract.life is not None:
        spec = table(contract.life.table)
        named = [name for name in (contract.life.start, contract.life.end) if name is not None]
        known = {} if spec is None else {name.lower(): c.role for name, c in spec.columns.items()}
        if spec is None:
            yield "life", f"it has no table {contract.life.table}"
        for name in named if spec is not None else ():
            if name.lower() not in known:
                yield "life", f"{contract.life.table} has no column {name} there"
            elif known[name.lower()] in ("payload", "current_state", "recorded", "updated"):
                yield (
                    "life",
                    f"{contract.life.table}.{name} is no date of a life there, but {known[name.lower()]}",
                )
