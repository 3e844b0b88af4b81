"""Prices of models: a limit of cost without a price is refused, and nothing is guessed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from finassay.core import InputError

if TYPE_CHECKING:
    from inspect_ai.model import ModelCost


class Price(BaseModel):
    """US dollars per million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0)
    output: float = Field(ge=0)
    input_cache_read: float | None = Field(default=None, ge=0)
    input_cache_write: float | None = Field(default=None, ge=0)

    def of(self, tokens_in: int, tokens_out: int) -> float:
        """Return what so many tokens cost, none of them from a cache."""
        return (tokens_in * self.input + tokens_out * self.output) / 1e6

    def for_inspect(self, model: str) -> ModelCost:
        """Return the price as Inspect takes it, of a model that it may not know.

        A cache without a price of its own costs what input costs.
        """
        from inspect_ai.model import ModelCost, ModelInfo, get_model_info, set_model_info

        if get_model_info(model) is None:
            set_model_info(model, ModelInfo())
        read, write = self.input_cache_read, self.input_cache_write
        return ModelCost(
            input=self.input,
            output=self.output,
            input_cache_read=self.input if read is None else read,
            input_cache_write=self.input if write is None else write,
        )


def read_price(path: Path, model: str) -> Price:
    """Return the price of a model from a YAML or JSON file of prices by model.

    Raises
    ------
    InputError
        ``no_price``: the file has none for the model; ``bad_prices``: it is no file of prices.
    """
    try:
        prices = TypeAdapter(dict[str, Price]).validate_python(yaml.safe_load(path.read_text("utf-8")))
    except OSError as error:
        raise InputError(f"The prices {path} cannot be read: {error.strerror}.") from error
    except (yaml.YAMLError, ValidationError) as error:
        message = f"{path} is not a file of prices: {error}"
        raise InputError(
            message, hint="Expected MODEL: {input: 1.25, output: 10}.", reason="bad_prices"
        ) from error
    if model not in prices:
        raise InputError(
            f"{path} has no price for {model}; it has: {', '.join(prices) or 'none'}.",
            hint="A limit of cost is kept only where the price is known.",
            reason="no_price",
        )
    return prices[model]
