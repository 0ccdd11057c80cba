from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from tallybayes.errors import ModelFileError, SourceError, TallyBayesError, ValueRangeError
from tallybayes.storage.atomic import replacing, write_atomically


def test_a_new_file_has_the_content_and_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    write_atomically(tmp_path / "new", b"content")
    (tmp_path / "other").write_bytes(b"")
    assert (tmp_path / "new").read_bytes() == b"content"
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_an_old_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "old"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_keeps_pointing_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_the_longest_possible_name_can_be_written(tmp_path: Path) -> None:
    write_atomically(tmp_path / ("n" * 255), b"x")
    assert [len(name) for name in os.listdir(tmp_path)] == [255]


def fail_halfway(path: Path, mishap: BaseException, error: type[TallyBayesError]) -> None:
    with replacing(path, error=error) as file:
        file.write(b"half")
        raise mishap


@pytest.mark.parametrize("mishap", [KeyboardInterrupt(), ValueRangeError("bad row"), MemoryError()])
def test_whatever_is_raised_in_the_block_comes_through_and_leaves_the_old_file(
    tmp_path: Path, mishap: BaseException
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(type(mishap)) as caught:
        fail_halfway(path, mishap, ModelFileError)
    assert caught.value is mishap
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_full_disk_is_an_error_of_the_asked_class_and_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(SourceError, match=r"No space.*unchanged"):
        fail_halfway(path, OSError(28, "No space left on device"), SourceError)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_readers_see_the_old_content_until_the_new_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "folder; name a file"),
        ("no/such/file", "there is no folder"),
        ("file/below", "there is no folder"),
        ("nul\0l", "null"),
        ("n" * 300, "too long"),
    ],
)
def test_a_place_that_takes_no_file_is_refused_with_the_remedy(tmp_path: Path, name: str, words: str) -> None:
    (tmp_path / "file").write_bytes(b"old")
    with pytest.raises(ModelFileError, match=f"(?s){words}"):
        write_atomically(os.path.join(tmp_path, name), b"x")
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(ModelFileError, match="read-only"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
def test_a_pipe_is_written_directly(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append(path.read_bytes()))
    reader.start()
    write_atomically(path, b"through")
    reader.join()
    assert heard == [b"through"]
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_device_that_refuses_is_an_error() -> None:
    with pytest.raises(ModelFileError, match="No space"):
        write_atomically("/dev/full", b"x")
