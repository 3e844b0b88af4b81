"""Runs inside the jail: keeps every matplotlib figure, and the data that it draws. Standard library only.

A figure is kept when pyplot forgets it (`plt.close`) and, for those still open, when the program ends; so it does not
matter whether the program saved it, showed it, or which backend it chose.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import json
import os
import sys
from typing import Any

MOST_FIGURES = 20
MOST_POINTS = 100_000
_REGISTRY = "matplotlib._pylab_helpers"


class Capture:
    """The figures of one run."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.count = 0

    def keep(self, figure: Any) -> None:
        """Save a figure once: a picture and its data."""
        if self.count >= MOST_FIGURES or getattr(figure, "_finassay_kept", False) or not figure.axes:
            return
        figure._finassay_kept = True
        self.count += 1
        base = os.path.join(self.folder, f"figure_{self.count}")
        try:
            figure.savefig(base + ".png", format="png", dpi=100)
            data = describe(figure)
        except Exception as error:  # noqa: BLE001 - keeping a figure must not change how the program runs
            data = {"title": "", "axes": [], "error": f"{type(error).__name__}: {error}"[:1000]}
        with open(base + ".json", "w", encoding="utf-8") as stream:
            json.dump(data, stream, ensure_ascii=False)

    def finish(self) -> None:
        """Keep the figures that are still open."""
        helpers = sys.modules.get(_REGISTRY)
        if helpers is not None:
            for manager in list(helpers.Gcf.get_all_fig_managers()):
                self.keep(manager.canvas.figure)

    def watch(self, helpers: Any) -> None:
        """Keep figures that pyplot is about to forget."""
        registry = helpers.Gcf
        destroy, destroy_all, destroy_fig = registry.destroy, registry.destroy_all, registry.destroy_fig

        def before_destroy(number: Any) -> None:
            manager = registry.figs.get(number) if isinstance(number, int) else number
            if hasattr(manager, "canvas"):
                self.keep(manager.canvas.figure)
            destroy(number)

        def before_destroy_fig(figure: Any) -> None:
            self.keep(figure)
            destroy_fig(figure)

        def before_destroy_all() -> None:
            self.finish()
            destroy_all()

        registry.destroy = staticmethod(before_destroy)
        registry.destroy_fig = staticmethod(before_destroy_fig)
        registry.destroy_all = staticmethod(before_destroy_all)


def install(folder: str) -> Capture:
    """Watch matplotlib, now if it is imported already, else when it is."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    os.environ.setdefault("MPLCONFIGDIR", "/tmp/matplotlib")
    capture = Capture(folder)
    if _REGISTRY in sys.modules:
        capture.watch(sys.modules[_REGISTRY])
    else:
        sys.meta_path.insert(0, _Hook(capture))
    return capture


class _Hook(importlib.abc.MetaPathFinder):
    """Lets matplotlib's figure registry be imported as usual, then watches it."""

    def __init__(self, capture: Capture) -> None:
        self.capture = capture

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != _REGISTRY:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        loader: Any = spec.loader
        execute = loader.exec_module

        def exec_module(module: Any) -> None:
            execute(module)
            self.capture.watch(module)

        loader.exec_module = exec_module
        return spec


def describe(figure: Any) -> dict[str, Any]:
    """Return the data behind a figure: per axes its labels and what it draws."""
    title = getattr(figure, "_suptitle", None)
    return {"title": title.get_text() if title else "", "axes": [_axes(axes) for axes in figure.axes]}


def _axes(axes: Any) -> dict[str, Any]:
    legend = axes.get_legend()
    return {
        "title": axes.get_title(),
        "xlabel": axes.get_xlabel(),
        "ylabel": axes.get_ylabel(),
        "xscale": axes.get_xscale(),
        "yscale": axes.get_yscale(),
        "legend": [text.get_text() for text in legend.get_texts()] if legend else [],
        "xticklabels": [text.get_text() for text in axes.get_xticklabels()][:200],
        "lines": [_line(line) for line in axes.lines],
        "bars": [_bars(container) for container in axes.containers if hasattr(container, "patches")],
        "scatters": [_scatter(collection) for collection in axes.collections],
        "wedges": [
            {"label": p.get_label(), "theta1": p.theta1, "theta2": p.theta2}
            for p in axes.patches
            if hasattr(p, "theta1")
        ],
        "images": [{"shape": list[Any](image.get_array().shape)} for image in axes.images],
        "texts": [text.get_text() for text in axes.texts][:200],
    }


def _line(line: Any) -> dict[str, Any]:
    return {"label": line.get_label(), "x": _plain(line.get_xdata()), "y": _plain(line.get_ydata())}


def _bars(container: Any) -> dict[str, Any]:
    shapes = [(p.get_x(), p.get_y(), p.get_width(), p.get_height()) for p in container.patches[:MOST_POINTS]]
    return {
        "label": str(container.get_label()),
        "x": _plain([s[0] + s[2] / 2 for s in shapes]),
        "y": _plain([s[1] for s in shapes]),
        "width": _plain([s[2] for s in shapes]),
        "height": _plain([s[3] for s in shapes]),
    }


def _scatter(collection: Any) -> dict[str, Any]:
    offsets = collection.get_offsets()[:MOST_POINTS]
    return {
        "kind": type(collection).__name__,
        "label": collection.get_label(),
        "x": _plain([point[0] for point in offsets]),
        "y": _plain([point[1] for point in offsets]),
    }


def _plain(values: Any) -> list[Any]:
    """Numbers as numbers, dates as ISO text, missing as null."""
    return [_scalar(value) for value in list(values)[:MOST_POINTS]]


def _scalar(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, (bool, int, str)):
        return value
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if type(value).__name__ == "datetime64":
        return str(value)
    try:
        number = float(value)
    except (TypeError, ValueError):
        return str(value)
    return number if number == number and number not in (float("inf"), float("-inf")) else None
