"""Callables as analyzers: their names in a model file, and back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tallybayes.errors import ModelFileError, OptionError

_SAFE: dict[str, Callable[[str], Iterable[str]]] = {
    "str.split": str.split,
    "str.splitlines": str.splitlines,
    "list": list,
}


@dataclass(frozen=True, eq=False)
class Absent:
    """Stands for a callable that a model was trained with and that a model file cannot hold.

    It equals every callable of that name, so that the model goes on with the one that it is given.
    """

    name: str

    def __eq__(self, other: object) -> bool:
        return callable(other) and name_of(other) == self.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __call__(self, text: str) -> Iterable[str]:
        raise OptionError(
            f"The model was trained with the callable analyzer {self.name}, which a model file does not hold. "
            f"Give it again: model.set_params(analyzer={self.name})."
        )


def name_of(function: Callable[[str], Iterable[str]]) -> str:
    """Return the name of a callable as a person would look for it."""
    for name, safe in _SAFE.items():
        if function is safe:
            return name
    if isinstance(function, Absent):
        return function.name
    described: Any = function if hasattr(function, "__qualname__") else type(function)
    module = "" if described.__module__ == "builtins" else f"{described.__module__}."
    return f"{module}{described.__qualname__}"


def from_name(name: object) -> Callable[[str], Iterable[str]]:
    """Return the callable of a name if it is known to be harmless, and else what says that it is absent."""
    if not isinstance(name, str):
        raise ModelFileError("The model file is damaged: its analyzer has no name. Fetch an intact copy.")
    return _SAFE.get(name, Absent(name))
