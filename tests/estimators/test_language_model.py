"""Language models: the definitions, KenLM's numbers, the laws of tallies, files, and what users do wrong."""

from __future__ import annotations

import math
import pickle
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import tallybayes as tb
from tallybayes import errors
from tallybayes.models.smoothing import Smoothing
from tests.models.language_reference import Reference

SMOOTHINGS = get_args(Smoothing)
every_smoothing = pytest.mark.parametrize("smoothing", SMOOTHINGS)
with_or_without = pytest.mark.parametrize("boundaries", [True, False], ids=["boundaries", "chain"])
WORDS = [f"w{i}" for i in range(60)]


def corpus(seed: int, n: int, words: list[str] = WORDS) -> list[str]:
    """Return sentences in which a word depends on the one before, with the frequencies of a language."""
    rng = np.random.default_rng(seed)
    share = 1.0 / np.arange(1, len(words) + 1)
    share /= share.sum()
    found = []
    for _ in range(n):
        at, sentence = 0, []
        for _ in range(rng.integers(0, 14)):
            at = (at + int(rng.choice(len(words), p=share))) % len(words)
            sentence.append(words[at])
        found.append(" ".join(sentence))
    return found


TRAIN = corpus(1, 1_500)
ASKED = [*corpus(2, 60), "w1 never w2 w3", "never", "", "w1 w1 w1 w1 never never w1"]


def model_of(texts: list[str], **options: object) -> tb.LanguageModel:
    return tb.LanguageModel(analyzer=str.split, **options).fit(texts)


# The definitions --------------------------------------------------------------------------------------------------


@every_smoothing
@with_or_without
@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_every_unit_has_the_probability_of_the_definition(smoothing: Smoothing, boundaries: bool, order: int) -> None:
    model = model_of(TRAIN, order=order, smoothing=smoothing, boundaries=boundaries, amount=0.3)
    reference = Reference([text.split() for text in TRAIN], order, smoothing, boundaries, s=0.3)
    for text in ASKED:
        found = [log for _, log in model.unit_log_probs(text)]
        expected = reference.log_probs(text.split())
        assert found == pytest.approx(expected, rel=1e-10)
        assert model.log_prob(text) == pytest.approx(sum(expected), rel=1e-10)


def test_the_discounts_of_kneser_ney_are_estimated_here() -> None:
    # So that the test above is not one of the fallback alone.
    reference = Reference([text.split() for text in TRAIN], 3, "kneser-ney", boundaries=True)
    assert all(reference.d[k] != [0.0, 0.5, 1.0, 1.5] for k in (2, 3))


@pytest.mark.parametrize("smoothing", [s for s in SMOOTHINGS if s != "stupid-backoff"])
@with_or_without
@pytest.mark.parametrize("texts", [TRAIN[:40], ["one"], [""], ["a b a b a b"]], ids=["some", "one", "none", "pairs"])
def test_probabilities_of_the_vocabulary_sum_to_1(smoothing: Smoothing, boundaries: bool, texts: list[str]) -> None:
    for order in (1, 2, 3):
        model = model_of(texts, order=order, smoothing=smoothing, boundaries=boundaries)
        if not (texts == [""] and not boundaries and smoothing in ("mle", "lidstone")):  # else there is no vocabulary
            for context in ["", "w1", "w1 w2", "w3 w1 w1", "never", "w1 never", "never w1", "a b", "one", "one one"]:
                found = model.next(context)
                assert sum(found.values()) == pytest.approx(1.0, abs=1e-12)
                assert list(found.values()) == sorted(found.values(), reverse=True)


@every_smoothing
def test_the_next_unit_is_what_scores_say(smoothing: Smoothing) -> None:
    model = model_of(TRAIN[:50], smoothing=smoothing, boundaries=False, order=3)
    for context in ("w1", "w0 w1", "never w1"):
        found = model.next(context)
        for unit in ("w1", "w7", "w0"):
            assert (
                math.log(found[unit])
                if found[unit]
                else -math.inf == pytest.approx(model.unit_log_probs(f"{context} {unit}")[-1][1])
            )


