"""One shared pool of threads over blocks of rows: kernels run without the interpreter lock."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from tallybayes.errors import OptionError

A = TypeVar("A")
B = TypeVar("B")

_pool: ThreadPoolExecutor | None = None


def workers() -> int:
    """Return how many threads work: ``TALLYBAYES_THREADS``, or as many as the process may use."""
    asked = os.environ.get("TALLYBAYES_THREADS")
    if asked:
        if not asked.isdigit() or int(asked) < 1:
            raise OptionError(f"TALLYBAYES_THREADS={asked!r} should be a number of threads, 1 or more.")
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _shared_pool() -> ThreadPoolExecutor:
    global _pool  # noqa: PLW0603 - one pool for the whole process is the point
    size = workers()
    if _pool is None or _pool._max_workers != size:
        _pool = ThreadPoolExecutor(size, thread_name_prefix="tallybayes")
    return _pool


def _forget_pool() -> None:
    global _pool  # noqa: PLW0603
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)  # a forked child has none of its parent's threads


def in_order(function: Callable[[A], B], items: Iterable[A]) -> Iterator[B]:
    """Yield ``function(item)`` in the order of the items, computed side by side, a few items ahead.

    The results do not depend on the number of threads, and neither does their order; a stream is never read
    further ahead than the threads can work on.
    """
    iterator = iter(items)
    head = list(islice(iterator, 2))
    if len(head) < 2 or workers() == 1:
        yield from map(function, head)
        yield from map(function, iterator)
        return
    pool = _shared_pool()
    waiting: deque[Future[B]] = deque(pool.submit(function, item) for item in head)
    try:
        for item in islice(iterator, workers() - 1):
            waiting.append(pool.submit(function, item))
        for item in iterator:
            yield waiting.popleft().result()
            waiting.append(pool.submit(function, item))
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
