"""Candidates that are counted together: each thing once, and each gets what it would have counted alone."""

from __future__ import annotations

import numpy as np
import pytest

from tallybayes.errors import OptionError
from tallybayes.factors.gaussian import GaussianFactor
from tallybayes.learn.candidates import Together, size_beforehand, size_of, tallies_for
from tallybayes.models.aode import AveragedModel
from tallybayes.models.kdb import KDependenceModel
from tallybayes.models.naive import NaiveModel
from tallybayes.models.prior import Prior
from tallybayes.models.tan import TreeModel
from tallybayes.schema.encode import encode
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.values import Values
from tallybayes.sources.open import open_source
from tallybayes.tallies.groups import GroupTally

NAMES = ("a", "b", "c")


def batch():
    rng = np.random.default_rng(0)
    rows = [{"a": a, "b": b, "c": c} for a, b, c in rng.choice(["x", "y", None], (50, 3)).tolist()]
    (rows,) = open_source(rows, rng.choice(["p", "q"], 50).tolist()).rows()
    schema = Schema(tuple(Field(name, "categorical", "string", "") for name in NAMES), True)
    return encode(rows, schema, target_type="string", estimator="a test")


def test_what_several_need_is_counted_once():
    pairs, triples = TreeModel(Prior(), NAMES), AveragedModel(Prior(), NAMES, order=2)
    single = AveragedModel(Prior("uniform"), NAMES, min_count=1)
    needs = Together(Prior(), (pairs, single, triples)).needs()
    assert list(needs) == ["classes", "0 together", "2 together"]
    normal = NaiveModel(Prior(), {"gaussian": GaussianFactor(("u",))})
    other = NaiveModel(Prior(), {"gaussian": GaussianFactor(("v",))})
    assert list(Together(Prior(), (normal, other, normal)).needs()) == ["classes", "0 gaussian", "1 gaussian"]


@pytest.mark.parametrize(
    "model",
    [
        TreeModel(Prior(), NAMES),
        TreeModel(Prior(), ("c", "b", "a")),
        AveragedModel(Prior(), NAMES, order=2),
        KDependenceModel(Prior(), ("a", "c"), order=("c", "a"), parents=((), ("c",))),
        KDependenceModel(Prior(), NAMES, order=("b", "c", "a"), parents=((), ("b",), ("c", "b"))),
    ],
    ids=lambda model: f"{type(model).__name__} {model.names}",
)
def test_each_gets_what_it_would_have_counted(model):
    rows = batch()
    counted = {
        key: empty.update(rows)
        for key, empty in Together(Prior(), (AveragedModel(Prior(), NAMES, order=2),)).needs().items()
    }
    found = tallies_for(counted, model)
    assert found.keys() == model.needs().keys()
    for key, empty in model.needs().items():
        alone, own = empty.update(rows).state(), found[key].state()
        assert own.header == alone.header
        for name, array in alone.arrays.items():
            assert np.array_equal(own.arrays[name], array)


def test_what_was_not_counted_is_said():
    counted = {key: empty.update(batch()) for key, empty in TreeModel(Prior(), NAMES).needs().items()}
    with pytest.raises(OptionError, match="was not counted"):
        tallies_for(counted, AveragedModel(Prior(), NAMES, order=2))


def test_memory_is_known_before_rows_are_counted():
    model, rows = AveragedModel(Prior(), NAMES, order=2), batch()
    values = dict.fromkeys(NAMES, Values(["x", "y"]))
    counted = GroupTally.empty(NAMES, model.groups()).update(rows)
    assert size_beforehand(model, values, 2) == size_of({"together": counted}) == 3**3 * 2 * 16
