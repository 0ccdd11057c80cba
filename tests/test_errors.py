from __future__ import annotations

import inspect
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import tallybayes as tb
from tallybayes import errors
from tallybayes.decision.unfitted import UnfittedError


def classes():
    return [c for c in vars(errors).values() if inspect.isclass(c) and issubclass(c, Exception)]


def drawn():
    """Return every class of the tree in the docstring with the class that it hangs from, and its other bases."""
    found, above = {}, []
    for line in errors.__doc__.splitlines():
        match = re.match(r"^    ([│├└─ ]*)([A-Z]\w+)(?:\(([^)]*)\))?", line)
        if match is None:
            continue
        depth = len(match[1]) // 4
        above[depth:] = [match[2]]
        found[match[2]] = (above[depth - 1] if depth else None, (match[3] or "").split(", ") if match[3] else [])
    return found


def test_the_tree_in_the_docstring_is_the_tree_of_the_classes():
    tree = drawn()
    assert set(tree) == {c.__name__ for c in (*classes(), UnfittedError)}
    for name, (parent, others) in tree.items():
        if name == UnfittedError.__name__:  # which needs scikit-learn, and so is declared apart
            assert issubclass(UnfittedError, getattr(errors, parent))
            continue
        bases = [base.__name__ for base in getattr(errors, name).__bases__]
        if parent is not None:
            assert bases[0] == parent, name
            assert bases[1:] == others, name


def test_every_error_says_in_a_sentence_what_it_is():
    for kind in classes():
        assert kind.__doc__
        assert kind.__doc__.endswith(".")


@pytest.mark.parametrize(
    ("name", "known", "meant"),
    [
        ("knd", ["size", "kind"], "kind"),
        ("Size", ["colour", "size"], "size"),
        ("SIZE", ["kind", "Size"], "Size"),
        ("x", ["X", "xx"], "X"),
        (3, ["33", "4"], "33"),
        ("color", ["colour", "colder"], "colour"),
        ("zebra", ["size", "kind"], None),
        ("zebra", [], None),
    ],
)
def test_did_you_mean(name, known, meant):
    said = errors.did_you_mean(name, known)
    assert said == ("" if meant is None else f" Did you mean {meant!r}?")


FRAME = pd.DataFrame({"a": [1.5, 2.5] * 15, "b": ["x", "y"] * 15, "id": [f"k{i}" for i in range(30)]})
LABELS = ["p", "q"] * 15


def lines_of(caught):
    return [(w.filename, w.lineno) for w in caught if issubclass(w.category, errors.TallyBayesWarning)]


@pytest.mark.parametrize(
    "call",
    [
        lambda model, _: model.fit(FRAME, LABELS),  # a column like an id
        lambda _, fitted: fitted.predict(FRAME.assign(more=1)),  # a column too many
        lambda _, fitted: fitted.predict(FRAME.to_numpy()),  # no names
        lambda model, _: model.fit(FRAME[["a"]], [None, *LABELS[1:]]),  # a row without a label
        lambda model, _: model.fit(FRAME[["a"]], ["p"] * 30),  # a single class
    ],
)
def test_a_warning_points_at_the_line_of_the_user(call):
    model = tb.NaiveBayes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = tb.NaiveBayes().fit(FRAME, LABELS)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(model, fitted)
    [(file, line)] = lines_of(caught)
    assert file == __file__
    assert line == call.__code__.co_firstlineno


def test_a_warning_looks_through_scikit_learn_too():
    X = np.array([[1.5, np.nan], [2.5, np.nan]] * 15)
    pipeline = make_pipeline(tb.NaiveBayes())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pipeline.fit(X, LABELS)
    [(file, _)] = lines_of(caught)
    assert file == __file__
