"""Estimators of scikit-learn, which are optimizers of PySINDy too.

By default the terms are the features themselves, so that `coef_` has one column per feature, as
both packages expect. With `max_degree` or `terms` the estimators make terms of the features, and
`terms_` says what the columns of `coef_` are.

An estimator is a dataclass. It declares the parameters that only it has, and inherits the others
with their docs; `__init__`, whose signature scikit-learn reads, follows from both.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import (
    _check_feature_names_in,
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from . import _request, _workers
from ._native import fit_arrays
from ._progress import watching
from ._study import Study
from ._system import Array

__all__ = ["FROLS", "MIOSR", "SR3", "STLSQ"]
__all__ += ["BayesianStepwise", "BestSubset", "ComprehensiveSearch"]

Texts = str | Iterable[str] | None

# Whether the features are finite is seen where they are read, for less than another pass over them
# costs.
_ARRAY = {"dtype": np.float64, "ensure_all_finite": False}

# What several classes have is explained once: {learner}, {search} or {peer} in their docs stands
# for these texts, which end where an example of their own begins.
_CONSTANT = """\
constant : {'free', 'forced', 'none'}, optional
    The constant: a candidate, always in, or absent. If not given, as the method has it on the
    command line; and absent where a feature never varies, since PySINDy's libraries bring their
    own.
"""
_SEARCH = """\
criterion : str
    What makes one equation better than another, for 'best': 'residual', 'evidence', 'bic', 'ebic',
    'aic', 'aicc', 'adjusted-r2', 'unit-information', 'hyper-g' or 'zellner-siow'.
size_prior : {'uniform-models', 'uniform-sizes'}
    How likely sizes are beforehand.
max_terms : int
    The largest equation searched.
keep : int
    How many equations are kept of each size.
"""
_PEER = """\
normalize_columns : bool
    Whether the method works on terms of unit length.
unbias : bool
    Whether least squares on the final terms replaces the method's own coefficients.
folds : int, optional
    Folds of the cross-validation, if something is to be chosen by one.
copy_X : bool
    Ignored: data are never changed.
constant : {'free', 'forced', 'none'}
    The constant: absent as in PySINDy, unless one is asked for.
"""
_SHARED = """\
max_degree, max_power : int
    The highest total power, and the highest power of one feature, of the monomials to choose
    from. With a degree of 1 the features are the terms. If only the degree is given, powers go up
    to 4 or as far as it allows.
terms : str or list of str, optional
    Further terms over the features, such as 'sin(x0)'.
only_terms : bool
    Whether `terms` are the only ones.
require, exclude : str or list of str, optional
    Terms that must, or must not, be in the equation.
n_jobs : int, optional
    Threads; all cores if not given. Within `joblib.parallel_config(backend=...)`, how many tasks
    of that engine; all its workers if not given. Never changes the answer.
time_limit : float, optional
    Seconds after which the search stops; warnings say what is not proven then.
verbose : bool
    Whether to show progress.

Attributes
----------
coef_ : array of shape (n_terms,) or (n_targets, n_terms)
    The coefficients, 0 for terms that are not in the equation.
intercept_ : float or array of shape (n_targets,)
    The constant.
terms_ : array of shape (n_terms,)
    The terms that the columns of `coef_` belong to.
study_ : Study, or a list of one per target
    Ranking, equations, probabilities, warnings.
models_ : list of Model
    One equation per target.
equations_ : list of str
    The same as text.
n_iter_ : int
    How many sizes were searched, or rounds made.

