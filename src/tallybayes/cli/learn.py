"""``tallybayes learn``: one message from standard input into a model, or out of it again."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer

from tallybayes.cli import options as opt


def learn(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model file; it is made where there is none.", show_default=False)
    ],
    label: Annotated[str, typer.Option("--as", metavar="CLASS", help="What the message is.", show_default=False)],
    unlearn: Annotated[bool, typer.Option("--unlearn", help="Take the message out again, exactly.")] = False,
    as_json: opt.Json = False,
) -> None:
    """Learn one message from standard input, or take one out again that was learned by mistake.

    Example: tallybayes learn mail.tally --as spam < message
    """
    from tallybayes.cli.message import as_rows, read_message, text_model, text_of
    from tallybayes.cli.models import check_place, class_of, contents, rows_of, save_model
    from tallybayes.cli.saying import say
    from tallybayes.cli.writing import named, print_json, show
    from tallybayes.errors import OptionError
    from tallybayes.estimators._registry import unfaced
    from tallybayes.storage.lock import alone_with

    if not label.strip():
        raise OptionError("--as is empty; say what the message is, such as --as spam.")
    text = text_of(read_message())
    check_place(model)
    with alone_with(model):
        if os.path.exists(model) or unlearn:
            fitted: Any = text_model(model)
            known = [str(name) for name in fitted.classes_.tolist()]
            (fitted.forget if unlearn else fitted.partial_fit)(as_rows(text, fitted), [class_of(fitted, label)])
        else:
            known = []
            fitted = unfaced("TextNB", html="skip", urls="mark").fit(as_rows(text), [label])
        size = save_model(fitted, model)
    if label not in known and len(known) > 1:
        say("note", f"{label!r} is a new class beside {named(known)}; take the message out again if it is a slip")
    if as_json:
        print_json({"model": model, "rows": rows_of(fitted), "classes": fitted.classes_.tolist()})
        return
    done = "taken out" if unlearn else "learned"
    show(f"One message {done} as {label}; the model now has {contents(fitted)}.\nSaved {model} ({size}).")
