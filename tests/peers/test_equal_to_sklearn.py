"""The drop-ins give scikit-learn's numbers, to about ten digits; where its numbers are wrong, the difference."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.naive_bayes as sk
from scipy import sparse

import tallybayes as tb

pytestmark = pytest.mark.peers

seeds = pytest.mark.parametrize("seed", range(4))
weighted = pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
COUNTING = ["BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB"]
counting = pytest.mark.parametrize("name", COUNTING)
ATTRIBUTES = {
    "GaussianNB": ("theta_", "var_", "class_count_", "class_prior_"),
    "BernoulliNB": ("feature_log_prob_", "feature_count_", "class_count_", "class_log_prior_"),
    "MultinomialNB": ("feature_log_prob_", "feature_count_", "class_count_", "class_log_prior_"),
    "ComplementNB": ("feature_log_prob_", "feature_count_", "feature_all_", "class_count_", "class_log_prior_"),
    "CategoricalNB": ("feature_log_prob_", "category_count_", "n_categories_", "class_count_", "class_log_prior_"),
}
WORDS = np.array(["b", "a", "d", "c"])


def data(name: str, seed: int, n: int = 90, p: int = 5):
    """Return rows that suit a class, labels, weights, and other rows to ask about."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.arange(4), rng.integers(0, 4, n - 4)])
    if name == "GaussianNB":
        X = rng.normal(y[:, None] * rng.normal(size=p), 10.0 ** rng.integers(-2, 3, p), (n, p))
    elif name == "CategoricalNB":
        X = rng.integers(0, rng.integers(1, 6, p), (n, p))
    else:
        X = rng.poisson(rng.gamma(0.7, 1.0, (4, p))[y]).astype(rng.choice([np.int64, np.float64]))
    more = rng.permutation(X.ravel()).reshape(X.shape) if name != "CategoricalNB" else rng.permuted(X, axis=0)
    return X, WORDS[y], rng.uniform(0.1, 3.0, n), more


def close(ours, theirs, what: str) -> None:
    if isinstance(theirs, list):
        assert len(ours) == len(theirs), what
        for mine, other in zip(ours, theirs, strict=True):
            close(mine, other, what)
        return
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10, err_msg=what)


def same(ours, theirs, X) -> None:
    """Every fitted attribute and every answer is the same."""
    name = type(theirs).__name__
    for attribute in ATTRIBUTES[name]:
        close(getattr(ours, attribute), getattr(theirs, attribute), attribute)
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    assert ours.n_features_in_ == theirs.n_features_in_
    close(ours.predict_joint_log_proba(X), theirs.predict_joint_log_proba(X), "joint")
    close(ours.predict_log_proba(X), theirs.predict_log_proba(X), "log posterior")
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9, atol=1e-15)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, theirs.predict(X)) == 1


def both(name: str, **options):
    return getattr(tb, name)(**options), getattr(sk, name)(**options)


def fitted(name: str, X, y, sample_weight=None, **options):
    return [model.fit(X, y, sample_weight=sample_weight) for model in both(name, **options)]


OPTIONS = [
    ("GaussianNB", {}),
    ("GaussianNB", {"priors": [0.1, 0.2, 0.3, 0.4]}),
    ("GaussianNB", {"priors": np.array([0.0, 0.5, 0.5, 0.0])}),
    ("GaussianNB", {"var_smoothing": 0.0}),
    ("GaussianNB", {"var_smoothing": 0.05}),
    *((name, {"alpha": alpha}) for name in COUNTING for alpha in (1.0, 0.3, 7)),
    *((name, {"alpha": 1e-12, "force_alpha": force}) for name in COUNTING[1:] for force in (True, False)),
    *((name, {"fit_prior": False}) for name in COUNTING),
    *((name, {"class_prior": [0.4, 0.3, 0.2, 0.1]}) for name in COUNTING),
    *((name, {"class_prior": [4.0, 3.0, 2.0, 1.0]}) for name in COUNTING),
    *((name, {"alpha": [0.5, 1.0, 2.0, 0.25, 3.0]}) for name in COUNTING[1:3]),
    ("BernoulliNB", {"binarize": 0.5}),
    ("BernoulliNB", {"binarize": 2}),
    ("ComplementNB", {"norm": True}),
    ("CategoricalNB", {"min_categories": 4}),
    ("CategoricalNB", {"min_categories": [2, 3, 4, 5, 9]}),
]


