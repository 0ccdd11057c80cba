"""``tallybayes train``: the model that is saved is the one that the library would have learned."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

import tallybayes as tb
from tests.cli.conftest import MELONS, Run


def same_model(path: Path, expected: tb.NaiveBayes, rows: Path) -> bool:
    loaded = tb.load(path)
    return np.array_equal(loaded.predict_joint_log_proba(rows), expected.predict_joint_log_proba(rows))


def test_the_model_is_that_of_the_library(run: Run, melons: Path) -> None:
    ended = run("train melons.csv --target ripe --model nb -o here.tally")
    assert ended.code == 0
    assert "10 rows of melons.csv: 2 classes of ripe (no, yes)" in ended.out
    assert "颜色" in ended.out
    assert ended.err == ""
    with pytest.warns(UserWarning, match="ripe"):
        assert same_model(melons.with_name("here.tally"), tb.NaiveBayes().fit(melons, y="ripe"), melons)


def test_options_reach_the_model(run: Run, melons: Path) -> None:
    line = (
        "train melons.csv --target ripe --columns sugar=ignored --columns 颜色=青绿,乌黑,浅白,金黄 "
        "--factors density=kernel --smoothing 0.5 --prior yes=0.7 --prior no=0.3 --missing category --ddof 1 --json"
    )
    assert run(line).code == 0
    loaded = tb.load(melons.with_name("melons.tally"))
    assert loaded.columns == {"sugar": "ignored", "颜色": ["青绿", "乌黑", "浅白", "金黄"]}
    assert loaded.factors == {"density": "kernel"}
    assert (loaded.smoothing, loaded.missing, loaded.ddof) == (0.5, "category", 1.0)
    assert loaded.prior == {"yes": 0.7, "no": 0.3}
    assert loaded.schema_["sugar"].kind == "ignored"


def test_a_prior_by_label_finds_labels_that_are_numbers(run: Run, tmp_path: Path) -> None:
    Path("coins.csv").write_text("side,y\nup,0\nup,1\ndown,1\ndown,0\n", encoding="utf-8")
    assert run("train coins.csv --target y --prior 0=0.9 --prior 1=0.1").code == 0
    loaded = tb.load("coins.tally")
    assert loaded.predict_proba([{"side": "up"}]).tolist() == [[pytest.approx(0.9), pytest.approx(0.1)]]


@pytest.mark.parametrize("name", ["gaussian", "kernel", "bernoulli", "multinomial", "complement", "categorical"])
def test_every_model_has_a_name(run: Run, name: str) -> None:
    Path("counts.csv").write_text("a,b,y\n1,0,p\n0,2,q\n3,0,p\n0,1,q\n", encoding="utf-8")
    ended = run(f"train counts.csv --target y --model {name} -o {name}.tally --json")
    assert ended.code == 0, ended.err
    assert type(tb.load(f"{name}.tally")).__name__.lower().startswith(name)
    assert ended.json["rows"] == 4


@pytest.mark.parametrize("ending", ["tsv", "parquet", "arrow", "feather", "jsonl", "csv.gz"])
def test_every_format_gives_the_same_model(run: Run, melons: Path, ending: str) -> None:
    table = pa.csv.read_csv(melons, convert_options=pa.csv.ConvertOptions(strings_can_be_null=True))
    path = melons.with_name(f"copy.{ending}")
    if ending == "parquet":
        pa.parquet.write_table(table, path)
    elif ending in ("arrow", "feather"):
        pa.feather.write_feather(table, path)
    elif ending == "jsonl":
        tb_lines = [str(row).replace("'", '"').replace("None", "null") for row in table.to_pylist()]
        path.write_text("\n".join(tb_lines), encoding="utf-8")
    elif ending == "tsv":
        path.write_text(MELONS.replace(",", "\t"), encoding="utf-8")
    else:
        path.write_bytes(gzip.compress(MELONS.encode()))
    assert run(f"train copy.{ending} --target ripe --model nb -o copy.tally").code == 0
    with pytest.warns(UserWarning, match="ripe"):
        assert same_model(path.with_name("copy.tally"), tb.NaiveBayes().fit(melons, y="ripe"), melons)


def test_standard_input(run: Run, melons: Path) -> None:
    ended = run("train - --target ripe", stdin=MELONS)
    assert ended.code == 0
    assert "10 rows of standard input" in ended.out
    assert tb.load("model.tally").target_ == "ripe"


def test_hold_out_measures_a_model_of_the_other_rows(run: Run, tmp_path: Path) -> None:
    from tallybayes.sources.open import open_source
    from tallybayes.sources.part import PartSource

    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 400)
    lines = [f"{x:.3f},{'pq'[y]}" for x, y in zip(rng.normal(labels), labels, strict=True)]
    Path("bells.csv").write_text("x,y\n" + "\n".join(lines) + "\n", encoding="utf-8")
    found = run("train bells.csv --target y --model nb --holdout 0.25 --seed 3 --json").json
    learn, held = (PartSource(open_source("bells.csv", "y"), 0.25, seed=3, held_out=part) for part in (False, True))
    expected = tb.evaluate(tb.NaiveBayes().fit(learn), held)
    assert found["evaluation"]["accuracy"] == expected.accuracy
    assert found["evaluation"]["log_loss"] == pytest.approx(expected.log_loss, rel=1e-12)
    assert found["evaluation"]["rows"] == expected.rows
    assert found["rows"] == 400  # the saved model has learned all of them


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("train melons.csv --target rip", "Did you mean 'ripe'?"),
        ("train melon.csv --target ripe", "Did you mean 'melons.csv'?"),
        ("train melons.csv --target ripe --columns suger=ignored", "Did you mean 'sugar'?"),
        ("train melons.csv --target ripe --columns sugar=numerical", "Did you mean 'numeric'?"),
        ("train melons.csv --target ripe --columns sugar", "--columns sugar is no pair"),
        ("train melons.csv --target ripe --model naive", "--model naive is not one of"),
        (
            "train melons.csv --target ripe --model gaussian --missing category",
            "--model gaussian has no option --missing",
        ),
        ("train melons.csv --target ripe --smoothing -1", "smoothing"),
        ("train melons.csv --target ripe --smoothing much", "for '--smoothing'"),
        ("train melons.csv --target ripe --prior yes=0.7 --prior no=0.7", "prior"),
        ("train melons.csv --target ripe --prior ja=0.7 --prior no=0.3", "ja"),
        ("train melons.csv --target ripe --prior yes=most", "no number"),
        ("train melons.csv --target ripe --holdout 1", "--holdout 1 is no share"),
        ("train melons.csv --target ripe -o nowhere/x.tally", "There is no folder"),
        ("train melons.csv --target ripe -o -", "not to standard output"),
        ("train melons.csv --target ripe --format cvs", "Did you mean 'csv'?"),
        ("train melons.csv --target ripe --encoding utf-9", "utf-9"),
        ("train melons.csv --target ripe --weights sugar --weights", "--weights"),
        ("train melons.csv", "Missing option '--target'"),
        ("train", "Missing argument 'DATA'"),
    ],
)
def test_mistakes_get_one_line_and_leave_no_file(run: Run, melons: Path, line: str, said: str) -> None:
    assert said in run(line).error
    assert [path.name for path in melons.parent.iterdir()] == ["melons.csv"]


def test_holdout_needs_rows_that_can_be_read_twice(run: Run) -> None:
    assert "read once only" in run("train - --target ripe --holdout 0.2", stdin=MELONS).error


@pytest.mark.parametrize("name", ["melons.csv", "./melons.csv"])
def test_the_data_is_never_written_over(run: Run, melons: Path, name: str) -> None:
    assert "is DATA itself" in run(f"train melons.csv --target ripe -o {name}").error
    assert run("train melons.csv --target ripe").code == 0
    for command in ("predict", "explain"):
        assert "is DATA itself" in run(f"{command} melons.tally melons.csv -o {name}").error
    assert "is DATA itself" in run(f"rank melons.tally melons.csv --label yes -o {name}").error
    assert "is DATA itself" in run(f"update melons.tally melons.csv -o {name}").error
    assert melons.read_text(encoding="utf-8") == MELONS


def test_a_share_that_leaves_nothing_to_learn_from(run: Run, melons: Path) -> None:
    assert "--holdout 0.999 leaves no row" in run("train melons.csv --target ripe --model nb --holdout 0.999").error
    assert "all would be held out with the share 0.999" in run("train melons.csv --target ripe --holdout 0.999").error


def test_weights_are_a_column(run: Run, melons: Path) -> None:
    lines = MELONS.splitlines()
    weighed = [lines[0] + ",w", *(f"{line},{i % 3}" for i, line in enumerate(lines[1:]))]
    Path("weighed.csv").write_text("\n".join(weighed), encoding="utf-8")
    found = run("train weighed.csv --target ripe --weights w --json").json
    assert found["weight"] == sum(i % 3 for i in range(10))
    assert "w" not in tb.load("weighed.tally").schema_.names
