"""One program at a time changes a model file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def alone_with(path: str | os.PathLike[str]) -> Iterator[None]:
    """Wait until nobody else who asks so changes files beside `path`, and keep them waiting during the block.

    Who reads a model, learns and writes it back would otherwise lose what another one wrote in the meantime. The lock
    is that of the folder, since the file itself is replaced by every writing and may not be there yet. It leaves
    nothing behind, and ends with the process whatever happens to it. Who only reads need not wait: a model file is
    replaced whole. Where the system has no such locks, this does nothing.

    Parameters
    ----------
    path
        A file, in a folder that is there.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder, alone_with(pathlib.Path(folder, "x.tally")):
    ...     pass
    """
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(ImportError, OSError):  # on Windows; on file systems that lock no folders
            import fcntl

            folder = os.open(os.path.dirname(os.path.realpath(path)), os.O_RDONLY)
            stack.callback(os.close, folder)
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
