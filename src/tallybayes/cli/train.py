"""``tallybayes train``."""

from __future__ import annotations

import copy
import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallybayes.cli import options as opt
from tallybayes.errors import OptionError

if TYPE_CHECKING:
    from tallybayes.cli.reading import Reading
    from tallybayes.decision.evaluation import Evaluation

_OF_THE_MODEL = "The model"


def train(
    data: opt.Data,
    target: Annotated[str, typer.Option("--target", metavar="COL", help="The column of labels.", show_default=False)],
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="MODEL",
            help="The model file; by default the name of DATA with .tally, in this folder.",
            show_default=False,
        ),
    ] = None,
    holdout: Annotated[
        float | None,
        typer.Option(
            "--holdout",
            metavar="SHARE",
            help="Say how good the model is on this share of the rows, learned from the others.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Another seed holds out other rows.")] = 0,
    weights: opt.Weights = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="NAME",
            help="nb for any table; or gaussian, bernoulli, multinomial, complement, categorical, kernel.",
            rich_help_panel=_OF_THE_MODEL,
        ),
    ] = "nb",
    columns: Annotated[
        list[str] | None,
        typer.Option(
            "--columns",
            metavar="COL=KIND",
            help="What a column means: categorical, boolean, numeric, count, text or ignored, or its values as "
            "COL=S,M,L; repeatable.",
            rich_help_panel=_OF_THE_MODEL,
            show_default=False,
        ),
    ] = None,
    factors: Annotated[
        list[str] | None,
        typer.Option(
            "--factors",
            metavar="COL=NAME",
            help="How a column is distributed: categorical, bernoulli, multinomial, poisson, gaussian, kernel or "
            "histogram; repeatable.",
            rich_help_panel=_OF_THE_MODEL,
            show_default=False,
        ),
    ] = None,
    numeric: Annotated[
        str | None,
        typer.Option(
            "--numeric",
            metavar="NAME",
            help="How the other numbers are: gaussian (as by default), kernel or histogram.",
            rich_help_panel=_OF_THE_MODEL,
            show_default=False,
        ),
    ] = None,
    smoothing: Annotated[
        float | None,
        typer.Option(
            "--smoothing",
            metavar="N",
            help="Added to every count; 1 by default, and 0 is maximum likelihood.",
            rich_help_panel=_OF_THE_MODEL,
            show_default=False,
        ),
    ] = None,
    prior: Annotated[
        list[str] | None,
        typer.Option(
            "--prior",
            metavar="PRIOR",
            help="empirical (as by default), uniform, or LABEL=P for each label.",
            rich_help_panel=_OF_THE_MODEL,
            show_default=False,
        ),
    ] = None,
    prior_smoothing: Annotated[
        float | None,
        typer.Option(
            "--prior-smoothing",
            metavar="N",
            help="Added to the count of every class; 0 by default.",
            rich_help_panel=_OF_THE_MODEL,
            show_default=False,
        ),
    ] = None,
    missing: Annotated[
        str | None,
        typer.Option(
            "--missing",
            metavar="HOW",
            help="A missing cell is left out: marginalize (as by default); is a value: category; or is an error.",
            rich_help_panel=_OF_THE_MODEL,
            show_default=False,
        ),
    ] = None,
    ddof: Annotated[
        float | None,
        typer.Option(
            "--ddof",
            metavar="N",
            help="1 for the unbiased variance; 0 by default.",
            rich_help_panel=_OF_THE_MODEL,
            show_default=False,
        ),
    ] = None,
    as_json: opt.Json = False,
    form: opt.Form = None,
    delimiter: opt.Delimiter = None,
    decimal: opt.Decimal = ".",
    encoding: opt.Encoding = "utf-8",
) -> None:
    """Learn a model from a table, and save it.

    Example: tallybayes train adult.csv --target income --holdout 0.2
    """
    from tallybayes.cli.models import check_place, class_of, column_options, new_model, pairs, prior_option, save_model
    from tallybayes.cli.reading import Reading, progress
    from tallybayes.cli.writing import counted, named, print_json, show

    reading = Reading(data, form, delimiter, decimal, encoding)
    place = _default_output(data) if output is None else output
    check_place(place)
    reading.keep_apart(place)
    if holdout is not None:
        _check_holdout(holdout, reading)
    given_prior = prior_option(prior)
    learner = new_model(
        model,
        {
            "columns": column_options(columns),
            "factors": pairs(factors, "--factors", "age=kernel"),
            "numeric": numeric,
            "smoothing": smoothing,
            # Labels can be told apart only when they have been read; a prior needs no second look at the rows.
            "prior": "empirical" if isinstance(given_prior, dict) else given_prior,
            "prior_smoothing": prior_smoothing,
            "missing": missing,
            "ddof": ddof,
        },
    )
    with progress("learning", reading.open(target, weights)) as source:
        learner.fit(source)
    if isinstance(given_prior, dict):
        learner.set_params(prior={class_of(learner, label): share for label, share in given_prior.items()})
    summary = learner.summary()
    evaluation = None if holdout is None else _held_out(learner, reading, target, weights, holdout, seed)
    size = save_model(learner, place)

    rows = int(summary.rows.sum())
    if as_json:
        found = {"model": place, **summary.to_dict()}
        print_json(found if evaluation is None else found | {"holdout": holdout, "evaluation": evaluation.to_dict()})
        return
    classes = counted(len(summary.classes), "class", "classes")
    parts: list[Any] = [
        f"Learned {counted(rows, 'row')} of {reading.label}: {classes} of {target} ({named(summary.classes)})",
        learner.schema_,
    ]
    if evaluation is not None:
        parts += [
            f"On rows held out ({100 * (holdout or 0):g}%, seed {seed}), with a model of the others:",
            evaluation,
            "Rows add up: the model that is saved has learned all of them, those held out too.",
        ]
    show(*parts, f"Saved {place} ({size}). Next: tallybayes predict {place} NEW-DATA")


def _default_output(data: str) -> str:
    """Return the name of DATA, in this folder, with the ending of models."""
    name = os.path.basename(data).removesuffix(".gz")
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
    """Return how good the model is on some rows once they are taken out of it again."""
    import warnings

    from tallybayes.cli.models import rows_of
    from tallybayes.cli.reading import progress
    from tallybayes.decision.evaluate import evaluate
    from tallybayes.sources.part import PartSource

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to say of these rows has been said
        rows = PartSource(reading.open(target, weights), holdout, seed=seed, held_out=True)
        with progress("taking out", rows) as source:
            # What was learned of all rows less some of them is what is learned of the others.
            others = copy.copy(learner).forget(source)
    if not rows_of(others):
        raise OptionError(f"--holdout {holdout:g} leaves no row to learn from; give a smaller share.")
    with progress("evaluating", rows) as source:
        return evaluate(others, source)
