from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.decision.posterior import normalise_rows
from tallybayes.errors import OptionError
from tallybayes.explain.evidence import Evidence, evidence
from tallybayes.schema.values import Values

INF = math.inf
LABELS = ("a", "b", "c", "d")
Model = tuple[Values, Any, Any]


@st.composite
def models(draw: st.DrawFn, fewest_classes: int = 1) -> Model:
    """Draw classes, a log prior and terms, with a good share of zero probabilities and of ties."""
    k = draw(st.integers(fewest_classes, 4))
    n, p = draw(st.integers(0, 4)), draw(st.integers(0, 4))
    few = st.sampled_from([-INF, -2.0, -1.0, 0.0])
    prior = draw(st.lists(few | st.floats(-1e3, 0), min_size=k, max_size=k))
    terms = draw(st.lists(few | st.floats(-1e3, 50), min_size=n * p * k, max_size=n * p * k))
    return Values(LABELS[:k]), np.array(prior), np.array(terms, dtype=float).reshape(n, p, k)


def explain(model: Model, **options: Any) -> Evidence:
    classes, prior, terms = model
    n, p, _ = terms.shape
    cells = [[f"{i},{j}" for i in range(n)] for j in range(p)]
    return evidence(classes, prior, terms, [f"x{j}" for j in range(p)], cells, **options)


def answer(model: Model) -> Any:
    """Return what predict goes by: the log joint, or the prior where every class has probability zero."""
    _, prior, terms = model
    joint = prior + terms.sum(axis=1)
    joint[np.isneginf(joint).all(axis=1)] = prior if np.isfinite(prior).any() else 0.0
    return joint


def codes(model: Model, labels: Any) -> list[int]:
    return [model[0].index[label] for label in labels]


@given(models(fewest_classes=2), st.data())
def test_prior_and_contributions_add_up_to_the_exact_log_odds(model: Model, data: st.DataObject) -> None:
    classes, prior, terms = model
    label = data.draw(st.sampled_from([None, *classes]))
    against = data.draw(st.sampled_from([None, *classes]).filter(lambda c: c is None or c != label))
    found = explain(model, label=label, against=against)
    assert label is None or set(found.label) <= {label}
    assert against is None or set(found.against) <= {against}
    for i, (a, b) in enumerate(zip(codes(model, found.label), codes(model, found.against), strict=True)):
        assert a != b
        assert found.log_odds[i] == math.fsum([found.prior[i], *found.contributions[i]])
        ours, theirs = [prior[a], *terms[i, :, a]], [prior[b], *terms[i, :, b]]
        if -INF in ours and -INF in theirs:  # 0/0: the prior answers
            expected = 0.0 if prior[a] == prior[b] else prior[a] - prior[b]
            assert (found.log_odds[i], found.set_aside[i]) == (expected, True)
            assert not found.contributions[i].any()
        elif -INF in ours or -INF in theirs:
            assert (found.log_odds[i], found.set_aside[i]) == (-INF if -INF in ours else INF, False)
        else:
            expected = math.fsum([*ours, *(-term for term in theirs)])
            size = math.fsum(map(abs, [*ours, *theirs]))
            assert found.log_odds[i] == pytest.approx(expected, rel=0, abs=1e-12 * size)
        assert found.rules_out_label[i].tolist() == np.isneginf(ours[1:]).tolist()
        assert found.rules_out_against[i].tolist() == np.isneginf(theirs[1:]).tolist()


@given(models())
def test_the_label_is_what_predict_answers_and_the_other_class_is_the_next(model: Model) -> None:
    joint = answer(model)
    found = explain(model, log_joint=model[1] + model[2].sum(axis=1))
    assert codes(model, found.label) == joint.argmax(axis=1).tolist()
    if len(model[0]) == 1:
        assert found.against.tolist() == [None] * len(found)
        return
    for i, (a, b) in enumerate(zip(codes(model, found.label), codes(model, found.against), strict=True)):
        assert a != b
        others = np.delete(joint[i], a)
        assert joint[i, b] == pytest.approx(others.max(), rel=1e-12)
        if np.isneginf(others).all():
            assert model[1][b] == np.delete(model[1], a).max()


