"""One engine on one job: prints its seconds of CPU and the best support of each size.

engine.py ENGINE CSV MAX_TERMS KEEP
"""

import importlib
import itertools
import math
import random
import sys
import time

import numpy as np

SAMPLE = 5000

# Imported before the clock starts.
MODULES = {
    "abess": ["abess.linear"],
    "mlxtend": ["mlxtend.feature_selection", "sklearn.linear_model"],
    "l0bnb": ["l0bnb"],
    "numpy": [],
}

# abess scales columns itself, and does worse on columns of unit length.
RAW = {"abess"}


def load(path, raw=False):
    data = np.loadtxt(path, delimiter=",", skiprows=1)
    x, y = data[:, :-1], data[:, -1]
    if raw:
        return x, y
    return x / np.linalg.norm(x, axis=0), y / np.linalg.norm(y)


def abess(x, y, max_terms, keep):
    from abess.linear import LinearRegression

    for size in range(1, max_terms + 1):
        model = LinearRegression(support_size=size, fit_intercept=False)
        model.fit(x, y)
        yield size, np.flatnonzero(model.coef_)


def mlxtend(x, y, max_terms, keep):
    from mlxtend.feature_selection import ExhaustiveFeatureSelector
    from sklearn.linear_model import LinearRegression

    for size in range(1, max_terms + 1):
        selector = ExhaustiveFeatureSelector(
            LinearRegression(fit_intercept=False),
            min_features=size,
            max_features=size,
            scoring="neg_mean_squared_error",
            cv=0,
            print_progress=False,
        )
        yield size, selector.fit(x, y).best_idx_


def l0bnb(x, y, max_terms, keep):
    """Solves the penalised problem along a path, so sizes may be missing."""
    from l0bnb import fit_path

    best = {}
    for solution in fit_path(x, y, lambda_2=1e-6, max_nonzeros=max_terms, intercept=False):
        support = np.flatnonzero(solution["B"])
        best[len(support)] = support
    yield from ((size, best[size]) for size in sorted(best) if 1 <= size <= max_terms)


def numpy(x, y, max_terms, keep):
    """Least squares on every subset; on a sample of them, extrapolated, if there are many."""
    p = x.shape[1]
    extra = 0.0
    for size in range(1, max_terms + 1):
        count = math.comb(p, size)
        if count <= SAMPLE:
            subsets = list(itertools.combinations(range(p), size))
        else:
            dice = random.Random(size)
            subsets = [tuple(sorted(dice.sample(range(p), size))) for _ in range(SAMPLE)]
        start = time.process_time()
        best = (np.inf, ())
        for support in subsets:
            columns = x[:, support]
            coefficients = np.linalg.lstsq(columns, y, rcond=None)[0]
            residual = y - columns @ coefficients
            best = min(best, (residual @ residual, support))
        extra += (time.process_time() - start) * (count / len(subsets) - 1)
        if count <= SAMPLE:
            yield size, best[1]
    print("extrapolated", extra)


def main(engine, path, max_terms, keep):
    x, y = load(path, raw=engine in RAW)
    for module in MODULES[engine]:
        importlib.import_module(module)
    start = time.process_time()
    found = list(globals()[engine](x, y, int(max_terms), int(keep)))
    print("seconds", time.process_time() - start)
    for size, support in found:
        print(size, *support)


if __name__ == "__main__":
    main(*sys.argv[1:])
