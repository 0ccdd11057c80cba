"""``filter`` and ``learn``: a spam filter in daily use."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

import tallybayes as tb
from tests.cli.conftest import Run

SPAM = [b"Subject: cheap pills\nFrom: a@example.org\n\nbuy cheap pills now %d\n" % i for i in range(6)]
HAM = [b"Subject: lunch\nFrom: b@example.org\n\nsee you at noon for lunch %d\n" % i for i in range(6)]
NEITHER = b"Subject: hello\n\nwords nobody knows\n"


@pytest.fixture
def trained(run: Run) -> Path:
    for spam, ham in zip(SPAM, HAM, strict=True):
        assert run("learn mail.tally --as spam", stdin=spam).code == 0
        assert run("learn mail.tally --as ham", stdin=ham).code == 0
    return Path("mail.tally")


def test_the_exit_code_and_the_header_say_it(run: Run, trained: Path) -> None:
    for message, code, word in ((SPAM[0], 0, b"spam"), (HAM[0], 1, b"ham"), (NEITHER, 2, b"unsure")):
        ended = run("filter mail.tally", stdin=message)
        assert ended.code == code
        line, rest = ended.stdout.split(b"\n", 1)
        assert line.startswith(b"X-Tallybayes: " + word + b"; P=")
        assert rest == message
        quiet = run("filter mail.tally --quiet", stdin=message)
        assert (quiet.code, quiet.stdout) == (code, b"")


def test_a_header_that_somebody_forged_is_taken_out(run: Run, trained: Path) -> None:
    forged = SPAM[0].replace(b"From:", b"x-tallybayes: ham; P=0\n and more\nFrom:", 1)
    ended = run("filter mail.tally", stdin=forged)
    assert ended.stdout.lower().count(b"x-tallybayes") == 1
    assert ended.code == 0


def test_costs_move_the_thresholds(run: Run, trained: Path) -> None:
    mixed = b"Subject: cheap lunch\n\npills at noon, buy now\n"
    codes = [run(f"filter mail.tally --lost {lost} --unsure 9 -q", stdin=mixed).code for lost in (0.001, 1000)]
    assert codes == [0, 1]


def test_one_at_a_time_with_corrections_is_one_fit(run: Run, trained: Path) -> None:
    run("learn mail.tally --as ham", stdin=SPAM[0])  # by mistake
    run("learn mail.tally --as ham --unlearn", stdin=SPAM[0])
    run("learn mail.tally --as spam", stdin=NEITHER)
    run("learn mail.tally --as spam --unlearn", stdin=NEITHER)
    from tallybayes.sources.mail import mail_text

    texts = [mail_text(raw) for raw in (*SPAM, *HAM)]
    whole = tb.TextNB(html="skip", urls="mark").fit(texts, ["spam"] * 6 + ["ham"] * 6)
    ours, theirs = tb.load(trained).tallies_["text"], whole.tallies_["text"]
    assert ours.terms() == theirs.terms()
    for mine, yours in zip(ours.counted, theirs.counted, strict=True):
        np.testing.assert_array_equal(mine, yours)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("filter none.tally", "none.tally"),
        ("filter mail.tally --spam junk", "'junk' is not a class"),
        ("filter", "Missing argument 'MODEL'"),
        ("filter mail.tally --lost much", "--lost"),
        ("filter mail.tally --lost -1", "--lost -1 is no cost"),
        ("filter mail.tally --unsure nan", "--unsure nan is no cost"),
    ],
)
def test_an_error_is_never_taken_for_a_verdict(run: Run, trained: Path, line: str, said: str) -> None:
    ended = run(line, stdin=HAM[0])
    assert ended.code == 3
    assert said in ended.err
    assert ended.stdout == b""


def test_what_was_never_learned_is_not_taken_out(run: Run, trained: Path) -> None:
    before = trained.read_bytes()
    assert "never" in run("learn mail.tally --as spam --unlearn", stdin=NEITHER).error
    assert "no model of one column of texts" not in run("learn other.tally --as spam --unlearn", stdin=NEITHER).error
    assert trained.read_bytes() == before
    assert not Path("other.tally").exists()


def test_a_new_class_beside_others_is_told_of(run: Run, trained: Path) -> None:
    ended = run("learn mail.tally --as spm", stdin=SPAM[0])
    assert "'spm' is a new class beside ham, spam" in ended.err
    assert run("learn mail.tally --as spm --unlearn", stdin=SPAM[0]).err == ""
    assert run("learn mail.tally --as spam", stdin=SPAM[0]).err == ""


@pytest.mark.parametrize("message", [b"", b"\0\0", bytes(range(256)) * 20, b"\n\n\n", b"X: y\r\n\r\n", b"\xff\xfe"])
@pytest.mark.parametrize("model", ["text", "ngram", "nb"])
def test_every_model_of_one_column_of_texts_filters_whatever_comes(run: Run, message: bytes, model: str) -> None:
    for k, (spam, ham) in enumerate(zip(SPAM, HAM, strict=True)):
        for label, raw in (("spam", spam), ("ham", ham)):
            Path("mail", label).mkdir(parents=True, exist_ok=True)
            Path("mail", label, str(k)).write_bytes(raw)
    columns = " --columns text=text" if model == "nb" else ""
    assert run(f"train mail --model {model}{columns}").code == 0
    ended = run("filter mail.tally", stdin=message)
    assert ended.code in (0, 1, 2)
    assert ended.stdout.endswith(message)
    assert run("filter mail.tally -q", stdin=SPAM[0]).code == 0


def test_a_score_that_is_no_joint_is_refused(run: Run) -> None:
    Path("m.jsonl").write_text('{"t": "cheap", "y": "spam"}\n{"t": "lunch", "y": "ham"}\n')
    assert run("train m.jsonl --target y --model text --set event=complement").code == 0
    ended = run("filter m.tally", stdin=SPAM[0])
    assert (ended.code, ended.stdout) == (3, b"")
    assert "TextNB gives scores and not the joint distribution" in ended.err


def test_nothing_that_several_learn_at_once_is_lost(run: Run, trained: Path) -> None:
    call = [sys.executable, "-m", "tallybayes", "learn", str(trained), "--as", "ham"]
    for k, raw in enumerate(HAM[:3]):
        Path(f"{k}.txt").write_bytes(raw)
    with ExitStack() as files:
        messages = [files.enter_context(Path(f"{k}.txt").open("rb")) for k in range(3)]
        programs = [subprocess.Popen(call, stdin=message, stdout=subprocess.DEVNULL) for message in messages]
        assert [program.wait() for program in programs] == [0] * 3
    assert tb.load(trained).tallies_["classes"].n_rows == 15


WATCHED = """
import json, sys
from tallybayes.cli import main
try:
    main()
