"""Funds as of a day: the rules of task_families.md read in the tables what the oracle does in the ledger."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest

from finassay.temporal import Cutoff
from finassay.world import FAMILIES, EventType, Question, answers
from support.worlds import CONFIG

EPOCH = date(1970, 1, 1)
FAMILY = {family.name: family for family in FAMILIES}


@pytest.fixture(scope="module")
def recoverable(asked):
    return asked.recoverable


@pytest.fixture(scope="module")
def truth(asked):
    return asked.truth


def around(day):
    return [Cutoff(day + timedelta(days=n), boundary) for n in (-1, 0, 1) for boundary in ("pre", "eod")]


def agree(database, oracle, name, questions):
    family = FAMILY[name]
    found = answers(database, family, questions)
    assert found == [family.ask(oracle, question) for question in questions]
    return found


def test_a_corrected_net_value_is_known_from_its_insertion_on(world, database, recoverable):
    """Every fifth corrected value, on both sides of the recording of the correction."""
    book = world.funds.navs
    inner = {part.entity: part.payload.inner for life in world.funds.lives for part in life.classes}
    late = np.flatnonzero(np.r_[False, book.wrong[:-1]])[::5]
    questions = []
    for row in late.tolist():
        recorded = EPOCH + timedelta(days=int(book.recorded[row]) // 86_400)
        if recorded <= CONFIG.snapshot:
            questions += [Question(inner[int(book.entity[row])], cutoff) for cutoff in around(recorded)]
    assert len(questions) > 200
    found = agree(database, recoverable, "net value", questions)
    assert len(set(found)) > len(questions) / 4


def test_a_size_is_known_from_its_report_on_and_may_be_revised(world, database, recoverable):
    sizes, reports = world.funds.sizes, world.funds.reports
    inner = {part.entity: part.payload.inner for life in world.funds.lives for part in life.classes}
    told = {
        (int(f), int(q)): int(t)
        for f, q, t, form, version in zip(
            reports.fund, reports.quarter, reports.recorded, reports.form, reports.version, strict=True
        )
        if form == 1 and version == 0
    }
    questions = []
    for row in np.flatnonzero(sizes.revised)[:40].tolist():
        first = told.get((int(sizes.fund[row]), int(sizes.quarter[row])))
        for seconds in () if first is None else (first, first + int(sizes.revised[row]) * 86_400):
            day = EPOCH + timedelta(days=seconds // 86_400)
            if day < CONFIG.snapshot:
                questions += [Question(inner[int(sizes.entity[row])], cutoff) for cutoff in around(day)]
    assert len(questions) > 50
    agree(database, recoverable, "fund size", questions)


def test_a_list_is_known_from_its_publication_on_and_as_a_whole(world, database, recoverable):
    reports = world.funds.reports
    questions = []
    for row in np.flatnonzero((reports.form == 1) & (reports.version == 1))[:60].tolist():
        day = EPOCH + timedelta(days=int(reports.disclosed[row]))
        life = world.funds.lives[int(reports.fund[row])]
        if day < CONFIG.snapshot and np.any(world.funds.stocks[int(reports.fund[row])]):
            questions += [Question(life.classes[0].payload.inner, cutoff) for cutoff in around(day)]
    assert questions
    found = agree(database, recoverable, "top ten", questions)
    assert len(set(found)) > 1


def test_an_appointment_in_force_but_not_announced_is_not_known(world, database, recoverable):
    """The trap is live: the tenure alone, without its announcement, names people nobody knew of."""
    event = next(
        e
        for e in world.ledger.of(EventType.MANAGER_IN)
        if e.seq > 0 and e.valid_from + timedelta(days=3) < e.disclosed_at.date() < date(2023, 1, 1)
    )
    part = world.ledger.by_id[int(EventType.FUND_CLASS) << 56 | (event.entity + 1) << 32].payload
    day = event.valid_from + timedelta(days=1)
    naive = database.query(
        "SELECT PERSONALCODE FROM mf_fundmanagernew WHERE INNERCODE = ? AND ACCESSIONDATE <= ?"
        " AND (DIMISSIONDATE IS NULL OR DIMISSIONDATE > ?)",
        params=[part.inner, day, day],
    ).table
    known = recoverable.fund_managers(part.inner, Cutoff(day))
    assert event.payload.code in {int(code) for code in naive.column(0).to_pylist()}
    assert event.payload.code not in known
    assert event.payload.code in recoverable.fund_managers(part.inner, Cutoff(event.disclosed_at.date()))


def test_reading_todays_class_gives_another_answer(world, database, recoverable):
    """The flag knows the class of the snapshot; a fund that has changed had another one before."""
    changed = [e for e in world.ledger.of(EventType.FUND_KIND) if e.seq and e.recorded_at < CONFIG.moment]
    assert changed
    wrong = 0
    for event in changed:
        part = world.ledger.by_id[int(EventType.FUND_CLASS) << 56 | (event.entity + 1) << 32].payload
        day = event.valid_from - timedelta(days=1)
        row = database.query(
            "SELECT THIRDASSETCATCODE FROM mf_jyfundtype WHERE INNERCODE = ? AND IFEFFECTED = 1",
            params=[part.inner],
        ).table
        today = [int(code) for code in row.column(0).to_pylist()]
        wrong += recoverable.fund_class(part.inner, Cutoff(day)) not in today
    assert wrong > len(changed) / 2


def test_the_modes_differ_where_the_vendor_is_late(world, recoverable, truth):
    """A value published on the evening of its day, and recorded on a later one."""
    book = world.funds.navs
    row = int(np.flatnonzero((book.recorded - book.published > 80_000) & ~book.wrong)[5])
    inner = next(
        part.payload.inner
        for life in world.funds.lives
        for part in life.classes
        if part.entity == book.entity[row]
    )
    day = EPOCH + timedelta(days=int(book.published[row]) // 86_400)
    assert truth.fund_nav(inner, Cutoff(day)) == (day, int(book.restored[row]))
    assert recoverable.fund_nav(inner, Cutoff(day))[0] < day
