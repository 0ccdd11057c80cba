"""A graph of columns, to be looked at: in the terminal, as DOT, and as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tallybayes._types import Name

if TYPE_CHECKING:
    from rich.text import Text


@dataclass(frozen=True)
class Graph:
    """Nodes and the arrows between them: an arrow leads from what something depends on to what depends on it.

    Attributes
    ----------
    nodes
        The names of the nodes, the class first.
    edges
        The arrows, from and to.

    Examples
    --------
    >>> graph = Graph.of_columns("好瓜", ("色泽", "纹理", "触感"), [("纹理", "色泽"), ("纹理", "触感")])
    >>> graph.edges[:2], len(graph.edges)
    ((('好瓜', '色泽'), ('好瓜', '纹理')), 5)
    >>> print(graph)
    好瓜
    └── 纹理
        ├── 色泽
        └── 触感
    """

    nodes: tuple[Name, ...]
    edges: tuple[tuple[Name, Name], ...]

    @classmethod
    def of_columns(cls, label: Name, columns: Sequence[Name], edges: Sequence[tuple[Name, Name]]) -> Graph:
        """Return the graph of columns that depend on a class, and on one another as `edges` say."""
        return cls((label, *columns), (*((label, name) for name in columns), *edges))

    @property
    def root(self) -> Name:
        """The class."""
        return self.nodes[0]

    @cached_property
    def parents(self) -> dict[Name, tuple[Name, ...]]:
        """What each node depends on, besides the class."""
        found: dict[Name, list[Name]] = {name: [] for name in self.nodes}
        for above, below in self.edges:
            if above != self.root:
                found[below].append(above)
        return {name: tuple(above) for name, above in found.items()}

    def to_dot(self) -> str:
        """Return the graph in the language of Graphviz."""
        from tallybayes.structure.graph_text import dot

        return dot(self)

    def to_svg(self) -> str:
        """Return the graph as a picture."""
        from tallybayes.structure.graph_svg import svg

        return svg(self)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __rich__(self) -> Text:
        from rich.text import Text

        return Text(str(self))

    def __str__(self) -> str:
        from tallybayes.structure.graph_text import lines

        return lines(self)
