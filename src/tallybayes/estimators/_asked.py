"""What every fitted classifier can be asked, each question in a line."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from tallybayes._types import AnyArray, Floats, Value
from tallybayes.decision.posterior import log_evidence
from tallybayes.decision.scores import Piece
from tallybayes.estimators._joint_only import of_a_density, of_a_joint
from tallybayes.explain.evidence import Evidence
from tallybayes.explain.summary import Summary
from tallybayes.learn import ask
from tallybayes.learn.encoder import Encoder
from tallybayes.learn.learned import Learned
from tallybayes.learn.leave_one_out import left_out_posteriors
from tallybayes.learn.sample import sample
from tallybayes.models.base import Joint, class_tally
from tallybayes.schema.rows import Rows


class Asked(ABC):
    """The questions; the classifier says what it has learned, and what answers."""

    is_joint = True
    """Whether the scores are log p(x, c) of a distribution, which the posterior and the decision need."""

    not_joint_reason = ""
    """Why not, where they are not."""

    joint_remedy = "Use MultinomialNB"
    """And what to do then."""

    is_density = True
    """Whether such scores are log p(x, c) itself, and not but for a factor that all classes of a row have in common."""

    not_density_reason = ""
    """Why not, where they are not."""

    _learned: Learned

    @property
    @abstractmethod
    def classes_(self) -> AnyArray:
        """The classes, sorted."""

    @abstractmethod
    def _labels(self, X: Any, y: Any) -> Any:
        """Return the labels, which may be a column that the model knows of."""

    @abstractmethod
    def _joint(self) -> Joint:
        """Return the joint for what was learned and the hyperparameters as they are now."""

    @abstractmethod
    def _asked(self, X: Any, y: Any = None, sample_weight: Any = None) -> tuple[Joint, Iterator[Rows], Encoder]:
        """Return what answers, the rows that are asked about, and how they are read."""

    def predict(self, X: Any) -> AnyArray:
        """Return the most probable class of each row."""
        answer: AnyArray = self.classes_[ask.choice(*self._asked(X))]
        return answer

    def predict_proba(self, X: Any) -> Floats:
        """Return P(c | x), shape (rows, classes)."""
        return ask.posterior(*self._asked(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(c | x), shape (rows, classes)."""
        return ask.posterior(*self._asked(X), scale="log")

    def posteriors(self, X: Any) -> Iterator[Floats]:
        """Yield P(c | x) block by block in the order of the rows, for more rows than fit into memory."""
        return ask.posteriors(*self._asked(X))

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return log p(x, c), shape (rows, classes)."""
        return ask.log_joint(*self._asked(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the share of the rows whose label is the most probable class; rows without a label do not count.

        Parameters
        ----------
        X, y, sample_weight
            Labelled rows, as for `partial_fit`.
        """
        return ask.accuracy(*self._asked(X, self._labels(X, y), sample_weight))

    @of_a_density
    def score_samples(self, X: Any) -> Floats:
        """Return log p(x) of each row."""
        return log_evidence(self.predict_joint_log_proba(X))

    @of_a_density
    def log_likelihood(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the sum over the rows of weight * log p(x, y)."""
        return ask.log_likelihood(*self._asked(X, self._labels(X, y), sample_weight))

    @of_a_joint
    def labelled_posteriors(self, X: Any, y: Any = None, sample_weight: Any = None) -> Iterator[Piece]:
        """Yield P(c | x) beside the labels, piece by piece, which is what `tallybayes.evaluate` adds up.

        Parameters
        ----------
        X, y, sample_weight
            Labelled rows, as for `partial_fit`; a file is read in pieces.
        """
        return ask.labelled_posteriors(*self._asked(X, self._labels(X, y), sample_weight))

    @of_a_joint
    def leave_one_out(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Return P(c | x) of each row as the model gives it that learned all rows but this one, shape (rows, classes).

        This is exact, and costs about as much as `predict_proba`: the row is taken out of the counts. Values, edges,
        bandwidths and the choice of terms are those of all rows. A row without a label, or of weight 0, was not
        learned, and gets what `predict_proba` gives.

        Parameters
        ----------
        X, y, sample_weight
            Rows, labels and weights as they were learned, by `fit` or by `partial_fit`, all or some of them; without
            `y`, the labels are in the column that the model was trained for.

        Raises
        ------
        MergeError
            For a row that was never learned, where that shows: a class or a value is taken out more often than it is
            there.
        LeaveOneOutError
            For a model that single rows cannot be taken out of.

        Examples
        --------
        >>> from tallybayes import CategoricalNB
        >>> model = CategoricalNB().fit([[0], [0], [1], [1]], ["a", "a", "b", "a"])
        >>> model.leave_one_out([[0], [1]], ["a", "b"]).round(3).tolist()
        [[0.75, 0.25], [1.0, 0.0]]
        """
        return np.concatenate(list(left_out_posteriors(*self._asked(X, self._labels(X, y), sample_weight))))

    @of_a_joint
    def odds(self, X: Any, a: Value, b: Value) -> Floats:
        """Return P(a | x) / P(b | x) of each row; where both are zero, the odds of the prior."""
        return ask.odds(self._joint(), self.predict_joint_log_proba(X), a, b)

    @of_a_joint
    def explain(self, X: Any, *, label: Value | None = None, against: Value | None = None) -> Evidence:
        """Return what each column says for a class against another, row by row.

        Parameters
        ----------
        X
            The rows.
        label : class, optional
            The class that is explained; by default the most probable one of each row.
        against : class, optional
            The other class; by default the most probable one besides.
        """
        return ask.explain(*self._asked(X), self._learned.schema.names, label=label, against=against)

    @of_a_density
    def sample(self, n: int = 1, *, random_state: Any = None) -> tuple[Any, AnyArray]:
        """Draw `n` rows and their classes from the model.

        Returns
        -------
        X : pyarrow.Table or array
            A table where the columns have names, an array where they have positions.
        y : array
            The classes.
        """
        X, codes = sample(self._joint(), self._learned.schema, n, random_state)
        return X, self.classes_[codes]

    def summary(self) -> Summary:
        """Return what is in the model: its classes, what its columns mean, and their distributions."""
        joint, learned = self._joint(), self._learned
        counted = class_tally(learned.tallies)
        rows, weights = counted.aligned(joint.classes)
        return Summary(repr(self), learned.schema, joint.classes, rows, weights, joint.log_prior, joint.digests())
