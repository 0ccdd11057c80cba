"""What is drawn from a model has the distribution of the model."""

from __future__ import annotations

import datetime
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

import tallybayes as tb
from tallybayes.errors import NotAJointError, OptionError

N = 20_000
RNG = np.random.default_rng(11)
Y = RNG.choice(["a", "b", "c"], 300, p=[0.5, 0.3, 0.2])
SHIFT = np.array(["abc".index(label) for label in Y])[:, None]
NUMBERS = RNG.normal(3.0 * SHIFT, 1.0 + SHIFT, (300, 2))
COUNTS = RNG.poisson(1.0 + SHIFT, (300, 2)).astype(float)
LEAST = 1e-4  # of a p-value; the seeds are fixed


def draw(model, n=N, seed=5):
    return model.sample(n, random_state=seed)


def chi_square(observed, probability):
    """The p-value of counts, cells of which little is expected put together."""
    expected = np.asarray(probability) * np.sum(observed)
    rare = expected < 8
    cells = [np.append(np.asarray(x, dtype=float)[~rare], np.sum(np.asarray(x)[rare])) for x in (observed, expected)]
    cells = [x[cells[1] > 0] for x in cells]
    return stats.chisquare(cells[0], cells[1] * cells[0].sum() / cells[1].sum()).pvalue


@pytest.mark.parametrize(
    "model",
    [
        tb.NaiveBayes(columns={0: "numeric"}),
        tb.NaiveBayes(columns={0: "numeric"}, prior={"a": 0.1, "b": 0.2, "c": 0.7}),
    ],
    ids=["empirical", "given"],
)
def test_classes_follow_the_prior(model):
    model.fit(NUMBERS[:, :1], Y)
    _, y = draw(model)
    prior = np.exp(model._joint().log_prior)
    assert chi_square([np.sum(y == c) for c in model.classes_], prior) > LEAST


DISCRETE = {
    "categorical": (tb.CategoricalNB(), COUNTS),
    "bernoulli": (tb.BernoulliNB(), (COUNTS > 1).astype(float)),
    "naive": (tb.NaiveBayes(columns={0: "categorical", 1: "count"}), COUNTS),
    "naive, poisson and bernoulli": (
        tb.NaiveBayes(columns={0: "count", 1: "categorical"}, factors={1: "bernoulli"}),
        np.column_stack((COUNTS[:, 0], COUNTS[:, 1] > 1)),
    ),
}


@pytest.mark.parametrize("name", DISCRETE)
def test_rows_and_classes_together_follow_the_joint(name):
    """Each row with its class is a cell of one table, whose probabilities are the model's own."""
    estimator, X = DISCRETE[name]
    model = estimator.fit(X, Y)
    drawn, y = draw(model)
    drawn = np.asarray(drawn, dtype=float)
    values = [np.arange(max(drawn[:, j].max(), X[:, j].max()) + 1) for j in (0, 1)]
    grid = np.array(list(product(*values)))
    probability = np.exp(model.predict_joint_log_proba(grid))
    observed = np.zeros_like(probability)
    places = drawn[:, 0] * len(values[1]) + drawn[:, 1]
    np.add.at(observed, (places.astype(int), np.searchsorted(model.classes_, y)), 1)
    assert chi_square(observed.ravel(), probability.ravel() / probability.sum()) > LEAST
    assert probability.sum() > 0.98


@pytest.mark.parametrize("make", [tb.GaussianNB, tb.KernelNB, lambda: tb.NaiveBayes(numeric="histogram")])
def test_numbers_follow_the_density(make):
    model = make().fit(NUMBERS, Y)
    drawn, y = draw(model)
    for c in model.classes_:
        own = drawn[y == c, 0]
        grid = np.linspace(own.min() - 1.0, own.max() + 1.0, 20_001)
        asked = np.column_stack((grid, np.full(len(grid), np.nan)))
        k = model.classes_.tolist().index(c)
        density = np.exp(model.predict_joint_log_proba(asked)[:, k] - model._joint().log_prior[k])
        cumulated = np.concatenate(([0.0], np.cumsum(0.5 * (density[1:] + density[:-1]) * np.diff(grid))))
        assert cumulated[-1] == pytest.approx(1.0, abs=0.02)
        assert stats.kstest(own, lambda t, g=grid, f=cumulated: np.interp(t, g, f)).pvalue > LEAST
        assert abs(np.corrcoef(drawn[y == c].T)[0, 1]) < 4.5 / np.sqrt(len(own))  # independent within a class


