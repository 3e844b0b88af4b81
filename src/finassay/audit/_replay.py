"""Replaying a certificate: does another person, with the same data, see the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from finassay.audit._audit import audit
from finassay.audit._certificate import Certificate
from finassay.audit._subject import Subject
from finassay.core import InputError, hash_json
from finassay.execution import Submission
from finassay.temporal import Contract

if TYPE_CHECKING:
    from finassay.temporal import Catalog

# What another machine may say differently without anything being wrong
_INCIDENTAL = {"digest", "finassay", "engine", "database"}


@dataclass(frozen=True)
class Replay:
    """What became of a certificate: confirmed, or refused for a reason.

    Attributes
    ----------
    certificate : Certificate
        The one that was to be verified.
    refusals : tuple of str
        What does not agree; none where the replay confirms it.
    notes : tuple of str
        What differs and decides nothing: another version of finassay or of the engine.
    """

    certificate: Certificate
    refusals: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def confirmed(self) -> bool:
        """Whether the replay found what the certificate says."""
        return not self.refusals


def read_certificate(text: str, name: str = "<certificate>") -> Certificate:
    """Read a certificate from JSON.

    Raises
    ------
    InputError
        If it is no JSON, or does not follow the schema.
    """
    try:
        return Certificate.model_validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the document"
        raise InputError(
            f"{name} is no certificate: {place}: {first['msg']}.",
            hint="A certificate is written by `finassay audit … --out FILE`.",
            reason="bad_certificate",
        ) from error


def replay(certificate: Certificate, url: str, catalog: Catalog) -> Replay:
    """Verify a certificate by auditing its program again.

    Cheap checks come first, and a certificate that fails one is not run: its own digest, the hashes of the program and
    the contract in it, the catalog, the data.

    Parameters
    ----------
    certificate : Certificate
        What somebody says.
    url : str
        The database, as it is here.
    catalog : Catalog
        The catalog, as it is here.

    Raises
    ------
    InputError
        If the database cannot be opened, or there is no jail.
    """
    refusals = [*_tampered(certificate), *_elsewhere(certificate, url, catalog)]
    if refusals:
        return Replay(certificate, tuple(refusals))
    subject = Subject(submission_of(certificate), url, certificate.subject.dialect)
    again = audit(subject, catalog, Contract.model_validate(certificate.terms))
    return Replay(certificate, tuple(_differences(certificate, again)), tuple(_versions(certificate, again)))


def submission_of(certificate: Certificate) -> Submission:
    """Return the program that a certificate carries."""
    held = certificate.subject
    return Submission(
        held.mode,
        sql_code=held.sql_code,
        python_code=held.python_code,
        result_vars=tuple(held.result_vars),
        source=certificate.program,
        cells=tuple(held.cells),
    )


def _tampered(certificate: Certificate) -> list[str]:
    found = []
    if certificate.digest != certificate.content_digest():
        found.append(
            "The certificate was changed after it was written: its digest does not agree with its content."
        )
    if certificate.hashes.program != certificate.subject.digest():
        found.append("The program in the certificate is not the one that was audited: its hash differs.")
    return found


def _elsewhere(certificate: Certificate, url: str, catalog: Catalog) -> list[str]:
    from finassay.audit._data import data_hash
    from finassay.database import connect

    found = []
    if certificate.hashes.contract != hash_json(
        Contract.model_validate(certificate.terms).model_dump(mode="json", by_alias=True)
    ):
        found.append("The contract in the certificate is not the one that was audited: its hash differs.")
    if certificate.hashes.catalog != hash_json(catalog.model_dump(mode="json", by_alias=True)):
        found.append(
            f"The catalog {catalog.catalog} {catalog.version} here is not the one of the certificate "
            f"({certificate.catalog}): its hash differs."
        )
    with connect(url) as database:
        here = data_hash(database, [table.name for table in certificate.tables])
    if certificate.hashes.database != here:
        found.append("The data here are not those that were audited: their hash differs.")
    return found


def _differences(certificate: Certificate, again: Certificate) -> list[str]:
    """Say which fields the replay found otherwise, with both values where they are short."""
    said: dict[str, Any] = certificate.model_dump(mode="json", exclude=_INCIDENTAL)
    seen: dict[str, Any] = again.model_dump(mode="json", exclude=_INCIDENTAL)
    found = []
    for name, value in said.items():
        if value != seen[name]:
            shown = f"{value}, here {seen[name]}" if isinstance(value, str) else "not as found here"
            found.append(f"The replay disagrees on {name}: {shown}.")
    return found


def _versions(certificate: Certificate, again: Certificate) -> list[str]:
    pairs = (
        ("finassay", certificate.finassay, again.finassay),
        ("the engine", certificate.engine, again.engine),
    )
    return [f"{what}: {before} then, {now} here" for what, before, now in pairs if before != now]
