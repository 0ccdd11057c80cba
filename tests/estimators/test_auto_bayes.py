"""AutoBayes: exact scores, folds, what is chosen and kept."""

from __future__ import annotations

import copy
import warnings

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

import tallybayes as tb
from tallybayes.errors import MergeError, OptionError
from tallybayes.learn.folds import fold_numbers

VALUES = {"a": ["x", "y", "z"], "b": ["p", "q"], "c": ["m", "n", "o"]}


def table(n, seed=0, *, numbers=True, holes=0.0, together=0.8):
    """Rows of which a and b say the class together; where they say less, the tree is a - b - c without any row, too."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 3, n)
    b = np.where(rng.random(n) < 0.7, a % 2, rng.integers(0, 2, n))
    c = np.where(rng.random(n) < 0.7, b, rng.integers(0, 3, n))
    y = np.where(rng.random(n) < together, (a + b) % 2, rng.integers(0, 2, n))
    columns = {name: [VALUES[name][i] for i in codes] for name, codes in (("a", a), ("b", b), ("c", c))}
    if numbers:
        columns["u"] = (y + rng.normal(size=n)).tolist()
        columns["v"] = (a + 0.5 * rng.normal(size=n)).tolist()
    for column in columns.values():
        for i in np.flatnonzero(rng.random(n) < holes):
            column[i] = None
    return pa.table(columns), np.array(["no", "yes"])[y]


def losses_without_each_row(model, X, y):
    """What each row costs by the model that has forgotten it; edges, choices and declared values are kept."""
    log_losses, wrong = [], []
    for i in range(len(y)):
        row, label = X.slice(i, 1), y[i : i + 1]
        others = copy.copy(model).forget(row, label)
        if isinstance(model.best_, tb.TAN):  # what it derives from counts has to be the same
            assert others.network().edges == model.network().edges
        posterior = others.predict_proba(row)[0]
        own = list(model.classes_).index(label[0])
        log_losses.append(-np.log(posterior[own]))
        wrong.append(float(posterior.argmax() != own))
    return np.array(log_losses), np.array(wrong)


EXACT = [
    tb.NaiveBayes(numeric="gaussian"),
    tb.NaiveBayes(numeric="bins", smoothing=0.5),
    tb.SPODE(superparent="a"),
    tb.SPODE(),
    tb.SPODE(superparent="b", numeric="gaussian"),
    tb.TAN(),
    tb.TAN(numeric="gaussian"),
    tb.AODE(),
    tb.AODE(min_count=1, weighting=None),
    tb.AODE(order=2, min_count=5),
    tb.KDB(k=2, select=False, smoothing=1.0),
    tb.KDB(k=2, smoothing=1.0),
]


@pytest.mark.parametrize("candidate", EXACT, ids=repr)
@pytest.mark.parametrize("holes", [0.0, 0.1])
def test_scores_are_those_of_learning_all_other_rows(candidate, holes):
    numeric = getattr(candidate, "numeric", "bins")
    tree = isinstance(candidate, tb.TAN)
    n = 200 if tree else 80
    X, y = table(n, holes=holes, numbers=numeric == "gaussian" or not tree, together=0.2 if tree else 0.8)
    edges = {"u": [-0.5, 0.5, 1.5], "v": [0.5, 1.5]} if "u" in X.column_names else "mdlp"
    model = tb.AutoBayes(
        candidates=[candidate], columns=VALUES, folds=0, discretize=edges if numeric == "bins" else "mdlp"
    ).fit(X, y)
    lines = model.leaderboard_.lines
    line = next(line for line in lines if line.log_loss == min(one.log_loss for one in lines))
    log_losses, wrong = losses_without_each_row(model, X, y)
    assert line.log_loss == pytest.approx(log_losses.mean(), abs=1e-9)
    assert line.log_loss_error == pytest.approx(log_losses.std(ddof=1) / np.sqrt(n), abs=1e-9)
    assert line.zero_one_loss == pytest.approx(wrong.mean())
    assert line.zero_one_loss_error == pytest.approx(wrong.std(ddof=1) / np.sqrt(n))


@pytest.mark.parametrize("candidate", [tb.NaiveBayes(), tb.SPODE(superparent="a"), tb.AODE(min_count=1)], ids=repr)
def test_rows_weigh_as_they_were_learned(candidate):
    X, y = table(60, holes=0.1)
    weights = np.random.default_rng(2).choice([0.0, 0.5, 1.0, 2.0], 60)
    model = tb.AutoBayes(candidates=[candidate], columns=VALUES, folds=0, discretize={"u": [0.0, 1.0], "v": [1.0]})
    line = model.fit(X, y, weights).leaderboard_.best
    losses = np.zeros(60)
    for i in np.flatnonzero(weights):
        row, label = X.slice(i, 1), y[i : i + 1]
        others = copy.copy(model).forget(row, label, weights[i : i + 1])
        losses[i] = -np.log(others.predict_proba(row)[0, int(label[0] == "yes")])
    mean = (weights * losses).sum() / weights.sum()
    n = np.count_nonzero(weights)
    error = np.sqrt(n / (n - 1) * (weights**2 * (losses - mean) ** 2).sum()) / weights.sum()
    assert line.log_loss == pytest.approx(mean, abs=1e-9)
    assert line.log_loss_error == pytest.approx(error, abs=1e-9)


def test_each_candidate_gets_what_it_gets_alone():
    X, y = table(200, holes=0.05)
    every = tb.AutoBayes(folds=0).fit(X, y).leaderboard_
    assert len(every) >= 15
    for name in ("naive", "spode", "tan", "aode", "kdb", "a2de"):
        alone = tb.AutoBayes(candidates=[name], folds=0).fit(X, y).leaderboard_
        for line in alone.lines:
            assert line in every.lines


def test_lines_are_sorted_and_the_best_of_all_rows_wins_without_folds():
    X, y = table(200)
    board = tb.AutoBayes(folds=0).fit(X, y).leaderboard_
    losses = [line.log_loss for line in board.lines]
    assert losses == sorted(losses)
    assert board.winner == 0
    assert board.folds == 0
    assert (board.rows, board.scored) == (200, 200)


@pytest.mark.parametrize(
    "candidate", [tb.TAN(), tb.SPODE(), tb.KDB(k=0), tb.KDB(k=2, select=False), tb.NaiveBayes(numeric="bins")], ids=repr
)
def test_folds_are_learned_with_everything_chosen_again(candidate):
    X, y = table(150, seed=3)
    other = tb.NaiveBayes()  # so that there is something to compare
    model = tb.AutoBayes(candidates=[candidate, other], folds=4, random_state=7).fit(X, y)
    line = next(line for line in model.leaderboard_.lines if line.name != "NaiveBayes")
    numbers = fold_numbers((y == "yes").astype(int), 4, seed=7)
    losses = np.zeros(150)
    for fold in range(4):
        own = numbers == fold
        fitted = clone(candidate).fit(X.filter(~own), y[~own])
        posterior = fitted.predict_proba(X.filter(own))
        losses[own] = -np.log(posterior[np.arange(own.sum()), np.searchsorted(fitted.classes_, y[own])])
    assert line.fold_log_loss == pytest.approx(losses.mean(), abs=1e-12)
    assert line.fold_log_loss_error == pytest.approx(losses.std(ddof=1) / np.sqrt(150), abs=1e-12)


def test_the_winner_is_the_best_in_folds():
    X, y = table(150, seed=5)
    board = tb.AutoBayes().fit(X, y).leaderboard_
    leaders = [line for line in board.lines if not np.isnan(line.fold_log_loss)]
    assert {line.family for line in leaders} == {line.family for line in board.lines}
    assert len({line.family for line in leaders}) == len(leaders) >= 10
    assert board.best.fold_log_loss == min(line.fold_log_loss for line in leaders)


def test_folds_have_as_much_of_each_class():
    codes = np.repeat([0, 1, 2, -1], [50, 7, 1, 3])
    numbers = fold_numbers(codes, 5)
    assert np.bincount(numbers[:50]).tolist() == [10] * 5
    assert sorted(np.bincount(numbers[50:57], minlength=5).tolist()) == [1, 1, 1, 2, 2]
    assert (numbers[57:] == -1).all()
    some = fold_numbers(codes, 5, most=20)
    assert (some >= -1).sum() == 20
    assert (some == -2).sum() == 41


def test_the_winner_answers():
    X, y = table(200, holes=0.05)
    model = tb.AutoBayes().fit(X, y)
    best = model.best_
    assert type(best).__name__ in ("KDB", "AODE", "TAN", "SPODE", "NaiveBayes")
    alone = clone(best).fit(X, y)
    for own in (best, alone) if not isinstance(best, tb.KDB) else (best,):
        assert np.array_equal(model.predict_proba(X), own.predict_proba(X))
    assert model.network().edges == getattr(best, "network", model.network)().edges
    assert model.score(X, y) == best.score(X, y)


@pytest.mark.parametrize("candidate", ["naive", "spode", "tan", "aode", "kdb", "a2de"])
def test_what_was_chosen_is_kept(candidate, tmp_path):
    X, y = table(200)
    model = tb.AutoBayes(candidates=[candidate], folds=0).fit(X, y)
    more, labels = table(80, seed=9)
    before = model.predict_proba(more)
    kept = copy.deepcopy(model).partial_fit(more, labels)
    assert repr(kept.best_) == repr(model.best_)
    assert str(kept.leaderboard_) == str(model.leaderboard_)
    assert not np.array_equal(kept.predict_proba(more), before)
    other = copy.deepcopy(model).forget(X, y).partial_fit(more, labels)
    assert np.allclose((model + other).predict_proba(more), kept.predict_proba(more), atol=1e-12)
    assert np.allclose(kept.forget(more, labels).predict_proba(more), before, atol=1e-12)
    model.save(tmp_path / "auto.tally")
    again = tb.load(tmp_path / "auto.tally")
    assert np.array_equal(again.predict_proba(more), before)
    assert str(again.leaderboard_) == str(model.leaderboard_)
    assert again.leaderboard_.to_dict() == model.leaderboard_.to_dict()
    assert np.allclose(
        again.partial_fit(more, labels).predict_proba(X), kept.partial_fit(more, labels).predict_proba(X), atol=1e-12
    )


def test_models_that_chose_otherwise_do_not_add():
    X, y = table(200)
    one = tb.AutoBayes(candidates=["tan"], folds=0).fit(X, y)
    shuffled = np.random.default_rng(0).permutation(y)
    other = tb.AutoBayes(candidates=["naive"], folds=0).fit(X, shuffled)
    with pytest.raises(MergeError):
        one + other
    with pytest.raises(MergeError):
        one + tb.AutoBayes(candidates=["tan"], folds=0).fit(*table(200, seed=8))  # of other edges


def test_reselect_chooses_again():
    X, y = table(300)
    model = tb.AutoBayes(candidates=["spode", "tan"], folds=0).fit(X, y)
    noise = np.random.default_rng(1).permutation(y)
    fresh = tb.AutoBayes(candidates=["spode", "tan"], folds=0).fit(X, noise)
    model.reselect(X, noise)
    assert model.leaderboard_.to_dict() == fresh.leaderboard_.to_dict()
    assert np.array_equal(model.predict_proba(X), fresh.predict_proba(X))


def test_criteria_choose_by_themselves():
    X, y = table(300, seed=2)
    costs = {("yes", "no"): 10.0}
    for criterion in ("log-loss", "accuracy", "cost"):
        model = tb.AutoBayes(criterion=criterion, costs=costs).fit(X, y)
        board = model.leaderboard_
        losses = [line.loss(criterion) for line in board.lines]
        assert losses == sorted(losses)
        folds = [line.loss(criterion, folds=True) for line in board.lines]
        assert board.best.loss(criterion, folds=True) == np.nanmin(folds)
    posterior = model.leave_one_out(X, y)  # of the model that costs least
    cost = np.where(posterior[:, 1] > 10 * posterior[:, 0], 10.0 * (y == "no"), 1.0 * (y == "yes"))
    assert board.best.cost == pytest.approx(cost.mean())
    assert board.best.cost_error == pytest.approx(cost.std(ddof=1) / np.sqrt(300))


def test_of_equals_the_simpler_is_chosen():
    rows = [{"a": "x"}, {"a": "y"}] * 20
    model = tb.AutoBayes(candidates=[tb.NaiveBayes(smoothing=0.5), tb.NaiveBayes(smoothing=0.5)]).fit(rows, [1, 2] * 20)
    assert model.leaderboard_.winner == 0


def test_what_does_not_fit_is_left_out():
    X, y = table(100)
    model = tb.AutoBayes(memory_limit=2000).fit(X, y)
    left_out = dict(model.leaderboard_.left_out)
    assert {"TAN", "AODE", "A2DE", "SPODE", "KDB k=5"} <= left_out.keys()
    assert "may take 2.0 KiB" in left_out["TAN"]
    assert isinstance(model.best_, tb.NaiveBayes)
    with pytest.raises(OptionError, match="Add 'naive'"):
        tb.AutoBayes(candidates=["tan"], memory_limit=2000).fit(X, y)


def test_one_column_leaves_naive_bayes():
    model = tb.AutoBayes().fit([[1.0], [2.0], [8.0], [9.0]] * 5, [0, 0, 1, 1] * 5)
    assert {line.family.split()[0] for line in model.leaderboard_.lines} == {"NaiveBayes"}
    assert "needs 2 columns" in dict(model.leaderboard_.left_out)["TAN"]


def test_few_rows_are_predicted_where_there_are_many():
    X, y = table(3000)
    model = tb.AutoBayes(candidates=["tan"], most_rows=500).fit(X, y)
    board = model.leaderboard_
    assert board.rows == 3000
    assert 400 < board.scored < 600
    assert np.array_equal(model.predict_proba(X), model.best_.predict_proba(X))
    assert sum(model.best_.tallies_["classes"].rows) == 3000


def test_one_class_or_one_row_compares_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for X, y in (([[1, 2], [3, 4]], ["a", "a"]), ([[1, 2]], ["a"])):
            model = tb.AutoBayes().fit(X, y)
            assert model.leaderboard_.scored == 0
            assert model.predict(X).tolist() == y


def test_texts_stand_beside_every_candidate():
    rows = [
        {"a": "x" if i % 2 else "y", "b": "p" if i % 3 else "q", "t": "buy cheap pills" if i % 2 else f"see you at {i}"}
        for i in range(60)
    ]
    y = ["spam" if i % 2 else "ham" for i in range(60)]
    model = tb.AutoBayes(columns={"t": "text"}).fit(rows, y)
    assert any(line.family == "TAN" for line in model.leaderboard_.lines)
    assert model.predict([{"a": None, "b": None, "t": "cheap pills"}]).tolist() == ["spam"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"candidates": "tan"}, "list such as"),
        ({"candidates": ["tna"]}, "Did you mean 'tan'"),
        ({"candidates": [tb.GaussianNB()]}, "What can be compared"),
        ({"criterion": "auc"}, "criterion='auc'"),
        ({"folds": 1}, "folds=1"),
        ({"folds": -1}, "folds=-1"),
        ({"most_rows": 0}, "most_rows=0"),
        ({"memory_limit": -1}, "memory_limit"),
    ],
)
def test_options_that_cannot_be(options, words):
    with pytest.raises(OptionError, match=words):
        tb.AutoBayes(**options).fit([[0], [1]], [0, 1])


def test_the_leaderboard_as_a_table():
    X, y = table(100)
    board = tb.AutoBayes(folds=3, criterion="cost", costs={("yes", "no"): 3.0}).fit(X, y).leaderboard_
    arrow = pa.table(board)
    assert arrow.num_rows == len(board)
    assert arrow.column("log_loss").to_pylist() == [line.log_loss for line in board.lines]
    text = str(board)
    assert text.startswith("Of 100 rows, each without itself:")
    assert "in 3 folds" in text
    assert f"{board.best.cost:.4f}" in text
    assert type(board).from_dict(board.to_dict()).to_dict() == board.to_dict()
