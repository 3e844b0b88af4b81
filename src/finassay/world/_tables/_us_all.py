"""The tables of the US side by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from finassay.world._tables._us import (
    us_corporate_action,
    us_filing,
    us_index_member,
    us_listing_event,
    us_macro_vintage,
    us_security,
    us_yield_curve,
)
from finassay.world._tables._us_facts import us_fact
from finassay.world._tables._us_quotes import us_price_daily

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from finassay.world._tables._view import View

US_TABLES: dict[str, Callable[[View], pa.Table | Iterator[pa.Table]]] = {
    "us_security": us_security,
    "us_listing_event": us_listing_event,
    "us_price_daily": us_price_daily,
    "us_corporate_action": us_corporate_action,
    "us_filing": us_filing,
    "us_fact": us_fact,
    "us_index_member": us_index_member,
    "us_macro_vintage": us_macro_vintage,
    "us_yield_curve": us_yield_curve,
}
