"""``tallybayes train`` without a model: the one of many that predicts best."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tallybayes as tb
from tests.cli.conftest import Run


@pytest.fixture
def trips(run: Run, tmp_path: Path) -> Path:
    """A table in which sky and wind say together what neither says alone."""
    rng = np.random.default_rng(4)
    sky, wind = rng.integers(0, 2, 240), rng.integers(0, 2, 240)
    goes = np.where(rng.random(240) < 0.9, sky ^ wind, rng.integers(0, 2, 240))
    hours = rng.normal(goes, 2.0)
    lines = [
        f"{'blue' if s else 'grey'},{'calm' if w else 'gale'},{h:.2f},{'sail' if g else 'stay'}"
        for s, w, h, g in zip(sky, wind, hours, goes, strict=True)
    ]
    path = tmp_path / "trips.csv"
    path.write_text("sky,wind,hours,goes\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_the_best_of_many_is_saved_and_the_leaderboard_shown(run: Run, trips: Path) -> None:
    ended = run("train trips.csv --target goes")
    assert ended.code == 0, ended.err
    expected = tb.AutoBayes().fit(trips, "goes")
    assert str(expected.leaderboard_.best.name) in ended.out
    assert "Of 240 rows, each without itself:" in ended.out
    assert f"Chosen: {expected.leaderboard_.best.name}\n" in ended.out
    loaded = tb.load("trips.tally")
    assert isinstance(loaded, tb.AutoBayes)
    rows = [{"sky": "blue", "wind": "gale", "hours": 1.0}, {"sky": "grey", "wind": "gale", "hours": 1.0}]
    assert np.array_equal(loaded.predict_proba(rows), expected.predict_proba(rows))
    assert loaded.predict(rows).tolist() == ["sail", "stay"]
    assert loaded.leaderboard_.to_dict() == expected.leaderboard_.to_dict()


def test_options_of_naive_bayes_mean_naive_bayes(run: Run, trips: Path) -> None:
    for options, name in (("--numeric kernel", "NaiveBayes"), ("--smoothing 2", "NaiveBayes"), ("", "AutoBayes")):
        assert run(f"train trips.csv --target goes {options}").code == 0
        assert type(tb.load("trips.tally")).__name__ == name


def test_options_reach_all_candidates(run: Run, trips: Path) -> None:
    line = (
        "train trips.csv --target goes --model auto --set candidates=naive,tan --set folds=0 --set criterion=accuracy "
        "--columns hours=ignored --prior sail=0.3 --prior stay=0.7 --missing category --json"
    )
    found = run(line).json
    assert found["leaderboard"]["criterion"] == "accuracy"
    assert {one["family"] for one in found["leaderboard"]["lines"]} == {"NaiveBayes", "TAN"}
    loaded = tb.load("trips.tally")
    assert isinstance(loaded.best_, tb.TAN)
    assert loaded.best_.prior == {"sail": 0.3, "stay": 0.7}
    assert loaded.best_.missing == "category"
    assert loaded.schema_["hours"].kind == "ignored"


def test_rows_held_out_have_no_part_in_the_choice(run: Run, trips: Path) -> None:
    from tallybayes.sources.open import open_source
    from tallybayes.sources.part import PartSource

    found = run("train trips.csv --target goes --holdout 0.25 --seed 3 --json").json
    learn, held = (PartSource(open_source(str(trips), "goes"), 0.25, seed=3, held_out=part) for part in (False, True))
    expected = tb.evaluate(tb.AutoBayes().fit(learn), held)
    assert found["evaluation"]["log_loss"] == pytest.approx(expected.log_loss, rel=1e-12)
    assert found["rows"] == 240


def test_a_model_that_was_chosen_learns_on(run: Run, trips: Path) -> None:
    assert run("train trips.csv --target goes").code == 0
    before = tb.load("trips.tally").leaderboard_.best.name
    assert "480 rows" in run("update trips.tally trips.csv").out
    again = tb.load("trips.tally")
    assert again.leaderboard_.best.name == before
    assert "240 rows" in run("forget trips.tally trips.csv").out
    assert "sky" in run("inspect trips.tally").out


def test_what_can_be_read_once_is_enough(run: Run, trips: Path) -> None:
    ended = run("train - --target goes -o from.tally", stdin=trips.read_bytes())
    assert ended.code == 0, ended.err
    rows = [{"sky": "blue", "wind": "gale", "hours": 1.0}]
    expected = tb.AutoBayes().fit(trips, "goes").predict_proba(rows)
    assert np.array_equal(tb.load("from.tally").predict_proba(rows), expected)
