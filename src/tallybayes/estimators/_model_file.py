"""A fitted estimator as a model file, and back: its options, its columns and its tallies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from typing import Any, get_args

from tallybayes._types import AnyArray
from tallybayes.errors import ModelFileError, TallyBayesError, UnsupportedDataError
from tallybayes.estimators._learner import Learner
from tallybayes.estimators._options import option_of, plain_option
from tallybayes.estimators._registry import MODELS, estimator, unfaced
from tallybayes.learn.learned import Learned
from tallybayes.models.base import class_tally
from tallybayes.schema.field import CellType, Schema
from tallybayes.storage.file import load_model, save_model
from tallybayes.storage.plain import from_plain, to_plain
from tallybayes.tallies.base import State
from tallybayes.tallies.layout import plain_values


def save(path: str | PathLike[str], name: str, options: Mapping[str, Any], learned: Learned) -> None:
    """Write what an estimator of a name and with some options has learned, whole or not at all."""
    _check_path(path)
    states = {key: tally.state() for key, tally in learned.tallies.items()}
    header = {
        "estimator": name,
        "options": {key: to_plain(plain_option(key, value), f"{key}=") for key, value in options.items()},
        "schema": learned.schema.to_dict(),
        "target": learned.target,
        "target_type": learned.target_type,
        "declared": list(learned.declared),
        "tallies": {key: to_plain(dict(state.header), key) for key, state in states.items()},
    }
    if learned.chosen:
        header["chosen"] = dict(learned.chosen)
    if learned.found:
        header["found"] = to_plain(dict(learned.found), "what fit compared")
    arrays = {f"{key}/{name}": array for key, state in states.items() for name, array in state.arrays.items()}
    save_model(path, header, arrays)


def save_language(path: str | PathLike[str], name: str, options: Mapping[str, Any], language: State) -> None:
    """Write a language model that was read and not learned, whole or not at all."""
    _check_path(path)
    plain = {key: to_plain(plain_option(key, value), f"{key}=") for key, value in options.items()}
    header = {"estimator": name, "options": plain, "language": to_plain(dict(language.header), "language")}
    save_model(path, header, language.arrays)


def load(path: str | PathLike[str]) -> Any:
    """Return the model in a file that ``save`` wrote; it goes on where it was, and can go on learning.

    Opening a file runs no code in it.

    Parameters
    ----------
    path : str or os.PathLike
        The model file.

    Raises
    ------
    ModelFileError
        Where the file is damaged, no model, newer than this library, or made to do harm.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import tallybayes
    >>> model = tallybayes.NaiveBayes().fit([{"sky": "blue"}, {"sky": "grey"}], ["sail", "stay"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(pathlib.Path(folder, "x.tally"))
    ...     again = tallybayes.load(pathlib.Path(folder, "x.tally"))
    >>> again.predict([{"sky": "blue"}]).tolist()
    ['sail']
    """
    return _loaded(path, lambda name, **options: estimator(name)(**options))


def opened(path: str | PathLike[str]) -> Any:
    """Return the model in a file, to be asked and to learn on, without scikit-learn's face where it can do without.

    What it answers, and what it saves, is what the model of `load` does. It is there much sooner: to import
    scikit-learn takes longer than to answer for a few rows.
    """
    return _loaded(path, unfaced)


def _loaded(path: str | PathLike[str], make: Callable[..., Any]) -> Any:
    """Return the model in a file, made by its name and options."""
    _check_path(path)
    header, arrays = load_model(path)
    try:
        return _model(header, arrays, make)
    except (TallyBayesError, AttributeError, LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise ModelFileError(
            f"{str(path)!r} holds no model that this version can use: {error} "
            "Get the file again from where the model was trained, or train it again."
        ) from error


def _check_path(path: Any) -> None:
    if not isinstance(path, str | bytes | PathLike):
        raise UnsupportedDataError(f"{path!r} is no path of a file; give a string such as 'model.tally'.")


def _model(header: Mapping[str, Any], arrays: Mapping[str, AnyArray], make: Callable[..., Any]) -> Learner:
    name = header["estimator"]
    if name not in MODELS:
        raise ModelFileError(f"{name!r} is no estimator of this library.")
    options = {key: option_of(key, from_plain(value)) for key, value in header["options"].items()}
    model: Learner = make(name, **options)
    model._check_options()
    if "language" in header:
        adopt: Callable[[State], None] = model._adopt_read  # type: ignore[attr-defined]
        adopt(State(from_plain(header["language"]), arrays))
        return model
    schema = Schema.from_dict(header["schema"])
    parts: dict[str, dict[str, AnyArray]] = {key: {} for key in header["tallies"]}
    for place, array in arrays.items():
        key, _, part = place.rpartition("/")
        parts[key][part] = array
    chosen = header.get("chosen", {})
    if not isinstance(chosen, dict):
        raise ModelFileError(f"What fit chose is {chosen!r}, which is no choice.")
    found = from_plain(header.get("found", {}))
    if not isinstance(found, dict):
        raise ModelFileError(f"What fit compared is {found!r}, which is no comparison.")
    needs = _kind_of_model(model, schema, chosen).needs()
    if needs.keys() != parts.keys():
        raise ModelFileError(f"Its counts {sorted(parts)} are not those that a {name} has.")
    tallies = {key: type(needs[key]).from_state(State(from_plain(header["tallies"][key]), parts[key])) for key in needs}
    counted = class_tally(tallies)
    odd = [key for key, tally in tallies.items() if not tally.agrees(counted.classes, counted.rows)]
    if odd:
        raise ModelFileError(f"Its counts {odd} are of other rows than those of the classes.")
    for column, values in Learned(schema, tallies, None, "unknown").values.items():
        field = schema[column]
        if (field.edges is not None or field.kept is not None) and any(v not in (field.declared or ()) for v in values):
            raise ModelFileError(
                f"Its counts of the column {column!r} are of other values than those that it is cut into."
            )
    target, target_type = header["target"], header["target_type"]
    if target_type not in get_args(CellType) or not isinstance(target, str | None):
        raise ModelFileError(f"Its target {target!r} of the type {target_type!r} is none that there can be.")
    declared = plain_values(header["declared"], "declared")
    learned = Learned(schema, tallies, target, target_type, declared, chosen, found)
    learned.for_model(_kind_of_model(model, schema, chosen))
    model._check_learned(learned)
    model._adopt(learned)
    return model


def _kind_of_model(model: Any, schema: Schema, chosen: Mapping[str, Any]) -> Any:
    """Return what an estimator needs counts for; one that is no classifier chooses nothing."""
    return model._chosen_model(schema, chosen) if isinstance(model, Learner) else model._model(schema)