Examples
--------
>>> import numpy as np, eqlearn
>>> X = np.random.default_rng(0).normal(size=(50, 4))
>>> y = 2 * X[:, 0] - X[:, 2] + 0.01 * np.sin(np.arange(50))
"""
_DOCS = {
    "learner": _CONSTANT + _SHARED,
    "search": _SEARCH + _CONSTANT + _SHARED,
    "peer": _PEER + _SHARED,
}


@dataclass(kw_only=True, eq=False, repr=False)
class _EquationLearner(MultiOutputMixin, RegressorMixin, BaseEstimator):
    """What all estimators share: data in, equation out."""

    max_degree: int = 1
    max_power: int | None = None
    terms: Texts = None
    only_terms: bool = False
    constant: str | None = None
    require: Texts = None
    exclude: Texts = None
    n_jobs: int | None = None
    time_limit: float | None = None
    verbose: bool = False

    # PySINDy's ensembles read these from every optimizer.
    max_iter = 20
    copy_X = True

    # The method, by the word of the command line.
    _method: ClassVar[str]
    # Knobs of the method that PySINDy calls differently, and what it calls them.
    _renamed: ClassVar[dict[str, str]] = {}

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        if cls.__doc__ is not None:
            cls.__doc__ = inspect.cleandoc(cls.__doc__)
            for name, text in _DOCS.items():
                cls.__doc__ = cls.__doc__.replace(f"{{{name}}}", text.rstrip())

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Learn one equation per target.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features.
        y : array-like of shape (n_samples,) or (n_samples, n_targets)
            The targets.
        sample_weight : array-like of shape (n_samples,), optional
            How much each row counts. Whole numbers are repetitions: a row of weight 3 is three
            rows. Other weights say how precise a row is beside the others, and change the number of
            observations only where they are 0.

        Returns
        -------
        self
        """
        rows = X, targets, weights = self._checked(X, y, sample_weight)
        features = [str(name) for name in _check_feature_names_in(self)]
        repeats = weights is not None and bool((weights == np.floor(weights)).all())
        columns = _target_names(y, targets.shape[1], features), repeats
        request = _request.encode({"features": features, **self._request(X)})
        with watching(bool(self.verbose)) as tell, _workers.active(self.n_jobs) as workers:
            try:
                outcomes = fit_arrays(rows, columns, request, tell, workers)
            except ValueError as error:
                raise self._in_own_words(error) from None
        self._keep(outcomes)
        return self

    def predict(self, X: Any) -> Array:
        """The value of each target for every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The features.

        Returns
        -------
        array of shape (n_samples,) or (n_samples, n_targets)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, **_ARRAY)
        columns = [model.predict(X) for model in self.models_]
        return columns[0] if self._one_target else np.stack(columns, axis=1)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray[Any, Any]:
        """The terms that the columns of `coef_` belong to."""
        check_is_fitted(self)
        return self.terms_

    @property
    def complexity(self) -> int:
        """How many coefficients are not zero, over all targets."""
        check_is_fitted(self)
        return int(np.count_nonzero(self.coef_) + np.count_nonzero(self.intercept_))

    def _checked(self, X: Any, y: Any, sample_weight: Any) -> tuple[Array, Array, Array | None]:
        """Features, one column per target, and weights."""
        X, y, weights = _without_marked_rows(X, y, sample_weight)
        X, y = validate_data(
            self, X, y, multi_output=True, y_numeric=True, ensure_min_samples=2, **_ARRAY
        )
        if weights is not None:
            weights = _check_sample_weight(weights, X, dtype=np.float64, ensure_non_negative=True)
            if not np.any(weights > 0):
                raise ValueError("all sample weights are zero, so there is nothing to learn from")
        targets = np.asarray(y, dtype=np.float64)
        self._one_target = targets.ndim == 1
        return X, targets.reshape(len(X), -1), weights

    def _request(self, X: Array) -> dict[str, Any]:
        given = {"method": self._method, **self.get_params(deep=False), **self._words()}
        given["threads"] = _request.threads_of(self.n_jobs)
        given["only_terms"] = bool(self.only_terms)
        if self.constant is None and _has_constant_column(X):
            # One constant is enough, unless another is asked for.
            given["constant"] = "none"
        return _request.request("fit", given)

    def _words(self) -> dict[str, Any]:
        """What is asked beside parameters of the same name, by the words of the command line."""
        return {}

    def _in_own_words(self, error: ValueError) -> ValueError:
        """What the library says about a knob, said about the parameter that it comes from."""
        word, is_about_it, wrong = str(error).partition(" is ")
        name = self._renamed.get(word.rstrip("_"))
        return ValueError(f"{name} is {wrong}") if is_about_it and name else error

    def _keep(self, outcomes: Sequence[Any]) -> None:
        """Results as attributes."""
        # Beyond the dictionary each target has terms of its own.
        texts = list(dict.fromkeys(term for outcome in outcomes for term in outcome.terms))
        coefficients = np.zeros((len(outcomes), len(texts)))
        for row, outcome in zip(coefficients, outcomes, strict=True):
            row[[texts.index(term) for term in outcome.terms]] = outcome.coefficients
        if not np.isfinite(coefficients).all():
            raise ValueError(
                "some coefficients are beyond all numbers: "
                "the scales of features and target are too far apart"
            )
        terms = np.array(texts, dtype=object)
        intercept = np.zeros(len(outcomes))
        constants = [o.terms[o.constant] for o in outcomes if o.constant is not None]
        if constants:
            place = texts.index(constants[0])
            intercept = coefficients[:, place]
            coefficients = np.delete(coefficients, place, axis=1)
            terms = np.delete(terms, place)
        self.terms_ = terms
        self.coef_ = coefficients[0] if self._one_target else coefficients
        self.intercept_ = float(intercept[0]) if self._one_target else intercept
        self.models_ = [outcome.model for outcome in outcomes]
        self.equations_ = [str(model) for model in self.models_]
        self.n_iter_ = max(outcome.rounds for outcome in outcomes)
        studies = [Study(outcome) for outcome in outcomes]
        self.study_ = studies[0] if len(studies) == 1 else studies
        for study in studies:
            prefix = "" if len(studies) == 1 else f"{study.model.target}: "
            study.warn(prefix=prefix, stacklevel=3)
        if self.max_iter == 0 or not all(outcome.settled for outcome in outcomes):
            text = f"{type(self).__name__} did not settle in {self.max_iter} rounds"
            warnings.warn(ConvergenceWarning(text), stacklevel=3)


def _target_names(y: Any, n_targets: int, features: list[str]) -> list[str]:
    """A name per target that no feature has: those of a Series or a DataFrame, if they will do."""
    given = getattr(y, "columns", [getattr(y, "name", None)])
    names = [str(name) for name in given if name is not None and not callable(name)]
    if not len(names) == len({name for name in names if name.strip()}) == n_targets:
        names = ["y"] if n_targets == 1 else [f"y{place}" for place in range(n_targets)]
    while set(features) & set(names):
        names = [f"{name}_" for name in names]
    return names


def _without_marked_rows(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Plain arrays without the rows that PySINDy marks.

    PySINDy's arrays have NaN where a record has no derivative, and its optimizers leave such rows
    out. In any other array NaN is an error, as everywhere in scikit-learn.
    """
    if not any(type(array).__module__.startswith("pysindy.") for array in (X, y)):
        return X, y, sample_weight
    X, y = np.asarray(X), np.asarray(y)
    good = ~(np.isnan(X).any(axis=1) | np.isnan(y.reshape(len(y), -1)).any(axis=1))
    if sample_weight is not None and np.ndim(sample_weight) == 1:
        sample_weight = np.asarray(sample_weight)[good]
    return X[good], y[good], sample_weight


