"""Words of many languages, one by one."""

from __future__ import annotations

import pytest

from tallybayes.text.analyzer import Analyzer

WORD = Analyzer()


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        ("  ,.!  ", []),
        ("I am a cat, 7 of 9!", ["i", "am", "a", "cat", "7", "of", "9"]),
        ("don't", ["don't"]),
        ("don’t DON＇T", ["don't", "don't"]),
        ("'tis the cats' 'best'", ["tis", "the", "cats", "best"]),
        ("rock'n'roll 5'6 o'5 5'o", ["rock'n'roll", "5", "6", "o", "5", "5", "o"]),
        ("state-of-the-art e.g. x@y.org", ["state", "of", "the", "art", "e", "g", "x", "y", "org"]),
        ("_snake_case_ a__b x_1 ___", ["snake_case", "a", "b", "x_1"]),
        ("3.14 1,000 2nd mp3 m²", ["3", "14", "1", "000", "2nd", "mp3", "m²"]),
        ("one\0two\x1bthree\x7ffour", ["one", "two", "three", "four"]),
        ("Straße STRASSE ẞ", ["strasse", "strasse", "ss"]),
        ("Élève ÉLÈVE l'été", ["élève", "élève", "l'été"]),
        ("İstanbul ISPARTA ılık", ["i̇stanbul", "isparta", "ılık"]),
        ("ΟΔΟΣ οδος ὈΔΥΣΣΕΎΣ", ["οδοσ", "οδοσ", "ὀδυσσεύσ"]),
        ("Привет, МИР", ["привет", "мир"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("السَّلام می‌خواهم", ["السَّلام", "میخواهم"]),
        ("שָׁלוֹם", ["שָׁלוֹם"]),
        ("안녕하세요 세계", ["안녕하세요", "세계"]),
        ("天气好", ["天", "天气", "气", "气好", "好"]),
        ("天气,好", ["天", "天气", "气", "好"]),
        ("好 好", ["好", "好"]),
        ("猫です", ["猫", "猫で", "で", "です", "す"]),
        ("コーヒー", ["コ", "コー", "ー", "ーヒ", "ヒ", "ヒー", "ー"]),
        ("か\u3099き", ["か\u3099", "か\u3099き", "き"]),
        ("ｶﾞ", ["ｶﾞ"]),
        ("人々〇", ["人", "人々", "々", "々〇", "〇"]),
        ("ที่นี่", ["ที่", "ที่นี่", "นี่"]),
        ("ລາວ", ["ລ", "ລາ", "າ", "າວ", "ວ"]),
        ("ខ្មែរ", ["ខ្", "ខ្មែ", "មែ", "មែរ", "រ"]),
        ("มี ๓ ๑๒", ["มี", "๓", "๑๒"]),
        ("我用Python3写码", ["我", "我用", "用", "python3", "写", "写码", "码"]),
        ("2024年3月", ["2024", "年", "3", "月"]),
        ("𠀀𠀁", ["𠀀", "𠀀𠀁", "𠀁"]),
        ("葛\U000e0100城", ["葛", "葛城", "城"]),
        ("great👍🏽👍!", ["great", "👍", "👍"]),
        ("I ❤️ U ★★☆ ©™→", ["i", "❤", "u", "★", "★", "☆"]),
        ("👩\u200d💻 1️⃣", ["👩", "💻", "1"]),
        ("co\u00adoperate zero\u200bwidth \ufeffbom", ["cooperate", "zero", "width", "bom"]),
        ("e\u0301 \u0301x ̈", ["e\u0301", "x"]),
        ("𝔘𝔫𝔦 ½ Ⅷ ①", ["𝔘𝔫𝔦", "½", "ⅷ", "①"]),
        ("a\ue000b\u0378c\ufffdd", ["a", "b", "c", "d"]),
    ],
)
def test_words(text, terms):
    assert WORD.terms(text) == terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Élève naïve Ñandú", ["eleve", "naive", "nandu"]),
        ("e\u0301 \u0301x", ["e", "x"]),
        ("İstanbul", ["istanbul"]),
        ("Ђ й ё ΐ", ["ђ", "и", "е", "ι"]),
        ("ﬁn ＡＢＣ１ ℌ m² ½", ["fin", "abc1", "h", "m2", "½"]),
        ("السَّلام שָׁלוֹם", ["السلام", "שלום"]),
        ("が ｶﾞ ที่ नमस्ते 한글", ["が", "カ\u3099", "ที่", "नमस्ते", "한글"]),
        ("Straße ø", ["strasse", "ø"]),
    ],
)
def test_words_without_accents(text, terms):
    assert Analyzer(strip_accents=True).terms(text) == terms


