"""Questions about syntax trees: which nodes are of one query, which hold aggregates or windows."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from finassay.database._mysql._aggregates import AGGREGATES

QUERIES = (exp.Subquery, exp.Select, exp.SetOperation)


def is_aggregate(node: Any) -> bool:
    """Return whether a node is an aggregate of its own query (not a window function)."""
    return (
        isinstance(node, exp.Anonymous)
        and node.this in AGGREGATES
        and not isinstance(node.parent, exp.Window)
    )


def walk_own(node: Any) -> list[Any]:
    """Return the nodes of an expression without those of its subqueries."""
    found = [node]
    if isinstance(node, QUERIES):
        return found
    for child in node.iter_expressions():
        found += walk_own(child)
    return found


def has_aggregate(node: Any) -> bool:
    """Return whether an expression holds an aggregate of its own query."""
    return any(is_aggregate(each) for each in walk_own(node))


def reads_columns(node: Any) -> bool:
    """Return whether an expression reads columns, and not only inside aggregates."""
    own = walk_own(node)
    return any(isinstance(each, exp.Column) for each in own) and not any(is_aggregate(each) for each in own)


def beside_window(node: Any) -> bool:
    """Return whether MariaDB puts an expression into a temporary table because a window function stands beside it.

    Before windows are computed, the parts of an expression that hold no window function, no aggregate and some column
    are stored, with the digits shown: ``close / prev - AVG(…) OVER ()`` subtracts from a rounded quotient.
    """
    parent = node.parent if not isinstance(node.parent, exp.If) else node.parent.parent
    if parent is None or isinstance(parent, (exp.Select, exp.Alias, exp.Window, exp.Ordered)):
        return False
    if not any(isinstance(each, exp.Window) for each in walk_own(parent)):
        return False
    return reads_columns(node) and not any(isinstance(each, exp.Window) for each in walk_own(node))


def beside_other_windows(window: Any) -> bool:
    """Return whether a window function inside an expression stands in a SELECT with windows of another order."""
    if isinstance(window.parent, (exp.Select, exp.Alias)):
        return False
    select = window.find_ancestor(exp.Select)
    sorts = {
        str([each.args.get(part) for part in ("partition_by", "order", "alias")])
        for item in select.expressions
        for each in walk_own(item)
        if isinstance(each, exp.Window)
    }
    return len(sorts) > 1
