from __future__ import annotations

import numpy as np
import pytest

from tallybayes.errors import NotAJointError
from tallybayes.factors.gaussian import GaussianFactor
from tallybayes.factors.poisson import PoissonFactor
from tallybayes.factors.presence import PresenceFactor
from tallybayes.models.base import CLASSES
from tallybayes.models.complement import ComplementModel
from tallybayes.models.naive import NaiveModel
from tallybayes.models.prior import Prior
from tests.tallies.numeric import numeric

X = np.array([[1.0, 2.0, 0.0], [2.0, np.nan, 1.0], [4.0, 3.0, 2.0], [3.0, 5.0, np.nan], [3.5, 4.0, 1.0]])
Y = np.array([0, 0, 1, 1, 1])


def estimated(model):
    batch = numeric(X, Y)
    tallies = {key: empty.count(batch) for key, empty in model.needs().items()}
    return model.estimate(tallies, tallies[CLASSES].classes), batch


@pytest.fixture
def model():
    factors = {"gaussian": GaussianFactor((1, 0)), "poisson": PoissonFactor((2,)), "presence": PresenceFactor((1, 2))}
    return NaiveModel(Prior(), factors)


def test_what_is_counted_has_the_names_of_the_factors(model):
    assert list(model.needs()) == ["classes", "gaussian", "poisson", "presence"]
    assert all(not tally.classes for tally in model.needs().values())


def test_log_joint_is_prior_times_factors(model):
    joint, batch = estimated(model)
    expected = np.tile(np.log([2 / 5, 3 / 5]), (5, 1))
    for part in joint.conditionals.values():
        part.add_log_prob(batch, expected)
    np.testing.assert_array_equal(joint.log_joint(batch), expected)
    assert joint.names == (1, 0, 2)


def test_terms_of_a_column_are_those_of_all_its_factors(model):
    joint, batch = estimated(model)
    terms = joint.contributions(batch)
    assert terms.shape == (5, 3, 2)
    np.testing.assert_allclose(terms.sum(axis=1) + joint.log_prior, joint.log_joint(batch), rtol=1e-12)
    presence = joint.conditionals["presence"].contributions(batch)
    np.testing.assert_allclose(terms[1, 0], presence[1, 0])  # the missing cell of column 1
    np.testing.assert_allclose(terms[:, 2], joint.conditionals["poisson"].contributions(batch)[:, 0] + presence[:, 1])


def test_samples_have_missing_cells_where_presence_is_a_factor(model):
    joint, _ = estimated(model)
    rng = np.random.default_rng(0)
    drawn = joint.sample(np.repeat([0, 1], 4000), rng)
    assert set(drawn) == {0, 1, 2}
    gone = np.isnan(np.array(drawn[1], dtype=float)).reshape(2, -1).mean(axis=1)
    np.testing.assert_allclose(gone, [2 / 4, 1 / 5], atol=0.03)
    assert not np.isnan(np.array(drawn[0], dtype=float)).any()


def test_a_score_that_is_no_joint_has_neither_terms_nor_samples():
    score, batch = estimated(ComplementModel((0, 1, 2), Prior()))
    assert score.log_joint(batch).shape == (5, 2)
    with pytest.raises(NotAJointError, match="MultinomialNB"):
        score.contributions(batch)
    with pytest.raises(NotAJointError, match="MultinomialNB"):
        score.sample(np.zeros(1, np.int64), np.random.default_rng(0))
