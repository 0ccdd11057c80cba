"""A spam filter in daily use: thousands of messages one at a time, mistakes corrected and lessons taken back."""

from __future__ import annotations

import random

import numpy as np
import pytest

import tallybayes as tb

SYLLABLES = ["ka", "lo", "mi", "ter", "van", "su", "ne", "pri", "dox", "el", "bo", "gra", "shi", "um"]
CHINESE = ["便宜", "发票", "代开", "午饭", "会议", "明天见", "附件", "中奖", "账户", "周末", "你好", "谢谢"]
MESSAGES = 5000


def mailbox(rng: random.Random) -> list[tuple[str, str]]:
    """Return made-up messages with their classes: many words, some of them Chinese, more or less often in spam."""
    made = ("".join(rng.choices(SYLLABLES, k=rng.randint(1, 4))) for _ in range(1200))
    words = list(dict.fromkeys(made)) + CHINESE
    rng.shuffle(words)
    labels = rng.choices(["spam", "ham"], [2, 3], k=MESSAGES)
    frequent = {"spam": [1.0 / (1 + k) for k in range(len(words))]}
    frequent["ham"] = frequent["spam"][::-1]
    return [(" ".join(rng.choices(words, frequent[label], k=rng.randint(0, 40))), label) for label in labels]


@pytest.mark.parametrize(
    "model",
    [
        tb.TextNB(html="skip", urls="mark"),
        pytest.param(tb.TextNB(ngrams=(1, 2), event="bernoulli"), marks=pytest.mark.slow),
    ],
)
def test_one_at_a_time_with_corrections_is_one_fit(model: tb.TextNB) -> None:
    rng = random.Random(20261119)
    messages = mailbox(rng)
    assert len({word for text, _ in messages for word in text.split()}) > 500
    other = {"spam": "ham", "ham": "spam"}
    wrong: list[int] = []  # learned as the other class, and not corrected yet
    kept: dict[int, str] = {}
    for k, (text, label) in enumerate(messages):
        said = other[label] if rng.random() < 0.1 else label
        model.partial_fit([text], [said], classes=["ham", "spam"] if k == 0 else None)
        kept[k] = said
        if said != label:
            wrong.append(k)
        if wrong and rng.random() < 0.15:  # the user finds one of them
            found = wrong.pop(rng.randrange(len(wrong)))
            model.forget([messages[found][0]], [kept[found]])
            model.partial_fit([messages[found][0]], [messages[found][1]])
            kept[found] = messages[found][1]
        elif rng.random() < 0.05:  # or wants a message of any day to be forgotten
            gone = rng.choice(list(kept))
            model.forget([messages[gone][0]], [kept.pop(gone)])
            wrong = [place for place in wrong if place != gone]
    assert 4000 < len(kept) < MESSAGES
    assert sum(kept[k] == messages[k][1] for k in kept) > 0.95 * len(kept)

    texts, labels = [messages[k][0] for k in kept], list(kept.values())
    whole = tb.TextNB(**model.get_params()).fit(texts, labels)
    ours, theirs = model.tallies_["text"], whole.tallies_["text"]
    assert ours.terms() == theirs.terms()
    for mine, yours in zip(ours.counted, theirs.counted, strict=True):
        assert mine.dtype == yours.dtype
        np.testing.assert_array_equal(mine, yours)
    np.testing.assert_array_equal(ours.n_rows, theirs.n_rows)
    assert model.classes_.tolist() == whole.classes_.tolist() == ["ham", "spam"]
    asked = [text for text, _ in messages[::10]] + ["", "never seen before", "发票 午饭"]
    np.testing.assert_array_equal(model.predict_proba(asked), whole.predict_proba(asked))
    assert model.score([text for text, _ in messages], [label for _, label in messages]) > 0.9