def test_multinomial_rows_have_the_shares_of_their_class():
    model = tb.MultinomialNB().fit(COUNTS, Y)
    drawn, y = draw(model)
    for k, c in enumerate(model.classes_):
        totals = np.asarray(drawn, dtype=float)[y == c].sum(axis=0)
        assert chi_square(totals, np.exp(model.feature_log_prob_[k])) > LEAST
        lengths = np.asarray(drawn, dtype=float)[y == c].sum(axis=1)
        assert lengths.mean() == pytest.approx(COUNTS[c == Y].sum(axis=1).mean(), rel=0.05)


def test_missing_cells_are_drawn_where_they_are_part_of_the_model():
    rows = [{"c": "xy"[i % 2] if i % 3 else None, "n": float(i % 7) if i % 4 else None} for i in range(120)]
    y = ["p", "q", "q", "p", "p"] * 24
    model = tb.NaiveBayes(missing="category", columns={"n": "numeric"}).fit(rows, y)
    table, labels = draw(model)
    assert isinstance(table, pa.Table)
    assert table.column_names == ["c", "n"]
    for name in ("c", "n"):
        gone = np.array(table[name].is_null().to_pylist())
        for k, c in enumerate(model.classes_):
            n = sum(label == c for label in y)
            missing = sum(row[name] is None for row, label in zip(rows, y, strict=True) if label == c)
            values = 3 if name == "c" else 2
            share = (missing + 1) / (n + values)
            assert gone[labels == c].mean() == pytest.approx(share, abs=0.025), k
    skipping = tb.NaiveBayes(columns={"n": "numeric"}).fit(rows, y)
    assert draw(skipping, 500)[0]["n"].null_count == 0


def test_times_are_drawn_as_times():
    hours = np.arange(200)
    frame = pd.DataFrame(
        {
            "day": pd.Timestamp("2024-02-28") + pd.to_timedelta(hours, unit="h"),
            "took": pd.to_timedelta(hours, unit="s"),
            "at": [datetime.time(int(h) % 24) for h in hours],
        }
    )
    frame.loc[:20, "day"] = pd.NaT
    model = tb.NaiveBayes(missing="category").fit(frame, np.tile(["a", "b"], 100))
    table, _ = model.sample(3000, random_state=0)
    assert [str(kind) for kind in table.schema.types] == ["timestamp[us]", "duration[us]", "time64[us]"]
    drawn = table.to_pandas()
    assert drawn["day"].isna().mean() == pytest.approx(0.11, abs=0.03)
    assert abs(drawn["day"].mean() - frame["day"].mean()) < pd.Timedelta("8h")
    assert abs(drawn["took"].mean() - frame["took"].mean()) < pd.Timedelta("8s")
    assert set(model.predict(table)) <= {"a", "b"}


def test_the_seed_decides():
    model = tb.GaussianNB().fit(NUMBERS, Y)
    one, two = model.sample(50, random_state=1), model.sample(50, random_state=1)
    np.testing.assert_array_equal(one[0], two[0])
    np.testing.assert_array_equal(one[1], two[1])
    assert not np.array_equal(one[0], model.sample(50, random_state=2)[0])
    state = np.random.RandomState(3)
    assert not np.array_equal(model.sample(5, random_state=state)[0], model.sample(5, random_state=state)[0])


def test_what_is_drawn_can_be_learned_and_asked():
    for model, X in ((tb.NaiveBayes(columns={0: "numeric", 1: "count"}), COUNTS), (tb.KernelNB(), NUMBERS)):
        model.fit(X, Y)
        drawn, y = model.sample(3000, random_state=0)
        assert drawn.shape == (3000, 2)
        again = type(model)(**model.get_params()).fit(drawn, y)
        assert np.mean(again.predict(X) == model.predict(X)) > 0.9


def test_none_and_a_number_that_is_none():
    model = tb.GaussianNB().fit(NUMBERS, Y)
    X, y = model.sample(0)
    assert (X.shape, y.shape) == ((0, 2), (0,))
    for n in (-1, 1.5, "many", None):
        with pytest.raises(OptionError, match="n="):
            model.sample(n)
    with pytest.raises(NotAJointError):
        tb.ComplementNB().fit(COUNTS, Y).sample(3)


