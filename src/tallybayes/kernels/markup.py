"""Finding the ends of tags, comments, character references and URLs; each byte is looked at a few times at most."""

from __future__ import annotations

import numpy as np

from tallybayes._types import AnyArray
from tallybayes.kernels._borrow import jit_borrowing


def _word(text: bytes) -> AnyArray:
    word = np.frombuffer(text, np.uint8)
    return np.append(word, np.zeros(8 - len(word), np.uint8))


_COMMENT = _word(b"<!--")
_COMMENT_END = _word(b"-->")
_SCRIPT = _word(b"<script")
_SCRIPT_END = _word(b"</script")
_STYLE = _word(b"<style")
_STYLE_END = _word(b"</style")
_WWW = _word(b"www.")
_HTTP = _word(b"http://")
_HTTPS = _word(b"https://")
_FTP = _word(b"ftp://")


@jit_borrowing
def _is_letter(byte: int) -> bool:
    return 97 <= byte | 32 <= 122


@jit_borrowing
def _is_name(byte: int) -> bool:
    return _is_letter(byte) or 48 <= byte <= 57


@jit_borrowing
def name_end(data: AnyArray, at: int, stop: int) -> int:
    """Return where the ASCII letters and digits from `at` on end."""
    while at < stop and _is_name(data[at]):
        at += 1
    return at


@jit_borrowing
def _starts(data: AnyArray, at: int, stop: int, word: AnyArray) -> bool:
    """Say whether a word in lower case, filled up with zeros, begins at a place."""
    for k in range(8):
        byte = word[k]
        if byte == 0:
            break
        if at + k >= stop:
            return False
        if data[at + k] != byte and not (_is_letter(byte) and data[at + k] | 32 == byte):
            return False
    return True


@jit_borrowing
def _find(data: AnyArray, at: int, stop: int, word: AnyArray) -> int:
    """Return the place of a word from a place on, or `stop`."""
    while at < stop and not _starts(data, at, stop, word):
        at += 1
    return at


@jit_borrowing
def markup_end(data: AnyArray, at: int, stop: int) -> int:
    """Return where the markup that the byte ``<`` or ``&`` at a place begins ends, or `at` if it begins none.

    That is a tag up to its ``>`` with no other ``<`` before; a comment, a script or a style with all that is in it,
    which without an end goes on to the end of the text; a character reference such as ``&nbsp;``.
    """
    if data[at] == 38:
        end = at + 2 if at + 1 < stop and data[at + 1] == 35 else at + 1
        end = name_end(data, end, min(stop, end + 32))
        return end + 1 if end > at + 1 and end < stop and data[end] == 59 else at
    if at + 1 >= stop:
        return at
    if _starts(data, at, stop, _COMMENT):
        end = _find(data, at + 4, stop, _COMMENT_END)
        return min(stop, end + 3)
    first = data[at + 1]
    if not (_is_letter(first) or first == 47 or first == 33 or first == 63):
        return at
    end = at + 1
    while end < stop and data[end] != 62 and data[end] != 60:
        end += 1
    if end == stop or data[end] == 60:
        return at
    end += 1
    if name_end(data, at + 1, stop) == at + 7 and _starts(data, at, stop, _SCRIPT):
        return _find(data, end, stop, _SCRIPT_END)
    if name_end(data, at + 1, stop) == at + 6 and _starts(data, at, stop, _STYLE):
        return _find(data, end, stop, _STYLE_END)
    return end


@jit_borrowing
def url_end(data: AnyArray, at: int, stop: int) -> int:
    """Return where the URL at a place ends, or `at` if there is none.

    It begins with http://, https://, ftp:// or www., goes on over the ASCII characters that a URL may hold, and does
    not end with a sign that would end a clause.
    """
    begin = at
    if data[at] | 32 == 119 and _starts(data, at, stop, _WWW):
        begin += 4
    elif data[at] | 32 == 104 and _starts(data, at, stop, _HTTP):
        begin += 7
    elif data[at] | 32 == 104 and _starts(data, at, stop, _HTTPS):
        begin += 8
    elif data[at] | 32 == 102 and _starts(data, at, stop, _FTP):
        begin += 6
    else:
        return at
    end = begin
    while end < stop and _in_url(data[end]):
        end += 1
    while end > begin and not (_is_name(data[end - 1]) or data[end - 1] == 47):
        end -= 1
    return end if end > begin else at


@jit_borrowing
def _in_url(byte: int) -> bool:
    """Say whether a byte may be in a URL: printed ASCII but for blanks and quotes, brackets and the like."""
    barred = byte == 34 or byte == 60 or byte == 62 or byte == 92 or byte == 94 or byte == 96 or 123 <= byte <= 125
    return 33 <= byte <= 126 and not barred


@jit_borrowing
def number_end(data: AnyArray, at: int, stop: int) -> int:
    """Return where the number goes on to whose first digits end at a place: 3.14 or 1,000,000."""
    while at + 1 < stop and (data[at] == 44 or data[at] == 46) and 48 <= data[at + 1] <= 57:
        at += 2
        while at < stop and 48 <= data[at] <= 57:
            at += 1
    return at
