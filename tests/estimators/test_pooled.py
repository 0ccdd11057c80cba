"""Columns of many values, the rare ones pooled: learned, asked, drawn, saved and added."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tallybayes as tb
from tallybayes import errors
from tallybayes.schema.field import OTHER
from tallybayes.schema.values import Values
from tests.sources.asking import refused

N = 3000


def table(seed=0, *, texts):
    rng = np.random.default_rng(seed)
    place = np.minimum(rng.geometric(0.3, N), 40)
    codes = [f"z{k}" for k in place] if texts else (place * 10).tolist()
    y = np.where(rng.random(N) < np.where(place > 4, 0.8, 0.3), "far", "near").tolist()
    return pa.table({"code": codes, "t": rng.choice(list("ab"), N).tolist()}), y


def model_of(X, y):
    return tb.TAN(columns={"code": "categorical"}, max_values=5).fit(X, y)


@pytest.mark.parametrize("texts", [True, False])
def test_the_others_count_as_one(texts):
    X, y = table(texts=texts)
    model = model_of(X, y)
    kept = Values([f"z{k}" for k in range(1, 5)]) if texts else Values([10, 20, 30, 40])
    assert model.schema_["code"].kept == kept
    # As if the rows had been written so.
    pooled = [str(code) if code in kept else "else" for code in X["code"].to_pylist()]
    expected = tb.TAN(max_values=None).fit(X.set_column(0, "code", pa.array(pooled)), y)
    rows = X.slice(0, 200)
    asked = rows.set_column(0, "code", pa.array(pooled[:200]))
    np.testing.assert_allclose(model.predict_joint_log_proba(rows), expected.predict_joint_log_proba(asked), rtol=1e-9)
    # A value that nobody has seen is one of the others, too.
    new = [{"code": "z99" if texts else 990, "t": "a"}]
    np.testing.assert_allclose(
        model.predict_joint_log_proba(new), expected.predict_joint_log_proba([{"code": "else", "t": "a"}]), rtol=1e-9
    )


@pytest.mark.parametrize("texts", [True, False])
def test_what_is_drawn_is_read_as_it_was_drawn(texts):
    X, y = table(texts=texts)
    model = model_of(X, y)
    drawn, classes = model.sample(N, random_state=1)
    assert pa.types.is_integer(drawn.schema.field("code").type) != texts
    kept = set(model.schema_["code"].kept)
    given = np.mean([code not in kept for code in X["code"].to_pylist()])
    found = np.mean([code not in kept for code in drawn["code"].to_pylist()])
    assert abs(given - found) < 0.04
    again = tb.TAN(columns={"code": "categorical"}, max_values=5).fit(drawn, classes)
    assert again.schema_["code"].kept in (None, model.schema_["code"].kept)


def test_evidence_and_summary_call_them_the_others():
    X, y = table(texts=True)
    model = model_of(X, y)
    found = model.explain([{"code": "z17", "t": "a"}, {"code": "z1", "t": "a"}]).table.to_pylist()
    assert [line["value"] for line in found if line["column"] == "code"] == ["z17 in (other)", "z1"]
    assert "P((other))" in str(model.summary())


def test_they_are_kept_added_saved_and_chosen_again(tmp_path):
    (X, y), (Z, w) = table(texts=True), table(3, texts=True)
    model = model_of(X, y)
    model.save(tmp_path / "x.tally")
    again = tb.load(tmp_path / "x.tally").partial_fit(Z, w)
    assert again.schema_["code"].kept == model.schema_["code"].kept
    both = model + tb.load(tmp_path / "x.tally").partial_fit(Z, w).forget(X, y)
    np.testing.assert_allclose(both.predict_proba(Z), again.predict_proba(Z), rtol=1e-12)
    flipped = Z.set_column(0, "code", pa.array([f"z{45 - int(c[1:])}" for c in Z["code"].to_pylist()]))
    other = model_of(flipped, w)
    refused(lambda: model + other, "4 values kept, 'z1'", kind=errors.MergeError)
    assert model.reselect(flipped, w).schema_["code"].kept == other.schema_["code"].kept
    assert OTHER in other.schema_["code"].declared