MIXED = {
    "truth": [True, False] * 20,
    "count": [0, 7, 2, 31] * 10,
    "few": [0, 1000] * 20,
    "number": np.linspace(0.0, 9.0, 40).tolist(),
    "word": ["u", "v", "v", "w"] * 10,
    "day": [datetime.datetime(2024, 2, 1 + k % 20, k % 3) for k in range(40)],
    "took": [datetime.timedelta(hours=k) for k in range(40)],
    "at": [datetime.time(k % 24, 5) for k in range(40)],
}
WORDS = ("categorical", "bernoulli", "multinomial", "poisson", "gaussian", "kernel", "histogram")
# Texts are no numbers, and parts of a day are no counts.
CHOICES = [*product(set(MIXED) - {"word"}, WORDS), ("word", "categorical")]
CHOICES = sorted(set(CHOICES) - {("at", "poisson")})


@pytest.mark.parametrize("holes", [False, True], ids=["complete", "holes"])
@pytest.mark.parametrize(("name", "word"), CHOICES)
def test_a_model_learns_what_it_draws(name, word, holes):
    columns = {"count": "count"}
    table = pa.table({key: [None] * 4 + cells[4:] if holes else cells for key, cells in MIXED.items()})
    model = tb.NaiveBayes(columns=columns, factors={name: word}, missing="category" if holes else "marginalize")
    drawn, y = model.fit(table, ["a", "a", "a", "b"] * 10).sample(50, random_state=0)
    assert drawn.schema.field("truth").type == pa.bool_()
    assert [drawn.schema.field(key).type for key in ("day", "took", "at")] == [
        pa.timestamp("us"),
        pa.duration("us"),
        pa.time64("us"),
    ]
    before = model.predict_proba(drawn)
    model.partial_fit(drawn, y)
    assert model.tallies_["classes"].rows.sum() == 90
    model.forget(drawn, y)
    np.testing.assert_allclose(model.predict_proba(drawn), before, rtol=1e-6, atol=1e-9)


def test_arrays_of_objects_come_as_such():
    day = datetime.datetime(2020, 1, 1)
    cells = [["x", 1.5, True, day, 3], ["y", 2.5, None, None, 4], ["y", 3.5, False, day.replace(day=5), 4]] * 20
    X = np.array(cells, dtype=object)
    model = tb.NaiveBayes(missing="category").fit(X, np.tile(["a", "a", "b", "b"], 15))
    drawn, y = model.sample(200, random_state=0)
    assert drawn.dtype == object
    kinds = [{type(cell) for cell in column} for column in drawn.T.tolist()]
    assert kinds[:4] == [{str}, {float}, {bool, type(None)}, {datetime.datetime, type(None)}]
    model.partial_fit(drawn, y).partial_fit(X, np.tile(["a", "a", "b", "b"], 15))


def test_large_whole_numbers_are_drawn_to_the_last_digit():
    X = np.array([[2**60 + 1], [2**60 + 3]] * 5)
    model = tb.NaiveBayes(columns={0: "categorical"}).fit(X, ["a", "b"] * 5)
    assert set(model.sample(100, random_state=0)[0].ravel().tolist()) == {2**60 + 1, 2**60 + 3}


def test_a_distribution_of_numbers_makes_numbers_of_few_integers():
    few, many = pd.DataFrame({"n": [0, 1, 2] * 20}), pd.DataFrame({"n": range(60)})
    y = ["a", "b"] * 30
    model = tb.NaiveBayes(factors={"n": "gaussian"}).fit(few, y)
    assert model.schema_["n"].kind == "numeric"
    assert tb.NaiveBayes(factors={"n": "poisson"}).fit(few, y).schema_["n"].kind == "count"
    both = model + tb.NaiveBayes(factors={"n": "gaussian"}).fit(many, y)
    model.partial_fit(many, y)
    np.testing.assert_array_equal(model.predict_proba(few), both.predict_proba(few))
    assert tb.NaiveBayes(factors={"n": "categorical"}).fit(few, y).schema_["n"].kind == "categorical"
