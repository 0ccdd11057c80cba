from __future__ import annotations

import json

import pytest

from tallybayes.decision.cost_file import read_costs
from tallybayes.decision.costs import cost_matrix
from tallybayes.errors import CostError, SourceError


@pytest.mark.parametrize(
    ("name", "text", "pairs"),
    [
        ("c.csv", "predicted,true,cost\nham,spam,5\na,b,.5\n", {("ham", "spam"): 5, ("a", "b"): 0.5}),
        ("c.csv", 'predicted, true, cost\n"a, b",c,1\n\n', {("a, b", "c"): 1}),
        ("c.csv", "\ufeffPredicted,True,Cost\r\n好瓜,坏瓜,2\r\n", {("好瓜", "坏瓜"): 2}),
        ("c.csv", 'predicted,true,cost\n"two\nlines",c,-1', {("two\nlines", "c"): -1}),
        ("c.JSON", '[["ham", "spam", 5], [0, true, 1]]', {("ham", "spam"): 5, (0, True): 1}),
        ("c.json", "[]", {}),
        ("c.json", '{"classes": ["a", "b"], "costs": [[0, 2], [3, 1]]}',
         {("a", "a"): 0, ("a", "b"): 2, ("b", "a"): 3, ("b", "b"): 1}),
    ],
)  # fmt: skip
def test_costs_are_read(tmp_path, name, text, pairs):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    assert read_costs(path) == pairs
    assert read_costs(str(path)) == pairs


def test_numbers_in_a_csv_file_find_their_classes(tmp_path):
    path = tmp_path / "costs.csv"
    path.write_text("predicted,true,cost\n0,1,5\n")
    assert cost_matrix(read_costs(path), [0, 1]).tolist() == [[0, 5], [1, 0]]


@pytest.mark.parametrize(
    ("name", "text", "words", "kind"),
    [
        ("c.txt", "", ["c.txt", ".json or .csv"], SourceError),
        ("c.csv", "", ["first line", "predicted,true,cost"], CostError),
        ("c.csv", "true,predicted,cost\na,b,1\n", ["first line", "'true', 'predicted', 'cost'"], CostError),
        ("c.csv", "predicted,true,cost\na,b\n", ["Line 2", "2 cells"], CostError),
        ("c.csv", "predicted,true,cost\na,b,much\n", ["'a'", "'b'", "'much'"], CostError),
        ("c.csv", "predicted,true,cost\na,b,nan\n", ["'nan'"], CostError),
        ("c.csv", "predicted,true,cost\na,b,1\na,b,2\n", ["('a', 'b')", "twice"], CostError),
        ("c.csv", 'predicted,true,cost\n"a,b,1\n', ["no valid CSV"], SourceError),
        ("c.json", "{", ["no valid JSON"], SourceError),
        ("c.json", "[" * 100_000, ["no valid JSON"], SourceError),
        ("c.json", "3", ["another shape", "classes"], CostError),
        ("c.json", '{"a": {"b": 1}}', ["another shape"], CostError),
        ("c.json", '[["a", "b"]]', ["another shape"], CostError),
        ("c.json", '{"classes": ["a", "b"], "costs": [[0, 1]]}', ["another shape"], CostError),
        ("c.json", '{"classes": ["a", "b"], "costs": [[0, 1], [1]]}', ["another shape"], CostError),
        ("c.json", '[["a", null, 1]]', ["label None"], CostError),
        ("c.json", '[["a", ["b"], 1]]', ["label ['b']"], CostError),
        ("c.json", '[["a", "b", NaN]]', ["nan"], CostError),
        ("c.json", '[["a", "b", 1], ["a", "b", 1]]', ["twice"], CostError),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, name, text, words, kind):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(kind) as caught:
        read_costs(path)
    for word in words:
        assert word in str(caught.value)


def test_a_file_that_is_not_there_or_no_text(tmp_path):
    with pytest.raises(SourceError, match=r"no file .*nowhere\.csv"):
        read_costs(tmp_path / "nowhere.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(SourceError, match="cannot be read"):
        read_costs(tmp_path / "folder.csv")
    (tmp_path / "latin.csv").write_bytes("predicted,true,cost\né,b,1".encode("latin-1"))
    with pytest.raises(SourceError, match="UTF-8"):
        read_costs(tmp_path / "latin.csv")


def test_what_the_matrix_form_holds_is_the_matrix(tmp_path):
    path = tmp_path / "costs.json"
    path.write_text(json.dumps({"classes": ["b", "a"], "costs": [[0, 2], [3, 0]]}))
    assert cost_matrix(read_costs(path), ["a", "b"]).tolist() == [[0, 3], [2, 0]]
