from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from tallybayes.explain.evidence import Evidence, evidence
from tallybayes.explain.evidence_page import odds_in_words, page
from tallybayes.schema.values import Values


def shown(found: Evidence, width: int = 80, **options: Any) -> str:
    sheet = io.StringIO()
    Console(file=sheet, width=width, color_system=None).print(page(found, **options))
    return "\n".join(line.rstrip() for line in sheet.getvalue().rstrip().split("\n"))


def melon(terms: Any, cells: Any, prior: Any = (0.5, 0.5), **options: Any) -> Evidence:
    with np.errstate(divide="ignore"):
        logs = np.log(np.array([terms], dtype=float))
        return evidence(
            Values(["否", "是"]),
            np.log(prior),
            logs,
            ["色泽", "密度", "触感"],
            [[c] for c in cells],
            **options,
        )


def test_a_row_as_a_person_reads_it() -> None:
    found = melon([[0.1, 0.4], [0.6, 0.3], [1.0, 1.0]], ["青绿", 0.697, None], prior=(0.4, 0.6))
    assert shown(found) == (
        "row 0: 是 rather than 否\n"
        "P(是) = 75.0%, P(否) = 25.0%: 3 to 1\n"
        "\n"
        "                   log odds\n"
        "prior                 +0.41            │███\n"
        "色泽      青绿        +1.39            │██████████\n"
        "密度      0.697       -0.69       █████│\n"
        "触感      missing         0  says nothing\n"
        "together              +1.10"
    )


def test_what_rules_a_class_out_is_named_first() -> None:
    found = melon([[0.9, 0.1], [0.0, 0.5], [0.0, 0.1]], ["青绿", 0.697, "硬滑"])
    assert shown(found) == (
        "row 0: 是 rather than 否\n"
        "P(是) = 100%, P(否) = 0%: certain\n"
        "否 is ruled out by 密度 and 触感.\n"
        "\n"
        "                 log odds\n"
        "prior                   0            │\n"
        "密度      0.697        +∞  rules out 否\n"
        "触感      硬滑         +∞  rules out 否\n"
        "色泽      青绿      -2.20  ██████████│\n"
        "together               +∞"
    )


def test_a_row_that_no_class_explains_is_answered_by_the_prior() -> None:
    found = melon([[0.9, 0.0], [0.0, 0.5], [0.2, 0.1]], ["青绿", 0.697, "硬滑"], prior=(0.25, 0.75))
    assert shown(found) == (
        "row 0: 是 rather than 否\n"
        "P(是) = 75.0%, P(否) = 25.0%: 3 to 1\n"
        "是 is ruled out by 色泽. 否 is ruled out by 密度. Both have probability 0 for\n"
        "this row, so the prior answers.\n"
        "\n"
        "                   log odds\n"
        "prior                 +1.10            │██████████\n"
        "色泽        青绿          0  rules out 是\n"
        "密度        0.697         0  rules out 否\n"
        "and 1 more                0\n"
        "together              +1.10"
    )


def test_a_cell_that_no_class_can_have_rules_out_both() -> None:
    found = melon([[0.0, 0.0], [0.5, 0.5], [0.5, 0.5]], ["?", 1, 2])
    assert "色泽        ?         0  rules out both" in shown(found)


def test_the_prior_may_rule_a_class_out() -> None:
    with np.errstate(divide="ignore"):
        found = melon([[0.1, 0.4], [0.6, 0.3], [1.0, 1.0]], ["a", "b", "c"], prior=(0.0, 1.0))
        less = melon([[0.1, 0.4], [0.6, 0.3], [1.0, 1.0]], ["a", "b", "c"], prior=(0.0, 1.0), label="否")
    assert "否 is ruled out by the prior." in shown(found)
    assert shown(less).startswith("row 0: 否 against 是\nP(否) = 0%, P(是) = 100%: impossible\n")


def test_a_missing_cell_that_says_something_is_shown_with_what_it_says() -> None:
    found = melon([[0.1, 0.4], [0.6, 0.3], [0.5, 0.3]], ["a", "b", math.nan], label="是")
    assert "触感      missing     -0.51        ▐███│" in shown(found)


def test_an_only_class_has_nothing_to_be_weighed_against() -> None:
    found = evidence(Values(["only"]), np.zeros(1), np.zeros((2, 1, 1)), ["x"], [[1, 2]])
    assert shown(found) == (
        "row 0: only, the only class that the model knows\n\nrow 1: only, the only class that the model knows"
    )


def test_no_rows() -> None:
    found = evidence(Values(["a", "b"]), np.zeros(2), np.zeros((0, 1, 2)), ["x"], [[]])
    assert str(found) == "no rows"


def test_columns_and_rows_beyond_the_most_are_counted() -> None:
    terms = np.zeros((3, 30, 2))
    terms[:, :, 1] = np.arange(30) / 10
    names = [f"x{j}" for j in range(30)]
    found = evidence(Values(["a", "b"]), np.zeros(2), terms, names, [[1] * 3] * 30)
    text = shown(found, most_rows=2, most_columns=3)
    assert text.count("and 27 more") == 2
    assert text.count(f"{sum(range(27)) / 10:+.2f}") == 2  # the 27 columns that say least
    assert text.endswith("\n\nand 1 more row")
    assert "more row" not in shown(found, most_rows=3)
    assert shown(found, most_rows=1).endswith("and 2 more rows")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_nothing_breaks_the_page(width: int) -> None:
    names = ["[bold red]name[/]", "名" * 99, "a\x1b[31mb\nc\td", "\u202eright to left", ":smile:"]
    cells = [["[link=x]v[/link]"], ["值" * 99], ["x\x07" * 50], ["y" * 10_000], [None]]
    terms = np.log(np.random.default_rng(0).random((1, 5, 2)))
    classes = Values(["[b]a[/b]", "long " * 50])
    text = shown(evidence(classes, np.log([0.5, 0.5]), terms, names, cells), width)
    assert all(cell_len(line) <= width for line in text.split("\n"))
    assert all(char.isprintable() for char in text.replace("\n", ""))
    if width == 120:
        for part in (
            "[bold red]name[/]",
            "名名",
            r"a\x1b[31mb\nc\td",
            ":smile:",
            "[link=x]v",
            "[b]a[/b]",
            "值值",
        ):
            assert part in text


@pytest.mark.parametrize(
    ("odds", "words"),
    [(1, "1 to 1"), (1.5, "1.5 to 1"), (99, "99 to 1"), (12345, "12,345 to 1"), (1e12, "10^12 to 1")],
)
def test_odds_in_words(odds: float, words: str) -> None:
    assert odds_in_words(math.log(odds)) == words
    if odds > 1:
        assert odds_in_words(-math.log(odds)) == "1 to " + words.removesuffix(" to 1")


@pytest.mark.parametrize(
    ("log_odds", "words"),
    [
        (20.0, "P(是) > 99.99%, P(否) < 0.01%: 10^9 to 1"),
        (6.0, "P(是) = 99.75%, P(否) = 0.25%: 403 to 1"),
        (0.0, "P(否) = 50.0%, P(是) = 50.0%: 1 to 1"),
        (800.0, "P(是) > 99.99%, P(否) < 0.01%: 10^347 to 1"),
    ],
)
def test_probabilities_are_never_rounded_to_certainty(log_odds: float, words: str) -> None:
    found = evidence(Values(["否", "是"]), np.array([-log_odds, 0.0]), np.zeros((1, 0, 2)), [], [])
    assert words in shown(found)
