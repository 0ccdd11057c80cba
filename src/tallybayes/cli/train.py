"""``tallybayes train``."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, Any

from tallybayes.cli import model_options as of_model
from tallybayes.cli import options as opt
from tallybayes.errors import OptionError

if TYPE_CHECKING:
    from tallybayes.cli.reading import Reading
    from tallybayes.decision.evaluation import Evaluation
    from tallybayes.sources.base import Source


def train(
    data: opt.Data,
    target: opt.NewTarget = None,
    output: opt.NewModel = None,
    holdout: opt.Holdout = None,
    seed: opt.Seed = 0,
    weights: opt.Weights = None,
    model: of_model.Model = None,
    text: of_model.Text = None,
    columns: of_model.Columns = None,
    factors: of_model.Factors = None,
    numeric: of_model.Numeric = None,
    smoothing: of_model.Smoothing = None,
    prior: of_model.Prior = None,
    prior_smoothing: of_model.PriorSmoothing = None,
    missing: of_model.Missing = None,
    ddof: of_model.Ddof = None,
    settings: of_model.Settings = None,
    as_json: opt.Json = False,
    form: opt.Form = None,
    delimiter: opt.Delimiter = None,
    decimal: opt.Decimal = ".",
    encoding: opt.Encoding = "utf-8",
) -> None:
    """Learn a model from a table or from texts, and save it.

    DATA may also be a folder with a folder of texts or a mailbox (.mbox) for each class.

    Examples: tallybayes train adult.csv --target income --holdout 0.2

    tallybayes train mail/ --model text --set html=skip -o mail.tally
    """
    from tallybayes.cli.models import (
        check_place,
        class_of,
        column_options,
        model_named,
        new_model,
        pairs,
        prior_option,
        save_model,
    )
    from tallybayes.cli.reading import Reading, progress
    from tallybayes.cli.writing import counted, named, print_json, show

    reading = Reading(data, form, delimiter, decimal, encoding)
    place = _default_output(data) if output is None else output
    check_place(place)
    reading.keep_apart(place)
    if holdout is not None:
        _check_holdout(holdout, reading)
    given_prior = prior_option(prior)
    options = {
        "text": text,
        "columns": column_options(columns),
        "factors": pairs(factors, "--factors", "age=kernel"),
        "numeric": numeric,
        "smoothing": smoothing,
        # Labels can be told apart only when they have been read; a prior needs no second look at the rows.
        "prior": "empirical" if isinstance(given_prior, dict) else given_prior,
        "prior_smoothing": prior_smoothing,
        "missing": missing,
        "ddof": ddof,
    }
    learner = new_model(model_named(model, options), options, settings)
    rows_given = reading.open(target, weights)
    target = _target_of(rows_given, target, reading)
    with progress("learning", rows_given) as source:
        learner.fit(source)
    if isinstance(given_prior, dict):
        learner.set_params(prior={class_of(learner, label): share for label, share in given_prior.items()})
    board = getattr(learner, "leaderboard_", None)
    summary = learner.summary()
    evaluation = None if holdout is None else _held_out(learner, reading, target, weights, holdout, seed)
    size = save_model(learner, place)

    rows = int(summary.rows.sum())
    if as_json:
        found = {"model": place, **summary.to_dict()}
        if board is not None:
            found["leaderboard"] = board.to_dict()
        print_json(found if evaluation is None else found | {"holdout": holdout, "evaluation": evaluation.to_dict()})
        return
    classes = counted(len(summary.classes), "class", "classes")
    parts: list[Any] = [
        f"Learned {counted(rows, 'row')} of {reading.label}: {classes} of {target} ({named(summary.classes)})",
        learner.schema_,
    ]
    if board is not None:
        parts += [board, f"Chosen: {board.best.name}"]
    if evaluation is not None:
        parts += [
            f"On rows held out ({100 * (holdout or 0):g}%, seed {seed}), with a model of the others:",
            evaluation,
            "Rows add up: the model that is saved has learned all of them, those held out too.",
        ]
    show(*parts, f"Saved {place} ({size}). Next: tallybayes predict {place} NEW-DATA")


def _target_of(source: Source, target: str | None, reading: Reading) -> str:
    """Return the column of labels, which a folder of folders has of itself."""
    found = target or source.target
    if found is None:
        from tallybayes.schema.field import listed

        raise OptionError(
            f"Missing option '--target': say which column of {reading.label} has the labels, one of "
            f"{listed(source.names)}."
        )
    return str(found)


def _default_output(data: str) -> str:
    """Return the name of DATA, in this folder, with the ending of models."""
    name = os.path.basename(data.rstrip("/" + os.sep)).removesuffix(".gz")
    return f"{os.path.splitext(name)[0] if data != '-' else 'model'}.tally"


def _check_holdout(holdout: float, reading: Reading) -> None:
    if not 0 < holdout < 1:
        raise OptionError(f"--holdout {holdout:g} is no share of the rows; give more than 0 and less than 1, as 0.2.")
    if reading.is_stream:
        raise OptionError(
            f"--holdout reads the rows twice, and {reading.label} can be read once only; write it to a file first, or "
            "evaluate with other rows."
        )


def _held_out(
    learner: Any, reading: Reading, target: str, weights: str | None, holdout: float, seed: int
) -> Evaluation:
    """Return how good the model is on some rows once they are taken out of it again.

    A model that was chosen by all rows is chosen again without these.
    """
    import warnings

    from tallybayes.cli.models import rows_of
    from tallybayes.cli.reading import progress
    from tallybayes.decision.evaluate import evaluate
    from tallybayes.sources.part import PartSource

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to say of these rows has been said
        given = reading.open(target, weights, only=learner.schema_.names)
        rows = PartSource(given, holdout, seed=seed, held_out=True)
        if hasattr(learner, "leaderboard_"):
            with progress("choosing again", PartSource(given, holdout, seed=seed, held_out=False)) as source:
                others = copy.copy(learner).reselect(source)
        else:
            with progress("taking out", rows) as source:
                # What was learned of all rows less some of them is what is learned of the others.
                others = copy.copy(learner).forget(source)
    if not rows_of(others):
        raise OptionError(f"--holdout {holdout:g} leaves no row to learn from; give a smaller share.")
    with progress("evaluating", rows) as source:
        return evaluate(others, source)
