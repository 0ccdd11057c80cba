"""Models without scikit-learn's face: the same answers, the same lessons, the same files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import tallybayes as tb
from tallybayes import errors
from tallybayes.estimators._model_file import opened
from tallybayes.estimators._registry import LEARNERS, unfaced

TEXTS = [f"{'cheap pills' if k % 3 else 'lunch at noon'} {'便宜' * (k % 2)} word{k % 7} and {k}" for k in range(60)]
LABELS = ["spam" if k % 3 else "ham" for k in range(60)]
ASKED = ["cheap lunch", "", "pills 便宜 word3", "nobody knows these", "noon noon noon cheap"]

MODELS: list[Any] = [
    tb.TextNB(),
    tb.TextNB(event="bernoulli", ngrams=(1, 2)),
    tb.TextNB(event="bernoulli", smoothing=0.0, min_df=2),
    tb.TextNB(event="binary", vocabulary="per-class", prior="tokens"),
    tb.TextNB(tf="log", norm=True, idf=True, max_terms=30, ranking="chi2"),
    tb.TextNB(analyzer="char_wb", ngrams=(2, 3)),
    tb.TextNB(hashed=8),
    tb.NaiveBayes(columns={"text": "text"}, prior="uniform"),
]

ASK = """
import json, sys
from tallybayes.kernels import _mode
assert _mode.interpret()
from tallybayes.estimators._model_file import opened
from tallybayes.cli.message import as_rows

given = json.load(sys.stdin)
model = opened(given["model"])
rows = [model.predict_proba(as_rows(text, model))[0].tolist() for text in given["asked"]]
assert {"sklearn", "numba", "scipy", "pandas"}.isdisjoint(sys.modules) or given["mixed"], sorted(sys.modules)
json.dump(rows, sys.stdout)
"""


def fitted(model: Any) -> Any:
    return model.fit(pa.table({"text": TEXTS}), LABELS)


@pytest.mark.filterwarnings("ignore::tallybayes.errors.ZeroProbabilityWarning")
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_one_message_at_a_time_by_interpreted_kernels_to_the_last_bit(model: Any, tmp_path: Path) -> None:
    fitted(model).save(tmp_path / "x.tally")
    given = {"model": str(tmp_path / "x.tally"), "asked": ASKED, "mixed": isinstance(model, tb.NaiveBayes)}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ASK], input=json.dumps(given).encode(), capture_output=True, check=True
    )
    ours = np.array(json.loads(run.stdout))
    np.testing.assert_array_equal(ours, model.predict_proba(pa.table({"text": ASKED})))


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_what_is_learned_and_saved_is_the_same(model: Any, tmp_path: Path) -> None:
    fitted(model).save(tmp_path / "x.tally")
    bare, faced = opened(tmp_path / "x.tally"), tb.load(tmp_path / "x.tally")
    assert not hasattr(bare, "get_params")
    assert bare.classes_.tolist() == faced.classes_.tolist()
    assert bare.is_joint
    more = pa.table({"text": ["new words", "cheap new"]})
    for one in (bare, faced):
        one.partial_fit(more, ["ham", "junk"]).forget(pa.table({"text": TEXTS[:5]}), LABELS[:5])
        one.save(tmp_path / f"{type(one).__name__}.tally")
    files = [(tmp_path / f"{type(one).__name__}.tally").read_bytes() for one in (bare, faced)]
    assert files[0] == files[1]
    assert type(tb.load(tmp_path / f"{type(bare).__name__}.tally")) is type(model)


def test_what_has_no_bare_class_is_the_estimator(tmp_path: Path) -> None:
    tb.GaussianNB().fit([[1.0], [2.0], [8.0]], [0, 0, 1]).save(tmp_path / "x.tally")
    assert isinstance(opened(tmp_path / "x.tally"), tb.GaussianNB)
    assert set(LEARNERS) <= set(dir(tb))


def test_messages_name_the_estimator() -> None:
    with pytest.raises(errors.TargetError, match="This TextNB estimator requires y"):
        unfaced("TextNB").fit(["a text"])
    with pytest.raises(errors.NotFittedError):
        unfaced("TextNB").predict(["a text"])
    with pytest.raises(errors.OptionError, match="event='coins' is not one of"):
        unfaced("TextNB", event="coins").fit(["a", "b"], [0, 1])
    score = unfaced("TextNB", event="complement").fit(["a", "b"], [0, 1])
    assert not score.is_joint
    with pytest.raises(errors.NotAJointError):
        score.score_samples(["a"])
