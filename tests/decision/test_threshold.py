from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybayes.decision.risk import least_risk
from tallybayes.decision.threshold import threshold
from tallybayes.errors import CostError

costs = st.integers(-20, 20)


def test_elkan():
    """With c10 = 1 and c01 = 5, and with right decisions that cost something too."""
    assert threshold(None) == 0.5
    assert threshold([[0, 5], [1, 0]]) == 1 / 6
    assert threshold([[2, 10], [5, 4]]) == pytest.approx((5 - 2) / (5 - 2 + 10 - 4))
    assert threshold({("spam", "ham"): 9}, ["ham", "spam"]) == 0.9
    assert threshold({("1", "0"): 9}) == 0.9


@given(costs, costs, costs, costs)
def test_it_divides_what_the_risk_decides(c00, c01, c10, c11):
    matrix = np.array([[c00, c01], [c10, c11]], dtype=np.float64)
    if c10 < c00 or c01 < c11 or (c10 == c00 and c01 == c11):
        with pytest.raises(CostError, match="no threshold divides them"):
            threshold(matrix)
        return
    divide = threshold(matrix)
    assert 0 <= divide <= 1
    second = np.array([p for p in (divide - 0.01, divide, divide + 0.01, 0, 1) if 0 <= p <= 1])
    posterior = np.column_stack([1 - second, second])
    clear = np.abs(second - divide) > 1e-9
    assert (least_risk(posterior, matrix).chosen[clear] == (second > divide)[clear]).all()


@pytest.mark.parametrize("classes", [["a"], ["a", "b", "c"], []])
def test_it_takes_two_classes(classes):
    with pytest.raises(CostError, match=f"here are {len(classes)}"):
        threshold(None, classes)
