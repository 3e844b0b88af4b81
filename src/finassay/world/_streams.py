"""Random streams, one per (seed, purpose, entity): no draw depends on another entity, nor on the order of work."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from finassay.world._draws import Stream


class Purpose(IntEnum):
    """What a stream is for. The numbers are part of a world's identity: never renumber, only append."""

    MARKET = 1
    SECTOR = 2
    ISSUER = 3
    LIFE = 4
    INDUSTRY = 5
    DIVIDEND = 6
    RETURN = 7
    QUOTE = 8
    VENDOR = 9
    INDEX = 10
    QUESTION = 11
    TRAP = 12
    INTRADAY = 13
    STRATA = 14
    STATEMENT = 20  # and on to 29: companies
    REPORT = 21
    SHARES = 22
    HOLDERS = 23
    CONCEPT = 24
    COMPANY = 25
    MERGER = 26
    NEEQ = 30  # and on to 34: the NEEQ, and competitors
    NEEQ_LIFE = 31
    NEEQ_QUOTE = 32
    COMPETITOR = 33
    US = 40  # and on to 59: the US side and the documents
    US_ISSUER = 41
    US_LIFE = 42
    US_RETURN = 43
    US_QUOTE = 44
    US_STATEMENT = 45
    US_FILING = 46
    US_ACTION = 47
    US_MACRO = 48
    US_CURVE = 49
    NEWS = 50
    DOCUMENT = 51
    CN_MACRO = 60  # and on to 79: bonds, convertibles, curves and Chinese macro series
    CURVE = 61
    SPREAD = 62
    FIXING = 63
    CURRENCY = 64
    BOND_INDEX = 65
    DEBTOR = 66
    BOND = 67
    BOND_QUOTE = 68
    CONVERTIBLE = 69
    CONVERTIBLE_QUOTE = 70
    FUND = 80  # and on to 95: funds and overseas indices
    FUND_PERSON = 81
    FUND_TRAIT = 82
    FUND_PICK = 83
    FUND_NAV = 84
    FUND_REPORT = 85
    FUND_SIZE = 86
    FUND_HOLDER = 87
    FUND_BOND_FACTOR = 88
    OVERSEAS = 89
    FUND_QUOTE = 90


def stream(seed: int, purpose: Purpose, entity: int, block: int = 0) -> np.random.Generator:
    """Return the stream of an entity for a purpose (world.md, 6).

    Parameters
    ----------
    seed : int
        The world's seed, 0 to 2**64 - 1.
    purpose : Purpose
        What it is for.
    entity : int
        The entity, 0 to 2**24 - 1.
    block : int
        A part of the stream that starts far away from the others.

    Returns
    -------
    numpy.random.Generator
        A `Stream`. Counter-based; equal arguments give equal draws in any process.
    """
    key = np.array([seed, (int(purpose) << 40) | entity], dtype=np.uint64)
    counter = np.array([0, 0, 0, block], dtype=np.uint64)
    return Stream(np.random.Philox(key=key, counter=counter))