def _has_constant_column(X: Array) -> bool:
    """Whether a column never varies; most columns are ruled out by two of their rows."""
    suspects = np.flatnonzero(X[0] == X[-1])
    return any(bool((X[:, place] == X[0, place]).all()) for place in suspects)


@dataclass(kw_only=True, eq=False, repr=False)
class _Search(_EquationLearner):
    """What exact searches share."""

    criterion: str = "residual"
    size_prior: str = "uniform-models"
    max_terms: int = 8
    keep: int = 25


@dataclass(eq=False, repr=False)
class ComprehensiveSearch(_Search):
    """The best equation of all small ones, found by exact search.

    Parameters
    ----------
    method : {'best', 'cs-r2', 'cs-evidence'}
        'best' chooses by `criterion` from exact lists of all sizes that can win; 'cs-r2' and
        'cs-evidence' are the paper's comprehensive search, by consistency of the best R² and by
        model evidence p(M).
    prune : bool
        Whether the paper's methods leave out terms that no listed support of two sizes has.
    vocabulary : str, optional
        How rich the terms may be: 'auto' goes beyond the given terms while the law seems to be
        outside, up to 'powers', 'functions', 'fractions' or 'parameters' as far as that. If not
        given, the terms are the only ones. `coef_` then has the terms of the law that was found:
        of a fraction those above the line, of a law of 1/y those of 1/y. `predict` gives y.
    noise : str, optional
        How the noise varies from row to row: 'auto' finds out, 'even', or 'relative' to the value.
        If not given, as in the whole package where a vocabulary is, and even otherwise.
    robust : bool
        Leave out rows that do not belong to the law that the others follow, and name them.
    {search}
    >>> eqlearn.ComprehensiveSearch(max_degree=2).fit(X, X[:, 1] * y).study_.terms
    ['x0*x1', 'x1*x2']
    >>> beyond = eqlearn.ComprehensiveSearch(vocabulary="auto")
    >>> beyond.fit(X[:, :1], np.exp(X[:, 0])).equations_
    ['log(y) = 1 x0']
    """

    method: str = "best"
    _: KW_ONLY
    prune: bool = True
    vocabulary: str | None = None
    noise: str | None = None
    robust: bool = False

    _method = "best"

    def _words(self) -> dict[str, Any]:
        if self.method not in ("best", "cs-r2", "cs-evidence"):
            known = "'best', 'cs-r2' or 'cs-evidence'"
            raise ValueError(f"method is {self.method!r}; it must be {known}")
        return {"robust": True if self.robust else None}