def test_jurafskys_sams() -> None:
    # Jurafsky and Martin, Speech and Language Processing, chapter 3: the bigrams of three sentences.
    model = tb.LanguageModel(order=2, smoothing="mle").fit(["I am Sam", "Sam I am", "I do not like green eggs and ham"])
    assert model.next("")["i"] == pytest.approx(2 / 3)
    assert model.next("I")["am"] == pytest.approx(2 / 3)
    assert model.next("Sam")["</s>"] == pytest.approx(1 / 2)
    assert math.exp(model.log_prob("I am Sam")) == pytest.approx(2 / 3 * 2 / 3 * 1 / 2 * 1 / 2)
    assert model.perplexity(["I am Sam"]) == pytest.approx((2 / 3 * 2 / 3 * 1 / 2 * 1 / 2) ** (-1 / 4))
    assert model.log_prob("Sam am") == -math.inf
    assert model.perplexity(["Sam am"]) == math.inf


# KenLM ------------------------------------------------------------------------------------------------------------


@pytest.mark.peers
@pytest.mark.parametrize("smoothing", ["kneser-ney", "witten-bell", "absolute"])
def test_kenlm_gives_the_same_for_the_arpa_file(smoothing: Smoothing, tmp_path: Path) -> None:
    kenlm = pytest.importorskip("kenlm", reason="KenLM's Python module is not installed; it needs a compiler")
    path = tmp_path / "m.arpa"
    model = model_of(TRAIN, smoothing=smoothing)
    model.to_arpa(path)
    theirs = kenlm.Model(str(path))
    asked = [*corpus(3, 1_000), *ASKED]
    for text in asked:
        ours = [log / math.log(10) for _, log in model.unit_log_probs(text)]
        assert ours == pytest.approx([score for score, _, _ in theirs.full_scores(text)], abs=1e-5)
    tokens = sum(len(text.split()) + 1 for text in asked)
    assert model.perplexity(asked) == pytest.approx(10 ** (-sum(map(theirs.score, asked)) / tokens), rel=1e-5)


@pytest.mark.parametrize("order", [1, 2, 3])
@with_or_without
def test_an_arpa_file_gives_the_same_model(order: int, boundaries: bool, tmp_path: Path) -> None:
    odd = [*TRAIN[:100], "<s> 100% </s> <unk> %20", "好 棒"]
    model = model_of(odd, order=order, boundaries=boundaries)
    model.to_arpa(tmp_path / "m.arpa")
    again = tb.LanguageModel.from_arpa(tmp_path / "m.arpa")
    asked = [*ASKED, "<s> 100% </s>", "<unk> %20 好"]
    np.testing.assert_allclose(again.log_probs(asked), model.log_probs(asked), rtol=1e-7)
    assert again.vocabulary_ == model.vocabulary_
    assert again.next("w1 w2") == pytest.approx(model.next("w1 w2"), rel=1e-7)
    again.to_arpa(tmp_path / "again.arpa")
    assert sorted((tmp_path / "again.arpa").read_text().split("\n")) == sorted(
        (tmp_path / "m.arpa").read_text().split("\n")
    )


def test_characters_and_blanks_in_an_arpa_file(tmp_path: Path) -> None:
    model = tb.LanguageModel(unit="char", order=4).fit(["to be or not", "not to be"])
    model.to_arpa(tmp_path / "c.arpa")
    again = tb.LanguageModel.from_arpa(tmp_path / "c.arpa", unit="char")
    assert again.log_prob("be not to") == pytest.approx(model.log_prob("be not to"), rel=1e-7)
    assert " " in again.vocabulary_


def test_an_arpa_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    texts = ["Don't panic, 天气!", "The weather"]
    for lowercase in (True, False):
        model = tb.LanguageModel(lowercase=lowercase).fit(texts)
        model.to_arpa(tmp_path / "w.arpa")
        again = tb.LanguageModel.from_arpa(tmp_path / "w.arpa", analyzer=None, lowercase=lowercase)
        assert again.log_prob("don't, THE 天气") == pytest.approx(model.log_prob("don't, THE 天气"), rel=1e-7)
    tb.LanguageModel(analyzer=str.split).fit(["The the"]).to_arpa(tmp_path / "w.arpa")
    with pytest.raises(errors.SourceError, match=r"the same unit as '[Tt]he'"):
        tb.LanguageModel.from_arpa(tmp_path / "w.arpa", analyzer=None)


