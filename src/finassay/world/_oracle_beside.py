"""What the oracle knows beside the ledger's events: daily values and figures of the economy, which are no events."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from finassay.world._world import World

LOOK_BACK = 30  # days: a daily value that is older is none


class Beside:
    """Holds the economy for the parts of the oracle that need more than events."""

    economy: World | None

    @property
    def beside(self) -> World:
        """The economy that the oracle was made with."""
        if self.economy is None:
            raise ValueError("the oracle was made without the economy, which values that are no events need")
        return self.economy
