"""Every code block of the documents runs, in order, in one folder per document.

A ``python`` block is run as it stands, or as a doctest when it has ``>>>``. In a ``console`` block
each line that starts with ``$`` is run by the shell, and the lines below it are compared with what it
prints, where ``...`` stands for anything.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("README*.md"), *ROOT.glob("ARCHITECTURE.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(python|console)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def run_python(code: str, names: dict[str, object], place: str, line: int) -> None:
    if ">>>" not in code:
        exec(compile("\n" * line + code, place, "exec"), names)
        return
    test = doctest.DocTestParser().get_doctest(code, names, place, place, line)
    printed: list[str] = []
    failed = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=printed.append, clear_globs=False).failed
    names.update(test.globs)
    assert not failed, "".join(printed)


def run_console(code: str, folder: Path, place: str) -> None:
    scripts = sysconfig.get_path("scripts")
    env = os.environ | {
        "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    for part in re.split(r"^\$ ", code.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        command, _, wanted = part.partition("\n")
        done = subprocess.run(command, shell=True, cwd=folder, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{place}: {command}\n{done.stdout}{done.stderr}"
        if wanted.strip():
            got = done.stdout + done.stderr
            same = doctest.OutputChecker().check_output(wanted, got, OPTIONS)
            assert same, f"{place}: {command}\nwanted:\n{wanted}\ngot:\n{got}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_code_of_a_document_runs(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = document.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(2))
        if block[1] == "python":
            run_python(block[2], names, document.name, line)
        else:
            run_console(block[2], tmp_path, f"{document.name}:{line + 1}")
