"""Mail and folders of texts: what a person sees in a message, and no message that cannot be read."""

from __future__ import annotations

import io
from email.message import EmailMessage
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallybayes as tb
from tallybayes import errors
from tallybayes.sources import open_source
from tallybayes.sources.mail import mail_text
from tallybayes.sources.messages import is_mail, split_mailbox


def message(subject: str, body: str, html: str | None = None) -> bytes:
    made = EmailMessage()
    made["Subject"], made["From"], made["To"] = subject, "Zoë <zoe@example.org>", "you@example.org"
    made.set_content(body)
    if html is not None:
        made.add_alternative(html, subtype="html")
    return made.as_bytes()


def rows(path: Path) -> list[dict[str, object]]:
    found = []
    for piece in open_source(path).rows():
        found += piece.cells.to_pylist()
    return found


def test_headers_and_every_part_that_is_text() -> None:
    raw = message("Grüße 你好", "plain words\n", "<p>other <b>words</b></p>")
    text = mail_text(raw)
    assert text.splitlines()[0] == "Subject: Grüße 你好"
    assert "Zoë" in text
    assert "plain words" in text
    assert "<b>words</b>" in text


def test_encodings_as_they_are_and_as_they_are_not() -> None:
    assert mail_text(b"Subject: a\nContent-Type: text/plain; charset=gb2312\n\n\xc4\xe3\xba\xc3").endswith("你好")
    assert mail_text(b"Subject: a\nContent-Type: text/plain; charset=no-such\n\ncaf\xc3\xa9").endswith("café")
    assert mail_text(b"Subject: a\nContent-Type: text/plain; charset=ascii\n\ncaf\xe9").endswith("café")
    assert mail_text(b"Subject: =?x?B?!!?=\nContent-Transfer-Encoding: base64\n\n@@@@").startswith("Subject: ")
    assert mail_text(b"") == ""


def test_an_attachment_is_its_name_and_not_its_bytes() -> None:
    made = EmailMessage()
    made["Subject"] = "look"
    made.set_content("see this")
    made.add_attachment(b"\x00\x01SECRET", maintype="application", subtype="octet-stream", filename="发票.exe")
    text = mail_text(made.as_bytes())
    assert "发票.exe" in text
    assert "SECRET" not in text


@given(
    st.binary(max_size=300) | st.binary(max_size=200).map(lambda b: b"Subject: x\nContent-Type: multipart/mixed\n" + b)
)
def test_no_message_is_an_error(raw: bytes) -> None:
    mail_text(raw).encode("utf-8", "surrogatepass")


def test_a_mailbox_is_cut_where_messages_begin(tmp_path: Path) -> None:
    one, two = message("one", "From here it goes on\n"), message("two", "body\n\n>From the start\n")
    box = tmp_path / "in.mbox"
    line = b"From zoe@example.org Thu Nov 19 10:00:00 2026\n"
    box.write_bytes(line + one + b"\n" + line + two)
    assert [row["text"].splitlines()[0] for row in rows(box)] == ["Subject: one", "Subject: two"]
    assert "From the start" in rows(box)[1]["text"]
    assert list(split_mailbox(io.BytesIO(b""))) == []
    (tmp_path / "one.eml").write_bytes(one)
    assert rows(tmp_path / "one.eml")[0]["text"] == mail_text(one)


def test_mail_is_told_from_other_texts() -> None:
    assert is_mail(message("a", "b"))
    assert not is_mail(b"Dear all:\nthis is no header")
    assert not is_mail(b"just words")
    assert not is_mail(b"")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for label, texts in {"spam": ["cheap pills", "cheap watches"], "ham": ["lunch at noon", "see you at noon"]}.items():
        (tmp_path / "mail" / label).mkdir(parents=True)
        for i, text in enumerate(texts):
            (tmp_path / "mail" / label / f"{i}.txt").write_text(text, encoding="utf-8")
    (tmp_path / "mail" / "spam" / "2.eml").write_bytes(message("cheap", "pills now"))
    (tmp_path / "mail" / "ham" / ".hidden").write_text("not read")
    (tmp_path / "mail" / "README").write_text("no class")
    return tmp_path / "mail"


def test_a_folder_for_each_class(folder: Path) -> None:
    model = tb.TextNB().fit(folder)
    assert model.classes_.tolist() == ["ham", "spam"]
    assert model.tallies_["classes"].rows.tolist() == [2, 3]
    assert model.predict(["cheap pills", "see you"]).tolist() == ["spam", "ham"]
    assert tb.evaluate(model, folder).accuracy == 1.0
    assert "hidden" not in model.tallies_["text"].terms()


def test_a_file_in_another_encoding_is_read_all_the_same(folder: Path) -> None:
    (folder / "ham" / "3.txt").write_bytes("café".encode("latin-1"))
    assert "café" in tb.TextNB().fit(folder).tallies_["text"].terms()


def test_folders_that_hold_no_texts(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(errors.SourceError, match="folder"):
        open_source(tmp_path / "empty")
    (tmp_path / "empty" / "spam").mkdir()
    with pytest.raises(errors.EmptyDataError, match="named like the class"):
        open_source(tmp_path / "empty")
    with pytest.raises(errors.SourceError, match="none"):
        open_source(tmp_path / "none.mbox")


def test_a_folder_of_mailboxes_has_a_class_for_each(tmp_path: Path) -> None:
    begin = b"From a@example.org Thu Nov 19 10:00:00 2026\n"
    (tmp_path / "spam.mbox").write_bytes(begin + message("one", "cheap") + b"\n" + begin + message("two", "pills"))
    (tmp_path / "ham").mkdir()
    (tmp_path / "ham" / "old.mbox").write_bytes(begin + message("three", "lunch"))
    (tmp_path / "ham" / "note.txt").write_text("noon")
    (tmp_path / ".hidden.mbox").write_bytes(begin + message("four", "none"))
    source = open_source(tmp_path)
    assert source.n_rows is None
    found = set()
    for piece in source.rows():
        subjects = [text.split("\n")[0] for text in piece.column(0).to_pylist()]
        found |= set(zip(subjects, pa.array(piece.target).to_pylist(), strict=True))
    assert found == {("Subject: one", "spam"), ("Subject: two", "spam"), ("Subject: three", "ham"), ("noon", "ham")}
