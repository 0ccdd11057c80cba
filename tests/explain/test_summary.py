from __future__ import annotations

import io
import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from tallybayes.explain.summary import Summary
from tallybayes.schema.field import Field, Schema
from tallybayes.schema.values import Values


def shown(summary: Summary, width: int = 100) -> str:
    sheet = io.StringIO()
    Console(file=sheet, width=width, color_system=None).print(summary)
    return "\n".join(line.rstrip() for line in sheet.getvalue().rstrip().split("\n"))


def summary(
    digests: Sequence[tuple[str, Any]] = (),
    fields: Sequence[Field] = (),
    labels: Sequence[Any] = ("否", "是"),
    rows: Sequence[int] = (9, 8),
    weights: Sequence[float] | None = None,
) -> Summary:
    n = np.array(rows)
    weight = n.astype(float) if weights is None else np.array(weights)
    prior = np.log(weight / weight.sum())
    return Summary("NaiveBayes()", Schema(tuple(fields), True), Values(labels), n, weight, prior, digests)


MIXED = summary(
    [
        ("categorical", {"色泽": {"values": [["青绿", [0.4, 0.5]], ["乌黑", [0.6, 0.5]]], "distinct": 4}}),
        ("gaussian", {"密度": {"mean": [0.4961, 0.5738], "deviation": [0.1948, 0.1291]}}),
        ("histogram", {"根蒂": {"bins": 3, "low": 0.5, "high": 12.0}}),
        ("presence", {"密度": {"missing": [0.1, 0.0]}}),
    ],
    [
        Field("色泽", "categorical", "string", "texts"),
        Field("编号", "ignored", "string", "all different"),
        Field("密度", "numeric", "number", "numbers"),
        Field("根蒂", "numeric", "number", "numbers"),
    ],
)


def test_a_model_as_a_person_reads_it() -> None:
    assert shown(MIXED) == (
        "NaiveBayes()\n"
        "17 rows, 2 classes, 3 columns\n"
        "\n"
        "class  rows  prior\n"
        "──────────────────\n"
        "否        9  52.9%\n"
        "是        8  47.1%\n"
        "\n"
        "column  distribution                                否      是\n"
        "──────────────────────────────────────────────────────────────\n"
        "色泽    categorical   P(青绿)                      0.4     0.5\n"
        "                      P(乌黑)                      0.6     0.5\n"
        "                      and 2 more values\n"
        "密度    gaussian      mean                      0.4961  0.5738\n"
        "                      deviation                 0.1948  0.1291\n"
        "        presence      missing                      0.1       0\n"
        "根蒂    histogram     bins 3, low 0.5, high 12\n"
        "\n"
        "ignored: 编号"
    )
    assert str(MIXED) == shown(MIXED)


def test_the_same_as_strict_json() -> None:
    found = json.loads(json.dumps(MIXED.to_dict(), allow_nan=False))
    assert found["classes"][1] == {"label": "是", "rows": 8, "weight": 8.0, "prior": pytest.approx(8 / 17)}
    assert [column["name"] for column in found["columns"]] == ["色泽", "编号", "密度", "根蒂"]
    assert found["columns"][2] == {
        "name": "密度",
        "kind": "numeric",
        "type": "number",
        "reason": "numbers",
        "factors": [
            {"factor": "gaussian", "mean": [0.4961, 0.5738], "deviation": [0.1948, 0.1291]},
            {"factor": "presence", "missing": [0.1, 0.0]},
        ],
    }
    assert found["columns"][0]["factors"][0]["values"] == [["青绿", [0.4, 0.5]], ["乌黑", [0.6, 0.5]]]
    assert (found["rows"], found["weight"], found["columns"][1]["factors"]) == (17, 17.0, [])


def test_numbers_that_json_has_not_are_null_or_strings() -> None:
    one = summary(
        [("kernel", {"x": {"bandwidth": [None, math.nan], "low": -math.inf, "n": np.int64(3)}})],
        [Field("x", "numeric", "number")],
    )
    found = json.loads(json.dumps(one.to_dict(), allow_nan=False))
    assert found["columns"][0]["factors"] == [
        {"factor": "kernel", "bandwidth": [None, None], "low": "-Infinity", "n": 3}
    ]
    assert "-" in shown(one)


def test_weights_are_shown_where_they_are_not_the_rows() -> None:
    assert "weight" not in shown(summary())
    assert "否        9     4.5  36.0%" in shown(summary(weights=[4.5, 8.0]))


def test_a_column_that_no_digest_tells_of_is_named_with_its_kind() -> None:
    assert "x       count" in shown(summary(fields=[Field("x", "count", "integer")]))


def test_many_classes_columns_and_values_are_counted() -> None:
    labels = [f"c{i:02}" for i in range(50)]
    fields = [Field(f"x{j:02}", "categorical", "string") for j in range(40)]
    fields += [Field(f"id{j:02}", "ignored", "string") for j in range(40)]
    values = [[f"v{v}", np.linspace(0, 1, 50).tolist()] for v in range(9)]
    digest = {field.name: {"values": values, "distinct": 9} for field in fields[:40]}
    rows = np.random.default_rng(0).permutation(50) + 1
    text = shown(summary([("categorical", digest)], fields, labels, rows.tolist()), 120)
    assert "and 30 less probable classes" in text
    assert "and 10 more columns" in text
    assert text.count("and 4 more values") == 30
    assert text.endswith("and 10 more")
    k = int(text.split("of 50 classes the ")[1].split(" most probable")[0])
    heading = text.split("distribution")[1].split("\n")[0]
    assert heading.split() == [labels[c] for c in sorted(np.argsort(-rows)[:k])]
    assert 120 - 8 < max(map(cell_len, text.split("\n"))) <= 120  # one more would not have fitted


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_nothing_breaks_the_page(width: int) -> None:
    names = ["[bold red]name[/]", "名" * 99, "a\x1b[31mb\nc\td", ":smile:"]
    fields = [Field(name, "categorical", "string") for name in names]
    values = [["[link=x]v[/link]", [0.1, 0.9]], ["值" * 99, [0.2, 0.8]], ["\x07" * 50, [0.3, 0.7]]]
    digests = [("categorical", {name: {"values": values, "distinct": 3} for name in names})]
    text = shown(summary(digests, fields, ["[b]a[/b]", "long " * 50]), width)
    assert all(cell_len(line) <= width for line in text.split("\n"))
    assert all(char.isprintable() for char in text.replace("\n", ""))
    if width == 120:
        for part in (
            "[bold red]name[/]",
            "名名",
            r"a\x1b[31mb\nc\td",
            ":smile:",
            "P([link=x]v[/link])",
            "[b]a[/b]",
            "值值",
        ):
            assert part in text