@given(models())
def test_the_probabilities_are_those_of_the_posterior(model: Model) -> None:
    posterior = answer(model)
    normalise_rows(posterior, model[1], "plain")
    found = explain(model)
    at = np.arange(len(found))
    np.testing.assert_allclose(found.probability, posterior[at, codes(model, found.label)], rtol=1e-12)
    if len(model[0]) > 1:
        np.testing.assert_allclose(
            found.probability_against, posterior[at, codes(model, found.against)], rtol=1e-12, atol=1e-300
        )


@given(models())
def test_the_lines_of_the_table_add_up_row_by_row(model: Model) -> None:
    found = explain(model)
    table = found.table
    n, lines = len(found), len(found.names) + 1
    assert table.schema == pa.schema(
        {"row": pa.int64(), "column": pa.string(), "value": pa.string(), "contribution": pa.float64()}
    )
    assert table["row"].to_pylist() == [i for i in range(n) for _ in range(lines)]
    assert table["column"].to_pylist() == ["(prior)", *found.names] * n
    cells = [None if j < 0 else f"{i},{j}" for i in range(n) for j in range(-1, lines - 1)]
    assert table["value"].to_pylist() == cells
    added = np.array(table["contribution"].to_pylist(), dtype=float).reshape(n, lines)
    for i in range(n):
        assert math.fsum(added[i]) == found.log_odds[i]


@given(models())
def test_what_is_said_is_strict_json_and_readable_text(model: Model) -> None:
    found = explain(model)
    rows = json.loads(json.dumps(found.to_dict(), allow_nan=False))["rows"]
    for i, row in enumerate(rows):
        parts = [float(row["prior"]), *(float(column["contribution"]) for column in row["columns"])]
        assert math.fsum(parts) == float(row["log_odds"]) == found.log_odds[i]
        assert row["label"] == found.label[i]
    assert "nan" not in str(found).lower()
    assert str(found).count("row ") >= min(len(found), 5)


@given(models(), st.data())
def test_any_split_into_parts_is_joined_to_the_whole(model: Model, data: st.DataObject) -> None:
    classes, prior, terms = model
    whole = explain(model)
    cut = data.draw(st.integers(0, len(terms)))
    parts = [explain((classes, prior, terms[:cut])), explain((classes, prior, terms[cut:]))]
    joined = Evidence.joined(parts)
    assert joined.rows.tolist() == whole.rows.tolist()
    assert joined.label.tolist() == whole.label.tolist()
    assert joined.table.drop(["value"]).equals(whole.table.drop(["value"]))
    assert joined[cut:].table["value"] == parts[1].table["value"]


def test_a_slice_keeps_the_numbers_of_its_rows() -> None:
    terms = np.log(np.random.default_rng(0).random((5, 2, 2)))
    whole = explain((Values("ab"), np.log([0.5, 0.5]), terms))
    assert (len(whole), len(whole[1:4]), len(whole[2]), len(list(whole))) == (5, 3, 1, 5)
    assert whole[1:4].rows.tolist() == [1, 2, 3]
    assert whole[1:4][-1].rows.tolist() == whole[np.int64(3)].rows.tolist() == [3]
    assert whole[3].values == (["3,0"], ["3,1"])
    assert whole[3].log_odds[0] == whole.log_odds[3]
    with pytest.raises(IndexError):
        whole[5]


def test_a_tie_is_broken_by_the_log_joint_of_the_model() -> None:
    model = Values("ab"), np.log([0.5, 0.5]), np.zeros((1, 1, 2))
    assert explain(model).label.tolist() == ["a"]
    assert explain(model, log_joint=np.array([[-1.0, -1.0 + 1e-15]])).label.tolist() == ["b"]


