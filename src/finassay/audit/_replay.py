"""Replaying a certificate: does another person, with the same data, see the same."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from finassay.audit._audit import audit
from finassay.audit._certificate import Certificate, Witness, replay_command
from finassay.audit._documents import model_hash, parse_document, read_text
from finassay.audit._rebuilt import Rebuilt, rebuilt
from finassay.audit._subject import Subject
from finassay.audit._types import Requirement
from finassay.core import InputError, hash_json
from finassay.temporal import Contract

_SECONDS = 600.0

if TYPE_CHECKING:
    from pathlib import Path

    from finassay.temporal import Catalog

# What another machine may say differently without anything being wrong
_INCIDENTAL: dict[str, Any] = {
    "digest": True,
    "finassay": True,
    "engine": True,
    "database": True,
    "hashes": {"engine"},
    "witnesses": {"__all__": {"replay"}},  # where it was written; its form is looked at before
}


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


def load_certificate(path: Path) -> Certificate:
    """Read a certificate from its file; see `read_certificate`.

    Raises
    ------
    InputError
        If the file cannot be read, or holds no certificate.
    """
    text = read_text(
        path,
        f"The certificate {path}",
        hint="Check the path.",
        missing="no_such_file",
        reason="bad_certificate",
    )
    return read_certificate(text, str(path))


def read_certificate(text: str, name: str = "<certificate>") -> Certificate:
    """Read a certificate from JSON.

    Raises
    ------
    InputError
        If it is no JSON, or does not follow the schema.
    """
    return parse_document(
        Certificate,
        text,
        f"{name} is no certificate",
        hint="A certificate is written by `finassay audit … --out FILE`.",
        reason="bad_certificate",
    )


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
    refusals = [*_tampered(certificate), *_not_alone(certificate), *_elsewhere(certificate, url, catalog)]
    if "time_limit" in certificate.reasons:
        refusals.append("It certifies nothing: the time of the program was over.")
    if "replay" in certificate.reasons:
        refusals.append("It certifies nothing: the program did not give its recorded result.")
    if refusals:
        return Replay(certificate, tuple(refusals))
    judged = Subject(certificate.subject.submission(certificate.program), url, certificate.subject.dialect)
    subject = judged.within(
        _SECONDS
    )  # whatever the audit gave it: what it says should not hang on the machine
    held = certificate.reference
    again = audit(
        subject,
        catalog,
        Contract.model_validate(certificate.terms),
        reference=held.program.submission(held.source) if held else None,
        impact=certificate.impact is not None,
    )
    return Replay(certificate, tuple(_differences(certificate, again)), tuple(_versions(certificate, again)))


@dataclass(frozen=True)
class WitnessReplay:
    """What became of one witness: the output rows that go and come, or why it was refused.

    Attributes
    ----------
    witness : Witness
        As the certificate has it.
    refusals : tuple of str
        What does not agree; none where the difference is there again.
    missing, added : tuple of str
        Output rows, at most five of each.
    """

    witness: Witness
    refusals: tuple[str, ...]
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()


def replay_witness(certificate: Certificate, number: int, url: str, catalog: Catalog) -> WitnessReplay:
    """Run the program over one witness of a certificate again, without the rest of the audit.

    The altered tables are built anew from catalog and contract: a SELECT of the witness that is another one is refused,
    and not run.

    Parameters
    ----------
    certificate : Certificate
        What somebody says.
    number : int
        Of its witnesses, from 1.
    url : str
        The database, as it is here.
    catalog : Catalog
        The catalog, as it is here.

    Raises
    ------
    InputError
        If there is no such witness, the database cannot be opened, or there is no jail.
    """
    if not 1 <= number <= len(certificate.witnesses):
        raise InputError(
            f"The certificate has {len(certificate.witnesses)} witness(es), and {number} is asked for.",
            hint="They count from 1.",
            reason="no_such_witness",
        )
    witness = certificate.witnesses[number - 1]
    refusals = [*_tampered(certificate), *_not_alone(certificate), *_elsewhere(certificate, url, catalog)]
    if refusals:
        return WitnessReplay(witness, tuple(refusals))
    with rebuilt(certificate, witness, url, catalog) as found:
        return (
            _shown_again(witness, found) if isinstance(found, Rebuilt) else WitnessReplay(witness, (found,))
        )


def _shown_again(witness: Witness, found: Rebuilt) -> WitnessReplay:
    """Run over the altered tables, and compare with what the witness says."""
    omission = witness.requirement is Requirement.OMISSION
    altered = found.judged.run(found.overlays)
    expected = found.judged.run(found.instead)
    failed = next((one.error for one in (altered, expected) if one.error is not None), None)
    difference = (
        None
        if failed is not None
        else found.scope.differ(expected, altered, None if omission else found.family)
    )
    if difference is None:
        return WitnessReplay(
            witness, (f"The output does not change here{'' if failed is None else f': {failed}'}.",)
        )
    if omission and found.scope.differ(found.own.run(), found.own.run(found.overlays)) is not None:
        return WitnessReplay(witness, ("The program's output changes here too.",))
    said = witness.missing, witness.added
    other = said != (list(difference.missing), list(difference.added))
    refusals = ("The output changes here in other rows than the witness says.",) if other else ()
    return WitnessReplay(witness, refusals, difference.missing, difference.added)


def _tampered(certificate: Certificate) -> list[str]:
    found = []
    if certificate.digest != certificate.content_digest():
        found.append(
            "The certificate was changed after it was written: its digest does not agree with its content."
        )
    if certificate.hashes.program != certificate.subject.digest():
        found.append("The program in the certificate is not the one that was audited: its hash differs.")
    held = certificate.reference
    if certificate.hashes.reference != (held.program.digest() if held else None):
        found.append("The reference in the certificate is not the one that was used: its hash differs.")
    if certificate.hashes.contract != model_hash(Contract.model_validate(certificate.terms)):
        found.append("The contract in the certificate is not the one that was audited: its hash differs.")
    found += [
        f"The command of witness {number} is none that shows it again."
        for number, witness in enumerate(certificate.witnesses, 1)
        if not _shows(witness.replay, number, certificate)
    ]
    return found


def _shows(command: str, number: int, certificate: Certificate) -> bool:
    """Whether a command is that of a witness, whatever the files: people paste it into a shell."""
    if certificate.subject.function:
        return not command
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    if len(words) < 5 or len(words) % 2 == 0:
        return False
    given = dict(zip(words[5::2], words[6::2], strict=True))
    catalog = given.get("--catalog")
    if any(path is not None and path.startswith("-") for path in (words[2], catalog)):
        return False
    # No other server than that of the certificate: somebody puts a password into the line
    servers = (None, certificate.with_login()) if "--db" in given else (None,)
    return any(command == replay_command(words[2], number, catalog, db) for db in servers)


def _not_alone(certificate: Certificate) -> list[str]:
    if not certificate.subject.function:
        return []
    why = (
        f"It is of the function {certificate.program}, which was called where it lives: its text alone cannot be run "
        "again. Run the test that audits it once more (`pytest --pit-certificates FOLDER`), or audit a program that "
        "stands alone (`finassay audit FILE`)."
    )
    return [why]


def _elsewhere(certificate: Certificate, url: str, catalog: Catalog) -> list[str]:
    found = []
    if certificate.hashes.catalog != model_hash(catalog):
        found.append(
            f"The catalog {catalog.catalog} {catalog.version} here is not the one of the certificate "
            f"({certificate.catalog}): its hash differs."
        )
    return [*found, *_other_data(certificate, url)]


def _other_data(certificate: Certificate, url: str) -> list[str]:
    from finassay.audit._data import table_hashes
    from finassay.database import connect

    said = certificate.hashes
    with connect(url) as database:
        here = table_hashes(database, [table.name for table in certificate.tables])
    if said.database == hash_json(here):
        return []
    others = [name for name, content in said.tables.items() if here.get(name) != content]
    which = f" of {', '.join(others)}" if others else ""
    return [f"The data here are not those that were audited: the hash{which} differs."]


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
        ("the hash of the versions of all libraries", certificate.hashes.engine, again.hashes.engine),
    )
    return [f"{what}: {before} then, {now} here" for what, before, now in pairs if before != now]
