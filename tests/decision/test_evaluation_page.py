"""An evaluation on a page of a terminal."""

from __future__ import annotations

import io

import numpy as np
import pytest
from rich.cells import cell_len
from rich.console import Console

from tallybayes.decision.costs import cost_matrix
from tallybayes.decision.evaluation import Evaluation
from tallybayes.decision.labels import ClassIndex
from tallybayes.decision.scores import Piece, Scores
from tallybayes.decision.showing import as_text


def evaluation(classes, truth, decided, *, posterior=None, costs=None, reject_cost=None, weights=None):
    decided = np.array(decided, dtype=np.int64)
    if posterior is None:
        posterior = 0.9 * np.eye(len(classes))[decided] + 0.1 / len(classes)
    piece = Piece(truth, posterior, decided=decided, weights=weights)
    scores = Scores.of(ClassIndex(classes), piece)
    return Evaluation(scores, cost_matrix(costs, classes), reject_cost)


def spread(classes, n=7):
    """Rows of which some are decided rightly and others for the class after."""
    truth = [label for label in classes for _ in range(n)]
    decided = [(i + (row % 3 == 0)) % len(classes) for i in range(len(classes)) for row in range(n)]
    return evaluation(classes, truth, decided)


def test_two_classes():
    result = evaluation(
        ["no", "yes"],
        ["no", "no", "yes", "yes"],
        [0, 1, 1, 1],
        posterior=np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5], [0, 1]]),
        costs={("yes", "no"): 10},
    )
    assert as_text(result, width=60).splitlines() == [
        "rows                     4",
        "accuracy             75.0%",
        "log-loss            0.5918",
        "Brier score         0.4375",
        "calibration error   0.2500",
        "average cost        2.5000",
        "",
        "true \\ decided  no  yes  recall  precision  rows",
        "────────────────────────────────────────────────",
        "no               1    1   50.0%     100.0%     2",
        "yes              0    2  100.0%      66.7%     2",
    ]


def test_what_is_out_of_the_ordinary_is_said():
    result = evaluation(
        ["no", "yes"],
        ["no", "yes", "yes", "maybe", "[x]", None],
        [0, -1, 0, 1, 1, 0],
        posterior=np.array([[1, 0], [0.5, 0.5], [1, 0], [0, 1], [0, 1], [1, 0]]),
        weights=np.array([1, 1, 0.5, 1, 1, 1]),
    )
    page = " ".join(as_text(result, width=80).split())
    assert "decided 77.8%" in page
    assert "accuracy of the decided 28.6%" in page
    assert "The true label had probability 0 in 3 rows, which makes the log-loss infinite" in page
    assert "over the others it is 0.3466." in page
    assert "never seen: [x], maybe. They count as wrong" in page
    assert "1 row without a label took no part." in page
    assert "no reject_cost, so there is no average cost" in page
    assert "average cost -" in page
    assert "true \\ decided no yes (rejected) recall precision weight" in page
    assert "yes 0.50 0.00 1.00 0.0% 0.0% 1.50" in page
    assert page.endswith("(unknown) 0.00 2.00 0.00 2.00")


def test_decisions_alone():
    scores = Scores.of(ClassIndex(["a", "b"]), Piece(["a"], decided=np.array([0])))
    page = as_text(Evaluation(scores, cost_matrix(None, ["a", "b"])))
    assert "log-loss" not in page
    assert "a               1  0  100.0%     100.0%     1" in page
    assert "b               0  0       -          -     0" in page


MANY = [f"c{i}" for i in range(30)]
LABELS = {
    "two": ["no", "yes"],
    "Chinese": ["青绿", "乌黑", "浅白", "好瓜", "坏瓜"],
    "numbers": list(range(10)),
    "markup": ["[red]", "[/red]", "[bold]x[/]", "[link=x]", ":smile:"],
    "control": ["two\nlines", "tab\there", "\x1b[31mred", "\u202eleft"],
    "thirty": MANY,
    "long": [f"a long label of the class {i} " + "y" * 60 for i in range(4)],
    "long Chinese": [f"{i}" + "好瓜" * 40 for i in range(4)],
}


@pytest.mark.parametrize("width", [60, 80, 100, 200])
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_it_fits_on_any_page(labels, width):
    page = as_text(spread(labels), width=width)
    assert max(cell_len(line) for line in page.splitlines()) <= width
    assert "…" not in page  # nothing is cut off
    assert page.isprintable() or page.replace("\n", "").isprintable()
    for number in ("57.1%", "7"):  # the recall and the rows of every class
        assert number in page


@pytest.mark.parametrize("labels", [LABELS["markup"], LABELS["Chinese"], LABELS["two"]])
def test_labels_are_shown_as_they_are(labels):
    page = as_text(spread(labels), width=100)
    heading = next(line for line in page.splitlines() if line.startswith("true \\ decided"))
    for label in labels:
        assert label in heading
        assert any(line.startswith(label) for line in page.splitlines())


def test_a_confusion_table_that_is_nearly_too_wide_stands_by_itself():
    page = as_text(spread(list(range(10))), width=60)
    first, second = page.split("\n\n")[1:]
    assert first.startswith("true \\ decided")
    assert "recall" not in first
    assert second.startswith("class  recall  precision  rows")
    assert len(first.splitlines()) == len(second.splitlines()) == 12


def test_many_classes_are_listed_with_their_most_frequent_errors():
    classes = MANY
    truth = ["c0"] * 9 + ["c1"] * 5 + ["c2"] * 4
    result = evaluation(classes, truth, [0] + [7] * 8 + [1] + [3] * 4 + [2] * 4)
    measures, per_class, errors = as_text(result, width=80).split("\n\n")
    assert len(per_class.splitlines()) == 2 + 30
    assert errors.splitlines() == [
        "most frequent errors: true  decided  rows",
        "─────────────────────────────────────────",
        "c0                          c7          8",
        "c1                          c3          4",
    ]
    assert "accuracy" in measures
    perfect = as_text(evaluation(classes, ["c0"], [0]), width=80)
    assert "errors" not in perfect
    assert len(as_text(spread(classes), width=80).split("\n\n")[-1].splitlines()) == 2 + 10


def test_a_thousand_classes_are_shown_in_good_time():
    page = as_text(spread([f"class {i}" for i in range(1000)], n=3), width=80)
    assert "class 999" in page


def test_rich_prints_it_in_colour():
    file = io.StringIO()
    Console(file=file, width=80, force_terminal=True, color_system="standard").print(spread(["a", "b"]))
    assert "\x1b[1m" in file.getvalue()
    assert "57.1%" in file.getvalue()


def test_str_is_the_page():
    result = spread(["a", "b"])
    assert str(result) == as_text(result)
    assert "recall" in str(result)
