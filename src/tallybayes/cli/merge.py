"""``tallybayes merge``."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Annotated

import typer

from tallybayes.cli import options as opt


def merge(
    models: Annotated[
        list[str], typer.Argument(metavar="A B ...", help="Two model files or more.", show_default=False)
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="MODEL", help="Where to write their sum.", show_default=False)
    ],
    as_json: opt.Json = False,
) -> None:
    """Add models that learned different rows: the sum is what one model of all rows would be.

    Example: tallybayes merge monday.tally tuesday.tally -o both.tally
    """
    from tallybayes.cli.models import check_place, contents, open_model, rows_of, save_model
    from tallybayes.cli.writing import counted, print_json, show
    from tallybayes.errors import OptionError

    if len(models) < 2:
        raise OptionError("merge adds two models or more; name another one.")
    check_place(output)
    parts = [open_model(path) for path in models]
    whole = reduce(add, parts)
    size = save_model(whole, output)
    rows = [rows_of(part) for part in parts]
    if as_json:
        found = {"model": output, "parts": dict(zip(models, rows, strict=True)), "rows": rows_of(whole)}
        print_json(found | {"classes": whole.classes_.tolist()})
        return
    added = " + ".join(f"{path} ({counted(count, 'row')})" for path, count in zip(models, rows, strict=True))
    show(f"{added}: {contents(whole)}\nSaved {output} ({size}).")
