"""A graph of columns as lines of text and in the language of Graphviz."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybayes._types import Name

if TYPE_CHECKING:
    from tallybayes.structure.graph import Graph


def lines(graph: Graph) -> str:
    """Return the graph as an indented tree.

    A node stands under the first node that it depends on; the others are named beside it.
    """
    below: dict[Name, list[tuple[Name, str]]] = {name: [] for name in graph.nodes}
    for name in graph.nodes[1:]:
        above = graph.parents[name]
        more = f"  (and {', '.join(map(shown, above[1:]))})" if len(above) > 1 else ""
        below[above[0] if above else graph.root].append((name, shown(name) + more))
    found = [shown(graph.root)]
    waiting = [("", child, k == 0) for k, child in enumerate(reversed(below[graph.root]))]
    while waiting:
        indent, (name, words), last = waiting.pop()
        found.append(f"{indent}{'└── ' if last else '├── '}{words}")
        deeper = indent + ("    " if last else "│   ")
        waiting += [(deeper, child, k == 0) for k, child in enumerate(reversed(below[name]))]
    return "\n".join(found)


def dot(graph: Graph) -> str:
    """Return the graph in the language of Graphviz; the arrows of the class are dotted.

    Examples
    --------
    >>> from tallybayes.structure.graph import Graph
    >>> print(dot(Graph.of_columns("spam", ("hour", "sender"), [("hour", "sender")])))
    digraph {
        rankdir=LR;
        node [shape=box, style=rounded];
        n0 [label="spam", style="rounded,bold"];
        n1 [label="hour"];
        n2 [label="sender"];
        n0 -> n1 [style=dotted];
        n0 -> n2 [style=dotted];
        n1 -> n2;
    }
    """
    number = {name: k for k, name in enumerate(graph.nodes)}
    bold = ', style="rounded,bold"'
    nodes = [f"n{k} [label={_quoted(name)}{bold if k == 0 else ''}];" for name, k in number.items()]
    dotted = " [style=dotted]"
    arrows = [f"n{number[a]} -> n{number[b]}{dotted if a == graph.root else ''};" for a, b in graph.edges]
    body = ["rankdir=LR;", "node [shape=box, style=rounded];", *nodes, *arrows]
    return "\n".join(["digraph {", *(f"    {line}" for line in body), "}"])


def shown(name: object) -> str:
    r"""Return a name as one line that no terminal takes for a command.

    Examples
    --------
    >>> shown("two\nlines"), shown("好瓜"), shown(0)
    ('two\\nlines', '好瓜', '0')
    """
    text = str(name)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def _quoted(name: object) -> str:
    escaped = shown(name).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
