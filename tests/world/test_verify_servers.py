"""A world on a real server is verified as one in a file is: all questions are read by the engine, and agree."""

from __future__ import annotations

from datetime import date

import pytest

from finassay.database import connect
from finassay.world import WorldConfig, build_world, verify_world
from finassay.world._questions import FAMILIES

SMALL = WorldConfig(0.01, 3, date(2018, 9, 30))


@pytest.mark.parametrize("kind", ["mariadb", "postgres"])
def test_a_world_on_a_server_is_verified(request, serial, kind):
    server = request.getfixturevalue(kind)
    with server.database("checked") as name:
        build_world(SMALL, server.admin_url(name), serial)
        with connect(server.admin_url(name)) as database:
            found = verify_world(database, serial, questions=100, boundary_questions=300, facts=False)
    assert [check for check in found.checks if not check.passed] == []
    assert [agreement.family for agreement in found.agreements] == [family.name for family in FAMILIES]
    assert all(agreement.questions >= 100 for agreement in found.agreements)
