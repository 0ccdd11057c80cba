from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tallybayes.errors import DataWarning, MergeError, OptionError, TargetError
from tallybayes.factors.gaussian import GaussianFactor
from tallybayes.learn.fold import fold
from tallybayes.learn.learned import Learned
from tallybayes.models.naive import NaiveModel
from tallybayes.models.prior import Prior
from tallybayes.schema.encode import encode
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.rows import Rows
from tallybayes.schema.values import Values
from tallybayes.tallies.classes import ClassTally
from tallybayes.tallies.moments import MomentTally

SCHEMA = Schema((Field("x", "numeric", "number"),), named=True)
NEEDS = {"classes": ClassTally.empty(), "gaussian": MomentTally.empty(["x"])}


def rows(cells, labels, weights=None, first=0):
    table = pa.RecordBatch.from_pydict({"x": pa.array(cells, pa.float64())})
    return Rows(table, ("x",), pa.array(labels, pa.string()), None if weights is None else np.array(weights), first)


def encoder(block):
    return encode(block, SCHEMA, target_type="string")


def test_pieces_are_counted_and_added():
    total = fold([rows([1, 2], "ab"), rows([5], "a"), rows([], "")], encoder, NEEDS)
    assert total["classes"].rows.tolist() == [2, 1]
    assert total["gaussian"].mean[:, 0].tolist() == [3.0, 2.0]


def test_one_warning_for_all_rows_without_a_label():
    with pytest.warns(DataWarning, match="2 of 5 rows have no label") as caught:
        fold([rows([1, 2], ["a", None]), rows([1, 2, 3], ["b", None, "b"])], encoder, NEEDS)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("labels", "weights", "words"),
    [
        ([None, None], None, "'play' is missing in all 2 rows"),
        (["a", None], [0.0, 1.0], "1 have no label and the others have the weight zero"),
        (["a", "b"], [0.0, 0.0], "weight zero. Check the target 'play' and sample_weight"),
    ],
    ids=str,
)
def test_nothing_to_learn(labels, weights, words):
    with pytest.raises(TargetError, match=words):
        fold([rows([1, 2], labels, weights)], encoder, NEEDS, target="play")


def learned(cells, labels, needs=NEEDS, schema=SCHEMA, declared=()):
    tallies = {key: empty.count(encoder(rows(cells, labels))) for key, empty in needs.items()}
    return Learned(schema, tallies, "play", "string", Values(declared))


def test_classes_are_those_seen_and_those_declared():
    one = learned([1, 2], "ab", declared="cb")
    assert list(one.classes) == ["a", "b", "c"]
    assert list((one + learned([1], "z")).classes) == ["a", "b", "c", "z"]


def test_adding_and_taking_out():
    one, two = learned([1, 2], "ab"), learned([4, 6], "aa")
    both = one + two
    assert both.tallies["classes"].rows.tolist() == [3, 1]
    back = both.minus(two.tallies)
    assert back.tallies["gaussian"].mean.tolist() == [[1.0], [2.0]]
    assert one.tallies["classes"].rows.tolist() == [1, 1]  # nothing was changed on the way
    with pytest.raises(MergeError):
        one.minus(two.tallies)


def test_models_that_counted_other_things_do_not_add():
    with pytest.raises(MergeError, match="gaussian"):
        learned([1], "a") + learned([1], "a", {"classes": ClassTally.empty()})


def test_labels_of_two_types_do_not_add():
    one = learned([1], "a")
    two = Learned(SCHEMA, NEEDS, "play", "integer", Values([1, 2]))
    with pytest.raises(MergeError, match=r"texts .* \['a'\] and \[1, 2\]"):
        one + two


def test_a_model_that_needs_other_counts_is_refused():
    one = learned([1, 2], "ab")
    one.for_model(NaiveModel(Prior("uniform"), {"gaussian": GaussianFactor(("x",), ddof=1)}))
    with pytest.raises(OptionError, match="Call fit again"):
        one.for_model(NaiveModel(Prior(), {"gaussian": GaussianFactor(("x", "y"))}))
    with pytest.raises(OptionError, match="Call fit again"):
        one.for_model(NaiveModel(Prior(), {"kernel": GaussianFactor(("x",))}))
