from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tallybayes
from tallybayes.storage.envelope import FORMAT

FOLDER = Path(__file__).parent
MODELS = sorted(FOLDER.glob("*.tally"))


def answers_of(path: Path) -> Any:
    return json.loads(path.with_suffix(".json").read_text("utf-8"))


def test_every_format_has_a_model() -> None:
    wanted = {f"format{version}.tally" for version in range(1, FORMAT + 1)}
    assert wanted <= {path.name for path in MODELS}, "run: python -m tests.golden.make"


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_model_of_any_format_answers_as_it_always_did(path: Path) -> None:
    model, expected = tallybayes.load(path), answers_of(path)
    assert model.classes_.tolist() == expected["classes"]
    np.testing.assert_allclose(model.predict_proba(expected["rows"]), expected["posterior"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_it_goes_on_learning(path: Path) -> None:
    model, expected = tallybayes.load(path), answers_of(path)
    model.partial_fit(expected["rows"], expected["labels"])
    posterior = model.predict_proba(expected["rows"])
    np.testing.assert_allclose(posterior, expected["posterior_after_learning"], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_saved_again_it_is_of_the_current_format_and_the_same_model(path: Path, tmp_path: Path) -> None:
    model, expected = tallybayes.load(path), answers_of(path)
    model.save(tmp_path / "again.tally")
    again = tallybayes.load(tmp_path / "again.tally")
    assert again.get_params().keys() == model.get_params().keys()
    np.testing.assert_array_equal(again.predict_proba(expected["rows"]), model.predict_proba(expected["rows"]))
