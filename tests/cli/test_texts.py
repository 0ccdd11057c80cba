"""``train`` with columns of texts, folders and mailboxes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import tallybayes as tb
from tests.cli.conftest import Run

BODIES = [f"{'cheap pills and watches' if k % 2 else 'lunch at noon with you'} number {k} 便宜" for k in range(30)]
LABELS = ["spam" if k % 2 else "ham" for k in range(30)]
STARS = [k % 5 for k in range(30)]


OPTIONS = (
    "--model text --smoothing 0.5 --prior uniform --set event=binary --set ngrams=1,2 --set strip-accents=true "
    "--set stop_words=at,with --set max_terms=none"
)


@pytest.fixture
def table(run: Run, tmp_path: Path) -> Path:
    with (tmp_path / "mails.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["body", "stars", "folder"], *zip(BODIES, STARS, LABELS, strict=True)])
    return tmp_path / "mails.csv"


def test_a_column_of_texts_is_used_and_said(run: Run, table: Path) -> None:
    ended = run("train mails.csv --target folder --model nb")
    assert "body    text         texts, mostly different, of 8 words on average" in ended.out
    assert ended.err == ""
    rows = pa.table({"body": BODIES, "stars": STARS})
    whole = tb.NaiveBayes(columns={"body": "text"}).fit(rows, LABELS)
    np.testing.assert_array_equal(tb.load("mails.tally").predict_proba(rows), whole.predict_proba(rows))
    ignored = run("train mails.csv --target folder --columns body=ignored -o short.tally")
    assert "body    ignored" in ignored.out


def test_few_messages_in_a_folder_are_texts_without_being_told(run: Run, tmp_path: Path) -> None:
    for k in range(6):
        (tmp_path / "mails" / LABELS[k]).mkdir(parents=True, exist_ok=True)
        (tmp_path / "mails" / LABELS[k] / f"{k}.txt").write_text(BODIES[k], encoding="utf-8")
    assert run("train mails -o m.tally").code == 0
    assert tb.load("m.tally").schema_["text"].kind == "text"
    assert run("filter m.tally", stdin="cheap watches").code == 0
    assert run("filter m.tally", stdin="lunch with you").code == 1


def test_a_single_stop_word(run: Run, table: Path) -> None:
    run("train mails.csv --target folder --model text --text body --set stop_words=cheap")
    assert tb.load("mails.tally").stop_words == ["cheap"]


@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize(
    ("line", "model"),
    [
        ("--model text", tb.TextNB(text="body")),
        (
            OPTIONS,
            tb.TextNB(
                text="body",
                smoothing=0.5,
                prior="uniform",
                event="binary",
                ngrams=(1, 2),
                strip_accents=True,
                stop_words=["at", "with"],
            ),
        ),
        (
            "--model ngram --set order=2 --set unit=char --set smoothing=witten-bell",
            tb.NGramClassifier(text="body", order=2, unit="char", smoothing="witten-bell"),
        ),
    ],
)
def test_models_of_texts_with_their_options(run: Run, table: Path, form: str, line: str, model: Any) -> None:
    rows = pa.table({"body": BODIES, "stars": STARS, "folder": LABELS})
    if form == "parquet":
        pa.parquet.write_table(rows, "mails.parquet")
    if form == "jsonl":
        Path("mails.jsonl").write_text("\n".join(map(json.dumps, rows.to_pylist())), encoding="utf-8")
    ended = run(f"train mails.{form} --target folder --text body -o x.tally {line}")
    assert ended.code == 0, ended.err
    model.fit(rows.drop_columns("stars"), y="folder")
    found = tb.load("x.tally")
    assert found.get_params() == model.get_params()
    np.testing.assert_array_equal(found.predict_proba(BODIES), model.predict_proba(BODIES))


def test_holding_out_says_nothing_of_the_other_columns(run: Run, table: Path) -> None:
    ended = run("train mails.csv --target folder --model text --text body --holdout 0.3")
    assert ended.err == ""
    assert "accuracy" in ended.out


def test_a_folder_needs_no_target_and_can_be_held_out(run: Run, tmp_path: Path) -> None:
    for k, (body, label) in enumerate(zip(BODIES, LABELS, strict=True)):
        (tmp_path / "mail" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "mail" / label / f"{k}.eml").write_text(f"From: a@b.c\nSubject: {k}\n\n{body}", encoding="utf-8")
    ended = run("train mail/ --model text --holdout 0.3 --json")
    assert (ended.json["rows"], ended.json["evaluation"]["rows"]) == (30, pytest.approx(9, abs=5))
    assert tb.load("mail.tally").predict(["cheap watches", "lunch with you"]).tolist() == ["spam", "ham"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "mails.csv",
            "Missing option '--target': say which column of mails.csv has the labels, one of 'body', 'stars'",
        ),
        (
            "mails.csv --target folder --model text",
            "There are 2 columns, 'body', 'stars'. Say which has the texts: --text.",
        ),
        ("mails.csv --target folder --model text --text boddy", "Did you mean 'body'?"),
        (
            "mails.csv --target folder --text body",
            "--model auto has no option --text; leave it out, or take --model text",
        ),
        (
            "mails.csv --target folder --set event=binary",
            "has no option --set event=; leave it out, or take --model text",
        ),
        ("mails.csv --target folder --model text --text body --set evnt=binary", "Did you mean 'event'?"),
        ("mails.csv --target folder --model text --text body --set event", "is no pair"),
        ("mails.csv --target folder --model text --text body --set event=coins", "--set event=coins is not one of"),
        ("mails.csv --target folder --model text --text body --set ngrams=2,1", "--set ngrams=2,1 should be"),
        ("mails.csv --target folder --model text --text body --smoothing 1 --set smoothing=2", "a second time"),
        ("mails.csv --target folder --model ngram --text body --set order=0", "--set order=0"),
        ("mails.csv --target folder --model text --text body --set norm=yes", "--set norm=yes should be True or False"),
    ],
)
def test_mistakes_get_one_line(run: Run, table: Path, line: str, said: str) -> None:
    assert said in run(f"train {line}").error
    assert not Path("mails.tally").exists()
