"""The research world: an event ledger, the economy that writes it, its database at a snapshot, and the oracle.

`finassay.world.oracle` answers as-of questions from the ledger alone.
"""

from __future__ import annotations

from finassay.world._build import Built, TableInfo, WorldInfo, build_world, world_info, world_tables
from finassay.world._config import BLOCKS, SMALLEST, WorldConfig
from finassay.world._events import Event, EventType, Origin
from finassay.world._fact import Fact
from finassay.world._facts import measure
from finassay.world._family import Family, Question
from finassay.world._ledger import Ledger
from finassay.world._materialise import content_hash, materialise
from finassay.world._questions import FAMILIES, Agreement, Disagreement, Oracles, answers, compare, oracles
from finassay.world._tables._documents import document_truth
from finassay.world._traps import MECHANISMS, Coverage, Mechanism, Trap, Traps
from finassay.world._truth import TruthReturn, truth_return
from finassay.world._verify import Check, Verification, verify_world
from finassay.world._world import World, counterfactual, simulate

__all__ = [
    "BLOCKS",
    "FAMILIES",
    "MECHANISMS",
    "SMALLEST",
    "Agreement",
    "Built",
    "Check",
    "Coverage",
    "Disagreement",
    "Event",
    "EventType",
    "Fact",
    "Family",
    "Ledger",
    "Mechanism",
    "Oracles",
    "Origin",
    "Question",
    "TableInfo",
    "Trap",
    "Traps",
    "TruthReturn",
    "Verification",
    "World",
    "WorldConfig",
    "WorldInfo",
    "answers",
    "build_world",
    "compare",
    "content_hash",
    "counterfactual",
    "document_truth",
    "materialise",
    "measure",
    "oracles",
    "simulate",
    "truth_return",
    "verify_world",
    "world_info",
    "world_tables",
]
