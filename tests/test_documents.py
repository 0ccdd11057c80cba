"""Every code block of the documents runs, in order, in one folder per document, and every link leads somewhere.

A ``python`` block is run as it stands, or as a doctest when it has ``>>>``. An ``output`` block is what the
``python`` block before it prints. In a ``console`` block each line that starts with ``$`` is run by the shell (a
command of the program alone in this process, which is quicker), and the lines below it are compared with what it
prints. ``...`` stands for anything.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sysconfig
from pathlib import Path
from unittest import mock

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
BLOCK = re.compile(r"^```(python|output|console)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
ANY_BLOCK = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
OURS_ALONE = re.compile(r"(tallybayes [^|&;<>$*`]*)( \|\| echo \"exit code \$\?\")?")
ENV = {"COLUMNS": "100", "NO_COLOR": "1"}
SET_UP = "    pip install . && tallybayes demo\n    pip install '.[test]' && pytest\n"

each_document = pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())


def run_python(code: str, names: dict[str, object], place: str, line: int) -> str:
    """Run a block, and return what it printed; what a doctest prints has been compared already."""
    if ">>>" not in code:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + code, place, "exec"), names)
        return printed.getvalue()
    test = doctest.DocTestParser().get_doctest(code, names, place, place, line)
    differences: list[str] = []
    failed = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=differences.append, clear_globs=False).failed
    names.update(test.globs)
    assert not failed, "".join(differences)
    return ""


def run_console(code: str, folder: Path, place: str) -> None:
    for part in re.split(r"^\$ ", code.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        command, _, wanted = part.partition("\n")
        ours = OURS_ALONE.fullmatch(command)
        exit_code, got = run_here(ours[1]) if ours else run_in_shell(command, folder)
        if exit_code and ours and ours[2]:
            exit_code, got = 0, f"{got}exit code {exit_code}\n"
        assert exit_code == 0, f"{place}: {command}\n{got}"
        if wanted.strip():
            compare(wanted, got, f"{place}: {command}")


def run_here(command: str) -> tuple[int, str]:
    """Run the program in this process, which spares it a second of imports."""
    from tallybayes.cli import app

    streams = [io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2)]
    with (
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
        mock.patch.dict(os.environ, ENV),
    ):
        try:
            app(shlex.split(command)[1:])
        except SystemExit as end:
            exit_code = int(end.code or 0)
    return exit_code, "".join(stream.buffer.getvalue().decode() for stream in streams)


def run_in_shell(command: str, folder: Path) -> tuple[int, str]:
    path = f"{sysconfig.get_path('scripts')}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | ENV | {"PATH": path}
    done = subprocess.run(command, shell=True, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def compare(wanted: str, got: str, place: str) -> None:
    same = doctest.OutputChecker().check_output(wanted, got, OPTIONS)
    assert same, f"{place}\nwanted:\n{wanted}\ngot:\n{got}"


@each_document
def test_the_code_of_a_document_runs(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = document.read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "__main__"}
    printed = ""
    for block in BLOCK.finditer(text):
        line = text.count("\n", 0, block.start(2))
        match block[1]:
            case "python":
                printed = run_python(block[2], names, document.name, line)
            case "output":
                compare(block[2], printed, f"{document.name}:{line + 1}")
            case "console":
                run_console(block[2], tmp_path, f"{document.name}:{line + 1}")


@each_document
def test_the_links_of_a_document_lead_somewhere(document: Path) -> None:
    for target in LINK.findall(ANY_BLOCK.sub("", document.read_text(encoding="utf-8"))):
        if target.startswith(("https://", "http://")):
            continue
        path, _, anchor = target.partition("#")
        there = (document.parent / path).resolve() if path else document
        assert there.is_file(), f"{document.name} links to {target}, and there is no such file"
        if anchor:
            assert anchor in headings(there), f"{document.name} links to {target}, and there is no such heading"


def headings(document: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a document."""
    text = ANY_BLOCK.sub("", document.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_the_set_up_is_two_lines(name: str) -> None:
    assert SET_UP in (ROOT / name).read_text(encoding="utf-8")
