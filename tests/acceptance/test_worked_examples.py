"""The textbooks' worked examples, exact: every expected number is a fraction computed here by hand."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

import tallybayes as tb

CATS_AND_CARS = np.array([[1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1]])
TERM_COUNTS = np.array([[2, 2, 1, 2, 0, 0], [2, 3, 3, 3, 0, 0], [0, 0, 0, 1, 1, 1], [0, 0, 0, 2, 1, 2]])
LABELS = np.array(["Cats", "Cats", "Cars", "Cars"])
CARS, CATS = 0, 1  # classes are sorted

X1 = [1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3]
X2 = ["S", "M", "M", "S", "S", "S", "M", "M", "L", "L", "L", "M", "M", "L", "L"]
Y = [-1, -1, 1, 1, -1, -1, -1, 1, 1, 1, 1, 1, 1, 1, -1]

MELON_COLUMNS = ["色泽", "根蒂", "敲声", "纹理", "脐部", "触感", "密度", "含糖率", "好瓜"]
MELONS = """
青绿 蜷缩 浊响 清晰 凹陷 硬滑 0.697 0.460 是
乌黑 蜷缩 沉闷 清晰 凹陷 硬滑 0.774 0.376 是
乌黑 蜷缩 浊响 清晰 凹陷 硬滑 0.634 0.264 是
青绿 蜷缩 沉闷 清晰 凹陷 硬滑 0.608 0.318 是
浅白 蜷缩 浊响 清晰 凹陷 硬滑 0.556 0.215 是
青绿 稍蜷 浊响 清晰 稍凹 软粘 0.403 0.237 是
乌黑 稍蜷 浊响 稍糊 稍凹 软粘 0.481 0.149 是
乌黑 稍蜷 浊响 清晰 稍凹 硬滑 0.437 0.211 是
乌黑 稍蜷 沉闷 稍糊 稍凹 硬滑 0.666 0.091 否
青绿 硬挺 清脆 清晰 平坦 软粘 0.243 0.267 否
浅白 硬挺 清脆 模糊 平坦 硬滑 0.245 0.057 否
浅白 蜷缩 浊响 模糊 平坦 软粘 0.343 0.099 否
青绿 稍蜷 浊响 稍糊 凹陷 硬滑 0.639 0.161 否
浅白 稍蜷 沉闷 稍糊 凹陷 硬滑 0.657 0.198 否
乌黑 稍蜷 浊响 清晰 稍凹 软粘 0.360 0.370 否
浅白 蜷缩 浊响 模糊 平坦 硬滑 0.593 0.042 否
青绿 蜷缩 沉闷 稍糊 稍凹 硬滑 0.719 0.103 否
"""
MELON = {
    "色泽": "青绿",
    "根蒂": "蜷缩",
    "敲声": "浊响",
    "纹理": "清晰",
    "脐部": "凹陷",
    "触感": "硬滑",
    "密度": 0.697,
    "含糖率": 0.460,
}


def log_joint(model, rows):
    """Return the log joint as one {class: value} per row, whatever the order of ``classes_``."""
    values = model.predict_joint_log_proba(rows)
    return [dict(zip(model.classes_.tolist(), row.tolist(), strict=True)) for row in values]


def joint(model, row):
    """Return {class: p(x, c)} for one row."""
    return {label: np.exp(value) for label, value in log_joint(model, row)[0].items()}


def posterior(weights):
    """Normalise {class: fraction} exactly."""
    total = sum(weights.values())
    return {label: weight / total for label, weight in weights.items()}


def exactly(fraction):
    """Agree to the last digits that a float64 logarithm can carry."""
    return pytest.approx(float(fraction), rel=1e-13)


@pytest.fixture
def melons():
    """Return the 17 melons as ``(rows, labels)``; a row is a dict."""
    rows, labels = [], []
    for line in MELONS.split("\n"):
        cells = line.split()
        if cells:
            row = dict(zip(MELON_COLUMNS, cells, strict=True))
            labels.append(row.pop("好瓜"))
            rows.append({k: float(v) if k in ("密度", "含糖率") else v for k, v in row.items()})
    assert len(rows) == 17
    return rows, labels


# Bernoulli -----------------------------------------------------------------------------------------------


def test_bernoulli_sparse_smoothing_terms():
    model = tb.BernoulliNB(alpha=1, smoothing="sparse").fit(CATS_AND_CARS, LABELS)
    terms = np.exp(model.feature_log_prob_)
    # d = 6 terms, d_a = 14/4 terms per document: the denominator is 2 + 6 / (14/4) = 26/7.
    seen, unseen = Fraction(3) / Fraction(26, 7), Fraction(1) / Fraction(26, 7)
    assert (seen, unseen) == (Fraction(21, 26), Fraction(7, 26))
    assert terms[CATS].tolist() == [exactly(p) for p in (seen, seen, seen, seen, unseen, unseen)]
    assert terms[CARS].tolist() == [exactly(p) for p in (unseen, unseen, unseen, seen, seen, seen)]


@pytest.mark.parametrize(
    ("document", "cats"),
    [((1, 1, 1, 1, 1, 1), Fraction(3, 4)), ((1, 1, 1, 1, 0, 0), Fraction(3343221, 3351796))],
)
@pytest.mark.parametrize("prior_smoothing", [0, 1])
def test_bernoulli_sparse_smoothing_documents(document, cats, prior_smoothing):
    likely, rare = Fraction(21, 26), Fraction(7, 26)
    given = {
        "Cats": (likely, likely, likely, likely, rare, rare),
        "Cars": (rare, rare, rare, likely, likely, likely),
    }
    weights = {label: Fraction(1, 2) for label in given}
    for label, terms in given.items():
        for present, p in zip(document, terms, strict=True):
            weights[label] *= p if present else 1 - p
    assert posterior(weights)["Cats"] == cats  # the hand computation is the textbook's

    model = tb.BernoulliNB(alpha=1, smoothing="sparse", prior_smoothing=prior_smoothing)
    model.fit(CATS_AND_CARS, LABELS)
    assert joint(model, [document]) == {label: exactly(w) for label, w in weights.items()}
    assert model.predict_proba([document])[0, CATS] == exactly(cats)
    assert model.predict([document]).tolist() == ["Cats"]


def test_bernoulli_prior_smoothing():
    model = tb.BernoulliNB(prior_smoothing=1).fit([[1], [0], [1]], ["a", "a", "b"])
    assert np.exp(model.class_log_prior_).tolist() == [exactly(Fraction(3, 5)), exactly(Fraction(2, 5))]


def test_unsmoothed_zero_over_zero_is_answered_by_the_prior():
    """Cats cannot have a porsche, Cars cannot have a lion: 0/0, so the prior answers and says so once."""
    documents = np.ones((3, 6), dtype=int)
    model = tb.BernoulliNB(alpha=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(CATS_AND_CARS, LABELS)
        values = model.predict_joint_log_proba(documents)
    assert np.all(values == -np.inf)
    with pytest.warns(tb.errors.ZeroProbabilityWarning) as caught:
        proba = model.predict_proba(documents)
    assert len(caught) == 1
    np.testing.assert_allclose(proba, 0.5, rtol=1e-15)


def test_unsmoothed_zero_over_zero_with_an_uneven_prior():
    model = tb.BernoulliNB(alpha=0).fit(CATS_AND_CARS[1:], LABELS[1:])
    with pytest.warns(tb.errors.ZeroProbabilityWarning) as caught:
        proba = model.predict_proba([[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]])
    assert len(caught) == 1
    np.testing.assert_allclose(proba[0], [2 / 3, 1 / 3], rtol=1e-13)
    np.testing.assert_array_equal(proba[1], [0, 1])  # a row that one class explains is not touched
    assert not np.isnan(proba).any()
    with pytest.warns(tb.errors.ZeroProbabilityWarning):
        assert model.predict(np.ones((1, 6), dtype=int)).tolist() == ["Cars"]


def test_mixed_model_answers_zero_over_zero_by_the_prior():
    rows = [{"term": "lion"}, {"term": "lion"}, {"term": "porsche"}]
    model = tb.NaiveBayes(smoothing=0, columns={"term": "categorical"}).fit(rows, ["Cats", "Cats", "Cars"])
    assert joint(model, [{"term": "lion"}]) == {"Cats": exactly(Fraction(2, 3)), "Cars": 0.0}
    with pytest.warns(tb.errors.ZeroProbabilityWarning) as caught:
        proba = model.predict_proba([{"term": "bicycle"}])
    assert len(caught) == 1
    np.testing.assert_allclose(proba, [[1 / 3, 2 / 3]], rtol=1e-13)


# Multinomial ---------------------------------------------------------------------------------------------

CATS_TERMS = tuple(Fraction(n, 24) for n in (5, 6, 5, 6, 1, 1))
CARS_TERMS = tuple(Fraction(n, 14) for n in (1, 1, 1, 4, 3, 4))


def test_multinomial_terms():
    model = tb.MultinomialNB(alpha=1).fit(TERM_COUNTS, LABELS)
    terms = np.exp(model.feature_log_prob_)
    assert terms[CATS].tolist() == [exactly(p) for p in CATS_TERMS]
    assert terms[CARS].tolist() == [exactly(p) for p in CARS_TERMS]


@pytest.mark.parametrize(
    ("document", "cats"), [((2, 2, 2, 3, 1, 1), None), ((1, 1, 1, 1, 0, 0), Fraction(60025, 62329))]
)
def test_multinomial_documents(document, cats):
    weights = {"Cats": Fraction(1, 2), "Cars": Fraction(1, 2)}
    for label, terms in (("Cats", CATS_TERMS), ("Cars", CARS_TERMS)):
        for count, p in zip(document, terms, strict=True):
            weights[label] *= p**count
    expected = posterior(weights)["Cats"]
    if cats is None:
        assert round(float(expected), 3) == 0.944
    else:
        assert expected == cats
    model = tb.MultinomialNB(alpha=1).fit(TERM_COUNTS, LABELS)
    assert joint(model, [document]) == {label: exactly(w) for label, w in weights.items()}
    assert model.predict_proba([document])[0, CATS] == exactly(expected)


# Categorical, Li Hang's fifteen rows ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("smoothing", "expected"),
    [(0, {1: Fraction(1, 45), -1: Fraction(1, 15)}), (1, {1: Fraction(5, 153), -1: Fraction(28, 459)})],
)
def test_categorical_with_and_without_smoothing(smoothing, expected):
    by_hand = {}
    for label in (1, -1):
        inside = [(a, b) for a, b, c in zip(X1, X2, Y, strict=True) if c == label]
        p = Fraction(len(inside) + smoothing, len(Y) + 2 * smoothing)
        p *= Fraction(sum(a == 2 for a, _ in inside) + smoothing, len(inside) + 3 * smoothing)
        p *= Fraction(sum(b == "S" for _, b in inside) + smoothing, len(inside) + 3 * smoothing)
        by_hand[label] = p
    assert by_hand == expected

    rows = [{"X1": a, "X2": b} for a, b in zip(X1, X2, strict=True)]
    model = tb.NaiveBayes(columns={"X1": "categorical"}, smoothing=smoothing, prior_smoothing=smoothing)
    model.fit(rows, Y)
    assert joint(model, [{"X1": 2, "X2": "S"}]) == {c: exactly(p) for c, p in expected.items()}
    assert model.predict([{"X1": 2, "X2": "S"}]).tolist() == [-1]


# The watermelons -----------------------------------------------------------------------------------------


def test_watermelon_joint(melons):
    rows, labels = melons
    model = tb.NaiveBayes(smoothing=0, ddof=1).fit(rows, labels)
    both = joint(model, [MELON])
    assert both["是"] == pytest.approx(0.0523787, abs=5e-8)
    assert both["否"] == pytest.approx(6.8584e-5, abs=5e-10)
    assert model.predict([MELON]).tolist() == ["是"]


def test_watermelon_density_of_good_melons(melons):
    """Three points of a parabola give back the mean and the deviation of log N(x; mean, deviation)."""
    rows, labels = melons
    model = tb.NaiveBayes(smoothing=0, ddof=1).fit([{"密度": row["密度"]} for row in rows], labels)
    below, at, above = (j["是"] for j in log_joint(model, [{"密度": x} for x in (0.4, 0.5, 0.6)]))
    variance = -0.01 / (above - 2 * at + below)
    mean = 0.5 + variance * (above - below) / 0.2

    good = [Fraction(str(row["密度"])) for row, label in zip(rows, labels, strict=True) if label == "是"]
    by_hand = sum(good) / len(good)
    assert mean == pytest.approx(float(by_hand), rel=1e-9)
    assert variance == pytest.approx(float(sum((x - by_hand) ** 2 for x in good) / (len(good) - 1)), rel=1e-9)
    assert (round(mean, 3), round(variance**0.5, 3)) == (0.574, 0.129)


def test_watermelon_smoothed(melons):
    rows, labels = melons
    model = tb.NaiveBayes(smoothing=1, prior_smoothing=1).fit([{"色泽": row["色泽"]} for row in rows], labels)
    nothing_known = joint(model, [{"色泽": None}])
    assert nothing_known == {"是": exactly(Fraction(9, 19)), "否": exactly(Fraction(10, 19))}
    green = joint(model, [{"色泽": "青绿"}])
    assert green == {
        "是": exactly(Fraction(9, 19) * Fraction(4, 11)),
        "否": exactly(Fraction(10, 19) * Fraction(4, 12)),
    }


# Columns that depend on one another ----------------------------------------------------------------------

CUT = {"密度": [0.381], "含糖率": [0.126]}


def test_watermelon_with_one_super_parent(melons):
    rows, labels = melons
    model = tb.SPODE(superparent="纹理", discretize=CUT, smoothing=1).fit(rows, labels)
    by_hand = {}
    for label in ("是", "否"):
        clear = [row for row, c in zip(rows, labels, strict=True) if c == label and row["纹理"] == "清晰"]
        p = Fraction(len(clear) + 1, 17 + 2 * 3)
        for name, taken, values in (("色泽", "青绿", 3), ("根蒂", "蜷缩", 3), ("敲声", "浊响", 3), ("脐部", "凹陷", 3)):
            p *= Fraction(sum(row[name] == taken for row in clear) + 1, len(clear) + values)
        p *= Fraction(sum(row["触感"] == "硬滑" for row in clear) + 1, len(clear) + 2)
        p *= Fraction(sum(row["密度"] >= 0.381 for row in clear) + 1, len(clear) + 2)
        p *= Fraction(sum(row["含糖率"] >= 0.126 for row in clear) + 1, len(clear) + 2)
        by_hand[label] = p
    assert joint(model, [MELON]) == {label: exactly(p) for label, p in by_hand.items()}
    assert model.predict_proba([MELON])[0, model.classes_ == "是"] == pytest.approx(0.9978856879, abs=5e-11)


def test_watermelon_with_every_super_parent(melons):
    rows, labels = melons
    model = tb.AODE(min_count=1, discretize=CUT).fit(rows, labels)
    assert model.predict_proba([MELON])[0, model.classes_ == "是"] == pytest.approx(0.9831428043, abs=5e-11)
    # It is the mean of the models with one super-parent.
    each = [tb.SPODE(superparent=name, discretize=CUT).fit(rows, labels) for name in rows[0]]
    mean = sum(np.exp(one.predict_joint_log_proba([MELON])) for one in each) / len(each)
    np.testing.assert_allclose(np.exp(model.predict_joint_log_proba([MELON])), mean, rtol=1e-12)


def test_watermelon_tree(melons):
    rows, labels = melons
    model = tb.TAN(discretize=CUT).fit(rows, labels)
    assert model.tree_weight_ == pytest.approx(2.3851896723, abs=5e-11)
    edges = [edge for edge in model.network().edges if edge[0] != "class"]
    assert len(edges) == 7
    assert model.network().nodes == ("class", *MELON)
