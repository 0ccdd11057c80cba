from __future__ import annotations

import pytest

import tallybayes as tb
from tallybayes.errors import NotFittedError

ROWS = [{"sky": "blue", "play": "yes"}, {"sky": "grey", "play": "no"}, {"sky": "blue", "play": "yes"}]


def test_the_target_is_named_where_it_is_a_column():
    model = tb.NaiveBayes().fit(ROWS, y="play")
    assert model.target_ == "play"
    assert (model + model).target_ == "play"


def test_the_target_has_no_name_where_the_labels_come_beside_the_rows(tmp_path):
    model = tb.NaiveBayes().fit([{"sky": row["sky"]} for row in ROWS], ["yes", "no", "yes"])
    assert model.target_ is None
    model.save(tmp_path / "x.tally")
    assert tb.load(tmp_path / "x.tally").target_ is None


def test_nothing_has_a_target_before_fit():
    with pytest.raises(NotFittedError):
        tb.NaiveBayes().target_  # noqa: B018
