"""Mail as text: what a message says, whatever its encodings, and however broken it is."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message

HEADERS = ("Subject", "From", "To", "Reply-To")
"""The headers that are read as text, each on a line of its own."""

MOST_BYTES = 1 << 22
"""How much of a part is read; attachments that call themselves texts can be of any size."""


def mail_text(raw: bytes) -> str:
    r"""Return the text of a message: some headers, and every part that is text, one after the other.

    Of a part that comes as text and as HTML, both are read, since they may say different things. What cannot be decoded
    is replaced, and nothing that a message holds is an error.

    Examples
    --------
    >>> print(mail_text(b"Subject: =?utf-8?B?5L2g5aW9?=\nFrom: a@example.org\n\nSee you\n"))
    Subject: 你好
    From: a@example.org
    See you
    """
    message = message_from_bytes(raw)
    lines = [f"{name}: {_decoded(str(value))}" for name in HEADERS for value in message.get_all(name, [])]
    lines += [text for text in _parts(message) if text.strip()]
    return "\n".join(line.rstrip("\r\n") for line in lines).replace("\0", " ")


def _parts(message: Message) -> Iterator[str]:
    """Yield the texts of all parts."""
    for part in message.walk():
        kind = part.get_content_maintype()
        if part.is_multipart():
            continue
        name = part.get_filename()
        if name:
            yield _decoded(str(name))
        if kind != "text":
            continue
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            yield _text(content[:MOST_BYTES], part.get_content_charset())


def _text(content: bytes, charset: str | None) -> str:
    """Decode a part: as it says, or as UTF-8, or as what has a character for every byte."""
    for encoding in (charset, "utf-8"):
        try:
            return content.decode(encoding or "ascii")
        except (LookupError, UnicodeError):  # an encoding that does not exist, or another one than it says
            continue
    return content.decode("latin-1")


def _decoded(header: str) -> str:
    """Return a header with its encoded words decoded."""
    try:
        pieces = decode_header(header)
    except (HeaderParseError, ValueError):
        return header
    words = [piece if isinstance(piece, str) else _text(piece, charset) for piece, charset in pieces]
    return " ".join("".join(words).split())