def test_case_can_be_kept():
    assert Analyzer(lowercase=False).terms("Straße İ don’t ΣΑΣ") == ["Straße", "İ", "don't", "ΣΑΣ"]
    assert Analyzer(lowercase=False, strip_accents=True).terms("Été ＡＢ") == ["Ete", "AB"]


def test_surrogates_and_broken_bytes_separate():
    assert WORD.terms("a\ud800b") == ["a", "b"]
    assert WORD.terms(b"a\xffb\xc3\xa9\xc3 c\xe5\xa5") == ["a", "bé", "c"]
    assert (
        WORD.terms(b"\xc1\x81 \xe0\x81\x81 \xf0\x80\x81\x81 \xed\xa0\x80 \xf4\x90\x80\x80 \xf8\x88\x80\x80\x80") == []
    )


@pytest.mark.parametrize(
    ("text", "marked", "skipped"),
    [
        ("<b>Win</b> <IMG src='x'>now", ["<b>", "win", "<img>", "now"], ["win", "now"]),
        ("a<!-- hidden <b> -->b", ["a", "b"], ["a", "b"]),
        ("a<!-- no end <b>", ["a"], ["a"]),
        ("<script>var x</script>y<style>p{}</STYLE >z", ["<script>", "y", "<style>", "z"], ["y", "z"]),
        ("<scripts>x <script>never", ["<scripts>", "x", "<script>"], ["x"]),
        (
            "a &lt; b&nbsp;c &#233;d &bad e&;f",
            ["a", "b", "c", "d", "bad", "e", "f"],
            ["a", "b", "c", "d", "bad", "e", "f"],
        ),
        ("1 < 2 <a <b> c> x<", ["1", "2", "a", "<b>", "c", "x"], ["1", "2", "a", "c", "x"]),
        ("<!DOCTYPE html><?xml v?></p>好", ["好"], ["好"]),
        ("<h1>x", ["<h1>", "x"], ["x"]),
    ],
)
def test_html(text, marked, skipped):
    assert Analyzer(html="mark").terms(text) == marked
    assert Analyzer(html="skip").terms(text) == skipped


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("see http://x.org/a?b=c#d.", ["see", "<url>"]),
        ("HTTPS://X.ORG, www.x.org! ftp://x", ["<url>", "<url>", "<url>"]),
        ("(http://x.org/)好", ["<url>", "好"]),
        ("看http://t.cn/ab好", ["看", "<url>", "好"]),
        ("http:// www. httpx://y xhttp://z", ["http", "www", "httpx", "y", "xhttp", "z"]),
        ('<a href="http://x.org">', ["a", "href", "<url>"]),
        ("http://...", ["http"]),
    ],
)
def test_urls(text, marked):
    assert Analyzer(urls="mark").terms(text) == marked
    assert Analyzer(urls="skip").terms(text) == [term for term in marked if term != "<url>"]


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("7 3.14 1,000,000 2.", ["<number>"] * 4),
        ("2nd mp3 x7 7_8 3.5kg", ["2nd", "mp3", "x7", "7_8", "<number>", "kg"]),
        ("٣٤ ๓ 7٣", ["<number>"] * 3),
        ("7é é7 7\u0301 7’é", ["7é", "é7", "7\u0301", "<number>", "é"]),
        ("3月 1.2.3", ["<number>", "月", "<number>"]),
    ],
)
def test_numbers(text, marked):
    assert Analyzer(numbers="mark").terms(text) == marked
    assert Analyzer(numbers="skip").terms(text) == [term for term in marked if term != "<number>"]
