"""``tallybayes predict``: the answers of the library, in every form in which they can be written."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

import tallybayes as tb
from tests.cli.conftest import MELONS, Run

NEW = MELONS.replace(",yes", "").replace(",no", "").replace(",ripe", "")


@pytest.fixture
def new(model: Path) -> Path:
    """The rows without their labels."""
    path = model.with_name("new.csv")
    path.write_text(NEW, encoding="utf-8")
    return path


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_predictions_and_probabilities(run: Run, model: Path, new: Path) -> None:
    ended = run("predict melons.tally new.csv --proba --keep 颜色")
    assert (ended.code, ended.err) == (0, "")
    found = records(ended.out)
    expected = tb.load(model)
    assert list(found[0]) == ["颜色", "prediction", "P(no)", "P(yes)"]
    assert [row["prediction"] for row in found] == expected.predict(new).tolist()
    assert [row["颜色"] for row in found] == [row["颜色"] for row in records(NEW)]
    assert np.array([[float(row["P(no)"]), float(row["P(yes)"])] for row in found]) == pytest.approx(
        expected.predict_proba(new), rel=1e-15
    )


def test_one_note_for_the_target_that_is_ignored(run: Run, model: Path) -> None:
    ended = run("predict melons.tally melons.csv")
    assert ended.code == 0
    assert ended.err.count("note:") == 1
    assert "'ripe'" in ended.err


def test_costs_and_rejection_decide(run: Run, model: Path, new: Path) -> None:
    costs = {("yes", "no"): 4.0}
    Path("costs.csv").write_text("predicted,true,cost\nyes,no,4\n", encoding="utf-8")
    found = run("predict melons.tally new.csv --costs costs.csv --reject 0.2 --json").json
    decision = tb.BayesDecision(tb.load(model), costs=costs, reject_cost=0.2)
    assert [row["prediction"] for row in found] == decision.predict(new).tolist()
    assert None in [row["prediction"] for row in found]
    assert [row["risk"] for row in found] == decision.choices(new).risk.tolist()


def test_costs_from_json(run: Run, model: Path, new: Path) -> None:
    Path("costs.json").write_text(json.dumps({"classes": ["no", "yes"], "costs": [[0, 1], [9, 0]]}), encoding="utf-8")
    found = records(run("predict melons.tally new.csv --costs costs.json").out)
    decision = tb.BayesDecision(tb.load(model), costs=[[0, 1], [9, 0]])
    assert [row["prediction"] for row in found] == decision.predict(new).tolist()


def test_every_format_is_written_the_same(run: Run, model: Path, new: Path) -> None:
    expected = tb.load(model).predict(new).tolist()
    for ending in ("csv", "tsv", "parquet", "arrow", "jsonl"):
        ended = run(f"predict melons.tally new.csv -o out.{ending}")
        assert ended.out == f"Wrote 10 predictions to out.{ending}.\n"
    assert pyarrow.parquet.read_table("out.parquet")["prediction"].to_pylist() == expected
    assert [json.loads(line)["prediction"] for line in Path("out.jsonl").read_text().splitlines()] == expected
    assert [row["prediction"] for row in records(Path("out.csv").read_text())] == expected
    assert run("predict melons.tally new.csv --to tsv").stdout == Path("out.tsv").read_bytes()
    assert run("predict melons.tally new.csv -o - --to parquet").stdout == Path("out.parquet").read_bytes()
    assert run("predict melons.tally new.csv -o out.dat --to csv").code == 0
    assert Path("out.dat").read_bytes() == Path("out.csv").read_bytes()
    assert run("predict melons.tally new.csv -o out.csv --json").json == {
        "output": "out.csv",
        "wrote": "10 predictions",
    }


def test_standard_input_in_other_forms(run: Run, model: Path, new: Path) -> None:
    expected = run("predict melons.tally new.csv").out
    assert run("predict melons.tally -", stdin=NEW).out == expected
    assert run("predict melons.tally - --format tsv", stdin=NEW.replace(",", "\t")).out == expected
    assert run(["predict", "melons.tally", "-", "--delimiter", ";"], stdin=NEW.replace(",", ";")).out == expected
    commas = NEW.replace(",", ";").replace(".", ",")
    assert run(["predict", "melons.tally", "-", "--delimiter", ";", "--decimal", ","], stdin=commas).out == expected
    assert run("predict melons.tally - --encoding gb18030", stdin=NEW.encode("gb18030")).out == expected
    lines = "\n".join(json.dumps(row) for row in records(NEW.replace(",,", ",muffled,")))
    assert run("predict melons.tally - --format jsonl", stdin=lines).code == 1  # numbers as texts are another kind


def test_columns_in_any_order_and_rows_with_holes(run: Run, model: Path, new: Path) -> None:
    expected = run("predict melons.tally new.csv --proba").out
    turned = "\n".join(",".join(reversed(line.split(","))) for line in NEW.splitlines())
    assert run("predict melons.tally - --proba", stdin=turned).out == expected
    empty = run("predict melons.tally - --proba", stdin="颜色,sound,density,sugar\n,,,\n紫,hum,,\n")
    assert float(records(empty.out)[0]["P(no)"]) == pytest.approx(0.5)  # nothing known: the prior
    assert empty.code == 0


def test_more_rows_than_one_piece_keep_their_order(run: Run, model: Path) -> None:
    cells = ["青绿,crisp,0.2,0.1", "乌黑,dull,0.7,0.4", "浅白,,0.5,0.2"]
    lines = [f"{cells[i % 3]},{i}" for i in range(70_000)]
    Path("many.csv").write_text("颜色,sound,density,sugar,id\n" + "\n".join(lines) + "\n", encoding="utf-8")
    ended = run("predict melons.tally many.csv --keep id -o many.parquet")
    assert ended.code == 0
    table = pyarrow.parquet.read_table("many.parquet")
    assert table["id"].to_pylist() == [str(i) for i in range(70_000)]  # as they are written in the text
    three = (
        tb.load(model)
        .predict(
            [
                dict(zip(("颜色", "sound"), c.split(",")[:2], strict=True))
                | {"density": float(c.split(",")[2]), "sugar": float(c.split(",")[3])}
                for c in cells[:2]
            ]
        )
        .tolist()
    )
    assert table["prediction"].to_pylist()[:2] == three
    assert table["prediction"].to_pylist()[69_999 - 69_999 % 3] == three[0]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("predict melons.tally nwe.csv", "Did you mean 'new.csv'?"),
        ("predict melon.tally new.csv", "melon.tally"),
        ("predict new.csv new.csv", "is no tallybayes model"),
        ("predict - new.csv", "not from standard input"),
        ("predict melons.tally new.csv --keep colour", "no column 'colour' to keep"),
        ("predict melons.tally new.csv --costs new.csv", "predicted,true,cost"),
        ("predict melons.tally new.csv --costs none.csv", "There is no file 'none.csv'"),
        ("predict melons.tally new.csv --reject nan", "reject"),
        ("predict melons.tally new.csv --json --to csv", "leave one out"),
        ("predict melons.tally new.csv --to xlsx", "--to xlsx is not one of"),
        ("predict melons.tally new.csv -o out.xlsx", "out.xlsx"),
        ("predict melons.tally new.csv -o nowhere/out.csv", "nowhere"),
        ("predict melons.tally bare.csv", "'density'"),
    ],
)
def test_mistakes_get_one_line_and_write_nothing(run: Run, model: Path, new: Path, line: str, said: str) -> None:
    Path("bare.csv").write_text("颜色,sound\n青绿,dull\n", encoding="utf-8")
    before = sorted(path.name for path in model.parent.iterdir())
    ended = run(line)
    assert said in ended.error
    assert ended.out == ""
    assert sorted(path.name for path in model.parent.iterdir()) == before


def test_a_failure_half_way_leaves_the_old_output(run: Run, model: Path) -> None:
    Path("out.csv").write_text("precious", encoding="utf-8")
    broken = NEW + "青绿,dull,much,0.1\n"
    assert "density" in run("predict melons.tally - -o out.csv", stdin=broken).error
    assert Path("out.csv").read_text() == "precious"


def test_costs_on_a_score_are_refused_with_the_reason(run: Run) -> None:
    Path("counts.csv").write_text("a,b,y\n1,0,p\n0,2,q\n3,0,p\n", encoding="utf-8")
    assert run("train counts.csv --target y --model complement").code == 0
    assert run("predict counts.tally counts.csv").code == 0
    assert "ComplementNB gives scores and not the joint" in run("predict counts.tally counts.csv --reject 0.1").error
