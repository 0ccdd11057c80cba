"""One message on standard input: its text, and what is written above it."""

from __future__ import annotations

import re
import sys
from typing import Any

from tallybayes.cli.saying import say
from tallybayes.errors import ModelFileError

HEADER = b"X-Tallybayes"

_OURS = re.compile(rb"^X-Tallybayes:[^\n]*\n(?:[ \t][^\n]*\n)*", re.MULTILINE | re.IGNORECASE)


def read_message() -> bytes:
    """Return what standard input holds."""
    if sys.stdin.isatty():
        say("note", "reading a message from the terminal; Ctrl-D ends it")
    return sys.stdin.buffer.read()


def marked(raw: bytes, verdict: str) -> bytes:
    r"""Return a message with a header line that says a verdict, and without such lines that it came with.

    Examples
    --------
    >>> marked(b"From a Thu Nov 19 10:00:00 2026\nX-Tallybayes: ham\nSubject: x\n\nhello", "spam; P=0.99")
    b'From a Thu Nov 19 10:00:00 2026\nX-Tallybayes: spam; P=0.99\nSubject: x\n\nhello'
    """
    head, blank, body = _split(raw)
    head = _OURS.sub(b"", head)
    first = re.match(rb"From [^\n]*\n", head)
    at = first.end() if first else 0
    end = b"\r\n" if b"\r\n" in raw[:4096] else b"\n"
    return head[:at] + HEADER + b": " + verdict.encode("utf-8", "replace") + end + head[at:] + blank + body


def text_model(path: str) -> Any:
    """Return the model of texts in a file."""
    from tallybayes.cli.models import open_model

    model = open_model(path, faced=False)
    if len(model.schema_.used()) != 1 or model.schema_.used()[0].kind != "text":
        raise ModelFileError(f"{path!r} is no model of one column of texts; train one, or make one with 'learn'.")
    return model


def weighing_model(path: str) -> Any:
    """Return the model of texts in a file, if it gives each term of a text a weight."""
    model = text_model(path)
    if not hasattr(model, "telling_terms"):
        raise ModelFileError(
            f"{path!r} holds a {type(model).__name__}, which gives terms no weights of their own; train one with "
            "--model text."
        )
    return model


def text_or_mail(raw: bytes) -> str:
    r"""Return what a message says, or a text that is none as it is.

    Examples
    --------
    >>> text_or_mail(b"Note: buy milk"), text_or_mail(b"Subject: milk\nFrom: me\n\nbuy it")
    ('Note: buy milk', 'Subject: milk\nFrom: me\nbuy it')
    """
    from tallybayes.sources.messages import is_mail

    return text_of(raw) if is_mail(raw) else raw.decode("utf-8-sig", "replace")


def text_of(raw: bytes) -> str:
    """Return what a message says."""
    from tallybayes.sources.mail import mail_text

    return mail_text(raw).encode("utf-8", "replace").decode()


def as_rows(text: str, model: Any = None) -> Any:
    """Return a text as a table of one row, with the column of a model where there is one already."""
    import pyarrow as pa

    from tallybayes.estimators._texts import COLUMN
    from tallybayes.sources.texts import one_text

    name = COLUMN if model is None else model.schema_.used()[0].name
    return pa.Table.from_arrays([one_text(text)], names=[str(name)])


def _split(raw: bytes) -> tuple[bytes, bytes, bytes]:
    """Return the headers with their last line break, the empty line, and the body."""
    found = re.search(rb"(?<=\n)\r?\n", raw)
    if raw[:1] == b"\n":
        return b"", b"", raw
    if found is None:
        return raw, b"", b""
    return raw[: found.start()], found.group(), raw[found.end() :]
