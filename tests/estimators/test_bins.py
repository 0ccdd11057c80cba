"""Naive Bayes that reads numbers as bins: where it cuts, what it keeps, and how bins are shown."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import tallybayes as tb
from tallybayes import errors
from tallybayes.storage.file import load_model, save_model
from tests.sources.asking import refused


def table(n=300, seed=0, shift=0.0):
    rng = np.random.default_rng(seed)
    x, z = rng.uniform(0, 10, n) + shift, rng.normal(size=n)
    labels = np.where((x > 3 + shift) & (x < 7 + shift), "in", "out").tolist()
    return pa.table({"x": x, "z": z, "town": rng.choice(["rome", "oslo"], n).tolist()}), labels


def bins(**options):
    return tb.NaiveBayes(numeric="bins", **options)


def edges(model):
    return {field.name: field.edges for field in model.schema_ if field.edges is not None}


def test_edges_are_those_that_the_rows_ask_for():
    X, y = table()
    model = bins().fit(X, y)
    x = np.sort(X["x"].to_numpy())
    low, high = model.schema_["x"].edges
    assert (low, high) == tuple((x[i - 1] + x[i]) / 2 for i in np.searchsorted(x, [3, 7]))
    assert model.schema_["z"].edges == ()  # it says nothing of the classes
    assert model.score(X, y) == 1.0
    # One bin has the same probability for every class, and so no say.
    np.testing.assert_allclose(
        model.predict_log_proba(X),
        bins().fit(X.drop_columns("z"), y).predict_log_proba(X.drop_columns("z")),
        rtol=1e-12,
    )


def test_the_numbers_of_a_textbook_with_bins_as_categories():
    """P(bin | class) = (count + 1) / (rows + bins)."""
    X = [{"load": v} for v in (100.0, 500.0, 890.0, 1300.0, 1700.0, 890.0)]
    model = bins(discretize={"load": [400, 800, 1200, 1600]}, prior="uniform").fit(X, ["a", "a", "a", "b", "b", "b"])
    share = np.exp(model.predict_joint_log_proba([{"load": 1000.0}, {"load": 399.0}, {"load": None}])) * 2
    np.testing.assert_allclose(share, [[2 / 8, 2 / 8], [2 / 8, 1 / 8], [1, 1]], rtol=1e-12)


def test_columns_are_cut_as_is_said_of_each():
    X, y = table()
    how = {"x": "width", "z": [0]}
    model = bins(discretize=how, max_bins=4).fit(X, y)
    x = X["x"].to_numpy()
    np.testing.assert_allclose(edges(model)["x"], np.linspace(x.min(), x.max(), 5)[1:-1], rtol=1e-14)
    assert edges(model)["z"] == (0.0,)
    thirds = bins(discretize="quantile", max_bins=3).fit(X, y)
    counts = np.bincount(np.searchsorted(edges(thirds)["x"], x, side="right"))
    assert counts.tolist() == [100, 100, 100]
    assert len(edges(bins(discretize="quantile").fit(X, y))["x"]) == 9
    assert len(edges(bins(max_bins=2).fit(X, y))["x"]) == 1
    named = tb.NaiveBayes(discretize={"x": [5], "size": [2]}).fit(X.append_column("size", pa.array([1, 2, 3] * 100)), y)
    assert edges(named) == {"x": (5.0,), "size": (2.0,)}  # integers of few values are categories otherwise
    single = tb.NaiveBayes(factors={"x": "bins"}).fit(X, y)
    assert edges(single) == {"x": bins().fit(X, y).schema_["x"].edges}
    assert [name for name, _ in single.summary().digests_of("z")] == ["gaussian"]


def test_edges_stay_until_they_are_chosen_again():
    (X, y), (Z, w) = table(), table(seed=1, shift=100)
    model = bins().fit(X, y)
    before = edges(model)
    model.partial_fit(Z, w)
    assert edges(model) == before
    model.forget(X, y)
    assert edges(model) == before
    assert edges(model.reselect(Z, w)) == edges(bins().fit(Z, w))
    one = bins().fit(X, y)
    refused(lambda: one + model, "'x' has 3 bins, cut at", kind=errors.MergeError)
    given = bins(discretize={"x": [5], "z": [0]})
    whole = tb.NaiveBayes(**given.get_params()).fit(pa.concat_tables([X, Z]), y + w)
    parts = tb.NaiveBayes(**given.get_params()).fit(X, y) + tb.NaiveBayes(**given.get_params()).fit(Z, w)
    np.testing.assert_array_equal(whole.tallies_["bins"].rows, parts.tallies_["bins"].rows)


def test_a_loaded_model_goes_on_with_its_edges(tmp_path):
    X, y = table()
    model = bins(discretize={"z": (0.0, 1.0)}).fit(X, y)
    model.save(tmp_path / "x.tally")
    again = tb.load(tmp_path / "x.tally")
    assert edges(again) == edges(model)
    np.testing.assert_array_equal(again.predict_log_proba(X), model.predict_log_proba(X))
    again.partial_fit(X, y)
    assert again.tallies_["classes"].n_rows == 600


def test_rows_from_a_file_are_read_twice_and_give_the_same(tmp_path):
    X, y = table()
    whole = X.append_column("y", pa.array(y))
    pa.csv.write_csv(whole, tmp_path / "x.csv")
    pa.parquet.write_table(whole, tmp_path / "x.parquet")
    expected = bins().fit(X, y)
    stream = whole.to_reader(max_chunksize=50)
    for source in (tmp_path / "x.csv", tmp_path / "x.parquet", stream):
        model = bins().fit(source, "y")
        assert edges(model) == edges(expected)
        np.testing.assert_array_equal(model.tallies_["bins"].rows, expected.tallies_["bins"].rows)


def test_evidence_names_the_bin_of_a_number():
    X, y = table()
    model = bins(discretize={"x": [3, 7]}).fit(X, y)
    evidence = model.explain([{"x": 5.5, "z": 0.1, "town": "rome"}, {"x": None, "z": 1.0, "town": "oslo"}])
    values = {(line["row"], line["column"]): line["value"] for line in evidence.table.to_pylist()}
    assert values[0, "x"] == "5.5 in [3, 7)"
    assert values[1, "x"] is None
    assert values[0, "town"] == "rome"
    assert values[0, "z"] == "0.1"  # in the only bin
    assert "5.5 in [3, 7)" in str(evidence)
    assert "NaN" not in json.dumps(evidence.to_dict())


def test_a_summary_has_bins_in_their_order_as_intervals():
    X, y = table()
    summary = bins(discretize={"x": [3, 7]}).fit(X, y).summary()
    ((factor, digest),) = summary.digests_of("x")
    assert factor == "bins"
    assert [name for name, _ in digest["values"]] == ["< 3", "[3, 7)", ">= 7"]
    (column,) = [column for column in summary.to_dict()["columns"] if column["name"] == "x"]
    assert column["edges"] == [3.0, 7.0]
    assert "P([3, 7))" in str(summary)


def test_rows_that_are_drawn_have_numbers_in_the_bins():
    X, y = table()
    model = bins(discretize={"x": [3, 7]}).fit(X, y)
    drawn, classes = model.sample(4000, random_state=0)
    x = drawn["x"].to_numpy()
    inside = (x >= 3) & (x < 7)
    share = np.exp(model._joint().conditionals["bins"].log_table)
    expected = share[2, model.classes_.tolist().index("in")]
    assert abs(inside[classes == "in"].mean() - expected) < 0.03
    assert model.score(drawn, classes) > 0.9


def test_counts_and_missing_cells():
    X = [{"eggs": v} for v in (0, 1, 2, 9, 8, 12, None, None)]
    y = ["a", "a", "a", "b", "b", "b", "a", "a"]
    model = tb.NaiveBayes(columns={"eggs": "count"}, factors={"eggs": "bins"}, missing="category").fit(X, y)
    assert model.schema_["eggs"].edges == (5.0,)
    model.set_params(discretize={"eggs": [5]}).fit(X, y)
    shares = np.exp(model.predict_joint_log_proba([{"eggs": 4}, {"eggs": 5}, {"eggs": None}]) - np.log([5 / 8, 3 / 8]))
    np.testing.assert_allclose(shares, [[4 / 8, 1 / 6], [1 / 8, 4 / 6], [3 / 8, 1 / 6]], rtol=1e-12)


@pytest.mark.parametrize(
    ("options", "words", "kind"),
    [
        ({"discretize": "mdl"}, "discretize='mdl' is not one of", errors.OptionError),
        ({"discretize": 5}, "discretize=5 is neither", errors.OptionError),
        ({"discretize": {"x": [2, 1]}}, "each above the one before", errors.OptionError),
        ({"discretize": {"x": [1, 1]}}, "The edges of 'x' are [1, 1]", errors.OptionError),
        ({"discretize": {"x": ["a"]}}, "The edges of 'x'", errors.OptionError),
        ({"discretize": {"x": [10**400]}}, "The edges of 'x'", errors.OptionError),
        ({"discretize": {"x": [float("nan")]}}, "The edges of 'x'", errors.OptionError),
        ({"discretize": {"x": 5}}, "The edges of 'x' are 5", errors.OptionError),
        ({"discretize": {"x": "even"}}, "discretize of 'x'='even' is not one of", errors.OptionError),
        ({"discretize": {"x": range(5000)}}, "5,000 edges", errors.OptionError),
        ({"discretize": {"town": [1]}}, "cuts numbers, and column 'town' is categorical", errors.KindError),
        ({"discretize": {"x": [1]}, "factors": {"x": "kernel"}}, "names 'x', which is no column", errors.ColumnError),
        ({"discretize": {"xx": [1]}}, "Did you mean 'x'?", errors.ColumnError),
        ({"max_bins": 1}, "max_bins=1 should be a whole number from 2", errors.OptionError),
        ({"max_bins": 2.5}, "max_bins=2.5", errors.OptionError),
        ({"numeric": "bin"}, "numeric='bin' is not one of", errors.OptionError),
        ({"factors": {"town": "bins"}}, "cuts numbers, and column 'town' is categorical", errors.KindError),
    ],
)
def test_options_that_no_data_make_right(options, words, kind):
    X, y = table(30)
    refused(
        lambda: bins(**options).fit(X, y) if "numeric" not in options else tb.NaiveBayes(**options).fit(X, y),
        words,
        kind=kind,
    )


def test_infinite_numbers_are_refused_where_edges_are_chosen_and_lie_in_the_outer_bins_otherwise():
    X = np.array([[1.0], [np.inf], [2.0], [-np.inf]])
    for how in ("mdlp", "quantile", "width"):
        refused(lambda how=how: bins(discretize=how).fit(X, list("abab")), "holds inf in row 2", kind=errors.DataError)
    model = bins(discretize={0: [1.5]}).fit(X, list("abab"))
    assert model.tallies_["bins"].rows.sum(axis=1).tolist() == [0, 2, 2]


def test_another_distribution_needs_a_new_fit():
    X, y = table()
    model = bins().fit(X, y).set_params(numeric="gaussian")
    refused(lambda: model.predict(X), "Call fit again", kind=errors.OptionError)
    other = tb.NaiveBayes().fit(X, y).set_params(numeric="bins")
    refused(lambda: other.predict(X), "Call fit again", kind=errors.OptionError)


def test_without_a_label_there_is_nothing_to_choose_edges_from():
    X, _ = table(30)
    refused(lambda: bins().fit(X, [None] * 30), "No row is left to choose edges from", kind=errors.TargetError)


def bent(path, change):
    """Change the header of a model file by hand, with the right checksum."""
    header, arrays = load_model(path)
    change(header)
    save_model(path, header, arrays)


def test_a_file_whose_counts_are_not_of_its_bins_is_refused(tmp_path):
    X, y = table()
    path = tmp_path / "x.tally"
    for change, words in [
        (lambda h: h["schema"]["fields"][0].update(edges=[3.0]), "'x' are of other values than those that it is cut"),
        (lambda h: h["schema"]["fields"][0].pop("edges"), "'x' is to be read as bins, but was learned without edges"),
        (lambda h: h["tallies"]["bins"]["values"].__setitem__(0, [0, 1, 7]), "'x' are of other values"),
        (lambda h: h["tallies"]["bins"]["values"].__setitem__(0, ["a", "b", "c"]), "'x' are of other values"),
        (lambda h: h.update(chosen=[1]), "which is no choice"),
        (lambda h: h["options"].update(discretize="often"), "discretize='often'"),
    ]:
        bins(discretize={"x": [3, 7]}).fit(X, y).save(path)
        bent(path, change)
        refused(lambda: tb.load(path), words, kind=errors.ModelFileError)
