"""Language models from their definitions, with dicts: slow, and on purpose nothing like the library's code.

Every probability is computed from the sentences when it is asked for.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

BOS, EOS, UNK = "<s>", "</s>", "<unk>"


class Reference:
    """Interpolated language models over tokenised sentences; an n-gram is a tuple of tokens."""

    def __init__(
        self, sentences: Sequence[Sequence[str]], order: int, smoothing: str, boundaries: bool, s: float = 1.0
    ):
        self.order, self.smoothing, self.boundaries, self.s = order, smoothing, boundaries, s
        self.raw: Counter[tuple[str, ...]] = Counter()
        self.before: dict[tuple[str, ...], set[str]] = defaultdict(set)
        self.vocabulary = {w for sentence in sentences for w in sentence} | ({EOS} if boundaries else set())
        for sentence in sentences:
            padded = [BOS, *sentence, EOS] if boundaries else list(sentence)
            for end in range(1, len(padded) + 1):
                for k in range(1, order + 1):
                    if end - k < 0 or padded[end - 1] == BOS:
                        continue
                    gram = tuple(padded[end - k : end])
                    self.raw[gram] += 1
                    if end - k > 0:
                        self.before[gram].add(padded[end - k - 1])
                    elif not boundaries:
                        self.before[gram].add("the beginning, which is not marked")
        self.after: dict[tuple[str, ...], list[tuple[str, ...]]] = defaultdict(list)
        for gram in self.raw:
            self.after[gram[:-1]].append(gram)
        self.d = {k: self.discounts(k) for k in range(1, order + 1)}

    def count(self, gram: tuple[str, ...]) -> int:
        """Return the count that the method goes by."""
        if self.smoothing == "kneser-ney" and len(gram) < self.order and gram[0] != BOS:
            return len(self.before[gram])
        return self.raw[gram]

    def discounts(self, k: int) -> list[float]:
        n = Counter(self.count(gram) for gram in self.raw if len(gram) == k)
        if self.smoothing == "absolute":
            d = n[1] / (n[1] + 2 * n[2]) if n[1] and n[2] else 0.5
            return [0.0, d, d, d]
        if not all(n[i] for i in (1, 2, 3, 4)):
            return [0.0, 0.5, 1.0, 1.5]
        y = n[1] / (n[1] + 2 * n[2])
        d = [0.0, 1 - 2 * y * n[2] / n[1], 2 - 3 * y * n[3] / n[2], 3 - 4 * y * n[4] / n[3]]
        return d if all(0 < d[i] <= i for i in (1, 2, 3)) else [0.0, 0.5, 1.0, 1.5]

    def prob(self, word: str, context: tuple[str, ...]) -> float:
        """Return P(word | context); the context is what stands before, or a part of it."""
        context = context[len(context) - min(len(context), self.order - 1) :]
        followers = [self.count(gram) for gram in self.after[context]]
        total = sum(followers)
        own = self.count((*context, word)) if (*context, word) in self.raw else 0
        if self.smoothing == "lidstone":
            return (own + self.s) / (total + self.s * len(self.vocabulary))
        if self.smoothing == "mle":
            if total == 0:
                return self.prob(word, context[1:]) if context else 0.0
            return own / total
        if self.smoothing == "stupid-backoff":
            if own:
                return own / total
            return 0.4 * (self.prob(word, context[1:]) if context else 1 / (len(self.vocabulary) + 1))
        shorter = self.prob(word, context[1:]) if context else 1 / (len(self.vocabulary) + 1)
        if total == 0:
            return shorter
        if self.smoothing == "witten-bell":
            return (own + len(followers) * shorter) / (total + len(followers))
        d = self.d[len(context) + 1]
        rest = sum(d[min(c, 3)] for c in followers)
        return (own - d[min(own, 3)] + rest * shorter) / total

    def log_probs(self, sentence: Sequence[str]) -> list[float]:
        known = [w if w in self.vocabulary and w != EOS else UNK for w in sentence]
        padded = [BOS, *known, EOS] if self.boundaries else known
        begin = 1 if self.boundaries else 0
        probs = [self.prob(padded[i], tuple(padded[:i])) for i in range(begin, len(padded))]
        return [math.log(p) if p else -math.inf for p in probs]
