"""What holds for every command: exit codes, one line for a mistake, tracebacks only when asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tallybayes.cli.wording import in_options
from tests.cli.conftest import Run

LEARNING = ["train", "update", "merge", "forget", "learn"]
COMMANDS = [*LEARNING, "predict", "evaluate", "explain", "rank", "inspect", "filter", "demo"]


def test_help_of_every_command(run: Run) -> None:
    shown = run("--help").out
    assert all(f" {command} " in shown for command in COMMANDS)
    for command in COMMANDS:
        ended = run(f"{command} --help")
        assert (ended.code, ended.err) == (0, "")
        assert f"tallybayes {command}" in ended.out


def test_version(run: Run) -> None:
    from importlib.metadata import version

    assert run("--version").out == f"tallybayes {version('tallybayes')}\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("predct", "No such command 'predct'. Did you mean 'predict'"),
        ("predict --prob a b", "No such option: --prob (Possible options: --proba"),
        ("predict", "Missing argument 'MODEL'. tallybayes predict --help shows what there is."),
    ],
)
def test_mistyped(run: Run, line: str, said: str) -> None:
    assert said in run(line).error


def test_a_bug_is_one_line_and_a_traceback_with_debug(run: Run, melons: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("half of nothing")

    monkeypatch.setattr("tallybayes.cli.models.new_model", broken)
    assert "ZeroDivisionError: half of nothing" in run("train melons.csv --target ripe").error
    for line in ("--debug train melons.csv --target ripe", "train melons.csv --target ripe --debug"):
        ended = run(line)
        assert ended.code == 1
        assert "Traceback" in ended.err


def test_in_a_shell(melons: Path, run: Run) -> None:
    """Exit codes, pipes, and a reader that has had enough."""
    program = f"{sys.executable} -m tallybayes"
    script = (
        f"{program} train melons.csv --target ripe >train.txt && cat melons.csv | {program} predict melons.tally - "
        f"2>notes.txt | head -n 1; echo ${{PIPESTATUS[1]}}; {program} inspect melons.csv; echo $?"
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=melons.parent, check=False)
    assert done.stdout.split() == ["prediction", "0", "1"]
    assert done.stderr.startswith("error: 'melons.csv' is no tallybayes model")
    assert "Traceback" not in done.stderr


def test_a_terminal_without_the_characters(melons: Path, run: Run) -> None:
    script = f"{sys.executable} -m tallybayes train melons.csv --target ripe"
    done = subprocess.run(
        script.split(),
        capture_output=True,
        cwd=melons.parent,
        check=False,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    assert b"density" in done.stdout


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Say columns={'a b': 'ignored'}.", "Say --columns 'a b=ignored'."),
        (
            "Use missing='category' or columns={'x': 'count', 'y': [1, 2]}.",
            "Use --missing category or --columns x=count --columns y=1,2.",
        ),
        ("reject_cost=0.2 is fine; sample_weight='w'", "--reject 0.2 is fine; --weights w"),
        ("If so, give CsvSource('a.csv', delimiter=';', decimal=',').", "If so, give --delimiter ';' --decimal ,."),
        (
            "Save it, or say how, as in CsvSource('x', encoding='gb18030').",
            "Save it, or say how, as in --encoding gb18030.",
        ),
        (
            "top=0 is no number of rows; give 1 or more, or None for all rows.",
            "--top 0 is no number of rows; give 1 or more, or leave it out for all rows.",
        ),
        ("--columns a=b stays", "--columns a=b stays"),
    ],
)
def test_messages_in_the_words_of_the_command_line(message: str, words: str) -> None:
    assert in_options(message) == words


def test_demo(run: Run, tmp_path: Path) -> None:
    found = run("demo --json").json
    assert found["learned"] + found["evaluation"]["rows"] == 569
    assert found["evaluation"]["accuracy"] > 0.85
    assert found["evaluation_with_costs"]["average_cost"] < found["evaluation"]["average_cost"]
    assert found["evaluation_with_costs_and_rejection"]["rejected"] > 0
    assert found["model_file"]["same_answers"]
    shown = run("demo").out
    for word in (
        "mean radius",
        "numeric",
        "accuracy",
        "log-loss",
        "true \\ decided",
        "overlooked",
        "rather than",
        "prior",
    ):
        assert word in shown
    assert list(tmp_path.iterdir()) == []