@pytest.mark.parametrize(("name", "options"), OPTIONS, ids=str)
@weighted
@seeds
@pytest.mark.filterwarnings("ignore:alpha too small")
def test_options(name, options, weighted, seed):
    X, y, weights, more = data(name, seed)
    if name == "GaussianNB" and weighted and options.get("var_smoothing", 1):
        options = {**options, "var_smoothing": 0.0}  # see `test_smoothing_of_weighted_variances`
    ours, theirs = fitted(name, X, y, weights if weighted else None, **options)
    with np.errstate(divide="ignore"):
        same(ours, theirs, more)


@pytest.mark.parametrize("name", ATTRIBUTES)
@weighted
@seeds
def test_batches(name, weighted, seed):
    X, y, weights, more = data(name, seed)
    options = {"var_smoothing": 0.0} if name == "GaussianNB" else {}
    if name == "CategoricalNB":
        options = {"min_categories": 6}  # see `test_codes_that_come_later`
    ours, theirs = both(name, **options)
    for start, stop in ((0, 30), (30, 31), (31, 90)):
        rows = slice(start, stop)
        weight = weights[rows] if weighted else None
        classes = np.unique(y) if start == 0 else None
        for model in (ours, theirs):
            model.partial_fit(X[rows], y[rows], classes=classes, sample_weight=weight)
    same(ours, theirs, more)


@pytest.mark.parametrize("name", ATTRIBUTES)
@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array], ids=lambda f: f.__name__)
@weighted
def test_sparse(name, make, weighted):
    X, y, weights, more = data(name, 5)
    weight = weights if weighted else None
    ours = getattr(tb, name)().fit(make(X), y, sample_weight=weight)
    if name in ("GaussianNB", "CategoricalNB"):  # scikit-learn's take no sparse matrices
        theirs = getattr(tb, name)().fit(X, y, sample_weight=weight)
        np.testing.assert_array_equal(ours.predict_joint_log_proba(make(more)), theirs.predict_joint_log_proba(more))
        return
    theirs = getattr(sk, name)().fit(make(X), y, sample_weight=weight)
    same(ours, theirs, make(more))
    close(ours.predict_joint_log_proba(more), theirs.predict_joint_log_proba(more), "dense rows")


@pytest.mark.parametrize("name", ATTRIBUTES)
@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.float32, np.bool_])
def test_types_of_numbers(name, dtype):
    X, y, _, more = data(name, 6)
    X, more = X.clip(0, 100), more.clip(0, 100)
    X, more = (X > 1, more > 1) if dtype is np.bool_ else (X.astype(dtype), more.astype(dtype))
    ours, theirs = fitted(name, X.astype(np.float64 if name == "GaussianNB" else dtype), y)
    ours = type(ours)().fit(X, y)
    same(ours, theirs, more.astype(np.float64) if name == "GaussianNB" else more)


@pytest.mark.parametrize("name", ATTRIBUTES)
@pytest.mark.parametrize(
    "labels", [[3, 1, 2, 0], [0.0, 1.0, 2.0, -1.0], [True, False, True, False], list("xyzw")], ids=str
)
def test_types_of_labels(name, labels):
    X, y, _, more = data(name, 7)
    y = np.array(labels)[np.searchsorted(np.sort(WORDS), y)]
    ours, theirs = fitted(name, X, y)
    same(ours, theirs, more)
    assert ours.classes_.dtype.kind == theirs.classes_.dtype.kind
    assert ours.predict(more).dtype == theirs.predict(more).dtype