ARPA = """\\data\\
ngram 1=5
ngram 2=4

\\1-grams:
-1.5\t<unk>\t-0.25
-99\t<s>\t-0.5
-0.6\t</s>
-0.7\ta\t-0.3
-0.8\tb

\\2-grams:
-0.2\t<s> a
-0.1\ta b
-0.4\ta <unk>
-0.15\t<unk> b

\\end\\
"""


def test_an_arpa_file_of_another_program(tmp_path: Path) -> None:
    (tmp_path / "x.arpa").write_text(ARPA)
    model = tb.LanguageModel.from_arpa(tmp_path / "x.arpa")
    found = [round(log / math.log(10), 6) for _, log in model.unit_log_probs("a x b a a")]
    # <s> a | a <unk> | <unk> b | b is followed by nothing known: a | a backs off: a | a backs off: </s>
    assert found == [-0.2, -0.4, -0.15, -0.7, -1.0, -0.9]
    assert [unit for unit, _ in model.unit_log_probs("a x b a a")] == ["a", "<unk>", "b", "a", "a", "</s>"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("ngram 2=4", "ngram 2=5", "there should be 5"),
        ("\\end\\", "", "too soon"),
        ("\\data\\", "data", "too soon"),
        ("-0.1\ta b", "a b", "no n"),
        ("-0.1\ta b", "nan\ta b", "logarithm"),
        ("-0.1\ta b", "-0.1\tc b", "a part of it is not"),
        ("-0.1\ta b", "-0.1\ta c", "a part of it is not"),
        ("-0.1\ta b", "-0.2\t<s> a", "twice"),
        ("\\2-grams:", "\\3-grams:", "length 2"),
        ("ngram 1=5", "ngram 7=5", "order"),
    ],
)
def test_a_damaged_arpa_file_says_what_is_wrong(old: str, new: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "x.arpa").write_text(ARPA.replace(old, new))
    with pytest.raises(errors.SourceError, match=said):
        tb.LanguageModel.from_arpa(tmp_path / "x.arpa")


# The laws of tallies ----------------------------------------------------------------------------------------------

SENTENCES = st.lists(st.lists(st.sampled_from("abc好 "), max_size=6).map("".join) | st.none(), max_size=8)


def same(one: tb.LanguageModel, two: tb.LanguageModel) -> None:
    for key, tally in one.tallies_.items():
        ours, theirs = tally.state(), two.tallies_[key].state()
        assert ours.header == theirs.header
        for name, array in ours.arrays.items():
            np.testing.assert_array_equal(array, theirs.arrays[name], err_msg=f"{key} {name}")


@settings(max_examples=60)
@given(
    parts=st.lists(SENTENCES.filter(bool), min_size=2, max_size=4), boundaries=st.booleans(), order=st.integers(1, 4)
)
def test_any_split_is_one_fit_and_forgetting_undoes(
    parts: list[list[str | None]], boundaries: bool, order: int
) -> None:
    def empty() -> tb.LanguageModel:
        return tb.LanguageModel(order=order, boundaries=boundaries)

    whole = empty().fit([text for part in parts for text in part])
    same(sum(empty().fit(part) for part in reversed(parts)), whole)
    grown = empty()
    for part in parts:
        grown.partial_fit(part)
    same(grown, whole)
    assert grown.log_prob("ab c好") == whole.log_prob("ab c好")
    for part in parts[:-1]:
        grown.forget(part)
    same(grown, empty().fit(parts[-1]))


def test_forgetting_what_was_never_learned() -> None:
    model = tb.LanguageModel().fit(["a b c", "c b"])
    before = model.log_prob("a b")
    for texts, said in ([["d"], "'d'"], [["b a c"], "order"], [["a b c"] * 3, "rows"]):
        with pytest.raises(errors.MergeError, match=said):
            model.forget(texts)
    assert model.log_prob("a b") == before
    with pytest.raises(errors.MergeError, match="order"):
        model + tb.LanguageModel(order=2).fit(["a"])
    with pytest.raises(errors.MergeError, match="do not add"):
        model + tb.NGramClassifier()


