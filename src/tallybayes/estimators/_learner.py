"""A classifier whose state is what it has learned: it opens sources, folds tallies and asks the joint.

Nothing here imports scikit-learn, whose import takes longer than most answers to a single row.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Collection, Iterator, Mapping
from inspect import signature
from os import PathLike
from typing import Any, Self

import numpy as np

from tallybayes._types import AnyArray, Name, is_sparse
from tallybayes.errors import TargetError, warn
from tallybayes.estimators._asked import Asked
from tallybayes.estimators._classes import refuse_new_classes, told_classes
from tallybayes.estimators._memo import Memo
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.fold import fold
from tallybayes.learn.learned import Learned
from tallybayes.learn.passes import Passes
from tallybayes.learn.portions import portions
from tallybayes.models.base import Joint, JointModel, Tallies, class_tally
from tallybayes.schema.agree import refuse_other_kinds
from tallybayes.schema.field import CellType, Schema
from tallybayes.schema.labels import target_type
from tallybayes.schema.late import told_when_late
from tallybayes.schema.match import match
from tallybayes.schema.rows import Rows
from tallybayes.schema.unseen import told_when_unseen
from tallybayes.schema.values import Values
from tallybayes.sources.base import Source, some_rows
from tallybayes.sources.open import open_source


class Learner(Asked):
    """A classifier without scikit-learn's face; parameters are computed when first needed."""

    classes_grow = True
    """Whether `partial_fit` takes classes that it was not told of; those of scikit-learn do not."""

    _face = ""
    """The name of the estimator that a model without one was read from a file of."""

    @property
    def _name(self) -> str:
        """What the model is called in messages and files."""
        return self._face or type(self).__name__

    def _options(self) -> Mapping[str, Any]:
        """Return the hyperparameters by their names."""
        return {name: getattr(self, name) for name in sorted(signature(type(self)).parameters)}

    # What a final class says ----------------------------------------------------------------------------

    @abstractmethod
    def _check_options(self) -> None:
        """Refuse hyperparameters that no data could make right."""

    @abstractmethod
    def _schema_of(self, first: Rows, named: bool) -> Schema:
        """Return what the columns mean, from the first rows."""

    @abstractmethod
    def _model(self, schema: Schema) -> JointModel:
        """Return the model for some columns, from the hyperparameters."""

    def _chosen_model(self, schema: Schema, chosen: Mapping[str, Any]) -> JointModel:
        """Return the model for some columns and what `fit` chose, which most models have nothing of."""
        return self._model(schema)

    def _rereads(self, schema: Schema) -> bool:
        """Return whether `fit` reads the rows more than once, as the next two may ask it to."""
        return False

    def _prepared(self, schema: Schema, passes: Passes, target_type: CellType) -> tuple[Schema, Mapping[str, Any]]:
        """Return what `fit` chooses before it counts: the columns with their edges, and plain JSON for `_chosen_model`.

        Not called where a model goes on from what it has learned.
        """
        return schema, {}

    def _selected(self, learned: Learned, passes: Passes) -> Learned:
        """Return what `fit` keeps of what it has counted, with what it chooses by it."""
        return learned

    def _refuses_missing(self) -> bool:
        return False

    def _given(self, X: Any) -> Any:
        """Return rows in a form that a source takes."""
        return X

    def _wanted(self) -> Collection[Name] | None:
        """Return the columns to be learned, where not all are."""
        return None

    def _check_learned(self, learned: Learned) -> None:
        """Refuse what was counted, before it is taken over."""

    # Learning -------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from rows and labels, forgetting what was learned before.

        Parameters
        ----------
        X : array, sparse matrix, list of rows or dicts, frame, Arrow data, or path to a file
            The rows.
        y : array-like, or the name of a column of `X`
            The labels.
        sample_weight : array-like or the name of a column of `X`, optional
            Weights, 0 or more.
        """
        return self._learn(X, y, sample_weight, None, before=None)

    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to what was learned.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`; without `y`, the labels are in the column that the model was trained for.
        classes : array-like, optional
            Classes that are to be known before any row has them. The drop-ins for scikit-learn's classifiers
            must be told all of them at the first call; for the others, new ones may come at any time.
        """
        before = self._learned if self.__sklearn_is_fitted__() else None
        return self._learn(X, y, sample_weight, self._told(classes, before), before=before)

    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take rows out again, as if they had never been learned.

        Parameters
        ----------
        X, y, sample_weight
            Rows, labels and weights as they were learned; without `y`, the labels are in the column that the model
            was trained for.
        """
        learned = self._what_was_learned()
        source = self._open(X, self._labels(X, y), sample_weight)
        model = self._chosen_model(learned.schema, learned.chosen)
        learned.for_model(model)
        encoder = self._encoder(learned)
        counted = fold(portions(some_rows(source), encoder), encoder, model.needs(), target=source.target)
        self._adopt(learned.minus(counted))
        return self

    def _learn(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        declared: Values | None,
        *,
        before: Learned | None,
        anew: bool = False,
    ) -> Self:
        """Learn rows on top of what was learned before, or `anew` with no more of it than its columns and classes."""
        self._check_options()
        X = self._given(X)
        if before is not None:
            y = self._labels(X, y)
        source = (
            self._open(X, y, sample_weight)
            if before is not None
            else open_source(X, y, sample_weight, only=self._wanted())
        )
        if y is None and not isinstance(X, Source) and source.target is None:
            raise TargetError(
                f"This {self._name} estimator requires y to be passed, but the target y is None. "
                "Give one label a row, or the name of the target's column."
            )
        rows = some_rows(source)
        first = next(rows)
        if before is not None:
            refuse_other_kinds(before.schema, first)
        passes = Passes(source, first, rows)
        new = before is None or anew
        if before is None or anew:
            before = self._begun(passes, before)
        model = self._chosen_model(before.schema, before.chosen)
        before.for_model(model)
        encoder = self._encoder(before)
        pieces = portions(told_when_late(passes.rows(), before.schema), encoder)
        counted = fold(pieces, encoder, model.needs(), target=source.target)
        learned = before.plus(counted, declared)
        if not self.classes_grow and (declared is not None or not new):
            refuse_new_classes(counted, before.classes if declared is None else declared)
        model.prior.check(learned.classes)
        if new:
            learned = self._selected(learned, passes)
        self._check_learned(learned)
        self._adopt(learned)
        if new and len(learned.classes) == 1:
            warn(f"The target has a single class, {learned.classes[0]!r}; every answer will be that class.")
        return self

    def _begun(self, passes: Passes, before: Learned | None) -> Learned:
        """Return what is known before anything is counted: columns, how labels are read, and what is chosen first."""
        first, source = passes.first, passes.source
        if before is None:
            schema, declared = self._schema_of(first, source.named), Values()
            labels: CellType = "unknown" if first.target is None else target_type(first.target, first.text)
        else:
            schema, declared, labels = before.schema.uncut(), before.declared, before.target_type
        passes.several = self._rereads(schema)
        schema, chosen = self._prepared(schema, passes, labels)
        return Learned(schema, self._chosen_model(schema, chosen).needs(), source.target, labels, declared, chosen)

    def _told(self, classes: Any, before: Learned | None) -> Values | None:
        """Return the classes that a call of `partial_fit` declares."""
        # What has forgotten every class starts anew.
        begun = before is not None and len(before.classes) > 0
        if classes is None:
            if not begun and not self.classes_grow:
                raise TargetError("classes must be passed on the first call to partial_fit.")
            return None
        told = told_classes(classes)
        if before is not None and begun and not self.classes_grow and told != before.classes:
            raise TargetError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: "
                f"{list(before.classes)!r}. Leave it out from the second call on."
            )
        return told

    def _adopt(self, learned: Learned) -> None:
        """Take over what was learned, all at once, so that a failure before leaves the model as it was."""
        self._learned = learned
        self._memo = Memo()
        self.n_features_in_ = len(learned.schema)
        if learned.schema.named:
            self.feature_names_in_ = np.array(learned.schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    # What was learned -----------------------------------------------------------------------------------

    @property
    def schema_(self) -> Schema:
        """What the columns mean, and why."""
        return self._what_was_learned().schema

    @property
    def tallies_(self) -> Tallies:
        """What was counted."""
        return self._what_was_learned().tallies

    @property
    def classes_(self) -> AnyArray:
        return self._what_was_learned().classes.to_array()

    @property
    def target_(self) -> Name | None:
        """The name of the column of labels, where it has one; None otherwise."""
        return self._what_was_learned().target

    def save(self, path: str | PathLike[str]) -> None:
        """Write what was learned to a model file, from which `tallybayes.load` goes on."""
        from tallybayes.estimators._model_file import save

        save(path, self._name, self._options(), self._what_was_learned())

    # Answering ------------------------------------------------------------------------------------------

    def _joint(self) -> Joint:
        """Return the joint for what was learned and the hyperparameters as they are now."""
        learned = self._what_was_learned()
        return self._memo.joint(learned, self._options(), self._estimate)

    def _estimate(self) -> Joint:
        learned = self._learned
        self._check_options()
        model = self._chosen_model(learned.schema, learned.chosen)
        tallies = learned.for_model(model)
        counted = class_tally(learned.tallies)
        if not counted.classes:
            from tallybayes.decision.unfitted import UnfittedError  # which is scikit-learn's, too

            raise UnfittedError(f"This {self._name} has forgotten every row that it had learned; call fit again.")
        return model.estimate(tallies, learned.classes)

    # Rows -----------------------------------------------------------------------------------------------

    def _labels(self, X: Any, y: Any) -> Any:
        """Return the labels as they were given, or the column that the model was trained for, where X has names."""
        own = isinstance(X, Source) or getattr(X, "target", None) is not None
        nameless = isinstance(X, np.ndarray) or is_sparse(X)
        return self.target_ if y is None and not own and not nameless else y

    def _asked(self, X: Any, y: Any = None, sample_weight: Any = None) -> tuple[Joint, Iterator[Rows], Encoder]:
        """Return what answers, the rows that are asked about, and how they are read."""
        joint = self._joint()
        learned = self._learned
        rows = told_when_unseen(some_rows(self._open(X, y, sample_weight)), learned.schema, learned.values)
        encoder = self._encoder(learned)
        return joint, portions(rows, encoder), encoder

    def _open(self, X: Any, y: Any = None, sample_weight: Any = None) -> Source:
        """Open rows for a model that knows its columns, and say what does not fit."""
        schema, name = self._learned.schema, self._name
        source = open_source(self._given(X), y, sample_weight, only=schema.names)
        if schema.named and not source.named:
            warn(f"X does not have valid feature names, but {name} was fitted with feature names")
        if source.named and not schema.named:
            warn(f"X has feature names, but {name} was fitted without feature names")
        # Who has said which columns are wanted knows of the others.
        extra = source.extra if self._wanted() is None else ()
        match((*source.names, *extra), schema, warn=True, estimator=name)
        return source

    def _encoder(self, learned: Learned) -> Encoder:
        return Encoder(learned.schema, learned.target_type, self._refuses_missing(), self._name)

    # What scikit-learn asks -----------------------------------------------------------------------------

    def _what_was_learned(self) -> Learned:
        if not self.__sklearn_is_fitted__():
            from tallybayes.decision.unfitted import unfitted

            raise unfitted(self)
        return self._learned

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_learned")
