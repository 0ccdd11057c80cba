"""The arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

Data: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A .csv, .tsv, .parquet, .arrow, .feather or .jsonl file, text also as .gz; - is standard input.",
        show_default=False,
    ),
]
Model: TypeAlias = Annotated[str, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)]

Target: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="COL",
        help="The column of labels; by default the one that was trained with.",
        show_default=False,
    ),
]
NewTarget: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--target",
        metavar="COL",
        help="The column of labels; in a folder of texts, that of the names of its folders.",
        show_default=False,
    ),
]
NewModel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="MODEL",
        help="The model file; by default the name of DATA with .tally, in this folder.",
        show_default=False,
    ),
]
Holdout: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--holdout",
        metavar="SHARE",
        help="Say how good the model is on this share of the rows, learned from the others.",
        show_default=False,
    ),
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", metavar="N", help="Another seed holds out other rows.")]
Weights: TypeAlias = Annotated[
    str | None, typer.Option("--weights", metavar="COL", help="A column of weights.", show_default=False)
]
Output: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="Write to this file, in the format of its ending; - is standard output.",
        show_default=False,
    ),
]
ModelOutput: TypeAlias = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="MODEL", help="Write here, and leave the old file.", show_default=False),
]
CostsFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--costs",
        metavar="FILE",
        help="What decisions cost: a CSV of predicted,true,cost, or JSON.",
        show_default=False,
    ),
]
Reject: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--reject", metavar="COST", help="What no decision costs; dearer rows are left undecided.", show_default=False
    ),
]
Keep: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="COL", help="A column of DATA to write too; repeatable.", show_default=False),
]
Json: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on standard output.")]

To: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--to",
        metavar="FORMAT",
        help="Write csv, tsv, parquet, arrow or jsonl, where the name of OUT does not tell; for - it is csv.",
        show_default=False,
    ),
]
Form: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="DATA is csv, tsv, parquet, arrow or jsonl, where its name does not tell; for - it is csv.",
        rich_help_panel="Reading",
        show_default=False,
    ),
]
Delimiter: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="CHAR",
        help="What separates the cells of text.",
        rich_help_panel="Reading",
        show_default=False,
    ),
]
Decimal: TypeAlias = Annotated[
    str,
    typer.Option(
        "--decimal",
        metavar="CHAR",
        help="What stands before a fraction in text: a point, or a comma.",
        rich_help_panel="Reading",
    ),
]
Encoding: TypeAlias = Annotated[
    str,
    typer.Option(
        "--encoding",
        metavar="NAME",
        help="Of text, such as gb18030 or latin-1.",
        rich_help_panel="Reading",
    ),
]
