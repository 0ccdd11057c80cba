"""``evaluate``, ``explain``, ``rank`` and ``inspect``: what the library says, printed or for programs."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import tallybayes as tb
from tests.cli.conftest import MELONS, Run


@pytest.fixture
def rows(model: Path) -> pa.Table:
    """The rows without their labels."""
    cells = csv.DictReader(io.StringIO(MELONS))
    return pa.Table.from_pylist(
        [
            {"颜色": row["颜色"], "sound": row["sound"] or None}
            | {name: float(row[name]) if row[name] else None for name in ("density", "sugar")}
            for row in cells
        ]
    )


# evaluate ---------------------------------------------------------------------------------------------------------


def test_evaluate_is_that_of_the_library(run: Run, model: Path, melons: Path) -> None:
    expected = tb.evaluate(tb.load(model), melons, "ripe")
    assert run("evaluate melons.tally melons.csv --json").json == expected.to_dict()
    ended = run("evaluate melons.tally melons.csv")
    assert ended.err == ""
    assert f"{expected.accuracy:.1%}" in ended.out
    assert "true \\ decided" in ended.out


def test_evaluate_with_costs_weights_and_another_target(run: Run, model: Path) -> None:
    lines = MELONS.replace("ripe", "truth").splitlines()
    weighed = [lines[0] + ",w", *(f"{line},{1 + i % 2}" for i, line in enumerate(lines[1:]))]
    Path("held.csv").write_text("\n".join(weighed), encoding="utf-8")
    Path("costs.csv").write_text("predicted,true,cost\nyes,no,7\n", encoding="utf-8")
    found = run("evaluate melons.tally held.csv --target truth --weights w --costs costs.csv --reject 0.3 --json").json
    decision = tb.BayesDecision(tb.load(model), costs={("yes", "no"): 7}, reject_cost=0.3)
    assert found == tb.evaluate(decision, "held.csv", "truth", sample_weight="w").to_dict()
    assert "'ripe'" in run("evaluate melons.tally held.csv").error
    assert "Did you mean 'truth'" in run("evaluate melons.tally held.csv --target truht").error


# explain ----------------------------------------------------------------------------------------------------------


def test_explain_for_programs_adds_up(run: Run, model: Path, rows: pa.Table) -> None:
    expected = tb.load(model).explain(rows)
    found = run("explain melons.tally melons.csv --json").json
    assert [row["row"] for row in found] == list(range(10))
    assert [row["label"] for row in found] == expected.label.tolist()
    for row, log_odds in zip(found, expected.log_odds, strict=True):
        assert math.fsum([row["prior"], *(c["contribution"] for c in row["columns"])]) == pytest.approx(
            log_odds, abs=1e-12
        )


def test_explain_into_a_table(run: Run, model: Path) -> None:
    assert run("explain melons.tally melons.csv -o why.parquet").out == "Wrote the evidence to why.parquet.\n"
    with pytest.warns(UserWarning, match="ripe"):
        expected = tb.load(model).explain("melons.csv").table
    assert pa.parquet.read_table("why.parquet").to_pylist() == expected.to_pylist()


def test_explain_some_rows_against_a_class(run: Run, model: Path, rows: pa.Table) -> None:
    ended = run("explain melons.tally melons.csv --row 7 --row 2 --label yes --against no")
    assert ended.out.index("row 2: yes rather than no") < ended.out.index("row 7: yes against no")
    assert "row 3" not in ended.out
    found = run("explain melons.tally melons.csv --row 7 --label yes --against no --json").json
    assert [(row["row"], row["label"], row["against"]) for row in found] == [(7, "yes", "no")]
    expected = tb.load(model).explain(rows.slice(7, 1), label="yes", against="no").log_odds[0]
    assert found[0]["log_odds"] == pytest.approx(expected, abs=1e-12)


def test_explain_shows_five_rows_to_be_read(run: Run, model: Path) -> None:
    assert run("explain melons.tally melons.csv").out.count(" rather than ") == 5
    assert run("explain melons.tally melons.csv --first 7").out.count(" rather than ") == 7
    assert "missing" in run("explain melons.tally melons.csv --row 4").out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--row 10", "--row 10 is after the last row of melons.csv"),
        ("--row -1", "--row -1 is no row"),
        ("--row 1 --first 2", "leave one of them out"),
        ("--first 0", "--first 0 is no number of rows"),
        ("--label maybe", "'maybe'"),
        ("--label yes --against yes", "yes"),
    ],
)
def test_explain_mistakes(run: Run, model: Path, options: str, said: str) -> None:
    assert said in run(f"explain melons.tally melons.csv {options}").error


# rank -------------------------------------------------------------------------------------------------------------


def test_rank_is_that_of_the_library(run: Run, model: Path, rows: pa.Table) -> None:
    expected = tb.rank(tb.load(model), rows, "yes")
    found = run("rank melons.tally melons.csv --label yes --json --keep ripe --keep density").json
    assert [row["row"] for row in found] == expected.rows.tolist()
    assert [row["probability"] for row in found] == pytest.approx(expected.to_table()["probability"].to_pylist())
    labels = [line.rsplit(",", 1)[1] for line in MELONS.splitlines()[1:]]
    assert [row["ripe"] for row in found] == [labels[i] for i in expected.rows]


def test_rank_top(run: Run, model: Path) -> None:
    ended = run("rank melons.tally melons.csv --label yes --top 3 --keep 颜色 --to csv")
    assert len(ended.out.splitlines()) == 4
    assert ended.out.splitlines()[0] == "row,probability,log_odds,颜色"
    shown = run("rank melons.tally melons.csv --label yes --top 3").out
    assert "P(yes)" in shown
    assert "'maybe'" in run("rank melons.tally melons.csv --label maybe").error
    assert "top" in run("rank melons.tally melons.csv --label yes --top -2").error


def test_rank_keeps_the_columns_of_many_pieces(run: Run, model: Path) -> None:
    lines = [f"青绿,crisp,{0.2 + i / 1e6},0.1,r{i}" for i in range(70_000)]
    Path("many.csv").write_text("颜色,sound,density,sugar,id\n" + "\n".join(lines) + "\n", encoding="utf-8")
    assert run("rank melons.tally many.csv --label yes --keep id -o many.parquet").code == 0
    table = pa.parquet.read_table("many.parquet")
    assert table["id"].to_pylist() == [f"r{i}" for i in table["row"].to_pylist()]
    probability = table["probability"].to_numpy()
    assert (np.diff(probability) <= 0).all()


# inspect ----------------------------------------------------------------------------------------------------------


def test_inspect(run: Run, model: Path) -> None:
    found = run("inspect melons.tally --json").json
    assert (found["target"], found["rows"], found["format"]) == ("ripe", 10, 1)
    assert [column["name"] for column in found["columns"]] == ["颜色", "sound", "density", "sugar"]
    shown = run("inspect melons.tally").out
    for word in ("melons.tally", "trained for the column ripe", "颜色", "gaussian", "categorical", "乌黑"):
        assert word in shown
    assert "is no tallybayes model" in run("inspect melons.csv").error
    data = bytearray(model.read_bytes())
    data[len(data) // 2] ^= 1
    model.write_bytes(data)
    assert "damaged" in run("inspect melons.tally").error
    json.dumps(found, allow_nan=False)