def test_a_file_of_the_model_goes_on(tmp_path: Path) -> None:
    model = tb.LanguageModel(order=3, unit="char").fit(TRAIN[:20])
    model.save(tmp_path / "m.tally")
    again = tb.load(tmp_path / "m.tally")
    assert isinstance(again, tb.LanguageModel)
    same(again, model)
    assert again.log_prob("w1 w2") == model.log_prob("w1 w2")
    same(again.partial_fit(TRAIN[20:25]), model.partial_fit(TRAIN[20:25]))


def test_smoothing_may_change_without_a_refit_and_the_order_not() -> None:
    model = model_of(TRAIN[:50])
    model.set_params(smoothing="witten-bell")
    assert model.log_prob("w1 w2") == model_of(TRAIN[:50], smoothing="witten-bell").log_prob("w1 w2")
    model.set_params(order=2)
    with pytest.raises(errors.OptionError, match="Call fit again"):
        model.log_prob("w1 w2")


def test_units_that_are_written_like_the_end() -> None:
    model = model_of(["a </s> <unk> b", "</s>"], order=2)
    found = model.next("a")
    assert sum(found.values()) == pytest.approx(1.0, abs=1e-12)
    assert next(iter(found)) == "%3C/s>"
    assert [unit for unit, _ in model.unit_log_probs("</s> zz")] == ["%3C/s>", "<unk>", "</s>"]


# Small and odd things ---------------------------------------------------------------------------------------------


@every_smoothing
@with_or_without
@pytest.mark.parametrize("texts", [[""], [None], ["a"], ["a a"], ["", "a"], [None, "好"]])
def test_tiny_corpora(smoothing: Smoothing, boundaries: bool, texts: list[str | None]) -> None:
    for order in (1, 3):
        model = tb.LanguageModel(order=order, smoothing=smoothing, boundaries=boundaries).fit(texts)
        for asked in ("", "a", "a a a", "b", "好 a b"):
            assert model.log_prob(asked) <= 1e-12
        assert all(p == p and 0 <= p <= 1.0000001 for p in model.next("a").values())
        assert len(model.sample(3, random_state=0)) == 3


def test_units_of_dense_scripts_are_characters() -> None:
    model = tb.LanguageModel(order=2).fit(["今天天气好", "New  YORK, 今天"])
    assert model.vocabulary_ == ["new", "york", "今", "天", "好", "气"]
    assert [unit for unit, _ in model.unit_log_probs("天气")] == ["天", "气", "</s>"]
    assert tb.LanguageModel(lowercase=False).fit(["New"]).vocabulary_ == ["New"]


def test_samples_are_of_the_model() -> None:
    model = tb.LanguageModel(order=2, smoothing="mle").fit(["a b c", "a c"])
    drawn = model.sample(400, random_state=1)
    assert set(drawn) == {"a b c", "a c"}
    assert 160 < drawn.count("a c") < 240
    assert model.sample(5, context="a b") == ["c"] * 5
    assert model.sample(3, random_state=7) == model.sample(3, random_state=7)
    chain = tb.LanguageModel(order=2, boundaries=False, smoothing="mle").fit(["a b a b a b"])
    assert chain.sample(2, context="a", length=3) == ["b a b"] * 2
    assert len(tb.LanguageModel(unit="char", boundaries=False).fit(["ab"]).sample(1, random_state=0)[0]) == 20