@dataclass(eq=False, repr=False)
class BestSubset(_Search):
    """Exact lists of the best equations of every size, the best of which is chosen by a criterion.

    Unlike `ComprehensiveSearch` it never ends before `max_terms`, however little a larger size
    promises.

    Parameters
    ----------
    {search}
    >>> model = eqlearn.BestSubset(max_terms=3).fit(X, y)
    >>> [size["best"][0]["terms"] for size in model.study_.document["search"]["sizes"]][:2]
    [['x0'], ['x0', 'x2']]
    """

    max_terms: int = 8

    _method = "best-subset"


@dataclass(eq=False, repr=False)
class BayesianStepwise(_EquationLearner):
    """The paper's stepwise regression: add and remove terms as long as the model evidence grows.

    Parameters
    ----------
    {learner}
    >>> eqlearn.BayesianStepwise().fit(X, 1 + y).study_.terms
    ['1', 'x0', 'x2']
    """

    _method = "bsr"


@dataclass(kw_only=True, eq=False, repr=False)
class _Peer(_EquationLearner):
    """An optimizer of PySINDy: parameters that only a subclass has are knobs of its method."""

    normalize_columns: bool = False
    unbias: bool = True
    folds: int | None = None
    copy_X: bool = True
    constant: str | None = "none"

    # What `folds` choose, where it is more than a limit.
    _chosen: ClassVar[str | None] = None

    def _words(self) -> dict[str, Any]:
        # 0 has a meaning on the command line, where a knob need not be given.
        folds = 0 if self.folds is None else _request.whole("folds", self.folds, 2)
        return {"cv": folds, "knobs": self._knobs()}

    def _knobs(self) -> dict[str, Any]:
        """The knobs of the method, by the words of the command line."""
        own = {field.name for field in fields(self)} - {field.name for field in fields(_Peer)}
        knobs = {name: getattr(self, name) for name in own}
        knobs |= {word: knobs.pop(name) for word, name in self._renamed.items()}
        if self.folds is not None and self._chosen is not None:
            del knobs[self._chosen]
        if knobs.get("max_iter") == 0:
            # PySINDy takes all rounds away and expects a warning. One is made; none was allowed.
            knobs["max_iter"] = 1
        return {**knobs, "normalize": bool(self.normalize_columns), "unbias": bool(self.unbias)}


@dataclass(eq=False, repr=False)
class STLSQ(_Peer):
    """Sequentially thresholded least squares, with the numbers of `pysindy.STLSQ`.

    Parameters
    ----------
    threshold : float
        A smaller coefficient is dropped; `folds` choose it.
    alpha : float
        The ridge penalty of each round.
    max_iter : int
        The most rounds.
    {peer}
    >>> eqlearn.STLSQ(threshold=0.2).fit(X, y).coef_.round(1).tolist()
    [2.0, 0.0, -1.0, 0.0]
    """

    threshold: float = 0.1
    alpha: float = 0.05
    max_iter: int = 20

    _method = "stlsq"
    _chosen = "threshold"


