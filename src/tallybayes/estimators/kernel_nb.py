"""Naive Bayes with a kernel density for each class and column."""

from __future__ import annotations

from tallybayes.estimators._base import TallyClassifier
from tallybayes.estimators._options import check_amount
from tallybayes.factors.kernel import Bandwidth, KernelFactor
from tallybayes.models.naive import NaiveModel
from tallybayes.models.prior import Prior, PriorSpec, check_prior
from tallybayes.schema.field import Schema
from tallybayes.schema.infer import fixed
from tallybayes.schema.rows import Rows


class KernelNB(TallyClassifier):
    """Naive Bayes whose columns have a Gaussian kernel density within each class.

    Rows are counted in bins, and densities come from the bins by a fast Fourier transform: neither the size
    of the model nor the time to predict grows with the number of rows.

    Parameters
    ----------
    bandwidth : {"silverman", "scott"} or float
        The deviation of the kernel: a rule that goes by the deviation and the number of rows of each class
        and column, or a number for all of them.
    prior : {"empirical", "uniform"}, dict or array
        P(c); a dict ``{label: probability}``, or an array in the order of ``classes_``.
    prior_smoothing : float
        Added to the count of every class in the empirical prior.

    Examples
    --------
    >>> from tallybayes import KernelNB
    >>> model = KernelNB().fit([[0.0], [0.2], [9.8], [10.0], [4.9], [5.1]], ["ends"] * 4 + ["middle"] * 2)
    >>> model.predict([[0.1], [5.0], [9.9]]).tolist()
    ['ends', 'middle', 'ends']
    """

    def __init__(
        self,
        *,
        bandwidth: Bandwidth = "silverman",
        prior: PriorSpec = "empirical",
        prior_smoothing: float = 0.0,
    ) -> None:
        self.bandwidth = bandwidth
        self.prior = prior
        self.prior_smoothing = prior_smoothing

    def _check_options(self) -> None:
        check_amount("prior_smoothing", self.prior_smoothing)
        check_prior(self.prior)
        KernelFactor((), bandwidth=self.bandwidth)

    def _schema_of(self, first: Rows, named: bool) -> Schema:
        return fixed(first.names, "numeric", named)

    def _model(self, schema: Schema) -> NaiveModel:
        factor = KernelFactor(schema.names, bandwidth=self.bandwidth)
        return NaiveModel(Prior(self.prior, self.prior_smoothing), {"kernel": factor})
