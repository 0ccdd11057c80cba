"""The command line as a test calls it, and a small table to call it with."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tallybayes.cli import app

MELONS = """\
颜色,sound,density,sugar,ripe
青绿,muffled,0.697,0.460,yes
乌黑,dull,0.774,0.376,yes
乌黑,muffled,0.634,0.264,yes
青绿,dull,0.608,0.318,yes
浅白,,0.556,0.215,yes
青绿,crisp,0.666,0.091,no
浅白,crisp,,0.267,no
浅白,muffled,0.245,0.057,no
青绿,muffled,0.343,0.099,no
浅白,crisp,0.639,0.161,no
"""
"""Ten rows with Chinese texts, numbers, and two missing cells."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str
    stdout: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one line that a user's mistake gets."""
        assert self.code == 1, (self.code, self.out, self.err)
        (line,) = [line for line in self.err.splitlines() if not line.startswith("note: ")]
        assert line.startswith("error: ")
        return line.removeprefix("error: ")


Run = Callable[..., Ended]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in an empty folder, by its words; `stdin` is what it reads."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def call(line: str | list[str], stdin: str | bytes | None = None) -> Ended:
        words = line.split() if isinstance(line, str) else line
        result = CliRunner().invoke(app, words, input=stdin, prog_name="tallybayes")
        return Ended(result.exit_code, result.stdout, result.stderr, result.stdout_bytes)

    return call


@pytest.fixture
def melons(run: Run, tmp_path: Path) -> Path:
    """The table as a file."""
    path = tmp_path / "melons.csv"
    path.write_text(MELONS, encoding="utf-8")
    return path


@pytest.fixture
def model(run: Run, melons: Path) -> Path:
    """A model of the table, as a file."""
    assert run("train melons.csv --target ripe --model nb").code == 0
    return melons.with_name("melons.tally")
