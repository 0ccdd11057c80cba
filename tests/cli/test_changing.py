"""``update``, ``forget`` and ``merge``: the model file afterwards is that of the right rows, or as it was."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tallybayes as tb
from tests.cli.conftest import MELONS, Run

HEAD, *LINES = MELONS.splitlines()


@pytest.fixture
def parts(melons: Path) -> Path:
    """The table in two files."""
    for name, lines in (("a.csv", LINES[:6]), ("b.csv", LINES[6:])):
        melons.with_name(name).write_text("\n".join([HEAD, *lines]) + "\n", encoding="utf-8")
    return melons.parent


def joint(path: str | Path) -> np.ndarray:
    rows = [
        {"颜色": "青绿", "sound": "dull", "density": 0.5, "sugar": 0.2},
        {"颜色": "浅白", "sound": None, "density": 0.7, "sugar": None},
    ]
    return tb.load(path).predict_joint_log_proba(rows)


def test_update_is_training_on_all(run: Run, model: Path, parts: Path) -> None:
    run("train a.csv --target ripe --model nb -o both.tally")
    ended = run("update both.tally b.csv")
    assert "4 rows more of b.csv; the model now has 10 rows of 2 classes (no, yes)." in ended.out
    assert joint("both.tally") == pytest.approx(joint(model), rel=1e-12)
    assert tb.load("both.tally").tallies_["classes"].n_rows == 10


def test_forget_is_never_having_seen(run: Run, model: Path, parts: Path) -> None:
    run("train a.csv --target ripe --model nb -o a.tally")
    found = run("forget melons.tally b.csv -o rest.tally --json").json
    assert found == {"model": "rest.tally", "rows_before": 10, "rows": 6, "classes": ["no", "yes"]}
    assert joint("rest.tally") == pytest.approx(joint("a.tally"), rel=1e-12)
    assert tb.load(model).tallies_["classes"].n_rows == 10  # the old file is left


def test_merge_is_training_on_all(run: Run, model: Path, parts: Path) -> None:
    for name in "ab":
        run(f"train {name}.csv --target ripe --model nb -o {name}.tally")
    ended = run("merge a.tally b.tally -o both.tally")
    assert "a.tally (6 rows) + b.tally (4 rows): 10 rows of 2 classes (no, yes)" in ended.out
    assert joint("both.tally") == pytest.approx(joint(model), rel=1e-12)
    assert "two models or more" in run("merge a.tally -o c.tally").error
    found = run("merge a.tally b.tally a.tally -o c.tally --json").json
    assert (found["rows"], found["classes"]) == (16, ["no", "yes"])


def test_a_class_that_no_row_supports_any_more_is_gone(run: Run, model: Path) -> None:
    lines = [line for line in LINES if line.endswith("yes")]
    Path("yes.csv").write_text("\n".join([HEAD, *lines]), encoding="utf-8")
    assert "5 rows of 1 class (no)" in run("forget melons.tally yes.csv").out
    Path("no.csv").write_text("\n".join([HEAD, *(line for line in LINES if line not in lines)]), encoding="utf-8")
    assert "0 rows of no class." in run("forget melons.tally no.csv").out
    assert "has forgotten every row" in run("predict melons.tally no.csv").error
    assert "5 rows of 1 class (yes)" in run("update melons.tally yes.csv").out


@pytest.mark.parametrize("command", ["update", "forget"])
@pytest.mark.parametrize(
    ("last", "said"),
    [
        ("青绿,dull,much,0.3,yes", "density"),
        ("青绿,dull,inf,0.3,yes", "infinite"),
        ("青绿,dull,0.3,0.1,yes,more", "6 cells in row 5"),
    ],
)
def test_a_failure_leaves_the_model_file_as_it_was(run: Run, model: Path, command: str, last: str, said: str) -> None:
    before = model.read_bytes()
    Path("bad.csv").write_text("\n".join([HEAD, *LINES[:4], last]), encoding="utf-8")
    assert said in run(f"{command} melons.tally bad.csv").error.lower()
    assert model.read_bytes() == before
    assert sorted(path.name for path in model.parent.iterdir()) == ["bad.csv", "melons.csv", "melons.tally"]


def test_rows_that_were_never_learned_are_not_forgotten(run: Run, model: Path) -> None:
    before = model.read_bytes()
    Path("other.csv").write_text(f"{HEAD}\n金黄,dull,0.5,0.1,yes\n", encoding="utf-8")
    assert "金黄" in run("forget melons.tally other.csv").error
    assert model.read_bytes() == before


def test_models_of_other_columns_do_not_merge(run: Run, model: Path) -> None:
    Path("coins.csv").write_text("side,y\nup,0\ndown,1\n", encoding="utf-8")
    run("train coins.csv --target y")
    run("train melons.csv --target ripe --model kernel --columns 颜色=ignored -o kernel.tally")
    assert run("merge melons.tally coins.tally -o both.tally").code == 1
    assert not Path("both.tally").exists()
