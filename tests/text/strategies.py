"""Texts that are hard to cut."""

from __future__ import annotations

from hypothesis import strategies as st

from tallybayes.text.analyzer import Analyzer

ODD = (
    "aZ09 _'’-.,\n\t\0\x7f\xa0ßÄéİıſKΣςσǅﬁﬃẞ²½Ⅷ٣๓一好你々〇ーがカｶﾞ゙ไทยที่ລາວខ្មែរမြန်မာ한글가ᄀ"
    "\u0301\u0307\u0345\u0331\u200b\u200c\u200d\ufeff\u00ad\ufe0f\u20e3\u3164\ufffd😀👍🏽❤★©™→‿＿＇（，。𝔘𠀀\U000e0101\U0010ffff\u0378"
)
TEXTS = st.text(st.sampled_from(ODD) | st.characters(exclude_categories=["Cs"]), max_size=40)

UTF8_ODD = (
    b"\xc0\x80",
    b"\xe0\x80\x80",
    b"\xed\xa0\x80",
    b"\xf4\x90\x80\x80",
    b"\xf8",
    b"\xe4\xbd",
    b"\xf0\x9f",
    b"\x80",
)
CHUNKS = TEXTS.map(str.encode) | st.sampled_from(UTF8_ODD) | st.binary(max_size=6)
BYTES = st.binary(max_size=60) | st.lists(CHUNKS, max_size=8).map(b"".join)
"""Bytes that are mostly text, and bytes that are not."""

ANALYZERS = (
    Analyzer(),
    Analyzer(ngrams=(2, 3), lowercase=False),
    Analyzer(strip_accents=True, stop_words=["a", "好", "한글"]),
    Analyzer(html="mark", urls="mark", numbers="mark"),
    Analyzer(html="skip", urls="skip", numbers="skip", ngrams=(1, 2)),
    Analyzer(analyzer="char", ngrams=(1, 3)),
    Analyzer(analyzer="char_wb", ngrams=(2, 4), strip_accents=True),
    Analyzer(analyzer=list, ngrams=(1, 2)),
)
