"""scikit-learn's own tests of naive Bayes, run on the drop-ins: the installed file, with the names bound to ours."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any
from unittest import mock

import numpy as np
import pytest
import sklearn.naive_bayes

import tallybayes as tb

pytestmark = [
    pytest.mark.peers,
    # Where a test of theirs trains on a single class, ours warns, as it should.
    pytest.mark.filterwarnings("ignore:The target has a single class:tallybayes.errors.DataWarning"),
]

DROP_INS = ("GaussianNB", "BernoulliNB", "MultinomialNB", "ComplementNB", "CategoricalNB")

REWORDED = {
    "Negative values in data passed to": "Negative values in data: column",
    re.escape("Negative values in data passed to ComplementNB (input X)"): "Negative values in data: column",
    re.escape("Negative values in data passed to CategoricalNB (input X)"): "Negative values in data: column",
    "All values in alpha must be greater than 0.": "should be a number, 0 or more",
}
"""Their messages, and ours in their place: ours name the column, the row and the remedy."""

PRIVATE = "it calls a private method of scikit-learn's class, which the drop-in has no use for"

DEVIATIONS = {
    "test_gnb_check_update_with_no_data": PRIVATE,
    "test_alpha_vector": PRIVATE,
    "test_check_alpha": PRIVATE,
    "test_gnb_partial_fit[float32]": (
        "it wants float32 parameters of float32 rows; here sums and parameters have double precision, whatever "
        "the rows have"
    ),
    "test_discretenb_provide_prior": (
        "it wants the classes of a fit that failed; here a fit that fails leaves the model as it was, so that the "
        "classes it is then told are the right ones"
    ),
}
"""Every test of theirs that ours fail, by its name, and why; the last of its steps are tested here instead."""


def _suite() -> ModuleType:
    spec = importlib.util.find_spec("sklearn.tests.test_naive_bayes")
    if spec is None or spec.origin is None:
        pytest.skip(f"scikit-learn {sklearn.__version__} comes without its tests", allow_module_level=True)
    spec = importlib.util.spec_from_file_location("sklearn_suite_on_drop_ins", spec.origin)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.multiple("sklearn.naive_bayes", **{name: getattr(tb, name) for name in DROP_INS}):
        spec.loader.exec_module(module)
    module.pytest = _Pytest()
    return module


class _Pytest:
    """pytest, as a test of theirs sees it: an error is expected in our words."""

    def __getattr__(self, name: str) -> Any:
        return getattr(pytest, name)

    def raises(self, kind: type[Exception], *, match: str) -> Any:
        return pytest.raises(kind, match=REWORDED.get(match, match))


def _listed(mark: pytest.Mark) -> pytest.Mark:
    """Return a mark whose parameters are a list: they generate some, which pytest is about to refuse."""
    if mark.name != "parametrize":
        return mark
    names, values, *rest = mark.args
    return pytest.mark.parametrize(names, list(values), *rest, **mark.kwargs).mark


def _tests() -> Iterator[tuple[str, Callable[..., None]]]:
    for name, test in vars(_suite()).items():
        if name.startswith("test_"):
            test.pytestmark = [_listed(mark) for mark in getattr(test, "pytestmark", [])]
            yield name, test


globals().update(_tests())


@pytest.fixture
def global_random_seed() -> int:
    return 42


@pytest.fixture(params=[np.float32, np.float64], ids=["float32", "float64"])
def global_dtype(request):
    return request.param


@pytest.fixture(autouse=True)
def _deviation(request) -> None:
    reason = DEVIATIONS.get(request.node.name, DEVIATIONS.get(request.node.originalname))
    if reason is not None:
        request.applymarker(pytest.mark.xfail(reason=reason, strict=True))


def test_the_deviations_are_tests_of_theirs():
    assert {name.partition("[")[0] for name in DEVIATIONS} <= globals().keys()


# What the deviating tests ask for beyond the deviation ---------------------------------------------------


@pytest.mark.parametrize("drop_in", [tb.BernoulliNB, tb.MultinomialNB, tb.ComplementNB, tb.CategoricalNB])
def test_small_alphas_are_raised_unless_forced(drop_in):
    X, y = np.array([[1, 0], [1, 1]]), np.array([0, 1])
    tiny, least = np.array([0.0, 0.5]), np.array([1e-10, 0.5])
    for given, used in ((0.0, 1e-10), (tiny, least)):
        raised = drop_in(alpha=given, force_alpha=False)
        with pytest.warns(UserWarning, match="alpha too small .* setting alpha = 1.0e-10") as caught:
            raised.fit(X, y)
        assert len(caught) == 1
        # And no second time when the parameters are needed.
        np.testing.assert_array_equal(
            raised.predict_joint_log_proba(X), drop_in(alpha=used).fit(X, y).predict_joint_log_proba(X)
        )
    forced = drop_in(alpha=0.0).fit(X, y)
    assert np.isneginf(np.concatenate(forced.feature_log_prob_)).any() or drop_in is tb.ComplementNB


@pytest.mark.parametrize("drop_in", [tb.BernoulliNB, tb.MultinomialNB, tb.ComplementNB, tb.CategoricalNB])
def test_an_alpha_for_each_column_of_others(drop_in):
    with pytest.raises(ValueError, match="When alpha is an array, it should contains `n_features`"):
        drop_in(alpha=np.array([1.0, 2.0, 3.0])).fit([[1, 0], [1, 1]], [0, 1])


def test_gaussian_of_single_precision():
    X = np.array([[-2, -1], [-1, -1], [-1, -2], [1, 1], [1, 2], [2, 1]], dtype=np.float32)
    y = np.array([1, 1, 1, 2, 2, 2])
    whole = tb.GaussianNB().fit(X, y)
    halves = tb.GaussianNB().partial_fit(X[::2], y[::2], classes=[1, 2]).partial_fit(X[1::2], y[1::2])
    for name in ("class_prior_", "theta_", "var_"):
        ours, theirs = getattr(whole, name), getattr(sklearn.naive_bayes.GaussianNB().fit(X, y), name)
        assert ours.dtype == np.float64
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)
        np.testing.assert_allclose(getattr(halves, name), ours, rtol=1e-15)


@pytest.mark.parametrize("drop_in", [tb.BernoulliNB, tb.MultinomialNB, tb.ComplementNB, tb.CategoricalNB])
def test_classes_of_a_second_batch(drop_in):
    model = drop_in(class_prior=[0.5, 0.5]).fit([[0], [0], [1]], [0, 0, 1])
    with pytest.raises(ValueError, match="Number of priors must match number of classes"):
        model.fit([[0], [1], [2]], [0, 1, 2])
    assert model.classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match="is not the same as on last call to partial_fit"):
        model.partial_fit([[0], [1]], [0, 1], classes=[0, 1, 2])
    assert model.partial_fit([[0], [1]], [0, 1], classes=[0, 1, 1]).class_count_.tolist() == [3, 2]
