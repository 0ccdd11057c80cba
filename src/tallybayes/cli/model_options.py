"""The options of ``train`` that are the model's."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import typer


def _option(name: str, metavar: str, words: str) -> Any:
    """Return an option of the model."""
    return typer.Option(name, metavar=metavar, help=words, rich_help_panel="The model", show_default=False)


Model: TypeAlias = Annotated[
    str | None,
    _option(
        "--model",
        "NAME",
        "auto, the one of many that predicts best, as by default; nb, naive Bayes, as where one of its options is "
        "given; tan, spode, aode, kdb; text or ngram for a column of texts; or gaussian, bernoulli, multinomial, "
        "complement, categorical, kernel.",
    ),
]
Text: TypeAlias = Annotated[
    str | None, _option("--text", "COL", "The column of texts, for the models of texts, where there are other columns.")
]
Columns: TypeAlias = Annotated[
    list[str] | None,
    _option(
        "--columns",
        "COL=KIND",
        "What a column means: categorical, boolean, numeric, count, text or ignored, or its values as COL=S,M,L; "
        "repeatable.",
    ),
]
Factors: TypeAlias = Annotated[
    list[str] | None,
    _option(
        "--factors",
        "COL=NAME",
        "How a column is distributed: categorical, bernoulli, multinomial, poisson, gaussian, kernel, histogram or "
        "bins; repeatable.",
    ),
]
Numeric: TypeAlias = Annotated[
    str | None,
    _option("--numeric", "NAME", "How the other numbers are: gaussian (as by default), kernel, histogram or bins."),
]
Smoothing: TypeAlias = Annotated[
    float | None,
    _option("--smoothing", "N", "Added to every count; 1 by default, and 0 is maximum likelihood."),
]
Prior: TypeAlias = Annotated[
    list[str] | None,
    _option("--prior", "PRIOR", "empirical (as by default), uniform, or LABEL=P for each label."),
]
PriorSmoothing: TypeAlias = Annotated[
    float | None, _option("--prior-smoothing", "N", "Added to the count of every class; 0 by default.")
]
Missing: TypeAlias = Annotated[
    str | None,
    _option(
        "--missing",
        "HOW",
        "A missing cell is left out: marginalize (as by default); is a value: category; or is an error.",
    ),
]
Ddof: TypeAlias = Annotated[float | None, _option("--ddof", "N", "1 for the unbiased variance; 0 by default.")]
Settings: TypeAlias = Annotated[
    list[str] | None,
    _option(
        "--set",
        "OPTION=VALUE",
        "Any option of the model by its name in the library, such as event=bernoulli, ngrams=1,2 or min_df=2; "
        "repeatable.",
    ),
]