def test_the_class_explained_is_another_where_the_predicted_one_is_that_against_it() -> None:
    model = Values("abc"), np.log([0.5, 0.3, 0.2]), np.zeros((1, 0, 3))
    found = explain(model, against="a")
    assert (found.label.tolist(), found.against.tolist()) == (["b"], ["a"])
    assert found.log_odds[0] == pytest.approx(math.log(3 / 5))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"label": "spam "}, r"'spam ' is not a class. Did you mean 'spam'"),
        ({"against": 1}, "1 is not a class"),
        ({"label": "ham", "against": "ham"}, "two different classes"),
    ],
)
def test_classes_that_cannot_be_compared_are_refused(options: Any, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        explain((Values(["ham", "spam"]), np.log([0.5, 0.5]), np.zeros((1, 1, 2))), **options)


def test_classes_keep_their_type() -> None:
    found = explain((Values([0, 1]), np.log([0.2, 0.8]), np.zeros((2, 0, 2))))
    assert found.label.dtype == np.int64
    assert json.dumps(found.to_dict()["rows"][0]["label"]) == "1"


def test_numbers_beyond_all_reason_do_not_raise() -> None:
    terms = np.array([[[0.0, -1e308], [0.0, -1e308], [-1e308, 0.0]]])
    found = explain((Values("ab"), np.zeros(2), terms))
    assert not np.isnan(found.log_odds[0])


def test_the_repr_is_short_however_many_rows_there_are() -> None:
    found = explain((Values(["a", "b"]), np.log([0.5, 0.5]), np.zeros((500, 3, 2))))
    assert repr(found) == "<Evidence rows=500, columns=3>"


# What columns say together --------------------------------------------------------------------------------


def with_remainder(**options):
    """Return evidence in which the columns say 1 + 2 of the log odds 0.5 that a model gives, and 3 + 0 of -1."""
    terms = np.array([[[0.0, 1.0], [0.0, 2.0]], [[0.0, 3.0], [0.0, 0.0]]])
    log_joint = np.array([[0.0, 0.5], [0.0, -1.0]])
    rest = {"label": "b", "against": "a", "log_joint": log_joint, "is_product": False} | options
    return evidence(Values(["a", "b"]), np.log([0.5, 0.5]), terms, ["x", "y"], [[1, 2], [3, 4]], **rest)


def test_the_remainder_is_what_the_columns_leave():
    found = with_remainder()
    np.testing.assert_allclose(found.remainder, [-2.5, -4.0], rtol=1e-15)
    np.testing.assert_allclose(found.log_odds, [0.5, -1.0], rtol=1e-15)
    assert with_remainder(is_product=True).remainder is None
    lines = found.table.to_pylist()
    assert [line["column"] for line in lines] == ["(prior)", "x", "y", "(remainder)"] * 2
    np.testing.assert_allclose([line["contribution"] for line in lines], [0.0, 1, 2, -2.5, 0.0, 3, 0, -4.0], atol=1e-15)
    assert [line["value"] for line in lines] == [None, "1", "3", None, None, "2", "4", None]


def test_the_remainder_goes_where_its_row_goes():
    found = with_remainder()
    assert found[1].remainder.tolist() == found.remainder[1:].tolist()
    assert found[1:].to_dict()["rows"][0]["remainder"] == pytest.approx(-4.0)
    assert Evidence.joined([found[:1], found[1:]]).remainder.tolist() == found.remainder.tolist()
    assert "remainder" not in with_remainder(is_product=True).to_dict()["rows"][0]
    page = [line.split() for line in str(found[0]).splitlines()]
    assert ["remainder", "-2.50"] in [line[:2] for line in page]
    assert page[-1] == ["together", "+0.50"]


def test_the_remainder_of_what_is_impossible():
    one_column = with_remainder(log_joint=np.array([[0.0, -np.inf], [-np.inf, -np.inf]]))
    assert one_column.remainder.tolist() == [-np.inf, 0.0]  # both classes of the second row are impossible
    assert one_column.log_odds[0] == -np.inf
    assert one_column.set_aside.tolist() == [False, True]
    terms = np.array([[[0.0, -np.inf]]])
    by_column = evidence(
        Values(["a", "b"]), np.log([0.5, 0.5]), terms, ["x"], [[1]], label="b", against="a", is_product=False,
        log_joint=np.array([[-1.0, -np.inf]]),
    )  # fmt: skip
    assert by_column.rules_out_label.tolist() == [[True]]
    np.testing.assert_allclose(by_column.remainder, [1.0 - math.log(2)])
    assert by_column.log_odds.tolist() == [-np.inf]
