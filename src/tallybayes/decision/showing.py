"""How labels and numbers are shown to people and to programs."""

from __future__ import annotations

import io
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def printable(value: object) -> str:
    r"""Return a label or a cell as one line that no terminal takes for a command.

    Examples
    --------
    >>> printable("two\nlines"), printable("好瓜"), printable(1.0)
    ('two\\nlines', '好瓜', '1.0')
    """
    text = str(value)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def json_value(value: Any) -> Any:
    """Return a label or a number as strict JSON can hold it: NaN is null, and the infinities are strings.

    ``float("Infinity")`` in Python and ``Number("Infinity")`` in JavaScript read the strings back.

    Examples
    --------
    >>> json_value(1), json_value(float("nan")), json_value(float("-inf"))
    (1, None, '-Infinity')
    """
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value if value is None or isinstance(value, str | int | float) else str(value)


def slim_table() -> Table:
    """Return an empty Rich table with a line under its head and nothing around it.

    Labels go into it as ``rich.text.Text``: a plain string may hold what Rich takes for markup.
    """
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))


def as_text(renderable: RenderableType, *, width: int = 100) -> str:
    """Return what Rich would print on a plain page, without colours."""
    from rich.console import Console

    page = io.StringIO()
    Console(file=page, width=width, force_terminal=False, color_system=None).print(renderable)
    return "\n".join(line.rstrip() for line in page.getvalue().splitlines()).strip("\n")
