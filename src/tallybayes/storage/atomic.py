"""Write a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from typing import BinaryIO

from tallybayes.errors import ModelFileError, TallyBayesError


def write_atomically(
    path: str | os.PathLike[str], data: bytes, *, error: type[TallyBayesError] = ModelFileError
) -> None:
    """Write a file so that whoever looks sees the old content or the new, whole, and never a part.

    Parameters
    ----------
    path
        Where to write; see `replacing`.
    data
        The content.
    error
        What to raise when the file cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "costs.json")
    ...     write_atomically(path, b"{}")
    ...     path.read_bytes()
    b'{}'
    """
    with replacing(path, error=error) as file:
        file.write(data)


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], *, error: type[TallyBayesError] = ModelFileError) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of `path` when the block ends, unless something is raised in it.

    The new content goes to a file beside the old one, is forced to the disk and takes its name. Links are
    followed, and an existing file keeps its permissions. What is no regular file, such as ``/dev/null`` or a
    pipe, is written directly, since it has no content to lose.

    Parameters
    ----------
    path
        Where to write.
    error
        What to raise, with the reason and the remedy, when the file cannot be written: for every OSError in
        the block too. What else is raised in the block comes through as it is.
    """
    shown = os.fspath(path)
    mode = _existing_mode(path, shown, error)
    if mode is not None and not stat.S_ISREG(mode):
        try:
            with open(path, "wb") as device:
                yield device
        except OSError as reason:
            raise error(f"{shown!r} cannot be written: {reason.strerror or reason}.") from reason
        return
    target = os.path.realpath(path)
    beside, file = _open_beside(target, shown, error)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(beside, stat.S_IMODE(mode))
        os.replace(beside, target)
    except BaseException as reason:  # an interrupt from the keyboard must leave nothing behind either
        with contextlib.suppress(OSError):
            os.unlink(beside)
        if not isinstance(reason, OSError):
            raise
        raise error(
            f"{shown!r} cannot be written: {reason.strerror or reason}; make room or choose another place. "
            "What was there before is unchanged."
        ) from reason
    _sync_folder(os.path.dirname(target))


def _existing_mode(path: str | os.PathLike[str], shown: str, error: type[TallyBayesError]) -> int | None:
    """Return the type and permissions of what is there already, None where nothing is."""
    try:
        mode = os.stat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as reason:  # a ValueError is a null character in the name
        why = getattr(reason, "strerror", None) or reason
        raise error(f"{shown!r} cannot be written: {why}; choose another name or place.") from reason
    if stat.S_ISDIR(mode):
        raise error(f"{shown!r} cannot be written: it is a folder; name a file in it.")
    if not os.access(path, os.W_OK):
        # Renaming over it would work, but a file that was made read-only is meant to stay.
        raise error(f"{shown!r} cannot be written: it is read-only; choose another name or change its permissions.")
    return mode


def _open_beside(target: str, shown: str, error: type[TallyBayesError]) -> tuple[str, BinaryIO]:
    """Open a new file in the folder of the target."""
    folder = os.path.dirname(target)
    # The name has nothing of the target's, which may already be as long as names can be.
    beside = os.path.join(folder, f".{secrets.token_hex(8)}.tmp")
    try:
        # Opened this way, and not by tempfile, a new file has the permissions that every new file of the user
        # has.
        return beside, open(beside, "xb")
    except (FileNotFoundError, NotADirectoryError) as reason:
        raise error(
            f"{shown!r} cannot be written: there is no folder {folder!r}; create it first, or choose another place."
        ) from reason
    except OSError as reason:
        raise error(
            f"{shown!r} cannot be written: {folder!r} does not take a new file "
            f"({reason.strerror or reason}); choose "
            "another place or change the permissions."
        ) from reason


def _sync_folder(folder: str) -> None:
    """Force the new name to the disk, where the system can; the content is already there."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
