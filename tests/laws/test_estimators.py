"""What holds for every estimator, whatever the rows: see `tests.laws.cases` for the estimators."""

from __future__ import annotations

import math
import warnings
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

import tallybayes as tb
from tallybayes.tallies.sketch import SketchTally
from tests.laws.cases import CASES, DEPENDENT, JOINTS, SCORES, Case, worth
from tests.laws.reference import complement
from tests.laws.tables import CUTS, Table
from tests.laws.test_tallies import coarsened, same

every_case = pytest.mark.parametrize(
    "case", [*CASES.values(), *DEPENDENT.values(), *SCORES.values()], ids=[*CASES, *DEPENDENT, *SCORES]
)
every_joint = pytest.mark.parametrize("case", [*JOINTS.values(), *DEPENDENT.values()], ids=[*JOINTS, *DEPENDENT])
every_product = pytest.mark.parametrize("case", JOINTS.values(), ids=JOINTS)
few = settings(max_examples=6)
SEEDS = st.integers(0, 2**32 - 1)

pytestmark = [
    pytest.mark.filterwarnings("ignore::tallybayes.errors.TallyBayesWarning"),
]


def tables(case: Case, data: st.DataObject, *, most: int = 24, weighted: bool | None = None) -> Table:
    """Draw rows of which at least one takes part."""
    weighted = data.draw(st.booleans()) if weighted is None else weighted
    n, seed = data.draw(st.integers(1, most)), data.draw(SEEDS)
    while not worth(table := case.rows(n, seed, weighted=weighted)):
        n, seed = n + 1, seed + 1
    return table


def questions(case: Case, table: Table, seed: int) -> Table:
    """Return the rows that were learned and others, with unseen values and missing cells."""
    other = case.rows(12, seed, weighted=False)
    columns = {name: cells + other.columns[name] for name, cells in table.columns.items()}
    return Table(columns, table.labels + other.labels, None)


def same_model(a: Any, b: Any, ask: Any, *, before: Any = None, tolerance: float = 1e-9) -> None:
    """Two models have the same counts, and give the same answers; `before` is what `a` has forgotten rows of."""
    assert a.classes_.tolist() == b.classes_.tolist()
    assert a.schema_.names == b.schema_.names
    for key, ours in a.tallies_.items():
        theirs = b.tallies_[key]
        if before is not None and isinstance(ours, SketchTally):
            theirs = coarsened(theirs, ours)
        same(ours, theirs, loose=before is not None, scale=None if before is None else before[key])
    ours, theirs = a.predict_joint_log_proba(ask), b.predict_joint_log_proba(ask)
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=tolerance, equal_nan=False)


# One model, however the rows come ------------------------------------------------------------------------


@every_case
@few
@given(data=st.data(), cuts=CUTS, seed=SEEDS)
def test_any_chunks_in_any_order_give_the_same_model(case: Case, data: st.DataObject, cuts: list[int], seed: int):
    table = tables(case, data)
    whole, ask = case.learn(table), case.data(questions(case, table, seed))
    pieces = data.draw(st.permutations([piece for piece in table.pieces(cuts) if worth(piece)]))
    same_model(reduce(lambda model, piece: case.learn(piece, model), pieces, None), whole, ask)
    same_model(reduce(add, [case.learn(piece) for piece in pieces]), whole, ask)


@every_case
@few
@given(data=st.data(), seed=SEEDS)
def test_forgetting_is_never_having_learned(case: Case, data: st.DataObject, seed: int):
    table = tables(case, data)
    gone = data.draw(st.sets(st.integers(0, len(table) - 1)))
    some, rest = table.take(sorted(gone)), table.take([i for i in range(len(table)) if i not in gone])
    model = case.learn(table)
    before = model.tallies_
    if worth(some):
        case.forget(model, some)
    if not worth(rest):
        with pytest.raises(tb.errors.NotFittedError, match="forgotten every row"):
            model.predict(case.data(table))
        rest, model = table, case.learn(table, model)
    # A kernel density from a coarser grid is as near to the sum over the rows as any.
    tolerance = max(case.tolerance, 1e-9)
    same_model(model, case.learn(rest), case.data(questions(case, table, seed)), before=before, tolerance=tolerance)


@every_case
@few
@given(data=st.data(), times=st.lists(st.integers(0, 3), min_size=24, max_size=24), seed=SEEDS)
def test_a_weight_is_how_often_a_row_counts(case: Case, data: st.DataObject, times: list[int], seed: int):
    table = tables(case, data, weighted=False)
    times = times[: len(table)]
    repeated = table.take([i for i, k in enumerate(times) for _ in range(k)])
    if not worth(repeated):
        return
    weighted = case.learn(Table(table.columns, table.labels, [float(k) for k in times]))
    plain, ask = case.learn(repeated), case.data(questions(case, table, seed))
    assert weighted.classes_.tolist() == plain.classes_.tolist()
    np.testing.assert_allclose(
        weighted.predict_joint_log_proba(ask), plain.predict_joint_log_proba(ask), rtol=1e-9, atol=1e-9
    )


# One formula ---------------------------------------------------------------------------------------------


