"""``tallybayes highlight``: the words that decided one text, on the terminal or as a page."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tallybayes.cli import options as opt
from tallybayes.errors import OptionError


def highlight(
    model: opt.Model,
    label: Annotated[
        str | None,
        typer.Option("--label", metavar="CLASS", help="The class; by default the likeliest.", show_default=False),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="CLASS",
            help="The class to compare with; by default the likeliest besides.",
            show_default=False,
        ),
    ] = None,
    html: Annotated[bool, typer.Option("--html", help="Write a page of HTML that stands by itself.")] = False,
    as_json: opt.Json = False,
) -> None:
    """Show which words decided a message or a text on standard input: green for the class, red against it.

    Example: tallybayes highlight mail.tally --html < message > why.html
    """
    from tallybayes.cli.message import read_message, text_or_mail, weighing_model
    from tallybayes.cli.models import class_of
    from tallybayes.cli.writing import print_json, show

    if html and as_json:
        raise OptionError("--html and --json both say how to write; leave one out.")
    fitted = weighing_model(model)
    named = [None if name is None else class_of(fitted, name) for name in (label, against)]
    found = fitted.highlight(text_or_mail(read_message()), label=named[0], against=named[1])
    if as_json:
        print_json(found.to_dict())
    elif html:
        head = '<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>Highlighted text</title></head>\n'
        sys.stdout.flush()
        sys.stdout.buffer.write(f"{head}<body>{found.html()}</body></html>\n".encode("utf-8", "replace"))
    else:
        show(found)