@counting
def test_an_unobserved_class(name):
    X, y, _, more = data(name, 8)
    ours, theirs = both(name)
    for model in (ours, theirs):
        model.partial_fit(X[y != "b"], y[y != "b"], classes=["a", "b", "c", "d"])
    assert np.isneginf(theirs.class_log_prior_[1])
    same(ours, theirs, more)


def test_bits_that_need_no_threshold():
    X, y, _, more = data("BernoulliNB", 9)
    ours, theirs = fitted("BernoulliNB", (X > 0).astype(int), y, binarize=None)
    same(ours, theirs, (more > 0).astype(int))


@counting
def test_a_single_class(name):
    X, _, _, more = data(name, 10)
    with pytest.warns(tb.errors.DataWarning, match="single class"):
        ours = getattr(tb, name)().fit(X, np.zeros(len(X), int))
    same(ours, getattr(sk, name)().fit(X, np.zeros(len(X), int)), more)


# Where the numbers differ, and why -----------------------------------------------------------------------


def test_constant_feature_one_row_at_a_time():
    """GaussianNB there keeps variances as state, takes its epsilon off and puts another one back."""
    X, y = np.array([[3.0], [3.0], [3.0], [3.0]]), np.array([0, 0, 1, 1])
    ours, theirs = both("GaussianNB")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for i in range(4):
            theirs.partial_fit(X[[i]], y[[i]], classes=[0, 1])
        assert np.isnan(theirs.predict_proba(X)).all()
    for i in range(4):
        ours.partial_fit(X[[i]], y[[i]], classes=[0, 1])
    np.testing.assert_array_equal(ours.predict_proba(X), np.full((4, 2), 0.5))


def test_smoothing_of_variances_in_batches():
    """Its epsilon is that of the last batch; here it is that of all rows, whatever the batches."""
    X, y, _, more = data("GaussianNB", 11)
    ours, theirs = both("GaussianNB", var_smoothing=0.1)
    for rows in (slice(0, 60), slice(60, 90)):
        ours.partial_fit(X[rows], y[rows], classes=np.unique(y))
        theirs.partial_fit(X[rows], y[rows], classes=np.unique(y))
    whole = sk.GaussianNB(var_smoothing=0.1).fit(X, y)
    same(ours, whole, more)
    assert ours.epsilon_ == pytest.approx(whole.epsilon_, rel=1e-12)
    assert theirs.epsilon_ == pytest.approx(0.1 * X[60:].var(axis=0).max(), rel=1e-12)
    assert abs(theirs.epsilon_ / whole.epsilon_ - 1) > 0.01


def test_smoothing_of_weighted_variances():
    """Its epsilon ignores weights; here a weight of 2 is a row that is there twice."""
    X, y, _, more = data("GaussianNB", 12)
    times = np.arange(len(X)) % 3
    ours, theirs = fitted("GaussianNB", X, y, times, var_smoothing=0.1)
    repeated = sk.GaussianNB(var_smoothing=0.1).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    same(ours, repeated, more)
    assert abs(theirs.epsilon_ / repeated.epsilon_ - 1) > 0.01


def test_a_class_without_a_row_in_the_gaussian_model():
    """Its density there is a spike at 0; here it is that of all rows, and nothing is learned of the class."""
    X, y = np.array([[1.0], [2.0], [4.0]]), ["a", "a", "c"]
    ours, theirs = both("GaussianNB", priors=[0.3, 0.4, 0.3])
    for model in (ours, theirs):
        model.partial_fit(X, y, classes=["a", "b", "c"])
    assert theirs.predict([[0.0]]).tolist() == ["b"]
    assert ours.theta_[1, 0] == pytest.approx(7 / 3)
    assert ours.var_[1, 0] == pytest.approx(np.var(X), rel=1e-8)