@every_product
@few
@given(data=st.data(), seed=SEEDS)
def test_log_joint_is_that_of_the_reference(case: Case, data: st.DataObject, seed: int):
    table = tables(case, data)
    asked = questions(case, table, seed)
    reference, model = case.reference_for(table), case.learn(table)
    assert model.classes_.tolist() == reference.classes()
    rows = [{name: cells[i] for name, cells in asked.columns.items()} for i in range(len(asked))]
    expected = np.array([reference.log_joint(row) for row in rows])
    got = model.predict_joint_log_proba(case.data(asked))
    # A density that is all but a peak has a log of a billion, of which the last digits are not those of a sum.
    np.testing.assert_allclose(got, expected, rtol=1e-8, atol=case.tolerance)


@few
@given(seed=SEEDS, n=st.integers(1, 24), weighted=st.booleans())
@pytest.mark.parametrize("name", ["complement", "complement, normalised"])
def test_complement_weights_are_those_of_the_paper(name: str, seed: int, n: int, weighted: bool):
    case = CASES[name]
    table = case.rows(n, seed, weighted=weighted)
    if not worth(table):
        return
    model, X = case.learn(table), case.data(table)
    weights = np.ones(n) if table.weights is None else np.array(table.weights)
    used = [i for i, label in enumerate(table.labels) if label is not None]
    labels = [table.labels[i] for i in used]
    _, expected = complement(X[used].tolist(), labels, weights[used].tolist(), model.alpha, model.norm)
    np.testing.assert_allclose(model.feature_log_prob_, expected, rtol=1e-12)
    scores = np.where(np.isnan(X), 0.0, X) @ np.array(expected).T
    np.testing.assert_allclose(model.predict_joint_log_proba(X), scores, rtol=1e-12, atol=1e-12)


@every_case
@few
@given(data=st.data(), seed=SEEDS)
def test_the_posterior_is_the_joint_normalised(case: Case, data: st.DataObject, seed: int):
    table = tables(case, data)
    model, ask = case.learn(table), case.data(questions(case, table, seed))
    joint, log_prior = model.predict_joint_log_proba(ask), model._joint().log_prior
    assert not np.isnan(joint).any()
    impossible = np.isneginf(joint).all(axis=1)
    joint = np.where(impossible[:, None], log_prior, joint)
    joint = joint - joint.max(axis=1, keepdims=True)
    log_posterior = joint - logsumexp(joint, axis=1, keepdims=True)
    got = model.predict_log_proba(ask)
    np.testing.assert_allclose(got, log_posterior, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(ask), np.exp(log_posterior), rtol=1e-9, atol=1e-300)
    np.testing.assert_array_equal(np.vstack(list(model.posteriors(ask))), model.predict_proba(ask))
    top = got.max(axis=1)
    predicted = [model.classes_.tolist().index(label) for label in model.predict(ask).tolist()]
    np.testing.assert_allclose(got[np.arange(len(got)), predicted], top, rtol=0, atol=1e-9)
    for a, b in ((0, -1), (-1, 0)) if model.is_joint else ():
        odds = model.odds(ask, model.classes_.tolist()[a], model.classes_.tolist()[b])
        with np.errstate(over="ignore", invalid="ignore"):
            expected = np.exp(joint[:, a] - joint[:, b])
        decided = ~np.isnan(expected)
        np.testing.assert_allclose(odds[decided], expected[decided], rtol=1e-7)
        assert not np.isnan(odds).any()


@every_joint
@few
@given(data=st.data(), seed=SEEDS)
def test_the_evidence_adds_up_to_the_posterior_log_odds(case: Case, data: st.DataObject, seed: int):
    table = tables(case, data)
    model, asked = case.learn(table), questions(case, table, seed)
    ask, classes = case.data(asked), model.classes_.tolist()
    if len(classes) < 2:
        return
    evidence = model.explain(ask)
    parts = evidence.table.to_pydict()
    sums: dict[int, float] = {}
    for row, part in zip(parts["row"], parts["contribution"], strict=True):
        assert not math.isnan(part)
        sums[row] = sums.get(row, 0.0) + part
    joint = model.predict_joint_log_proba(ask)
    log_posterior = model.predict_log_proba(ask)
    for i, (label, against) in enumerate(zip(evidence.label, evidence.against, strict=True)):
        a, b = classes.index(label), classes.index(against)
        if np.isneginf(joint[i, [a, b]]).any():
            continue  # then columns decide alone, which `tests.explain` looks at
        # Of a log density of a billion, the last digits are no more than rounding.
        tolerance = 1e-9 + 1e-13 * np.abs(joint[i, [a, b]]).max()
        assert sums[i] == pytest.approx(log_posterior[i, a] - log_posterior[i, b], rel=1e-9, abs=tolerance)
        assert label == model.predict(ask)[i]


