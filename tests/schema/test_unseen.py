"""Categories that are asked about in another form than in training: a file, and the frame that was read from it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import sparse

import tallybayes as tb
from tallybayes import errors

N = 30
LABELS = ["p", "q"] * (N // 2)
B = [i / 7 for i in range(N)]


def table(cells):
    return pa.table({"a": cells, "b": B[: len(cells)]})


PADDED = table([f"0{i % 4}" for i in range(N)])
WHOLE = table([i % 4 for i in range(N)])


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "t.csv"
    PADDED.append_column("y", pa.array(LABELS)).to_pandas().to_csv(path, index=False)
    return path


def told(call):
    with pytest.warns(errors.DataWarning) as caught:
        call()
    [message] = [str(w.message) for w in caught]
    assert caught[0].filename == __file__
    return message


def test_a_file_and_the_frame_that_pandas_reads_from_it(csv):
    model = tb.NaiveBayes().fit(csv, "y")
    frame = pd.read_csv(csv)[["a", "b"]]
    for call in (model.predict, model.predict_proba, model.explain, lambda X: model.log_likelihood(X, LABELS)):
        message = told(lambda call=call: call(frame))
        assert "column 'a' holds integers" in message
        assert "texts such as '00'" in message
    model.predict(pd.read_csv(csv, dtype={"a": str})[["a", "b"]])


def test_the_other_way_round(tmp_path):
    model = tb.NaiveBayes().fit(WHOLE, LABELS)
    PADDED.to_pandas().to_csv(tmp_path / "t.csv", index=False)
    message = told(lambda: model.predict(tmp_path / "t.csv"))
    assert "column 'a' holds texts" in message
    assert "numbers such as 0" in message


@pytest.mark.parametrize("make", [np.array, lambda cells: sparse.csr_array(np.array(cells))])
def test_matrices_too(make):
    model = tb.NaiveBayes().fit([[f"0{i % 4}", b] for i, b in enumerate(B)], LABELS)
    X = make([[i % 4, b] for i, b in enumerate(B)])
    assert "column 0 holds" in told(lambda: model.predict(X))


def test_one_known_cell_is_enough_wherever_it_stands():
    model = tb.NaiveBayes().fit(table(["1", "x"] * (N // 2)), LABELS)
    model.predict(table([7] * 29 + [1]))
    pieces = [table([7, 8]), table([9, 1])]
    model.predict(pa.RecordBatchReader.from_batches(pieces[0].schema, [b for p in pieces for b in p.to_batches()]))
    assert "holds integers" in told(lambda: model.predict(table([7, 8])))


def test_other_unseen_values_are_no_mistake():
    model = tb.NaiveBayes().fit(PADDED, LABELS)
    model.predict(table(["new", "newer"]))
    model.predict(table([None, None]))
    model.predict(table(pa.nulls(2, pa.int64())))
    tb.NaiveBayes().fit(WHOLE, LABELS).predict(table([17, 18]))
    tb.NaiveBayes().fit(WHOLE, LABELS).predict(table([17.0, 18.5]))
