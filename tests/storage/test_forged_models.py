"""Models that somebody has changed by hand: the checksum is right, and the numbers are those of no rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tallybayes as tb
from tallybayes.errors import ModelFileError
from tallybayes.storage.file import load_model, save_model

N = 60
RNG = np.random.default_rng(5)
Y = RNG.choice(["a", "b"], N)
TABLE = pd.DataFrame({name: RNG.normal(size=N) for name in ("number", "kernel", "histogram")})
TABLE["word"], TABLE["truth"] = RNG.choice(list("xyz"), N), RNG.random(N) < 0.4
TABLE["count"], TABLE["term"] = RNG.poisson(3, (2, N))
TABLE.loc[::7, ["word", "number"]] = None
FACTORS = {"kernel": "kernel", "histogram": "histogram", "term": "multinomial"}
MODEL = tb.NaiveBayes(columns={"count": "count", "term": "count"}, factors=FACTORS, missing="category")
MODEL.fit(TABLE, Y, sample_weight=RNG.random(N) + 0.1)
ARRAYS = [f"{key}/{name}" for key, tally in MODEL.tallies_.items() for name in tally.state().arrays]

REFUSALS = r"no rows have|no numbers have|negative|more rows than|other rows than|not finite"

Change = Callable[[Any], Any]
CHANGES: dict[str, Change] = {
    "below zero": lambda a: -np.abs(a) - 1,
    "zero": lambda a: a * 0,
    "huge": lambda a: a * 0 + (2**62 if a.dtype.kind == "i" else 1e299),
    "large": lambda a: a * 0 + (2**52 if a.dtype.kind == "i" else 1e150),
    "twice": lambda a: a * 2,
    "one more": lambda a: a + 1,
    "reversed": lambda a: a.ravel()[::-1].reshape(a.shape),
    "tiny": lambda a: a * (0 if a.dtype.kind == "i" else 1e-200),
}


def first(change: Change) -> Change:
    """Return the change of one number alone."""

    def changed(array: Any) -> Any:
        other = array.copy()
        other.ravel()[0] = change(array).ravel()[0]
        return other

    return changed


@pytest.fixture
def saved(tmp_path):
    MODEL.save(tmp_path / "x.tally")
    return tmp_path / "x.tally"


def forged(path, changes: dict[str, Change], **header: Any) -> None:
    told, arrays = load_model(path)
    arrays = {name: changes[name](array) if name in changes else array for name, array in arrays.items()}
    save_model(path, {**told, **header}, arrays)


def test_the_model_itself_loads(saved):
    forged(saved, {})
    np.testing.assert_array_equal(tb.load(saved).predict_proba(TABLE), MODEL.predict_proba(TABLE))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("array", ARRAYS)
def test_numbers_that_no_rows_have_are_refused_or_do_no_harm(saved, array, change):
    for one in (change, first(change)):
        forged(saved, {array: one})
        try:
            model = tb.load(saved)
        except ModelFileError:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tb.errors.TallyBayesWarning)  # any other is an error
            posterior = model.predict_proba(TABLE)
        np.testing.assert_allclose(posterior.sum(axis=1), 1.0)


@pytest.mark.parametrize(
    ("array", "change"),
    [
        *((name, "huge") for name in ARRAYS if name.endswith("rows")),
        *((name, "zero") for name in ARRAYS if name.endswith("/rows") and name != "presence/rows"),
        *((name, "zero") for name in ARRAYS if name.endswith("/n_rows")),
        *((name, "twice") for name in ARRAYS if name.endswith("/n_rows")),
        ("classes/rows", "one more"),
        ("classes/rows", "large"),
        ("classes/weights", "below zero"),
        ("classes/weights", "huge"),
        ("categorical/rows", "one more"),
        ("categorical/weights", "below zero"),
        ("gaussian/moments", "below zero"),
        ("gaussian/moments", "large"),
        ("gaussian/rows", "large"),
        ("kernel/rows", "large"),
        ("poisson/totals", "below zero"),
        ("presence/absent", "below zero"),
        ("bernoulli/weights", "below zero"),
    ],
)
def test_what_is_certainly_not_of_rows_is_refused(saved, array, change):
    forged(saved, {array: CHANGES[change]})
    with pytest.raises(ModelFileError, match=REFUSALS):
        tb.load(saved)


@pytest.mark.parametrize("part", [0, 4], ids=["weight", "M2"])
def test_a_moment_below_zero_is_refused(saved, part):
    def changed(moments):
        other = moments.copy()
        other[part] = -1e9
        return other

    forged(saved, {"gaussian/moments": changed})
    with pytest.raises(ModelFileError, match="moments that no rows have"):
        tb.load(saved)


def test_all_zeros_are_refused(saved):
    forged(saved, dict.fromkeys(ARRAYS, CHANGES["zero"]))
    with pytest.raises(ModelFileError):
        tb.load(saved)


@pytest.mark.parametrize("prior", [[[0.5, 0.5]], [0.5, "x"], {"a": [0.5], "b": 0.5}, "flat", [-1.0, 2.0]], ids=str)
def test_a_prior_that_is_none_is_refused(saved, prior):
    told, arrays = load_model(saved)
    save_model(saved, {**told, "options": {**told["options"], "prior": prior}}, arrays)
    with pytest.raises(ModelFileError, match="prior"):
        tb.load(saved)


def test_what_rounding_left_without_a_weight_is_saved_and_answers(tmp_path):
    X = pd.DataFrame({"w": ["u", "v", "v", "u"], "n": [1.0, 2.0, 5.0, 7.0], "t": [True, None, False, True]})
    heavy, y = np.array([True, False, True, False]), np.array(["a", "a", "b", "b"])
    model = tb.NaiveBayes(missing="category").fit(X, y, sample_weight=np.where(heavy, 1e20, 1.0))
    model.forget(X[heavy], y[heavy], sample_weight=[1e20, 1e20])
    assert model.tallies_["classes"].weights.tolist() == [0, 0]
    assert model.tallies_["classes"].rows.tolist() == [1, 1]
    posterior = model.predict_proba(X)
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0)
    model.save(tmp_path / "x.tally")
    np.testing.assert_array_equal(tb.load(tmp_path / "x.tally").predict_proba(X), posterior)