@every_joint
@few
@given(data=st.data(), seed=SEEDS)
def test_score_samples_sums_the_joint_over_the_classes(case: Case, data: st.DataObject, seed: int):
    table = tables(case, data)
    model, asked = case.learn(table), questions(case, table, seed)
    joint = model.predict_joint_log_proba(case.data(asked))
    np.testing.assert_allclose(model.score_samples(case.data(asked)), logsumexp(joint, axis=1), rtol=1e-12, atol=1e-12)
    labels = [label if label in model.classes_.tolist() else None for label in asked.labels]
    known = [i for i, label in enumerate(labels) if label is not None]
    if known:
        y, weights = np.array(labels, dtype=object), np.arange(len(labels)) / 8 + 1
        own = joint[known, [model.classes_.tolist().index(labels[i]) for i in known]]
        got = model.log_likelihood(case.data(asked), y, sample_weight=weights)
        assert got == pytest.approx(float((own * weights[known]).sum()), rel=1e-9, abs=1e-9)


# Missing cells -------------------------------------------------------------------------------------------

SKIPS = {name: case for name, case in JOINTS.items() if "missing" not in name and "histogram, uns" not in name}


@pytest.mark.parametrize("case", SKIPS.values(), ids=SKIPS)
@few
@given(data=st.data(), seed=SEEDS)
def test_a_missing_cell_is_the_model_without_that_column(case: Case, data: st.DataObject, seed: int):
    table = tables(case, data)
    model, asked = case.learn(table), questions(case, table, seed)
    name = data.draw(st.sampled_from(list(table.columns) if case.as_array else case.columns))
    hidden = Table(asked.columns | {name: [None] * len(asked)}, asked.labels, None)
    reference = case.reference_for(table)
    rows = [{n: cells[i] for n, cells in hidden.columns.items()} for i in range(len(hidden))]
    without = [
        [
            reference.log_prior(c) + sum(p for n, p in reference.log_probs(row, c).items() if n != name)
            for c in reference.classes()
        ]
        for row in rows
    ]
    np.testing.assert_allclose(
        model.predict_joint_log_proba(case.data(hidden)), without, rtol=1e-8, atol=2 * case.tolerance
    )


DISCRETE = ["bernoulli", "bernoulli, sparse", "categorical", "categorical, unsmoothed"]


@pytest.mark.parametrize("name", DISCRETE)
@few
@given(data=st.data())
def test_a_missing_cell_is_the_sum_over_its_values(name: str, data: st.DataObject):
    case = CASES[name]
    table = tables(case, data)
    model = case.learn(table)
    X = case.data(table)[:5]
    for j in range(X.shape[1]):
        if all(x is None for x, _, _ in case.reference_for(table).column(j)):
            continue  # nothing is known of the values of the column
        values = range(model.n_categories_[j]) if name.startswith("categorical") else (0, 1)
        parts = []
        for value in values:
            filled = X.copy()
            filled[:, j] = value
            parts.append(np.exp(model.predict_joint_log_proba(filled)))
        hidden = X.copy()
        hidden[:, j] = np.nan
        np.testing.assert_allclose(sum(parts), np.exp(model.predict_joint_log_proba(hidden)), rtol=1e-9)


# Far from zero -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [lambda: tb.NaiveBayes(columns={0: "numeric"}), tb.GaussianNB], ids=["naive", "own"])
def test_a_deviation_of_one_around_a_billion_is_kept(make: Any, rng: np.random.Generator):
    X, y = 1e9 + rng.standard_normal((999, 1)), np.arange(999) % 3
    mean, variance = (X - 1e9).mean(), (X - 1e9).var()
    whole, singly = make().fit(X, y), make()
    for i in rng.permutation(999):
        singly.partial_fit(X[[i]], y[[i]], **({"classes": [0, 1, 2]} if not singly.classes_grow else {}))
    halves = make().fit(X[::2], y[::2]) + make().fit(X[1::2], y[1::2])
    more = make().fit(np.vstack([X, 1e9 + 1e3 * X[:50] - 1e12]), np.append(y, y[:50]))
    more.forget(1e9 + 1e3 * X[:50] - 1e12, y[:50])
    for model in (whole, singly, halves, more):
        tally = model.tallies_["gaussian"]
        pooled = tally.pooled()
        assert pooled.mean[0, 0] - 1e9 == pytest.approx(mean, abs=1e-6)
        assert pooled.deviations[0, 0] / 999 == pytest.approx(variance, rel=1e-10)
        for c in range(3):
            own = X[y == c, 0]
            exact = float(
                np.longdouble(0) + ((own.astype(np.longdouble) - own.astype(np.longdouble).mean()) ** 2).sum()
            )
            assert tally.deviations[c, 0] == pytest.approx(exact, rel=1e-12)
            assert tally.mean[c, 0] == pytest.approx(float(own.astype(np.longdouble).mean()), rel=1e-15)


def test_the_cases_are_of_every_estimator():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = {type(case.make()).__name__.replace("Held", "KDB") for case in {**CASES, **DEPENDENT}.values()}
    named = {name for name in tb.__all__ if name.endswith("NB")} | {
        "NaiveBayes",
        "TAN",
        "SPODE",
        "AODE",
        "KDB",
        "AutoBayes",
    }
    assert made == named - {"TextNB"}  # which reads texts, and has its laws in tests/estimators/test_text_nb.py