@dataclass(eq=False, repr=False)
class SR3(_Peer):
    """Sparse relaxed regularised regression, with the numbers of `pysindy.SR3`.

    Parameters
    ----------
    reg_weight_lam : float
        The weight of the regulariser; `folds` choose it.
    regularizer : {'l0', 'l1', 'l2'}
        What makes the coefficients sparse.
    relax_coeff_nu : float
        The slack between the coefficients that fit and those that are sparse.
    tol : float
        The end: a change below this.
    max_iter : int
        The most rounds.
    {peer}
    >>> eqlearn.SR3(0.02).fit(X, y).coef_.round(1).tolist()
    [2.0, 0.0, -1.0, 0.0]
    """

    reg_weight_lam: float = 0.005
    regularizer: str = "L0"
    relax_coeff_nu: float = 1.0
    tol: float = 1e-5
    max_iter: int = 30
    _: KW_ONLY
    unbias: bool = False

    _method = "sr3"
    _chosen = "lambda"
    _renamed: ClassVar[dict[str, str]] = {
        "lambda": "reg_weight_lam",
        "nu": "relax_coeff_nu",
        "regulariser": "regularizer",
    }

    def _knobs(self) -> dict[str, Any]:
        regulariser = str(self.regularizer).lower()
        if regulariser not in ("l0", "l1", "l2"):
            wrong = f"regularizer is {self.regularizer!r}; it must be 'l0', 'l1' or 'l2'"
            # PySINDy raises the same: a weighted one lacks its weights, any other is unknown.
            is_weighted = regulariser.startswith("weighted")
            raise ValueError(wrong) if is_weighted else NotImplementedError(wrong)
        if self.tol == 0:
            # The library would use up all rounds.
            raise ValueError("tol is 0; it must be a number above 0")
        return {**super()._knobs(), "regulariser": regulariser}


@dataclass(eq=False, repr=False)
class FROLS(_Peer):
    """Forward regression orthogonal least squares.

    Parameters
    ----------
    max_iter : int
        The most terms; `folds` choose their number.
    alpha : float
        The ridge penalty on the triangular system, for the variant of PySINDy.
    kappa : float, optional
        The price of a term, for the variant of PySINDy.
    variant : {'textbook', 'pysindy'}
        As its paper has it, or with the numbers of `pysindy.FROLS`.
    tolerance : float
        The textbook's end: an unexplained share below this.
    {peer}
    >>> eqlearn.FROLS().fit(X, y).coef_.round(1).tolist()
    [2.0, 0.0, -1.0, 0.0]
    """

    max_iter: int = 10
    alpha: float = 0.05
    kappa: float | None = None
    _: KW_ONLY
    variant: str = "textbook"
    tolerance: float = 1e-4

    _method = "frols"
    _renamed: ClassVar[dict[str, str]] = {"sparsity": "max_iter"}


@dataclass(eq=False, repr=False)
class MIOSR(_Peer):
    """The best subset under a ridge penalty, proven: `pysindy.MIOSR` without a licence.

    Parameters
    ----------
    target_sparsity : int, optional
        The most terms over all targets; `folds` choose their number up to it.
    group_sparsity : list of int, optional
        The most terms of each target.
    alpha : float
        The ridge penalty.
    {peer}
    >>> model = eqlearn.MIOSR(target_sparsity=2).fit(X, y)
    >>> model.coef_.round(1).tolist(), model.study_.document["regression"]["proven"]
    ([2.0, 0.0, -1.0, 0.0], True)
    """

    target_sparsity: int | None = 5
    group_sparsity: Sequence[int] | None = None
    alpha: float = 0.01
    _: KW_ONLY
    unbias: bool = False

    _method = "miosr"
    _renamed: ClassVar[dict[str, str]] = {"sparsity": "target_sparsity"}

    def _knobs(self) -> dict[str, Any]:
        knobs, groups = super()._knobs(), self.group_sparsity
        if self.target_sparsity is None:
            if groups is None:
                raise ValueError(
                    "give target_sparsity, group_sparsity, or both: something must limit the terms"
                )
            # All that the groups allow.
            allowed = sum(_request.whole("group_sparsity", limit, 0) for limit in groups)
            knobs["sparsity"] = max(allowed, 1)
        return knobs
