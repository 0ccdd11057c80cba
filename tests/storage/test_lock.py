from __future__ import annotations

import multiprocessing
import threading
from pathlib import Path

import pytest

from tallybayes.storage.lock import alone_with

pytest.importorskip("fcntl")


def add_one(path: Path, times: int) -> None:
    for _ in range(times):
        with alone_with(path):
            number = int(path.read_text()) if path.exists() else 0
            path.with_suffix(".new").write_text(str(number + 1))
            path.with_suffix(".new").replace(path)


def test_no_change_of_several_programs_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "n.txt"
    spawned = multiprocessing.get_context("spawn")
    programs = [spawned.Process(target=add_one, args=(path, 50)) for _ in range(3)]
    for program in programs:
        program.start()
    for program in programs:
        program.join()
    assert path.read_text() == "150"


def test_who_asks_waits_and_another_folder_is_free(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    done = threading.Event()

    def ask() -> None:
        with alone_with(tmp_path / "b.tally"):
            done.set()

    with alone_with(tmp_path / "a.tally"):
        waiting = threading.Thread(target=ask)
        waiting.start()
        with alone_with(tmp_path / "other" / "a.tally"):
            assert not done.wait(0.2)
    assert done.wait(10)
    waiting.join()


def test_an_error_frees_it(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), alone_with(tmp_path / "a.tally"):
        raise ZeroDivisionError
    with alone_with(tmp_path / "a.tally"):
        pass
    assert list(tmp_path.iterdir()) == []
