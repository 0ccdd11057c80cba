"""What ``update`` and ``forget`` share: a model file is read, changed by some rows, and written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tallybayes.cli.models import check_place, contents, open_model, rows_of, save_model, target_of
from tallybayes.cli.reading import Reading, progress
from tallybayes.cli.writing import counted, print_json, show
from tallybayes.storage.lock import alone_with


def change(
    model: str,
    reading: Reading,
    output: str | None,
    target: str | None,
    weights: str | None,
    doing: str,
    method: Callable[[Any], Callable[[Any], Any]],
    *,
    as_json: bool,
) -> None:
    """Change a model by the rows of DATA, and save it.

    Parameters
    ----------
    model, output
        The model file, and where to write if that is to stay as it is.
    reading, target, weights
        The rows, and the columns of labels and weights.
    doing
        What is done, for the bar.
    method
        Returns the method of a fitted model that takes the rows.
    as_json
        Whether a program reads what is printed.
    """
    place = model if output is None else output
    check_place(place)
    reading.keep_apart(place)
    with alone_with(place):
        fitted = open_model(model)
        before = rows_of(fitted)
        rows = reading.open(target_of(fitted, model, target), weights, only=fitted.schema_.names)
        with progress(doing, rows) as source:
            method(fitted)(source)
        size = save_model(fitted, place)
    after = rows_of(fitted)
    if as_json:
        print_json({"model": place, "rows_before": before, "rows": after, "classes": fitted.classes_.tolist()})
        return
    more = "more" if after >= before else "fewer"
    changed = counted(abs(after - before), f"row {more}", f"rows {more}")
    show(f"{changed} of {reading.label}; the model now has {contents(fitted)}.\nSaved {place} ({size}).")