def test_every_form_of_texts(tmp_path: Path) -> None:
    texts = ["a b", None, "b a"]
    frame = pd.DataFrame({"body": texts, "n": [1, 2, 3]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    expected = tb.LanguageModel().fit(texts)
    assert expected.log_probs(texts)[1] == 0.0
    for given_texts in (pd.Series(texts), np.array(texts, object), pa.array(texts), pa.chunked_array([texts])):
        same(tb.LanguageModel().fit(given_texts), expected)
        assert tb.LanguageModel().fit(given_texts).perplexity(given_texts) == expected.perplexity(texts)
    stream = pa.RecordBatchReader.from_batches(
        pa.schema([("text", pa.string())]), [pa.record_batch({"text": pa.array(texts, pa.string())})]
    )
    same(tb.LanguageModel().fit(stream), expected)  # type: ignore[arg-type]
    for table in (frame, tmp_path / "t.csv"):
        model = tb.LanguageModel(text="body").fit(table)
        assert model.log_prob("a b") == expected.log_prob("a b")
        np.testing.assert_array_equal(model.log_probs(table), expected.log_probs(texts))
        same(model.forget(["b a"]), tb.LanguageModel(text="body").fit(frame[:2]))
    assert clone(expected).get_params() == expected.get_params()


@pytest.mark.parametrize(
    ("make", "kind", "said"),
    [
        (lambda: tb.LanguageModel(order=0).fit(["a"]), errors.OptionError, "order=0"),
        (lambda: tb.LanguageModel(order=2.5).fit(["a"]), errors.OptionError, "order=2.5"),
        (lambda: tb.LanguageModel(unit="words").fit(["a"]), errors.OptionError, "Did you mean 'word'"),
        (lambda: tb.LanguageModel(smoothing="kneser").fit(["a"]), errors.OptionError, "kneser-ney"),
        (lambda: tb.LanguageModel(unit="char", analyzer=str.split).fit(["a"]), errors.OptionError, "analyzer"),
        (lambda: tb.LanguageModel(analyzer="words").fit(["a"]), errors.OptionError, "str.split"),
        (lambda: tb.LanguageModel(amount=-1).fit(["a"]), errors.OptionError, "amount"),
        (lambda: tb.LanguageModel().fit("a.txt.unknown"), errors.SourceError, "a.txt"),
        (lambda: tb.LanguageModel().fit(pd.DataFrame({"a": ["x"], "b": ["y"]})), errors.ColumnError, "text="),
        (lambda: tb.LanguageModel().log_prob("a"), errors.NotFittedError, "fit"),
        (lambda: tb.LanguageModel().fit(["a"]).log_prob(3), errors.UnsupportedDataError, "3"),
        (lambda: tb.LanguageModel().fit(["a"]).perplexity("a"), errors.UnsupportedDataError, "list"),
        (lambda: tb.LanguageModel(boundaries=False).fit(["a"]).perplexity([""]), errors.EmptyDataError, "unit"),
        (lambda: tb.LanguageModel().fit(["a"]).sample(-1), errors.OptionError, "n=-1"),
        (lambda: tb.LanguageModel().fit(["a"]).next(top=-1), errors.OptionError, "top=-1"),
        (lambda: tb.LanguageModel().fit(iter(["a"])), errors.UnsupportedDataError, "list"),
        (lambda: tb.LanguageModel().fit([]), errors.EmptyDataError, "at least one"),
    ],
)
def test_mistakes(make: object, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        make()  # type: ignore[operator]


def test_what_an_arpa_file_cannot_hold(tmp_path: Path) -> None:
    for smoothing in ("lidstone", "mle", "stupid-backoff"):
        with pytest.raises(errors.OptionError, match="witten-bell"):
            tb.LanguageModel(smoothing=smoothing).fit(["a"]).to_arpa(tmp_path / "x.arpa")
    (tmp_path / "x.arpa").write_text(ARPA)
    model = tb.LanguageModel.from_arpa(tmp_path / "x.arpa")
    for learn in (model.partial_fit, model.forget):
        with pytest.raises(errors.MergeError, match="ARPA"):
            learn(["a"])
    with pytest.raises(errors.SourceError, match="cannot be read"):
        tb.LanguageModel.from_arpa(tmp_path / "nowhere.arpa")
    assert model.fit(["a b"]).vocabulary_ == ["a", "b"]


def test_a_model_from_an_arpa_file_is_saved(tmp_path: Path) -> None:
    (tmp_path / "x.arpa").write_text(ARPA)
    model_of(TRAIN[:300], order=4).to_arpa(tmp_path / "m.arpa")
    model_of(TRAIN[:300], order=1, boundaries=False).to_arpa(tmp_path / "one.arpa")
    for name in ("x", "m", "one"):
        model = tb.LanguageModel.from_arpa(tmp_path / f"{name}.arpa")
        model.save(tmp_path / "m.tally")
        again = tb.load(tmp_path / "m.tally")
        assert isinstance(again, tb.LanguageModel)
        assert again.get_params() == model.get_params()
        asked = [*ASKED, "a x b a a"]
        np.testing.assert_array_equal(again.log_probs(asked), model.log_probs(asked))
        assert again.next("w1 w2") == model.next("w1 w2")
        assert again.sample(5, random_state=1) == model.sample(5, random_state=1)
        again.to_arpa(tmp_path / "again.arpa")
        model.to_arpa(tmp_path / "before.arpa")
        assert (tmp_path / "again.arpa").read_bytes() == (tmp_path / "before.arpa").read_bytes()
        again.save(tmp_path / "again.tally")
        assert (tmp_path / "again.tally").read_bytes() == (tmp_path / "m.tally").read_bytes()
        with pytest.raises(errors.MergeError, match="ARPA"):
            again.partial_fit(["a"])
        assert pickle.loads(pickle.dumps(again)).log_prob("w1 a") == model.log_prob("w1 a")


def test_the_options_of_a_model_from_an_arpa_file_stay(tmp_path: Path) -> None:
    (tmp_path / "x.arpa").write_text(ARPA)
    for options in ({"smoothing": "mle"}, {"order": 3}, {"lowercase": False}, {"analyzer": None, "unit": "char"}):
        model = tb.LanguageModel.from_arpa(tmp_path / "x.arpa")
        with pytest.raises(errors.OptionError, match="from_arpa again"):
            model.set_params(**options).log_prob("a")


def test_a_callable_that_a_file_cannot_hold_is_given_again(tmp_path: Path) -> None:
    def cut(text: str) -> list[str]:
        return text.split("-")

    model = tb.LanguageModel(analyzer=cut).fit(["a-b-c", "a-b"])
    model.to_arpa(tmp_path / "m.arpa")
    for saved in (model, tb.LanguageModel.from_arpa(tmp_path / "m.arpa", analyzer=cut)):
        saved.save(tmp_path / "m.tally")
        again = tb.load(tmp_path / "m.tally")
        with pytest.raises(errors.OptionError, match=r"set_params\(analyzer="):
            again.log_prob("a-b")
        again.set_params(analyzer=cut)
        assert again.log_prob("a-b") == saved.log_prob("a-b")
    for classifier in (tb.NGramClassifier, tb.TextNB):
        saved = classifier(analyzer=cut).fit(["a-b", "c"], [0, 1])
        saved.save(tmp_path / "m.tally")
        again = tb.load(tmp_path / "m.tally")
        with pytest.raises(errors.OptionError, match=r"set_params\(analyzer="):
            again.predict(["a-b"])
        assert again.set_params(analyzer=cut).predict(["a-b"]).tolist() == [0]


def test_the_commands_are_about_classes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tallybayes.cli import app

    path = str(tmp_path / "l.tally")
    tb.LanguageModel().fit(["a b"]).save(path)
    for arguments in (["inspect", path], ["merge", path, path, "-o", str(tmp_path / "m.tally")]):
        with pytest.raises(SystemExit) as end:
            app(arguments)
        assert end.value.code == 1
        assert "LanguageModel" in capsys.readouterr().err


# A model for each class -------------------------------------------------------------------------------------------


def labelled(seed: int, n: int) -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(seed)
    labels = rng.choice(["x", "y", "z"], n).tolist()
    return [corpus(seed + i, 1, WORDS[20 * "xyz".index(y) :])[0] for i, y in enumerate(labels)], labels


@pytest.mark.parametrize("amount", [1.0, 0.25])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_one_unit_with_lidstone_and_no_boundaries_is_the_multinomial_model(amount: float, weighted: bool) -> None:
    (texts, labels), (asked, _) = labelled(1, 80), labelled(500, 40)
    weights = np.random.default_rng(0).integers(0, 4, 80).astype(float) if weighted else None
    asked += ["never seen w1 never", ""]
    ours = tb.NGramClassifier(order=1, smoothing="lidstone", boundaries=False, amount=amount)
    theirs = tb.TextNB(smoothing=amount)
    for classifier in (ours, theirs):
        classifier.fit(texts, labels, weights)
    np.testing.assert_array_equal(ours.predict_joint_log_proba(asked), theirs.predict_joint_log_proba(asked))
    np.testing.assert_array_equal(ours.predict_proba(asked), theirs.predict_proba(asked))


@every_smoothing
def test_each_class_has_its_model_over_the_vocabulary_of_all(smoothing: Smoothing) -> None:
    texts, labels = labelled(3, 60)
    model = tb.NGramClassifier(order=2, smoothing=smoothing, analyzer=str.split, prior="uniform").fit(texts, labels)
    asked = ["w1 w2 w30", "w50 w21", ""]
    found = model.predict_joint_log_proba(asked)
    vocabulary = {w for text in texts for w in text.split()} | {"</s>"}
    for c, label in enumerate("xyz"):
        reference = Reference([t.split() for t, y in zip(texts, labels, strict=True) if y == label], 2, smoothing, True)
        reference.vocabulary = vocabulary
        expected = [math.log(1 / 3) + sum(reference.log_probs(text.split())) for text in asked]
        assert found[:, c].tolist() == pytest.approx(expected, rel=1e-10)


def test_the_classifier_learns_on_and_is_saved(tmp_path: Path) -> None:
    (texts, labels), (asked, _) = labelled(7, 60), labelled(900, 20)
    whole = tb.NGramClassifier().fit(texts, labels)
    part = tb.NGramClassifier().fit(texts[:30], labels[:30])
    same(part + tb.NGramClassifier().fit(texts[30:], labels[30:]), whole)  # type: ignore[arg-type]
    grown = clone(part).fit(texts[:30], labels[:30]).partial_fit(texts[30:], labels[30:])
    np.testing.assert_array_equal(grown.predict_proba(asked), whole.predict_proba(asked))
    same(grown.forget(texts[30:], labels[30:]), part)  # type: ignore[arg-type]
    whole.save(tmp_path / "c.tally")
    np.testing.assert_array_equal(tb.load(tmp_path / "c.tally").predict_proba(asked), whole.predict_proba(asked))
    found = whole.explain(asked)
    logs = np.sort(whole.predict_log_proba(asked))
    np.testing.assert_allclose(found.log_odds, logs[:, -1] - logs[:, -2], atol=1e-9)
    assert whole.predict_proba([None])[0] == pytest.approx([labels.count(c) / 60 for c in "xyz"])


@every_smoothing
@with_or_without
def test_a_class_that_no_text_has_knows_nothing(smoothing: Smoothing, boundaries: bool) -> None:
    model = tb.NGramClassifier(order=2, smoothing=smoothing, boundaries=boundaries, prior="uniform")
    found = model.partial_fit(["a b", "c"], ["x", "y"], classes=["x", "y", "z"]).predict_joint_log_proba(["a b", "zz"])
    units = 3 + boundaries
    each = {"lidstone": 1 / units, "mle": 0.0, "stupid-backoff": 0.4 / (units + 1)}.get(smoothing, 1 / (units + 1))
    if smoothing == "stupid-backoff":  # each step to a shorter context, the first of a chain having none
        expected = [1 / 3 * each ** (2 + boundaries) * 0.4 ** (1 + 2 * boundaries)]
        expected += [1 / 3 * each ** (1 + boundaries) * 0.4 ** (2 * boundaries)]
    else:
        expected = [1 / 3 * each ** (2 + boundaries), 1 / 3 * each ** (1 + boundaries)]
    np.testing.assert_allclose(np.exp(found[:, 2]), expected, rtol=1e-12)


def test_nothing_is_left_when_everything_is_forgotten() -> None:
    model = tb.LanguageModel().fit(["a b"]).forget(["a b"])
    assert (model.vocabulary_, model.next("a")) == ([], {"</s>": 0.5, "<unk>": 0.5})
    assert math.exp(model.log_prob("a b")) == pytest.approx(1 / 8)
    assert model.partial_fit(["c d"]).log_prob("c d") == tb.LanguageModel().fit(["c d"]).log_prob("c d")


def test_what_the_classifier_refuses() -> None:
    with pytest.raises(errors.WeightError, match="whole"):
        tb.NGramClassifier().fit(["a", "b"], [0, 1], [0.5, 1.0])
    with pytest.raises(errors.NotAJointError, match="stupid"):
        tb.BayesDecision(tb.NGramClassifier(smoothing="stupid-backoff").fit(["a", "b"], [0, 1])).predict(["a"])
    with pytest.raises(errors.UnsupportedDataError, match="LanguageModel"):
        tb.NGramClassifier().fit(["a", "b"], [0, 1]).sample()
