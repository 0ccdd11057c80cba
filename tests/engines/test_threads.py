from __future__ import annotations

import os
import threading
import time

import numpy as np
import pytest

import tallybayes as tb
from tallybayes.engines.threads import in_order, workers
from tallybayes.errors import OptionError
from tallybayes.sources import base

THREADS = [1, 2, 3, 7]


@pytest.fixture
def threads(monkeypatch):
    return lambda n: monkeypatch.setenv("TALLYBAYES_THREADS", str(n))


@pytest.mark.parametrize("n", THREADS)
def test_results_come_in_the_order_of_the_items(threads, n):
    threads(n)

    def slow_at_first(i):
        time.sleep(0.02 if i == 0 else 0.0)
        return i * i

    assert list(in_order(slow_at_first, iter(range(50)))) == [i * i for i in range(50)]


def test_as_many_work_at_once_as_were_asked_for(threads):
    threads(3)
    meeting = threading.Barrier(3, timeout=10)
    assert list(in_order(lambda i: meeting.wait() >= 0, range(3))) == [True] * 3


@pytest.mark.parametrize("items", [[], [1]])
def test_few_items_need_no_threads(threads, items):
    threads(4)
    here = threading.get_ident()
    assert list(in_order(lambda _: threading.get_ident(), items)) == [here] * len(items)


@pytest.mark.parametrize("n", [1, 4])
def test_a_stream_is_not_read_far_ahead(threads, n):
    threads(n)
    read = []

    def stream():
        for i in range(1000):
            read.append(i)
            yield i

    results = in_order(lambda i: i, stream())
    for k in range(20):
        assert next(results) == k
        assert len(read) <= k + 2 + 2 * n
    results.close()
    assert len(read) < 50


@pytest.mark.parametrize("n", [1, 4])
def test_an_error_comes_at_its_place_and_stops_the_reading(threads, n):
    threads(n)
    read = []

    def stream():
        for i in range(1000):
            read.append(i)
            yield i

    def third(i):
        if i == 3:
            raise ZeroDivisionError("three")
        return i

    results = in_order(third, stream())
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ZeroDivisionError, match="three"):
        next(results)
    assert len(read) < 20


@pytest.mark.parametrize("asked", ["0", "-1", "two", "1.5"])
def test_a_number_of_threads_that_is_none(monkeypatch, asked):
    monkeypatch.setenv("TALLYBAYES_THREADS", asked)
    with pytest.raises(OptionError, match="TALLYBAYES_THREADS"):
        workers()


def test_without_a_wish_every_allowed_core_works(monkeypatch):
    monkeypatch.delenv("TALLYBAYES_THREADS", raising=False)
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert workers() == allowed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_has_threads_of_its_own(threads):
    threads(2)
    assert sum(in_order(lambda i: i, range(10))) == 45  # the parent has a pool now
    child = os.fork()
    if child == 0:
        os._exit(0 if sum(in_order(lambda i: i, range(10))) == 45 else 1)
    for _ in range(500):
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            break
        time.sleep(0.02)
    else:
        os.kill(child, 9)
        os.waitpid(child, 0)
        pytest.fail("the child waits for threads that only its parent has")
    assert os.waitstatus_to_exitcode(status) == 0


ESTIMATORS = {
    "gaussian": tb.GaussianNB,
    "kernel": tb.KernelNB,
    "histogram": lambda: tb.NaiveBayes(numeric="histogram"),
    "multinomial": tb.MultinomialNB,
    "bernoulli": lambda: tb.BernoulliNB(smoothing="sparse"),
    "complement": tb.ComplementNB,
    "categorical": tb.CategoricalNB,
    "mixed": lambda: tb.NaiveBayes(columns={0: "categorical", 1: "count"}, missing="category"),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_any_number_of_threads_gives_the_same_bits(threads, monkeypatch, name):
    monkeypatch.setattr(base, "CHUNK_ROWS", 300)
    rng = np.random.default_rng(2)
    counting = name not in ("gaussian", "kernel", "histogram")
    X = rng.poisson(2.0, (4000, 5)).astype(float) if counting else rng.normal(size=(4000, 5))
    y, weights = rng.choice(["a", "b", "c"], 4000), rng.uniform(0.1, 2.0, 4000)
    X[rng.random(X.shape) < 0.05] = np.nan
    answers = []
    for n in THREADS:
        threads(n)
        model = ESTIMATORS[name]().fit(X, y, sample_weight=weights)
        states = {key: tally.state().arrays for key, tally in model.tallies_.items()}
        answers.append((states, model.predict_joint_log_proba(X), model.predict_proba(X)))
    for states, joint, posterior in answers[1:]:
        np.testing.assert_array_equal(joint, answers[0][1])
        np.testing.assert_array_equal(posterior, answers[0][2])
        for key, arrays in states.items():
            for part, array in arrays.items():
                np.testing.assert_array_equal(array, answers[0][0][key][part], err_msg=f"{key} {part}")
