"""One equation from a table, with the words and the answer of the command line."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from . import _request, _workers
from ._native import fit_table, fit_triangles
from ._progress import Tell, watching
from ._study import Study
from ._tables import Reading, origin
from ._triangle import Triangle


def fit(
    data: Any,
    target: str | None = None,
    *,
    features: Iterable[str] | None = None,
    categories: str | Iterable[str] | None = None,
    weights: str | None = None,
    group: str | None = None,
    shared: str | Iterable[str] | None = None,
    differentiate: str | None = None,
    order: int | None = None,
    max_power: int | None = None,
    max_degree: int | None = None,
    powers: str | None = None,
    units: str | Iterable[str] | None = None,
    terms: str | Iterable[str] | None = None,
    range: str | Iterable[str] | None = None,
    only_terms: bool = False,
    vocabulary: str | None = None,
    noise: str | None = None,
    robust: bool = False,
    constant: str | None = None,
    method: str | None = None,
    max_terms: int | None = None,
    keep: int | None = None,
    require: str | Iterable[str] | None = None,
    exclude: str | Iterable[str] | None = None,
    criterion: str | None = None,
    size_prior: str | None = None,
    prune: bool | None = None,
    refit: bool = False,
    cv: int | None = None,
    missing: str = "error",
    missing_value: float | Iterable[float] = (),
    format: str | None = None,
    decimal: str | None = None,
    sheet: str | None = None,
    threads: int | None = None,
    n_jobs: int | None = None,
    time_limit: float | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: bool | Tell | None = None,
    **knobs: Any,
) -> Study:
    """Learn y = f(features) from a table.

    The same as `eqlearn fit` on the command line, with the same defaults and, to the bit, the same
    answer.

    Parameters
    ----------
    data : path, DataFrame, Arrow table, dict of arrays or Triangle
        CSV, Parquet, Arrow, NumPy and JSON files, and spreadsheets; pandas, Polars, PyArrow and
        whatever else speaks Arrow's C interface. Rows that were reduced elsewhere: a `Triangle`,
        the path of a .tri file, or a list of such, which has its target, terms and weights already.
    target : str
        The column to explain; a triangle knows it.
    features : list of str, optional
        The inputs; all other columns of numbers if not given.
    categories : str or list of str, optional
        Columns of text that become columns of zeros and ones: `material_wood` is 1 where `material`
        is wood. The first text that appears has none.
    weights : str, optional
        A column of row weights.
    group : str, optional
        A column of text or numbers that tells experiments apart: one law with the same terms holds
        in all, and each has its own coefficients. `Study.experiments` has the equation of each, and
        `document['groups']` says which coefficients differ.
    shared : str or list of str, optional
        With `group` the terms with one coefficient for all experiments: 'x^2, 1'.
    differentiate : str, optional
        Learn the derivative of the target by this column, for laws that are only linear after
        differentiation; `order` is its order, 1 if not given.
    max_power, max_degree : int
        The highest power of one feature, and the highest total power, of the monomials to choose
        from; 4 and 6 if not given. A degree above 4 raises the power with it, unless that is given.
    powers : str, optional
        The powers of a feature in a product, in place of those up to `max_power`: '-2..4', in
        halves '-2..4/2', in thirds '-2..4/3'. Where the values allow it: no negative power of a
        feature that is zero somewhere, no root of one that is negative somewhere.
    units : str or list of str, optional
        The units of all columns: 'P=Pa, V=m^3, n=mol, T=K'; 1 for plain numbers. Terms of the wrong
        dimension are not considered. A name that is no column, as in 'R=J/(mol*K)', is a constant
        which coefficients may carry.
    terms : str or list of str, optional
        Further terms, such as 'sin(x), exp(-x/2)'; with `only_terms` the only ones. In
        'exp(-?a*t)' the value of `a` is found; `range`, such as 'a=0.01..10', says where.
    vocabulary : str, optional
        How rich the terms may be: 'auto' (monomials first, richer ones only while the law seems to
        be outside), 'monomials', 'powers', 'functions', 'fractions' or 'parameters' (all these, and
        families such as exp(-k*x)).
    noise : str, optional
        How the noise of the target varies from row to row: 'auto' finds out, 'even', 'relative', or
        the column with the standard deviation of each row.
    robust : bool
        Leave out rows that do not belong to the law that the others follow, and name them.
    constant : {'free', 'forced', 'none'}, optional
        The constant term: a candidate, always in, or absent. If not given, as the method has it.
    method : str, optional
        'best' (if not given), 'best-subset', 'cs-r2', 'cs-evidence', 'bsr', 'ols', 'ridge',
        'lasso', 'lars', 'stlsq', 'sr3', 'frols', 'ssr', 'miosr' or 'ensemble'.
    max_terms, keep : int, optional
        The largest equation searched, and how many are kept of each size; 8 and 25 if not given.
    require, exclude : str or list of str, optional
        Terms that must, or must not, be in the equation.
    criterion, size_prior : str, optional
        What makes one equation better than another, for 'best' and 'best-subset'; 'residual' and
        'uniform-models' if not given.
    prune : bool, optional
        Whether 'cs-r2' and 'cs-evidence' leave out terms that no listed support of two sizes has;
        True if not given.
    refit : bool
        Least squares on the terms that a method chose, in place of its own coefficients.
    cv : int, optional
        Folds of the cross-validation that chooses a knob which is not given: 5 if not said, 0 for
        the method's usual value.
    missing : {'error', 'drop'}
        What to do with rows that have an empty cell.
    missing_value : float or list of float
        Numbers that stand for an empty cell, such as -999.
    format, decimal, sheet : str, optional
        The kind of a file whose name does not tell; the decimal character of a text table, ',' or
        '.', which is found out if not given; the sheet of a spreadsheet, the first if not given.
    threads, n_jobs : int, optional
        Threads; all cores if not given. Within `joblib.parallel_config(backend=...)`, `n_jobs` is
        how many tasks of that engine; all its workers if not given. Never changes the answer.
    time_limit : float, optional
        Seconds after which the search stops and says what is and is not proven.
    checkpoint : path, optional
        Where a long search saves its progress, to go on from it after a kill.
    progress : bool or function, optional
        A bar by tqdm if not False; a function is called with (stage, done, total).
    **knobs
        Of single methods: `alpha`, `threshold`, `lambda_`, `nu`, `regulariser`, `sparsity`,
        `group_sparsity`, `tol`, `max_iter`, `variant`, `kappa`, `tolerance`, `normalize`, `unbias`,
        `base`, `models`, `drop_terms`, `seed`; and of the cross-validation that chooses what is not
        given: `rule`, `points`, `refinements`. `eqlearn fit --help` says what they mean and to
        which methods.

    Returns
    -------
    Study

    Examples
    --------
    >>> import numpy as np, eqlearn
    >>> t = np.linspace(0, 9, 60)
    >>> noise = 0.01 * np.random.default_rng(0).normal(size=60)
    >>> table = {"t": t, "y": 3 * np.sin(t) + 0.5 * t + noise}
    >>> eqlearn.fit(table, target="y", terms="sin(t), cos(t)", max_degree=2).terms
    ['t', 'sin(t)']
    """
    given = locals()  # all keywords by name, so this line is the first
    request = _request.request(
        "fit",
        given,
        features=_request.names(features),
        threads=_request.threads_of(_request.either(threads, n_jobs)),
    )
    triangles = _triangles(data)
    with watching(progress) as tell, _workers.active(n_jobs) as workers:
        if triangles:
            native = [triangle._native for triangle in triangles]
            outcome = fit_triangles(native, _request.encode(request), tell, workers)
            notes = [note for triangle in triangles for note in triangle.notes]
        else:
            how = _request.encode(Reading(given).of(data))
            outcome, notes = fit_table(origin(data), how, _request.encode(request), tell, workers)
    study = Study(outcome, notes)
    study.warn()
    return study


def _triangles(data: Any) -> list[Triangle]:
    """The triangles that the data are, or none if they are a table."""
    several = list(data) if isinstance(data, (list, tuple)) else [data]
    known = [_is_triangle(one) for one in several]
    if not any(known):
        return []
    if not all(known):
        raise ValueError(
            "some of the data are triangles and some are tables; reduce the tables too"
        )
    return [one if isinstance(one, Triangle) else Triangle.load(one) for one in several]


def _is_triangle(data: Any) -> bool:
    if isinstance(data, (str, os.PathLike)):
        return os.fspath(data).lower().endswith(".tri")
    return isinstance(data, Triangle)
