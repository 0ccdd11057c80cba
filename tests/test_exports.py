"""What the package exports, and what importing it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import tallybayes

EXPORTS = [
    "AODE",
    "KDB",
    "SPODE",
    "TAN",
    "AutoBayes",
    "BayesDecision",
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "Discretizer",
    "Evaluation",
    "Evidence",
    "GaussianNB",
    "KernelNB",
    "LanguageModel",
    "MultinomialNB",
    "NBLogCountRatio",
    "NGramClassifier",
    "NaiveBayes",
    "Ranking",
    "Schema",
    "TextNB",
    "errors",
    "evaluate",
    "load",
    "rank",
    "threshold",
]
HEAVY = ["numpy", "scipy", "pyarrow", "sklearn", "numba", "pandas", "polars", "duckdb", "rich", "typer", "safetensors"]


def test_the_names_are_these():
    assert tallybayes.__all__ == EXPORTS
    assert dir(tallybayes) == sorted(EXPORTS)


@pytest.mark.parametrize("name", EXPORTS)
def test_each_is_there_and_has_a_docstring(name):
    value = getattr(tallybayes, name)
    assert value.__doc__
    assert getattr(value, "__name__", name).rpartition(".")[2] == name


def test_what_is_not_there():
    with pytest.raises(AttributeError, match="has no attribute 'NaiveBays'"):
        tallybayes.NaiveBays  # noqa: B018


def test_star_import_gives_these_and_no_more():
    space: dict[str, object] = {}
    exec("from tallybayes import *", space)
    assert sorted(set(space) - {"__builtins__"}) == sorted(EXPORTS)


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_it_imports_nothing_heavy():
    code = f"import sys, tallybayes, tallybayes.errors; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert run(code) == "[]"


def test_an_estimator_imports_neither_a_frame_library_nor_the_command_line():
    # scikit-learn itself imports pandas where it is installed.
    heavy = ["polars", "duckdb", "typer", "rich", "safetensors", "matplotlib"]
    code = f"import sys\nfrom tallybayes import NaiveBayes\nprint([m for m in {heavy!r} if m in sys.modules])"
    assert run(code) == "[]"