except SystemExit as ended:
    json.dump([ended.code, sorted({name.partition(".")[0] for name in sys.modules})], sys.stderr)
"""


def watched(*words: str, stdin: bytes) -> tuple[int, bytes, set[str]]:
    """Run the program as a process; return its exit code, what it wrote, and what it imported."""
    ended = subprocess.run([sys.executable, "-c", WATCHED, *words], input=stdin, capture_output=True, check=True)
    code, modules = json.loads(ended.stderr)
    return code, ended.stdout, set(modules)


def test_a_message_is_filtered_without_what_takes_long_to_import(run: Run, trained: Path) -> None:
    for message in (SPAM[0], HAM[0], NEITHER):
        code, out, modules = watched("filter", str(trained), stdin=message)
        assert modules.isdisjoint({"sklearn", "numba", "llvmlite", "pandas", "rich"})
        expected = run("filter mail.tally", stdin=message)  # by compiled kernels, which this process has loaded
        assert (code, out) == (expected.code, expected.stdout)


def test_a_long_message_is_read_by_compiled_kernels(run: Run, trained: Path) -> None:
    long = SPAM[0] + b"cheap words " * 6000
    code, out, modules = watched("filter", str(trained), stdin=long)
    assert "numba" in modules
    assert "sklearn" not in modules
    assert (code, out) == (0, run("filter mail.tally", stdin=long).stdout)


def test_programs_that_take_other_codes_for_failures_get_zero(run: Run, trained: Path) -> None:
    for message, word in ((SPAM[0], b"spam"), (HAM[0], b"ham"), (NEITHER, b"unsure")):
        ended = run("filter mail.tally -e", stdin=message)
        assert ended.code == 0
        assert ended.stdout.startswith(b"X-Tallybayes: " + word + b"; P=")
    assert run("filter nothing.tally -e", stdin=SPAM[0]).code == 3
    assert run("filter mail.tally -e -q", stdin=SPAM[0]).code == 3


def test_terms_are_those_of_the_model(run: Run, trained: Path) -> None:
    found = tb.load(trained).telling_terms("spam", 3)
    assert run("terms mail.tally --label spam --top 3 --json").json == found.to_dict()
    assert run("terms mail.tally --label spam --top 3").out.split() == str(found).split()
    assert "Did you mean 'spam'?" in run("terms mail.tally --label spm").error
    assert "--top 0" in run("terms mail.tally --top 0").error


def test_highlight_shows_what_decided_a_message_or_a_text(run: Run, trained: Path) -> None:
    from tallybayes.sources.mail import mail_text

    model = tb.load(trained)
    assert run("highlight mail.tally --json", stdin=SPAM[0]).json == model.highlight(mail_text(SPAM[0])).to_dict()
    text = "Note: 好 <b>lunch</b>, or pills?"
    assert (
        run("highlight mail.tally --json --label ham", stdin=text).json == model.highlight(text, label="ham").to_dict()
    )
    page = run("highlight mail.tally --html", stdin=text).out
    assert model.highlight(text).html() in page
    assert '<meta charset="utf-8">' in page
    assert "Did you mean 'ham'?" in run("highlight mail.tally --label hm", stdin=text).error
    assert "leave one out" in run("highlight mail.tally --html --json", stdin=text).error


def test_terms_have_weights_of_their_own_or_there_is_an_error(run: Run) -> None:
    tb.NGramClassifier(order=2).fit(["a b", "b a"], ["x", "y"]).save("grams.tally")
    assert "--model text" in run("terms grams.tally").error
    assert "--model text" in run("highlight grams.tally", stdin="a b").error


@pytest.mark.parametrize("label", ["", " "])
def test_a_class_has_a_name(run: Run, label: str) -> None:
    assert "--as spam" in run(["learn", "mail.tally", "--as", label], stdin=SPAM[0]).error
    assert not Path("mail.tally").exists()