def test_codes_that_come_later():
    """Its CategoricalNB takes the number of categories from the last batch, and answers IndexError for a new code."""
    X, y = np.array([[2], [1], [0]]), np.array([0, 1, 1])
    ours, theirs = both("CategoricalNB")
    for model in (ours, theirs):
        model.partial_fit(X, y, classes=[0, 1])
        model.partial_fit([[0]], [0])
    whole = sk.CategoricalNB().fit([[2], [1], [0], [0]], [0, 1, 1, 0])
    assert theirs.n_categories_.tolist() == [1]
    assert ours.n_categories_.tolist() == whole.n_categories_.tolist() == [3]
    same(ours, whole, X)
    with pytest.raises(IndexError):
        theirs.predict([[3]])
    # A code that nobody has seen: as one that was seen in no row of the class.
    np.testing.assert_allclose(ours.predict_proba([[3]]), [[0.5, 0.5]], rtol=1e-12)


def test_codes_that_are_no_whole_numbers():
    """They are cut off there, 1.9 to 1; here each is a value of its own, after the codes."""
    X, y = [[1.9], [1.0], [1.0]], ["a", "b", "b"]
    ours, theirs = fitted("CategoricalNB", X, y)
    assert theirs.category_count_[0].tolist() == [[0, 1], [0, 2]]
    assert ours.category_count_[0].tolist() == [[0, 0, 1], [0, 2, 0]]
    assert ours.predict([[1.9]]).tolist() == ["a"]


@pytest.mark.parametrize("name", ["BernoulliNB", "MultinomialNB"])
def test_impossible_cells_without_smoothing(name):
    """0 * -inf is NaN there; here 0 ** 0 is 1, and what cannot be has the probability 0."""
    X, y = np.array([[1, 0], [1, 1]]), np.array([0, 1])
    ours, theirs = both(name, alpha=0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        theirs.fit(X, y)
        assert np.isnan(theirs.predict_proba(X)).any()
    prob = ours.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(prob, [[1, 0], [0, 1]] if name == "BernoulliNB" else [[2 / 3, 1 / 3], [0, 1]])


def test_digits_of_rare_absences():
    """It takes the probability of a 0 from 1 - exp(log p), which has lost its digits where p is all but 1."""
    X, y, alpha = np.array([[1], [1], [1], [0]]), np.array([0, 0, 0, 1]), 1e-12
    ours, theirs = fitted("BernoulliNB", X, y, alpha=alpha)
    exact = np.log(0.75) + np.log(alpha) - np.log(3 + 2 * alpha)
    assert ours.predict_joint_log_proba([[0]])[0, 0] == pytest.approx(exact, rel=1e-14)
    assert abs(theirs.predict_joint_log_proba([[0]])[0, 0] - exact) > 1e-6


def test_classes_of_weight_zero():
    """A row of weight 0 leaves no trace here; there its class stays, with the prior 0 and a spike at its rows."""
    X, y, weights = np.array([[0.0], [1.0], [5.0]]), ["a", "b", "b"], [0.0, 1.0, 1.0]
    ours, theirs = both("BernoulliNB")
    with pytest.warns(tb.errors.DataWarning, match="single class"):
        ours.fit(X, y, sample_weight=weights)
    theirs.fit(X, y, sample_weight=weights)
    assert ours.classes_.tolist() == ["b"]
    assert theirs.classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize("name", ["GaussianNB", *COUNTING])
def test_a_prior_with_labels_goes_by_position_all_the_same(name):
    X, y, _, more = data(name, 1)
    given = pd.Series({"d": 0.1, "c": 0.2, "b": 0.3, "a": 0.4})
    word = "priors" if name == "GaussianNB" else "class_prior"
    # The others of scikit-learn fail at predict, when a Series is added to their table.
    theirs = getattr(sk, name)(**{word: given if name == "GaussianNB" else given.to_numpy()})
    ours = getattr(tb, name)(**{word: given})
    with pytest.warns(tb.errors.DataWarning, match="its labels are passed over, as in scikit-learn"):
        ours.fit(X, y)
    same(ours, theirs.fit(X, y), more)
