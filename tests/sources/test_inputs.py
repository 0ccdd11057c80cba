from __future__ import annotations

import os
import threading

import pytest

from tallybayes import errors
from tallybayes.sources import open_source
from tallybayes.sources.formats import ENDINGS, TEXT_FORMATS, Ending, ending_of, recognise
from tests.sources.asking import refused, table_of


@pytest.mark.parametrize("ending", ENDINGS)
def test_endings(ending):
    assert ending_of(f"/some.where/table.of{ending.upper()}") == Ending(ENDINGS[ending])
    if ENDINGS[ending] in TEXT_FORMATS:
        assert ending_of(f"t{ending}.gz") == Ending(ENDINGS[ending], gzip=True)
    else:
        refused(lambda: ending_of(f"t{ending}.gz"), f"{ending[1:]}.gz", kind=errors.SourceError)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("t.docx", ["'docx'", ".csv"]),
        ("t.json", [".jsonl"]),
        ("t.xlsx", ["read_excel"]),
        ("t.cvs", ["Did you mean '.csv'?"]),
        ("t.parqet", ["Did you mean '.parquet'?"]),
        ("t", ["no ending"]),
        ("t.gz", ["'gz'"]),
    ],
)
def test_endings_that_nobody_knows(name, words, tmp_path):
    (tmp_path / name).touch()
    refused(lambda: open_source(tmp_path / name), name, *words, kind=errors.SourceError)


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"", None),
        (b"a,b\n1,2", None),
        ("色泽".encode(), None),
        ("色泽".encode("gbk"), None),
        (b"PAR1...", "a Parquet file"),
        (b"ARROW1\0\0", "an Arrow file"),
        (b"\xff\xff\xff\xff\x10", "an Arrow stream"),
        ("a".encode("utf-16"), "text in UTF-16"),
        (b"  <!DOCTYPE HTML>", "an HTML or XML page"),
        (b"a\0b", "a binary file"),
    ],
)
def test_files_are_recognised_by_their_first_bytes(head, what):
    assert recognise(head) == what


def test_files_that_are_not_there(tmp_path, monkeypatch):
    (tmp_path / "melons.csv").write_text("a\n1\n")
    refused(
        lambda: open_source(tmp_path / "melon.csv"), "Did you mean 'melons.csv'?", tmp_path, kind=errors.SourceError
    )
    refused(lambda: open_source(tmp_path / "no" / "melons.csv"), "no folder", kind=errors.SourceError)
    refused(lambda: open_source("https://some.where/t.csv"), "download", kind=errors.SourceError)
    refused(lambda: open_source(tmp_path), "folder", "glob", kind=errors.SourceError)
    (tmp_path / "folder.csv").mkdir()
    refused(lambda: open_source(tmp_path / "folder.csv"), "folder", kind=errors.SourceError)
    monkeypatch.chdir(tmp_path)
    refused(lambda: open_source("melon.csv"), "Did you mean 'melons.csv'?", kind=errors.SourceError)
    assert table_of("melons.csv") == {"a": ["1"]}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    path.chmod(0)
    refused(lambda: open_source(path), "cannot be opened", kind=errors.SourceError)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_file_without_bytes(ending, tmp_path):
    (tmp_path / f"t{ending}").touch()
    refused(lambda: open_source(tmp_path / f"t{ending}"), f"t{ending}", "no bytes", kind=errors.EmptyDataError)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
def test_a_pipe_with_a_name_is_a_stream(tmp_path):
    path = tmp_path / "t.csv"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=("a,b\n1,2\n",))
    writer.start()
    assert table_of(path) == {"a": ["1"], "b": ["2"]}
    writer.join()
